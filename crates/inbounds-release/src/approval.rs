//! Approval of a plan: the digest that a person approves, and the page that the person reads before.

use inbounds_bundle::{FileEntry, MissingEntry, Notice, digest::sha256};
use inbounds_core::Epsilon;
use inbounds_figures::FiguresFile;
use inbounds_report::{ApprovalRequest, Caution, RequestedColumn, RequestedErrors, RequestedStatistic, approval_page};

use crate::{
    AssumedRows, ErrorByEpsilon, OpenedPlan, PreparedStatistic, ReleaseError,
    bundle::{promise, rules},
    by_epsilon,
    check::{CheckReport, CheckedStatistic, check_opened},
    plan::{Column, Plan, Statistic, Unit},
};

/// The name under which the plan stands in the list that is approved, whatever its file is called.
const PLAN: &str = "plan.toml";

/// A plan before approval.
#[derive(Debug, Clone, PartialEq)]
pub struct Approvable {
    /// Digest that is approved: SHA-256 of the list that `sha256sum` prints of the plan, as `plan.toml`, and the public
    /// files that it names.
    pub sha256: String,
    /// The page that shows what would be approved, one HTML file.
    pub page: String,
}

/// Puts a plan before the person who approves it: what it publishes, what one person can lose, and the errors to expect
/// at its own epsilon and at each of `epsilons`. Reads no row.
///
/// # Errors
/// [`ReleaseError`], as of a check of the plan at each epsilon.
pub fn approvable(plan: &Plan, epsilons: &[Epsilon], assumed: &AssumedRows) -> Result<Approvable, ReleaseError> {
    let (opened, unseen) = OpenedPlan::with_or_without_data(plan)?;
    let report = check_opened(plan, &opened, unseen, assumed)?;
    let others = by_epsilon(plan, epsilons, assumed)?;
    let files = files(plan, &opened);
    let sha256 = digest(&files);
    let statistics = report.statistics.iter().zip(&opened.tasks);
    let request = ApprovalRequest {
        title: plan.title.clone(),
        publication: plan.publication.clone(),
        rows: plan.data.name.clone().unwrap_or_else(|| plan.data.path.value.clone()),
        sha256: sha256.clone(),
        promise: promise(plan, &opened.design, &opened.cost),
        meaning: report.meaning.clone(),
        unit: report.privacy_unit.clone(),
        neighbours: report.neighbours.clone(),
        epsilon: opened.cost.epsilon.to_f64_up(),
        delta: opened.cost.delta.to_f64_up(),
        cautions: cautions(plan, &report),
        notices: report.notices.clone(),
        ledger: report.ledger.as_ref().map(|ledger| ledger.sentence()),
        statistics: statistics.map(|(checked, task)| statistic(plan, checked, task, &others, epsilons.len())).collect(),
        figures: plan.figures.iter().flat_map(FiguresFile::outlines).collect(),
        epsilons: std::iter::once(report.epsilon.clone()).chain(epsilons.iter().map(ToString::to_string)).collect(),
        columns: plan.columns.iter().chain(plan.per_unit.iter().flatten()).map(column).collect(),
        rules: rules(plan, &opened.design),
        plan: plan.text().to_owned(),
        files,
    };
    Ok(Approvable { sha256, page: approval_page(&request) })
}

/// Refuses a plan that is not the one that was approved, if one was.
pub(crate) fn hold(plan: &Plan, opened: &OpenedPlan) -> Result<(), ReleaseError> {
    let Some(approval) = &plan.approval else { return Ok(()) };
    let current = digest(&files(plan, opened));
    match approval.sha256() == current {
        true => Ok(()),
        false => Err(ReleaseError::NotApproved { approved: approval.sha256().to_owned(), found: current }),
    }
}

