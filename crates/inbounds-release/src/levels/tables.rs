//! A table at every place of a hierarchy: the margins of the columns of `by` beyond the last level, at each level.
//!
//! The first columns of `by`, down to that of the last level, distinguish places; the others are those of the table.
//! Keys are one table after another, that of the first place first: all combinations of the values of the table's
//! columns at every place, unless some cannot occur (`Nesting::Linked`). So the cell of a key at a level and in a
//! margin follows from its place and from its cell in the table. Nodes are level by level, margin by margin, place by
//! place.

use std::{collections::HashMap, sync::Arc};

use inbounds_data::Keys;
use inbounds_project::{
    table::{Axes, parts, tree::LevelMarginVariances},
    tree::LevelVariances,
};

use super::{
    Asked, LevelsError,
    hierarchy::{Hierarchy, Nesting},
    level::Level,
    table::sizes,
};
use crate::plan::Granularity;
use crate::{
    plan,
    projection::{NodeMargin, NodeTables},
};

/// Most attributes of a table at every place.
const MOST_COLUMNS: usize = 8;

impl Hierarchy {
    /// The margins of a table at every level over public keys.
    ///
    /// Where some combinations are no cells, all are solved for together.
    ///
    /// # Errors
    /// [`LevelsError::Linked`] and the like for what is not built where some combinations are no cells.
    pub(super) fn of_tables(levels: &plan::Levels, margins: &plan::Margins, keys: &Keys) -> Result<Self, LevelsError> {
        let columns = keys.columns();
        let position = |name: &str| columns.iter().position(|column| column == name);
        let depths: Vec<usize> =
            levels.names.iter().map(|name| position(&name.value).map_or(0, |place| place + 1)).collect();
        let places = depths.last().copied().unwrap_or(0);
        let sizes = sizes(keys)[places..].to_vec();
        if sizes.len() > MOST_COLUMNS {
            return Err(LevelsError::TableColumns { columns: sizes.len() });
        }
        let table: usize = sizes.iter().product();
        let all = Axes::new(0..sizes.len());
        let axis =
            |name: &str| position(name).and_then(|place| place.checked_sub(places)).expect("a column of the table");
        let sets: Vec<Axes> =
            margins.sets.value.iter().map(|set| Axes::new(set.value.iter().map(|name| axis(&name.value)))).collect();
        let published = if margins.every { all.subsets() } else { in_order(&sets) };
        let listed = (0..levels.names.len()).flat_map(|level| {
            let begin = level * published.len();
            sets.iter()
                .map(|axes| begin + published.binary_search(axes).expect("a listed margin is published"))
                .collect::<Vec<_>>()
        });
        let listed: Vec<usize> = listed.collect();
        let called = |name: &plan::Spanned<String>, axes: &Axes| {
            let margin = axes.iter().map(|axis| columns[places + axis].clone()).collect();
            Granularity::Both { level: name.value.clone(), margin }
        };
        let columns_of = |depth: usize, axes: &Axes| (0..depth).chain(axes.iter().map(|axis| places + axis)).collect();
        if !are_tables(keys, places, &sizes) {
            let with_margins = |(name, &depth): (&plan::Spanned<String>, &usize)| {
                published.iter().map(|axes| (called(name, axes), columns_of(depth, axes))).collect::<Vec<_>>()
            };
            let all = levels.names.iter().zip(&depths).flat_map(with_margins).collect();
            return Self::linked(Asked::Both(levels, margins), listed, all, keys);
        }
        let first_of_place: Vec<&[u32]> = keys.rows().step_by(table).map(|row| &row.places()[..places]).collect();
        let of_place: Vec<Arc<[u32]>> = depths.iter().map(|&depth| numbered(&first_of_place, depth)).collect();
        let of_cell: Vec<Arc<[u32]>> = published
            .iter()
            .map(|&axes| parts(&sizes, all, axes).into_iter().map(|part| part as u32).collect())
            .collect();
        let mut all_levels = Vec::new();
        for (name, (depth, of_place)) in levels.names.iter().zip(depths.iter().zip(&of_place)) {
            for (axes, of_cell) in published.iter().zip(&of_cell) {
                let (granularity, columns) = (called(name, axes), columns_of(*depth, axes));
                all_levels.push(Level::of_tables(granularity, columns, of_place.clone(), of_cell.clone()));
            }
        }
        let shape = Shape::new(&of_place);
        let tree = LevelVariances::new(&shape.sizes, &shape.parents).expect("prefixes of keys are a forest");
        let variances = LevelMarginVariances::new(tree, levels.names.len(), &sizes, [all]);
        let tables = node_tables(&sizes, &shape, &all_levels, &published);
        Ok(Self { levels: all_levels, listed, nesting: Nesting::Tables { tables, published, variances } })
    }
}

