//! From the total down: the linear fit first, then each margin under the smaller ones; a table of two attributes is
//! settled with its margins.
//!
//! In one least-squares problem for a whole table, the mass that zero cuts off from many small cells adds up and pushes
//! the margins away from their own measurements, the total furthest. Here that mass never moves the total, and other
//! margins little:
//!
//! 1. [`linear`]: the unbiased fit of all measurements;
//! 2. the total, if it is negative, is zero; then, smaller margins first, each is the projection of its linear fit on
//!    the numbers that are not negative and add up to the margins before it. Given these, the rest of the linear
//!    fit has the same variance in all directions, so the projection weighs all cells alike; but where zero cuts off
//!    many cells of a margin of one attribute, those far above it weigh more, see [`crate::reweight_large`];
//! 3. a margin of two attributes that is part of no other settles those of one attribute together with its cells, see
//!    `settled.rs`.
//!
//! **What can be kept.** Whatever the margins of one attribute are, some table without negative cells has them, and
//! likewise two margins of two attributes. Three of them may contradict each other. So a margin of three or more
//! attributes keeps the margins of one attribute, and meets the others as nearly as it can (`dual_newton.rs`), the
//! nearer the better they are known; then every margin is its sums.

use std::{borrow::Cow, collections::HashMap};

use super::{
    aims::aims,
    axes::{Axes, Layout},
    controlled_rounding,
    dual_newton::{MarginProjection, Target},
    linear::{FittedMargin, linear},
    settled::Sheet,
    system::TableSystem,
};
use crate::{
    certificate::{Certificate, Status},
    constraint::Bounds,
    reweight_large,
    shrink::Aim,
    simplex,
};

/// Weight of a missed cell of a smaller margin that need not be met, in units of what the variances of the linear fit
/// say.
///
/// Measured with the factors 1, 3 and 10 and with the weight 1000, for counts of 30 x 30 x 20 cells and five ways to
/// measure their margins: errors of margins of two attributes grow with the weight, at 1000 to 1.31 times those at 3.
/// Those of cells are least at another weight each time; with 3 they were at most a hundredth above that.
pub(super) const PULL: f64 = 3.0;

/// The largest weight of a margin between, in those of a cell: that of an exact one.
pub(super) const MOST_PULL: f64 = 1e3;

/// The largest weight of a margin that is settled and not exact: one that is known as well as that is missed by a
/// millionth of the noise of a cell, which is nothing beside its own.
const MOST_SETTLED: f64 = 1e6;

/// Which numbers the estimates of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableNumbers {
    /// Real numbers.
    Real,
    /// Whole numbers.
    Whole,
}

/// Estimates of a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TableSolution {
    /// Outcome of the solver.
    pub status: Status,
    /// The estimates of each margin of the system, in its order, the last attribute moving fastest.
    pub margins: Vec<Vec<f64>>,
    /// Certificate of the projections, each given the one before.
    pub certificate: Certificate,
}

/// Why a table cannot be solved from the total down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableRefusal {
    /// Two exact margins contradict each other.
    #[error("the exact margins {0} and {1} contradict each other")]
    Contradiction(Axes, Axes),
    /// Two margins of three or more attributes overlap without one being part of the other.
    #[error("the margins {0} and {1} have more than two attributes, and neither is part of the other")]
    Overlap(Axes, Axes),
    /// An exact margin has a negative or a broken cell.
    #[error("the exact margin {0} has a cell that estimates cannot have")]
    Exact(Axes),
}

