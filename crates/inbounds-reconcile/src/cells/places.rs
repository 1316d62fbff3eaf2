//! Tables at the nodes of a tree, as a file with attributes beside `node` and `parent` has them.
//!
//! While rows are read, a cell is known by the number of its place and its values. Once the tree is whole, places are
//! values of attributes, one attribute for each level of the tree: a cell has as its value at each level the place
//! there that it belongs to, and none at levels below its own place. Attributes that lie in one another are all that
//! remains of the tree, and [`super::nested`] knows those.

use std::collections::{BTreeSet, HashMap};

use inbounds_project::table::Axes;

use super::{ALL, Cells};
use crate::{
    error::Problem,
    names::{MOST, Names},
    projection::Shape,
    row::Row,
    sheet::NamedTree,
};

/// The places of cells.
#[derive(Default)]
pub(super) struct Places {
    tree: NamedTree,
    /// Place of each node, until the tree is whole.
    node_places: Vec<u32>,
    /// Then its levels: the places of a level, in their order, are the values of the attribute that it is.
    shape: Option<Shape>,
}

impl Cells {
    /// `true` if there is a table at each of several places.
    pub(crate) fn has_places(&self) -> bool {
        self.places.is_some()
    }

    /// Levels of the tree of places, each of which is an attribute before the others; 0 without places.
    pub(crate) fn levels(&self) -> usize {
        self.shape().map_or(0, Shape::levels)
    }

    /// The places level by level, once all are known.
    fn shape(&self) -> Option<&Shape> {
        self.places.as_ref()?.shape.as_ref()
    }

    /// The attributes that are no levels.
    pub(crate) fn own_attributes(&self) -> &[String] {
        &self.attributes[self.levels()..]
    }

    /// The number of the place of a row; none where there are no places.
    pub(crate) fn take_place(&mut self, row: &Row<'_>) -> Result<Option<u32>, Problem> {
        let Some(places) = &mut self.places else { return Ok(None) };
        if row.at.is_empty() {
            return Err(Problem::NoNode);
        }
        Ok(Some(places.tree.place(row.at, row.parent, row.place)? as u32))
    }

    /// Notes the place of a node; nodes come by their numbers.
    pub(crate) fn note_place(&mut self, node: usize, place: u32) {
        let places = self.places.as_mut().expect("the place came from it");
        if node == places.node_places.len() {
            places.node_places.push(place);
        }
    }

