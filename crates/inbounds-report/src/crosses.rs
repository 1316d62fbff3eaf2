//! Numbers as tables: attributes down and across with their totals at the edges, and hierarchies as nested rows.
//!
//! A row is told by its values of some attributes, a column by its value of another, or by which output of a cell it
//! holds. A cell that has no value of an attribute is a total over it. Every cell that is given has its place, so that
//! no number of a release is in a picture alone.

use std::collections::{HashMap, HashSet};

use crate::{
    cells::Cell,
    document::{Cross, CrossCell, CrossRow},
    spread::Style,
};

/// Most values of the attribute that runs across, and most where another has fewer.
const ACROSS: [usize; 2] = [7, 12];

/// Values of a first attribute beside which all others run across.
const LONG: usize = 50;

/// Most columns of a table of places.
const WIDEST: usize = 60;

/// Label of all values of an attribute.
pub(crate) const TOTAL: &str = "Total";

/// Label of all values of one of several attributes.
const ALL: &str = "all";

/// Layout that the cells of one statistic share.
pub(crate) struct Layout<'a> {
    /// Attributes in words, in the order of the values of a cell.
    pub(crate) attributes: Vec<&'a str>,
    /// Which of them are levels of a hierarchy, whose rows lie in one another, the outermost first.
    pub(crate) nested: Vec<usize>,
    /// The outputs of a cell, with their units; empty where it has one.
    pub(crate) outputs: Vec<String>,
    /// Over each table, before which output it shows.
    pub(crate) caption: String,
    /// What stands under each number, after that; empty for nothing.
    pub(crate) beside: String,
    /// Under each table; empty for nothing.
    pub(crate) note: String,
    /// Number format of a cell.
    pub(crate) style: &'a dyn Fn(&Cell) -> Style,
}

/// The attribute, or attributes, whose values are the columns of a table.
enum Across {
    Outputs,
    Attributes(Vec<usize>),
}

/// Values of some attributes, none for all values of one.
type Key<'a> = Vec<Option<&'a str>>;

