//! From wanted accuracy to epsilon: what each statistic needs, and the least epsilon that is enough for all.
//!
//! # Law
//! `e_i` is the least decimal of four significant digits at which the error of statistic `i`, calibrated to it, is at
//! most what is wanted ([`least`](mod@least)). No row is read for it. Where the plan gives an epsilon `N`, of which
//! diagnostics leave `N (1 - d)`, the share of `i` is `e_i / (N (1 - d))`. Where epsilon is to be found, it is
//!
//! ```text
//! N >= f(N) = W(e) / (1 - d),
//! W(e) = min over the ways to distinguish rows of max over the classes C of sum over i in C of e_i,
//! ```
//!
//! rounded up to the decimal of fewest digits that is at most 0.5 % above. Statistics that spend delta have the same
//! share of it as of epsilon, so that their `e_i` grow a little with `N`; then `N` is refined until
//! `f(N) <= N <= 1.006 f(N)`. Noise that is accounted for together is less; the `e_i` are then lowered until it is as
//! much as was wanted.
//!
//! - `together`: less for Gaussian noise that is accounted for together; `short_decimal`: candidate epsilons; `least`:
//!   one epsilon; `refused`: wants that nothing meets.

mod least;
mod refused;
mod short_decimal;
mod together;

use inbounds_bundle::{EpsilonOrigin, MomentsEntry, WantEntry, WantedError, WantsEntry};
use inbounds_core::{Delta, Epsilon, Partition, Rational};
use inbounds_statistics::{ErrorDependence, ImpossibleMoments, MomentRegion, Scenario, WorstError};

use crate::{
    coverage::Coverage,
    levels::Granularity,
    plan::{GrantedEpsilon, Mistake, Plan, Spanned, Statistic, Want},
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
};
use least::Least;

/// Needs of the plan's wanted accuracies, by a grant that is enough for them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Needs {
    /// Epsilon of the whole release.
    pub(crate) granted: Epsilon,
    /// Of each statistic the least epsilon that it needs; none for one that wants nothing.
    pub(crate) by_statistic: Vec<Option<Epsilon>>,
}

/// Search for the least epsilons whose errors meet the wants of a plan; statistics are calibrated to candidates.
pub(crate) struct BudgetSearch<'a> {
    pub(crate) plan: &'a Plan,
    /// The ways to distinguish rows.
    pub(crate) ways: Vec<Partition>,
    /// The part of epsilon that diagnostics leave.
    pub(crate) left: Rational,
    /// A statistic, by its place in the plan, calibrated to an epsilon and a delta.
    pub(crate) prepare: &'a Prepare<'a>,
    /// The same of all statistics with Gaussian noise, accounted for together, by what wants need.
    pub(crate) prepare_together: &'a PrepareTogether<'a>,
}

/// Calibrates one statistic.
pub(crate) type Prepare<'a> = dyn Fn(usize, Epsilon, Delta) -> Result<CalibratedStatistic, Mistake> + 'a;

/// Calibrates those with Gaussian noise; none for another.
pub(crate) type PrepareTogether<'a> = dyn Fn(&Needs) -> Result<Vec<Option<CalibratedStatistic>>, Mistake> + 'a;

/// Largest relative amount by which the least epsilon is rounded up.
const ROUNDING_SLACK: (i128, u128) = (1, 200);

/// Largest ratio of the least epsilon to its lower bound, the need that it was rounded up from.
const MAX_RATIO_TO_NEED: (i128, u128) = (1006, 1000);

/// Times that it is refined at most.
const MAX_REFINEMENTS: usize = 12;

