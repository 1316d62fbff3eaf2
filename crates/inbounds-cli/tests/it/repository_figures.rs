//! Figures that were measured: documents say what `benches/figures.json` has, and no figure goes without it.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::repository::{files_below, read, root};

const PERFORMANCE: &str = "docs/performance.md";
const TEMPLATE: &str = "benches/performance.template";
const REMEDY: &str = "run `benches/record --documents`";

fn records() -> Value {
    serde_json::from_str(&read("benches/figures.json")).expect("JSON")
}

fn benchmarks() -> toml::Table {
    read("benches/benchmarks.toml").parse().expect("TOML")
}

/// The text of a figure BENCHMARK.FIGURE.
fn figure<'a>(records: &'a Value, name: &str, place: &str) -> &'a str {
    let (benchmark, key) = name.split_once('.').unwrap_or_else(|| panic!("{place}: `{name}` is not BENCHMARK.FIGURE"));
    records[benchmark]["figures"][key].as_str().unwrap_or_else(|| panic!("{place}: no figure `{name}` is recorded"))
}

/// A figure up to its last digit.
fn without_unit(text: &str) -> &str {
    text.trim_end_matches(|c: char| !c.is_ascii_digit())
}

/// A marked figure of a document: its kind, its name, what it says, and what is left of the text behind it.
fn next_marked(text: &str) -> Option<(&str, [&str; 3], &str)> {
    let place = ["<!-- figure: ", "<!-- number: "].iter().filter_map(|start| text.find(start)).min()?;
    let (before, marked) = text.split_at(place);
    let (marker, rest) = marked.split_once(" -->").expect("a marker ends");
    let (shown, rest) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{marker} has no end"));
    let (kind, name) = marker.trim_start_matches("<!-- ").split_once(": ").expect("a kind and a name");
    Some((before, [kind, name, shown], rest))
}

/// A place of the template: what stands before it, its name and form, and the rest.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (place, rest) = rest.split_once('}').expect("a place ends");
    Some((before, place, rest))
}

fn machine(record: &Value) -> String {
    let mut machine = record["processor"].as_str().expect("a processor").to_owned();
    if let Some(cores) = record["cores"].as_u64() {
        machine += &format!(", {cores} core{}", if cores > 1 { "s" } else { "" });
    }
    if let Some(load) = record["load"].as_f64() {
        machine += &format!(", load {load:.1}");
    }
    machine
}

/// The table of what was measured when and where.
fn provenance(records: &Value) -> String {
    let mut text = "| benchmark | measured | of commit | on | recorded |\n|---|---|---|---|---|".to_owned();
    for (name, record) in records.as_object().expect("records") {
        let word = |key: &str| record[key].as_str().unwrap_or_else(|| panic!("{name} has no {key}"));
        let changed = if record["clean"] == Value::Bool(false) { ", changed" } else { "" };
        let note = record["note"].as_str().map_or_else(String::new, |note| format!(": {note}"));
        text += &format!("\n| {name} | {} | `{}`{changed} |", word("date"), word("commit"));
        text += &format!(" {} | {}{note} |", machine(record), word("recorded"));
    }
    text
}

/// The page of figures as the template makes it, and the figures in it.
fn performance(records: &Value) -> (String, BTreeSet<String>) {
    let (benchmarks, template) = (benchmarks(), read(TEMPLATE));
    let (mut text, mut used, mut rest) = (String::new(), BTreeSet::new(), template.as_str());
    while let Some((before, place, behind)) = next_place(rest) {
        text += before;
        text += &match place.split_once(':') {
            None if place == "provenance" => provenance(records),
            Some((name, "command")) => {
                let command = benchmarks.get(name).and_then(|benchmark| benchmark.get("command"));
                let command = command.and_then(toml::Value::as_str);
                format!("`{}`", command.unwrap_or_else(|| panic!("{TEMPLATE}: {name} has no command")))
            }
            Some((name, "number")) => {
                used.insert(name.to_owned());
                without_unit(figure(records, name, TEMPLATE)).to_owned()
            }
            Some((_, form)) => panic!("{TEMPLATE}: `{form}` is no form of a figure"),
            None => {
                used.insert(place.to_owned());
                figure(records, place, TEMPLATE).to_owned()
            }
        };
        rest = behind;
    }
    (text + rest, used)
}

/// A text without fenced blocks and code.
fn prose(text: &str) -> String {
    let outside: String = text.split("```").step_by(2).collect();
    outside.split('`').step_by(2).collect()
}

