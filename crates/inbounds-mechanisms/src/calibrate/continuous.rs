//! Closed forms of the continuous limits, in doubles: for describing error and for holding the grid against the papers.
//!
//! Nothing continuous runs, and no claim rests on a number from here. Scales and widths are in the unit of the
//! statistic, `d` is its sensitivity, and an infinite `width` is a half line.

use inbounds_core::root;

/// The loss of Laplace noise of scale `b` conditioned on a range of `width`, for sensitivity `d`: with `x = d/b` and
/// `r = width/d`,
///
/// ```text
/// loss = x + log1p((1 - e^-x)(1 - e^-((r - 1) x)) / (1 - e^-(r x)))
/// ```
///
/// The limit of [`super::conditioned_loss`] on fine grids.
pub fn conditioned_loss(scale: f64, d: f64, width: f64) -> f64 {
    let d = d.min(width);
    let (x, rest) = (d / scale, (width - d) / d);
    let beyond = if rest == f64::INFINITY { 1.0 } else { missing(rest * x) / missing((rest + 1.0) * x) };
    x + libm::log1p(missing(x) * beyond)
}

/// The smallest scale at which [`conditioned_loss`] is at most `epsilon`, from above.
pub fn conditioned_scale(epsilon: f64, d: f64, width: f64) -> f64 {
    let d = d.min(width);
    let within = |x: f64| conditioned_loss(d / x, d, width) <= epsilon;
    let (x, _) = root::bisect(0.5 * epsilon, epsilon * (1.0 + 4.0 * f64::EPSILON), within);
    d / x
}

/// The hockey-stick divergence at `epsilon` of plain and of clamped Laplace noise: `max(0, 1 - e^((epsilon - d/b)/2))`.
pub fn laplace_delta(epsilon: f64, scale: f64, d: f64) -> f64 {
    missing((d / scale - epsilon) / 2.0).max(0.0)
}

/// The scale at which [`laplace_delta`] is `delta`: `d / (epsilon - 2 log(1 - delta))`.
///
/// # Example
/// ```
/// use inbounds_mechanisms::calibrate::continuous::{laplace_delta, laplace_scale};
/// let scale = laplace_scale(0.1, 0.1, 1.0);
/// assert!((scale - 3.2183).abs() < 1e-4);
/// assert!((laplace_delta(0.1, scale, 1.0) - 0.1).abs() < 1e-15);
/// ```
pub fn laplace_scale(epsilon: f64, delta: f64, d: f64) -> f64 {
    d / (epsilon - 2.0 * libm::log1p(-delta))
}

/// The hockey-stick divergence at `epsilon` of Laplace noise conditioned on a range: the largest over answers `q` and
/// `q + d` in the range.
///
/// With lengths in units of the scale, `u = e^-q`, `v = e^-(width - q - d)`, `p = e^-d`, `T = 2 - u - p v` and
/// `T' = 2 - p u - v`, the best event is everything up to a distance `t` above `q`, and
///
/// ```text
/// delta(q) = E (2 (1 - u) + u E) / T,    E = 1 - e^-t,    t = (d - epsilon - log(T / T')) / 2
/// ```
///
/// zero where `t <= 0`. The ends `width = d` and `width = inf` have closed forms, which [`conditioned_delta`] takes.
pub fn conditioned_delta(epsilon: f64, scale: f64, d: f64, width: f64) -> f64 {
    let d = d.min(width);
    let x = d / scale;
    if width == d {
        let root = missing((x - epsilon) / 2.0).max(0.0);
        root * root / missing(x)
    } else if width == f64::INFINITY {
        half_line_delta(epsilon, x)
    } else {
        let width = width / scale;
        // The worst answer lies in the lower half; beyond 60 scales the divergence does not change in doubles.
        let end = ((width - x) / 2.0).min(60.0);
        largest(0.0, end, |q| pair_delta(epsilon, q, x, width - x - q)).0
    }
}

/// The smallest scale at which [`conditioned_delta`] is at most `delta`, from above.
///
/// # Example
/// With a delta the conditioned law can need less noise than the plain one, which no pure guarantee allows.
/// ```
/// use inbounds_mechanisms::calibrate::continuous::{conditioned_delta_scale, laplace_scale};
/// assert!((conditioned_delta_scale(0.1, 0.1, 1.0, 1.0) - 1.7662).abs() < 1e-4);
/// assert!(conditioned_delta_scale(0.1, 0.1, 1.0, 1.0) < laplace_scale(0.1, 0.1, 1.0));
/// ```
pub fn conditioned_delta_scale(epsilon: f64, delta: f64, d: f64, width: f64) -> f64 {
    let d = d.min(width);
    // The mass of a half space is at least half of the plain one, so twice the plain divergence bounds delta from below
    // far out, and x = d/b need not be tried beyond this.
    let end = 2.0 * (epsilon - 2.0 * libm::log1p(-delta)) + 8.0;
    let (x, _) = root::bisect(0.0, end, |x| x == 0.0 || conditioned_delta(epsilon, d / x, d, width) <= delta);
    d / x
}

/// [`conditioned_delta`] on a half line, with `x = d/b`, `p = e^-x` and `k = p e^epsilon`.
///
/// - `k >= 2 - p`: zero, the pure region;
/// - `sqrt(k) <= (1 + p)/2`: `1 - sqrt(k)`, approached far from the end, the divergence of the plain law;
/// - between: `(1 + rho) y^2 / (4 (1 - p))` where `rho = 2 - p - y` solves `rho (rho + p)^2 = 4 k`, that is
///   `y (12 - 4 p) - y^2 (6 - p) + y^3 = 4 (2 - p - k)`, which does not cancel for a small delta.
fn half_line_delta(epsilon: f64, x: f64) -> f64 {
    let p = libm::exp(-x);
    let short = 2.0 * missing(x - libm::log1p(libm::expm1(epsilon) / 2.0));
    if short <= 0.0 {
        return 0.0;
    }
    if libm::exp((epsilon - x) / 2.0) <= (1.0 + p) / 2.0 {
        return missing((x - epsilon) / 2.0);
    }
    let cubic = |y: f64| y * ((12.0 - 4.0 * p) - y * ((6.0 - p) - y));
    let (y, _) = root::bisect(0.0, missing(x), |y| cubic(y) < 4.0 * short);
    (3.0 - p - y) * y * y / (4.0 * missing(x))
}

/// The divergence of one pair at distances `q` from the lower end, `x` from each other and `rest` from the upper end.
fn pair_delta(epsilon: f64, q: f64, x: f64, rest: f64) -> f64 {
    let (u, v) = (libm::exp(-q), libm::exp(-rest));
    let mass = missing(q) + missing(x + rest);
    let t = (x - epsilon + libm::log1p(missing(x) * (u - v) / mass)) / 2.0;
    let event = missing(t.max(0.0));
    event * (2.0 * missing(q) + u * event) / mass
}

/// The largest value of a unimodal function on `[low, high]` and where it is.
pub(super) fn largest(low: f64, high: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let enough = 1e-13 * (high - low);
    root::largest(low, high, |low, high| high - low <= enough, f)
}

/// `1 - e^-x`.
fn missing(x: f64) -> f64 {
    -libm::expm1(-x)
}
