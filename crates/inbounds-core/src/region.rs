//! Public regions: which rows can count, as far as conditions say.
//!
//! A region is a conjunction of limits, each on one column. Regions that no row can be in together compose in parallel.
//! What is not proved disjoint overlaps: texts are compared without the blanks around them, numbers as the doubles that
//! they are read as, and limits on columns that are read in different ways are never compared with each other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::RangeInclusive,
    str::FromStr,
};

use crate::{
    CoreError, Rational,
    planted::{Defect, planted},
};

/// Rows that can count: those within all limits; all rows without one.
///
/// # Example
/// ```
/// use inbounds_core::{Cells, Limit, Region};
/// let within = |span: &str| -> Result<Region, inbounds_core::CoreError> {
///     let cells = Cells::Numbers(vec![span.parse()?]);
///     Ok(Region::new(vec![Limit { column: "age".into(), read: "integer".into(), cells }]))
/// };
/// assert_eq!(within("[0, 18)")?.apart_in(&within("[18, inf)")?), Some("age"));
/// assert_eq!(within("[0, 18]")?.apart_in(&within("[18, inf)")?), None);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Region(Vec<Limit>);

/// Condition on the cell of a row in one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The column.
    pub column: String,
    /// Reading of its cells. Limits on one column are comparable only where this is the same.
    pub read: String,
    /// Which cells are within it.
    pub cells: Cells,
}

/// Cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// These texts, and no other.
    Texts(BTreeSet<String>),
    /// The numbers in these intervals, and no other.
    Numbers(Vec<Span>),
}

/// An interval of doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Lower end.
    pub lower: SpanEnd,
    /// Upper end.
    pub upper: SpanEnd,
}

/// An end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpanEnd {
    /// There is none.
    Unbounded,
    /// The number itself is within.
    Closed(f64),
    /// The number itself is not within.
    Open(f64),
}

/// A way to distinguish rows by one column, or none: the regions that a row can be in together, by their positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The column; none where all rows are together.
    pub column: Option<String>,
    /// For each row there is a class with all regions that it is in. No class is part of another, and each region is in
    /// one.
    pub classes: Vec<Vec<usize>>,
}

impl Partition {
    /// All of `regions` regions together: no limit keeps a unit out of any of them.
    pub fn together(regions: usize) -> Self {
        Self { column: None, classes: vec![(0..regions).collect()] }
    }

    /// The most that a row can have of what each region gives:
    /// `max over the classes C of sum over i in C of amount(i)`.
    ///
    /// An upper bound on the privacy loss of a row, where `amount(i)` is the loss of region `i` (parallel composition,
    /// McSherry 2009).
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Partition, Rational};
    /// let losses = [Rational::ratio(1, 2), Rational::ratio(1, 3), Rational::ratio(1, 4)];
    /// let by_sex = Partition { column: Some("sex".into()), classes: vec![vec![0, 2], vec![1, 2]] };
    /// assert_eq!(by_sex.largest(|region| losses[region].clone()), Rational::ratio(3, 4));
    /// assert_eq!(Partition::together(3).largest(|region| losses[region].clone()), Rational::ratio(13, 12));
    /// ```
    pub fn largest(&self, amount: impl Fn(usize) -> Rational) -> Rational {
        let sum = |class: &Vec<usize>| class.iter().fold(Rational::ZERO, |sum, region| &sum + &amount(*region));
        self.classes.iter().map(sum).max().unwrap_or(Rational::ZERO)
    }
}

impl Region {
    /// The rows within all these limits.
    pub fn new(limits: Vec<Limit>) -> Self {
        Self(limits)
    }

    /// The limits.
    pub fn limits(&self) -> &[Limit] {
        &self.0
    }

