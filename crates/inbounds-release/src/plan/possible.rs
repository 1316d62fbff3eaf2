//! The cells that rows can be in, as far as the rules of the plan say: what they make impossible is no cell.

use std::collections::HashMap;

use inbounds_data::{DataError, Derivation, KeyRow, Keys, Rules, Together, together};
use inbounds_input::document::given;

use super::read::Draft;
use super::{KeyValue, Kind, Plan, PossibleFile};

/// The values of grouping columns, and which of them can stand in one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cells {
    values: Vec<Vec<KeyValue>>,
    groups: Vec<Together>,
}

impl Cells {
    /// Those of columns that list these values.
    pub(crate) fn new(columns: &[&str], values: Vec<Vec<KeyValue>>, rules: &dyn Rules) -> Self {
        let listed: Vec<(&str, Vec<KeyValue>)> = columns.iter().copied().zip(values.iter().cloned()).collect();
        let mut cells = Self { groups: together(&listed, rules), values };
        cells.drop_idle_values();
        cells
    }

    /// Leaves only the cells whose values in the columns of a file, each one of `columns`, stand in a row of it.
    /// Values that are not listed are for [`crate::keys`] to say.
    pub(crate) fn restricted(mut self, columns: &[&str], file: &PossibleFile) -> Self {
        let place = |name: &String| columns.iter().position(|column| column == name);
        let Some(mut of_file) = file.columns.iter().map(place).collect::<Option<Vec<usize>>>() else { return self };
        let numbers: Vec<HashMap<String, u32>> = of_file
            .iter()
            .map(|&column| self.values[column].iter().map(ToString::to_string).zip(0..).collect())
            .collect();
        let mut order: Vec<usize> = (0..of_file.len()).collect();
        order.sort_by_key(|&index| of_file[index]);
        let row = |(_, cells): &(u64, Vec<String>)| -> Option<Vec<u32>> {
            order.iter().map(|&index| numbers[index].get(&cells[index]).copied()).collect()
        };
        let mut rows: Vec<Vec<u32>> = file.rows.iter().filter_map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        of_file.sort_unstable();
        let own = Together { columns: of_file, rows };
        let touches = |group: &Together| group.columns.iter().any(|column| own.columns.contains(column));
        let (touched, others): (Vec<Together>, Vec<Together>) = self.groups.into_iter().partition(touches);
        let joined = touched.iter().fold(own, |joined, group| join(&joined, group));
        self.groups = others;
        self.groups.push(joined);
        self.drop_idle_values();
        self
    }

    /// Takes values out of the lists that no row has.
    fn drop_idle_values(&mut self) {
        for group in &mut self.groups {
            for (index, &column) in group.columns.iter().enumerate() {
                let mut is_used = vec![false; self.values[column].len()];
                group.rows.iter().for_each(|row| is_used[row[index] as usize] = true);
                let places =
                    is_used.iter().scan(0, |next, used| Some(std::mem::replace(next, *next + u32::from(*used))));
                let places: Vec<u32> = places.collect();
                group.rows.iter_mut().for_each(|row| row[index] = places[row[index] as usize]);
                let mut is_used = is_used.into_iter();
                self.values[column].retain(|_| is_used.next() == Some(true));
            }
        }
    }

    /// `true` if every combination of listed values is a cell.
    pub(crate) fn are_all(&self) -> bool {
        let is_all = |group: &Together| {
            group.rows.len() as u128 == group.columns.iter().map(|&column| self.values[column].len() as u128).product()
        };
        self.groups.iter().all(is_all)
    }

    /// The values of each column that rows can have.
    pub(crate) fn values(&self) -> &[Vec<KeyValue>] {
        &self.values
    }

    /// Number of cells.
    pub(crate) fn number(&self) -> u128 {
        self.groups.iter().fold(1, |cells, group| cells.saturating_mul(group.rows.len() as u128))
    }

