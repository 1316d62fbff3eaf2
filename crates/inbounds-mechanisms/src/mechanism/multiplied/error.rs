//! Bias and mean square error of multiplicative noise, published in a range.
//!
//! # Idea
//! Relative to the answer `q` an error is `e^(s d + eta) - 1` at the noise `d` of the place, with `eta` what the middle
//! of the cell and the bias correction add; below and above the range it is that of an end. Near `q`, where values and
//! answer nearly cancel, its moments are sums of `expm1` over the noise, term by term or, over many places, as an
//! integral of smooth panels; beyond a factor of two they are differences of geometric series, which cancel no more. So
//! the relative accuracy does not depend on how small the noise is.
//!
//! Rounding to a whole step adds no bias, and `f (1 - f)` to the mean square, with `f` the part of a step by which a
//! value is above a whole number: a sixth of a step on average where the noise is many steps wide, and an integral from
//! step to step where it is not.

use inbounds_core::{StepRange, quadrature};

use crate::{law::Noise, noise::DiscreteLogLaplace};

/// Scales of the noise beyond which nothing is left of it: `e^-60`.
const FAR: f64 = 60.0;

/// Terms up to which moments are summed one by one; with more of them the midpoint rule, which an integral is, errs by
/// a part of `1e-6`.
const LISTED: f64 = 20_000.0;

/// Scales of the noise to a panel of the quadrature.
const PANEL: f64 = 4.0;

/// Steps per scale of the noise from which on the part of a step is spread evenly; the noise has a variance of 32
/// squared steps or more there.
const SPREAD: f64 = 4.0;

/// Bias and mean square error at an answer of the range, in steps and squared steps.
pub(super) fn error(law: &DiscreteLogLaplace, range: StepRange, answer: i128) -> (f64, f64) {
    Errors::new(law, range, range.clamp(answer)).all()
}

struct Errors<'a> {
    law: &'a DiscreteLogLaplace,
    range: StepRange,
    answer: f64,
    place: f64,
    /// Log of the value of the answer's own place over the answer.
    eta: f64,
    /// Noise at which values reach the lower and the upper end.
    from: f64,
    until: f64,
}

impl<'a> Errors<'a> {
    fn new(law: &'a DiscreteLogLaplace, range: StepRange, answer: i128) -> Self {
        let (lower, place) = (law.lower() as f64, law.place(answer) as f64);
        let end = |end: Option<i128>, open: f64| end.map_or(open, |end| law.first_at(end as f64) - place);
        Self {
            law,
            range,
            answer: answer as f64,
            place,
            eta: libm::log(law.correction()) + (place + 0.5) * law.width() - libm::log(answer as f64 / lower),
            from: end(range.lower(), f64::NEG_INFINITY),
            until: end(range.upper(), f64::INFINITY),
        }
    }

    fn all(&self) -> (f64, f64) {
        let places = self.law.places();
        let peak = libm::exp(places.ln_density(0.0));
        // Places near the answer, and the mass beyond them on both sides.
        let core = (FAR / places.tau()).min(libm::log(2.0) / self.law.width()).floor();
        let (start, end) = (self.from.max(-core), self.until.min(core + 1.0));
        let inside = self.near(start, end);
        let below = self.beyond(self.from, self.until.min(-core));
        let above = self.beyond(self.from.max(core + 1.0), self.until);
        let sums = [0, 1].map(|moment: usize| peak * (inside[moment] + below[moment] + above[moment]));
        // The ends themselves.
        let (at_lower, at_upper) = (places.cdf(self.from - 1.0), places.sf(self.until - 1.0));
        let relative = |end: Option<i128>| end.map_or(0.0, |end| (end as f64 - self.answer) / self.answer);
        let (lower, upper) = (relative(self.range.lower()), relative(self.range.upper()));
        let bias = sums[0] + lower * at_lower + upper * at_upper;
        let square = sums[1] + lower * lower * at_lower + upper * upper * at_upper;
        (self.answer * bias, self.answer * self.answer * square + self.rounding(at_upper))
    }

    /// First and second moment of the relative error over `from <= d < until`, of places near the answer, in units of
    /// the peak.
    fn near(&self, from: f64, until: f64) -> [f64; 2] {
        let (tau, width) = (self.law.places().tau(), self.law.width());
        let mut moments = [0.0; 2];
        let mut add = |d: f64, weight: f64| {
            let (mass, error) = (weight * libm::exp(-tau * d.abs()), libm::expm1(width * d + self.eta));
            moments[0] += mass * error;
            moments[1] += mass * error * error;
        };
        if until - from <= LISTED {
            let terms = (until - from).max(0.0) as u32;
            (0..terms).for_each(|index| add(from + f64::from(index), 1.0));
            return moments;
        }
        if from <= 0.0 && until > 0.0 {
            add(0.0, 1.0);
        }
        // Each term stands for the unit around it.
        for (low, high) in [(from, until.min(0.0)), (from.max(1.0), until)] {
            let (low, high) = (low - 0.5, high - 0.5);
            let panels = ((high - low) * tau / PANEL).ceil().max(0.0) as u32;
            for panel in 0..panels {
                let at = |index: u32| low + (high - low) * f64::from(index) / f64::from(panels);
                quadrature::nodes(at(panel), at(panel + 1)).for_each(|(d, weight)| add(d, weight));
            }
        }
        moments
    }

    /// The same far from the answer, as series.
    fn beyond(&self, from: f64, until: f64) -> [f64; 2] {
        if until <= from {
            return [0.0; 2];
        }
        let sum = |k: f64| self.law.power_sum(k, from, until);
        let (ratio, mass, first) = (libm::exp(self.eta), sum(0.0), sum(1.0));
        [ratio * first - mass, ratio * ratio * sum(2.0) - 2.0 * ratio * first + mass]
    }

    /// Increase of the mean square error by rounding inside the range, in squared steps.
    fn rounding(&self, at_upper: f64) -> f64 {
        let (places, width) = (self.law.places(), self.law.width());
        let (scale, middle) = (width / places.tau(), self.answer * libm::exp(self.eta));
        let lower = self.law.lower() as f64;
        let upper = self.range.upper().map_or(f64::INFINITY, |upper| upper as f64);
        let reach = libm::exp(0.5 * FAR * scale);
        let start = (middle / reach).floor().max(lower);
        let even = (SPREAD / scale).ceil().max(lower).min(upper);
        let end = even.min((middle * reach).ceil());
        let density = |value: f64| {
            let noise = libm::log(value / middle) / width;
            libm::exp(places.ln_density(0.0) - places.tau() * noise.abs()) / (width * value)
        };
        let part = |step: f64| {
            quadrature::integrate(step, step + 1.0, |value| density(value) * (value - step) * (step + 1.0 - value))
        };
        let steps = (end - start).max(0.0) as u32;
        let listed: f64 = (0..steps).map(|index| part(start + f64::from(index))).sum();
        let beyond = places.sf(self.law.first_at(even) - self.place - 1.0) - at_upper;
        listed + beyond.max(0.0) / 6.0
    }
}
