//! Families whose children are measured and just not negative: sums and extremes in lanes, as in
//! [`super::super::scan`].
//!
//! **Invariant.** Each function says the same as the general one in `family.rs` and `certificate.rs` on such a family,
//! but for the order of additions.

use pulp::NullaryFnOnce;

use super::super::{grid::Grid, scan::for_lanes};
use super::agreed::Agreed;
use crate::reweight_large;

const LANES: usize = 4;

/// Rounds of dropping children at zero before the caller has to sort them instead.
const ROUNDS: usize = 40;

/// A total divided among children. With `reweights`, if enough are cut off, variances become those of
/// [`crate::reweight_large`] first. Gives the multiplier, or none if it takes too many rounds.
pub(super) struct Divide<'a> {
    pub(super) value: &'a [f64],
    pub(super) variance: &'a mut [f64],
    pub(super) estimates: &'a mut [f64],
    pub(super) total: f64,
    /// Cleared once large children have more weight.
    pub(super) reweights: &'a mut bool,
}

impl NullaryFnOnce for Divide<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let Self { value, variance, estimates, total, reweights } = self;
        let mut multiplier = falling((value, variance), total, f64::MAX)?;
        if *reweights && reweight_large::applies(value.iter().filter(|&&value| value < 0.0).count(), value.len()) {
            for (value, variance) in value.iter().zip(&mut *variance) {
                *variance = reweight_large::variance(*variance, value + multiplier * *variance);
            }
            *reweights = false;
            // Children with more weight absorb less, so the others have to absorb more.
            multiplier = falling((value, variance), total, if multiplier <= 0.0 { multiplier } else { f64::MAX })?;
        }
        for ((estimate, value), variance) in estimates.iter_mut().zip(value).zip(variance) {
            let at = value + multiplier * *variance;
            *estimate = if at > 0.0 { at } else { 0.0 };
        }
        Some(multiplier)
    }
}

/// The multiplier by dropping children that would be negative, starting at or above it: it only falls, so a child that
/// is dropped once stays dropped, and as long as any is dropped the variance falls, too.
#[inline(always)]
fn falling(children: (&[f64], &[f64]), total: f64, from: f64) -> Option<f64> {
    if total <= 0.0 {
        return Some(f64::MIN);
    }
    let (mut multiplier, mut kept) = (from, f64::INFINITY);
    for _ in 0..ROUNDS {
        // The set of positive children at this multiplier. If it is the last one, the multiplier is right.
        let (sum, variance) = above(children, multiplier);
        if variance == kept || variance == 0.0 {
            return Some(multiplier);
        }
        kept = variance;
        // Newton's step: the multiplier at which the positive children alone add up to the total.
        multiplier = multiplier.min((total - sum) / variance);
    }
    None
}

/// The sum and the variance of the children that stay above zero at a multiplier.
#[inline(always)]
fn above((value, variance): (&[f64], &[f64]), multiplier: f64) -> (f64, f64) {
    let (mut sums, mut variances) = ([0.0; LANES], [0.0; LANES]);
    for_lanes(value, variance, |lane, value, variance| {
        let keep = value + multiplier * variance > 0.0;
        sums[lane] += if keep { value } else { 0.0 };
        variances[lane] += if keep { variance } else { 0.0 };
    });
    (sums.iter().sum(), variances.iter().sum())
}

/// Rounds nonnegative numbers to the grid, and returns the sum.
pub(super) fn to_grid(estimates: &mut [f64], grid: Grid) -> f64 {
    rounded(estimates, |estimate| grid.nearest(estimate))
}

/// Rounds nonnegative numbers to whole numbers, and returns the sum.
pub(super) fn to_integers(estimates: &mut [f64]) -> f64 {
    rounded(estimates, nearest_integer)
}

#[inline(always)]
fn rounded(estimates: &mut [f64], round: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = estimates.as_chunks_mut::<LANES>();
    for chunk in chunks.iter_mut().map(|chunk| &mut chunk[..]).chain([rest]) {
        for (sum, estimate) in sums.iter_mut().zip(chunk) {
            *estimate = round(*estimate);
            *sum += *estimate;
        }
    }
    sums.iter().sum()
}

