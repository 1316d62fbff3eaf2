//! Computations of one pass on each batch of rows: every part once, however many questions need it.
//!
//! **Idea.** The questions of a pass are translated into one list of [`Node`]s: columns read in some way, steps, key
//! numbers, bins, conditions, cells. A part that is asked for again is found in the list. Everything that can be
//! refused is refused while the list is made, before a row is read.
//!
//! **Invariant.** A node refers only to nodes before it, so one walk along the list computes them all.

mod derived;
mod learned;
mod left_out;
mod nodes;
mod options;
mod reasons;
mod reduction;
mod set_option;
mod values;

use arrow::array::RecordBatch;
use arrow::error::Result as ReaderResult;

use inbounds_core::planted::{Defect, planted};

pub(super) use self::learned::KeyColumns;
use self::nodes::{CellOf, HasCell, ListedKey, Node};
pub(super) use self::values::{NodeId, Values};
use super::bound::{CellNames, Limits};
use super::{
    bins::BinIndex,
    cells::{Cells, Shape},
    clip::Steps,
    filter,
    key_index::KeyIndex,
    read::Way,
};
use crate::schema::Table;
use crate::{
    Bins, Clip, Column, ContributionBound, DataError, KeyValue, Keys, Kind, LeftOut, Query, Survey,
    cell_rules::CellReader,
};

/// A query of a pass, compiled to nodes: its cells, the steps of its values and its bound.
pub(super) struct CompiledQuery {
    pub(super) shape: Shape,
    /// The cell of a row: the number of cells for a row that is in none.
    pub(super) cell: NodeId,
    /// Cells of a row beside that, where it can be in several, which are different.
    more_cells: Vec<NodeId>,
    /// The steps of each value: null for a row that does not count.
    pub(super) steps: Vec<NodeId>,
    /// Number of rows that each row stands for, if that is not one.
    weight: Option<Weight>,
    pub(super) bound: Option<Bound>,
    /// The cells of one group.
    pub(super) bins: u32,
    /// Words that stand for its cells where the rows of a unit are chosen.
    pub(super) names: CellNames,
}

impl CompiledQuery {
    /// Adds the rows of a batch.
    pub(super) fn tally(&self, values: &Values, cells: &mut Cells) {
        let steps: Vec<_> = self.steps.iter().map(|&id| values.steps(id)).collect();
        let weights = self.weight.as_ref().map(|weight| weight.per_row(values));
        for &cell in [self.cell].iter().chain(&self.more_cells) {
            match &weights {
                None => cells.add(values.numbers(cell), &steps),
                Some(weights) => cells.add_weighted(values.numbers(cell), &steps, weights),
            }
        }
    }
}

/// Number of rows that each row stands for.
struct Weight {
    steps: NodeId,
    /// The weight of a row that does not say.
    unknown: i64,
}

impl Weight {
    fn per_row(&self, values: &Values) -> Vec<i64> {
        values.steps(self.steps).iter().map(|weight| weight.unwrap_or(self.unknown)).collect()
    }
}

/// Limits on the rows kept for each value of `unit`.
pub(super) struct Bound {
    pub(super) unit: NodeId,
    pub(super) limits: Limits,
}

/// The questions of a pass, checked, and the list of what they need.
pub(super) struct Program<'a> {
    table: &'a Table,
    nodes: Vec<Node<'a>>,
    pub(super) queries: Vec<CompiledQuery>,
}

const NUMERIC: [Kind; 3] = [Kind::Integer, Kind::Number, Kind::Boolean];

