//! `kind = "units"`.

use inbounds_input::document::{Mistakes, Reported};
use inbounds_statistics::{Describe, DistinctUnits, KeyChoice, LearnedCount, StatisticError};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{Key, KindReader, RANGE},
};
use crate::plan::Unit;

/// Numbers of distinct privacy units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units;

impl Planned for Units {
    /// A cell has measurements of its own.
    fn has_independent_cells(&self) -> bool {
        true
    }

    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        DistinctUnits { range: range.clone() }.calibrate(setting)
    }

    fn prepare_learned(&self, setting: &Setting, keys: &KeyChoice) -> Option<Result<LearnedCount, StatisticError>> {
        Some(LearnedCount::of_units(setting, keys))
    }
}

impl Read for Units {
    const WORD: KindWord = KindWord::Units;
    const WITH_ARTICLE: &'static str = "a number of units";
    const KEYS: &'static [Key] = &[RANGE];
    const LEARNS_KEYS: bool = true;

    fn read(_reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self)
    }

    /// Where the unit is a row, its number is that of the rows.
    fn check(_kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let Ok(Ok(unit)) = draft.privacy.as_ref().map(|privacy| &privacy.unit) else { return };
        let (why, help) = match unit {
            Unit::Column { .. } => return,
            Unit::Row => (
                "`unit` in [privacy] is a row",
                "write kind = \"count\", or name the column that tells units apart in `unit`",
            ),
            Unit::Rows { .. } => (
                "no column in `unit` of [privacy] tells them apart",
                "write kind = \"count\", or name the column that tells units apart in `unit`",
            ),
            Unit::OneRow { .. } => ("[per_unit] makes each unit one row", "write kind = \"count\""),
        };
        mistakes.note(&statistic.span, format!("{} counts units, and {why}", statistic.place), help);
    }
}
