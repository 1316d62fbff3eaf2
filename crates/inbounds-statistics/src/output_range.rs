//! The range in which estimates are published.

use inbounds_core::{CoreError, Grid, Rational, StepRange};

use crate::StatisticError;

/// The range in which estimates are published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputRange {
    /// The range that follows from the kind, the bounds and the design.
    #[default]
    Natural,
    /// No range: estimates are the raw, unbiased measurements.
    Unbounded,
    /// The natural range cut to declared public bounds.
    Declared {
        /// Lower end, if declared.
        lower: Option<Rational>,
        /// Upper end, if declared.
        upper: Option<Rational>,
    },
}

impl OutputRange {
    /// The natural range cut to what is declared, moved inward onto the grid; a value is
    /// `steps * grid spacing / divisor`.
    ///
    /// # Errors
    /// [`StatisticError::EmptyRange`] where nothing is left, [`StatisticError::Core`] for an end beyond every grid
    /// point.
    pub(crate) fn in_steps(
        &self,
        (grid, divisor): (Grid, u64),
        (natural_lower, natural_upper): (Option<i128>, Option<i128>),
    ) -> Result<StepRange, StatisticError> {
        let (lower, upper) = match self {
            Self::Unbounded => return Ok(StepRange::UNBOUNDED),
            Self::Natural => (None, None),
            Self::Declared { lower, upper } => {
                let scaled = |value: &Rational| value * &Rational::from(u128::from(divisor));
                let inside = |value: &Rational, steps: Option<i128>| {
                    steps.ok_or_else(|| CoreError::parameter("range", value, "within 2^120 grid steps"))
                };
                let lower = lower.as_ref().map(|l| inside(l, grid.ceil(&scaled(l)))).transpose()?;
                let upper = upper.as_ref().map(|u| inside(u, grid.floor(&scaled(u)))).transpose()?;
                (lower, upper)
            }
        };
        let lower = natural_lower.max(lower);
        let upper = [natural_upper, upper].into_iter().flatten().min();
        StepRange::new(lower, upper).map_err(|_| {
            let value = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| grid.value(steps) / divisor as f64);
            StatisticError::EmptyRange {
                lower: value(natural_lower, f64::NEG_INFINITY),
                upper: value(natural_upper, f64::INFINITY),
            }
        })
    }

    /// The natural range cut to what is declared, for estimates that lie on no grid: the ends stay as they are.
    ///
    /// # Errors
    /// [`StatisticError::UnboundedRatio`] and [`StatisticError::EmptyRange`].
    pub(crate) fn of_ratio(&self, (lowest, highest): (f64, f64)) -> Result<(f64, f64), StatisticError> {
        let (lower, upper) = match self {
            Self::Unbounded => return Err(StatisticError::UnboundedRatio),
            Self::Natural => (lowest, highest),
            Self::Declared { lower, upper } => {
                let end = |end: &Option<Rational>, natural: f64| end.as_ref().map_or(natural, Rational::to_f64);
                (end(lower, lowest).max(lowest), end(upper, highest).min(highest))
            }
        };
        if lower < upper {
            Ok((lower, upper))
        } else {
            Err(StatisticError::EmptyRange { lower: lowest, upper: highest })
        }
    }
}
