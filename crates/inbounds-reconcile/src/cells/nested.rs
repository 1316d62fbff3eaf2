//! Tables of which some combinations are no cells, above all those in which an attribute lies in another: a tree of
//! tables.
//!
//! A value of the inner attribute is one within a value of the outer one, and combinations of the two that no row has
//! are no cells. So the margins are those that have, with an inner attribute, the outer one, and a cell is the sum of
//! those that it has in a margin with one attribute more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use inbounds_project::table::Axes;

use super::{ALL, Cells, MOST_CELLS, NOBODY};
use crate::{
    error::Problem,
    names::Names,
    projection::{Demand, Fit, Model, NodeMargin, NodeTables, Row, Sense, Solver, of_node_tables},
};

/// Which combinations of the values of attributes are cells, by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Structure {
    /// Attributes that lie in another, each with that.
    pub(crate) nested: Vec<(String, String)>,
    /// Attributes of which only the combinations that some row has are possible.
    pub(crate) possible: Vec<Vec<String>>,
}

/// Each inner attribute with an outer one, all of those around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Nesting {
    pairs: Vec<(usize, usize)>,
    /// Numbers of the values of a pair that occur together.
    together: HashSet<(usize, u32, u32)>,
    /// Attributes that are the levels of a tree, of which the first is never summed over.
    levels: usize,
    /// Attributes of which only the combinations that some row has are possible.
    possible: Vec<Possible>,
}

/// The combinations of some attributes that occur.
#[derive(Debug, Clone)]
struct Possible {
    attributes: Vec<usize>,
    /// Of each set of these attributes, the combinations of its values.
    combinations: HashMap<Axes, HashSet<Vec<u32>>>,
}

impl Possible {
    /// The combinations of some attributes that some rows have.
    fn from_rows<'a>(attributes: Vec<usize>, rows: impl Iterator<Item = &'a [u32]>) -> Self {
        let all = Axes::new(attributes.iter().copied());
        let mut combinations: HashMap<Axes, HashSet<Vec<u32>>> = HashMap::new();
        for codes in rows.filter(|codes| all.iter().all(|axis| codes[axis] != ALL)) {
            for axes in all.subsets() {
                let values = axes.iter().map(|axis| codes[axis]).collect();
                combinations.entry(axes).or_default().insert(values);
            }
        }
        Self { attributes, combinations }
    }

    /// `true` if some combination has the values that a cell has of these attributes.
    fn includes(&self, codes: &[u32]) -> bool {
        let of_cell = || self.attributes.iter().copied().filter(|&axis| codes[axis] != ALL);
        let values: Vec<u32> = Axes::new(of_cell()).iter().map(|axis| codes[axis]).collect();
        self.combinations.get(&Axes::new(of_cell())).is_some_and(|all| all.contains(&values))
    }
}

impl Nesting {
    /// The attributes around an attribute.
    fn around(&self, attribute: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.pairs.iter().enumerate().filter(move |(_, pair)| pair.0 == attribute).map(|(index, pair)| (index, pair.1))
    }

    /// `true` if a margin has, with each attribute, those around it.
    fn allows(&self, axes: Axes) -> bool {
        let has = |axis: usize| axes.includes(Axes::new([axis]));
        (self.levels == 0 || has(0)) && self.pairs.iter().all(|&(inner, outer)| !has(inner) || has(outer))
    }
}

impl Cells {
    /// The first attribute each of whose values has one value of another in all of its rows, though the other has
    /// several, with that other: it may lie in it.
    pub(crate) fn may_lie_in(&self, rows: usize) -> Option<(&str, &str)> {
        let sizes: Vec<usize> = self.values.iter().map(Names::len).collect();
        let first = self.nesting.levels;
        let pairs = (first..sizes.len()).flat_map(|inner| (first..sizes.len()).map(move |outer| (inner, outer)));
        let lies_in = |&(inner, outer): &(usize, usize)| {
            let mut place = HashMap::new();
            let mut codes = (0..rows).map(|node| (self.codes(node)[inner], self.codes(node)[outer]));
            let one_each = codes
                .all(|(inner, outer)| inner == ALL || outer == ALL || *place.entry(inner).or_insert(outer) == outer);
            one_each && place.len() == sizes[inner]
        };
        let (inner, outer) =
            pairs.filter(|(inner, outer)| sizes[*outer] > 1 && sizes[*inner] > sizes[*outer]).find(lies_in)?;
        Some((&self.attributes[inner], &self.attributes[outer]))
    }

