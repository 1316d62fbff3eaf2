//! From the measurements of all levels to counts that add up, with their errors.

use inbounds_mechanisms::mechanism::Measurements;
use inbounds_project::tree::equality;
use inbounds_statistics::Estimate;
use serde::{Deserialize, Serialize};

use super::Levels;
use crate::{
    progress::{Progress, Step},
    projection::{Errors, Law, Measured, Method, Model, Simulation, SolverEntry, rank, solve},
};

/// How often noise is drawn again to find bias, RMSE and intervals.
const REPLICATES: usize = 200;

/// How the levels of a count were made to add up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ProjectionEntry {
    pub solver: SolverEntry,
    pub replicates: usize,
    pub seed: String,
    pub rank: usize,
}

impl Levels {
    /// Whole numbers at zero or above that add up, one a cell, level after level. Post-processing: costs no privacy.
    /// `seed` is that of the simulated noise; it may be published.
    pub(crate) fn estimate(
        &self,
        measured: &[Measurements],
        level: f64,
        seed: u64,
        progress: &dyn Progress,
    ) -> (Vec<Estimate>, ProjectionEntry) {
        progress.begin(Step::Solving);
        let measured = self.measured(measured);
        let model = self.model(&measured);
        let solved = solve(&model, Method::Integer, model.value.clone());
        let rank = rank(level, REPLICATES).expect("enough replicates for the level");
        let simulation = Simulation {
            model: &model,
            of: &(0..measured.len() as u32).collect::<Vec<_>>(),
            measured: &measured,
            method: Method::Integer,
            truth: &solved.estimates,
            replicates: REPLICATES,
            rank,
            seed,
        };
        let errors = simulation.run(|_| (), progress);
        let linear = equality(&model.with(model.value.clone())).estimates;
        let estimates = (0..model.nodes())
            .map(|node| self.describe(node, solved.estimates[node], linear[node], model.value[node], &errors))
            .collect();
        let solver = SolverEntry::new(&model, Method::Integer, &solved);
        (estimates, ProjectionEntry { solver, replicates: REPLICATES, seed: seed.to_string(), rank })
    }

    /// Every cell's measurement with its law.
    fn measured(&self, measured: &[Measurements]) -> Vec<Measured> {
        let of_level = |((component, measured), variance): ((&inbounds_statistics::Component, &Measurements), f64)| {
            let noise = Some((Law::DiscreteLaplace, component.scale()));
            let one = |steps: &i128| Measured { value: component.value(*steps), variance, noise };
            measured.steps().iter().map(one).collect::<Vec<_>>()
        };
        self.components.iter().zip(measured).zip(self.noise()).flat_map(of_level).collect()
    }

    /// The tree with its measurements; counts are at zero or above, and at most the public number of rows.
    fn model(&self, measured: &[Measured]) -> Model {
        let bounds = self.rows.map(|rows| (vec![0.0; measured.len()], vec![rows as f64; measured.len()]));
        let measured = measured.iter().map(|measured| (measured.value, measured.variance)).unzip();
        Model::new(&self.hierarchy.parents(), measured, true, bounds).expect("prefixes of keys are a forest")
    }

