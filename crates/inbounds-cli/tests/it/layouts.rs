//! Made-up tables in the layouts of ten publishers, each with the plan that reads it, against exact numbers.
//!
//! `tests/data/layouts` has files and plans. The numbers here were computed from the files by other means. Noise is
//! seeded, and the plans have so much epsilon that a count is off with a probability below `exp(-40)`, and a mean or
//! sum by its tolerance with one below `exp(-30)`.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::workbench::Workbench;

fn laid_out(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/layouts").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A bench with one of the files and its plan.
struct Table {
    bench: Workbench,
    file: &'static str,
}

impl Table {
    fn new(file: &'static str) -> Self {
        let (name, _) = file.rsplit_once('.').expect("an extension");
        let bench = Workbench::new();
        bench.write(file, laid_out(file));
        bench.write("plan.toml", laid_out(&format!("{name}.toml")));
        Self { bench, file }
    }

    /// Estimates by statistic, in the order of cells, and what was printed.
    fn released(&self) -> (BTreeMap<String, Vec<f64>>, String) {
        let said = self.bench.seeded("plan.toml", "bundle", "1");
        let mut reader = csv::Reader::from_path(self.bench.path("bundle/estimates.csv")).expect("a table");
        let mut estimates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in reader.deserialize() {
            let row: BTreeMap<String, String> = row.expect("as many cells as columns");
            estimates.entry(row["statistic"].clone()).or_default().push(row["estimate"].parse().expect("a number"));
        }
        (estimates, said.out)
    }

    /// Releases numbers within a tolerance of these, and returns what was printed.
    #[track_caller]
    fn holds(&self, wanted: &[(&str, &[f64], f64)]) -> String {
        let (estimates, said) = self.released();
        assert_eq!(estimates.len(), wanted.len(), "{}: {estimates:?}", self.file);
        for (statistic, exact, tolerance) in wanted {
            let values = &estimates[*statistic];
            let close = values.iter().zip(*exact).all(|(value, exact)| (value - exact).abs() <= *tolerance);
            assert!(values.len() == exact.len() && close, "{} {statistic}: {values:?}, not {exact:?}", self.file);
        }
        assert!(!said.contains("could not be read"), "{}: {said}", self.file);
        said
    }

    /// What the program answers without one line of the plan.
    fn without(&self, line: &str) -> String {
        let plan = fs::read_to_string(self.bench.path("plan.toml")).expect("a plan");
        let kept: Vec<&str> = plan.lines().filter(|kept| !kept.starts_with(line)).collect();
        assert!(kept.len() < plan.lines().count(), "{}: no line begins with `{line}`", self.file);
        self.bench.write("less.toml", kept.join("\n"));
        let said = self.bench.run(&["release", "less.toml", "--out", "less", "--seed", "1", "--not-private"]);
        let _ = fs::remove_dir_all(self.bench.path("less"));
        said.out + &said.err
    }
}

/// Flags beside numbers, some of them two letters long, and a colon for what is not known.
#[test]
fn eurostat() {
    let table = Table::new("eurostat.tsv");
    // 18 countries without the union, of 19 numbers in the column.
    table.holds(&[("mean", &[2445.0 / 18.0], 0.1), ("areas", &[19.0], 0.0)]);
    // Of the 19 cells without the union nine have no plain number, eight for their flags.
    let said = table.without("marks");
    assert!(said.contains("About 42 % of `2020` could not be read as the plan says"), "{said}");
    assert!(said.contains("About 5 % of `2020` is missing"), "{said}");
    assert!(table.without("header").contains("write `header = true` in [data]"));
}

/// Shift_JIS, and each row stands for millions; the sums over prefectures are rows too.
#[test]
fn estat() {
    let table = Table::new("estat.csv");
    let people = [
        [2_638_513.0, 2_296_764.0, 1_703_982.0, 1_226_308.0, 689_170.0],
        // Okinawa was not counted in 1947.
        [2_791_998.0, 2_334_664.0, 1_639_666.0, 1_080_290.0, 0.0],
        [5_051_171.0, 3_877_151.0, 2_959_150.0, 1_978_503.0, 970_142.0],
    ];
    let years = [8_554_737.0, 7_846_618.0, 14_836_117.0];
    table.holds(&[("people", people.as_flattened(), 0.0), ("years", &years, 0.0)]);
    assert!(table.without("encoding").contains("it could be shift_jis (Japanese)"));
}

/// Latin-1, titles, a header of two lines, and a note over three lines in quotation marks.
#[test]
fn destatis() {
    let table = Table::new("destatis.csv");
    table.holds(&[("people", &[6_916_769.0, 6_823_940.0, 6_750_202.0, 7_048_403.0], 0.0)]);
    for (line, wanted) in [
        ("footer", "line 25 of `destatis.csv` does not have as many fields as the header: 1 instead of 4"),
        ("encoding", "it could be latin-1 (Western European)"),
    ] {
        let said = table.without(line);
        assert!(said.contains(wanted), "{line}: {said}");
    }
}

/// Tabs, Windows line ends, words for numbers, and more lines of notes than of numbers.
#[test]
fn cdc_wonder() {
    let table = Table::new("cdc-wonder.txt");
    let causes = [257.0, 226.0, 68.0, 12.0, 43.0, 25.0];
    // The mean over the 560 deaths whose rate is not `Unreliable`.
    table.holds(&[
        ("states", &[180.0, 37.0, 352.0, 62.0], 0.0),
        ("causes", &causes, 0.0),
        ("rate", &[713.4 / 560.0], 0.01),
    ]);
    assert!(table.without("footer").contains("lines that are no rows are left out by `skip`"));
}

/// Decimal commas, two measures in one column, and periods of a spelling of their own.
#[test]
fn cbs() {
    let table = Table::new("cbs.csv");
    table.holds(&[("thousands", &[417.3, 388.0, 500.4, 412.6], 0.5), ("percent", &[20.9 / 13.0], 0.1)]);
    // A comma in a number without `decimal` is no number.
    let said = table.without("decimal");
    assert!(said.contains("of `Value` could not be read as the plan says"), "{said}");
}

/// A header of three lines, months, and a flag in a column.
#[test]
fn insee() {
    let table = Table::new("insee.csv");
    let of_2021 = [4711.0, 5280.0, 4852.0, 5230.0, 5277.0, 4547.0, 5065.0, 4794.0, 4374.0, 5097.0, 4679.0, 4109.0];
    let of_2022 = [4300.0, 4800.0, 4600.0, 4500.0, 4700.0, 4800.0, 4900.0, 5000.0, 4500.0, 5300.0, 4800.0, 4700.0];
    table.holds(&[("months", &[of_2021, of_2022].concat(), 0.0), ("status", &[58_015.0, 56_900.0], 0.0)]);
}

/// A mark of UTF-8, titles, a row of units, thousands with commas, and notes of their own layout behind the table.
#[test]
fn statcan() {
    let table = Table::new("statcan.csv");
    let people = [1_391_681.0, 4181.0, 4399.0, 3951.0];
    // The provinces add up to the row of Canada, 3,645,100.
    let said = table.holds(&[("people", &people, 0.0), ("canada", &[3_645_100.0], 0.0)]);
    assert!(said.contains(" Nunavut  ") && !said.contains("(map)"), "{said}");
    let said = table.without("thousands");
    let unreadable = "About 4 rows (± 0 at 95 %), a line without a readable `Q4 2023` counted as one, have a cell of `Q4 2023` that \
                      could not be read as the plan says";
    assert!(said.contains(unreadable), "{said}");
}

/// Codes for groups, a formula for the age, and ids that a spreadsheet spoiled.
#[test]
fn onisr() {
    let table = Table::new("onisr.csv");
    table.holds(&[("users", &[19.0, 6.0, 5.0, 3.0, 2.0, 1.0], 0.0), ("age", &[1199.0 / 25.0, 34.0, 63.0], 0.5)]);
    // The number of the accident is the same in all rows, so that at most `max_rows` of them count: the plan expects
    // more.
    table.bench.edit("unit = { max_rows = 12 }", "unit = { column = \"num_acc\", max_rows = 12 }");
    table.bench.edit("[columns.an_nais]", "[columns.num_acc]\ntype = \"text\"\n\n[columns.an_nais]");
    let said = table.bench.seeded("plan.toml", "spoiled", "1");
    assert!(said.out.contains("About 12 (± 1 at 95 %) of the 30 to 40 rows that the plan expects"), "{}", said.out);
}

/// Several answers in a cell, one of them with the separator in it, and dates with single digits.
#[test]
fn check_boxes() {
    let table = Table::new("check-boxes.csv");
    let said = table.holds(&[
        ("meals", &[2.0, 3.0, 4.0, 3.0], 0.0),
        ("places", &[3.0, 2.0, 2.0], 0.0),
        ("guests", &[2.0, 2.0, 2.0, 1.0], 0.0),
        ("weekdays", &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 1.0], 0.0),
    ]);
    // One person cooks nothing but tea, one in a food truck; answers are not rows, so that no share of these is stated.
    let lost = "About 1 row (± 0 at 95 %) does not have a listed `Which meal(s) do you cook most?`, and is in none";
    assert!(said.contains(lost), "{said}");
    let peeked = table.bench.run(&["peek", "plan.toml"]);
    let answers = "Answers of `Which meal(s) do you cook most?` that the plan does not list, and that count in no \
                   cell: `Brunch` (1), `Elevenses` (1), `Midnight feast` (1) and `Tea` (1).";
    assert!(peeked.out.contains(answers), "{}", peeked.out);
    // The whole answer would have no row, for cells are divided at its commas.
    table.bench.edit("\"Camp (tents\"]", "\"Camp (tents, vans, etc.)\"]");
    table.bench.edit("labels = { \"Camp (tents\" = \"Camp\" }\n", "");
    let said = table.bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("got \"Camp (tents, vans, etc.)\": no row would have it"), "{}", said.err);
}