    /// Says which combinations are cells; names of no attribute are noted where the constraints meet the measurements.
    pub(crate) fn tell_structure(
        &mut self,
        Structure { nested: nesting, possible }: &Structure,
    ) -> Result<(), (usize, Problem)> {
        let place = |name: &String| self.attributes.iter().position(|attribute| attribute == name);
        let stated: Vec<(usize, usize)> =
            nesting.iter().filter_map(|(inner, outer)| Some((place(inner)?, place(outer)?))).collect();
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &(inner, _) in &stated {
            // As many steps outwards as there are attributes, so that a circle ends.
            let mut at = inner;
            for _ in 0..self.attributes.len() {
                let Some(&(_, outer)) = stated.iter().find(|(inner, _)| *inner == at) else { break };
                pairs.insert((inner, outer));
                at = outer;
            }
        }
        // A circle is noted where the constraints meet the measurements, too.
        if pairs.iter().any(|(inner, outer)| inner == outer) {
            return Ok(());
        }
        let levels = self.levels();
        pairs.extend((0..levels).flat_map(|inner| (0..inner).map(move |outer| (inner, outer))));
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        let mut together = HashSet::new();
        for node in 0..self.nodes() {
            let codes = self.codes(node);
            for (index, &(inner, outer)) in pairs.iter().enumerate() {
                match (codes[inner], codes[outer]) {
                    (ALL, _) => {}
                    (_, ALL) => {
                        let [inner, outer] = [inner, outer].map(|attribute| self.attributes[attribute].clone());
                        return Err((node, Problem::NestedAlone { inner, outer }));
                    }
                    (inside, around) => {
                        together.insert((index, inside, around));
                    }
                }
            }
        }
        let attributes = possible.iter().filter_map(|names| names.iter().map(place).collect::<Option<Vec<usize>>>());
        let rows = || (0..self.nodes()).map(|node| self.codes(node));
        let possible = attributes.map(|attributes| Possible::from_rows(attributes, rows())).collect();
        self.nesting = Nesting { pairs, together, levels, possible };
        Ok(())
    }

    /// The attributes of which only combinations that occur are cells.
    pub(super) fn possible(&self) -> Vec<Vec<String>> {
        let names = |possible: &Possible| {
            possible.attributes.iter().map(|&attribute| self.attributes[attribute].clone()).collect()
        };
        self.nesting.possible.iter().map(names).collect()
    }

    /// `true` if some combinations are no cells: attributes lie in others, there are places, or combinations that do
    /// not occur are impossible.
    pub(crate) fn is_nested(&self) -> bool {
        !self.nesting.pairs.is_empty() || self.nesting.levels > 0 || !self.nesting.possible.is_empty()
    }

    /// The attributes that lie in another, each with all around it.
    pub(crate) fn nesting(&self) -> impl Iterator<Item = (&str, &str)> {
        let name = |attribute: usize| self.attributes[attribute].as_str();
        self.nesting.pairs.iter().map(move |&(inner, outer)| (name(inner), name(outer)))
    }

    /// The margins of the margins of the nodes.
    pub(crate) fn nested_margins(&self) -> Vec<Axes> {
        let all: BTreeSet<Axes> = (0..self.nodes()).map(|node| self.axes(node)).collect();
        let parts: BTreeSet<Axes> = all.iter().flat_map(|axes| axes.subsets()).collect();
        parts.into_iter().filter(|axes| self.nesting.allows(*axes)).collect()
    }

