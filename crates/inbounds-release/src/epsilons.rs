//! The same plan at several epsilons: what each would buy. Reads no row.

use inbounds_core::Epsilon;
use serde::Serialize;

use crate::{
    AssumedRows, ReleaseError,
    check::{CheckReport, check},
    plan::{GrantedEpsilon, Plan},
};

/// The error to expect in one case, at each epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorByEpsilon {
    /// Name of the statistic in the plan.
    pub statistic: String,
    /// The candidate truth, in words.
    pub case: String,
    /// Root mean square error, one an epsilon, in the unit of the statistic.
    pub rmse: Vec<f64>,
    /// Half width of the interval, one an epsilon; null where none is foretold.
    pub half_width: Vec<Option<f64>>,
}

/// The errors to expect if the whole release had each of these epsilons in the place of the plan's; shares stay.
///
/// # Errors
/// [`ReleaseError`], as of a check at each epsilon.
pub fn by_epsilon(
    plan: &Plan,
    epsilons: &[Epsilon],
    assumed: &AssumedRows,
) -> Result<Vec<ErrorByEpsilon>, ReleaseError> {
    let reports = epsilons.iter().map(|epsilon| {
        let mut other = plan.clone();
        other.privacy.epsilon.value = GrantedEpsilon::Given(epsilon.clone());
        check(&other, assumed)
    });
    let reports: Vec<CheckReport> = reports.collect::<Result<_, _>>()?;
    let Some(first) = reports.first() else { return Ok(Vec::new()) };
    let of_case = |statistic: usize, case: usize| {
        let errors = reports.iter().map(|report| &report.statistics[statistic].expected_error[case]);
        let (rmse, half_width) = errors.map(|error| (error.rmse, error.half_width)).unzip();
        let named = &first.statistics[statistic];
        let case = named.expected_error[case].case.clone();
        ErrorByEpsilon { statistic: named.name.clone(), case, rmse, half_width }
    };
    let cases = first.statistics.iter().enumerate().flat_map(|(statistic, named)| {
        // Cases are chosen by the plan's public numbers; where epsilon changes them too, only shared ones are held
        // together.
        let shared = reports.iter().map(|report| report.statistics[statistic].expected_error.len()).min().unwrap_or(0);
        (0..shared.min(named.expected_error.len())).map(move |case| (statistic, case))
    });
    Ok(cases.map(|(statistic, case)| of_case(statistic, case)).collect())
}
