//! Doc comments begin with the noun or the verb of what they document.

use std::{fs, path::Path};

use crate::repository::{files_below, root};

/// Words with which a doc comment names its subject only at its end, as in "How many cells the keys list".
const LATE: [&str; 4] = ["What", "How", "Whose", "Whether"];

/// Doc comments in a thousand that may begin with one of them.
const MOST_PER_THOUSAND: usize = 12;

/// The first line of each doc comment in a file, as its place and its text.
fn openings(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).expect("a source");
    let (mut is_inside, mut doc_openings) = (false, Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let opening = ["///", "//!"].into_iter().find_map(|mark| line.strip_prefix(mark));
        if let (Some(opening), false) = (opening, is_inside) {
            doc_openings.push((format!("{}:{}", path.display(), number + 1), opening.trim().to_owned()));
        }
        is_inside = opening.is_some();
    }
    doc_openings
}

#[test]
fn doc_comments_begin_with_their_subject() {
    let sources = files_below(&root().join("crates"), "rs");
    let sources = sources.iter().filter(|path| path.components().any(|part| part.as_os_str() == "src"));
    let all: Vec<(String, String)> = sources.flat_map(|path| openings(path)).collect();
    let is_late = |text: &str| LATE.contains(&text.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or(""));
    let late: Vec<String> =
        all.iter().filter(|(_, text)| is_late(text)).map(|(place, text)| format!("{place}: {text}")).collect();
    assert!(all.len() > 1000, "no doc comments were found");
    assert!(
        1000 * late.len() <= MOST_PER_THOUSAND * all.len(),
        "{} of {} doc comments begin with {}, more than {MOST_PER_THOUSAND} in a thousand:\n{}",
        late.len(),
        all.len(),
        LATE.join(", "),
        late.join("\n")
    );
}
