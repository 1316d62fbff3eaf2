//! The constraints file: what must hold besides the sums, where the measurements file does not say it.

use std::path::Path;

use toml::de::DeValue;

use super::sheet::Sheet;
use crate::{
    digest::sha256,
    plan::{
        PlanErrors, Spanned,
        mistake::{Mistake, Mistakes, Reported},
        read::parse,
        read_text,
        table::Table,
        value::{Item, shorten},
    },
};

const HELP_FIXED: &str = "write \"name of a node\" = 12 below [fixed]";
const HELP_BOUNDS: &str =
    "write \"name of a node\" = { lower = 0, upper = 10 } below [bounds]; either end may be left out";
const HELP_SWITCH: &str = "write true or false";

/// Constraints by name, before they meet the measurements.
///
/// # Example
/// ```
/// use inbounds_release::reconcile::Constraints;
/// let constraints = Constraints::parse("nonnegative = true\nfixed.\"New York\" = 20201249")?;
/// assert!(constraints.nonnegative && !constraints.top_down);
/// let wrong = Constraints::parse("nonnegativ = true").expect_err("a slip");
/// assert!(wrong.to_string().contains("did you mean `nonnegative`?"));
/// # Ok::<(), inbounds_release::plan::PlanErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Constraints {
    /// Whether every node is at zero or above.
    pub nonnegative: bool,
    /// Whether levels are solved one after the other, from the roots down.
    pub top_down: bool,
    fixed: Vec<(Spanned<String>, f64)>,
    bounds: Vec<(Spanned<String>, f64, f64)>,
    name: String,
    text: String,
}

impl Default for Constraints {
    /// Sums, and nothing below zero.
    fn default() -> Self {
        Self {
            nonnegative: true,
            top_down: false,
            fixed: Vec::new(),
            bounds: Vec::new(),
            name: String::new(),
            text: String::new(),
        }
    }
}

impl Constraints {
    /// Reads a constraints file.
    ///
    /// # Errors
    /// [`PlanErrors`] with every mistake found; also where the file cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, PlanErrors> {
        let text = read_text(path, "constraints file")?;
        Self::from_text(&path.display().to_string(), text)
    }

    /// Reads constraints from their text. Mistakes go by the file name `constraints.toml`.
    ///
    /// # Errors
    /// [`PlanErrors`] with every mistake found.
    pub fn parse(text: &str) -> Result<Self, PlanErrors> {
        Self::from_text("constraints.toml", text.to_owned())
    }

    fn from_text(name: &str, text: String) -> Result<Self, PlanErrors> {
        let mut mistakes = Mistakes::new(&text);
        match draft(&mut mistakes) {
            Ok(found) if mistakes.is_empty() => Ok(Self { name: name.to_owned(), text, ..found }),
            _ => Err(PlanErrors::new(name, &text, mistakes.into_list())),
        }
    }

    /// SHA-256 of the file, none if there is none.
    pub(super) fn digest(&self) -> Option<String> {
        (!self.name.is_empty()).then(|| sha256(self.text.as_bytes()))
    }

    /// The constraints by number of node.
    pub(super) fn on(&self, sheet: &Sheet) -> Result<Placed, PlanErrors> {
        let mut mistakes = Vec::new();
        let mut placed = Placed::default();
        for (name, value) in &self.fixed {
            let Some(node) = self.find(sheet, name, &mut mistakes) else { continue };
            match sheet.fixed(node) {
                Some(known) if known != *value => {
                    let message = format!(
                        "node `{}` is fixed at {value} here and at {known} in {}",
                        name.value,
                        sheet.file.display()
                    );
                    mistakes.push(self.mistake(name, message, "keep the right one".to_owned()));
                }
                _ => placed.fixed.push((node, *value)),
            }
        }
        for (name, lower, upper) in &self.bounds {
            if let Some(node) = self.find(sheet, name, &mut mistakes) {
                placed.bounds.push((node, *lower, *upper));
            }
        }
        if mistakes.is_empty() { Ok(placed) } else { Err(PlanErrors::new(&self.name, &self.text, mistakes)) }
    }

    fn find(&self, sheet: &Sheet, name: &Spanned<String>, mistakes: &mut Vec<Mistake>) -> Option<usize> {
        let found = sheet.names.find(&name.value);
        if found.is_none() {
            let near = inbounds_data::nearest(&name.value, sheet.names.iter());
            let help = near
                .map_or_else(|| "name a node of the column `node`".into(), |near| format!("did you mean `{near}`?"));
            let message = format!("{} has no node `{}`", sheet.file.display(), name.value);
            mistakes.push(self.mistake(name, message, help));
        }
        found.map(|number| number as usize)
    }

    fn mistake(&self, name: &Spanned<String>, message: String, help: String) -> Mistake {
        Mistake::at(&self.text, &name.span, message, Some(help))
    }
}

/// Constraints by number of node.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) fixed: Vec<(usize, f64)>,
    pub(super) bounds: Vec<(usize, f64, f64)>,
}

fn draft(mistakes: &mut Mistakes) -> Result<Constraints, Reported> {
    let tree = parse("constraints file", mistakes)?;
    let known = ["nonnegative", "top_down", "fixed", "bounds"];
    let root = Table::open("the constraints file", 0..0, &tree, &known, mistakes);
    let nonnegative = root.optional("nonnegative", |item| switch(&item, mistakes));
    let top_down = root.optional("top_down", |item| switch(&item, mistakes));
    let fixed = by_name(&root, "fixed", HELP_FIXED, mistakes, |item, mistakes| number(item, HELP_FIXED, mistakes));
    let bounds = by_name(&root, "bounds", HELP_BOUNDS, mistakes, ends);
    let bounds = bounds?.into_iter().map(|(name, (lower, upper))| (name, lower, upper)).collect();
    let nonnegative = nonnegative?.unwrap_or(true);
    let top_down = top_down?.unwrap_or(false);
    Ok(Constraints { nonnegative, top_down, fixed: fixed?, bounds, ..Constraints::default() })
}

fn switch(item: &Item, mistakes: &mut Mistakes) -> Result<bool, Reported> {
    item.value.as_bool().ok_or_else(|| item.refuse("true or false", HELP_SWITCH, mistakes))
}

/// The entries of a table whose keys are names of nodes.
fn by_name<T>(
    root: &Table,
    key: &str,
    help: &str,
    mistakes: &mut Mistakes,
    read: impl Fn(&Item, &mut Mistakes) -> Result<T, Reported>,
) -> Result<Vec<(Spanned<String>, T)>, Reported> {
    let Some(item) = root.item(key) else { return Ok(Vec::new()) };
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", help, mistakes)) };
    let mut found = Vec::new();
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("`{}` in [{key}]", shorten(name.get_ref()));
        match read(&Item { subject, value: value.get_ref(), span: value.span() }, mistakes) {
            Ok(value) => found.push((Spanned::new(name.get_ref().to_string(), name.span()), value)),
            Err(reported) => outcome = Err(reported),
        }
    }
    found.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| found)
}

/// A number that the solvers take.
fn number(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<f64, Reported> {
    let value = item.number(mistakes)?.value.to_f64();
    if value.abs() <= 1e90 { Ok(value) } else { Err(item.refuse("between -1e90 and 1e90", help, mistakes)) }
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
