//! A column on a grid where squares are exact.

use crate::{
    Clip, Column, Setting, StatisticError,
    grids::{self, Gridded},
};

/// A column's name, grid and clip.
#[derive(Debug, Clone)]
pub(crate) struct OnGrid {
    pub(crate) name: String,
    pub(crate) gridded: Gridded,
    pub(crate) clip: Clip,
    /// The bounds that were asked for, of which the grid may lose a little.
    pub(crate) bounds: (f64, f64),
}

impl OnGrid {
    /// Puts a column on its grid for at most `rows` rows, if that many are known.
    ///
    /// # Errors
    /// [`StatisticError::ConstantColumn`] or [`StatisticError::SquaresTooWide`].
    pub(crate) fn new(kind: &'static str, column: &Column, rows: Option<u64>) -> Result<Self, StatisticError> {
        let Column { name, bounds } = column;
        if bounds.lower >= bounds.upper {
            return Err(StatisticError::ConstantColumn { kind, column: name.clone() });
        }
        let on_grid = |gridded: Gridded| Self {
            name: name.clone(),
            gridded,
            clip: Clip::on(bounds, &gridded),
            bounds: bounds.ends(),
        };
        // Errors of variances are about squared widths, and fourth powers of errors are summed.
        let holds = |column: &Self| column.span().powi(8).is_normal();
        grids::for_squares(bounds, rows).map(on_grid).filter(holds).ok_or_else(|| StatisticError::SquaresTooWide {
            column: name.clone(),
            lower: bounds.lower.to_f64(),
            upper: bounds.upper.to_f64(),
        })
    }

    /// `upper - lower` in steps.
    pub(crate) fn width(&self) -> i128 {
        i128::from(self.gridded.upper) - i128::from(self.gridded.lower)
    }

    /// `lower + upper` in steps: the middle in half steps.
    pub(crate) fn twice_middle(&self) -> i128 {
        i128::from(self.gridded.upper) + i128::from(self.gridded.lower)
    }

    /// The bounds in the column's unit.
    pub(crate) fn range(&self) -> (f64, f64) {
        let value = |steps: i64| self.gridded.grid.value(i128::from(steps));
        (value(self.gridded.lower), value(self.gridded.upper))
    }

    /// The middle of the bounds in the column's unit.
    pub(crate) fn middle(&self) -> f64 {
        0.5 * self.gridded.grid.value(self.twice_middle())
    }

    /// The width of the bounds in the column's unit.
    pub(crate) fn span(&self) -> f64 {
        self.gridded.grid.value(self.width())
    }
}

/// The public number of rows where each counts with every one of the columns.
///
/// # Errors
/// [`StatisticError::TooFewRows`] below two.
pub(crate) fn public_rows(
    kind: &'static str,
    setting: &Setting,
    columns: &[Column],
) -> Result<Option<u64>, StatisticError> {
    match setting.complete_rows(columns) {
        Some(rows) if rows < 2 => Err(StatisticError::TooFewRows { kind, rows }),
        rows => Ok(rows),
    }
}
