//! The program passes its own audit, on every example and on plans of every unit and relation.

use std::{
    fs,
    path::{Path, PathBuf},
};

use inbounds_audit::{Audit, Options, Progress, audit};
use inbounds_release::plan::Plan;

struct Silent;

impl Progress for Silent {
    fn at(&self, _: &str) {}
}

fn audited(plan: &Plan, options: &Options) -> Audit {
    audit(plan, options, &Silent).expect("an audit")
}

fn few() -> Options {
    Options { runs: 200, pairs: 60, rows: 60_000, seed: 0 }
}

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let plans = ["people", "registry"].map(|folder| fs::read_dir(root.join(folder)).expect("examples"));
    let files = plans.into_iter().flatten().map(|entry| entry.expect("an entry").path());
    let mut plans: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|suffix| suffix == "toml")).collect();
    plans.sort();
    plans
}

#[test]
fn every_example_passes() {
    let plans = examples();
    assert!(plans.len() >= 7, "{plans:?}");
    for path in plans {
        let plan = Plan::read(&path).expect("a plan");
        let audit = audited(&plan, &few());
        assert!(audit.findings.is_empty(), "{}: {:#?}", path.display(), audit.findings);
        assert!(audit.tables > 30 && audit.laws > 0, "{}: too little was tried: {audit:?}", path.display());
        let reached = audit.reached.iter().filter(|one| one.reached > 0).count();
        assert!(2 * reached > audit.reached.len(), "{}: half of the vectors never moved: {audit:?}", path.display());
    }
}

const COUNT: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
    statistic = [{ name = "rows", kind = "count" }]
    columns.x = { type = "number" }
"#;

/// A count loses all of its epsilon, and sampling comes near.
#[test]
fn a_count_is_bounded_from_below_near_its_epsilon() {
    let plan = Plan::parse(COUNT, Path::new("nowhere")).expect("a plan");
    let audit = audited(&plan, &Options { runs: 20_000, pairs: 40, ..Options::default() });
    assert!(audit.findings.is_empty(), "{:?}", audit.findings);
    assert_eq!((audit.reached[0].reached, audit.reached[0].calibrated), (1, 1));
    for bound in &audit.bounds {
        assert!((bound.loss - 1.0).abs() < 1e-12, "{bound:?}");
        assert!((0.85..1.0).contains(&bound.at_least), "{bound:?}");
    }
}

/// The noise of a plan without names of units hides any three rows, and no more.
#[test]
fn rows_of_one_unit_are_hidden_without_a_name() {
    let text = COUNT.replace("\"row\"", "{ max_rows = 3 }");
    let plan = Plan::parse(&text, Path::new("nowhere")).expect("a plan");
    let audit = audited(&plan, &Options { runs: 20_000, pairs: 40, ..Options::default() });
    assert!(audit.findings.is_empty(), "{:?}", audit.findings);
    assert_eq!((audit.reached[0].reached, audit.reached[0].calibrated), (3, 3));
    for bound in &audit.bounds {
        assert!((bound.loss - 1.0).abs() < 1e-12 && (0.85..1.0).contains(&bound.at_least), "{bound:?}");
    }
}

const FACTORS: &str = r#"
    data.path = "rows.csv"
    privacy = { unit = "row", neighbours = "substitute", rows = 12, epsilon = 4 }
    columns.g = { type = "text", values = ["a", "b"] }
    columns.x = { type = "integer", lower = 1, upper = 5, missing = 1 }
    statistic = [
        { name = "rows", kind = "count", by = ["g"], mechanism = "log-laplace", range = { lower = 1, upper = 12 } },
        { name = "sum", kind = "sum", column = "x", mechanism = "log-laplace", range = { lower = 12 } },
        { name = "share", kind = "proportion", where = "x > 2", mechanism = "conditioned-gaussian" },
        { name = "stairs", kind = "proportion", where = "x > 3", mechanism = "conditioned-staircase" },
        { name = "power", kind = "proportion", where = "x > 1", mechanism = "conditioned-generalised-gaussian" },
    ]
