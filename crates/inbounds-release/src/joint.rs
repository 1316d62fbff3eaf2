//! Gaussian noise of one plan, accounted for together.
//!
//! # Law
//! Let `e_c` and `d_c` be the parts of epsilon and delta of the vectors `c` that are measured with Gaussian noise, and
//! `E` and `D` the sums of `e_c` and `d_c` over a class `C` of vectors that one row can count in together. The class
//! gets the largest rate `r(C)` for which vectors of `rho_c = r(C) w_c` are proved to cost at most `D` at `E` together,
//! by the law of the noise ([`largest_precision`]), and vector `c` the
//!
//! ```text
//! rho_c = w_c min over the classes C with c in C of r(C),
//! ```
//!
//! rounded down. More noise costs no more, so that each class costs at most `(E, D)`, as it would one by one.
//! The weight of the one vector of a statistic with the epsilon `e` is `w = e^2`, so that its standard deviation stays
//! proportional to `1 / e`. With `n` equal parts it falls by about `sqrt(n)`. A statistic of several vectors divides
//! `e^2` over them as it divides `e`, `w_c = e e_c`, so that what it has of the rho of the plan does not depend on how
//! many they are; levels and margins, whose parts are those of noise, have `w_c = e_c^2`. Numbers that several
//! statistics share have equal parts of what these have together (`sharing/`).
//!
//! Vectors of statistics that share no class, not even by way of others, are one group each. A group is accounted for
//! together only where each of its vectors needs less noise then: one number alone has a sharper account of its own.

use inbounds_bundle::{Exact, JointEntry};
use inbounds_core::{Delta, Epsilon, Guarantee, Partition, Rational, Sensitivity};
use inbounds_mechanisms::{
    calibrate::gaussian::{GaussianAccount, GaussianVector, largest_precision},
    noise::GridNoise,
};
use inbounds_statistics::Component;

use crate::{plan::Plan, prepared_statistic::CalibratedStatistic, sharing::SharedNoise};

/// Statistics whose Gaussian noise is accounted for together.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Their places in the plan.
    pub statistics: Vec<usize>,
    /// Of each, the rho of a vector of weight one.
    pub(crate) rates: Vec<Rational>,
    /// The largest sum of rhos of vectors that a row can count in together.
    pub rho: Rational,
    /// By which theorem: the sharper one, where classes differ.
    pub account: GaussianAccount,
    /// The largest part of the standard deviation that is left of that one by one.
    pub noise: f64,
}

/// The parts of a vector, and its variance one by one.
struct Vector {
    epsilon: Rational,
    delta: Rational,
    /// Its rho at the rate one.
    weight: Rational,
    sensitivity: Sensitivity,
    variance: Rational,
}

impl Vector {
    /// Its rho at a rate.
    fn rho(&self, rate: &Rational) -> Rational {
        rate * &self.weight
    }

    /// The variance that gives it this rho.
    fn variance_at(&self, rate: &Rational) -> Rational {
        &self.sensitivity.l2_squared() / &(&self.rho(rate) * &Rational::from(2u128))
    }
}

/// The vectors of the statistic at `place`, if all have Gaussian noise, calibrated one by one; none if not. Of numbers
/// that it shares those that no statistic before it has.
fn vectors(place: usize, prepared: &CalibratedStatistic, together: &[SharedNoise]) -> Option<Vec<Vector>> {
    let shared = SharedNoise::of_statistic(together, place);
    let vector = |component: &Component| {
        let mechanism = &component.mechanism;
        match (mechanism.noise(), mechanism.guarantee()) {
            (GridNoise::Gaussian(law), Guarantee::Approximate { epsilon, delta }) if mechanism.adds_noise() => {
                let weight = match (shared, prepared) {
                    (Some(shared), _) => shared.weight(),
                    (None, CalibratedStatistic::Levels(_)) => epsilon.value() * epsilon.value(),
                    (None, _) => epsilon.value() * prepared.epsilon().value(),
                };
                Some(Vector {
                    epsilon: epsilon.value().clone(),
                    delta: delta.value().clone(),
                    weight,
                    sensitivity: mechanism.sensitivity().clone(),
                    variance: law.sigma_squared().clone(),
                })
            }
            _ => None,
        }
    };
    let components = prepared.components();
    match shared {
        Some(shared) => shared.own_numbers(place).map(|component| vector(components[component])).collect(),
        None => components.into_iter().map(vector).collect(),
    }
}

