//! Levels of a statistic.

use inbounds_core::Rational;
use inbounds_input::document::Spanned;

use crate::projection::Fit;

/// The levels of a grouped statistic, coarsest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// [`Levels::ALL`], or the last column of the part of `by` that distinguishes the cells of the level. The last
    /// level has the cells of the statistic.
    pub names: Vec<Spanned<String>>,
    /// Division of epsilon; placed at the name of the statistic where the plan leaves it out.
    pub shares: Spanned<LevelShares>,
    /// Fit that makes the levels add up.
    pub fit: Fit,
}

impl Levels {
    /// The level of the total over all listed cells.
    pub const ALL: &str = "all";
}

/// Division of a statistic's epsilon among its levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelShares {
    /// Equal parts.
    Even,
    /// The parts that gain most on average over the levels, by the public tree alone, where no level has an RMSE more
    /// than 5 % above that of equal parts.
    Balanced,
    /// Parts that add up to 1, one a level; a level with none is not measured, and the last has one.
    Given(Vec<Rational>),
}
