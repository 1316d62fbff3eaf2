//! The page of a reconciliation.

mod done;
mod fairness;
mod headline;
mod nodes;
mod sections;

use std::path::Path;

use inbounds_bundle::{InputEntry, Method, Notice, ReconcileManifest};

use fairness::Class;
use nodes::Told;

use crate::{
    ReportError,
    cells::Cells,
    document::{self, Page},
    figures::whole,
    files::Files,
    release::words::{counted, quoted},
    spread::Style,
};
#[cfg(feature = "export")]
use crate::{
    cells::Cell,
    edition::{Edition, List, Sheet, Value},
    pictures,
};

/// The tables that the page shows.
pub(crate) struct Tables {
    nodes: Cells,
    told: Told,
    fairness: Vec<Class>,
}

/// Reads them.
pub(crate) fn read(folder: &Path) -> Result<Tables, ReportError> {
    let (nodes, told) = nodes::read(&folder.join("estimates.csv"))?;
    Ok(Tables { nodes, told, fairness: fairness::read(&folder.join("fairness.csv"))? })
}

/// Lays out the page.
pub(crate) fn page(manifest: &ReconcileManifest, files: &Files, Tables { nodes, told, fairness }: &Tables) -> Page {
    let input = &manifest.input;
    let page = Page {
        title: title(input),
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
        sure: None,
        facts: facts(input),
        notices: vec![],
        sections: vec![
            headline::section(manifest, nodes),
            sections::estimates(manifest, (nodes, told), fairness),
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

/// Published content of a reconciliation, for every file format.
#[cfg(feature = "export")]
pub(crate) fn edition(folder: &Path, manifest: &ReconcileManifest) -> Result<Edition, ReportError> {
    let (nodes, told) = nodes::read(&folder.join("estimates.csv"))?;
    let own = ["node", "estimate", "interval, lower end", "interval, upper end", "bias", "RMSE", "measured"];
    let row = |cell: &Cell| {
        vec![
            Value::Text(pictures::label(cell)),
            Value::Number(cell.estimate),
            cell.interval.map(|(lower, _)| lower).into(),
            cell.interval.map(|(_, upper)| upper).into(),
            cell.bias.into(),
            cell.rmse.into(),
            cell.measurement.into(),
        ]
    };
    let title = title(&manifest.input);
    let drawn = sections::pictures(&nodes, &told, sections::subject(manifest)).into_iter();
    Ok(Edition {
        title: title.clone(),
        warnings: manifest.warnings.iter().map(|warning| format!("{}.", quoted(warning))).collect(),
        about: vec![],
        language: "en",
        sure: None,
        heading: "Methods",
        methods: done::held(manifest).into_iter().chain([done::solved(&manifest.solver)]).collect(),
        sheets: vec![Sheet {
            name: "Estimates".to_owned(),
            title,
            notes: manifest.notices.iter().map(Notice::sentence).collect(),
            tables: sections::tables(manifest, &nodes, &told),
            list: List {
                heads: own.map(str::to_owned).to_vec(),
                rows: nodes.shown.iter().map(row).collect(),
                note: nodes.cut(nodes.shown.len(), "estimates.csv"),
            },
        }],
        pictures: drawn.map(|picture| (picture.id, picture.graphic)).collect(),
    })
}

fn title(input: &InputEntry) -> String {
    format!("Reconciled: {}", Path::new(&input.file).file_name().unwrap_or_default().display())
}

/// Number format: integers and their intervals are written as integers.
fn style(manifest: &ReconcileManifest) -> Style {
    let is_whole = manifest.solver.method.known().is_some_and(Method::is_whole);
    if is_whole { Style::Whole } else { Style::Plain }
}

fn facts(input: &InputEntry) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Numbers", whole(input.nodes))];
    if done::is_tree(input) {
        facts.extend([("Of them leaves", whole(input.leaves)), ("Levels", whole(input.levels))]);
    }
    facts.push(("Measurements", whole(input.measurements)));
    facts
}
