//! The rules that tie the tables of a plan together.

mod bounds;
mod cells;
mod columns;
mod figures;
mod frequency;
mod learned;
mod levels;
mod longer;
mod margins;
mod missing;
mod per_unit;
mod possible;
mod public;
mod round;
mod sets;
mod shares;
mod spending;
mod statistic;
mod together;
mod wants;

use super::read::Draft;
use inbounds_input::document::Mistakes;

/// Notes every broken rule that can be judged from what could be read.
pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    columns::check(draft, mistakes);
    frequency::check(draft, mistakes);
    longer::check(draft, mistakes);
    sets::check_columns(draft, mistakes);
    sets::check_units(draft, mistakes);
    per_unit::check(draft, mistakes);
    missing::check(draft, mistakes);
    let Ok(statistics) = &draft.statistics else { return };
    for statistic in statistics {
        statistic::check(statistic, draft, mistakes);
        bounds::check(statistic, draft, mistakes);
        cells::check(statistic, draft, mistakes);
        possible::check(statistic, mistakes);
        learned::check(statistic, draft, mistakes);
        levels::check(statistic, mistakes);
        margins::check(statistic, draft, mistakes);
        public::check(statistic, mistakes);
        sets::check(statistic, draft, mistakes);
        spending::check(statistic, draft, mistakes);
    }
    statistic::check_names(statistics, mistakes);
    wants::check(statistics, draft, mistakes);
    shares::check(statistics, draft, mistakes);
    together::check(statistics, draft, mistakes);
    figures::check(statistics, draft, mistakes);
    round::check(statistics, draft, mistakes);
}
