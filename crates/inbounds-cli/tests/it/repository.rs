//! The documents against the code: every path, link, claim, column, field and terminal output that they name is there.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use inbounds_bundle::Method;
use inbounds_core::{IntervalMethod, Named, Quantity};
use inbounds_mechanisms::{
    mechanism::BiasFormula,
    noise::NoiseKind,
    registry::{Entry, LEARNED, RANKS, TABULATED, TOGETHER},
};
use serde_json::Value;

pub(crate) const PLAN: &str = "examples/registry/plan.toml";
const LEVELS: &str = "examples/registry/levels.toml";
pub(crate) const MEASUREMENTS: &str = "examples/census/measurements.csv";

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files below a folder with an extension, build output and hidden folders left out.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let visible = entries.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a UTF-8 name");
        !name.starts_with('.') && name != "target"
    });
    let mut files = Vec::new();
    for path in visible {
        if path.is_dir() {
            files.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|suffix| suffix == extension) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The pieces of a text between single backticks, fenced blocks left out.
fn code_spans(text: &str) -> Vec<String> {
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    prose.iter().flat_map(|part| part.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn is_claim_id(token: &str) -> bool {
    token.contains('-') && token.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase()))
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
    command.env_remove("COLUMNS").current_dir(root()).args(arguments).output().expect("runs")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Runs a seeded release of the example and returns what it printed, with the folder of its bundle.
pub(crate) fn seeded_release() -> (String, tempfile::TempDir) {
    seeded_release_of(PLAN)
}

pub(crate) fn seeded_release_of(plan: &str) -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let out = folder.path().join("bundle");
    let out = out.to_str().expect("UTF-8");
    let output = run(&["release", plan, "--out", out, "--seed", "7", "--not-private"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (stdout(&output), folder)
}

#[test]
fn paths_named_by_the_architecture_exist() {
    let text = read("ARCHITECTURE.md");
    let mut checked = 0;
    for span in code_spans(&text) {
        let is_path = span.starts_with("crates/") || span.starts_with("refs/") || span.starts_with("docs/");
        if is_path {
            assert!(root().join(&span).exists(), "ARCHITECTURE.md names `{span}`, which is not there");
            checked += 1;
        }
        // Inside the code map a file goes by its name alone; it must be in some crate.
        if !span.contains(['/', ' ']) && span.ends_with(".rs") {
            let exists = files_below(&root().join("crates"), "rs").iter().any(|path| path.ends_with(&span));
            assert!(exists, "ARCHITECTURE.md names `{span}`, and no crate has such a file");
        }
    }
    assert!(checked > 20, "only {checked} paths were found to check");
}

#[test]
fn every_crate_is_on_the_map() {
    let text = read("ARCHITECTURE.md");
    for entry in fs::read_dir(root().join("crates")).expect("crates") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        assert!(text.contains(&format!("**`crates/{name}`**")), "ARCHITECTURE.md has no paragraph on {name}");
    }
}

/// Rows of the map's table: a crate and the crates that it uses, which stand above it.
#[test]
fn the_map_has_the_dependencies_of_every_crate() {
    let map = read("ARCHITECTURE.md");
    let table = map.split("| crate | uses |").nth(1).expect("the table of crates");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| `")).map(code_spans);
    let mut above: Vec<String> = Vec::new();
    for row in rows {
        let [name, uses @ ..] = row.as_slice() else { panic!("a row without a crate") };
        let folder = if name == "inbounds" { name.clone() } else { format!("inbounds-{name}") };
        let manifest: toml::Table = read(&format!("crates/{folder}/Cargo.toml")).parse().expect("TOML");
        let declared = manifest["dependencies"].as_table().expect("dependencies").keys();
        let declared: BTreeSet<&str> = declared.filter_map(|key| key.strip_prefix("inbounds-")).collect();
        assert_eq!(uses.iter().map(String::as_str).collect::<BTreeSet<_>>(), declared, "{name}");
        assert!(uses.iter().all(|one| above.contains(one)), "`{name}` uses a crate below it");
        above.push(name.clone());
    }
    assert_eq!(above.len(), fs::read_dir(root().join("crates")).expect("crates").count(), "{above:?}");
}

struct Claim {
    id: String,
    code: String,
    test: String,
}

fn claims() -> Vec<Claim> {
    let table: toml::Table = read("refs/claims.toml").parse().expect("TOML");
    let claims = table["claim"].as_array().expect("[[claim]]");
    let text = |claim: &toml::Value, key: &str| {
        let content = claim.get(key).and_then(toml::Value::as_str).unwrap_or_default().trim().to_owned();
        assert!(!content.is_empty(), "a claim lacks `{key}`: {claim}");
        content
    };
    let read = |claim: &toml::Value| {
        text(claim, "statement");
        text(claim, "reference");
        Claim { id: text(claim, "id"), code: text(claim, "code"), test: text(claim, "test") }
    };
    claims.iter().map(read).collect()
}

#[test]
fn claims_are_complete_and_lead_to_code_and_tests() {
    let mut ids = BTreeSet::new();
    for Claim { id, code, test } in claims() {
        assert!(is_claim_id(&id), "`{id}` is no claim id");
        assert!(root().join(&code).is_file(), "claim {id}: no file {code}");
        let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("claim {id}: write FILE::NAME"));
        let source = read(file);
        let declared = format!("fn {name}(");
        let place = source.find(&declared).unwrap_or_else(|| panic!("claim {id}: no test {name} in {file}"));
        assert!(source[..place].trim_end().ends_with("#[test]"), "claim {id}: {name} is no test");
        assert!(ids.insert(id.clone()), "claim {id} stands twice");
    }
}

#[test]
fn claim_references_lead_somewhere() {
    let bibliography = read("refs/refs.bib");
    let keys: Vec<&str> = bibliography
        .lines()
        .filter_map(|line| line.strip_prefix('@')?.split_once('{'))
        .map(|(_, key)| key.trim_end_matches(','))
        .collect();
    assert!(keys.len() >= 8, "only {keys:?} were found in refs.bib");
    let table: toml::Table = read("refs/claims.toml").parse().expect("TOML");
    for claim in table["claim"].as_array().expect("[[claim]]") {
        let reference = claim["reference"].as_str().expect("text");
        let own = reference.contains("this project, ");
        assert!(own || keys.iter().any(|key| reference.contains(key)), "{reference} is not in refs.bib");
        let files = reference.split([' ', ',', ';']).filter(|word| word.starts_with("crates/"));
        for file in files {
            assert!(root().join(file).is_file(), "{reference}: no file {file}");
        }
    }
}

/// Ids after `Claim:` or `Claims:` up to the end of the doc paragraph, and the names of sensitivity rules.
fn claim_ids_in(source: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for (place, _) in source.match_indices("Claim") {
        let rest = &source[place..];
        if rest.starts_with("Claim:") || rest.starts_with("Claims:") {
            let doc = |line: &&str| {
                ["///", "//!"]
                    .map(|mark| line.trim().strip_prefix(mark))
                    .into_iter()
                    .flatten()
                    .any(|text| !text.trim().is_empty())
            };
            let more = rest.lines().skip(1).take_while(doc);
            let paragraph: Vec<&str> = rest.lines().take(1).chain(more).collect();
            ids.extend(code_spans(&paragraph.join(" ")).into_iter().filter(|span| is_claim_id(span)));
        }
    }
    for line in source.lines().filter(|line| line.contains("refs/claims.toml")) {
        ids.extend(code_spans(line).into_iter().filter(|span| is_claim_id(span)));
    }
    ids
}

#[test]
fn claims_named_in_the_code_are_in_the_table() {
    let known: BTreeSet<String> = claims().into_iter().map(|claim| claim.id).collect();
    let mut named = BTreeSet::new();
    for path in files_below(&root().join("crates"), "rs") {
        if path.components().any(|part| part.as_os_str() == "src") {
            named.extend(claim_ids_in(&fs::read_to_string(&path).expect("source")));
        }
    }
    assert!(named.len() >= 7, "only {named:?} were found in the code");
    let unknown: Vec<_> = named.difference(&known).collect();
    assert!(unknown.is_empty(), "not in refs/claims.toml: {unknown:?}");
    // The rules that go into manifests are claims too.
    let rules = read("crates/inbounds-statistics/src/sensitivity.rs");
    for rule in rules.split('"').skip(1).step_by(2).filter(|text| is_claim_id(text)) {
        assert!(known.contains(rule), "the sensitivity rule `{rule}` is not in refs/claims.toml");
    }
}

/// The anchor that a heading gets on the usual hosts.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn has_heading(path: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(path).expect("a document");
    let prose: String = text.split("```").step_by(2).collect();
    prose.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line.trim_start_matches('#')) == wanted)
}

