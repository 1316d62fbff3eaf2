//! Inequalities and bounds, against the best of all active sets.

use inbounds_project::{
    certificate::{Requirement, Status},
    constraint::{Bounds, Rows, System},
    linear, simplex,
};

use super::{Dense, dense_projection, random_rows, sparse, table_margins, times};
use crate::draws::{Draws, objective};

struct Case {
    equalities: (Dense, Vec<f64>),
    inequalities: (Dense, Vec<f64>),
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Case {
    /// Around a point that satisfies everything, with luck tightly; or spoilt.
    fn random(draws: &mut Draws, n: usize) -> Self {
        let inside = draws.values(n);
        let lower: Vec<f64> =
            inside.iter().map(|x| [f64::NEG_INFINITY, *x, x - 1.0, x.min(0.0)][draws.between(0, 4)]).collect();
        let upper = inside.iter().map(|x| [f64::INFINITY, *x, x + 2.0, f64::INFINITY][draws.between(0, 4)]).collect();
        let counts = (draws.between(0, 3), draws.between(0, 3));
        let (a, c) = (random_rows(draws, counts.0, n), random_rows(draws, counts.1, n));
        let (mut b, mut d) = (times(&a, &inside), times(&c, &inside));
        d.iter_mut().for_each(|d| *d += draws.between(0, 3) as f64);
        if draws.between(0, 6) == 0 {
            b.iter_mut().for_each(|b| *b += 3.0);
            d.iter_mut().for_each(|d| *d -= 5.0);
        }
        Self { equalities: (a, b), inequalities: (c, d), lower, upper }
    }

    fn system(&self, n: usize) -> System {
        System {
            equalities: sparse(&self.equalities.0, n, self.equalities.1.clone()),
            inequalities: sparse(&self.inequalities.0, n, self.inequalities.1.clone()),
            bounds: Bounds::Each { lower: self.lower.clone(), upper: self.upper.clone() },
        }
    }

    /// Nothing but the requirements named.
    fn only(&self, named: &[Requirement]) -> Self {
        let chosen = |(rows, right): &(Dense, Vec<f64>), name: fn(usize) -> Requirement| {
            let kept = (0..rows.len()).filter(|&i| named.contains(&name(i)));
            kept.map(|i| (rows[i].clone(), right[i])).unzip()
        };
        let bound = |bounds: &[f64], name: fn(usize) -> Requirement, none: f64| {
            bounds.iter().enumerate().map(|(i, &x)| if named.contains(&name(i)) { x } else { none }).collect()
        };
        Self {
            equalities: chosen(&self.equalities, Requirement::Equality),
            inequalities: chosen(&self.inequalities, Requirement::Inequality),
            lower: bound(&self.lower, Requirement::Lower, f64::NEG_INFINITY),
            upper: bound(&self.upper, Requirement::Upper, f64::INFINITY),
        }
    }

    fn brute_force(&self, values: &[f64], weights: &[f64]) -> f64 {
        let (n, k) = (values.len(), self.inequalities.0.len());
        let mut best = f64::INFINITY;
        for code in 0..3_usize.pow(n as u32) << k {
            let (sides, binding) = (code >> k, code % (1 << k));
            let side = |i: usize| sides / 3_usize.pow(i as u32) % 3;
            let bound = |i: usize| [values[i], self.lower[i], self.upper[i]][side(i)];
            let start: Vec<f64> = (0..n).map(bound).collect();
            if start.iter().any(|x| x.is_infinite()) {
                continue;
            }
            let variances: Vec<f64> = (0..n).map(|i| if side(i) == 0 { weights[i].recip() } else { 0.0 }).collect();
            let (mut rows, mut right) = self.equalities.clone();
            for i in (0..k).filter(|i| binding >> i & 1 == 1) {
                rows.push(self.inequalities.0[i].clone());
                right.push(self.inequalities.1[i]);
            }
            let Some(x) = dense_projection(&start, &variances, &rows, &right) else { continue };
            if self.admits(&x, 1e-9) {
                best = best.min(objective(values, weights, &x));
            }
        }
        best
    }

    fn admits(&self, x: &[f64], slack: f64) -> bool {
        let equal = times(&self.equalities.0, x).iter().zip(&self.equalities.1).all(|(ax, b)| (ax - b).abs() <= slack);
        let below = times(&self.inequalities.0, x).iter().zip(&self.inequalities.1).all(|(cx, d)| *cx <= d + slack);
        equal && below && (0..x.len()).all(|i| x[i] >= self.lower[i] - slack && x[i] <= self.upper[i] + slack)
    }
}

#[test]
fn the_best_of_all_active_sets() {
    let (mut draws, mut solved, mut infeasible) = (Draws::seeded(10), 0, 0);
    for number in 0..6000 {
        let n = draws.between(1, 6);
        let (values, weights, case) = (draws.values(n), draws.weights(n), Case::random(&mut draws, n));
        let best = case.brute_force(&values, &weights);
        let solution = linear::project(&values, &weights, &case.system(n)).expect("well-formed");
        if best == f64::INFINITY {
            let Status::Infeasible { conflict } = &solution.status else { panic!("case {number}: {solution:?}") };
            let alone = case.only(conflict).brute_force(&values, &weights);
            assert_eq!(alone, f64::INFINITY, "case {number}: {conflict:?} can hold together");
            infeasible += 1;
            continue;
        }
        solved += 1;
        assert_eq!(solution.status, Status::Optimal, "case {number}: {solution:?}");
        assert!(
            solution.certificate.expect("solved").worst() <= 1e-12,
            "case {number}: {:?}",
            solution.certificate.expect("solved")
        );
        let x = &solution.estimates;
        let computed = objective(&values, &weights, x);
        assert!(computed <= best * (1.0 + 1e-9) + 1e-12, "case {number}: {computed} is worse than {best}");
        assert!((0..n).all(|i| x[i] >= case.lower[i] && x[i] <= case.upper[i]), "case {number}: {solution:?}");
        assert!(case.admits(x, 1e-12), "case {number}: {x:?}");
    }
    assert!(solved > 4500 && infeasible > 150, "{solved} {infeasible}");
}

/// A simplex is a linear system too: the sort-based solver and this one have nothing in common but the answer.
#[test]
fn large_simplices_agree_with_sorting() {
    let mut draws = Draws::seeded(11);
    for n in [50, 2000] {
        let (values, weights) = (draws.values(n), draws.weights(n));
        let triplets: Vec<(usize, usize, f64)> = (0..n).map(|cell| (0, cell, 1.0)).collect();
        let total = 1.5 * n as f64;
        let system = System {
            equalities: Rows::from_triplets(n, &triplets, vec![total]).expect("well-formed"),
            inequalities: Rows::none(n),
            bounds: Bounds::nonnegative(),
        };
        let solution = linear::project(&values, &weights, &system).expect("well-formed");
        let sorted = simplex::project(&values, &weights, total, &Bounds::nonnegative()).expect("well-formed");
        assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate.expect("solved"));
        for (a, b) in solution.estimates.iter().zip(&sorted.estimates) {
            assert!((a - b).abs() <= 1e-10 * b.abs() && (*a == 0.0) == (*b == 0.0), "{a} {b}");
        }
    }
}

