//! Simulations: replicates in blocks, each block with a seed of its own, as many blocks at a time as there are
//! processors.
//!
//! Blocks are put together in their order, so the result does not depend on how many run at a time.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use crate::{Context, draws::Draws};

/// Most blocks of a simulation.
const BLOCKS: u64 = 256;

/// Tally of replicates.
pub(crate) trait Tally: Send {
    /// Takes in the replicates of a later block.
    fn absorb(&mut self, later: Self);
}

/// Runs the replicates of a simulation. `name` tells it from the study's others, and gives it draws of its own.
pub(crate) fn simulate<T: Tally>(
    context: &Context<'_>,
    name: &str,
    empty: impl Fn() -> T + Sync,
    replicate: impl Fn(&mut Draws, &mut T) + Sync,
) -> T {
    let total = context.replicates;
    let count = BLOCKS.min(total) as usize;
    let mut seeds = SeededEntropy::from_seed(context.seed ^ hash(context.study) ^ hash(name).rotate_left(1));
    let seeds: Vec<u64> = (0..count).map(|_| seeds.word()).collect();
    let starts = |block: usize| total * block as u64 / count as u64;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Some(&seed) = seeds.get(block) else { return done };
            let (mut draws, mut tally) = (Draws::from_seed(seed), empty());
            (starts(block)..starts(block + 1)).for_each(|_| replicate(&mut draws, &mut tally));
            context.progress.at(context.study, name, starts(block + 1), total);
            done.push((block, tally));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut blocks: Vec<(usize, T)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a replicate does not panic")).collect()
    });
    blocks.sort_by_key(|(block, _)| *block);
    blocks.into_iter().fold(empty(), |mut sum, (_, tally)| {
        sum.absorb(tally);
        sum
    })
}

/// Fowler, Noll and Vo's hash, the same for all time.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl<T: Tally> Tally for Vec<T> {
    fn absorb(&mut self, later: Self) {
        assert_eq!(self.len(), later.len(), "every block counts the same things");
        self.iter_mut().zip(later).for_each(|(sum, later)| sum.absorb(later));
    }
}

impl<T: Tally, const N: usize> Tally for [T; N] {
    fn absorb(&mut self, later: Self) {
        self.iter_mut().zip(later).for_each(|(sum, later)| sum.absorb(later));
    }
}

/// Mean of a number over replicates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Mean {
    count: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Mean {
    /// Takes in one number.
    pub(crate) fn add(&mut self, x: f64) {
        self.count += 1.0;
        let off = x - self.mean;
        self.mean += off / self.count;
        self.squares += off * (x - self.mean);
    }

    /// The mean.
    pub(crate) fn value(&self) -> f64 {
        self.mean
    }

    /// The variance, with the divisor one less than the count.
    pub(crate) fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }

    /// Monte Carlo standard error of the mean.
    pub(crate) fn error(&self) -> f64 {
        libm::sqrt(self.variance() / self.count)
    }

    /// Root of a mean of squares, and its standard error to first order.
    pub(crate) fn root(&self) -> (f64, f64) {
        let root = libm::sqrt(self.mean);
        (root, if root > 0.0 { self.error() / (2.0 * root) } else { 0.0 })
    }
}

impl Tally for Mean {
    fn absorb(&mut self, later: Self) {
        if later.count == 0.0 {
            return;
        }
        let (count, off) = (self.count + later.count, later.mean - self.mean);
        self.mean += off * later.count / count;
        self.squares += later.squares + off * off * self.count * later.count / count;
        self.count = count;
    }
}

/// All numbers, for quantiles.
#[allow(dead_code, reason = "for the studies of Liu")]
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sample(pub(crate) Vec<f64>);

impl Tally for Sample {
    fn absorb(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }
}

#[allow(dead_code, reason = "for the studies of Liu")]
impl Sample {
    /// Empirical quantiles, the `ceil(p n)`-th smallest for each `p`; NaN of none.
    pub(crate) fn quantiles<const N: usize>(&self, ps: [f64; N]) -> [f64; N] {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        ps.map(|p| {
            let rank = (p * sorted.len() as f64).ceil().max(1.0) as usize;
            sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    fn context(replicates: u64, seed: u64) -> Context<'static> {
        Context { study: "test", replicates, seed, data: None, progress: &Silent }
    }

    #[test]
    fn every_replicate_runs_once_and_seeds_and_names_decide() {
        let run = |replicates, seed, name: &str| {
            simulate(&context(replicates, seed), name, Sample::default, |draws, sample| sample.0.push(draws.uniform()))
                .0
        };
        let first = run(1003, 5, "a");
        assert_eq!(first.len(), 1003);
        assert_eq!(first, run(1003, 5, "a"));
        assert_ne!(first, run(1003, 5, "b"));
        assert_ne!(first, run(1003, 6, "a"));
        assert_eq!(run(3, 5, "a").len(), 3);
    }

    #[test]
    fn means_of_blocks_are_the_mean_of_all() {
        let numbers: Vec<f64> = (0..20).map(|x| f64::from(x * x % 7)).collect();
        let mean_of = |numbers: &[f64]| {
            let mut mean = Mean::default();
            numbers.iter().for_each(|&x| mean.add(x));
            mean
        };
        let all = mean_of(&numbers);
        let mut parts = Mean::default();
        numbers.chunks(7).for_each(|part| parts.absorb(mean_of(part)));
        parts.absorb(Mean::default());
        let average = numbers.iter().sum::<f64>() / 20.0;
        let variance = numbers.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 19.0;
        for mean in [all, parts] {
            assert!((mean.value() - average).abs() < 1e-14 && (mean.variance() - variance).abs() < 1e-13);
            assert_eq!(mean.count, 20.0);
            assert!((mean.error() - (variance / 20.0).sqrt()).abs() < 1e-14);
        }
    }

    #[test]
    fn quantiles_are_order_statistics() {
        let sample = Sample((1..=10).rev().map(f64::from).collect());
        assert_eq!(sample.quantiles([0.0, 0.25, 0.5, 0.975, 1.0]), [1.0, 3.0, 5.0, 10.0, 10.0]);
        assert!(Sample::default().quantiles([0.5])[0].is_nan());
    }
}
