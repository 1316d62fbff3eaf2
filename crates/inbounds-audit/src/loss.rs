//! Privacy loss between a pair of tables at the noise that runs: the largest log ratio of probabilities of anything
//! that is measured.

use inbounds_core::{Guarantee, Sensitivity};
use inbounds_mechanisms::{
    calibrate::approximate,
    mechanism::{Mechanism, StepValue},
    noise::GridNoise,
};

use crate::{
    chosen, learned,
    subject::Subject,
    vector::{DrawnWith, Exact, Vector, VectorForm},
};

/// Losses of the statistics of a plan, in its order.
pub(crate) fn of_statistics(subject: &Subject, exact: &[Exact; 2]) -> Vec<f64> {
    let loss_of = |statistic: usize| of_vectors(subject, exact, Some(statistic));
    (0..subject.outline.tasks.len()).map(loss_of).collect()
}

/// The loss of everything, from the losses of statistics: what is one vector of noise loses once.
pub(crate) fn of_release(subject: &Subject, exact: &[Exact; 2], of_statistics: &[f64]) -> f64 {
    let is_alone = |place: usize| subject.outline.shared_noise(place).is_none();
    let alone: f64 = of_statistics.iter().enumerate().filter(|(place, _)| is_alone(*place)).map(|(_, loss)| loss).sum();
    let group =
        |group: usize| of_those(subject, exact, |vector| vector.drawn == DrawnWith::Group(group) && !vector.is_repeat);
    let groups: f64 = (0..subject.outline.together.len()).map(group).sum();
    alone + groups + of_vectors(subject, exact, None)
}

fn of_vectors(subject: &Subject, exact: &[Exact; 2], statistic: Option<usize>) -> f64 {
    of_those(subject, exact, |vector| vector.statistic == statistic)
}

/// The loss of some vectors: what is one vector of cube noise loses once.
fn of_those(subject: &Subject, exact: &[Exact; 2], is_one: impl Fn(&Vector) -> bool) -> f64 {
    let vectors = subject.vectors.iter().enumerate().filter(|(_, vector)| is_one(vector));
    let alone = vectors.filter(|(_, vector)| !vector.is_cube());
    let loss_of = |(place, vector): (usize, &Vector)| match vector.threshold {
        Some(_) => learned::loss(vector, &exact[0][place], &exact[1][place]),
        None if vector.form == VectorForm::ChosenBins => chosen::loss(vector, &exact[0][place], &exact[1][place]),
        None => of_vector(&*vector.mechanism, &exact[0][place], &exact[1][place]),
    };
    let together = numbers(subject, exact, |vector| is_one(vector) && vector.is_cube());
    alone.map(loss_of).sum::<f64>() + of_cube(&together)
}

/// A number of a vector of cube noise, and what it is in each cell of two tables.
pub(crate) type CubeNumber<'a> = (&'a Vector, &'a [i128], &'a [i128]);

/// The loss between two answers of numbers of one vector of cube noise, whole or some of it: the sum over cells of the
/// largest move of a number, each in the scale of its noise. A number that is in it twice is as far away as it is once.
pub(crate) fn of_cube(numbers: &[CubeNumber<'_>]) -> f64 {
    let cells = numbers.first().map_or(0, |(_, left, _)| left.len());
    let move_in_scales = |(vector, left, right): &CubeNumber<'_>, cell: usize| {
        let rate = vector.mechanism.noise().law().exponential_rate();
        rate * left[cell].abs_diff(right[cell]) as f64
    };
    (0..cells).map(|cell| numbers.iter().map(|number| move_in_scales(number, cell)).fold(0.0, f64::max)).sum()
}

fn numbers<'a>(subject: &'a Subject, exact: &'a [Exact; 2], is_in: impl Fn(&Vector) -> bool) -> Vec<CubeNumber<'a>> {
    let vectors = subject.vectors.iter().enumerate().filter(|(_, vector)| is_in(vector));
    vectors.map(|(place, vector)| (vector, &*exact[0][place], &*exact[1][place])).collect()
}

