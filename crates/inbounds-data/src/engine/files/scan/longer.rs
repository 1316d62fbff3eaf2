//! Rows that are made of one row of the files, one for each gathered column.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::error::Result;

use super::batch::{behind, repeated};
use crate::schema::{Gathered, Table};

/// Reshapes a batch of rows of the files from wide to long format.
pub(super) struct LongerRows {
    /// For each gathered column its name, as the one value of a dictionary, so that it is looked up once; and its place
    /// in a batch of the files, if its cells are read.
    gathered: Vec<(Arc<StringArray>, Option<usize>)>,
    /// Places of all other columns in a batch of the files, and the number of columns of that batch.
    kept: Vec<usize>,
    read: usize,
    /// Name of the column that takes the names, and of the one that takes the cells, where these are read.
    names_to: Option<String>,
    values_to: Option<String>,
}

impl LongerRows {
    /// For a program that reads these columns of the table, of which `stored` are in the files, and the columns of the
    /// files that have to be read for it, in order.
    pub(super) fn new(table: &Table, gathered: &Gathered, stored: &[usize], asked: &[usize]) -> (Self, Vec<usize>) {
        let name = |place: usize| asked.contains(&place).then(|| table.columns[place].name.clone());
        let (names_to, values_to) = (name(gathered.names), name(gathered.values));
        let mut read = stored.to_vec();
        if values_to.is_some() {
            read.extend(&gathered.listed);
            read.sort_unstable();
        }
        let place = |column: &usize| read.binary_search(column).ok().filter(|_| values_to.is_some());
        let one = |column: &usize| {
            let name = StringArray::from(vec![table.columns[*column].name.as_str()]);
            (Arc::new(name), place(column))
        };
        let kept = stored.iter().map(|column| read.binary_search(column).expect("it is read"));
        let (gathered, kept) = (gathered.listed.iter().map(one).collect(), kept.collect());
        (Self { gathered, kept, read: read.len(), names_to, values_to }, read)
    }

    /// Hands out the rows of a batch whose first columns are those read of the files, and all others of their folders.
    pub(super) fn each(&self, batch: &RecordBatch, each: &mut impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let kept: Vec<usize> = self.kept.iter().copied().chain(self.read..batch.num_columns()).collect();
        let kept = batch.project(&kept)?;
        for (name, place) in &self.gathered {
            let mut added: Vec<(&String, ArrayRef)> = Vec::new();
            if let Some(names_to) = &self.names_to {
                added.push((names_to, repeated(name, true, batch.num_rows())?));
            }
            if let (Some(values_to), Some(place)) = (&self.values_to, place) {
                added.push((values_to, batch.column(*place).clone()));
            }
            each(&behind(&kept, added)?)?;
        }
        Ok(())
    }
}
