//! Certified inversion: the cell a random word falls into, decided in doubles where an error bound allows it.
//!
//! **Law.** Cut the distances on each side of zero into cells of `m` steps, `m` a power of two, so that the scale is
//! between `2^20` and `2^21` cells (`m = 1` for smaller scales). With `a = exp(-tau)`, a reach of `B` down and `A` up,
//! `p = a^(B+1)`, `r = a^(A+1)` and `U` uniform on (0, 1), let
//!
//! ```text
//! V = U ((1 - r) + (a - p));   negative if V < a - p, and then t = V + p in (p, a),   else t = V - (a - p) + r in (r, 1)
//! ```
//!
//! A distance `g` counted from zero on its side (noise `g` upward, `-1-g` downward) has the interval of `t` from
//! `a^(g+1)` to `a^g`, both times `a` downward, whose length is proportional to `a^|k|`. The cell is therefore
//! `floor((-ln t - tau [negative]) / (m tau))`, exactly. One word gives side and cell.
//!
//! **Error.** Write `u = 2^-53`. A word `w` is the interval `[w, w+1] 2^-64`; `w` as a double, scaled, is within
//! `u/2 + 2^-63` of all of it, with or without its last bit. `a` errs by less than `2u`. The arguments of `p` and `r`
//! have relative error below `4.02u`, which moves `e^-x` by at most `4.02u x e^-x < 1.5u`; with the error of the
//! exponential (`elementary`), `p` and `r` err by less than `8u`, and no more where one exponential gives both
//! (`span`). Adding up the roundings: `a - p` errs by less than `10.5u`, the total by less than `20u`, `V` by less than
//! `23u`, and `t` by less than `44u < 2^-47 = D`. So the side is certain where `|V - (a - p)| >= D`.
//!
//! For `t >= 2^-41` an error of `D` moves `ln t` by at most `D / (t - D) < 1.02 D / t <= 1.45 D 2^-e`, with `2^-e` from
//! [`minus_ln`]. The logarithm itself errs by `2^-48`; `tau` and its subtraction by less than `2^-47` (on the negative
//! side `t < a`, so `tau < 29`); and the product with `1 / (m tau)`, known to `2.01u`, by `3.1u` of itself, less than
//! `2^-46 / (m tau)`. With `2^-50` for roundings near zero, the computed `s` errs by less than `slack + spread 2^-e`:
//!
//! ```text
//! slack = 2^-44 / (m tau) + 2^-50,   spread = 1.5 D / (m tau)
//! ```
//!
//! The floor is certain where `s - 1/2` is nearer than `1/2` to an integer by that much. Everything else is undecided:
//! a share of about `2^-40 / (m tau)` of the draws, at most one in 500,000, and of `2^-46 / (tau width)` more where the
//! range is narrow. [`super::exact`] decides those.
//!
//! **Platform.** Roundings, and so which draws are left undecided, differ between processors; the noise does not. What
//! doubles decide clears every border by more than `2^-50` of `t` or of `V`: the bounds above are rounded up by as
//! much. Exact arithmetic, which knows the word to `2^-64`, then decides the same, without a further word.
//!
//! Claims: `sampler-error-bound`, `sampler-platform`.

use pulp::{Simd, WithSimd};

use super::{
    Reach,
    elementary::{ROUND, exp_neg, minus_ln, multiply_add, power_of_two, select},
    span::Span,
    within::Within,
};

/// Bound `D` on the error of `V` and `t`.
const ERROR: f64 = power_of_two(-47);

/// Below this the relative error of `t` is too large to reason about.
const SMALLEST: f64 = power_of_two(-41);

/// Stands for a cell that doubles could not decide.
pub(super) const UNDECIDED: i64 = i64::MIN;

/// The scale is below `2^21` cells.
const LARGEST_SCALE: i32 = 20;

/// Cells of more steps than this would leave a 64-bit word too few bits to place a draw within.
const LARGEST_CELL: u32 = 40;

/// Constants of a law for certified inversion, kept by the law for all its draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inversion {
    tau: f64,
    ratio: f64,
    /// Scale in cells, `1 / (m tau)`.
    scale: f64,
    slack: f64,
    spread: f64,
    cell_bits: u32,
    within: Within,
}

impl Inversion {
    /// For the law of inverse scale `tau`.
    pub(crate) fn new(tau: f64) -> Self {
        let scale = 1.0 / tau;
        let cell_bits = u32::try_from(libm::ilogb(scale) - LARGEST_SCALE).unwrap_or(0);
        if cell_bits <= LARGEST_CELL {
            Self::with_cells(tau, cell_bits)
        } else {
            // Nothing is within an infinite slack, so every draw is left undecided.
            Self { slack: f64::INFINITY, ..Self::with_cells(tau, 0) }
        }
    }

