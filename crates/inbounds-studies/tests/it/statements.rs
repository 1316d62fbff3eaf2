//! The table of all statements of the papers against the studies.

use std::{collections::BTreeSet, fs};

use inbounds_studies::{
    Settings, Silent, Statement, Verdict, pages, registry, statement,
    suite::{Outcome, Suite},
};

use crate::documented::{data, docs};

/// Every study at the fewest replicates: which statements checks are of, and whether they agree or differ, is written
/// in the code of a study; that numbers bear it out is asked elsewhere.
pub(crate) fn suite() -> Suite {
    let settings = Settings { replicates: Some(100), ..Settings::documented(data()) };
    Suite::run(registry::all(), &settings, &Silent).expect("all run")
}

/// Whether a suite ran on all real data.
#[expect(clippy::print_stderr, reason = "a skipped comparison must not look like a passed one")]
pub(crate) fn complete(suite: &Suite) -> bool {
    let lacks = |outcome: &Outcome| match outcome {
        Outcome::Found(findings) => findings.substitute.is_some(),
        Outcome::Skipped(_) => true,
    };
    let missing: Vec<&str> =
        suite.outcomes.iter().filter(|(_, outcome)| lacks(outcome)).map(|(study, _)| study.id).collect();
    if !missing.is_empty() {
        eprintln!("SKIPPED: the table of statements: data of {missing:?} is not there");
    }
    missing.is_empty()
}

#[test]
fn every_statement_has_a_place_and_is_computed_or_says_why_not() {
    let mut labels = BTreeSet::new();
    for statement in statement::all() {
        let Statement { paper, label, section, says, .. } = statement;
        assert!(!label.is_empty() && !section.is_empty() && !says.is_empty(), "{statement:?}");
        assert!(labels.insert((paper.key(), label)), "{label} stands twice");
        let computed = registry::all().any(|study| study.statements.contains(&statement));
        assert_eq!(computed, statement.uncomputed.is_none(), "{}, {label}", paper.key());
    }
    for study in registry::all() {
        assert!(study.statements.iter().all(|statement| statement.paper == study.paper), "{}", study.id);
        let beyond =
            study.place.contains("Beyond") || study.claim.contains("not asked") || study.claim.contains("leaves");
        assert!(!study.statements.is_empty() || beyond, "{} computes nothing of its paper", study.id);
    }
}

#[test]
fn every_erratum_corrects_a_statement() {
    let row = |line: &str| line.strip_prefix("| ")?.split_once(" |")?.0.parse::<u32>().ok();
    let listed: Vec<u32> = pages::ERRATA.lines().filter_map(row).collect();
    assert_eq!(listed, (1..=listed.len() as u32).collect::<Vec<_>>(), "numbered one after the other");
    let named: BTreeSet<u32> = statement::all().flat_map(|statement| statement.errata.iter().copied()).collect();
    assert_eq!(named, listed.iter().copied().collect());
    for statement in statement::all() {
        for number in statement.errata {
            let line = pages::ERRATA.lines().find(|line| row(line) == Some(*number)).expect("listed");
            assert!(
                line.contains(&format!("| {} |", statement.paper.authors())),
                "erratum {number} is not of {}",
                statement.label
            );
        }
    }
}

#[test]
fn checks_are_of_the_statements_of_their_study_and_the_table_says_so() {
    let suite = suite();
    for (study, outcome) in &suite.outcomes {
        let Outcome::Found(findings) = outcome else { continue };
        let statements: Vec<&Statement> =
            findings.checks.iter().filter_map(inbounds_studies::Check::statement).collect();
        for one in &statements {
            assert!(study.statements.contains(one), "{}: {} is not among its statements", study.id, one.label);
        }
        if findings.substitute.is_none() {
            let missing: Vec<&str> =
                study.statements.iter().filter(|one| !statements.contains(one)).map(|one| one.label).collect();
            assert!(missing.is_empty(), "{}: no check of {missing:?}", study.id);
        }
        for check in &findings.checks {
            if let Verdict::Differs { statement, erratum, .. } = check.verdict {
                assert!(
                    statement.errata.contains(&erratum),
                    "{}: erratum {erratum} is not of {}",
                    study.id,
                    statement.label
                );
            }
        }
    }
    if complete(&suite) {
        let standing = fs::read_to_string(docs().join("statements.md")).unwrap_or_default();
        assert_eq!(standing, pages::statements(&suite), "run `pages_are_written` and read the difference");
    }
}
