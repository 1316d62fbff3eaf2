//! Tables and their margins: files of attributes instead of nodes.

use std::{collections::BTreeMap, fmt::Write, fs};

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_reconcile::{Fit, Options, ReconcileError, Reconciled, WideColumns};

use super::{Bench, without_errors};

/// Estimates by name.
fn estimates(reconciled: &Reconciled) -> BTreeMap<String, f64> {
    reconciled.nodes().map(|node| (node.name.to_owned(), node.estimate)).collect()
}

fn laplace(entropy: &mut SeededEntropy, scale: f64) -> f64 {
    let uniform = (entropy.word() as f64 + 0.5) / 2f64.powi(64) - 0.5;
    -scale * uniform.signum() * (1.0 - 2.0 * uniform.abs()).ln()
}

/// A sparse table of three by four, whose large cells are few.
const TRUTH: [[f64; 4]; 3] = [[60.0, 9.0, 0.0, 0.0], [0.0, 31.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0]];

/// A value for each attribute that is not summed over, and the truth, of total, margins and cells.
fn cells() -> Vec<(String, String, f64)> {
    let row = |i: usize| TRUTH[i].iter().sum::<f64>();
    let column = |j: usize| TRUTH.iter().map(|row| row[j]).sum::<f64>();
    let mut cells = vec![(String::new(), String::new(), (0..3).map(row).sum())];
    cells.extend((0..3).map(|i| (format!("r{i}"), String::new(), row(i))));
    cells.extend((0..4).map(|j| (String::new(), format!("c{j}"), column(j))));
    cells.extend((0..12).map(|cell| (format!("r{}", cell / 4), format!("c{}", cell % 4), TRUTH[cell / 4][cell % 4])));
    cells
}

/// Noisy measurements with Laplace noise, which state `stated` times its scale.
fn measurements(entropy: &mut SeededEntropy, scale: f64, stated: f64) -> String {
    let mut text = "row,column,value,law,scale\n".to_owned();
    for (row, column, truth) in cells() {
        let value = truth + laplace(entropy, scale);
        writeln!(text, "{row},{column},{value},laplace,{}", stated * scale).expect("text");
    }
    text
}

fn name(row: &str, column: &str) -> String {
    let part = |value: &str| if value.is_empty() { "*".to_owned() } else { value.to_owned() };
    format!("{}, {}", part(row), part(column))
}

#[test]
fn margins_add_up_and_nothing_is_negative() {
    let mut bench = Bench::new();
    let text = measurements(&mut SeededEntropy::from_seed(3), 6.0, 1.0);
    let methods = [
        (Fit::TopDown, false, "table-top-down-least-squares-in-bounds"),
        (Fit::TopDown, true, "table-top-down-least-squares-rounded"),
        (Fit::Shrunk, false, "table-top-down-empirical-bayes-in-bounds"),
        (Fit::Shrunk, true, "table-top-down-empirical-bayes-rounded"),
    ];
    for (fit, integer, method) in methods {
        let options = Options { integer, fit: Some(fit), ..without_errors() };
        let reconciled = bench.run(&text, "", options).expect("a table");
        assert_eq!(
            (reconciled.manifest.solver.method.word(), reconciled.manifest.solver.status.word()),
            (method, "optimal")
        );
        let numbers = estimates(&reconciled);
        let tolerance = if integer { 0.0 } else { 1e-10 };
        assert!(numbers.values().all(|x| *x >= 0.0 && (!integer || x.fract() == 0.0)), "{numbers:?}");
        for i in 0..3 {
            let sum: f64 = (0..4).map(|j| numbers[&format!("r{i}, c{j}")]).sum();
            assert!((sum - numbers[&format!("r{i}, *")]).abs() <= tolerance);
        }
        let total: f64 = (0..4).map(|j| numbers[&format!("*, c{j}")]).sum();
        assert!((total - numbers["*, *"]).abs() <= tolerance);
        let levels: Vec<u32> = reconciled.nodes().map(|node| node.level).collect();
        assert!(levels.is_sorted() && levels[0] == 0 && levels[19] == 2);
        let table = reconciled.manifest.constraints.table.as_ref().expect("a table");
        assert_eq!(
            (&table.attributes[..], &table.values[..], table.margins),
            (&["row".to_owned(), "column".to_owned()][..], &[3, 4][..], 4)
        );
    }
}

