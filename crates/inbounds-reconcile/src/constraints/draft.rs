//! The constraints file as it is read: each part by itself, all mistakes noted.

use inbounds_input::document::{Document, Field, Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

use super::{Constraints, MatrixForm, SystemFiles};
use crate::projection::Sense;

const HELP_FIXED: &str = "write \"name of a node\" = 12 below [fixed]";
const HELP_BOUNDS: &str =
    "write \"name of a node\" = { lower = 0, upper = 10 } below [bounds]; either end may be left out";
const HELP_SWITCH: &str = "write true or false";
const HELP_TOTAL: &str = "write the sum of all nodes, such as 100";
const HELP_ORDER: &str = "write order = [[\"smallest\", \"middle\", \"largest\"]], one list for each chain";
const HELP_TERMS: &str = "write terms = { \"name of a node\" = 1, \"another\" = -1 }";
const HELP_COEFFICIENT: &str = "leave nodes out that do not matter";
const HELP_SYSTEM: &str = "write triplets = \"rows.csv\" and sides = \"sides.csv\" below [system]";

/// The file that constraints stand in.
pub(super) const CONSTRAINTS: Document = Document {
    what: "constraints file",
    keys: &["nonnegative", "total", "order", "fixed", "bounds", "equality", "inequality", "system", "matrix"],
    former: &[TOP_DOWN],
    lists: &["equality", "inequality"],
    shape: "a constraint, such as nonnegative = true, [fixed] or [[equality]]",
};

/// What is an option of the command.
const TOP_DOWN: &str = "top_down";

/// Least and largest coefficient: squares of both are far from the ends of doubles.
const COEFFICIENTS: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// Whether a number can be a coefficient.
pub(super) fn is_coefficient(number: f64) -> bool {
    COEFFICIENTS.contains(&number.abs())
}

/// Whether a number can be a value.
pub(super) fn is_value(number: f64) -> bool {
    number.abs() <= 1e90
}

/// A row of the file, by names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NamedRow {
    pub(super) label: String,
    pub(super) terms: Vec<(Spanned<String>, f64)>,
    pub(super) sense: Sense,
    pub(super) side: f64,
}

pub(super) fn draft(mistakes: &mut Mistakes) -> Result<Constraints, Reported> {
    let tree = CONSTRAINTS.parse(mistakes)?;
    // A key of before has a mistake of its own, instead of that of an unknown one.
    let former = CONSTRAINTS.former.iter().filter(|key| tree.contains_key(**key));
    let keys: Vec<&str> = CONSTRAINTS.keys.iter().chain(former).copied().collect();
    let root = Table::open("the constraints file", 0..0, &tree, &keys, mistakes);
    let nonnegative = root.optional("nonnegative", |item| Ok(item.put(switch(&item, mistakes)?)));
    let total = root.optional("total", |item| Ok(item.put(number(&item, HELP_TOTAL, mistakes)?)));
    let orders = root.optional("order", |item| orders(&item, mistakes));
    let fixed = by_name(&root, "fixed", HELP_FIXED, mistakes, |item, mistakes| number(item, HELP_FIXED, mistakes));
    let bounds = by_name(&root, "bounds", HELP_BOUNDS, mistakes, ends);
    let equalities = rows(&root, "equality", &["equals"], mistakes);
    let inequalities = rows(&root, "inequality", &["at_most", "at_least"], mistakes);
    let system = system(&root, mistakes);
    let matrix = matrix(&root, mistakes);
    // What a matrix may stand with is judged by what is there, right or wrong.
    let alone = alone(&root, mistakes);
    let bounds = bounds?.into_iter().map(|(name, (lower, upper))| (name, lower, upper)).collect();
    let (matrix, nonnegative) = (matrix?, nonnegative?);
    let mut rows = equalities?;
    rows.extend(inequalities?);
    alone?;
    Ok(Constraints {
        // Entries of a matrix may well be negative.
        nonnegative: nonnegative.map_or(matrix.is_none(), |switch| switch.value),
        total: total?,
        orders: orders?.unwrap_or_default(),
        rows,
        system: system?,
        matrix,
        fixed: fixed?,
        bounds,
        ..Constraints::default()
    })
}

