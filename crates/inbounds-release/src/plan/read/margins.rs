//! `margins` and `margin_shares`.

use inbounds_core::Rational;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned};
use toml::de::DeValue;

use crate::plan::{MarginColumns, MarginShares};

const HELP: &str = "list sets of columns of `by`, such as margins = [[\"sex\"], [\"sex\", \"region\"]], where [] is the total, or remove \
                    `margins`";
const HELP_SHARES: &str = "write \"balanced\" or \"least-error\", or one part a margin, such as margin_shares = [0.2, 0.8], or leave it \
                           out for equal parts";

pub(super) fn read(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<MarginColumns>>, Reported> {
    item.list(HELP, mistakes, |entry, mistakes| match entry.value {
        DeValue::Array(columns) if columns.is_empty() => Ok(entry.put(Vec::new())),
        _ => entry.list(HELP, mistakes, |column, mistakes| column.text(HELP, mistakes)),
    })
}

pub(super) fn read_shares(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<MarginShares>, Reported> {
    if let DeValue::Array(_) = item.value {
        let shares = item.list(HELP_SHARES, mistakes, read_share)?;
        return Ok(shares.map(|shares| MarginShares::Given(shares.into_iter().map(|share| share.value).collect())));
    }
    let words = [("even", Word::Even), ("balanced", Word::Balanced), ("least-error", Word::LeastError)];
    let word = item.word(&words, HELP_SHARES, mistakes)?;
    Ok(word.map(|word| match word {
        Word::Even => MarginShares::Even,
        Word::Balanced => MarginShares::Balanced,
        Word::LeastError => MarginShares::LeastError,
    }))
}

#[derive(Clone, Copy)]
enum Word {
    Even,
    Balanced,
    LeastError,
}

fn read_share(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let share = item.number(mistakes)?;
    if share.value >= Rational::ZERO {
        return Ok(share);
    }
    Err(item.refuse("at least 0", "a margin with the part 0 is not measured, and follows from the others", mistakes))
}
