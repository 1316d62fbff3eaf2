//! Constraints other than a tree, each against another way to the same estimates.

use std::fmt::Write;

use inbounds_reconcile::{Fit, Options, ReconcileError, Reconciled};
use proptest::prelude::*;

use super::{Bench, numbers, without_errors};

/// A node: how far up its parent is, value, variance, whether it was measured.
type Node = (usize, f64, f64, bool);

fn node() -> impl Strategy<Value = Node> {
    let value = prop_oneof![3 => (-20_i32..200).prop_map(f64::from), 1 => -50.0..500.0];
    let variance = prop_oneof![2 => Just(4.0), 1 => 0.1..100.0];
    (0_usize..4, value, variance, prop::bool::weighted(0.8))
}

/// Nodes `n0`, `n1` and so on; with `measured` all of them are, and without `parents` all are roots.
fn file(nodes: &[Node], parents: bool, measured: bool) -> String {
    let mut text = if parents { "node,parent,value,variance\n" } else { "node,value,variance\n" }.to_owned();
    for (index, &(up, value, variance, is_measured)) in nodes.iter().enumerate() {
        write!(text, "n{index},").expect("text");
        if parents {
            let parent = if index == 0 { String::new() } else { format!("n{}", index - up.clamp(1, index)) };
            write!(text, "{parent},").expect("text");
        }
        let row = if measured || is_measured { format!("{value},{variance}") } else { ",".to_owned() };
        writeln!(text, "{row}").expect("text");
    }
    text
}

/// A row that holds anyway and belongs to no tree, order or total: it sends a system to the linear solver.
const IDLE: &str = "\n[[inequality]]\nterms = { n0 = 1 }\nat_most = 1e7\n";

fn assert_near(one: &Reconciled, other: &Reconciled, name: &str) -> Result<(), TestCaseError> {
    let (one, other) = (numbers(one, name), numbers(other, name));
    let size = one.values().fold(1.0, |size: f64, x| if x.is_nan() { size } else { size.max(x.abs()) });
    for (node, value) in &one {
        let off = (value - other[node]).abs();
        prop_assert!(off <= 1e-8 * size || value.is_nan() && other[node].is_nan(), "{node}: {value}, {}", other[node]);
    }
    Ok(())
}

