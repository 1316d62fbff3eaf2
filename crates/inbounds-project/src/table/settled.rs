//! A margin of two attributes and those of one, settled together.
//!
//! **Idea.** Where most cells are empty, the cells say more of a row than the linear fit hears: what is measured of an
//! empty cell is known to be noise. So rows and columns are not met but count as squares beside the cells, as in one
//! least-squares problem for all. Two things keep the bias of that problem away. The total is met, so what zero cuts
//! off moves nothing but shares. And what rows and columns are held to is not the linear fit but their projections
//! from the total down, which know that a row is not negative either, and weigh more than the linear fit alone would:
//! the cells of a row have their part of the bias, the row has none.
//!
//! What zero cuts off is taken from cells that may be noise, not from large ones: see [`crate::held`]. Which are large
//! is seen in a first solution, for which prices to a tenth of the noise are near enough; the second is looked for
//! from there on.
//!
//! **Invariant.** Given the weights, the cells are the optimum of one convex problem, and given their own sums and the
//! weights they are the nearest to the linear fit that have these: nothing could be gained by another step under the
//! margins.

use super::{
    axes::{Axes, Layout},
    linear::FittedMargin,
    prices::{Nearest, Place, Prices, Target},
};
use crate::{
    certificate::Certificate,
    held::{held, is_due},
};

/// Distance of the sums of the first solution from their targets at which it stops, in standard deviations of a cell:
/// this for each cell of a row or column, so that prices are right to a tenth of the noise where one cell in ten is
/// above zero, and no nearer than the least.
const SHARE: f64 = 0.01;
const LEAST: f64 = 0.1;

/// A margin of two attributes with the sums that it settles.
pub(super) struct Sheet<'a> {
    margin: &'a FittedMargin,
    pub(super) cells: Vec<f64>,
    pub(super) certificate: Certificate,
    /// The reciprocal of the weight of each cell; none where all weigh alike.
    slopes: Vec<f64>,
    place: Place,
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
        let prices = |slopes| Prices::new(sizes, margin.axes, &margin.values, &sides).weighing(slopes);
        let cut = margin.values.iter().filter(|value| **value < 0.0).count();
        let (slopes, place) = if is_due(cut, margin.values.len()) {
            let noise = margin.variance.sqrt();
            let shortest = margin.axes.iter().map(|axis| sizes[axis]).min().unwrap_or(1);
            let near = noise * (SHARE * shortest as f64).max(LEAST);
            let rough = prices(&[]).solve_from(Place::default(), near);
            (rough.cells.iter().map(|cell| held(1.0, cell / noise)).collect(), rough.place)
        } else {
            (Vec::new(), Place::default())
        };
        let Nearest { cells, certificate, place } = prices(&slopes).solve_from(place, 0.0);
        Self { margin, cells, certificate, slopes, place }
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
        Prices::new(sizes, self.margin.axes, &self.margin.values, sides)
            .weighing(&self.slopes)
            .solve_from(self.place, 0.0)
    }
}