    /// A column by which no row can be in both regions; `None` where that is not proved.
    pub fn apart_in<'a>(&'a self, other: &Self) -> Option<&'a str> {
        let alike = |limit: &&'a Limit| {
            let others = other.0.iter().filter(|other| limit.is_read_as(other));
            others.into_iter().any(|other| limit.cells.is_disjoint(&other.cells))
        };
        self.0.iter().find(alike).map(|limit| limit.column.as_str())
    }

    /// Every way to distinguish the rows of regions: all rows together, and one for each column that has limits.
    pub fn partitions(regions: &[&Self]) -> Vec<Partition> {
        let together = Partition::together(regions.len());
        let mut columns: Vec<&Limit> = Vec::new();
        for limit in regions.iter().flat_map(|region| &region.0) {
            if !columns.iter().any(|known| known.is_read_as(limit)) {
                columns.push(limit);
            }
        }
        std::iter::once(together).chain(columns.into_iter().map(|column| partition(regions, column))).collect()
    }
}

impl Limit {
    /// Tests that both limits are on one column, read alike, and so comparable.
    fn is_read_as(&self, other: &Self) -> bool {
        let same_kind = matches!(
            (&self.cells, &other.cells),
            (Cells::Texts(_), Cells::Texts(_)) | (Cells::Numbers(_), Cells::Numbers(_))
        );
        self.column == other.column && self.read == other.read && same_kind
    }
}

/// The classes of the cells of one column. A region without a limit on it can hold rows of every class.
fn partition(regions: &[&Region], column: &Limit) -> Partition {
    let limits: Vec<Vec<&Cells>> = regions
        .iter()
        .map(|region| region.0.iter().filter(|limit| column.is_read_as(limit)).map(|limit| &limit.cells).collect())
        .collect();
    let scale = Scale::new(limits.iter().flatten().copied());
    let mut classes = vec![Vec::new(); scale.classes()];
    for (place, cells) in limits.iter().enumerate() {
        let held: Vec<Vec<bool>> = cells.iter().map(|cells| scale.held(cells)).collect();
        for (class, members) in classes.iter_mut().enumerate() {
            if held.iter().all(|held| held[class]) {
                members.push(place);
            }
        }
    }
    // A region without rows is in a class all the same: what is spent on it counts.
    classes.extend((0..regions.len()).map(|place| vec![place]));
    Partition { column: Some(column.column.clone()), classes: largest_of(classes) }
}

/// The classes that are part of no other, in their order.
fn largest_of(classes: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut kept: Vec<Vec<usize>> = Vec::new();
    let is_part = |one: &[usize], outer: &[usize]| one.iter().all(|place| outer.binary_search(place).is_ok());
    for class in classes {
        if kept.iter().any(|known| is_part(&class, known)) {
            continue;
        }
        kept.retain(|known| !is_part(known, &class));
        kept.push(class);
    }
    kept
}

/// The cells of a column in classes whose members no limit distinguishes: with `n` texts class `2i + 1` is the text
/// `i`, with `n` ends of intervals it is that number; the even classes lie between, below and above.
struct Scale {
    texts: BTreeMap<String, usize>,
    ends: Vec<f64>,
}

