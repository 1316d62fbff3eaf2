//! The difference of two quotients of which no measurement is in both.
//!
//! **Idea.** At the true `m = t / b` of a quotient of measurements `T` and `B`, `Z = T - m B` is noise alone. With
//! `u = T / B - m` it is `B u`, so that
//!
//! ```text
//! Z1 / b1 - Z2 / b2 = c1 u1 - c2 u2,     c = B / b,
//! ```
//!
//! which differs from `u1 - u2`, the error of the measured difference, by `(1 - c1) u1 - (1 - c2) u2` alone. A tenth of
//! the chance of a miss goes to intervals of both `m` and both `b`; inside them the last term is bounded, and so are
//! the coefficients of all noise in the sum on the left. The rest goes to the radius of that sum. Two intervals that
//! hold together would add their widths; here variances add.
//!
//! **Invariant.** All five events hold together with probability `1 - miss`, and on them the interval has the true
//! difference, whatever the measurements are: if some denominator is not told from 0 they still give the intervals of
//! both.

use crate::{
    numbers::{Form, Raw},
    operand::Number,
    solve::{Solver, TooRare},
};

/// Part of the chance of a miss of each of the four intervals beside the radius.
const BESIDE: f64 = 1.0 / 40.0;

/// A quotient with what is known of it at [`BESIDE`].
struct Side {
    top: Form,
    bottom: Form,
    /// Measured numerator over measured denominator, in which the noise of this side is bounded; none where the
    /// denominator is not told from 0.
    measured: Option<f64>,
    /// Of the quotient.
    interval: (f64, f64),
    /// Least true denominator, and how far `B / b` may be from 1.
    least: f64,
    apart: f64,
}

impl Solver<'_> {
    /// The interval of `one - other`; none where they have a measurement in common, or noise is of vectors.
    pub(crate) fn difference(
        &mut self,
        one: &Number,
        other: &Number,
        miss: f64,
    ) -> Result<Option<(f64, f64)>, TooRare> {
        let parts = [one, other].map(|number| quotient(&number.raw));
        let forms = [&parts[0].0, &parts[0].1, &parts[1].0, &parts[1].1];
        let atoms = [one, other].map(|number| number.raw.atoms());
        if self.has_vectors(&forms) || atoms[0].iter().any(|atom| atoms[1].contains(atom)) {
            return Ok(None);
        }
        let [first, second] = parts;
        let sides = [self.side(one, first, miss)?, self.side(other, second, miss)?];
        let [(a, b), (c, d)] = [sides[0].interval, sides[1].interval];
        let both = (a - d, b - c);
        let (Some(first), Some(second)) = (sides[0].measured, sides[1].measured) else { return Ok(Some(both)) };
        let mut noise = Form::default();
        let mut steps = 0.0;
        for side in &sides {
            for (atom, coefficient) in side.largest() {
                // Laws on steps are as wide as those between them but for half a step on either side.
                steps += coefficient * self.step(atom);
                noise.terms.insert(atom, coefficient);
            }
        }
        let (radius, _) = self.radius(&noise, (1.0 - 4.0 * BESIDE) * miss)?;
        let half = radius.value + steps + sides.iter().map(Side::shift).sum::<f64>();
        let strip = (first - second - half, first - second + half);
        let cut = (both.0.max(strip.0), both.1.min(strip.1));
        Ok(Some(if cut.0 <= cut.1 { cut } else { both }))
    }

    fn side(&mut self, number: &Number, (top, bottom): (Form, Form), miss: f64) -> Result<Side, TooRare> {
        let solved = self.interval(&number.raw, BESIDE * miss, number.range)?;
        let (radius, _) = self.radius(&bottom, BESIDE * miss)?;
        let (above, below) = (self.value(&top), self.value(&bottom));
        let least = below - radius.value;
        let is_told = least > 0.0 && solved.lower.is_finite() && solved.upper.is_finite();
        Ok(Side {
            top,
            bottom,
            measured: is_told.then(|| above / below),
            interval: (solved.lower, solved.upper),
            least,
            apart: radius.value / least,
        })
    }
}

impl Side {
    /// The largest coefficient of each measurement in `Z / b`, at the ends of the quotient and the least denominator.
    fn largest(&self) -> Vec<(usize, f64)> {
        let mut atoms: Vec<usize> = self.top.terms.keys().chain(self.bottom.terms.keys()).copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        let coefficient = |form: &Form, atom: &usize| form.terms.get(atom).copied().unwrap_or(0.0);
        let largest = |atom: usize| {
            let at = |m: f64| (coefficient(&self.top, &atom) - m * coefficient(&self.bottom, &atom)).abs();
            (atom, at(self.interval.0).max(at(self.interval.1)) / self.least)
        };
        atoms.into_iter().map(largest).collect()
    }

    /// Bound of `(1 - c) u`.
    fn shift(&self) -> f64 {
        let far = |end: f64| self.measured.map_or(0.0, |measured| (measured - end).abs());
        self.apart * far(self.interval.0).max(far(self.interval.1))
    }
}

/// Numerator and denominator.
fn quotient(raw: &Raw) -> (Form, Form) {
    match raw {
        Raw::Linear(form) => (form.clone(), Form::of_number(1.0)),
        Raw::Quotient(top, bottom) => (top.clone(), bottom.clone()),
    }
}