    pub(super) fn with_cells(tau: f64, cell_bits: u32) -> Self {
        let scale = libm::ldexp(1.0 / tau, -(cell_bits as i32));
        let slack = scale * power_of_two(-44) + power_of_two(-50);
        let within = Within::new(tau, cell_bits);
        Self { tau, ratio: libm::exp(-tau), scale, slack, spread: scale * 1.5 * ERROR, cell_bits, within }
    }

    /// Number of steps in a cell, as a power of two.
    #[inline]
    pub(super) fn cell_bits(&self) -> u32 {
        self.cell_bits
    }

    /// Draws the step within a cell.
    #[inline]
    pub(super) fn within(&self) -> Within {
        self.within
    }

    /// The cell of one word. A side without a limit, which is no secret, takes no exponential.
    #[inline]
    pub(super) fn cell_within(&self, reach: Reach, word: u64) -> i64 {
        let power = |side: Option<u128>| side.map_or(0.0, |_| exp_neg::<false>(self.tau * Reach::end(side)));
        let (p, r) = (power(reach.below), power(reach.above));
        // One instruction for 63 bits, and several for 64. It waits for what its register held: before the powers that
        // would be a late result of the draw before, and the two would not overlap.
        let uniform = (word >> 1) as i64 as f64 * power_of_two(-63);
        self.cell::<false>(uniform, p, r)
    }

    /// Common span of numbers that all have the range of this reach.
    pub(super) fn span(&self, reach: Reach) -> Option<Span> {
        Span::from_reach(self.tau, reach)
    }

    /// `h` for cell `h` upward, `-1-h` for cell `h` downward, or [`UNDECIDED`].
    #[inline(always)]
    fn cell<const FUSED: bool>(&self, uniform: f64, p: f64, r: f64) -> i64 {
        let [t, from_border] = self.part(uniform, p, r);
        self.decide::<FUSED>(t, from_border)
    }

    /// `t`, and `V - (a - p)`. Sides are selected by masks: a branch would be predicted better for some answers than
    /// for others.
    #[inline(always)]
    fn part(&self, uniform: f64, p: f64, r: f64) -> [f64; 2] {
        let border = self.ratio - p;
        let v = uniform * ((1.0 - r) + border);
        let from_border = v - border;
        let side = negative(from_border);
        [select(side, v, from_border) + select(side, p, r), from_border]
    }

    /// The cell of [`Inversion::part`].
    #[inline(always)]
    fn decide<const FUSED: bool>(&self, t: f64, from_border: f64) -> i64 {
        let side = negative(from_border);
        let (depth, inverse) = minus_ln::<FUSED>(t);
        let middle = multiply_add::<FUSED>(depth - select(side, self.tau, 0.0), self.scale, -0.5);
        let rounded = middle + ROUND;
        let cell = rounded.to_bits().wrapping_sub(ROUND.to_bits()) ^ side;
        let room = 0.5 - (self.slack + self.spread * inverse);
        let certain = ((middle - (rounded - ROUND)).abs() <= room) & (from_border.abs() >= ERROR) & (t >= SMALLEST);
        if certain { cell as i64 } else { UNDECIDED }
    }
}

/// All ones on the negative side of zero.
#[inline(always)]
fn negative(x: f64) -> u64 {
    (x.to_bits() as i64 >> 63) as u64
}

/// A word as a part of one.
#[inline(always)]
fn uniform(word: u64) -> f64 {
    word as f64 * power_of_two(-64)
}

/// The cells of `words` for noise without limits, and whether any is undecided. Never fused: which cells are undecided
/// is in every table.
pub(super) struct Unlimited<'a> {
    pub(super) inversion: &'a Inversion,
    pub(super) words: &'a [u64],
    pub(super) cells: &'a mut [i64],
}

impl WithSimd for Unlimited<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let mut undecided = false;
        for (cell, word) in self.cells.iter_mut().zip(self.words) {
            *cell = self.inversion.cell::<false>(uniform(*word), 0.0, 0.0);
            undecided |= *cell == UNDECIDED;
        }
        undecided
    }
}

/// The same for noise in a reach of its own each.
pub(super) struct Limited<'a> {
    pub(super) inversion: &'a Inversion,
    pub(super) words: &'a [u64],
    /// The distances of numbers that share a range; for others `below` and `above` hold the doubles nearest to `B + 1`
    /// and `A + 1`, infinite for no limit. Both are overwritten.
    pub(super) shared: Option<(Span, &'a [u64])>,
    pub(super) below: &'a mut [f64],
    pub(super) above: &'a mut [f64],
    pub(super) cells: &'a mut [i64],
}

