//! A table at each node of a tree: attributes beside `node` and `parent`.

use std::{collections::BTreeMap, fmt::Write, fs};

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_reconcile::{Fit, Options, Reconciled, Silent, WideColumns, reconcile};

use super::{Bench, without_errors};

/// Nodes with their parents: a tree in which leaves are on several levels, and two nodes share a name.
const TREE: [(&str, &str); 9] = [
    ("land", ""),
    ("north", "land"),
    ("south", "land"),
    ("port", "land"),
    ("a", "north"),
    ("b", "north"),
    ("port", "south"),
    ("c", "south"),
    ("d", "south"),
];
/// The tree, with columns of states and counties instead.
const PATHS: [(&str, &str); 9] = [
    ("", ""),
    ("north", ""),
    ("south", ""),
    ("port", ""),
    ("north", "a"),
    ("north", "b"),
    ("south", "port"),
    ("south", "c"),
    ("south", "d"),
];
const SEXES: [&str; 3] = ["f", "m", "*"];
const AGES: [&str; 4] = ["0", "20", "65", ""];

/// A measurement of each cell of each margin, with the line that `line` makes of the number of the node, the values
/// and the measurement.
fn measurements(header: &str, line: impl Fn(usize, &str, &str, f64) -> String) -> String {
    let mut entropy = SeededEntropy::from_seed(11);
    let mut text = format!("{header}\n");
    for node in 0..TREE.len() {
        for sex in SEXES {
            for age in AGES {
                let noise = (entropy.word() % 41) as f64 - 20.0;
                let size = if node == 0 { 60.0 } else { 10.0 };
                let cells = [(sex == "*", 2.0), (age.is_empty(), 3.0)];
                let part: f64 = cells.iter().filter(|(all, _)| *all).map(|(_, cells)| cells).product();
                writeln!(text, "{}", line(node, sex, age, size * part + noise)).expect("text");
            }
        }
    }
    text
}

fn at_places() -> String {
    measurements("node,parent,sex,age,value,law,scale", |node, sex, age, value| {
        let (node, parent) = TREE[node];
        format!("{node},{parent},{sex},{age},{value},laplace,10")
    })
}

/// Estimates by name.
fn estimates(reconciled: &Reconciled) -> BTreeMap<String, f64> {
    reconciled.nodes().map(|node| (node.name.to_owned(), node.estimate)).collect()
}

#[test]
fn tables_at_nodes_are_those_of_nested_attributes() {
    let mut bench = Bench::new();
    let nested = measurements("state,county,sex,age,value,law,scale", |node, sex, age, value| {
        let (state, county) = PATHS[node];
        format!("{state},{county},{sex},{age},{value},laplace,10")
    });
    // Columns cannot say that a state has no counties, but they can say that it has one.
    let port = |text: &str| text.replace("port,land,", "harbour,haven,") + "haven,land,*,,,,\n";
    let (nested, own) = (nested.replace("port,,", "port,harbour,"), port(&at_places()));
    for (fit, integer) in [(Fit::TopDown, true), (Fit::Shrunk, false)] {
        let options = || Options { integer, fit: Some(fit), ..without_errors() };
        let by_columns = bench.run(&nested, "nested = { county = \"state\" }", options()).expect("nested");
        let by_nodes = bench.run(&own, "", options()).expect("nodes");
        assert_eq!(by_nodes.manifest.solver.method, by_columns.manifest.solver.method);
        let (one, other) = (estimates(&by_nodes), estimates(&by_columns));
        for (node, by_columns) in [
            ("land", "*, *"),
            ("north", "north, *"),
            ("a", "north, a"),
            ("port", "south, port"),
            ("harbour", "port, harbour"),
        ] {
            for cell in ["*, *", "f, *", "*, 65", "m, 20"] {
                let pair = (one[&format!("{node}, {cell}")], other[&format!("{by_columns}, {cell}")]);
                assert!((pair.0 - pair.1).abs() < 1e-9, "{node}, {cell}: {pair:?}");
            }
        }
    }
}

