//! Computations on a batch where the keys are learned.

use super::super::bound::CellNames;
use super::super::read::Way;
use super::{NodeId, Program};
use crate::{DataError, KeyDomain, Kind, LearnKeys, Query};

/// The columns of a key that is learned, read as what they are.
pub(in super::super) struct KeyColumns {
    pub(in super::super) nodes: Vec<(NodeId, Kind)>,
    pub(in super::super) condition: Option<NodeId>,
    pub(in super::super) longest_text: usize,
}

impl<'a> Program<'a> {
    /// Refuses whatever would be refused once keys are found, so that what they are decides nothing.
    pub(in super::super) fn check_learned(mut self, asked: &LearnKeys) -> Result<(), DataError> {
        let refuse = |problem: String| Err(DataError::Keys { problem });
        if asked.columns.is_empty() {
            return refuse("there must be at least one column to learn keys of".to_owned());
        }
        if let Some(column) = (1..asked.columns.len()).find(|&i| asked.columns[..i].contains(&asked.columns[i])) {
            return refuse(format!("column `{}` is listed twice", asked.columns[column]));
        }
        if let Some((column, _)) = asked.known.iter().find(|(column, _)| !asked.columns.contains(column)) {
            return refuse(format!("column `{column}` has known values and is none of the key"));
        }
        let columns = self.keys_of(asked)?;
        let is_integer = |name: &String| {
            let place = asked.columns.iter().position(|column| column == name);
            place.is_some_and(|place| columns.nodes[place].1 == Kind::Integer)
        };
        let mut of_integers = asked.known.iter().filter(|(_, domain)| matches!(domain, KeyDomain::Integers(..)));
        if let Some((column, _)) = of_integers.find(|(column, _)| !is_integer(column)) {
            return refuse(format!("column `{column}` is not of whole numbers, of which its bounds are"));
        }
        match (&asked.bound, asked.rows_per_cell) {
            (None, Some(_)) => Err(DataError::NoUnit),
            (None, None) => Ok(()),
            (Some(bound), per_cell) => self.bound(bound, per_cell).map(|_| ()),
        }
    }

    /// Adds the columns of a key and the condition.
    pub(in super::super) fn keys_of(&mut self, asked: &LearnKeys) -> Result<KeyColumns, DataError> {
        let condition = asked.filter.as_deref().map(|text| self.condition(text)).transpose()?;
        let mut read = |name: &String| {
            let column = self.column("keys", name, &[Kind::Integer, Kind::Text, Kind::Boolean])?;
            Ok((self.read(column, Way::of_kind(column.kind))?, column.kind))
        };
        let nodes = asked.columns.iter().map(&mut read).collect::<Result<_, DataError>>()?;
        Ok(KeyColumns { nodes, condition, longest_text: asked.longest_text })
    }

    /// Adds a query whose keys were learned, and are sorted.
    pub(in super::super) fn ask_learned(&mut self, query: &'a Query) -> Result<(), DataError> {
        self.ask(query)?;
        if let (Some(keys), Some(compiled)) = (&query.keys, self.queries.last_mut()) {
            compiled.names = CellNames::learned(keys);
        }
        Ok(())
    }
}
