//! Columns that are made of others, as people use them: people of whom nothing is known, two groupings of one column,
//! standardised rates.

use std::{collections::HashMap, fs};

use crate::workbench::Workbench;

/// A plan over `rows.csv`; the rest follows.
fn plan(epsilon: &str, rest: &str) -> String {
    format!(
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = {epsilon}\n{rest}"
    )
}

impl Workbench {
    /// A folder with this plan, and rows of one column or several under their header.
    fn with_plan(plan: &str, rows: &str) -> Self {
        let bench = Self::new();
        bench.write("plan.toml", plan);
        bench.write("rows.csv", rows);
        bench
    }

    /// The estimates of a release from a seed, by the values of these grouping columns.
    fn estimates_by(&self, seed: &str, by: &[&str]) -> HashMap<String, f64> {
        let _replaced = fs::remove_dir_all(self.path("bundle"));
        self.seeded("plan.toml", "bundle", seed);
        let mut reader = csv::Reader::from_path(self.path("bundle/estimates.csv")).expect("a table");
        let header = reader.headers().expect("a header").clone();
        let place = |name: &str| header.iter().position(|column| column == name).expect("a column");
        let (places, estimate): (Vec<usize>, usize) =
            (by.iter().map(|by| place(&format!("by_{by}"))).collect(), place("estimate"));
        let row = |row: csv::Result<csv::StringRecord>| {
            let row = row.expect("a row");
            let key = places.iter().map(|&place| &row[place]).filter(|value| !value.is_empty()).collect::<Vec<_>>();
            (key.join(" "), row[estimate].parse().expect("a number"))
        };
        reader.records().map(row).collect()
    }
}

fn rows(header: &str, groups: &[(&str, usize)]) -> String {
    let mut text = format!("{header}\n");
    groups.iter().for_each(|(row, number)| text += &format!("{row}\n").repeat(*number));
    text
}

const SEXES: [(&str, usize); 6] = [("1,M", 480), ("2,F", 430), ("3,", 40), ("4,NA", 30), ("5,X", 15), ("6,missing", 5)];