impl Layout<'_> {
    /// The tables of all cells: one for each output and each margin that is part of no other, with the margins that are
    /// part of it at its edges; one in all for a hierarchy.
    pub(crate) fn tables(&self, cells: &[Cell]) -> Vec<Cross> {
        let outputs = self.outputs.len().max(1);
        let of_table: Vec<usize> = (0..self.attributes.len()).filter(|column| !self.nested.contains(column)).collect();
        if of_table.is_empty() {
            return vec![self.table(cells.iter(), &self.nested, &Across::Outputs, String::new())];
        }
        if self.attributes.len() == 1 {
            return vec![self.table(cells.iter(), &of_table, &Across::Outputs, String::new())];
        }
        let mut tables = Vec::new();
        for output in 0..outputs {
            let of_output = || cells.iter().filter(move |cell| cell.part % outputs == output);
            let named = self.outputs.get(output).cloned().unwrap_or_default();
            if !self.nested.is_empty() {
                tables.push(self.places(of_output(), &of_table, named));
                continue;
            }
            for margin in margins(of_output()) {
                let within = of_output().filter(|cell| columns(cell).all(|column| margin.contains(&column)));
                let across = self.runs_across(&margin, cells);
                let down: Vec<usize> = margin.iter().copied().filter(|column| !across.contains(column)).collect();
                let across = if across.is_empty() { Across::Outputs } else { Across::Attributes(across) };
                tables.push(self.table(within, &down, &across, named.clone()));
            }
        }
        tables
    }

    /// A row a place, and across it its table.
    fn places<'c>(&self, cells: impl Iterator<Item = &'c Cell> + Clone, of_table: &[usize], named: String) -> Cross {
        let pick = |cell: &Cell| of_table.iter().map(|column| cell.values[*column].clone()).collect::<Vec<_>>();
        let columns: HashSet<_> = cells.clone().map(pick).collect();
        if columns.len() <= WIDEST {
            self.table(cells, &self.nested, &Across::Attributes(of_table.to_vec()), named)
        } else {
            // The last attribute alone runs across, and the others are told below each place.
            let (last, others) = of_table.split_last().map_or((0, &of_table[..0]), |(last, others)| (*last, others));
            let down = [&self.nested[..], others].concat();
            self.table(cells, &down, &Across::Attributes(vec![last]), named)
        }
    }

    /// The attributes of a margin that run across: the last with few values, or, beside a long list, all others if they
    /// have few values together; none where all have many, or there is but one.
    fn runs_across(&self, margin: &[usize], cells: &[Cell]) -> Vec<usize> {
        let count = |column: usize| -> usize {
            let values: HashSet<&str> = cells.iter().filter_map(|cell| cell.values[column].as_deref()).collect();
            values.len()
        };
        let counted: Vec<(usize, usize)> = margin.iter().map(|column| (*column, count(*column))).collect();
        let Some(((_, first), others)) = counted.split_first().filter(|(_, others)| !others.is_empty()) else {
            return vec![];
        };
        if *first > LONG && others.iter().map(|(_, values)| values).product::<usize>() <= ACROSS[1] {
            return others.iter().map(|(column, _)| *column).collect();
        }
        let last = |most: usize| counted.iter().rev().find(|(_, values)| *values <= most).map(|(column, _)| *column);
        ACROSS.into_iter().find_map(last).into_iter().collect()
    }

    fn table<'c>(
        &self,
        cells: impl Iterator<Item = &'c Cell> + Clone,
        down: &[usize],
        across: &Across,
        output: String,
    ) -> Cross {
        let row_key = |cell: &'c Cell| -> Key<'c> { down.iter().map(|at| cell.values[*at].as_deref()).collect() };
        let column_key = |cell: &'c Cell| -> (usize, Key<'c>) {
            match across {
                Across::Outputs if self.outputs.is_empty() => (0, vec![]),
                Across::Outputs => (cell.part % self.outputs.len(), vec![]),
                Across::Attributes(columns) => (0, columns.iter().map(|at| cell.values[*at].as_deref()).collect()),
            }
        };
        let depth = Depth { nested: down.iter().filter(|at| self.nested.contains(at)).count() };
        let mut placed: HashMap<Key<'c>, HashMap<(usize, Key<'c>), &'c Cell>> = HashMap::new();
        for cell in cells.clone() {
            let row = row_key(cell);
            // A group has a row of its own, so that what lies in it is seen to.
            for prefix in depth.groups(&row) {
                placed.entry(prefix).or_default();
            }
            placed.entry(row).or_default().insert(column_key(cell), cell);
        }
        let row_order = Order::from_keys(cells.clone().map(row_key));
        let column_order = Order::from_keys(cells.clone().map(|cell| column_key(cell).1));
        let mut rows: Vec<&Key<'c>> = placed.keys().collect();
        rows.sort_by_cached_key(|key| row_order.ranks(key, |place| depth.total_is_last(place)));
        let columns: HashSet<(usize, Key<'c>)> = cells.clone().map(column_key).collect();
        let mut columns: Vec<(usize, Key<'c>)> = columns.into_iter().collect();
        columns.sort_by_cached_key(|(output, key)| (*output, column_order.ranks(key, |_| true)));
        let has_all = rows.iter().any(|key| key.iter().take(depth.nested).all(Option::is_none));
        let all: HashMap<&Key<'c>, &str> =
            rows.iter().filter_map(|key| Some((*key, placed[*key].values().next()?.granularity.as_str()))).collect();
        let row = |key: &&Key<'c>| {
            let of_row = &placed[*key];
            let cells = columns.iter().map(|column| of_row.get(column).map(|cell| self.cell(cell))).collect();
            CrossRow {
                name: depth.name(key, all.get(*key).copied().unwrap_or_default()),
                depth: depth.indentation(key, has_all),
                total: depth.nested == 0 && key.first().is_some_and(Option::is_none),
                cells,
            }
        };
        let over: Vec<&str> = down.iter().map(|at| self.attributes[*at]).collect();
        let beside: Vec<&str> = match across {
            Across::Outputs => vec![],
            Across::Attributes(columns) => columns.iter().map(|at| self.attributes[*at]).collect(),
        };
        let head = |(output, key): &(usize, Key<'c>)| match across {
            Across::Outputs => self.outputs.get(*output).cloned().unwrap_or_else(|| "estimate".to_owned()),
            Across::Attributes(_) => named(key),
        };
        let caption = [self.caption.clone(), output].into_iter().filter(|part| !part.is_empty());
        let told = cells.clone().any(|cell| cell.tells_nothing);
        let weak = if told {
            "Where a number “tells nothing”, its interval is nearly the whole range: it says almost nothing that was not known before."
        } else {
            ""
        };
        let note = [self.note.as_str(), weak].into_iter().filter(|part| !part.is_empty());
        Cross {
            caption: caption.collect::<Vec<_>>().join(": ") + &self.beside,
            stub: over.join(", "),
            across: beside.join(", "),
            heads: columns.iter().map(head).collect(),
            rows: rows.iter().map(row).collect(),
            places: depth.nested > 0 && !beside.is_empty(),
            note: note.collect::<Vec<_>>().join(" "),
        }
    }

    fn cell(&self, cell: &Cell) -> CrossCell {
        let spread = cell.spread((self.style)(cell));
        let beside = spread.beside().to_owned();
        let number = (!cell.hidden).then_some(cell.number().0);
        CrossCell { number, value: spread.value, beside, tells_nothing: cell.tells_nothing }
    }
}