impl WithSimd for Limited<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        // Every processor with vectors of doubles that is distinguished here has fused operations.
        if S::F64_LANES > 1 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl Limited<'_> {
    /// In three loops: a draw is one long chain of operations, and the shorter the loop, the more draws are under way
    /// at a time.
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> bool {
        let Self { inversion, words, shared, below, above, cells } = self;
        if let Some((span, distances)) = shared {
            for ((p, r), distance) in below.iter_mut().zip(&mut *above).zip(distances) {
                [*p, *r] = span.powers::<FUSED>(*distance);
            }
        } else {
            for side in [&mut *below, &mut *above] {
                side.iter_mut().for_each(|end| *end = exp_neg::<FUSED>(inversion.tau * *end));
            }
        }
        for ((p, r), word) in below.iter_mut().zip(&mut *above).zip(words) {
            [*p, *r] = inversion.part(uniform(*word), *p, *r);
        }
        let mut undecided = false;
        for (cell, (t, from_border)) in cells.iter_mut().zip(below.iter().zip(&*above)) {
            *cell = inversion.decide::<FUSED>(*t, *from_border);
            undecided |= *cell == UNDECIDED;
        }
        undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        law::discrete_laplace::DiscreteLaplace,
        sampler::{Entropy, SeededEntropy, exact},
    };

    const LAWS: [&str; 8] =
        ["300", "2", "0.5", "0.693147180559945309", "0.001", "0.00000095367431640625", "1e-9", "3e-18"];

    const REACHES: [(Option<u128>, Option<u128>); 6] = [
        (None, None),
        (Some(0), None),
        (Some(7), Some(0)),
        (Some(1_000), Some(3_000_000)),
        (Some(1 << 50), Some(1 << 61)),
        (None, Some(12)),
    ];

    fn law(tau: &str) -> DiscreteLaplace {
        DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
    }

    /// Words next to borders between cells and sides, and words anywhere.
    fn words(inversion: &Inversion, p: f64, r: f64) -> Vec<u64> {
        let border = inversion.ratio - p;
        let total = 1.0 - r + border;
        let depths = [0.0, 1.0, 2.0, 3.0, 10.0, 100.0, 1e4, 1e6].map(|cell| libm::exp(-cell / inversion.scale));
        let values = depths.iter().flat_map(|t| [t * inversion.ratio - p, border + t - r]).chain([0.0, border, total]);
        let near = values.map(|v| (v / total * power_of_two(64)) as u64);
        let offsets = [0, 1, 1 << 6, 1 << 10, 1 << 13, 1 << 16, 1 << 17, 1 << 20, 1 << 30];
        let crowd =
            near.flat_map(|w| offsets.into_iter().flat_map(move |o| [w.saturating_sub(o), w.saturating_add(o)]));
        let mut anywhere = SeededEntropy::from_seed(9);
        crowd.chain((0..40).map(|_| anywhere.word())).collect()
    }

    /// Every combination of law and reach, with its words.
    fn cases() -> impl Iterator<Item = (DiscreteLaplace, Reach, Vec<u64>)> {
        LAWS.into_iter().flat_map(|tau| {
            REACHES.map(|(below, above)| {
                let (law, reach) = (law(tau), Reach { below, above });
                let inversion = *law.inversion();
                let [p, r] = [below, above].map(|side| exp_neg::<false>(law.tau() * Reach::end(side)));
                let words = words(&inversion, p, r);
                (law, reach, words)
            })
        })
    }

    /// The cells of many numbers with one reach, `alike` if that can be, or as of numbers that share none.
    fn cells(
        inversion: &Inversion,
        reach: Reach,
        alike: bool,
        words: &[u64],
        run: impl FnOnce(Limited<'_>) -> bool,
    ) -> Vec<i64> {
        let (mut cells, mut distances) = (vec![0; words.len()], vec![0; words.len()]);
        let [mut below, mut above] = [reach.below, reach.above].map(|side| vec![Reach::end(side); words.len()]);
        let shared = inversion.span(reach).filter(|span| alike && span.distances(|_| reach, &mut distances));
        let shared = shared.map(|span| (span, &*distances));
        let undecided =
            run(Limited { inversion, words, shared, below: &mut below, above: &mut above, cells: &mut cells });
        assert_eq!(undecided, cells.contains(&UNDECIDED));
        cells
    }

    /// Counts draws that doubles decide, and those they decide wrongly.
    fn decided_and_wrong(change: impl Fn(&mut Inversion)) -> (usize, usize) {
        let (mut decided, mut wrong) = (0, 0);
        for (law, reach, words) in cases() {
            let mut inversion = *law.inversion();
            change(&mut inversion);
            let cells = [true, false]
                .map(|alike| cells(&inversion, reach, alike, &words, |run| pulp::Arch::new().dispatch(run)));
            let words = words.iter().chain(&words).copied();
            for (word, cell) in words.zip(cells.concat()).filter(|(_, cell)| *cell != UNDECIDED) {
                let mut entropy = SeededEntropy::from_seed(word);
                let (negative, exact) = exact::cell(&law, inversion.cell_bits, reach, word, &mut entropy);
                let right = i64::try_from(exact).map(|exact| if negative { !exact } else { exact });
                decided += 1;
                wrong += usize::from(right != Ok(cell));
            }
        }
        (decided, wrong)
    }

    #[test]
    fn what_doubles_decide_is_what_exact_arithmetic_decides() {
        let (decided, wrong) = decided_and_wrong(|_| ());
        assert!(decided > 8_000 && wrong == 0, "{wrong} of {decided} wrong");
        let (_, wrong) = decided_and_wrong(|inversion| (inversion.slack, inversion.spread) = (0.0, 0.0));
        assert!(wrong > 10, "without error bounds only {wrong} are wrong: the words are too easy");
    }

    /// At the widest scales in cells, whether in the middle of a range or at its end, about eight of four million words
    /// are undecided; more than 40 have a probability below 1e-12.
    #[test]
    fn few_words_are_undecided_wherever_the_answer_lies() {
        let mut words = vec![0; 1 << 22];
        SeededEntropy::from_seed(2).fill(&mut words);
        for tau in ["0.00000047683715820313", "4.5474735088646412e-13"] {
            let law = law(tau);
            let (inversion, width) = (*law.inversion(), (20.0 * law.scale()) as u128);
            for below in [0, width / 100, width / 2, width] {
                let reach = Reach { below: Some(below), above: Some(width - below) };
                let cells = cells(&inversion, reach, true, &words, |run| pulp::Arch::new().dispatch(run));
                let undecided = cells.into_iter().filter(|cell| *cell == UNDECIDED).count();
                assert!(undecided <= 40, "tau {tau}, {reach:?}: {undecided}");
            }
        }
    }

    /// Words around those at which `inversion` begins to decide, where another rounding changes whether it does.
    fn where_deciding_begins(inversion: &Inversion, reach: Reach, words: &[u64]) -> Vec<u64> {
        let decides = |word: u64| inversion.cell_within(reach, word) != UNDECIDED;
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let flips = sorted.windows(2).filter(|pair| decides(pair[0]) != decides(pair[1])).map(|pair| {
            let (mut low, mut high) = (pair[0], pair[1]);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if decides(middle) == decides(low) { low = middle } else { high = middle }
            }
            low
        });
        // A word is less than a unit in the last place of the uniform by a factor of about 2^11.
        flips.flat_map(|flip| (-20..=20).map(move |i| flip.saturating_add_signed(i << 8))).collect()
    }

    /// No word beyond the first.
    struct Nothing;

    impl Entropy for Nothing {
        fn word(&mut self) -> u64 {
            panic!("one word is enough")
        }
    }

    /// The same noise on every processor, from the same words: where only one of two decides, so does the first word in
    /// exact arithmetic.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vector_instructions_change_nothing() {
        use pulp::{
            Scalar,
            x86::{V3, V4},
        };
        let (mut decided, mut by_one) = (0, 0);
        for (law, reach, mut words) in cases() {
            let inversion = law.inversion();
            words.extend(where_deciding_begins(inversion, reach, &words));
            let settled = |word| {
                let (negative, cell) = exact::cell(&law, inversion.cell_bits, reach, word, &mut Nothing);
                exact::signed(negative, cell) as i64
            };
            let one_by_one = words.iter().map(|word| inversion.cell_within(reach, *word)).collect();
            let both = [true, false];
            let avx2 = V3::try_new()
                .map(|avx2| both.map(|alike| cells(inversion, reach, alike, &words, |run| Simd::vectorize(avx2, run))));
            let avx512 = V4::try_new().map(|avx512| {
                both.map(|alike| cells(inversion, reach, alike, &words, |run| Simd::vectorize(avx512, run)))
            });
            let scalar = both.map(|alike| cells(inversion, reach, alike, &words, |run| Simd::vectorize(Scalar, run)));
            let [baseline, alike] = scalar;
            for others in [one_by_one, alike].into_iter().chain([avx2, avx512].into_iter().flatten().flatten()) {
                for (word, (one, other)) in words.iter().zip(baseline.iter().zip(others)) {
                    let [first, second] = [*one, other].map(|cell| if cell == UNDECIDED { None } else { Some(cell) });
                    decided += usize::from(first.is_some() && second.is_some());
                    by_one += usize::from(first.is_some() != second.is_some());
                    if let Some(cell) = first.or(second) {
                        assert_eq!(cell, first.and(second).unwrap_or_else(|| settled(*word)), "{word:x}");
                    }
                }
            }
        }
        assert!(decided > 50_000 && by_one > 100, "{decided} decided by both, {by_one} by one");
    }
}
