//! Noisy sums, sums of products and numbers of rows, for a private number of rows.
//!
//! Everything is centred on the exact middle of the bounds, so that noise is least: with `z = 2 x - (lower + upper)` in
//! half steps, `|z| <= R`, a row contributes
//!
//! ```text
//! 1                     to the number of rows     n
//! z_j      in [-R_j, R_j]          to the sum     S_j
//! 2 z_j^2 - R_j^2  in [-R_j^2, R_j^2]  to         T_jj      (the square less half of its largest value)
//! z_j z_k  in [-R_j R_k, R_j R_k]      to         T_jk
//! ```
//!
//! so that every sensitivity is that of a sum ([`crate::of_sum`]), for every design. `T` is coarsened by a power of two
//! ([`Sensitivity::scaled`](inbounds_core::Sensitivity::scaled)).

use inbounds_core::{Answer, Grid, Quantity, Rational, StepRange, Tally};

use super::{Cloud, Fineness, OnGrid, cloud::magnitudes, coarsening, power_of_two};
use crate::{Component, Setting, SharedNumbers, SharedVector, StatisticError, sensitivity::of_sum};

/// The measured vectors: number of rows, then sums, then sums of products.
#[derive(Debug, Clone)]
pub(crate) struct NoisySums {
    pub(crate) columns: Vec<OnGrid>,
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) cells: usize,
    pub(crate) count: Component,
    pub(crate) sums: Vec<Component>,
    products: Vec<(Component, Rational)>,
    /// The vector whose numbers they are, if they are some.
    pub(crate) vector: Option<SharedVector>,
}

/// Estimates from the sums of one cell, in the columns' units.
#[derive(Debug, Clone)]
pub(crate) struct CellSums {
    /// Number of rows, at least 1.
    pub(crate) rows: f64,
    /// True if the measured number of rows was positive.
    pub(crate) counted: bool,
    /// Distance of each mean from its column's middle, inside the bounds.
    pub(crate) deviations: Vec<f64>,
    /// Mean products of distances from the middles, a pair each.
    pub(crate) products: Vec<f64>,
}

impl NoisySums {
    /// Calibrates everything to an equal part of `share` of epsilon.
    ///
    /// # Errors
    /// [`StatisticError::SumsMechanism`], or those of the calibration.
    pub(crate) fn prepare(
        kind: &'static str,
        setting: &Setting,
        columns: Vec<OnGrid>,
        pairs: Vec<(usize, usize)>,
        parts: u128,
    ) -> Result<Self, StatisticError> {
        if !setting.mechanism.entry().is_clamped() {
            return Err(StatisticError::SumsMechanism { kind });
        }
        let part = Rational::ratio(1, parts);
        let epsilon = (setting.epsilon.value() * &part).to_f64();
        let measure = |role: Quantity, grid: Grid, largest: i128, factor: &Rational| {
            let sensitivity = of_sum(&setting.design, (-largest, largest), setting.cells, false).scaled(factor);
            setting.component((role, &part), (grid, 1), &sensitivity, StepRange::UNBOUNDED)
        };
        let ones = of_sum(&setting.design, (1, 1), setting.cells, false);
        let count = setting.component((Quantity::COUNT, &part), (Grid::INTEGERS, 1), &ones, StepRange::UNBOUNDED)?;
        let sum = |column: &OnGrid| {
            let grid = Grid::power_of_two(column.gridded.grid.exponent() - 1)?;
            measure(Quantity::CentredSum { column: column.name.clone() }, grid, column.width(), &Rational::ONE)
        };
        let product = |&(j, k): &(usize, usize)| {
            let (x, y) = (&columns[j], &columns[k]);
            let area = x.width() * y.width();
            let exponent = coarsening(area as f64, epsilon).max(0);
            let factor = power_of_two(-exponent);
            let halvings = if j == k { 3 } else { 2 };
            let spacing = x.gridded.grid.exponent() + y.gridded.grid.exponent() - halvings + exponent;
            let role = if j == k {
                Quantity::CentredSquares { column: x.name.clone() }
            } else {
                Quantity::CentredProducts { row: x.name.clone(), column: y.name.clone() }
            };
            Ok((measure(role, Grid::power_of_two(spacing)?, area, &factor)?, factor))
        };
        let sums = columns.iter().map(sum).collect::<Result<_, StatisticError>>()?;
        let products = pairs.iter().map(product).collect::<Result<_, StatisticError>>()?;
        let cells = usize::try_from(setting.cells).expect("cells are held in memory");
        let vector = match &setting.together {
            Some(SharedNumbers::Cube(vector)) => Some(vector.clone()),
            Some(SharedNumbers::Gaussian(_)) | None => None,
        };
        Ok(Self { columns, pairs, cells, count, sums, products, vector })
    }

