//! Sampled releases: what they show of two tables, and whether their noise is what it is said to be.

use inbounds_mechanisms::{law::Noise, mechanism::StepValue, sampler::SeededEntropy};

use crate::{
    Bound, MISS, Options, chosen,
    draw::Draw,
    events::{Samples, epsilon_at_least},
    finding::{Example, Finding},
    learned, loss,
    search::{Known, Searched},
    subject::{Subject, noisy},
    vector::{DrawnWith, Exact, VectorForm},
};

/// Numbers of a vector that are looked at one by one.
const NUMBERS: usize = 6;

/// Results of sampling.
#[derive(Default)]
pub(crate) struct Sampled {
    pub(crate) bounds: Vec<Bound>,
    /// Numbers whose noise was compared with its law.
    pub(crate) laws: usize,
    /// Pairs of numbers whose noises were tested for correlation.
    pub(crate) pairs: usize,
    pub(crate) findings: Vec<Finding>,
}

/// Samples the pairs that lose most, and holds what they show against what is granted.
pub(crate) fn sample(
    subject: &Subject,
    searched: &Searched,
    options: &Options,
    begin: &mut dyn FnMut(&str),
) -> Sampled {
    let mut sampled = Sampled::default();
    let mut seeds = Draw::from_seed(options.seed ^ SAMPLING);
    let last = searched.losing.len() - 1;
    let targets = searched.losing.iter().flatten().count().max(1);
    for (place, losing) in searched.losing.iter().enumerate() {
        let statistic = (place < last).then_some(place);
        let name = statistic.map(|place| subject.name_of(Some(place)));
        begin(name.as_deref().unwrap_or("the whole release"));
        let Some((loss, known)) = losing else {
            sampled.bounds.push(Bound {
                statistic: name,
                claimed: subject.granted(statistic),
                loss: 0.0,
                at_least: 0.0,
            });
            continue;
        };
        let sides = [0, 1].map(|side| samples(subject, statistic, known, side, options.runs, seeds.word()));
        let at_least = epsilon_at_least(&sides, delta(subject, statistic), 0.5 * MISS / targets as f64);
        let claimed = subject.granted(statistic);
        if at_least > claimed {
            let example = Example::new(subject, &known.pair);
            sampled.findings.push(Finding::Bound { statistic: name.clone(), claimed, at_least, example });
        }
        sampled.bounds.push(Bound { statistic: name, claimed, loss: *loss, at_least });
    }
    begin("the noise");
    if let Some((_, known)) = searched.losing.iter().rev().flatten().next() {
        sampled.noise(subject, known, options, &mut seeds);
    }
    sampled
}

/// So that the tables that are tried and the noise that is drawn have different seeds.
const SAMPLING: u64 = 0x5a4d_504c_4544;

fn delta(subject: &Subject, statistic: Option<usize>) -> f64 {
    match statistic {
        None => subject.outline.cost.delta.to_f64(),
        Some(place) => subject.outline.grants.delta(place).value().to_f64(),
    }
}

/// Evidence from runs on one table of a pair: the log ratio of the likelihoods of all measurements under the two
/// tables, single numbers, and differences of numbers.
fn samples(subject: &Subject, statistic: Option<usize>, known: &Known, side: usize, runs: u32, seed: u64) -> Samples {
    let is_selected = |place: &usize| statistic.is_none() || subject.vectors[*place].statistic == statistic;
    let places: Vec<usize> = (0..subject.vectors.len()).filter(is_selected).collect();
    let part = |exact: &Exact| -> Exact { places.iter().map(|place| exact[*place].clone()).collect() };
    let [left, right] = [part(&known.exact[0]), part(&known.exact[1])];
    let numbers = numbers(&left, &right);
    let mut seeds = Draw::from_seed(seed);
    let mut all: Samples = Vec::new();
    for _ in 0..runs {
        let entropy = &mut SeededEntropy::from_seed(seeds.word());
        let measured = match statistic {
            Some(statistic) => subject.measure_one(statistic, &known.exact[side], entropy),
            None => noisy(subject, &subject.measure(&known.exact[side], entropy), &known.exact[side]),
        };
        let mut shown = vec![score(subject, &places, &measured, [&left, &right])];
        let at = |(vector, cell): (usize, usize)| measured[vector][cell];
        shown.extend(numbers.iter().map(|number| at(*number) as f64));
        let differences = numbers
            .iter()
            .enumerate()
            .flat_map(|(place, one)| numbers[..place].iter().map(|other| at(*one).saturating_sub(at(*other)) as f64));
        shown.extend(differences);
        all.resize(shown.len(), Vec::new());
        all.iter_mut().zip(shown).for_each(|(number, value)| number.push(value));
    }
    all
}

