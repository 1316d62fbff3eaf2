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
