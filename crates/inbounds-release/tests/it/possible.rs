//! Combinations that cannot occur are no cells: public files say which can.

use std::{collections::BTreeMap, fs, path::Path};

use inbounds_release::{Randomness, Release, Silent, plan::Plan, release};
use tempfile::TempDir;

const HEAD: &str = r#"
data.path = "rows.csv"
[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 1
[columns]
age = { type = "text", values = ["child", "adult"] }
status = { type = "text", values = ["single", "married", "widowed"] }
sex = { type = "text", values = ["f", "m"] }
state = { type = "text" }
county = { type = "text" }
hours = { type = "integer", lower = 0, upper = 40, missing = "drop" }
"#;

/// Children are single.
const STATUS: &str = "status,age\nsingle,child\nsingle,adult\nmarried,adult\nwidowed,adult\n";

/// A folder with rows of three counties, in which every possible combination has a different number of rows.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let mut rows = "state,county,age,status,sex,hours\n".to_owned();
    for (place, (state, county)) in [("N", "n1"), ("N", "n2"), ("S", "s1")].into_iter().enumerate() {
        for (kind, (age, status)) in
            [("child", "single"), ("adult", "single"), ("adult", "married")].into_iter().enumerate()
        {
            for sex in ["f", "m"] {
                let line = format!("{state},{county},{age},{status},{sex},{}\n", 10 * kind);
                rows.push_str(&line.repeat(30 * (place + 1) + 7 * kind));
            }
        }
    }
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writes");
    write("rows.csv", &rows);
    write("status.csv", STATUS);
    write("places.csv", "state,county\nN,n1\nN,n2\nS,s1\n");
    folder
}

fn plan(folder: &Path, statistic: &str) -> Result<Plan, String> {
    Plan::parse(&format!("{HEAD}[[statistic]]\nname = 'a'\n{statistic}"), folder).map_err(|error| error.to_string())
}

fn released(folder: &Path, statistic: &str, seed: u64) -> Release {
    let plan = plan(folder, statistic).expect("a good plan");
    let out = folder.join("bundle");
    let released = release(&plan, &out, Randomness::Seeded(seed), &Silent).expect("releases");
    fs::remove_dir_all(&out).expect("removes");
    released
}

/// Estimates by level or margin and values.
fn estimates(released: &Release) -> BTreeMap<String, f64> {
    let statistic = &released.statistics[0];
    let labels = statistic.task.labels();
    let name = |label: inbounds_release::Label<'_>| {
        let values: Vec<String> = label.key.values().map(ToString::to_string).collect();
        let granularity = label.granularity.map_or(String::new(), |granularity| format!("{granularity}: "));
        let output = if label.name.is_empty() { String::new() } else { format!(" {}", label.name) };
        format!("{granularity}{}{output}", values.join("/"))
    };
    labels.iter().map(name).zip(statistic.estimates.iter().map(|estimate| estimate.value)).collect()
}

#[test]
fn cells_are_the_combinations_of_the_files() {
    let folder = folder();
    let numbers = estimates(&released(
        folder.path(),
        "kind = 'count'\nby = ['age', 'sex', 'status']\npossible = ['status.csv']",
        1,
    ));
    let cells: Vec<&str> = numbers.keys().map(String::as_str).collect();
    let expected = [
        "adult/f/married",
        "adult/f/single",
        "adult/f/widowed",
        "adult/m/married",
        "adult/m/single",
        "adult/m/widowed",
        "child/f/single",
        "child/m/single",
    ];
    assert_eq!(cells, expected);
    assert!((numbers["child/f/single"] - 180.0).abs() < 25.0, "{numbers:?}");
    // Files that share a column leave what is in both.
    fs::write(folder.path().join("sex.csv"), "sex,status\nf,single\nf,widowed\nm,single\nm,married\n").expect("writes");
    let both = "kind = 'count'\nby = ['age', 'sex', 'status']\npossible = ['status.csv', 'sex.csv']";
    let cells: Vec<String> = estimates(&released(folder.path(), both, 1)).into_keys().collect();
    assert_eq!(
        cells,
        ["adult/f/single", "adult/f/widowed", "adult/m/married", "adult/m/single", "child/f/single", "child/m/single"]
    );
}

#[test]
fn margins_are_sums_of_what_can_occur() {
    let folder = folder();
    let statistic = "kind = 'count'\nby = ['age', 'status', 'sex']\npossible = ['status.csv']\n\
                     margins = [[], ['age'], ['age', 'status'], ['age', 'status', 'sex']]";
    let release = released(folder.path(), statistic, 3);
    let numbers = estimates(&release);
    assert!(!numbers.keys().any(|name| name.contains("child/married") || name.contains("child/widowed")));
    let estimate = |name: &str| numbers[&format!("margin {name}")];
    assert_eq!(estimate("age: child"), estimate("age, status: child/single"));
    assert_eq!(numbers["total: "], estimate("age: child") + estimate("age: adult"));
    assert_eq!(
        estimate("age, status: adult/single"),
        estimate("age, status, sex: adult/single/f") + estimate("age, status, sex: adult/single/m")
    );
    assert_eq!(release.manifest.statistics[0].possible[0].name, "status.csv");
}

