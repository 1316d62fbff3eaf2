//! `kind = "mean"`.

use inbounds_input::document::{Mistakes, Reported, Spanned, given};
use inbounds_statistics::{self as statistics, Column, Describe, population::Population};

use super::at_levels::AtLevels;
use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, Setup, StatisticDraft,
    reader::{COLUMN, Key, KindReader, POPULATION, RANGE},
};

/// Means of the clipped values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mean {
    /// The column.
    pub column: Spanned<String>,
}

impl Planned for Mean {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    /// A cell has measurements of its own.
    fn has_independent_cells(&self) -> bool {
        true
    }

    fn prepare(&self, range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::Mean { column: columns.only("mean")?, range: range.clone() }.calibrate(setting)
    }

    fn at_levels(&self, column: Option<Column>) -> Option<AtLevels> {
        column.map(AtLevels::Means)
    }

    fn populations(&self, setup: &Setup) -> Vec<(String, Population)> {
        let bounds = setup.columns.ends(0);
        let width = bounds.1 - bounds.0;
        let population = |part: f64, deviation: f64| Population::Mean {
            mean: bounds.0 + part * width,
            variance: (deviation * width).powi(2),
            bounds,
        };
        vec![
            (
                "mean in the middle of the bounds, deviation of a quarter of their width".to_owned(),
                population(0.5, 0.25),
            ),
            ("mean a tenth above the lower bound, deviation of a tenth".to_owned(), population(0.1, 0.1)),
        ]
    }
}

impl Read for Mean {
    const WORD: KindWord = KindWord::Mean;
    const WITH_ARTICLE: &'static str = "a mean";
    const KEYS: &'static [Key] = &[COLUMN, RANGE, POPULATION];
    const ADDS_UP: bool = true;
    const SHARES_NOISE: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self { column: reader.column()? })
    }

    /// Over a private number of rows it is a ratio, to which one mechanism applies.
    fn check(_kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let conditioned = given(&statistic.mechanism).filter(|mechanism| !mechanism.value.entry().is_post_processing());
        if let Some((mechanism, reason)) = conditioned.zip(statistic.private_rows(draft)) {
            let message = format!(
                "`mechanism` in {} must be \"clamped\" for a mean {reason}: \
                 it is a ratio of noisy sums, clamped by construction",
                statistic.place
            );
            let help = "remove `mechanism`, or release a conditioned sum and a conditioned count";
            mistakes.note(&mechanism.span, message, help);
        }
    }
}
