//! Quantiles chosen among public bins by how many rows lie between: permute-and-flip over ranks.
//!
//! # The mechanism
//! A cell has counts `n_1, ..., n_k` of its rows in public bins, `B_j` of them in the first `j`, `n = B_k` in all. With
//! a probability `p`, bin `j` misses the quantile by
//!
//! ```text
//! s_j = max(0, B_(j-1) - p n, p n - B_j)
//! ```
//!
//! rows, 0 for the bin that holds it. Every bin is *accepted* with probability `e^(-t s_j / (2 m))`,
//! `m = max(p, 1 - p)`, independently, and one of the accepted bins is chosen, each with the same probability. The bin
//! with `s_j = 0` is always accepted, so there is one. That is the permute-and-flip mechanism (McKenna and Sheldon
//! 2020, Algorithm 1): the first accepted bin in a random order is any of the accepted ones. It is also
//! report-noisy-min with exponential noise (Ding et al. 2021).
//!
//! # The guarantee
//! A row that is added or removed moves every `s_j` by at most `m`: `B_(j-1) - p n` and `p n - B_j` move by `p` or
//! `1 - p`. With `R` rows of a unit, by at most `m R`. By Theorem 1 of McKenna and Sheldon, whose score is `-s` of
//! sensitivity `m R`, the choice keeps `epsilon = t R`. In several cells the rows of a unit share out, and the sum of
//! what the cells lose is at most `t R` again. Under substitution a unit is removed and another one added,
//! `epsilon = 2 t R`; but rows that stay in the one cell in which they are move `s` by 1 at most, so that
//! `epsilon = t R / m` there. Claim: `permute-and-flip`.
//!
//! # Several quantiles
//! The middle probability is chosen first, and those below and above it among the bins on their side, each bin of the
//! choice being on both sides (approximate quantiles, Kaplan, Schnapp and Stemmer 2022). With probabilities `a < p < b`
//! of what encloses a quantile, its probability among the rows between them is `(p - a) / (b - a)`. Rows of a chosen
//! bin count half on either side, whose halves together move as much as one row moves, so all choices of one level cost
//! as much as one choice: `K` quantiles divide epsilon by `L = floor(log2 K) + 1`, not by `K`. Chosen bins increase
//! with the probability by construction.
//!
//! # No interval
//! A chosen bin says nothing of where the quantile is, whatever the counts: where no row lies between the quantile and
//! the chosen bin, `s = 0` for all bins between, which are chosen alike. An interval needs counts that are measured
//! beside it.
//!
//! # Time
//! Every bin takes one random word and the same operations; one in `2^46` is undecided by doubles and takes more. The
//! number of accepted bins, on which the choice among them depends, decides one multiplication.
//!
//! # References
//! McKenna and Sheldon, *Permute-and-flip: a new mechanism for differentially private selection*, 2020. Ding, Kifer,
//! Sayed, Steinke, Wang, Wu, Xiao and Zhang, *The permute-and-flip mechanism is identical to report-noisy-max with
//! exponential noise*, 2021. Smith, *Privacy-preserving statistical estimation with optimal convergence rates*, 2011,
//! for ranks as scores. Kaplan, Schnapp and Stemmer, *Differentially private approximate quantiles*, 2022.

mod law;
mod mechanism;
mod part;

use inbounds_core::{Epsilon, Guarantee, Rational, Sensitivity, StepRange};

pub use law::chosen;
use law::{Near, Summed};
use part::{Distances, Part};

use crate::{
    calibrate::{self, CalibrationError},
    mechanism::Calibration,
    noise::{DiscreteLaplace, GridNoise, RankAcceptance},
    sampler::{Entropy, accept, uniform::uniform_below},
};

/// Most bins among which a quantile is chosen.
pub const MOST_BINS: usize = 1 << 18;

/// Rows that one privacy unit moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovedRows {
    /// This many rows are added or removed.
    Added(u64),
    /// This many rows are replaced by as many or fewer others, in any cells.
    Replaced(u64),
    /// The same, where all rows are in one cell.
    ReplacedInPlace(u64),
}