    /// Cells that no row has, as the number of the value of each attribute.
    pub(super) fn nested_missing(&self) -> Result<Vec<Vec<u32>>, Problem> {
        let known: HashSet<&[u32]> = (0..self.nodes()).map(|node| self.codes(node)).collect();
        // What nothing tells at a place is no cell there.
        let margins = self.margins_of_places();
        let is_told =
            |codes: &[u32]| self.place_of(codes).is_none_or(|place| margins[place].contains(&self.own_margin(codes)));
        let mut missing = Vec::new();
        let mut total = 0_usize;
        for axes in self.nested_margins() {
            let cells = self.nested_cells(axes, MOST_CELLS - total.min(MOST_CELLS))?;
            total += cells.len();
            let is_missing = |codes: &Vec<u32>| !known.contains(codes.as_slice()) && is_told(codes);
            missing.extend(cells.into_iter().filter(is_missing));
        }
        Ok(missing)
    }

    /// The numbers of all cells of a margin, at most `most`.
    fn nested_cells(&self, axes: Axes, most: usize) -> Result<Vec<Vec<u32>>, Problem> {
        let sizes = self.sizes();
        let mut cells = vec![vec![ALL; sizes.len()]];
        // Outer attributes first: those inside more of them come later.
        let mut order: Vec<usize> = axes.iter().collect();
        order.sort_by_key(|&axis| self.nesting.around(axis).count());
        for axis in order {
            let around = || self.nesting.around(axis);
            let fits = |codes: &[u32], code: u32| {
                around().all(|(index, outer)| self.nesting.together.contains(&(index, code, codes[outer])))
            };
            // Of the attributes around it, that with most values leaves fewest to look at.
            let closest = around().max_by_key(|(_, outer)| sizes[*outer]);
            let mut inside: HashMap<u32, Vec<u32>> = HashMap::new();
            for &(index, inner, outer) in &self.nesting.together {
                if closest.is_some_and(|(closest, _)| closest == index) {
                    inside.entry(outer).or_default().push(inner);
                }
            }
            inside.values_mut().for_each(|codes| codes.sort_unstable());
            let all: Vec<u32> = (0..sizes[axis] as u32).collect();
            let mut next = Vec::new();
            for codes in &cells {
                let some = closest.map(|(_, outer)| inside.get(&codes[outer]).map_or(&[][..], Vec::as_slice));
                for &code in some.unwrap_or(&all).iter().filter(|&&code| fits(codes, code)) {
                    let mut cell = codes.clone();
                    cell[axis] = code;
                    next.push(cell);
                }
                if next.len() > most {
                    return Err(Problem::TooManyCells { cells: next.len(), most: MOST_CELLS });
                }
            }
            cells = next;
        }
        cells.retain(|codes| self.nesting.possible.iter().all(|possible| possible.includes(codes)));
        Ok(cells)
    }

    /// That each cell is the sum of those that it has in a margin with one attribute more.
    pub(crate) fn nested_sums(&self) -> NestedSums {
        let node_of: HashMap<&[u32], u32> = (0..self.nodes()).map(|node| (self.codes(node), node as u32)).collect();
        let mut sums: BTreeMap<(u32, usize), Vec<u32>> = BTreeMap::new();
        for node in 0..self.nodes() {
            let axes = self.axes(node);
            for axis in axes.iter() {
                let rest = Axes::new(axes.iter().filter(|other| *other != axis));
                if !self.nesting.allows(rest) {
                    continue;
                }
                let mut codes = self.codes(node).to_vec();
                codes[axis] = ALL;
                if let Some(&sum) = node_of.get(codes.as_slice()) {
                    sums.entry((sum, axis)).or_default().push(node as u32);
                }
            }
        }
        // A place is the sum of those in it where all of them have the cell.
        let is_whole = |&(sum, axis): &(u32, usize), parts: &Vec<u32>| {
            axis >= self.levels() || parts.len() == self.places_in(sum as usize)
        };
        sums.retain(|sum, parts| is_whole(sum, parts));
        let sums = sums.into_iter().map(|((sum, _), parts)| (sum, parts)).collect();
        NestedSums { sums, tables: self.node_tables() }
    }

    /// The attributes of which each lies in the one before, outermost first, if those that lie in one another are such.
    fn chain(&self) -> Option<Vec<usize>> {
        let nested = self.nesting.pairs.iter().flat_map(|&(inner, outer)| [inner, outer]);
        let mut chain: Vec<usize> = nested.chain(0..self.nesting.levels).collect();
        chain.sort_unstable();
        chain.dedup();
        let depth = |attribute: &usize| self.nesting.around(*attribute).count();
        chain.sort_by_key(depth);
        chain.iter().enumerate().all(|(place, attribute)| depth(attribute) == place).then_some(chain)
    }

