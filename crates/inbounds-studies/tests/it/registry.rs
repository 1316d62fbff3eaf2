//! What holds for every study.

use std::{collections::BTreeSet, fs, io::ErrorKind};

use inbounds_studies::{
    Paper, Settings, Silent, StudyError, Verdict, files, pages, registry,
    suite::{Outcome, Suite},
};

use crate::documented::data;

#[test]
fn ids_are_unique_and_say_their_paper() {
    let ids: Vec<&str> = registry::all().map(|study| study.id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for study in registry::all() {
        assert!(study.id.starts_with(&format!("{}-", study.paper.key())), "{}", study.id);
        assert!(std::ptr::eq(registry::find(study.id).expect("registered"), study));
    }
    assert_eq!(Paper::ALL.into_iter().flat_map(registry::by_paper).count(), ids.len());
    assert!(registry::find("no-such-study").is_none());
}

#[test]
fn closed_forms_give_files_and_verdicts_that_hold() {
    let closed = registry::all().filter(|study| study.replicates == 0);
    let suite = Suite::run(closed, &Settings::documented(data()), &Silent).expect("all run");
    let failed: Vec<String> = suite.failed().map(|(study, check)| format!("{}: {check:?}", study.id)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("studies");
    suite.write(&folder).expect("written");
    for (study, outcome) in &suite.outcomes {
        let Outcome::Found(findings) = outcome else { continue };
        assert!(!findings.checks.is_empty() && !findings.tables.is_empty(), "{} shows nothing", study.id);
        let names = findings.tables.iter().map(|table| format!("{}-{}.csv", study.id, table.name()));
        for name in names.chain(findings.figure.iter().map(|_| files::picture(study))) {
            assert!(fs::metadata(folder.join(&name)).expect(&name).len() > 0, "{name} is empty");
        }
        for check in &findings.checks {
            if let Verdict::Differs { erratum: number, .. } = check.verdict {
                assert!(pages::ERRATA.contains(&format!("\n| {number} |")), "{}: erratum {number}", study.id);
            }
        }
        let page = fs::read_to_string(folder.join(pages::name(study.paper))).expect("a page");
        assert!(page.contains(&pages::section(study, findings)), "{}", study.id);
    }
    let again = suite.write(&folder).expect_err("a folder is at the place");
    assert_eq!(again.kind(), ErrorKind::AlreadyExists);
}

#[test]
fn missing_data_skips_a_study_loudly() {
    let iris = registry::find("holohan-naive-bayes").into_iter();
    let suite = Suite::run(iris, &Settings::documented(None), &Silent).expect("runs");
    let Outcome::Skipped(reason) = &suite.outcomes[0].1 else { panic!("it ran without data") };
    assert!(reason.contains("people/iris.csv") && reason.contains("--data"), "{reason}");
}

#[test]
fn too_few_replicates_are_refused() {
    for study in registry::all().filter(|study| study.replicates > 0) {
        let settings = Settings { replicates: Some(1), ..Settings::documented(None) };
        assert!(matches!(study.run(&settings, &Silent), Err(StudyError::Replicates { .. })), "{}", study.id);
    }
}
