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
    row::Row,
    sheet::NamedTree,
};

/// The places of cells.
#[derive(Default)]
pub(super) struct Places {
    tree: NamedTree,
    /// Place of each node, until the tree is whole.
    of: Vec<u32>,
    /// Then the place that each value of each level is.
    levels: Vec<Vec<u32>>,
    /// How many places lie in each place.
    children: Vec<u32>,
}

impl Cells {
    /// `true` if there is a table at each of several places.
    pub(crate) fn has_places(&self) -> bool {
        self.places.is_some()
    }

    /// Levels of the tree of places, each of which is an attribute before the others; 0 without places.
    pub(crate) fn levels(&self) -> usize {
        self.places.as_ref().map_or(0, |places| places.levels.len())
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
        if node == places.of.len() {
            places.of.push(place);
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
            let mut codes =
                places.of.iter().enumerate().map(|(node, &place)| (place as usize, self.of(node)[*attribute]));
            self.values[*attribute].len() > 1
                && codes.all(|(place, code)| code != ALL && *value[place].get_or_insert(code) == code)
        };
        (0..self.attributes.len()).find(describes).map(|attribute| self.attributes[attribute].as_str())
    }

    /// Makes places the first attributes of their cells, once all rows are in.
    ///
    /// # Errors
    /// What is wrong with the tree of places, with the place of a row in the file.
    pub(crate) fn finish_places(&mut self) -> Result<(), (u64, Problem)> {
        let Some(mut places) = self.places.take() else { return Ok(()) };
        let finished = places.tree.finish().and_then(|()| places.tree.depths());
        let depth = finished.map_err(|(place, problem)| (places.tree.first(place), problem))?;
        let levels = depth.iter().max().map_or(0, |deepest| *deepest as usize + 1);
        let mut values: Vec<Names> = (0..levels).map(|_| Names::default()).collect();
        places.levels = vec![Vec::new(); levels];
        let mut codes = Vec::with_capacity(places.tree.len());
        for (place, &depth) in depth.iter().enumerate() {
            let (level, depth) = (&mut places.levels[depth as usize], depth as usize);
            let name = places.tree.names.name(place as u32);
            let code = values[depth].number(name).ok_or((0, Problem::TooMany { most: MOST }))?;
            if code as usize != level.len() {
                return Err((places.tree.first(place), Problem::SameCell { name: name.to_owned() }));
            }
            level.push(place as u32);
            codes.push(code);
        }
        let own = self.attributes.len();
        let mut all = Vec::with_capacity(places.of.len() * (levels + own));
        for (node, &place) in places.of.iter().enumerate() {
            let begin = all.len();
            all.resize(begin + levels, ALL);
            let mut above = Some(place);
            while let Some(place) = above {
                all[begin + depth[place as usize] as usize] = codes[place as usize];
                above = places.tree.parent(place as usize);
            }
            all.extend_from_slice(self.of(node));
        }
        places.children = vec![0; places.tree.len()];
        places.tree.parents().into_iter().flatten().for_each(|parent| places.children[parent as usize] += 1);
        places.of = Vec::new();
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
        let Some(Places { tree, levels, .. }) = &self.places else { return Vec::new() };
        let mut margins = vec![BTreeSet::new(); tree.len()];
        for node in 0..self.nodes() {
            let (Some(place), axes) = (self.place(node), self.axes(node)) else { continue };
            let own = Axes::of(axes.iter().filter(|axis| *axis >= levels.len()));
            if !margins[place].contains(&own) {
                margins[place].extend(own.subsets());
            }
        }
        // Places of lower levels come first, so that those in a place are done before it.
        for places in levels.iter().skip(1).rev() {
            let mut of_all: HashMap<u32, BTreeSet<Axes>> = HashMap::new();
            for &place in places {
                let parent = tree.parent(place as usize).expect("a place of a lower level");
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

    /// Number of places in the place of a node.
    pub(super) fn places_in(&self, node: usize) -> usize {
        let place = self.place(node).expect("a node at a place");
        self.places.as_ref().map_or(0, |places| places.children[place] as usize)
    }

    /// The margin of a cell by its attributes that are no levels.
    pub(super) fn own_margin(&self, codes: &[u32]) -> Axes {
        Axes::of((self.levels()..codes.len()).filter(|&attribute| codes[attribute] != ALL))
    }

    /// The place of a node.
    fn place(&self, node: usize) -> Option<usize> {
        self.place_of(self.of(node))
    }

    /// The place of a cell by the numbers of its values.
    pub(super) fn place_of(&self, codes: &[u32]) -> Option<usize> {
        let levels = &self.places.as_ref()?.levels;
        let codes = codes.iter().zip(levels).take_while(|(code, _)| **code != ALL);
        codes.last().map(|(&code, places)| places[code as usize] as usize)
    }

    /// The names of a node's place and of that which it lies in, as rows have them; none where there are no places.
    pub(crate) fn place_and_parent(&self, node: usize) -> Option<(&str, Option<&str>)> {
        let tree = &self.places.as_ref()?.tree;
        let place = self.place(node)?;
        Some((tree.names.plain(place as u32), tree.parent(place).map(|parent| tree.names.plain(parent))))
    }

    /// `true` unless another place lies in the node's.
    pub(super) fn is_finest_place(&self, node: usize) -> bool {
        let has_children = |places: &Places| self.place(node).is_some_and(|place| places.children[place] > 0);
        !self.places.as_ref().is_some_and(has_children)
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

/// What the attributes of levels are called, with their number from 1.
pub(crate) const LEVEL: &str = "place_";
