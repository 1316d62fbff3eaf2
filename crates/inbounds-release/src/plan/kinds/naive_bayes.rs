//! `kind = "naive-bayes"`.

use inbounds_data::{KeyValue, Keys};
use inbounds_input::document::{Mistake, Mistakes, Reported, Spanned};
use inbounds_statistics::{
    Describe, Supposed,
    bayes::{self, SupposedClass},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft, Task, classes,
    reader::{COLUMNS, Key, KindReader},
};
use crate::{
    plan::Plan,
    worth::{self, ModelWorth},
};
use inbounds_core::Rational;

const CLASSES: Key = Key { name: "classes", help: classes::HELP };

/// Gaussian naive Bayes model that predicts the grouping column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveBayes {
    /// The columns from which it predicts.
    pub columns: Vec<Spanned<String>>,
    /// Its classes, described for a forecast of its accuracy, or none.
    pub classes: Vec<DescribedClass>,
}

/// What the rows of a class are expected to look like, from public knowledge; it changes no released number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedClass {
    /// Its value in each column of `by`.
    pub class: Spanned<Vec<KeyValue>>,
    /// Number of its rows.
    pub rows: Spanned<u64>,
    /// Mean of each column, in the order of the text.
    pub means: Vec<(Spanned<String>, Spanned<Rational>)>,
    /// Standard deviation of each column, positive, in the order of the text.
    pub deviations: Vec<(Spanned<String>, Spanned<Rational>)>,
}

impl Planned for NaiveBayes {
    fn columns(&self) -> Vec<&Spanned<String>> {
        self.columns.iter().collect()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        bayes::NaiveBayes { features: columns.bounded.clone() }.calibrate(setting)
    }

    fn supposed_classes(&self, plan: &Plan, name: &str, keys: &Keys) -> Result<Vec<SupposedClass>, Vec<Mistake>> {
        worth::described(plan, name, self, keys)
    }

    fn worth(&self, task: &Task, supposed: &Supposed) -> Option<ModelWorth> {
        let model = bayes::NaiveBayes { features: task.columns.bounded.clone() }.prepare(&task.setting).ok()?;
        Some(ModelWorth::of(&model, &task.classes, supposed))
    }
}

impl Read for NaiveBayes {
    const WORD: KindWord = KindWord::NaiveBayes;
    const WITH_ARTICLE: &'static str = "a naive Bayes model";
    const KEYS: &'static [Key] = &[COLUMNS, CLASSES];
    const COLUMN_KEY: &'static str = COLUMNS.name;
    const SHARES_NOISE: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let columns = reader.columns();
        let classes = reader.optional(&CLASSES, |item, _, mistakes| classes::read(&item, mistakes))?;
        Ok(Self { columns: columns?.value, classes: classes.unwrap_or_default() })
    }

    fn check(_kind: Option<&Self>, statistic: &StatisticDraft, _draft: &Draft, mistakes: &mut Mistakes) {
        if statistic.by == Ok(None) {
            let (place, what) = (&statistic.place, Self::WITH_ARTICLE);
            let message = format!("{place} must have `by`: {what} predicts the values of a grouping column");
            mistakes.note(&statistic.span, message, "write by = [\"name of the column with the classes\"]");
        }
    }
}
