//! Which values of columns can stand in one row, where the columns are made of one another by rules that are public.
//!
//! **Idea.** Cells of a stored column that no rule distinguishes make the same row of derived values. So a few cells
//! stand for all: the codes that are named, one other value, one between every two cuts, a missing one. The rules are
//! applied to all of them, and what comes out is all that can be. Conditions and formulas are taken for columns of
//! their own, so that combinations may be kept that cannot be, and none is left out that can.

mod cells;
mod rules;
mod steps;

use std::collections::{BTreeSet, HashMap};

use self::cells::Cell;
pub use self::rules::Rules;
use self::steps::Steps;
use crate::KeyValue;

/// Most combinations of stored cells that rules are applied to: of columns that are looked up together. Beyond, all
/// combinations count as possible.
const MOST: usize = 4_000_000;

/// Columns that are made of the same ones, and the values that they can have together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together {
    /// Their places among the columns that were asked for, in ascending order.
    pub columns: Vec<usize>,
    /// The combinations that one row can have, in ascending order: of each column the place of a value among those that
    /// it lists.
    pub rows: Vec<Vec<u32>>,
}

impl Together {
    fn all_of(column: usize, values: usize) -> Self {
        Self { columns: vec![column], rows: (0..values as u32).map(|value| vec![value]).collect() }
    }
}

/// The combinations of listed values that rows can have, by groups of columns that have nothing to do with one another:
/// a row can have any combination of one with any of the others.
///
/// # Example
/// ```
/// use inbounds_data::{Derivation, KeyValue, Kind, Rules, together};
/// struct Counties(Derivation);
/// impl Rules for Counties {
///     fn kind(&self, _: &str) -> Option<Kind> {
///         Some(Kind::Text)
///     }
///     fn rule(&self, column: &str) -> Option<&Derivation> {
///         (column == "state").then_some(&self.0)
///     }
/// }
/// let text = |text: &str| KeyValue::Text(text.to_owned());
/// let codes = [("a", "X"), ("b", "X"), ("c", "Y")].map(|(county, state)| (text(county), Some(text(state))));
/// let rules = Counties(Derivation::Recoded { from: "county".into(), codes: codes.to_vec(), others: None });
/// let columns = [("state", vec![text("X"), text("Y")]), ("county", vec![text("a"), text("b"), text("c")])];
/// let found = together(&columns, &rules);
/// assert_eq!(found[0].rows, [[0, 0], [0, 1], [1, 2]]);
/// ```
pub fn together(columns: &[(&str, Vec<KeyValue>)], rules: &dyn Rules) -> Vec<Together> {
    let mut joint: Vec<Together> = Vec::new();
    for group in groups(columns, rules) {
        let own: Vec<(&str, &[KeyValue])> =
            group.iter().map(|&place| (columns[place].0, &columns[place].1[..])).collect();
        match rows(&own, rules) {
            Some(rows) => joint.push(Together { columns: group, rows }),
            None => joint.extend(group.iter().map(|&place| Together::all_of(place, columns[place].1.len()))),
        }
    }
    joint.sort_by_key(|group| group.columns[0]);
    joint
}

/// The columns by groups that share no stored column.
fn groups(columns: &[(&str, Vec<KeyValue>)], rules: &dyn Rules) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, BTreeSet<String>)> = Vec::new();
    for (place, (name, _)) in columns.iter().enumerate() {
        let mut joined = (vec![place], steps::roots(name, rules));
        groups.retain(|(members, roots)| {
            let shares = !roots.is_disjoint(&joined.1);
            if shares {
                joined.0.extend(members);
                joined.1.extend(roots.iter().cloned());
            }
            !shares
        });
        joined.0.sort_unstable();
        groups.push(joined);
    }
    groups.into_iter().map(|(members, _)| members).collect()
}

/// The combinations of a group; none if it is one column that no rule makes, they are too many to be tried, or a rule
/// does not suit its columns.
fn rows(columns: &[(&str, &[KeyValue])], rules: &dyn Rules) -> Option<Vec<Vec<u32>>> {
    if let [(name, _)] = columns
        && rules.rule(name).is_none()
    {
        return None;
    }
    let steps = Steps::leading_to(columns, rules)?;
    let candidates: Vec<Vec<Cell>> = steps.candidates();
    let tried = candidates.iter().fold(1_usize, |tried, cells| tried.saturating_mul(cells.len()));
    if tried > MOST {
        return None;
    }
    let places: Vec<HashMap<&KeyValue, u32>> =
        columns.iter().map(|(_, values)| values.iter().zip(0..).collect()).collect();
    let (mut possible, mut at) = (BTreeSet::new(), vec![0; candidates.len()]);
    for _ in 0..tried {
        let cells = steps.applied(at.iter().zip(&candidates).map(|(&at, cells)| cells[at].clone()).collect())?;
        let place = |(slot, places): (&usize, &HashMap<&KeyValue, u32>)| places.get(&cells[*slot].key()?).copied();
        possible.extend(steps.asked.iter().zip(&places).map(place).collect::<Option<Vec<u32>>>());
        // The next combination, the last cell changing fastest.
        for (at, cells) in at.iter_mut().zip(&candidates).rev() {
            *at += 1;
            if *at < cells.len() {
                break;
            }
            *at = 0;
        }
    }
    Some(possible.into_iter().collect())
}

#[cfg(test)]
mod tests;
