//! The sum of a subtree as a function of the price charged to it: nondecreasing, continuous, piecewise linear.
//!
//! **Idea.** A measured number with value `x` and variance `V` takes `x + p V` at the price `p`, and stops at its
//! bounds. Sums of such functions, and the three steps by which a node makes its own curve out of those of its children
//! ([`Curve::total`], [`Curve::pooled`], [`Curve::clamped`]), lead to functions of the same kind. So a curve is a list
//! of knots, and the optimum of a whole subtree at any price is one look-up.
//!
//! **Invariant.** Knots are in ascending order of price and of sum, and the slope of a knot holds from it to the next
//! one; before the first knot the slope is `left`. Slopes are only added, scaled and replaced, never subtracted, so
//! that a small slope beside a large one is not lost to rounding.

/// A point where the slope changes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    price: f64,
    sum: f64,
    /// Slope to the right.
    slope: f64,
}

impl Knot {
    fn at(self, price: f64) -> f64 {
        if self.slope == 0.0 { self.sum } else { self.sum + self.slope * (price - self.price) }
    }

    fn reaches(self, sum: f64) -> f64 {
        self.price + (sum - self.sum) / self.slope
    }
}

/// The sum that a subtree has at each price charged to it: the inverse of the derivative of its optimal cost.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    /// Slope to the left of the first knot.
    left: f64,
    /// At least one.
    knots: Vec<Knot>,
}

impl Curve {
    /// `value + variance * price`.
    pub(super) fn line(value: f64, variance: f64) -> Self {
        Self { left: variance, knots: vec![Knot { price: 0.0, sum: value, slope: variance }] }
    }

    /// A curve with the same sum at every price.
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
            let price = one.next_price().min(two.next_price());
            if price == f64::INFINITY {
                return Self { left: self.left + other.left, knots };
            }
            let (first, second) = (one.step(price), two.step(price));
            knots.push(Knot { price, sum: first.at(price) + second.at(price), slope: first.slope + second.slope });
        }
    }

    /// The curve after its sum is measured too: the measurement's own marginal cost is added to the price.
    pub(super) fn pooled(mut self, value: f64, variance: f64) -> Self {
        if variance == f64::INFINITY {
            return self;
        }
        let slope = |slope: f64| variance * (slope / (slope + variance));
        self.left = slope(self.left);
        for knot in &mut self.knots {
            knot.price += (knot.sum - value) / variance;
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
        let mut knots = vec![Knot { price: before.reaches(lower), sum: lower, slope: before.slope }];
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
        self.knots.push(Knot { price: before.reaches(upper), sum: upper, slope: 0.0 });
        self
    }

    /// The line that holds to the left of knot number `index`.
    fn segment(&self, index: usize) -> Knot {
        match index {
            0 => Knot { slope: self.left, ..self.knots[0] },
            _ => self.knots[index - 1],
        }
    }

    /// Sum at a price.
    pub(super) fn at(&self, price: f64) -> f64 {
        self.segment(self.knots.partition_point(|knot| knot.price <= price)).at(price)
    }

    /// A price at which the sum is this; the nearest one if there is none.
    pub(super) fn price_of(&self, sum: f64) -> f64 {
        let index = self.knots.partition_point(|knot| knot.sum < sum);
        let before = self.segment(index);
        if before.slope > 0.0 { before.reaches(sum) } else { before.price }
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

    fn next_price(&self) -> f64 {
        self.curve.knots.get(self.passed).map_or(f64::INFINITY, |knot| knot.price)
    }

    /// Passes the next knot if it is at this price; returns the line that holds to the right of the price.
    fn step(&mut self, price: f64) -> Knot {
        if self.next_price() <= price {
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
        // At price 1: max(0, -2) + 8 + 1; at price 3: 2 + 10 + 1.
        assert_eq!((sum.at(1.0), sum.at(3.0), sum.at(-9.0), sum.at(99.0)), (9.0, 13.0, 1.0, 21.0));
        assert_eq!((sum.price_of(9.0), sum.price_of(13.0)), (1.0, 3.0));
        // A measurement of 9 with variance 4 costs nothing at 9 and (13 - 9) / 4 at 13.
        let pooled = sum.pooled(9.0, 4.0);
        assert_eq!((pooled.at(1.0), pooled.at(4.0)), (9.0, 13.0));
    }
}
