//! Noise on the logarithm of an answer above zero.

mod error;

use std::sync::Arc;

use inbounds_core::{IntervalMethod, root};

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue, candidates, over};
use crate::{
    bounding::{BoundingBias, Clamp, GridMap},
    interval::{OUTWARD, StepInterval},
    law::Noise,
    noise::{DiscreteLogLaplace, GridNoise},
    sampler::Entropy,
};

/// Publishes `X`, near `q` times `e^L`, of [`DiscreteLogLaplace`], and estimates `q` by the nearest point of the range.
///
/// # Guarantee
/// That of the noise of places ([`DiscreteLogLaplace::for_range`]); measurement and estimate are post-processing of the
/// noisy place. Claim: `log-laplace-places`.
///
/// # Error
/// The relative error does not depend on the answer, but for the ends of the range. The measurement is unbiased, but
/// for half a cell, where its variance is finite; the estimate is biased near an end. With a sensitivity of `D` steps
/// and a lower end `l` the scale of the logarithm is `ln(1 + D/l)/epsilon`, near to `D/l` over epsilon, which is
/// Laplace noise's at `l`; at any larger answer Laplace noise is a smaller part. So this noise errs less next to the
/// lower end alone, and by little.
///
/// # References
/// McGlinchey and Mason, section 3.1 and Proposition 3.
#[derive(Debug, Clone)]
pub struct Multiplied {
    name: &'static str,
    calibration: Calibration,
    law: DiscreteLogLaplace,
}

/// Answers of an interval that are looked at for the largest error before the search is refined.
const POINTS: i128 = 12;

/// Relative accuracy of ends of intervals, outwards; values are good to a few roundings.
const ROUNDING: f64 = 1e-13;

impl Multiplied {
    /// The mechanism of calibrated noise.
    pub(crate) fn over(name: &'static str, calibration: Calibration, law: DiscreteLogLaplace) -> Arc<dyn Mechanism> {
        debug_assert_eq!(calibration.noise, GridNoise::LogLaplace(law.clone()));
        Arc::new(Self { name, calibration, law })
    }

    fn lower(&self) -> i128 {
        self.law.lower()
    }

    /// `P(X <= steps)` for an answer at `place`.
    fn below(&self, steps: i128, place: i128) -> f64 {
        let (from, until) = (self.law.first_at(steps as f64), self.law.first_at((steps + 1) as f64));
        let part = self.law.linear_sum(place, (from, until), (steps + 1) as f64, -1.0);
        self.law.cdf(from - place as f64 - 1.0) + part
    }

    /// `P(X >= steps)` for an answer at `place`.
    fn above(&self, steps: i128, place: i128) -> f64 {
        let (from, until) = (self.law.first_at((steps - 1) as f64), self.law.first_at(steps as f64));
        let part = self.law.linear_sum(place, (from, until), 1.0 - steps as f64, 1.0);
        self.law.sf(until - place as f64 - 1.0) + part
    }

    /// The answers whose places are these, rounded outwards and cut to the range.
    fn answers(&self, (first, last): (i128, i128)) -> StepInterval {
        let edge = |place: i128, outwards: f64| {
            self.lower() as f64 * libm::exp(place as f64 * self.law.width()) * (1.0 + outwards)
        };
        let range = self.calibration.range;
        let (lower, upper) = (edge(first, -ROUNDING).floor() as i128, edge(last + 1, ROUNDING).floor() as i128);
        StepInterval { lower: Some(range.clamp(lower)), upper: Some(range.clamp(upper)) }
    }
}

