//! `kind = "naive-bayes"`.

use inbounds_data::Keys;
use inbounds_input::document::{Mistake, Mistakes, Reported, Spanned};
use inbounds_statistics::{
    Describe, Scenario,
    bayes::{self, ClassDistribution},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, Setup, StatisticDraft, classes,
    described_class::{DescribedClass, described},
    reader::{COLUMNS, Key, KindReader},
};
use crate::{model_accuracy::ExpectedModelAccuracy, plan::Plan};

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

    fn described_classes(&self, plan: &Plan, name: &str, keys: &Keys) -> Result<Vec<ClassDistribution>, Vec<Mistake>> {
        described(plan, name, (&self.columns, &self.classes), keys)
    }

    fn expected_accuracy(&self, setup: &Setup, scenario: &Scenario) -> Option<ExpectedModelAccuracy> {
        let model = bayes::NaiveBayes { features: setup.columns.bounded.clone() }.prepare(setup.setting).ok()?;
        Some(ExpectedModelAccuracy::for_model(&model, setup.classes, scenario))
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
            let (place, with_article) = (&statistic.place, Self::WITH_ARTICLE);
            let message = format!("{place} must have `by`: {with_article} predicts the values of a grouping column");
            mistakes.note(&statistic.span, message, "write by = [\"name of the column with the classes\"]");
        }
    }
}