/// A matrix goes with nothing else; `top_down` is an option of the command.
fn alone(root: &Table, mistakes: &mut Mistakes) -> Result<(), Reported> {
    let mut outcome = Ok(());
    if root.item("matrix").is_some() {
        for key in CONSTRAINTS.keys.iter().copied().filter(|key| *key != "matrix") {
            let Some(item) = root.item(key).filter(|item| item.value.as_bool() != Some(false)) else { continue };
            let message = format!("`{key}` goes with no [matrix]: its solver knows eigenvalues and the diagonal alone");
            outcome = Err(mistakes.note(&item.span, message, "take one of the two out"));
        }
    }
    if let Some(item) = root.item(TOP_DOWN) {
        let message =
            "`top_down` is not a key of the constraints file: trees are solved from the roots down by default";
        outcome = Err(mistakes.note(
            &item.span,
            message,
            "remove it, or write --fit joint after the command for all levels at once",
        ));
    }
    outcome
}

fn switch(item: &Item, mistakes: &mut Mistakes) -> Result<bool, Reported> {
    item.value.as_bool().ok_or_else(|| item.refuse("true or false", HELP_SWITCH, mistakes))
}

/// Lists of at least two names.
fn orders(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<Vec<Spanned<String>>>, Reported> {
    let chains = item.list(HELP_ORDER, mistakes, |chain, mistakes| {
        let names = chain.list(HELP_ORDER, mistakes, |name, mistakes| name.text(HELP_ORDER, mistakes))?;
        match names.value.len() {
            1 => Err(chain.refuse("a list of at least two nodes", HELP_ORDER, mistakes)),
            _ => Ok(names),
        }
    })?;
    Ok(chains.value.into_iter().map(|chain| chain.value).collect())
}

/// The entries of a table whose keys are names of nodes.
fn by_name<T>(
    root: &Table,
    key: &str,
    help: &str,
    mistakes: &mut Mistakes,
    read: impl Fn(&Item, &mut Mistakes) -> Result<T, Reported>,
) -> Result<Vec<(Spanned<String>, T)>, Reported> {
    match root.item(key) {
        None => Ok(Vec::new()),
        Some(item) => named(&item, &format!("[{key}]"), help, mistakes, read),
    }
}

fn named<T>(
    item: &Item,
    place: &str,
    help: &str,
    mistakes: &mut Mistakes,
    read: impl Fn(&Item, &mut Mistakes) -> Result<T, Reported>,
) -> Result<Vec<(Spanned<String>, T)>, Reported> {
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", help, mistakes)) };
    let mut found = Vec::new();
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("`{}` in {place}", shorten(name.get_ref()));
        match read(&Item { subject, value: value.get_ref(), span: value.span() }, mistakes) {
            Ok(value) => found.push((Spanned::new(name.get_ref().to_string(), name.span()), value)),
            Err(reported) => outcome = Err(reported),
        }
    }
    found.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| found)
}

/// All `[[equality]]` or all `[[inequality]]`.
fn rows(root: &Table, key: &str, sides: &[&str], mistakes: &mut Mistakes) -> Result<Vec<NamedRow>, Reported> {
    let Some(item) = root.item(key) else { return Ok(Vec::new()) };
    let help = format!("write [[{key}]] on a line of its own, with terms and {} below", sides.join(" or "));
    let DeValue::Array(entries) = item.value else { return Err(item.refuse("a list of tables", help, mistakes)) };
    let mut found = Vec::new();
    let mut outcome = Ok(());
    for (index, entry) in entries.iter().enumerate() {
        let subject = format!("{key} {}", index + 1);
        let entry = Item { subject: subject.clone(), value: entry.get_ref(), span: entry.span() };
        let DeValue::Table(fields) = entry.value else {
            outcome = Err(entry.refuse("a table", help.clone(), mistakes));
            continue;
        };
        let known: Vec<&str> = ["name", "terms"].iter().chain(sides).copied().collect();
        let table = Table::open(subject.clone(), entry.span.clone(), fields, &known, mistakes);
        match row(&table, subject, sides, mistakes) {
            Ok(row) => found.push(row),
            Err(reported) => outcome = Err(reported),
        }
    }
    outcome.map(|()| found)
}

