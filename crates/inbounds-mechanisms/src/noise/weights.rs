//! Enclosed sums of the weights of a law on the integers, step by step from zero: what proofs about a range and draws
//! in it are made of.

use inbounds_core::{Enclosure, Rational};

use super::{GridNoise, staircase::DiscreteStaircase};

/// `sum of w(j)` over `0 <= j <= t`, for each `t` up to `most`, where `w(0) = 1`; `None` for noise whose weights are
/// not tabulated.
pub(crate) fn prefix_sums(noise: &GridNoise, most: usize, bits: usize) -> Option<Vec<Enclosure>> {
    match noise {
        GridNoise::Gaussian(law) => Some(of_gaussian(law.sigma_squared(), most, bits)),
        GridNoise::GeneralisedGaussian(law) => Some(of_power(law.shape(), law.rate(), most, bits)),
        GridNoise::Staircase(law) => Some(of_stairs(law, most, bits)),
        GridNoise::Laplace(_) | GridNoise::Cube(_) | GridNoise::Ranks(_) | GridNoise::LogLaplace(_) => None,
    }
}

/// `w(j) = e^(-j^2/(2 v))`.
pub(crate) fn of_gaussian(variance: &Rational, most: usize, bits: usize) -> Vec<Enclosure> {
    of_power(2, &(&Rational::ONE / &(variance + variance)), most, bits)
}

/// `w(j) = e^(-c j^p)`.
pub(crate) fn of_power(shape: u32, rate: &Rational, most: usize, bits: usize) -> Vec<Enclosure> {
    sums(Powers::new(shape, 0, rate, bits), most)
}

/// `w(j) = a^level(j)` with `level(j) = floor((j + D - r)/D)`.
pub(crate) fn of_stairs(law: &DiscreteStaircase, most: usize, bits: usize) -> Vec<Enclosure> {
    let ratio = Enclosure::exp_neg(law.epsilon(), bits);
    let mut weight = Enclosure::one(bits);
    let mut next = law.high();
    let weights = (0..=most as u64).map(|step| {
        if step == next {
            weight = weight.mul(&ratio);
            next += law.sensitivity();
        }
        weight.clone()
    });
    sums(weights, most)
}

fn sums(weights: impl Iterator<Item = Enclosure>, most: usize) -> Vec<Enclosure> {
    let mut sums: Vec<Enclosure> = Vec::with_capacity(most + 1);
    for weight in weights.take(most + 1) {
        let sum = sums.last().map_or_else(|| weight.clone(), |before| before.add(&weight));
        sums.push(sum);
    }
    sums
}

/// `e^(-c (f(j) - f(0)))` for `j = 0, 1, ...` and `f(j) = (j + d)^p - j^p`, or `f(j) = j^p` for `d = 0`.
///
/// # Idea
/// The differences of `f` of all orders are positive at every `j >= 0`, and those of order `p` are the same everywhere:
/// one product for each order leads from the powers of `e` at `j` to those at `j + 1`.
pub(crate) struct Powers {
    differences: Vec<Enclosure>,
}

impl Powers {
    pub(crate) fn new(shape: u32, moved: u128, rate: &Rational, bits: usize) -> Self {
        let power = |j: u128| j.pow(shape);
        let value = |j: u128| if moved == 0 { power(j) } else { power(j + moved) - power(j) };
        let mut row: Vec<u128> = (0..=u128::from(shape)).map(value).collect();
        let mut differences = Vec::new();
        while !row.is_empty() {
            let first = if differences.is_empty() { 0 } else { row[0] };
            differences.push(Enclosure::exp_neg(&(rate * &Rational::from(first)), bits));
            row = row.windows(2).map(|pair| pair[1] - pair[0]).collect();
        }
        Self { differences }
    }
}

impl Iterator for Powers {
    type Item = Enclosure;

    fn next(&mut self) -> Option<Enclosure> {
        let value = self.differences[0].clone();
        for order in 1..self.differences.len() {
            self.differences[order - 1] = self.differences[order - 1].mul(&self.differences[order]);
        }
        Some(value)
    }
}