#[test]
fn tables_at_places_have_the_cells_that_can_occur_there() {
    let folder = folder();
    fs::write(folder.path().join("county.csv"), "county,sex\nn1,f\nn2,f\nn2,m\ns1,f\ns1,m\n").expect("writes");
    let tables = |files: &str| {
        format!(
            "kind = 'count'\nby = ['state', 'county', 'age', 'status', 'sex']\nkeys = 'places.csv'\npossible = {files}\n\
             levels = ['all', 'state', 'county']\nmargins = [[], ['age', 'status'], ['sex'], ['age', 'status', 'sex']]"
        )
    };
    for seed in 0..5 {
        let release = released(folder.path(), &tables("['status.csv', 'county.csv']"), seed);
        let numbers = estimates(&release);
        assert_eq!(release.manifest.statistics[0].measured.len(), 12);
        assert!(numbers.values().all(|number| *number >= 0.0 && number.fract() == 0.0));
        assert!(!numbers.keys().any(|name| name.contains("child/married") || name.ends_with("n1/m")), "{numbers:?}");
        let at = |level: &str, margin: &str, key: &str| numbers[&format!("level {level}, margin {margin}: {key}")];
        assert_eq!(at("state", "sex", "N/m"), at("county", "sex", "N/n2/m"));
        assert_eq!(at("all", "sex", "f"), at("state", "sex", "N/f") + at("state", "sex", "S/f"));
        assert_eq!(at("county", "age", "S/s1/child"), at("county", "age, status", "S/s1/child/single"));
        let of_county = at("county", "sex", "S/s1/f") + at("county", "sex", "S/s1/m");
        assert_eq!(numbers["level county, total: S/s1"], of_county);
    }
    let means = tables("['status.csv']").replace("kind = 'count'", "kind = 'mean'\ncolumn = 'hours'");
    let numbers = estimates(&released(folder.path(), &means, 2));
    assert!(numbers.iter().filter(|(name, _)| name.ends_with(" mean")).all(|(_, mean)| (0.0..=40.0).contains(mean)));
}

/// More than 6 misses of 20 at a level of 95 % have probability 3e-5, so four numbers raise a false alarm once in 8,000
/// choices of seeds; the seeds are fixed.
#[test]
fn intervals_of_tables_with_structural_zeros_cover() {
    let folder = folder();
    let statistic = "kind = 'count'\nby = ['state', 'county', 'age', 'status', 'sex']\nkeys = 'places.csv'\n\
                     possible = ['status.csv']\nlevels = ['all', 'state', 'county']\nmargins = [[], ['age', 'status'], ['age', 'status', 'sex']]";
    let truth = |place: &str, cell: &str| -> f64 {
        let rows = fs::read_to_string(folder.path().join("rows.csv")).expect("rows");
        let parts: Vec<&str> = place.split('/').chain(cell.split('/')).filter(|part| !part.is_empty()).collect();
        rows.lines().skip(1).filter(|row| parts.iter().all(|part| row.split(',').any(|own| own == *part))).count()
            as f64
    };
    let asked = [
        ("level all, total: ", truth("", "")),
        ("level county, margin age, status: N/n1/child/single", truth("N/n1", "child/single")),
        ("level county, margin age, status, sex: S/s1/adult/widowed/f", 0.0),
        ("level state, margin age, status, sex: N/adult/married/m", truth("N", "adult/married/m")),
    ];
    let mut misses = [0; 4];
    for seed in 0..20 {
        let release = released(folder.path(), statistic, seed);
        let names: Vec<String> = estimates(&release).into_keys().collect();
        assert!(names.len() > 40);
        let statistic = &release.statistics[0];
        for (label, estimate) in statistic.task.labels().iter().zip(&statistic.estimates) {
            let values: Vec<String> = label.key.values().map(ToString::to_string).collect();
            let name = format!("{}: {}", label.granularity.expect("a level"), values.join("/"));
            for ((asked, truth), misses) in asked.iter().zip(&mut misses) {
                *misses += u32::from(name == *asked && !(estimate.lower..=estimate.upper).contains(truth));
            }
        }
    }
    assert!(misses.iter().all(|misses| *misses <= 6), "{misses:?}");
}

#[test]
fn mistakes_in_files_of_combinations_are_named() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writes");
    let refused = |statistic: &str, part: &str| {
        let error = plan(folder.path(), statistic).and_then(|plan| {
            let out = folder.path().join("bundle");
            release(&plan, &out, Randomness::Seeded(1), &Silent).map(|_| ()).map_err(|error| error.to_string())
        });
        let error = error.expect_err("refused");
        assert!(error.contains(part), "{error}");
    };
    let by = "kind = 'count'\nby = ['age', 'status']\n";
    refused("kind = 'count'\npossible = ['status.csv']", "must come with `by`");
    refused(&format!("{by}possible = ['none.csv']"), "cannot read");
    refused(&format!("{by}possible = ['rows.csv']"), "another than the data");
    write("wrong.csv", "age,statuss\nchild,single\n");
    refused(&format!("{by}possible = ['wrong.csv']"), "did you mean `status`?");
    write("one.csv", "age\nchild\n");
    refused(&format!("{by}possible = ['one.csv']"), "at least two columns of `by`, got 1");
    write("slip.csv", "age,status\nchild,single\nadult,maried\n");
    refused(&format!("{by}possible = ['slip.csv']"), "`slip.csv`, line 3: `maried` is no value of `status`");
    write("none.csv", "age,status\n");
    refused(&format!("{by}possible = ['none.csv']"), "has no cell");
    refused(&format!("{by}keys = 'status.csv'\npossible = ['status.csv']"), "must be left out with `keys`");
    let margins = format!("{by}possible = ['status.csv']\nmargins = [['age'], ['age', 'status']]\n");
    refused(&format!("{margins}margin_shares = 'balanced'"), "must be parts");
    refused(&format!("{margins}fit = 'shrunk'"), "\"top-down\"");
    let tables = "kind = 'count'\nby = ['state', 'county', 'age', 'status']\nkeys = 'places.csv'\npossible = ['status.csv']\n\
                  levels = ['state', 'county']\nmargins = [['age'], ['age', 'status']]\n";
    refused(&format!("{tables}level_shares = 'balanced'"), "must be parts");
}
