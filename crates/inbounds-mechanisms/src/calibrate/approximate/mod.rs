//! Discrete Laplace and staircase noise for `(epsilon, delta)`.
//!
//! For an answer of one cell the hockey-stick divergence of the noise is known pair by pair of answers. Where more
//! cells change together their losses add up: `vector.rs` and `stairs.rs` have their worst moves.

mod bernstein;
mod composed;
mod exponential;
mod losses;
mod pair;
mod pairs;
mod plain;
mod relaxed;
mod stairs;
mod vector;

pub use stairs::{staircase, staircase_delta};

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{Calibrated, CalibrationError, Proof, pure, pure::LARGEST_EPSILON};
use exponential::exponential_of_minus;
use vector::Vector;

/// Scales of discrete Laplace noise are not searched beyond this inverse.
const LARGEST_TAU: f64 = 1e3;

/// Changes up to which doubles distinguish neighbouring borders between two answers.
const LARGEST_CHANGE: u128 = 1 << 50;

/// Answers at each end of a range whose pairs are proved one by one.
const LARGEST_REACH: u64 = 1024;

/// Inverse scale of plain and clamped discrete Laplace noise for `(epsilon, delta)`.
///
/// # Guarantee
/// For one cell that moves by at most `d` steps, with `a = exp(-tau)`, the divergence is
///
/// ```text
/// delta(tau) = 1 - (a^i + e^epsilon a^(d+1-i)) / (1 + a),    i = ceil((d - epsilon/tau) / 2)
/// ```
///
/// and zero where `tau d <= epsilon`. For more cells it is the divergence of the worst moves within the sensitivity: as
/// many cells as may move by `linf`, and one by what is left, exact where these are at most 4096 steps together, and
/// bounded on a coarser lattice where they are more. The parameter is the largest double found with
/// `delta(tau) <= delta` proved, and never below the pure `epsilon / l1`. Clamping is post-processing, and gains
/// nothing: the border lies in the range. Claims: `plain-hockey-stick`, `laplace-concentrated-moves`,
/// `laplace-coarser-moves`. Takes about 15 microseconds for one cell (`benches/calibrate.rs`).
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`].
///
/// # Example
/// A count with `delta = 0.01`: `tau` is above epsilon, which pure noise has.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate::{Proof, approximate};
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("0.01".parse()?)?);
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// let calibrated = approximate::clamped(&epsilon, &delta, &one).expect("calibrates");
/// // i = 1: delta (1 + a) = 1 - e a.
/// let closed_form = ((1f64.exp() + 0.01) / 0.99).ln();
/// assert!((calibrated.parameter.to_f64() - closed_form).abs() < 1e-12);
/// assert_eq!(calibrated.proof, Proof::HockeyStick);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn clamped(epsilon: &Epsilon, delta: &Delta, sensitivity: &Sensitivity) -> Result<Calibrated, CalibrationError> {
    let pure = pure::clamped(epsilon, &one_cell_only(sensitivity))?;
    let Some(d) = sensitivity.one_cell() else {
        let vector = Vector::plain(sensitivity).ok_or(CalibrationError::ZeroSensitivity)?;
        return Ok(of_vector(&vector, pure, epsilon, delta));
    };
    let e = epsilon.value().to_f64();
    let proposal = proposed(&pure, delta, |tau| plain::divergence(tau, e, d as f64));
    let problem = Problem { epsilon: epsilon.value(), delta: delta.value(), d, width: None };
    Ok(largest_proved(pure, proposal, |tau| {
        let plain = plain::Plain { tau, epsilon: epsilon.value(), d };
        let bits = problem.precision(tau);
        let divergence = plain.divergence(bits);
        divergence.is_none_or(|bound| bound.certainly_at_most(&Enclosure::from_rational(delta.value(), bits)))
    }))
}

/// A proved upper bound, as a double rounded up, on the hockey-stick divergence at `epsilon` of plain and clamped
/// discrete Laplace noise of inverse scale `tau`, for one cell; see [`clamped`].
///
/// Of several cells it is that of their worst moves.
///
/// # Example
/// Two counts that one unit moves by one each, at the noise of one: `1 / (1 + a)^2` of all outputs lose twice epsilon.
/// ```
/// use inbounds_core::{Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate::approximate::clamped_delta;
/// let two = Sensitivity { l1: 2, linf: 1, cells: 2, rule: "count-substitute", squares: None };
/// let epsilon = Epsilon::new("1".parse()?)?;
/// let ratio = (-1f64).exp();
/// let delta = (1.0 - ratio) / (1.0 + ratio).powi(2);
/// assert!((clamped_delta(epsilon.value(), &epsilon, &two) / delta - 1.0).abs() < 1e-12);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn clamped_delta(tau: &Rational, epsilon: &Epsilon, sensitivity: &Sensitivity) -> f64 {
    if tau * &Rational::from(sensitivity.l1) <= *epsilon.value() {
        return 0.0;
    }
    let Some(d) = sensitivity.one_cell() else {
        let Some(vector) = Vector::plain(sensitivity) else { return 0.0 };
        let bits = vector.precision(tau, epsilon.value(), f64::MIN_POSITIVE);
        return vector.divergence(tau, epsilon.value(), bits).upper().to_f64_up().clamp(0.0, 1.0);
    };
    let plain = plain::Plain { tau, epsilon: epsilon.value(), d };
    // Wide enough for a double to be the limit: the divergence is at least about `tau d - epsilon`.
    let surplus = &(tau * &Rational::from(d)) - epsilon.value();
    let zeros = (-surplus.to_f64().abs().max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
    plain.divergence(192 + zeros).map_or(0.0, |bound| bound.upper().to_f64_up().clamp(0.0, 1.0))
}

