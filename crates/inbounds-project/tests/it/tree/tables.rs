//! Published numbers.

use std::{fs, path::PathBuf};

use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::{TreeCovariance, equality},
};
use serde_json::Value;

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A uniform tree in level order.
fn uniform(fanout: usize, nodes: usize) -> Tree {
    let parents: Vec<Option<u32>> = (0..nodes).map(|node| (node > 0).then(|| ((node - 1) / fanout) as u32)).collect();
    Tree::from_parents(&parents).expect("a tree")
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Level in a tree of fan-out `f` and height `h`: the closed form of its variance, when all variances are 1.
fn closed_form(f: f64, h: i32, level: i32, fixed_root: bool) -> f64 {
    let sigma = |j: i32| (f.powi(h - j + 1) - 1.0) / (f - 1.0);
    let root = if fixed_root { 0.0 } else { f.powi(-h) / sigma(0) };
    let levels: f64 = (1..=level).map(|j| f.powi(j - h) / sigma(j)).sum();
    f.powi(2 * (h - level)) * (root + (1.0 - 1.0 / f) * levels)
}

#[test]
fn variances_on_uniform_trees_are_the_tabled_ones() {
    let text = fs::read_to_string(repository().join("refs/tables/s6_projection.json")).expect("the table");
    let table: Value = serde_json::from_str(&text).expect("JSON");
    let rows = table["trees"].as_array().expect("rows");
    assert!(rows.len() > 30);
    for row in rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        let (fanout, height) = (number("fanout"), number("H") as i32);
        let (level, fixed) = (number("level") as i32, row["fixed_root"].as_bool().expect("a boolean"));
        let above = |level: i32| ((fanout.powi(level) - 1.0) / (fanout - 1.0)) as usize;
        let nodes = above(height + 1);
        let mut variance = vec![1.0; nodes];
        variance[0] = if fixed { 0.0 } else { 1.0 };
        let system = TreeSystem::new(uniform(fanout as usize, nodes), vec![0.0; nodes], variance).expect("a system");
        let covariance = TreeCovariance::new(&system);
        let (expected, formula) = (number("var_over_noise_var"), closed_form(fanout, height, level, fixed));
        for node in [above(level), above(level + 1) - 1] {
            let computed = covariance.variance(node);
            assert!((computed - expected).abs() <= 1e-12 * (1.0 + expected), "{row}: {computed}");
            assert!((computed - formula).abs() <= 1e-12 * (1.0 + expected), "{row}: {computed} against {formula}");
        }
        // Leaves summed without projection, the table's other column: how much the projection gains.
        assert!(number("leaf_sum_var_over_noise_var") >= covariance.variance(above(level)) - 1e-12);
    }
}

/// Published examples that are data files beside the repository; absent in a plain checkout.
fn peer(name: &str) -> Option<Value> {
    let path = repository().join("../shared/data/peer").join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Err(_) => {
            use std::io::Write;
            writeln!(std::io::stderr(), "SKIPPED: {} is not there", path.display()).expect("writes");
            None
        }
    }
}

#[test]
fn the_worked_example_of_hay_2010() {
    let Some(example) = peer("hay2010_worked_example.json") else { return };
    let (noisy, expected) =
        (numbers(&example["tree"]["noisy_level_order"]), numbers(&example["tree"]["consistent_level_order"]));
    let system = TreeSystem::new(uniform(2, noisy.len()), noisy.clone(), vec![1.0; noisy.len()]).expect("a system");
    for (computed, expected) in equality(&system).estimates.iter().zip(&expected) {
        assert!((computed - expected).abs() <= 1e-13, "{computed} against {expected}");
    }
}

#[test]
fn the_consistent_trees_of_opendp() {
    let Some(examples) = peer("opendp_tree_mean_variance_accuracy.json") else { return };
    let trees = examples["consistent_b_ary_tree"].as_array().expect("trees");
    assert!(trees.len() >= 5);
    for tree in trees {
        let noisy = numbers(&tree["noisy_tree_level_order"]);
        let fanout = tree["branching_factor"].as_u64().expect("a number") as usize;
        let nodes = noisy.len();
        let system = TreeSystem::new(uniform(fanout, nodes), noisy, vec![1.0; nodes]).expect("a system");
        let expected = numbers(&tree["consistent_leaves"]);
        let estimates = equality(&system).estimates;
        for (computed, expected) in estimates[nodes - expected.len()..].iter().zip(&expected) {
            assert!((computed - expected).abs() <= 1e-12, "{}: {computed} against {expected}", tree["label"]);
        }
    }
}
