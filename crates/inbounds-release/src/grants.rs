//! Budget of each statistic of a plan, and cost of all of them together.
//!
//! # Law
//! Let `w_i` be the share of statistic `i`, or 1 where the plan gives no shares. A way to distinguish rows, by one
//! column or not at all, is a family of classes of statistics; all statistics that a row can count in are in one of
//! them. The plan goes by the way with the least `W = max over the classes C of sum over i in C of w_i`, the first of
//! several: no column, then columns in the order in which conditions and keys name them. With shares `W <= 1` is
//! required, and `s_i = w_i`; without, `s_i = 1 / max over the classes C with i in C of |C|`. Either way the sum of
//! `s_i` over a class is at most 1.
//!
//! Where statistics want an accuracy, their `s_i` follow from what they need ([`wants`](mod@crate::wants)). The way is
//! then one with the least sum of these over a class, and of such the one with the least `W` of the others, whose `s_i`
//! as above are of `1 - max over the classes C with i in C of the sum over C of what is needed`.
//!
//! A statistic has `s_i (1 - d)` of epsilon, where diagnostics, which are about all rows, have the part `d` of epsilon,
//! and `s_i` of delta; but one whose keys are learned has of delta what Gaussian noise leaves, in proportion to the
//! shares of such statistics,
//!
//! ```text
//! s_i min over the classes C with i in C of (1 - G(C)) / L(C),
//! ```
//!
//! with `G(C)` and `L(C)` the sums of `s_j` over the statistics of the class with Gaussian noise, and with learned
//! keys. That is at least `s_i`, as `G(C) + L(C) <= 1`, and all that is spent in a class is at most `delta`. The
//! release costs the largest cost of a class with the diagnostics (parallel composition, McSherry 2009). Where a unit
//! is not one row, or may be replaced, no column distinguishes units, and everything adds.

use inbounds_bundle::ApartEntry;
use inbounds_core::{
    Delta, Epsilon, Guarantee, Partition, Rational, Region,
    planted::{Defect, planted},
};
use inbounds_mechanisms::account::{self, Event, OverBudget};

use crate::{
    plan::{Mistake, Plan},
    wants::Needs,
};

/// Exact epsilon and delta that a release costs: what any row can lose by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The largest sum of the epsilons of statistics that a row can count in together.
    pub epsilon: Rational,
    /// Likewise of the deltas.
    pub delta: Rational,
}

/// Budget of each statistic of a plan, by the rows that it is about.
///
/// # References
/// McSherry (2009), parallel composition. Claim: `plan-parallel`.
///
/// # Example
/// ```
/// # use inbounds_core::Region;
/// # use inbounds_release::{Grants, plan::Plan};
/// # let text = "data.path = 'a.parquet'\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 1\n\
/// #     [[statistic]]\nname = 'a'\nkind = 'count'\nshare = 0.1\n[[statistic]]\nname = 'b'\nkind = 'count'\nshare = '1/3'";
/// # let plan = Plan::parse(text, ".".as_ref())?;
/// // epsilon = 1, and the two statistics have share = 0.1 and share = "1/3"; any row can count in both.
/// let everywhere = Region::default();
/// let (grants, mistake) = Grants::for_rows(&plan, &[&everywhere, &everywhere]);
/// assert!(mistake.is_none());
/// assert_eq!(grants.epsilon(0).to_string(), "0.1");
/// assert_eq!(grants.epsilon(1).to_string(), "1/3");
/// # Ok::<(), inbounds_release::plan::DocumentErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Grants {
    /// Of what diagnostics leave, one a statistic.
    shares: Vec<Rational>,
    /// Of delta, one a statistic.
    of_delta: Vec<Rational>,
    /// The statistics that a row can count in together.
    together: Partition,
    epsilon: Epsilon,
    /// The part of epsilon that diagnostics leave.
    left: Rational,
    delta: Delta,
}

impl Grants {
    /// Budgets of statistics about these rows, one region each; and the mistake in their shares, if there is one: such
    /// grants are only good to look for more mistakes.
    ///
    /// # Panics
    /// Unless there is a region for each statistic.
    pub fn for_rows(plan: &Plan, rows: &[&Region]) -> (Self, Option<Mistake>) {
        let one = || Epsilon::new(Rational::ONE).expect("one is positive");
        let granted = plan.privacy.epsilon.value.given().cloned().unwrap_or_else(one);
        Self::with(plan, rows, &Needs { granted, by_statistic: vec![None; rows.len()] })
    }