"#;

/// Noise that is a factor loses by places of cells, and noise that is conditioned by its range: tables at their limits
/// lose nearly all that is granted to a statistic, and none loses more.
#[test]
fn factors_and_conditioned_noise_lose_what_is_granted() {
    let plan = Plan::parse(FACTORS, Path::new("nowhere")).expect("a plan");
    let audit = audited(&plan, &Options { runs: 4_000, pairs: 400, ..Options::default() });
    assert!(audit.findings.is_empty(), "{:#?}", audit.findings);
    assert!(audit.bounds.iter().any(|bound| bound.loss > 0.9 * 4.0 / 5.0), "{:#?}", audit.bounds);
    assert!(audit.bounds.iter().all(|bound| bound.loss <= 4.0 * (1.0 + 1e-9)), "{:#?}", audit.bounds);
}

const SETS: &str = r#"
    data.path = "rows.csv"
    privacy = { UNIT, epsilon = 1 }
    columns.reason = { type = "set", separator = ";", values = [1, 2, 3, 13, 23], max_options = 3 }
    columns.x = { type = "number", lower = -2, upper = 10, missing = "drop" }
    columns.g = { type = "text", values = ["a", "b"] }
    statistic = [
        { name = "reasons", kind = "count", by = ["reason"] },
        { name = "reasons-by-g", kind = "count", by = ["g", "reason"] },
        { name = "gauss", kind = "count", by = ["reason"], mechanism = "clamped-gaussian" },
        { name = "sums", kind = "sum", column = "x", by = ["reason"] },
        { name = "means", kind = "mean", column = "x", by = ["reason"] },
        { name = "first", kind = "count", by = ["reason"], where = "reason = '1'" },
        { name = "large", kind = "count", where = "x > 2" },
    ]
"#;

/// A row is in the cell of each of its answers: noise is for the most that it can have, and no more.
#[test]
fn several_answers_in_a_cell_are_hidden_together() {
    for unit in [
        "unit = 'row', neighbours = 'add-remove', delta = 1e-6",
        "unit = 'row', neighbours = 'substitute', rows = 12, delta = 1e-6",
        "unit = { max_rows = 2 }, neighbours = 'add-remove', delta = 1e-6",
    ] {
        let text = SETS.replace("UNIT", unit);
        let plan = Plan::parse(&text, Path::new("nowhere")).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let audit = audited(&plan, &Options { pairs: 300, ..few() });
        assert!(audit.findings.is_empty(), "{unit}: {:#?}", audit.findings);
        // Two sets of 2 and 3 of 5 answers, the worst to replace, are rarely drawn.
        let is_worst = unit.contains("add-remove");
        let reached = |reached: u128, calibrated: u128| {
            if is_worst { reached == calibrated } else { 3 * reached > 2 * calibrated }
        };
        let reached = audit.reached.iter().take(4).all(|one| reached(one.reached, one.calibrated));
        assert!(reached, "{unit}: {:#?}", audit.reached);
    }
}

const FREQUENCIES: &str = r#"
    data = { path = "rows.csv", frequency = "n" }
    privacy = { unit = UNIT, neighbours = "add-remove", epsilon = 1 }
    columns.n = { type = "integer", lower = 0, upper = 50 }
    columns.x = { type = "number", lower = -2, upper = 10, missing = "drop" }
    columns.g = { type = "text", values = ["a", "b"] }
    statistic = [
        { name = "groups", kind = "count", by = ["g"] },
        { name = "sum", kind = "sum", column = "x" },
        { name = "mean", kind = "mean", column = "x", where = "g = 'a'" },
    ]
"#;

/// One of those that a row stands for moves numbers as one row does.
#[test]
fn one_of_those_that_a_row_stands_for_is_hidden() {
    for unit in ["'row'", "{ max_rows = 4 }"] {
        let plan = Plan::parse(&FREQUENCIES.replace("UNIT", unit), Path::new("nowhere")).expect("a plan");
        let audit = audited(&plan, &Options { pairs: 200, ..few() });
        assert!(audit.findings.is_empty(), "{unit}: {:#?}", audit.findings);
        assert!(audit.reached.iter().all(|one| one.reached == one.calibrated), "{unit}: {:#?}", audit.reached);
    }
}

