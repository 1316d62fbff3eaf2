//! Comments within the width of the code.

use std::{fs, path::Path};

use crate::repository::{files_below, root};

/// `max_width` of rustfmt.toml, which breaks code and leaves comments as they are.
const COLUMNS: usize = 120;

/// The text of a comment; none of other lines.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|mark| line.strip_prefix(mark))
}

/// Whether a text has a space at which it can be broken: one outside code.
fn can_be_broken(text: &str) -> bool {
    let mut outside = text.trim().split('`').step_by(2);
    outside.any(|part| part.contains(' '))
}

/// Prose beyond the width, as `file:line`. Code, formulas in fences and tables are as long as they are.
fn too_long(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a source");
    let (mut is_fenced, mut long_lines) = (false, Vec::new());
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = comment(line) else {
            is_fenced = false;
            continue;
        };
        let comment = comment.trim_start();
        if comment.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && line.chars().count() > COLUMNS && !comment.starts_with('|') && can_be_broken(comment) {
            long_lines.push(format!("{}:{}", path.display(), number + 1));
        }
    }
    long_lines
}

#[test]
fn comments_are_within_the_width_of_the_code() {
    let long_lines: Vec<String> =
        files_below(&root().join("crates"), "rs").iter().flat_map(|path| too_long(path)).collect();
    assert!(
        long_lines.is_empty(),
        "{} lines of comments beyond {COLUMNS} columns:\n{}",
        long_lines.len(),
        long_lines.join("\n")
    );
}
