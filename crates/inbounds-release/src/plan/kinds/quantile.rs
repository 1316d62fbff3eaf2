//! `kind = "quantile"`.

use inbounds_core::Rational;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, given, shorten};
use inbounds_statistics::{
    Describe, StatisticError,
    proportion::Total,
    quantile::{Quantiles, Values},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{COLUMN, EDGES, Key, KindReader, edges},
};
use crate::plan::Kind;

const PROBABILITIES: Key =
    Key { name: "probabilities", help: "list parts of the rows, such as probabilities = [0.25, 0.5, 0.75]" };

/// Quantiles, by numbers of rows between edges; without edges, of each whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantile {
    /// The column.
    pub column: Spanned<String>,
    /// Increasing edges of the bins; `None` for a bin of each whole number between the bounds.
    pub edges: Option<Spanned<Vec<Rational>>>,
    /// Increasing probabilities, each greater than 0 and less than 1.
    pub probabilities: Vec<Rational>,
}

impl Quantile {
    /// A bin for each whole number between the bounds of the column.
    fn unit_bins(&self, columns: &Columns) -> Result<Vec<Rational>, StatisticError> {
        match &columns.bounded[..] {
            [column] if columns.whole => Quantiles::unit_bins(&column.bounds.lower, &column.bounds.upper),
            _ => Err(StatisticError::NoEdges { column: self.column.value.clone() }),
        }
    }
}

impl Planned for Quantile {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        self.edges.as_ref()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        let edges = self.edges.as_ref().map_or_else(|| self.unit_bins(columns), |edges| Ok(edges.value.clone()))?;
        // Rows without a value are in no bin, unless the plan gives them one.
        let every_row = setting.rows().is_some() && columns.imputed;
        let total = if every_row { Total::Public } else { Total::Measured };
        let values = if columns.whole { Values::Whole } else { Values::Real };
        let quantiles = Quantiles { edges, probabilities: self.probabilities.clone(), total, values };
        quantiles.calibrate(setting)
    }
}

impl Read for Quantile {
    const WORD: KindWord = KindWord::Quantile;
    const WITH_ARTICLE: &'static str = "a quantile";
    const KEYS: &'static [Key] = &[COLUMN, EDGES, PROBABILITIES];
    const HAS_EDGES: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let (column, edges) = (reader.column(), reader.optional(&EDGES, edges));
        reader.needs_bounds = edges == Ok(None);
        let probabilities = reader.required(&PROBABILITIES, read_probabilities);
        Ok(Self { column: column?, edges: edges?, probabilities: probabilities? })
    }

    /// Only whole numbers have bins of their own.
    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let Some(Self { column, edges: None, .. }) = kind else { return };
        let declared = draft.column(&column.value).and_then(|declared| given(&declared.column_type));
        if declared.is_some_and(|declared| declared.value == Kind::Number) {
            let name = shorten(&column.value);
            let message = format!(
                "{} must have `edges`: `{name}` is of type \"number\", and only whole numbers have bins of their own",
                statistic.place
            );
            let help = "write edges = { lower = 0, upper = 100, bins = 200 }, as fine as answers matter to you, or type = \"integer\"";
            mistakes.note(&statistic.span, message, help);
        }
    }
}

fn read_probabilities(item: Item, help: &'static str, mistakes: &mut Mistakes) -> Result<Vec<Rational>, Reported> {
    let list = item.list(help, mistakes, |entry, mistakes| {
        let part = entry.number(mistakes)?;
        let inside = part.value.is_positive() && part.value < Rational::ONE;
        if inside { Ok(part) } else { Err(entry.refuse("greater than 0 and less than 1", help, mistakes)) }
    })?;
    for pair in list.value.windows(2) {
        if pair[0].value >= pair[1].value {
            let message = format!("{} must increase, and {} follows {}", item.subject, pair[1].value, pair[0].value);
            return Err(mistakes.note(&pair[1].span, message, "write each once, in increasing order"));
        }
    }
    Ok(list.value.into_iter().map(|part| part.value).collect())
}