/// A row counts, or is left out, whichever of its answers come first: of options in a file of keys, too.
#[test]
fn answers_that_a_file_of_keys_leaves_out_are_counted_once() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("keys.csv"), "reason\n3\n").expect("written");
    let text = r#"
        data.path = "rows.csv"
        privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
        columns.reason = { type = "set", values = ["1", "2", "3"] }
        statistic = [{ name = "third", kind = "count", by = ["reason"], keys = "keys.csv" }]
    "#;
    let audit = audited(&Plan::parse(text, folder.path()).expect("a plan"), &Options { pairs: 200, ..few() });
    assert!(audit.findings.is_empty(), "{:#?}", audit.findings);
}

/// A plan that reads no column has rows to count.
#[test]
fn a_plan_without_columns_passes() {
    let text = COUNT.replace("columns.x = { type = \"number\" }", "");
    let audit = audited(&Plan::parse(&text, Path::new("nowhere")).expect("a plan"), &few());
    assert!(audit.findings.is_empty(), "{:?}", audit.findings);
}

#[test]
fn a_seed_gives_the_same_audit() {
    let plan = Plan::parse(COUNT, Path::new("nowhere")).expect("a plan");
    let options = few();
    assert_eq!(audited(&plan, &options), audited(&plan, &options));
    assert_ne!(audited(&plan, &options), audited(&plan, &Options { seed: 1, ..options.clone() }));
}

/// Rows of the data that cannot be read do no harm: none is read.
#[test]
fn no_row_of_the_data_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("rows.csv"), "x\ncanary,canary,\"canary\n").expect("written");
    let plan = Plan::parse(COUNT, folder.path()).expect("a plan");
    let audit = audited(&plan, &few());
    assert!(!format!("{audit:?}").contains("canary"));
}

/// Every format, unit and relation, and every kind of column that is made of others.
#[test]
fn plans_of_every_unit_and_relation_pass() {
    let units = [
        ("unit = 'row'\nneighbours = 'add-remove'", ""),
        ("unit = 'row'\nneighbours = 'substitute'\nrows = 12", ""),
        ("unit = { column = 'id', max_rows = 3 }\nneighbours = 'add-remove'", ""),
        ("unit = { column = 'id', max_rows = 3 }\nneighbours = 'substitute'", ""),
        ("unit = { max_rows = 3 }\nneighbours = 'add-remove'", ""),
        ("unit = { max_rows = 3 }\nneighbours = 'substitute'", ""),
        ("unit = { column = 'id' }\nneighbours = 'add-remove'", PER_UNIT),
        ("unit = { column = 'id' }\nneighbours = 'substitute'\nrows = 12", PER_UNIT),
    ];
    for format in ["csv", "tsv", "json-lines"] {
        for (unit, per_unit) in units {
            let text = PLAN.replace("FORMAT", format).replace("PER_UNIT", per_unit).replace("UNIT", unit);
            let plan = Plan::parse(&text, Path::new("nowhere")).unwrap_or_else(|error| panic!("{text}\n{error}"));
            let audit = audited(&plan, &few());
            assert!(audit.findings.is_empty(), "{format}, {unit}: {:#?}", audit.findings);
        }
    }
}

const PLAN: &str = r#"
    [data]
    path = "rows"
    format = "FORMAT"
    missing_values = ["-99"]
    [privacy]
    epsilon = 2
    UNIT
    [columns.id]
    type = "integer"
    [columns.x]
    type = "number"
    lower = -3
    upper = 10
    missing = "drop"
    [columns.g]
    type = "text"
    values = ["a", "b", "c"]
    PER_UNIT
    [[statistic]]
    name = "groups"
    kind = "count"
    by = ["g"]
    [[statistic]]
    name = "large"
    kind = "sum"
    column = "x"
    where = "x > 5 OR g = 'a'"
    [[statistic]]
    name = "bins"
    kind = "histogram"
    column = "x"
    edges = [-3, 0, 5, 10]
    mechanism = "conditioned"