/// Units that children of whole estimates take or give back one after another, the cheapest first, and of equally cheap
/// ones from the first child or to the last.
pub(super) struct Deal<'a> {
    pub(super) estimates: &'a mut [f64],
    pub(super) value: &'a [f64],
    pub(super) variance: &'a [f64],
    pub(super) units: f64,
    /// True where units are taken, false where they are given back.
    pub(super) up: bool,
    /// Memory for the gain of the next unit of each child.
    pub(super) gains: &'a mut [f64],
}

impl NullaryFnOnce for Deal<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { estimates, value, variance, mut units, up, gains } = self;
        for (child, next) in gains.iter_mut().enumerate() {
            *next = gain(up, estimates[child], value[child], variance[child]);
        }
        while units > 0.0 {
            let most = greatest(gains);
            let is_most = |gain: &f64| *gain == most;
            let child = if up { gains.iter().position(is_most) } else { gains.iter().rposition(is_most) };
            let Some(child) = child.filter(|_| most > f64::NEG_INFINITY) else { return };
            estimates[child] += if up { 1.0 } else { -1.0 };
            gains[child] = gain(up, estimates[child], value[child], variance[child]);
            units -= 1.0;
        }
    }
}

/// Saving by a unit more or less of a child; minus infinity if it has none to give.
#[inline(always)]
fn gain(up: bool, estimate: f64, value: f64, variance: f64) -> f64 {
    let sign = if up { -1.0 } else { 1.0 };
    let gain = sign * (estimate - sign * 0.5 - value) / variance;
    if up | (estimate > 0.0) { gain } else { f64::NEG_INFINITY }
}

