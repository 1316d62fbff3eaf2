//! Shares that serve a goal best, under the sums alone.
//!
//! Laplace noise of share `s` has a standard deviation proportional to `1 / s` whatever epsilon is, and Gaussian noise
//! one proportional to `sqrt(sum of all s^2) / s`, because it is accounted for together: so the shares follow from the
//! public cells alone. With `r_l` the RMSE of level `l` and `e_l` that of even shares:
//!
//! - balanced: the sum of all `ln (r_l / e_l)` is made small where every `r_l` is at most 1.05 `e_l`;
//! - least error: the sum of all `n_l r_l^2` is made small, where a level has `n_l` cells.
//!
//! A share near zero buys a precision of its square and costs the share itself, so a level is measured well or not at
//! all, and which levels to leave out is a choice of its own: starting with all, the level whose loss gains most is
//! left out as long as one gains. For a given choice the shares, as logarithms, move downhill; a barrier keeps levels
//! below their bounds.

use inbounds_core::Rational;
use inbounds_mechanisms::noise::NoiseKind;

use super::minimise::minimise;

/// Largest ratio of an RMSE to that under even shares.
const TOLERATED: f64 = 1.05;
/// Parts of that which rounding may take, one after the other: many levels have small shares, of which it takes more.
const ROUNDING: [f64; 4] = [0.0005, 0.002, 0.008, 0.03];
/// Parts of epsilon in which shares are rounded.
pub(super) const PARTS: u32 = 10_000;
/// Weights of the barrier, one after the other.
const BARRIERS: [f64; 4] = [0.1, 0.01, 0.001, 0.0001];
/// Least gain by leaving out a level: a rounding below.
const GAIN: f64 = 1e-6;

/// Criterion for shares.
pub(super) enum Goal {
    /// The geometric mean of the RMSE of levels, where none loses more than is tolerated.
    Balanced,
    /// The mean square error over all cells, with the number of cells of each level.
    LeastError { cells: Vec<f64> },
}

/// Levels with what a unit moves each of them by.
pub(super) struct Search<'a> {
    /// Mean variance of the estimates of each level, from that of its noise, infinite without any.
    pub(super) variances: &'a dyn Fn(&[f64]) -> Vec<f64>,
    /// The shares of the levels that some shares stand for.
    pub(super) expand: &'a dyn Fn(&[f64]) -> Vec<f64>,
    /// The noise, and the sensitivity of each level in its norm, in any one unit.
    pub(super) moved: (NoiseKind, &'a [f64]),
    /// True for a level that has to be measured, so that its share must be above zero.
    pub(super) needed: &'a [bool],
    pub(super) goal: &'a Goal,
}

/// A choice of shares, with what it gains.
struct Found {
    shares: Vec<f64>,
    gain: f64,
}

