//! Bias and RMSE of a mean, by one integral over the noise of its number of rows.
//!
//! # Law
//! With unit Laplace `x`, `y` and `s = x + y`, `d = x - y`, the joint density of `(s, d)` is `e^(-max(|s|, |d|)) / 8`.
//! The noisy number of rows is `N' = n + s b / R`; with `m = max(N', 1)` and `c` the middle of the bounds, the estimate
//! before the clamp errs by
//!
//! ```text
//! (c - mu)(1 - n/m) + k d,      k = b / (2 m).
//! ```
//!
//! Given `s` that is, with weight `|s| e^(-|s|) / 4`, uniform between `-down` and `up`, where
//! `up, down = k |s| +- (c - mu)(1 - n/m)`, neither of which is negative, and else, with weight `e^(-|s|) / 8` each,
//! beyond `up` or beyond `-down` by an exponential of mean `k`. The moments of each part, cut to the range, are closed
//! forms, written without cancellation. The integral over `s` is cut where the cut of either part changes its form, and
//! into panels of Gauss-Legendre quadrature.
//!
//! # Accuracy
//! The lattice laws of the noise are replaced by continuous ones of the same scales. The integral is then within `1e-7`
//! of its value, relative to the RMSE (a test). For a given number of rows the bias is largest at an end of the range
//! (a test scans for it).

use inbounds_core::quadrature;

use super::Ratio;

/// Where the integral over the noise of the number of rows stops: the mass beyond is below `1e-10`.
const REACH: f64 = 26.0;

/// The longest panel: over half of it `e^(-|s|)`, and what it is multiplied by, fall by `e^13` at most, which a panel
/// resolves to `1e-8`.
const PANEL: f64 = 26.0;

/// The largest factor by which the noisy number of rows grows within a panel.
const GROWTH: f64 = 8.0;

impl Ratio {
    /// Bias and RMSE for a group of `rows >= 1` rows with a mean in the range.
    pub(super) fn error(&self, mean: f64, rows: f64) -> (f64, f64) {
        let (bias, square) = Group::new(self, mean, rows).moments();
        (bias, square.max(bias * bias).sqrt())
    }
}

/// A group of rows in the light of one measurement, all in the column's unit; ends and middle are seen from the mean.
struct Group {
    rows: f64,
    /// Scale of the noise.
    scale: f64,
    /// Scale of the noise of the number of rows.
    unit: f64,
    /// Middle of the bounds.
    middle: f64,
    /// Distances to the upper and the lower bound.
    bounds: (f64, f64),
    /// Distances to the upper and the lower end of the range.
    ends: (f64, f64),
}

impl Group {
    fn new(ratio: &Ratio, mean: f64, rows: f64) -> Self {
        let (lower, upper) = ratio.bounds();
        let scale = ratio.distances.scale();
        Self {
            rows,
            scale,
            unit: scale / ratio.width(),
            middle: ratio.middle() - mean,
            bounds: (upper - mean, mean - lower),
            ends: (ratio.range.1 - mean, mean - ratio.range.0),
        }
    }

    /// First and second moment of the error.
    fn moments(&self) -> (f64, f64) {
        let (mut first, mut second) = (0.0, 0.0);
        for panel in self.panels().windows(2) {
            for (s, weight) in quadrature::nodes(panel[0], panel[1]) {
                let (error, square) = self.moments_at(s);
                first += weight * error;
                second += weight * square;
            }
        }
        (first, second)
    }

    /// First and second moment of the error at noise `s`, times the density of `s`.
    fn moments_at(&self, s: f64) -> (f64, f64) {
        let noisy = (self.rows + s * self.unit).max(1.0);
        let spread = 0.5 * self.scale / noisy;
        let shift = self.middle * (1.0 - self.rows / noisy);
        let half = spread * s.abs();
        let up = one_side((half + shift).max(0.0), self.ends.0, spread);
        let down = one_side((half - shift).max(0.0), self.ends.1, spread);
        let density = 0.125 * libm::exp(-s.abs());
        (density * (up.0 - down.0), density * (up.1 + down.1))
    }

    /// Ends of panels: none holds a place where the integrand is not smooth, nor the number of rows grows by much.
    fn panels(&self) -> Vec<f64> {
        let one_row = (1.0 - self.rows) / self.unit;
        let mut cuts = Vec::from(self.turns());
        cuts.extend([0.0, one_row, REACH]);
        cuts.retain(|s| s.abs() <= REACH);
        cuts.sort_unstable_by(f64::total_cmp);
        let mut from = -REACH;
        let mut panels = vec![from];
        for cut in cuts {
            while from < cut {
                let growth = (GROWTH - 1.0) * (self.rows / self.unit + from);
                let longest = if from < one_row { PANEL } else { PANEL.min(growth) };
                from = cut.min(from + longest);
                panels.push(from);
            }
        }
        panels
    }