#[test]
fn links_between_documents_resolve() {
    let mut checked = 0;
    for path in files_below(&root(), "md") {
        let text = fs::read_to_string(&path).expect("a document");
        let prose: String = text.split("```").step_by(2).collect();
        for (place, _) in prose.match_indices("](") {
            let target = prose[place + 2..].split(')').next().expect("a target");
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = path.parent().expect("a folder");
            let file = if file.is_empty() { path.clone() } else { folder.join(file) };
            assert!(file.exists(), "{}: the link {target} leads nowhere", path.display());
            assert!(heading.is_empty() || has_heading(&file, heading), "{}: no heading {target}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} links were found to check");
}

/// First cells of the table rows in a section of a document, as code spans.
fn documented(text: &str, heading: &str) -> BTreeSet<String> {
    let section =
        text.split("\n#").map(|part| part.trim_start_matches(['#', ' '])).find(|part| part.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("no section {heading}"));
    let first_cells = section.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    first_cells.flat_map(code_spans).collect()
}

/// The same, for tests of other documents.
pub(crate) fn code_spans_of_section(text: &str, heading: &str) -> BTreeSet<String> {
    documented(text, heading)
}

#[test]
fn tables_of_the_bundle_are_documented_column_by_column() {
    let (_, folder) = seeded_release();
    let text = read("docs/bundle.md");
    for table in ["estimates.csv", "measurements.csv"] {
        let file = fs::read_to_string(folder.path().join("bundle").join(table)).expect("a table");
        let header = file.lines().next().expect("a header");
        let generic =
            |column: &str| if column.starts_with("by_") { "by_<column>".to_owned() } else { column.to_owned() };
        let mut columns: BTreeSet<String> = header.split(',').map(generic).collect();
        if table == "estimates.csv" {
            // Of plans with classes, and those that round.
            columns.extend(["quality", "rounded"].map(str::to_owned));
        }
        assert_eq!(documented(&text, table), columns, "docs/bundle.md, section {table}");
    }
}

/// Reconciles the example and returns what it printed, with the folder of its bundle.
pub(crate) fn reconciled() -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let out = folder.path().join("bundle");
    let output = run(&["reconcile", MEASUREMENTS, "--integer", "--out", out.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (stdout(&output), folder)
}

#[test]
fn tables_and_manifest_of_reconciling_are_documented() {
    let (_, folder) = reconciled();
    let text = read("docs/reconcile.md");
    for table in ["estimates.csv", "measurements.csv", "fairness.csv"] {
        let file = fs::read_to_string(folder.path().join("bundle").join(table)).expect("a table");
        let columns: BTreeSet<String> = file.lines().next().expect("a header").split(',').map(str::to_owned).collect();
        assert_eq!(documented(&text, table), columns, "docs/reconcile.md, section {table}");
        if table == "measurements.csv" {
            assert_eq!(documented(&text, "Measurements"), columns, "docs/reconcile.md, section Measurements");
        }
    }
    let file = fs::read_to_string(folder.path().join("bundle/reconcile.json")).expect("a manifest");
    let mut field_names = BTreeSet::new();
    fields(&serde_json::from_str(&file).expect("JSON"), "", &mut field_names);
    // Of tables with millions of cells.
    field_names.insert("error.solved".to_owned());
    assert_eq!(documented(&text, "reconcile.json"), field_names);
    assert_eq!(documented(&text, "Methods"), words::<Method>());
}

#[test]
fn every_key_of_constraints_is_documented() {
    let folder = tempfile::tempdir().expect("folder");
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, "nonnegative = true\nzz = 1").expect("writes");
    let out = folder.path().join("bundle");
    let arguments = ["reconcile", MEASUREMENTS, "--constraints", rules.to_str().expect("UTF-8"), "--json", "--out"];
    let output = run(&[&arguments[..], &[out.to_str().expect("UTF-8")]].concat());
    let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let help = answer["mistakes"][0]["help"].as_str().expect("help");
    let keys = help.strip_prefix("the keys here are ").expect("a list").split(", ").map(str::to_owned).collect();
    assert_eq!(documented(&read("docs/reconcile.md"), "Constraints"), keys);
}

/// Names of all fields of a JSON value: `a.b` for objects in objects, `a[].b` for objects in lists.
pub(crate) fn fields(value: &Value, path: &str, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries {
                let dot = if path.is_empty() { "" } else { "." };
                fields(entry, &format!("{path}{dot}{key}"), names);
            }
        }
        Value::Array(entries) if entries.iter().any(Value::is_object) => {
            entries.iter().for_each(|entry| fields(entry, &format!("{path}[]"), names));
        }
        _ => {
            names.insert(path.to_owned());
        }
    }
}

