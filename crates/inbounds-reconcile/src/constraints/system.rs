//! Sparse rows from two files: coefficients as triplets, and the right-hand side of each row.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use inbounds_bundle::{SystemEntry, digest::sha256_of_file};
use inbounds_input::{
    document::{Field, Mistakes, Table},
    nearest,
};

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::{is_coefficient, is_value},
    row::StatedRows,
};
use crate::{
    error::{Problem, ReconcileError},
    names::Names,
    projection::{Row, Sense},
    read::{place::wrong, text::Text},
};

pub(super) const KIND: Kind =
    Kind { key: "system", form: Form::Single, alone: None, read: |root, mistakes| any(files(root, mistakes)) };

const HELP: &str = "write triplets = \"rows.csv\" and sides = \"sides.csv\" below [system]";

/// Files of sparse rows, beside the constraints file.
#[derive(Debug)]
struct SystemFiles {
    triplets: String,
    sides: String,
}

fn files(root: &Table, mistakes: &mut Mistakes) -> Field<SystemFiles> {
    let Some(table) = root.table(KIND.key, "[system]", &["triplets", "sides"], mistakes)? else { return Ok(None) };
    let mut file = |key: &str| {
        let path = table.optional(key, |item| item.text(HELP, mistakes));
        table.required(key, path, HELP, mistakes)
    };
    let (triplets, sides) = (file("triplets"), file("sides"));
    Ok(Some(SystemFiles { triplets: triplets?.value, sides: sides?.value }))
}

impl Constraint for SystemFiles {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        let [triplets, sides] = [&self.triplets, &self.sides].map(|file| placing.folder.join(file));
        let digest = |file: &Path| {
            sha256_of_file(file).map_err(|source| ReconcileError::Unreadable { file: file.to_owned(), source })
        };
        let system = SystemEntry {
            triplets_sha256: digest(&triplets)?,
            sides_sha256: digest(&sides)?,
            triplets: self.triplets.clone(),
            sides: self.sides.clone(),
        };
        StatedRows(read(&triplets, &sides, placing.sheet.names())?).place(placing, Some(system));
        Ok(())
    }
}

const TRIPLETS: [&str; 3] = ["row", "node", "coefficient"];
const SIDES: [&str; 3] = ["row", "sense", "value"];

/// The rows of a system in the order of their sides.
fn read(triplets: &Path, sides: &Path, nodes: &Names) -> Result<Vec<Row>, ReconcileError> {
    let mut rows = Vec::new();
    let mut places = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    Text::open(sides, SIDES)?.each(|place, [row, sense, value]| {
        let name = named(row)?;
        if numbers.insert(name.clone(), rows.len()).is_some() {
            return Err(Problem::SideTwice { row: name });
        }
        let sense = self::sense(&name, sense)?;
        let side = number(&name, "value", value, is_value, "a number between -1e90 and 1e90")?;
        rows.push(Row::stated(name, Vec::new(), sense, side));
        places.push(place);
        Ok(())
    })?;
    let mut taken: HashSet<(usize, u32)> = HashSet::new();
    Text::open(triplets, TRIPLETS)?.each(|_, [row, node, coefficient]| {
        let name = named(row)?;
        let Some(&index) = numbers.get(&name) else {
            return Err(Problem::NoSide { row: name, sides: sides.display().to_string() });
        };
        let number_of_node = nodes.find(node).ok_or_else(|| unknown(node, nodes))?;
        let requirement = "a number between 1e-30 and 1e30 in absolute value";
        let coefficient = number(&name, "coefficient", coefficient, is_coefficient, requirement)?;
        if !taken.insert((index, number_of_node)) {
            return Err(Problem::RepeatedTriplet { row: name, node: node.to_owned() });
        }
        rows[index].terms.push((number_of_node, coefficient));
        Ok(())
    })?;
    match rows.iter().position(|row| row.terms.is_empty()) {
        None => Ok(rows),
        Some(index) => {
            let row = rows[index].label.clone();
            Err(wrong(sides, places[index], Problem::NoTerms { row, triplets: triplets.display().to_string() }))
        }
    }
}

fn named(row: &str) -> Result<String, Problem> {
    if row.is_empty() { Err(Problem::NoRow) } else { Ok(row.to_owned()) }
}

fn sense(row: &str, word: &str) -> Result<Sense, Problem> {
    match word.trim() {
        "=" | "==" => Ok(Sense::Equal),
        "<=" => Ok(Sense::AtMost),
        ">=" => Ok(Sense::AtLeast),
        _ => Err(Problem::RowEntry {
            column: "sense",
            row: row.to_owned(),
            requirement: "=, <= or >=",
            found: word.to_owned(),
        }),
    }
}

fn number(
    row: &str,
    column: &'static str,
    word: &str,
    holds: fn(f64) -> bool,
    requirement: &'static str,
) -> Result<f64, Problem> {
    let number = word.trim().parse().ok().filter(|&number| holds(number));
    number.ok_or_else(|| Problem::RowEntry { column, row: row.to_owned(), requirement, found: word.to_owned() })
}

fn unknown(node: &str, nodes: &Names) -> Problem {
    let hint = nearest(node, nodes.iter()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Problem::UnknownNode { node: node.to_owned(), hint }
}
