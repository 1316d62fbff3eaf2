//! Measurements of a table: nodes that are told by the values of attributes.
//!
//! A node is a cell of a margin: a value for some attributes, and none for those that are summed over. Its name is made
//! of these, `*` standing for an attribute that is summed over.

use std::collections::BTreeMap;

use inbounds_bundle::{NestedEntry, TableEntry, TotalLabelEntry};
use inbounds_project::table::{Axes, TableQueries};

use super::{
    error::Problem,
    names::{MOST, Names},
    totals::TotalLabels,
};
use crate::projection::Lattice;

mod nested;
mod places;

pub(super) use nested::Structure;
pub(super) use places::LEVEL;

/// Mark of an attribute that is summed over, besides an empty field.
pub(super) const SUMMED: &str = "*";
/// Its number.
const ALL: u32 = u32::MAX;
/// No node.
const NOBODY: u32 = u32::MAX;
/// Most cells of all margins.
const MOST_CELLS: usize = 1 << 26;

/// The attributes of a table, and which of their values each node has.
pub(super) struct Cells {
    pub(super) attributes: Vec<String>,
    values: Vec<Names>,
    /// For each node, a number for each attribute.
    codes: Vec<u32>,
    /// Kind of the measurements of a margin.
    pub(super) queries: TableQueries,
    /// Which values are labels of totals.
    labels: TotalLabels,
    /// Attributes with the labels of totals that were read, as they were written.
    totals: Vec<(usize, String)>,
    nesting: nested::Nesting,
    /// Where there is a table at each of several places, these.
    places: Option<places::Places>,
}

impl Cells {
    /// Cells of a table by these attributes, or of one at each of several places.
    pub(super) fn new(attributes: Vec<String>, labels: TotalLabels, at_places: bool) -> Self {
        let values = attributes.iter().map(|_| Names::default()).collect();
        Self {
            attributes,
            values,
            codes: Vec::new(),
            queries: TableQueries::Margins,
            labels,
            totals: Vec::new(),
            nesting: nested::Nesting::default(),
            places: at_places.then(places::Places::default),
        }
    }