/// Inverse scale of discrete Laplace noise conditioned on a range of `width` steps (`None` on a half line), for
/// `(epsilon, delta)`.
///
/// # Guarantee
/// For one cell that moves by at most `d` steps the divergence is the largest over the pairs of answers `(q, q + d)`:
/// the likelihood ratio falls with the output, so a larger distance is never better, and on a half line the reversed
/// order is covered too. It is proved to be at most delta, pair by pair where the ends of the range reach over at most
/// 1024 answers each (Claims: `conditioned-hockey-stick`, `conditioned-hockey-stick-half-line`), and on finer grids by
/// polynomials that bound all pairs (Claim: `conditioned-hockey-stick-relaxed`), which loses about `tau^2 / 4` of
/// delta. For more cells it is bounded in two ways, of which the better counts: by plain noise (Claim:
/// `conditioned-vector-hockey-stick`), and by what each cell keeps at its own exact divergence (Claim:
/// `conditioned-vector-composed`). The parameter is never below the pure one of [`super::conditioned`]. Takes from 0.1
/// to 70 milliseconds for epsilons up to hundreds, seconds for thousands.
///
/// # Errors
/// Those of [`super::conditioned`].
///
/// # Example
/// With a delta, noise conditioned on a short range can be smaller than plain noise.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate::approximate;
/// let (epsilon, delta) = (Epsilon::new("0.1".parse()?)?, Delta::new("0.1".parse()?)?);
/// let share = Sensitivity { l1: 1 << 30, linf: 1 << 30, cells: 1, rule: "sum-add-remove", squares: None };
/// let conditioned = approximate::conditioned(&epsilon, &delta, &share, Some(1 << 30)).expect("calibrates");
/// let plain = approximate::clamped(&epsilon, &delta, &share).expect("calibrates");
/// let scale = |tau: f64| 1.0 / tau / (1u64 << 30) as f64;
/// assert!((scale(conditioned.parameter.to_f64()) - 1.7662).abs() < 1e-4);
/// assert!((scale(plain.parameter.to_f64()) - 3.2183).abs() < 1e-4);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn conditioned(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<Calibrated, CalibrationError> {
    let pure = pure::conditioned(epsilon, &one_cell_only(sensitivity), width)?;
    let Some(d) = sensitivity.one_cell() else {
        let vector = Vector::conditioned(sensitivity, width).ok_or(CalibrationError::ZeroSensitivity)?;
        let bounded = of_vector(&vector, pure, epsilon, delta);
        return Ok(composed_of_cells(bounded, (epsilon, delta), sensitivity, width));
    };
    let d = width.map_or(d, |width| d.min(width));
    if *delta.value() == Rational::ZERO {
        return Ok(pure_rule(pure));
    }
    let problem = Problem { epsilon: epsilon.value(), delta: delta.value(), d, width };
    let law = pair::Conditioned {
        epsilon: epsilon.value().to_f64(),
        d: d as f64,
        width: width.map_or(f64::INFINITY, |width| width as f64),
    };
    let proposal = law.propose(pure.to_f64(), below_one(delta), |tau| problem.reach(tau));
    Ok(largest_proved(pure, proposal, |tau| match problem.reach(tau.to_f64()) {
        Some(reach) => pairs::Pairs::new(&problem, tau, reach).are_within(reach),
        None => relaxed::are_within(&problem, tau),
    }))
}

