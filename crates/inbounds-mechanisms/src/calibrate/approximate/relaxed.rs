//! Proof by polynomials that conditioned discrete Laplace noise meets `(epsilon, delta)`: for fine grids.
//!
//! Letting the border between two answers be any real number only raises the divergence of [`super::pairs`], to
//!
//! ```text
//! delta(q) <= 1 + p v / T + k u / T' - 2 sqrt(k a / (T T')).
//! ```
//!
//! So delta is met where `L = (1 - delta) T T' + p v T' + k u T` satisfies `L^2 <= 4 k a T T'`, a polynomial inequality
//! in `u` and `v`, whose product is the same for all answers. On a half line `v = 0`, and the reversed order has the
//! bound `1 + p u / T' - 2 sqrt(k a / (T T'))`, never above this one as `k >= p`.

use inbounds_core::{Enclosure, Rational};

use super::{Problem, bernstein};

/// A polynomial `constant + u_1 u + u_2 u^2 + v_1 v + v_2 v^2`.
struct TwoEnded {
    constant: Enclosure,
    u: [Enclosure; 2],
    v: [Enclosure; 2],
}

/// Both sides of the inequality: `4 k a T T'`, and `L`.
struct Inequality {
    bits: usize,
    ratio: Enclosure,
    right: TwoEnded,
    left: TwoEnded,
}

/// Proves that no pair of answers has a divergence above delta.
pub(super) fn are_within(problem: &Problem<'_>, tau: &Rational) -> bool {
    let bits = problem.precision(tau);
    let Some(width) = problem.width else {
        let inequality = Inequality::new(problem, tau, &Enclosure::zero(bits), bits);
        let zero = Enclosure::zero(bits);
        return inequality.holds_near_the_lower_end(&zero, &zero);
    };
    let last = Rational::from(width - problem.d);
    let power = |steps: &Rational| Enclosure::exp_neg(&(tau * steps), bits);
    let inequality = Inequality::new(problem, tau, &power(&(&last + &Rational::from(2u128))), bits);
    // In the middle of the range u = v; each half is a half line but for a `v` or `u` between zero and this.
    let depth = tau.to_f64() * last.to_f64() / 2.0;
    if depth > 30.0 - problem.delta.to_f64().ln() {
        let middle = power(&(&(&last / &Rational::from(2u128)) + &Rational::ONE));
        let below = Enclosure::zero(bits).hull(&middle);
        return inequality.holds_near_the_lower_end(&below, &below.mul(&below))
            && inequality.mirrored().holds_near_the_lower_end(&below, &below.mul(&below));
    }
    let pieces = ((2.0 * depth / std::f64::consts::LN_2).ceil() as u64).max(1);
    let step = power(&(&last / &Rational::from(u128::from(pieces))));
    (0..pieces).all(|piece| inequality.holds_on_piece(&step, piece, pieces))
}

impl Inequality {
    /// `product` is `u v`.
    fn new(problem: &Problem<'_>, tau: &Rational, product: &Enclosure, bits: usize) -> Self {
        let one = Enclosure::one(bits);
        let ratio = Enclosure::exp_neg(tau, bits);
        let p = Enclosure::exp_neg(&(tau * &Rational::from(problem.d)), bits);
        let k = problem.boosted_power(tau, bits);
        let kept = one.sub(&Enclosure::from_rational(problem.delta, bits));
        let zero = Enclosure::zero(bits);
        let one_plus_ratio = one.add(&ratio);
        // T T' = s^2 + (1 + p^2) u v - s (1 + p) (u + v) + p (u^2 + v^2) with s = 1 + a.
        let constant = one_plus_ratio.mul(&one_plus_ratio).add(&one.add(&p.mul(&p)).mul(product));
        let linear = zero.sub(&one_plus_ratio.mul(&one.add(&p)));
        // p v T' = p s v - p^2 u v - p v^2 and k u T = k s u - k u^2 - k p u v.
        let left = TwoEnded {
            constant: kept.mul(&constant).sub(&p.mul(&p.add(&k)).mul(product)),
            u: [kept.mul(&linear).add(&k.mul(&one_plus_ratio)), kept.mul(&p).sub(&k)],
            v: [kept.mul(&linear).add(&p.mul(&one_plus_ratio)), kept.mul(&p).sub(&p)],
        };
        let factor = k.mul(&ratio).times(4);
        let (linear, square) = (factor.mul(&linear), factor.mul(&p));
        let right =
            TwoEnded { constant: factor.mul(&constant), u: [linear.clone(), square.clone()], v: [linear, square] };
        Self { bits, ratio, right, left }
    }

    /// The same inequality with `u` and `v` exchanged.
    fn mirrored(&self) -> Self {
        let mirror =
            |side: &TwoEnded| TwoEnded { constant: side.constant.clone(), u: side.v.clone(), v: side.u.clone() };
        Self { bits: self.bits, ratio: self.ratio.clone(), right: mirror(&self.right), left: mirror(&self.left) }
    }