    /// The noise `s` at which `up` or `down` reaches an end of the range, and places where that would be, were `m`
    /// another: infinite or no number where there is none.
    fn turns(&self) -> [f64; 6] {
        let ((above, below), (high, low)) = (self.bounds, self.ends);
        let rows = self.rows / self.unit;
        // From n rows up `up = above (1 - n/m)` and `down = below (1 - n/m)`.
        let more = [high / (above - high), low / (below - low)].map(|part| rows * part);
        // Below n rows `up = below (n/m - 1)` and `down = above (n/m - 1)`.
        let fewer = [high / (below + high), low / (above + low)].map(|part| -rows * part);
        // Below one row `up` and `down` are `b |s| / 2 +- (c - mu)(1 - n)`.
        let shift = self.middle * (1.0 - self.rows);
        let none = [high - shift, low + shift].map(|room| -2.0 * room / self.scale);
        [more[0], more[1], fewer[0], fewer[1], none[0], none[1]]
    }
}

/// First and second moment of the part of the error on one side of zero, cut at `end`: half of the uniform part up to
/// `edge`, and the exponential of mean `spread` beyond, in units of `e^(-|s|) / 8`.
fn one_side(edge: f64, end: f64, spread: f64) -> (f64, f64) {
    let inside = edge.min(end);
    let beyond = edge - inside;
    let room = (end - inside) / spread;
    // 1 - e^(-room) and 1 - (1 + room) e^(-room), by series where a subtraction would lose their digits.
    let (gain, growth) = if room < 0.02 {
        let growth = room * room * (0.5 - room * (1.0 / 3.0 - room * (0.125 - room / 30.0)));
        (room * (1.0 - room * (0.5 - room * (1.0 / 6.0 - room * (1.0 / 24.0 - room / 120.0)))), growth)
    } else {
        let decay = libm::exp(-room);
        (1.0 - decay, 1.0 - (1.0 + room) * decay)
    };
    let first = (0.5 * inside * inside + end * beyond) / spread + inside + spread * gain;
    let second = (inside * inside * inside / 3.0 + end * end * beyond) / spread
        + inside * inside
        + 2.0 * spread * (inside * gain + spread * growth);
    (first, second)
}

#[cfg(test)]
pub(super) mod tests {
    use inbounds_core::{Epsilon, Grid, Guarantee, Sensitivity, StepRange};
    use inbounds_mechanisms::registry;

    use super::*;
    use crate::Component;

    /// Bounds 0 and 10 on the integers, with a thousandth for a step.
    pub(in crate::ratio) fn ratio(epsilon: &str, range: (f64, f64)) -> Ratio {
        let grid = Grid::power_of_two(-10).expect("grid");
        let width = 10 << 10;
        let sensitivity = Sensitivity { l1: width, linf: width, cells: 2, rule: "test", squares: None };
        let epsilon = Epsilon::new(epsilon.parse().expect("number")).expect("positive");
        let stated = epsilon.clone();
        let clamped = registry::find("clamped").expect("registered");
        let mechanism =
            clamped.calibrate(&Guarantee::Pure { epsilon }, &sensitivity, StepRange::UNBOUNDED).expect("calibrates");
        let distances = Component { role: inbounds_core::Quantity::Distances, mechanism, grid, divisor: 1 };
        let missing = crate::ClipMissing::Drop;
        let clip = crate::Clip { grid: Grid::INTEGERS, lower: 0, upper: 10, missing };
        Ratio { distances, refinement: 1 << 10, bounds_in_steps: (0, 10), range, clip, cells: 1, epsilon: stated }
    }

    /// The moments of the clamped estimate itself, over midpoints of both noises by themselves.
    fn by_midpoints(ratio: &Ratio, mean: f64, rows: f64, step: f64) -> (f64, f64) {
        let reach = (36.0 / step) as i32;
        let noise: Vec<(f64, f64)> = (-reach..reach)
            .map(|i| (f64::from(i) + 0.5) * step)
            .map(|x| (x, 0.5 * libm::exp(-x.abs()) * 2.0 * libm::sinh(0.5 * step)))
            .collect();
        let b = ratio.distances.scale();
        let (mut first, mut second) = (0.0, 0.0);
        for (x, p) in &noise {
            for (y, q) in &noise {
                let (above, below) = (rows * mean + b * x, rows * (10.0 - mean) + b * y);
                let count = ((above + below) / 10.0).max(1.0);
                let error = (5.0 + 0.5 * (above - below) / count).clamp(ratio.range.0, ratio.range.1) - mean;
                first += p * q * error;
                second += p * q * error * error;
            }
        }
        (first, second.sqrt())
    }

