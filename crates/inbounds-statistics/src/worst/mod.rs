//! The largest error over all columns of numbers within their bounds.
//!
//! # Law
//! Number of rows, sum and sum of squares are all that the measurements of a cell depend on, and they have the noise of
//! the plan whatever the rows are. So `n` rows with mean `m` and variance `s` decide the law of the estimates, and for
//! numbers between `-1/2` and `1/2` these are any of
//!
//! ```text
//! -1/2 <= m <= 1/2,      0 <= s <= 1/4 - m^2:
//! ```
//!
//! least where all rows have one value, most where all are at an end. Of real rows only some of these are possible, so
//! that the largest error over the region is at least that of every column. The noise is symmetric about the middle,
//! and `m <= 0` is enough.
//!
//! **Variance.** To first order, with `b^2` the variance of the noise of one of three sums ([`crate::second_moments`]),
//!
//! ```text
//! n^2 mse = b^2 f(m, s),      f = 1/6 + 2 m^2 + 3 (1/12 - s + m^2)^2.
//! ```
//!
//! `f` is convex in `s`, so that it is largest at `s = 0` or at `s = 1/4 - m^2`. There it is
//! `1/6 + 2 m^2 + 3 (1/12 + m^2)^2` and `1/6 + 2 m^2 + 3 (1/6 - 2 m^2)^2`. Both are convex in `m^2`, and at most 1: the
//! largest error is `b / n`, of rows that are all at one end, and 2.45 times that of evenly spread values. But a
//! variance is at least 0, which cuts away half of the noise where `s` is 0; and where the noise is not small beside
//! the rows there is more than the first order. So the largest error is that of a column nearly all at one end, with
//! few rows far from it, and it is searched for. Noisy sums of another shape have another `f`, and the same search.
//!
//! **Root.** It errs most where the variance is about 0, of rows at an end.
//!
//! **The search.** With `d = m + 1/2`, all `d = 2^-i / 2` and `s = 2^-j d (1 - d)` are tried, down to where either is a
//! small part of the noise of a variance, and 0. All have the same noise ([`Cloud`]), so that errors are smooth in
//! both. From the best two, steps of a half, a quarter and an eighth of a power of two lead on as long as the error
//! grows.
//!
//! **Known moments.** Where the mean is known, or the variance, the other one is searched for, closer and closer to
//! both ends of what it can be; where both are, they and the number of rows decide the law, and nothing is searched
//! for.
//!
//! # Guarantee
//! What is found is raised by [`MARGIN`], for places between those that were tried and for what the points do not tell
//! of the noise. Tests hold it to dense scans of the region with other noise. Of cube noise, which is drawn, it is
//! known to some 2 %.

use crate::{
    ColumnMoments,
    second_moments::{Cloud, Clouds, Rows},
};

/// By which what is found is raised.
const MARGIN: f64 = 1.01;

/// The part of the noise down to which values are told from the ends of their bounds, as a power of two.
const BELOW_NOISE: f64 = 4.0;

/// Least ratio by which an error must grow for the search to go on.
const GROWS: f64 = 1.0001;

/// Golden sections, that leave a twentieth of what was between two places.
const SECTIONS: usize = 6;

/// Halvings at most.
const MOST: f64 = 50.0;

/// Bias and RMSE of something that is published, by the noise of a cloud.
pub(crate) type Errors = fn(&Cloud, &Rows) -> (f64, f64);

/// The largest error, and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Worst {
    pub(crate) bias: f64,
    pub(crate) rmse: f64,
    /// Where: the number of rows is the one that was asked for.
    pub(crate) rows: Rows,
}

impl Worst {
    /// Raised by the margin.
    fn raised(self) -> Self {
        Self { bias: MARGIN * self.bias, rmse: MARGIN * self.rmse, ..self }
    }
}

/// Halvings until a half is a small part of the noise.
fn halvings(noise: f64) -> i32 {
    (libm::ceil(-libm::log2(noise)) + BELOW_NOISE).clamp(BELOW_NOISE, MOST) as i32
}

/// The powers of two that stand for a place in the region: `d = 2^-place[0] / 2` and `s = 2^-place[1] d (1 - d)`.
fn rows_at(rows: f64, place: [f64; 2]) -> Rows {
    let [distance, part] = place.map(|power| libm::exp2(-power));
    let distance = 0.5 * distance;
    Rows { rows, deviation: distance - 0.5, variance: part * distance * (1.0 - distance) }
}

/// The largest error of variances of `rows` rows, or of their roots; `noise` is the standard deviation of the noise of
/// a variance, to first order, and `error` bias and RMSE by a cloud.
pub(crate) fn of_spread(clouds: &Clouds, (rows, noise): (f64, f64), error: Errors) -> Worst {
    let deepest = halvings(noise);
    let powers = || (0..=deepest).map(f64::from).chain([f64::INFINITY]);
    let places = powers().flat_map(|distance| powers().map(move |part| [distance, part]));
    // Where all are at an end, or of one value, there is nothing to halve.
    let told = |[distance, part]: &[f64; 2]| distance + part <= f64::from(deepest) || part.is_infinite();
    let mut tried: Vec<(f64, [f64; 2])> =
        places.filter(told).map(|place| (error(&clouds.coarse, &rows_at(rows, place)).1, place)).collect();
    tried.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    let at = |place: [f64; 2]| {
        let group = rows_at(rows, place);
        let (bias, rmse) = error(&clouds.fine, &group);
        Worst { bias, rmse, rows: group }
    };
    let climb = |(_, from): &(f64, [f64; 2])| {
        let (mut best, mut place) = (at(*from), *from);
        for step in [0.5, 0.25, 0.125] {
            let higher = |place, best: Worst| {
                let mut next = around(place, step).map(|to| (at(to), to));
                next.find(|(next, _)| next.rmse > GROWS * best.rmse)
            };
            while let Some((next, to)) = higher(place, best) {
                (best, place) = (next, to);
            }
        }
        best
    };
    let climbed = tried.iter().take(2).map(climb);
    let none = at([0.0, f64::INFINITY]);
    climbed.fold(none, |most, next| if next.rmse > most.rmse { next } else { most }).raised()
}

