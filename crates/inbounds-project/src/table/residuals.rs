//! Choice of the measurements of a table, and of their accuracy, so that its margins err least: residuals, each with
//! its own part of the privacy loss.
//!
//! **Idea.** A margin that is measured by itself tells of each of its parts what the margin of that part tells once
//! more. Residuals share nothing: the residual of the attributes `A` is what margins of other attributes cannot tell.
//! Gaussian noise on all of them loses `rho = sum_A p_A / (2 s_A)`, with `p_A` the squared distance by which a unit
//! moves the residual `A` and `s_A` its variance, and the errors of the margins are `sum_A v_A s_A`. By the inequality
//! of Cauchy and Schwarz, of all variances with one loss those proportional to `sqrt(p_A / v_A)` have the least error.

use super::variances::MarginVariances;

/// Variances of residuals that leave margins the least error for a given loss of privacy.
///
/// # Contract
/// With `v_A` the derivative of the weighted sum of the variances of margins, see [`MarginVariances::of_residuals`], by
/// that of the residual `A`, the part of the loss is `sqrt(p_A v_A) / sum_B sqrt(p_B v_B)`, and the variance at
/// `rho = 1/2` is `sqrt(p_A / v_A) sum_B sqrt(p_B v_B)`: the weighted sum is `(sum_B sqrt(p_B v_B))^2`. Where a unit is
/// one row, no Gaussian noise on linear functions of the table from which all margins can be estimated without bias has
/// a smaller one at the same `rho`.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, MarginVariances, ResidualPlan};
/// // Two cells, of which one row moves the total by 1 and the residual by 1/2 and -1/2.
/// let table = MarginVariances::new(&[2], [Axes::new([0])]);
/// let plan = ResidualPlan::new(&table, &[0.0, 1.0], &[1.0, 0.5]);
/// assert_eq!(plan.parts(), [0.5, 0.5]);
/// // Each cell has the variance 1 at rho = 1/2, as if it had been measured: for disjoint cells nothing is better.
/// assert_eq!(table.of_residuals(plan.variances()), [2.0, 1.0]);
/// ```
///
/// # References
/// Xiao, He, Zhang and Kifer 2023, ResidualPlanner, theorem 4.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualPlan {
    parts: Vec<f64>,
    variances: Vec<f64>,
}

impl ResidualPlan {
    /// The best for margins whose variances weigh so much, zero for what does not count, where a unit moves residuals
    /// by such squared distances, zero for one that no unit moves. All in the order of [`MarginVariances::margins`].
    ///
    /// # Panics
    /// Unless there is one weight and one squared distance for each margin, finite and not negative, and a residual of
    /// a margin that weighs is moved.
    pub fn new(table: &MarginVariances, weights: &[f64], moved_squared: &[f64]) -> Self {
        let margins = table.margins().len();
        assert!(weights.len() == margins && moved_squared.len() == margins, "one weight and one distance a margin");
        let is_sound = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
        assert!(is_sound(weights) && is_sound(moved_squared), "finite and not negative");
        let weights = table.weights_of_residuals(weights);
        let roots: Vec<f64> = weights.iter().zip(moved_squared).map(|(v, p)| (v * p).sqrt()).collect();
        let all: f64 = roots.iter().sum();
        assert!(all > 0.0, "a residual is moved");
        let variance = |(root, v): (&f64, &f64)| if *root > 0.0 { root / v * all } else { f64::INFINITY };
        Self {
            parts: roots.iter().map(|root| root / all).collect(),
            variances: roots.iter().zip(&weights).map(variance).collect(),
        }
    }

    /// Part of the loss of each residual; zero for one that is not measured.
    pub fn parts(&self) -> &[f64] {
        &self.parts
    }

    /// The variance of each residual at `rho = 1/2`, infinite for one that is not measured; in proportion to `1 / rho`.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axes, MeasuredMargin, TableSystem, linear};
    use super::*;

    const SIZES: [usize; 3] = [3, 2, 4];

    fn table() -> MarginVariances {
        MarginVariances::new(&SIZES, [Axes::new([0, 1]), Axes::new([1, 2])])
    }

    /// By how much one row moves each residual, squared.
    fn moved_squared(table: &MarginVariances) -> Vec<f64> {
        let off = |axis: usize| 1.0 - (SIZES[axis] as f64).recip();
        table.margins().iter().map(|axes| axes.iter().map(off).product()).collect()
    }

    #[test]
    fn no_other_variances_with_that_loss_err_less() {
        let table = table();
        let (weights, moved) = ([0.0, 1.0, 0.0, 2.0, 6.0, 8.0], moved_squared(&table));
        assert_eq!(table.margins().len(), weights.len());
        let plan = ResidualPlan::new(&table, &weights, &moved);
        let error = |variances: &[f64]| -> f64 {
            table.of_residuals(variances).iter().zip(&weights).map(|(variance, weight)| variance * weight).sum()
        };
        let loss = |variances: &[f64]| -> f64 { variances.iter().zip(&moved).map(|(s, p)| p / s).sum() };
        assert!((loss(plan.variances()) - 1.0).abs() < 1e-12);
        let least = error(plan.variances());
        for (index, factor) in (0..weights.len()).flat_map(|index| [0.9, 1.1, 2.0].map(|factor| (index, factor))) {
            let mut other = plan.variances().to_vec();
            other[index] *= factor;
            let scale = loss(&other);
            other.iter_mut().for_each(|variance| *variance *= scale);
            assert!(error(&other) > least * (1.0 + 1e-5), "{index} {factor}");
        }
    }

