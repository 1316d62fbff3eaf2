//! The discrete Laplace law on any integer range: one draw, or many at once.
//!
//! A draw reads one random word, or two where the scale is `2^21` steps or more; in vectors long enough for a table,
//! mostly a quarter of one. There is no rejection loop, and no branch on the answer, so neither the number of words nor
//! the course of the computation tells where in the range the answer lies, but for the exact decisions. Those are about
//! as frequent for every answer: fewer than one draw in 200,000, unless the range is narrower than the scale by a
//! factor of 10^8 or the scale passes `2^61` steps.
//!
//! What a seed gives does not depend on the processor: a draw that doubles decide on one and not on another is the same
//! noise in exact arithmetic, without a further word (`inversion`). Further words, where they are needed, are read
//! after the block that the draw stands in, in order. One draw at a time and many at once give different numbers for
//! one seed.
//!
//! Claims: `sampler-exact`, `sampler-words`, `sampler-time`, `grid-hides-last-bits`.

use super::{
    AddTo, BLOCK, Entropy, Output, Overwrite, Reach, TILE,
    exact::{self, settle, signed},
    inversion::{Inversion, Limited, UNDECIDED, Unlimited},
    span::Span,
    table::Table,
};
use crate::law::discrete_laplace::DiscreteLaplace;

/// Draws noise.
///
/// # Postcondition
/// The result is `k` with probability `a^|k| / sum_j a^|j|`, `a = exp(-tau)`, over the integers `k` with
/// `-below <= k <= above`, exactly.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{noise::DiscreteLaplace, sampler::{Reach, SeededEntropy, sample_discrete_laplace}};
/// let law = DiscreteLaplace::with_inverse_scale("0.5".parse()?)?;
/// let reach = Reach { below: Some(3), above: None };
/// let mut entropy = SeededEntropy::from_seed(1);
/// let draws: Vec<i128> = (0..1000).map(|_| sample_discrete_laplace(&law, reach, &mut entropy)).collect();
/// assert_eq!(draws.iter().min(), Some(&-3));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn sample_discrete_laplace(law: &DiscreteLaplace, reach: Reach, entropy: &mut dyn Entropy) -> i128 {
    Sampler::new(law).one(reach, entropy)
}

/// Draws independent noise without limits, many at once.
///
/// # Postcondition
/// The elements of `noise` are independent draws of [`sample_discrete_laplace`] with [`Reach::UNLIMITED`].
///
/// # Example
/// ```
/// use inbounds_mechanisms::{noise::DiscreteLaplace, law::Noise, sampler::{SeededEntropy, fill_discrete_laplace}};
/// let law = DiscreteLaplace::with_inverse_scale("0.5".parse()?)?;
/// let mut noise = vec![0; 100_000];
/// fill_discrete_laplace(&law, &mut SeededEntropy::from_seed(1), &mut noise);
/// let square: i128 = noise.iter().map(|k| k * k).sum();
/// assert!((square as f64 / 1e5 / law.variance() - 1.0).abs() < 0.05);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn fill_discrete_laplace(law: &DiscreteLaplace, entropy: &mut dyn Entropy, noise: &mut [i128]) {
    draw::<_, Overwrite>(law, entropy, noise);
}

/// Adds to each number a draw that [`fill_discrete_laplace`] would give it.
pub(crate) fn add_discrete_laplace<T: Copy>(law: &DiscreteLaplace, entropy: &mut dyn Entropy, sums: &mut [T])
where
    AddTo: Output<T>,
{
    draw::<_, AddTo>(law, entropy, sums);
}

fn draw<T: Copy, O: Output<T>>(law: &DiscreteLaplace, entropy: &mut dyn Entropy, numbers: &mut [T]) {
    if Table::pays(law, numbers.len()) {
        Table::new(law).draw::<T, O>(entropy, numbers);
    } else {
        Sampler::new(law).unlimited::<T, O>(entropy, numbers);
    }
}

