//! Noisy counts of how the rows were read, for a small part of epsilon.

use inbounds_mechanisms::registry::Entry;
use serde::{Deserialize, Serialize};

use crate::{
    Exact, Id,
    figures::{percent, thousands},
    notice_level::at_level,
};

/// Noisy counts of the rows and of how their cells were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagnosticsEntry {
    /// Exact cost of the counts, part of the epsilon that the release spent.
    pub epsilon: Exact,
    /// Registered name of the mechanism.
    pub mechanism: Id<&'static Entry>,
    /// Exact inverse scale of the discrete Laplace noise of each count, per row.
    pub inverse_scale: Option<Exact>,
    /// Largest change of all counts together by one privacy unit.
    pub sensitivity: u64,
    /// The rule it came from: an id in `refs/claims.toml`.
    pub rule: String,
    /// Meaning of a row.
    #[serde(default)]
    pub rows_are: RowsAre,
    /// Rows that were read; public or measured.
    pub rows: RowsEntry,
    /// Rows of a privacy unit that count at most, so that `rows` are those that can count; none where a row is the
    /// unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_a_unit: Option<u64>,
    /// One entry a grouping column.
    pub listed: Vec<ListedEntry>,
    /// One entry a column whose numbers are read.
    pub columns: Vec<NumbersEntry>,
}

/// Meaning of a row in the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowsAre {
    /// A row of the files.
    #[default]
    Rows,
    /// A privacy unit, whose rows are made into one.
    Units,
}

/// The number of rows that were read, those of a unit beyond its bound left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "known", rename_all = "kebab-case")]
pub enum RowsEntry {
    /// It is public.
    Public {
        /// Number of rows.
        rows: u64,
    },
    /// It was measured.
    Measured {
        /// The noisy count.
        rows: CountEntry,
    },
}

/// A noisy count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CountEntry {
    /// The noisy count as drawn; it may be negative.
    pub measured: i64,
    /// Ends of its 95 % interval.
    pub interval: (u64, u64),
}

/// Rows whose key is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedEntry {
    /// The grouping column.
    pub column: String,
    /// Rows with one of its listed keys.
    pub rows: CountEntry,
}

/// Readings of the cells of a column of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumbersEntry {
    /// The column.
    pub column: String,
    /// Its bounds, or the outer edges of its bins.
    pub bounds: (f64, f64),
    /// Rows whose number is below the bounds.
    pub below: CountEntry,
    /// Rows whose number is within them.
    pub within: CountEntry,
    /// Rows whose number is above them.
    pub above: CountEntry,
    /// Rows without a number: what the others leave of the rows, with an interval for the noise of all of them.
    #[serde(default)]
    pub missing: Option<CountEntry>,
}

impl RowsAre {
    /// The word for them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Units => "units",
        }
    }

    /// The rows that were read, as a subject with its verb.
    fn were(self) -> &'static str {
        match self {
            Self::Rows => "rows were",
            Self::Units => "units, each of them one row, were",
        }
    }
}

impl RowsEntry {
    /// The number of rows, as measured where it is not public.
    pub fn rows(&self) -> u64 {
        match self {
            Self::Public { rows } => *rows,
            Self::Measured { rows } => rows.rows(),
        }
    }
}

impl CountEntry {
    /// The count as a number of rows.
    fn rows(&self) -> u64 {
        u64::try_from(self.measured).unwrap_or(0)
    }

    /// Margin of error at 95 %, either way: the longer side of the interval, as ends of a range shorten the other.
    fn margin(&self) -> String {
        thousands(self.half_width())
    }

    /// The longer side of its interval, in rows.
    pub fn half_width(&self) -> u64 {
        let (lower, upper) = self.interval;
        let rows = self.rows();
        upper.saturating_sub(rows).max(rows.saturating_sub(lower))
    }
}

impl DiagnosticsEntry {
    /// Findings, one sentence each: the rows, the grouping columns, the columns of numbers.
    pub fn sentences(&self) -> Vec<String> {
        let rows = self.rows.rows();
        let read = match (&self.rows, self.most_a_unit) {
            (RowsEntry::Public { .. }, _) => format!("{} {} read.", thousands(rows), self.rows_are.were()),
            (RowsEntry::Measured { rows: count }, None) => {
                let (were, margin) = (self.rows_are.were(), count.margin());
                format!("About {} {were} read (± {margin} {}).", thousands(rows), at_level())
            }
            // How many others were read was not measured.
            (RowsEntry::Measured { rows: count }, Some(most)) => format!(
                "About {} rows can count (± {} {}), at most {most} of each unit; the counts below are of these.",
                thousands(rows),
                count.margin(),
                at_level()
            ),
        };
        let all = match &self.rows {
            RowsEntry::Public { rows } => CountEntry { measured: *rows as i64, interval: (*rows, *rows) },
            RowsEntry::Measured { rows } => *rows,
        };
        let listed = self.listed.iter().map(|one| one.sentence(&all, self.rows_are));
        let columns = self.columns.iter().map(|one| one.sentence(&all));
        std::iter::once(read).chain(listed).chain(columns).collect()
    }
}