    #[test]
    fn one_integral_agrees_with_two() {
        for (epsilon, range, mean, rows) in [
            ("1", (0.0, 10.0), 0.0, 1.0),
            ("1", (0.0, 10.0), 2.5, 7.0),
            ("0.2", (0.0, 10.0), 9.0, 30.5),
            ("0.2", (2.0, 7.0), 2.5, 30.0),
            ("4", (4.0, 5.0), 5.0, 3.0),
            ("1", (0.0, 10.0), 5.0, 10_000.0),
        ] {
            let ratio = ratio(epsilon, range);
            let (bias, rmse) = ratio.error(mean, rows);
            // The midpoint rule errs by a multiple of the squared step, which two steps tell.
            let [coarse, fine] = [0.04, 0.02].map(|step| by_midpoints(&ratio, mean, rows, step));
            let limit = |coarse: f64, fine: f64| fine + (fine - coarse) / 3.0;
            let (bias_error, rmse_error) = (bias - limit(coarse.0, fine.0), rmse - limit(coarse.1, fine.1));
            let case = format!("{epsilon} {range:?} {mean} {rows}: {bias} {rmse} {coarse:?} {fine:?}");
            assert!(bias_error.abs() < 1e-4 * rmse && rmse_error.abs() < 1e-4 * rmse, "{case}");
        }
    }

    /// The same sums over panels ten times as short.
    #[test]
    fn panels_are_short_enough() {
        for epsilon in ["0.001", "0.05", "1", "20"] {
            for (range, means) in [((0.0, 10.0), [0.0, 1.0, 5.0, 9.999]), ((4.0, 5.0), [4.0, 4.3, 4.9, 5.0])] {
                let ratio = ratio(epsilon, range);
                for mean in means {
                    for rows in [1.0, 1.3, 5.0, 40.0, 1000.0, 1e6] {
                        let (bias, rmse) = ratio.error(mean, rows);
                        let group = Group::new(&ratio, mean, rows);
                        let (mut first, mut second) = (0.0, 0.0);
                        for panel in group.panels().windows(2) {
                            let part = (panel[1] - panel[0]) / 10.0;
                            for i in 0..10 {
                                let from = panel[0] + part * f64::from(i);
                                for (s, weight) in quadrature::nodes(from, from + part) {
                                    let (bias, square) = group.moments_at(s);
                                    first += weight * bias;
                                    second += weight * square;
                                }
                            }
                        }
                        let case =
                            format!("{epsilon} {range:?} {mean} {rows}: {bias} {first} {rmse} {}", second.sqrt());
                        assert!((bias - first).abs() < 1e-7 * rmse, "{case}");
                        assert!((rmse - second.sqrt()).abs() < 1e-7 * rmse, "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn errors_of_few_rows_are_mirrored() {
        let ratio = ratio("0.5", (0.0, 10.0));
        for (mean, rows) in [(0.0, 1.0), (3.0, 4.0), (1.0, 60.0)] {
            let (one, other) = (ratio.error(mean, rows), ratio.error(10.0 - mean, rows));
            assert!((one.0 + other.0).abs() < 1e-12 && (one.1 - other.1).abs() < 1e-12, "{one:?} {other:?}");
        }
    }

    #[test]
    fn the_worst_bias_is_at_an_end() {
        for epsilon in ["0.05", "0.5", "5"] {
            for range in [(0.0, 10.0), (2.0, 10.0), (4.0, 5.0)] {
                let ratio = ratio(epsilon, range);
                for rows in [1.0, 3.0, 20.0, 500.0] {
                    let scanned = (0..=40)
                        .map(|i| ratio.error(range.0 + (range.1 - range.0) * f64::from(i) / 40.0, rows).0.abs())
                        .fold(0.0, f64::max);
                    let stated = ratio.worst_bias_at(rows);
                    assert!(stated >= scanned * (1.0 - 1e-9), "{epsilon} {range:?} {rows}: {stated} {scanned}");
                }
            }
        }
    }
}
