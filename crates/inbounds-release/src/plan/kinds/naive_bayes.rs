//! `kind = "naive-bayes"`.

use inbounds_data::Keys;
use inbounds_input::document::{Mistake, Mistakes, Reported, Spanned};
use inbounds_statistics::{
    Describe, Supposed,
    bayes::{self, SupposedClass},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, Setup, StatisticDraft, classes,
    described_class::{DescribedClass, described},
    reader::{COLUMNS, Key, KindReader},
};
use crate::{plan::Plan, worth::ModelWorth};

const CLASSES: Key = Key { name: "classes", help: classes::HELP };

/// Gaussian naive Bayes model that predicts the grouping column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveBayes {
    /// The columns from which it predicts.
    pub columns: Vec<Spanned<String>>,
    /// Its classes, described for a forecast of its accuracy, or none.
    pub classes: Vec<DescribedClass>,
}

impl Planned for NaiveBayes {
    fn columns(&self) -> Vec<&Spanned<String>> {
        self.columns.iter().collect()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        bayes::NaiveBayes { features: columns.bounded.clone() }.calibrate(setting)
    }

    fn supposed_classes(&self, plan: &Plan, name: &str, keys: &Keys) -> Result<Vec<SupposedClass>, Vec<Mistake>> {
        described(plan, name, (&self.columns, &self.classes), keys)
    }

    fn worth(&self, setup: &Setup, supposed: &Supposed) -> Option<ModelWorth> {
        let model = bayes::NaiveBayes { features: setup.columns.bounded.clone() }.prepare(setup.setting).ok()?;
        Some(ModelWorth::for_model(&model, setup.classes, supposed))
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