/// Numbers that are looked at one by one: those that move most first, then some that do not.
fn numbers(left: &Exact, right: &Exact) -> Vec<(usize, usize)> {
    let each = left.iter().zip(right).enumerate().flat_map(|(vector, (a, b))| {
        let moved = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
        moved.enumerate().map(move |(cell, moved)| (moved, (vector, cell)))
    });
    let mut all: Vec<(u128, (usize, usize))> = each.collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let still = all.iter().filter(|(moved, _)| *moved == 0).take(2);
    let moving = all.iter().filter(|(moved, _)| *moved > 0).take(NUMBERS);
    moving.chain(still).map(|(_, number)| *number).collect()
}

/// The log ratio of likelihoods, by the laws that the mechanisms state: the most powerful test between the tables if
/// the laws are true.
fn score(subject: &Subject, places: &[usize], measured: &Exact, [left, right]: [&Exact; 2]) -> f64 {
    let of_vector = |index: usize| {
        let vector = &subject.vectors[places[index]];
        let mechanism = &vector.mechanism;
        let range = mechanism.range();
        let additive = mechanism.adds_noise();
        let candidate = |answer: i128| StepValue::whole(if additive { answer } else { range.clamp(answer) });
        match vector.form {
            VectorForm::Numbers => {}
            VectorForm::ChosenBins => return chosen::score(vector, &measured[index], &left[index], &right[index]),
            VectorForm::Runs => return 0.0,
        }
        let cells = measured[index].iter().zip(&left[index]).zip(&right[index]).filter(|((_, a), b)| a != b);
        let ratio = |((y, a), b): ((&i128, &i128), &i128)| {
            if vector.threshold.is_some() {
                return learned::ln_probability(vector, *y, *a) - learned::ln_probability(vector, *y, *b);
            }
            mechanism.ln_likelihood(*y, candidate(*a)) - mechanism.ln_likelihood(*y, candidate(*b))
        };
        cells.map(ratio).sum::<f64>()
    };
    let vector = |index: usize| &subject.vectors[places[index]];
    let (cubes, alone): (Vec<usize>, Vec<usize>) = (0..places.len()).partition(|index| vector(*index).is_cube());
    let mut draws: Vec<DrawnWith> = cubes.iter().map(|index| vector(*index).drawn).collect();
    draws.sort_unstable();
    draws.dedup();
    // Numbers of one vector of cube noise show how far the furthest of them is.
    let of_draw = |draw: DrawnWith| {
        let distance = |answers: &Exact| {
            let numbers = cubes.iter().filter(|index| vector(**index).drawn == draw);
            let numbers: Vec<_> = numbers.map(|&index| (vector(index), &*measured[index], &*answers[index])).collect();
            loss::of_cube(&numbers)
        };
        distance(right) - distance(left)
    };
    // Rounded, so that equal losses are equal numbers.
    let total = alone.into_iter().map(of_vector).sum::<f64>() + draws.into_iter().map(of_draw).sum::<f64>();
    (total * 1e9).round() / 1e9
}

/// A number of a release, with its noise in many runs.
struct Noisy {
    vector: usize,
    values: Vec<i128>,
}

impl Sampled {
    /// Holds the noise of whole releases against its laws, and the noise of different numbers against each other.
    fn noise(&mut self, subject: &Subject, known: &Known, options: &Options, seeds: &mut Draw) {
        let exact = &known.exact[1];
        let cells = |(vector, answers): (usize, &Vec<i128>)| {
            // An empty cell and a full one, if there are both, and the first and the last.
            let empty = answers.iter().position(|answer| *answer == 0);
            let full = answers.iter().position(|answer| *answer != 0);
            let mut cells: Vec<usize> =
                [empty, full, Some(0), answers.len().checked_sub(1)].into_iter().flatten().collect();
            cells.retain(|cell| *cell < answers.len());
            cells.sort_unstable();
            cells.dedup();
            cells.into_iter().map(move |cell| (vector, cell))
        };
        // A number that two statistics need is measured once.
        let is_added = |place: usize| subject.vectors[place].form == VectorForm::Numbers;
        let once = exact.iter().enumerate();
        let once = once.filter(|(place, _)| !subject.vectors[*place].is_repeat && is_added(*place));
        let numbers: Vec<(usize, usize)> = once.flat_map(cells).collect();
        let mut noise: Vec<Noisy> =
            numbers.iter().map(|(vector, _)| Noisy { vector: *vector, values: Vec::new() }).collect();
        for _ in 0..options.runs {
            let measured = subject.measure(exact, &mut SeededEntropy::from_seed(seeds.word()));
            let measured = noisy(subject, &measured, exact);
            for (noise, (vector, cell)) in noise.iter_mut().zip(&numbers) {
                noise.values.push(measured[*vector][*cell] - exact[*vector][*cell]);
            }
        }
        // What is hardly ever published is nearly always the same number, and one chance meeting would look like a
        // correlation.
        noise.retain(|noise| subject.vectors[noise.vector].threshold.is_none() || !is_mostly_one(&noise.values));
        self.laws(subject, &noise);
        self.independence(subject, &noise);
    }