    /// The nodes as tables by the other attributes at the places that a chain of attributes distinguishes, if they
    /// are such.
    fn node_tables(&self) -> Option<NodeTables> {
        let chain = self.chain()?;
        let sizes = self.sizes();
        let table: Vec<usize> = (0..sizes.len()).filter(|attribute| !chain.contains(attribute)).collect();
        let of_table: Vec<usize> = table.iter().map(|&attribute| sizes[attribute]).collect();
        let place_of = |node: usize| -> Vec<u32> {
            let codes = chain.iter().map(|&attribute| self.codes(node)[attribute]);
            codes.take_while(|code| *code != ALL).collect()
        };
        // Coarse places first.
        let all: BTreeSet<(usize, Vec<u32>)> =
            (0..self.nodes()).map(place_of).map(|place| (place.len(), place)).collect();
        let numbers: HashMap<Vec<u32>, u32> = all.into_iter().map(|(_, place)| place).zip(0..).collect();
        let mut parents = vec![None; numbers.len()];
        for (place, &number) in &numbers {
            parents[number as usize] = match place.split_last() {
                Some((_, [])) if self.nesting.levels > 0 => None,
                Some((_, above)) => Some(*numbers.get(above)?),
                None => None,
            };
        }
        let mut margins: Vec<BTreeMap<Axes, Vec<u32>>> = vec![BTreeMap::new(); numbers.len()];
        let mut groups: BTreeSet<(usize, Axes)> = BTreeSet::new();
        for node in 0..self.nodes() {
            let (place, codes) = (place_of(node), self.codes(node));
            let axes = Axes::new((0..table.len()).filter(|&axis| codes[table[axis]] != ALL));
            let cell = axes.iter().fold(0, |cell, axis| cell * of_table[axis] + codes[table[axis]] as usize);
            let cells = axes.iter().map(|axis| of_table[axis]).product();
            groups.insert((place.len(), axes));
            margins[numbers[&place] as usize].entry(axes).or_insert_with(|| vec![NOBODY; cells])[cell] = node as u32;
        }
        let group = |depth: usize, axes: Axes| groups.iter().position(|group| *group == (depth, axes));
        let depth: HashMap<u32, usize> = numbers.iter().map(|(place, &number)| (number, place.len())).collect();
        let of_place = |(number, margins): (u32, BTreeMap<Axes, Vec<u32>>)| -> Option<Vec<NodeMargin>> {
            let margin = |(axes, nodes): (Axes, Vec<u32>)| {
                let group = group(depth[&number], axes)? as u32;
                (!nodes.contains(&NOBODY)).then_some(NodeMargin { axes, nodes, group })
            };
            margins.into_iter().map(margin).collect()
        };
        let margins = (0..).zip(margins).map(of_place).collect::<Option<Vec<Vec<NodeMargin>>>>()?;
        Some(NodeTables { sizes: of_table, parents, margins })
    }
}

/// Nodes that are sums, each with its parts.
pub(crate) struct NestedSums {
    sums: Vec<(u32, Vec<u32>)>,
    /// The same as tables at the places of a tree, if they are such.
    tables: Option<NodeTables>,
}

impl Demand for NestedSums {
    fn rows(&self, _: &Model) -> Vec<Row> {
        let row = |(sum, parts): &(u32, Vec<u32>)| {
            let terms = [(*sum, 1.0)].into_iter().chain(parts.iter().map(|&part| (part, -1.0))).collect();
            Row::implied(terms, Sense::Equal, 0.0, |row, name| {
                (row.first(name), "must be the sum of its cells".to_owned())
            })
        };
        self.sums.iter().map(row).collect()
    }

    /// That of tables along a tree; none where cells of a margin were measured unlike one another, or more is known
    /// than such tables can keep.
    fn solver(&self, model: &Model, is_integer: bool, fit: Fit) -> Option<Box<dyn Solver>> {
        of_node_tables(self.tables.as_ref()?, model, is_integer, fit).ok()
    }

    fn has_fits(&self) -> bool {
        self.tables.is_some()
    }
}
