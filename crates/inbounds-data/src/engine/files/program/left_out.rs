//! Rows that meet the condition of a query and count in none of its cells, with the reason.

use std::slice;

use super::super::read::Way;
use super::nodes::Node;
use super::reasons::Reasons;
use super::values::NodeId;
use super::{NUMERIC, Program};
use crate::{DataError, Missing, Query};

impl<'a> Program<'a> {
    /// The number of the reason for which each row is left out of a query.
    pub(super) fn left_out(&mut self, query: &'a Query) -> std::result::Result<NodeId, DataError> {
        let condition = query.filter.as_deref().map(|text| self.condition(text)).transpose()?;
        // Of margins each column has its list.
        let lists = query.keys.as_ref().map(|keys| match keys.by_margin() {
            Some(margins) => &margins.values[..],
            None => slice::from_ref(keys),
        });
        let listed = lists.map(|lists| self.listed(lists)).transpose()?;
        let (mut steps, mut unreadable) = (Vec::new(), Vec::new());
        for value in query.values.iter().chain(&self.table.frequency).filter(|value| value.missing == Missing::Drop) {
            steps.push(self.steps(value)?);
            unreadable.extend(self.unreadable(&value.column)?);
        }
        let bins = query.bins.as_ref().filter(|bins| bins.missing() == Missing::Drop);
        let bins = bins.map(|bins| {
            unreadable.extend(self.unreadable(bins.column())?);
            let end = u32::try_from(bins.len()).expect("fewer than 2^31 cells");
            Ok::<_, DataError>((self.bin(bins)?, end))
        });
        let bins = bins.transpose()?;
        Ok(self.node(Node::LeftOut(Reasons { condition, listed, steps, bins, unreadable })))
    }

    /// Tests for unreadable cells behind a column of numbers: one node for each stored column.
    fn unreadable(&mut self, name: &str) -> std::result::Result<Vec<NodeId>, DataError> {
        let column = self.column("survey", name, &NUMERIC)?;
        let origins = self.stored(self.table.place(column))?;
        let mut node = |place: usize| {
            let cells = self.node(Node::Read { column: place, way: Way::Stored });
            self.node(Node::Unreadable { cells, column: place })
        };
        Ok(origins.into_iter().map(&mut node).collect())
    }
}
