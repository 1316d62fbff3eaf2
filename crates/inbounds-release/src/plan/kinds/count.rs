//! `kind = "count"`.

use inbounds_input::document::{Mistakes, Reported};
use inbounds_statistics::{self as statistics, Column, Describe, LearnedCount, SpaceOfKeys, StatisticError};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{Key, KindReader, RANGE},
};
use crate::levels::AtLevels;

/// Numbers of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count;

impl Planned for Count {
    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::Count { range: range.clone() }.calibrate(setting)
    }

    fn prepare_learned(
        &self,
        setting: &Setting,
        space: Option<&SpaceOfKeys>,
    ) -> Option<Result<LearnedCount, StatisticError>> {
        Some(LearnedCount::of_rows(setting, space))
    }

    fn at_levels(&self, _column: Option<Column>) -> Option<AtLevels> {
        Some(AtLevels::Counts)
    }
}

impl Read for Count {
    const WORD: KindWord = KindWord::Count;
    const WITH_ARTICLE: &'static str = "a count";
    const KEYS: &'static [Key] = &[RANGE];
    const ADDS_UP: bool = true;
    const SHARES_NOISE: bool = true;
    const LEARNS_KEYS: bool = true;

    fn read(_reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self)
    }

    /// Where all rows count and their number is public, there is nothing to protect.
    fn check(_kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let plain = statistic.by == Ok(None) && statistic.filter == Ok(None);
        let public = draft.privacy.as_ref().is_ok_and(|privacy| privacy.rows_are_public());
        if plain && public {
            let message = format!(
                "{} counts all rows, which is the public `rows` of [privacy]: there is nothing to protect",
                statistic.place
            );
            mistakes.note(&statistic.span, message, "drop this statistic, or add `where` or `by`");
        }
    }
}
