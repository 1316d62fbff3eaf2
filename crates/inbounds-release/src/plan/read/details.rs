//! The keys of a statistic that only some kinds have.

use inbounds_core::Rational;
use inbounds_input::document::{Complaint, Field, Item, Mistakes, Reported, Spanned, Table, refuse_repeats, shorten};
use toml::de::DeValue;

use super::classes;
use crate::plan::{DescribedClass, MatrixRoute, ProportionRule, ProportionTotal};

pub(super) const KEYS: [&str; 10] =
    ["columns", "classes", "weights", "of", "edges", "probabilities", "rule", "total", "measure", "population"];
const HELP_COLUMNS: &str = "list columns, such as columns = [\"height\", \"weight\"]";
const HELP_WEIGHTS: &str = "write one weight a column, such as weights = { income = 1, cost = -1 }";
const HELP_OF: &str = "write of = \"sum\" or of = \"mean\"";
const HELP_EDGES: &str =
    "list increasing edges, such as edges = [0, 10, 20, 50], or write edges = { lower = 0, upper = 100, bins = 20 }";
const HELP_PROBABILITIES: &str = "list parts of the rows, such as probabilities = [0.25, 0.5, 0.75]";
const HELP_RULE: &str = "leave `rule` out for \"simplex\"";
const HELP_TOTAL: &str = "leave `total` out for shares of the rows in the listed cells";
const HELP_MEASURE: &str = "leave `measure` out for \"entries\"";
const HELP_POPULATION: &str = "write population = true if the rows are a random sample of a population";

/// Most bins of a column.
const MOST_BINS: u64 = 1_000_000;

/// What is combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum OfWord {
    Sum,
    Mean,
}

/// Columns with their weights.
pub(in crate::plan) type Weights = Vec<(Spanned<String>, Rational)>;

/// Keys of some kinds, as far as they could be read.
pub(in crate::plan) struct Details {
    pub(in crate::plan) columns: Field<Spanned<Vec<Spanned<String>>>>,
    pub(in crate::plan) classes: Field<Spanned<Vec<DescribedClass>>>,
    pub(in crate::plan) weights: Field<Spanned<Weights>>,
    pub(in crate::plan) of: Field<Spanned<OfWord>>,
    pub(in crate::plan) edges: Field<Spanned<Vec<Rational>>>,
    pub(in crate::plan) probabilities: Field<Spanned<Vec<Spanned<Rational>>>>,
    pub(in crate::plan) rule: Field<Spanned<ProportionRule>>,
    pub(in crate::plan) total: Field<Spanned<ProportionTotal>>,
    pub(in crate::plan) measure: Field<Spanned<MatrixRoute>>,
    pub(in crate::plan) population: Field<Spanned<bool>>,
}

pub(super) fn read(table: &Table, mistakes: &mut Mistakes) -> Details {
    let sums = [("sum", OfWord::Sum), ("mean", OfWord::Mean)];
    let measures = [("entries", MatrixRoute::Entries), ("matrix", MatrixRoute::Matrix)];
    Details {
        columns: table.optional("columns", |item| read_columns(&item, mistakes)),
        classes: table.optional("classes", |item| classes::read(&item, mistakes)),
        weights: table.optional("weights", |item| read_weights(&item, mistakes)),
        of: table.optional("of", |item| item.word(&sums, HELP_OF, mistakes)),
        edges: table.optional("edges", |item| read_edges(&item, mistakes)),
        probabilities: table.optional("probabilities", |item| read_probabilities(&item, mistakes)),
        rule: table.optional("rule", |item| read_rule(&item, mistakes)),
        total: table.optional("total", |item| item.word(&ProportionTotal::WORDS, HELP_TOTAL, mistakes)),
        measure: table.optional("measure", |item| item.word(&measures, HELP_MEASURE, mistakes)),
        population: table.optional("population", |item| {
            let value = item.value.as_bool();
            value.map(|value| item.put(value)).ok_or_else(|| item.refuse("true or false", HELP_POPULATION, mistakes))
        }),
    }
}

