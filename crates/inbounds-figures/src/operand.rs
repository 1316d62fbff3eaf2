//! Operands: published or public numbers of a key.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::{Path, PathBuf},
};

use csv::ReaderBuilder;
use inbounds_bundle::{FileEntry, digest::sha256};

use crate::{
    FiguresError, FiguresFile, Refusal,
    file::{Adding, Operand},
    numbers::{Atoms, Form, Key, Raw, Statistic, Statistics},
};

/// A number of which figures are made.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    /// Its form in the measurements.
    pub(crate) raw: Raw,
    /// The published estimate, or what follows from several.
    pub(crate) estimate: f64,
    /// The estimates that it is the weighted sum of; none where it is no such sum.
    pub(crate) made_of: Option<BTreeMap<CellPlace, f64>>,
    /// Where the answer lies, whatever the rows.
    pub(crate) range: (f64, f64),
    pub(crate) unit: String,
    /// Rows that it counts or adds up, if no part of it can be more than the whole.
    pub(crate) part: Option<Part>,
    pub(crate) statistic: String,
}

/// A published number, by bundle, statistic and place among its cells.
pub(crate) type CellPlace = (usize, usize, usize);

/// The rows that a number is of, among those of a statistic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    bundle: usize,
    statistic: usize,
    output: String,
    key: Key,
}

impl Part {
    /// `true` if all of its rows are rows of another.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        let same = (self.bundle, self.statistic, &self.output) == (other.bundle, other.statistic, &other.output);
        same && other.key.iter().all(|(column, value)| self.key.get(column) == Some(value))
    }
}

impl Number {
    pub(crate) fn public(value: f64) -> Self {
        Self {
            raw: Raw::Linear(Form::of_number(value)),
            estimate: value,
            made_of: Some(BTreeMap::new()),
            range: (value, value),
            unit: String::new(),
            part: None,
            statistic: String::new(),
        }
    }

    /// Its form, if it is one.
    pub(crate) fn form(&self) -> Option<&Form> {
        match &self.raw {
            Raw::Linear(form) => Some(form),
            Raw::Quotient(..) => None,
        }
    }

    /// The weighted sum of numbers that are forms, in the unit of the first.
    pub(crate) fn sum(terms: &[(f64, &Self)]) -> Option<Self> {
        let mut sum = Self::public(0.0);
        let mut form = Form::default();
        for (factor, term) in terms {
            form = form.plus(*factor, term.form()?);
            sum.estimate += factor * term.estimate;
            let ends = (factor * term.range.0, factor * term.range.1);
            sum.range.0 += if *factor == 0.0 { 0.0 } else { ends.0.min(ends.1) };
            sum.range.1 += if *factor == 0.0 { 0.0 } else { ends.0.max(ends.1) };
            sum.made_of = match (sum.made_of, &term.made_of) {
                (Some(mut cells), Some(more)) => {
                    more.iter().for_each(|(cell, weight)| *cells.entry(*cell).or_insert(0.0) += factor * weight);
                    Some(cells)
                }
                _ => None,
            };
        }
        if let Some((_, first)) = terms.first() {
            sum.unit.clone_from(&first.unit);
            sum.statistic.clone_from(&first.statistic);
        }
        sum.raw = Raw::Linear(form);
        Some(sum)
    }
}

/// Bundles and public tables, by which operands are found.
pub(crate) struct Sources<'a> {
    pub(crate) atoms: &'a Atoms,
    /// The statistics of each release, or of a plan.
    pub(crate) statistics: Vec<&'a Statistics>,
    folder: &'a Path,
    tables: RefCell<HashMap<String, PublicTable>>,
}

/// A public table in memory.
#[derive(Debug, Clone)]
struct PublicTable {
    entry: FileEntry,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl FiguresFile {
    /// The public tables that figures name, in the order of their names; each is read, to see that it has its numbers.
    ///
    /// # Errors
    /// The place of the figure, and [`FiguresError::PublicTable`].
    pub fn tables(&self) -> Result<Vec<FileEntry>, (Range<usize>, FiguresError)> {
        let atoms = Atoms::default();
        let sources = Sources::new(&atoms, Vec::new(), &self.folder);
        for asked in &self.figures {
            let read = asked.operands().try_for_each(|operand| sources.read(operand));
            read.map_err(|error| (asked.span.clone(), error))?;
        }
        Ok(sources.files())
    }
}

/// Words for a key in messages.
pub(crate) fn key_in_words(key: &Key) -> String {
    if key.is_empty() {
        return "no column (the whole)".to_owned();
    }
    key.iter().map(|(column, value)| format!("{column} = {value}")).collect::<Vec<_>>().join(", ")
}

impl<'a> Sources<'a> {
    pub(crate) fn new(atoms: &'a Atoms, statistics: Vec<&'a Statistics>, folder: &'a Path) -> Self {
        Self { atoms, statistics, folder, tables: RefCell::default() }
    }

