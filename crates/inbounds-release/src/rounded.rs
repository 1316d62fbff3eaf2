//! Counts as multiples of a number, for those who read them, so that totals still add up.
//!
//! **Idea.** Numbers that add up, divided by the base, are a solution of `A x = 0`; a whole solution with each number
//! rounded up or down is a controlled rounding. For trees and tables of two attributes `A` is a network, and the
//! nearest one is found exactly ([`linear::round`]). Elsewhere the finest cells are rounded one after the other, each
//! in the direction that leaves the least sum of fourth powers of the deviations of all numbers that it is in, and then
//! turned, alone or in pairs, while that helps; the numbers are their sums. Where several margins are finest, these
//! cells are the combinations of all values, with numbers whose sums are the published ones.
//!
//! **Invariant.** Every returned number is a multiple of the base; whatever equality held among the estimates holds
//! among them, unless the method is [`RoundingMethod::Apart`]; and it is within its interval, whose ends are moved
//! outwards to multiples, so that no count is below 0.

use std::collections::{HashMap, HashSet};

use inbounds_bundle::{RoundingEntry, RoundingMethod};
use inbounds_data::KeyValue;
use inbounds_project::{certificate::Status, constraint::Rows, linear};

/// Numbers that differ by less are one.
const NEAR: f64 = 1e-6;

/// Most of the finest cells that are turned in pairs.
const PAIRED: usize = 1000;

/// Cost of a number that leaves its interval, beside the fourth powers of deviations.
const OUTSIDE: f64 = 1e6;

/// Most rounds over the finest cells.
const TURNS: usize = 20;

/// Estimates of a statistic as they are shown.
#[derive(Debug, Clone)]
pub struct Rounded {
    /// Multiples of the base, one an estimate.
    pub values: Vec<f64>,
    /// Method by which they were found.
    pub entry: RoundingEntry,
}

/// The values of the grouping columns of a cell; none where it is summed over.
pub(crate) type Place<'a> = Vec<Option<&'a KeyValue>>;

impl Rounded {
    /// The estimates of cells at their places, each with its interval, as multiples of `to`.
    pub(crate) fn new(estimates: &[f64], intervals: &[(f64, f64)], places: &[Place<'_>], to: u64) -> Self {
        let base = to as f64;
        let parts: Vec<f64> = estimates.iter().map(|estimate| estimate / base).collect();
        let margins = Margins::among(places);
        let sums = Sums::among(&parts, &margins, places);
        let (multiples, method) = if sums.0.is_empty() {
            (nearest(&parts), RoundingMethod::Nearest)
        } else {
            controlled(&parts, &sums)
                .map(|multiples| (multiples, RoundingMethod::Controlled))
                .or_else(|| {
                    let outwards = |((lower, upper), part): (&(f64, f64), &f64)| {
                        ((lower / base).floor().min(part.floor()), (upper / base).ceil().max(part.ceil()))
                    };
                    let ends: Vec<(f64, f64)> = intervals.iter().zip(&parts).map(outwards).collect();
                    Some((summed(&parts, &ends, (&margins, places), &sums)?, RoundingMethod::Summed))
                })
                .unwrap_or_else(|| (nearest(&parts), RoundingMethod::Apart))
        };
        let values: Vec<f64> = multiples.iter().map(|multiple| multiple * base + 0.0).collect();
        let farthest =
            values.iter().zip(estimates).map(|(value, estimate)| (value - estimate).abs()).fold(0.0, f64::max);
        Self { values, entry: RoundingEntry { to, method: method.into(), farthest: in_four_digits(farthest) } }
    }
}

/// A distance in the four digits that are shown of it, rounded up.
fn in_four_digits(distance: f64) -> f64 {
    if distance == 0.0 {
        return 0.0;
    }
    let digit = 10f64.powf(distance.log10().floor() - 3.0);
    (distance / digit - NEAR).ceil() * digit
}

fn nearest(parts: &[f64]) -> Vec<f64> {
    parts.iter().map(|part| part.round()).collect()
}

/// Totals, each with the cells that it is the sum of.
struct Sums(Vec<(usize, Vec<usize>)>);

impl Sums {
    /// Every total with its parts among the cells of each margin that is finer by as little as possible, where the
    /// numbers do add up.
    fn among(parts: &[f64], margins: &Margins<'_>, places: &[Place<'_>]) -> Self {
        let covers = |one: &[bool], other: &[bool]| {
            let between = |(columns, _): &Margin<'_>| is_part(one, columns) && is_part(columns, other);
            is_part(one, other) && !margins.0.iter().any(between)
        };
        let mut sums = Vec::new();
        for (coarse, totals) in &margins.0 {
            for (_, cells) in margins.0.iter().filter(|(fine, _)| covers(coarse, fine)) {
                // Hash maps have no order of their own.
                let mut cells: Vec<usize> = cells.values().copied().collect();
                cells.sort_unstable();
                let mut cells_within: HashMap<Place<'_>, Vec<usize>> = HashMap::new();
                for cell in cells {
                    cells_within.entry(within(&places[cell], coarse)).or_default().push(cell);
                }
                sums.extend(totals.iter().filter_map(|(place, &total)| Some((total, cells_within.remove(place)?))));
            }
        }
        sums.retain(|(total, cells)| {
            let sum: f64 = cells.iter().map(|&cell| parts[cell]).sum();
            (sum - parts[*total]).abs() <= NEAR * sum.abs().max(1.0)
        });
        sums.sort_unstable();
        Self(sums)
    }

