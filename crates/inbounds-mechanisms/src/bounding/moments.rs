//! Mean and mean square of a piecewise-linear function of the noise, over any law.

use inbounds_core::special::finite_product;

use crate::law::Noise;

/// One piece of an estimate's error: on `from <= N < (the next piece's from)` the estimate minus the answer is
/// `slope * N + deviation`, plus independent rounding of variance `rounding`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece {
    pub(crate) from: f64,
    pub(crate) slope: f64,
    pub(crate) deviation: f64,
    pub(crate) rounding: f64,
}

/// `(E e, E e^2)` of the error `e` that `pieces` describe; the first piece starts at minus infinity.
///
/// As `E N = 0`, the mean is summed as that of `e - N`, so that a piece which leaves the noise alone adds nothing and
/// no small bias is lost in a large answer.
pub(crate) fn error_moments(noise: &dyn Noise, pieces: &[Piece]) -> (f64, f64) {
    let (mut mean, mut square) = (0.0, 0.0);
    for (index, piece) in pieces.iter().enumerate() {
        let next = pieces.get(index + 1).map_or(f64::INFINITY, |next| next.from);
        if next <= piece.from {
            continue;
        }
        let part = Part::between(noise, piece.from, next);
        let Piece { slope, deviation, rounding, .. } = *piece;
        mean += finite_product(slope - 1.0, part.first) + finite_product(deviation, part.mass);
        square += finite_product(slope * slope, part.second)
            + finite_product(2.0 * slope * deviation, part.first)
            + finite_product(deviation * deviation + rounding, part.mass);
    }
    (mean, square)
}

/// `P`, `E[N; .]` and `E[N^2; .]` of the event `from <= N < next`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub(crate) mass: f64,
    pub(crate) first: f64,
    pub(crate) second: f64,
}

impl Part {
    pub(crate) fn between(noise: &dyn Noise, from: f64, next: f64) -> Self {
        let step = noise.spacing();
        // The event as s < N <= t.
        let (s, t) = (from - step, next - step);
        // Where the event lies below zero it is the mirror image of -t <= N < -s, that is -next < N <= -from.
        if s >= 0.0 {
            Self::above(noise, s, t)
        } else if next <= 0.0 {
            let mirror = Self::above(noise, -next, -from);
            Self { first: -mirror.first, ..mirror }
        } else {
            let (below, above) = (-from, t);
            let half = |reach: f64| {
                if reach > 0.0 {
                    (noise.first_moment_between(0.0, reach), noise.half_second_moment(reach))
                } else {
                    (0.0, 0.0)
                }
            };
            let ((first_below, second_below), (first_above, second_above)) = (half(below), half(above));
            Self {
                mass: (1.0 - noise.sf(above)) - noise.sf(below),
                first: first_above - first_below,
                second: second_above + second_below,
            }
        }
    }

    /// The event `s < N <= t` for `0 <= s <= t`.
    fn above(noise: &dyn Noise, s: f64, t: f64) -> Self {
        if s == f64::INFINITY {
            return Self { mass: 0.0, first: 0.0, second: 0.0 };
        }
        Self {
            mass: noise.sf(s) - noise.sf(t),
            first: noise.first_moment_between(s, t),
            second: noise.half_second_moment(t) - noise.half_second_moment(s),
        }
    }
}
