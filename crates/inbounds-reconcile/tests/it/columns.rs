//! Every solver obeys every column of its input, or refuses it by name.

use std::collections::BTreeMap;

use inbounds_reconcile::{Fit, Options, ReconcileError, Reconciled};

use super::{Bench, without_errors};

/// A solver, by a file and constraints that lead to it.
struct Case {
    label: &'static str,
    header: &'static str,
    /// The names of each row, and its measurement; the first can be changed by what a column says.
    rows: &'static [(&'static str, f64)],
    rules: &'static str,
    fit: Option<Fit>,
    integer: bool,
    /// Name of the node of the first row.
    first: &'static str,
}

const TREE: (&str, &[(&str, f64)], &str) =
    ("node,parent", &[("a,r", 4.0), ("r,", 12.0), ("b,r", 9.0), ("c,a", 2.0), ("d,a", 1.0)], "a");
const TABLE: (&str, &[(&str, f64)], &str) =
    ("x,y", &[("p,s", 4.0), ("p,t", 9.0), ("q,s", 2.0), ("q,t", 3.0), (",", 20.0), ("p,", 12.0)], "p, s");
const LIST: (&str, &[(&str, f64)], &str) = ("node", &[("a", 4.0), ("b", 9.0), ("c", 2.0)], "a");
const MATRIX: (&str, &[(&str, f64)], &str) =
    ("node", &[("x:y", 4.0), ("x:z", 2.0), ("y:z", -2.0), ("x:x", 9.0), ("y:y", 8.0), ("z:z", 7.0)], "x:y");
const CORRELATION: (&str, &[(&str, f64)], &str) = ("node", &[("x:y", 0.95), ("x:z", 0.7), ("y:z", -0.2)], "x:y");

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |label, (header, rows, first), rules, fit, integer| {
        cases.push(Case { label, header, rows, rules, fit, integer, first });
    };
    for integer in [false, true] {
        for fit in [Fit::TopDown, Fit::Joint, Fit::Shrunk] {
            add("tree", TREE, "", Some(fit), integer);
            add("table", TABLE, "", Some(fit), integer);
        }
        add("total", LIST, "total = 14", None, integer);
        add("order", LIST, "order = [[\"c\", \"a\"], [\"a\", \"b\"]]", None, integer);
        add("rows", LIST, "[[equality]]\nterms = { a = 1, b = -1, c = 1 }\nequals = 0", None, integer);
    }
    add("sums", TREE, "nonnegative = false", None, false);
    add("table of sums", TABLE, "nonnegative = false", None, false);
    add("matrix", MATRIX, "[matrix]\npositive_semidefinite = true", None, false);
    let correlation = "[matrix]\npositive_semidefinite = true\nunit_diagonal = true";
    add("correlation", CORRELATION, correlation, None, false);
    cases
}

impl Case {
    /// The file, where the first row says more in some columns, or lacks what it measures.
    fn text(&self, columns: &str, first: &str, measured: &str) -> String {
        let commas = ",".repeat(columns.split(',').count() - 1);
        let row = |(index, (names, value)): (usize, &(&str, f64))| match index {
            0 => format!("{names},{measured},{first}\n"),
            _ => format!("{names},{value},0.01,{commas}\n"),
        };
        let rows: String = self.rows.iter().enumerate().map(row).collect();
        format!("{},value,variance,{columns}\n{rows}", self.header)
    }

    fn run(&self, text: &str) -> Result<Reconciled, ReconcileError> {
        let options = Options { fit: self.fit, integer: self.integer, ..without_errors() };
        Bench::new().run(text, self.rules, options)
    }
}

#[test]
fn every_solver_obeys_every_column() {
    for case in cases() {
        let label = format!("{}, {:?}, {}", case.label, case.fit, case.integer);
        let measured = format!("{},0.01", case.rows[0].1);
        // A value half of what was measured, which every solver but that of sums alone would otherwise miss.
        let half = if case.label == "correlation" { 0.5 } else { (case.rows[0].1 / 2.0).floor() };
        let exact = format!("{half},0");
        let said = [
            ("fixed", format!("{half}"), &measured, (half, half)),
            ("fixed", "true".to_owned(), &format!("{half},0.01"), (half, half)),
            ("fixed", String::new(), &exact, (half, half)),
            ("upper", format!("{half}"), &measured, (f64::NEG_INFINITY, half)),
            ("lower", format!("{}", 2.0 * half), &format!("{half},0.01"), (2.0 * half, f64::INFINITY)),
            ("lower,upper", format!("0,{half}"), &measured, (0.0, half)),
        ];
        for (columns, first, measured, (lower, upper)) in said {
            let lower = if case.label == "correlation" { lower.min(0.8) } else { lower };
            let first = if case.label == "correlation" && columns == "lower" { "0.8".to_owned() } else { first };
            let reconciled = case.run(&case.text(columns, &first, measured));
            // Whole numbers in order are found where nothing else is stated of single nodes.
            if let Err(error) = &reconciled
                && (case.label, case.integer) == ("order", true)
            {
                assert!(error.to_string().contains("leave --integer out"), "{label}, {columns} = {first}: {error}");
                continue;
            }
            let reconciled = reconciled.unwrap_or_else(|error| panic!("{label}, {columns} = {first}: {error}"));
            let solver = &reconciled.manifest.solver;
            assert_eq!(solver.status.word(), "optimal", "{label}, {columns} = {first}: {solver:?}");
            let estimates: BTreeMap<String, f64> =
                reconciled.nodes().map(|node| (node.name.to_owned(), node.estimate)).collect();
            let estimate = estimates[case.first];
            assert!((lower..=upper).contains(&estimate), "{label}, {columns} = {first}: {estimate}");
        }
    }
}