/// The plan and the public files that it names, each once, in the order in which the plan names them.
fn files(plan: &Plan, opened: &OpenedPlan) -> Vec<FileEntry> {
    let lookups = plan.columns.iter().filter_map(|column| column.derived.as_ref()?.lookup.clone());
    let maps = plan.columns.iter().filter_map(|column| Some(column.map.as_ref()?.file.clone()));
    let of_task = |task: &PreparedStatistic| {
        let described: &Statistic = &plan.statistics[task.index];
        let public = described.public.iter().filter_map(|numbers| numbers.value.file().cloned());
        let rule = described.mechanism.value.rule_file().map(|rule| rule.file.clone());
        let possible = described.possible.iter().map(|possible| possible.file.value.clone());
        task.key_file.clone().into_iter().chain(possible).chain(public).chain(rule).collect::<Vec<_>>()
    };
    // A table that cannot be read any more is another one.
    let of_figures = plan.figures.iter().flat_map(|figures| figures.tables().unwrap_or_default());
    let mut files = vec![FileEntry { name: PLAN.to_owned(), sha256: plan.digest.clone() }];
    for file in lookups.chain(maps).chain(opened.tasks.iter().flat_map(of_task)).chain(of_figures) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// SHA-256 of the list of files as `sha256sum` prints it.
fn digest(files: &[FileEntry]) -> String {
    let lines: String = files.iter().map(|file| format!("{}  {}\n", file.sha256, file.name)).collect();
    sha256(lines.as_bytes())
}

fn cautions(plan: &Plan, report: &CheckReport) -> Vec<Caution> {
    let unit = match (&plan.privacy.unit, &plan.privacy.undecided) {
        (_, Some(_)) => Some(Caution::UnitUndecided),
        (Unit::Row, None) => Some(Caution::RowsProtected),
        (Unit::OneRow { .. } | Unit::Column { .. } | Unit::Rows { .. }, None) => None,
    };
    let ledger = match &report.ledger {
        None => Some(Caution::NoLedger),
        Some(state) => state.refused.clone().map(Caution::LedgerRefuses),
    };
    let unseen = report.unseen.as_ref().map(|unseen| Caution::RowsUnseen(unseen.sentence()));
    unit.into_iter().chain(ledger).chain(unseen).collect()
}

fn statistic(
    plan: &Plan,
    checked: &CheckedStatistic,
    task: &PreparedStatistic,
    others: &[ErrorByEpsilon],
    asked: usize,
) -> RequestedStatistic {
    let described = &plan.statistics[task.index];
    let errors = checked.expected_error.iter().map(|own| {
        let other = others.iter().find(|other| other.statistic == checked.name && other.case == own.case);
        let at = |index: usize| other.map(|other| (other.half_width[index], other.rmse[index]));
        let at = std::iter::once(Some((own.half_width, own.rmse))).chain((0..asked).map(at)).collect();
        RequestedErrors { case: own.case.clone(), at }
    });
    let mut mechanisms: Vec<String> = Vec::new();
    for noise in &checked.noise {
        if !mechanisms.contains(&noise.mechanism) {
            mechanisms.push(noise.mechanism.clone());
        }
    }
    let notices = checked.notices.iter().map(Notice::sentence);
    RequestedStatistic {
        name: checked.name.clone(),
        label: described.label.clone(),
        kind: checked.kind.clone(),
        columns: described.columns().into_iter().map(|column| column.value.clone()).collect(),
        by: task.key_columns().to_vec(),
        filter: described.filter.as_ref().map(|filter| filter.value.clone()),
        cells: checked.cells,
        epsilon: checked.epsilon.clone(),
        mechanisms,
        unit: checked.outputs.first().map(|output| output.unit.to_string()).unwrap_or_default(),
        level: checked.interval.level,
        errors: errors.collect(),
        remarks: checked.missing.iter().map(MissingEntry::sentence).chain(notices).collect(),
    }
}

fn column(column: &Column) -> RequestedColumn {
    let bounds = column.bounds.as_ref().filter(|_| !column.is_boolean());
    RequestedColumn {
        name: column.name.value.clone(),
        label: column.label.clone(),
        unit: column.unit.clone(),
        bounds: bounds.map(|bounds| (bounds.lower.value.to_f64(), bounds.upper.value.to_f64())),
        values: column.values.as_ref().map(|values| values.len()),
    }
}
