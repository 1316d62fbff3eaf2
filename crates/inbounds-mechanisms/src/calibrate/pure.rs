//! Discrete Laplace noise for pure guarantees.
//!
//! Without a range, or clamped, the scale is exact. Conditioned noise has a loss that increases with the inverse scale
//! but has no closed inverse for vectors: doubles find the root, and outward-rounded arithmetic has to prove that the
//! loss there is at most epsilon. While the proof fails the inverse scale is lowered, by twice as much each time, so
//! the parameter returned is always proved, and usually only a few roundings below the root.

use inbounds_core::{
    Enclosure, Epsilon, Rational, Sensitivity,
    planted::{Defect, planted},
    root,
};

use super::{
    CalibrationError,
    proposals::{MOST_PROOFS, proposals},
};

/// Largest epsilon of a conditioned vector or of Gaussian noise; the certificate's precision grows with it.
pub(super) const LARGEST_EPSILON: f64 = 5000.0;

/// Inverse scale of plain and clamped discrete Laplace noise: `tau = epsilon / l1`, exact.
///
/// # Guarantee
/// The loss of the vector mechanism is `tau * l1 = epsilon`, attained; clamping is post-processing and keeps it.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`].
pub fn clamped(epsilon: &Epsilon, sensitivity: &Sensitivity) -> Result<Rational, CalibrationError> {
    if sensitivity.l1 == 0 {
        return Err(CalibrationError::ZeroSensitivity);
    }
    let epsilon = epsilon.value();
    let doubled = planted(Defect::NoiseTooSmall).then(|| epsilon + epsilon);
    Ok(doubled.as_ref().unwrap_or(epsilon) / &Rational::from(sensitivity.l1))
}