/// Places of the attributes that a cell has a value of.
fn columns(cell: &Cell) -> impl Iterator<Item = usize> + '_ {
    cell.values.iter().enumerate().filter(|(_, value)| value.is_some()).map(|(column, _)| column)
}

/// The margins that are part of no other, in the order of the table.
fn margins<'c>(cells: impl Iterator<Item = &'c Cell>) -> Vec<Vec<usize>> {
    let mut known: Vec<Vec<usize>> = Vec::new();
    let mut seen = HashSet::new();
    for cell in cells {
        let margin: Vec<usize> = columns(cell).collect();
        if seen.insert(margin.clone()) {
            known.push(margin);
        }
    }
    let is_part = |one: &[usize], other: &[usize]| one.len() < other.len() && one.iter().all(|at| other.contains(at));
    let maximal = known.iter().filter(|one| !known.iter().any(|other| is_part(one, other)));
    maximal.cloned().collect()
}

/// Head of a column; of several attributes each has its word.
fn named(key: &[Option<&str>]) -> String {
    if key.iter().all(Option::is_none) {
        return TOTAL.to_owned();
    }
    key.iter().map(|value| value.unwrap_or(ALL)).collect::<Vec<_>>().join(", ")
}

/// How rows lie in one another: the first `nested` values are a path, and each further one lies in those before it.
#[derive(Clone, Copy)]
struct Depth {
    nested: usize,
}

impl Depth {
    /// Steps in from the edge.
    fn indentation(self, key: &[Option<&str>], has_all: bool) -> usize {
        let (path, table) = key.split_at(self.nested.min(key.len()));
        let on_path = path.iter().flatten().count();
        if self.nested > 0 {
            return (on_path + table.iter().flatten().count()).saturating_sub(usize::from(!has_all));
        }
        table.iter().skip(1).flatten().count()
    }

    /// True if the total over an attribute stands after its values: at the edge of a table it does, and a place stands
    /// over what lies in it.
    fn total_is_last(self, place: usize) -> bool {
        self.nested == 0 && place == 0
    }

    /// The rows that a row lies in.
    fn groups<'c>(self, key: &[Option<&'c str>]) -> Vec<Key<'c>> {
        let cut =
            |end: usize| -> Key<'c> { key.iter().enumerate().map(|(at, value)| value.filter(|_| at < end)).collect() };
        let begins = |end: usize| key[end - 1].is_some() || (end == 1 && self.nested == 0);
        let goes_on = |end: usize| key[end..].iter().any(Option::is_some);
        (1..key.len()).filter(|end| begins(*end) && goes_on(*end)).map(cut).collect()
    }

    fn name(self, key: &[Option<&str>], granularity: &str) -> String {
        match key.iter().rev().flatten().next() {
            Some(value) => (*value).to_owned(),
            None if self.nested > 0 && !granularity.is_empty() => granularity.to_owned(),
            None => TOTAL.to_owned(),
        }
    }
}

/// Values of attributes in the order in which they are met.
struct Order<'a>(Vec<HashMap<&'a str, usize>>);

impl<'a> Order<'a> {
    fn from_keys(keys: impl Iterator<Item = Key<'a>>) -> Self {
        let mut order: Vec<HashMap<&str, usize>> = Vec::new();
        for key in keys {
            order.resize(order.len().max(key.len()), HashMap::new());
            for (values, value) in order.iter_mut().zip(key) {
                let next = values.len() + 1;
                if let Some(value) = value {
                    values.entry(value).or_insert(next);
                }
            }
        }
        Self(order)
    }

