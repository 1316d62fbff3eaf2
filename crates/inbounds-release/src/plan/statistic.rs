//! Statistics that the plan asks for.

use inbounds_core::Rational;
use inbounds_data::SetColumn;
use inbounds_input::document::Spanned;
use inbounds_mechanisms::partition::KeyNoise;
use inbounds_statistics::OutputRange;

use super::{IntervalChoice, Levels, Margins, MechanismChoice, Plan, PossibleFile, PublicNumbers, StatisticKind, Want};

/// One `[[statistic]]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistic {
    /// Unique name of ASCII letters, digits, `_` and `-`.
    pub name: Spanned<String>,
    /// Its label, for people.
    pub label: Option<String>,
    /// Quantity that is computed in each cell.
    pub kind: StatisticKind,
    /// Grouping columns, in order; empty for one number over all rows.
    pub by: Vec<Spanned<String>>,
    /// Public file that lists the cells, relative to the plan's folder; `None` if the columns list their values.
    pub keys: Option<Spanned<String>>,
    /// Public files of the combinations of some grouping columns that can occur; other combinations are no cells.
    pub possible: Vec<PossibleFile>,
    /// The noise by which its keys are learned from the rows, with the values of the columns that list theirs; `None`
    /// where they are listed. Placed at the name where the plan leaves it out.
    pub learn_keys: Spanned<Option<KeyNoise>>,
    /// Where all keys that can be get noise, without delta: how many cells without rows may be published on average.
    pub spurious: Option<Spanned<Rational>>,
    /// SQL condition on rows, as written; whether it is valid SQL is for the engine to say.
    pub filter: Option<Spanned<String>>,
    /// Part of the epsilon that wants leave, which is the total where there are none; given on all statistics without a
    /// want or on none.
    pub share: Option<Spanned<Rational>>,
    /// Wanted accuracies, all of which it is to reach, and from which its part of epsilon follows; never beside a
    /// share.
    pub want: Vec<Spanned<Want>>,
    /// Mechanism that makes the value noisy and keeps it inside its range; placed at the name where the plan leaves it
    /// out.
    pub mechanism: Spanned<MechanismChoice>,
    /// True if noise that needs no delta spends its part of it too, where that spares a hundredth of the error or more;
    /// placed at the name where the plan leaves it out.
    pub spend_delta: Spanned<bool>,
    /// Range of the published value; placed at the name where the plan leaves it out.
    pub range: Spanned<OutputRange>,
    /// Levels at which a grouped count, sum or mean is measured, if it is to add up; `None` for cells by themselves.
    pub levels: Option<Levels>,
    /// Margins in which a grouped count, sum or mean is measured, if they are to add up; with levels, those of a table
    /// at every level.
    pub margins: Option<Margins>,
    /// Numbers of cells of levels or margins that are public, which a count with them meets exactly.
    pub public: Vec<Spanned<PublicNumbers>>,
    /// True if intervals are for the population of which the rows are a random sample, not for the rows; placed at the
    /// name where the plan leaves it out.
    pub population: Spanned<bool>,
    /// Its intervals.
    pub interval: IntervalChoice,
}

impl Statistic {
    /// `true` if its noise may spend delta, which it needs or is given.
    pub fn spends_delta(&self) -> bool {
        self.learn_keys.value.is_none() && (self.spend_delta.value || self.mechanism.value.entry().needs_delta())
    }

    /// Its name for people, with its name in the bundle: the label before the name, or the name.
    pub fn called(&self) -> String {
        let name = &self.name.value;
        self.label.as_ref().map_or_else(|| name.clone(), |label| format!("{label} ({name})"))
    }

    /// The columns whose values it reads; none for counts and proportions.
    pub fn columns(&self) -> Vec<&Spanned<String>> {
        self.kind.planned().columns()
    }

    /// Columns of `by` in each of whose groups shares add up to 1; none for shares of all cells, and for all that are
    /// no shares.
    pub fn within(&self) -> &[Spanned<String>] {
        match &self.kind {
            StatisticKind::Proportion(shares) => shares.within(),
            _ => &[],
        }
    }

    /// The edges that the plan gives a statistic that has bins.
    pub fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        self.kind.planned().edges()
    }

    /// The column of a statistic that reads one.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match self.columns()[..] {
            [column] => Some(column),
            _ => None,
        }
    }
}

impl Plan {
    /// The column of several values among those by which a statistic is grouped, if there is one.
    pub(crate) fn set_of(&self, statistic: &Statistic) -> Option<SetColumn> {
        statistic.by.iter().find_map(|column| self.column(&column.value)?.set())
    }

    /// The least and the largest number of rows that it makes public or expects.
    pub(crate) fn rows_said(&self) -> Option<(u64, u64)> {
        let public = self.privacy.rows.as_ref().map(|rows| (rows.value, rows.value));
        public.or(self.data.expect_rows.as_ref().map(|rows| rows.value))
    }
}
