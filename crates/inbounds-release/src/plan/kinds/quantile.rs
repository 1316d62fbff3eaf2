//! `kind = "quantile"`.

use inbounds_core::Rational;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, given, shorten};
use inbounds_mechanisms::{registry, selection::MOST_BINS};
use inbounds_statistics::{
    Describe, StatisticError,
    proportion::Total,
    quantile::{ChosenQuantiles, MOST_COUNTED_BINS, Quantiles, Values},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft,
    reader::{COLUMN, EDGES, Key, KindReader, edges},
};
use crate::plan::Kind;

const PROBABILITIES: Key =
    Key { name: "probabilities", help: "list parts of the rows, such as probabilities = [0.25, 0.5, 0.75]" };

const INTERVAL_SHARE: Key = Key {
    name: "interval_share",
    help: "write a part of epsilon below 1, such as interval_share = 0.25; 0 measures no interval, and leaving it out a short one where there are many rows",
};

/// Bins of a column of numbers that has no edges, where nothing is known of the number of rows.
const USUAL_BINS: u64 = 4096;

/// Most bins of all cells of a statistic.
const MOST_OF_CELLS: u64 = 1 << 22;

/// Use that bins are made for.
#[derive(Clone, Copy)]
enum Bins {
    /// One of them is chosen.
    Chosen,
    /// The rows of each are counted.
    Counted,
}

/// Quantiles, by numbers of rows between edges, or chosen among bins; without edges, of each whole number, or of fine
/// bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantile {
    /// The column.
    pub column: Spanned<String>,
    /// Increasing edges of the bins; `None` for a bin of each whole number between the bounds, or for fine ones.
    pub edges: Option<Spanned<Vec<Rational>>>,
    /// Increasing probabilities, each greater than 0 and less than 1.
    pub probabilities: Vec<Rational>,
    /// The part of epsilon that counts for intervals have where bins are chosen; the program's choice if none.
    pub interval_share: Option<Spanned<Rational>>,
}

impl Quantile {
    /// A bin for each whole number between the bounds of the column.
    fn unit_bins(&self, columns: &Columns) -> Result<Vec<Rational>, StatisticError> {
        match &columns.bounded[..] {
            [column] if columns.all_are_integers => Quantiles::unit_bins(&column.bounds.lower, &column.bounds.upper),
            _ => Err(StatisticError::NoEdges { column: self.column.value.clone() }),
        }
    }

    /// Number of bins of equal width between the bounds, of which a quantile is one.
    ///
    /// # Law
    /// A quantile that is chosen with a part `e` of epsilon misses by some `1 / e` rows. Of `n` rows that lie evenly
    /// between the bounds eight bins or more, and fewer than sixteen, are as wide as that:
    ///
    /// ```text
    /// bins = least power of two that is at least 8 n e, between 64 and 2^18
    /// ```
    ///
    /// Counts, each of which has noise, have a fourth of that, up to [`MOST_COUNTED_BINS`].
    ///
    /// Rows that lie closer have fewer, up to where a bin is as wide as the error. Coarser bins would spare a choice
    /// the many that are far from the quantile: with few rows, and with a small epsilon, they do.
    fn fine_bins(&self, columns: &Columns, setting: &Setting, purpose: Bins) -> u64 {
        let cells = setting.cells.max(1);
        let (lower, upper) = columns.ends(0);
        // Edges that are as near as doubles would not increase.
        let apart = 0.25 * (upper - lower) / (f64::EPSILON * lower.abs().max(upper.abs()));
        let wanted = columns.rows.map_or(USUAL_BINS, |(_, rows)| {
            let levels = f64::from(self.probabilities.len().max(1).ilog2() + 1);
            let missed = levels / setting.epsilon.value().to_f64();
            (8.0 * (rows / cells) as f64 / missed) as u64
        });
        let (part, most) = match purpose {
            Bins::Chosen => (1, MOST_BINS as u64),
            Bins::Counted => (4, MOST_COUNTED_BINS as u64),
        };
        let most = most.min((MOST_OF_CELLS / cells).max(64)).min(apart.max(1.0) as u64);
        // No more are ever taken, and a power of two above is a number.
        let wanted = wanted.min(MOST_OF_CELLS).next_power_of_two();
        (wanted / part).max(64).min(most)
    }

