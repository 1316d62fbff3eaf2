//! Stated errors against closed forms.

use inbounds_reconcile::Options;

use super::{Bench, numbers, without_errors};

/// Two parts and their sum, all measured with variance 1: `2/3` for each estimate.
#[test]
fn sums_alone_have_exact_variances_without_replicates() {
    let mut bench = Bench::new();
    let counts = "node,parent,value,variance\nr,,5,1\na,r,1,1\nb,r,3,1\n";
    let reconciled = bench.run(counts, "nonnegative = false", without_errors()).expect("feasible");
    let rmse = numbers(&reconciled, "rmse_at_estimate");
    assert!(["r", "a", "b"].iter().all(|node| (rmse[*node] - (2f64 / 3.0).sqrt()).abs() < 1e-15), "{rmse:?}");
    assert!(numbers(&reconciled, "bias_at_estimate").values().all(|bias| *bias == 0.0));
    assert_eq!(reconciled.fairness[0].mean_measured_variance, Some(1.0));
}

/// One node at zero under Gaussian noise of variance 1 is the positive part of it: bias `1 / sqrt(2 pi)`, mean square
/// `1/2`. For Laplace noise of scale 1: bias `1/2`, mean square 1. Each within 4.5 Monte Carlo standard errors, so
/// right code fails for one seed in 37,000; the errors themselves are those of the law to within a tenth.
#[test]
fn simulated_errors_are_those_of_a_single_clamped_node() {
    for (law, bias, square) in [
        ("gaussian", 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2, 0.5),
        ("laplace", 0.5, 1.0),
    ] {
        let mut bench = Bench::new();
        let counts = format!("node,parent,value,law,scale\nr,,-1,{law},1\n");
        let options = Options { replicates: 4000, seed: 5, ..Options::default() };
        let reconciled = bench.run(&counts, "", options).expect("feasible");
        let number = |name: &str| numbers(&reconciled, name)["r"];
        assert_eq!(number("estimate"), 0.0);
        assert!(
            (number("bias_at_estimate") - bias).abs() < 4.5 * number("bias_error"),
            "{law}: {}",
            number("bias_at_estimate")
        );
        let rmse = number("rmse_at_estimate");
        assert!((rmse - f64::sqrt(square)).abs() < 4.5 * number("rmse_error"), "{law}: {rmse}");
        let spread = ((square - bias * bias) / 4000.0).sqrt();
        assert!((number("bias_error") / spread - 1.0).abs() < 0.1, "{law}: {} for {spread}", number("bias_error"));
        // What a wrong law would have said is far outside.
        let other = 0.9 - bias;
        assert!((number("bias_at_estimate") - other).abs() > 4.5 * number("bias_error"), "{law}");
    }
}

/// Two measurements of one node, of different laws and variances 2 and 6, are one of variance 3/2, far from any bound:
/// the stated RMSE is `sqrt(3/2)` within 4.5 Monte Carlo standard errors, and not that of either alone. An exact value
/// overrides both.
#[test]
fn several_measurements_of_a_node_are_simulated_as_one() {
    let mut bench = Bench::new();
    let counts = "node,parent,value,law,scale,variance\nr,,1000,laplace,1,\nr,,1004,,,6\n";
    let reconciled = bench.run(counts, "", Options { replicates: 2000, ..Options::default() }).expect("feasible");
    let number = |name: &str| numbers(&reconciled, name)["r"];
    assert_eq!((number("estimate"), number("measurement"), number("measurement_variance")), (1001.0, 1001.0, 1.5));
    assert!(
        (number("rmse_at_estimate") - f64::sqrt(1.5)).abs() < 4.5 * number("rmse_error"),
        "{}",
        number("rmse_at_estimate")
    );
    assert!((number("rmse_at_estimate") - f64::sqrt(2.0)).abs() > 4.5 * number("rmse_error"));
    let fixed = bench.run(counts, "fixed.r = 990", Options::default()).expect("feasible");
    assert_eq!((numbers(&fixed, "estimate")["r"], numbers(&fixed, "rmse_at_estimate")["r"]), (990.0, 0.0));
    assert_eq!((numbers(&fixed, "interval_lower")["r"], numbers(&fixed, "interval_upper")["r"]), (990.0, 990.0));
}

/// Where measurements do not determine a node there is no error to state, and the interval is what the constraints say.
#[test]
fn undetermined_nodes_have_ranges_and_no_errors() {
    let mut bench = Bench::new();
    let counts = "node,parent,value,variance,fixed,lower\nr,,,,10,\na,r,,,,2\nb,r,,,,\nc,r,3,1,,\n";
    let reconciled = bench.run(counts, "", Options::default()).expect("feasible");
    let (lower, upper) = (numbers(&reconciled, "interval_lower"), numbers(&reconciled, "interval_upper"));
    assert_eq!((lower["a"], upper["a"], lower["b"], upper["b"]), (2.0, 10.0, 0.0, 8.0));
    assert_eq!((lower["r"], upper["r"]), (10.0, 10.0));
    assert!(upper["c"] <= 8.0 && lower["c"] < 3.0);
    let rmse = numbers(&reconciled, "rmse_at_estimate");
    assert!(rmse["a"].is_nan() && rmse["b"].is_nan() && rmse["r"] == 0.0 && rmse["c"] > 0.0);
}

/// Small cells are pushed up and large ones pay: the sign that the table is there to show.
#[test]
fn the_fairness_table_shows_who_is_pushed_up() {
    let mut bench = Bench::new();
    let small: String = (0..20).map(|cell| format!("s{cell},r,0,4\n")).collect();
    let counts = format!("node,parent,value,variance\nr,,1000,1\nlarge,r,1000,4\n{small}");
    let reconciled = bench.run(&counts, "", Options::default()).expect("feasible");
    let by_size: Vec<_> =
        reconciled.fairness.iter().filter(|row| row.nodes == "leaves" && row.by.name() == "size").collect();
    let (least, most) = (by_size.first().expect("a row"), by_size.last().expect("a row"));
    assert!(least.count == 20 && least.mean_bias > 10.0 * least.mean_bias_error, "{least:?}");
    assert!(most.count == 1 && most.mean_bias < -10.0 * most.mean_bias_error, "{most:?}");
    assert!(least.mean_variance < 4.0 && least.mean_measured_variance == Some(4.0));
}