/// A calibrated choice of the quantiles of every cell.
///
/// # Example
/// The median of 100 rows in one of eight bins, 60 of them in the third: the others miss it by 30 rows and more, and
/// hardly appear.
/// ```
/// use inbounds_core::{Answer, Epsilon};
/// use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};
/// use inbounds_mechanisms::selection::{MovedRows, RankSelection};
/// let epsilon = Epsilon::new("1".parse()?)?;
/// let median = RankSelection::calibrate(&epsilon, &["0.5".parse()?], 8, MovedRows::Added(1)).expect("calibrates");
/// let law = &median.law(&[10.0, 10.0, 60.0, 10.0, 10.0, 0.0, 0.0, 0.0]);
/// assert!(law[2] > 0.999);
/// let counts = Answer::new(vec![10, 10, 60, 10, 10, 0, 0, 0]);
/// let measured = Measurements::take(std::sync::Arc::new(median), counts, &mut SeededEntropy::from_seed(1));
/// assert_eq!(measured.steps(), [2]);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RankSelection {
    calibration: Calibration,
    bins: usize,
    probabilities: Vec<Rational>,
    /// `t`, exactly.
    rate: Rational,
}

impl RankSelection {
    /// Bins for these probabilities, which increase between 0 and 1.
    ///
    /// # Errors
    /// [`CalibrationError::Bins`] for none or more than [`MOST_BINS`]; [`CalibrationError::Probability`] for
    /// probabilities that are none, do not increase, or are fractions of more than `2^40` parts;
    /// [`CalibrationError::Scale`] for an epsilon beyond the range of calibration;
    /// [`CalibrationError::ZeroSensitivity`] where a unit moves no row.
    pub fn calibrate(
        epsilon: &Epsilon,
        probabilities: &[Rational],
        bins: usize,
        moved: MovedRows,
    ) -> Result<Self, CalibrationError> {
        if bins == 0 || bins > MOST_BINS {
            return Err(CalibrationError::Bins { found: bins, most: MOST_BINS });
        }
        part::check(probabilities)?;
        let levels = Rational::from(u128::from(probabilities.len().ilog2() + 1));
        let (MovedRows::Added(rows) | MovedRows::Replaced(rows) | MovedRows::ReplacedInPlace(rows)) = moved;
        if rows == 0 {
            return Err(CalibrationError::ZeroSensitivity);
        }
        let times = match (moved, probabilities) {
            (MovedRows::Added(_), _) => Rational::ONE,
            // Rows that stay in their cell move no distance by more than 1.
            (MovedRows::ReplacedInPlace(_), [one]) => &Rational::ONE / &part::larger_side(one),
            (MovedRows::Replaced(_) | MovedRows::ReplacedInPlace(_), _) => Rational::from(2_u128),
        };
        let rule = match moved {
            MovedRows::Added(_) => "ranks-add-remove",
            MovedRows::Replaced(_) => "ranks-substitute",
            MovedRows::ReplacedInPlace(_) => "ranks-substitute-in-place",
        };
        let rows = u128::from(rows);
        let sensitivity = Sensitivity { l1: rows, linf: rows, cells: 1, rule, squares: None };
        let rate = epsilon.value() / &(&(&times * &levels) * &Rational::from(rows));
        let law: DiscreteLaplace = calibrate::law(rate.clone(), epsilon, &sensitivity)?;
        let guarantee = Guarantee::Pure { epsilon: epsilon.clone() };
        let range = StepRange::new(Some(0), Some(bins as i128 - 1).filter(|last| *last > 0));
        let range = range.unwrap_or(StepRange::UNBOUNDED);
        let noise = GridNoise::Ranks(RankAcceptance::new(law));
        let calibration = Calibration::proved(&guarantee, &sensitivity, noise, range);
        Ok(Self { calibration, bins, probabilities: probabilities.to_vec(), rate })
    }

    /// Number of bins of a cell.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// Probabilities of the chosen quantiles.
    pub fn probabilities(&self) -> &[Rational] {
        &self.probabilities
    }

    /// Chooses the bins of one cell, one a probability; they do not decrease.
    ///
    /// # Panics
    /// Unless there is a count, not negative, for each bin.
    pub fn choose(&self, counts: &[i128], entropy: &mut dyn Entropy) -> Vec<usize> {
        assert_eq!(counts.len(), self.bins, "one count a bin");
        self.choose_by(&mut |_, part, p| {
            let (distances, rate) = self.distances(counts, part, p);
            let accepted = accept(&distances, &rate, entropy);
            let word = entropy.word();
            part.first() + accepted[uniform_below(accepted.len() as u64, word, entropy) as usize]
        })
    }

