//! Reference tables: 50-digit values from an independent generator (`refs/tables/README.md`), to 1e-12 relative.

use std::{fs, path::Path};

use inbounds_core::{Epsilon, Rational, Sensitivity};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    calibrate,
    law::{DiscreteLaplace, Laplace, Noise},
};
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;

pub(crate) fn table(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../refs/tables").join(name);
    serde_json::from_str(&fs::read_to_string(path).expect("reference table")).expect("valid JSON")
}

pub(crate) fn rows<'a>(table: &'a Value, key: &str) -> &'a [Value] {
    let rows = table[key].as_array().expect(key);
    assert!(!rows.is_empty(), "{key} is empty");
    rows
}

/// A number of the table; the infinities are strings there.
pub(crate) fn number(row: &Value, key: &str) -> f64 {
    match &row[key] {
        Value::String(text) if text == "inf" => f64::INFINITY,
        Value::String(text) if text == "-inf" => f64::NEG_INFINITY,
        other => other.as_f64().unwrap_or_else(|| panic!("{key} in {row}")),
    }
}

/// Relative agreement; where a bias passes through zero, relative to `size`, the size of what was subtracted.
pub(crate) fn assert_close(found: f64, expected: f64, size: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= TOLERANCE * expected.abs().max(size), "{what}: found {found:e}, expected {expected:e}");
}

fn range_of(row: &Value) -> Range {
    Range::new(number(row, "l"), number(row, "u")).expect("ordered")
}

#[test]
fn clamped_laplace_moments() {
    for row in rows(&table("s1_mechanisms.json"), "bit") {
        let q = number(row, "q");
        let law = Clamped::new(Laplace::with_scale(number(row, "b")).expect("positive"), range_of(row));
        let (at_lower, at_upper) = law.atoms(q);
        let what = row.to_string();
        assert_close(at_lower, number(row, "p_lower"), 0.0, &what);
        assert_close(at_upper, number(row, "p_upper"), 0.0, &what);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &what);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &what);
        assert_close(law.variance(q), number(row, "var"), 0.0, &what);
    }
}

#[test]
fn conditioned_laplace_moments() {
    for row in rows(&table("s1_mechanisms.json"), "bounded") {
        let q = number(row, "q");
        let law = Conditioned::new(Laplace::with_scale(number(row, "b")).expect("positive"), range_of(row));
        let what = row.to_string();
        assert_close(law.mass(q), number(row, "C"), 0.0, &what);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &what);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &what);
        assert_close(law.variance(q), number(row, "var"), 0.0, &what);
    }
}

#[test]
fn quantiles() {
    let table = table("s1_mechanisms.json");
    for row in rows(&table, "quantiles") {
        let (p, noise) = (number(row, "p"), Laplace::with_scale(0.3).expect("positive"));
        // A quantile above 1/2 inherits the rounding of p itself, eps / (1 - p).
        let size = 0.3 * f64::EPSILON / (1.0 - p) / TOLERANCE;
        assert_close(0.4 + noise.quantile(p), number(row, "laplace_q04_b03"), size, &row.to_string());
        let clamped = Clamped::new(noise, Range::new(0.0, 1.0).expect("ordered"));
        assert_close(clamped.quantile(p, 0.4), number(row, "bit_on_0_1"), size, &row.to_string());
    }
    for row in rows(&table, "bounded_quantile") {
        let law = Conditioned::new(Laplace::with_scale(number(row, "b")).expect("positive"), range_of(row));
        let (p, q) = (number(row, "p"), number(row, "q"));
        // The quantile is q plus or minus a distance, which inherits the rounding of p itself, eps / (1 - p).
        let size = f64::EPSILON * (4.0 * q.abs() + number(row, "b") / (1.0 - p)) / TOLERANCE;
        assert_close(law.quantile(p, q), number(row, "x"), size, &row.to_string());
    }
}

#[test]
fn continuous_scales() {
    let table = table("s2_calibration.json");
    for row in rows(&table, "b_star").iter().filter(|row| number(row, "delta") == 0.0) {
        let scale = calibrate::continuous_conditioned_scale(number(row, "eps"), number(row, "D"), number(row, "R"));
        assert_close(scale, number(row, "b_star"), 0.0, &row.to_string());
    }
    for row in rows(&table, "b_star_half_line").iter().filter(|row| number(row, "delta") == 0.0) {
        let scale = calibrate::continuous_conditioned_scale(number(row, "eps"), number(row, "D"), f64::INFINITY);
        assert_close(scale, number(row, "b_star"), 0.0, &row.to_string());
    }
    let epsilons: Vec<f64> =
        table["fig3_ratio"]["eps"].as_array().expect("eps").iter().filter_map(Value::as_f64).collect();
    for row in rows(&table["fig3_ratio"], "rows") {
        for (epsilon, ratio) in epsilons.iter().zip(row["ratio"].as_array().expect("ratio")) {
            let d = number(row, "D");
            let scale = calibrate::continuous_conditioned_scale(*epsilon, d, 1.0);
            assert_close(epsilon * scale / d, ratio.as_f64().expect("number"), 0.0, &format!("D {d} eps {epsilon}"));
        }
    }
}

