//! Numbers of a cell that get one vector of cube noise.

use std::sync::Arc;

use inbounds_core::{Answer, Epsilon, Guarantee, Sensitivity, StepRange};

use super::{Calibration, Measurements, Mechanism, Processed};
use crate::{
    bounding::ProcessingKind,
    calibrate::{self, CalibrationError},
    noise::{DiscreteCube, GridNoise, fill_discrete_cube},
    registry,
    sampler::Entropy,
};

/// Common parameters of numbers that are drawn together: epsilon, their count, and the parts of a step by which one
/// unit moves each.
///
/// # Guarantee
/// The answers of neighbours differ, in number `j` of cell `g`, by `d_gj` steps. If a unit is made of pieces that each
/// touch one cell, and every number counts each piece as at most the same share of its bound `B_j` on `sum_g |d_gj|`,
/// as the rules for sums do, then `sum_g max_j |d_gj| / B_j <= 1`: the pieces of a cell add up before the largest is
/// taken. A step of number `j` is divided into `f_j` parts with `f_j B_j <= L`, and each cell gets a vector of
/// [`DiscreteCube`] noise of inverse scale `epsilon / L` a part, so that the loss is
/// `sum_g (epsilon / L) max_j f_j |d_gj| <= epsilon`. Moving each sum to the nearest step is post-processing, and the
/// same as moving its noise there. With `f_j` the largest odd number that fits, the noise is wider than it need be by a
/// factor of at most `1 + 2 / f_j`. Claims: `cube-pieces`, `discrete-cube-loss`.
///
/// # Example
/// A count and a sum that one row moves by up to 30, with a factor of 2 in variance over halves of epsilon.
/// ```
/// use inbounds_core::{Answer, Epsilon, Sensitivity, StepRange};
/// use inbounds_mechanisms::{law::Noise, mechanism::Together, sampler::SeededEntropy};
/// let together = Together::new(Epsilon::new("0.1".parse()?)?, 2, 1);
/// let coordinate = |steps| {
///     let moved = Sensitivity { l1: steps, linf: steps, cells: 1, rule: "sum-add-remove", squares: None };
///     together.coordinate(&moved, StepRange::UNBOUNDED, 1).expect("calibrates")
/// };
/// let (count, sum) = (coordinate(1), coordinate(30));
/// let (halves, whole) = (8.0 * 100.0, sum.noise().variance() / 900.0);
/// assert!((halves / whole - 2.0).abs() < 0.001);
/// let answers = vec![Answer::new(vec![500, 20]), Answer::new(vec![7300, 310])];
/// let measured = Together::measure(&[count, sum], answers, &mut SeededEntropy::from_seed(7));
/// assert_eq!(measured.iter().map(|vector| vector.steps().len()).collect::<Vec<_>>(), [2, 2]);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together {
    epsilon: Epsilon,
    dimensions: usize,
    most: u128,
}

/// Parts to which the move of a number by one row is brought: a number that moves by less than `2^38` steps then loses
/// less than a thousandth, and the sampler is still quick.
const PARTS: u128 = 1 << 48;

/// Rows a unit up to which these parts are taken for each.
const MOST_ROWS: u64 = 1 << 10;

impl Together {
    /// Of `dimensions` numbers that one unit moves by up to `rows` rows each.
    pub fn new(epsilon: Epsilon, dimensions: usize, rows: u64) -> Self {
        Self { epsilon, dimensions, most: PARTS * u128::from(rows.clamp(1, MOST_ROWS)) }
    }

    /// The one of which a law is a coordinate: `parts` of a step are those of the law, and all numbers are brought to
    /// `epsilon / tau` parts. `None` if that is no whole number of parts.
    pub fn of_law(epsilon: Epsilon, law: &DiscreteCube) -> Option<Self> {
        let most = epsilon.value() / law.inverse_scale();
        let most = most.floor().filter(|_| most.is_integer()).and_then(|most| u128::try_from(most).ok())?;
        Some(Self { epsilon, dimensions: law.dimensions(), most })
    }

    /// Count of numbers that are drawn together.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Epsilon of all numbers together.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// One of the numbers. Its steps have an odd multiple of `finer` parts, itself odd, so that the same number in
    /// steps `finer` times as small tells this one: [`Together::coarsened`].
    ///
    /// # Errors
    /// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::TooManySteps`] for a number that moves further than
    /// the parts that all are brought to, and [`CalibrationError::Cube`].
    pub fn coordinate(
        &self,
        sensitivity: &Sensitivity,
        range: StepRange,
        finer: u32,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        let moved = sensitivity.l1.saturating_mul(finer.into());
        let fitting = self.most.checked_div(moved).ok_or(CalibrationError::ZeroSensitivity)?;
        let too_many = || CalibrationError::TooManySteps { l1: moved, most: self.most };
        // The largest odd number that fits.
        let odd = fitting - u128::from(fitting % 2 == 0 && fitting > 0);
        let parts = u64::try_from(odd * u128::from(finer)).map_err(|_| too_many())?;
        if parts == 0 {
            return Err(too_many());
        }
        let noise = GridNoise::Cube(calibrate::cube(&self.epsilon, self.most, self.dimensions, parts)?);
        let guarantee = Guarantee::Pure { epsilon: self.epsilon.clone() };
        let calibration = Calibration::proved(&guarantee, sensitivity, noise, range);
        Ok(Processed::over(registry::TOGETHER.name, calibration, ProcessingKind::Clamped))
    }