#[test]
fn uneven_trees_add_up_to_the_last_unit() {
    let mut bench = Bench::new();
    let options = || Options { integer: true, replicates: 40, ..Options::default() };
    let reconciled = bench.run(&at_places(), "", options()).expect("an uneven tree");
    assert_eq!(reconciled.manifest.solver.method.word(), "table-tree-top-down-least-squares-rounded");
    assert_eq!(reconciled.manifest.input.leaves, 6 * 6, "six places in which no other lies, six cells each");
    let table = reconciled.manifest.constraints.table.as_ref().expect("tables");
    assert_eq!((table.places, table.margins), (3, 12));
    assert_eq!(table.attributes(), "sex (2 values) and age (3 values) at 9 places in 3 levels");
    let numbers = estimates(&reconciled);
    let at = |place: &str, cell: &str| numbers[&format!("{place}, {cell}")];
    for cell in ["*, *", "f, *", "*, 0", "m, 65"] {
        let parts = |places: &[&str]| places.iter().map(|place| at(place, cell)).sum::<f64>();
        assert_eq!(at("land", cell), parts(&["north", "south", "land / port"]), "{cell}");
        assert_eq!(at("south", cell), parts(&["south / port", "c", "d"]), "{cell}");
    }
    for place in ["land", "north", "land / port", "d"] {
        assert_eq!(at(place, "f, *"), at(place, "f, 0") + at(place, "f, 20") + at(place, "f, 65"));
        assert_eq!(at(place, "*, *"), at(place, "f, *") + at(place, "m, *"));
    }
    assert!(numbers.values().all(|number| *number >= 0.0 && number.fract() == 0.0));
    let levels: Vec<u32> = reconciled.nodes().map(|node| node.level).collect();
    assert!(levels.is_sorted() && levels[0] == 0 && levels.last() == Some(&4));
    // Constraints call a cell by its place and its values.
    let fixed =
        "fixed.\"south / port, m, *\" = 31\n[[equality]]\nterms = { \"a, *, *\" = 1, \"b, *, *\" = -1 }\nequals = 0\n";
    let reconciled = bench.run(&at_places(), fixed, without_errors()).expect("constraints");
    let numbers = estimates(&reconciled);
    assert_eq!(numbers["south / port, m, *"], 31.0);
    assert!((numbers["a, *, *"] - numbers["b, *, *"]).abs() < 1e-6);
}

#[test]
fn what_is_written_can_be_read_again_and_names_each_level() {
    let mut bench = Bench::new();
    let first = bench.run(&at_places(), "", without_errors()).expect("tables");
    let lines = |file: &str| -> Vec<String> {
        fs::read_to_string(first.folder.join(file)).expect("a file").lines().map(str::to_owned).collect()
    };
    let written = lines("estimates.csv");
    assert!(written[0].starts_with("place_1,place_2,place_3,sex,age,node,level,estimate,"), "{}", written[0]);
    assert!(written.iter().any(|line| line.starts_with("land,south,south / port,m,20,\"south / port, m, 20\",4,")));
    assert!(written.iter().any(|line| line.starts_with("land,land / port,,f,,\"land / port, f, *\",2,")));
    assert!(lines("measurements.csv")[0].starts_with("node,parent,sex,age,value,"));
    assert_eq!(lines("measurements.csv").len(), 1 + TREE.len() * 12);
    for file in ["measurements.csv", "measurements.parquet"] {
        let out = bench.folder.path().join(format!("again-{file}"));
        let again = reconcile(&first.folder.join(file), &without_errors(), &out, &Silent);
        assert_eq!(estimates(&again.expect("the same")), estimates(&first), "{file}");
    }
}

#[test]
fn cells_without_rows_follow_and_forests_have_no_total() {
    let mut bench = Bench::new();
    let text = "node,parent,sex,value,variance\nx,,f,4,1\nx,,m,5,1\ny,,f,1,1\ny,,m,2,1\nz,y,f,1,1\nz,y,m,2,1\n";
    let reconciled = bench.run(text, "", without_errors()).expect("two roots");
    let numbers = estimates(&reconciled);
    assert_eq!(
        numbers.keys().map(String::as_str).collect::<Vec<_>>(),
        ["x, *", "x, f", "x, m", "y, *", "y, f", "y, m", "z, *", "z, f", "z, m"]
    );
    assert!((numbers["x, *"] - 9.0).abs() < 1e-9 && (numbers["y, *"] - 3.0).abs() < 1e-9, "{numbers:?}");
    // One column for each value of the attribute.
    let wide = "node,parent,f,m,variance\nx,,4,5,1\ny,,1,2,1\nz,y,1,2,1\n";
    let columns =
        WideColumns { attribute: "sex".to_owned(), values: vec!["f".to_owned(), "m".to_owned()], total: None };
    let reconciled = bench.run(wide, "", Options { wide: Some(columns), ..without_errors() }).expect("wide");
    assert_eq!(estimates(&reconciled), numbers);
}