/// Estimates of all margins that are not negative and add up.
///
/// # Contract
/// The total is that of the linear fit, or zero. Then each margin is the projection of its linear fit on numbers that
/// are not negative and add up to the margins before it, all cells weighing alike; if zero cuts off four or more
/// cells, and an eighth, of a margin of one attribute, a cell at `x` in that projection weighs `max(1, x / (3 sqrt
/// V))` times as much, with `V` the variance of the linear fit, and it is projected anew.
///
/// A margin of two attributes that is part of no other is *settled*, and with it the margins of its attributes. With
/// `y` its linear fit, `T` the total, `r` and `c` the margins of one attribute from the step before, and `V`, `V_r`
/// and `V_c` the variances of a cell of each in the linear fit, its cells minimise
///
/// ```text
/// sum w_ij (x_ij - y_ij)^2 + a sum_i (x_i. - r_i)^2 + b sum_j (x_.j - c_j)^2    over x >= 0 with x_.. = T
/// a = min(3 V / V_r, 10^6)    b = min(3 V / V_c, 10^6)    w = 1
/// ```
///
/// with `a` or `b` infinite for an exact margin. If zero cuts off four or more cells of `y`, and an eighth, that gives
/// `z`, found to within `sqrt V max(0.1, n / 100)` of each sum with `n` the fewer of rows and columns, and `x` is the
/// minimum with `w = max(1, z / (3 sqrt V))`. The margins of its attributes are the sums of `x`. An attribute of
/// several such margins has the mean of these sums, and the cells of each minimise the first term given them.
///
/// A margin of three or more attributes keeps the margins of one attribute, and of those with one attribute less that
/// have several, the square of each gap counts `min(3 V / V_m, 1000)` times that of one of its cells, with `V`
/// and `V_m` the variances of a cell of either in the linear fit; then all are its sums. `whole` estimates are the
/// whole numbers next to those, each margin rounded so that the margins of one attribute hold. Every margin is the sum
/// of every larger one, exactly for whole numbers and otherwise up to rounding.
///
/// # Errors
/// [`TableRefusal`]. With a margin of three or more attributes, all others must be part of it.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, MeasuredMargin, TableNumbers, TableSystem, top_down};
/// let margin = |axes, values: &[f64], variance| MeasuredMargin { axes, values: values.to_vec(), variance };
/// let cells = margin(Axes::new([0, 1]), &[6.0, -2.0, 3.0, 3.0], 1.0);
/// let system = TableSystem::new(vec![2, 2], vec![cells, margin(Axes::NONE, &[10.0], 0.0)])?;
/// let solution = top_down(&system, TableNumbers::Whole).expect("one table");
/// assert_eq!(solution.margins[1..3], [[5.0, 5.0], [8.0, 2.0]]);
/// assert_eq!(solution.margins[3], [5.0, 0.0, 3.0, 2.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn top_down(system: &TableSystem, numbers: TableNumbers) -> Result<TableSolution, TableRefusal> {
    let fit = linear(system).map_err(|(first, second)| TableRefusal::Contradiction(first, second))?;
    top_down_from(&system.sizes, &fit, numbers)
}

/// [`top_down`] from a linear fit that was found otherwise.
///
/// `fit` has all margins of its margins, smaller ones first, as [`linear`] gives them; a margin of variance zero is
/// exact. `sizes` says how many values each attribute has.
///
/// # Errors
/// [`TableRefusal`], as [`top_down`].
///
/// # Panics
/// If a margin of a margin is missing, or one has not as many cells as `sizes` says.
pub fn top_down_from(
    sizes: &[usize],
    fit: &[FittedMargin],
    numbers: TableNumbers,
) -> Result<TableSolution, TableRefusal> {
    solve(sizes, fit, numbers, Aim::Fit)
}

pub(super) fn solve(
    sizes: &[usize],
    fit: &[FittedMargin],
    numbers: TableNumbers,
    aim: Aim,
) -> Result<TableSolution, TableRefusal> {
    let table = check(fit, numbers)?;
    let variances = fit.iter().map(|margin| (margin.axes, margin.variance)).collect();
    let is_part = |axes: Axes| !axes.is_largest(fit.iter().map(|other| other.axes));
    let is_settled =
        |margin: &&FittedMargin| margin.axes.count() == 2 && margin.variance > 0.0 && !is_part(margin.axes);
    let settled: Vec<Axes> = fit.iter().filter(is_settled).map(|margin| margin.axes).collect();
    let mut down =
        Down { sizes, numbers, variances, settled, done: HashMap::new(), certificate: Certificate::default() };
    // Smaller margins first: each is projected onto the margins before it, or put off to be settled with them.
    let mut sheets = Vec::new();
    for margin in fit {
        let (aimed, variances) = match aim {
            _ if margin.variance == 0.0 => {
                down.done.insert(margin.axes, exact(&margin.values));
                continue;
            }
            Aim::Fit => (Cow::Borrowed(margin), Vec::new()),
            Aim::Shrunk => {
                let (values, variances) = aims(margin, is_part(margin.axes));
                (Cow::Owned(FittedMargin { values, ..margin.clone() }), variances)
            }
        };
        if down.settled.contains(&margin.axes) {
            sheets.push(aimed);
        } else {
            let cells = down.projected(&aimed, &variances);
            down.done.insert(margin.axes, cells);
        }
    }
    down.settle(&sheets);
    if let Some(table) = table {
        down.make_sums_of(table, fit);
    }
    let Down { mut done, certificate, .. } = down;
    let margins = fit.iter().map(|margin| done.remove(&margin.axes).expect("every margin was solved")).collect();
    Ok(TableSolution { status: certificate.status(), margins, certificate })
}

