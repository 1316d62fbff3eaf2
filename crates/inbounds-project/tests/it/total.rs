//! The exact error under one known total, against the reference table and independent integrals.

use inbounds_project::total::TotalError;

use crate::draws::table;

fn law(row: &serde_json::Value, scale: f64) -> TotalError {
    TotalError::new(row["n"].as_u64().expect("n") as u32, scale).expect("admissible")
}

#[track_caller]
fn assert_close(computed: f64, expected: &serde_json::Value, label: &serde_json::Value) {
    let expected = expected.as_f64().expect("number");
    assert!(
        (computed - expected).abs() <= 1e-12 * expected.abs(),
        "computed {computed:e}, expected {expected:e} in {label}"
    );
}

#[test]
fn density_and_survival() {
    let table = table("s6_projection.json");
    let rows = table["err_law"].as_array().expect("rows");
    assert!(rows.len() >= 36);
    for row in rows {
        for scale in [1.0, 7.5] {
            let v = row["v_over_lambda"].as_f64().expect("number") * scale;
            let law = law(row, scale);
            assert_close(law.pdf(v) * scale, &row["pdf_times_lambda"], row);
            assert_close(law.sf(v), &row["sf"], row);
            assert_eq!(law.pdf(-v), law.pdf(v));
            assert!((law.sf(-v) + law.sf(v) - 1.0).abs() <= f64::EPSILON);
        }
    }
}

#[test]
fn distance_crossing_and_mean() {
    let table = table("s6_projection.json");
    let rows = table["wasserstein1"].as_array().expect("rows");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let law = law(row, 10.0);
        assert_close(law.wasserstein_to_noise() / 10.0, &row["W1_over_lambda"], row);
        assert_close(law.mean_absolute() / 10.0, &row["E_abs_err_over_lambda"], row);
        assert_close(law.pdf(0.0) * 10.0, &row["pdf0"], row);
        match law.crossing() {
            Some(v) => assert_close(v / 10.0, &row["crossing"], row),
            None => assert_eq!(law.cells(), 2),
        }
    }
}

#[test]
fn variance_and_bias_bound() {
    let table = table("s6_projection.json");
    for row in table["theorem12"].as_array().expect("rows") {
        assert_close(law(row, row["lam"].as_f64().expect("number")).variance(), &row["var"], row);
    }
    let row = &table["theorem11_union_bound"];
    let law = law(row, row["lam"].as_f64().expect("number"));
    let smallest = row["r_m"].as_f64().expect("number");
    assert_close(33.0 * law.sf(smallest), &row["union_prob"], row);
    let mut cells = vec![smallest; 33];
    let bound = law.nonnegative_bias_bound(&cells).expect("admissible");
    assert_close(bound / (2.0 * 32.0 * smallest), &row["union_prob"], row);
    cells[0] = -1.0;
    assert_eq!(
        law.nonnegative_bias_bound(&cells).expect_err("malformed").to_string(),
        "value of cell 0 must be nonnegative, got -1"
    );
}

/// The survival function is the integral of the density, and the integrated one of that.
#[test]
fn the_three_functions_are_integrals_of_each_other() {
    for n in [2, 3, 7, 60, 254, 5000] {
        let law = TotalError::new(n, 2.0).expect("admissible");
        let (steps, from, to) = (400, 0.3, 1.5);
        let step = (to - from) / f64::from(steps);
        let simpson = |f: &dyn Fn(f64) -> f64| -> f64 {
            let weight = |i: i32| if i == 0 || i == steps { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
            (0..=steps).map(|i| weight(i) * f(from + f64::from(i) * step)).sum::<f64>() * step / 3.0
        };
        let survival = simpson(&|v| law.pdf(v)) - (law.sf(from) - law.sf(to));
        let integral = simpson(&|v| law.sf(v)) - (law.integrated_sf(from) - law.integrated_sf(to));
        assert!(survival.abs() < 1e-11 && integral.abs() < 1e-11, "n {n}: {survival:e} {integral:e}");
    }
}

/// For many cells the mean of the other noises is normal up to O(1/n): an integral over a normal law, not our formula.
#[test]
fn many_cells_against_a_normal_mean() {
    for n in [4000_u32, 100_000] {
        let law = TotalError::new(n, 1.0).expect("admissible");
        let k = f64::from(n - 1);
        let (share, deviation) = (k / f64::from(n), (2.0 * k).sqrt() / f64::from(n));
        let noise_sf = |v: f64| if v >= 0.0 { 0.5 * (-v / share).exp() } else { 1.0 - 0.5 * (v / share).exp() };
        for v in [0.0, 0.5 * deviation, 0.1, 1.0, 3.0] {
            let step = 1e-3;
            let expected: f64 = (-9000..=9000)
                .map(|i| {
                    let z = f64::from(i) * step;
                    noise_sf(v - deviation * z) * (-z * z / 2.0).exp() * step / (2.0 * std::f64::consts::PI).sqrt()
                })
                .sum();
            assert!((law.sf(v) - expected).abs() < 1e-7, "n {n}, v {v}: {} {expected}", law.sf(v));
        }
    }
}

#[test]
fn the_distance_follows_its_expansion() {
    for n in [1_000_u32, 30_000, 1_000_000] {
        let size = f64::from(n);
        let distance = TotalError::new(n, 1.0).expect("admissible").wasserstein_to_noise();
        let leading = 2.0 / std::f64::consts::E - 4.0 / (3.0 * (std::f64::consts::PI * size).sqrt());
        let remainder = size * (size * distance - leading);
        assert!((0.4..0.6).contains(&remainder), "n {n}: {remainder}");
    }
}

#[test]
fn parameters_are_checked() {
    let say = |cells, scale| TotalError::new(cells, scale).expect_err("malformed").to_string();
    assert_eq!(say(1, 1.0), "number of the cells of the total must be at least 2, got 1");
    assert_eq!(say(3, -1.0), "noise scale of the cells of the total must be finite and positive, got -1");
    let extreme = TotalError::new(u32::MAX, 1.0).expect("admissible");
    assert_eq!((extreme.cells(), TotalError::new(3, 1.0).expect("admissible").sf(f64::INFINITY)), (u32::MAX, 0.0));
}
