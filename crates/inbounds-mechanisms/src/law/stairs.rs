//! One side of a law that falls in stairs, which the staircase laws on the line and on the integers share.

use super::{Noise, geometric_sums::GeometricSums, lattice};

/// Symmetric noise whose weight at a distance `x` from zero is `a^k` on the first `high` of block `k` and `a^(k+1)` on
/// the rest of it, `a = exp(-epsilon)`; block `k` is `[k period, (k + 1) period)`.
///
/// On the line (`grid = 0`) a block is an interval, on the integers (`grid = 1`) a set of points. Both are the same
/// computation: `n` points after `d` have the mean `d + (n + grid)/2` and the mean square distance
/// `(n^2 - grid^2)/12` from it. Every sum below is one of positive terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stairs {
    powers: GeometricSums,
    period: f64,
    high: f64,
    grid: f64,
}

impl Stairs {
    /// Stairs on the line.
    pub(crate) fn on_line(period: f64, epsilon: f64, high: f64) -> Self {
        Self { powers: GeometricSums::with_decay(epsilon), period, high, grid: 0.0 }
    }

    /// Stairs on the integers.
    pub(crate) fn on_integers(period: f64, epsilon: f64, high: f64) -> Self {
        Self { grid: 1.0, ..Self::on_line(period, epsilon, high) }
    }

    /// Block of a position and the place in it.
    fn place(&self, position: f64) -> (f64, f64) {
        let block = (position / self.period).floor();
        let inside = position - block * self.period;
        if inside < 0.0 { (block - 1.0, self.period) } else { (block, inside.min(self.period)) }
    }

    /// `sum (x - start)^order w(x)` over `start < x <= start + length`; an integral on the line.
    fn moment(&self, order: u8, start: f64, length: f64) -> f64 {
        // A point of the grid fills the cell that ends one grid step after it.
        let (block, inside) = self.place(start + self.grid);
        if block == f64::INFINITY {
            return 0.0;
        }
        if length.is_nan() {
            return length;
        }
        let to_next = self.period - inside;
        let to_step = (self.high - inside).max(0.0);
        let head = self.part(order, 0.0, to_step.min(length), to_next.min(length));
        let rest = if length > to_next { self.blocks_after(order, to_next, length - to_next) } else { 0.0 };
        self.powers.power(block) * (head + self.powers.ratio() * rest)
    }

    /// `sum d^order w(d)` over the distances `offset < d <= offset + length`, a block of weight one starting at
    /// `offset`.
    fn blocks_after(&self, order: u8, offset: f64, length: f64) -> f64 {
        let blocks = (length / self.period).floor();
        let full = self.full_blocks(order, offset, blocks);
        if blocks == f64::INFINITY {
            return full;
        }
        let left = (length - blocks * self.period).max(0.0);
        full + self.powers.power(blocks) * self.part(order, offset + blocks * self.period, left.min(self.high), left)
    }

    /// The same over whole blocks.
    fn full_blocks(&self, order: u8, offset: f64, blocks: f64) -> f64 {
        if blocks == 0.0 {
            return 0.0;
        }
        let block = |order| self.part(order, 0.0, self.high, self.period);
        let plain = self.powers.missing_power(blocks) / self.powers.missing_power(1.0);
        if order == 0 {
            return block(0) * plain;
        }
        // Sums of a^i and of the starts offset + i period of the blocks.
        let starts = offset * plain + self.period * self.powers.first(blocks - 1.0);
        if order == 1 {
            return block(0) * starts + block(1) * plain;
        }
        let squares = offset * (starts + self.period * self.powers.first(blocks - 1.0))
            + self.period * self.period * self.powers.second(blocks - 1.0);
        block(0) * squares + 2.0 * block(1) * starts + block(2) * plain
    }

