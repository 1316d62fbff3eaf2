//! The laws against `refs/tables/laws.json`, made from their definitions by `refs/generators/laws.py`.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    law::{Gaussian, GeneralisedGaussian, LogLaplace, Moment, Noise, Staircase},
    noise::{DiscreteGaussian, DiscreteStaircase},
};
use serde_json::Value;

use crate::tables::{assert_close, number, rows, table};

fn law(row: &Value) -> Box<dyn Noise> {
    let parameters: Vec<f64> =
        row["parameters"].as_array().expect("parameters").iter().filter_map(Value::as_f64).collect();
    let exact = |value: f64| Rational::from_f64(value).expect("finite");
    match (row["law"].as_str().expect("law"), parameters.as_slice()) {
        ("Gaussian", [std_dev]) => Box::new(Gaussian::with_std_dev(*std_dev).expect("admissible")),
        ("GeneralisedGaussian", [shape, scale]) => {
            Box::new(GeneralisedGaussian::with_shape_and_scale(*shape, *scale).expect("admissible"))
        }
        ("Staircase", [sensitivity, epsilon, gamma]) => {
            Box::new(Staircase::new(*sensitivity, *epsilon, *gamma).expect("admissible"))
        }
        ("DiscreteStaircase", [epsilon, sensitivity, high]) => {
            Box::new(DiscreteStaircase::new(exact(*epsilon), *sensitivity as u64, *high as u64).expect("admissible"))
        }
        ("DiscreteGaussian", [variance]) => {
            Box::new(DiscreteGaussian::with_variance_parameter(exact(*variance)).expect("admissible"))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn figures_of_every_law() {
    let table = table("laws.json");
    for row in rows(&table, "figures") {
        let (law, s, t) = (law(row), number(row, "s"), number(row, "t"));
        let mut figures = vec![
            ("sf", law.sf(t)),
            ("half_mass", law.half_mass(t)),
            ("first_moment_between", law.first_moment_between(s, t)),
            ("half_second_moment", law.half_second_moment(t)),
            ("excess_between", law.excess_between(s, t)),
            ("capped_second_moment", law.capped_second_moment(t)),
            ("variance", law.variance()),
        ];
        if t.is_finite() {
            figures.push(("ln_density", law.ln_density(t)));
        }
        for (key, computed) in figures {
            // A log density may pass through zero; below the normal doubles there are no relative digits.
            let size = if key == "ln_density" { 1.0 } else { 1e-290 };
            assert_close(computed, number(row, key), size, &format!("{key} of {row}"));
        }
    }
}

#[test]
fn quantiles_of_the_continuous_laws() {
    let table = table("laws.json");
    for row in rows(&table, "quantiles") {
        let (law, p, expected) = (law(row), number(row, "p"), number(row, "x"));
        // Next to the median a quantile inherits the rounding of p, here half a unit in the last place.
        assert_close(law.quantile(p), expected, 0.0, &row.to_string());
        if p > 1e-10 {
            // The upper one inherits that of 1 - p, times the inverse of the density, at most |x| / p or a few scales.
            let size = f64::EPSILON * (expected.abs() / p + 3.0) / 1e-12;
            assert_close(law.quantile(1.0 - p), -expected, size, &row.to_string());
        }
    }
}

#[test]
fn log_laplace_moments() {
    let table = table("s1_mechanisms.json");
    for row in rows(&table, "log_laplace") {
        let law = LogLaplace::new(number(row, "Q"), number(row, "b")).expect("positive");
        for (key, moment) in [("mean", law.mean()), ("bias", law.bias()), ("var", law.variance()), ("mse", law.mse())] {
            match moment {
                Moment::Finite(computed) => assert_close(computed, number(row, key), 0.0, &format!("{key} of {row}")),
                Moment::Infinite => assert_eq!(row[key], "inf", "{key} of {row}"),
            }
        }
        for (key, factor) in [("unbias_factor", law.unbiased_factor()), ("min_mse_factor", law.least_mse_factor())] {
            match factor {
                Some(computed) => assert_close(computed, number(row, key), 0.0, &format!("{key} of {row}")),
                None => assert_eq!(row[key], "nan", "{key} of {row}"),
            }
        }
    }
    for row in rows(&table, "quantiles") {
        let (p, law) = (number(row, "p"), LogLaplace::new(0.4, 0.3).expect("positive"));
        let expected = number(row, "log_laplace_Q04_b03");
        let size = expected * 0.3 * f64::EPSILON / (1.0 - p) / 1e-12;
        assert_close(law.quantile(p), expected, size, &row.to_string());
    }
}
