//! Files as people have them: labels of totals, negative numbers, names that occur twice, parts without a measurement
//! worth the name.

use std::{collections::BTreeMap, fmt::Write};

use inbounds_bundle::Notice;
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_reconcile::{Fit, Options, Reconciled, TotalLabels, WideColumns, reconcile};

use super::{Bench, without_errors};

fn estimates(reconciled: &Reconciled) -> BTreeMap<String, f64> {
    reconciled.nodes().map(|node| (node.name.to_owned(), node.estimate)).collect()
}

fn unit(entropy: &mut SeededEntropy) -> f64 {
    (entropy.word() as f64 + 0.5) / 2f64.powi(64)
}

fn laplace(entropy: &mut SeededEntropy, scale: f64) -> f64 {
    let uniform = unit(entropy) - 0.5;
    -scale * uniform.signum() * (1.0 - 2.0 * uniform.abs()).ln()
}

const TOTALS: &str = "region,sex,value,law,scale\nTotal,Total,300,laplace,4\nTotal,M,145,laplace,4\nTotal,F,152,laplace,4\n\
    North,Total,201,laplace,4\nSouth,Total,97,laplace,4\nNorth,M,96,laplace,4\nNorth,F,103,laplace,4\nSouth,M,52,laplace,4\n\
    South,F,44,laplace,4\n";

fn labels(named: &[&str], usual: bool) -> TotalLabels {
    TotalLabels { named: named.iter().map(|label| (*label).to_owned()).collect(), usual }
}

#[test]
fn labels_of_totals_are_margins_in_any_language_and_are_said() {
    let mut bench = Bench::new();
    let expected = estimates(&bench.run(&TOTALS.replace("Total", "*"), "", without_errors()).expect("a table"));
    assert!((expected["*, *"] - 298.0 - 1.0 / 3.0).abs() < 1e-9, "{expected:?}");
    for label in ["Total", "TOTAL", "Gesamt", "Ensemble", "i alt", "合計", " Razem "] {
        let reconciled = bench.run(&TOTALS.replace("Total", label), "", without_errors()).expect("a table");
        assert_eq!(estimates(&reconciled), expected, "{label}");
        let notices = &reconciled.manifest.notices;
        assert!(matches!(&notices[..], [Notice::TotalLabels { labels }] if labels.len() == 2), "{label}: {notices:?}");
        assert_eq!(reconciled.manifest.constraints.table.as_ref().expect("a table").totals.len(), 2);
    }
    // Named by the caller, and declined.
    let text = TOTALS.replace("Total", "Everybody");
    let options = Options { totals: labels(&["everybody"], false), ..without_errors() };
    assert_eq!(estimates(&bench.run(&text, "", options).expect("a table")), expected);
    let options = Options { totals: labels(&[], false), ..without_errors() };
    assert_eq!(bench.run(TOTALS, "", options).expect("a table").nodes().len(), 16);
    let options = Options { totals: labels(&["Evrybody"], true), ..without_errors() };
    let error = bench.run(&text, "", options).err().expect("no such label").to_string();
    assert!(error.contains("no attribute has the value `Evrybody`") && error.contains("`Everybody`"), "{error}");
    let options = Options { totals: labels(&["r"], true), ..without_errors() };
    let error = bench.run("node,parent,value,variance\nr,,1,1\n", "", options).err().expect("a tree").to_string();
    assert!(error.contains("nodes by name"), "{error}");
    // In constraints a cell may be called by the label.
    let reconciled = bench.run(TOTALS, "[fixed]\n\"Total, M\" = 150", without_errors()).expect("a table");
    assert_eq!(estimates(&reconciled)["*, M"], 150.0);
}

#[test]
fn labels_of_totals_are_margins_in_wide_tables() {
    let mut bench = Bench::new();
    let text = "region,M,F,Total,law,scale\nTotal,145,152,300,laplace,4\nNorth,96,103,201,laplace,4\nSouth,52,44,97,laplace,4\n";
    let expected = estimates(&bench.run(&TOTALS.replace("Total", "*"), "", without_errors()).expect("a table"));
    let wide = |values: &[&str], total: Option<&str>| {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Some(WideColumns { attribute: "sex".to_owned(), values, total: total.map(str::to_owned) })
    };
    for wide in [wide(&["M", "F", "Total"], None), wide(&["M", "F"], Some("Total"))] {
        let reconciled = estimates(&bench.run(text, "", Options { wide, ..without_errors() }).expect("a table"));
        for (name, number) in &expected {
            assert!((reconciled[name] - number).abs() < 1e-9, "{name}: {} {number}", reconciled[name]);
        }
    }
    let error = bench.run(text, "", Options { wide: wide(&["M", "F"], None), ..without_errors() });
    let error = error.err().expect("a total without a name").to_string();
    assert!(error.contains("write --wide-total Total") && error.contains("--no-totals"), "{error}");
}

