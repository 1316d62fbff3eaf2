//! What a plan would gain by choices that it did not make, found by preparing it as if it had. No row is read.

use inbounds_bundle::{MechanismGain, SharingGain};
use inbounds_core::Delta;
use inbounds_mechanisms::registry::{self, Entry};

use crate::{
    Outline,
    chosen::{self, can_have},
    plan::{MechanismChoice, Plan, Sharing},
    sharing::{self, SharedNoise},
};

/// How many times less statistics must err together for another mechanism to be worth a sentence.
const WORTH_SAYING: f64 = 1.1;

/// The least and the largest of some gains.
pub(crate) fn ends(gains: &[f64]) -> (f64, f64) {
    gains.iter().fold((f64::INFINITY, 0.0), |(least, most), gain| (least.min(*gain), gain.max(most)))
}

/// What the statistics at these places gain in another outline.
fn gains(own: &Outline, other: &Outline, places: &[usize]) -> Vec<f64> {
    let gain = |place: &usize| sharing::gain(&own.tasks[*place].prepared, &other.tasks[*place].prepared);
    places.iter().map(gain).collect()
}

pub(crate) fn names(plan: &Plan, places: &[usize]) -> Vec<String> {
    places.iter().map(|place| plan.statistics[*place].name.value.clone()).collect()
}

/// What a plan without shared noise would gain by it.
pub(crate) fn shared_noise(plan: &Plan, outline: &Outline) -> Vec<SharingGain> {
    if plan.privacy.together != Sharing::NONE || sharing::candidates(plan).is_empty() {
        return Vec::new();
    }
    let mut other = plan.clone();
    other.privacy.together = Sharing::Best;
    // What cannot be prepared so is no advice.
    let Ok((other, _)) = Outline::with_or_without_data(&other) else { return Vec::new() };
    let of_group = |shared: &SharedNoise| {
        let (least, most) = ends(&gains(outline, &other, &shared.statistics));
        SharingGain { statistics: names(plan, &shared.statistics), least, most }
    };
    other.together.iter().map(of_group).collect()
}

/// What Laplace noise would gain where the plan has Gaussian noise, or Gaussian noise where it grants a delta and has none: none if a
/// statistic would lose.
///
/// Statistics that want an accuracy have their epsilon by it, and those with levels or margins have fits whose errors are drawn: they stay as
/// they are.
pub(crate) fn mechanism(plan: &Plan, outline: &Outline) -> Option<MechanismGain> {
    let may_change = |place: &usize| {
        let statistic = &plan.statistics[*place];
        chosen::may_change(plan, *place)
            && statistic.want.is_empty()
            && statistic.margins.is_none()
            && outline.shared_noise(*place).is_none()
    };
    let such = |entry: &'static Entry| -> Vec<usize> {
        let has = |place: &usize| plan.statistics[*place].mechanism.value == MechanismChoice::Named(entry);
        (0..plan.statistics.len()).filter(has).filter(may_change).collect()
    };
    let gaussian = chosen::gaussian()?;
    let (places, entry) = match such(gaussian) {
        places if !places.is_empty() => (places, registry::default()),
        _ if plan.privacy.delta.value == Delta::ZERO => return None,
        _ => (such(registry::default()), gaussian),
    };
    let can_have = |place: &usize| can_have(plan, &outline.tasks[*place], outline.grants.delta(*place), entry);
    let places: Vec<usize> = places.into_iter().filter(can_have).collect();
    if places.is_empty() {
        return None;
    }
    let mut other = plan.clone();
    places.iter().for_each(|place| other.statistics[*place].mechanism.value = MechanismChoice::Named(entry));
    let (other, _) = Outline::with_or_without_data(&other).ok()?;
    let gains = gains(outline, &other, &places);
    let (least, most) = ends(&gains);
    let mean = (gains.iter().map(|gain| gain.ln()).sum::<f64>() / gains.len() as f64).exp();
    (least >= 1.0 && mean >= WORTH_SAYING).then(|| MechanismGain {
        statistics: names(plan, &places),
        mechanism: entry.plan_name.to_owned(),
        least,
        most,
    })
}
