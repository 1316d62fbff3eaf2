//! Results in the words of the command, for programs that show them elsewhere.

use std::path::Path;

use inbounds_advise::{Question, Ranking, RankingCriterion};
use inbounds_ledger::{Findings, History};
use inbounds_release::check::CheckReport;
use inbounds_report::HeldBundles;

use crate::render::{self, More, Screen};

/// What `inbounds check` prints, on so many columns.
pub fn check(report: &CheckReport, columns: usize) -> String {
    render::check(report, &More { sizes: None, epsilons: (Vec::new(), Vec::new()) }, Screen::of(columns))
}

/// What `inbounds advise` prints, on so many columns.
pub fn advise(question: &Question, criterion: RankingCriterion, ranking: &Ranking, columns: usize) -> String {
    render::advise(question, criterion, ranking, Screen::of(columns))
}

/// What `inbounds ledger show` prints, on so many columns.
pub fn ledger(history: &History, columns: usize) -> String {
    render::ledger(history, Screen::of(columns))
}

/// What `inbounds ledger show --json` prints.
pub fn ledger_json(history: &History) -> String {
    render::ledger_json(history)
}

/// What `inbounds ledger check` prints of the ledger at `path`, on so many columns.
pub fn ledger_checked(path: &Path, findings: &Findings, held: &HeldBundles, columns: usize) -> String {
    render::ledger_checked(path, findings, held, Screen::of(columns))
}

/// What `inbounds ledger check --json` prints.
pub fn ledger_checked_json(findings: &Findings, held: &HeldBundles) -> String {
    render::ledger_checked_json(findings, held)
}
