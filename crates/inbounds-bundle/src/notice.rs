//! What a reader has to know before using a number.
//!
//! A notice is data: the program finds it, the manifest keeps it, and terminal and page print the same sentence of it.
//!
//! Notices about rows follow from intervals for all numbers of rows that a release measured, which hold together but for
//! one release in [`ODDS_OF_FALSE_NOTICE`]; so rarely is any of its sentences about rows false.

pub(crate) mod rows;

use serde::{Deserialize, Serialize};

use crate::{Secret, figures::figure, odds};

pub use rows::{End, KnownRows};
use rows::{columns, listed, thousands};

/// Of so many releases one, on average and at most, has a notice about rows that is not true.
pub const ODDS_OF_FALSE_NOTICE: u32 = 1000;

/// A finding about released numbers that a reader has to know before using them.
///
/// ```
/// use inbounds_bundle::{KnownRows, Notice};
///
/// let notice = Notice::OutsideInterval { estimates: 2 };
/// assert_eq!(notice.sentence(), "2 estimates lie outside their own interval; do not quote them without it.");
/// let of = KnownRows::Public { rows: 20_200 };
/// let notice = Notice::RowsLost { counted: 0, of, by: vec!["plan".into()], columns: vec![], most_a_unit: None };
/// assert_eq!(
///     notice.sentence(),
///     "About 0 of 20,200 rows have a listed `plan`; the others are in none of these numbers."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Notice {
    /// Estimates that lie outside their own interval, as making numbers add up can move them there.
    OutsideInterval {
        /// How many.
        estimates: usize,
    },
    /// A level of a hierarchy whose estimates are further from the linear fit of all measurements than noise explains.
    Drift {
        /// The level.
        level: String,
        /// How far the furthest of its estimates is, in standard deviations of the linear fit.
        distance: f64,
        /// What noise alone passes so rarely.
        limit: f64,
        /// Largest probability that noise alone raises this notice at any level.
        false_alarm: f64,
    },
    /// Epsilon is so large that the guarantee leaves next to nothing to doubt ([`is_weak`](crate::is_weak)).
    WeakGuarantee {
        /// What the guarantee hides.
        secret: Secret,
        /// Epsilon of the whole release.
        epsilon: f64,
        /// Delta of the whole release.
        delta: f64,
    },
    /// Epsilon is split so finely that some statistic has a tenth of it or less.
    FineSplit {
        /// Number of statistics.
        statistics: usize,
        /// Epsilon of the whole release.
        epsilon: f64,
        /// Least epsilon of a statistic.
        least: f64,
    },
    /// The error to expect is not less than that of the middle of the range, published without any data.
    NoiseExceedsRange {
        /// Least root mean square error that is expected anywhere, in the unit of the statistic.
        rmse: f64,
        /// Width of the range, in the same unit.
        width: f64,
    },
    /// Intervals take up nine tenths of the range or more, so that their estimates tell nothing.
    IntervalsFillRange {
        /// Estimates with such an interval.
        estimates: usize,
        /// Number of estimates.
        of: usize,
    },
    /// Most estimates are smaller than the half width of their interval.
    LostInNoise {
        /// Estimates that are.
        estimates: usize,
        /// Number of estimates.
        of: usize,
    },
    /// A statistic is of fewer rows than there are, by more than one in a hundred.
    RowsLost {
        /// Rows that it is of, as measured.
        counted: u64,
        /// Rows that there are.
        of: KnownRows,
        /// Columns whose listed keys may leave rows out.
        by: Vec<String>,
        /// Columns whose missing values leave rows out.
        columns: Vec<String>,
        /// Rows of a privacy unit that count at most; none where a row is the unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most_a_unit: Option<u64>,
    },
    /// Rows in no listed cell, though the plan says that there are none and the shares are of all rows.
    SharesTooLarge {
        /// Rows in listed cells, as measured.
        counted: u64,
        /// The public number of rows.
        rows: u64,
        /// Grouping columns.
        by: Vec<String>,
    },
    /// A statistic is of more rows than the plan expects, by more than one in a hundred.
    MoreRows {
        /// Rows that it is of, as measured.
        counted: u64,
        /// Most rows that the plan expects.
        expected: u64,
    },
    /// All groups of a statistic together cannot be told from no rows at all.
    NoRows {
        /// Grouping columns; none for a statistic without groups.
        by: Vec<String>,
        /// Number of groups.
        groups: usize,
        /// Rows that they have together at most.
        at_most: u64,
    },
    /// At least half of the groups of a statistic have next to no rows, while others have some.
    EmptyGroups {
        /// Grouping columns.
        by: Vec<String>,
        /// Groups with next to no rows.
        empty: usize,
        /// Number of groups.
        groups: usize,
        /// Rows that each of the empty ones has at most.
        at_most: u64,
    },
    /// A mean lies within a hundredth of the width of its bounds from one of them.
    MeanAtBound {
        /// The column.
        column: String,
        /// Which bound.
        end: End,
        /// Its value.
        bound: f64,
    },
    /// An end bin, which takes all values beyond it too, has nine in ten of the values or more.
    ValuesInEndBin {
        /// The column.
        column: String,
        /// Which bin.
        end: End,
        /// Where the bin begins inwards.
        edge: f64,
        /// Percentage of the values that are at least in it.
        percent: u8,
    },
    /// The means of a model's classes are no further apart than noise alone puts those of classes that do not differ, in more
    /// than one of twenty draws.
    ClassesLikeNoise,
    /// Variances of a model that are smaller than the standard deviation of their noise.
    VariancesLikeNoise {
        /// How many.
        variances: usize,
        /// Of so many.
        of: usize,
    },
}