    /// The same, where statistics have what they need first.
    ///
    /// # Panics
    /// Unless there is a region for each statistic.
    pub(crate) fn with(plan: &Plan, rows: &[&Region], needs: &Needs) -> (Self, Option<Mistake>) {
        assert_eq!(rows.len(), plan.statistics.len(), "one region a statistic");
        let left = Self::left_by_diagnostics(plan);
        let available = needs.granted.value() * &left;
        let needed = |place: usize| needs.by_statistic[place].as_ref().map(|need| need.value() / &available);
        let need = |place: usize| needed(place).unwrap_or(Rational::ZERO);
        let given = |place: usize| plan.statistics[place].share.as_ref().map(|share| share.value.clone());
        let weight = |place: usize| match needs.by_statistic[place] {
            Some(_) => Rational::ZERO,
            None => given(place).unwrap_or(Rational::ONE),
        };
        let ways = plan.privacy.composition().ways_within(rows).into_iter();
        let worst = ways.map(|way| ((way.largest(need), way.largest(weight)), way));
        let least = worst.reduce(|least, way| if way.0 < least.0 { way } else { least });
        let (_, together) = least.expect("all together is one way");
        let mistake = excess(plan, &together);
        let equal = |classes: &[&Vec<usize>]| {
            let sizes =
                classes.iter().map(|class| class.iter().filter(|place| needs.by_statistic[**place].is_none()).count());
            Rational::ratio(1, sizes.max().unwrap_or(1).max(1) as u128)
        };
        let share = |place: usize| {
            if let Some(needed) = needed(place) {
                return needed;
            }
            let own: Vec<&Vec<usize>> = together.classes.iter().filter(|class| class.contains(&place)).collect();
            let taken = |class: &&Vec<usize>| class.iter().fold(Rational::ZERO, |sum, place| &sum + &need(*place));
            let taken = own.iter().map(taken).max().unwrap_or(Rational::ZERO);
            // A share above the total is a mistake; until it is reported, the total stands for it.
            let of_rest = given(place).map_or_else(|| equal(&own), |share| share.min(Rational::ONE));
            &(&Rational::ONE - &taken) * &of_rest
        };
        let shares: Vec<Rational> = (0..rows.len()).map(share).collect();
        let of_delta = parts_of_delta(plan, &shares, &together);
        let (epsilon, delta) = (needs.granted.clone(), plan.privacy.delta.value.clone());
        (Self { shares, of_delta, together, epsilon, left, delta }, mistake)
    }

    /// The part of epsilon that diagnostics leave.
    pub(crate) fn left_by_diagnostics(plan: &Plan) -> Rational {
        let charged = plan.privacy.diagnostics.as_ref().filter(|_| !planted(Defect::DiagnosticsFree));
        &Rational::ONE - &charged.map_or(Rational::ZERO, |share| share.value.clone())
    }

    /// The epsilon of the whole release: what the plan gives or, where it is to be found, what its wants need.
    pub fn granted(&self) -> &Epsilon {
        &self.epsilon
    }

    /// The epsilon of a statistic, by its place in the plan, exactly.
    pub fn epsilon(&self, statistic: usize) -> Epsilon {
        let part = &self.left * &self.shares[statistic];
        self.epsilon.share(&part).expect("the reader lets only positive shares pass")
    }

    /// The delta of a statistic, by the same share, or by what is left where its keys are learned. Only what needs one
    /// spends it.
    pub fn delta(&self, statistic: usize) -> Delta {
        Delta::new(self.delta.value() * &self.of_delta[statistic]).expect("a part of a delta is a delta")
    }

    /// The statistics that a row can count in together, by their places in the plan.
    pub fn together(&self) -> &Partition {
        &self.together
    }

