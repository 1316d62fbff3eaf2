//! `kind = "units"`.

use inbounds_input::document::{Mistakes, Reported};
use inbounds_statistics::{Describe, DistinctUnits};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{Key, KindReader, RANGE},
};
use crate::plan::Unit;

/// Numbers of distinct privacy units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units;

impl Planned for Units {
    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        DistinctUnits { range: range.clone() }.calibrate(setting)
    }
}

impl Read for Units {
    const WORD: KindWord = KindWord::Units;
    const WITH_ARTICLE: &'static str = "a number of units";
    const KEYS: &'static [Key] = &[RANGE];

    fn read(_reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self)
    }

    /// Where the unit is a row, its number is that of the rows.
    fn check(_kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        if draft.privacy.as_ref().is_ok_and(|privacy| matches!(privacy.unit, Ok(Unit::Row))) {
            let message = format!("{} counts units, and `unit` in [privacy] is a row", statistic.place);
            mistakes.note(
                &statistic.span,
                message,
                "write kind = \"count\", or name the column that tells units apart in `unit`",
            );
        }
    }
}
