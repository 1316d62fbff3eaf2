//! Posterior of an answer after a measurement, for a prior over its range.

use inbounds_core::{StepRange, root::bisect_integer};
use thiserror::Error;

use crate::bounding::step_value::StepValue;

/// Belief about the answer before the measurement, over the public range.
#[derive(Debug, Clone, PartialEq)]
pub enum Prior {
    /// Every answer in the range alike.
    Flat,
    /// Relative densities per step: `(from, density)` holds from that step up to the next entry's, zero before the
    /// first.
    Table(Vec<(i128, f64)>),
}

/// Why there is no posterior.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PosteriorError {
    /// A density that is none, or entries out of order.
    #[error("a prior table must have increasing steps and finite densities of at least 0; entry {index} breaks this")]
    Table {
        /// Which entry.
        index: usize,
    },
    /// The prior excludes everything the measurement leaves.
    #[error("the prior has no mass where the measurement is possible: give it mass inside the range")]
    NoMass,
}

/// A distribution of the answer over the steps of its range.
///
/// Made by [`crate::mechanism::Mechanism::posterior`]. `P(q | y)` is proportional to `prior(q) P(y | q)`.
///
/// # Accuracy
/// Answers within some 30,000 steps of the measurement are summed one by one. Beyond, where mass is left only if the
/// noise has a scale of about a thousand steps or more, sums are integrals over cells whose width grows with their
/// distance, by Gauss-Legendre quadrature, to a relative error below `1e-7` of that mass. Quantiles and densities
/// inside such a cell take the weight as exponential across it, a 64th of its distance wide.
///
/// # Example
/// A clamped count measured as -3: not -3, and not 0 with certainty, but 0.58 on average.
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Sensitivity, StepRange};
/// use inbounds_mechanisms::{posterior::Prior, registry};
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// let guarantee = Guarantee::Pure { epsilon: Epsilon::new("1".parse()?)? };
/// let clamped = registry::find("clamped").expect("registered");
/// let counts = clamped.calibrate(&guarantee, &one, StepRange::new(Some(0), None)?).expect("calibrates");
/// let posterior = counts.posterior(-3, &Prior::Flat).expect("possible");
/// assert!((posterior.mean() - 0.5819767068693265).abs() < 1e-12);
/// assert_eq!((posterior.quantile(0.5), posterior.quantile(0.95)), (0, 2));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Posterior {
    anchor: i128,
    cells: Vec<Cell>,
}

/// Answers `from..until` (offsets from the anchor) with their share of the mass and of the first moment.
#[derive(Debug, Clone, Copy)]
struct Cell {
    from: i128,
    until: i128,
    mass: f64,
    first: f64,
    /// Rise of the log weight from one edge to the other; the weight is taken as exponential in between.
    rise: f64,
}

/// Answers to each side of the anchor that have a cell each.
const SINGLE: i128 = 1 << 12;

/// Cells to each doubling of the distance beyond.
const CELLS_PER_DOUBLING: i128 = 64;

/// Most answers of a cell that are summed; more are integrated.
const SUMMED: i128 = 512;

impl Posterior {
    /// The posterior over a range, around the likeliest answer, as far as `reach` steps from it.
    pub(crate) fn new(
        (range, anchor, reach): (StepRange, i128, i128),
        prior: &Prior,
        ln_likelihood: impl Fn(StepValue) -> f64,
    ) -> Result<Self, PosteriorError> {
        let ln_prior = prior.ln_density()?;
        let low = range.lower().map_or(-reach, |lower| (lower - anchor).max(-reach));
        let high = range.upper().map_or(reach, |upper| (upper - anchor).min(reach)) + 1;
        let ln_weight = |offset: f64| {
            let candidate = StepValue::offset(anchor, offset);
            let prior = ln_prior(candidate.whole);
            if prior == f64::NEG_INFINITY { prior } else { prior + ln_likelihood(candidate) }
        };
        let edges = edges(low, high, prior, anchor);
        // The last edge is the first answer outside.
        let inside = edges.split_last().map_or(&[][..], |(_, inside)| inside);
        let peak = inside.iter().map(|edge| ln_weight(*edge as f64)).fold(f64::NEG_INFINITY, f64::max);
        if peak == f64::NEG_INFINITY {
            return Err(PosteriorError::NoMass);
        }
        let mut cells: Vec<Cell> = edges.windows(2).map(|pair| Cell::new(pair[0], pair[1], &ln_weight, peak)).collect();
        let total: f64 = cells.iter().map(|cell| cell.mass).sum();
        for cell in &mut cells {
            cell.mass /= total;
            cell.first /= total;
        }
        Ok(Self { anchor, cells })
    }

    /// The mean, in steps.
    pub fn mean(&self) -> f64 {
        self.anchor as f64 + self.cells.iter().map(|cell| cell.first).sum::<f64>()
    }