fn read_columns(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<Spanned<String>>>, Reported> {
    let columns = item.list(HELP_COLUMNS, mistakes, |entry, mistakes| entry.text(HELP_COLUMNS, mistakes))?;
    refuse_repeats(&columns.value, mistakes, |name| {
        let message = format!("{} must name each column once, got `{}` twice", item.subject, shorten(name));
        Complaint::new(message, "remove the second one")
    })?;
    Ok(columns)
}

fn read_weights(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Weights>, Reported> {
    let entries = match item.value {
        DeValue::Table(entries) if !entries.is_empty() => entries,
        _ => return Err(item.refuse("a table of columns with their weights", HELP_WEIGHTS, mistakes)),
    };
    let mut weights = Vec::new();
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("the weight of `{}` in {}", shorten(name.get_ref()), item.subject);
        let entry = Item { subject, value: value.get_ref(), span: value.span() };
        match entry.number(mistakes) {
            Ok(weight) if weight.value != Rational::ZERO => {
                weights.push((Spanned::new(name.get_ref().to_string(), name.span()), weight.value));
            }
            Ok(_) => outcome = Err(entry.refuse("other than 0", "leave the column out", mistakes)),
            Err(reported) => outcome = Err(reported),
        }
    }
    weights.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| item.put(weights))
}

fn read_edges(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<Rational>>, Reported> {
    if let DeValue::Table(entries) = item.value {
        let known = ["lower", "upper", "bins"];
        let table = Table::open(item.subject.clone(), item.span.clone(), entries, &known, mistakes);
        return equal_bins(&table, mistakes).map(|edges| item.put(edges));
    }
    let edges = item.list(HELP_EDGES, mistakes, |entry, mistakes| entry.number(mistakes))?;
    if edges.value.len() < 2 {
        return Err(mistakes.note(&item.span, format!("{} must have at least two edges", item.subject), HELP_EDGES));
    }
    for pair in edges.value.windows(2) {
        if pair[0].value >= pair[1].value {
            let message = format!("{} must increase, and {} follows {}", item.subject, pair[1].value, pair[0].value);
            return Err(mistakes.note(&pair[1].span, message, HELP_EDGES));
        }
    }
    Ok(edges.map(|edges| edges.into_iter().map(|edge| edge.value).collect()))
}

/// Bins of equal width, exactly.
fn equal_bins(table: &Table, mistakes: &mut Mistakes) -> Result<Vec<Rational>, Reported> {
    let lower = table.optional("lower", |item| item.number(mistakes));
    let upper = table.optional("upper", |item| item.number(mistakes));
    let bins = table.optional("bins", |item| item.counting_number(HELP_EDGES, mistakes));
    let lower = table.required("lower", lower, HELP_EDGES, mistakes);
    let upper = table.required("upper", upper, HELP_EDGES, mistakes);
    let bins = table.required("bins", bins, HELP_EDGES, mistakes);
    let (lower, upper, bins) = (lower?, upper?, bins?);
    if lower.value >= upper.value {
        let message = format!("`edges` must have lower below upper, got {} and {}", lower.value, upper.value);
        return Err(mistakes.note(&upper.span, message, "exchange them"));
    }
    if bins.value > MOST_BINS {
        let message = format!("`bins` must be at most {MOST_BINS}, got {}", bins.value);
        return Err(mistakes.note(&bins.span, message, "take wider bins"));
    }
    let width = &upper.value - &lower.value;
    let edge = |index: u64| &lower.value + &(&width * &Rational::ratio(index.into(), bins.value.into()));
    Ok((0..=bins.value).map(edge).collect())
}

fn read_probabilities(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<Spanned<Rational>>>, Reported> {
    let list = item.list(HELP_PROBABILITIES, mistakes, |entry, mistakes| {
        let part = entry.number(mistakes)?;
        let inside = part.value.is_positive() && part.value < Rational::ONE;
        if inside {
            Ok(part)
        } else {
            Err(entry.refuse("greater than 0 and less than 1", HELP_PROBABILITIES, mistakes))
        }
    })?;
    for pair in list.value.windows(2) {
        if pair[0].value >= pair[1].value {
            let message = format!("{} must increase, and {} follows {}", item.subject, pair[1].value, pair[0].value);
            return Err(mistakes.note(&pair[1].span, message, "write each once, in increasing order"));
        }
    }
    Ok(list)
}

fn read_rule(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<ProportionRule>, Reported> {
    let words: Vec<_> = ProportionRule::WORDS.iter().map(|(word, rule)| (*word, *rule)).collect();
    item.word(&words, HELP_RULE, mistakes)
}