/// The parameter of cells that keep an epsilon and a delta each, if it is larger than one that is found otherwise.
fn composed_of_cells(
    otherwise: Calibrated,
    (epsilon, delta): (&Epsilon, &Delta),
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Calibrated {
    let d = sensitivity.linf.min(sensitivity.l1);
    let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
    let one = Sensitivity { l1: d, linf: d, cells: 1, squares: None, ..sensitivity.clone() };
    let parts = u64::try_from(cells).map_or_else(|_| Vec::new(), |cells| composed::parts(epsilon, delta, cells));
    let each = parts.iter().filter_map(|(epsilon, delta)| conditioned(epsilon, delta, &one, width).ok());
    each.fold(otherwise, |best, one| {
        if one.parameter > best.parameter {
            Calibrated { parameter: one.parameter, proof: Proof::HockeyStick }
        } else {
            best
        }
    })
}

/// The parameter of noise on several cells.
fn of_vector(vector: &Vector, pure: Rational, epsilon: &Epsilon, delta: &Delta) -> Calibrated {
    let e = epsilon.value().to_f64();
    if *delta.value() == Rational::ZERO || e > LARGEST_EPSILON {
        return pure_rule(pure);
    }
    let proposal = proposed(&pure, delta, |tau| vector.propose(tau, e));
    largest_proved(pure, proposal, |tau| {
        let bits = vector.precision(tau, epsilon.value(), delta.value().to_f64());
        let divergence = vector.divergence(tau, epsilon.value(), bits);
        divergence.certainly_at_most(&Enclosure::from_rational(delta.value(), bits))
    })
}

/// The largest double, from the pure parameter up, at which a divergence in doubles is at most delta.
fn proposed(pure: &Rational, delta: &Delta, divergence: impl Fn(f64) -> f64) -> f64 {
    let (target, start) = (below_one(delta), pure.to_f64());
    let holds = |tau: f64| divergence(tau) <= target;
    let mut above = 2.0 * start;
    // A start of zero, below all doubles, stays there, and the pure parameter with it.
    while above > 0.0 && holds(above) && above < LARGEST_TAU {
        above *= 2.0;
    }
    root::bisect(start, above, |tau| tau <= start || holds(tau)).0
}

/// Requirement on noise for one cell that moves by at most `d` steps, in a range of `width` steps.
struct Problem<'a> {
    epsilon: &'a Rational,
    delta: &'a Rational,
    d: u128,
    width: Option<u128>,
}

impl Problem<'_> {
    /// Fractional bits that decide a proof to a small part of delta. A shortage would refuse a proof, never make one.
    fn precision(&self, tau: &Rational) -> usize {
        let zeros = |value: f64| (-value.max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
        let change = tau.to_f64() * self.d as f64;
        let largest = self.epsilon.to_f64().max(change);
        192 + zeros(self.delta.to_f64()) + 4 * zeros(change) + (6.0 * largest) as usize
    }

    /// `e^epsilon a^d`.
    fn boosted_power(&self, tau: &Rational, bits: usize) -> Enclosure {
        exponential_of_minus(&(&(tau * &Rational::from(self.d)) - self.epsilon), bits)
    }

    /// Answers at each end beyond which an end adds less than a millionth of delta; `None` where they are too many, or
    /// borders between them too far out, to take one by one.
    fn reach(&self, tau: f64) -> Option<u64> {
        let boosted = (self.epsilon.to_f64() - tau * self.d as f64).max(0.0);
        let reach = (boosted - self.delta.to_f64().max(f64::MIN_POSITIVE).ln() + 16.0) / tau;
        let pairs = self.width.map_or(f64::INFINITY, |width| (width - self.d) as f64 + 1.0);
        let reach = reach.ceil().min((pairs / 2.0).ceil()).max(1.0);
        (reach <= LARGEST_REACH as f64 && self.d <= LARGEST_CHANGE).then_some(reach as u64)
    }
}

/// The largest `tau` from a proposal down to the pure one that is proved; each failed proof widens the step down.
fn largest_proved(pure: Rational, proposal: f64, is_proved: impl Fn(&Rational) -> bool) -> Calibrated {
    let gain = proposal - pure.to_f64();
    let mut step = 2f64.powi(-36);
    while step < 1.0 {
        let tau = (proposal - gain * step).min(proposal.next_down());
        match Rational::from_f64(tau) {
            Some(tau) if tau > pure => {
                if is_proved(&tau) {
                    return Calibrated { parameter: tau, proof: Proof::HockeyStick };
                }
            }
            _ => break,
        }
        step *= 8.0;
    }
    pure_rule(pure)
}

/// Delta as a double that a divergence in doubles can exceed.
pub(super) fn below_one(delta: &Delta) -> f64 {
    delta.value().to_f64().min(1.0 - f64::EPSILON)
}

fn pure_rule(parameter: Rational) -> Calibrated {
    Calibrated { parameter, proof: Proof::Pure }
}

/// The sensitivity with the two bounds of a lone cell made one.
fn one_cell_only(sensitivity: &Sensitivity) -> Sensitivity {
    match sensitivity.one_cell() {
        Some(d) => Sensitivity { l1: d, linf: d, ..sensitivity.clone() },
        None => sensitivity.clone(),
    }
}