impl Scale {
    fn new<'a>(cells: impl Iterator<Item = &'a Cells>) -> Self {
        let (mut texts, mut ends) = (BTreeMap::new(), Vec::new());
        for cells in cells {
            match cells {
                Cells::Texts(listed) => texts.extend(listed.iter().map(|text| (text.trim().to_owned(), 0))),
                Cells::Numbers(spans) => {
                    ends.extend(spans.iter().flat_map(|span| [span.lower, span.upper]).filter_map(SpanEnd::number));
                }
            }
        }
        texts.values_mut().zip(0..).for_each(|(place, index)| *place = index);
        // Minus zero is zero.
        ends.iter_mut().for_each(|end| *end += 0.0);
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        Self { texts, ends }
    }

    fn classes(&self) -> usize {
        2 * self.texts.len().max(self.ends.len()) + 1
    }

    /// Of each class, whether its cells are among these.
    fn held(&self, cells: &Cells) -> Vec<bool> {
        let mut held = vec![false; self.classes()];
        match cells {
            Cells::Texts(listed) => {
                listed
                    .iter()
                    .filter_map(|text| self.texts.get(text.trim()))
                    .for_each(|place| held[2 * place + 1] = true);
            }
            Cells::Numbers(spans) => {
                spans.iter().flat_map(|span| self.within(span)).for_each(|class| held[class] = true)
            }
        }
        held
    }

    /// The classes within an interval, both of whose ends the scale has.
    fn within(&self, span: &Span) -> RangeInclusive<usize> {
        let place = |number: f64| 2 * self.ends.partition_point(|end| *end < number) + 1;
        let closed_is_open = usize::from(planted(Defect::TouchingApart));
        let from = match span.lower {
            SpanEnd::Unbounded => 0,
            SpanEnd::Closed(number) => place(number) + closed_is_open,
            SpanEnd::Open(number) => place(number) + 1,
        };
        let to = match span.upper {
            SpanEnd::Unbounded => 2 * self.ends.len(),
            SpanEnd::Closed(number) => place(number) - closed_is_open,
            SpanEnd::Open(number) => place(number) - 1,
        };
        from..=to
    }
}

impl Cells {
    /// `true` if no cell is within both.
    fn is_disjoint(&self, other: &Self) -> bool {
        let scale = Scale::new([self, other].into_iter());
        scale.held(self).into_iter().zip(scale.held(other)).all(|(one, other)| !(one && other))
    }
}

impl SpanEnd {
    fn number(self) -> Option<f64> {
        match self {
            Self::Unbounded => None,
            Self::Closed(number) | Self::Open(number) => Some(number),
        }
    }
}

impl Span {
    /// One number.
    pub fn only(number: f64) -> Self {
        Self { lower: SpanEnd::Closed(number), upper: SpanEnd::Closed(number) }
    }
}

impl fmt::Display for Span {
    /// Such as `[0, 18)`; `parse` reads it back, to the last bit.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lower {
            SpanEnd::Unbounded => write!(formatter, "(-inf, ")?,
            SpanEnd::Closed(number) => write!(formatter, "[{number}, ")?,
            SpanEnd::Open(number) => write!(formatter, "({number}, ")?,
        }
        match self.upper {
            SpanEnd::Unbounded => write!(formatter, "inf)"),
            SpanEnd::Closed(number) => write!(formatter, "{number}]"),
            SpanEnd::Open(number) => write!(formatter, "{number})"),
        }
    }
}

impl FromStr for Span {
    type Err = CoreError;