    /// Totals that are the sums of these cells, those of the finest parts first.
    fn fill(&self, multiples: &mut [Option<f64>]) {
        let mut left: Vec<&(usize, Vec<usize>)> = self.0.iter().collect();
        loop {
            let before = left.len();
            left.retain(|(total, cells)| {
                let sum: Option<f64> = cells.iter().map(|&cell| multiples[cell]).sum();
                multiples[*total] = multiples[*total].or(sum);
                sum.is_none()
            });
            if left.is_empty() || left.len() == before {
                return;
            }
        }
    }
}

/// The nearest solution of all sums with each number rounded up or down; none where the sums are no network.
fn controlled(parts: &[f64], sums: &Sums) -> Option<Vec<f64>> {
    // Sums are exact but for the digits in which estimates are held.
    let mut exact: Vec<Option<f64>> = parts.iter().copied().map(Some).collect();
    sums.0.iter().for_each(|(total, _)| exact[*total] = None);
    sums.fill(&mut exact);
    let exact: Vec<f64> = exact.into_iter().collect::<Option<_>>()?;
    let rows = sums.0.iter().enumerate();
    let entries: Vec<(usize, usize, f64)> = rows
        .flat_map(|(row, (total, cells))| cells.iter().map(move |&cell| (row, cell, 1.0)).chain([(row, *total, -1.0)]))
        .collect();
    let rows = Rows::from_triplets(parts.len(), &entries, vec![0.0; sums.0.len()]).ok()?;
    let rounding = linear::round(&exact, &vec![1.0; parts.len()], &rows).ok()?;
    (rounding.status == Status::Optimal).then_some(rounding.estimates)
}

