//! The page of a reconciliation.

mod done;
mod fairness;
mod headline;
mod nodes;
mod sections;

use std::path::Path;

use inbounds_bundle::{InputEntry, Notice, ReconcileManifest};

use fairness::Class;

use crate::{
    ReportError,
    cells::Cells,
    document::{self, Page},
    figures::whole,
    files::Files,
    release::words::{counted, quoted},
};

/// The tables that the page shows.
pub(crate) struct Tables {
    nodes: Cells,
    fairness: Vec<Class>,
}

/// Reads them.
pub(crate) fn read(folder: &Path) -> Result<Tables, ReportError> {
    let nodes = nodes::read(&folder.join("estimates.csv"))?;
    Ok(Tables { nodes, fairness: fairness::read(&folder.join("fairness.csv"))? })
}

/// Lays out the page.
pub(crate) fn page(manifest: &ReconcileManifest, files: &Files, Tables { nodes, fairness }: &Tables) -> Page {
    let input = &manifest.input;
    let page = Page {
        title: format!("Reconciled: {}", Path::new(&input.file).file_name().unwrap_or_default().display()),
        kind: done::kind(manifest),
        lead: format!(
            "{}{}, made to agree with one another and with what is known of them.",
            counted(input.nodes, "number"),
            if done::is_tree(input) { format!(" in {}", counted(input.levels, "level")) } else { String::new() }
        ),
        warnings: {
            let warnings = manifest.warnings.iter().map(|warning| format!("{}.", quoted(warning)));
            let (first, others): (Vec<_>, Vec<_>) = manifest.notices.iter().partition(|notice| notice.comes_first());
            let sentences = |notices: Vec<&Notice>| notices.into_iter().map(Notice::sentence).collect::<Vec<_>>();
            sentences(first).into_iter().chain(warnings).chain(sentences(others)).collect()
        },
        facts: facts(input),
        notices: vec![],
        sections: vec![
            headline::section(manifest, nodes),
            sections::estimates(manifest, nodes, fairness),
            sections::cost(manifest, nodes, fairness),
            sections::done(manifest),
            sections::privacy(),
            sections::caveats(manifest),
            files.section(format!(
                "Estimates reconciled from {}. Made with {}. SHA-256 of reconcile.json: {}",
                input.file, manifest.program, files.digest
            )),
        ],
        program: manifest.program.to_string(),
        source: document::OF_BUNDLE,
    };
    page.warned(files)
}

fn facts(input: &InputEntry) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Numbers", whole(input.nodes))];
    if done::is_tree(input) {
        facts.extend([("Of them leaves", whole(input.leaves)), ("Levels", whole(input.levels))]);
    }
    facts.push(("Measurements", whole(input.measurements)));
    facts
}
