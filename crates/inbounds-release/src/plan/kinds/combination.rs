//! `kind = "combination"`.

use inbounds_core::Rational;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned};
use inbounds_statistics::{Column, CombinedMeasure, Describe, LinearCombination, StatisticError, Term};

use super::{
    Calibrated, Columns, KindWord, OutputRange, Planned, Read, Setting,
    reader::{Key, KindReader, numbers_by_name},
};

const WEIGHTS: Key =
    Key { name: "weights", help: "write one weight a column, such as weights = { income = 1, cost = -1 }" };
const OF: Key = Key { name: "of", help: "write of = \"sum\" or of = \"mean\"" };

/// Weighted sum of the sums, or means, of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// Columns with their weights, in the order of the text.
    pub weights: Vec<(Spanned<String>, Rational)>,
    /// Measure of each column that is combined.
    pub measure: CombinedMeasure,
}

impl Planned for Combination {
    fn columns(&self) -> Vec<&Spanned<String>> {
        self.weights.iter().map(|(column, _)| column).collect()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        let term =
            |(column, (_, weight)): (&Column, &(_, Rational))| Term { weight: weight.clone(), column: column.clone() };
        let terms = columns.bounded.iter().zip(&self.weights).map(term).collect();
        LinearCombination { terms, measure: self.measure }.calibrate(setting)
    }

    fn remedy(&self, error: &StatisticError, drops: bool) -> Option<&'static str> {
        match error {
            StatisticError::NoRows { .. } if drops => Some(
                "missing = \"drop\" makes the number of rows that count private: release the mean of each column and combine the \
                 estimates, write of = \"sum\", or, where `rows` in [privacy] is public, give every column a number as `missing`",
            ),
            StatisticError::NoRows { .. } => {
                Some("write of = \"sum\", or neighbours = \"substitute\", unit = \"row\" and `rows` in [privacy]")
            }
            _ => None,
        }
    }
}

impl Read for Combination {
    const WORD: KindWord = KindWord::Combination;
    const WITH_ARTICLE: &'static str = "a combination";
    const KEYS: &'static [Key] = &[WEIGHTS, OF];
    const COLUMN_KEY: &'static str = WEIGHTS.name;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let weights = reader.required(&WEIGHTS, read_weights);
        if let Ok(weights) = &weights {
            reader.reads(weights.iter().map(|(column, _)| column.clone()));
        }
        let words = [("sum", CombinedMeasure::Sums), ("mean", CombinedMeasure::Means)];
        let measure = reader.required(&OF, |item, help, mistakes| item.word(&words, help, mistakes));
        Ok(Self { weights: weights?, measure: measure?.value })
    }
}

fn read_weights(
    item: Item,
    help: &'static str,
    mistakes: &mut Mistakes,
) -> Result<Vec<(Spanned<String>, Rational)>, Reported> {
    let refused = ("a table of columns with their weights", help);
    let weights = numbers_by_name(&item, "weight", refused, mistakes, |entry, weight, mistakes| {
        if *weight == Rational::ZERO {
            return Err(entry.refuse("other than 0", "leave the column out", mistakes));
        }
        Ok(())
    })?;
    Ok(weights.into_iter().map(|(column, weight)| (column, weight.value)).collect())
}