/// Inverse scale of discrete Laplace noise conditioned on a range of `width` steps (`None` on a half line).
///
/// # Guarantee
/// With `a = exp(-tau)` and a change of `d` steps in one cell the loss is
///
/// ```text
/// loss(d) = d tau + log G(d),    G(d) = (1 + a - a^(d+1) - a^(width-d+1)) / (1 - a^(width+1))
/// ```
///
/// (`G(d) = 1 + a - a^(d+1)` on a half line), attained at the pair `(lower, lower + d)`. It is concave and increasing
/// in `d`, so a change of `l1` over at most `cells` cells does most when spread as evenly as integers allow. The
/// returned `tau` is a double, hence an exact rational, with total loss proved to be at most epsilon. Claims:
/// `conditioned-loss`, `conditioned-vector-loss`.
///
/// # Errors
/// [`CalibrationError`].
///
/// # Example
/// A count, one-sided: `tau = asinh((e^epsilon - 1) / 2)`.
/// ```
/// use inbounds_core::{Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate;
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// let tau = calibrate::conditioned(&Epsilon::new("1".parse()?)?, &one, None).expect("calibrates");
/// let closed_form = ((1f64.exp() - 1.0) / 2.0).asinh();
/// assert!((tau.to_f64() / closed_form - 1.0).abs() < 1e-12);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Holohan et al., Theorem 3.5, corrected: their Algorithm 1 cancels for small epsilon and returns the unsafe end.
pub fn conditioned(
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<Rational, CalibrationError> {
    let spread = Spread::worst(sensitivity, width).ok_or(CalibrationError::ZeroSensitivity)?;
    let total = epsilon.value();
    let naive = (total / &Rational::from(spread.total())).to_f64();
    let target = total.to_f64();
    let scale = 1.0 / naive;
    // The scale that is found lies between this one and twice it; and no certificate of a sensible size reaches beyond.
    if !(1e-3..=1e30).contains(&scale) || target > LARGEST_EPSILON {
        return Err(CalibrationError::Scale { epsilon: epsilon.clone(), l1: sensitivity.l1, scale });
    }
    // The loss lies between tau * total and twice that.
    let (tau, _) = root::bisect(0.5 * naive, naive * (1.0 + 1e-12), |tau| spread.loss(tau) <= target);
    for tau in proposals(tau, -f64::EPSILON).take(MOST_PROOFS) {
        if let Some(exact) = Rational::from_f64(tau)
            && spread.loss_is_at_most(&exact, total)
        {
            return Ok(exact);
        }
    }
    Err(CalibrationError::Unproved { epsilon: total.to_string(), l1: sensitivity.l1 })
}

/// An upper bound, as a double rounded up, on the loss of a conditioned mechanism at `inverse_scale`, together with the
/// proof that it holds.
///
/// # Errors
/// [`CalibrationError`] if the sensitivity is zero or no bound could be proved.
pub fn conditioned_loss(
    inverse_scale: &Rational,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<f64, CalibrationError> {
    let spread = Spread::worst(sensitivity, width).ok_or(CalibrationError::ZeroSensitivity)?;
    let mut loss = spread.loss(inverse_scale.to_f64());
    let mut step = f64::EPSILON;
    for _ in 0..40 {
        if let Some(bound) = Rational::from_f64(loss)
            && spread.loss_is_at_most(inverse_scale, &bound)
        {
            return Ok(loss);
        }
        loss *= 1.0 + step;
        step *= 2.0;
    }
    Err(CalibrationError::Unproved { epsilon: loss.to_string(), l1: sensitivity.l1 })
}

/// The worst way to spread a change over cells: `(cells, steps)` groups, and the width of each cell's range.
pub(super) struct Spread {
    groups: Vec<(u64, u128)>,
    width: Option<u128>,
}

impl Spread {
    pub(super) fn worst(sensitivity: &Sensitivity, width: Option<u128>) -> Option<Self> {
        let cells = u128::from(sensitivity.cells);
        // No cell can move further than its range is wide.
        let total = width.map_or(sensitivity.l1, |width| sensitivity.l1.min(width.saturating_mul(cells)));
        if total == 0 || cells == 0 {
            return None;
        }
        let used = cells.min(total);
        let (steps, more) = (total / used, total % used);
        let count = |cells: u128| u64::try_from(cells).expect("at most `cells`, a u64");
        let groups = [(count(used - more), steps), (count(more), steps + 1)];
        Some(Self { groups: groups.into_iter().filter(|(cells, _)| *cells > 0).collect(), width })
    }

    pub(super) fn groups(&self) -> &[(u64, u128)] {
        &self.groups
    }

    fn total(&self) -> u128 {
        self.groups.iter().map(|(cells, steps)| u128::from(*cells) * steps).sum()
    }

    /// The loss in doubles: `sum of cells * (d tau + log1p(a (1 - a^d)(1 - a^(w-d)) / (1 - a^(w+1))))`.
    fn loss(&self, tau: f64) -> f64 {
        let missing = |steps: f64| -libm::expm1(-tau * steps);
        let one = |steps: u128| {
            let d = steps as f64;
            let beyond = self.width.map_or(1.0, |w| missing((w - steps) as f64) / missing(w as f64 + 1.0));
            d * tau + libm::log1p(libm::exp(-tau) * missing(d) * beyond)
        };
        self.groups.iter().map(|(cells, steps)| *cells as f64 * one(*steps)).sum()
    }

    /// Fractional bits that decide the proof to a few units of a double's precision: 128, and for each quantity that
    /// divides or scales the error as many as it has leading zeros. A shortage would refuse a proof, never make one.
    fn precision(&self, tau: &Rational, epsilon: &Rational) -> usize {
        let zeros = |value: f64| (-value.log2()).max(0.0) as usize;
        let epsilon = epsilon.to_f64();
        let range = self.width.map_or(1.0, |width| tau.to_f64() * (width as f64 + 1.0));
        let cells: u64 = self.groups.iter().map(|(cells, _)| cells).sum();
        128 + zeros(epsilon) + zeros(range) + cells.ilog2() as usize + (1.5 * epsilon) as usize
    }

    /// Proves `loss(tau) <= epsilon` as `prod G(d)^cells * e^-(epsilon - total tau) <= 1`.
    fn loss_is_at_most(&self, tau: &Rational, epsilon: &Rational) -> bool {
        let rest = epsilon - &(tau * &Rational::from(self.total()));
        if rest < Rational::ZERO {
            return false;
        }
        let bits = self.precision(tau, epsilon);
        let power = |steps: u128| Enclosure::exp_neg(&(tau * &Rational::from(steps)), bits);
        let one = Enclosure::one(bits);
        let mut product = Enclosure::exp_neg(&rest, bits);
        for (cells, steps) in &self.groups {
            let inner = one.add(&power(1)).sub(&power(steps + 1));
            let factor = match self.width {
                None => inner,
                Some(w) => inner.sub(&power(w - steps + 1)).div(&one.sub(&power(w + 1))),
            };
            product = product.mul(&factor.pow(*cells));
        }
        product.certainly_at_most(&one)
    }
}