impl Search<'_> {
    /// RMSE of each level where each has this share of epsilon 1; zero shares are not measured.
    fn rmse(&self, shares: &[f64]) -> Vec<f64> {
        let (kind, moved) = self.moved;
        let shares = (self.expand)(shares);
        let factor = match kind {
            NoiseKind::Gaussian => shares.iter().map(|share| share * share).sum(),
            _ => 2.0,
        };
        let variance = |(share, moved): (&f64, &f64)| factor * (moved / share) * (moved / share);
        let variances: Vec<f64> = shares.iter().zip(moved).map(variance).collect();
        (self.variances)(&variances).into_iter().map(libm::sqrt).collect()
    }

    /// The best shares, exact, one a level.
    pub(super) fn shares(&self) -> Vec<Rational> {
        let levels = self.needed.len();
        let even = vec![1.0 / levels as f64; levels];
        let before = self.rmse(&even);
        let within = |tolerated: f64| before.iter().map(|before| before * tolerated).collect::<Vec<f64>>();
        let holds = |parts: &Vec<u32>| {
            let shares: Vec<f64> = parts.iter().map(|part| f64::from(*part) / f64::from(PARTS)).collect();
            self.rmse(&shares).iter().zip(within(TOLERATED)).all(|(after, bound)| *after <= bound)
        };
        let best = |bounds: &[f64]| rounded(&self.best(&even, bounds).shares, self.needed);
        let parts = match self.goal {
            // Even shares always hold.
            Goal::Balanced => {
                let mut candidates = ROUNDING.iter().map(|rounding| best(&within(TOLERATED - rounding)));
                candidates.find(holds).unwrap_or_else(|| vec![1; levels])
            }
            Goal::LeastError { .. } => best(&before),
        };
        let all: u32 = parts.iter().sum();
        parts.iter().map(|part| Rational::ratio((*part).into(), all.into())).collect()
    }

    /// The best shares; of balanced ones every RMSE is below its bound, as those of even shares are.
    fn best(&self, even: &[f64], bounds: &[f64]) -> Found {
        let mut best = self.best_from(even, bounds).unwrap_or(Found { shares: even.to_vec(), gain: f64::NEG_INFINITY });
        let others = || (0..even.len()).filter(|&level| !self.needed[level]);
        while let Some(next) = others().filter_map(|level| self.without(level, &best, bounds)).max_by(by_gain) {
            if next.gain < best.gain + GAIN {
                break;
            }
            best = next;
        }
        best
    }

    /// The best shares where one more level is left out.
    fn without(&self, level: usize, best: &Found, bounds: &[f64]) -> Option<Found> {
        if best.shares[level] == 0.0 {
            return None;
        }
        let mut shares = best.shares.clone();
        shares[level] = 0.0;
        let all: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= all);
        self.best_from(&shares, bounds)
    }

    /// The best shares for the levels that have one; none if some level must pass its bound.
    fn best_from(&self, shares: &[f64], bounds: &[f64]) -> Option<Found> {
        let measured: Vec<usize> = (0..shares.len()).filter(|&level| shares[level] > 0.0).collect();
        let (last, others) = measured.split_last()?;
        // The last share is the unit of the others, so that none of them is idle.
        let shares_at = |x: &[f64]| {
            let mut shares = vec![0.0; shares.len()];
            shares[*last] = 1.0;
            others.iter().zip(x).for_each(|(&level, x)| shares[level] = libm::exp(*x));
            let all: f64 = shares.iter().sum();
            shares.into_iter().map(|share| share / all).collect::<Vec<f64>>()
        };
        let start: Vec<f64> = others.iter().map(|&level| libm::log(shares[level] / shares[*last])).collect();
        let rmse = |x: &[f64]| self.rmse(&shares_at(x));
        let (x, loss) = match self.goal {
            Goal::Balanced => balanced(rmse, start, bounds)?,
            Goal::LeastError { cells } => {
                let squares = |x: &[f64]| rmse(x).iter().zip(cells).map(|(rmse, cells)| cells * rmse * rmse).sum();
                let loss = |x: &[f64]| libm::log(squares(x));
                let x = minimise(loss, start, |_| false);
                let loss = loss(&x);
                (x, loss)
            }
        };
        Some(Found { shares: shares_at(&x), gain: -loss })
    }
}

/// The point where the sum of the logarithms of RMSE over bounds is least, among those below all bounds, with that sum.
fn balanced(rmse: impl Fn(&[f64]) -> Vec<f64>, mut x: Vec<f64>, bounds: &[f64]) -> Option<(Vec<f64>, f64)> {
    let losses =
        |x: &[f64]| -> Vec<f64> { rmse(x).iter().zip(bounds).map(|(after, bound)| libm::log(after / bound)).collect() };
    let inside = |x: &[f64]| losses(x).iter().all(|loss| *loss < 0.0);
    if !inside(&x) {
        // A smooth function above the largest loss and near it.
        let largest = |x: &[f64]| libm::log(losses(x).iter().map(|loss| libm::exp(60.0 * loss)).sum()) / 60.0;
        x = minimise(largest, x, |x| inside(x));
    }
    if !inside(&x) {
        return None;
    }
    for weight in BARRIERS {
        let barrier = |x: &[f64]| -> f64 {
            let of_level = |loss: f64| match loss < 0.0 {
                true => loss - weight * libm::log(-loss),
                false => f64::INFINITY,
            };
            losses(x).into_iter().map(of_level).sum()
        };
        x = minimise(barrier, x, |_| false);
    }
    let loss = losses(&x).iter().sum();
    Some((x, loss))
}

fn by_gain(one: &Found, other: &Found) -> std::cmp::Ordering {
    one.gain.total_cmp(&other.gain)
}

/// Shares in whole parts that add up, those that are needed above zero; the largest takes what rounding leaves.
pub(super) fn rounded(shares: &[f64], needed: &[bool]) -> Vec<u32> {
    let part = |(share, needed): (&f64, &bool)| (libm::round(share * f64::from(PARTS)) as u32).max(u32::from(*needed));
    let mut parts: Vec<u32> = shares.iter().zip(needed).map(part).collect();
    let largest = (0..parts.len()).max_by_key(|&level| parts[level]).unwrap_or(0);
    let others: u32 = parts.iter().sum::<u32>() - parts[largest];
    parts[largest] = PARTS - others;
    parts
}

