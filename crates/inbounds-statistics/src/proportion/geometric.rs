//! Sums of whole numbers whose laws are geometric in pieces: each further number is one recursion.

/// Pieces end where their weight has fallen by this many powers of e.
pub(super) const REACH: f64 = 46.0;

/// Weights `e^(ln_weight - rate j)` at `anchor + direction * j` for `0 <= j < len`, with `rate >= 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    anchor: i64,
    direction: i64,
    rate: f64,
    len: usize,
    ln_weight: f64,
}

impl Piece {
    /// The pieces of `e^(-tau |y - q| + lambda q)` on `0 <= q <= points`: at or below `y`, and above; up to a factor
    /// that both share.
    pub(super) fn pair(y: f64, tau: f64, lambda: f64, points: i64) -> [Option<Self>; 2] {
        let last = y.floor().clamp(-1.0, points as f64) as i64;
        let gap = (y - last as f64, (last as f64 + 1.0 - y).abs());
        let below = Self::falling(last, -1, tau + lambda, last + 1, -tau * gap.0);
        let above = Self::falling(last + 1, 1, tau - lambda, points - last, -tau * gap.1 + lambda);
        [below, above]
    }

    /// `len` points from `start` on, weights falling from there by `rate`, or rising where that is negative.
    fn falling(start: i64, direction: i64, rate: f64, len: i64, ln_weight: f64) -> Option<Self> {
        if len <= 0 {
            return None;
        }
        let steps = (len - 1) as f64;
        let (anchor, direction, ln_weight) = if rate < 0.0 {
            (start + direction * (len - 1), -direction, ln_weight - rate * steps)
        } else {
            (start, direction, ln_weight)
        };
        let rate = rate.abs();
        let reach = if rate * steps > REACH { (REACH / rate).ceil() as i64 + 1 } else { len };
        Some(Self { anchor, direction, rate, len: reach.min(len) as usize, ln_weight })
    }

    /// `sum_j e^(-rate j)` and the mean of `j`.
    fn moments(&self) -> (f64, f64) {
        let (rate, len) = (self.rate, self.len as f64);
        if rate * len < 1e-6 {
            return (len, 0.5 * (len - 1.0) - rate * (len * len - 1.0) / 12.0);
        }
        let missing = |t: f64| -libm::expm1(-t);
        (missing(rate * len) / missing(rate), 1.0 / libm::expm1(rate) - len / libm::expm1(rate * len))
    }
}

/// The mean of the law that the pieces make together.
pub(super) fn mean(pieces: &[Option<Piece>; 2]) -> f64 {
    let top = highest(pieces);
    let (mut mass, mut first) = (0.0, 0.0);
    for piece in pieces.iter().flatten() {
        let (sum, j) = piece.moments();
        let weight = libm::exp(piece.ln_weight - top) * sum;
        mass += weight;
        first += weight * (piece.anchor as f64 + piece.direction as f64 * j);
    }
    first / mass
}

fn highest(pieces: &[Option<Piece>; 2]) -> f64 {
    pieces.iter().flatten().map(|piece| piece.ln_weight).fold(f64::NEG_INFINITY, f64::max)
}

/// Masses on consecutive whole numbers.
#[derive(Debug, Clone)]
pub(super) struct Run {
    start: i64,
    mass: Vec<f64>,
}

impl Run {
    /// All mass at zero.
    pub(super) fn unit() -> Self {
        Self { start: 0, mass: vec![1.0] }
    }

    /// The law of the sum with a number of the given pieces, and the same with each mass multiplied by that number.
    pub(super) fn with(&self, pieces: &[Option<Piece>; 2]) -> (Self, Self) {
        let end = self.start + self.mass.len() as i64 - 1;
        let ends = |piece: &Piece| (piece.anchor, piece.anchor + piece.direction * (piece.len as i64 - 1));
        let all = || pieces.iter().flatten().map(ends);
        let start = self.start + all().map(|(a, b)| a.min(b)).min().unwrap_or(0);
        let end = end + all().map(|(a, b)| a.max(b)).max().unwrap_or(0);
        let len = (end - start + 1) as usize;
        let (mut mass, mut moment) = (vec![0.0; len], vec![0.0; len]);
        let top = highest(pieces);
        for piece in pieces.iter().flatten() {
            let weight = libm::exp(piece.ln_weight - top);
            let (sums, firsts) = self.convolve(piece);
            // Results run upward from the smallest sum.
            let lowest = self.start + ends(piece).0.min(ends(piece).1);
            let offset = (lowest - start) as usize;
            let (anchor, direction) = (piece.anchor as f64, piece.direction as f64);
            for (t, (sum, first)) in sums.iter().zip(&firsts).enumerate() {
                mass[offset + t] += weight * sum;
                moment[offset + t] += weight * (anchor * sum + direction * first);
            }
        }
        (Self { start, mass }, Self { start, mass: moment })
    }

