//! A mean as a noisy sum of centred values over a noisy count.
//!
//! With the middle `c` of the column's bounds, a group of `n` rows with mean `mu` has centred sum `S = n (mu - c)`. The two
//! measurements are `S + g X` and `n + Y`, with discrete Laplace noise `X` (in steps of size `g`) and `Y`, and
//!
//! ```text
//! estimate = clamp( c + (S + g X) / max(n + Y, 1) ; range )
//! ```
//!
//! # Interval
//! For the true mean `mu` the combination `(S + g X) - (mu - c)(n + Y) = g X - (mu - c) Y` has a known law, whatever `n`.
//! The interval is the set of all `mu` in the range that a test of that law at the level does not reject, and so covers
//! for every `n >= 1`. The lattice laws are replaced by continuous Laplace laws of the same scales, which costs one step
//! of each: `P(|X + s| > v) <= P(|X~ + s| > v - 1)` for every `s`, since for whole `j >= 0`
//! `a^j / (1 + a) <= e^(-tau (j - 1/2)) / 2` and `a^j / (1 + a) >= e^(-tau j) / 2`.
//!
//! # Error
//! Bias and RMSE are computed by summing over the law of `Y`, with the closed form of a clamped Laplace variable for each
//! `n + Y`. When the scale of `Y` passes 17, neighbouring values of `Y` are taken together, which changes the figures by
//! about one part in seven thousand. For a given count the bias is largest at an end of the range (a test scans for it).

use inbounds_mechanisms::mechanism::Measurements;

use crate::{Component, Estimate, ExpectedError, two_laplaces};

/// A noisy sum over a noisy count.
#[derive(Debug, Clone)]
pub struct Ratio {
    /// Sum of `value - middle`.
    pub sum: Component,
    /// Number of rows.
    pub count: Component,
    /// Steps of the sum's grid in one step of the column's grid.
    pub refinement: i128,
    /// The middle of the column's bounds, in steps of the sum's grid.
    pub middle: i128,
    /// Range of the estimate.
    pub range: (f64, f64),
}

/// Terms to each side in the sum over the noise of the count.
const TERMS: f64 = 512.0;

impl Ratio {
    /// One estimate a cell.
    pub fn estimate(&self, sums: &Measurements, counts: &Measurements, level: f64) -> Vec<Estimate> {
        let cells = sums.steps().iter().zip(counts.steps());
        cells.map(|(sum, count)| self.estimate_one(self.sum.value(*sum), *count as f64, level)).collect()
    }

    fn estimate_one(&self, sum: f64, count: f64, level: f64) -> Estimate {
        let rows = count.max(1.0);
        let value = (self.centre() + sum / rows).clamp(self.range.0, self.range.1);
        let (lower, upper) = self.interval(sum, count, level);
        let (bias_at_estimate, rmse_at_estimate) = self.error(value, rows);
        Estimate {
            measurement: (count > 0.0).then(|| self.centre() + sum / count),
            value,
            lower: lower.min(value),
            upper: upper.max(value),
            bias_at_estimate,
            bias_error: 0.0,
            worst_bias: Some(self.worst_bias_at(rows)),
            rmse_at_estimate,
            rmse_error: 0.0,
        }
    }

    /// The middle of the column's bounds, which is subtracted from each value.
    pub fn centre(&self) -> f64 {
        self.sum.value(self.middle)
    }

    /// All means in the range that the test does not reject; see the module.
    fn interval(&self, sum: f64, count: f64, level: f64) -> (f64, f64) {
        let (lower, upper) = self.range;
        let miss = 1.0 - level;
        let (sum_scale, count_scale) = (self.sum.scale(), self.count.scale());
        // How fast the radius grows with the distance from the middle, at most.
        let slope = two_laplaces::radius(0.0, count_scale, miss) + 1.0;
        if count <= slope {
            // The count is lost in its noise: no mean can be told from another with certainty.
            return (lower, upper);
        }
        // The mean at which sum and count agree. One beyond the range is moved to the end, and the sum with it: that only
        // brings every mean of the range nearer, so the set grows, and an impossible sum does not feign precision.
        let root = (self.centre() + sum / count).clamp(lower, upper);
        let sum = (root - self.centre()) * count;
        // The sum's discrepancy moves faster than the radius grows (the radius' slope is scanned by a test, not proved), so
        // the accepted means form one interval around the root.
        let accepts = |mean: f64| {
            let distance = mean - self.centre();
            // What is left of the discrepancy after one lattice step of each noise.
            let excess = (sum - distance * count).abs() - self.sum.step() - distance.abs();
            let scale = distance.abs() * count_scale;
            excess <= 0.0 || two_laplaces::tail(sum_scale, scale, excess) > miss * (1.0 - 1e-9)
        };
        let end = |far: f64| {
            if accepts(far) {
                return far;
            }
            // Bisect on the way from the accepted root to the rejected end, and keep the outer point.
            let (_, outside) = inbounds_core::root::bisect(0.0, 1.0, |part| accepts(root + part * (far - root)));
            root + outside * (far - root)
        };
        (end(lower), end(upper))
    }