/// Cells finer than all, rounded up or down with little left in the numbers, which are their sums; none where these
/// cells cannot be found, or some sum leaves its interval.
fn summed(
    parts: &[f64],
    ends: &[(f64, f64)],
    (margins, places): (&Margins<'_>, &[Place<'_>]),
    sums: &Sums,
) -> Option<Vec<f64>> {
    let cells = Finest::find(margins, places)?;
    let over: Vec<Vec<usize>> = cells.0.iter().map(|place| margins.over(place)).collect();
    let values = spread(parts, &over, margins)?;
    let mut rounded: Vec<f64> = values.iter().map(|value| value.floor()).collect();
    // What numbers have too much, of the cells that are rounded already.
    let mut left = vec![0.0; parts.len()];
    // A number outside of its interval is worth any other deviation.
    let cost = |number: usize, left: f64| {
        let value = parts[number] + left;
        let (lower, upper) = ends[number];
        let outside = (lower - value).max(value - upper).max(0.0);
        left * left * left * left + if outside > NEAR { OUTSIDE * (1.0 + outside) } else { 0.0 }
    };
    // The change of `sum left^4` if a cell has more by `by`: the largest of the deviations count most.
    let gain = |left: &[f64], cell: usize, by: f64| -> f64 {
        over[cell].iter().map(|&number| cost(number, left[number] + by) - cost(number, left[number])).sum()
    };
    let add = |left: &mut [f64], cell: usize, by: f64| over[cell].iter().for_each(|&number| left[number] += by);
    for cell in 0..values.len() {
        let fraction = values[cell] - rounded[cell];
        let is_up = fraction > NEAR && gain(&left, cell, 1.0 - fraction) < gain(&left, cell, -fraction);
        rounded[cell] += f64::from(u8::from(is_up));
        add(&mut left, cell, rounded[cell] - values[cell]);
    }
    let may = |value: f64, cell: usize, by: f64| (value + by - values[cell]).abs() < 1.0;
    for _ in 0..TURNS {
        let mut is_better = false;
        for cell in 0..values.len() {
            for by in [-1.0, 1.0] {
                if !may(rounded[cell], cell, by) {
                    continue;
                }
                let own = gain(&left, cell, by);
                add(&mut left, cell, by);
                // With one more cell the other way, where there are few.
                let others = if values.len() <= PAIRED { 0..values.len() } else { 0..0 };
                let others = others.filter(|other| *other != cell && may(rounded[*other], *other, -by));
                let best = others.map(|other| (own + gain(&left, other, -by), Some(other)));
                let best = best.chain([(own, None)]).min_by(|one, other| one.0.total_cmp(&other.0));
                match best {
                    Some((change, other)) if change < -NEAR => {
                        rounded[cell] += by;
                        if let Some(other) = other {
                            rounded[other] -= by;
                            add(&mut left, other, -by);
                        }
                        is_better = true;
                    }
                    _ => add(&mut left, cell, -by),
                }
            }
        }
        if !is_better {
            break;
        }
    }
    let mut numbers = vec![0.0; parts.len()];
    for (value, over) in rounded.iter().zip(&over) {
        over.iter().for_each(|&number| numbers[number] += value);
    }
    let is_kept =
        |(total, cells): &(usize, Vec<usize>)| cells.iter().map(|&cell| numbers[cell]).sum::<f64>() == numbers[*total];
    let is_inside = |(number, (lower, upper)): (&f64, &(f64, f64))| *lower <= *number && *number <= *upper;
    (sums.0.iter().all(is_kept) && numbers.iter().zip(ends).all(is_inside)).then_some(numbers)
}

/// Flags of the columns that distinguish the cells of a margin, and its cells.
type Margin<'a> = (Vec<bool>, HashMap<Place<'a>, usize>);

/// The margins that there are.
struct Margins<'a>(Vec<Margin<'a>>);

impl<'a> Margins<'a> {
    fn among(places: &[Place<'a>]) -> Self {
        let mut margins: Vec<Margin<'a>> = Vec::new();
        for (cell, place) in places.iter().enumerate() {
            let columns: Vec<bool> = place.iter().map(Option::is_some).collect();
            let known = margins.iter().position(|(known, _)| *known == columns).unwrap_or_else(|| {
                margins.push((columns, HashMap::new()));
                margins.len() - 1
            });
            margins[known].1.insert(place.clone(), cell);
        }
        Self(margins)
    }

    /// Those that are part of no other.
    fn finest(&self) -> Vec<&Margin<'a>> {
        self.0.iter().filter(|(one, _)| !self.0.iter().any(|(other, _)| is_part(one, other))).collect()
    }

    /// The published cells that a finer one is in.
    fn over(&self, place: &Place<'a>) -> Vec<usize> {
        self.0.iter().filter_map(|(columns, cells)| cells.get(&within(place, columns)).copied()).collect()
    }
}

/// `true` if a margin has some of the columns of another.
fn is_part(one: &[bool], other: &[bool]) -> bool {
    one != other && one.iter().zip(other).all(|(one, other)| !one || *other)
}

fn within<'a>(place: &Place<'a>, columns: &[bool]) -> Place<'a> {
    place.iter().zip(columns).map(|(value, kept)| value.filter(|_| *kept)).collect()
}

/// The places of cells of which all published numbers are sums: those of the finest margin, or, of several, all
/// combinations of values whose part in each is published.
struct Finest<'a>(Vec<Place<'a>>);