/// Checks, without solving, that [`top_down_from`] would not refuse a fit; returns the margin of three or more
/// attributes that all others are part of, if there is one with that many.
///
/// # Errors
/// [`TableRefusal`], as [`top_down`].
pub fn check(fit: &[FittedMargin], numbers: TableNumbers) -> Result<Option<Axes>, TableRefusal> {
    let table = table_of(fit)?;
    let is_wrong = |x: &f64| *x < 0.0 || (numbers == TableNumbers::Whole && x.fract() != 0.0);
    let mut known = fit.iter().filter(|margin| margin.variance == 0.0);
    match known.find(|margin| exact(&margin.values).iter().any(is_wrong)) {
        Some(margin) => Err(TableRefusal::Exact(margin.axes)),
        None => Ok(table),
    }
}

/// The cells of an exact margin. A fit puts margins together from parts; what was whole is a rounding off.
pub(super) fn exact(values: &[f64]) -> Vec<f64> {
    let size = values.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let tidy = |x: &f64| if (x - x.round()).abs() <= 1e-12 * size { x.round() } else { *x };
    values.iter().map(tidy).collect()
}

/// The margin of three or more attributes that all others are part of, if there is one.
fn table_of(fit: &[FittedMargin]) -> Result<Option<Axes>, TableRefusal> {
    let all = || fit.iter().map(|margin| margin.axes);
    let largest: Vec<Axes> = all().filter(|axes| axes.is_largest(all())).collect();
    match largest.iter().find(|axes| axes.count() > 2) {
        None => Ok(None),
        Some(large) => match largest.iter().find(|axes| *axes != large) {
            None => Ok(Some(*large)),
            Some(other) => Err(TableRefusal::Overlap(*large, *other)),
        },
    }
}

/// A table on its way down.
struct Down<'a> {
    sizes: &'a [usize],
    numbers: TableNumbers,
    /// Of a cell of the linear fit of each margin.
    variances: HashMap<Axes, f64>,
    /// The margins of two attributes that settle those of one.
    settled: Vec<Axes>,
    done: HashMap<Axes, Vec<f64>>,
    certificate: Certificate,
}

