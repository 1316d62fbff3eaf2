//! A margin of two attributes and those of one, settled together.
//!
//! **Idea.** Where most cells are empty, the cells say more of a row than the linear fit uses: the measurement of an
//! empty cell is known to be noise. So rows and columns are not met but count as squares beside the cells, as in one
//! least-squares problem for all. Two things keep the bias of that problem away. The total is met, so the mass that
//! zero cuts off moves nothing but shares. And the targets of rows and columns are not the linear fit but their
//! projections from the total down, which know that a row is not negative either, and weigh more than the linear fit
//! alone would: the cells of a row have their part of the bias, the row has none.
//!
//! The mass that zero cuts off is taken from cells that may be noise, not from large ones: see
//! [`crate::reweight_large`]. Which are large is read off a first solution, for which multipliers to a tenth of the
//! noise are near enough; the second is warm-started with the dual variables of the first.
//!
//! **Invariant.** Given the weights, the cells are the optimum of one convex problem, and given their own sums and the
//! weights they are the nearest to the linear fit that have these: nothing could be gained by another step under the
//! margins.

use super::{
    axes::{Axes, Layout},
    dual_newton::{MarginProjection, Nearest, Target, WarmStart},
    linear::FittedMargin,
};
use crate::{certificate::Certificate, reweight_large};

/// Distance of the sums of the first solution from their targets at which it stops, in standard deviations of a cell:
/// this for each cell of a row or column, so that multipliers are right to a tenth of the noise where one cell in ten
/// is above zero, and no nearer than the least.
const SHARE: f64 = 0.01;
const LEAST: f64 = 0.1;

/// A margin of two attributes with the sums that it settles.
pub(super) struct Sheet<'a> {
    margin: &'a FittedMargin,
    pub(super) cells: Vec<f64>,
    pub(super) certificate: Certificate,
    /// The reciprocal of the weight of each cell; none where all weigh alike.
    slopes: Vec<f64>,
    warm_start: WarmStart,
}

impl<'a> Sheet<'a> {
    /// Cells with this total, as near as may be to the linear fit and to the margins of one attribute.
    pub(super) fn settled<'t>(
        sizes: &[usize],
        margin: &'a FittedMargin,
        total: &'t [f64],
        mut sides: Vec<Target<'t>>,
    ) -> Self {
        // A side that is met has the total already.
        if sides.iter().all(|side| side.weight < f64::INFINITY) {
            sides.push(Target::met(Axes::NONE, total));
        }
        let projection = |slopes| MarginProjection::new(sizes, margin.axes, &margin.values, &sides).weighing(slopes);
        let cut = margin.values.iter().filter(|value| **value < 0.0).count();
        let (slopes, warm_start) = if reweight_large::applies(cut, margin.values.len()) {
            let noise = margin.variance.sqrt();
            let shortest = margin.axes.iter().map(|axis| sizes[axis]).min().unwrap_or(1);
            let near = noise * (SHARE * shortest as f64).max(LEAST);
            let rough = projection(&[]).solve_from(WarmStart::default(), near);
            (rough.cells.iter().map(|cell| reweight_large::variance(1.0, cell / noise)).collect(), rough.warm_start)
        } else {
            (Vec::new(), WarmStart::default())
        };
        let Nearest { cells, certificate, warm_start } = projection(&slopes).solve_from(warm_start, 0.0);
        Self { margin, cells, certificate, slopes, warm_start }
    }

    pub(super) fn axes(&self) -> Axes {
        self.margin.axes
    }

    /// Its sums for one of its attributes.
    pub(super) fn sums(&self, sizes: &[usize], axes: Axes) -> Vec<f64> {
        Layout::new(sizes, self.margin.axes, axes).sums(&self.cells)
    }

    /// The cells nearest to the linear fit, in the same weights, that have these margins.
    pub(super) fn under(self, sizes: &[usize], sides: &[Target<'_>]) -> Nearest {
        MarginProjection::new(sizes, self.margin.axes, &self.margin.values, sides)
            .weighing(&self.slopes)
            .solve_from(self.warm_start, 0.0)
    }
}