"#;

const PER_UNIT: &str = r#"
    [per_unit.x]
    take = "max"
    lower = -3
    upper = 10
    missing = "drop"
    [per_unit.g]
    take = "min"
"#;

/// Keys that only one of two tables has, for every unit and relation, of rows and of units.
#[test]
fn plans_whose_keys_are_learned_pass() {
    let units = [
        ("unit = 'row'\nneighbours = 'add-remove'", ""),
        ("unit = 'row'\nneighbours = 'substitute'\nrows = 12", ""),
        ("unit = { column = 'id', max_rows = 3 }\nneighbours = 'add-remove'", ""),
        ("unit = { column = 'id', max_rows = 3 }\nneighbours = 'substitute'", ""),
        ("unit = { max_rows = 3 }\nneighbours = 'add-remove'", ""),
        ("unit = { max_rows = 3 }\nneighbours = 'substitute'", ""),
        ("unit = { column = 'id' }\nneighbours = 'add-remove'", "per_unit = { g.take = 'min', h.take = 'max' }"),
    ];
    for (unit, per_unit) in units {
        let persons = "{ name = 'persons', kind = 'units', by = ['h'], learn_keys = true },";
        let persons = if unit.contains("column = 'id', max_rows") { persons } else { "" };
        let text = LEARNED.replace("PER_UNIT", per_unit).replace("UNIT", unit).replace("PERSONS", persons);
        for text in [text.replace("learn_keys = true", "learn_keys = \"optimal\""), text] {
            let plan = Plan::parse(&text, Path::new("nowhere")).unwrap_or_else(|error| panic!("{text}\n{error}"));
            let audit = audited(&plan, &few());
            assert!(audit.findings.is_empty(), "{unit}: {:#?}", audit.findings);
            assert!(audit.reached.iter().all(|one| 2 * one.reached >= one.calibrated), "{unit}: {:?}", audit.reached);
        }
    }
}

/// Keys of a public space, which need no delta.
#[test]
fn plans_whose_keys_are_chosen_from_a_space_pass() {
    for unit in
        ["unit = 'row'\nneighbours = 'add-remove'", "unit = { column = 'id', max_rows = 3 }\nneighbours = 'substitute'"]
    {
        let text = SPACE.replace("UNIT", unit);
        let plan = Plan::parse(&text, Path::new("nowhere")).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let audit = audited(&plan, &few());
        assert!(audit.findings.is_empty(), "{unit}: {:#?}", audit.findings);
        assert!(audit.reached.iter().all(|one| 2 * one.reached >= one.calibrated), "{unit}: {:?}", audit.reached);
    }
}

const SPACE: &str = r#"
    data.path = "rows.csv"
    columns.id = { type = "integer" }
    columns.g = { type = "text", values = ["a", "b"] }
    columns.h = { type = "integer", lower = 1, upper = 40, missing = "drop" }
    columns.t = { type = "boolean" }
    statistic = [
        { name = "keys", kind = "count", by = ["h", "g"], learn_keys = true, spurious = 1.5 },
        { name = "truths", kind = "count", by = ["t"], learn_keys = true, spurious = 1 },
        { name = "all", kind = "count", where = "g = 'a'" },
    ]
    [privacy]
    epsilon = 2
    UNIT
"#;

const LEARNED: &str = r#"
    PER_UNIT
    data.path = "rows.csv"
    columns.id = { type = "integer" }
    columns.g = { type = "text", values = ["a", "b"] }
    columns.h = { type = "text" }
    statistic = [
        { name = "keys", kind = "count", by = ["h"], learn_keys = true },
        PERSONS
        { name = "listed", kind = "count", by = ["g", "h"], learn_keys = true },
        { name = "all", kind = "count", where = "g = 'a'" },
    ]
    [privacy]
    epsilon = 2
    delta = 0.02
    UNIT
"#;
