//! Bounds on single cells.

use crate::{ProjectError, check};

/// The interval that each cell stays in.
///
/// # Contract
/// Cell `i` satisfies `lower_i <= x_i <= upper_i`. Lower bounds may be minus infinity and upper bounds infinity; equal
/// bounds fix a cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Bounds {
    /// No bound on any cell.
    #[default]
    None,
    /// The same interval for all cells.
    Same {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// One interval a cell.
    Each {
        /// Lower bounds, one a cell.
        lower: Vec<f64>,
        /// Upper bounds, one a cell.
        upper: Vec<f64>,
    },
}

impl Bounds {
    /// Nothing negative.
    pub fn nonnegative() -> Self {
        Self::Same { lower: 0.0, upper: f64::INFINITY }
    }

    /// The interval of a cell.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::constraint::Bounds;
    /// assert_eq!(Bounds::nonnegative().interval(3), (0.0, f64::INFINITY));
    /// ```
    pub fn interval(&self, cell: usize) -> (f64, f64) {
        match self {
            Self::None => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Same { lower, upper } => (*lower, *upper),
            Self::Each { lower, upper } => (lower[cell], upper[cell]),
        }
    }

    /// As many bounds as cells, each interval with a number in it.
    pub(crate) fn check(&self, cells: usize) -> Result<(), ProjectError> {
        match self {
            Self::None => Ok(()),
            Self::Same { lower, upper } => check::bounds(0, *lower, *upper),
            Self::Each { lower, upper } => {
                check::length("lower bounds", "cells", cells, lower.len())?;
                check::length("upper bounds", "cells", cells, upper.len())?;
                (0..cells).try_for_each(|cell| check::bounds(cell, lower[cell], upper[cell]))
            }
        }
    }
}

/// The number of `[lower, upper]` nearest to `x`; a bound that is reached is returned exactly.
pub(crate) fn clamp(x: f64, (lower, upper): (f64, f64)) -> f64 {
    if x <= lower {
        lower
    } else if x >= upper {
        upper
    } else {
        x
    }
}