    /// Proves it for `u` in `[0, a]` and `v`, `v^2` anywhere in their enclosures, as a quartic in `u / a`.
    fn holds_near_the_lower_end(&self, v: &Enclosure, v_squared: &Enclosure) -> bool {
        let in_u = |side: &TwoEnded| {
            let constant = side.constant.add(&side.v[0].mul(v)).add(&side.v[1].mul(v_squared));
            let square = side.u[1].mul(&self.ratio).mul(&self.ratio);
            vec![constant, side.u[0].mul(&self.ratio), square]
        };
        let left = in_u(&self.left);
        bernstein::is_nonnegative(&subtract(in_u(&self.right), multiply(&left, &left), &Enclosure::zero(self.bits)))
    }

    /// Proves it for `u = a step^piece z` and `v = a step^(pieces - 1 - piece) step / z` with `z` in `[step, 1]`, as a
    /// polynomial of degree eight in `z`, once `u v` has been multiplied by `z^4`.
    fn holds_on_piece(&self, step: &Enclosure, piece: u64, pieces: u64) -> bool {
        let u = self.ratio.mul(&step.pow(piece));
        let v = self.ratio.mul(&step.pow(pieces - piece));
        let times_square = |side: &TwoEnded| {
            vec![
                side.v[1].mul(&v).mul(&v),
                side.v[0].mul(&v),
                side.constant.clone(),
                side.u[0].mul(&u),
                side.u[1].mul(&u).mul(&u),
            ]
        };
        let left = times_square(&self.left);
        let zero = Enclosure::zero(self.bits);
        let right = [vec![zero.clone(), zero.clone()], times_square(&self.right)].concat();
        let mut polynomial = subtract(right, multiply(&left, &left), &zero);
        shift_and_stretch(&mut polynomial, step, &Enclosure::one(self.bits).sub(step));
        bernstein::is_nonnegative(&polynomial)
    }
}

fn multiply(a: &[Enclosure], b: &[Enclosure]) -> Vec<Enclosure> {
    let coefficient = |k: usize| {
        let terms = (0..a.len()).filter(|i| *i <= k && k - i < b.len()).map(|i| a[i].mul(&b[k - i]));
        terms.reduce(|sum, term| sum.add(&term)).expect("every degree has a term")
    };
    (0..a.len() + b.len() - 1).map(coefficient).collect()
}

/// `a - b`, where `b` has at least the degree of `a`.
fn subtract(a: Vec<Enclosure>, b: Vec<Enclosure>, zero: &Enclosure) -> Vec<Enclosure> {
    let padded = a.iter().chain(std::iter::repeat(zero));
    b.iter().zip(padded).map(|(b, a)| a.sub(b)).collect()
}

/// The coefficients in `y` of a polynomial in `z = start + length y`.
fn shift_and_stretch(polynomial: &mut [Enclosure], start: &Enclosure, length: &Enclosure) {
    let degree = polynomial.len() - 1;
    for round in 0..degree {
        for k in (round..degree).rev() {
            polynomial[k] = polynomial[k].add(&start.mul(&polynomial[k + 1]));
        }
    }
    for (k, coefficient) in (0u64..).zip(polynomial) {
        *coefficient = coefficient.mul(&length.pow(k));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::pairs::Pairs, *};

    /// Every parameter that the polynomials prove is proved pair by pair, over ranges that take each path; and on grids
    /// as fine as these the polynomials miss few.
    #[test]
    fn what_polynomials_prove_pairs_prove() {
        let (mut both, mut neither, mut pairs_alone) = (0, 0, 0);
        for (d, width) in [(20u128, Some(20u128)), (20, Some(30)), (20, Some(200)), (20, Some(2000)), (20, None)] {
            for (epsilon, delta) in [("0.5", "0.01"), ("0.01", "0.1"), ("2", "0.03")] {
                let (epsilon, delta): (Rational, Rational) =
                    (epsilon.parse().expect("number"), delta.parse().expect("number"));
                let problem = Problem { epsilon: &epsilon, delta: &delta, d, width };
                for percent in (40..=240u128).step_by(8) {
                    let tau = &(&epsilon * &Rational::from(percent)) / &Rational::from(100 * d);
                    // All pairs of a range one by one; on a half line, where those that matter are not too many.
                    let all = width.map(|width| (width - d) as u64 / 2 + 1);
                    let Some(reach) = all.or(problem.reach(tau.to_f64())) else { continue };
                    let by_pairs = Pairs::new(&problem, &tau, reach).are_within(reach);
                    match (are_within(&problem, &tau), by_pairs) {
                        (true, true) => both += 1,
                        (false, false) => neither += 1,
                        (false, true) => pairs_alone += 1,
                        (true, false) => panic!("d {d} width {width:?} epsilon {epsilon} at {percent} percent"),
                    }
                }
            }
        }
        assert!(both > 100 && neither > 100 && pairs_alone < both / 4, "{both} {neither} {pairs_alone}");
    }
}