/// Draws independent noise in a reach of its own for each element, many at once.
///
/// # Postcondition
/// Element `i` of `noise` is a draw of [`sample_discrete_laplace`] with the reach `reach(i)`, independent of the
/// others. `reach` may be asked several times for one element, and must answer alike.
///
/// # Example
/// Noise that keeps each answer in `[0, 10]`:
/// ```
/// use inbounds_mechanisms::{noise::DiscreteLaplace, sampler::{Reach, SeededEntropy, fill_conditioned}};
/// let law = DiscreteLaplace::with_inverse_scale("0.5".parse()?)?;
/// let answers = [0u128, 5, 10];
/// let reach = |cell: usize| Reach { below: Some(answers[cell]), above: Some(10 - answers[cell]) };
/// let mut noise = [0; 3];
/// fill_conditioned(&law, reach, &mut SeededEntropy::from_seed(1), &mut noise);
/// assert!(answers.iter().zip(noise).all(|(answer, noise)| (0..=10).contains(&(*answer as i128 + noise))));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn fill_conditioned(
    law: &DiscreteLaplace,
    reach: impl Fn(usize) -> Reach,
    entropy: &mut dyn Entropy,
    noise: &mut [i128],
) {
    Sampler::new(law).limited::<_, Overwrite>(|cell, _| reach(cell), entropy, noise);
}

/// Adds to each number a draw that [`fill_conditioned`] would give it, in the reach of that number.
pub(crate) fn add_conditioned<T: Copy>(
    law: &DiscreteLaplace,
    reach: impl Fn(T) -> Reach,
    entropy: &mut dyn Entropy,
    sums: &mut [T],
) where
    AddTo: Output<T>,
{
    Sampler::new(law).limited::<_, AddTo>(|_, number| reach(number), entropy, sums);
}

/// The limits of the numbers of a tile.
struct Limits {
    /// The range that all numbers before it had.
    span: Option<Span>,
    distances: [u64; TILE],
    below: [f64; TILE],
    above: [f64; TILE],
}

impl Limits {
    fn new(span: Option<Span>) -> Self {
        Self { span, distances: [0; TILE], below: [0.0; TILE], above: [0.0; TILE] }
    }

    /// Finder of the cells of numbers with these reaches, by one range until a number has another. Ranges are no
    /// secret.
    #[inline(always)]
    fn finder<'a>(
        &'a mut self,
        inversion: &'a Inversion,
        reach: impl Fn(usize) -> Reach,
        words: &'a [u64],
        cells: &'a mut [i64],
    ) -> Limited<'a> {
        let length = words.len();
        let distances = &mut self.distances[..length];
        let (below, above) = (&mut self.below[..length], &mut self.above[..length]);
        self.span = self.span.filter(|span| span.distances(&reach, distances));
        if self.span.is_none() {
            for (index, (below, above)) in below.iter_mut().zip(&mut *above).enumerate() {
                let reach = reach(index);
                (*below, *above) = (Reach::end(reach.below), Reach::end(reach.above));
            }
        }
        Limited { inversion, words, shared: self.span.map(|span| (span, &*distances)), below, above, cells }
    }
}

/// A law, prepared.
struct Sampler<'a> {
    law: &'a DiscreteLaplace,
    inversion: &'a Inversion,
}

impl<'a> Sampler<'a> {
    fn new(law: &'a DiscreteLaplace) -> Self {
        Self { law, inversion: law.inversion() }
    }

    fn one(&self, reach: Reach, entropy: &mut dyn Entropy) -> i128 {
        let word = entropy.word();
        let cell = self.inversion.cell_within(reach, word);
        if self.inversion.cell_bits() > 0 {
            let second = entropy.word();
            self.wide(word, cell, second, reach, entropy)
        } else if cell == UNDECIDED {
            settle(self.law, reach, word, entropy)
        } else {
            cell.into()
        }
    }

    fn unlimited<T: Copy, O: Output<T>>(&self, entropy: &mut dyn Entropy, numbers: &mut [T]) {
        let (mut words, mut cells) = ([0; BLOCK], [0; BLOCK]);
        for numbers in numbers.chunks_mut(BLOCK) {
            let (words, cells) = (&mut words[..numbers.len()], &mut cells[..numbers.len()]);
            entropy.fill(words);
            let undecided = pulp::Arch::new().dispatch(Unlimited { inversion: self.inversion, words, cells });
            self.write::<T, O>(cells, undecided, numbers);
            self.finish::<T, O>((words, cells, undecided), |_, _| Reach::UNLIMITED, entropy, numbers);
        }
    }

