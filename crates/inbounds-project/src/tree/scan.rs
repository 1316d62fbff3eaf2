//! Sums over leaves side by side in memory.
//!
//! **Idea.** These are the only loops that visit every leaf, so each keeps [`LANES`] partial sums, leaf `i` going to
//! lane `i mod LANES`, which the compiler turns into vector instructions, and [`wide`] into the widest there are. The
//! order of additions is part of the code and not of the processor, so results are the same everywhere. Where a leaf
//! may be left out, a comparison makes a factor of 0 or 1 instead of a branch.

use pulp::NullaryFnOnce;

use super::part::{Kept, Part};

const LANES: usize = 4;

/// Runs loops in the widest vectors that the processor has. Not a closure, which the compiler may leave out of line and
/// narrow: the function that is called, and those that its loops call, must always be inlined.
#[inline(always)]
pub(super) fn wide<L: NullaryFnOnce>(loops: L) -> L::Output {
    pulp::Arch::new().dispatch(loops)
}

/// [`all`] for leaves of one variance.
pub(super) fn all_alike(value: &[f64], variance: f64) -> (Part, f64, Kept) {
    let mut means = [0.0; LANES];
    let mut magnitudes = [0.0; LANES];
    for_lanes(value, value, |lane, value, _| {
        means[lane] += value;
        magnitudes[lane] += value.abs();
    });
    let part = Part { mean: means.iter().sum(), variance: value.len() as f64 * variance, free: 0.0 };
    (part, magnitudes.iter().sum(), Kept::default())
}

/// [`nonnegative`] for leaves of one variance.
pub(super) fn nonnegative_alike(value: &[f64], variance: f64, multiplier: f64) -> (Part, f64, Kept) {
    let least = -multiplier * variance;
    let mut means = [0.0; LANES];
    let mut counts = [0.0; LANES];
    let mut least_values = [f64::INFINITY; LANES];
    for_lanes(value, value, |lane, value, _| {
        // Kept or not as a number, so that lanes need no branches.
        let keep = if value >= least { 1.0 } else { 0.0 };
        means[lane] += keep * value;
        counts[lane] += keep;
        let low = value + (1.0 - keep) * f64::MAX;
        least_values[lane] = if low < least_values[lane] { low } else { least_values[lane] };
    });
    let least_value = least_values.into_iter().fold(f64::INFINITY, |least, low| if low < least { low } else { least });
    let kept = Kept { least_value, least_variance: variance, most_variance: variance };
    let count: f64 = counts.iter().sum();
    (Part { mean: means.iter().sum(), variance: count * variance, free: 0.0 }, 0.0, kept)
}

/// Sum of numbers.
#[inline(always)]
pub(super) fn sum(numbers: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for_lanes(numbers, numbers, |lane, number, _| sums[lane] += number);
    sums.iter().sum()
}

/// Sum of absolute values.
pub(super) fn sum_of_sizes(numbers: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for_lanes(numbers, numbers, |lane, number, _| sums[lane] += number.abs());
    sums.iter().sum()
}

/// Sum of all leaves, and of their absolute values.
pub(super) fn all(value: &[f64], variance: &[f64]) -> (Part, f64, Kept) {
    let mut means = [0.0; LANES];
    let mut magnitudes = [0.0; LANES];
    let mut variances = [0.0; LANES];
    for_lanes(value, variance, |lane, value, variance| {
        means[lane] += value;
        magnitudes[lane] += value.abs();
        variances[lane] += variance;
    });
    let magnitude = magnitudes.iter().sum();
    (part(value, variance, &means, &variances, |_, _| true), magnitude, Kept::default())
}

/// Sum of the leaves with `value + multiplier * variance >= 0`, and their extremes. Their absolute values are not
/// summed.
pub(super) fn nonnegative(value: &[f64], variance: &[f64], multiplier: f64) -> (Part, f64, Kept) {
    let mut means = [0.0; LANES];
    let mut variances = [0.0; LANES];
    let mut least_values = [f64::INFINITY; LANES];
    let mut least_variances = [f64::INFINITY; LANES];
    let mut most_variances = [0.0_f64; LANES];
    for_lanes(value, variance, |lane, value, variance| {
        let keep = value + multiplier * variance >= 0.0;
        means[lane] += if keep { value } else { 0.0 };
        variances[lane] += if keep { variance } else { 0.0 };
        let (low, least, most) = if keep { (value, variance, variance) } else { (f64::INFINITY, f64::INFINITY, 0.0) };
        least_values[lane] = if low < least_values[lane] { low } else { least_values[lane] };
        least_variances[lane] = if least < least_variances[lane] { least } else { least_variances[lane] };
        most_variances[lane] = if most > most_variances[lane] { most } else { most_variances[lane] };
    });
    let kept = Kept {
        least_value: least_values.into_iter().fold(f64::INFINITY, f64::min),
        least_variance: least_variances.into_iter().fold(f64::INFINITY, f64::min),
        most_variance: most_variances.into_iter().fold(0.0, f64::max),
    };
    let sum = part(value, variance, &means, &variances, |value, variance| value + multiplier * variance >= 0.0);
    (sum, 0.0, kept)
}

/// The sum that the lanes hold; leaf by leaf if some are unmeasured, which are counted apart.
fn part(value: &[f64], variance: &[f64], means: &[f64], variances: &[f64], keep: impl Fn(f64, f64) -> bool) -> Part {
    let (mean, total): (f64, f64) = (means.iter().sum(), variances.iter().sum());
    if total < f64::INFINITY {
        return Part { mean, variance: total, free: 0.0 };
    }
    let mut sum = Part::default();
    for (&value, &variance) in value.iter().zip(variance) {
        if keep(value, variance) {
            sum.add(Part::measured(value, variance));
        }
    }
    sum
}

/// Calls `visit(lane, value, variance)` for each leaf, with leaves dealt to the lanes in turn.
#[inline(always)]
pub(super) fn for_lanes(value: &[f64], variance: &[f64], mut visit: impl FnMut(usize, f64, f64)) {
    let (values, value_rest) = value.as_chunks::<LANES>();
    let (variances, variance_rest) = variance.as_chunks::<LANES>();
    for (values, variances) in values.iter().zip(variances) {
        for lane in 0..LANES {
            visit(lane, values[lane], variances[lane]);
        }
    }
    for (lane, (&value, &variance)) in value_rest.iter().zip(variance_rest).enumerate() {
        visit(lane, value, variance);
    }
}