    /// The law of the chosen bin of one cell with one probability: the probability of each bin.
    ///
    /// # Panics
    /// With several probabilities, whose laws depend on what was chosen before, or unless there is a count a bin.
    pub fn law(&self, counts: &[f64]) -> Vec<f64> {
        assert_eq!(counts.len(), self.bins, "one count a bin");
        let [p] = &self.probabilities[..] else { panic!("the law of one quantile") };
        law::of_bins(counts, p.to_f64(), self.rate.to_f64())
    }

    /// Choices for counts that need not be whole, in doubles: to simulate errors around public numbers.
    ///
    /// # Panics
    /// Unless there is a count a bin.
    pub fn choices_around(&self, counts: &[f64], draws: usize, entropy: &mut dyn Entropy) -> Vec<Vec<usize>> {
        assert_eq!(counts.len(), self.bins, "one count a bin");
        let (rate, summed) = (self.rate.to_f64(), Summed::new(counts));
        let mut one = || self.choose_by(&mut |_, part, p| Near::in_part(part, &summed, p.to_f64(), rate).draw(entropy));
        (0..draws).map(|_| one()).collect()
    }

    /// Log probability that these bins of one cell are chosen, one a probability; minus infinity for bins that
    /// decrease.
    ///
    /// # Panics
    /// Unless there is a count a bin and a bin a probability.
    ///
    /// # Example
    /// Of two bins that hold half of the rows each, the median is either.
    /// ```
    /// use inbounds_core::Epsilon;
    /// use inbounds_mechanisms::selection::{MovedRows, RankSelection};
    /// let epsilon = Epsilon::new("1".parse()?)?;
    /// let median = RankSelection::calibrate(&epsilon, &["0.5".parse()?], 2, MovedRows::Added(1)).expect("calibrates");
    /// assert!((median.ln_probability(&[7, 7], &[1]) - 0.5_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn ln_probability(&self, counts: &[i128], chosen: &[usize]) -> f64 {
        assert_eq!(
            (counts.len(), chosen.len()),
            (self.bins, self.probabilities.len()),
            "a count a bin, a bin a probability"
        );
        let mut ln_all = 0.0;
        self.choose_by(&mut |output, part, p| {
            let (distances, rate) = self.distances(counts, part, p);
            let rate = rate.to_f64();
            let accepted: Vec<f64> = distances.iter().map(|steps| libm::exp(-rate * *steps as f64)).collect();
            let place = chosen[output].checked_sub(part.first());
            let mass = place.and_then(|place| law::chosen(&accepted).get(place).copied());
            ln_all += mass.map_or(f64::NEG_INFINITY, libm::log);
            part.nearest(chosen[output])
        });
        ln_all
    }

    /// Distances of the bins of a part from the quantile of a probability in it, and the rate of their acceptance for
    /// one step of distance.
    fn distances(&self, counts: &[i128], part: &Part, p: &Rational) -> (Vec<u128>, Rational) {
        let Distances { steps, unit } = part.distances(counts, p);
        (steps, &self.rate * &unit)
    }

    /// The bins of one cell that `choose` returns, each for the place of a probability, the part of the bins that those
    /// chosen before leave it, and its probability among the rows of the part.
    fn choose_by(&self, choose: &mut dyn FnMut(usize, &Part, &Rational) -> usize) -> Vec<usize> {
        let mut chosen = vec![0; self.probabilities.len()];
        let between = (&Rational::ZERO, &Rational::ONE);
        self.choose_within(&Part::whole(self.bins), 0, between, &mut chosen, choose);
        chosen
    }

    /// Chooses the quantiles from place `first` on that lie between two probabilities, into their places of `chosen`.
    fn choose_within(
        &self,
        part: &Part,
        first: usize,
        (low, high): (&Rational, &Rational),
        chosen: &mut [usize],
        choose: &mut dyn FnMut(usize, &Part, &Rational) -> usize,
    ) {
        if chosen.is_empty() {
            return;
        }
        let (lower, rest) = chosen.split_at_mut(chosen.len() / 2);
        let (own, upper) = rest.split_first_mut().expect("the middle one");
        let place = first + lower.len();
        let p = &self.probabilities[place];
        *own = choose(place, part, &(&(p - low) / &(high - low)));
        let [below, above] = part.divided(*own);
        self.choose_within(&below, first, (low, p), lower, choose);
        self.choose_within(&above, place + 1, (p, high), upper, choose);
    }
}