    /// The measured vectors.
    pub(crate) fn components(&self) -> Vec<&Component> {
        let products = self.products.iter().map(|(component, _)| component);
        std::iter::once(&self.count).chain(&self.sums).chain(products).collect()
    }

    /// Exact answers, one a component.
    pub(crate) fn answers(&self, tally: Tally) -> Vec<Answer> {
        let Tally { counts, sums, products } = tally;
        // z = 2 x - c, summed.
        let centred = |j: usize| sums[j].combine(2, &counts, -self.columns[j].twice_middle());
        let product = |(place, &(j, k)): (usize, &(usize, usize))| {
            let (c, d) = (self.columns[j].twice_middle(), self.columns[k].twice_middle());
            // (2 x - c)(2 y - d) = 4 x y - 2 d x - c (2 y - d).
            let products = products[place].combine(4, &sums[j], -2 * d).combine(1, &centred(k), -c);
            let (twice, less) = if j == k { (2, self.columns[j].width().pow(2)) } else { (1, 0) };
            products.combine(twice, &counts, -less).scaled(&self.products[place].1)
        };
        let second: Vec<Answer> = self.pairs.iter().enumerate().map(product).collect();
        let first: Vec<Answer> = (0..self.columns.len()).map(centred).collect();
        std::iter::once(counts).chain(first).chain(second).collect()
    }

    /// Estimates from the measurements of a cell.
    pub(crate) fn cell(&self, measured: &[&[i128]], cell: usize) -> CellSums {
        let count = measured[0][cell];
        let rows = count.max(1) as f64;
        let deviation = |(j, component): (usize, &Component)| {
            let half = 0.5 * self.columns[j].span();
            (component.value(measured[1 + j][cell]) / rows).clamp(-half, half)
        };
        let product = |(place, (component, _)): (usize, &(Component, Rational))| {
            self.offset(place) + component.value(measured[1 + self.sums.len() + place][cell]) / rows
        };
        CellSums {
            rows,
            counted: count > 0,
            deviations: self.sums.iter().enumerate().map(deviation).collect(),
            products: self.products.iter().enumerate().map(product).collect(),
        }
    }

    /// The noise of the first column, which is the only one, at few points; that of its squares is none where there are
    /// none.
    pub(crate) fn cloud(&self, fineness: Fineness) -> Cloud {
        let span = self.columns[0].span();
        let offset = if self.products.is_empty() { 0.0 } else { self.offset(0) / (span * span) };
        Cloud::new(&magnitudes(&self.components(), fineness), offset, |[count, sum, square]| {
            [count, sum / span, square / (span * span)]
        })
    }

    /// The answers of cells with these numbers of rows, deviations and mean products: one vector a component.
    pub(crate) fn answers_at(&self, cells: &[CellSums]) -> Vec<Vec<i128>> {
        let steps = |component: &Component, value: f64| libm::round(value / component.step()) as i128;
        let counts = cells.iter().map(|cell| cell.rows as i128).collect();
        let sum = |(j, component): (usize, &Component)| {
            cells.iter().map(|cell| steps(component, cell.rows * cell.deviations[j])).collect()
        };
        let product = |(place, (component, _)): (usize, &(Component, Rational))| {
            let value = |cell: &CellSums| cell.rows * (cell.products[place] - self.offset(place));
            cells.iter().map(|cell| steps(component, value(cell))).collect()
        };
        let sums = self.sums.iter().enumerate().map(sum);
        std::iter::once(counts).chain(sums).chain(self.products.iter().enumerate().map(product)).collect()
    }

    /// Number subtracted from a row's product before it is summed.
    pub(crate) fn offset(&self, place: usize) -> f64 {
        match self.pairs[place] {
            (j, k) if j == k => self.columns[j].span().powi(2) / 8.0,
            _ => 0.0,
        }
    }
}
