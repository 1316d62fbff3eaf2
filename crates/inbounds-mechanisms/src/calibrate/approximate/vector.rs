//! Discrete Laplace noise on several cells that change together.
//!
//! # The loss of a cell
//! Let `a = exp(-tau)`. For a move of `d` steps the loss of an output `x` steps above the lower answer is
//! `tau (d - 2x)` within `0..d`, and at its ends beyond them. So the loss is `tau (d - 2x)` with the probability
//! `s_d(x) a^x`, `s_d = ((1 - a) 1{0..d} + a (1{0} + 1{d})) / (1 + a)`.
//!
//! # The worst moves
//! **Claim** `laplace-concentrated-moves`. Of all moves within `(l1, linf, cells)` the divergence at every epsilon is
//! largest where as many cells as may move by `linf`, and one by what is left.
//!
//! *Proof.* Take cells with moves `1 <= c <= d`, and `c - 1` and `d + 1` in their place. Both pairs of losses lie on
//! one lattice, and the convolutions of `s` differ by
//!
//! ```text
//! (1 + a)^2 (s_c * s_d - s_(c-1) * s_(d+1)) = (1 - a)^2 1{c..d} + a (1{c} + 1{d} - 1{c-1} - 1{d+1}),
//! ```
//!
//! which is negative, positive and negative from left to right. The likelihood ratios under the second answer have this
//! difference times positive weights as that of their laws, and both have mean one. Laws of equal mean that differ by
//! these signs are in convex order, so `E max(0, ratio - e^epsilon)` is larger with `c - 1` and `d + 1`, for every
//! epsilon; and with any other cells beside the two, whose noise is independent. A larger move of one cell has no less
//! divergence (`plain-hockey-stick`). From any moves these two steps lead to those of the claim. QED
//!
//! # Fine grids
//! **Claim** `laplace-coarser-moves`. A move of `n h` steps at the inverse scale `tau` diverges at most as one of `n`
//! steps at `h tau`.
//!
//! *Proof.* Let the mass of a loss that lies between two multiples of `2 h tau` be divided over these two so that mass
//! and mean likelihood ratio are kept: again a law in convex order above. The geometric sums are elementary, and what
//! comes out is `s_n(x) A^x` with `A = a^h`. QED
//!
//! So moves of more than [`MOST_PLACES`] steps together are rounded up to as many of a coarser lattice.
//!
//! # Conditioned noise
//! **Claim** `conditioned-vector-hockey-stick`. Let `C(q)` be the probability that noise around `q` stays in the range.
//! For answers `q`, `q'` with `m` cells that move, `P_q(S) - e^epsilon P_q'(S)` is `1 / prod C(q_j)` times the
//! difference of plain noise at `e^epsilon prod C(q_j) / C(q'_j)`. With `1 / C(q_j) <= (1 + a) / (1 - a^(width+1))` and
//! `C(q'_j) / C(q_j) <= G(min(d_j, width / 2))`, whose product is largest for moves that are spread evenly
//! ([`conditioned`](super::super::conditioned) has `G`), this is a bound. It may be far above the divergence for many
//! cells, and gives the pure parameter then.

use inbounds_core::{Enclosure, Rational, Sensitivity};

use super::{
    exponential::exponential_of_minus,
    losses::{convolved, divergence, divergence_in_doubles, power},
};

/// Steps of all cells together up to which no move is rounded; the work of a proof grows with their square.
const MOST_PLACES: u128 = 4096;

/// Cells that move, and the range that their noise is conditioned on, if it is.
pub(super) struct Vector {
    /// Steps of the lattice, in grid steps.
    coarse: u128,
    /// A number of cells, and the steps of the lattice by which each moves; neither is zero.
    full: (u64, u64),
    /// Remaining move, for one more cell.
    rest: u64,
    conditioned: Option<Spread>,
}

/// Moves of the cells of conditioned noise, spread evenly: `(cells, steps)`.
struct Spread {
    groups: Vec<(u64, u128)>,
    /// All cells that may move.
    cells: u64,
    width: Option<u128>,
}