/// A nonnegative table of 60 by 40 with noisy cells and known margins, many of its cells zero.
#[test]
fn tables_with_many_zeros() {
    let (height, width) = (60, 40);
    let mut draws = Draws::seeded(12);
    let truth: Vec<f64> = (0..height * width).map(|_| (30.0 * draws.unit().powi(6)).floor()).collect();
    let rows = table_margins(&truth, width);
    let noisy: Vec<f64> = truth.iter().map(|x| x + 8.0 * draws.unit() - 4.0).collect();
    let bounds = Bounds::nonnegative();
    let system = System { equalities: rows, inequalities: Rows::none(truth.len()), bounds };
    let solution = linear::project(&noisy, &vec![1.0; truth.len()], &system).expect("well-formed");
    assert_eq!(solution.status, Status::Optimal);
    assert!(solution.certificate.expect("solved").worst() <= 1e-12, "{:?}", solution.certificate.expect("solved"));
    assert!(solution.estimates.iter().filter(|&&x| x == 0.0).count() > truth.len() / 4);
}

/// Newton's method on the multipliers and the interior point method have nothing in common but the answer. Whole
/// numbers make cells that are at a bound without being pushed, which is where corrections of a proposal go astray.
#[test]
fn routes_agree_on_random_tables() {
    let mut draws = Draws::seeded(13);
    for number in 0..400 {
        let (height, width) = (draws.between(1, 6), draws.between(1, 6));
        let n = height * width;
        let truth: Vec<f64> = (0..n).map(|_| (9.0 * draws.unit().powi(3)).floor()).collect();
        let noise = |draws: &mut Draws| 6.0 * draws.unit() - 3.0;
        let is_whole = number % 2 == 0;
        let noisy = |x: &f64, draws: &mut Draws| if is_whole { x + noise(draws).round() } else { x + noise(draws) };
        let values: Vec<f64> = truth.iter().map(|x| noisy(x, &mut draws)).collect();
        let weights = if is_whole { vec![1.0; n] } else { draws.weights(n) };
        let upper = truth.iter().map(|x| if draws.between(0, 4) == 0 { *x } else { f64::INFINITY }).collect();
        let system = System {
            equalities: table_margins(&truth, width),
            inequalities: Rows::none(n),
            bounds: Bounds::Each { lower: vec![0.0; n], upper },
        };
        let [newton, interior] = [linear::LinearRoute::DualNewton, linear::LinearRoute::InteriorPoint]
            .map(|route| linear::project_by(&values, &weights, &system, route).expect("well-formed"));
        for (route, solution) in [("Newton", &newton), ("interior point", &interior)] {
            assert_eq!(solution.status, Status::Optimal, "table {number}, {route}: {:?}", solution.certificate);
        }
        for (a, b) in newton.estimates.iter().zip(&interior.estimates) {
            assert!((a - b).abs() <= 1e-9, "table {number}: {a} {b}");
        }
    }
}