#[test]
fn what_was_not_measured_follows_or_is_refused_by_name() {
    for case in cases() {
        let label = format!("{}, {:?}, {}", case.label, case.fit, case.integer);
        match case.run(&case.text("lower", "", ",")) {
            // Nothing follows of an order or a matrix.
            Ok(reconciled) => {
                let unmeasured = reconciled.nodes().find(|node| node.name == case.first).expect("a node");
                assert!(unmeasured.measured.is_none() && !unmeasured.estimate.is_nan(), "{label}");
            }
            Err(error) => {
                let error = error.to_string();
                assert!(["matrix", "correlation", "order"].contains(&case.label), "{label}: {error}");
                assert!(
                    error.contains(&format!("`{}`", case.first)) && error.contains("no measurement"),
                    "{label}: {error}"
                );
            }
        }
    }
}

/// Larger noise of the first row makes it count less, by its variance or by its law, but in a matrix.
#[test]
fn noise_counts_as_it_is_stated() {
    for case in cases().into_iter().filter(|case| !case.integer && case.rules.is_empty()) {
        let estimate = |text: &str| {
            let reconciled = case.run(text).expect("feasible");
            reconciled.nodes().find(|node| node.name == case.first).expect("a node").estimate
        };
        let value = 2.0 * case.rows[0].1;
        let small = estimate(&case.text("law,scale", ",", &format!("{value},0.01")));
        let large = estimate(&case.text("law,scale", ",", &format!("{value},100")));
        let by_law = estimate(&case.text("law,scale", "gaussian,10", &format!("{value},")));
        assert!(
            large < small && (by_law - large).abs() < 1e-9,
            "{} {:?}: {small} {large} {by_law}",
            case.label,
            case.fit
        );
    }
}

#[test]
fn matrices_take_exact_values_and_bounds_from_either_file() {
    let mut bench = Bench::new();
    let rules = "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\n";
    let mut run = |counts: &str, more: &str| bench.run(counts, &format!("{more}{rules}"), without_errors());
    let estimate = |reconciled: &Reconciled, name: &str| {
        reconciled.nodes().find(|node| node.name == name).expect("a node").estimate
    };
    // Sequential least squares with eigenvalues at or above zero: 0.45354 and 0.01970.
    let known = "node,value,variance,fixed\nx:y,0.9,0.01,true\nx:z,0.7,0.01,\ny:z,-0.2,0.01,\n";
    let noisy = "node,value,variance\nx:y,0.8,0.01\nx:z,0.7,0.01\ny:z,-0.2,0.01\n";
    for reconciled in [run(known, ""), run(noisy, "fixed = { \"x:y\" = 0.9 }\n")] {
        let reconciled = reconciled.expect("a matrix");
        assert_eq!((estimate(&reconciled, "x:y"), reconciled.manifest.constraints.fixed_nodes), (0.9, 1));
        assert!(
            (estimate(&reconciled, "x:z") - 0.45354).abs() < 1e-5
                && (estimate(&reconciled, "y:z") - 0.01970).abs() < 1e-5
        );
    }
    let reconciled = run(noisy, "bounds = { \"y:z\" = { lower = 0.1 } }\n").expect("a matrix");
    assert!(estimate(&reconciled, "y:z") == 0.1 && reconciled.manifest.solver.status.word() == "optimal");
    // No correlation matrix has these; and one that has no room.
    let apart = "node,value,fixed\nx:y,0.9,true\nx:z,0.9,true\ny:z,-0.9,true\n";
    let error = run(apart, "").err().expect("no matrix");
    assert!(matches!(&error, ReconcileError::Infeasible { conflict } if conflict.len() == 3), "{error}");
    let diagonal = format!("{known}x:x,2,,true\n");
    let error = run(&diagonal, "").err().expect("not one").to_string();
    assert!(error.contains("`x:x` is fixed at 2, and with unit_diagonal it is 1"), "{error}");
}

#[test]
fn variances_of_a_matrix_are_said_to_differ_only_if_they_do() {
    let mut bench = Bench::new();
    let mut warning = |variances: [f64; 3]| {
        let [xx, xy, yy] = variances;
        let counts = format!("node,value,variance\nx:x,2,{xx}\nx:y,0.3,{xy}\ny:y,-0.1,{yy}\n");
        let reconciled = bench.run(&counts, "[matrix]\npositive_semidefinite = true", without_errors());
        reconciled.expect("a matrix").manifest.warnings.concat()
    };
    assert_eq!(warning([0.02, 0.01, 0.02]), "");
    let alike = warning([0.01; 3]);
    assert!(alike.contains("all entries have the variance 0.01") && alike.contains("twice"), "{alike}");
    assert!(!alike.contains("differ"), "{alike}");
    assert!(warning([0.01, 0.01, 0.03]).contains("variances of the entries differ"));
}