    /// The first of some cells, each with a value of every column, that no row can be in.
    pub(crate) fn impossible<'c>(&self, keys: &'c Keys) -> Option<KeyRow<'c>> {
        let own = |(column, values): (usize, &Vec<KeyValue>)| -> Vec<Option<u32>> {
            let places: HashMap<&KeyValue, u32> = values.iter().zip(0..).collect();
            keys.values(column).map(|value| places.get(value).copied()).collect()
        };
        let places: Vec<Vec<Option<u32>>> = self.values.iter().enumerate().map(own).collect();
        if self.are_all() && places.iter().flatten().all(Option::is_some) {
            return None;
        }
        let has = |group: &Together, key: KeyRow<'_>| {
            let place = |&column: &usize| places[column][key.places()[column] as usize];
            let row: Option<Vec<u32>> = group.columns.iter().map(place).collect();
            row.is_some_and(|row| group.rows.binary_search(&row).is_ok())
        };
        keys.rows().find(|key| !self.groups.iter().all(|group| has(group, *key)))
    }

    /// The keys of the cells, the first column changing slowest.
    ///
    /// # Errors
    /// [`DataError::Keys`].
    pub(crate) fn keys(&self, columns: Vec<String>) -> Result<Keys, DataError> {
        if !self.are_all() {
            return Keys::new(columns, self.rows());
        }
        let mut columns = columns.into_iter().zip(self.values.iter().cloned());
        let Some((name, values)) = columns.next() else { return Keys::new(Vec::new(), Vec::new()) };
        Keys::new(vec![name], values.into_iter().map(|value| vec![value]).collect())?.crossed(columns.collect())
    }

    /// The cells, the first column changing slowest.
    fn rows(&self) -> Vec<Vec<KeyValue>> {
        let mut rows = vec![vec![0_u32; self.values.len()]];
        for group in &self.groups {
            let longer = |row: &Vec<u32>| {
                let row = row.clone();
                group.rows.iter().map(move |part| {
                    let mut row = row.clone();
                    group.columns.iter().zip(part).for_each(|(&column, &place)| row[column] = place);
                    row
                })
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        rows.sort_unstable();
        let value = |(column, place): (usize, u32)| self.values[column][place as usize].clone();
        rows.into_iter().map(|row| row.into_iter().enumerate().map(value).collect()).collect()
    }
}

/// The combinations whose parts stand in both of two groups.
fn join(one: &Together, other: &Together) -> Together {
    let shared: Vec<usize> = one.columns.iter().copied().filter(|column| other.columns.contains(column)).collect();
    let part = |group: &Together, row: &[u32]| -> Vec<u32> {
        let of_group = group.columns.iter().zip(row);
        of_group.filter(|(column, _)| shared.contains(column)).map(|(_, place)| *place).collect()
    };
    let mut by_part: HashMap<Vec<u32>, Vec<&Vec<u32>>> = HashMap::new();
    other.rows.iter().for_each(|row| by_part.entry(part(other, row)).or_default().push(row));
    let mut columns = one.columns.clone();
    columns.extend(other.columns.iter().filter(|column| !shared.contains(column)));
    columns.sort_unstable();
    let place = |group: &Together, row: &[u32], column: usize| {
        group.columns.iter().position(|own| *own == column).map(|index| row[index])
    };
    let mut rows = Vec::new();
    for row in &one.rows {
        for with in by_part.get(&part(one, row)).into_iter().flatten() {
            let of_column = |&column: &usize| place(one, row, column).or_else(|| place(other, with, column));
            rows.extend(columns.iter().map(of_column).collect::<Option<Vec<u32>>>());
        }
    }
    rows.sort_unstable();
    Together { columns, rows }
}

/// The rules of the columns of a plan.
pub(crate) struct OfPlan<'p>(pub(crate) &'p Plan);

impl Rules for OfPlan<'_> {
    fn kind(&self, column: &str) -> Option<Kind> {
        self.0.column(column)?.column_type.as_ref().map(|kind| kind.value)
    }

    fn rule(&self, column: &str) -> Option<&Derivation> {
        self.0.column(column)?.derived.as_ref().map(|derived| &derived.rule)
    }
}

/// The same of what could be read of a plan.
pub(super) struct OfDraft<'d>(pub(super) &'d Draft);

impl Rules for OfDraft<'_> {
    fn kind(&self, column: &str) -> Option<Kind> {
        given(&self.0.column(column)?.column_type).map(|kind| kind.value)
    }

    fn rule(&self, column: &str) -> Option<&Derivation> {
        given(&self.0.column(column)?.made).map(|derived| &derived.rule)
    }
}
