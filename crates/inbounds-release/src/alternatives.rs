//! Gains of a plan by choices that it did not make, found by preparing it as if it had. No row is read.

use inbounds_bundle::{KindWord, MechanismGain, SharingGain};
use inbounds_core::Delta;
use inbounds_mechanisms::registry::{self, Entry};

use crate::{
    OpenedPlan,
    chosen::{self, can_have, ends},
    plan::{MechanismChoice, Plan, Sharing},
    sharing::{self, SharedNoise},
};

/// Smallest factor by which errors together must fall for another mechanism to be worth a sentence.
const WORTH_SAYING: f64 = 1.1;

/// Gains of the statistics at these places in another opened.
fn gains(own: &OpenedPlan, other: &OpenedPlan, places: &[usize]) -> Vec<f64> {
    let gain = |place: &usize| {
        let task = &own.tasks[*place];
        sharing::gain(&task.usual, &task.prepared, &other.tasks[*place].prepared)
    };
    places.iter().map(gain).collect()
}

/// Gain of a plan without shared noise by shared noise.
pub(crate) fn shared_noise(plan: &Plan, opened: &OpenedPlan) -> Vec<SharingGain> {
    if plan.privacy.together != Sharing::NONE || sharing::candidates(plan).is_empty() {
        return Vec::new();
    }
    let mut other = plan.clone();
    other.privacy.together = Sharing::Best;
    // What cannot be prepared so is no advice.
    let Ok((other, _)) = OpenedPlan::with_or_without_data(&other) else { return Vec::new() };
    let of_group = |shared: &SharedNoise| {
        let (least, most) = ends(&gains(opened, &other, &shared.statistics));
        SharingGain { statistics: plan.statistic_names(&shared.statistics), least, most }
    };
    other.together.iter().map(of_group).collect()
}

/// Gains by other mechanisms, for statistics that have the one of the plan.
pub(crate) fn mechanisms(plan: &Plan, opened: &OpenedPlan) -> Vec<MechanismGain> {
    noise(plan, opened).into_iter().chain(choice_by_ranks(plan, opened)).collect()
}

/// Gains of quantiles from counts of bins if one of the bins were chosen by ranks instead: those large enough to be
/// worth a sentence.
fn choice_by_ranks(plan: &Plan, opened: &OpenedPlan) -> Option<MechanismGain> {
    let gain = |place: usize| {
        let (statistic, task) = (&plan.statistics[place], &opened.tasks[place]);
        let is_from_counts = statistic.kind.word() == KindWord::Quantile
            && statistic.mechanism.value == MechanismChoice::Named(registry::default());
        if !is_from_counts || !statistic.want.is_empty() || !chosen::may_change(plan, place) {
            return None;
        }
        let gain = chosen::gain(plan, task, task.setting.delta.clone(), &registry::RANKS)?;
        Some((place, gain)).filter(|(_, gain)| *gain >= WORTH_SAYING)
    };
    let (places, gains): (Vec<usize>, Vec<f64>) = (0..plan.statistics.len()).filter_map(gain).unzip();
    let (least, most) = ends(&gains);
    (!places.is_empty()).then(|| MechanismGain {
        statistics: plan.statistic_names(&places),
        mechanism: registry::RANKS.plan_name.to_owned(),
        least,
        most,
    })
}

/// Gain by Laplace noise where the plan has Gaussian noise, or by Gaussian noise where it grants a delta and has none:
/// none if a statistic would lose.
///
/// Statistics that want an accuracy have their epsilon by it, and those with levels or margins have fits whose errors
/// are drawn: they stay as they are.
fn noise(plan: &Plan, opened: &OpenedPlan) -> Option<MechanismGain> {
    let may_change = |place: &usize| {
        let statistic = &plan.statistics[*place];
        chosen::may_change(plan, *place)
            && statistic.want.is_empty()
            && statistic.margins.is_none()
            && opened.shared_noise(*place).is_none()
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
    let can_have = |place: &usize| can_have(plan, &opened.tasks[*place], opened.grants.delta(*place), entry);
    let places: Vec<usize> = places.into_iter().filter(can_have).collect();
    if places.is_empty() {
        return None;
    }
    let mut other = plan.clone();
    places.iter().for_each(|place| other.statistics[*place].mechanism.value = MechanismChoice::Named(entry));
    let (other, _) = OpenedPlan::with_or_without_data(&other).ok()?;
    let gains = gains(opened, &other, &places);
    let (least, most) = ends(&gains);
    let mean = (gains.iter().map(|gain| gain.ln()).sum::<f64>() / gains.len() as f64).exp();
    (least >= 1.0 && mean >= WORTH_SAYING).then(|| MechanismGain {
        statistics: plan.statistic_names(&places),
        mechanism: entry.plan_name.to_owned(),
        least,
        most,
    })
}
