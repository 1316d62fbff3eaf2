//! Results in the words of the command, for programs that show them elsewhere.

use std::path::Path;

use inbounds_advise::{Question, Ranking, RankingCriterion};
use inbounds_ledger::{Findings, History};
use inbounds_release::check::CheckReport;
use inbounds_report::HeldBundles;

use crate::render::{self, More, Screen, Shown};

/// Output of `inbounds check --all` at this number of columns.
pub fn check(report: &CheckReport, columns: usize) -> String {
    render::check(report, &More::default(), Shown::All, Screen::with_columns(columns))
}

/// Output of `inbounds advise` at this number of columns.
pub fn advise(question: &Question, criterion: RankingCriterion, ranking: &Ranking, columns: usize) -> String {
    render::advise(question, criterion, ranking, Screen::with_columns(columns))
}

/// Output of `inbounds ledger show` at this number of columns.
pub fn ledger(history: &History, columns: usize) -> String {
    render::ledger(history, Screen::with_columns(columns))
}

/// Output of `inbounds ledger show --json`.
pub fn ledger_json(history: &History) -> String {
    render::ledger_json(history)
}

/// Output of `inbounds ledger check` for the ledger at `path`, at this number of columns.
pub fn ledger_checked(path: &Path, findings: &Findings, held: &HeldBundles, columns: usize) -> String {
    render::ledger_checked(path, findings, held, Screen::with_columns(columns))
}

/// Output of `inbounds ledger check --json`.
pub fn ledger_checked_json(findings: &Findings, held: &HeldBundles) -> String {
    render::ledger_checked_json(findings, held)
}