    /// The edges of the plan; without them a bin for each whole number, or fine ones between the bounds.
    fn edges_of(&self, columns: &Columns, setting: &Setting, purpose: Bins) -> Result<Vec<Rational>, StatisticError> {
        if let Some(edges) = &self.edges {
            return Ok(edges.value.clone());
        }
        if columns.all_are_integers || !columns.may_have_fine_bins {
            let bins = self.unit_bins(columns);
            if !columns.may_have_fine_bins || !matches!(bins, Err(StatisticError::TooManyBins { .. })) {
                return bins;
            }
        }
        let bounds = &columns.only("quantile")?.bounds;
        let fine = self.fine_bins(columns, setting, purpose);
        let width = &(&bounds.upper - &bounds.lower) / &Rational::from(u128::from(fine));
        Ok((0..=fine).map(|edge| &bounds.lower + &(&width * &Rational::from(u128::from(edge)))).collect())
    }

    fn prepare_choice(&self, columns: &Columns, setting: &Setting) -> Calibrated {
        let values = if columns.all_are_integers { Values::Whole } else { Values::Real };
        let chosen = ChosenQuantiles {
            edges: self.edges_of(columns, setting, Bins::Chosen)?,
            probabilities: self.probabilities.clone(),
            values,
            interval_share: self.interval_share.as_ref().map(|share| share.value.clone()),
            least_rows: columns.rows.map(|(rows, _)| rows / setting.cells.max(1)),
        };
        chosen.calibrate(setting)
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
        if setting.mechanism.entry() == &registry::RANKS {
            return self.prepare_choice(columns, setting);
        }
        let edges = self.edges_of(columns, setting, Bins::Counted)?;
        // Rows without a value are in no bin, unless the plan gives them one.
        let every_row = setting.rows().is_some() && columns.imputed;
        let total = if every_row { Total::Public } else { Total::Measured };
        let values = if columns.all_are_integers { Values::Whole } else { Values::Real };
        let quantiles = Quantiles { edges, probabilities: self.probabilities.clone(), total, values };
        quantiles.calibrate(setting)
    }
}

impl Read for Quantile {
    const WORD: KindWord = KindWord::Quantile;
    const WITH_ARTICLE: &'static str = "a quantile";
    const KEYS: &'static [Key] = &[COLUMN, EDGES, PROBABILITIES, INTERVAL_SHARE];
    const HAS_EDGES: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let (column, edges) = (reader.column(), reader.optional(&EDGES, edges));
        reader.needs_bounds = edges == Ok(None);
        let probabilities = reader.required(&PROBABILITIES, read_probabilities);
        let interval_share = reader.optional(&INTERVAL_SHARE, read_interval_share);
        Ok(Self { column: column?, edges: edges?, probabilities: probabilities?, interval_share: interval_share? })
    }

    /// Only whole numbers have bins of their own, unless bins are chosen; and only then intervals have a share of
    /// epsilon.
    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let (Some(own), Some(mechanism)) = (kind, statistic.mechanism_in(draft)) else { return };
        let may_choose = mechanism.may_choose_bins();
        if let Some(share) = own.interval_share.as_ref().filter(|_| !may_choose) {
            let message = format!(
                "`interval_share` in {} must be left out without mechanism = \"permute-and-flip\": the counts that make the estimate give the interval too",
                statistic.place
            );
            mistakes.note(&share.span, message, "remove `interval_share`, or add mechanism = \"permute-and-flip\"");
        }
        let (Self { column, edges: None, .. }, false) = (own, may_choose) else { return };
        let declared = draft.column(&column.value).and_then(|declared| given(&declared.column_type));
        if declared.is_some_and(|declared| declared.value == Kind::Number) {
            let name = shorten(&column.value);
            let message = format!(
                "{} must have `edges`: `{name}` is of type \"number\", and only whole numbers have bins of their own",
                statistic.place
            );
            let help = "write edges = { lower = 0, upper = 100, bins = 200 }, as fine as answers matter to you, or type = \"integer\", or mechanism = \"permute-and-flip\"";
            mistakes.note(&statistic.span, message, help);
        }
    }
}

/// A part of epsilon, which may be none.
fn read_interval_share(item: Item, help: &'static str, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let part = item.number(mistakes)?;
    let admissible = part.value >= Rational::ZERO && part.value < Rational::ONE;
    if admissible { Ok(part) } else { Err(item.refuse("at least 0 and less than 1", help, mistakes)) }
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