#[cfg(test)]
mod tests {
    use inbounds_project::tree::LevelVariances;

    use super::*;

    /// A tree in which each node of a level has this many children.
    fn product(families: &[usize]) -> LevelVariances {
        let (mut sizes, mut parents) = (vec![1], vec![None]);
        for family in families {
            let begin = parents.len() - sizes[sizes.len() - 1];
            let above = begin..parents.len();
            parents.extend(above.flat_map(|parent| vec![Some(parent as u32); *family]));
            sizes.push(sizes[sizes.len() - 1] * family);
        }
        LevelVariances::new(&sizes, &parents).expect("a tree")
    }

    /// Runs with the search for balanced shares of a tree whose levels a unit moves alike.
    fn of_tree<T>(tree: &LevelVariances, levels: usize, run: impl FnOnce(&Search<'_>) -> T) -> T {
        let needed: Vec<bool> = (1..=levels).map(|level| level == levels).collect();
        let variances = |noise: &[f64]| tree.means(noise);
        run(&Search {
            variances: &variances,
            expand: &|shares| shares.to_vec(),
            moved: (NoiseKind::Laplace, &vec![1.0; levels]),
            needed: &needed,
            goal: &Goal::Balanced,
        })
    }

    fn gain(levels: &Search<'_>, shares: &[f64]) -> (f64, f64) {
        let even = levels.rmse(&vec![1.0 / shares.len() as f64; shares.len()]);
        let ratios: Vec<f64> = levels.rmse(shares).iter().zip(even).map(|(after, before)| after / before).collect();
        (-ratios.iter().map(|ratio| ratio.ln()).sum::<f64>(), ratios.into_iter().fold(0.0, f64::max))
    }

    #[test]
    fn no_level_loses_and_no_shares_on_a_fine_grid_gain_more() {
        for families in [[4, 3], [2, 8], [30, 2], [3, 3]] {
            let tree = product(&families);
            of_tree(&tree, 3, |levels| {
                let shares: Vec<f64> = levels.shares().iter().map(Rational::to_f64).collect();
                let (own_gain, worst) = gain(levels, &shares);
                assert!(worst <= TOLERATED && own_gain > 0.0, "{families:?}: {shares:?} {worst}");
                let mut best = f64::NEG_INFINITY;
                for (one, two) in (0..100).flat_map(|one| (0..100 - one).map(move |two| (one, two))) {
                    let grid = [one, two, 100 - one - two].map(|part| f64::from(part) / 100.0);
                    let (gain, worst) = gain(levels, &grid);
                    best = if worst <= TOLERATED { best.max(gain) } else { best };
                }
                assert!(own_gain > best - 0.01, "{families:?}: {shares:?} gain {own_gain}, a grid {best}");
            });
        }
    }

    /// Two neighbouring levels with half of the budget each give the parent `8 f / (f + 1)` and the children alone
    /// `2 f`.
    #[test]
    fn a_level_of_families_of_three_is_as_good_without_being_measured() {
        for (family, worse) in [(2, false), (3, false), (4, true)] {
            let tree = product(&[family]);
            let (both, alone) = of_tree(&tree, 2, |levels| (levels.rmse(&[0.5, 0.5]), levels.rmse(&[0.0, 1.0])));
            assert_eq!(alone[0] > both[0] * (1.0 + 1e-12), worse, "{family}: {both:?} {alone:?}");
        }
    }

    #[test]
    fn shares_add_up_and_leave_out_the_level_above_pairs() {
        let tree = product(&[16, 15, 7, 5, 2]);
        let shares = of_tree(&tree, 6, |levels| levels.shares());
        assert_eq!(shares.iter().fold(Rational::ZERO, |all, share| &all + share), Rational::ONE);
        let shares: Vec<f64> = shares.iter().map(Rational::to_f64).collect();
        let (gain, worst) = of_tree(&tree, 6, |levels| gain(levels, &shares));
        assert!(gain > 0.7 && worst > 1.045 && worst <= TOLERATED && shares[4] == 0.0, "{shares:?} {gain} {worst}");
        assert_eq!(rounded(&[0.33333, 0.33333, 0.33334], &[false, false, true]), [3333, 3333, 3334]);
    }
}