    /// `P(q <= answer)`.
    pub fn cdf(&self, answer: i128) -> f64 {
        let offset = answer - self.anchor;
        let below = self.cells.iter().take_while(|cell| cell.until <= offset + 1);
        let full_mass: f64 = below.clone().map(|cell| cell.mass).sum();
        let part = self.cells.iter().find(|cell| cell.from <= offset && offset + 1 < cell.until);
        full_mass + part.map_or(0.0, |cell| cell.mass * cell.share(offset + 1))
    }

    /// The smallest answer with `cdf >= p`, for `p` in `[0, 1]`.
    pub fn quantile(&self, p: f64) -> i128 {
        let mut below = 0.0;
        for cell in &self.cells {
            if below + cell.mass >= p && cell.mass > 0.0 {
                // The first offset whose share of the cell fills the missing mass.
                let missing = (p - below) / cell.mass;
                let last = bisect_integer(cell.from - 1, cell.until - 1, |offset| cell.share(offset + 1) < missing);
                return self.anchor + last + 1;
            }
            below += cell.mass;
        }
        // Rounding may leave the sum a hair below p = 1.
        self.anchor + self.cells.iter().rev().find(|cell| cell.mass > 0.0).map_or(0, |cell| cell.until - 1)
    }

    /// `P(q = answer)`.
    pub fn density(&self, answer: i128) -> f64 {
        let offset = answer - self.anchor;
        let cell = self.cells.iter().find(|cell| cell.from <= offset && offset < cell.until);
        cell.map_or(0.0, |cell| cell.mass * (cell.share(offset + 1) - cell.share(offset)))
    }
}

impl Cell {
    fn new(from: i128, until: i128, ln_weight: &dyn Fn(f64) -> f64, peak: f64) -> Self {
        let weight = |x: f64| libm::exp(ln_weight(x) - peak);
        let (mut mass, mut first) = (0.0, 0.0);
        let mut add = |x: f64, share: f64| {
            mass += share * weight(x);
            first += share * x * weight(x);
        };
        if until - from <= SUMMED {
            (from..until).for_each(|x| add(x as f64, 1.0));
        } else {
            // The sum over whole x is the integral from half a step before the first to half a step after the last.
            let (half, middle) = ((until - from) as f64 / 2.0, (from + until) as f64 / 2.0 - 0.5);
            GAUSS_LEGENDRE.iter().for_each(|(node, share)| {
                add(middle - half * node, half * share);
                add(middle + half * node, half * share);
            });
        }
        let rise = ln_weight(until as f64 - 1.0) - ln_weight(from as f64);
        let width = (until - from) as f64;
        let rise = if rise.is_finite() && width > 1.0 { rise * width / (width - 1.0) } else { 0.0 };
        Self { from, until, mass, first, rise }
    }

    /// The part of the cell's mass below offset `x`, from 0 at `from` to 1 at `until`.
    fn share(&self, x: i128) -> f64 {
        let t = (x - self.from) as f64 / (self.until - self.from) as f64;
        if self.rise.abs() < 1e-12 { t } else { libm::expm1(self.rise * t) / libm::expm1(self.rise) }
    }
}

/// Nodes in (0, 1) and weights of the eight-point rule on [-1, 1].
#[rustfmt::skip]
const GAUSS_LEGENDRE: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// Cell borders from `low` to `high`: every step near zero, ever wider cells beyond, and every step at which the prior
/// changes.
fn edges(low: i128, high: i128, prior: &Prior, anchor: i128) -> Vec<i128> {
    let mut edges: Vec<i128> = (low.max(-SINGLE)..=high.min(SINGLE)).collect();
    let mut distance = SINGLE;
    while distance < high.max(-low) {
        distance += (distance / CELLS_PER_DOUBLING).max(1);
        edges.extend([-distance, distance]);
    }
    if let Prior::Table(entries) = prior {
        edges.extend(entries.iter().map(|(from, _)| from - anchor));
    }
    edges.extend([low, high]);
    edges.retain(|edge| (low..=high).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    edges
}

impl Prior {
    /// The log density at a step, once the table has been checked.
    fn ln_density(&self) -> Result<impl Fn(i128) -> f64, PosteriorError> {
        let entries: &[(i128, f64)] = match self {
            Self::Flat => &[(i128::MIN, 1.0)],
            Self::Table(entries) => entries,
        };
        let sound = |index: &usize| {
            let (from, density) = entries[*index];
            density >= 0.0 && density.is_finite() && (*index == 0 || entries[index - 1].0 < from)
        };
        if let Some(index) = (0..entries.len()).find(|index| !sound(index)) {
            return Err(PosteriorError::Table { index });
        }
        Ok(move |step: i128| {
            let after = entries.partition_point(|(from, _)| *from <= step);
            if after == 0 { f64::NEG_INFINITY } else { libm::log(entries[after - 1].1) }
        })
    }
}