    /// Measurement of the same number in steps that are an odd number of times as large: that of `coordinate`, drawn
    /// with the same vector. With odd numbers of parts the nearest step to the nearest step is the nearest step.
    ///
    /// # Panics
    /// If the steps are no odd number of times as large, or the two cannot be in one vector.
    pub fn coarsened(coordinate: Arc<dyn Mechanism>, measured: &Measurements) -> Measurements {
        let (coarse, fine) = (cube(coordinate.noise()), cube(measured.mechanism().noise()));
        assert!(
            coarse.goes_with(fine) && coarse.parts().is_multiple_of(fine.parts()),
            "the same number in larger steps"
        );
        let times = i128::from(coarse.parts() / fine.parts());
        let steps = measured.steps().iter().map(|steps| (steps + times / 2).div_euclid(times)).collect();
        Measurements::from_published(coordinate, steps)
    }

    /// Consumes the answers of all coordinates and returns their measurements: one vector of noise for each cell.
    ///
    /// # Panics
    /// If there is not one answer a coordinate and one coordinate a dimension, if the coordinates cannot be in one
    /// vector, or if the answers have not the same cells.
    pub fn measure(
        coordinates: &[Arc<dyn Mechanism>],
        answers: Vec<Answer>,
        entropy: &mut dyn Entropy,
    ) -> Vec<Measurements> {
        let dimensions = cube(coordinates[0].noise()).dimensions();
        assert_eq!((coordinates.len(), answers.len()), (dimensions, dimensions), "a vector is drawn whole");
        let noise = draw(coordinates, answers[0].cells(), entropy);
        let measured = coordinates.iter().zip(answers).zip(noise);
        measured
            .map(|((mechanism, answer), noise)| Measurements::with_noise(mechanism.clone(), answer, &noise))
            .collect()
    }

    /// The same of public numbers, for errors that are simulated; some coordinates of the vector are enough.
    ///
    /// # Panics
    /// As [`Together::measure`], but for the number of coordinates, which is at most that of the dimensions.
    pub fn measure_public(
        coordinates: &[Arc<dyn Mechanism>],
        answers: &[Vec<i128>],
        entropy: &mut dyn Entropy,
    ) -> Vec<Vec<i128>> {
        let mut noise = draw(coordinates, answers[0].len(), entropy);
        for (noise, answers) in noise.iter_mut().zip(answers) {
            noise.iter_mut().zip(answers).for_each(|(noise, answer)| *noise += answer);
        }
        noise
    }

    /// The noise of some coordinates, coordinate by coordinate, from vectors that [`fill_discrete_cube`] drew for the
    /// law of one of them, one a cell: what errors are simulated with for several statistics at once.
    ///
    /// # Panics
    /// If the coordinates cannot be in one vector, or are more than its dimensions.
    pub fn noise_of(coordinates: &[Arc<dyn Mechanism>], vectors: &[i128]) -> Vec<Vec<i128>> {
        steps_of(coordinates, vectors)
    }
}

/// Noise of coordinates of one vector a cell, coordinate by coordinate.
fn draw(coordinates: &[Arc<dyn Mechanism>], cells: usize, entropy: &mut dyn Entropy) -> Vec<Vec<i128>> {
    let law = cube(coordinates[0].noise());
    let mut vectors = vec![0; cells * law.dimensions()];
    fill_discrete_cube(law, entropy, &mut vectors);
    steps_of(coordinates, &vectors)
}

/// The coordinates of vectors that were drawn for their law, each moved to the nearest step.
fn steps_of(coordinates: &[Arc<dyn Mechanism>], vectors: &[i128]) -> Vec<Vec<i128>> {
    let laws: Vec<&DiscreteCube> = coordinates.iter().map(|coordinate| cube(coordinate.noise())).collect();
    assert!(
        laws.iter().all(|law| law.goes_with(laws[0])),
        "coordinates of one vector have one law but for their parts"
    );
    let dimensions = laws[0].dimensions();
    assert!(laws.len() <= dimensions, "a vector has as many coordinates as dimensions");
    let of_coordinate = |(j, law): (usize, &&DiscreteCube)| {
        vectors.iter().skip(j).step_by(dimensions).map(|parts| law.nearest_step(*parts)).collect()
    };
    laws.iter().enumerate().map(of_coordinate).collect()
}

fn cube(noise: &GridNoise) -> &DiscreteCube {
    noise.as_cube().expect("what is drawn together has cube noise")
}