    /// What is said of one cell. The interval is around the linear estimate, moved into the range and cut to it.
    fn describe(&self, node: usize, value: f64, linear: f64, measurement: f64, errors: &Errors) -> Estimate {
        let upper = self.rows.map_or(f64::INFINITY, |rows| rows as f64);
        let (centre, half) = (linear.clamp(0.0, upper), errors.half_width(node));
        let ((bias, bias_error), (rmse, rmse_error)) = (errors.bias(node), errors.rmse(node));
        Estimate {
            measurement: Some(measurement),
            value,
            lower: (centre - half).max(0.0),
            upper: (centre + half).min(upper),
            bias_at_estimate: bias,
            bias_error,
            worst_bias: None,
            rmse_at_estimate: rmse,
            rmse_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Answer, Epsilon, Neighbours};
    use inbounds_data::{KeyValue, Keys};
    use inbounds_mechanisms::sampler::SeededEntropy;
    use inbounds_statistics::{Design, PrivacyUnit};

    use super::*;
    use crate::{
        plan::{self, LevelShares, Spanned},
        progress::Silent,
    };

    const COUNTS: [i128; 6] = [40, 3, 0, 1, 0, 9];
    /// The counts of all levels.
    const TRUTH: [f64; 10] = [53.0, 43.0, 1.0, 9.0, 40.0, 3.0, 0.0, 1.0, 0.0, 9.0];
    const RELEASES: u64 = 200;

    fn levels(epsilon: &str, design: &Design) -> Levels {
        let text = |word: &str| KeyValue::Text(word.to_owned());
        let rows = [["n", "1"], ["n", "2"], ["s", "1"], ["s", "2"], ["s", "3"], ["w", "1"]];
        let rows = rows.iter().map(|row| row.iter().map(|word| text(word)).collect()).collect();
        let keys = Keys::new(vec!["state".into(), "county".into()], rows).expect("keys");
        let names = ["all", "state", "county"].map(|name| Spanned::new(name.to_owned(), 0..0));
        let asked = plan::Levels { names: names.to_vec(), shares: Spanned::new(LevelShares::Even, 0..0) };
        let epsilon = Epsilon::new(epsilon.parse().expect("a number")).expect("positive");
        Levels::prepare(&asked, &keys, false, epsilon, design).expect("levels")
    }

    /// How often each count is outside its interval, where `stated` is what the noise is taken for.
    fn misses(levels: &Levels, stated: &Levels) -> [u32; 10] {
        let mut misses = [0; 10];
        for seed in 0..RELEASES {
            let measured = levels.measure(Answer::new(COUNTS.to_vec()), &mut SeededEntropy::from_seed(seed));
            let (estimates, _) = stated.estimate(&measured, 0.95, RELEASES + seed, &Silent);
            for ((misses, estimate), truth) in misses.iter_mut().zip(estimates).zip(TRUTH) {
                *misses += u32::from(truth < estimate.lower || truth > estimate.upper);
            }
        }
        misses
    }

    /// More than 24 misses of 200 at a level of 95 % have probability 3e-5, so ten counts raise a false alarm once in
    /// 3,000 seeds. Noise that is taken for half of what it is fails.
    #[test]
    fn intervals_cover_at_the_level() {
        let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
        let (levels, wrong) = (levels("1", &design), levels("2", &design));
        let right = misses(&levels, &levels);
        assert!(right.iter().all(|&misses| misses <= 24), "{right:?}");
        let wrong = misses(&levels, &wrong);
        assert!(wrong.iter().any(|&misses| misses > 24), "{wrong:?}");
    }

    #[test]
    fn counts_stay_within_the_public_number_of_rows() {
        let design = Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(53) };
        let levels = levels("0.3", &design);
        for seed in 0..20 {
            let measured = levels.measure(Answer::new(COUNTS.to_vec()), &mut SeededEntropy::from_seed(seed));
            let (estimates, projection) = levels.estimate(&measured, 0.95, seed, &Silent);
            assert_eq!(projection.solver.status, "optimal");
            let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
            assert!(values.iter().all(|value| (0.0..=53.0).contains(value) && value.fract() == 0.0), "{values:?}");
            assert_eq!(values[0], values[1..4].iter().sum::<f64>());
            assert_eq!(values[0], values[4..].iter().sum::<f64>());
            assert!(estimates.iter().all(|estimate| estimate.upper <= 53.0));
        }
    }

    #[test]
    fn noise_beyond_what_solvers_weigh_is_refused() {
        let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
        let epsilon = |text: &str| Epsilon::new(text.parse().expect("a number")).expect("positive");
        let keys = Keys::new(vec!["state".into()], vec![vec![KeyValue::Integer(1)], vec![KeyValue::Integer(2)]]);
        let names = ["all", "state"].map(|name| Spanned::new(name.to_owned(), 0..0));
        let asked = plan::Levels { names: names.to_vec(), shares: Spanned::new(LevelShares::LeastError, 0..0) };
        let keys = keys.expect("keys");
        for (text, accepted) in [("1e-13", false), ("1e-6", true), ("100", true), ("1000", false)] {
            let found = Levels::prepare(&asked, &keys, false, epsilon(text), &design);
            assert_eq!(found.is_ok(), accepted, "{text}");
            if let Err(error) = found {
                assert!(
                    error.to_string().contains("must have a scale between 0.0078125 and 1099511627776 rows"),
                    "{error}"
                );
            }
        }
    }
}
