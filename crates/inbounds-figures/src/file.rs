//! The file of figures: which are to be made, and of what.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use inbounds_bundle::digest::sha256;
use inbounds_core::Named;
use inbounds_input::document::{
    Document, DocumentErrors, Field, Item, Mistakes, Reported, Spanned, Table, refuse_repeats,
};
use toml::de::DeValue;

use crate::{FigureKind, numbers::Key};

const FILE: Document = Document {
    noun: "figures file",
    keys: &["interval", "joint", "figure"],
    former: &[],
    lists: &["figure"],
    shape: "a figure, such as [[figure]]",
};

const KEYS: &[&str] =
    &["name", "label", "kind", "of", "per", "from", "base", "by", "over", "weights", "times", "interval", "joint"];

/// Figures that are to be made, as a file asks for them.
///
/// # Example
/// ```
/// use inbounds_figures::FiguresFile;
/// let file = FiguresFile::parse("[[figure]]\nname = \"share\"\nkind = \"ratio\"\nof = \"women\"\nper = \"people\"\n")?;
/// assert_eq!(file.names().collect::<Vec<_>>(), ["share"]);
/// let wrong = FiguresFile::parse("[[figure]]\nname = \"share\"\nkind = \"ratoi\"\nof = \"women\"\n").expect_err("a slip");
/// assert!(wrong.to_string().contains("did you mean \"ratio\"?"));
/// # Ok::<(), inbounds_input::document::DocumentErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FiguresFile {
    pub(crate) figures: Vec<Asked>,
    /// Where its files are looked for.
    pub(crate) folder: PathBuf,
    pub(crate) sha256: String,
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// Its place in the text.
    pub(crate) span: Range<usize>,
    pub(crate) name: String,
    pub(crate) label: Option<String>,
    pub(crate) kind: FigureKind,
    pub(crate) subject: Operand,
    pub(crate) per: Option<Operand>,
    pub(crate) from: Option<Operand>,
    pub(crate) base: Option<Key>,
    pub(crate) by: Option<Vec<String>>,
    pub(crate) over: Vec<String>,
    pub(crate) weights: Option<Operand>,
    pub(crate) times: f64,
    pub(crate) level: f64,
    pub(crate) joint: bool,
}

impl Asked {
    /// Its operands, the first of which is never left out.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Operand> {
        [Some(&self.subject), self.per.as_ref(), self.from.as_ref(), self.weights.as_ref()].into_iter().flatten()
    }

    /// The statistic of an operand, by the place of it among them. The columns of a figure are those of its first
    /// operand; to others one that they lack says nothing.
    fn named<'a>(&'a self, (place, operand): (usize, &'a Operand)) -> Option<NamedStatistic<'a>> {
        let Operand::Published { statistic, fixed, total, .. } = operand else { return None };
        let added: &[String] = if let Adding::Over(columns) = total { columns } else { &[] };
        let own = self.by.iter().flatten().chain(&self.over).chain(self.base.iter().flat_map(Key::keys));
        let columns = fixed.keys().chain(added).chain(own.filter(|_| place == 0)).map(String::as_str).collect();
        Some(NamedStatistic { figure: &self.name, span: self.span.clone(), statistic, columns })
    }
}

/// A statistic that a figure names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedStatistic<'a> {
    /// Name of the figure.
    pub figure: &'a str,
    /// Place of the figure in its text.
    pub span: Range<usize>,
    /// Name of the statistic.
    pub statistic: &'a str,
    /// Columns that the statistic must be by.
    pub columns: Vec<&'a str>,
}

/// Outline of a figure: its kind, its statistics and its public tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureOutline {
    /// Its label, or its name.
    pub title: String,
    /// Its kind.
    pub kind: FigureKind,
    /// The statistics whose numbers it is made of, each once.
    pub statistics: Vec<String>,
    /// The public tables that it is made of, each once.
    pub tables: Vec<String>,
}

/// A number by key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    /// Published numbers of a statistic.
    Published { statistic: String, fixed: Key, output: Option<String>, total: Adding },
    /// Public numbers of a table.
    Table { file: String, value: String, fixed: Key },
    /// Public numbers by value of one column.
    Values(Vec<(String, f64)>),
    /// One public number.
    Number(f64),
}

/// Over which columns the cells of an operand are added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Adding {
    /// None.
    Nothing,
    /// All that have no value in `where`.
    All,
    /// These.
    Over(Vec<String>),
}

const HELP_FIGURE: &str = "write [[figure]] on a line of its own, with name, kind and of below";