/// The method that was used, `optimal` asserted.
fn method(reconciled: &Reconciled) -> Result<&str, TestCaseError> {
    let solver = &reconciled.manifest.solver;
    prop_assert_eq!(solver.status.word(), "optimal", "{:?}", solver);
    Ok(solver.method.word())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// The two passes up and down a tree against elimination, interior point and active set. Nodes without measurements
    /// are inner ones, so that both have one answer.
    #[test]
    fn a_tree_is_a_linear_system(nodes in prop::collection::vec(node(), 2..25), nonnegative: bool, fixed: bool) {
        let parent = |index: usize| index - nodes[index].0.clamp(1, index);
        let inner: Vec<usize> = (1..nodes.len()).map(parent).collect();
        let nodes: Vec<Node> = nodes
            .iter()
            .enumerate()
            .map(|(index, &(up, value, variance, measured))| (up, value, variance, measured || !inner.contains(&index)))
            .collect();
        let rules = format!("nonnegative = {nonnegative}\n{}", if fixed { "[fixed]\nn0 = 150\n" } else { "" });
        let mut bench = Bench::new();
        let counts = file(&nodes, true, false);
        let joint = Options { fit: Some(Fit::Joint), ..without_errors() };
        let tree = bench.run(&counts, &rules, joint).expect("feasible");
        let rows = bench.run(&counts, &format!("{rules}{IDLE}"), without_errors()).expect("feasible");
        prop_assert!(method(&rows)?.starts_with("linear-least-squares"));
        assert_near(&tree, &rows, "estimate")?;
        let again = "\n[[equality]]\nterms = { n0 = 1, n1 = -1 }\nequals = 0\n";
        if !nonnegative && inner.iter().filter(|&&parent| parent == 0).count() == 1 {
            // The root's only child: its sum is stated twice.
            let twice = bench.run(&counts, &format!("nonnegative = false{again}"), without_errors()).expect("feasible");
            let once = bench.run(&counts, "nonnegative = false", without_errors()).expect("feasible");
            prop_assert_eq!(method(&twice)?, "linear-least-squares");
            assert_near(&once, &twice, "estimate")?;
            assert_near(&once, &twice, "rmse_at_estimate")?;
        }
    }

    /// Sorting against interior point and active set.
    #[test]
    fn a_total_is_a_row(nodes in prop::collection::vec(node(), 2..25), total in 0_i32..500, nonnegative: bool) {
        let rules = format!("nonnegative = {nonnegative}\ntotal = {total}\n");
        let mut bench = Bench::new();
        let counts = file(&nodes, false, true);
        let sorted = bench.run(&counts, &rules, without_errors()).expect("feasible");
        let rows = bench.run(&counts, &format!("{rules}{IDLE}"), without_errors()).expect("feasible");
        prop_assert_eq!(method(&sorted)?, if nonnegative { "total-least-squares-in-bounds" } else { "total-least-squares" });
        method(&rows)?;
        assert_near(&sorted, &rows, "estimate")?;
        let integer = bench.run(&counts, &rules, Options { integer: true, ..without_errors() }).expect("feasible");
        let estimates = numbers(&integer, "estimate");
        prop_assert_eq!(estimates.values().sum::<f64>(), f64::from(total));
        prop_assert!(estimates.values().all(|value| value.fract() == 0.0));
        prop_assert_eq!(method(&integer)?, "total-least-squares-in-integers");
        // Written as a row, each cell goes up or down; the true optimum is no worse.
        let terms: Vec<String> = (0..nodes.len()).map(|index| format!("n{index} = 1")).collect();
        let row = format!(
            "nonnegative = {nonnegative}\n[[equality]]\nterms = {{ {} }}\nequals = {total}\n",
            terms.join(", ")
        );
        let rounded = bench.run(&counts, &row, Options { integer: true, ..without_errors() }).expect("feasible");
        prop_assert_eq!(method(&rounded)?, "linear-least-squares-rounded");
        let [best, other] = [&integer, &rounded].map(|reconciled| reconciled.manifest.solver.objective);
        prop_assert!(best <= other * (1.0 + 1e-12) + 1e-12, "{} after {}", best, other);
    }

    /// Isotonic regression against interior point and active set, on chains and on trees both ways.
    #[test]
    fn an_order_is_rows(nodes in prop::collection::vec(node(), 2..25), nonnegative: bool, chain: bool, up: bool) {
        let step = |index: usize| {
            let other = if chain { index - 1 } else { index - nodes[index].0.clamp(1, index) };
            if up { format!("[\"n{index}\", \"n{other}\"]") } else { format!("[\"n{other}\", \"n{index}\"]") }
        };
        let steps: Vec<String> = (1..nodes.len()).map(step).collect();
        let rules = format!("nonnegative = {nonnegative}\norder = [{}]\n", steps.join(", "));
        let mut bench = Bench::new();
        let counts = file(&nodes, false, true);
        let pooled = bench.run(&counts, &rules, without_errors()).expect("feasible");
        let rows = bench.run(&counts, &format!("{rules}{IDLE}"), without_errors()).expect("feasible");
        prop_assert_eq!(method(&pooled)?, "isotonic-least-squares");
        method(&rows)?;
        assert_near(&pooled, &rows, "estimate")?;
    }

    /// Whole numbers in order against all there are.
    #[test]
    fn whole_numbers_in_order_are_the_best_there_are(values in prop::collection::vec((-2.0..5.0, 0.2..5.0), 2..5)) {
        let nodes: Vec<Node> = values.iter().map(|&(value, variance): &(f64, f64)| (1, value, variance, true)).collect();
        let names: Vec<String> = (0..nodes.len()).map(|index| format!("\"n{index}\"")).collect();
        let rules = format!("order = [[{}]]", names.join(", "));
        let mut bench = Bench::new();
        let options = Options { integer: true, ..without_errors() };
        let reconciled = bench.run(&file(&nodes, false, true), &rules, options).expect("feasible");
        prop_assert_eq!(method(&reconciled)?, "isotonic-least-squares-in-integers");
        let cost = |x: &[f64]| -> f64 {
            x.iter().zip(&nodes).map(|(x, (_, value, variance, _))| (x - value).powi(2) / variance / 2.0).sum()
        };
        let mut best = f64::INFINITY;
        for code in 0..7_usize.pow(nodes.len() as u32) {
            let x: Vec<f64> = (0..nodes.len()).map(|place| (code / 7_usize.pow(place as u32) % 7) as f64).collect();
            best = if x.is_sorted() { best.min(cost(&x)) } else { best };
        }
        let estimates = numbers(&reconciled, "estimate");
        let estimates: Vec<f64> = (0..nodes.len()).map(|index| estimates[&format!("n{index}")]).collect();
        prop_assert!(estimates.is_sorted() && (cost(&estimates) - best).abs() < 1e-9, "{:?}: {}", estimates, best);
        prop_assert!((reconciled.manifest.solver.objective - best).abs() < 1e-9);
    }

    /// Whatever the rows: what is found satisfies them, or a conflict is named, or a node that they leave open.
    #[test]
    fn rows_hold(
        nodes in prop::collection::vec(node(), 2..8),
        rows in prop::collection::vec((prop::collection::vec(-2_i32..3, 8), 0_usize..3, -20_i32..200), 1..5),
    ) {
        let mut rules = String::new();
        let mut kept = Vec::new();
        for (coefficients, sense, side) in rows {
            let terms: Vec<(usize, f64)> = (0..nodes.len()).map(|node| (node, f64::from(coefficients[node]))).collect();
            let terms: Vec<(usize, f64)> = terms.into_iter().filter(|(_, a)| *a != 0.0).collect();
            if terms.is_empty() {
                continue;
            }
            let written: Vec<String> = terms.iter().map(|(node, a)| format!("n{node} = {a}")).collect();
            let (kind, word) = [("equality", "equals"), ("inequality", "at_most"), ("inequality", "at_least")][sense];
            write!(rules, "[[{kind}]]\nterms = {{ {} }}\n{word} = {side}\n", written.join(", ")).expect("text");
            kept.push((terms, sense, f64::from(side)));
        }
        prop_assume!(!kept.is_empty());
        let mut bench = Bench::new();
        let reconciled = match bench.run(&file(&nodes, false, false), &rules, without_errors()) {
            Ok(reconciled) => reconciled,
            Err(ReconcileError::Infeasible { conflict }) => {
                prop_assert!(!conflict.is_empty());
                return Ok(());
            }
            Err(error @ ReconcileError::Row { .. }) => {
                prop_assert!(error.to_string().contains("has no measurement"), "{}", error);
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        method(&reconciled)?;
        let estimates = numbers(&reconciled, "estimate");
        prop_assert!(estimates.values().all(|estimate| *estimate >= 0.0));
        for (terms, sense, side) in kept {
            let sum: f64 = terms.iter().map(|(node, a)| a * estimates[&format!("n{node}")]).sum();
            let over = match sense {
                0 => (sum - side).abs(),
                1 => sum - side,
                _ => side - sum,
            };
            prop_assert!(over <= 1e-9, "{:?}: {} for {}", terms, sum, side);
        }
    }
}

/// Higham's example, and the same matrix without a given diagonal.
#[test]
fn matrices_are_the_nearest() {
    let mut bench = Bench::new();
    let entries = "node,value,variance\nx:y,1,0.01\ny:z,1,0.01\nx:z,0,0.01\n";
    let rules = "[matrix]\npositive_semidefinite = true\n";
    let reconciled = bench.run(entries, &format!("{rules}unit_diagonal = true"), without_errors()).expect("a matrix");
    let estimates = numbers(&reconciled, "estimate");
    assert!((estimates["x:y"] - 0.7607).abs() < 5e-5 && (estimates["x:z"] - 0.1573).abs() < 5e-5, "{estimates:?}");
    assert!((reconciled.manifest.solver.objective - 0.5278_f64.powi(2) / 2.0).abs() < 5e-5);
    let entries = format!("{entries}x:x,1,0.02\ny:y,1,0.02\nz:z,1,0.02\n");
    let reconciled = bench.run(&entries, rules, without_errors()).expect("a matrix");
    // The one negative eigenvalue is 1 - sqrt 2, with the vector (1, -sqrt 2, 1) / 2: it is taken away.
    let estimates = numbers(&reconciled, "estimate");
    let taken = 2f64.sqrt() - 1.0;
    assert!((estimates["x:z"] - taken / 4.0).abs() < 1e-12 && (estimates["y:y"] - 1.0 - taken / 2.0).abs() < 1e-12);
    assert!(reconciled.manifest.warnings.is_empty(), "{:?}", reconciled.manifest.warnings);
}