fn row(table: &Table, subject: String, sides: &[&str], mistakes: &mut Mistakes) -> Result<NamedRow, Reported> {
    let name = table.optional("name", |item| item.text("a name is for messages: any words in quotes", mistakes));
    let terms = table.optional("terms", |item| {
        let place = format!("the terms of {subject}");
        let terms = named(&item, &place, HELP_TERMS, mistakes, |item, mistakes| {
            let value = item.number(mistakes)?.value.to_f64();
            let requirement = "between 1e-30 and 1e30 in absolute value";
            if is_coefficient(value) { Ok(value) } else { Err(item.refuse(requirement, HELP_COEFFICIENT, mistakes)) }
        })?;
        if terms.is_empty() {
            return Err(mistakes.note(&item.span, format!("{subject} has no terms"), HELP_TERMS));
        }
        Ok(terms)
    });
    let terms = table.required("terms", terms, HELP_TERMS, mistakes);
    let given: Vec<&&str> = sides.iter().filter(|side| table.item(side).is_some()).collect();
    let ([side], true) = (&given[..], !given.is_empty()) else {
        let message = format!("{subject} must have {}", sides.join(" or "));
        let message = if given.len() > 1 { format!("{message}, not both") } else { message };
        let help = if given.len() > 1 { "write two inequalities" } else { "write the number on the other side" };
        return Err(mistakes.note(&table.span, message, help));
    };
    let help = "write the number on the other side";
    let value = table.required(side, table.optional(side, |item| number(&item, help, mistakes)), help, mistakes);
    let sense = match **side {
        "at_most" => Sense::AtMost,
        "at_least" => Sense::AtLeast,
        _ => Sense::Equal,
    };
    let label = name?.map_or(subject, |name| name.value);
    Ok(NamedRow { label, terms: terms?, sense, side: value? })
}

fn system(root: &Table, mistakes: &mut Mistakes) -> Field<SystemFiles> {
    let Some(table) = root.table("system", "[system]", &["triplets", "sides"], mistakes)? else { return Ok(None) };
    let mut file = |key: &str| {
        let path = table.optional(key, |item| item.text(HELP_SYSTEM, mistakes));
        table.required(key, path, HELP_SYSTEM, mistakes)
    };
    let (triplets, sides) = (file("triplets"), file("sides"));
    Ok(Some(SystemFiles { triplets: triplets?.value, sides: sides?.value }))
}

fn matrix(root: &Table, mistakes: &mut Mistakes) -> Field<MatrixForm> {
    let known = ["positive_semidefinite", "unit_diagonal", "separator"];
    let Some(table) = root.table("matrix", "[matrix]", &known, mistakes)? else { return Ok(None) };
    let semidefinite = table.optional("positive_semidefinite", |item| Ok(item.put(switch(&item, mistakes)?)));
    let unit_diagonal = table.optional("unit_diagonal", |item| switch(&item, mistakes));
    let separator = table.optional("separator", |item| item.text("write separator = \":\"", mistakes));
    let help = "write positive_semidefinite = true, which is all that a matrix can be asked to be";
    let semidefinite = table.required("positive_semidefinite", semidefinite, help, mistakes)?;
    if !semidefinite.value {
        let message = "a [matrix] that need not be positive semidefinite has no constraint";
        return Err(mistakes.note(&semidefinite.span, message, help));
    }
    let separator = separator?.map_or_else(|| ":".to_owned(), |separator| separator.value);
    Ok(Some(MatrixForm { separator, unit_diagonal: unit_diagonal?.unwrap_or(false), span: table.span }))
}

/// A number that the solvers take.
fn number(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<f64, Reported> {
    let value = item.number(mistakes)?.value.to_f64();
    if is_value(value) { Ok(value) } else { Err(item.refuse("between -1e90 and 1e90", help, mistakes)) }
}

/// Both ends of an interval; infinite where one is left out.
fn ends(item: &Item, mistakes: &mut Mistakes) -> Result<(f64, f64), Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with lower, upper or both", HELP_BOUNDS, mistakes));
    };
    let table = Table::open(item.subject.clone(), item.span.clone(), entries, &["lower", "upper"], mistakes);
    let lower = table.optional("lower", |item| number(&item, HELP_BOUNDS, mistakes));
    let upper = table.optional("upper", |item| number(&item, HELP_BOUNDS, mistakes));
    let (lower, upper) = (lower?, upper?);
    let ends = (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
    if ends.0 > ends.1 {
        let message = format!("{} has lower = {} above upper = {}", item.subject, ends.0, ends.1);
        return Err(mistakes.note(&item.span, message, "exchange them"));
    }
    Ok(ends)
}