impl BudgetSearch<'_> {
    /// Needs of the wanted accuracies; `None` where nothing is wanted.
    ///
    /// # Errors
    /// What is wrong with a want, all wants that need more than there is, and what keeps a statistic from being
    /// prepared.
    pub(crate) fn needs(&self) -> Result<Option<Needs>, Vec<Mistake>> {
        if self.plan.statistics.iter().all(|statistic| statistic.want.is_empty()) {
            return Ok(None);
        }
        match &self.plan.privacy.epsilon.value {
            GrantedEpsilon::Least => self.least_needs().map(Some),
            GrantedEpsilon::Given(granted) => {
                let needs = Needs { granted: granted.clone(), by_statistic: self.needed(granted)? };
                let needs = self.together(needs).map_err(|mistake| vec![mistake])?;
                if self.is_enough(&needs) {
                    return Ok(Some(needs));
                }
                let enough = self.least_needs()?;
                Err(vec![refused::too_little(self.plan, &needs, &enough)])
            }
        }
    }

    /// `true` if all have what they need, and those that want nothing have something left.
    fn is_enough(&self, needs: &Needs) -> bool {
        let left = needs.granted.value() * &self.left;
        let (need, others) = (self.total(&needs.by_statistic), needs.by_statistic.iter().any(Option::is_none));
        if others { need < left } else { need <= left }
    }

    /// The most that statistics need that a row can count in together.
    fn total(&self, needed: &[Option<Epsilon>]) -> Rational {
        let need = |place: usize| needed[place].as_ref().map_or(Rational::ZERO, |need| need.value().clone());
        self.ways.iter().map(|way| way.largest(need)).min().unwrap_or(Rational::ZERO)
    }

    /// Each statistic's need, given this total epsilon.
    fn needed(&self, granted: &Epsilon) -> Result<Vec<Option<Epsilon>>, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let mut needed = Vec::new();
        for (place, statistic) in self.plan.statistics.iter().enumerate() {
            let each = statistic.want.iter().map(|want| self.least(place, statistic, want, granted));
            let (epsilons, refused): (Vec<_>, Vec<_>) = each.partition(Result::is_ok);
            mistakes.extend(refused.into_iter().filter_map(Result::err));
            // What is enough for the dearest of its wants is enough for all.
            needed.push(epsilons.into_iter().flatten().max());
        }
        if mistakes.is_empty() { Ok(needed) } else { Err(mistakes) }
    }

    /// The least epsilon that a statistic needs for one of its wants.
    fn least(
        &self,
        place: usize,
        statistic: &Statistic,
        want: &Spanned<Want>,
        granted: &Epsilon,
    ) -> Result<Epsilon, Mistake> {
        let most = want.value.most.to_f64_down();
        let least = least::least(most, |epsilon| {
            let prepared = (self.prepare)(place, epsilon.clone(), self.delta(epsilon, granted))?;
            error(&prepared, Coverage::for_statistic(statistic), &want.value)
                .map_err(|why| refused::unknown(self.plan, statistic, want, why))
        })?;
        match least {
            Least::Found(epsilon) => Ok(epsilon),
            Least::Never { error } => Err(refused::never(self.plan, statistic, want, error)),
        }
    }

    /// The delta that goes with an epsilon.
    fn delta(&self, epsilon: &Epsilon, granted: &Epsilon) -> Delta {
        let share = (epsilon.value() / &(granted.value() * &self.left)).min(Rational::ONE);
        Delta::new(self.plan.privacy.delta.value.value() * &share).expect("a part of a delta is one")
    }

    /// The least epsilon that is enough for all.
    fn least_needs(&self) -> Result<Needs, Vec<Mistake>> {
        let mut granted = Epsilon::new(Rational::ONE).expect("one is positive");
        let mut needed = self.needed(&granted)?;
        for _ in 0..MAX_REFINEMENTS {
            granted = self.rounded(&needed);
            if !self.spends_delta() {
                break;
            }
            needed = self.needed(&granted)?;
            let need = &self.total(&needed) / &self.left;
            let most = &need * &Rational::ratio(MAX_RATIO_TO_NEED.0, MAX_RATIO_TO_NEED.1);
            if need <= *granted.value() && *granted.value() <= most {
                break;
            }
        }
        let needs = self.together(Needs { granted, by_statistic: needed }).map_err(|mistake| vec![mistake])?;
        let granted = self.rounded(&needs.by_statistic);
        Ok(Needs { granted, by_statistic: needs.by_statistic })
    }

    /// An epsilon that is enough for these, and short.
    fn rounded(&self, needed: &[Option<Epsilon>]) -> Epsilon {
        let need = &self.total(needed) / &self.left;
        let slack = Rational::ratio(ROUNDING_SLACK.0, ROUNDING_SLACK.1);
        Epsilon::new(short_decimal::short_above(&need, &slack)).expect("something is wanted")
    }

    /// `true` if the need of a statistic depends on the total epsilon.
    fn spends_delta(&self) -> bool {
        let wanting = self.plan.statistics.iter().filter(|statistic| !statistic.want.is_empty());
        wanting.into_iter().any(|statistic| statistic.mechanism.value.entry().needs_delta())
    }
}