/// A table of three to six values by three others, every value spread evenly and measured with noise of variance 4;
/// `total` adds their sum as one more value.
fn spread(entropy: &mut SeededEntropy, total: bool) -> String {
    let mut text = "kind,place,value,variance\n".to_owned();
    let kinds = 3 + (unit(entropy) * 4.0) as usize;
    for place in 0..3 {
        let truth: Vec<f64> = (0..kinds).map(|_| 200.0 * unit(entropy)).collect();
        let sum = total.then(|| ("sum of them", truth.iter().sum::<f64>()));
        let names = ["a", "b", "c", "d", "e", "f"];
        for (name, value) in names.into_iter().zip(truth.iter().copied()).chain(sum) {
            let normal = (-2.0 * unit(entropy).ln()).sqrt() * (std::f64::consts::TAU * unit(entropy)).cos();
            writeln!(text, "{name},p{place},{},4", value + 2.0 * normal).expect("text");
        }
    }
    text
}

/// The rate is 1 % for values that are spread evenly up to twice the sum of the others, and those here are less often
/// near the sum. More than 8 of 300 have probability 0.004 at 1 %.
#[test]
fn a_value_that_is_the_sum_of_the_others_is_noticed_whatever_it_is_called() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(31);
    let mut noticed = |total: bool| {
        let text = spread(&mut entropy, total);
        let reconciled = bench.run(&text, "", without_errors()).expect("a table");
        let of_sum =
            |notice: &Notice| matches!(notice, Notice::EqualsSum { value, .. } if (value == "sum of them") == total);
        reconciled.manifest.notices.iter().any(of_sum)
    };
    let (right, wrong) = ((0..100).filter(|_| noticed(true)).count(), (0..300).filter(|_| noticed(false)).count());
    assert!(right >= 97 && wrong <= 8, "{right} {wrong}");
    // Measured sums say that men are a part, however nearly they are half.
    let halves = "sex,place,value,variance\nM,p,5000,4\nF,p,4990,4\nX,p,9,4\n,p,10000,4\nM,q,700,4\nF,q,699,4\nX,q,0,4\n,q,1400,4\n";
    let reconciled = bench.run(halves, "", without_errors()).expect("a table");
    assert!(reconciled.manifest.notices.is_empty(), "{:?}", reconciled.manifest.notices);
    let reconciled = bench.run(&TOTALS.replace("Total", "Everybody"), "", without_errors()).expect("a table");
    assert_eq!(reconciled.manifest.notices.iter().filter(|notice| notice.comes_first()).count(), 2);
    assert!(reconciled.manifest.notices[0].sentence().contains("write `--total \"Everybody\"`"));
}

const BALANCE: &str = "node,parent,value,law,scale\nCountry,,-120,laplace,3\nNorth,Country,-200,laplace,3\nSouth,Country,75,laplace,3\n\
    N1,North,-150,laplace,3\nN2,North,-45,laplace,3\nS1,South,90,laplace,3\nS2,South,-20,laplace,3\n";