impl<'a> Program<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self { table, nodes: Vec::new(), queries: Vec::new() }
    }

    /// Adds a query: one question, or one for each margin.
    pub(super) fn ask(&mut self, query: &'a Query) -> Result<(), DataError> {
        let shape = Shape { cells: query.cells(), values: query.values.len(), products: query.products.clone() };
        if !shape.fits() {
            return Err(DataError::AnswerSize { cells: shape.cells, sums: shape.sums() });
        }
        match query.keys.as_ref().and_then(Keys::by_margin) {
            None => self.ask_of(query, query.keys.as_ref(), None),
            Some(_) if query.bound.is_some() => Err(DataError::MarginsOfUnits),
            Some(margins) => {
                let listed = self.listed(&margins.values)?;
                margins.lists.iter().try_for_each(|list| self.ask_of(query, Some(list), Some(listed)))
            }
        }
    }

    /// Adds a question of the rows that pass one more condition, if there is one, by these keys.
    fn ask_of(&mut self, query: &'a Query, keys: Option<&'a Keys>, also: Option<NodeId>) -> Result<(), DataError> {
        let (of_keys, of_bins) = (keys.map_or(1, Keys::len), query.bins.as_ref().map_or(1, Bins::len));
        let shape = Shape { cells: of_keys * of_bins, values: query.values.len(), products: query.products.clone() };
        let condition = query
            .filter
            .as_deref()
            .filter(|_| !planted(Defect::FilterDropped))
            .map(|text| self.condition(text))
            .transpose()?;
        let bin = query.bins.as_ref().map(|bins| self.bin(bins)).transpose()?;
        let number = |number: usize| u32::try_from(number).expect("fewer than 2^31 cells");
        let (listed, bins) = (number(of_keys), number(of_bins));
        let conditions: Vec<NodeId> = condition.into_iter().chain(also).collect();
        let mut cells = Vec::new();
        for place in 0..self.cells_of_a_row(keys) {
            let key = keys.map(|keys| self.key_at(keys, place)).transpose()?;
            cells.push(match (key, bin) {
                // The number of a key is its cell.
                (Some(key), None) if conditions.is_empty() => key,
                _ => self.node(Node::Cell(CellOf { key, keys: listed, bin, bins, conditions: conditions.clone() })),
            });
        }
        let (cell, more_cells) = (cells.remove(0), cells);
        query.check_values()?;
        let steps = query.values.iter().map(|value| self.steps(value)).collect::<Result<_, _>>()?;
        let bound = match (&query.bound, query.rows_per_cell) {
            (None, Some(_)) => return Err(DataError::NoUnit),
            (None, None) => None,
            (Some(bound), per_cell) => Some(self.bound(bound, per_cell)?),
        };
        let mut sets = keys.into_iter().flat_map(Keys::columns).filter_map(|name| self.table.set(name));
        if let (Some(first), Some(second)) = (sets.next(), sets.next()) {
            let (first, second) = (first.column.clone(), second.column.clone());
            return Err(DataError::TwoSets { first, second });
        }
        if let (Some(set), true) = (self.set_of(keys), bound.is_some()) {
            return Err(DataError::SetOfUnits { column: set.column.clone() });
        }
        let weight = self.weight(0, bound.is_some())?;
        self.queries.push(CompiledQuery {
            shape,
            cell,
            more_cells,
            steps,
            weight,
            bound,
            bins,
            names: CellNames::default(),
        });
        Ok(())
    }

    /// Number of rows that each row stands for; `unknown` for a row without that number.
    fn weight(&mut self, unknown: i64, is_bounded: bool) -> Result<Option<Weight>, DataError> {
        let Some(frequency) = &self.table.frequency else { return Ok(None) };
        frequency.check()?;
        if is_bounded || frequency.lower < 0 || frequency.upper > Clip::MAX_FACTOR_STEPS {
            return Err(DataError::FrequencyOfUnits { column: frequency.column.clone() });
        }
        Ok(Some(Weight { steps: self.steps(frequency)?, unknown }))
    }

    /// Adds a survey, as one cell with a value that is 0 or 1 for each count but that of the rows.
    pub(super) fn survey(&mut self, survey: &'a Survey) -> Result<(), DataError> {
        let (mut steps, mut looked_at) = (Vec::new(), Vec::new());
        for keys in &survey.listed {
            let listed = self.listed(std::slice::from_ref(keys))?;
            steps.push(self.node(Node::Holds(listed)));
            looked_at.extend(keys.columns().iter().map(|name| (name.as_str(), HasCell::Listed(listed))));
        }
        for bounded in &survey.bounded {
            let (numbers, bins) = (self.bin(&bounded.bins()?)?, 3);
            steps.extend((0..bins).map(|bin| self.node(Node::Indicator { numbers, equals: bin })));
            looked_at.push((bounded.column.as_str(), HasCell::InBin { numbers, bins }));
        }
        if survey.empty {
            for (name, unless) in looked_at {
                let column = self.table.column("survey", name)?;
                let place = self.table.place(column);
                let read = |column| Node::Read { column, way: Way::Stored };
                let columns = self.stored(place)?.into_iter().map(|column| self.node(read(column))).collect();
                steps.push(self.node(Node::Empty { columns, unless }));
            }
        }
        for query in &survey.left_out {
            let numbers = self.left_out(query)?;
            let count = |reason: &LeftOut| self.node(Node::Indicator { numbers, equals: reason.number() });
            steps.extend(LeftOut::ALL.iter().map(count));
        }
        let bound = survey.bound.as_ref().map(|bound| self.bound(bound, None)).transpose()?;
        // A row that stands for an unknown number of rows is left out as one, and is else none.
        let unknown = i64::from(!survey.left_out.is_empty());
        let weight = self.weight(unknown, bound.is_some())?;
        let all = CellOf { key: None, keys: 1, bin: None, bins: 1, conditions: Vec::new() };
        let cell = self.node(Node::Cell(all));
        let shape = Shape { cells: 1, values: steps.len(), products: Vec::new() };
        let more_cells = Vec::new();
        self.queries.push(CompiledQuery {
            shape,
            cell,
            more_cells,
            steps,
            weight,
            bound,
            bins: 1,
            names: CellNames::default(),
        });
        Ok(())
    }

    /// The columns that are read, by their places in the table, in order.
    pub(super) fn columns(&self) -> Vec<usize> {
        let read = |node: &Node<'_>| match node {
            Node::Read { column, .. } => Some(*column),
            _ => None,
        };
        let mut columns: Vec<usize> = self.nodes.iter().filter_map(read).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// `true` if the values of a column are looked up, as those of keys are.
    pub(super) fn is_key(&self, column: usize) -> bool {
        let keys = self.nodes.iter().filter_map(|node| match node {
            Node::Key { columns, .. } => Some(columns),
            Node::Made { from, maker, .. } => maker.looks_up().then_some(from),
            _ => None,
        });
        keys.flatten().any(|id| matches!(self.nodes[id.0], Node::Read { column: read, .. } if read == column))
    }

    /// A column, read in some way.
    pub(super) fn read(&mut self, column: &Column, way: Way) -> Result<NodeId, DataError> {
        let place = self.table.place(column);
        let Some(rule) = self.table.derived(place) else { return Ok(self.node(Node::Read { column: place, way })) };
        let made = self.nodes.iter().position(|node| matches!(node, Node::Made { column, .. } if *column == place));
        let source = match made {
            Some(made) => NodeId(made),
            None => {
                let (from, maker) = self.maker(rule, column.kind)?;
                self.node(Node::Made { column: place, from, maker: Box::new(maker) })
            }
        };
        Ok(self.node(Node::Converted { source, column: place, way }))
    }

    /// Reader for the spelling of a column's cells.
    pub(super) fn reader(&self, column: &Column) -> &'a CellReader {
        self.table.reader(self.table.place(column))
    }

    /// The place of a node, which is added unless it is there.
    fn node(&mut self, node: Node<'a>) -> NodeId {
        let known = self.nodes.iter().position(|known| *known == node);
        NodeId(known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        }))
    }

    fn condition(&mut self, text: &str) -> Result<NodeId, DataError> {
        let condition = filter::filter(text, self.table, &mut |column, way| self.read(column, way))?;
        Ok(self.node(Node::Condition(condition)))
    }

    fn steps(&mut self, value: &Clip) -> Result<NodeId, DataError> {
        let column = self.column("value", &value.column, &NUMERIC)?;
        let amounts = self.read(column, Way::Amount)?;
        Ok(self.node(Node::Steps { amounts, steps: Steps::new(value) }))
    }

    fn bin(&mut self, bins: &Bins) -> Result<NodeId, DataError> {
        let column = self.column("bins", bins.column(), &NUMERIC)?;
        let amounts = self.read(column, Way::Amount)?;
        Ok(self.node(Node::Bin { amounts, index: BinIndex::new(column.kind, bins) }))
    }

    /// The number of a row's key at this place among those that it has.
    fn key_at(&mut self, keys: &'a Keys, at: u32) -> Result<NodeId, DataError> {
        let (mut columns, mut readers) = (Vec::new(), Vec::new());
        for (place, name) in keys.columns().iter().enumerate() {
            let reader = self.reader(self.table.column("keys", name)?);
            keys.values(place).try_for_each(|value| possible(name, value, reader))?;
            let column = match keys.kind(place) {
                Some(kind) => self.column("keys", name, &[kind])?,
                None => self.column("keys", name, &[Kind::Integer, Kind::Text, Kind::Boolean])?,
            };
            columns.push(self.key_column(column, at)?);
            readers.push((reader, column.kind));
        }
        let known = self.nodes.iter().position(
            |node| matches!(node, Node::Key { columns: nodes, keys: known, .. } if *nodes == columns && *known == keys),
        );
        if let Some(place) = known {
            return Ok(NodeId(place));
        }
        let index = KeyIndex::new(keys, readers);
        self.nodes.push(Node::Key { columns, keys, index: Box::new(index) });
        Ok(NodeId(self.nodes.len() - 1))
    }

    /// Condition that a row has a listed value in each column.
    fn listed(&mut self, values: &'a [Keys]) -> Result<NodeId, DataError> {
        let keys = values.iter().map(|values| {
            let places = 0..self.cells_of_a_row(Some(values));
            let numbers = places.map(|place| self.key_at(values, place)).collect::<Result<_, DataError>>()?;
            Ok(ListedKey { numbers, end: u32::try_from(values.len()).expect("fewer than 2^32 keys") })
        });
        let keys = keys.collect::<Result<_, DataError>>()?;
        Ok(self.node(Node::Listed(keys)))
    }

    /// The units of a bound.
    pub(super) fn unit(&mut self, bound: &ContributionBound) -> Result<NodeId, DataError> {
        Ok(self.bound(bound, None)?.unit)
    }

    fn bound(&mut self, bound: &ContributionBound, rows_per_cell: Option<u64>) -> Result<Bound, DataError> {
        let mut limits = Limits::new(bound, rows_per_cell);
        if limits.least() == 0 {
            return Err(DataError::NoRowsPerUnit { unit: bound.unit.clone() });
        }
        let column = self.column("bound", &bound.unit, &[Kind::Integer, Kind::Text])?;
        let unit = self.read(column, if planted(Defect::UnitSplit) { Way::Stored } else { Way::Unit })?;
        if planted(Defect::BoundPerGroup) {
            limits = limits.of_each_cell();
        }
        limits.rows = limits.rows.saturating_add(u64::from(planted(Defect::BoundOffByOne)));
        Ok(Bound { unit, limits })
    }

    fn column(&self, place: &'static str, name: &str, allowed: &[Kind]) -> Result<&'a Column, DataError> {
        let column = self.table.column(place, name)?;
        if allowed.contains(&column.kind) {
            return Ok(column);
        }
        let required = match allowed {
            [Kind::Integer] => "integer, as its keys are",
            [Kind::Text] => "text, as its keys are",
            [Kind::Boolean] if place == "keys" => "boolean, as its keys are",
            [Kind::Boolean] => "boolean",
            [Kind::Integer, Kind::Text, Kind::Boolean] => "integer, text or boolean",
            [Kind::Integer, Kind::Text] => "integer or text",
            [Kind::Integer, Kind::Number, Kind::Date] => "integer, number or date",
            [Kind::Integer, Kind::Number, Kind::Text, ..] => "integer, number, text, boolean or date",
            _ => "integer, number or boolean",
        };
        let (column, kind, remedy) = (column.name.clone(), column.kind, self.table.remedy(column));
        Err(DataError::WrongKind { place, column, kind, required, remedy })
    }

    /// Everything that the questions need of a batch, whose columns are [`Program::columns`] in that order.
    pub(super) fn values(&self, batch: &RecordBatch, columns: &[usize]) -> ReaderResult<Values> {
        let mut values = Values(Vec::with_capacity(self.nodes.len()));
        for node in &self.nodes {
            let value = node.evaluate(self.table, batch, columns, &values)?;
            values.0.push(value);
        }
        Ok(values)
    }
}

/// Refuses a key that no row can have, because its cell would be read as something else.
fn possible(column: &str, key: &KeyValue, reader: &CellReader) -> Result<(), DataError> {
    let is_possible = match key {
        KeyValue::Text(text) => reader.text(text).as_deref() == Some(text.as_str()),
        KeyValue::Integer(integer) => !reader.is_whole_code(*integer),
        KeyValue::Boolean(_) | KeyValue::Missing => true,
    };
    let problem = || {
        format!(
            "no row can have the key `{key}` of `{column}`: such a cell is missing, or blanks around it are trimmed, \
                or its \
             letters are written in another way (NFC); remove the key or the blanks"
        )
    };
    if is_possible { Ok(()) } else { Err(DataError::Keys { problem: problem() }) }
}
