//! The error to expect of each level where bounds matter most: one finest cell has all rows, all others have none.
//!
//! Where every cell is far from every bound each fit is the linear one, whose error has a formula. Here noise of nearly all cells
//! is cut off, so what a fit makes of that shows, in particular what it passes on to coarser levels. The truth is supposed and
//! the noise drawn, so nothing private is used. The errors of the linear fit of the same draws, whose variances are known, take
//! out the noise that both fits share: with mean squares `e` and `l` of a level in a draw the estimate is
//! `mean e + beta (E l - mean l)`, where `beta` is the regression of `e` on `l`. At a root that keeps the linear fit it is exact.

use inbounds_statistics::{ExpectedError, Supposed};

use super::{Levels, solving::Solving, split};
use crate::{
    progress::Silent,
    projection::{Law, Measured, Replicate, Simulation},
};

/// Nodes that are solved for, over all replicates.
const WORK: usize = 2_000_000;
/// Fewest and most replicates.
const REPLICATES: (usize, usize) = (10, 200);
/// How much more rows there are than noise in all cells, where their number is not known.
const PLENTY: f64 = 10.0;
/// Largest number that is supposed, in steps.
const MOST: f64 = 1e15;

/// Sums over draws of the mean square errors of a level, in a fit `e` and in the linear one `l`.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Mean error of the fit beyond that of the linear fit, which has none on average.
    bias: f64,
    e: f64,
    l: f64,
    ll: f64,
    el: f64,
}

impl Sums {
    fn take_in(&mut self, bias: f64, (e, l): (f64, f64)) {
        let Self { bias: biases, e: es, l: ls, ll, el } = *self;
        *self = Self { bias: biases + bias, e: es + e, l: ls + l, ll: ll + l * l, el: el + e * l };
    }

    /// The mean square error of the fit, given that of the linear one if it is known.
    fn mean_square(&self, draws: f64, known: Option<f64>) -> f64 {
        let (e, l) = (self.e / draws, self.l / draws);
        let (spread, shared) = (self.ll / draws - l * l, self.el / draws - e * l);
        let beta = if spread > 0.0 { (shared / spread).clamp(0.0, 1.0) } else { 0.0 };
        known.map_or(e, |known| e + beta * (known - l)).max(0.0)
    }
}

impl Levels {
    /// The error of each level where one finest cell has all rows; none where no bound matters.
    pub(crate) fn expected_where_sparse(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        let (parents, noise) = (self.hierarchy.parents(), self.noise());
        let of_node = self.hierarchy.level_of_nodes();
        let cells = parents.len();
        let full = self.full(&parents);
        let finest = self.cells_by_level().last().unwrap_or(1) as f64;
        let plenty = PLENTY * finest * libm::sqrt(noise.last().copied().unwrap_or(1.0));
        let truth = self.additive.concentrated(&full, supposed.rows, plenty.min(MOST));
        let scales: Vec<_> = self.components.iter().map(|one| Some(one.as_ref()?.mechanism.noise().scale())).collect();
        let measured = (0..truth.len()).map(|node| {
            let level = of_node[node % cells] as usize;
            let noise_of = scales[level].map(|scale| (Law::DiscreteLaplace, scale));
            Measured { value: truth[node], variance: noise[level], noise: noise_of }
        });
        let measured: Vec<Measured> = measured.collect();
        let model = self.additive.model(&parents, &measured);
        let solving = Solving::new(cells, model, (self.additive.whole(), self.fit), measured, (supposed.level, 0));
        if solving.method.is_linear() {
            return Vec::new();
        }
        let draws = (WORK / truth.len()).clamp(REPLICATES.0, REPLICATES.1);
        let sums = self.errors(&solving, &of_node, draws);
        let known = split::variances(&self.hierarchy, &noise);
        let levels = self.names().zip(sums).zip(known);
        let expected = |((level, sums), variance): ((&str, Sums), f64)| {
            let known = self.additive.linear_mean_square(variance);
            ExpectedError {
                case: format!("level {level}, {}", self.additive.sparse_case()),
                bias: sums.bias / draws as f64,
                rmse: libm::sqrt(sums.mean_square(draws as f64, known)),
                half_width: None,
            }
        };
        levels.map(expected).collect()
    }

    /// Whether the full cell is part of a node: the first of the finest level and all above it.
    fn full(&self, parents: &[Option<u32>]) -> Vec<bool> {
        let mut full = vec![false; parents.len()];
        let finest = self.cells_by_level().last().unwrap_or(0);
        let mut at = Some((parents.len() - finest) as u32);
        while let Some(node) = at {
            full[node as usize] = true;
            at = parents[node as usize];
        }
        full
    }

    fn errors(&self, solving: &Solving, of_node: &[u32], draws: usize) -> Vec<Sums> {
        let cells: Vec<f64> = self.cells_by_level().map(|cells| cells as f64).collect();
        let mut sums = vec![Sums::default(); cells.len()];
        let see = |replicate: &Replicate| {
            let mut now = vec![(0.0, 0.0, 0.0); cells.len()];
            for (cell, &level) in of_node.iter().enumerate() {
                let fit = self.additive.error_of_cell(&replicate.errors, (cell, of_node.len()));
                let linear = self.additive.error_of_cell(&replicate.linear, (cell, of_node.len()));
                let (bias, e, l) = &mut now[level as usize];
                (*bias, *e, *l) = (*bias + fit - linear, *e + fit * fit, *l + linear * linear);
            }
            for ((sums, (bias, e, l)), cells) in sums.iter_mut().zip(now).zip(&cells) {
                sums.take_in(bias / cells, (e / cells, l / cells));
            }
        };
        Simulation { replicates: draws, ..solving.simulation() }.each(see, &Silent);
        sums
    }
}

/// What rows that contribute so much each add up to, in steps: so many rows, or about `plenty` steps where their number is not
/// supposed.
pub(super) fn amount(of_row: f64, rows: Option<u64>, plenty: f64) -> f64 {
    let rows = rows.map_or_else(|| libm::ceil(plenty / of_row), |rows| rows as f64);
    (rows * of_row).min(MOST)
}
