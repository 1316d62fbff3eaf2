//! Conclusions from intervals for numbers of rows. Every notice here is true where all intervals hold.

use inbounds_bundle::{End, KnownRows, Notice};

use super::counted::{At, Between, Counted};

/// Rows that may be left out, as a part of all, before anybody is told.
const TOLERATED: f64 = 0.01;

/// A group has next to no rows if it has at most this part of what the groups have on average.
const NEXT_TO_NONE: f64 = 0.1;

/// The part of the width of its bounds within which a mean is at one of them.
const AT_BOUND: f64 = 0.01;

/// The part of all values from which on an end bin has most of them.
const MOST: f64 = 0.9;

/// Knowledge of the number of rows of the data besides the measurements of statistics.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// The public number of rows.
    pub(crate) public: Option<u64>,
    /// Rows that were read, as diagnostics measured them.
    pub(crate) read: Option<RowsRead>,
    /// Least and largest number that the plan expects.
    pub(crate) expected: Option<(u64, u64)>,
}

/// The measured number of rows that were read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowsRead {
    /// From which notices follow.
    pub(crate) certain: Between,
    /// The same at the level of published intervals.
    pub(crate) shown: Between,
}

/// Notices about one statistic, the reference with which the rows of all others are compared.
pub(super) fn notices(one: &Counted, all: &[Option<Counted>], known: &Known) -> Vec<Notice> {
    let lost = lost(one, all, known);
    let nothing = if lost.is_none() { none(one, known) } else { None };
    let notices = [lost.or(nothing), more(one, known), empty_groups(one), at_end(one)];
    notices.into_iter().flatten().collect()
}

/// The first of the known numbers that the statistic falls short of.
fn lost(one: &Counted, all: &[Option<Counted>], known: &Known) -> Option<Notice> {
    let is_unfiltered = one.filter.is_none();
    let public = known.public.filter(|_| is_unfiltered).map(|rows| (rows as f64, KnownRows::Public { rows }));
    // Where groups of a unit are limited, fewer of its rows count than were read.
    let read = known
        .read
        .filter(|_| is_unfiltered && !one.is_by_group)
        .map(|read| (read.certain.lower, KnownRows::Read { rows: read.shown.rows(), margin: read.shown.margin() }));
    let expected = known.expected.filter(|_| is_unfiltered);
    let expected = expected.map(|(lower, upper)| (lower as f64, KnownRows::Expected { lower, upper }));
    let certainly = |(least, _): &(f64, KnownRows)| one.total.upper < (1.0 - TOLERATED) * least;
    if let Some((rows, _)) = public.as_ref().filter(|public| one.is_of_all && certainly(public)) {
        return Some(Notice::SharesTooLarge { counted: one.total.rows(), rows: *rows as u64, by: one.by() });
    }
    let given = |reference: KnownRows| rows_lost(one, reference, one.by(), one.dropped.iter());
    let known = [public, read].into_iter().flatten().find(certainly).map(|(_, reference)| given(reference));
    known.or_else(|| beside(one, all)).or_else(|| expected.filter(certainly).map(|(_, reference)| given(reference)))
}

/// Another statistic of the same condition that certainly has more rows: of those that may have most, the one with the
/// least error. What loses the rows is what it does not share.
fn beside(one: &Counted, all: &[Option<Counted>]) -> Option<Notice> {
    let more: Vec<&Counted> = all
        .iter()
        .flatten()
        .filter(|other| other.filter == one.filter && (!one.is_by_group || other.keys == one.keys))
        .filter(|other| one.total.upper < (1.0 - TOLERATED) * other.total.lower)
        .collect();
    let most = more.iter().map(|other| other.total.lower).max_by(f64::total_cmp)?;
    let may_have_most = more.into_iter().filter(|other| other.total.upper >= most);
    let other = may_have_most.min_by(|a, b| a.total.width().total_cmp(&b.total.width()))?;
    let by = if other.listed() == one.listed() { Vec::new() } else { one.by() };
    let own = one.dropped.iter().filter(|column| !other.dropped.contains(column));
    let partial = other.keys.is_some() || !other.dropped.is_empty();
    let (rows, margin) = (other.shown.rows(), other.shown.margin());
    let reference = KnownRows::Statistic { name: other.name.to_owned(), rows, margin, partial };
    Some(rows_lost(one, reference, by, own))
}

/// That a statistic is of fewer rows than are known, which unlisted keys or missing values may explain.
fn rows_lost<'a>(
    one: &Counted,
    reference: KnownRows,
    by: Vec<String>,
    columns: impl Iterator<Item = &'a &'a str>,
) -> Notice {
    Notice::RowsLost {
        counted: one.total.rows(),
        margin: one.shown.margin(),
        of: reference,
        by,
        columns: columns.map(|column| (*column).to_owned()).collect(),
        most_a_unit: one.most_a_unit,
    }
}

fn more(one: &Counted, known: &Known) -> Option<Notice> {
    let (_, expected) = known.expected?;
    let exceeds = one.total.lower > (1.0 + TOLERATED) * expected as f64;
    exceeds.then(|| Notice::MoreRows { counted: one.total.rows(), expected })
}

/// Rows that noise hides. Where the number of rows is public and the plan leaves none out, it is known.
fn none(one: &Counted, known: &Known) -> Option<Notice> {
    let groups = one.groups();
    let all_count = one.filter.is_none() && one.keys.is_none() && one.dropped.is_empty();
    if one.shown.lower > 0.0 || (all_count && known.public.is_some()) {
        return None;
    }
    let at_most = known.public.map_or(one.total.at_most(), |rows| one.total.at_most().min(rows));
    Some(Notice::NoRows { by: one.by(), groups, at_most, filtered: one.filter.is_some() })
}

fn empty_groups(one: &Counted) -> Option<Notice> {
    let groups = one.cells.len();
    let few = NEXT_TO_NONE * one.total.lower / groups as f64;
    let empty: Vec<&Between> = one.cells.iter().filter(|cell| cell.lower <= 0.0 && cell.upper < few).collect();
    let at_most = empty.iter().map(|cell| cell.at_most()).max()?;
    let most = groups > 1 && 2 * empty.len() >= groups;
    most.then(|| Notice::EmptyGroups { by: one.by(), empty: empty.len(), groups, at_most })
}

fn at_end(one: &Counted) -> Option<Notice> {
    let ends = one.ends.as_ref()?;
    let column = ends.column.to_owned();
    match &ends.at {
        At::Distances { bounds, sums: [below, above] } => {
            // The mean is `below / (below + above)` of the way up.
            let near = |own: &Between, other: &Between| {
                let most = own.upper.max(0.0);
                other.lower > 0.0 && most < AT_BOUND * (most + other.lower)
            };
            let at = |end, bound| Notice::MeanAtBound { column: column.clone(), end, bound };
            let lower = near(below, above).then(|| at(End::Lower, bounds.0));
            lower.or_else(|| near(above, below).then(|| at(End::Upper, bounds.1)))
        }
        At::Bins { edges, rows: [first, last] } => {
            let most = |rows: &Between| {
                let part = rows.lower / one.total.upper;
                (one.total.upper > 0.0 && part >= MOST).then(|| (100.0 * part).min(100.0).floor() as u8)
            };
            let notice = |end, edge, percent| Notice::ValuesInEndBin { column: column.clone(), end, edge, percent };
            let first = most(first).map(|percent| notice(End::Lower, edges.0, percent));
            first.or_else(|| most(last).map(|percent| notice(End::Upper, edges.1, percent)))
        }
    }
}