    /// `sum d^order w(d)` after `offset`: weight one for `high` and `a` from there to `length`.
    fn part(&self, order: u8, offset: f64, high: f64, length: f64) -> f64 {
        self.run(order, offset, high) + self.powers.ratio() * self.run(order, offset + high, length - high)
    }

    /// `sum d^order` over `from < d <= from + length`.
    fn run(&self, order: u8, from: f64, length: f64) -> f64 {
        let mean = from + 0.5 * (length + self.grid);
        match order {
            0 => length,
            1 => length * mean,
            _ => length * (mean * mean + (length - self.grid) * (length + self.grid) / 12.0),
        }
    }

    /// The weight of one side, that at zero counted half.
    fn half_total(&self) -> f64 {
        0.5 * self.grid + self.moment(0, 0.0, f64::INFINITY)
    }

    /// The `t` on the line with `half_mass(t) = mass` and `sf(t) = tail`, where `mass + tail = 1/2`; the smaller of the
    /// two decides, so neither end loses accuracy.
    fn distance(&self, mass: f64, tail: f64) -> f64 {
        if tail == 0.0 {
            return f64::INFINITY;
        }
        let depth = if mass < tail { -libm::log1p(-2.0 * mass) } else { -libm::log(2.0 * tail) };
        let block = (depth / self.powers.decay()).floor();
        let (ratio, power, total) = (self.powers.ratio(), self.powers.power(block), self.half_total());
        let low = ratio * (self.period - self.high);
        let inside = if mass < tail {
            let beyond_start = (2.0 * total * mass - total * self.powers.missing_power(block)) / power;
            if beyond_start <= self.high { beyond_start } else { self.high + (beyond_start - self.high) / ratio }
        } else {
            let before_end = 2.0 * total * tail / power - ratio * total;
            if before_end <= low { self.period - before_end / ratio } else { self.high - (before_end - low) }
        };
        block * self.period + inside.clamp(0.0, self.period)
    }
}

impl Noise for Stairs {
    fn ln_density(&self, x: f64) -> f64 {
        if self.grid > 0.0 && x.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        let (block, inside) = self.place(x.abs());
        let level = if inside < self.high { block } else { block + 1.0 };
        -self.powers.decay() * level - libm::log(2.0 * self.half_total())
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(N <= x) = P(N >= -x), and on the integers P(N >= k) = P(N > k - 1).
        self.sf(if self.grid > 0.0 { -x.floor() - 1.0 } else { -x })
    }

    fn sf(&self, x: f64) -> f64 {
        let x = if self.grid > 0.0 { x.floor() } else { x };
        let tail = |x: f64| self.moment(0, x, f64::INFINITY) / (2.0 * self.half_total());
        if x >= 0.0 { tail(x) } else { 1.0 - tail(-x - self.grid) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) {
            return f64::NAN;
        }
        let near = if p <= 0.5 { -self.distance(0.5 - p, p) } else { self.distance(p - 0.5, 1.0 - p) };
        if self.grid > 0.0 { lattice::quantile(self, p, near) } else { near }
    }

    fn variance(&self) -> f64 {
        2.0 * self.half_second_moment(f64::INFINITY)
    }

    fn spacing(&self) -> f64 {
        self.grid
    }

    fn half_mass(&self, t: f64) -> f64 {
        (0.5 * self.grid + self.moment(0, 0.0, t)) / (2.0 * self.half_total())
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        if s == t || s == f64::INFINITY {
            return 0.0;
        }
        let sum = s * self.moment(0, s, t - s) + self.moment(1, s, t - s);
        sum / (2.0 * self.half_total())
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.moment(2, 0.0, t) / (2.0 * self.half_total())
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        if s == t {
            return 0.0;
        }
        // E min((N - s)+, t - s): N - s where it ends before t, and t - s beyond.
        let beyond = self.moment(0, t, f64::INFINITY);
        let capped = if beyond == 0.0 { 0.0 } else { (t - s) * beyond };
        (self.moment(1, s, t - s) + capped) / (2.0 * self.half_total())
    }
}