/// The fit from the total down leaves the total where the linear fit puts it; the joint one moves it by what it cuts
/// off.
#[test]
fn what_zero_cuts_off_in_cells_moves_the_total_in_the_joint_fit_alone() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(5);
    let (mut down, mut joint) = (0.0, 0.0);
    for _ in 0..60 {
        let text = measurements(&mut entropy, 6.0, 1.0);
        let mut total = |rules: &str, fit| {
            let reconciled = bench.run(&text, rules, Options { fit, ..without_errors() }).expect("a table");
            (estimates(&reconciled)["*, *"], reconciled.manifest.solver.method.word().to_owned())
        };
        let (linear, method) = total("nonnegative = false", None);
        assert_eq!(method, "table-least-squares");
        down += total("", None).0 - linear;
        joint += total("", Some(Fit::Joint)).0 - linear;
    }
    let total = 103.0;
    assert!(down.abs() / 60.0 < 1e-9 * total, "{down}");
    assert!(joint / 60.0 > 2.0, "{joint}");
}

/// With one variance a margin the closed form is the fit of the rows, which a bound that never binds asks for.
#[test]
fn the_closed_form_is_the_fit_of_the_rows() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(8);
    for _ in 0..10 {
        let text = measurements(&mut entropy, 6.0, 1.0);
        let closed = bench.run(&text, "nonnegative = false", without_errors()).expect("a table");
        let idle = "nonnegative = false\n[[equality]]\nterms = { \"*, *\" = 1, \"r0, *\" = -1, \"r1, *\" = -1, \"r2, *\" = -1 }\nequals = 0";
        let rows = bench.run(&text, idle, without_errors()).expect("a system");
        assert_eq!(rows.manifest.solver.method.word(), "linear-least-squares");
        for (one, other) in closed.nodes().zip(rows.nodes()) {
            assert!((one.estimate - other.estimate).abs() < 1e-9, "{}: {} {}", one.name, one.estimate, other.estimate);
            let (one, other) = (one.error.expect("linear").rmse, other.error.expect("linear").rmse);
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
    }
}

#[test]
fn cells_that_nobody_measured_follow_and_others_count_by_their_variance() {
    let mut bench = Bench::new();
    // One cell is missing, one was measured better than the others of its margin; the total was not measured.
    let text = "sex,age,value,variance\n*,young,30,4\n*,old,20,4\nmen,young,17,4\nmen,old,9,1\nwomen,young,12,4\n";
    let reconciled = bench.run(text, "", without_errors()).expect("a table");
    let numbers = estimates(&reconciled);
    assert_eq!(numbers.len(), 9);
    assert!((numbers["men, old"] + numbers["women, old"] - numbers["*, old"]).abs() < 1e-9);
    assert!((numbers["women, old"] - 11.0).abs() < 1e-9, "20 - 9: {numbers:?}");
    assert!((numbers["*, young"] - 29.0 - 2.0 / 3.0).abs() < 1e-9, "{numbers:?}");
    let options = Options { fit: Some(Fit::Shrunk), ..without_errors() };
    let shrunk = estimates(&bench.run(text, "", options).expect("a table"));
    assert!((shrunk["*, *"] - numbers["*, *"]).abs() < 1e-9 && shrunk["women, old"] > 0.0, "{shrunk:?}");
    assert!((shrunk["men, old"] + shrunk["women, old"] - shrunk["*, old"]).abs() < 1e-9, "{shrunk:?}");
    let alone = bench.run("sex,age,value,variance\n*,young,30,4\nmen,old,9,1\nwomen,old,7,1\n", "", without_errors());
    let error = alone.err().expect("nothing says the others").to_string();
    let expected = "no row has the cell `women, young`, and no sum determines it: add its row, with `fixed` if its number is known; if some \
                    combinations cannot occur";
    assert!(error.contains(expected), "{error}");
}

/// Regions in states, crossed with purposes: the remedy that is named is the one that works.
#[test]
fn regions_of_other_states_are_said_to_be_no_cells() {
    let mut bench = Bench::new();
    let text = "state,region,purpose,value,variance\nN,n1,bus,5,1\nN,n2,bus,4,1\nS,s1,bus,9,1\nN,n1,fun,7,1\nN,n2,fun,2,1\nS,s1,fun,8,1\n";
    let error =
        bench.run(text, "", without_errors()).err().expect("regions of the other state have no row").to_string();
    let remedy = "nested = { region = \"state\" }";
    let expected = "no row has the cell `N, s1, bus`, and no sum determines it: add its row, with `fixed` if its number is known; each `region` of \
                    the file stands with one `state`: if it cannot be in another, write";
    assert!(error.contains(expected) && error.contains(remedy) && !error.contains("line"), "{error}");
    let numbers = estimates(&bench.run(text, remedy, without_errors()).expect("it works"));
    assert!((numbers["N, *, *"] - 18.0).abs() < 1e-9 && (numbers["S, s1, bus"] - 9.0).abs() < 1e-9, "{numbers:?}");
}