/// The level of intervals where none is chosen.
pub(crate) const USUAL_LEVEL: f64 = 0.95;
/// Multiplier of a rate, unless one is chosen.
const USUAL_TIMES: f64 = 100_000.0;

impl FiguresFile {
    /// Reads a file. Tables that it names are looked for in its folder.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found; also where the file cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, DocumentErrors> {
        let text = FILE.read(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::from_text(&path.display().to_string(), &text, folder)
    }

    /// Reads figures from their text. Mistakes go by the file name `figures.toml`.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found.
    pub fn parse(text: &str) -> Result<Self, DocumentErrors> {
        Self::from_text("figures.toml", text, PathBuf::new())
    }

    /// The figures of a plan, `[[figure]]` beside its statistics, if it has any; `usual` are the level of intervals of
    /// those that choose none, and whether they hold at once. Tables are looked for in `folder`.
    ///
    /// # Errors
    /// [`Reported`], with every mistake noted.
    pub fn of_plan(
        plan: &Table,
        usual: (f64, bool),
        folder: &Path,
        mistakes: &mut Mistakes,
    ) -> Result<Option<Self>, Reported> {
        let Some(list) = plan.item("figure") else { return Ok(None) };
        let figures = listed(&list, usual, mistakes)?;
        let sha256 = sha256(mistakes.text().as_bytes());
        Ok(Some(Self { figures, folder: folder.to_owned(), sha256 }))
    }

    /// Each statistic that a figure names, with the columns that it must be by.
    pub fn statistics(&self) -> impl Iterator<Item = NamedStatistic<'_>> {
        self.figures.iter().flat_map(|asked| asked.operands().enumerate().filter_map(|place| asked.named(place)))
    }

    /// Description of each figure, in their order, for the approver.
    pub fn outlines(&self) -> impl Iterator<Item = FigureOutline> {
        self.figures.iter().map(|asked| {
            let (mut statistics, mut tables) = (Vec::new(), Vec::new());
            for operand in asked.operands() {
                let (names, name) = match operand {
                    Operand::Published { statistic, .. } => (&mut statistics, statistic),
                    Operand::Table { file, .. } => (&mut tables, file),
                    Operand::Values(_) | Operand::Number(_) => continue,
                };
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            let title = asked.label.as_ref().unwrap_or(&asked.name).clone();
            FigureOutline { title, kind: asked.kind, statistics, tables }
        })
    }

    /// The names of the figures, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.figures.iter().map(|figure| figure.name.as_str())
    }

    fn from_text(name: &str, text: &str, folder: PathBuf) -> Result<Self, DocumentErrors> {
        let mut mistakes = Mistakes::new(text);
        match figures(&mut mistakes) {
            Ok(figures) if mistakes.is_empty() => Ok(Self { figures, folder, sha256: sha256(text.as_bytes()) }),
            _ => Err(DocumentErrors::new(name, text, mistakes.into_list())),
        }
    }
}

fn figures(mistakes: &mut Mistakes) -> Result<Vec<Asked>, Reported> {
    let tree = FILE.parse(mistakes)?;
    let root = Table::open("the figures file", 0..0, &tree, FILE.keys, mistakes);
    let level = root.optional("interval", |item| level(&item, mistakes));
    let joint = root.optional("joint", |item| switch(&item, mistakes));
    let usual = (level?.unwrap_or(USUAL_LEVEL), joint?.unwrap_or(false));
    let Some(item) = root.item("figure") else {
        return Err(mistakes.note(&(0..0), "the figures file must have a figure", HELP_FIGURE));
    };
    listed(&item, usual, mistakes)
}

/// The figures of a list of tables.
fn listed(item: &Item, usual: (f64, bool), mistakes: &mut Mistakes) -> Result<Vec<Asked>, Reported> {
    let help = HELP_FIGURE;
    let DeValue::Array(list) = item.value else { return Err(item.refuse("a list of tables", help, mistakes)) };
    let mut figures: Vec<Spanned<Asked>> = Vec::new();
    let mut outcome = Ok(());
    for (index, entry) in list.iter().enumerate() {
        let subject = format!("figure {}", index + 1);
        let entry = Item { subject: subject.clone(), value: entry.get_ref(), span: entry.span() };
        let DeValue::Table(fields) = entry.value else {
            outcome = Err(entry.refuse("a table", help, mistakes));
            continue;
        };
        let table = Table::open(subject, entry.span.clone(), fields, KEYS, mistakes);
        match figure(&table, usual, mistakes) {
            Ok(figure) => figures.push(entry.put(figure)),
            Err(reported) => outcome = Err(reported),
        }
    }
    let names: Vec<Spanned<String>> =
        figures.iter().map(|figure| Spanned::new(figure.value.name.clone(), figure.span.clone())).collect();
    refuse_repeats(&names, mistakes, |name| {
        inbounds_input::document::Complaint::new(
            format!("two figures are called `{name}`"),
            "give each a name of its own",
        )
    })?;
    outcome?;
    Ok(figures.into_iter().map(|figure| figure.value).collect())
}