/// A table whose cells the office has made noisy: its sums differ by up to 17 from the cells until it is reconciled.
#[test]
fn table_builder() {
    const STATES: &str = "New South Wales,Victoria,Queensland,South Australia,Western Australia,Tasmania,Northern Territory,\
                          Australian Capital Territory,Other Territories";
    let bench = Workbench::new();
    bench.write("table-builder.csv", laid_out("table-builder.csv"));
    let said = bench.run(&["reconcile", "table-builder.csv", "--out", "homes"]);
    assert!(
        said.code == 3 && said.err.contains("leave out titles above them and notes below the table"),
        "{}",
        said.err
    );
    // Names of columns stand in two lines, and a label only at the first of its rows.
    let text = String::from_utf8(laid_out("table-builder.csv")).expect("UTF-8");
    let body = text.lines().skip(11).take(9).collect::<Vec<_>>().join("\n");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(body.as_bytes());
    let (mut sex, mut rows, mut furthest) = (String::new(), String::new(), 0.0_f64);
    for row in reader.records() {
        let row: Vec<String> = row.expect("a row").iter().map(str::to_owned).collect();
        if !row[0].is_empty() {
            sex.clone_from(&row[0]);
        }
        let numbers: Vec<f64> = row[2..12].iter().map(|cell| cell.parse().expect("a number")).collect();
        furthest = furthest.max((numbers[..9].iter().sum::<f64>() - numbers[9]).abs());
        rows += &format!("{sex},{},{},discrete-gaussian,2\n", row[1], row[2..12].join(","));
    }
    assert_eq!(furthest.to_string(), "17");
    bench.write("homes.csv", format!("sex,home,{STATES},Total,law,scale\n{rows}"));
    let wide = format!("state={STATES}");
    let said = bench.run(&[
        "reconcile",
        "homes.csv",
        "--wide",
        &wide,
        "--wide-total",
        "Total",
        "--integer",
        "--replicates",
        "0",
        "--out",
        "homes",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("`Total` of `sex` is read as the sum"), "{}", said.out);
    let mut reader = csv::Reader::from_path(bench.path("homes/estimates.csv")).expect("a table");
    let estimates: BTreeMap<String, f64> = reader
        .deserialize()
        .map(|row| {
            let row: BTreeMap<String, String> = row.expect("a row");
            (row["node"].clone(), row["estimate"].parse().expect("a number"))
        })
        .collect();
    let (sexes, homes) = (["Male", "Female"], ["House with a garden", "Houseboat", "Not stated"]);
    let estimate_of = |sex: &str, home: &str, state: &str| estimates[&format!("{sex}, {home}, {state}")];
    for home in homes {
        for state in STATES.split(',').chain(["*"]) {
            let sum: f64 = sexes.iter().map(|sex| estimate_of(sex, home, state)).sum();
            assert_eq!(sum.to_string(), estimate_of("*", home, state).to_string(), "{home}, {state}");
        }
        for sex in sexes.into_iter().chain(["*"]) {
            let sum: f64 = STATES.split(',').map(|state| estimate_of(sex, home, state)).sum();
            assert_eq!(sum.to_string(), estimate_of(sex, home, "*").to_string(), "{sex}, {home}");
        }
    }
    // Nothing moved further than the noise.
    for (node, published) in [
        (("*", "Houseboat", "*"), 2721.0),
        (("Male", "Houseboat", "Other Territories"), 8.0),
        (("*", "Not stated", "New South Wales"), 190_413.0),
    ] {
        assert!(
            (estimate_of(node.0, node.1, node.2) - published).abs() < 12.0,
            "{node:?}: {}",
            estimate_of(node.0, node.1, node.2)
        );
    }
}