/// `true` if keys are one table of these sizes after another, each at a place of its own, given by the first columns,
/// `places` of them.
fn are_tables(keys: &Keys, places: usize, sizes: &[usize]) -> bool {
    let table: usize = sizes.iter().product();
    if !keys.len().is_multiple_of(table) {
        return false;
    }
    let mut of_place: &[u32] = &[];
    keys.rows().enumerate().all(|(index, row)| {
        let (own, of_table) = row.places().split_at(places);
        let mut rest = index % table;
        if rest == 0 {
            of_place = own;
        }
        let is_cell = of_table.iter().zip(sizes).rev().all(|(&place, size)| {
            let expected = rest % size;
            rest /= size;
            place as usize == expected
        });
        is_cell && own == of_place
    })
}

/// The node of each place at a level that the first `depth` columns distinguish, in the order of their first places.
fn numbered(places: &[&[u32]], depth: usize) -> Arc<[u32]> {
    let mut nodes: HashMap<&[u32], u32> = HashMap::new();
    let mut numbers = Vec::with_capacity(places.len());
    for &place in places {
        let next = nodes.len() as u32;
        numbers.push(*nodes.entry(&place[..depth]).or_insert(next));
    }
    numbers.into()
}

/// The tree of the places, level after level.
struct Shape {
    sizes: Vec<usize>,
    parents: Vec<Option<u32>>,
}

impl Shape {
    fn new(of_place: &[Arc<[u32]>]) -> Self {
        let sizes: Vec<usize> =
            of_place.iter().map(|nodes| nodes.iter().max().map_or(0, |last| *last as usize + 1)).collect();
        let mut parents = vec![None; sizes[0]];
        let mut begin = 0;
        for (pair, size) in of_place.windows(2).zip(&sizes) {
            let mut own = vec![None; pair[1].iter().max().map_or(0, |last| *last as usize + 1)];
            pair[0].iter().zip(pair[1].iter()).for_each(|(&parent, &node)| own[node as usize] = Some(begin + parent));
            parents.extend(own);
            begin += *size as u32;
        }
        Self { sizes, parents }
    }
}

/// Margins, smaller ones first.
fn in_order(sets: &[Axes]) -> Vec<Axes> {
    let mut sets = sets.to_vec();
    sets.sort_unstable();
    sets
}

/// Which node each cell is: cells of a margin of a level stand place by place.
fn node_tables(sizes: &[usize], shape: &Shape, levels: &[Level], published: &[Axes]) -> NodeTables {
    let mut margins: Vec<Vec<NodeMargin>> = vec![Vec::new(); shape.parents.len()];
    let (mut begin, mut first) = (0_u32, 0);
    for (level, places) in shape.sizes.iter().enumerate() {
        for (index, axes) in published.iter().enumerate() {
            let group = level * published.len() + index;
            let cells = (levels[group].cells() / places) as u32;
            for place in 0..*places {
                let nodes = (begin..begin + cells).collect();
                margins[first + place].push(NodeMargin { axes: *axes, nodes, group: group as u32 });
                begin += cells;
            }
        }
        first += places;
    }
    NodeTables { sizes: sizes.to_vec(), parents: shape.parents.clone(), margins }
}
