//! The plan reader, from outside.

mod exact;
mod good;
mod mistakes;
mod mutated;
mod resolve;

use std::path::Path;

use inbounds_release::plan::{DocumentErrors, Plan};

/// A plan without mistakes that uses every key but `delta`, `rows`, `format` and `share`.
const GOOD: &str = include_str!("good.toml");

fn parse(text: &str) -> Result<Plan, DocumentErrors> {
    Plan::parse(text, Path::new("folder"))
}

/// Replaces the first occurrence of `old`, which must be there.
fn edit(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "the plan has no `{old}`");
    text.replacen(old, new, 1)
}
