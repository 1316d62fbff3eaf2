//! Errors found by the search, compared with dense scans of the region, with finer noise and with drawn noise.

use inbounds_core::{Delta, Epsilon, Neighbours};
use inbounds_mechanisms::registry;

use super::*;
use crate::{
    Column, ColumnBounds, Design, Missing, PrivacyUnit, Scenario, Setting, Simulation, StandardDeviation, Variance,
    errors_at,
    second_moments::{Clouds, Fineness, Moments, OnGrid},
};

/// Laplace, Gaussian and cube noise.
const NOISES: [&str; 3] = ["clamped", "clamped-gaussian", "shared"];

fn column() -> Column {
    let bounds = ColumnBounds {
        lower: "-3".parse().expect("a number"),
        upper: "5".parse().expect("a number"),
        integer: false,
        missing: Missing::Impute(0u128.into()),
    };
    Column { name: "x".into(), bounds }
}

fn setting(noise: &str, epsilon: &str) -> Setting {
    let mechanism = if noise == "shared" { "clamped" } else { noise };
    let setting = Setting {
        design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
        cells: 1,
        grouped: false,
        filtered: false,
        mechanism: registry::find(mechanism).expect("registered").into(),
        epsilon: Epsilon::new(epsilon.parse().expect("a number")).expect("positive"),
        delta: if noise == "clamped-gaussian" {
            Delta::new("1e-6".parse().expect("a number")).expect("small")
        } else {
            Delta::ZERO
        },
        rho_rate: None,
        together: None,
    };
    if noise == "shared" { setting.with_numbers(3) } else { setting }
}

fn moments(noise: &str, epsilon: &str) -> Moments {
    let on_grid = OnGrid::new("variance", &column(), None).expect("a width");
    Moments::prepare("variance", &setting(noise, epsilon), vec![on_grid]).expect("valid")
}

fn worst_of(moments: &Moments, rows: f64, error: Errors) -> Worst {
    let clouds = Clouds::new(|fineness| moments.cloud(fineness));
    let (_, noise) = moments.noise(0, rows, 4.0, 0.0);
    of_spread(&clouds, (rows, noise / 64.0), error)
}

/// Rows all over the region, close to its edges and inside, with means on both sides of the middle.
fn region(rows: f64, parts: i32) -> Vec<Rows> {
    let ends = (0..=parts).map(|power| libm::exp2(-30.0 * f64::from(power) / f64::from(parts)));
    let inside = (1..parts / 2).map(|part| 2.0 * f64::from(part) / f64::from(parts));
    let shares: Vec<f64> = ends.chain(inside).chain([0.0]).collect();
    let at = |(distance, part): (f64, f64), side: f64| {
        let distance = 0.5 * distance;
        Rows { rows, deviation: side * (0.5 - distance), variance: part * distance * (1.0 - distance) }
    };
    let pairs = shares.iter().flat_map(|distance| shares.iter().map(move |part| (*distance, *part)));
    pairs.enumerate().map(|(place, pair)| at(pair, if place % 5 == 0 { 1.0 } else { -1.0 })).collect()
}

/// Places around one, a quarter of a power of two or so away.
fn beside(group: &Rows) -> Vec<Rows> {
    let factors = [0.5, 0.71, 0.84, 1.0, 1.19, 1.41, 2.0];
    let distance = group.deviation + 0.5;
    let part = group.variance / (distance * (1.0 - distance)).max(f64::MIN_POSITIVE);
    let at = |(d, p): (f64, f64)| {
        let (distance, part) = ((d * distance).min(0.5), (p * part).min(1.0));
        Rows { deviation: distance - 0.5, variance: part * distance * (1.0 - distance), ..*group }
    };
    factors.iter().flat_map(|d| factors.map(|p| at((*d, p)))).collect()
}

/// Over some 700 places of the region, with four times as many points of noise, no variance and no root errs more than
/// what is found, and where that was found it is at most 2 % less. Of drawn cube noise both are known to 2 % more.
#[test]
fn no_place_of_the_region_errs_more() {
    let finer = Fineness::new(4093, 842);
    for noise in NOISES {
        let drawn = if noise == "shared" { 0.02 } else { 0.0 };
        for epsilon in ["0.05", "1", "20"] {
            let moments = moments(noise, epsilon);
            let cloud = moments.cloud(finer);
            for rows in [1.0, 4.0, 30.0, 20_190.0] {
                for error in [Cloud::of_variance as Errors, Cloud::of_root] {
                    let worst = worst_of(&moments, rows, error);
                    let places = region(rows, 16).into_iter().chain(beside(&worst.rows));
                    let scanned = places.map(|rows| error(&cloud, &rows).1).fold(0.0, f64::max);
                    let ratio = scanned / worst.rmse;
                    assert!(0.98 - drawn < ratio && ratio <= 1.0 + drawn, "{noise} {epsilon} {worst:?}: {scanned}");
                }
            }
        }
    }
}