    /// The name of a cell at a place.
    pub(crate) fn name_at<'a>(place: &str, values: impl Iterator<Item = &'a str>) -> String {
        format!("{place}, {}", Self::name(values))
    }

    /// The name by which messages call a row, if it is a cell's.
    pub(crate) fn name_of_row(at: Option<&str>, cell: &[&str]) -> Option<String> {
        let values = || cell.iter().copied();
        (!cell.is_empty()).then(|| at.map_or_else(|| Self::name(values()), |at| Self::name_at(at, values())))
    }

    /// The first attribute of which each place has one value, though the places have several: it describes places, as
    /// their names in full do.
    pub(crate) fn description(&self) -> Option<&str> {
        let places = self.places.as_ref()?;
        let describes = |attribute: &usize| {
            let mut value: Vec<Option<u32>> = vec![None; places.tree.len()];
            let mut codes = places
                .node_places
                .iter()
                .enumerate()
                .map(|(node, &place)| (place as usize, self.codes(node)[*attribute]));
            self.values[*attribute].len() > 1
                && codes.all(|(place, code)| code != ALL && *value[place].get_or_insert(code) == code)
        };
        (0..self.attributes.len()).find(describes).map(|attribute| self.attributes[attribute].as_str())
    }

    /// Makes places the first attributes of their cells, once all rows are in.
    ///
    /// # Errors
    /// A fault of the tree of places, with the position of a row in the file.
    pub(crate) fn finish_places(&mut self) -> Result<(), (u64, Problem)> {
        let Some(mut places) = self.places.take() else { return Ok(()) };
        let finished = places.tree.finish().and_then(|()| places.tree.shape());
        let shape = finished.map_err(|(place, problem)| (places.tree.first(place), problem))?;
        let levels = shape.levels();
        let mut values: Vec<Names> = (0..levels).map(|_| Names::default()).collect();
        let mut codes = vec![ALL; places.tree.len()];
        for (level, values) in values.iter_mut().enumerate() {
            for (&place, next) in shape.of_level(level).iter().zip(0..) {
                let name = places.tree.names.name(place);
                let code = values.number(name).ok_or((0, Problem::TooMany { most: MOST }))?;
                if code != next {
                    return Err((places.tree.first(place as usize), Problem::SameCell { name: name.to_owned() }));
                }
                codes[place as usize] = code;
            }
        }
        let own = self.attributes.len();
        let mut all = Vec::with_capacity(places.node_places.len() * (levels + own));
        for (node, &place) in places.node_places.iter().enumerate() {
            let begin = all.len();
            all.resize(begin + levels, ALL);
            let mut above = Some(place);
            while let Some(place) = above {
                all[begin + shape.level[place as usize] as usize] = codes[place as usize];
                above = places.tree.parent(place as usize);
            }
            all.extend_from_slice(self.codes(node));
        }
        places.node_places = Vec::new();
        places.shape = Some(shape);
        places.tree.names.seal();
        self.codes = all;
        values.append(&mut self.values);
        self.values = values;
        let titles = (1..=levels).map(|level| format!("{LEVEL}{level}"));
        self.attributes = titles.chain(std::mem::take(&mut self.attributes)).collect();
        self.totals.iter_mut().for_each(|(attribute, _)| *attribute += levels);
        self.places = Some(places);
        Ok(())
    }

    /// The margins of the table at each place of which rows, or those of the places in it, tell the cells: those that
    /// rows measure, those that all places in it have, and the margins of both. Attributes are counted as in `axes`.
    pub(super) fn margins_of_places(&self) -> Vec<BTreeSet<Axes>> {
        let Some(shape) = self.shape() else { return Vec::new() };
        let mut margins = vec![BTreeSet::new(); shape.level.len()];
        for node in 0..self.nodes() {
            let (Some(place), own) = (self.place(node), self.own_margin(self.codes(node))) else { continue };
            if !margins[place].contains(&own) {
                margins[place].extend(own.subsets());
            }
        }
        // Places of lower levels come first, so that those in a place are done before it.
        for level in (1..shape.levels()).rev() {
            let mut of_all: HashMap<u32, BTreeSet<Axes>> = HashMap::new();
            for &place in shape.of_level(level) {
                let parent = shape.parent[place as usize];
                let own = &margins[place as usize];
                of_all
                    .entry(parent)
                    .and_modify(|all| all.retain(|axes| own.contains(axes)))
                    .or_insert_with(|| own.clone());
            }
            of_all.into_iter().for_each(|(parent, all)| margins[parent as usize].extend(all));
        }
        margins
    }

    /// Number of places in the place of a node; 0 without places.
    pub(super) fn places_in(&self, node: usize) -> usize {
        let place = self.place(node).zip(self.shape());
        place.map_or(0, |(place, shape)| shape.fan_out[place] as usize)
    }

    /// The margin of a cell by its attributes that are no levels.
    pub(super) fn own_margin(&self, codes: &[u32]) -> Axes {
        Axes::new((self.levels()..codes.len()).filter(|&attribute| codes[attribute] != ALL))
    }

    /// The place of a node.
    fn place(&self, node: usize) -> Option<usize> {
        self.place_of(self.codes(node))
    }

    /// The place of a cell by the numbers of its values.
    pub(super) fn place_of(&self, codes: &[u32]) -> Option<usize> {
        let shape = self.shape()?;
        let (level, code) = (0..shape.levels()).zip(codes).take_while(|(_, code)| **code != ALL).last()?;
        Some(shape.of_level(level)[*code as usize] as usize)
    }

    /// The names of a node's place and of that which it lies in, as rows have them; none where there are no places.
    pub(crate) fn place_and_parent(&self, node: usize) -> Option<(&str, Option<&str>)> {
        let tree = &self.places.as_ref()?.tree;
        let place = self.place(node)?;
        Some((tree.names.plain(place as u32), tree.parent(place).map(|parent| tree.names.plain(parent))))
    }

    /// The name of a node, from the names that places have in the end.
    pub(crate) fn name_of_node(&self, node: usize) -> String {
        let levels = self.levels();
        let value = |attribute: usize| self.value(node, attribute);
        let values = (levels..self.attributes.len()).map(|attribute| value(attribute).unwrap_or(super::SUMMED));
        match (0..levels).rev().find_map(value) {
            Some(place) => Self::name_at(place, values),
            None => Self::name(values),
        }
    }
}

/// Prefix of the names of the attributes of levels, before their number from 1.
pub(crate) const LEVEL: &str = "place_";
