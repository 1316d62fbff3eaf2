//! Measurements of a table.

use super::axes::Axes;
use crate::{ProjectError, check};

/// Most cells of a margin.
pub const MOST_CELLS: usize = 1 << 28;

/// Measurements of a margin: one number for each of its cells, all with noise of one variance.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredMargin {
    /// The attributes of the margin; all others are summed over.
    pub axes: Axes,
    /// Its cells, the last attribute moving fastest.
    pub values: Vec<f64>,
    /// The variance of each; zero says that the margin is known exactly.
    pub variance: f64,
}

/// Measured quantities of the margins of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableQueries {
    /// Their cells.
    Margins,
    /// Residuals of their cells, once the mean along each attribute is taken away: see [`TableSystem::of_residuals`].
    Residuals,
}

/// A table and the margins that were measured of it, of which at least one.
///
/// The table itself need not be there: it is the margin of all attributes. Estimates are for every measured margin and
/// for all margins of these.
#[derive(Debug, Clone)]
pub struct TableSystem {
    pub(super) sizes: Vec<usize>,
    pub(super) measured: Vec<MeasuredMargin>,
    pub(super) queries: TableQueries,
    /// All margins of the measured ones, themselves among them, smaller ones first.
    pub(super) margins: Vec<Axes>,
}

impl TableSystem {
    /// A table whose attributes have this many values each.
    ///
    /// # Errors
    /// [`ProjectError`] if there is no margin or no value of an attribute, a margin has an attribute that is not there,
    /// too many cells or a wrong number of them, or a number is not finite or a variance negative.
    pub fn new(sizes: Vec<usize>, measured: Vec<MeasuredMargin>) -> Result<Self, ProjectError> {
        let number = |name, place: String, requirement, value| ProjectError::Number { name, place, requirement, value };
        if measured.is_empty() || sizes.len() > Axes::MOST {
            let requirement = "at least 1, and at most 32 attributes";
            return Err(number("number of margins", "the table".to_owned(), requirement, measured.len() as f64));
        }
        if let Some(attribute) = sizes.iter().position(|&size| size == 0) {
            return Err(number("number of values", format!("attribute {attribute}"), "at least 1", 0.0));
        }
        for MeasuredMargin { axes, values, variance } in &measured {
            let place = || format!("margin {axes}");
            if let Some(axis) = axes.iter().find(|&axis| axis >= sizes.len()) {
                return Err(number("attribute", place(), "an attribute of the table", axis as f64));
            }
            let cells = axes.iter().try_fold(1_usize, |cells, axis| cells.checked_mul(sizes[axis]));
            let Some(cells) = cells.filter(|&cells| cells <= MOST_CELLS) else {
                return Err(number("number of cells", place(), "at most 2^28", f64::INFINITY));
            };
            check::length("values of a margin", "cells", cells, values.len())?;
            check::finite("value", "cell", values)?;
            if !(*variance >= 0.0 && variance.is_finite()) {
                return Err(number("variance", place(), "finite and not negative", *variance));
            }
        }
        let mut margins: Vec<Axes> = measured.iter().flat_map(|margin| margin.axes.subsets()).collect();
        margins.sort_unstable();
        margins.dedup();
        Ok(Self { sizes, measured, queries: TableQueries::Margins, margins })
    }

    /// A table of which residuals were measured: of each margin with the attributes `A` the numbers
    /// `prod_{j in A} (I - J / n_j) x_A`, where `x_A` are its cells and `J` sums along an attribute of `n_j` values,
    /// with noise of one variance on each. They are less than the margin by all that smaller margins tell.
    ///
    /// # Errors
    /// [`ProjectError`], as [`TableSystem::new`], and if a residual of a part of a margin is not there. Only one with
    /// an attribute of a single value may be missing, for it is zero.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::table::{Axes, MeasuredMargin, TableSystem, linear};
    /// // Cells of 7 and 3: a total of 10, and 2 more and less than their mean.
    /// let residual = |axes, values: &[f64], variance| MeasuredMargin { axes, values: values.to_vec(), variance };
    /// let measured = vec![residual(Axes::NONE, &[10.0], 2.0), residual(Axes::new([0]), &[2.0, -2.0], 1.0)];
    /// let fit = linear(&TableSystem::of_residuals(vec![2], measured)?).expect("no exact margins");
    /// assert_eq!((&fit[1].values[..], fit[1].variance), (&[7.0, 3.0][..], 2.0 / 4.0 + 1.0 / 2.0));
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    pub fn of_residuals(sizes: Vec<usize>, measured: Vec<MeasuredMargin>) -> Result<Self, ProjectError> {
        let system = Self { queries: TableQueries::Residuals, ..Self::new(sizes, measured)? };
        let is_zero = |axes: Axes| axes.iter().any(|axis| system.sizes[axis] == 1);
        let is_there = |axes: Axes| system.measured.iter().any(|residual| residual.axes == axes);
        match system.margins.iter().find(|axes| !is_zero(**axes) && !is_there(**axes)) {
            None => Ok(system),
            Some(axes) => {
                let (name, requirement) = ("number of residuals", "1 for each margin of a margin");
                Err(ProjectError::Number { name, place: format!("margin {axes}"), requirement, value: 0.0 })
            }
        }
    }

    /// All margins that estimates are for, smaller ones first.
    pub fn margins(&self) -> &[Axes] {
        &self.margins
    }

    /// Number of cells of a margin.
    pub fn cells(&self, axes: Axes) -> usize {
        axes.iter().map(|axis| self.sizes[axis]).product()
    }

    /// The same table with other measurements, margin by margin.
    ///
    /// # Panics
    /// If there is not one list for each measured margin, of as many finite numbers as it has cells.
    pub fn with(&self, values: Vec<Vec<f64>>) -> Self {
        assert_eq!(values.len(), self.measured.len(), "one list for each measured margin");
        let measured = self.measured.iter().zip(values).map(|(margin, values)| {
            assert_eq!(values.len(), margin.values.len(), "one value for each cell");
            MeasuredMargin { axes: margin.axes, values, variance: margin.variance }
        });
        Self {
            measured: measured.collect(),
            sizes: self.sizes.clone(),
            margins: self.margins.clone(),
            queries: self.queries,
        }
    }
}