impl ListedEntry {
    fn sentence(&self, all: &CountEntry, rows_are: RowsAre) -> String {
        let (counted, margin, share) = (thousands(self.rows.rows()), self.rows.margin(), share(&self.rows, all));
        let (word, column) = (rows_are.word(), &self.column);
        format!("About {counted} {word} (± {margin} {}) have a listed `{column}`: {share} of all.", at_level())
    }
}

impl NumbersEntry {
    fn sentence(&self, all: &CountEntry) -> String {
        let [below, within, above] = [self.below, self.within, self.above].map(|count| count.measured);
        let left = all.measured - (below + within + above);
        let missing = match &self.missing {
            Some(missing) => format!("{} (± {} rows {})", share(missing, all), missing.margin(), at_level()),
            // What bundles of an earlier version say.
            None => format!("{} %", percent(u64::try_from(left).unwrap_or(0), all.rows())),
        };
        let beyond = |count: &CountEntry| format!("{} (± {})", thousands(count.rows()), count.margin());
        let (lower, upper) = self.bounds;
        format!(
            "Of `{}` {missing} is missing; about {} values are below {lower} and {} above {upper}.",
            self.column,
            beyond(&self.below),
            beyond(&self.above)
        )
    }
}

/// Which part of all rows a count is, as far as the noise of both tells: one number where it tells to a few percent,
/// else a range.
fn share(part: &CountEntry, all: &CountEntry) -> String {
    let ((lower, upper), (least, most)) = (part.interval, all.interval);
    let low = percent(lower, most.max(1)).min(100);
    let high = if least == 0 { 100 } else { percent(upper.min(least), least) };
    if high <= low + 3 {
        format!("about {} %", percent(part.rows(), all.rows()).clamp(low, high.max(low)))
    } else {
        format!("{low} to {high} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_said_in_words() {
        let count = |measured: i64| {
            let rows = u64::try_from(measured).unwrap_or(0);
            CountEntry { measured, interval: (rows.saturating_sub(9), rows + 9) }
        };
        let entry = DiagnosticsEntry {
            epsilon: Exact("0.01".parse().expect("a number")),
            mechanism: Id::Known(inbounds_mechanisms::registry::default()),
            inverse_scale: None,
            sensitivity: 3,
            rule: "survey-counts".into(),
            rows_are: RowsAre::Rows,
            rows: RowsEntry::Measured { rows: count(20_290) },
            most_a_unit: None,
            listed: vec![ListedEntry { column: "plan".into(), rows: count(-7) }],
            columns: vec![NumbersEntry {
                column: "BPSysAve".into(),
                bounds: (70.0, 240.0),
                below: count(-3),
                within: count(14_800),
                above: count(12),
                missing: Some(CountEntry { measured: 5481, interval: (5460, 5502) }),
            }],
        };
        assert_eq!(
            entry.sentences(),
            [
                "About 20,290 rows were read (± 9 at 95 %).",
                "About 0 rows (± 9 at 95 %) have a listed `plan`: about 0 % of all.",
                "Of `BPSysAve` about 27 % (± 21 rows at 95 %) is missing; about 0 (± 9) values are below 70 and 12 (± 9) above \
                 240.",
            ]
        );
        // As much noise as there are rows: no part is more than all, and none is said that the noise could hide.
        let few = CountEntry { measured: 20, interval: (0, 41) };
        let more = CountEntry { measured: 25, interval: (4, 46) };
        assert_eq!([share(&more, &few), share(&few, &more)], ["10 to 100 %", "0 to 100 %"]);
        let some = CountEntry { measured: 130, interval: (90, 170) };
        let hundreds = CountEntry { measured: 500, interval: (480, 520) };
        assert_eq!([share(&some, &hundreds), share(&hundreds, &hundreds)], ["17 to 35 %", "92 to 100 %"]);
        let of_units = DiagnosticsEntry { most_a_unit: Some(2), ..entry.clone() };
        assert_eq!(
            of_units.sentences()[0],
            "About 20,290 rows can count (± 9 at 95 %), at most 2 of each unit; the counts below are of these."
        );
        let made = DiagnosticsEntry { rows_are: RowsAre::Units, ..entry.clone() };
        assert_eq!(made.sentences()[0], "About 20,290 units, each of them one row, were read (± 9 at 95 %).");
        let json = serde_json::to_string(&entry).expect("serialises");
        assert_eq!(serde_json::from_str::<DiagnosticsEntry>(&json).expect("reads"), entry);
    }
}