impl Mechanism for Multiplied {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy) {
        self.law.measure(self.calibration.range, answers, entropy);
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        Clamp.value(self.calibration.range, measurement)
    }

    fn processing(&self) -> Option<&dyn GridMap> {
        Some(&Clamp)
    }

    /// Places have noise that is added; measurements in steps do not.
    fn adds_noise(&self) -> bool {
        false
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        let (bias, mse) = error::error(&self.law, self.calibration.range, candidate);
        ErrorAt { bias, rmse: mse.sqrt() }
    }

    /// Infinite without an upper end: half a cell is a part of the answer.
    fn worst_bias(&self) -> f64 {
        let range = self.calibration.range;
        match range.upper() {
            Some(upper) => self.error_over(StepInterval { lower: Some(self.lower()), upper: Some(upper) }).bias.abs(),
            None => f64::INFINITY,
        }
    }

    fn error_over(&self, interval: StepInterval) -> ErrorAt {
        over::largest_of(self, interval, POINTS)
    }

    /// All answers under which a measurement as far to one side, once it is moved into the range, is not rare on
    /// either: each tail holds more than half of what the level leaves.
    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        let range = self.calibration.range;
        let clamped = range.clamp(measurement);
        let miss = 0.5 * (1.0 - level) * (1.0 - OUTWARD);
        let far = (-libm::log(miss) / self.law.places().tau()).ceil() as i128 + 2;
        let near = |steps: i128| self.law.first_at(steps as f64) as i128;
        let most = range.upper().map(|upper| self.law.place(upper));
        let lowest = match clamped == self.lower() {
            true => 0,
            false => {
                let start = (near(clamped) - far).max(-1);
                root::bisect_integer(start, near(clamped) + 1, |place| self.above(clamped, place.max(0)) <= miss) + 1
            }
        };
        let highest = match range.upper() {
            Some(upper) if clamped == upper => self.law.place(upper),
            _ => root::bisect_integer(near(clamped).max(0), near(clamped + 1).max(0) + far, |place| {
                self.below(clamped, place) > miss
            }),
        };
        let highest = most.map_or(highest, |most| highest.min(most));
        let interval = self.answers((lowest.clamp(0, highest.max(0)), highest.max(0)));
        interval.holding(self.estimate(measurement))
    }

    /// `ln P(X = measurement)`; where no value rounds to the measurement, that of the nearest place.
    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        let (range, steps) = (self.calibration.range, measurement as f64);
        let place = match candidate.fraction == 0.0 {
            true => self.law.place(range.clamp(candidate.whole)),
            // Between whole answers, where a posterior is integrated.
            false => {
                let answer = (candidate.whole as f64 + candidate.fraction).max(self.lower() as f64);
                (libm::log(answer / self.lower() as f64) / self.law.width()) as i128
            }
        };
        let [from, middle, until] = [steps - 1.0, steps, steps + 1.0].map(|steps| self.law.first_at(steps));
        let mass = self.law.linear_sum(place, (from, middle), 1.0 - steps, 1.0)
            + self.law.linear_sum(place, (middle, until), 1.0 + steps, -1.0);
        if mass > 0.0 { libm::log(mass) } else { self.law.ln_density(middle - place as f64) }
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::Bounding(BoundingBias::LogLaplace)
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::TailsInvertedCutToRange
    }

    fn felt(&self) -> f64 {
        f64::INFINITY
    }

    /// Answers in equal ratios from the lower end to the upper, or to a thousand times the lower.
    fn candidates(&self) -> Vec<i128> {
        candidates::in_ratios(self.calibration.range).expect("its lower end is above zero")
    }

    fn landmarks(&self) -> (Option<i128>, i128) {
        (Some(self.lower()), candidates::inside(self.calibration.range).expect("its lower end is above zero"))
    }

    fn posterior_reach(&self, measurement: i128) -> i128 {
        // As a function of the answer the likelihood falls as its power -1/b.
        let anchor = self.calibration.range.clamp(measurement) as f64;
        let most = (1u128 << 100) as f64;
        (anchor * libm::expm1(123.0 * self.law.log_scale())).min(most).ceil() as i128 + 2
    }

    fn tails(&self, measurement: i128, answer: i128) -> Option<(f64, f64)> {
        let place = self.law.place(self.calibration.range.clamp(answer));
        Some((self.below(measurement, place), self.above(measurement, place)))
    }

    fn relative_error(&self) -> Option<super::RelativeError> {
        Some(super::RelativeError::from_law(&self.law))
    }
}