#[test]
fn people_of_whom_nothing_is_known_are_a_group_of_their_own() {
    let rest = r#"
[columns.sex]
type = "text"
missing_values = ["NA"]
values = ["M", "missing"]
labels = { missing = "nothing known" }
[columns.sex3]
from = "sex"
recode = { M = "male", F = "female", missing = "not stated" }
others = "other"
[columns.lost]
from = "sex"
recode = { "'missing'" = "the word", missing = "nothing" }
others = "missing"
[[statistic]]
name = "n"
kind = "count"
by = ["sex3"]
"#;
    let bench = Workbench::with_plan(&plan("100", rest), &rows("id,sex", &SEXES));
    let expected = [("male", 480.0), ("female", 430.0), ("not stated", 70.0), ("other", 20.0)];
    assert_eq!(bench.estimates_by("7", &["sex3"]), expected.map(|(key, n)| (key.to_owned(), n)).into());
    bench.edit("by = [\"sex3\"]", "by = [\"lost\"]");
    assert_eq!(
        bench.estimates_by("7", &["lost"]),
        [("the word", 5.0), ("nothing", 70.0)].map(|(key, n)| (key.to_owned(), n)).into()
    );
    bench.edit("by = [\"lost\"]", "by = [\"sex\"]");
    assert_eq!(
        bench.estimates_by("7", &["sex"]),
        [("M", 480.0), ("missing", 70.0)].map(|(key, n)| (key.to_owned(), n)).into()
    );
    let shown = bench.run(&["release", "plan.toml", "--out", "again", "--seed", "1", "--not-private"]).out;
    assert!(shown.contains("nothing known"), "{shown}");
    // In a key file, and in levels above it.
    bench.write("keys.csv", "sex3,sex\nother,missing\nnot stated,missing\nmale,M\n");
    bench.edit("by = [\"sex\"]", "by = [\"sex3\", \"sex\"]\nkeys = \"keys.csv\"\nlevels = [\"sex3\", \"sex\"]");
    let refused = bench.run(&["check", "plan.toml"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(
        refused.err.contains("a cell that no row can be in by the rules of the plan: sex3 = other, sex = missing"),
        "{}",
        refused.err
    );
    bench.write("keys.csv", "sex3,sex\nnot stated,missing\nmale,M\n");
    let estimates = bench.estimates_by("7", &["sex3", "sex"]);
    assert_eq!([estimates["not stated missing"], estimates["male M"], estimates["male"]], [70.0, 480.0, 480.0]);
}

const COUNTIES: [(&str, usize); 4] = [("a", 100), ("b", 113), ("c", 144), ("d", 145)];

const GROUPINGS: &str = r#"
[columns.county]
type = "text"
values = ["a", "b", "c", "d"]
[columns.state]
from = "county"
lookup = "counties.csv"
others = "missing"
[columns.health]
from = "county"
lookup = "counties.csv"
others = "missing"
[[statistic]]
name = "people"
kind = "count"
by = ["state", "health", "county"]
margins = [[], ["state"], ["health"], ["county"]]
"#;

#[test]
fn two_groupings_of_one_column_are_sums_of_it_in_every_release() {
    let bench = Workbench::with_plan(&plan("0.2", GROUPINGS), &rows("county", &COUNTIES));
    bench.write("counties.csv", "county,state,health\na,X,P\nb,X,Z\nc,Y,Z\nd,Y,P\n");
    let by = ["state", "health", "county"];
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let estimates = bench.estimates_by(seed, &by);
        assert_eq!(estimates.len(), 9, "{estimates:?}");
        let sum = |counties: [&str; 2]| counties.map(|county| estimates[county]).iter().sum::<f64>();
        assert_eq!([estimates["X"], estimates["Y"]], [sum(["a", "b"]), sum(["c", "d"])], "{estimates:?}");
        assert_eq!([estimates["P"], estimates["Z"]], [sum(["a", "d"]), sum(["b", "c"])], "{estimates:?}");
        assert_eq!(estimates[""], estimates["X"] + estimates["Y"]);
    }
    bench.edit("epsilon = 0.2", "epsilon = 100");
    let estimates = bench.estimates_by("7", &by);
    assert_eq!(["X", "Y", "Z", "P"].map(|key| estimates[key]), [213.0, 289.0, 257.0, 245.0]);
    // Levels and plain cells have no county in another state either.
    bench.edit("margins = [[], [\"state\"], [\"health\"], [\"county\"]]", "levels = [\"all\", \"state\", \"county\"]");
    assert_eq!(bench.estimates_by("7", &by).len(), 1 + 2 + 4);
    bench.edit("levels = [\"all\", \"state\", \"county\"]", "");
    let estimates = bench.estimates_by("7", &by);
    assert_eq!((estimates.len(), estimates["X Z b"]), (4, 113.0));
}

#[test]
fn a_standardised_rate_is_a_sum_of_public_weights() {
    let rest = r#"
[columns.district]
type = "text"
values = ["A", "B"]
[columns.age]
type = "integer"
[columns.case]
type = "integer"
[columns.age_class]
from = "age"
cut = [65]
classes = ["young", "old"]
[columns.weight]
from = ["age_class", "district"]
lookup = "weights.csv"
type = "number"
others = 0
missing = "drop"
[[statistic]]
name = "rate"
kind = "sum"
column = "weight"
where = "case = 1"
by = ["district"]
"#;
    let cases = [("A,70,1", 42), ("A,20,1", 43), ("A,30,0", 200), ("B,80,1", 3), ("B,,1", 5), ("C,70,1", 9)];
    let bench = Workbench::with_plan(&plan("1000", rest), &rows("district,age,case", &cases));
    bench.write("weights.csv", "district,age_class,weight\nA,young,8.005\nA,old,19.925\nB,old,0.5\n");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.out.replace('\n', " ").contains("bounds are 0 and 19.9"), "{}{}", said.out, said.err);
    let estimates = bench.estimates_by("7", &["district"]);
    assert!(
        (estimates["A"] - (42.0 * 19.925 + 43.0 * 8.005)).abs() < 0.5 && (estimates["B"] - 1.5).abs() < 0.5,
        "{estimates:?}"
    );
}

#[test]
fn many_cells_that_are_kept_above_zero_are_said_to_add_up_their_bias() {
    let codes: Vec<String> = (0..50).map(|code| format!("d{code}")).collect();
    let rest = format!(
        "[columns.district]\ntype = \"text\"\nvalues = [\"{}\"]\n[[statistic]]\nname = \"cases\"\nkind = \"count\"\nby = [\"district\"]\n",
        codes.join("\", \"")
    );
    let bench = Workbench::with_plan(&plan("1", &rest), &rows("district", &[("d3", 5), ("d40", 7)]));
    let sentence = "Each of the 50 cells is kept in its range by itself";
    let checked = bench.run(&["check", "plan.toml"]);
    assert!(checked.out.contains(sentence) && checked.out.contains("`levels`"), "{}{}", checked.out, checked.err);
    bench.seeded("plan.toml", "bundle", "7");
    assert!(fs::read_to_string(bench.path("bundle/report.html")).expect("a page").contains(sentence));
}
