//! The page of every example: each plan and each constraints file of `examples`, so that every kind of statistic and of
//! constraint has a page that is sound.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use inbounds_bundle::{KindWord, ReleaseManifest};
use inbounds_core::Named;

use crate::workbench::Workbench;

/// The page of an example, the kinds of statistics that it shows, and whether it has to have a picture.
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) page: String,
    pub(crate) drawn: bool,
    kinds: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Files of a folder with this ending, sorted.
fn files(folder: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("examples").map(|entry| entry.expect("entry").path());
    let mut names: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|suffix| suffix == extension))
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs the program on one file of a folder.
fn made(folder: &Path, name: &str, arguments: &[&str]) -> Example {
    let bench = Workbench::new();
    for extension in ["csv", "toml", "geojson"] {
        for file in files(folder, extension) {
            bench.write(&file, fs::read(folder.join(&file)).expect("file"));
        }
    }
    let said = bench.run(&[arguments, &["--out", "bundle"]].concat());
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert_eq!(inbounds_report::render(&bench.path("bundle")).expect("draws"), page, "{name}: drawn again");
    let manifest = fs::read_to_string(bench.path("bundle").join(ReleaseManifest::FILE));
    let kinds = manifest.map_or_else(
        |_| vec![],
        |text| {
            let manifest: ReleaseManifest = serde_json::from_str(&text).expect("a manifest");
            manifest.statistics.iter().map(|statistic| statistic.kind.to_string()).collect()
        },
    );
    let name = format!("{}/{name}", folder.file_name().expect("a name").display());
    Example { name, page, drawn: has_several_of_an_output(&bench.path("bundle/estimates.csv")), kinds }
}

/// Whether an output of a statistic has more than one number: a single one has no picture.
fn has_several_of_an_output(estimates: &Path) -> bool {
    let mut table = csv::Reader::from_path(estimates).expect("estimates");
    let columns = table.headers().expect("a header").clone();
    let own: Vec<usize> =
        (0..columns.len()).filter(|&column| ["statistic", "output"].contains(&&columns[column])).collect();
    let mut seen = BTreeSet::new();
    table.records().any(|row| {
        let row = row.expect("a row");
        !seen.insert(own.iter().map(|&column| row[column].to_owned()).collect::<Vec<_>>())
    })
}

/// Every plan released, every constraints file met, every other table of measurements reconciled.
pub(crate) fn all() -> Vec<Example> {
    let mut examples = Vec::new();
    for entry in fs::read_dir(root()).expect("examples") {
        let folder = entry.expect("entry").path();
        let rules = files(&folder, "toml");
        for name in &rules {
            let text = fs::read_to_string(folder.join(name)).expect("file");
            let measured = name.replace(".toml", ".csv");
            if text.contains("[privacy]") {
                examples.push(made(&folder, name, &["release", name, "--seed", "7", "--not-private"]));
            } else {
                examples.push(made(
                    &folder,
                    name,
                    &["reconcile", &measured, "--constraints", name, "--replicates", "39"],
                ));
            }
        }
        if rules.is_empty() {
            for name in files(&folder, "csv") {
                examples.push(made(&folder, &name, &["reconcile", &name, "--integer", "--replicates", "39"]));
            }
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    examples
}

/// Words of the program and not of a reader.
const SLIPS: [&str; 8] = [">NaN", "Some(", "None<", "{ ", "this version does not know", " inf ", ">null", "\u{fffd}"];

#[test]
fn every_example_has_a_sound_page() {
    let examples = all();
    assert!(examples.len() >= 10, "{}", examples.len());
    let kinds: BTreeSet<&str> = examples.iter().flat_map(|example| &example.kinds).map(String::as_str).collect();
    let known: BTreeSet<&str> = KindWord::all().iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, known, "examples are of every kind");
    for Example { name, page, .. } in &examples {
        // What is written, without style and script.
        let body = page.split_once("<body").expect("a body").1;
        let body = body.split("<script>").next().unwrap_or_default();
        for slip in SLIPS {
            let at = body.find(slip);
            assert!(
                at.is_none(),
                "{name}: `{slip}` in …{}",
                at.map_or("", |at| &body[at..]).chars().take(80).collect::<String>()
            );
        }
        let ids: Vec<&str> = body.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: {ids:?}");
        // Every bar of the budget is the whole, and no more.
        for bar in body.split("class=\"bar\"").skip(1) {
            let bar = bar.split("</div>").next().unwrap_or_default();
            let widths = bar.split("flex-basis:").skip(1).filter_map(|rest| rest.split('%').next());
            let total_width: f64 = widths.map(|width| width.parse::<f64>().expect("a width")).sum();
            assert!((total_width - 100.0).abs() < 0.1, "{name}: a bar of {total_width} %");
        }
        for words in ["The numbers", "<details>", "Cite and verify", "matches"] {
            assert!(body.contains(words), "{name}: no `{words}`");
        }
        assert!(!body.contains("DIFFERS") && !body.contains("MISSING"), "{name}");
    }
}