    fn from_str(text: &str) -> Result<Self, CoreError> {
        let refuse = || CoreError::NotANumber { text: text.to_owned() };
        let number =
            |digits: &str| digits.trim().parse::<f64>().ok().filter(|number| !number.is_nan()).ok_or_else(refuse);
        let (lower, upper) = text.split_once(',').ok_or_else(refuse)?;
        let (closed, lower) = match (lower.strip_prefix('['), lower.strip_prefix('(')) {
            (Some(rest), _) => (true, number(rest)?),
            (_, Some(rest)) => (false, number(rest)?),
            _ => return Err(refuse()),
        };
        let end = |closed: bool, number: f64| match (number.is_finite(), closed) {
            (false, _) => SpanEnd::Unbounded,
            (true, true) => SpanEnd::Closed(number),
            (true, false) => SpanEnd::Open(number),
        };
        let lower = end(closed, lower);
        let upper = match (upper.strip_suffix(']'), upper.strip_suffix(')')) {
            (Some(rest), _) => end(true, number(rest)?),
            (_, Some(rest)) => end(false, number(rest)?),
            _ => return Err(refuse()),
        };
        Ok(Self { lower, upper })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(column: &str, spans: &[&str]) -> Region {
        let cells = Cells::Numbers(spans.iter().map(|span| span.parse().expect("a span")).collect());
        Region::new(vec![Limit { column: column.into(), read: "number".into(), cells }])
    }

    fn texts(column: &str, listed: &[&str]) -> Region {
        let cells = Cells::Texts(listed.iter().map(|text| (*text).to_owned()).collect());
        Region::new(vec![Limit { column: column.into(), read: "text".into(), cells }])
    }

    #[test]
    fn intervals_are_apart_only_where_no_double_is_in_both() {
        let apart = |one: &[&str], other: &[&str]| numbers("x", one).apart_in(&numbers("x", other)).is_some();
        assert!(apart(&["[0, 18)"], &["[18, 65)"]));
        assert!(!apart(&["[0, 18]"], &["[18, 65)"]));
        assert!(apart(&["(-inf, 0)", "(1, inf)"], &["[0, 1]"]));
        assert!(!apart(&["(-inf, 0)", "[1, inf)"], &["[0, 1]"]));
        // Different texts, one double.
        assert!(!apart(&["(-inf, 0.3]"], &["[0.30000000000000001, inf)"]));
        assert!(!apart(&["[-0, 0]"], &["[0, 1]"]));
        assert!(!apart(&["(-inf, inf)"], &["[5, 5]"]));
    }

    #[test]
    fn texts_are_apart_without_their_blanks() {
        assert_eq!(texts("ward", &["a", "b"]).apart_in(&texts("ward", &["c"])), Some("ward"));
        assert_eq!(texts("ward", &["a "]).apart_in(&texts("ward", &["a"])), None);
        assert_eq!(texts("ward", &["a"]).apart_in(&texts("unit", &["c"])), None);
        assert_eq!(texts("ward", &["a"]).apart_in(&numbers("ward", &["[1, 1]"])), None);
        assert_eq!(Region::default().apart_in(&texts("ward", &["a"])), None);
        let mut other = texts("ward", &["c"]);
        other.0[0].read = "text, spelled otherwise".into();
        assert_eq!(texts("ward", &["a"]).apart_in(&other), None);
    }

    /// Held against every row of a small world: a row is in a region if its cells are, and then the region must be in
    /// the class that some partition has for the row.
    #[test]
    fn every_row_has_a_class_with_all_its_regions() {
        let regions = [
            numbers("x", &["[0, 2)", "(3, inf)"]),
            numbers("x", &["[2, 3]"]),
            texts("t", &["a"]),
            texts("t", &["b", "c"]),
            Region::default(),
        ];
        let all: Vec<&Region> = regions.iter().collect();
        let partitions = Region::partitions(&all);
        assert_eq!(partitions.len(), 3);
        for x in [-1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 4.0] {
            for t in ["a", "b", "c", "d"] {
                let by_hand = [
                    (0.0..2.0).contains(&x) || x > 3.0,
                    (2.0..=3.0).contains(&x),
                    t == "a",
                    t == "b" || t == "c",
                    true,
                ];
                let held: Vec<usize> = (0..5).filter(|place| by_hand[*place]).collect();
                for partition in &partitions {
                    let covers = |class: &Vec<usize>| held.iter().all(|place| class.contains(place));
                    assert!(partition.classes.iter().any(covers), "{x} {t}");
                }
            }
        }
        let most = |partition: &Partition| partition.classes.iter().map(Vec::len).max();
        assert_eq!(partitions.iter().map(most).collect::<Vec<_>>(), [Some(5), Some(4), Some(4)]);
        let columns: Vec<_> = partitions.iter().map(|partition| partition.column.as_deref()).collect();
        assert_eq!(columns, [None, Some("x"), Some("t")]);
        assert_eq!(partitions[1].classes, [[0, 2, 3, 4], [1, 2, 3, 4]]);
    }

    #[test]
    fn spans_are_read_back() {
        for text in ["[0, 18)", "(-inf, 0.1]", "(0.1, inf)", "[5, 5]", "(-inf, inf)"] {
            assert_eq!(text.parse::<Span>().expect("a span").to_string(), text);
        }
        for text in ["", "0, 1", "[a, 1]", "[nan, 1]", "[0 1]"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