    fn ranks(&self, key: &[Option<&str>], is_last: impl Fn(usize) -> bool) -> Vec<usize> {
        let rank = |(place, value): (usize, &Option<&str>)| match value {
            Some(value) => self.0[place].get(value).copied().unwrap_or_default(),
            None if is_last(place) => usize::MAX,
            None => 0,
        };
        key.iter().enumerate().map(rank).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use inbounds_bundle::UnitEntry;

    use super::*;

    pub(crate) fn cell(values: &[&str], estimate: f64, part: usize) -> Cell {
        let value = |value: &&str| (!value.is_empty()).then(|| (*value).to_owned());
        Cell {
            part,
            values: values.iter().map(value).collect(),
            granularity: "nation".to_owned(),
            unit: UnitEntry::Rows,
            interval: Some((estimate - 2.0, estimate + 2.0)),
            tells_nothing: estimate > 900.0,
            ..Cell::from_estimate(estimate)
        }
    }

    fn laid_out(attributes: &[&str], nested: &[usize], outputs: &[&str], cells: &[Cell]) -> Vec<String> {
        let layout = Layout {
            attributes: attributes.to_vec(),
            nested: nested.to_vec(),
            outputs: outputs.iter().map(|output| (*output).to_owned()).collect(),
            caption: String::new(),
            beside: String::new(),
            note: String::new(),
            style: &|_| Style::Whole,
        };
        let line = |row: &CrossRow| {
            let cells = row.cells.iter().map(|cell| cell.as_ref().map_or("–", |cell| cell.value.as_str()));
            format!("{}{}: {}", ">".repeat(row.depth), row.name, cells.collect::<Vec<_>>().join(" "))
        };
        let table = |table: &Cross| {
            let head = [table.stub.as_str(), &table.across, &table.heads.join(" ")].join(" | ");
            [head].into_iter().chain(table.rows.iter().map(line)).collect::<Vec<_>>().join("\n")
        };
        layout.tables(cells).iter().map(table).collect()
    }

    #[test]
    fn two_attributes_make_a_table_with_totals_at_its_edges() {
        let numbers = [("", "", 10.0), ("f", "", 6.0), ("m", "", 4.0), ("", "old", 7.0), ("", "young", 3.0)];
        let inside = [("f", "old", 4.0), ("f", "young", 2.0), ("m", "old", 3.0), ("m", "young", 1.0)];
        let cells: Vec<Cell> =
            numbers.iter().chain(&inside).map(|(sex, age, rows)| cell(&[sex, age], *rows, 0)).collect();
        let table = "sex | age | old young Total\nf: 4 2 6\nm: 3 1 4\nTotal: 7 3 10";
        assert_eq!(laid_out(&["sex", "age"], &[], &[], &cells), [table]);
    }

    #[test]
    fn margins_that_are_part_of_no_other_have_a_table_each() {
        let cells: Vec<Cell> = [["a", "x", ""], ["a", "", "p"], ["", "x", "p"], ["a", "", ""], ["", "", ""]]
            .iter()
            .zip(1..)
            .map(|(values, rows)| cell(values, f64::from(rows), 0))
            .collect();
        let [first, second, third] = [
            "one | two | x Total\na: 1 4\nTotal: – 5",
            "one | three | p Total\na: 2 4\nTotal: – 5",
            "two | three | p Total\nx: 3 –\nTotal: – 5",
        ];
        assert_eq!(laid_out(&["one", "two", "three"], &[], &[], &cells), [first, second, third]);
    }

    #[test]
    fn rows_of_a_hierarchy_lie_in_one_another() {
        let places = [["", ""], ["A", ""], ["B", ""], ["A", "x"], ["B", "x"], ["A", "y"]];
        let cells: Vec<Cell> = places
            .iter()
            .zip(1..)
            .flat_map(|(place, rows)| [cell(place, f64::from(rows), 0), cell(place, 10.0 * f64::from(rows), 1)])
            .collect();
        let table = "state, county |  | count sum\nnation: 1 10\n>A: 2 20\n>>x: 4 40\n>>y: 6 60\n>B: 3 30\n>>x: 5 50";
        assert_eq!(laid_out(&["state", "county"], &[0, 1], &["count", "sum"], &cells), [table]);
        // A group that is not measured has a row for its name.
        let leaves: Vec<Cell> = [["A", "x"], ["B", "x"]].iter().map(|place| cell(place, 1.0, 0)).collect();
        let table = "state, county |  | estimate\nA: –\n>x: 1\nB: –\n>x: 1";
        assert_eq!(laid_out(&["state", "county"], &[0, 1], &[], &leaves), [table]);
    }

    #[test]
    fn a_place_has_its_table_in_its_row() {
        let cells: Vec<Cell> = [["", ""], ["", "f"], ["", "m"], ["A", ""], ["A", "f"], ["A", "m"]]
            .iter()
            .zip(1..)
            .map(|(values, rows)| cell(values, f64::from(rows), 0))
            .collect();
        let table = "state | sex | f m Total\nnation: 2 3 1\n>A: 5 6 4";
        assert_eq!(laid_out(&["state", "sex"], &[0], &[], &cells), [table]);
    }

    #[test]
    fn three_attributes_are_nested_down_and_one_runs_across() {
        let mut cells = Vec::new();
        for (first, second) in [("a", "x"), ("a", "y"), ("b", "x")] {
            cells.extend(["p", "q"].map(|third| cell(&[first, second, third], 1.0, 0)));
        }
        cells.push(cell(&["a", "", "p"], 2.0, 0));
        cells.push(cell(&["", "x", "p"], 9.0, 0));
        let table = "one, two | three | p q\na: 2 –\n>x: 1 1\n>y: 1 1\nb: – –\n>x: 1 1\nTotal: – –\n>x: 9 –";
        assert_eq!(laid_out(&["one", "two", "three"], &[], &[], &cells), [table]);
    }
}
