//! The structure of the crates: files that use one another in a circle can only be understood together.

mod comments;
mod imports;
mod names;
mod openings;
mod storeys;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::repository::root;
use imports::{Imports, Module};

/// Circles of files that there may be in all crates, and files that may be in one. They may only become fewer: a change
/// that removes one lowers these numbers.
const CIRCLES: usize = 6;
const LARGEST: usize = 4;

/// Every crate, with the files of its sources.
fn crates() -> Vec<(String, Imports)> {
    let folder = root().join("crates");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).expect("the crates").map(|entry| entry.expect("a crate").path()).collect();
    folders.retain(|path| path.join("src").is_dir());
    folders.sort();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    folders.iter().map(|path| (name(path), Imports::read(&path.join("src")))).collect()
}

/// The imports inside a circle, one a line.
fn said(imports: &Imports, circle: &[&Module]) -> String {
    let mut lines = Vec::new();
    for module in circle {
        for (other, names) in imports.by_module[*module].iter().filter(|(other, _)| circle.contains(other)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.push(format!("    {} uses {} of {}", module.join("::"), names.join(", "), other.join("::")));
        }
    }
    lines.join("\n")
}

#[test]
fn files_use_one_another_in_few_circles() {
    let mut circles: Vec<(usize, String)> = Vec::new();
    for (name, imports) in &crates() {
        for circle in imports.circles() {
            let text = format!("{name}: {} files\n{}", circle.len(), said(imports, &circle));
            circles.push((circle.len(), text));
        }
    }
    let all = || circles.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    assert!(circles.len() <= CIRCLES, "{} circles of files, more than {CIRCLES}:\n{}", circles.len(), all());
    let largest = circles.iter().map(|(files, _)| *files).max().unwrap_or(0);
    assert!(largest <= LARGEST, "a circle of {largest} files, more than {LARGEST}:\n{}", all());
    assert!(
        circles.len() == CIRCLES && largest == LARGEST,
        "{} circles, of {largest} files at most: lower the numbers of this test",
        circles.len()
    );
}
