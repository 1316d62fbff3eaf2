//! Entries of the manifest of a reconciliation.

use inbounds_bundle::{LawEntry, NoiseLaw};

use crate::projection::{Law, Solver};

/// Counts measurements by law; a variance without a law stands for Gaussian noise.
pub(super) fn laws(measured: impl Iterator<Item = (Option<Law>, f64)>) -> Vec<LawEntry> {
    let mut entries: Vec<(Option<Law>, LawEntry)> = Vec::new();
    for (stated, scale) in measured {
        let index = entries.iter().position(|(law, _)| *law == stated).unwrap_or_else(|| {
            let law = NoiseLaw::from(stated.unwrap_or(Law::Gaussian)).into();
            let entry = LawEntry {
                law,
                stated: stated.is_some(),
                measurements: 0,
                least_scale: f64::INFINITY,
                largest_scale: 0.0,
            };
            entries.push((stated, entry));
            entries.len() - 1
        });
        let entry = &mut entries[index].1;
        entry.measurements += 1;
        entry.least_scale = entry.least_scale.min(scale);
        entry.largest_scale = entry.largest_scale.max(scale);
    }
    entries.sort_by_key(|(law, _)| *law);
    entries.into_iter().map(|(_, entry)| entry).collect()
}

/// Rules that settle what the constraints leave open.
const POOLED: &str = "Several measurements of one node count as one, their mean by weight, with weight 1 / variance; an \
                      exact value overrides measurements.";

/// Rules of every solver, then its own.
pub(super) fn rules(solver: &dyn Solver) -> Vec<String> {
    [&[POOLED], solver.rules()].concat().into_iter().map(str::to_owned).collect()
}