impl<'a> Finest<'a> {
    fn find(margins: &Margins<'a>, places: &[Place<'a>]) -> Option<Self> {
        let finest = margins.finest();
        if let [(columns, _)] = finest[..] {
            let is_one = |place: &&Place<'a>| place.iter().zip(columns).all(|(value, kept)| value.is_some() == *kept);
            return Some(Self(places.iter().filter(is_one).cloned().collect()));
        }
        let mut all: Vec<Place<'a>> = vec![Vec::new()];
        for column in 0..places.first()?.len() {
            let mut values: Vec<&KeyValue> = Vec::new();
            let mut known = HashSet::new();
            values.extend(places.iter().filter_map(|place| place[column]).filter(|value| known.insert(*value)));
            if values.is_empty() {
                all.iter_mut().for_each(|place| place.push(None));
                continue;
            }
            if all.len() * values.len() > MOST {
                return None;
            }
            let longer = |place: &Place<'a>| -> Vec<Place<'a>> {
                values.iter().map(|value| [&place[..], &[Some(*value)]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.retain(|place| finest.iter().all(|(columns, cells)| cells.contains_key(&within(place, columns))));
        Some(Self(all))
    }
}

/// Most combinations of values.
const MOST: usize = 200_000;

/// Numbers of the finest cells whose sums are the published ones: what is missing in a margin goes to its cells in
/// equal parts, margin by margin, which in complete tables is exact after one round. None if it is not after several.
fn spread(parts: &[f64], over: &[Vec<usize>], margins: &Margins<'_>) -> Option<Vec<f64>> {
    let mut values = vec![0.0; over.len()];
    let mut sizes = vec![0.0; parts.len()];
    over.iter().flatten().for_each(|&number| sizes[number] += 1.0);
    let finest: Vec<HashSet<usize>> =
        margins.finest().iter().map(|(_, cells)| cells.values().copied().collect()).collect();
    let missing = |values: &[f64]| -> Vec<f64> {
        let mut missing = parts.to_vec();
        for (value, over) in values.iter().zip(over) {
            over.iter().for_each(|&number| missing[number] -= value);
        }
        missing
    };
    for _ in 0..TURNS {
        for margin in &finest {
            let missing = missing(&values);
            for (value, over) in values.iter_mut().zip(over) {
                let of_margin = over.iter().filter(|number| margin.contains(number));
                *value += of_margin.map(|&number| missing[number] / sizes[number]).sum::<f64>();
            }
        }
        if missing(&values).iter().zip(parts).all(|(missing, part)| missing.abs() <= NEAR * part.abs().max(1.0)) {
            return Some(values);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a table with all of its margins, from the numbers of its finest cells.
    fn table(sizes: &[i64], number: impl Fn(&[i64]) -> f64) -> (Vec<f64>, Vec<Vec<Option<KeyValue>>>) {
        let mut finest: Vec<Vec<i64>> = vec![vec![]];
        for size in sizes {
            finest = finest.iter().flat_map(|key| (0..*size).map(move |value| [&key[..], &[value]].concat())).collect();
        }
        let mut sums: Vec<(Vec<Option<KeyValue>>, f64)> = Vec::new();
        for margin in 0..1usize << sizes.len() {
            for key in &finest {
                let place: Vec<Option<KeyValue>> = key
                    .iter()
                    .enumerate()
                    .map(|(at, value)| (margin >> at & 1 == 1).then_some(KeyValue::Integer(*value)))
                    .collect();
                match sums.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, sum)) => *sum += number(key),
                    None => sums.push((place, number(key))),
                }
            }
        }
        sums.into_iter().map(|(place, sum)| (sum, place)).unzip()
    }

    /// With intervals of 12 about the estimates, which are not below 0 where these are not.
    fn rounded(estimates: &[f64], places: &[Place<'_>], to: u64) -> Rounded {
        let interval = |estimate: &f64| {
            let lower = estimate - 12.0;
            (if *estimate >= 0.0 { lower.max(0.0) } else { lower }, estimate + 12.0)
        };
        let intervals: Vec<(f64, f64)> = estimates.iter().map(interval).collect();
        let rounded = Rounded::new(estimates, &intervals, places, to);
        for (value, (lower, upper)) in rounded.values.iter().zip(&intervals) {
            let to = to as f64;
            assert!(
                (lower / to).floor() * to <= *value && *value <= (upper / to).ceil() * to,
                "{value} {lower} {upper}"
            );
        }
        rounded
    }

    fn assert_adds_up(places: &[Place<'_>], rounded: &Rounded) {
        let margins = Margins::among(places);
        let sums = Sums::among(&rounded.values, &margins, places);
        let all = Sums::among(&vec![0.0; places.len()], &margins, places).0.len();
        assert_eq!(sums.0.len(), all, "each total is the sum of its parts");
        let to = rounded.entry.to as f64;
        assert!(rounded.values.iter().all(|value| value % to == 0.0));
    }

    fn looks_random(key: &[i64]) -> f64 {
        let mixed =
            key.iter().fold(7u64, |state, value| state.wrapping_mul(6_364_136_223_846_793_005) ^ (*value as u64 + 11));
        (mixed >> 33) as f64 % 97.0 + 0.37
    }

    #[test]
    fn tables_of_two_attributes_and_trees_move_no_number_to_another_than_its_neighbours() {
        for sizes in [&[4, 5][..], &[1, 7], &[12]] {
            let (estimates, keys) = table(sizes, looks_random);
            let places: Vec<Place<'_>> = keys.iter().map(|key| key.iter().map(Option::as_ref).collect()).collect();
            for to in [2, 5, 10, 100] {
                let rounded = rounded(&estimates, &places, to);
                assert_eq!(rounded.entry.method, RoundingMethod::Controlled.into());
                assert!(rounded.entry.farthest < to as f64, "{}", rounded.entry.farthest);
                assert_adds_up(&places, &rounded);
            }
        }
    }

    #[test]
    fn tables_of_three_attributes_add_up_too() {
        let (estimates, keys) = table(&[3, 4, 5], looks_random);
        let places: Vec<Place<'_>> = keys.iter().map(|key| key.iter().map(Option::as_ref).collect()).collect();
        let rounded = rounded(&estimates, &places, 10);
        assert_eq!(rounded.entry.method, RoundingMethod::Summed.into());
        assert_adds_up(&places, &rounded);
        assert!(rounded.entry.farthest < 10.0, "{}", rounded.entry.farthest);
    }

    #[test]
    fn what_has_no_totals_goes_to_the_nearest() {
        let keys = [KeyValue::Integer(1), KeyValue::Integer(2), KeyValue::Integer(3)];
        let places: Vec<Place<'_>> = keys.iter().map(|key| vec![Some(key)]).collect();
        let rounded = rounded(&[12.4, 2.5, -1.0], &places, 5);
        assert_eq!(rounded.values, [10.0, 5.0, 0.0]);
        assert_eq!(rounded.entry.method, RoundingMethod::Nearest.into());
        assert_eq!(rounded.entry.farthest, 2.5);
    }

    #[test]
    fn margins_without_their_finest_cells_add_up_too() {
        let (estimates, keys) = table(&[4, 3, 2], looks_random);
        let listed = |key: &Vec<Option<KeyValue>>| key.iter().flatten().count() <= 2;
        let (estimates, keys): (Vec<f64>, Vec<_>) =
            estimates.into_iter().zip(keys).filter(|(_, key)| listed(key)).unzip();
        let places: Vec<Place<'_>> = keys.iter().map(|key| key.iter().map(Option::as_ref).collect()).collect();
        for to in [5, 10, 50] {
            let rounded = rounded(&estimates, &places, to);
            assert_eq!(rounded.entry.method, RoundingMethod::Summed.into());
            assert_adds_up(&places, &rounded);
            assert!(rounded.entry.farthest <= 1.5 * to as f64, "{} of {to}", rounded.entry.farthest);
        }
    }

    #[test]
    fn empty_cells_are_not_below_nothing() {
        // Most cells are empty, so that sums of rounded parts easily are.
        let few = |key: &[i64]| if looks_random(key) < 30.0 { 3.0 * looks_random(key) } else { 0.0 };
        for sizes in [&[4, 3, 2][..], &[5, 4, 3], &[3, 3, 3, 2]] {
            let (estimates, keys) = table(sizes, few);
            let listed = |key: &Vec<Option<KeyValue>>| key.iter().flatten().count() <= 2;
            let (estimates, keys): (Vec<f64>, Vec<_>) =
                estimates.into_iter().zip(keys).filter(|(_, key)| listed(key)).unzip();
            let places: Vec<Place<'_>> = keys.iter().map(|key| key.iter().map(Option::as_ref).collect()).collect();
            for to in [5, 7, 10, 50] {
                let rounded = rounded(&estimates, &places, to);
                assert!(rounded.values.iter().all(|value| *value >= 0.0), "{sizes:?} {to}: {:?}", rounded.values);
            }
        }
    }

    #[test]
    fn what_does_not_add_up_is_not_made_to() {
        let keys = [KeyValue::Integer(1), KeyValue::Integer(2)];
        let places: Vec<Place<'_>> = vec![vec![None], vec![Some(&keys[0])], vec![Some(&keys[1])]];
        let rounded = rounded(&[31.0, 12.0, 12.0], &places, 5);
        assert_eq!(rounded.values, [30.0, 10.0, 10.0]);
        assert_eq!(rounded.entry.method, RoundingMethod::Nearest.into());
    }
}
