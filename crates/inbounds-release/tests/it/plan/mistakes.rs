//! Every mistake the reader knows, as a list of edits of the good plan and what the reader says of them.
//!
//! The cases stand in `mistakes/*.txt`. A case is a title after `=`, then edits, then the expected error after `>`:
//!
//! - `- line` and `+ line`: the first occurrence of the lines after `-` becomes the lines after `+`;
//! - `+` alone between two deletions keeps them apart;
//! - `+ line` without a `-` before it: the lines are added at the end.
//!
//! `INBOUNDS_ACCEPT=1 cargo test -p inbounds-release` writes what the reader says now into the files, for a person to
//! read the difference.

use std::{env, fmt::Write, fs, path::PathBuf};

use super::{GOOD, edit, parse};

#[derive(Default)]
struct Case {
    title: String,
    edits: Vec<(Vec<String>, Vec<String>)>,
    expected: String,
}

impl Case {
    fn plan(&self) -> String {
        self.edits.iter().fold(GOOD.to_owned(), |text, (old, new)| match (old.as_slice(), new.join("\n")) {
            ([], new) => format!("{text}\n{new}\n"),
            (old, new) => edit(&text, &old.join("\n"), &new),
        })
    }

    fn add_line(&mut self, line: &str) {
        let (mark, rest) = line.split_at(1);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match mark {
            "-" => match self.edits.last_mut() {
                Some((old, new)) if new.is_empty() => old.push(rest.to_owned()),
                _ => self.edits.push((vec![rest.to_owned()], Vec::new())),
            },
            "+" => match self.edits.last_mut() {
                Some((_, new)) => new.push(rest.to_owned()),
                None => self.edits.push((Vec::new(), vec![rest.to_owned()])),
            },
            ">" => writeln!(self.expected, "{rest}").expect("a String takes text"),
            _ => panic!("a case line starts with `-`, `+` or `>`: {line}"),
        }
    }
}

fn read_cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("= "), cases.last_mut()) {
            (Some(title), _) => cases.push(Case { title: title.to_owned(), ..Case::default() }),
            (None, Some(case)) => case.add_line(line),
            (None, None) => panic!("a title comes first"),
        }
    }
    cases
}

fn write_case(text: &mut String, case: &Case, said: &str) {
    let separator = if text.is_empty() { "" } else { "\n" };
    writeln!(text, "{separator}= {}", case.title).expect("a String takes text");
    for (old, new) in &case.edits {
        for (mark, line) in old.iter().map(|line| ('-', line)).chain(new.iter().map(|line| ('+', line))) {
            writeln!(text, "{}", format!("{mark} {line}").trim_end()).expect("a String takes text");
        }
    }
    for line in said.lines() {
        writeln!(text, "> {line}").expect("a String takes text");
    }
}

fn check(file: &str, least_cases: usize) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/plan/mistakes").join(file);
    let cases = read_cases(&fs::read_to_string(&path).expect("the case file can be read"));
    assert!(cases.len() >= least_cases, "{file} lost cases: {}", cases.len());
    let (mut accepted, mut wrong) = (String::new(), String::new());
    for case in &cases {
        let said = match parse(&case.plan()) {
            Ok(_) => "no mistake\n".to_owned(),
            Err(errors) => format!("{errors}\n"),
        };
        write_case(&mut accepted, case, &said);
        if said != case.expected {
            write!(wrong, "\n{file}: {}\nexpected:\n{}said:\n{said}", case.title, case.expected)
                .expect("a String takes text");
        }
    }
    if env::var_os("INBOUNDS_ACCEPT").is_some() {
        fs::write(&path, accepted).expect("the case file can be written");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

#[test]
fn mistakes_of_shape_are_said() {
    check("shape.txt", 29);
}

#[test]
fn mistakes_of_data_are_said() {
    check("data.txt", 18);
}

#[test]
fn mistakes_of_dates_are_said() {
    check("dates.txt", 18);
}

#[test]
fn mistakes_of_derived_columns_are_said() {
    check("derived.txt", 17);
}

#[test]
fn mistakes_of_privacy_are_said() {
    check("privacy.txt", 35);
}

#[test]
fn mistakes_of_columns_are_said() {
    check("columns.txt", 32);
}

#[test]
fn mistakes_of_statistics_are_said() {
    check("statistics.txt", 56);
}

#[test]
fn mistakes_of_learned_keys_are_said() {
    check("learned.txt", 10);
}

#[test]
fn mistakes_of_wants_are_said() {
    check("wants.txt", 20);
}

#[test]
fn mistakes_of_spending_are_said() {
    check("spending.txt", 8);
}

#[test]
fn mistakes_of_factors_are_said() {
    check("multiplied.txt", 3);
}

#[test]
fn mistakes_of_levels_are_said() {
    check("levels.txt", 19);
}

#[test]
fn mistakes_of_margins_are_said() {
    check("margins.txt", 23);
}

#[test]
fn mistakes_of_tables_at_every_level_are_said() {
    check("tables.txt", 10);
}

#[test]
fn mistakes_of_kinds_are_said() {
    check("kinds.txt", 32);
}

#[test]
fn mistakes_of_units_that_are_one_row_are_said() {
    check("per_unit.txt", 24);
}

#[test]
fn mistakes_of_shared_noise_are_said() {
    check("together.txt", 11);
}

#[test]
fn mistakes_of_figures_are_said() {
    check("figures.txt", 10);
}