#[test]
fn the_manifest_is_documented_field_by_field() {
    let manifest_of = |(_, folder): (String, tempfile::TempDir)| -> Value {
        let file = fs::read_to_string(folder.path().join("bundle/release.json")).expect("a manifest");
        serde_json::from_str(&file).expect("JSON")
    };
    let fields_of = |manifest: &Value| {
        let mut names = BTreeSet::new();
        fields(manifest, "", &mut names);
        names
    };
    let manifest = manifest_of(seeded_release());
    let mut field_names = fields_of(&manifest);
    field_names.extend(fields_of(&manifest_of(seeded_release_of(LEVELS))));
    // What only some plans have.
    for (plan, part) in [
        ("examples/people/plan.toml", "statistics[].combination."),
        ("examples/registry/derived.toml", "columns[].derived."),
        ("examples/registry/one-row-a-patient.toml", "per_unit."),
        ("examples/people/by-age.toml", "guarantee.apart."),
        ("examples/people/gaussian.toml", "guarantee.joint[]."),
        ("examples/people/accuracy.toml", "guarantee.wants."),
        ("examples/people/about.toml", "guarantee.wants."),
        ("examples/people/income-margins.toml", "left_out[]."),
        ("examples/people/margins.toml", "statistics[].measured[].margin"),
        ("examples/people/tables.toml", "statistics[].public[]."),
        ("examples/people/tables.toml", "publication."),
        ("examples/registry/rates.toml", "columns[].map."),
        ("examples/registry/rates.toml", "quality."),
        ("examples/registry/rates.toml", "statistics[].rounding."),
        ("examples/registry/together.toml", "guarantee.together[]."),
        ("examples/registry/learned.toml", "statistics[].learned"),
        ("examples/registry/many-keys.toml", "statistics[].learned"),
        ("examples/people/many-margins.toml", "guarantee.chosen[]."),
        ("examples/people/many-margins.toml", "statistics[].measured[].sensitivity."),
    ] {
        field_names.extend(
            fields_of(&manifest_of(seeded_release_of(plan))).into_iter().filter(|field| field.starts_with(part)),
        );
    }
    // Empty lists where no noise is joint, shared or chosen.
    field_names
        .retain(|field| !["guarantee.joint", "guarantee.together", "guarantee.chosen"].contains(&field.as_str()));
    // Notices have a table of their own.
    field_names.retain(|field| !field.starts_with("statistics[].notices[]."));
    // Of releases under an approval.
    field_names.extend(["approval.sha256", "approval.approver", "approval.reason"].map(str::to_owned));
    // Of combinations that cannot occur.
    field_names.extend(["name", "sha256"].map(|field| format!("statistics[].possible[].{field}")));
    // Of tables with millions of cells.
    field_names.insert("statistics[].projection.solved".to_owned());
    assert_eq!(documented(&read("docs/bundle.md"), "release.json"), field_names);

    let known: BTreeSet<String> = claims().into_iter().map(|claim| claim.id).collect();
    for statistic in manifest["statistics"].as_array().expect("statistics") {
        for component in statistic["measured"].as_array().expect("components") {
            let rule = component["sensitivity"]["rule"].as_str().expect("a rule");
            assert!(known.contains(rule), "the rule `{rule}` in a manifest is no claim");
        }
    }
}