    /// Cost of the release, from the events of each statistic, and of the measurements about all rows.
    pub(crate) fn cost(
        &self,
        of_statistics: &[Vec<Event>],
        of_all: &[Event],
        granted: &Guarantee,
    ) -> Result<Spent, OverBudget> {
        let mut most = Spent { epsilon: Rational::ZERO, delta: Rational::ZERO };
        for class in &self.together.classes {
            let events = class.iter().flat_map(|place| &of_statistics[*place]).chain(of_all);
            let events: Vec<Event> = events.cloned().collect();
            // A class may be empty, where all statistics of a plan are refused: it has no part of epsilon to be within.
            if events.is_empty() {
                continue;
            }
            let cost = account::within(&events, &self.granted_to(class, granted))?;
            let (epsilon, delta) =
                cost.epsilon_delta().expect("a plan grants epsilon and delta, and costs are stated alike");
            most = Spent { epsilon: most.epsilon.max(epsilon), delta: most.delta.max(delta) };
        }
        Ok(most)
    }

    /// A class's part of the total. Rhos are stated at an epsilon, and parts that are not spent are none of it.
    fn granted_to(&self, class: &[usize], granted: &Guarantee) -> Guarantee {
        let diagnostics = &Rational::ONE - &self.left;
        let part = class.iter().fold(diagnostics, |sum, place| &sum + &(&self.left * &self.shares[*place]));
        match granted {
            Guarantee::Approximate { delta, .. } => Guarantee::Approximate {
                epsilon: self.epsilon.share(&part).expect("a class has a part of epsilon"),
                delta: delta.clone(),
            },
            Guarantee::Pure { .. } | Guarantee::ZeroConcentrated { .. } => granted.clone(),
        }
    }

    /// Which statistics are kept apart, if some are.
    pub(crate) fn apart(&self, plan: &Plan) -> Option<ApartEntry> {
        let name = |place: &usize| plan.statistics[*place].name.value.clone();
        let class = |class: &Vec<usize>| class.iter().map(name).collect();
        let column = self.together.column.clone()?;
        Some(ApartEntry { column, classes: self.together.classes.iter().map(class).collect() })
    }
}

/// The part of delta that each statistic may spend, from the shares of all.
fn parts_of_delta(plan: &Plan, shares: &[Rational], together: &Partition) -> Vec<Rational> {
    let learns = |place: &usize| {
        plan.statistics[*place].learn_keys.value.is_some() && plan.statistics[*place].spurious.is_none()
    };
    let spends = |place: &usize| plan.statistics[*place].spends_delta();
    let sum = |class: &[usize], includes: &dyn Fn(&usize) -> bool| {
        class.iter().filter(|place| includes(place)).fold(Rational::ZERO, |sum, place| &sum + &shares[*place])
    };
    let left = |class: &[usize]| &(&Rational::ONE - &sum(class, &spends)) / &sum(class, &learns);
    let part = |place: usize| {
        let own = together.classes.iter().filter(|class| learns(&place) && class.contains(&place));
        // Shares that are too much together are a mistake; until it is told, what is left is not less than the share.
        let times = own.map(|class| left(class)).min().map_or(Rational::ONE, |left| left.max(Rational::ONE));
        (&shares[place] * &times).min(Rational::ONE)
    };
    (0..shares.len()).map(part).collect()
}

/// The shares that are too much together, if there are such.
fn excess(plan: &Plan, together: &Partition) -> Option<Mistake> {
    together.classes.iter().find_map(|class| {
        let mut total = Rational::ZERO;
        let mut first_over = None;
        for share in class.iter().filter_map(|place| plan.statistics[*place].share.as_ref()) {
            total = &total + &share.value;
            if total > Rational::ONE && first_over.is_none() {
                first_over = Some(share.span.clone());
            }
        }
        let names = class.iter().map(|place| format!("`{}`", plan.statistics[*place].name.value));
        let whose = match &together.column {
            None => String::new(),
            Some(_) => format!(" of {}", names.collect::<Vec<_>>().join(", ")),
        };
        let why = match &together.column {
            None => String::new(),
            Some(column) => format!(": as far as `{column}` tells, a row can count in all of them"),
        };
        let message = format!("the shares{whose} must add up to at most 1, got {total}{why}");
        let help = format!("lower the shares by {} in all", &total - &Rational::ONE);
        first_over.map(|span| plan.mistake(span, message, Some(help)))
    })
}
