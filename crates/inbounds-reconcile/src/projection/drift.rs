//! Tests for bounds that have moved estimates further from the measurements than noise explains, or made them worse.
//!
//! Both are asked of groups of nodes: the levels of a tree, or the sums of a linear system and what they are sums of.
//!
//! **Distance.** The linear fit is unbiased, and the law of its error does not depend on the truth. Were the estimates
//! of a group the truth, the furthest of them from the linear fit, in standard deviations of the fit, would be one more
//! draw of what the replicates show: the largest error of a group in the same unit. So it passes the `k`-th largest of
//! `R` replicates with probability at most `k / (R + 1)`, whatever the law of the noise, and with probability at most
//! `k G / (R + 1)` in any of `G` groups; `k` is the largest that keeps this at [`FALSE_ALARM`] or below.
//!
//! **Cost.** Each replicate has the errors of both fits from the same noise, so the mean square error of the fit in
//! bounds can be compared with [`TOLERATED`] times that of the linear fit by a paired test.

use std::ops::Range;

use inbounds_bundle::{Among, Notice};
use inbounds_core::monte_carlo::mean_and_error;

use super::{largest::Largest, simulate::Replicate};

/// Largest probability of a false alarm over the groups that are looked at.
const FALSE_ALARM: f64 = 0.05;
/// Largest ratio of mean square errors before bounds are said to make estimates worse: 12 % of RMSE.
const TOLERATED: f64 = 1.25;
/// Standard errors by which a single group must pass that.
const FAR: f64 = 3.0;

/// Errors of groups of nodes in replicates, for the first groups.
pub struct Drift {
    /// Nodes of other groups, and what is known exactly, are in none.
    stretches: Vec<Stretch>,
    /// Nodes of each group.
    sizes: Vec<usize>,
    /// Largest linear errors of each group.
    largest: Largest,
    /// Errors of both fits, by group.
    costs: Vec<Cost>,
    /// Number of largest errors that are kept.
    kept: usize,
    replicates: usize,
    /// Replicates so far; none of a linear solution.
    seen: usize,
    /// Those that were solved as was done.
    solved: usize,
}

/// Nodes side by side, of one group, whose linear fit has one standard deviation.
struct Stretch {
    nodes: Range<usize>,
    group: usize,
    deviation: f64,
}

/// Mean square errors of a group, summed over replicates.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    fit: f64,
    linear: f64,
    /// Excess of the fit over the tolerated, and its square.
    excess: f64,
    squares: f64,
}

impl Cost {
    fn take_in(&mut self, fit: f64, linear: f64) {
        let excess = fit - TOLERATED * linear;
        *self = Self {
            fit: self.fit + fit,
            linear: self.linear + linear,
            excess: self.excess + excess,
            squares: self.squares + excess * excess,
        };
    }
}

/// Partial sums that do not wait for each other.
const LANES: usize = 8;

impl Drift {
    /// Of `groups` groups, where a node has the group and the variance of the linear fit that are stated.
    pub fn new(groups: usize, nodes: impl Iterator<Item = (u32, f64)>, replicates: usize) -> Self {
        let most = (FALSE_ALARM * (replicates as f64 + 1.0)) as usize;
        let groups = groups.min(most);
        let kept = most.checked_div(groups).unwrap_or(0);
        let (mut stretches, mut sizes): (Vec<Stretch>, _) = (Vec::new(), vec![0; groups]);
        for (node, (group, variance)) in nodes.enumerate() {
            // What is known exactly may have a variance that rounding made less than zero.
            let known = variance > 0.0 && variance < f64::INFINITY;
            let (group, deviation) = (group as usize, libm::sqrt(variance));
            if group >= groups || !known {
                continue;
            }
            sizes[group] += 1;
            match stretches.last_mut() {
                Some(last) if (last.nodes.end, last.group, last.deviation) == (node, group, deviation) => {
                    last.nodes.end += 1;
                }
                _ => stretches.push(Stretch { nodes: node..node + 1, group, deviation }),
            }
        }
        let costs = vec![Cost::default(); groups];
        Self { stretches, sizes, largest: Largest::new(groups, kept), costs, kept, replicates, seen: 0, solved: 0 }
    }

    /// Takes in a replicate.
    pub fn take_in(&mut self, replicate: &Replicate) {
        self.seen += 1;
        let distances = self.distances(&replicate.linear);
        distances.into_iter().enumerate().for_each(|(group, distance)| self.largest.note(group, distance));
        if replicate.errors.is_empty() {
            return;
        }
        self.solved += 1;
        let squares = [&replicate.errors, &replicate.linear].map(|errors| self.mean_squares(errors));
        for (cost, (fit, linear)) in self.costs.iter_mut().zip(squares[0].iter().zip(&squares[1])) {
            cost.take_in(*fit, *linear);
        }
    }

    /// The largest of some differences in each group, in standard deviations of the linear fit.
    fn distances(&self, differences: &[f64]) -> Vec<f64> {
        let mut distances = vec![0.0_f64; self.costs.len()];
        for Stretch { nodes, group, deviation } in &self.stretches {
            let most = &mut distances[*group];
            *most = most.max(largest(&differences[nodes.clone()]) / deviation);
        }
        distances
    }