    /// A value of an attribute as it was read; `*` in place of a label of a total, which is noted.
    pub(super) fn read<'a>(&mut self, attribute: usize, value: &'a str) -> &'a str {
        let plain = value.trim();
        if is_summed(plain) || self.values[attribute].find(plain).is_some() || !self.labels.includes(plain) {
            return value;
        }
        if !self.totals.iter().any(|(known, label)| *known == attribute && label == plain) {
            self.totals.push((attribute, plain.to_owned()));
        }
        SUMMED
    }

    /// The first label that the caller named and that no row has.
    pub(super) fn unread_label(&self) -> Option<&str> {
        let is_read =
            |label: &str| self.totals.iter().any(|(_, read)| read.to_lowercase() == label.trim().to_lowercase());
        self.labels.named.iter().map(String::as_str).find(|label| !is_read(label))
    }

    /// The name of a node from its values with commas between them, where some may be labels of totals.
    pub(super) fn name_of(&self, written: &str) -> String {
        let levels = self.levels();
        if levels == 0 {
            return Self::name(self.without_totals(0, written.split(',')));
        }
        // The name of a place may have commas.
        let mut parts: Vec<&str> = written.rsplitn(1 + self.attributes.len() - levels, ',').collect();
        parts.reverse();
        Self::name_at(parts[0].trim(), self.without_totals(levels, parts[1..].iter().copied()))
    }

    /// Values of the attributes from one on, with `*` in place of labels that were read as totals.
    fn without_totals<'a>(&self, first: usize, values: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
        let is_total = move |attribute: usize, value: &str| {
            self.totals.iter().any(|(known, label)| *known == attribute && label == value.trim())
        };
        (first..).zip(values).map(move |(attribute, value)| if is_total(attribute, value) { SUMMED } else { value })
    }

    /// The name of a value of an attribute by its number.
    pub(super) fn value_name(&self, attribute: usize, value: usize) -> &str {
        self.values[attribute].name(value as u32)
    }

    /// All values of all attributes.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().flat_map(Names::iter)
    }

    /// The name of the node of some values.
    pub(super) fn name<'a>(values: impl Iterator<Item = &'a str>) -> String {
        let shown = values.map(|value| if is_summed(value) { SUMMED } else { value.trim() });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Notes which values a node has; nodes come by their numbers.
    pub(super) fn note<'a>(
        &mut self,
        node: usize,
        name: &str,
        values: impl Iterator<Item = &'a str>,
    ) -> Result<(), Problem> {
        let known = node * self.attributes.len();
        for (attribute, value) in values.enumerate() {
            let code = match value.trim() {
                value if is_summed(value) => ALL,
                value => self.values[attribute].number(value).ok_or(Problem::TooMany { most: MOST })?,
            };
            match self.codes.get(known + attribute) {
                None => self.codes.push(code),
                Some(same) if *same == code => {}
                Some(_) => return Err(Problem::SameCell { name: name.to_owned() }),
            }
        }
        Ok(())
    }

    /// The value of an attribute that a node has; none if it is summed over.
    pub(super) fn value(&self, node: usize, attribute: usize) -> Option<&str> {
        let code = self.codes[node * self.attributes.len() + attribute];
        (code != ALL).then(|| self.values[attribute].name(code))
    }

    /// Number of attributes of which a node has a value, after the steps from its place to the root.
    pub(super) fn count(&self, node: usize) -> u32 {
        let values = self.codes(node).iter().filter(|code| **code != ALL).count();
        (values - usize::from(self.has_places())) as u32
    }

    fn codes(&self, node: usize) -> &[u32] {
        let attributes = self.attributes.len();
        &self.codes[node * attributes..(node + 1) * attributes]
    }

    pub(super) fn nodes(&self) -> usize {
        self.codes.len() / self.attributes.len()
    }

    fn sizes(&self) -> Vec<usize> {
        self.values.iter().map(|names| names.len().max(1)).collect()
    }

    /// Tests for a cell without parts: one of a margin that is part of no other, at a place in which no other lies.
    pub(super) fn is_leaf(&self) -> impl Fn(usize) -> bool + '_ {
        let own = |node: usize| self.own_margin(self.codes(node));
        let mut margins: Vec<Axes> = Vec::new();
        for axes in (0..self.nodes()).map(own) {
            if !margins.iter().any(|other| other.includes(axes)) {
                margins.retain(|other| !axes.includes(*other));
                margins.push(axes);
            }
        }
        move |node| margins.contains(&own(node)) && self.places_in(node) == 0
    }

    /// The attributes that a node has a value of.
    pub(super) fn axes(&self, node: usize) -> Axes {
        Axes::new(self.codes(node).iter().enumerate().filter(|(_, code)| **code != ALL).map(|(attribute, _)| attribute))
    }

    /// Position of a node among the cells of its margin.
    fn cell(&self, sizes: &[usize], node: usize) -> usize {
        let codes = self.codes(node).iter().zip(sizes).filter(|(code, _)| **code != ALL);
        codes.fold(0, |cell, (code, size)| cell * size + *code as usize)
    }

    /// All margins of the margins of the nodes, smaller ones first, with the node of each cell, or none.
    fn margins(&self) -> Result<Vec<(Axes, Vec<u32>)>, Problem> {
        let sizes = self.sizes();
        let cells = |axes: Axes| axes.iter().fold(1_usize, |cells, axis| cells.saturating_mul(sizes[axis]));
        let mut margins: BTreeMap<Axes, Vec<u32>> = BTreeMap::new();
        let mut total = 0_usize;
        for node in 0..self.nodes() {
            let axes = self.axes(node);
            if !margins.contains_key(&axes) {
                for axes in axes.subsets() {
                    total = total.saturating_add(if margins.contains_key(&axes) { 0 } else { cells(axes) });
                    if total > MOST_CELLS {
                        return Err(Problem::TooManyCells { cells: total, most: MOST_CELLS });
                    }
                    margins.entry(axes).or_insert_with(|| vec![NOBODY; cells(axes)]);
                }
            }
            margins.get_mut(&axes).expect("it was added")[self.cell(&sizes, node)] = node as u32;
        }
        Ok(margins.into_iter().collect())
    }

    /// Cells of margins that no row has, as the number of the value of each attribute.
    pub(super) fn missing(&self) -> Result<Vec<Vec<u32>>, Problem> {
        if self.is_nested() {
            return self.nested_missing();
        }
        let sizes = self.sizes();
        let mut missing = Vec::new();
        for (axes, nodes) in self.margins()? {
            for (mut cell, _) in nodes.iter().enumerate().filter(|(_, node)| **node == NOBODY) {
                let mut codes = vec![ALL; sizes.len()];
                for axis in axes.iter().collect::<Vec<_>>().into_iter().rev() {
                    codes[axis] = (cell % sizes[axis]) as u32;
                    cell /= sizes[axis];
                }
                missing.push(codes);
            }
        }
        Ok(missing)
    }

    /// Adds a cell by the numbers of its values, and gives its name.
    pub(super) fn add(&mut self, codes: &[u32]) -> String {
        self.codes.extend_from_slice(codes);
        self.name_of_node(self.nodes() - 1)
    }

    /// The margins by node, once no cell is missing.
    pub(super) fn lattice(&self) -> Lattice {
        Lattice {
            queries: self.queries,
            sizes: self.sizes(),
            margins: self.margins().expect("they were counted when the file ended"),
        }
    }

    /// The table's entry in the manifest.
    pub(super) fn entry(&self, margins: usize) -> TableEntry {
        let (attributes, values) = (self.attributes.clone(), self.sizes());
        let residuals = self.queries == TableQueries::Residuals;
        let nested = |(inner, outer): (&str, &str)| NestedEntry { inner: inner.to_owned(), outer: outer.to_owned() };
        let nested = self.nesting().map(nested).collect();
        let (totals, possible) = (self.total_labels(), self.possible());
        TableEntry { attributes, values, margins, residuals, totals, nested, places: self.levels(), possible }
    }

    /// The labels that were read as totals.
    pub(super) fn total_labels(&self) -> Vec<TotalLabelEntry> {
        let label = |(attribute, label): &(usize, String)| TotalLabelEntry {
            attribute: self.attributes[*attribute].clone(),
            label: label.clone(),
        };
        self.totals.iter().map(label).collect()
    }
}

fn is_summed(value: &str) -> bool {
    matches!(value.trim(), "" | SUMMED)
}
