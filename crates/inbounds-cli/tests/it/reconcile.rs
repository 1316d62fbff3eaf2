//! Reconciling: what comes out adds up, and whatever is wrong with what goes in is named, with nothing written.

use std::fs;

use serde_json::Value;

use crate::workbench::{Said, Workbench};

/// A state, two counties, one of which has two towns; the towns' measurements are far apart from their county's.
const COUNTS: &str =
    "node,parent,value,variance\nstate,,100,4\neast,state,61,4\nwest,state,30,4\nport,east,-5,4\nmill,east,58,4\n";

impl Workbench {
    fn reconcile(&self, more: &[&str]) -> Said {
        self.run(&[&["reconcile", "counts.csv", "--out", "bundle"], more].concat())
    }

    /// What reconciling the measurements says.
    fn reconciled(&self, measurements: impl AsRef<[u8]>, more: &[&str]) -> Said {
        self.write("counts.csv", measurements);
        self.reconcile(more)
    }

    /// Estimates by node, with the parent of each, as written.
    fn estimates(&self) -> Vec<(String, String, String)> {
        let text = fs::read_to_string(self.path("bundle/estimates.csv")).expect("a table");
        let rows = text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        rows.map(|row| (row[0].clone(), row[1].clone(), row[3].clone())).collect()
    }

    fn estimate(&self, node: &str) -> String {
        self.estimates().into_iter().find(|(name, ..)| name == node).expect("a node").2
    }
}

/// The example with one column a tenure is the example with one row a cell.
#[test]
fn a_wide_table_is_read_as_the_long_one() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/constraints");
    let read = |name: &str| fs::read(folder.join(name)).expect("an example");
    let head_and_rows = |file: &str, more: &[&str]| {
        let bench = Workbench::new();
        let said = bench.reconciled(read(file), &[&["--integer"], more].concat());
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let head = said.out.lines().next().expect("a line").to_owned();
        let mut estimates = bench.estimates();
        estimates.sort();
        (head, estimates)
    };
    let (head, wide) =
        head_and_rows("households-wide.csv", &["--wide", "tenure=owned,rented,social,other", "--wide-total", "all"]);
    assert_eq!(head, "20 nodes of a table by district (3 values) and tenure (4 values), 20 measurements");
    assert_eq!((head, wide), head_and_rows("households.csv", &[]));
    let bench = Workbench::new();
    let said = bench.reconciled(read("households-wide.csv"), &["--wide", "tenure"]);
    assert!(said.code == 2 && said.err.contains("such as tenure=owned,rented, not `tenure`"), "{}", said.err);
}

/// What makes numbers wrong as a whole stands before them, on the terminal and on the page; how labels were read, in
/// the first line.
#[test]
fn what_the_numbers_hang_on_comes_before_them() {
    let totals = "region,sex,value,variance\nTotal,Total,300,9\nTotal,M,145,9\nTotal,F,152,9\nNorth,Total,201,9\nSouth,Total,97,9\n\
        North,M,96,9\nNorth,F,103,9\nSouth,M,52,9\nSouth,F,44,9\n";
    let bench = Workbench::new();
    let said = bench.reconciled(totals, &["--replicates", "0"]);
    let first = "9 nodes of a table by region (2 values) and sex (2 values), 9 measurements; `Total` of `region` and `Total` of `sex` are \
        read as sums";
    assert_eq!((said.code, said.out.lines().next()), (0, Some(first)), "{}", said.err);
    assert!(said.out.contains("Note: `Total` of `region` and `Total` of `sex` were read as sums"), "{}", said.out);
    let bench = Workbench::new();
    let said = bench.reconciled(totals, &["--replicates", "0", "--no-totals"]);
    assert!(said.out.starts_with("Warning: `Total` of `region` equals the sum of the other values"), "{}", said.out);
    assert!(said.out.contains("write `--total \"Total\"`"), "{}", said.out);
    let bench = Workbench::new();
    let said = bench.reconciled(totals.replace("Total", "Everyone"), &["--replicates", "0", "--total", "Everyone"]);
    assert!(said.out.starts_with("9 nodes of a table"), "{}", said.out);
    let bench = Workbench::new();
    let said =
        bench.reconciled("node,parent,value,variance\nr,,-120,9\na,r,-200,9\nb,r,75,9\n", &["--replicates", "0"]);
    assert!(said.out.starts_with("Warning: `a` and one other number are further below zero"), "{}", said.out);
    assert!(said.out.contains("`nonnegative = false`") && !said.out.contains("--fit"), "{}", said.out);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    let (notice, numbers) = (page.find("further below zero"), page.find("The numbers"));
    assert!(notice.is_some() && notice < numbers, "{notice:?} {numbers:?}");
}