impl Vector {
    /// Cells with plain noise; `None` where none can move.
    pub(super) fn plain(sensitivity: &Sensitivity) -> Option<Self> {
        let cells = u128::from(sensitivity.cells);
        let linf = sensitivity.linf.min(sensitivity.l1);
        if linf == 0 || cells == 0 {
            return None;
        }
        let l1 = sensitivity.l1.min(linf.saturating_mul(cells));
        let small = |steps: u128| u64::try_from(steps).expect("at most `MOST_PLACES`");
        let moving = l1 / linf;
        // Cells beyond what there are places for are brought together, which is worse.
        let (coarse, full, rest) = if moving > MOST_PLACES {
            let coarse = l1.div_ceil(MOST_PLACES);
            (coarse, (small(l1.div_ceil(coarse)), 1), 0)
        } else {
            let coarse = if l1 <= MOST_PLACES { 1 } else { linf.div_ceil(MOST_PLACES / moving) };
            (coarse, (small(moving), small(linf.div_ceil(coarse))), small((l1 % linf).div_ceil(coarse)))
        };
        Some(Self { coarse, full, rest, conditioned: None })
    }

    /// Cells with noise conditioned on a range of `width` steps, `None` on a half line.
    pub(super) fn conditioned(sensitivity: &Sensitivity, width: Option<u128>) -> Option<Self> {
        let linf = width.map_or(sensitivity.linf, |width| sensitivity.linf.min(width));
        let plain = Self::plain(&Sensitivity { linf, squares: None, ..sensitivity.clone() })?;
        let l1 = sensitivity.l1.min(linf.saturating_mul(u128::from(sensitivity.cells)));
        let cells = u128::from(sensitivity.cells).min(l1);
        let (steps, more) = (l1 / cells, l1 % cells);
        let count = |cells: u128| u64::try_from(cells).expect("at most `cells`, a u64");
        let most = width.map_or(u128::MAX, |width| width / 2);
        let groups = [(count(cells - more), steps.min(most)), (count(more), (steps + 1).min(most))];
        let groups = groups.into_iter().filter(|(cells, _)| *cells > 0).collect();
        Some(Self { conditioned: Some(Spread { groups, cells: count(cells), width }), ..plain })
    }

    /// The largest loss, in steps of the lattice.
    fn top(&self) -> u64 {
        self.full.0 * self.full.1 + self.rest
    }

    /// A bound on the divergence in doubles, for proposing `tau`.
    pub(super) fn propose(&self, tau: f64, epsilon: f64) -> f64 {
        let (ln_ratio, ln_mass) = self.conditioned.as_ref().map_or((0.0, 0.0), |spread| spread.in_doubles(tau));
        let (lattice, top) = (tau * self.coarse as f64, self.top() as f64);
        let surplus = lattice * top - epsilon + ln_ratio;
        if surplus <= 0.0 {
            return 0.0;
        }
        let (ratio, gap) = (libm::exp(-lattice), -libm::expm1(-lattice));
        let places = self.places(surplus, lattice);
        let cell = |steps: u64| {
            let probability = |x: usize| {
                let inside = if x == 0 || x as u64 == steps { 1.0 } else { gap };
                inside * libm::exp(-lattice * x as f64) / (1.0 + ratio)
            };
            (0..places.min(steps as usize + 1)).map(probability).collect::<Vec<f64>>()
        };
        let mut probabilities = power(&cell(self.full.1), self.full.0, places);
        if self.rest > 0 {
            probabilities = convolved(&probabilities, &cell(self.rest), places);
        }
        libm::exp(ln_mass) * divergence_in_doubles(&probabilities, surplus, 2.0 * lattice)
    }

    /// Losses above epsilon, and one more for rounding.
    fn places(&self, surplus: f64, lattice: f64) -> usize {
        (surplus / (2.0 * lattice) + 2.0).min(self.top() as f64 + 1.0) as usize
    }