#[test]
fn numbers_far_below_zero_are_said_first_with_the_remedy() {
    let mut bench = Bench::new();
    for fit in [None, Some(Fit::TopDown), Some(Fit::Joint), Some(Fit::Shrunk)] {
        let reconciled = bench.run(BALANCE, "", Options { fit, ..Options::default() }).expect("a tree");
        let Some(Notice::BelowZero { numbers: 4, node, .. }) = reconciled.manifest.notices.first() else {
            panic!("{:?}", reconciled.manifest.notices)
        };
        assert_eq!(node, "North");
        assert!(reconciled.manifest.notices[0].sentence().contains("`nonnegative = false`"));
        let said = reconciled.manifest.warnings.concat();
        assert!(fit == Some(Fit::Joint) || !said.contains("--fit joint"), "{fit:?}: {said}");
    }
    let reconciled = bench.run(BALANCE, "nonnegative = false", without_errors()).expect("a tree");
    assert!(reconciled.manifest.notices.is_empty(), "{:?}", reconciled.manifest.notices);
    let expected = [
        ("Country", -122.143),
        ("North", -196.905),
        ("South", 74.762),
        ("N1", -150.952),
        ("N2", -45.952),
        ("S1", 92.381),
        ("S2", -17.619),
    ];
    for (node, value) in expected {
        assert!((estimates(&reconciled)[node] - value).abs() < 1e-3, "{node}");
    }
    // In a table as well, and in the sum of many that are each a little below zero.
    let table = "kind,place,value,variance\na,p,-30,4\nb,p,20,4\na,q,1,4\nb,q,2,4\n";
    let reconciled = bench.run(table, "", without_errors()).expect("a table");
    assert!(
        matches!(reconciled.manifest.notices[..], [Notice::BelowZero { .. }, ..]),
        "{:?}",
        reconciled.manifest.notices
    );
    let leaves: String = (0..400).map(|leaf| format!("{leaf},all,-1.5,1\n")).collect();
    let reconciled =
        bench.run(&format!("node,parent,value,variance\nall,,,\n{leaves}"), "", without_errors()).expect("a tree");
    let notices = &reconciled.manifest.notices;
    assert!(matches!(&notices[..], [Notice::BelowZero { numbers: 1, node, .. }, ..] if node == "all"), "{notices:?}");
}

/// The rate is at most one in 1,000, and Chernoff bounds keep it lower; two of 400 have probability 0.06 at that rate.
#[test]
fn zeros_with_noise_are_not_said_to_be_negative() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(37);
    let mut noticed = 0;
    for _ in 0..400 {
        let mut text = "node,parent,value,law,scale\n".to_owned();
        writeln!(text, "all,,{},laplace,3", laplace(&mut entropy, 3.0)).expect("text");
        for leaf in 0..30 {
            writeln!(text, "{leaf},all,{},laplace,3", laplace(&mut entropy, 3.0)).expect("text");
        }
        let reconciled = bench.run(&text, "", without_errors()).expect("a tree");
        noticed +=
            u32::from(reconciled.manifest.notices.iter().any(|notice| matches!(notice, Notice::BelowZero { .. })));
    }
    assert!(noticed <= 2, "{noticed}");
}