#[test]
fn exact_margins_are_kept_and_bounds_of_cells_hold() {
    let mut bench = Bench::new();
    let mut text = measurements(&mut SeededEntropy::from_seed(11), 6.0, 1.0);
    text = text.replace("row,column,value,law,scale", "row,column,value,law,scale,fixed");
    let lines = text.lines().enumerate().map(|(index, line)| match index {
        0 => line.to_owned(),
        1 => ",,103,,,true".to_owned(),
        _ => format!("{line},"),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let reconciled = bench.run(&text, "", Options { integer: true, ..without_errors() }).expect("a table");
    assert_eq!(estimates(&reconciled)["*, *"], 103.0);
    assert_eq!(reconciled.manifest.solver.method.word(), "table-top-down-least-squares-rounded");
    let rules = "[bounds]\n\"r0, c0\" = { upper = 40 }";
    let reconciled = bench.run(&text, rules, without_errors()).expect("a system");
    assert_eq!(reconciled.manifest.solver.method.word(), "linear-least-squares-in-bounds");
    assert!(estimates(&reconciled)["r0, c0"] <= 40.0);
    let impossible = bench.run(&text, "[fixed]\n\"r0, *\" = 104", without_errors()).err().expect("more than the total");
    assert!(matches!(&impossible, ReconcileError::Infeasible { .. }), "{impossible}");
}

#[test]
fn the_written_measurements_are_measurements_again_in_any_format() {
    let mut bench = Bench::new();
    let text = measurements(&mut SeededEntropy::from_seed(13), 6.0, 1.0);
    let first = bench.run(&text, "", without_errors()).expect("a table");
    let header =
        |file: &str| fs::read_to_string(first.folder.join(file)).expect("a file").lines().next().map(str::to_owned);
    assert_eq!(header("estimates.csv").as_deref().map(|line| &line[..27]), Some("row,column,node,level,estim"));
    for file in ["measurements.csv", "measurements.parquet"] {
        let again = inbounds_reconcile::reconcile(
            &first.folder.join(file),
            &without_errors(),
            &bench.folder.path().join(format!("again-{file}")),
            &inbounds_reconcile::Silent,
        );
        assert_eq!(estimates(&again.expect("the same")), estimates(&first), "{file}");
    }
}

#[test]
fn what_is_no_table_is_refused_with_its_place() {
    let mut bench = Bench::new();
    let mut refused = |text: &str, part: &str| {
        let error = bench.run(text, "", without_errors()).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("sex,value,varianc\nmen,1,1\n", "is `varianc` meant as `variance`?");
    refused("sex,valeu,variance\nmen,1,1\n", "is `valeu` meant as `value`?");
    refused("sex,value,law,scal\nmen,1,laplace,1\n", "is `scal` meant as `scale`?");
    refused("sex,parent,value,variance\nmen,,1,1\n", "no column `node`");
    refused("sex,sex,value,variance\nmen,men,1,1\n", "occurs twice");
    refused("sex,variance\nmen,1\n", "no column `value`");
    refused("level,attribute_level,value,variance\nmen,a,1,1\n", "rename it");
    refused("a,b,value,variance\n\"x, y\",z,1,1\nx,\"y, z\",1,1\n", "two cells of the table have one name, `x, y, z`");
    refused("sex,value,variance\nmen,1,1\nwomen,many,1\n", "line 3: `value` of node `women`");
}

/// Coverage is at least 0.95 in expectation; more than 24 misses of 200 have probability 3e-5, so the 20 numbers raise
/// a false alarm once in 1,600 seeds, and the fits share their noise. Scales stated at half their size are noticed.
#[test]
fn intervals_of_a_table_cover() {
    let covered = |stated: f64, integer: bool, fit: Fit| -> f64 {
        let mut bench = Bench::new();
        let mut entropy = SeededEntropy::from_seed(29);
        let truth: BTreeMap<String, f64> =
            cells().into_iter().map(|(row, column, x)| (name(&row, &column), x)).collect();
        let mut hits: BTreeMap<String, u32> = BTreeMap::new();
        for run in 0..200 {
            let text = measurements(&mut entropy, 6.0, stated);
            let options = Options { replicates: 39, seed: run, integer, fit: Some(fit), ..Options::default() };
            let reconciled = bench.run(&text, "", options).expect("a table");
            for node in reconciled.nodes() {
                let (lower, upper) = node.interval.expect("replicates");
                *hits.entry(node.name.to_owned()).or_default() +=
                    u32::from((lower..=upper).contains(&truth[node.name]));
            }
        }
        f64::from(hits.into_values().min().expect("numbers")) / 200.0
    };
    for (integer, fit) in
        [(false, Fit::TopDown), (true, Fit::TopDown), (false, Fit::Joint), (false, Fit::Shrunk), (true, Fit::Shrunk)]
    {
        let right = covered(1.0, integer, fit);
        assert!((0.88..1.0).contains(&right), "{integer} {fit:?}: {right}");
    }
    let wrong = covered(0.5, false, Fit::TopDown);
    assert!(wrong < 0.88, "{wrong}");
}

/// The same measurements with a column for each value of an attribute.
fn wide(long: &str, scale: f64) -> String {
    let value = |row: &str, column: &str| {
        let line = long.lines().find(|line| line.starts_with(&format!("{row},{column},"))).expect("a line");
        line.split(',').nth(2).expect("a value").to_owned()
    };
    let mut text = "c1,row,c0,all,scale,law,c2,c3\n".to_owned();
    for row in ["r1", "", "r0", "r2"] {
        let [c0, c1, c2, c3, all] = ["c0", "c1", "c2", "c3", ""].map(|column| value(row, column));
        writeln!(text, "{c1},{row},{c0},{all},{scale},laplace,{c2},{c3}").expect("text");
    }
    text
}

fn columns(values: &[&str], total: Option<&str>) -> Option<WideColumns> {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Some(WideColumns { attribute: "column".to_owned(), values, total: total.map(str::to_owned) })
}

/// One column a value of an attribute is the same table as one row a cell.
#[test]
fn a_wide_table_is_the_long_one() {
    let mut bench = Bench::new();
    let long = measurements(&mut SeededEntropy::from_seed(11), 6.0, 1.0);
    let asked = Options { wide: columns(&["c0", "c1", "c2", "c3"], Some("all")), ..without_errors() };
    let expected = estimates(&bench.run(&long, "", without_errors()).expect("a table"));
    let reconciled = bench.run(&wide(&long, 6.0), "", asked).expect("a table");
    let reconciled = estimates(&reconciled);
    assert_eq!(reconciled.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, number) in &expected {
        assert!((reconciled[name] - number).abs() < 1e-9, "{name}: {} {number}", reconciled[name]);
    }
    // Without the sums, and with a cell that was not measured.
    let text = wide(&long, 6.0);
    let hole = text.lines().enumerate().map(|(place, line)| match place {
        1 => line.split_once(',').map_or_else(String::new, |(_, rest)| format!(",{rest}\n")),
        _ => format!("{line}\n"),
    });
    let less: String =
        long.lines().filter(|line| !line.starts_with("r1,c1,")).map(|line| format!("{line}\n")).collect();
    let asked = Options { wide: columns(&["c0", "c1", "c2", "c3"], Some("all")), ..without_errors() };
    let reconciled = estimates(&bench.run(&hole.collect::<String>(), "", asked).expect("a table"));
    for (name, number) in &estimates(&bench.run(&less, "", without_errors()).expect("a table")) {
        assert!((reconciled[name] - number).abs() < 1e-9, "{name}: {} {number}", reconciled[name]);
    }
}

#[test]
fn mistakes_in_wide_tables_are_named() {
    let mut bench = Bench::new();
    let text = wide(&measurements(&mut SeededEntropy::from_seed(12), 6.0, 1.0), 6.0);
    let mut said = |text: &str, wide: Option<WideColumns>| {
        let error = bench.run(text, "", Options { wide, ..without_errors() }).err().expect("refused");
        error.to_string()
    };
    let missing = said(&text, columns(&["c0", "c1", "c2", "c4"], Some("all")));
    assert!(missing.contains("there is no column `c4`"), "{missing}");
    let unnamed = said(&text, None);
    assert!(unnamed.contains("there is no column `value`. A table with one column for each value"), "{unnamed}");
    let twice = said(&text.replacen("row", "c0", 1), columns(&["c0", "c1", "c2", "c3"], Some("all")));
    assert!(twice.contains("the column `c0` occurs twice"), "{twice}");
    let beside = said(&text.replacen("row", "value", 1), columns(&["c0", "c1", "c2", "c3"], Some("all")));
    assert!(
        beside.contains("the column `value` cannot stand beside one column for each value of `column`"),
        "{beside}"
    );
    let own = said(&text.replacen("row", "column", 1), columns(&["c0", "c1", "c2", "c3"], Some("all")));
    assert!(own.contains("the attribute `column` has a column of its own too"), "{own}");
    let word = said(&text.replacen("\n", "\nx", 1), columns(&["c0", "c1", "c2", "c3"], Some("all")));
    assert!(word.contains("line 2: `value` of node `r1, c1`"), "{word}");
}