    /// The mean square of errors in each group.
    fn mean_squares(&self, errors: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.costs.len()];
        for Stretch { nodes, group, .. } in &self.stretches {
            sums[*group] += sum_of_squares(&errors[nodes.clone()]);
        }
        sums.iter().zip(&self.sizes).map(|(sum, size)| sum / (*size).max(1) as f64).collect()
    }

    /// Notices of the first group that is too far, and of the first that is worse; nothing without replicates. `name`
    /// names the nodes of a group.
    pub fn notices(&self, estimates: &[f64], linear: &[f64], name: impl Fn(usize) -> Among) -> Vec<Notice> {
        if self.seen == 0 {
            return Vec::new();
        }
        self.far(estimates, linear, &name).into_iter().chain(self.worse(&name)).collect()
    }

    fn far(&self, estimates: &[f64], linear: &[f64], name: &impl Fn(usize) -> Among) -> Option<Notice> {
        let differences: Vec<f64> = estimates.iter().zip(linear).map(|(estimate, linear)| estimate - linear).collect();
        let distances = self.distances(&differences);
        let group = (0..distances.len()).find(|&group| distances[group] > self.largest.least(group))?;
        Some(Notice::Drift {
            among: name(group),
            distance: distances[group],
            limit: self.largest.least(group),
            false_alarm: (self.costs.len() * self.kept) as f64 / (self.replicates as f64 + 1.0),
        })
    }

    fn worse(&self, name: &impl Fn(usize) -> Among) -> Option<Notice> {
        // What one of several groups passes by chance as rarely as a single one passes `FAR`.
        let limit = libm::sqrt(FAR * FAR + 2.0 * libm::log(self.costs.len().max(1) as f64));
        let is_worse = |&group: &usize| {
            let cost = self.costs[group];
            let (excess, error) = mean_and_error(cost.excess, cost.squares, self.solved as f64);
            cost.linear > 0.0 && excess > limit * error
        };
        let group = (0..self.costs.len()).find(is_worse)?;
        let cost = self.costs[group];
        Some(Notice::BoundsCost { among: name(group), ratio: libm::sqrt(cost.fit / cost.linear) })
    }
}

fn largest(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0_f64; LANES];
    for chunk in chunks {
        for (most, number) in lanes.iter_mut().zip(chunk) {
            let size = number.abs();
            *most = if size > *most { size } else { *most };
        }
    }
    lanes.iter().chain(rest).fold(0.0, |most, number| most.max(number.abs()))
}

fn sum_of_squares(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(sum, number)| *sum += number * number);
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|number| number * number).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(level: usize) -> Among {
        Among::Level { level: format!("level {level}") }
    }

    #[test]
    fn a_level_beyond_what_replicates_pass_is_named_with_its_limit() {
        let nodes = [(0, 4.0), (1, 1.0), (1, 1.0), (1, 0.0)];
        let mut drift = Drift::new(2, nodes.into_iter(), 99);
        // Twice two of a hundred may be passed: the limit is the second largest.
        for linear in [[2.0, 1.0, 0.5, 9.0], [-4.0, 0.0, 3.0, 9.0], [0.5, 4.0, 1.0, 9.0]] {
            drift.take_in(&Replicate { linear: linear.to_vec(), errors: Vec::new(), unsolved: false });
        }
        assert_eq!(drift.notices(&[12.0, 8.0, 3.0, 50.0], &[10.0, 5.0, 0.0, 0.0], level), []);
        let notices = drift.notices(&[20.0, 8.5, 3.0, 50.0], &[10.0, 5.0, 0.0, 0.0], level);
        let expected = Notice::Drift { among: level(0), distance: 5.0, limit: 1.0, false_alarm: 0.04 };
        assert_eq!(notices, [expected]);
        // Too few replicates for a rate of 5 % look at nothing.
        assert_eq!(Drift::new(2, nodes.into_iter(), 18).notices(&[99.0; 4], &[0.0; 4], level), []);
    }

    #[test]
    fn what_is_known_but_for_rounding_is_in_no_group() {
        let drift = Drift::new(1, [(0, -1e-20), (0, 4.0), (0, f64::INFINITY), (0, 4.0), (0, 0.0)].into_iter(), 99);
        assert_eq!(drift.mean_squares(&[100.0, 1.0, 100.0, 3.0, 100.0]), [5.0]);
        assert_eq!(drift.distances(&[100.0, 1.0, 100.0, 3.0, 100.0]), [1.5]);
    }

    #[test]
    fn a_level_that_bounds_make_worse_is_named_with_its_ratio() {
        let notices = |bias: f64| {
            let mut drift = Drift::new(2, [(0, 4.0), (1, 1.0), (1, 1.0)].into_iter(), 100);
            for replicate in 0..100 {
                let noise = f64::from(replicate % 5) - 2.0;
                let linear = vec![noise, noise / 2.0, -noise];
                let errors = vec![noise + bias, 0.0, 0.0];
                drift.take_in(&Replicate { linear, errors, unsolved: false });
            }
            drift.notices(&[0.0; 3], &[0.0; 3], level)
        };
        // Noise of variance 2: a bias of 2 gives 3 times the mean square error, one of 0.6 less than is tolerated.
        assert_eq!(notices(2.0), [Notice::BoundsCost { among: level(0), ratio: 3_f64.sqrt() }]);
        assert_eq!(notices(0.6), []);
    }
}