/// The groups of statistics, prepared one by one and in plan order, that need less noise together. One that is not
/// prepared is in none.
pub(crate) fn groups<'p>(
    statistics: impl Iterator<Item = Option<&'p CalibratedStatistic>>,
    shared: &[SharedNoise],
    together: &Partition,
) -> Vec<Joint> {
    let vectors: Vec<Option<Vec<Vector>>> =
        statistics.enumerate().map(|(place, prepared)| vectors(place, prepared?, shared)).collect();
    let gaussian = |place: &usize| vectors[*place].is_some();
    let classes: Vec<Vec<usize>> =
        together.classes.iter().map(|class| class.iter().copied().filter(gaussian).collect()).collect();
    let linked = linked(classes);
    linked.into_iter().filter_map(|classes| joint(&classes, &vectors)).collect()
}

/// Classes in groups without a common member.
fn linked(classes: Vec<Vec<usize>>) -> Vec<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<Vec<usize>>> = Vec::new();
    for class in classes.into_iter().filter(|class| !class.is_empty()) {
        let meets = |group: &Vec<Vec<usize>>| group.iter().flatten().any(|place| class.contains(place));
        let (met, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
        groups = others;
        groups.push(met.into_iter().flatten().chain([class]).collect());
    }
    groups
}

/// A group together; none where that is not less noise for each vector.
fn joint(classes: &[Vec<usize>], vectors: &[Option<Vec<Vector>>]) -> Option<Joint> {
    let vectors_at = |place: usize| vectors[place].iter().flatten();
    let rate_of_class = |class: &Vec<usize>| {
        let sum = |part: &dyn Fn(&Vector) -> Rational| {
            class.iter().flat_map(|place| vectors_at(*place)).fold(Rational::ZERO, |sum, vector| &sum + &part(vector))
        };
        let epsilon = Epsilon::new(sum(&|vector| vector.epsilon.clone())).ok()?;
        let delta = Delta::new(sum(&|vector| vector.delta.clone())).ok()?;
        let at_one = |vector: &Vector| GaussianVector::new(&vector.sensitivity, vector.variance_at(&Rational::ONE));
        let vectors: Vec<_> = class.iter().flat_map(|place| vectors_at(*place)).map(at_one).collect();
        let (rate, account) = largest_precision(&vectors, &epsilon, &delta)?;
        Some((Rational::from_f64(rate.to_f64_down())?, account))
    };
    let rates: Vec<(Rational, GaussianAccount)> = classes.iter().map(rate_of_class).collect::<Option<_>>()?;
    let smoothed = rates.iter().any(|(_, account)| *account == GaussianAccount::Smoothed);
    let account = if smoothed { GaussianAccount::Smoothed } else { GaussianAccount::ZeroConcentrated };
    let mut statistics: Vec<usize> = classes.iter().flatten().copied().collect();
    statistics.sort_unstable();
    statistics.dedup();
    let rate = |place: &usize| {
        let own = classes.iter().zip(&rates).filter(|(class, _)| class.contains(place));
        own.map(|(_, (rate, _))| rate.clone()).min()
    };
    let rates: Vec<Rational> = statistics.iter().map(rate).collect::<Option<_>>()?;
    let mut noise = 0.0_f64;
    for (place, rate) in statistics.iter().zip(&rates) {
        for vector in vectors_at(*place) {
            let variance = vector.variance_at(rate);
            if variance >= vector.variance {
                return None;
            }
            noise = noise.max((&variance / &vector.variance).to_f64_up().sqrt());
        }
    }
    let of_class = |class: &Vec<usize>| {
        let members = statistics.iter().zip(&rates).filter(|(place, _)| class.contains(place));
        let rhos = members.flat_map(|(place, rate)| vectors_at(*place).map(|vector| vector.rho(rate)));
        rhos.fold(Rational::ZERO, |sum, rho| &sum + &rho)
    };
    let rho = classes.iter().map(of_class).max()?;
    Some(Joint { statistics, rates, rho, account, noise })
}

impl Joint {
    /// Its rate, if the statistic is one of these.
    pub(crate) fn rate(&self, statistic: usize) -> Option<&Rational> {
        let place = self.statistics.binary_search(&statistic).ok()?;
        Some(&self.rates[place])
    }

    /// The public record.
    pub(crate) fn entry(&self, plan: &Plan) -> JointEntry {
        JointEntry {
            statistics: plan.statistic_names(&self.statistics),
            account: self.account.into(),
            rho: Exact(self.rho.clone()),
            noise: self.noise,
        }
    }
}