impl Down<'_> {
    /// A margin under the margins before it; with weights, if it has one attribute, that are the reciprocals of
    /// `variances`, if there are any.
    fn projected(&mut self, margin: &FittedMargin, variances: &[f64]) -> Vec<f64> {
        match margin.axes.count() {
            0 => vec![self.total(margin.values[0])],
            1 => self.line(margin, variances),
            _ => self.sheet(margin),
        }
    }

    fn total(&self, fit: f64) -> f64 {
        match self.numbers {
            TableNumbers::Real => fit.max(0.0),
            TableNumbers::Whole => fit.max(0.0).round(),
        }
    }

    /// A margin of one attribute under the total.
    fn line(&mut self, margin: &FittedMargin, variances: &[f64]) -> Vec<f64> {
        let total = self.done[&Axes::NONE][0];
        let project = |variances: &[f64]| {
            // In units of the margin's own variance, no weight is beyond the admissible.
            let weights: Vec<f64> = variances.iter().map(|variance| margin.variance / variance).collect();
            simplex::project(&margin.values, &weights, total, &Bounds::nonnegative())
                .expect("finite numbers and a total that is not negative")
        };
        let projection = match variances {
            [] => {
                let even = project(&vec![margin.variance; margin.values.len()]);
                let cut = margin.values.iter().filter(|value| **value < 0.0).count();
                if reweight_large::applies(cut, margin.values.len()) {
                    let reweighted = |room: &f64| reweight_large::variance(margin.variance, *room);
                    project(&even.estimates.iter().map(reweighted).collect::<Vec<f64>>())
                } else {
                    even
                }
            }
            _ => project(variances),
        };
        self.certificate.take_in(projection.certificate.unwrap_or_default());
        let is_settled_later = self.settled.iter().any(|sheet| sheet.includes(margin.axes));
        match self.numbers {
            TableNumbers::Whole if !is_settled_later => {
                controlled_rounding::line(projection.estimates, total, &mut self.certificate)
            }
            TableNumbers::Whole | TableNumbers::Real => projection.estimates,
        }
    }

    /// Settles margins of one attribute together with those of two that are part of no other.
    fn settle(&mut self, sheets: &[Cow<'_, FittedMargin>]) {
        // Each margin of two attributes under the total and near its margins of one attribute.
        let mut solved: Vec<Sheet<'_>> = Vec::new();
        for margin in sheets {
            let sides = margin.axes.iter().map(|axis| {
                let axes = Axes::new([axis]);
                Target::weighted(axes, &self.done[&axes], self.pull(axes, margin.variance))
            });
            let sheet = Sheet::settled(self.sizes, margin, &self.done[&Axes::NONE], sides.collect());
            self.certificate.take_in(sheet.certificate);
            solved.push(sheet);
        }
        let is_alone = self.numbers == TableNumbers::Real && solved.len() == 1;
        // A margin of one attribute becomes the mean of the sums of the margins that have the attribute.
        let attributes: Vec<Axes> = self.done.keys().copied().filter(|axes| axes.count() == 1).collect();
        for axes in attributes.into_iter().filter(|axes| self.variances[axes] > 0.0) {
            let sums: Vec<Vec<f64>> = solved
                .iter()
                .filter(|sheet| sheet.axes().includes(axes))
                .map(|sheet| sheet.sums(self.sizes, axes))
                .collect();
            if sums.is_empty() {
                continue;
            }
            let mean = |cell: usize| sums.iter().map(|sums| sums[cell]).sum::<f64>() / sums.len() as f64;
            let mut line: Vec<f64> = (0..sums[0].len()).map(mean).collect();
            if self.numbers == TableNumbers::Whole {
                line = controlled_rounding::line(line, self.done[&Axes::NONE][0], &mut self.certificate);
            }
            self.done.insert(axes, line);
        }
        // Unless there is one sheet of real numbers, its cells are projected once more, onto the final margins of one
        // attribute.
        for sheet in solved {
            let axes = sheet.axes();
            let mut cells = if is_alone {
                sheet.cells
            } else {
                let sides = axes.iter().map(|axis| {
                    let axes = Axes::new([axis]);
                    Target::met(axes, &self.done[&axes])
                });
                let under = sheet.under(self.sizes, &sides.collect::<Vec<_>>());
                self.certificate.take_in(under.certificate);
                under.cells
            };
            if self.numbers == TableNumbers::Whole {
                cells = controlled_rounding::sheet(self.sizes, axes, cells, &self.done, &mut self.certificate);
            }
            self.done.insert(axes, cells);
        }
    }

    /// A margin of several attributes under those of one, and as near as it can be to the others.
    fn sheet(&mut self, margin: &FittedMargin) -> Vec<f64> {
        let parts = margin.axes.subsets().into_iter().filter(|part| match part.count() {
            0 => false,
            1 => true,
            count => count + 1 == margin.axes.count(),
        });
        let targets: Vec<Target<'_>> =
            parts.map(|axes| Target::weighted(axes, &self.done[&axes], self.weight(axes, margin.variance))).collect();
        let projection = MarginProjection::new(self.sizes, margin.axes, &margin.values, &targets).solve();
        self.certificate.take_in(projection.certificate);
        match self.numbers {
            TableNumbers::Whole if margin.axes.count() == 2 => {
                controlled_rounding::sheet(self.sizes, margin.axes, projection.cells, &self.done, &mut self.certificate)
            }
            TableNumbers::Whole | TableNumbers::Real => projection.cells,
        }
    }

    /// The weight of a smaller margin of a margin with this variance, if it need not be met.
    fn pull(&self, axes: Axes, variance: f64) -> f64 {
        match self.variances[&axes] {
            0.0 => f64::INFINITY,
            own => (PULL * variance / own).min(MOST_SETTLED),
        }
    }

    /// The weight of a smaller margin of a margin with this variance.
    fn weight(&self, axes: Axes, variance: f64) -> f64 {
        match axes.count() {
            1 => f64::INFINITY,
            _ => (PULL * variance / self.variances[&axes]).min(MOST_PULL),
        }
    }

    /// Makes every margin the sums of the largest.
    fn make_sums_of(&mut self, table: Axes, fit: &[FittedMargin]) {
        if self.numbers == TableNumbers::Whole {
            let cells = self.done.remove(&table).expect("the table was solved");
            let cells = controlled_rounding::sheet(self.sizes, table, cells, &self.done, &mut self.certificate);
            self.done.insert(table, cells);
        }
        let cells = &self.done[&table];
        let layout = |axes| Layout::new(self.sizes, table, axes);
        let margins = fit.iter().map(|margin| margin.axes);
        let several = margins.filter(|axes| axes.count() > 1 && *axes != table);
        let sums: Vec<(Axes, Vec<f64>)> = several.map(|axes| (axes, layout(axes).sums(cells))).collect();
        self.done.extend(sums);
    }
}