    /// `reach` is called with the index of a number and the number before noise is written to it.
    fn limited<T: Copy, O: Output<T>>(
        &self,
        reach: impl Fn(usize, T) -> Reach,
        entropy: &mut dyn Entropy,
        numbers: &mut [T],
    ) {
        let span = numbers.first().and_then(|first| self.inversion.span(reach(0, *first)));
        let (mut words, mut cells, mut limits) = ([0; BLOCK], [0; BLOCK], Limits::new(span));
        for (block, numbers) in numbers.chunks_mut(BLOCK).enumerate() {
            let (words, cells) = (&mut words[..numbers.len()], &mut cells[..numbers.len()]);
            entropy.fill(words);
            let reach = |index: usize, number: T| reach(block * BLOCK + index, number);
            let mut any_undecided = false;
            let tiles = words.chunks(TILE).zip(cells.chunks_mut(TILE)).zip(numbers.chunks_mut(TILE));
            for (tile, ((words, cells), numbers)) in tiles.enumerate() {
                let reach = |index: usize| reach(tile * TILE + index, numbers[index]);
                let undecided = pulp::Arch::new().dispatch(limits.finder(self.inversion, reach, words, cells));
                self.write::<T, O>(cells, undecided, numbers);
                any_undecided |= undecided;
            }
            self.finish::<T, O>((words, cells, any_undecided), reach, entropy, numbers);
        }
    }

    /// Writes the cells of one tile or block that are decided.
    #[inline]
    fn write<T: Copy, O: Output<T>>(&self, cells: &[i64], undecided: bool, numbers: &mut [T]) {
        let pairs = numbers.iter_mut().zip(cells);
        if self.inversion.cell_bits() > 0 {
            // All of them are in `finish`.
        } else if undecided {
            pairs.filter(|(_, cell)| **cell != UNDECIDED).for_each(|(number, cell)| O::write(number, *cell));
        } else {
            pairs.for_each(|(number, cell)| O::write(number, *cell));
        }
    }

    /// Writes the draws that [`Sampler::write`] left out.
    fn finish<T: Copy, O: Output<T>>(
        &self,
        (words, cells, undecided): (&[u64], &[i64], bool),
        reach: impl Fn(usize, T) -> Reach,
        entropy: &mut dyn Entropy,
        numbers: &mut [T],
    ) {
        if self.inversion.cell_bits() > 0 {
            let mut seconds = [0; BLOCK];
            let seconds = &mut seconds[..words.len()];
            entropy.fill(seconds);
            for (index, number) in numbers.iter_mut().enumerate() {
                let reach = reach(index, *number);
                O::write_wide(number, self.wide(words[index], cells[index], seconds[index], reach, entropy));
            }
        } else if undecided {
            for (index, number) in numbers.iter_mut().enumerate().filter(|(index, _)| cells[*index] == UNDECIDED) {
                O::write_wide(number, settle(self.law, reach(index, *number), words[index], entropy));
            }
        }
    }