/// A figure, with the level of all where it has none of its own, and likewise whether its intervals hold together.
fn figure(table: &Table, usual: (f64, bool), mistakes: &mut Mistakes) -> Result<Asked, Reported> {
    let named = table.optional("name", |item| item.text("a name, such as \"cases-per-100000\"", mistakes));
    let named = table.required("name", named, "add name = \"...\", by which the table calls it", mistakes);
    let words: Vec<(&str, FigureKind)> = FigureKind::all().iter().map(|kind| (kind.name(), *kind)).collect();
    let kinds = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    let kind = table.optional("kind", |item| item.word(&words, &format!("write one of {}", kinds()), mistakes));
    let kind = table.required("kind", kind, &format!("add kind = \"...\", one of {}", kinds()), mistakes);
    let subject = table.optional("of", |item| operand(&item, mistakes));
    let subject = table.required("of", subject, "add of = \"...\", the name of a statistic", mistakes);
    let per = table.optional("per", |item| operand(&item, mistakes));
    let from = table.optional("from", |item| operand(&item, mistakes));
    let base = table.optional("base", |item| key(&item, mistakes));
    let by = table.optional("by", |item| texts(&item, mistakes));
    let over = table.optional("over", |item| texts(&item, mistakes));
    let weights = table.optional("weights", |item| weights(&item, mistakes));
    let times = table.optional("times", |item| {
        let times = item.number(mistakes)?.value.to_f64();
        if times > 0.0 {
            Ok(times)
        } else {
            Err(item.refuse("above 0", "write times = 1000 for a rate per 1,000", mistakes))
        }
    });
    let own_level = table.optional("interval", |item| level(&item, mistakes));
    let joint = table.optional("joint", |item| switch(&item, mistakes));
    let label = table.optional("label", |item| item.text("words in quotes", mistakes));
    let kind = kind?.value;
    let (needed, allowed) = kind.keys();
    let mut outcome = Ok(());
    for key in needed.iter().filter(|key| table.item(key).is_none()) {
        let message = format!("a figure of kind \"{kind}\" must have `{key}`");
        outcome = Err(mistakes.note(&table.span, message, help_of(key)));
    }
    for key in ["per", "from", "base", "over", "weights", "times"] {
        if !needed.contains(&key)
            && !allowed.contains(&key)
            && let Some(item) = table.item(key)
        {
            let message = format!("`{key}` is nothing to a figure of kind \"{kind}\"");
            outcome = Err(mistakes.note(&item.span, message, "take it out, or choose another kind"));
        }
    }
    outcome?;
    let plain = |field: Field<Spanned<String>>| Ok::<_, Reported>(field?.map(|text| text.value));
    Ok(Asked {
        span: table.span.clone(),
        name: named?.value,
        label: plain(label)?,
        kind,
        subject: subject?,
        per: per?,
        from: from?,
        base: base?,
        by: by?,
        over: over?.unwrap_or_default(),
        weights: weights?,
        times: times?.unwrap_or(match kind {
            FigureKind::Rate | FigureKind::StandardisedRate => USUAL_TIMES,
            FigureKind::Change | FigureKind::Index => 100.0,
            FigureKind::Ratio | FigureKind::Difference | FigureKind::WeightedSum | FigureKind::Rank => 1.0,
        }),
        level: own_level?.unwrap_or(usual.0),
        joint: joint?.unwrap_or(usual.1),
    })
}

fn help_of(key: &str) -> &'static str {
    match key {
        "per" => {
            "add per = \"...\", the name of a statistic, or per = { file = \"population.csv\", value = \"people\" }"
        }
        "from" => {
            "add from = \"...\", the name of a statistic, or from = { statistic = \"...\", where = { sex = \"male\" } }"
        }
        "base" => "add base = { region = \"north\" }, the cell that is 100",
        "over" => "add over = [\"age_class\"], the columns whose cells are added up",
        _ => "add weights = { file = \"standard.csv\", value = \"weight\" }, or weights = { young = 0.6, old = 0.4 }",
    }
}

