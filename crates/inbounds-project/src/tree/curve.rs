//! The sum of a subtree as a function of the multiplier of its parent's sum: nondecreasing, continuous, piecewise
//! linear.
//!
//! **Idea.** The multiplier is the "price" of one more unit. A measured number with value `x` and variance `V` takes
//! `x + p V` at the multiplier `p`, and stops at its bounds. Sums of such functions, and the three steps by which a
//! node makes its own curve out of those of its children ([`Curve::total`], [`Curve::pooled`], [`Curve::clamped`]),
//! lead to functions of the same kind. So a curve is a list of knots, and the optimum of a whole subtree at any
//! multiplier is one look-up.
//!
//! **Invariant.** Knots are in ascending order of multiplier and of sum, and the slope of a knot holds from it to the
//! next one; before the first knot the slope is `left`. Slopes are only added, scaled and replaced, never subtracted,
//! so that a small slope beside a large one is not lost to rounding.

/// A point where the slope changes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    multiplier: f64,
    sum: f64,
    /// Slope to the right.
    slope: f64,
}

impl Knot {
    fn at(self, multiplier: f64) -> f64 {
        if self.slope == 0.0 { self.sum } else { self.sum + self.slope * (multiplier - self.multiplier) }
    }

    fn reaches(self, sum: f64) -> f64 {
        self.multiplier + (sum - self.sum) / self.slope
    }
}

/// The sum of a subtree at each multiplier of its parent's sum: the inverse of the derivative of its optimal cost.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    /// Slope to the left of the first knot.
    left: f64,
    /// At least one.
    knots: Vec<Knot>,
}

impl Curve {
    /// `value + variance * multiplier`.
    pub(super) fn line(value: f64, variance: f64) -> Self {
        Self { left: variance, knots: vec![Knot { multiplier: 0.0, sum: value, slope: variance }] }
    }

    /// A curve with the same sum at every multiplier.
    pub(super) fn constant(sum: f64) -> Self {
        Self::line(sum, 0.0)
    }

    /// Sum of curves, merged two by two so that slopes are only ever added, never taken away again.
    pub(super) fn total(mut curves: Vec<Self>) -> Option<Self> {
        while curves.len() > 1 {
            let mut pairs = Vec::with_capacity(curves.len().div_ceil(2));
            let mut rest = curves.into_iter();
            while let Some(one) = rest.next() {
                pairs.push(match rest.next() {
                    Some(other) => one.plus(&other),
                    None => one,
                });
            }
            curves = pairs;
        }
        curves.pop()
    }

    fn plus(&self, other: &Self) -> Self {
        let (mut one, mut two) = (Cursor::new(self), Cursor::new(other));
        let mut knots = Vec::with_capacity(self.knots.len() + other.knots.len());
        loop {
            let multiplier = one.next_multiplier().min(two.next_multiplier());
            if multiplier == f64::INFINITY {
                return Self { left: self.left + other.left, knots };
            }
            let (first, second) = (one.step(multiplier), two.step(multiplier));
            knots.push(Knot {
                multiplier,
                sum: first.at(multiplier) + second.at(multiplier),
                slope: first.slope + second.slope,
            });
        }
    }

    /// The curve pooled with a measurement of the sum, whose marginal cost is added to the multiplier.
    pub(super) fn pooled(mut self, value: f64, variance: f64) -> Self {
        if variance == f64::INFINITY {
            return self;
        }
        let slope = |slope: f64| variance * (slope / (slope + variance));
        self.left = slope(self.left);
        for knot in &mut self.knots {
            knot.multiplier += (knot.sum - value) / variance;
            knot.slope = slope(knot.slope);
        }
        self
    }

    /// The curve kept in `[lower, upper]`.
    pub(super) fn clamped(self, lower: f64, upper: f64) -> Self {
        if lower == upper {
            return Self::constant(lower);
        }
        self.at_least(lower).at_most(upper)
    }

    fn at_least(self, lower: f64) -> Self {
        let first = self.knots[0];
        if lower == f64::NEG_INFINITY || (self.left == 0.0 && first.sum >= lower) {
            return self;
        }
        let above = self.knots.partition_point(|knot| knot.sum <= lower);
        let before = self.segment(above);
        if before.slope == 0.0 {
            return Self::constant(lower);
        }
        let mut knots = vec![Knot { multiplier: before.reaches(lower), sum: lower, slope: before.slope }];
        knots.extend_from_slice(&self.knots[above..]);
        Self { left: 0.0, knots }
    }

    fn at_most(mut self, upper: f64) -> Self {
        let last = self.knots[self.knots.len() - 1];
        if upper == f64::INFINITY || (last.slope == 0.0 && last.sum <= upper) {
            return self;
        }
        let above = self.knots.partition_point(|knot| knot.sum < upper);
        let before = self.segment(above);
        if before.slope == 0.0 {
            return Self::constant(upper);
        }
        self.knots.truncate(above);
        self.knots.push(Knot { multiplier: before.reaches(upper), sum: upper, slope: 0.0 });
        self
    }

    /// The line that holds to the left of knot number `index`.
    fn segment(&self, index: usize) -> Knot {
        match index {
            0 => Knot { slope: self.left, ..self.knots[0] },
            _ => self.knots[index - 1],
        }
    }

    /// Sum at a multiplier.
    pub(super) fn at(&self, multiplier: f64) -> f64 {
        self.segment(self.knots.partition_point(|knot| knot.multiplier <= multiplier)).at(multiplier)
    }

    /// A multiplier at which the sum is this; the nearest one if there is none.
    pub(super) fn multiplier_at(&self, sum: f64) -> f64 {
        let index = self.knots.partition_point(|knot| knot.sum < sum);
        let before = self.segment(index);
        if before.slope > 0.0 { before.reaches(sum) } else { before.multiplier }
    }
}

/// A place on a curve that moves to the right.
struct Cursor<'a> {
    curve: &'a Curve,
    passed: usize,
}

impl<'a> Cursor<'a> {
    fn new(curve: &'a Curve) -> Self {
        Self { curve, passed: 0 }
    }

    fn next_multiplier(&self) -> f64 {
        self.curve.knots.get(self.passed).map_or(f64::INFINITY, |knot| knot.multiplier)
    }

    /// Passes the next knot if it is at this multiplier; returns the line that holds to the right of the multiplier.
    fn step(&mut self, multiplier: f64) -> Knot {
        if self.next_multiplier() <= multiplier {
            self.passed += 1;
        }
        self.curve.segment(self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clamped_line_adds_pools_and_inverts() {
        let leaf = |value: f64| Curve::line(value, 2.0).clamped(0.0, 10.0);
        let sum = Curve::total(vec![leaf(-4.0), leaf(6.0), Curve::constant(1.0)]).expect("curves");
        // At multiplier 1: max(0, -2) + 8 + 1; at multiplier 3: 2 + 10 + 1.
        assert_eq!((sum.at(1.0), sum.at(3.0), sum.at(-9.0), sum.at(99.0)), (9.0, 13.0, 1.0, 21.0));
        assert_eq!((sum.multiplier_at(9.0), sum.multiplier_at(13.0)), (1.0, 3.0));
        // A measurement of 9 with variance 4 costs nothing at 9 and (13 - 9) / 4 at 13.
        let pooled = sum.pooled(9.0, 4.0);
        assert_eq!((pooled.at(1.0), pooled.at(4.0)), (9.0, 13.0));
    }
}
