//! The error to expect of each level where bounds matter most: one finest cell has all rows, all others have none.
//!
//! Where every cell is far from every bound each fit is the linear one, whose error has a formula. Here noise of nearly
//! all cells is cut off, so what a fit makes of that shows, in particular what it passes on to coarser levels. The
//! truth is assumed and the noise drawn, so nothing private is used. The errors of the linear fit of the same draws
//! take out the noise that both fits share: the mean square error `e` of a level is regressed on that of the linear
//! fit, `l`, and on its mean error `m`, whose means are known, `L` and 0. At a root that keeps the linear fit, or is
//! moved from it by a constant, what is left is exact.

use inbounds_statistics::{ExpectedError, Scenario};

use super::{Granularity, Levels, amount::MOST, solving::Solving};
use crate::{
    LEVEL,
    progress::Silent,
    projection::{Measured, Replicate, Simulation},
};

/// Nodes that are solved for, over all replicates.
const WORK: usize = 2_000_000;
/// Fewest and most replicates.
const REPLICATES: (usize, usize) = (10, 200);
/// Ratio of rows to the noise in all cells, where the number of rows is not known.
const PLENTY: f64 = 10.0;

/// One draw of a level: means over its cells.
#[derive(Debug, Clone, Copy, Default)]
struct Draw {
    /// Error of the fit beyond that of the linear fit, which has none on average.
    bias: f64,
    /// Mean square error of the fit.
    e: f64,
    /// That of the linear fit, and its mean error.
    l: f64,
    m: f64,
}

/// Draws of the errors of a level.
#[derive(Debug, Clone, Default)]
struct Draws(Vec<Draw>);

impl Draws {
    fn mean(&self, number: impl Fn(&Draw) -> f64) -> f64 {
        self.0.iter().map(number).sum::<f64>() / self.0.len() as f64
    }

    fn bias(&self) -> f64 {
        self.mean(|draw| draw.bias)
    }

    /// The mean square error of the fit, given that of the linear one if it is known; never less than that of its bias.
    fn mean_square(&self, known: Option<f64>) -> f64 {
        let [e, l, m] = [self.mean(|draw| draw.e), self.mean(|draw| draw.l), self.mean(|draw| draw.m)];
        let adjusted = known.map_or(e, |known| {
            let both = |product: fn(&Draw, [f64; 3]) -> f64| self.mean(|draw| product(draw, [e, l, m]));
            let (ll, mm) = (both(|draw, [_, l, _]| (draw.l - l).powi(2)), both(|draw, [.., m]| (draw.m - m).powi(2)));
            let lm = both(|draw, [_, l, m]| (draw.l - l) * (draw.m - m));
            let el = both(|draw, [e, l, _]| (draw.e - e) * (draw.l - l));
            let em = both(|draw, [e, _, m]| (draw.e - e) * (draw.m - m));
            let determinant = ll * mm - lm * lm;
            // One cell in one draw, or two that differ by rounding, have no slopes.
            if determinant <= 1e-9 * ll * mm {
                return e;
            }
            let (of_l, of_m) = ((el * mm - em * lm) / determinant, (em * ll - el * lm) / determinant);
            e + of_l * (known - l) - of_m * m
        });
        adjusted.max(self.bias().powi(2))
    }
}

impl Levels {
    /// The error of each level where one finest cell has all rows; none where no bound matters.
    pub(crate) fn expected_where_sparse(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let (parents, variances) = (self.hierarchy.parents(), self.noise());
        let of_node = self.hierarchy.level_of_nodes();
        let cells = parents.len();
        let full = self.hierarchy.holds_first();
        let finest = self.cells_by_level().max().unwrap_or(1) as f64;
        let plenty = PLENTY * finest * libm::sqrt(variances.last().copied().unwrap_or(1.0));
        let truth = self.additive.concentrated(&full, scenario.rows, plenty.min(MOST));
        let known: Vec<Measured> = self.without_values().collect();
        let measured = (0..truth.len()).map(|node| {
            let level = of_node[node % cells] as usize;
            Measured { value: truth[node], ..known[level] }
        });
        let measured: Vec<Measured> = measured.collect();
        let model = self.additive.model(&parents, &measured);
        let solver = self.hierarchy.solver(&model, self.hierarchy.is_whole(&*self.additive), self.fit);
        let solving = Solving::new((cells, 0), model, solver, measured, (LEVEL, 0));
        if solving.method.is_linear() {
            return Vec::new();
        }
        let draws = (WORK / truth.len()).clamp(REPLICATES.0, REPLICATES.1);
        let errors = self.errors(&solving, &of_node, draws);
        let known = self.hierarchy.variances(&variances);
        let levels = self.granularities().zip(errors).zip(known);
        let expected = |((level, draws), variance): ((&Granularity, Draws), f64)| {
            let known = self.additive.linear_mean_square(variance);
            ExpectedError {
                case: format!("{level}, {}", self.additive.sparse_case()),
                bias: draws.bias(),
                rmse: libm::sqrt(draws.mean_square(known)),
                half_width: None,
            }
        };
        levels.map(expected).collect()
    }

    fn errors(&self, solving: &Solving, of_node: &[u32], draws: usize) -> Vec<Draws> {
        let cells: Vec<f64> = self.cells_by_level().map(|cells| cells as f64).collect();
        let mut draws_by_level = vec![Draws::default(); cells.len()];
        let see = |replicate: &Replicate| {
            let mut now = vec![Draw::default(); cells.len()];
            for (cell, &level) in of_node.iter().enumerate() {
                let fit = self.additive.error_of_cell(&replicate.errors, (cell, of_node.len()));
                let linear = self.additive.error_of_cell(&replicate.linear, (cell, of_node.len()));
                let (draw, cells) = (&mut now[level as usize], cells[level as usize]);
                draw.bias += (fit - linear) / cells;
                draw.e += fit * fit / cells;
                draw.l += linear * linear / cells;
                draw.m += linear / cells;
            }
            draws_by_level.iter_mut().zip(now).for_each(|(draws, now)| draws.0.push(now));
        };
        Simulation { replicates: draws, solved: draws, ..solving.simulation() }.each(see, &Silent);
        draws_by_level
    }
}