impl Notice {
    /// The notice as a complete sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::OutsideInterval { estimates: 1 } => {
                "1 estimate lies outside its own interval; do not quote it without it.".to_owned()
            }
            Self::OutsideInterval { estimates } => {
                format!("{estimates} estimates lie outside their own interval; do not quote them without it.")
            }
            Self::Drift { level, distance, limit, false_alarm } => format!(
                "Level `{level}` has drifted: an estimate lies {distance:.1} standard deviations from the least-squares fit of \
                 all measurements, and noise alone would pass {limit:.1} at any level in at most {:.1} % of releases. Bounds at \
                 other levels have moved it; quote its raw measurements instead.",
                100.0 * false_alarm
            ),
            Self::WeakGuarantee { secret, epsilon, delta } => odds::weakness(secret, *epsilon, *delta),
            Self::FineSplit { statistics, epsilon, least } => format!(
                "Epsilon {} is split over {statistics} statistics: the least part is {}, and its noise is about {} times that of \
                 one statistic alone. Ask for fewer statistics, or give those that matter a larger `share`.",
                figure(*epsilon),
                figure(*least),
                figure(epsilon / least)
            ),
            Self::NoiseExceedsRange { rmse, width } => format!(
                "The noise exceeds the range: an RMSE of {} or more is expected, and the middle of the range, published without \
                 any data, has {} on average over the range. Give this statistic more epsilon, more rows or fewer groups; \
                 narrower bounds make its error smaller.",
                figure(*rmse),
                figure(width / libm::sqrt(12.0))
            ),
            Self::IntervalsFillRange { estimates, of } => {
                let subject = match (estimates, of) {
                    (1, 1) => "This estimate tells nothing: its interval takes".to_owned(),
                    (1, _) => format!("1 of {of} estimates tells nothing: its interval takes"),
                    _ => format!("{estimates} of {of} estimates tell nothing: their intervals take"),
                };
                format!(
                    "{subject} up nine tenths of the range or more. More epsilon for this statistic, or fewer and larger groups, \
                     would help."
                )
            }
            Self::LostInNoise { estimates: 1, of: 1 } => "The estimate is smaller than its own plus-minus. More epsilon for this \
                statistic, or narrower bounds, would help."
                .to_owned(),
            Self::LostInNoise { estimates, of } => format!(
                "{estimates} of {of} estimates are smaller than their own plus-minus. More epsilon for this statistic, fewer and \
                 larger groups, or narrower bounds would help."
            ),
            Self::RowsLost { counted, of, by, columns, most_a_unit: None } => rows::lost(*counted, of, by, columns),
            Self::RowsLost { counted, of, by, columns, most_a_unit: Some(most) } => {
                rows::lost_beside_units(*counted, of, (by, columns), *most)
            }
            Self::SharesTooLarge { counted, rows, by } => format!(
                "About {} of {} rows have {}, but the plan says that all have (`total = \"rows\"`): these shares are too large. \
                 List every value, or remove `total`.",
                thousands(*counted),
                thousands(*rows),
                listed(by)
            ),
            Self::MoreRows { counted, expected } => format!(
                "About {} rows are counted here, and the plan expects at most {}.",
                thousands(*counted),
                thousands(*expected)
            ),
            Self::NoRows { by, at_most, .. } if by.is_empty() => format!(
                "The rows counted here cannot be told from none at all: there are at most {}.",
                thousands(*at_most)
            ),
            Self::NoRows { by, groups, at_most } => format!(
                "The rows with {} cannot be told from none at all: the {} listed groups have at most {} together.",
                listed(by),
                thousands(*groups as u64),
                thousands(*at_most)
            ),
            Self::EmptyGroups { by, empty, groups, at_most } => format!(
                "{} of the {} listed groups by {} have next to no rows, at most {} each.",
                thousands(*empty as u64),
                thousands(*groups as u64),
                columns(by, "and"),
                thousands(*at_most)
            ),
            Self::MeanAtBound { column, end, bound } => format!(
                "The mean of `{column}` is within a hundredth of the range from the {end} bound, {bound}: either most values \
                 are clipped to it, or the bounds are far wider than the values."
            ),
            Self::ClassesLikeNoise => "The classes of this model differ no more than noise alone makes classes differ, so its \
                                       predictions are no better than a guess: release it with more epsilon or fewer columns."
                .to_owned(),
            Self::VariancesLikeNoise { variances, of } => format!(
                "{variances} of the {of} variances of this model are smaller than their noise: they are guessed from the bounds and from the \
                 other classes, and their bias and RMSE are not known, whatever the table states."
            ),
            Self::ValuesInEndBin { column, end, edge, percent } => format!(
                "At least {percent} % of the values of `{column}` are in the {} bin, {} {edge}, which also takes all values \
                 beyond the edges.",
                end.bin(),
                end.side_of_edge()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, KnownRows, Notice};

    #[test]
    fn the_manifest_keeps_a_notice_by_its_id() {
        let notice = Notice::OutsideInterval { estimates: 1 };
        let json = serde_json::to_string(&notice).expect("serialises");
        assert_eq!(json, r#"{"id":"outside-interval","estimates":1}"#);
        assert_eq!(serde_json::from_str::<Notice>(&json).expect("reads"), notice);
    }

    #[test]
    fn lost_rows_are_said_by_what_lost_them() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let lost = |of: KnownRows, by: &[&str], columns: &[&str]| {
            Notice::RowsLost { counted: 14_814, of, by: names(by), columns: names(columns), most_a_unit: None }
                .sentence()
        };
        let public = || KnownRows::Public { rows: 20_293 };
        assert_eq!(
            lost(public(), &[], &["BPSysAve"]),
            "About 27 % of `BPSysAve` is missing: these numbers are of about 14,814 of 20,293 rows."
        );
        assert_eq!(
            lost(public(), &[], &["a", "b"]),
            "About 27 % of the rows have no value of `a` or `b`: these numbers are of about 14,814 of 20,293 rows."
        );
        assert_eq!(
            lost(KnownRows::Statistic { name: "people".into(), rows: 20_290 }, &["sex", "age"], &[]),
            "About 14,814 of about 20,290 rows of `people` have listed values of `sex` and `age`; the others are in \
             none of these numbers."
        );
        assert_eq!(
            lost(KnownRows::Expected { lower: 15_000, upper: 25_000 }, &["sex"], &["income"]),
            "About 14,814 of the 15,000 to 25,000 rows that the plan expects have a listed `sex` and a value of `income`; \
             the others are in none of these numbers."
        );
        assert_eq!(
            lost(KnownRows::Read { rows: 20_300 }, &[], &[]),
            "About 14,814 of about 20,300 rows that were read are in these numbers."
        );
    }

    /// Where units have several rows and only some of them count, a quotient of counts is no part of the cells.
    #[test]
    fn of_units_with_several_rows_no_part_is_said_to_be_missing() {
        let lost = |by: &[&str], columns: &[&str]| {
            let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let of = KnownRows::Statistic { name: "visits".into(), rows: 13_100 };
            let notice =
                Notice::RowsLost { counted: 12_207, of, by: names(by), columns: names(columns), most_a_unit: Some(2) };
            notice.sentence()
        };
        let end = "At most 2 rows of a unit count, chosen from those that can, so that a larger part of all rows may be left out.";
        let begin = "About 12,207 of about 13,100 rows of `visits` are in these numbers";
        assert_eq!(lost(&[], &["age"]), format!("{begin}, none without a value of `age`. {end}"));
        assert_eq!(
            lost(&["sex"], &["age"]),
            format!("{begin}, none without a listed `sex` and a value of `age`. {end}")
        );
        assert_eq!(lost(&["sex"], &[]), format!("{begin}, none without a listed `sex`. {end}"));
        assert_eq!(lost(&[], &[]), format!("{begin}. {end}"));
    }

    #[test]
    fn every_other_sentence_reads() {
        let by = vec!["plan".to_owned()];
        let said = [
            Notice::MoreRows { counted: 30_000, expected: 25_000 },
            Notice::SharesTooLarge { counted: 12_000, rows: 20_293, by: by.clone() },
            Notice::NoRows { by: vec![], groups: 1, at_most: 17 },
            Notice::NoRows { by: by.clone(), groups: 3, at_most: 44 },
            Notice::EmptyGroups { by, empty: 2, groups: 3, at_most: 17 },
            Notice::MeanAtBound { column: "share".into(), end: End::Lower, bound: 0.0 },
            Notice::ValuesInEndBin { column: "age".into(), end: End::Upper, edge: 90.0, percent: 97 },
            Notice::ClassesLikeNoise,
            Notice::VariancesLikeNoise { variances: 3, of: 8 },
        ]
        .map(|notice| notice.sentence());
        let expected = [
            "About 30,000 rows are counted here, and the plan expects at most 25,000.",
            "About 12,000 of 20,293 rows have a listed `plan`, but the plan says that all have (`total = \"rows\"`): these shares \
             are too large. List every value, or remove `total`.",
            "The rows counted here cannot be told from none at all: there are at most 17.",
            "The rows with a listed `plan` cannot be told from none at all: the 3 listed groups have at most 44 together.",
            "2 of the 3 listed groups by `plan` have next to no rows, at most 17 each.",
            "The mean of `share` is within a hundredth of the range from the lower bound, 0: either most values are clipped \
             to it, or the bounds are far wider than the values.",
            "At least 97 % of the values of `age` are in the last bin, above 90, which also takes all values beyond the \
             edges.",
            "The classes of this model differ no more than noise alone makes classes differ, so its predictions are no better \
             than a guess: release it with more epsilon or fewer columns.",
            "3 of the 8 variances of this model are smaller than their noise: they are guessed from the bounds and from the other \
             classes, and their bias and RMSE are not known, whatever the table states.",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn sentences_on_noise_have_their_figures() {
        let split = Notice::FineSplit { statistics: 15, epsilon: 1.0, least: 1.0 / 15.0 };
        assert!(split.sentence().starts_with(
            "Epsilon 1 is split over 15 statistics: the least part is 0.06667, and its noise is about 15 times"
        ));
        let wide = Notice::NoiseExceedsRange { rmse: 47.123, width: 120.0 };
        // 120 / sqrt(12).
        assert!(wide.sentence().contains("RMSE of 47.12 or more") && wide.sentence().contains("has 34.64 on average"));
        assert!(Notice::LostInNoise { estimates: 3, of: 4 }.sentence().starts_with("3 of 4 estimates are smaller"));
        assert!(
            Notice::IntervalsFillRange { estimates: 1, of: 1 }.sentence().starts_with("This estimate tells nothing")
        );
    }
}