    /// The distribution of draws is nowhere further from its law than chance allows.
    ///
    /// # Law
    /// `P(sup |F_n - F| > d) <= 2 exp(-2 n d^2)` for every law (Massart 1990).
    fn laws(&mut self, subject: &Subject, noise: &[Noisy]) {
        let additive: Vec<&Noisy> =
            noise.iter().filter(|noise| subject.vectors[noise.vector].mechanism.adds_noise()).collect();
        self.laws = additive.len();
        let miss = 0.25 * MISS / additive.len().max(1) as f64;
        for noise in additive {
            let vector = &subject.vectors[noise.vector];
            let mut values = noise.values.clone();
            values.sort_unstable();
            let runs = values.len() as f64;
            let allowed = libm::sqrt(-libm::log(0.5 * miss) / (2.0 * runs));
            let law = vector.mechanism.noise();
            let mut below = 0;
            let mut distance: f64 = 0.0;
            for atom in values.chunk_by(|a, b| a == b) {
                let at = atom[0] as f64;
                distance = distance.max((law.cdf(at - 1.0) - below as f64 / runs).abs());
                below += atom.len();
                distance = distance.max((law.cdf(at) - below as f64 / runs).abs());
            }
            let statistic = subject.name_of(vector.statistic);
            let same = |finding: &Finding| {
                matches!(finding, Finding::NoiseLaw { statistic: known, vector: role, .. }
                    if *known == statistic && *role == vector.role)
            };
            if distance > allowed && !self.findings.iter().any(same) {
                let vector = vector.role.clone();
                self.findings.push(Finding::NoiseLaw { statistic, vector, distance, allowed });
            }
        }
    }

    /// The ranks of the noise of two numbers do not correlate by more than chance allows.
    ///
    /// # Law
    /// Of independent numbers the correlation of ranks times `sqrt(n - 1)` is nearly standard normal, and beyond `z`
    /// with probability below `2 exp(-z^2 / 2)`.
    fn independence(&mut self, subject: &Subject, noise: &[Noisy]) {
        let ranks: Vec<Vec<f64>> = noise.iter().map(|noise| ranks(&noise.values)).collect();
        self.pairs = ranks.len() * ranks.len().saturating_sub(1) / 2;
        let miss = 0.25 * MISS / self.pairs.max(1) as f64;
        let runs = noise.first().map_or(0, |noise| noise.values.len());
        let allowed = libm::sqrt(-2.0 * libm::log(0.5 * miss) / (runs.max(2) - 1) as f64);
        let named = |noise: &Noisy| {
            let vector = &subject.vectors[noise.vector];
            let name = subject.name_of(vector.statistic);
            if vector.role.is_empty() { format!("`{name}`") } else { format!("`{name}` ({})", vector.role) }
        };
        for (place, one) in ranks.iter().enumerate() {
            for (before, other) in ranks[..place].iter().enumerate() {
                let correlation: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                let is_shared = |finding: &Finding| matches!(finding, Finding::NoiseShared { .. });
                if correlation.abs() > allowed && !self.findings.iter().any(is_shared) {
                    let between = [named(&noise[before]), named(&noise[place])];
                    self.findings.push(Finding::NoiseShared { between, correlation, allowed });
                }
            }
        }
    }
}

/// Tests that more than half of the values are the same.
fn is_mostly_one(values: &[i128]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).any(|atom| 2 * atom.len() > values.len())
}

/// Ranks, ties sharing theirs, moved and scaled to mean zero and length one; zeros where all values are the same.
fn ranks(values: &[i128]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|place| values[*place]);
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for tied in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let middle = begin as f64 + 0.5 * (tied.len() - 1) as f64;
        tied.iter().for_each(|place| ranks[*place] = middle);
        begin += tied.len();
    }
    let mean = 0.5 * (values.len() as f64 - 1.0);
    ranks.iter_mut().for_each(|rank| *rank -= mean);
    let length = libm::sqrt(ranks.iter().map(|rank| rank * rank).sum());
    if length > 0.0 {
        ranks.iter_mut().for_each(|rank| *rank /= length);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn ranks_have_mean_zero_and_length_one() {
        let ranked = ranks(&[30, 10, 20, 10]);
        // Ranks 3, 0.5, 2, 0.5 about 1.5.
        let length = (1.5f64.powi(2) + 1.0 + 0.25 + 1.0).sqrt();
        assert_eq!(ranked, [1.5, -1.0, 0.5, -1.0].map(|rank| rank / length));
        assert_eq!(ranks(&[7, 7, 7]), [0.0; 3]);
    }
}
