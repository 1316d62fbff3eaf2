//! Whether estimates have left what was measured further behind than noise explains.
//!
//! The linear fit is unbiased, and the law of its error does not depend on the truth. Were the estimates of a level the truth, the
//! furthest of them from the linear fit, in standard deviations of the fit, would be one more draw of what the replicates
//! show: the largest error of a level in the same unit. So it passes the largest of `R` replicates with probability at
//! most `1 / (R + 1)`, whatever the law of the noise, and with probability at most `L / (R + 1)` at any of `L` levels.

use inbounds_bundle::Notice;

use super::simulate::Replicate;

/// Largest probability of a false alarm over the levels that are looked at.
const FALSE_ALARM: f64 = 0.05;

/// The largest linear errors of the levels that are looked at, the coarsest ones.
pub struct Drift {
    /// Level of each node; nodes of others, and what is known exactly, are left out.
    level: Vec<u32>,
    /// Standard deviation of the linear fit of each node.
    deviation: Vec<f64>,
    largest: Vec<f64>,
    replicates: usize,
}

const LEFT_OUT: u32 = u32::MAX;

impl Drift {
    /// Of `levels` levels, where a node has the level and the variance of the linear fit that are stated.
    pub fn new(levels: usize, nodes: impl Iterator<Item = (u32, f64)>, replicates: usize) -> Self {
        let most = (FALSE_ALARM * (replicates as f64 + 1.0)) as usize;
        let levels = levels.min(most);
        let looked_at = |(level, variance): (u32, f64)| {
            let known = variance > 0.0 && variance < f64::INFINITY;
            (if known && (level as usize) < levels { level } else { LEFT_OUT }, libm::sqrt(variance))
        };
        let (level, deviation) = nodes.map(looked_at).unzip();
        Self { level, deviation, largest: vec![0.0; levels], replicates }
    }

    /// Takes in a replicate.
    pub fn take_in(&mut self, replicate: &Replicate) {
        let largest = self.distances(&replicate.linear);
        self.largest.iter_mut().zip(largest).for_each(|(most, found)| *most = most.max(found));
    }

    /// The largest of some differences at each level, in standard deviations of the linear fit.
    fn distances(&self, differences: &[f64]) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.largest.len()];
        for ((&level, deviation), difference) in self.level.iter().zip(&self.deviation).zip(differences) {
            if level != LEFT_OUT {
                let most = &mut largest[level as usize];
                *most = most.max(difference.abs() / deviation);
            }
        }
        largest
    }

    /// What to say of the coarsest level beyond its limit, if one is; `name` is that of a level.
    pub fn notice(&self, estimates: &[f64], linear: &[f64], name: impl Fn(usize) -> String) -> Option<Notice> {
        let differences: Vec<f64> = estimates.iter().zip(linear).map(|(estimate, linear)| estimate - linear).collect();
        let distances = self.distances(&differences);
        let level = (0..distances.len()).find(|&level| distances[level] > self.largest[level])?;
        Some(Notice::Drift {
            level: name(level),
            distance: distances[level],
            limit: self.largest[level],
            false_alarm: self.largest.len() as f64 / (self.replicates as f64 + 1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_beyond_every_replicate_is_named_with_its_limit() {
        let nodes = [(0, 4.0), (1, 1.0), (1, 1.0), (1, 0.0)];
        let mut drift = Drift::new(2, nodes.into_iter(), 99);
        for linear in [[2.0, 1.0, 0.5, 9.0], [-4.0, 0.0, 3.0, 9.0]] {
            drift.take_in(&Replicate { linear: linear.to_vec(), errors: Vec::new(), unsolved: false });
        }
        let name = |level: usize| format!("level {level}");
        assert_eq!(drift.notice(&[14.0, 8.0, 3.0, 50.0], &[10.0, 5.0, 0.0, 0.0], name), None);
        let found = drift.notice(&[20.0, 8.5, 3.0, 50.0], &[10.0, 5.0, 0.0, 0.0], name);
        let expected = Notice::Drift { level: "level 0".into(), distance: 5.0, limit: 2.0, false_alarm: 0.02 };
        assert_eq!(found, Some(expected));
        // Too few replicates for a rate of 5 % look at nothing.
        assert_eq!(Drift::new(2, nodes.into_iter(), 18).notice(&[99.0; 4], &[0.0; 4], name), None);
    }
}
