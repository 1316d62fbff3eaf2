//! Notices to read before a number is used.
//!
//! A notice is data: the program finds it, the manifest keeps it, and terminal and page print the same sentence for it.
//!
//! Notices about rows follow from intervals for all numbers of rows that a release measured, which hold together but
//! for one release in [`ODDS_OF_FALSE_NOTICE`]; so rarely is any of its sentences about rows false.

mod among;
mod input;
mod moment;
pub(crate) mod rows;

use serde::{Deserialize, Serialize};

use crate::{Exact, Reason, Secret, TotalLabelEntry, figures::figure, odds};

use crate::figures::thousands;
pub use among::Among;
pub use moment::Moment;
pub use rows::{End, KnownRows};
use rows::{columns, listed};

/// On average at most one release in this many has a notice about rows that is not true.
pub const ODDS_OF_FALSE_NOTICE: u32 = 1000;

/// A finding about released numbers that a reader has to know before using them.
///
/// ```
/// use inbounds_bundle::{KnownRows, Notice};
///
/// let notice = Notice::OutsideInterval { estimates: 2 };
/// assert_eq!(notice.sentence(), "2 estimates lie outside their own intervals; do not quote them without these.");
/// let of = KnownRows::Public { rows: 20_200 };
/// let by = vec!["plan".into()];
/// let notice = Notice::RowsLost { counted: 0, margin: Some(11), of, by, columns: vec![], most_a_unit: None };
/// assert_eq!(
///     notice.sentence(),
///     "About 0 (± 11 at 95 %) of 20,200 rows have a listed `plan`; the others are in none of these numbers."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Notice {
    /// Values of attributes that were read as sums over these.
    TotalLabels {
        /// The values.
        labels: Vec<TotalLabelEntry>,
    },
    /// A value of an attribute that is the sum of the others in every slice, as far as noise shows.
    EqualsSum {
        /// The attribute.
        attribute: String,
        /// The value.
        value: String,
        /// Slices in which it was compared.
        slices: usize,
        /// Largest probability of this notice on a value that is spread evenly between zero and twice the sum of the
        /// others.
        false_alarm: f64,
    },
    /// Numbers that are further below zero than noise explains, although nothing was allowed to be negative.
    BelowZero {
        /// Count of these numbers.
        numbers: usize,
        /// The one of which noise explains least.
        node: String,
        /// Its measurement or least-squares fit.
        value: f64,
        /// The standard deviation of that.
        deviation: f64,
        /// Largest probability of this notice where no true number is negative.
        false_alarm: f64,
    },
    /// Nodes with one name that were taken for different ones because their parents differ.
    SameName {
        /// Their names in the estimates.
        nodes: Vec<String>,
    },
    /// Estimates that lie outside their own interval, as making numbers add up can move them there.
    OutsideInterval {
        /// Count of these estimates.
        estimates: usize,
    },
    /// Estimates that are further from the linear fit of all measurements than noise explains.
    Drift {
        /// Which estimates.
        #[serde(flatten)]
        among: Among,
        /// Largest distance of such an estimate from the linear fit, in standard deviations of that fit.
        distance: f64,
        /// Limit that noise alone exceeds no more often than `false_alarm` says.
        limit: f64,
        /// Largest probability that noise alone raises this notice anywhere.
        false_alarm: f64,
    },
    /// Estimates whose simulated error is larger than that of the linear fit of all measurements, which heeds no
    /// bounds.
    BoundsCost {
        /// Which estimates.
        #[serde(flatten)]
        among: Among,
        /// Their simulated RMSE, in units of that of the linear fit.
        ratio: f64,
    },
    /// Epsilon is so large that the guarantee leaves next to nothing to doubt ([`is_weak`](crate::is_weak)).
    WeakGuarantee {
        /// Fact that the guarantee hides.
        secret: Secret,
        /// Epsilon of the whole release.
        epsilon: f64,
        /// Delta of the whole release.
        delta: f64,
    },
    /// Noise that may spend delta has none, since it would spare less than a hundredth of the error.
    DeltaUnspent {
        /// Names of the statistics.
        statistics: Vec<String>,
    },
    /// Noise is a factor, so that its error is a part of the answer.
    NoiseIsFactor {
        /// Scale of the logarithm.
        log_scale: f64,
        /// RMSE as a part of the answer, far from the ends; none where the variance is infinite but for an upper end.
        relative_rmse: Option<f64>,
        /// Answers above which noise that is added has the smaller RMSE, in the unit of the statistic.
        added_is_better_above: Option<f64>,
    },
    /// The plan warrants that no row can change the types of the columns, which choose grids and readings.
    PublicTypes,
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
    /// Many cells are kept in their range one by one, and what that moves them by adds up in their sums.
    BiasAddsUp {
        /// Number of cells.
        cells: usize,
        /// Largest bias of each, at the end of the range.
        bias: f64,
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
    /// Rows are left out of a statistic, by what was measured of them beside it: more than one in a hundred or, where
    /// the number of rows is not known, any.
    LeftOut {
        /// Why.
        #[serde(flatten)]
        reason: Reason,
        /// Rows that are left out for this reason, as measured.
        rows: u64,
        /// Half the width of a 95 % interval for them.
        margin: u64,
        /// Rows that are left out for it or count, as measured; none where the number of those that count is not, or
        /// where some rows stand for an unknown number.
        of: Option<u64>,
        /// The column that says how many rows each line of the data stands for, where a line that does not say it is
        /// left out and counts here as one row.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frequency: Option<String>,
    },
    /// A statistic is of fewer rows than there are, by more than one in a hundred.
    RowsLost {
        /// Rows that it is of, as measured.
        counted: u64,
        /// Half the width of a 95 % interval for them; `None` in bundles of versions that did not write it.
        #[serde(default)]
        margin: Option<u64>,
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
    /// Public numbers that measured cells contradict by more than noise.
    PublicNumbersContradicted {
        /// How many of them.
        numbers: usize,
        /// Public numbers that measured cells add up to.
        of: usize,
        /// Columns and values of the cell that differs most; none for the total.
        cell: Option<String>,
        /// Its public number.
        public: u64,
        /// Rows that its measured cells add up to.
        counted: u64,
        /// Largest error of that sum either way.
        margin: Option<u64>,
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
        /// True for a statistic with a `where`, which may let no row pass.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        filtered: bool,
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
    /// The means of a model's classes are no further apart than noise alone puts those of classes that do not differ,
    /// in more than one of twenty draws.
    ClassesLikeNoise,
    /// Variances of a model that are smaller than the standard deviation of their noise.
    VariancesLikeNoise {
        /// Such variances.
        variances: usize,
        /// Number of variances.
        of: usize,
    },
    /// Estimates that are too far from a moment of the column that the plan says is public, so that the error that was
    /// wanted is not promised.
    MomentContradicted {
        /// Which moment.
        moment: Moment,
        /// Its value in the plan.
        stated: Exact,
        /// Estimates that contradict it.
        estimates: usize,
        /// Out of how many.
        of: usize,
    },
}

impl Notice {
    /// `true` for a notice that numbers may be wrong as a whole, which is why it stands before them.
    pub fn comes_first(&self) -> bool {
        matches!(self, Self::EqualsSum { .. } | Self::BelowZero { .. })
    }

    /// The notice as a complete sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::TotalLabels { labels } => input::total_labels(labels),
            Self::EqualsSum { attribute, value, slices, false_alarm } => {
                input::equals_sum(attribute, value, *slices, *false_alarm)
            }
            Self::BelowZero { numbers, node, value, deviation, false_alarm } => {
                input::below_zero(*numbers, node, (*value, *deviation), *false_alarm)
            }
            Self::SameName { nodes } => input::same_name(nodes),
            Self::OutsideInterval { estimates: 1 } => {
                "1 estimate lies outside its own interval; do not quote it without the interval.".to_owned()
            }
            Self::OutsideInterval { estimates } => {
                format!("{estimates} estimates lie outside their own intervals; do not quote them without these.")
            }
            Self::Drift { among, distance, limit, false_alarm } => among.drifted(*distance, *limit, *false_alarm),
            Self::BoundsCost { among, ratio } => among.worse(*ratio),
            Self::WeakGuarantee { secret, epsilon, delta } => odds::weakness(secret, *epsilon, *delta),
            Self::PublicTypes => "The guarantee holds if no row can change the types of the columns in the data, as `types = \"public\"` in the plan \
                                  says. They choose the grid of the noise. Types that a program inferred from the rows break it: declare the `type` \
                                  of each column instead."
                .to_owned(),
            Self::FineSplit { statistics, epsilon, least } => format!(
                "Epsilon {} is split over {statistics} statistics: the least part is {}, and its noise is about {} times that of \
                 one statistic alone. Ask for fewer statistics, or give those that matter a larger `share`.",
                figure(*epsilon),
                figure(*least),
                figure(epsilon / least)
            ),
            Self::DeltaUnspent { statistics } => format!(
                "{} {} no delta, although the plan has `spend_delta`: it would spare less than a hundredth of the RMSE. What is published \
                 of {} keeps epsilon with certainty.",
                columns(statistics, "and"),
                if statistics.len() == 1 { "spends" } else { "spend" },
                if statistics.len() == 1 { "it" } else { "them" }
            ),
            Self::NoiseIsFactor { log_scale, relative_rmse: Some(relative), added_is_better_above } => {
                let better = added_is_better_above.map_or_else(String::new, |above| {
                    format!(
                        " For answers above {} noise that is added, as by mechanism = \"clamped\", has the smaller RMSE.",
                        figure(above)
                    )
                });
                format!(
                    "The noise is a factor: far from the ends of the range the RMSE of the measurement is {} % of the answer, whatever that is. Its \
                     logarithm has the scale {}, which is below 1, so that there is a mean, for which the measurement is corrected, and below 1/2, so \
                     that there is a variance.{better}",
                    figure(100.0 * relative),
                    figure(*log_scale)
                )
            }
            Self::NoiseIsFactor { log_scale, relative_rmse: None, .. } => format!(
                "The noise is a factor whose logarithm has the scale {}. That is not below 1/2, so that the measurement has no finite variance{}, and it \
                 is not corrected for a bias: the answer is its median, and half of all measurements are within a factor of {} of it. The range \
                 alone bounds the error of the estimate. With more epsilon, or a higher lower end of the range, there is a variance.",
                figure(*log_scale),
                if *log_scale < 1.0 { "" } else { " and no finite mean" },
                figure(libm::exp(log_scale * std::f64::consts::LN_2))
            ),
            Self::NoiseExceedsRange { rmse, width } => format!(
                "The noise exceeds the range: an RMSE of {} or more is expected, and the middle of the range, published without \
                 any data, has {} on average over the range. Give this statistic more epsilon, more rows or fewer groups; \
                 narrower bounds make its error smaller.",
                figure(*rmse),
                figure(width / libm::sqrt(12.0))
            ),
            Self::BiasAddsUp { cells, bias } => format!(
                "Each of the {} cells is kept in its range by itself, with a bias of up to {} where it is empty or nearly so. Added up, cells that \
                 are mostly so are off by up to {}, on one side. Sums of cells belong in `levels` or `margins`, whose totals have no such bias; \
                 or add up the raw measurements.",
                thousands(*cells as u64),
                figure(*bias),
                figure(*cells as f64 * bias)
            ),
            Self::IntervalsFillRange { estimates, of: total } => {
                let subject = match (estimates, total) {
                    (1, 1) => "This estimate is too uncertain to use: its interval takes".to_owned(),
                    (1, _) => format!("1 of {total} estimates is too uncertain to use: its interval takes"),
                    _ => format!("{estimates} of {total} estimates are too uncertain to use: their intervals take"),
                };
                format!(
                    "{subject} up nine tenths of the range or more. More epsilon for this statistic, or fewer and larger groups, \
                     would help."
                )
            }
            Self::LostInNoise { estimates: 1, of: 1 } => "The estimate is smaller than its own plus-minus. More epsilon for this \
                statistic, or narrower bounds, would help."
                .to_owned(),
            Self::LostInNoise { estimates, of: total } => format!(
                "{estimates} of {total} estimates are smaller than their own plus-minus. More epsilon for this \
                 statistic, fewer and larger groups, or narrower bounds would help."
            ),
            Self::LeftOut { reason, rows, margin, of: total, frequency } => {
                rows::left_out(reason, (*rows, *margin), *total, frequency.as_deref())
            }
            Self::RowsLost { counted, margin, of: reference, by, columns, most_a_unit: None } => {
                rows::lost((*counted, *margin), reference, by, columns)
            }
            Self::RowsLost { counted, margin, of: reference, by, columns, most_a_unit: Some(most) } => {
                rows::lost_beside_units((*counted, *margin), reference, (by, columns), *most)
            }
            Self::SharesTooLarge { counted, rows, by } => format!(
                "About {} of {} rows have {}, but the plan says that all have (`total = \"rows\"`): these numbers are too large. \
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
            Self::PublicNumbersContradicted { numbers, of: total, cell, public, counted, margin } => {
                let untrue = match total {
                    1 => "The public number is not true of the rows".to_owned(),
                    _ => format!("Public numbers are not true of the rows, {numbers} of {total}"),
                };
                let cell = cell.as_ref().map_or_else(|| "in all".to_owned(), |cell| format!("for `{cell}`"));
                let margin = margin.map_or_else(String::new, |margin| format!(" (± {})", thousands(margin)));
                format!(
                    "{untrue}: {cell} the plan says {}, and measured cells add up to {}{margin}. \
                     All other numbers are bent to the public ones: correct these, or remove `public`.",
                    thousands(*public),
                    thousands(*counted)
                )
            }
            Self::NoRows { by, groups, at_most, filtered } => rows::none(by, *groups, *at_most, *filtered),
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
            Self::ClassesLikeNoise => "The classes of this model differ no more than noise alone would make them differ, so its \
                                       predictions are no better than a guess: release it with more epsilon or fewer columns."
                .to_owned(),
            Self::VariancesLikeNoise { variances, of: total } => format!(
                "{variances} of the {total} variances of this model are smaller than their noise: they are pulled \
                 towards those of the other classes and towards the middle of what the bounds allow. Judge them by \
                 their intervals and by the largest errors over these; the errors at the estimate say nothing."
            ),
            Self::MomentContradicted { moment, stated, estimates, of: total } => {
                moment.contradicted(stated, *estimates, *total)
            }
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
mod tests;
