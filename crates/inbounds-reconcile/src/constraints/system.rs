//! Sparse rows from two files: coefficients as triplets, and what each row comes to.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use inbounds_input::nearest;

use super::draft::{is_coefficient, is_value};
use crate::{
    error::{Problem, ReconcileError},
    names::Names,
    projection::{Row, Sense, Whose},
    read::text::{Text, wrong},
};

const TRIPLETS: [&str; 3] = ["row", "node", "coefficient"];
const SIDES: [&str; 3] = ["row", "sense", "value"];

/// The rows of a system in the order of their sides.
pub(super) fn read(triplets: &Path, sides: &Path, nodes: &Names) -> Result<Vec<Row>, ReconcileError> {
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
        rows.push(Row { whose: Whose::Named(name), terms: Vec::new(), sense, side });
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
            let row = match &rows[index].whose {
                Whose::Named(name) => name.clone(),
                _ => String::new(),
            };
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
