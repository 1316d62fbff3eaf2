//! Constraints other than a tree: the worked examples of the documentation, and whatever can be wrong with a file.

use std::fs;

use serde_json::Value;

use crate::{
    readme::assert_in,
    repository::{read, run, stdout},
    workbench::{Said, Workbench},
};

const SHARES: &str = "node,value,law,scale\na,31.2,laplace,2\nb,-1.4,laplace,2\nc,52.9,laplace,2\nd,20.1,laplace,2\n";

impl Workbench {
    /// What reconciling [`SHARES`] under constraints says.
    fn under(&self, rules: &str, more: &[&str]) -> Said {
        self.write("shares.csv", SHARES);
        self.write("rules.toml", rules);
        self.run(&[&["reconcile", "shares.csv", "--constraints", "rules.toml", "--out", "bundle"], more].concat())
    }

    fn estimate_of(&self, node: &str) -> f64 {
        let text = fs::read_to_string(self.path("bundle/estimates.csv")).expect("a table");
        let row = text.lines().find(|line| line.starts_with(&format!("{node},"))).expect("a node");
        row.split(',').nth(3).expect("an estimate").parse().expect("a number")
    }
}

#[test]
fn the_documentation_shows_what_the_examples_print() {
    for (name, integer) in
        [("shares", false), ("ages", true), ("homes", false), ("table", true), ("correlations", false)]
    {
        let folder = tempfile::tempdir().expect("folder");
        let out = folder.path().join("bundle");
        let [counts, rules] = ["csv", "toml"].map(|extension| format!("examples/constraints/{name}.{extension}"));
        let mut arguments = vec!["reconcile", &counts, "--constraints", &rules];
        arguments.extend(integer.then_some("--integer"));
        let command = format!("inbounds {} --out {name}", arguments.join(" "));
        arguments.extend(["--out", out.to_str().expect("UTF-8")]);
        let output = run(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = stdout(&output);
        // The table of who bears the error is left out there.
        let shown = printed.split("\n\nWho bears the error").next().expect("a first part");
        assert_in("docs/reconcile.md", shown, &command);
        for line in read(&rules).lines() {
            assert!(read("docs/reconcile.md").contains(line), "docs/reconcile.md does not show `{line}` of {rules}");
        }
    }
}

#[test]
fn a_total_states_the_exact_law_of_its_errors() {
    let bench = Workbench::new();
    let said = bench.under("total = 100\nnonnegative = false", &["--json"]);
    let manifest: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(manifest["solver"]["method"], "total-least-squares");
    assert_eq!(manifest["error"]["method"], "exact-variance");
    let exact = &manifest["error"]["total"];
    // sqrt(2 b^2 (1 - 1/n)) with b = 2 and n = 4.
    assert!((exact["standard_deviation"].as_f64().expect("a number") - 6f64.sqrt()).abs() < 1e-14);
    assert!(exact["nonnegative_bias_bound"].is_null());
    let text = fs::read_to_string(bench.path("bundle/estimates.csv")).expect("a table");
    let rmse: f64 = text.lines().nth(1).expect("a row").split(',').nth(8).expect("a field").parse().expect("a number");
    assert!((rmse - 6f64.sqrt()).abs() < 1e-12, "{rmse}");
    // Far from zero the bound on the bias is next to nothing.
    let bench = Workbench::new();
    let far = [(",31.2", ",312"), ("-1.4", "200"), ("52.9", "529"), ("20.1", "201")];
    bench.write("far.csv", far.iter().fold(SHARES.to_owned(), |text, (from, to)| text.replace(from, to)));
    bench.write("rules.toml", "total = 1250");
    let said = bench.run(&["reconcile", "far.csv", "--constraints", "rules.toml", "--out", "bundle", "--json"]);
    let manifest: Value = serde_json::from_str(&said.out).expect("JSON");
    let bound = manifest["error"]["total"]["nonnegative_bias_bound"].as_f64().expect("a number");
    assert!(bound > 0.0 && bound < 1e-50, "{bound}");
}

#[test]
fn a_tree_takes_rows_besides() {
    let bench = Workbench::new();
    bench.write(
        "tree.csv",
        "node,parent,value,variance,fixed\nall,,,,100\nnorth,all,,,\nsouth,all,45,4,\nn1,north,30,4,\nn2,north,28,4,\n\
         s1,south,20,4,\ns2,south,22,4,\n",
    );
    bench
        .write("rules.toml", "[[equality]]\nterms = { n1 = 1, s1 = -1 }\nequals = 5\n[bounds]\nnorth = { upper = 54 }");
    let said = bench.run(&["reconcile", "tree.csv", "--constraints", "rules.toml", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("7 nodes in 3 levels") && said.out.contains("linear-least-squares-in-bounds: optimal"));
    let value = |node: &str| bench.estimate_of(node);
    assert_eq!((value("all"), value("north")), (100.0, 54.0));
    assert!((value("n1") - value("s1") - 5.0).abs() < 1e-12 && (value("s1") + value("s2") - 46.0).abs() < 1e-12);
    bench.write("rules.toml", "[[equality]]\nterms = { north = 1 }\nequals = 60\n[[equality]]\nname = \"the south\"\nterms = { south = 1 }\nequals = 50");
    let said = bench.run(&["reconcile", "tree.csv", "--constraints", "rules.toml", "--out", "other", "--json"]);
    assert_eq!(said.code, 7);
    let answer: Value = serde_json::from_str(&said.out).expect("JSON");
    let conflict: Vec<_> = answer["conflict"].as_array().expect("a list").iter().map(|one| &one["node"]).collect();
    assert_eq!(conflict, ["all", "equality 1", "the south", "all"]);
    assert_eq!(answer["conflict"][2]["requirement"], "must hold: south = 50");
}

#[test]
fn bundles_of_constraints_can_be_reconciled_again() {
    for (rules, more) in [
        ("total = 100", &[][..]),
        ("order = [['b', 'd', 'a'], ['d', 'c']]", &["--integer"]),
        ("[[inequality]]\nterms = { a = 2, c = -1 }\nat_most = 3", &[]),
    ] {
        let bench = Workbench::new();
        let said = bench.under(rules, more);
        assert_eq!(said.code, 0, "{rules}: {}", said.err);
        let again = ["reconcile", "bundle/measurements.csv", "--constraints", "rules.toml", "--out", "again"];
        assert_eq!(bench.run(&[&again[..], more].concat()).code, 0, "{rules}");
        let read = |bundle: &str| fs::read(bench.path(bundle).join("estimates.csv")).expect("a file");
        assert_eq!(read("bundle"), read("again"), "{rules}");
    }
}

#[test]
fn mistakes_in_constraints_of_all_kinds_are_pointed_at() {
    for (rules, wanted) in [
        ("order = [['a', 'b'], ['b', 'c'], ['c', 'a']]", "the order has a cycle: `a` <= `b` <= `c` <= `a`"),
        ("order = [['a', 'a']]", "the order has a cycle: `a` <= `a`"),
        ("order = [['a']]", "at least two nodes"),
        ("order = [['a', 'x']]", "has no node `x`"),
        ("order = 'a'", "must be a list"),
        ("total = nan", "finite number"),
        ("total = 1e91", "between -1e90 and 1e90"),
        ("[[equality]]\nterms = {}\nequals = 1", "equality 1 has no terms"),
        ("[[equality]]\nequals = 1", "equality 1 must have `terms`"),
        ("[[equality]]\nterms = { a = 0 }\nequals = 1", "between 1e-30 and 1e30"),
        ("[[equality]]\nterms = { a = nan }\nequals = 1", "finite number"),
        ("[[equality]]\nterms = { a = 1 }", "equality 1 must have equals"),
        ("[[equality]]\nterms = { a = 1, e = 1 }\nequals = 1", "has no node `e`"),
        ("[[equality]]\nterms = { a = 1, a = 1 }\nequals = 1", "not valid TOML"),
        ("[[inequality]]\nterms = { a = 1 }\nat_most = 1\nat_least = 0", "not both"),
        ("[[inequality]]\nterms = { a = 1 }\nequals = 1", "unknown key `equals`"),
        ("[system]\ntriplets = 'rows.csv'", "[system] must have `sides`"),
        ("[matrix]\nunit_diagonal = true", "[matrix] must have `positive_semidefinite`"),
        ("[matrix]\npositive_semidefinite = false", "has no constraint"),
        ("[matrix]\npositive_semidefinite = true", "node `a` is no entry of a matrix"),
        ("total = 3\n[matrix]\npositive_semidefinite = true", "`total` goes with no [matrix]"),
        ("total = 3\ntop_down = true", "or write --fit joint after the command"),
        ("top_down = true", "or write --fit joint after the command"),
    ] {
        let bench = Workbench::new();
        let said = bench.under(rules, &[]);
        assert_eq!(said.code, 2, "{rules}: {}{}", said.out, said.err);
        assert!(
            said.err.contains(wanted) && said.err.contains("rules.toml"),
            "{rules}: no `{wanted}` in\n{}",
            said.err
        );
        assert!(!bench.path("bundle").exists());
    }
    let bench = Workbench::new();
    bench.write("tree.csv", "node,parent,value,variance\nr,,3,1\na,r,3,1\n");
    bench.write("rules.toml", "total = 3");
    let said = bench.run(&["reconcile", "tree.csv", "--constraints", "rules.toml", "--out", "bundle"]);
    assert!(said.code == 2 && said.err.contains("where nodes have parents"), "{}", said.err);
}

#[test]
fn matrices_must_be_whole() {
    for (entries, more, wanted) in [
        ("x:y,1,1\n", "", "no diagonal entry `x:x`"),
        ("x:y,1,1\nx:z,1,1\n", "unit_diagonal = true", "no entry `y:z`"),
        ("x:y,1,1\ny:x,1,1\n", "unit_diagonal = true", "`x:y` and `y:x` are the same entry"),
        ("x:y:z,1,1\n", "unit_diagonal = true", "`x:y:z` is no entry"),
    ] {
        let bench = Workbench::new();
        bench.write("entries.csv", format!("node,value,variance\n{entries}"));
        bench.write("rules.toml", format!("[matrix]\npositive_semidefinite = true\n{more}"));
        let said = bench.run(&["reconcile", "entries.csv", "--constraints", "rules.toml", "--out", "bundle"]);
        assert!(said.code == 2 && said.err.contains(wanted), "{entries}: no `{wanted}` in\n{}", said.err);
    }
    // Two measurements of one entry are one, and unequal variances are not heeded in silence.
    let bench = Workbench::new();
    bench.write("entries.csv", "node,value,variance\nx:y,0.9,0.1\nx:y,0.9,0.1\nx:z,-0.9,0.1\ny:z,0.9,0.1\n");
    bench.write("rules.toml", "[matrix]\npositive_semidefinite = true\nunit_diagonal = true");
    let said = bench.run(&["reconcile", "entries.csv", "--constraints", "rules.toml", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("Warning: the variances of the entries differ"), "{}", said.out);
    assert!((bench.estimate_of("x:y") - 0.5).abs() < 1e-9);
    let arguments = ["reconcile", "entries.csv", "--constraints", "rules.toml", "--out", "other", "--integer"];
    let said = bench.run(&arguments);
    assert!(said.code == 2 && said.err.contains("whole numbers cannot be guaranteed"), "{}", said.err);
}

#[test]
fn sparse_systems_are_read_and_their_mistakes_named() {
    const RULES: &str = "[system]\ntriplets = \"rows.csv\"\nsides = \"sides.csv\"";
    const SIDES: &str = "row,sense,value\nr1,=,30\nr2,>=,33\n";
    let bench = Workbench::new();
    bench.write("rows.csv", "row,node,coefficient\nr1,a,1\nr1,b,1\nr2,c,1\nr2,d,-1\n");
    bench.write("sides.csv", SIDES);
    let said = bench.under(RULES, &["--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let manifest: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (&manifest["constraints"]["equalities"], &manifest["constraints"]["inequalities"]),
        (&1.into(), &1.into())
    );
    assert_eq!(manifest["constraints"]["system"]["sides_sha256"].as_str().expect("a digest").len(), 64);
    assert_eq!((bench.estimate_of("a"), bench.estimate_of("b")), (30.0, 0.0));
    assert_eq!(bench.estimate_of("c") - bench.estimate_of("d"), 33.0);
    let row = "row,node,coefficient\nr1,a,1\n";
    let both = "row,node,coefficient\nr1,a,1\nr2,a,1\n";
    for (rows, sides, wanted) in [
        ("row,node,coefficient\nr1,a,1\nr1,a,1\n", SIDES, &["rows.csv", "line 3", "`r1` has node `a` twice"][..]),
        (row, SIDES, &["sides.csv", "line 3", "row `r2` has no terms in"]),
        ("row,node,coefficient\nr1,aa,1\n", SIDES, &["rows.csv", "line 2", "no node `aa`"]),
        (
            "row,node,coefficient\nr3,a,1\n",
            SIDES,
            &["rows.csv", "line 2", "row `r3` has coefficients but no right-hand side", "sides.csv"],
        ),
        ("row,node,coefficient\nr1,a,nan\n", SIDES, &["`coefficient` of row `r1`", "got `nan`"]),
        ("row,node,coefficient\nr1,a,0\n", SIDES, &["`coefficient` of row `r1`", "got `0`"]),
        ("row,node,coefficient\nr1,a\n", SIDES, &["line 2", "2 fields, but the header has 3"]),
        ("row,node,coeficient\nr1,a,1\n", SIDES, &["did you mean `coefficient`?"]),
        ("row,node\nr1,a\n", SIDES, &["no column `coefficient`"]),
        (both, "row,sense,value\nr1,=,1\nr1,=,2\n", &["sides.csv", "line 3", "row `r1` has two right-hand sides"]),
        (both, "row,sense,value\nr1,<,1\nr2,=,2\n", &["`sense` of row `r1` must be =, <= or >="]),
        (both, "row,sense,value\nr1,=,inf\nr2,=,2\n", &["`value` of row `r1`", "got `inf`"]),
        (both, "row,sense,value\n,=,1\n", &["line 2", "must name its row"]),
    ] {
        bench.write("rows.csv", rows);
        bench.write("sides.csv", sides);
        let out = ["reconcile", "shares.csv", "--constraints", "rules.toml", "--out", "other"];
        let said = bench.run(&out);
        assert_eq!(said.code, 3, "{rows}{sides}: {}", said.err);
        for words in wanted {
            assert!(said.err.contains(words), "{rows}{sides}: no `{words}` in\n{}", said.err);
        }
    }
    bench.write("rows.csv", both);
    bench.write("sides.csv", "row,sense,value\nr1,=,1\nr2,=,2\n");
    let said = bench.run(&["reconcile", "shares.csv", "--constraints", "rules.toml", "--out", "other"]);
    assert_eq!(said.code, 7);
    assert!(said.err.contains("`r1` must hold: a = 1, `r2` must hold: a = 2 cannot hold together"), "{}", said.err);
    fs::remove_file(bench.path("sides.csv")).expect("a file");
    let said = bench.run(&["reconcile", "shares.csv", "--constraints", "rules.toml", "--out", "other"]);
    assert!(said.code == 3 && said.err.contains("cannot read") && said.err.contains("sides.csv"), "{}", said.err);
}

#[test]
fn what_no_numbers_satisfy_has_its_own_exit_code() {
    for (rules, wanted) in [
        ("total = 5\n[bounds]\na = { lower = 3 }\nb = { lower = 4 }", "`total` must be 5, `a` must be at least 3"),
        ("total = 5\n[fixed]\na = 1\nb = 1\nc = 1\nd = 1", "`total` must be 5, `a` must be 1"),
        ("order = [['a', 'b']]\n[bounds]\na = { lower = 3 }\nb = { upper = 2 }", "`a` must be at most `b`"),
        ("[[inequality]]\nname = 'less'\nterms = { a = 1, b = 1 }\nat_most = -1", "`less` must hold: a + b <= -1"),
    ] {
        let bench = Workbench::new();
        let said = bench.under(rules, &[]);
        assert_eq!(said.code, 7, "{rules}: {}{}", said.out, said.err);
        assert!(said.err.contains(wanted), "{rules}: no `{wanted}` in\n{}", said.err);
    }
    let said = Workbench::new().under("total = 99.5", &["--integer"]);
    assert!(said.code == 7 && said.err.contains("`total` must be 99.5"), "{}", said.err);
}

#[test]
fn what_cannot_be_promised_or_told_is_refused() {
    let bench = Workbench::new();
    for (rules, wanted) in [
        ("[[equality]]\nterms = { a = 2, b = 1 }\nequals = 1", "is 2, not 1 or -1"),
        ("[[inequality]]\nname = 'one'\nterms = { a = 1, b = 1 }\nat_most = 40", "`one` must hold: a + b <= 40"),
        ("[[equality]]\nterms = { a = 1, b = 1 }\nequals = 99.5", "must be whole"),
    ] {
        let said = bench.under(rules, &["--integer"]);
        assert!(said.code == 2 && said.err.contains("whole numbers cannot be guaranteed"), "{rules}: {}", said.err);
        assert!(said.err.contains(wanted), "{rules}: no `{wanted}` in\n{}", said.err);
    }
    bench.write("open.csv", "node,value,variance\na,1,1\nb,,\nc,2,1\n");
    bench.write("rules.toml", "[[equality]]\nterms = { a = 1, c = -1 }\nequals = 0");
    let said = bench.run(&["reconcile", "open.csv", "--constraints", "rules.toml", "--out", "bundle"]);
    assert!(said.code == 3 && said.err.contains("line 3: node `b` has no measurement"), "{}", said.err);
}
