//! Reference tables: 50-digit values from an independent generator (`refs/tables/README.md`), to 1e-12 relative.

use inbounds_core::{Epsilon, Rational, Rho, Sensitivity};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    calibrate,
    law::{Laplace, Noise},
    noise::DiscreteLaplace,
};
use serde_json::Value;

use crate::tables::{TOLERANCE, assert_close, number, rows, table};

fn range_of(row: &Value) -> Range {
    Range::new(number(row, "l"), number(row, "u")).expect("ordered")
}

#[test]
fn clamped_laplace_moments() {
    for row in rows(&table("s1_mechanisms.json"), "bit") {
        let q = number(row, "q");
        let law = Clamped::new(Laplace::with_scale(number(row, "b")).expect("positive"), range_of(row));
        let (at_lower, at_upper) = law.atoms(q);
        let label = row.to_string();
        assert_close(at_lower, number(row, "p_lower"), 0.0, &label);
        assert_close(at_upper, number(row, "p_upper"), 0.0, &label);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &label);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &label);
        assert_close(law.variance(q), number(row, "var"), 0.0, &label);
    }
}

#[test]
fn conditioned_laplace_moments() {
    for row in rows(&table("s1_mechanisms.json"), "bounded") {
        let q = number(row, "q");
        let law = Conditioned::new(Laplace::with_scale(number(row, "b")).expect("positive"), range_of(row));
        let label = row.to_string();
        assert_close(law.mass(q), number(row, "C"), 0.0, &label);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &label);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &label);
        assert_close(law.variance(q), number(row, "var"), 0.0, &label);
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
    for row in rows(&table, "b_star") {
        let epsilon = number(row, "eps") - libm::log1p(-number(row, "delta"));
        let scale = calibrate::continuous_conditioned_scale(epsilon, number(row, "D"), number(row, "R"));
        assert_close(scale, number(row, "b_star"), 0.0, &row.to_string());
    }
    for row in rows(&table, "b_star_half_line") {
        let epsilon = number(row, "eps") - libm::log1p(-number(row, "delta"));
        let scale = calibrate::continuous_conditioned_scale(epsilon, number(row, "D"), f64::INFINITY);
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

/// Hockey-stick divergences and the scales that meet a delta, on half lines and ranges.
#[test]
fn continuous_divergences() {
    use calibrate::continuous::{conditioned_delta, conditioned_delta_scale, laplace_delta, laplace_scale};
    let table = table("s2_calibration.json");
    for row in rows(&table, "half_line_delta") {
        let delta = conditioned_delta(number(row, "eps"), 1.0 / number(row, "D_over_b"), 1.0, f64::INFINITY);
        assert_close(delta, number(row, "delta"), 0.0, &row.to_string());
    }
    for row in rows(&table, "interval_delta") {
        let d = number(row, "D_over_b");
        let delta = conditioned_delta(number(row, "eps"), 1.0, d, number(row, "R_over_b"));
        assert_close(delta, number(row, "delta"), 0.0, &row.to_string());
    }
    for row in rows(&table, "exact_delta_table") {
        let (epsilon, delta) = (number(row, "eps"), number(row, "delta"));
        let (d, width) = (number(row, "D"), number(row, "R"));
        let exact = conditioned_delta_scale(epsilon, delta, d, width);
        assert_close(exact, number(row, "b_exact"), 0.0, &row.to_string());
        let plain = laplace_scale(epsilon, delta, d);
        assert_close(plain, number(row, "b_plain_exact"), 0.0, &row.to_string());
        assert_close(laplace_delta(epsilon, plain, d), delta, 1e-3, &row.to_string());
        // The sufficient condition of the literature: the pure loss at epsilon - log(1 - delta).
        let sufficient = calibrate::continuous_conditioned_scale(epsilon - libm::log1p(-delta), d, width);
        assert_close(sufficient, number(row, "b_holohan"), 0.0, &row.to_string());
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

#[test]
fn continuous_gaussian_std_devs() {
    for row in rows(&table("gaussian.json"), "std_dev") {
        let (epsilon, delta) = (number(row, "eps"), number(row, "delta"));
        let std_dev = calibrate::gaussian::continuous_std_dev(epsilon, delta, 1.0);
        assert_close(std_dev, number(row, "std_dev"), 0.0, &row.to_string());
        let scaled = calibrate::gaussian::continuous_std_dev(epsilon, delta, 1e6);
        assert_close(scaled, 1e6 * number(row, "std_dev"), 0.0, &row.to_string());
        // The divergence magnifies the rounding of the scale by as much as its logarithm.
        let size = -10.0 * delta.ln() * delta;
        assert_close(calibrate::gaussian::continuous_delta(epsilon, std_dev, 1.0), delta, size, &row.to_string());
    }
}

#[test]
fn zero_concentrated_conversions() {
    for row in rows(&table("gaussian.json"), "zcdp") {
        let exact = |key: &str| row[key].as_str().expect(key).parse::<Rational>().expect("number");
        let rho = Rho::new(exact("rho")).expect("positive");
        let delta = calibrate::gaussian::concentrated_delta(&rho, &exact("eps")).to_f64();
        assert_close(delta, number(row, "delta"), 0.0, &row.to_string());
        assert!(delta >= number(row, "delta") * (1.0 - 1e-15), "{row}: not rounded up");
    }
}

pub(crate) fn discrete(alpha: f64) -> DiscreteLaplace {
    let tau = Rational::from_f64(-libm::log(alpha)).expect("finite");
    DiscreteLaplace::with_inverse_scale(tau).expect("admissible")
}

#[test]
fn clamped_discrete_laplace_moments() {
    for row in rows(&table("s5_discrete.json"), "clamp") {
        let q = number(row, "q");
        let law = Clamped::new(discrete(number(row, "alpha")), Range::new(0.0, number(row, "N")).expect("ordered"));
        let label = row.to_string();
        let (at_lower, at_upper) = law.atoms(q);
        assert_close(at_lower, number(row, "p0"), 0.0, &label);
        assert_close(at_upper, number(row, "pN"), 0.0, &label);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &label);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &label);
        assert_close(law.variance(q), number(row, "var"), 0.0, &label);
    }
}

#[test]
fn conditioned_discrete_laplace_moments() {
    for row in rows(&table("s5_discrete.json"), "bounded") {
        let (q, noise) = (number(row, "q"), discrete(number(row, "alpha")));
        let peak = noise.ln_density(0.0).exp();
        let law = Conditioned::new(noise, Range::new(0.0, number(row, "N")).expect("ordered"));
        let label = row.to_string();
        assert_close(law.mass(q) / peak, number(row, "C"), 0.0, &label);
        assert_close(law.bias(q), number(row, "bias"), 1e-16, &label);
        assert_close(law.mse(q), number(row, "mse"), 0.0, &label);
        assert_close(law.variance(q), number(row, "var"), 0.0, &label);
    }
}

#[test]
fn discrete_scales() {
    for row in rows(&table("s5_discrete.json"), "bounded_calibration") {
        let epsilon = Epsilon::new(row["eps"].to_string().parse().expect("number")).expect("positive");
        let l1 = number(row, "Delta") as u128;
        let width = number(row, "N");
        let width = width.is_finite().then_some(width as u128);
        let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "reference", squares: None };
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