#[test]
fn any_name_is_the_name_of_an_attribute() {
    let mut bench = Bench::new();
    for name in
        ["state", "scales", "nodes", "loc", "values", "lowers", "level", "measurement", "estimate", "ward", "variant"]
    {
        let text = format!("{name},sex,value,variance\nTX,f,12,1\nTX,m,9,1\nNM,f,4,1\nNM,m,6,1\n,,30,1\n");
        let reconciled = bench.run(&text, "", without_errors()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let table = reconciled.manifest.constraints.table.as_ref().expect("a table");
        assert_eq!((&table.attributes[..], &table.values[..]), (&[name.to_owned(), "sex".to_owned()][..], &[2, 2][..]));
        assert!((estimates(&reconciled)["*, *"] - 30.2).abs() < 1e-9, "{name}");
        let again = bench.folder.path().join(format!("again-{name}"));
        let written = reconciled.folder.join("measurements.csv");
        let again = reconcile(&written, &without_errors(), &again, &inbounds_reconcile::Silent).expect("the same");
        assert_eq!(estimates(&again), estimates(&reconciled), "{name}");
        let wide =
            WideColumns { attribute: name.to_owned(), values: vec!["TX".to_owned(), "NM".to_owned()], total: None };
        let text = "sex,TX,NM,variance\nf,12,4,1\nm,9,6,1\n";
        bench
            .run(text, "", Options { wide: Some(wide), ..without_errors() })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn names_are_unique_within_their_parent() {
    let mut bench = Bench::new();
    let berlin = [
        "Germany,,1000",
        "Berlin,Germany,305",
        "Hesse,Germany,690",
        "Berlin,Berlin,301",
        "Kassel,Hesse,340",
        "Fulda,Hesse,355",
    ];
    let text = |rows: &[&str]| {
        let rows: String = rows.iter().map(|row| format!("{row},laplace,4\n")).collect();
        format!("node,parent,value,law,scale\n{rows}")
    };
    let renamed = text(&berlin).replace("\nBerlin,Berlin", "\nthe city,Berlin");
    let expected = estimates(&bench.run(&renamed, "", without_errors()).expect("a tree"));
    let mut back = berlin;
    back.reverse();
    for rows in [berlin, back] {
        let reconciled = bench.run(&text(&rows), "", without_errors()).expect("a tree");
        let numbers = estimates(&reconciled);
        for (name, other) in [
            ("Germany / Berlin", "Berlin"),
            ("Berlin / Berlin", "the city"),
            ("Germany", "Germany"),
            ("Fulda", "Fulda"),
        ] {
            assert!((numbers[name] - expected[other]).abs() < 1e-9, "{name}: {numbers:?}");
        }
        assert!(matches!(&reconciled.manifest.notices[..], [Notice::SameName { nodes }] if nodes.len() == 2));
        let again = bench.folder.path().join(format!("again-{}", numbers.len() + rows[0].len()));
        let written = reconciled.folder.join("measurements.csv");
        let again = reconcile(&written, &without_errors(), &again, &inbounds_reconcile::Silent).expect("the same");
        assert_eq!(estimates(&again), numbers);
    }
    let fixed = bench.run(&text(&berlin), "[fixed]\n\"Germany / Berlin\" = 304", without_errors()).expect("a tree");
    assert_eq!(estimates(&fixed)["Germany / Berlin"], 304.0);
    let error = bench.run(&text(&berlin), "[fixed]\nBerlin = 304", without_errors()).err().expect("two").to_string();
    assert!(error.contains("did you mean `Germany / Berlin`?"), "{error}");
    let wash =
        ["US,,1000", "Ohio,US,305", "Utah,US,690", "Washington,Ohio,301", "Washington,Utah,340", "Kane,Utah,355"];
    let reconciled = estimates(&bench.run(&text(&wash), "", without_errors()).expect("a tree"));
    assert!((reconciled["Utah / Washington"] + reconciled["Kane"] - reconciled["Utah"]).abs() < 1e-9, "{reconciled:?}");
    // A district of which Berlin? Renaming one, as the message says, answers it.
    let deeper = [&berlin[..], &["Mitte,Berlin,100"]].concat();
    let error = bench.run(&text(&deeper), "", without_errors()).err().expect("two parents").to_string();
    assert!(
        error.contains("line 8") && error.contains("`Berlin`, the parent of `Mitte`") && error.contains("rename"),
        "{error}"
    );
    let named =
        text(&deeper).replace("\nBerlin,Berlin", "\nBerlin city,Berlin").replace("Mitte,Berlin", "Mitte,Berlin city");
    bench.run(&named, "", without_errors()).expect("a tree");
}

/// A leaf that was hardly measured is bounded by its parent. Coverage is at least 0.95 in expectation for every truth:
/// more than 28 misses of 300 have probability 0.001 at that rate, for each of the eight numbers.
#[test]
fn a_part_is_not_larger_than_its_sum_and_intervals_still_cover() {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(41);
    let truth = [("all", "", 60.0, 3.0), ("a", "all", 50.0, 200.0), ("b", "all", 7.0, 1.0), ("c", "all", 3.0, 200.0)];
    let bare = [("one", "", 4.0, 3.0), ("p", "one", 4.0, 500.0), ("q", "one", 0.0, 500.0), ("r", "one", 0.0, 2.0)];
    let all = truth.into_iter().chain(bare);
    let mut covered: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut width, runs) = (0.0, 300);
    for seed in 0..runs {
        let mut text = "node,parent,value,law,scale\n".to_owned();
        for (node, parent, truth, scale) in all.clone() {
            let value = truth + laplace(&mut entropy, scale);
            writeln!(text, "{node},{parent},{value},laplace,{scale}").expect("text");
        }
        let reconciled = bench.run(&text, "", Options { replicates: 39, seed, ..Options::default() }).expect("a tree");
        for (name, _, truth, _) in all.clone() {
            let node = reconciled.nodes().find(|node| node.name == name).expect("a node");
            let (lower, upper) = node.interval.expect("replicates");
            *covered.entry(name).or_default() += u32::from((lower..=upper).contains(&truth));
            width += if name == "p" { upper - lower } else { 0.0 };
        }
    }
    assert!(covered.values().all(|hits| *hits >= 300 - 28), "{covered:?}");
    assert!(width / (runs as f64) < 40.0, "{width}");
}

/// Regions in states, crossed with purposes. The estimates are those of the rows written out, and combinations that do
/// not occur are no cells.
#[test]
fn attributes_that_lie_in_others_have_the_cells_that_occur() {
    let mut bench = Bench::new();
    let cells = [
        (",,", 326.0),
        ("N,,", 4.7),
        ("S,,", 325.6),
        ("N,n1,", 2.0),
        ("N,n2,", 0.4),
        ("S,s1,", 162.1),
        ("S,n2,", 163.3),
        (",,bus", 166.0),
        (",,hol", 159.6),
        ("N,,bus", 3.9),
        ("N,,hol", 6.1),
        ("N,n1,bus", 1.1),
        ("N,n1,hol", -0.9),
        ("N,n2,bus", 3.2),
        ("N,n2,hol", -1.5),
        ("S,s1,bus", 81.4),
        ("S,s1,hol", 79.4),
        ("S,n2,bus", 80.3),
        ("S,n2,hol", 80.6),
    ];
    let rows: String = cells.iter().map(|(cell, value)| format!("{cell},{value},9\n")).collect();
    let text = format!("state,region,purpose,value,variance\n{rows}");
    let nested = "nested = { region = \"state\" }\n";
    // From the total down, in whole numbers too, sums hold and no number is negative.
    for (integer, method) in
        [(false, "table-tree-top-down-least-squares-in-bounds"), (true, "table-tree-top-down-least-squares-rounded")]
    {
        let reconciled = bench.run(&text, nested, Options { integer, ..without_errors() }).expect("a table");
        assert_eq!(
            (reconciled.manifest.solver.method.word(), reconciled.manifest.solver.status.word()),
            (method, "optimal")
        );
        let numbers = estimates(&reconciled);
        assert!(numbers.values().all(|value| *value >= 0.0 && (!integer || value.fract() == 0.0)), "{numbers:?}");
        for (sum, parts) in [
            ("*, *, *", ["N, *, *", "S, *, *"]),
            ("S, *, bus", ["S, s1, bus", "S, n2, bus"]),
            ("S, n2, *", ["S, n2, bus", "S, n2, hol"]),
            ("*, *, hol", ["N, *, hol", "S, *, hol"]),
        ] {
            let parts: f64 = parts.iter().map(|part| numbers[*part]).sum();
            assert!((parts - numbers[sum]).abs() < 1e-9, "{sum}: {numbers:?}");
        }
    }
    let joint = || Options { fit: Some(inbounds_reconcile::Fit::Joint), ..without_errors() };
    let reconciled = bench.run(&text, nested, joint()).expect("a table");
    // Two cells of states and purposes follow.
    assert_eq!(reconciled.nodes().len(), cells.len() + 2);
    let numbers = estimates(&reconciled);
    assert!(numbers.values().all(|value| *value >= 0.0));
    let sum = |parts: &[&str]| parts.iter().map(|part| numbers[*part]).sum::<f64>();
    assert!((sum(&["S, s1, bus", "S, n2, bus"]) - numbers["S, *, bus"]).abs() < 1e-9);
    assert!((sum(&["S, n2, bus", "S, n2, hol"]) - numbers["S, n2, *"]).abs() < 1e-9);
    assert!((sum(&["N, *, *", "S, *, *"]) - numbers["*, *, *"]).abs() < 1e-9);
    // Every number from the cells of regions, as rows of a system.
    let mut system = "node,value,variance\n".to_owned();
    let mut rules = String::new();
    let leaves: Vec<&str> =
        cells.iter().map(|(cell, _)| *cell).filter(|cell| cell.split(',').all(|part| !part.is_empty())).collect();
    for (cell, value) in cells {
        writeln!(system, "\"{cell}\",{value},9").expect("text");
        let fits = |leaf: &&&str| {
            cell.split(',').zip(leaf.split(',')).all(|(part, leaf_part)| part.is_empty() || part == leaf_part)
        };
        if !leaves.contains(&cell) {
            let terms: String = leaves.iter().filter(fits).map(|leaf| format!(", \"{leaf}\" = -1")).collect();
            write!(rules, "[[equality]]\nterms = {{ \"{cell}\" = 1{terms} }}\nequals = 0\n").expect("text");
        }
    }
    let rows = estimates(&bench.run(&system, &rules, without_errors()).expect("a system"));
    for (cell, _) in cells {
        let name: Vec<&str> = cell.split(',').map(|part| if part.is_empty() { "*" } else { part }).collect();
        assert!(
            (numbers[&name.join(", ")] - rows[cell]).abs() < 1e-7,
            "{cell}: {} {}",
            numbers[&name.join(", ")],
            rows[cell]
        );
    }
    let mut refused = |text: &str, rules: &str, part: &str| {
        let error = bench.run(text, rules, without_errors()).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&text, "nested = { regoin = \"state\" }", "did you mean `region`?");
    refused(&text, "nested = { region = \"state\", state = \"region\" }", "would lie in itself");
    refused(&text.replace("N,n1,,", ",n1,,"), nested, "gives `region` without `state`");
}