#[inline(always)]
fn greatest(numbers: &[f64]) -> f64 {
    let mut most = [f64::NEG_INFINITY; LANES];
    for_lanes(numbers, numbers, |lane, number, _| most[lane] = if number > most[lane] { number } else { most[lane] });
    most.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The nearest whole number of one that is not negative, of two the even one.
#[inline(always)]
pub(super) fn nearest_integer(number: f64) -> f64 {
    /// From here on all doubles are whole.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    if number < WHOLE { number + WHOLE - WHOLE } else { number }
}

/// The largest absolute value.
#[inline(always)]
pub(super) fn largest(numbers: &[f64]) -> f64 {
    let mut most = [0.0_f64; LANES];
    for_lanes(numbers, numbers, |lane, number, _| {
        let size = number.abs();
        most[lane] = if size > most[lane] { size } else { most[lane] };
    });
    most.into_iter().fold(0.0, f64::max)
}

/// A family's accepted multipliers and its bound at zero.
pub(super) struct Judged {
    pub(super) agreed: Agreed,
    pub(super) least: f64,
    /// The largest estimate that counts as zero.
    pub(super) nearly_zero: f64,
}

/// The multipliers that children accept, each at zero if it is not above `slack`; `half` is what a unit more or less
/// adds to a marginal cost of variance one.
#[inline(always)]
pub(super) fn judged(estimates: &[f64], (value, variance): (&[f64], &[f64]), slack: f64, half: f64) -> Judged {
    let (mut low, mut high) = ([f64::NEG_INFINITY; LANES], [f64::INFINITY; LANES]);
    let (mut least, mut nearly_zero, mut precise) = ([f64::INFINITY; LANES], [0.0; LANES], [f64::INFINITY; LANES]);
    let mut visit = |lane: usize, estimate: f64, value: f64, variance: f64| {
        let weight = 1.0 / variance;
        let (margin, half) = ((estimate - value) * weight, half * weight);
        let (less, more) = (margin - half, margin + half);
        // A child above zero can move both ways; one at zero bounds the multiplier from above alone.
        let free = estimate > slack;
        least[lane] = if estimate < least[lane] { estimate } else { least[lane] };
        nearly_zero[lane] = if !free & (estimate > nearly_zero[lane]) { estimate } else { nearly_zero[lane] };
        let moves = variance > 0.0;
        low[lane] = if free & moves & (less > low[lane]) { less } else { low[lane] };
        high[lane] = if moves & (more < high[lane]) { more } else { high[lane] };
        precise[lane] = if moves & (variance < precise[lane]) { variance } else { precise[lane] };
    };
    let (chunks, rest) = estimates.as_chunks::<LANES>();
    let (values, value_rest) = value.as_chunks::<LANES>();
    let (variances, variance_rest) = variance.as_chunks::<LANES>();
    for ((estimates, values), variances) in chunks.iter().zip(values).zip(variances) {
        for lane in 0..LANES {
            visit(lane, estimates[lane], values[lane], variances[lane]);
        }
    }
    for (lane, ((&estimate, &value), &variance)) in rest.iter().zip(value_rest).zip(variance_rest).enumerate() {
        visit(lane, estimate, value, variance);
    }
    let smallest = |lanes: [f64; LANES]| lanes.into_iter().fold(f64::INFINITY, f64::min);
    let largest = |lanes: [f64; LANES]| lanes.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let agreed = Agreed { low: largest(low), high: smallest(high), weight: 1.0 / smallest(precise) };
    Judged { agreed, least: smallest(least), nearly_zero: largest(nearly_zero) }
}

#[cfg(test)]
mod tests {
    use super::{super::family::Family, *};
    use crate::{certificate::Certificate, tree::part::Part};

    /// Numbers in `[0, 1)` by a rule that repeats none soon.
    fn spread(index: usize) -> f64 {
        (index as f64 * 0.618_033_988_749_895).fract()
    }

    /// The same children, with and without words about their bounds.
    fn twins(children: usize, round: usize) -> (Family, Family, f64) {
        let (mut plain, mut general) = (Family::default(), Family::default());
        let mut total = 0.0;
        for child in 0..children {
            let (value, variance) = (40.0 * spread(child + 100 * round) - 15.0, 1.0 + spread(child * round));
            plain.value.push(value);
            plain.variance.push(variance);
            general.push(Part::measured(value, variance), (0.0, f64::INFINITY));
            total += value.max(0.0);
        }
        (plain, general, (total * (0.4 + 0.8 * spread(round))).round())
    }

    #[test]
    fn lanes_say_the_same_as_children_one_by_one() {
        for (round, children) in (1..60).flat_map(|round| [1, 2, 3, 4, 5, 9, 35].map(|children| (round, children))) {
            let (mut plain, mut general, total) = twins(children, round);
            assert!(plain.is_plain() && !general.is_plain());
            let (multiplier, expected) = (plain.divide(total, false), general.divide(total, false));
            let scale = 1.0 + total;
            assert!(total == 0.0 || (multiplier - expected).abs() < 1e-12 * scale, "{multiplier} for {expected}");
            for (one, other) in plain.estimates.iter().zip(&general.estimates) {
                assert!((one - other).abs() < 1e-12 * scale, "{one} for {other}");
            }
            for is_integer in [false, true] {
                if is_integer {
                    plain.make_integer(total, multiplier);
                    general.make_integer(total, expected);
                    assert_eq!(plain.estimates, general.estimates);
                }
                let certificates = [&plain, &general].map(|family| {
                    let mut certificate = Certificate::default();
                    let Agreed { low, high, weight } = family.agreed(is_integer, scale, &mut certificate);
                    (low, high, weight, certificate)
                });
                let [one, other] = &certificates;
                let near = |one: f64, other: f64| one == other || (one - other).abs() < 1e-11 * scale;
                assert!(near(one.0, other.0) && near(one.1, other.1) && one.2 == other.2, "{certificates:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_shows_in_the_certificate() {
        for (estimates, is_integer) in [([-1.0, 6.0], false), ([0.5, 4.5], true), ([1.0, 4.0], false)] {
            let (mut plain, mut general, _) = twins(2, 3);
            let worst = [&mut plain, &mut general].map(|family| {
                family.estimates.extend(estimates);
                let mut certificate = Certificate::default();
                let Agreed { low, high, weight } = family.agreed(is_integer, 6.0, &mut certificate);
                certificate.stationary((low - high).max(0.0), 6.0 * weight);
                certificate
            });
            assert!(worst[0].worst() > 0.01, "{worst:?}");
            assert!((worst[0].worst() - worst[1].worst()).abs() < 1e-15, "{worst:?}");
        }
    }

    #[test]
    fn whole_numbers_stay_and_halves_go_to_even() {
        let huge = (1_u64 << 53) as f64 + 2.0;
        let numbers = [0.0, 0.5, 1.5, 2.49, 7.0, 4_503_599_627_370_495.5, huge];
        assert_eq!(numbers.map(nearest_integer), numbers.map(f64::round_ties_even));
    }
}