/// Places a step away, inside the region.
fn around([distance, part]: [f64; 2], step: f64) -> impl Iterator<Item = [f64; 2]> {
    let places = [[distance - step, part], [distance + step, part], [distance, part - step], [distance, part + step]];
    let inside = move |place: &[f64; 2]| place.iter().all(|power| *power >= 0.0) && *place != [distance, part];
    places.into_iter().filter(inside)
}

/// Moments of rows that are known, as parts of the width of their bounds: those of [`Rows`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    pub(crate) deviation: Option<f64>,
    pub(crate) variance: Option<f64>,
}

impl Known {
    /// Of values in the unit of a column, whose bounds have this middle and this width; outside the region, the nearest
    /// in it.
    pub(crate) fn new(moments: &ColumnMoments, (middle, span): (f64, f64)) -> Self {
        let deviation = moments.mean.map(|mean| ((mean - middle) / span).clamp(-0.5, 0.5));
        let most = 0.25 - deviation.map_or(0.0, |deviation| deviation * deviation);
        Self { deviation, variance: moments.deviation.map(|root| (root / span).powi(2).min(most)) }
    }
}

/// The largest error of variances, or of their roots, of rows whose moments are known in part: over the region where
/// neither is, over the line where one is, at the point where both are.
pub(crate) fn of_known_spread(clouds: &Clouds, (rows, noise): (f64, f64), known: Known, error: Errors) -> Worst {
    let place = |deviation, variance| Rows { rows, deviation, variance };
    let coarse = |group: Rows| error(&clouds.coarse, &group).1;
    let worst = match (known.deviation, known.variance) {
        (None, None) => return of_spread(clouds, (rows, noise), error),
        (Some(deviation), None) => {
            let range = (0.0, 0.25 - deviation * deviation);
            place(deviation, largest(range, halvings(noise), |variance| coarse(place(deviation, variance))))
        }
        (None, Some(variance)) => {
            let range = (-libm::sqrt(0.25 - variance), 0.0);
            place(largest(range, halvings(noise), |deviation| coarse(place(deviation, variance))), variance)
        }
        (Some(deviation), Some(variance)) => place(deviation, variance),
    };
    let (bias, rmse) = error(&clouds.fine, &worst);
    Worst { bias, rmse, rows: worst }.raised()
}

/// The largest error of means between `lower` and `upper`, both parts of the width seen from the middle, or that of the
/// mean that is known.
pub(crate) fn of_mean(clouds: &Clouds, (rows, noise): (f64, f64), range: (f64, f64), known: Known) -> Worst {
    let at = |cloud: &Cloud, deviation: f64| {
        let group = Rows { rows, deviation, variance: 0.0 };
        let (bias, rmse) = cloud.of_mean(&group, range);
        Worst { bias, rmse, rows: group }
    };
    let searched = || largest(range, halvings(noise), |deviation| at(&clouds.coarse, deviation).rmse);
    at(&clouds.fine, known.deviation.unwrap_or_else(searched)).raised()
}

/// Where in a range an error is largest that may be so near an end: among places closer and closer to the ends, by half
/// a power of two each, and then between those beside the best of them, by golden sections.
pub(crate) fn largest(range: (f64, f64), halvings: i32, error: impl Fn(f64) -> f64) -> f64 {
    let mut places: Vec<f64> = near_ends(range, halvings).collect();
    places.sort_unstable_by(f64::total_cmp);
    let errors: Vec<f64> = places.iter().map(|place| error(*place)).collect();
    let best = (0..places.len()).max_by(|one, other| errors[*one].total_cmp(&errors[*other])).unwrap_or(0);
    let (mut from, mut to) = (places[best.saturating_sub(1)], places[(best + 1).min(places.len() - 1)]);
    let golden = 0.5 * (libm::sqrt(5.0) - 1.0);
    let mut most = (errors[best], places[best]);
    for _ in 0..SECTIONS {
        let [low, high] = [to - golden * (to - from), from + golden * (to - from)];
        let [of_low, of_high] = [low, high].map(&error);
        for (error, place) in [(of_low, low), (of_high, high)] {
            most = if error > most.0 { (error, place) } else { most };
        }
        if of_low > of_high { to = high } else { from = low }
    }
    most.1
}

/// Places in a range that are closer and closer to its ends, by half a power of two each, and the ends.
pub(crate) fn near_ends((lower, upper): (f64, f64), halvings: i32) -> impl Iterator<Item = f64> {
    let parts = (2..=2 * halvings).map(|power| libm::exp2(-0.5 * f64::from(power))).chain([0.0]);
    parts.flat_map(move |part| [lower + part * (upper - lower), upper - part * (upper - lower)])
}

#[cfg(test)]
mod tests;
