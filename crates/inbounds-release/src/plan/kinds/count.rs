//! `kind = "count"`.

use inbounds_input::document::{Mistakes, Reported, Spanned, given};
use inbounds_statistics::{self as statistics, Column, Describe, KeyChoice, LearnedCount, StatisticError};

use super::{
    Calibrated, CellTotal, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{Key, KindReader, RANGE},
};
use crate::{
    plan::Levels,
    plan::{granularity::Granularity, kinds::at_levels::AtLevels},
};

const TOTAL: Key = Key { name: "total", help: "leave `total` out for counts of the rows in the listed cells" };

/// Numbers of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    total: Option<Spanned<CellTotal>>,
}

impl Count {
    /// Total of counts of cells.
    pub fn total(&self) -> CellTotal {
        self.total.as_ref().map_or(CellTotal::Listed, |total| total.value)
    }
}

impl Planned for Count {
    /// A cell has measurements of its own.
    fn has_independent_cells(&self) -> bool {
        true
    }

    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::Count { range: range.clone() }.calibrate(setting)
    }

    fn prepare_learned(&self, setting: &Setting, keys: &KeyChoice) -> Option<Result<LearnedCount, StatisticError>> {
        Some(LearnedCount::of_rows(setting, keys))
    }

    fn at_levels(&self, _column: Option<Column>) -> Option<AtLevels> {
        Some(match self.total() {
            CellTotal::Listed => AtLevels::Counts,
            CellTotal::Rows => AtLevels::CountsOfAllRows,
        })
    }
}

impl Read for Count {
    const WORD: KindWord = KindWord::Count;
    const WITH_ARTICLE: &'static str = "a count";
    const KEYS: &'static [Key] = &[TOTAL, RANGE];
    const ADDS_UP: bool = true;
    const SHARES_NOISE: bool = true;
    const LEARNS_KEYS: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self { total: reader.word(&TOTAL, &CellTotal::WORDS)? })
    }

    /// Where all rows count and their number is public, there is nothing to protect.
    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        if let Some(total) = kind.and_then(|kind| kind.total.as_ref()).filter(|total| total.value == CellTotal::Rows) {
            check_total(total, statistic, draft, mistakes);
        }
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

/// A public total takes the place of one that is measured: that of levels or margins which have it, over all rows.
fn check_total(total: &Spanned<CellTotal>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let of_all =
        given(&statistic.levels).map(|levels| levels.value.iter().any(|level| level.value == Levels::ALL)).or_else(
            || given(&statistic.margins).map(|margins| margins.value.iter().any(|margin| margin.value.is_empty())),
        );
    match of_all {
        None if statistic.levels == Ok(None) && statistic.margins == Ok(None) => {
            let message = format!("`total` in {place} must come with `levels` or `margins`, whose cells add up to it");
            mistakes.note(
                &total.span,
                message,
                "add levels = [\"all\", ...] or margins = [[], ...], or remove `total`",
            );
        }
        Some(false) => {
            let message = format!("total = \"rows\" in {place} needs the total among the cells that add up");
            mistakes.note(&total.span, message, "add \"all\" to `levels`, or [] to `margins`");
        }
        _ => {}
    }
    // Beside margins, a level has more than its total.
    let has_both = given(&statistic.levels).is_some() && given(&statistic.margins).is_some();
    let is_total = |granularity: &Granularity| !has_both && granularity.is_whole();
    let wants = given(&statistic.want).map_or(&[][..], |wants| &wants.value);
    let of_total = wants.iter().filter_map(|want| want.value.granularity.as_ref()).find(|part| is_total(&part.value));
    if let Some(granularity) = of_total {
        let message = format!("`want` in {place} must not be of the total, which is public with total = \"rows\"");
        mistakes.note(&granularity.span, message, "want an accuracy of another level or margin");
    }
    if statistic.filter != Ok(None) {
        let message = format!("total = \"rows\" in {place} must be left out with `where`: not all rows count");
        mistakes.note(&total.span, message, "remove `total`, or `where`");
    }
    if draft.privacy.as_ref().is_ok_and(|privacy| !privacy.rows_are_public()) {
        let message = format!("total = \"rows\" in {place} needs a public number of rows, and here it is private");
        mistakes.note(
            &total.span,
            message,
            "remove `total`; or, if the number of rows is public, write neighbours = \"substitute\", unit = \"row\" and `rows`",
        );
    }
}