/// Why the error of a statistic cannot be held to a want.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unknown {
    /// It depends on what the rows are like.
    Values,
    /// It depends on a number of rows that the want does not say.
    Rows,
    /// It depends on no number of rows, and the want says one.
    NoRows,
    /// Its intervals come from simulated errors.
    Intervals,
    /// It is no error of rows with these moments of a column, as it is known for all rows alike.
    AnyMoments,
    /// No column within these bounds has the moments, or the error depends on one of them only.
    Moments(MomentRegion, ImpossibleMoments),
}

/// The largest error of a statistic, of the kind that is wanted to be small.
fn error(prepared: &CalibratedStatistic, coverage: Coverage, want: &Want) -> Result<f64, Unknown> {
    let rows = want.rows.as_ref().map(|rows| rows.value);
    let group_sizes = match (prepared.error_dependence(), rows) {
        (ErrorDependence::Values, _) => return Err(Unknown::Values),
        (ErrorDependence::Rows, None) => return Err(Unknown::Rows),
        (ErrorDependence::Noise, Some(_)) => return Err(Unknown::NoRows),
        (ErrorDependence::Rows, Some(rows)) => vec![rows],
        (ErrorDependence::Noise, None) => Vec::new(),
    };
    let any = Scenario::default().moments;
    let moments = want.about.as_ref().map_or(any, |about| about.value.to_column_moments());
    if want.about.is_some() {
        let region = prepared.moment_region().ok_or(Unknown::AnyMoments)?;
        region.admits(&moments).map_err(|why| Unknown::Moments(region, why))?;
    }
    let WorstError { rmse, half_width } = match (prepared, &want.granularity) {
        (CalibratedStatistic::Levels(levels), Some(granularity)) => {
            WorstError { rmse: levels.worst_rmse(Some(&granularity.value), rows.unwrap_or(1)), half_width: None }
        }
        _ => prepared.worst_error(&Scenario {
            group_sizes,
            level: Some(coverage.of_number(&**prepared, prepared.is_by_cell())),
            moments,
            ..Scenario::default()
        }),
    };
    match want.error {
        WantedError::Rmse => Ok(rmse),
        WantedError::Margin => half_width.ok_or(Unknown::Intervals),
    }
}

/// A level or margin in the words of the statistic, which has the columns of a margin in the order of `by`.
fn part(prepared: &CalibratedStatistic, granularity: &Granularity) -> String {
    let own = match prepared {
        CalibratedStatistic::Levels(levels) => levels.granularities().find(|own| own.is(granularity)),
        CalibratedStatistic::Cells(_) | CalibratedStatistic::Learned(_) => None,
    };
    own.unwrap_or(granularity).to_string()
}

impl Needs {
    /// The place of the statistic that needs most.
    fn dearest(&self) -> Option<usize> {
        let needs = self.by_statistic.iter().enumerate().filter_map(|(place, need)| Some((place, need.as_ref()?)));
        needs.reduce(|most, next| if next.1 > most.1 { next } else { most }).map(|(place, _)| place)
    }

    /// The public record, with the errors of the statistics as they will be measured.
    pub(crate) fn entry(&self, plan: &Plan, tasks: &[PreparedStatistic]) -> WantsEntry {
        let name = |place: usize| plan.statistics[place].name.value.clone();
        let entry = |task: &PreparedStatistic, want: &Want| {
            Some(WantEntry {
                statistic: name(task.index),
                error: want.error,
                most: (&want.most).into(),
                of: want.granularity.as_ref().map(|granularity| part(&task.prepared, &granularity.value)),
                rows: want.rows.as_ref().map(|rows| rows.value),
                about: want.about.as_ref().map(|about| {
                    let exact =
                        |number: &Option<Spanned<Rational>>| number.as_ref().map(|number| (&number.value).into());
                    MomentsEntry { mean: exact(&about.value.mean), sd: exact(&about.value.sd) }
                }),
                epsilon: self.by_statistic[task.index].as_ref()?.value().into(),
                stated: error(&task.prepared, task.coverage, want).ok()?,
            })
        };
        let epsilon = match plan.privacy.epsilon.value {
            GrantedEpsilon::Given(_) => EpsilonOrigin::Given,
            GrantedEpsilon::Least => EpsilonOrigin::Least,
        };
        let dearest = self.dearest().map(name).unwrap_or_default();
        let wants = tasks.iter().flat_map(|task| plan.statistics[task.index].want.iter().map(move |want| (task, want)));
        let statistics = wants.filter_map(|(task, want)| entry(task, &want.value)).collect();
        WantsEntry { epsilon, dearest, statistics }
    }
}