    /// The noise of a cell of many steps. Selects by masks, not branches: how well a branch on the side is predicted,
    /// and so the time, would depend on the answer.
    #[inline]
    fn wide(&self, word: u64, cell: i64, second: u64, reach: Reach, entropy: &mut dyn Entropy) -> i128 {
        let cell_bits = self.inversion.cell_bits();
        let cell = if cell == UNDECIDED {
            let (negative, cell) = exact::cell(self.law, cell_bits, reach, word, entropy);
            // Deep in the tail a cell has some thousand times 2^20 before it, never 2^63.
            signed(negative, cell) as i64
        } else {
            cell
        };
        let side = cell >> 63;
        let first = u128::from((cell ^ side) as u64) << cell_bits;
        let left = reach.count_by_mask(side as i128 as u128) - first;
        let size = left.min(1 << cell_bits) as u64;
        let distance = first + u128::from(self.inversion.within().step(self.law, size, second, entropy));
        distance as i128 ^ i128::from(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::SeededEntropy;

    const DRAWS: usize = 30_000;
    const TAU: f64 = 0.02;

    /// Cells of sixteen steps at a scale of fifty, where both stages show in the law, and a draw in three takes the
    /// rest of the mixture.
    fn draw(reach: Reach) -> Vec<i128> {
        let law = DiscreteLaplace::with_inverse_scale("0.02".parse().expect("number")).expect("admissible");
        let sampler = Sampler { law: &law, inversion: &Inversion::with_cells(TAU, 4) };
        let mut noise = vec![0; DRAWS];
        sampler.limited::<_, Overwrite>(|_, _| reach, &mut SeededEntropy::from_seed(8), &mut noise);
        noise
    }

    /// A number of another range changes the way of all after it, and the noise of none but itself.
    #[test]
    fn a_shared_range_changes_no_noise() {
        for tau in ["300", "2", "0.05", "0.000003", "1e-12", "1e-17"] {
            let law = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible");
            let width = (8.0 * law.scale()) as u128 + 7;
            let ranges: [&dyn Fn(u128) -> Reach; 4] = [
                &|below| Reach { below: Some(below), above: Some(width - below) },
                &|below| Reach { below: Some(below), above: None },
                &|above| Reach { below: None, above: Some(above) },
                &|_| Reach::UNLIMITED,
            ];
            for range in ranges {
                let reach = |index: usize| range(index as u128 * 7919 % (width + 1));
                let other = |index: usize| {
                    if index % 300 == 299 { Reach { below: Some(3), above: Some(1) } } else { reach(index) }
                };
                let mut alike = vec![0; 3 * BLOCK + TILE + 17];
                let mut mixed = alike.clone();
                fill_conditioned(&law, reach, &mut SeededEntropy::from_seed(4), &mut alike);
                fill_conditioned(&law, other, &mut SeededEntropy::from_seed(4), &mut mixed);
                let differ = (0..alike.len()).filter(|index| alike[*index] != mixed[*index]);
                assert!(differ.into_iter().all(|index| index % 300 == 299), "tau {tau}");
                let mut sums = vec![5i128; alike.len()];
                // The reach depends on the number, which is the same for all here.
                add_conditioned(&law, |number| range(number as u128), &mut SeededEntropy::from_seed(4), &mut sums);
                fill_conditioned(&law, |_| range(5), &mut SeededEntropy::from_seed(4), &mut alike);
                assert!(sums.iter().zip(&alike).all(|(sum, noise)| *sum == 5 + noise), "tau {tau}");
            }
        }
    }

    /// Chi-square statistic over `low..=high`, in units of standard deviations of its Wilson-Hilferty approximation.
    fn surprise(noise: &[i128], (low, high): (i128, i128), tau: f64) -> f64 {
        let weight = |k: i128| (-tau * k.abs() as f64).exp();
        let total: f64 = (low..=high).map(weight).sum();
        let mut counts = vec![0f64; (high - low + 1) as usize];
        noise.iter().for_each(|k| counts[(k - low) as usize] += 1.0);
        let expected = |k: i128| weight(k) / total * noise.len() as f64;
        let statistic: f64 = (low..=high).zip(counts).map(|(k, n)| (n - expected(k)).powi(2) / expected(k)).sum();
        let freedom = (high - low) as f64;
        let spread = 2.0 / (9.0 * freedom);
        ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
    }

    /// False alarms: below 1e-6, over the choice of the seed.
    #[test]
    fn cells_of_many_steps_give_the_law() {
        for (below, above) in [(41, 77), (0, 100), (90, 3)] {
            let noise = draw(Reach { below: Some(below), above: Some(above) });
            let ends = (-(below as i128), above as i128);
            assert!(surprise(&noise, ends, TAU) < 5.0, "{ends:?}");
            assert!(surprise(&noise, ends, TAU * 1.4) > 5.0, "a wrong scale passes: {ends:?}");
            let hollow: Vec<i128> = noise.iter().map(|k| if *k == 1 { 2 } else { *k }).collect();
            assert!(surprise(&hollow, ends, TAU) > 5.0, "a missing atom passes: {ends:?}");
            let swapped: Vec<i128> = noise.iter().map(|k| (k + 16).min(ends.1)).collect();
            assert!(surprise(&swapped, ends, TAU) > 5.0, "a shift by a cell passes: {ends:?}");
        }
    }
}