    /// The public tables that were read, by name.
    pub(crate) fn files(&self) -> Vec<FileEntry> {
        let mut files: Vec<FileEntry> = self.tables.borrow().values().map(|table| table.entry.clone()).collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        files
    }

    /// Reads a public table that an operand names.
    pub(crate) fn read(&self, operand: &Operand) -> Result<(), FiguresError> {
        let Operand::Table { file, value, .. } = operand else { return Ok(()) };
        let path: PathBuf = self.folder.join(file);
        let wrong = |problem: String| FiguresError::PublicTable { path: path.clone(), problem };
        if !self.tables.borrow().contains_key(file) {
            let bytes = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
            let entry = FileEntry { name: file.clone(), sha256: sha256(&bytes) };
            let mut reader = ReaderBuilder::new().from_reader(bytes.as_slice());
            let header = reader.headers().map_err(|error| wrong(error.to_string()))?;
            let header: Vec<String> =
                header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect();
            let rows: Result<Vec<Vec<String>>, csv::Error> =
                reader.records().map(|record| Ok(record?.iter().map(str::to_owned).collect())).collect();
            let rows = rows.map_err(|error| wrong(error.to_string()))?;
            self.tables.borrow_mut().insert(file.clone(), PublicTable { entry, header, rows });
        }
        let tables = self.tables.borrow();
        let table = &tables[file];
        let column = table.header.iter().position(|name| name == value);
        let column =
            column.ok_or_else(|| wrong(format!("it has no column `{value}`; it has {}", table.header.join(", "))))?;
        for (line, row) in (2..).zip(&table.rows) {
            let number: Option<f64> = row[column].trim().parse().ok().filter(|number: &f64| number.is_finite());
            if number.is_none() {
                return Err(wrong(format!("`{value}` of line {line} is no number")));
            }
        }
        Ok(())
    }

    /// The number of an operand for a key: columns that the operand does not know say nothing to it.
    pub(crate) fn number(&self, bundle: usize, operand: &Operand, key: &Key) -> Result<Number, Refusal> {
        match operand {
            Operand::Number(value) => Ok(Number::public(*value)),
            Operand::Values(values) => {
                let weights = values.iter().filter(|(value, _)| key.values().any(|known| known == value));
                let weights: Vec<f64> = weights.map(|(_, weight)| *weight).collect();
                match weights.as_slice() {
                    [weight] => Ok(Number::public(*weight)),
                    weights => Err(Refusal::PublicRow {
                        file: "weights".to_owned(),
                        found: if weights.is_empty() { "no value" } else { "several values" },
                        key: key_in_words(key),
                    }),
                }
            }
            Operand::Table { file, value, fixed } => self.of_table(file, value, fixed, key).map(Number::public),
            Operand::Published { statistic, fixed, output, total } => {
                let (place, known) = self.statistics[bundle].named(statistic)?;
                let mut conditions = fixed.clone();
                if let Some(column) = fixed.keys().find(|column| !known.shape.by.contains(column)) {
                    return Err(Refusal::NoColumn { statistic: statistic.clone(), column: column.clone() });
                }
                let is_open = |column: &String| match total {
                    Adding::Nothing => false,
                    Adding::All => true,
                    Adding::Over(columns) => columns.contains(column),
                };
                let own = key.iter().filter(|(column, _)| known.shape.by.contains(column) && !is_open(column));
                for (column, value) in own {
                    conditions.entry(column.clone()).or_insert_with(|| value.clone());
                }
                self.published((bundle, place), known, &conditions, output.as_deref(), *total != Adding::Nothing)
            }
        }
    }

    fn of_table(&self, file: &str, value: &str, fixed: &Key, key: &Key) -> Result<f64, Refusal> {
        let tables = self.tables.borrow();
        let table = &tables[file];
        let place = |name: &str| table.header.iter().position(|known| known == name);
        let conditions: Vec<(usize, &String)> = fixed
            .iter()
            .chain(key.iter().filter(|(name, _)| !fixed.contains_key(*name)))
            .filter_map(|(name, value)| Some((place(name)?, value)))
            .collect();
        let rows =
            table.rows.iter().filter(|row| conditions.iter().all(|(place, value)| row[*place].trim() == **value));
        let rows: Vec<&Vec<String>> = rows.collect();
        let column = place(value).unwrap_or_default();
        match rows.as_slice() {
            [row] => Ok(row[column].trim().parse().unwrap_or(f64::NAN)),
            rows => Err(Refusal::PublicRow {
                file: file.to_owned(),
                found: if rows.is_empty() { "no row" } else { "several rows" },
                key: key_in_words(key),
            }),
        }
    }

