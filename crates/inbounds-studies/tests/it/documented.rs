//! The pages in `docs/studies` are what the studies write.
//!
//! `UPDATE_DOCS=liu- cargo test -p inbounds-studies --test it -- --ignored pages_are_written` writes those whose ids
//! begin with `liu-` anew.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use inbounds_studies::{Paper, Settings, Silent, Study, StudyError, files, pages, registry};

use crate::statements;

/// The folder of public data: `INBOUNDS_DATA`, or beside the repository, if it is there.
pub(crate) fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = env::var_os("INBOUNDS_DATA").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

pub(crate) fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studies")
}

/// Section and picture of a study as documented; `None`, loudly, where its data is not there.
#[expect(clippy::print_stderr, reason = "a skipped comparison must not look like a passed one")]
fn written(study: &Study) -> Option<(String, Option<String>)> {
    let findings = match study.run(&Settings::documented(data()), &Silent) {
        Err(error @ StudyError::NoData { .. }) => {
            eprintln!("SKIPPED: {error}");
            return None;
        }
        findings => findings.expect(study.id),
    };
    if let Some(substitute) = &findings.substitute {
        eprintln!("SKIPPED: {}: {substitute}", study.id);
        return None;
    }
    for check in &findings.checks {
        assert!(check.holds(), "{}: {check:#?}", study.id);
    }
    Some((pages::section(study, &findings), findings.figure.map(|figure| figure.to_svg())))
}

/// Holds the documentation of a study against what it writes.
fn hold(study: &Study) {
    let Some((section, picture)) = written(study) else { return };
    let remedy = "run `pages_are_written` and read the difference";
    assert_eq!(standing(study), section, "{}: {remedy}", study.id);
    if let Some(picture) = picture {
        let standing = fs::read_to_string(docs().join(files::picture(study))).unwrap_or_default();
        assert!(standing == picture, "{}: the picture differs; {remedy}", study.id);
    }
}

/// The section of a study as it stands in the documentation; empty if there is none.
fn standing(study: &Study) -> String {
    let page = fs::read_to_string(docs().join(pages::name(study.paper))).unwrap_or_default();
    let command = format!("\n`inbounds study run {}`\n", study.id);
    let section = page.split("\n## ").skip(1).find(|section| section.contains(&command));
    section.map_or_else(String::new, |section| format!("\n## {section}"))
}

/// Ids of the studies that take longer than a few seconds at their default number of replicates.
const SLOW: &[&str] = &[
    "fairness-spread",
    "fairness-fits",
    "fairness-shares",
    "liu-covariance",
    "liu-rescaling",
    "liu-multiple-synthesis",
    "liu-all-but-one",
    "liu-universal-histogram",
    "liu-pair-sums",
    "liu-simplex-projection",
    "liu-population-intervals",
];

fn is_slow(study: &Study) -> bool {
    SLOW.contains(&study.id)
}

#[test]
fn quick_studies_are_documented() {
    registry::all().filter(|study| !is_slow(study)).for_each(hold);
}

#[test]
#[ignore = "minutes: long simulations at their default number of replicates"]
fn slow_studies_are_documented() {
    registry::all().filter(|study| is_slow(study)).for_each(hold);
}

#[test]
fn pages_have_their_head_and_a_section_for_every_study() {
    for paper in Paper::ALL.into_iter().filter(|&paper| registry::by_paper(paper).next().is_some()) {
        let page = fs::read_to_string(docs().join(pages::name(paper))).expect("a page");
        assert!(page.starts_with(&pages::head(paper)), "{}", paper.key());
        let sections = page.lines().filter(|line| line.starts_with("## ")).count();
        assert_eq!(sections, registry::by_paper(paper).count(), "{}", paper.key());
    }
}

#[test]
#[ignore = "writes docs/studies: name in UPDATE_DOCS how the ids begin of the studies to write anew"]
fn pages_are_written() {
    let chosen = env::var("UPDATE_DOCS").expect("the beginning of ids in UPDATE_DOCS");
    for paper in Paper::ALL.into_iter().filter(|&paper| registry::by_paper(paper).next().is_some()) {
        let mut page = pages::head(paper);
        for study in registry::by_paper(paper) {
            let anew = study.id.starts_with(&chosen).then(|| written(study)).flatten();
            let Some((section, picture)) = anew else {
                page.push_str(&standing(study));
                continue;
            };
            page.push_str(&section);
            if let Some(picture) = picture {
                fs::write(docs().join(files::picture(study)), picture).expect("written");
            }
        }
        fs::write(docs().join(pages::name(paper)), page).expect("written");
    }
    let suite = statements::suite();
    if statements::complete(&suite) {
        fs::write(docs().join("statements.md"), pages::statements(&suite)).expect("written");
    }
}