/// The scale `d / epsilon` of the papers and of a popular library is not epsilon-private: its true loss.
#[test]
fn losses_of_the_uncorrected_scale() {
    for row in rows(&table("s2_calibration.json"), "liu_scale_actual_loss") {
        let scale = 1.0 / number(row, "eps_nominal");
        for (key, width) in
            [("loss_half_line", f64::INFINITY), ("loss_interval_R_10D", 10.0), ("loss_interval_R_2D", 2.0)]
        {
            let loss = calibrate::continuous_conditioned_loss(scale, 1.0, width);
            assert_close(loss, number(row, key), 0.0, &format!("{key} of {row}"));
        }
    }
}

fn discrete(alpha: f64) -> DiscreteLaplace {
    let tau = Rational::from_f64(-libm::log(alpha)).expect("finite");
    DiscreteLaplace::with_inverse_scale(tau).expect("admissible")
}

#[test]
fn clamped_discrete_laplace_moments() {
    for row in rows(&table("s5_discrete.json"), "clamp") {
        let q = number(row, "q");
        let law = Clamped::new(discrete(number(row, "alpha")), Range::new(0.0, number(row, "N")).expect("ordered"));
        let what = row.to_string();
        let (at_lower, at_upper) = law.atoms(q);
        assert_close(at_lower, number(row, "p0"), 0.0, &what);
        assert_close(at_upper, number(row, "pN"), 0.0, &what);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &what);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &what);
        assert_close(law.variance(q), number(row, "var"), 0.0, &what);
    }
}

#[test]
fn conditioned_discrete_laplace_moments() {
    for row in rows(&table("s5_discrete.json"), "bounded") {
        let (q, noise) = (number(row, "q"), discrete(number(row, "alpha")));
        let peak = noise.ln_density(0.0).exp();
        let law = Conditioned::new(noise, Range::new(0.0, number(row, "N")).expect("ordered"));
        let what = row.to_string();
        assert_close(law.mass(q) / peak, number(row, "C"), 0.0, &what);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &what);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &what);
        assert_close(law.variance(q), number(row, "var"), 0.0, &what);
    }
}

#[test]
fn discrete_scales() {
    for row in rows(&table("s5_discrete.json"), "bounded_calibration") {
        let epsilon = Epsilon::new(row["eps"].to_string().parse().expect("number")).expect("positive");
        let l1 = number(row, "Delta") as u128;
        let width = number(row, "N");
        let width = width.is_finite().then_some(width as u128);
        let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "reference" };
        let tau = calibrate::conditioned(&epsilon, &sensitivity, width).expect("calibrates");
        assert_close(tau.to_f64(), number(row, "tau_star"), 0.0, &row.to_string());
    }
}

/// The discrete forms keep their accuracy where the direct ones cancel: ranges far narrower than the noise.
#[test]
fn narrow_ranges_do_not_cancel() {
    for tau in ["1e-9", "1e-4", "0.3"] {
        let noise = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible");
        for width in [1.0, 2.0, 7.0, 1000.0] {
            let range = Range::new(0.0, width).expect("ordered");
            let q = (width / 3.0).floor();
            // Direct sums of positive terms, in the order of increasing size.
            let weights = |f: &dyn Fn(f64) -> f64| -> f64 {
                (0..=width as i64).map(|x| f(x as f64 - q) * (-noise.tau() * (x as f64 - q).abs()).exp()).sum()
            };
            let total = weights(&|_| 1.0);
            let conditioned = Conditioned::new(noise.clone(), range);
            assert_close(conditioned.mse(q), weights(&|d| d * d) / total, 0.0, &format!("tau {tau} width {width}"));
            assert_close(
                conditioned.bias(q),
                weights(&|d| d) / total,
                1e-2 * width.min(noise.scale()),
                &format!("tau {tau} width {width}"),
            );
            let capped: f64 =
                (1..=(width - q) as i64).map(|j| (2 * j - 1) as f64 * (-noise.tau() * j as f64).exp()).sum();
            let expected = capped / (1.0 + (-noise.tau()).exp());
            assert_close(noise.capped_second_moment(width - q), expected, 0.0, &format!("tau {tau} width {width}"));
        }
    }
}