    /// Bias and RMSE for a group of `rows` rows with a given mean.
    fn error(&self, mean: f64, rows: f64) -> (f64, f64) {
        let noise = self.count.mechanism.noise();
        let reach = (30.0 * noise.scale()).ceil();
        let stride = (reach / TERMS).ceil().max(1.0);
        let steps = (reach / stride).ceil() as i64;
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for index in -steps..=steps {
            let shift = index as f64 * stride;
            // Unnormalised: the weights are divided by their sum below.
            let weight = libm::exp(noise.ln_kernel(shift));
            let (bias, square) = self.error_given_count(mean, rows, (rows + shift).max(1.0));
            mass += weight;
            first += weight * bias;
            second += weight * square;
        }
        (first / mass, (second / mass).sqrt())
    }

    /// `E(W - mean)` and `E(W - mean)^2` for `W` a Laplace variable of scale `scale / noisy` around
    /// `middle + rows (mean - middle) / noisy`, clamped to the range.
    fn error_given_count(&self, mean: f64, rows: f64, noisy: f64) -> (f64, f64) {
        let (l, u) = (self.range.0 - mean, self.range.1 - mean);
        let b = self.sum.scale() / noisy;
        // Location relative to the mean.
        let t = (self.centre() - mean) * (1.0 - rows / noisy);
        let excess = |d: f64| {
            if d >= 0.0 { 0.5 * b * libm::exp(-d / b) } else { 0.5 * b * libm::exp(d / b) - d }
        };
        // E(W) = l + E(V - l)+ - E(V - u)+; inside the range the large terms cancel by hand.
        let bias = if t <= l {
            l + excess(l - t) - excess(u - t)
        } else if t >= u {
            u + excess(t - l) - excess(t - u)
        } else {
            t + excess(t - l) - excess(u - t)
        };
        let low = |x: f64| b * (x - b) * libm::exp((x - t) / b);
        let high = |x: f64| b * (x + b) * libm::exp((t - x) / b);
        let square = if t <= l {
            l * l + high(l) - high(u)
        } else if t >= u {
            u * u - low(u) + low(l)
        } else {
            t * t + 2.0 * b * b + low(l) - high(u)
        };
        (bias, square.max(bias * bias))
    }

    fn worst_bias_at(&self, rows: f64) -> f64 {
        let (lower, upper) = self.range;
        [lower, upper].map(|mean| self.error(mean, rows).0.abs()).into_iter().fold(0.0, f64::max)
    }

    /// The largest absolute bias over the range for groups of 1, 2, 4, ..., 1024 rows.
    pub fn worst_bias(&self) -> f64 {
        (0..=10).map(|power| self.worst_bias_at(2f64.powi(power))).fold(0.0, f64::max)
    }

    /// Error at the lower end and in the middle of the range, for groups of 100 and 10,000 rows.
    pub fn expected_errors(&self) -> Vec<ExpectedError> {
        let (lower, upper) = self.range;
        let means = [("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))];
        let cases = [100.0, 10_000.0].into_iter().flat_map(|rows| means.map(|(place, mean)| (rows, place, mean)));
        cases
            .map(|(rows, place, mean)| {
                let (bias, rmse) = self.error(mean, rows);
                ExpectedError { case: format!("{place}, group of {rows} rows"), bias, rmse }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use inbounds_core::{Epsilon, Grid, Guarantee, Sensitivity, StepRange};
    use inbounds_mechanisms::{mechanism::Mechanism, registry};

    use super::*;

    fn mechanism(epsilon: &str, l1: u128) -> Arc<dyn Mechanism> {
        let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "test" };
        let epsilon = Epsilon::new(epsilon.parse().expect("number")).expect("positive");
        let clamped = registry::find("clamped").expect("registered");
        clamped.calibrate(&Guarantee::Pure { epsilon }, &sensitivity, StepRange::UNBOUNDED).expect("calibrates")
    }

    #[test]
    fn the_worst_bias_is_at_an_end() {
        for epsilon in ["0.05", "0.5", "5"] {
            for range in [(0.0, 10.0), (2.0, 10.0), (4.0, 5.0)] {
                let component = |role: &'static str, l1| Component {
                    role: role.into(),
                    mechanism: mechanism(epsilon, l1),
                    grid: Grid::INTEGERS,
                    divisor: 1,
                };
                let ratio = Ratio {
                    sum: component("centred sum", 5),
                    count: component("count", 1),
                    refinement: 1,
                    middle: 5,
                    range,
                };
                for rows in [1.0, 3.0, 20.0, 500.0] {
                    let scanned = (0..=40)
                        .map(|i| ratio.error(range.0 + (range.1 - range.0) * f64::from(i) / 40.0, rows).0.abs())
                        .fold(0.0, f64::max);
                    let stated = ratio.worst_bias_at(rows);
                    assert!(stated >= scanned * (1.0 - 1e-12), "{epsilon} {range:?} {rows}: {stated} {scanned}");
                }
            }
        }
    }
}
