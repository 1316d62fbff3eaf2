//! What holds for every study.

use std::{collections::BTreeSet, fs};

use inbounds_studies::{Paper, Settings, Silent, StudyError, Verdict, files, registry};

use crate::documented::data;

#[test]
fn ids_are_unique_and_say_their_paper() {
    let ids: Vec<&str> = registry::all().map(|study| study.id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for study in registry::all() {
        assert!(study.id.starts_with(&format!("{}-", study.paper.key())), "{}", study.id);
        assert!(std::ptr::eq(registry::find(study.id).expect("registered"), study));
    }
    assert_eq!(Paper::ALL.into_iter().flat_map(registry::of).count(), ids.len());
    assert!(registry::find("no-such-study").is_none());
}

#[test]
fn closed_forms_give_files_and_verdicts_that_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    for study in registry::all().filter(|study| study.replicates == 0) {
        let findings = study.run(&Settings::documented(data()), &Silent).expect(study.id);
        for check in &findings.checks {
            assert!(check.holds(), "{}: {check:?}", study.id);
        }
        assert!(!findings.checks.is_empty() && !findings.tables.is_empty(), "{} shows nothing", study.id);
        let names = files::write(study, &findings, folder.path()).expect("written");
        for name in &names {
            assert!(fs::metadata(folder.path().join(name)).expect("there").len() > 0);
        }
        assert_eq!(names.len(), findings.tables.len() + usize::from(findings.figure.is_some()));
    }
}

#[test]
fn errata_that_verdicts_name_are_listed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/studies/errata.md");
    let errata = fs::read_to_string(path).expect("errata");
    for study in registry::all().filter(|study| study.replicates == 0) {
        let findings = study.run(&Settings::documented(data()), &Silent).expect(study.id);
        for check in findings.checks {
            if let Verdict::Differs { erratum: Some(number), .. } = check.verdict {
                assert!(errata.contains(&format!("\n| {number} |")), "{}: erratum {number}", study.id);
            }
        }
    }
}

#[test]
fn too_few_replicates_are_refused() {
    for study in registry::all().filter(|study| study.replicates > 0) {
        let settings = Settings { replicates: Some(1), ..Settings::documented(None) };
        assert!(matches!(study.run(&settings, &Silent), Err(StudyError::Replicates { .. })), "{}", study.id);
    }
}
