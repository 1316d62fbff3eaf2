//! Tests for a released model that says no more than noise.

use inbounds_mechanisms::sampler::SeededEntropy;

use super::{Bayes, accuracy::measure};
use crate::{Doubt, Simulated, second_moments::OnGrid};

/// Draws of a model of classes that do not differ.
const DRAWS: u32 = 200;

/// Of this many draws one may be further apart than the released classes.
const ONE_IN: u32 = 20;

/// The doubts about a model, from its measurements alone.
pub(super) fn find(bayes: &Bayes, measured: &[&[i128]]) -> Vec<Doubt> {
    let point = bayes.point(measured);
    let mut doubts = Vec::new();
    if like_noise(bayes, &point) {
        doubts.push(Doubt::ClassesLikeNoise);
    }
    let features = bayes.features().len();
    let mut variances = 0;
    for outputs in point.chunks(bayes.stride()) {
        for (j, column) in bayes.features().enumerate() {
            let (rows, deviation) = (outputs[2 * features].max(1.0), outputs[j] - column.middle());
            let variance = outputs[features + j];
            variances += usize::from(bayes.sums.noise(j, rows, deviation, variance).1 > variance);
        }
    }
    if variances > 0 {
        doubts.push(Doubt::VariancesLikeNoise { variances, total: features * bayes.sums.cells() });
    }
    doubts
}

/// `true` if classes with the same means, and otherwise like the estimates, are as far apart in one of twenty draws of
/// the noise.
fn like_noise(bayes: &Bayes, point: &[f64]) -> bool {
    let (stride, features) = (bayes.stride(), bayes.features().len());
    let mut same = point.to_vec();
    for j in 0..features {
        let mean = common_mean(bayes, point, j);
        same.iter_mut().skip(j).step_by(stride).for_each(|value| *value = mean);
    }
    let mut entropy = SeededEntropy::from_seed(0);
    let measured = separation(bayes, point);
    let as_far = (0..DRAWS).filter(|_| {
        let drawn = measure(bayes, &same, &mut entropy);
        let drawn: Vec<&[i128]> = drawn.iter().map(Vec::as_slice).collect();
        separation(bayes, &bayes.point(&drawn)) >= measured
    });
    as_far.count() as u32 > DRAWS / ONE_IN
}

/// The mean of a feature over all rows.
fn common_mean(bayes: &Bayes, point: &[f64], feature: usize) -> f64 {
    let features = bayes.features().len();
    let (mut sum, mut rows) = (0.0, 0.0);
    for outputs in point.chunks(bayes.stride()) {
        let here = outputs[2 * features].max(1.0);
        sum += here * outputs[feature];
        rows += here;
    }
    sum / rows
}

/// Squared distances of the classes' means from the common one, each in units of its noise, added up.
fn separation(bayes: &Bayes, point: &[f64]) -> f64 {
    let features = bayes.features().len();
    let of_feature = |(j, column): (usize, &OnGrid)| {
        let common = common_mean(bayes, point, j);
        let of_class = |outputs: &[f64]| {
            let (rows, deviation) = (outputs[2 * features].max(1.0), outputs[j] - column.middle());
            let noise = bayes.sums.noise(j, rows, deviation, outputs[features + j]).0;
            ((outputs[j] - common) / noise).powi(2)
        };
        point.chunks(bayes.stride()).map(of_class).sum::<f64>()
    };
    bayes.features().enumerate().map(of_feature).sum()
}