    /// A bound on the divergence, enclosed.
    pub(super) fn divergence(&self, tau: &Rational, epsilon: &Rational, bits: usize) -> Enclosure {
        let one = Enclosure::one(bits);
        let lattice = tau * &Rational::from(self.coarse);
        let (boost, mass) = self.conditioned.as_ref().map_or((one.clone(), one.clone()), |s| s.enclosed(tau, bits));
        // Places where the likelihood ratio is at most the threshold add nothing; doubles find them, with one to spare.
        let (ln_ratio, _) = self.conditioned.as_ref().map_or((0.0, 0.0), |spread| spread.in_doubles(tau.to_f64()));
        let surplus = (&(&lattice * &Rational::from(u128::from(self.top()))) - epsilon).to_f64() + ln_ratio;
        let places = self.places(surplus.max(0.0), lattice.to_f64());
        let ratio = Enclosure::exp_neg(&lattice, bits);
        let one_plus_ratio = one.add(&ratio);
        let gap = one.sub(&ratio);
        let cell = |steps: u64| {
            let mut outside = one.div(&one_plus_ratio);
            let mut probabilities = Vec::new();
            for x in 0..places.min(steps as usize + 1) {
                let is_end = x == 0 || x as u64 == steps;
                probabilities.push(if is_end { outside.clone() } else { outside.mul(&gap) });
                outside = outside.mul(&ratio);
            }
            probabilities
        };
        let mut probabilities = power(&cell(self.full.1), self.full.0, places);
        if self.rest > 0 {
            probabilities = convolved(&probabilities, &cell(self.rest), places);
        }
        let last = i128::from(self.top()) - 2 * (probabilities.len() as i128 - 1);
        let exponent = &(&lattice * &Rational::ratio(last, 1)) - epsilon;
        let last = exponential_of_minus(&exponent, bits).div(&boost);
        divergence(&probabilities, &last, &ratio.mul(&ratio), bits).mul(&mass)
    }

    /// Fractional bits that decide a proof to a small part of delta.
    pub(super) fn precision(&self, tau: &Rational, epsilon: &Rational, delta: f64) -> usize {
        let zeros = |value: f64| (-value.max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
        let lattice = tau.to_f64() * self.coarse as f64;
        let largest = epsilon.to_f64().max(lattice * self.top() as f64);
        let range = self.conditioned.as_ref().and_then(|spread| spread.width).map_or(1.0, |w| tau.to_f64() * w as f64);
        let cells = self.conditioned.as_ref().map_or(0, |spread| spread.cells.min(1 << 20) as usize);
        192 + zeros(delta) + 2 * zeros(lattice) + 2 * zeros(range) + (3.0 * largest) as usize + 2 * cells.min(1024)
    }
}

impl Spread {
    /// Cells beyond which the bound is never small, and not computed.
    const MOST_CELLS: u64 = 1024;

    /// `-ln prod G(d_j)` and `-ln prod C(q_j)`.
    fn in_doubles(&self, tau: f64) -> (f64, f64) {
        if self.cells > Self::MOST_CELLS {
            return (0.0, f64::INFINITY);
        }
        let missing = |steps: f64| -libm::expm1(-tau * steps);
        let ratio = libm::exp(-tau);
        let total = self.width.map_or(1.0, |width| missing(width as f64 + 1.0));
        let log_growth = |(cells, steps): &(u64, u128)| {
            let d = *steps as f64;
            let beyond = self.width.map_or(1.0, |width| missing((width - steps) as f64)) / total;
            *cells as f64 * libm::log1p(ratio * missing(d) * beyond)
        };
        let growth: f64 = self.groups.iter().map(log_growth).sum();
        (-growth, self.cells as f64 * libm::log((1.0 + ratio) / total))
    }

    /// `prod G(d_j)` and `prod 1 / C(q_j)`.
    fn enclosed(&self, tau: &Rational, bits: usize) -> (Enclosure, Enclosure) {
        let one = Enclosure::one(bits);
        if self.cells > Self::MOST_CELLS {
            return (one.clone(), one);
        }
        let decayed = |steps: u128| Enclosure::exp_neg(&(tau * &Rational::from(steps)), bits);
        let above = one.add(&decayed(1));
        let total = self.width.map_or_else(|| one.clone(), |width| one.sub(&decayed(width + 1)));
        let growth_of_cell = |steps: u128| {
            let near = above.sub(&decayed(steps + 1));
            self.width.map_or_else(|| near.clone(), |width| near.sub(&decayed(width - steps + 1)).div(&total))
        };
        let growth = self
            .groups
            .iter()
            .fold(one.clone(), |product, (cells, steps)| product.mul(&growth_of_cell(*steps).pow(*cells)));
        (growth, above.div(&total).pow(self.cells))
    }
}
