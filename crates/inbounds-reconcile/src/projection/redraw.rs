//! The noise of all measurements drawn again, many at a time.
//!
//! Measurements side by side mostly differ in their node alone. They are put together once, so that a replicate reads
//! little more than the truth. Draws are in the order of the measurements, however these are put together.

use super::{
    measured::Measured,
    model::Model,
    noise::{Draws, Law},
};

/// Draws that are at hand at a time.
const BLOCK: usize = 1024;

/// One measurement of each of some nodes side by side, with noise that is the same in law and in what it does to the
/// node.
struct Run {
    first: usize,
    nodes: usize,
    law: Law,
    scale: f64,
    step: f64,
    /// Contribution of a unit of noise to the pooled measurements of the node. Their error is the mean of errors by
    /// weight, and the weight of all is one over the pooled variance.
    share: f64,
}

impl Run {
    fn ends_at(&self, node: usize) -> bool {
        self.first + self.nodes == node
    }

    fn noise(&self) -> (Law, f64, f64, f64) {
        (self.law, self.scale, self.step, self.share)
    }
}

/// Data for fresh draws of all noise.
pub(super) struct Redraw<'a> {
    truth: &'a [f64],
    runs: Vec<Run>,
    /// Nodes known exactly, with their values.
    exact: Vec<(usize, f64)>,
}

impl<'a> Redraw<'a> {
    /// Of the measurements of these `nodes`, around a truth.
    pub(super) fn new(model: &Model, nodes: &[u32], measured: &[Measured], truth: &'a [f64]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (&node, measured) in nodes.iter().zip(measured) {
            let (first, (law, scale), step) = (node as usize, measured.law(), measured.step);
            let share = model.variance[first] / measured.variance;
            match runs.last_mut() {
                Some(run) if run.ends_at(first) && run.noise() == (law, scale, step, share) => run.nodes += 1,
                _ => runs.push(Run { first, nodes: 1, law, scale, step, share }),
            }
        }
        let exact =
            (0..model.nodes()).filter(|&node| model.exact(node)).map(|node| (node, model.value[node])).collect();
        Self { truth, runs, exact }
    }

    /// The truth with fresh noise, pooled; exact nodes keep their value.
    pub(super) fn noisy(&self, seed: u64) -> Vec<f64> {
        let mut draws = Draws::from_seed(seed);
        let (mut value, mut room) = (self.truth.to_vec(), [0.0; BLOCK]);
        for &Run { first, nodes, law, scale, step, share } in &self.runs {
            for block in value[first..first + nodes].chunks_mut(BLOCK) {
                let noise = &mut room[..block.len()];
                draws.fill(law, scale, noise);
                block.iter_mut().zip(noise).for_each(|(value, noise)| *value += step * *noise * share);
            }
        }
        for &(node, exact) in &self.exact {
            value[node] = exact;
        }
        value
    }
}