/// Numbers with a unit of time, memory or speed, or with "times", each with what stands behind it.
fn measures(text: &str) -> Vec<String> {
    const UNITS: [&str; 22] = [
        "s", "ms", "ns", "µs", "min", "second", "seconds", "minute", "minutes", "hours", "kB", "KB", "MB", "GB", "KiB",
        "MiB", "GiB", "draws", "answers", "words", "draws/s", "times",
    ];
    let words: Vec<&str> = text.split([' ', '\n', '|', '(', ')']).filter(|word| !word.is_empty()).collect();
    let mut figures = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches([',', '.', ';', ':']);
        let number = bare.trim_end_matches(|c: char| c.is_alphabetic() || c == '/');
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
        if !is_number {
            continue;
        }
        let behind: Vec<&str> =
            words[place + 1..].iter().take(3).map(|w| w.trim_end_matches([',', '.', ';', ':'])).collect();
        let unit = match (&bare[number.len()..], behind.as_slice()) {
            ("", ["million", unit, ..] | [unit, ..]) => unit,
            (unit, _) => unit,
        };
        // A law of the noise, which is not a measurement.
        let is_law = behind.starts_with(&["times", "its", "scale"]);
        // "10 million rows" and "1,000 answers" say how much was measured; speeds are numbers of millions.
        let is_speed = !matches!(unit, "draws" | "answers" | "words") || behind.first() == Some(&"million");
        if UNITS.contains(&unit) && is_speed && !is_law {
            figures.push(format!("{word} {}", behind.join(" ")));
        }
    }
    figures
}

#[test]
fn measured_figures_are_those_that_are_recorded() {
    let records = records();
    let (page, mut used) = performance(&records);
    assert!(read(PERFORMANCE) == page, "{PERFORMANCE} is not what {TEMPLATE} and the figures make: {REMEDY}");
    let mut marked = 0;
    for path in files_below(&root(), "md") {
        let text = fs::read_to_string(&path).expect("a document");
        let (path, mut rest) = (path.display().to_string(), text.as_str());
        while let Some((before, [kind, name, shown], behind)) = next_marked(rest) {
            // A comment that begins a line takes the line out of its paragraph.
            let line = before.rsplit('\n').next().unwrap_or_default();
            assert!(!line.trim().is_empty(), "{path}: the line of `{name}` begins with its marker");
            let text = figure(&records, name, &path);
            let text = if kind == "number" { without_unit(text) } else { text };
            assert_eq!(shown, text, "{path}, `{name}`: {REMEDY}");
            used.insert(name.to_owned());
            (marked, rest) = (marked + 1, behind);
        }
    }
    assert!(marked > 20, "only {marked} marked figures were found");
    for (benchmark, record) in records.as_object().expect("records") {
        for key in record["figures"].as_object().expect("figures").keys() {
            assert!(used.contains(&format!("{benchmark}.{key}")), "no document has the figure {benchmark}.{key}");
        }
    }
}

#[test]
fn every_recorded_figure_has_a_benchmark() {
    let (records, benchmarks) = (records(), benchmarks());
    let keys = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<BTreeSet<_>>();
    let records = records.as_object().expect("records");
    assert_eq!(keys(&mut records.keys()), keys(&mut benchmarks.keys()), "benches/benchmarks.toml and figures.json");
    for (name, benchmark) in &benchmarks {
        let figures = benchmark["figures"].as_table().expect("figures");
        let recorded = records[name]["figures"].as_object().expect("figures");
        assert_eq!(keys(&mut recorded.keys()), keys(&mut figures.keys()), "figures of {name}");
        let runs = benchmark.get("command").is_some();
        assert_ne!(runs, benchmark.get("past").is_some(), "{name} has a command, or a reason why it has none");
        let rules = figures.values().filter(|rule| rule.get("find").is_some() && rule.get("text").is_some());
        assert_eq!(rules.count(), if runs { figures.len() } else { 0 }, "{name}: how its figures are found");
    }
}

/// Outside code, a number with a unit of time, memory or speed stands where `benches/record` writes it. In the tables
/// of measurements, so does every digit behind the first cell of a row.
#[test]
fn no_figure_of_measurements_or_of_the_readme_is_written_by_hand() {
    let readme = read("README.md");
    let (mut unmarked, mut rest) = (String::new(), readme.as_str());
    while let Some((before, _, behind)) = next_marked(rest) {
        unmarked += before;
        rest = behind;
    }
    unmarked += rest;
    let template = read(TEMPLATE);
    let (mut bare, mut rest) = (String::new(), template.as_str());
    while let Some((before, _, behind)) = next_place(rest) {
        bare += before;
        rest = behind;
    }
    bare += rest;
    for (name, text) in [("README.md", unmarked), (TEMPLATE, bare)] {
        let unrecorded = measures(&prose(&text));
        assert!(unrecorded.is_empty(), "{name} has figures that nothing records: {unrecorded:?}");
        for line in text.lines().filter(|line| name == TEMPLATE && line.starts_with('|')) {
            let cells = line.split('|').skip(2).collect::<String>();
            assert!(!cells.contains(|c: char| c.is_ascii_digit()), "{name}: a cell of this row has digits: {line}");
        }
    }
    // What is looked for is found.
    for text in
        ["0.15 s", "12 ms,", "87MB", "takes 2.4 times as long", "573 million draws", "5 GiB)", "61 million words"]
    {
        assert_eq!(measures(text).len(), 1, "{text}");
    }
    for text in ["10 million rows", "0.278 times its scale", "95 % interval", "from 65,536 answers on", "2,435"] {
        assert!(measures(text).is_empty(), "{text}");
    }
}
