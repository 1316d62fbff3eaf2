//! Whatever the tree and its numbers: the estimates, as they are written, add up exactly and keep what must hold.

use std::{collections::HashMap, fmt::Write};

use inbounds_reconcile::{Fit, Options, ReconcileError};
use proptest::prelude::*;

use super::{Bench, column, without_errors};

/// A row of a random file: how far up its parent is, value, variance, and what else is known.
#[derive(Debug, Clone)]
struct Node {
    up: usize,
    value: f64,
    variance: f64,
    measured: bool,
    known: Known,
}

#[derive(Debug, Clone, Copy)]
enum Known {
    Nothing,
    Fixed,
    Lower(f64),
    Upper(f64),
}

fn node() -> impl Strategy<Value = Node> {
    let value = prop_oneof![3 => (-20_i32..200).prop_map(f64::from), 2 => -50.0..500.0, 1 => -1e9..1e9];
    let variance = prop_oneof![3 => Just(4.0), 2 => 0.1..100.0, 1 => Just(1e-6), 1 => Just(1e8)];
    let known = prop_oneof![
        12 => Just(Known::Nothing),
        1 => Just(Known::Fixed),
        1 => (-5.0..50.0).prop_map(Known::Lower),
        1 => (0.0..500.0).prop_map(Known::Upper),
    ];
    (0_usize..6, value, variance, prop::bool::weighted(0.85), known)
        .prop_map(|(up, value, variance, measured, known)| Node { up, value, variance, measured, known })
}

fn file(nodes: &[Node]) -> String {
    let mut text = "node,parent,value,variance,fixed,lower,upper\n".to_owned();
    for (index, Node { up, value, variance, measured, known }) in nodes.iter().enumerate() {
        let parent = if *up == 0 || index == 0 { String::new() } else { format!("n{}", index - (*up).min(index)) };
        let (value, variance) =
            if *measured { (value.to_string(), variance.to_string()) } else { (String::new(), String::new()) };
        let (fixed, lower, upper) = match known {
            Known::Nothing => Default::default(),
            Known::Fixed => (format!("{}", index % 40), String::new(), String::new()),
            Known::Lower(bound) => (String::new(), bound.to_string(), String::new()),
            Known::Upper(bound) => (String::new(), String::new(), bound.to_string()),
        };
        writeln!(text, "n{index},{parent},{value},{variance},{fixed},{lower},{upper}").expect("text");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_estimates_add_up_exactly(
        nodes in prop::collection::vec(node(), 1..40),
        integer: bool,
        nonnegative: bool,
        fit in 0_usize..3,
    ) {
        let mut bench = Bench::new();
        let rules = format!("nonnegative = {nonnegative}");
        let fit = Some(Fit::ALL[fit].1);
        let reconciled = match bench.run(&file(&nodes), &rules, Options { integer, fit, ..without_errors() }) {
            Ok(reconciled) => reconciled,
            Err(ReconcileError::Infeasible { conflict }) => {
                prop_assert!(!conflict.is_empty());
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        // The solvers' own tests hold them to their certificate. Here: a user is warned where a solution falls short of
        // it.
        let warned = reconciled.manifest.warnings.iter().any(|warning| warning.contains("certificate"));
        prop_assert_eq!(reconciled.manifest.solver.status.word() != "optimal", warned);
        let rows = column(&reconciled, "estimate");
        let value = |text: &str| text.parse::<f64>().expect("a number");
        let largest = rows.iter().fold(1.0, |most: f64, (.., text)| most.max(value(text).abs()));
        let mut sums: HashMap<&str, f64> = HashMap::new();
        let mut backwards: HashMap<&str, f64> = HashMap::new();
        for (_, parent, text) in &rows {
            *sums.entry(parent).or_default() += value(text);
        }
        for (_, parent, text) in rows.iter().rev() {
            *backwards.entry(parent).or_default() += value(text);
        }
        for (name, _, text) in &rows {
            let estimate = value(text);
            if let Some(sum) = sums.get(name.as_str()) {
                prop_assert_eq!(*sum, estimate, "children of {}", name);
                prop_assert_eq!(backwards[name.as_str()], estimate, "children of {}, backwards", name);
            }
            if integer {
                prop_assert!(text.parse::<i64>().is_ok(), "{} is {}", name, text);
            }
            prop_assert!(!nonnegative || estimate >= 0.0, "{} is {}", name, text);
            let index: usize = name[1..].parse().expect("a number");
            // A bound off the grid of its tree holds to one step of it, whole bounds to the last bit.
            let step = if integer { 0.0 } else { largest * 2f64.powi(-46) };
            match nodes[index].known {
                Known::Fixed => prop_assert_eq!(estimate, (index % 40) as f64),
                Known::Lower(bound) => prop_assert!(estimate >= bound - step, "{} is {}", name, text),
                Known::Upper(bound) => prop_assert!(estimate <= bound + step, "{} is {}", name, text),
                Known::Nothing => {}
            }
        }
    }
}

/// A known value beside a bound that no multiple of the grid meets: the bound gives way by a step, the known value does
/// not.
#[test]
fn a_known_value_is_kept_to_the_last_bit() {
    let mut bench = Bench::new();
    let rows = [
        "n0,,0,4,,,",
        "n1,n0,,,,,",
        "n3,n1,,,,,",
        "n5,n3,,,,,",
        "n6,n1,,,,,",
        "n7,n6,,,,,",
        "n9,n7,,,,,",
        "n10,n9,,,,,",
        "n11,n7,,,,,",
        "n12,n10,,,12,,",
        "n13,n10,,,,,",
        "n14,n11,,,,,",
        "n16,n14,,,,19.64640532381409,",
        "n17,n13,,,,11.103450086141812,",
    ];
    let text = format!("node,parent,value,variance,fixed,lower,upper\n{}\n", rows.join("\n"));
    let reconciled = bench.run(&text, "nonnegative = false", without_errors()).expect("feasible");
    let estimates = column(&reconciled, "estimate");
    let known = estimates.iter().find(|(name, ..)| name == "n12").expect("the node");
    assert_eq!(known.2, "12.0");
}

/// Bounds off the grid whose sums need a step more than their parent has: they give way, zero and known values do not.
#[test]
fn a_bound_off_the_grid_never_pushes_a_sibling_below_zero() {
    let mut bench = Bench::new();
    let rows = [
        "n0,,0,4,,,",
        "n1,n0,,,,,",
        "n2,n1,,,,23.699416216966988,",
        "n4,n1,,,,,",
        "n6,n4,-835704878.7170799,4,,,",
        "n9,n4,,,,,",
        "n10,n9,,,,,",
        "n12,n10,,,,,392.01803771672365",
        "n13,n10,,,13,,",
        "n14,n9,,,,12.277127653383056,",
    ];
    let text = format!("node,parent,value,variance,fixed,lower,upper\n{}\n", rows.join("\n"));
    for (_, fit) in Fit::ALL {
        let options = Options { fit: Some(fit), ..without_errors() };
        let reconciled = bench.run(&text, "nonnegative = true", options).expect("feasible");
        let estimates = column(&reconciled, "estimate");
        let estimate = |name: &str| estimates.iter().find(|(node, ..)| node == name).expect("the node").2.clone();
        assert_eq!((estimate("n12"), estimate("n13")), ("0.0".to_owned(), "13.0".to_owned()), "{fit:?}");
    }
}