fn level(item: &Item, mistakes: &mut Mistakes) -> Result<f64, Reported> {
    let level = item.number(mistakes)?.value.to_f64();
    let help = "write the probability with which an interval is to hold, such as 0.95 or 0.9";
    if (0.5..=0.9999).contains(&level) { Ok(level) } else { Err(item.refuse("between 0.5 and 0.9999", help, mistakes)) }
}

fn switch(item: &Item, mistakes: &mut Mistakes) -> Result<bool, Reported> {
    item.value.as_bool().ok_or_else(|| item.refuse("true or false", "write true or false", mistakes))
}

fn texts(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<String>, Reported> {
    if item.value.as_array().is_some_and(|list| list.is_empty()) {
        // Of a single cell, which no column identifies.
        return Ok(Vec::new());
    }
    let help = "write names of columns in quotes and brackets, such as [\"region\"]";
    let list = item.list(help, mistakes, |item, mistakes| item.text(help, mistakes))?;
    Ok(list.value.into_iter().map(|text| text.value).collect())
}

/// Values of columns.
fn key(item: &Item, mistakes: &mut Mistakes) -> Result<Key, Reported> {
    let help = "write values of columns in braces, such as { region = \"north\", year = 2024 }";
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", help, mistakes)) };
    let mut key = Key::new();
    for (name, value) in entries {
        let value = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Integer(digits) => digits.as_str().to_owned(),
            other => {
                let subject = format!("`{}` in {}", name.get_ref(), item.subject);
                let item = Item { subject, value: other, span: value.span() };
                return Err(item.refuse("a text, a whole number, true or false", help, mistakes));
            }
        };
        key.insert(name.get_ref().to_string(), value);
    }
    if key.is_empty() { Err(item.refuse("a table with a value", help, mistakes)) } else { Ok(key) }
}

fn operand(item: &Item, mistakes: &mut Mistakes) -> Result<Operand, Reported> {
    let help = "write the name of a statistic in quotes, { statistic = \"...\", where = { ... } }, { file = \"...\", value = \"...\" }, or a number";
    match item.value {
        DeValue::String(_) => {
            let statistic = item.text(help, mistakes)?.value;
            Ok(Operand::Published { statistic, fixed: Key::new(), output: None, total: Adding::Nothing })
        }
        DeValue::Integer(_) | DeValue::Float(_) => Ok(Operand::Number(item.number(mistakes)?.value.to_f64())),
        DeValue::Table(entries) => {
            let known = ["statistic", "where", "output", "total", "file", "value"];
            let table = Table::open(item.subject.clone(), item.span.clone(), entries, &known, mistakes);
            let fixed = table.optional("where", |item| key(&item, mistakes))?.unwrap_or_default();
            let mut text = |key: &str| {
                let text = table.optional(key, |item| item.text(help, mistakes))?;
                Ok::<_, Reported>(text.map(|text| text.value))
            };
            let (statistic, output, file, value) = (text("statistic")?, text("output")?, text("file")?, text("value")?);
            let total = table.optional("total", |item| match item.value.as_bool() {
                Some(true) => Ok(Adding::All),
                Some(false) => Ok(Adding::Nothing),
                None => texts(&item, mistakes).map(Adding::Over),
            })?;
            let total = total.unwrap_or(Adding::Nothing);
            match (statistic, file, value) {
                (Some(statistic), None, None) => Ok(Operand::Published { statistic, fixed, output, total }),
                (None, Some(file), Some(value)) if output.is_none() && total == Adding::Nothing => {
                    Ok(Operand::Table { file, value, fixed })
                }
                _ => Err(item.refuse("a published number or a public table", help, mistakes)),
            }
        }
        _ => Err(item.refuse("a number by key", help, mistakes)),
    }
}

/// Public numbers: those of a table, or by value of a column.
fn weights(item: &Item, mistakes: &mut Mistakes) -> Result<Operand, Reported> {
    let help = "write { file = \"standard.csv\", value = \"weight\" }, or values of the column with their weights, { young = 0.6, old = 0.4 }";
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", help, mistakes)) };
    if entries.iter().any(|(name, _)| name.get_ref() == "file") {
        return operand(item, mistakes);
    }
    let mut values = Vec::new();
    for (name, value) in entries {
        let subject = format!("`{}` in {}", name.get_ref(), item.subject);
        let one = Item { subject, value: value.get_ref(), span: value.span() };
        values.push((name.get_ref().to_string(), one.number(mistakes)?.value.to_f64()));
    }
    if values.is_empty() {
        Err(item.refuse("a table with a weight", help, mistakes))
    } else {
        Ok(Operand::Values(values))
    }
}