    fn published(
        &self,
        (bundle, place): (usize, usize),
        statistic: &Statistic,
        conditions: &Key,
        output: Option<&str>,
        total: bool,
    ) -> Result<Number, Refusal> {
        let name = || statistic.shape.name.clone();
        let cells: Vec<usize> = statistic.at(conditions).to_vec();
        let single = |cells: &[usize]| -> Result<usize, Refusal> {
            let named: Vec<usize> = match output {
                Some(output) => cells.iter().copied().filter(|cell| statistic.cells[*cell].output == output).collect(),
                None => cells.to_vec(),
            };
            match named.as_slice() {
                [cell] => Ok(*cell),
                _ => Err(Refusal::Output {
                    statistic: name(),
                    outputs: cells.iter().map(|cell| statistic.cells[*cell].output.clone()).collect(),
                }),
            }
        };
        if !cells.is_empty() {
            return self.cell((bundle, place, single(&cells)?), statistic);
        }
        let open: Vec<String> =
            statistic.shape.by.iter().filter(|column| !conditions.contains_key(*column)).cloned().collect();
        if open.is_empty() {
            return Err(Refusal::NoCell { statistic: name(), key: key_in_words(conditions) });
        }
        if !total {
            let columns = open.iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(" and ");
            return Err(Refusal::OpenColumn { statistic: name(), columns });
        }
        // All cells by all columns that meet the conditions, each key once.
        let meets = |key: &Key| {
            key.len() == statistic.shape.by.len()
                && conditions.iter().all(|(column, value)| key.get(column) == Some(value))
        };
        let mut terms = Vec::new();
        let mut seen: Vec<&Key> = Vec::new();
        for cell in statistic.cells.iter().filter(|cell| meets(&cell.key)) {
            if seen.last() == Some(&&cell.key) {
                continue;
            }
            seen.push(&cell.key);
            terms.push(self.cell((bundle, place, single(statistic.at(&cell.key))?), statistic)?);
        }
        if terms.is_empty() {
            return Err(Refusal::NoCell { statistic: name(), key: key_in_words(conditions) });
        }
        let weighted: Vec<(f64, &Number)> = terms.iter().map(|term| (1.0, term)).collect();
        let sum = Number::sum(&weighted).ok_or_else(|| Refusal::NotLinear { kind: "total", statistic: name() })?;
        let part = terms[0].part.clone().map(|part| Part { key: conditions.clone(), ..part });
        Ok(Number { part, ..sum })
    }

    /// A published number.
    pub(crate) fn cell(&self, place: CellPlace, statistic: &Statistic) -> Result<Number, Refusal> {
        let cell = &statistic.cells[place.2];
        let making = statistic.making.as_ref().map_err(Refusal::clone)?;
        let raw = making.raw(&statistic.shape, &statistic.cells, cell, self.atoms)?;
        let range = statistic.shape.range(&cell.output);
        // Numbers that add up without a negative one: no part is more than the whole.
        let adds_up = matches!(raw, Raw::Linear(_)) && range.0 >= 0.0;
        let part = adds_up.then(|| Part {
            bundle: place.0,
            statistic: place.1,
            output: cell.output.clone(),
            key: cell.key.clone(),
        });
        Ok(Number {
            raw,
            estimate: cell.estimate,
            made_of: Some(BTreeMap::from([(place, 1.0)])),
            range,
            unit: cell.unit.clone(),
            part,
            statistic: statistic.shape.name.clone(),
        })
    }

    /// Bias and RMSE of a weighted sum of estimates, were the truths the estimates; none where their errors are not
    /// independent.
    pub(crate) fn errors(&self, made_of: &BTreeMap<CellPlace, f64>) -> Option<(f64, f64)> {
        let (mut bias, mut variance) = (0.0, 0.0);
        let mut atoms: Vec<usize> = Vec::new();
        for (&(bundle, statistic, cell), weight) in made_of {
            let statistic = self.statistics[bundle].get(statistic);
            let published = &statistic.cells[cell];
            if made_of.len() > 1 {
                // An estimate of a fit follows from all of its measurements, whatever the linear fit weighs them with.
                if statistic.shape.is_fitted {
                    return None;
                }
                let making = statistic.making.as_ref().ok()?;
                let own = making.raw(&statistic.shape, &statistic.cells, published, self.atoms).ok()?.atoms();
                atoms.extend(own);
            }
            bias += weight * published.bias;
            variance += weight * weight * (published.rmse * published.rmse - published.bias * published.bias).max(0.0);
        }
        // Numbers of one vector are uncorrelated, but estimates clamp them.
        let mut known: Vec<(bool, usize)> = atoms
            .iter()
            .map(|atom| self.atoms.get(*atom).vector.map_or((false, *atom), |vector| (true, vector)))
            .collect();
        let count = known.len();
        known.sort_unstable();
        known.dedup();
        (known.len() == count).then(|| (bias, libm::sqrt(variance + bias * bias)))
    }
}