#[test]
fn mistakes_in_tables_at_nodes_are_named() {
    let mut bench = Bench::new();
    let mut refused = |text: &str, part: &str| {
        let error = bench.run(text, "", without_errors()).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("node,parent,name,value,variance\n1,,Land,5,1\n2,1,North,5,1\n", "one value of the column `name`");
    refused("node,parent,sex,value,variance,lowr\n1,,f,5,1,\n", "did you mean `lower`?");
    refused("parent,sex,value,variance\n,f,5,1\n", "no column `node`");
    refused("node,parent,sex,value,variance\n,,f,5,1\n", "line 2: a row must name its node");
    refused("node,parent,sex,value,variance\na,b,f,5,1\na,b,m,5,1\n", "node `a` is an orphan");
    refused("node,parent,sex,value,variance\na,b,f,5,1\na,b,m,5,1\nb,a,m,5,1\n", "its own ancestor");
    refused("node,parent,place_1,value,variance\na,,f,5,1\na,,m,5,1\n", "`place_1`");
    refused("node,parent,sex,value,variance\na,,f,5,1\na,,m,x,1\n", "line 3: `value` of node `a, m`");
    refused("node,parent,sex,value,variance\na,,f,5,1\na,,m,5,1\nb,a,m,5,1\nc,a,m,5,1\n", "no row has the cell `c, f`");
    let residuals = Options { residuals: true, ..without_errors() };
    let error = bench.run(&at_places(), "", residuals).err().expect("refused").to_string();
    assert!(error.contains("--residuals"), "{error}");
}

/// Children are not married: a combination that no row has is no cell, in any margin.
#[test]
fn combinations_that_cannot_occur_are_no_cells() {
    let mut bench = Bench::new();
    let text = "age,status,sex,value,variance\nchild,single,f,5,1\nadult,single,f,3,1\nadult,married,f,4,1\nchild,single,m,2,1\n\
                adult,single,m,-3,1\nadult,married,m,6,1\nchild,,*,12,1\n";
    assert!(bench.run(text, "", without_errors()).is_err());
    let rule = "possible = [[\"age\", \"status\"]]";
    for (integer, options) in [(false, without_errors()), (true, Options { integer: true, ..without_errors() })] {
        let reconciled = match (integer, bench.run(text, rule, options)) {
            (false, reconciled) => reconciled.expect("zeros"),
            (true, Ok(reconciled)) => reconciled,
            (true, Err(error)) => {
                assert!(error.to_string().contains("whole numbers cannot be guaranteed"), "{error}");
                continue;
            }
        };
        let numbers = estimates(&reconciled);
        assert!(numbers.keys().all(|name| !name.starts_with("child, married")), "{numbers:?}");
        assert_eq!(numbers.len(), 3 * 3 + 2 * 3 + 2 * 3 + 3);
        let children = numbers["child, single, *"];
        assert!((children - numbers["child, *, *"]).abs() < 1e-9 && children > 7.0);
        let total = numbers["*, *, f"] + numbers["*, *, m"];
        assert!((numbers["*, *, *"] - total).abs() < 1e-6 && numbers["adult, single, m"] >= 0.0);
    }
    let error =
        bench.run(text, "possible = [[\"age\", \"state\"]]", without_errors()).err().expect("unknown").to_string();
    assert!(
        error.contains("the table has no attribute `state`") && error.contains("did you mean `status`?"),
        "{error}"
    );
    let error = bench.run(text, "possible = [[\"age\"]]", without_errors()).err().expect("one").to_string();
    assert!(error.contains("at least two attributes"), "{error}");
}

/// A county whose ages were not measured: its state's ages are no sums of counties, and are kept as they were measured.
#[test]
fn margins_that_a_place_lacks_are_no_sums_above_it() {
    let mut bench = Bench::new();
    let text = "node,parent,age,value,variance\nland,,,95,4\nland,,x,50,1\nland,,y,44,1\na,land,,60,1\na,land,x,40,1\na,land,y,21,1\n\
                b,land,,33,1\n";
    let reconciled = bench.run(text, "", without_errors()).expect("a margin at two of three places");
    let numbers = estimates(&reconciled);
    let expected = ["a, *", "a, x", "a, y", "b, *", "land, *", "land, x", "land, y"];
    assert_eq!(numbers.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    let number = |name: &str| numbers[name];
    assert!((number("land, *") - number("a, *") - number("b, *")).abs() < 1e-9);
    assert!((number("land, *") - number("land, x") - number("land, y")).abs() < 1e-9);
    assert!((number("a, *") - number("a, x") - number("a, y")).abs() < 1e-9);
    assert!((number("land, x") - number("land, y") - 6.0).abs() < 1e-9 && number("land, x") > 47.0, "{numbers:?}");
}