/// The RMSE of the program's own estimates from drawn noise, with another seed, is nowhere more than what is found, to
/// within four standard errors of the mean of 5,000 squares, 6 % with Laplace noise; at the places that were all that
/// was tried once it is less than half of that for many rows.
#[test]
fn estimates_from_drawn_noise_err_no_more() {
    const DRAWS: usize = 5_000;
    let scenario = |rows: u64| Scenario { group_sizes: vec![rows], ..Scenario::default() };
    let simulation = Simulation { replicates: DRAWS, seed: 7, ..Simulation::default() };
    for noise in NOISES {
        for (epsilon, rows) in [("0.5", 20), ("0.1", 400), ("2", 100), ("1", 20_190)] {
            let setting = setting(noise, epsilon);
            let variance = Variance { column: column() }.prepare(&setting).expect("valid");
            let root = StandardDeviation { column: column() }.prepare(&setting).expect("valid");
            for (prepared, is_root) in [(variance, false), (root, true)] {
                let worst = &prepared.worst_cases(&scenario(rows))[0];
                assert_eq!(worst.case, format!("worst within the bounds, group of {rows} rows"));
                let places = region(rows as f64, 6);
                let shown = |variance: f64| if is_root { 8.0 * variance.sqrt() } else { 64.0 * variance };
                let truth = |at: &Rows| vec![shown(at.variance), 1.0 + 8.0 * at.deviation, at.rows];
                let drawn = errors_at(&*prepared, places.iter().map(truth).collect(), &simulation);
                let most = drawn.iter().map(|errors| errors[0].1).fold(0.0, f64::max);
                assert!(most <= 1.06 * worst.rmse, "{noise} {epsilon} {rows} {is_root}: {most} {worst:?}");
                let tried = prepared.expected_errors(&scenario(rows));
                let once = tried.iter().map(|error| error.rmse).fold(0.0, f64::max);
                if rows == 20_190 && !is_root {
                    assert!(once < 0.45 * most, "{noise}: {once} {most}");
                }
                assert_eq!(prepared.worst_error(&scenario(rows)).rmse, worst.rmse.max(once));
            }
        }
    }
}

/// For many rows it is the first order's: `sqrt(2) R^2 / (epsilon n)` for a variance with Laplace noise.
#[test]
fn for_many_rows_it_is_the_first_order() {
    for (epsilon, rows) in [("0.3655", 20_190.0), ("1", 1e6), ("1", 1e12)] {
        let worst = worst_of(&moments("clamped", epsilon), rows, Cloud::of_variance);
        let first = 2f64.sqrt() / (epsilon.parse::<f64>().expect("a number") * rows);
        let ratio = worst.rmse / first;
        assert!((1.0..1.02).contains(&ratio), "{worst:?} {first}");
    }
}

/// Where the mean is known, the variance or both, no place of the line that is left errs more than what is found, with
/// four times as many points of noise, and where that was found it is at most 2 % less; nor is it more than what is
/// found where nothing is known.
#[test]
fn no_place_with_known_moments_errs_more() {
    let finer = Fineness::new(4093, 842);
    for noise in ["clamped", "clamped-gaussian"] {
        for epsilon in ["0.05", "1"] {
            let moments = moments(noise, epsilon);
            let (cloud, clouds) = (moments.cloud(finer), Clouds::new(|fineness| moments.cloud(fineness)));
            for rows in [4.0, 240.0] {
                let (_, of_noise) = moments.noise(0, rows, 4.0, 0.0);
                for error in [Cloud::of_variance as Errors, Cloud::of_root] {
                    let of_all = worst_of(&moments, rows, error).rmse;
                    for known in region(rows, 2) {
                        for (deviation, variance) in [(true, true), (true, false), (false, true)] {
                            let given = Known {
                                deviation: deviation.then_some(known.deviation),
                                variance: variance.then_some(known.variance),
                            };
                            let worst = of_known_spread(&clouds, (rows, of_noise / 64.0), given, error);
                            let parts = (0..=20).map(|power| 0.5f64.powi(power));
                            let parts = parts.flat_map(|part| [part, 1.0 - part]);
                            let most = 0.25 - known.deviation * known.deviation;
                            let widest = (0.25 - known.variance).sqrt();
                            let line: Vec<Rows> = match (deviation, variance) {
                                (true, false) => parts.map(|part| Rows { variance: part * most, ..known }).collect(),
                                (false, _) => {
                                    let across =
                                        parts.map(|part| Rows { deviation: widest * (2.0 * part - 1.0), ..known });
                                    across.collect()
                                }
                                (true, true) => vec![known],
                            };
                            let scanned = line.iter().map(|rows| error(&cloud, rows).1).fold(0.0, f64::max);
                            let case = format!("{noise} {epsilon} {known:?} {given:?} {worst:?}: {scanned} {of_all}");
                            assert!(scanned <= worst.rmse && worst.rmse <= 1.02 * of_all, "{case}");
                            assert!(scanned >= 0.97 * worst.rmse, "{case}");
                        }
                    }
                }
            }
        }
    }
}