    /// Against every choice of variances of margins that are measured by themselves.
    #[test]
    fn measured_margins_do_not_err_less() {
        let table = table();
        let (weights, moved) = ([0.0, 1.0, 1.0, 1.0, 6.0, 8.0], moved_squared(&table));
        let least: f64 = {
            let plan = ResidualPlan::new(&table, &weights, &moved);
            table.of_residuals(plan.variances()).iter().zip(&weights).map(|(variance, weight)| variance * weight).sum()
        };
        let (mut best, steps) = (f64::INFINITY, [0.0, 0.02, 0.1, 0.3, 1.0]);
        for code in 0..steps.len().pow(6) {
            let shares: Vec<f64> = (0..6).map(|place| steps[code / steps.len().pow(place) % steps.len()]).collect();
            let all: f64 = shares.iter().sum();
            let variances: Vec<f64> = shares.iter().map(|share| all / share).collect();
            let error: f64 = table
                .of_margins(&variances)
                .iter()
                .zip(&weights)
                .map(|(variance, weight)| if *weight == 0.0 { 0.0 } else { variance * weight })
                .sum();
            best = if error < best { error } else { best };
        }
        assert!(best > least && best < 1.3 * least, "{best} {least}");
    }

    /// Columns of the adult census extract, all margins of one and two of them: mean RMSE of margins of one column, of
    /// two, and RMSE over all cells, where one count has noise of 5.495 (epsilon 1, delta 10^-9).
    #[test]
    fn the_adult_census_reproduces_the_study() {
        let sizes = [16, 15, 5, 2, 7, 9, 6, 42, 2, 10];
        let expected =
            [(4, [21.0, 13.1, 11.5]), (6, [29.6, 19.5, 17.5]), (8, [42.7, 28.0, 22.4]), (10, [47.9, 34.2, 26.7])];
        for (columns, expected) in expected {
            let sizes = &sizes[..columns];
            let pairs = Axes::new(0..columns).subsets().into_iter().filter(|axes| axes.count() == 2);
            let table = MarginVariances::new(sizes, pairs);
            let cells = |axes: &Axes| axes.iter().map(|axis| sizes[axis] as f64).product::<f64>();
            let weights: Vec<f64> =
                table.margins().iter().map(|axes| if *axes == Axes::NONE { 0.0 } else { cells(axes) }).collect();
            let off = |axis: usize| 1.0 - (sizes[axis] as f64).recip();
            let moved: Vec<f64> = table.margins().iter().map(|axes| axes.iter().map(off).product()).collect();
            let variances = table.of_residuals(ResidualPlan::new(&table, &weights, &moved).variances());
            let mean =
                |places: std::ops::Range<usize>| variances[places.clone()].iter().sum::<f64>() / places.len() as f64;
            let all: f64 = variances.iter().zip(&weights).map(|(variance, weight)| variance * weight).sum();
            let squares = [mean(1..columns + 1), mean(columns + 1..weights.len()), all / weights.iter().sum::<f64>()];
            let computed = squares.map(|square| 5.495 * square.sqrt());
            let near = |(computed, expected): (&f64, f64)| (computed - expected).abs() <= 0.06;
            assert!(computed.iter().zip(expected).all(near), "{columns}: {computed:?} for {expected:?}");
        }
    }

    #[test]
    fn the_fit_of_residuals_is_the_table() {
        let cells: Vec<f64> = (0..24).map(|cell| f64::from(cell * cell % 17)).collect();
        let margin = |axes: Axes, values: Vec<f64>| MeasuredMargin { axes, values, variance: 1.0 };
        let full_table = margin(Axes::new([0, 1, 2]), cells.clone());
        let truth =
            linear(&TableSystem::new(SIZES.to_vec(), vec![full_table]).expect("a table")).expect("no exact margins");
        // What is subtracted of a margin does not count.
        let residuals: Vec<MeasuredMargin> =
            truth.iter().map(|fitted| margin(fitted.axes, fitted.values.clone())).collect();
        let system = TableSystem::of_residuals(SIZES.to_vec(), residuals.clone()).expect("a table");
        for (computed, truth) in linear(&system).expect("no exact margins").iter().zip(&truth) {
            assert!(
                computed.values.iter().zip(&truth.values).all(|(computed, truth)| (computed - truth).abs() < 1e-10)
            );
        }
        let missing = TableSystem::of_residuals(SIZES.to_vec(), residuals[1..].to_vec()).expect_err("the total");
        assert!(missing.to_string().contains("number of residuals"), "{missing}");
        let single = vec![margin(Axes::NONE, vec![5.0]), margin(Axes::new([0]), vec![0.0])];
        let fit = linear(&TableSystem::of_residuals(vec![1], single).expect("one value")).expect("no exact margins");
        assert_eq!(fit[1].values, [5.0]);
    }
}