    /// `sum_j r^j mass(t - direction j)` and `sum_j j r^j mass(t - direction j)`, for all `t` that mass reaches.
    fn convolve(&self, piece: &Piece) -> (Vec<f64>, Vec<f64>) {
        if piece.direction > 0 {
            return recursion(&self.mass, piece.rate, piece.len);
        }
        let reversed: Vec<f64> = self.mass.iter().rev().copied().collect();
        let (mut sums, mut firsts) = recursion(&reversed, piece.rate, piece.len);
        sums.reverse();
        firsts.reverse();
        (sums, firsts)
    }

    /// Without the masses at both ends that are below `e^-46` of the largest, which becomes 1.
    pub(super) fn trimmed(self) -> Self {
        let top = self.mass.iter().copied().fold(0.0, f64::max);
        let least = top * libm::exp(-REACH);
        let first = self.mass.iter().position(|mass| *mass >= least).unwrap_or(0);
        let last = self.mass.iter().rposition(|mass| *mass >= least).unwrap_or(0);
        Self { start: self.start + first as i64, mass: self.mass[first..=last].iter().map(|mass| mass / top).collect() }
    }

    /// `sum_t mass(t) other(total - t)`.
    pub(super) fn meeting(&self, other: &Self, total: i64) -> f64 {
        let product = |(t, mass): (i64, &f64)| {
            let place = usize::try_from(total - t - other.start).ok();
            mass * place.and_then(|place| other.mass.get(place)).copied().unwrap_or(0.0)
        };
        (self.start..).zip(&self.mass).map(product).sum()
    }
}

/// With `s = e^-rate`: `U(t) = s U(t-1) + m(t) - s^len m(t-len)` and
/// `V(t) = s (V(t-1) + U(t-1)) - len s^len m(t-len)`.
fn recursion(mass: &[f64], rate: f64, len: usize) -> (Vec<f64>, Vec<f64>) {
    let ratio = libm::exp(-rate);
    let out = libm::exp(-rate * len as f64);
    let (mut sum, mut first) = (0.0, 0.0);
    let at = move |t: usize| {
        let entering = mass.get(t).copied().unwrap_or(0.0);
        let leaving = t.checked_sub(len).map_or(0.0, |t| mass[t]) * out;
        first = ratio * (first + sum) - len as f64 * leaving;
        sum = ratio * sum + entering - leaving;
        (sum, first)
    };
    (0..mass.len() + len - 1).map(at).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_plain_convolutions() {
        for (y, tau, lambda) in [(3.5, 0.4, 0.1), (-2.0, 0.4, 0.4), (30.0, 0.2, -0.5), (0.0, 1.0, -1.0)] {
            let points = 12;
            let pieces = Piece::pair(y, tau, lambda, points);
            let weight = |q: i64| (-tau * (y - q as f64).abs() + lambda * q as f64).exp();
            let run = Run { start: 2, mass: vec![0.5, 1.0, 0.25] };
            let (mass, moment) = run.with(&pieces);
            let factor = mass.mass[0] / (0.5 * weight(0));
            for t in 2..=points + 4 {
                let terms = (0..=points).filter_map(|q| {
                    let m = *run.mass.get(usize::try_from(t - q - 2).ok()?)?;
                    Some((m * weight(q) * factor, q as f64))
                });
                let (plain, first) = terms.fold((0.0, 0.0), |sums, (m, q)| (sums.0 + m, sums.1 + m * q));
                let place = (t - mass.start) as usize;
                assert!((mass.mass[place] - plain).abs() < 1e-12 * (1.0 + plain), "{y} {t}");
                assert!((moment.mass[place] - first).abs() < 1e-11 * (1.0 + first), "{y} {t}");
            }
            let sums = (0..=points).map(|q| (weight(q), weight(q) * q as f64));
            let (plain, first) = sums.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert!((mean(&pieces) - first / plain).abs() < 1e-12);
        }
    }
}