/// The loss between two answers of one vector.
///
/// # Law
/// Discrete Laplace noise of inverse scale `tau` loses `tau sum_j |a_j - b_j|`, attained. Conditioned on a range it
/// loses most where the measurement is the answer itself. Multiplied noise loses by places of cells as noise that is
/// added does by steps. For other noise the guarantee is prorated by the l1 change: no measure of a loss, but enough to
/// tell which pair to sample.
fn of_vector(mechanism: &dyn Mechanism, left: &[i128], right: &[i128]) -> f64 {
    let moved = || left.iter().zip(right).filter(|(a, b)| a != b);
    let steps: u128 = moved().map(|(a, b)| a.abs_diff(*b)).fold(0, u128::saturating_add);
    if steps == 0 {
        return 0.0;
    }
    match (mechanism.noise().as_laplace(), mechanism.adds_noise()) {
        (Some(law), true) => law.inverse_scale().to_f64() * steps as f64,
        (Some(_), false) => {
            let range = mechanism.range();
            let loss = |a: i128, b: i128| {
                let (a, b) = (range.clamp(a), range.clamp(b));
                let ln = |answer: i128| mechanism.ln_likelihood(a, StepValue::whole(answer));
                ln(a) - ln(b)
            };
            let forth: f64 = moved().map(|(a, b)| loss(*a, *b)).sum();
            let back: f64 = moved().map(|(a, b)| loss(*b, *a)).sum();
            forth.max(back)
        }
        (None, _) => {
            if let GridNoise::LogLaplace(law) = mechanism.noise() {
                let (range, tau) = (mechanism.range(), law.places().inverse_scale().to_f64());
                let place = |answer: &i128| law.place(range.clamp(*answer));
                return moved().map(|(a, b)| tau * place(a).abs_diff(place(b)) as f64).sum();
            }
            let is_tabulated = matches!(
                mechanism.noise(),
                GridNoise::Gaussian(_) | GridNoise::GeneralisedGaussian(_) | GridNoise::Staircase(_)
            );
            if is_tabulated && !mechanism.adds_noise() {
                return conditioned_on_range(mechanism, moved());
            }
            let granted = match mechanism.guarantee() {
                Guarantee::Pure { epsilon } | Guarantee::Approximate { epsilon, .. } => epsilon.value().to_f64(),
                // The epsilon that has this rho.
                Guarantee::ZeroConcentrated { rho } => (2.0 * rho.value().to_f64()).sqrt(),
            };
            granted * steps as f64 / mechanism.sensitivity().l1.max(1) as f64
        }
    }
}

/// Noise that is conditioned on a range with two ends: Gaussian and generalised Gaussian noise lose most at an end of
/// it, and staircase noise somewhere, which may be anywhere.
fn conditioned_on_range<'a>(mechanism: &dyn Mechanism, moved: impl Iterator<Item = (&'a i128, &'a i128)>) -> f64 {
    let range = mechanism.range();
    let (lower, upper) = range.lower().zip(range.upper()).expect("such noise has a range with two ends");
    let places: Vec<i128> = match mechanism.noise() {
        GridNoise::Staircase(_) => (lower..=upper).collect(),
        _ => vec![lower, upper],
    };
    let (forth, back) = moved.fold((0.0, 0.0), |(forth, back), (a, b)| {
        let ln = |answer: i128, end: i128| mechanism.ln_likelihood(end, StepValue::whole(range.clamp(answer)));
        let ratios = || places.iter().map(|place| ln(*a, *place) - ln(*b, *place));
        let (largest, least) = (ratios().fold(0.0, f64::max), ratios().fold(0.0, f64::min));
        (forth + largest, back - least)
    });
    forth.max(back)
}

/// The hockey-stick divergence at its epsilon of moves as large as those between two answers, where Laplace noise that
/// is added spends delta; none for other noise and guarantees, whose sensitivities alone are compared.
///
/// # Law
/// That of the worst moves with the sum, the largest and the number of these ([`approximate::clamped_delta`]): no more
/// than the plan's delta as long as none of the three is more than the plan states.
pub(crate) fn delta(mechanism: &dyn Mechanism, left: &[i128], right: &[i128]) -> Option<f64> {
    let (Some(law), Guarantee::Approximate { epsilon, .. }) = (mechanism.noise().as_laplace(), mechanism.guarantee())
    else {
        return None;
    };
    let moved = || left.iter().zip(right).map(|(a, b)| a.abs_diff(*b)).filter(|steps| *steps > 0);
    let sensitivity = Sensitivity {
        l1: moved().fold(0, u128::saturating_add),
        linf: moved().max().unwrap_or(0),
        cells: moved().count() as u64,
        rule: "audit",
        squares: None,
    };
    mechanism.adds_noise().then(|| approximate::clamped_delta(law.inverse_scale(), epsilon, &sensitivity))
}

/// The epsilon that bounds every loss of a statistic, or of the whole release; none where delta may be spent, which
/// lets a loss be any. Learned keys spend it on cells that only one of two tables has, and those are no part of the
/// loss.
pub(crate) fn bound(subject: &Subject, statistic: Option<usize>) -> Option<f64> {
    let pure =
        |vector: &Vector| vector.threshold.is_some() || matches!(vector.mechanism.guarantee(), Guarantee::Pure { .. });
    let is_selected = |vector: &&Vector| statistic.is_none() || vector.statistic == statistic;
    subject.vectors.iter().filter(is_selected).all(pure).then(|| subject.granted(statistic))
}