#[test]
fn what_comes_out_adds_up_and_is_documented_by_the_manifest() {
    let bench = Workbench::new();
    let said = bench.reconciled(COUNTS, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("5 nodes in 3 levels, 3 of them leaves") && said.out.contains("95 % interval"));
    let value = |node: &str| bench.estimate(node).parse::<f64>().expect("a number");
    assert_eq!(value("port"), 0.0);
    assert_eq!(value("east"), value("port") + value("mill"));
    assert_eq!(value("state"), value("east") + value("west"));
    let mut files: Vec<String> = fs::read_dir(bench.path("bundle"))
        .expect("bundle")
        .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let expected = [
        "estimates.csv",
        "estimates.parquet",
        "fairness.csv",
        "measurements.csv",
        "measurements.parquet",
        "reconcile.json",
        "report.html",
    ];
    assert_eq!(files, expected);
    let text = fs::read_to_string(bench.path("bundle/reconcile.json")).expect("manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(manifest["solver"]["method"], "top-down-least-squares-in-bounds");
    assert_eq!(manifest["solver"]["status"], "optimal");
    assert_eq!(manifest["input"]["laws"][0]["stated"], false);
}

#[test]
fn whole_numbers_add_up_as_written() {
    let bench = Workbench::new();
    let said = bench.reconciled(COUNTS, &["--integer", "--replicates", "19", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let manifest: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(manifest["solver"]["method"], "top-down-least-squares-in-integers");
    let value = |node: &str| bench.estimate(node).parse::<i64>().expect("a whole number");
    assert_eq!(value("state"), value("port") + value("mill") + value("west"));
}

#[test]
fn a_bundle_is_the_same_for_the_same_seed_and_can_be_reconciled_again() {
    let bench = Workbench::new();
    assert_eq!(bench.reconciled(COUNTS, &["--seed", "3"]).code, 0);
    let read = |bundle: &str, file: &str| fs::read(bench.path(bundle).join(file)).expect("a file");
    assert_eq!(bench.run(&["reconcile", "counts.csv", "--out", "again", "--seed", "3"]).code, 0);
    assert_eq!(read("bundle", "estimates.parquet"), read("again", "estimates.parquet"));
    assert_eq!(bench.run(&["reconcile", "counts.csv", "--out", "other", "--seed", "4"]).code, 0);
    assert_ne!(read("bundle", "estimates.csv"), read("other", "estimates.csv"));
    for from in ["bundle/measurements.csv", "bundle/measurements.parquet"] {
        let out = from.replace('/', "-");
        assert_eq!(bench.run(&["reconcile", from, "--out", &out, "--seed", "3"]).code, 0);
        assert_eq!(read("bundle", "estimates.csv"), read(&out, "estimates.csv"), "{from}");
    }
}

#[test]
fn constraints_hold() {
    let bench = Workbench::new();
    bench.write("rules.toml", "[fixed]\nstate = 90\n[bounds]\nmill = { upper = 40 }\nport = { lower = 20 }\n");
    assert_eq!(bench.reconciled(COUNTS, &["--constraints", "rules.toml"]).code, 0);
    let [mill, port] = ["mill", "port"].map(|node| bench.estimate(node).parse::<f64>().expect("a number"));
    assert!(bench.estimate("state") == "90.0" && mill <= 40.0 && port >= 20.0, "{mill} {port}");
    let bench = Workbench::new();
    bench.write("rules.toml", "[fixed]\nstate = 90\n[bounds]\nmill = { upper = 40 }\nport = { lower = 20 }\n");
    assert_eq!(bench.reconciled(COUNTS, &["--constraints", "rules.toml", "--fit", "joint"]).code, 0);
    assert_eq!(bench.estimate("state"), "90.0");
    assert_eq!((bench.estimate("mill"), bench.estimate("port")), ("40.0".to_owned(), "20.0".to_owned()));
    // Sums alone: unbiased, with exact errors, and a town below zero.
    let bench = Workbench::new();
    bench.write("rules.toml", "nonnegative = false");
    let said = bench.reconciled(COUNTS, &["--constraints", "rules.toml", "--json"]);
    let manifest: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(manifest["solver"]["method"], "least-squares");
    assert_eq!(manifest["error"]["method"], "exact-variance");
    assert!(bench.estimate("port").starts_with('-'));
}

/// Many leaves near zero: cut off at zero they add up, and the root is dragged after them.
#[test]
fn the_joint_fit_drags_a_root_and_the_default_leaves_it_alone() {
    let leaves: String =
        (0..400).map(|leaf| format!("{leaf},all,{},4\n", if leaf % 2 == 0 { 2 } else { -2 })).collect();
    let counts = format!("node,parent,value,variance\nall,,0,400\n{leaves}");
    let bench = Workbench::new();
    let said = bench.reconciled(&counts, &["--fit", "joint", "--replicates", "0"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("Warning: the estimate of `all`"), "{}", said.out);
    assert!(said.out.contains("Leave out `--fit joint`"));
    let bench = Workbench::new();
    let said = bench.reconciled(&counts, &["--replicates", "0"]);
    assert!(said.code == 0 && !said.out.contains("Warning"), "{}{}", said.out, said.err);
    assert_eq!(bench.estimate("all"), "0.0");
    // Measurements that contradict one another by themselves are another matter.
    let bench = Workbench::new();
    let said =
        bench.reconciled("node,parent,value,variance\nall,,900,4\na,all,3,4\nb,all,5,4\n", &["--replicates", "0"]);
    assert!(said.out.contains("contradict it") && !said.out.contains("--fit"), "{}", said.out);
}

/// A measurements file and what the error must say.
const MALFORMED: &[(&str, &str, &[&str])] = &[
    (
        "a cycle",
        "node,parent,value,variance\na,b,1,1\nb,c,1,1\nc,a,1,1\n",
        &["own ancestor", "line 2", "a < b < c < a"],
    ),
    ("its own parent", "node,parent,value,variance\nr,,1,1\na,a,1,1\n", &["own ancestor", "`a`", "line 3"]),
    (
        "a parent of two nodes' name",
        "node,parent,value,variance\nr,,1,1\ns,,1,1\na,r,1,1\na,s,2,1\nb,a,2,1\n",
        &["line 6", "`a`, the parent of `b`", "the parent `r` and the parent `s`", "rename"],
    ),
    ("a root and not", "node,parent,value,variance\nr,,1,1\na,r,1,1\na,,2,1\n", &["line 4", "none (a root)"]),
    ("an orphan", "node,parent,value,variance\nr,,1,1\na,q,1,1\n", &["line 3", "`a` is an orphan", "`q` has no row"]),
    ("no variance", "node,parent,value,variance\nr,,1,1\na,r,1,\n", &["line 3", "`a`", "without a variance"]),
    ("no variance column", "node,parent,value\nr,,1\n", &["line 2", "without a variance", "`law` and `scale`"]),
    ("negative variance", "node,parent,value,variance\nr,,1,-1\n", &["line 2", "`variance` of node `r`", "got `-1`"]),
    ("infinite variance", "node,parent,value,variance\nr,,1,inf\n", &["`variance` of node `r`", "got `inf`"]),
    ("NaN", "node,parent,value,variance\nr,,NaN,1\n", &["line 2", "`value` of node `r`", "got `NaN`"]),
    ("NaN variance", "node,parent,value,variance\nr,,1,nan\n", &["`variance` of node `r`", "got `NaN`"]),
    ("no number", "node,parent,value,variance\nr,,ten,1\n", &["line 2", "`value` of node `r`", "`ten`"]),
    ("a line later", "node,parent,value,variance\r\n\r\n\r\nr,,ten,1\r\n", &["line 4"]),
    ("two exact values", "node,parent,value,fixed\nr,,,3\nr,,,4\n", &["line 3", "known exactly twice, as 3 and as 4"]),
    ("fixed nowhere", "node,parent,value,fixed\nr,,,true\n", &["line 2", "fixed without a value"]),
    ("fixed how", "node,parent,value,fixed\nr,,1,maybe\n", &["line 2", "`fixed` of node `r`", "`maybe`"]),
    (
        "crossed bounds",
        "node,parent,value,variance,lower,upper\nr,,1,1,3,2\n",
        &["line 2", "lower = 3 above upper = 2"],
    ),
    ("unknown law", "node,parent,value,law,scale\nr,,1,laplase,1\n", &["line 2", "did you mean `laplace`?"]),
    ("half a law", "node,parent,value,law,scale\nr,,1,laplace,\n", &["line 2", "law without its scale"]),
    ("no scale", "node,parent,value,law,scale\nr,,1,laplace,0\n", &["`scale` of node `r`", "positive"]),
    (
        "law against variance",
        "node,parent,value,variance,law,scale\nr,,1,7,laplace,1\n",
        &["variance 7, but laplace noise of scale 1 has variance 2"],
    ),
    (
        "unknown column",
        "node,parent,value,varianse\nr,,1,1\n",
        &["unknown column `varianse`", "did you mean `variance`?"],
    ),
    ("column twice", "node,parent,value,variance,value\nr,,1,1,1\n", &["`value` occurs twice"]),
    ("column without a name", ",node,parent,value,variance\n0,r,,1,1\n", &["column 1 has no name"]),
    ("title", "Persons by state\nnode,parent,value,variance\nr,,1,1\n", &["`Persons by state`", "leave out titles"]),
    ("semicolons", "node;parent;value;variance\nr;;1;1\n", &["with commas between them"]),
    ("column missing", "node,parent,variance\nr,,1\n", &["no column `value`"]),
    ("nothing to do", "node,value,variance\nr,1,1\n", &["no column `parent`", "no constraint relates"]),
    ("no node", "node,parent,value,variance\n,,1,1\n", &["line 2", "must name its node"]),
    ("ragged", "node,parent,value,variance\nr,,1\n", &["line 2", "3 fields, but the header has 4"]),
    ("empty", "", &["is empty"]),
    ("header alone", "node,parent,value,variance\n", &["is empty"]),
];

#[test]
fn malformed_measurements_are_named_and_nothing_is_written() {
    for (name, measurements, wanted) in MALFORMED {
        let bench = Workbench::new();
        let said = bench.reconciled(measurements, &[]);
        assert_eq!(said.code, 3, "{name}: {}{}", said.out, said.err);
        assert!(said.err.contains("counts.csv") && said.out.is_empty(), "{name}: {}", said.err);
        for words in *wanted {
            assert!(said.err.contains(words), "{name}: no `{words}` in\n{}", said.err);
        }
        assert_eq!(bench.names(), ["counts.csv", "plan.toml", "rows.csv"], "{name}");
    }
}

#[test]
fn files_that_cannot_be_measurements_are_named() {
    let bench = Workbench::new();
    let said = bench.reconciled(b"node,parent,value,variance\nr,,1,1\n\xff,r,1,1\n", &[]);
    assert!(said.code == 3 && said.err.contains("line 3: not UTF-8"), "{}", said.err);
    bench.write("broken.parquet", "PAR1 and then nothing");
    bench.write("counts.txt", COUNTS);
    for (file, wanted) in [
        ("broken.parquet", "not a complete Parquet file"),
        ("counts.txt", ".csv or .parquet"),
        ("gone.csv", "cannot read"),
    ] {
        let said = bench.run(&["reconcile", file, "--out", "bundle"]);
        assert!(said.code == 3 && said.err.contains(wanted) && said.err.contains(file), "{file}: {}", said.err);
    }
    assert!(!bench.names().iter().any(|name| name.contains("bundle")));
}

#[test]
fn infeasible_constraints_have_their_own_exit_code_and_name_the_conflict() {
    // 10 = a + b, but a = 7 and b is at least 4.
    let counts = "node,parent,value,variance,fixed,lower\nr,,,,10,\na,r,,,7,\nb,r,1,1,,4\nc,b,0,1,,\nd,b,0,1,,\n";
    let bench = Workbench::new();
    let said = bench.reconciled(counts, &["--json"]);
    assert_eq!(said.code, 7, "{}", said.err);
    for words in ["`r` must be 10", "`a` must be 7", "`b` must be at least 4"] {
        assert!(said.err.contains(words), "no `{words}` in\n{}", said.err);
    }
    let answer: Value = serde_json::from_str(&said.out).expect("JSON");
    let conflict: Vec<_> = answer["conflict"].as_array().expect("a list").iter().map(|one| &one["node"]).collect();
    assert_eq!(conflict, ["r", "a", "b"]);
    // Nothing whole lies between; nothing is both negative and not; a top-down pass sees conflicts of far levels too.
    let bench = Workbench::new();
    let between = "node,parent,value,variance,lower,upper\nr,,1,1,0.2,0.8\n";
    assert_eq!(bench.reconciled(between, &["--integer"]).code, 7);
    assert_eq!(bench.reconciled("node,parent,value,fixed\nr,,-1,true\n", &[]).code, 7);
    assert_eq!(bench.reconciled(counts, &["--fit", "joint"]).code, 7);
    assert!(!bench.names().iter().any(|name| name.contains("bundle")));
}

#[test]
fn mistakes_in_the_constraints_are_pointed_at() {
    for (rules, wanted) in [
        ("nonnegativ = true", "did you mean `nonnegative`?"),
        ("nonnegative = 1", "must be true or false"),
        ("[fixed]\neats = 3", "did you mean `east`?"),
        ("[fixed]\neast = 'x'", "must be a decimal number"),
        ("[fixed]\neast = nan", "finite number"),
        ("[bounds]\neast = 3", "lower, upper or both"),
        ("[bounds]\neast = { low = 3 }", "unknown key `low`"),
        ("[bounds]\neast = { lower = 3, upper = 2 }", "lower = 3 above upper = 2"),
        ("fixed = 3", "`fixed` in the constraints file must be a table"),
        ("[fixed\n", "not valid TOML"),
    ] {
        let bench = Workbench::new();
        bench.write("rules.toml", rules);
        let said = bench.reconciled(COUNTS, &["--constraints", "rules.toml"]);
        assert_eq!(said.code, 2, "{rules}: {}", said.err);
        assert!(
            said.err.contains(wanted) && said.err.contains("rules.toml"),
            "{rules}: no `{wanted}` in\n{}",
            said.err
        );
        assert!(said.err.contains("1 mistake in rules.toml; nothing was written"), "{}", said.err);
        assert!(!bench.names().iter().any(|name| name.contains("bundle")));
    }
    let bench = Workbench::new();
    bench.write("rules.toml", "[fixed]\nr = 4\n");
    let said = bench.reconciled("node,parent,value,fixed\nr,,3,true\n", &["--constraints", "rules.toml"]);
    assert!(said.code == 2 && said.err.contains("fixed at 4 here and at 3"), "{}", said.err);
}

#[test]
fn arguments_of_reconcile_are_checked() {
    let bench = Workbench::new();
    for (more, wanted) in [
        (&["--level", "1"][..], "level must be greater than 0 and less than 1"),
        (&["--level", "nan"], "level must be greater than 0"),
        (&["--replicates", "18"], "at least 19 replicates"),
        (&["--replicates", "100001"], "100001 is not in"),
        (&["--level", "0.99", "--replicates", "98"], "at least 99 replicates"),
    ] {
        let said = bench.reconciled(COUNTS, more);
        assert!(said.code == 2 && said.err.contains(wanted), "{more:?}: {}", said.err);
    }
    bench.write("bundle", "precious");
    assert_eq!(bench.reconciled(COUNTS, &[]).code, 4);
    assert_eq!(fs::read_to_string(bench.path("bundle")).expect("file"), "precious");
}
