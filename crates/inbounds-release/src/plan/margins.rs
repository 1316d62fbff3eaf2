//! Margins of a statistic.

use inbounds_core::Rational;
use inbounds_data::KeyValue;
use inbounds_input::document::Spanned;
use inbounds_project::table::Axes;

use crate::projection::Fit;

/// The margins of a grouped count, sum or mean: tables by some of its grouping columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margins {
    /// Those that the plan lists, each a set of columns of `by`; the empty set is the total. Every margin of one of
    /// them is published too, unless tables at every level are of the listed ones alone.
    pub sets: Spanned<Vec<MarginColumns>>,
    /// True if margins are published that the plan does not list.
    pub every: bool,
    /// Division of epsilon; placed at the name of the statistic where the plan leaves it out.
    pub shares: Spanned<MarginShares>,
    /// Fit of small numbers; never [`Fit::Joint`].
    pub fit: Fit,
}

/// Margins that are counted, in place of the cells of their table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedMargins {
    /// The values of each grouping column.
    pub values: Vec<Vec<KeyValue>>,
    /// The columns of each margin, as places among the grouping columns, in ascending order.
    pub margins: Vec<Vec<usize>>,
}

/// The columns of a margin, as the plan lists them.
pub type MarginColumns = Spanned<Vec<Spanned<String>>>;

/// The margins that are part of no other, as places of columns in `by`, in the order of the list; none if one names
/// another column, or there are too many columns.
pub(crate) fn largest_margins(margins: &[MarginColumns], by: &[Spanned<String>]) -> Option<Vec<Axes>> {
    let place = |column: &Spanned<String>| by.iter().position(|by| by.value == column.value);
    if by.len() > Axes::MOST {
        return None;
    }
    let axes = |margin: &MarginColumns| Some(Axes::new(margin.value.iter().map(place).collect::<Option<Vec<_>>>()?));
    let all: Vec<Axes> = margins.iter().map(axes).collect::<Option<_>>()?;
    Some(all.iter().copied().filter(|axes| axes.is_largest(all.iter().copied())).collect())
}

/// The first margin that is not part of a largest one of three columns or more, which the solver of tables does not
/// take.
pub(crate) fn beside_large(margins: &[Axes]) -> Option<usize> {
    let large = margins.iter().find(|axes| axes.count() > 2 && axes.is_largest(margins.iter().copied()))?;
    margins.iter().position(|other| !large.includes(*other))
}

/// Division of a statistic's epsilon among the margins that the plan lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarginShares {
    /// Equal parts.
    Even,
    /// The parts that gain most on average over the margins where none has an RMSE more than 5 % above that of equal
    /// parts.
    Balanced,
    /// The parts with the least mean square error over all cells of the listed margins.
    LeastError,
    /// Parts that add up to 1, one a margin; one with none is not measured, and one that is part of no other has one.
    Given(Vec<Rational>),
}
