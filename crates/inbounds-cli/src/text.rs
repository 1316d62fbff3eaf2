//! Results in the words of the command, for programs that show them elsewhere.

use inbounds_advise::{Question, Ranking, RankingCriterion};
use inbounds_release::check::CheckReport;

use crate::render::{self, More, Screen};

/// What `inbounds check` prints, on so many columns.
pub fn check(report: &CheckReport, columns: usize) -> String {
    render::check(report, &More { sizes: None, epsilons: (Vec::new(), Vec::new()) }, Screen::of(columns))
}

/// What `inbounds advise` prints, on so many columns.
pub fn advise(question: &Question, criterion: RankingCriterion, ranking: &Ranking, columns: usize) -> String {
    render::advise(question, criterion, ranking, Screen::of(columns))
}