#[test]
fn formula_and_method_ids_are_documented() {
    let text = read("docs/bundle.md");
    let formulas = documented(&text, "Bias formulas");
    let methods = documented(&text, "Interval methods");
    assert_eq!(formulas, words::<BiasFormula>());
    assert_eq!(methods, words::<IntervalMethod>());
}

#[test]
fn every_quantity_is_documented() {
    // The reader of manifests lists what it knows when it meets what it does not.
    let refusal = serde_json::from_value::<Quantity>(serde_json::json!({ "id": "?" })).expect_err("no quantity");
    let known: BTreeSet<String> = code_spans(&refusal.to_string()).into_iter().filter(|id| id != "?").collect();
    assert!(known.len() > 10, "{known:?}");
    assert_eq!(documented(&read("docs/bundle.md"), "Quantities"), known);
}

/// All words of the schema of one type.
pub(crate) fn words<T: Named>() -> BTreeSet<String> {
    T::all().iter().map(|one| one.name().to_owned()).collect()
}

#[test]
fn mechanisms_and_laws_are_documented() {
    let text = read("docs/bundle.md");
    let row = |column: &str| {
        let start = format!("| `{column}` |");
        text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row of `{column}`"))
    };
    for (column, known) in [
        ("mechanism", words::<&'static Entry>()),
        ("mechanism", BTreeSet::from([TOGETHER.name, LEARNED.name, RANKS.name].map(str::to_owned))),
        ("mechanism", TABULATED.iter().map(|entry| entry.name.to_owned()).collect()),
        ("law", words::<NoiseKind>()),
    ] {
        let listed = code_spans(row(column));
        assert!(!known.is_empty(), "{column}");
        for word in known {
            assert!(listed.contains(&word), "docs/bundle.md does not list `{word}` under `{column}`");
        }
    }
}

#[test]
fn every_key_of_a_plan_is_documented() {
    let folder = tempfile::tempdir().expect("folder");
    let plan = folder.path().join("plan.toml");
    let odd = "zz = 1\n[data]\nzz = 1\npath = 'a.csv'\n[privacy]\nzz = 1\nunit = { zz = 1 }\n[columns.a]\nzz = 1\n\
               [[statistic]]\nzz = 1\nrange = { zz = 1 }\n";
    fs::write(&plan, odd).expect("writes");
    let answer: Value =
        serde_json::from_str(&stdout(&run(&["check", plan.to_str().expect("UTF-8"), "--json"]))).expect("JSON");
    let text = read("docs/plan.md");
    let spans = code_spans(&text);
    let mut keys = BTreeSet::new();
    for mistake in answer["mistakes"].as_array().expect("mistakes") {
        let help = mistake["help"].as_str().unwrap_or_default();
        keys.extend(
            help.strip_prefix("the keys here are ").into_iter().flat_map(|list| list.split(", ").map(str::to_owned)),
        );
    }
    assert!(keys.len() >= 20, "only the keys {keys:?} were found");
    for key in keys {
        assert!(spans.contains(&key), "docs/plan.md does not name `{key}`");
    }
}

#[test]
fn every_mechanism_is_in_the_table_of_plans() {
    let documented = documented(&read("docs/plan.md"), "Mechanisms");
    let known = crate::mechanisms::plan_names();
    let missing: Vec<_> = known.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/plan.md does not describe {missing:?}");
    assert!(known.len() >= 11, "only {known:?}");
}

#[test]
fn documents_name_no_place_of_a_single_machine() {
    for path in files_below(&root(), "md").into_iter().chain([root().join("refs/claims.toml")]) {
        // A folder of the build, wherever that is.
        let text = fs::read_to_string(&path).expect("a document").replace("target/tmp/", "");
        for place in ["/home/", "/root/", "/work/", "/tmp/"] {
            assert!(!text.contains(place), "{} names {place}", path.display());
        }
    }
}

/// Private numbers leave their type in two places: where noise is added, and where the curator is shown exact counts.
/// Those of the audit are of rows that it made up.
#[test]
fn private_numbers_are_read_where_noise_is_added() {
    let is_source = |path: &Path| path.components().any(|part| part.as_os_str() == "src");
    let is_test = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
    let mut callers = Vec::new();
    for path in files_below(&root().join("crates"), "rs").iter().filter(|path| is_source(path) && !is_test(path)) {
        let text = fs::read_to_string(path).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let calls = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let calls = calls.filter(|line| line.contains("private_steps()")).count();
        let name = path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/");
        callers.extend(std::iter::repeat_n(name, calls));
    }
    callers.sort();
    // Noise of its own, on numbers of 128 bits and of 64; noise that was drawn for several numbers; and noise on cells
    // whose keys are learned.
    let added = "crates/inbounds-mechanisms/src/mechanism/measurements.rs";
    let learned = "crates/inbounds-mechanisms/src/partition/learned.rs";
    let audited = "crates/inbounds-audit/src/vector.rs";
    let allowed = [audited, added, added, added, learned, "crates/inbounds-release/src/peek.rs"];
    assert_eq!(callers, allowed);
}