/// Rows that overlap and repeat, measurements far outside bounds that leave hardly room, and weights of any size: whole
/// Newton steps pass the maximum here, and a step of the multipliers moves cells to their bounds and away even where
/// all rows hold.
#[test]
fn routes_agree_on_tight_systems() {
    let mut draws = Draws::seeded(15);
    for number in 0..300 {
        let n = draws.between(20, 120);
        let upper: Vec<f64> =
            (0..n).map(|_| if draws.chance(0.5) { 5.0 * draws.unit() } else { f64::INFINITY }).collect();
        let amount = |draws: &mut Draws| if draws.chance(0.6) { 0.0 } else { 10.0 * draws.laplace().abs() };
        let truth: Vec<f64> = upper.iter().map(|&upper| amount(&mut draws).min(upper)).collect();
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for _ in 0..draws.between(2, n / 3) {
            let again = if draws.chance(0.1) { rows.last().cloned() } else { None };
            rows.push(again.unwrap_or_else(|| (0..n).filter(|_| draws.chance(5.0 / n as f64)).collect()));
        }
        let cells = |row: usize| rows[row].iter().copied();
        let triplets: Vec<_> = (0..rows.len()).flat_map(|row| cells(row).map(move |cell| (row, cell, 1.0))).collect();
        let right = (0..rows.len()).map(|row| cells(row).map(|cell| truth[cell]).sum()).collect();
        let values: Vec<f64> = truth.iter().map(|x| x + 30.0 * (draws.unit() - 0.7)).collect();
        let weights: Vec<f64> = (0..n).map(|_| 1e4_f64.powf(-draws.unit())).collect();
        let system = System {
            equalities: Rows::from_triplets(n, &triplets, right).expect("well-formed"),
            inequalities: Rows::none(n),
            bounds: Bounds::Each { lower: vec![0.0; n], upper },
        };
        let [newton, interior] = [linear::LinearRoute::DualNewton, linear::LinearRoute::InteriorPoint]
            .map(|route| linear::project_by(&values, &weights, &system, route).expect("well-formed"));
        for (route, solution) in [("Newton", &newton), ("interior point", &interior)] {
            assert_eq!(solution.status, Status::Optimal, "system {number}, {route}: {:?}", solution.certificate);
        }
        for (a, b) in newton.estimates.iter().zip(&interior.estimates) {
            assert!((a - b).abs() <= 1e-9, "system {number}: {a} {b}");
        }
    }
}

/// Sums that are measured too, with noise: a kind of table on which corrections of the interior point method's proposal
/// went in circles, and then one constraint at a time was taken, for seconds. The work is bounded by running under the
/// default tests.
#[test]
fn measured_margins_of_a_sparse_table() {
    let (height, width) = (100, 24);
    let mut draws = Draws::seeded(14);
    for number in 0..20 {
        let cells = height * width;
        let (rows, columns) = (1 + cells, 1 + cells + height);
        let truth: Vec<f64> = (0..cells).map(|_| (30.0 * draws.unit().powi(9)).floor()).collect();
        let mut all = vec![truth.iter().sum::<f64>()];
        all.extend(&truth);
        all.extend((0..height).map(|i| truth[i * width..][..width].iter().sum::<f64>()));
        all.extend((0..width).map(|j| (0..height).map(|i| truth[i * width + j]).sum::<f64>()));
        let mut triplets = vec![(0, 0, -1.0)];
        triplets.extend((0..height).flat_map(|i| [(0, rows + i, 1.0), (1 + i, rows + i, -1.0)]));
        triplets.extend((0..width).map(|j| (1 + height + j, columns + j, -1.0)));
        triplets.extend((0..cells).flat_map(|k| [(1 + k / width, 1 + k, 1.0), (1 + height + k % width, 1 + k, 1.0)]));
        let laplace = |draws: &mut Draws| {
            let u = draws.unit() - 0.5;
            -4.0 * u.signum() * (1.0 - 2.0 * u.abs()).ln()
        };
        let values: Vec<f64> = all.iter().map(|x| x + laplace(&mut draws)).collect();
        let right = vec![0.0; 1 + height + width];
        let system = System {
            equalities: Rows::from_triplets(values.len(), &triplets, right).expect("well-formed"),
            inequalities: Rows::none(values.len()),
            bounds: Bounds::nonnegative(),
        };
        let solution = linear::project(&values, &vec![1.0; values.len()], &system).expect("well-formed");
        assert_eq!(solution.status, Status::Optimal, "table {number}: {:?}", solution.certificate);
        assert!(solution.certificate.expect("solved").worst() <= 1e-12, "table {number}");
    }
}
