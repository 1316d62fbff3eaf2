//! One row a unit: the example of the registry against the same numbers computed from all of its rows.
//!
//! With epsilon = 1000 noise of counts is 0 but with probability below `2 exp(-100)`; the seed is fixed.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::Value;

use super::{number, rows_of, table};
use crate::workbench::Workbench;

fn example() -> (String, Vec<u8>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry");
    let plan = fs::read_to_string(folder.join("one-row-a-patient.toml")).expect("the example");
    (plan.replace("epsilon = 1", "epsilon = 1000"), fs::read(folder.join("stays.csv")).expect("the rows"))
}

fn bench(plan: &str) -> Workbench {
    let bench = Workbench::new();
    bench.write("plan.toml", plan);
    bench.write("stays.csv", example().1);
    bench
}

/// The rows of each patient, field by field.
fn patients() -> Vec<Vec<Vec<String>>> {
    let text = String::from_utf8(example().1).expect("UTF-8");
    let mut patients: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        patients.entry(fields[0].clone()).or_default().push(fields);
    }
    patients.into_values().collect()
}

#[test]
fn the_example_says_of_patients_what_their_rows_say() {
    let bench = bench(&example().0);
    let said = bench.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    let (measured, estimates) = (table(&bench, "bundle/measurements.csv"), table(&bench, "bundle/estimates.csv"));
    let patients = patients();
    let age = |row: &Vec<String>| row[3].parse::<i64>().expect("an age");
    let first = |rows: &Vec<Vec<String>>| rows.iter().map(|row| (age(row), row[1].clone())).min().expect("a stay").1;
    let districts: Vec<f64> =
        rows_of(&measured, "patients-by-district").iter().map(|row| number(row, "measurement")).collect();
    let names =
        ["Aldermoor", "Brackwater", "Cinder Hills", "Dunmere", "Eastholm", "Fenwick", "Gullcrag", "Hollin Isle"];
    let expected = names.map(|name| patients.iter().filter(|rows| first(rows) == name).count() as f64);
    assert_eq!(districts, expected);
    let late = |rows: &&Vec<Vec<String>>| rows.iter().filter(|row| age(row) > 65).count() > 1;
    let measured_late = number(rows_of(&measured, "patients-with-stays-after-65")[0], "measurement");
    assert_eq!(measured_late, patients.iter().filter(late).count() as f64);
    let cost = |rows: &Vec<Vec<String>>| {
        let costs = rows.iter().filter_map(|row| row[5].parse::<f64>().ok());
        costs.map(|cost| cost.clamp(0.0, 20_000.0)).sum::<f64>().clamp(0.0, 40_000.0)
    };
    let stays = |rows: &Vec<Vec<String>>| rows.len().min(6) as f64;
    let mean =
        |of_one: &dyn Fn(&Vec<Vec<String>>) -> f64| patients.iter().map(of_one).sum::<f64>() / patients.len() as f64;
    for (name, expected) in [("cost-of-a-patient", mean(&cost)), ("stays-of-a-patient", mean(&stays))] {
        let estimate = number(rows_of(&estimates, name)[0], "estimate");
        assert!((estimate / expected - 1.0).abs() < 1e-5, "{name}: {estimate}, not {expected}");
    }
}

/// Sentences and records: each names the unit and what was taken, and no word says that rows were left out.
#[test]
fn a_bundle_says_how_rows_were_made_into_one() {
    let bench = bench(&example().0.replace("epsilon = 1000", "epsilon = 1000\ndiagnostics = 0.01"));
    let said = bench.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("units, each of them one row, were read (±"), "{}", said.out);
    let text = fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(manifest["per_unit"]["unit"], "patient");
    assert_eq!(manifest["per_unit"]["columns"][2]["clipped"], serde_json::json!([0.0, 20_000.0]));
    assert_eq!(manifest["guarantee"]["privacy_unit"], "rows that share a `patient`");
    assert_eq!(manifest["statistics"][0]["unit"], "units");
    assert_eq!(manifest["statistics"][2]["missing"], serde_json::json!([]), "a number of rows is never missing");
    let rules = manifest["rules"].to_string();
    let sentence = "`total-cost` is the sum of `cost`, clipped to 0 to 20,000, over its rows";
    assert!(rules.contains(sentence) && !rules.contains("keeps at most"), "{rules}");
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    for words in [
        "Number of units, by district",
        "all, made into one",
        "is the sum of “cost”, clipped to 0 to 20,000, over its rows",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let checked = bench.run(&["check", "plan.toml"]);
    assert!(
        checked.out.replace('\n', " ").contains("`stays-after-65` is the number of its rows where age > 65"),
        "{}",
        checked.out
    );
    let peeked = bench.run(&["peek", "plan.toml"]);
    assert!(peeked.out.replace('\n', " ").contains("2,450 units were read, each of them one row"), "{}", peeked.out);
}

/// Where one unit is substituted, the number of units is public, and it is compared with the data.
#[test]
fn a_public_number_of_units_is_held_against_the_data() {
    let (plan, _) = example();
    let begin = plan.find("[[statistic]]\nname = \"patients-by-district\"").expect("a count");
    let end = plan.find("[[statistic]]\nname = \"cost-of-a-patient\"").expect("a mean");
    let plan = format!("{}{}", &plan[..begin], &plan[end..]).replace("\"add-remove\"", "\"substitute\"\nrows = 2450");
    let right = bench(&plan);
    let said = right.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    let page = fs::read_to_string(right.path("bundle/report.html")).expect("a page");
    assert!(page.contains("Units, publicly known"));
    let wrong = bench(&plan.replace("rows = 2450", "rows = 3784"));
    let said = wrong.run(&["release", "plan.toml", "--out", "bundle", "--seed", "5", "--not-private"]);
    assert_ne!(said.code, 0);
    assert!(
        said.err.contains("rows = 3784, but the data has 2450 units") && !wrong.path("bundle").exists(),
        "{}",
        said.err
    );
}

/// What is taken of a unit may be taken from columns that are made of others.
#[test]
fn cells_of_units_are_taken_from_derived_columns_too() {
    let bench = Workbench::new();
    bench.write("rows.csv", "id,age,code\n1,20,1\n1,70,9\n2,66,2\n2,,1\n3,17,3\n4,80,\n");
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = { column = \"id\" }\nneighbours = \"add-remove\"\nepsilon = 400\n\
         [columns.id]\ntype = \"integer\"\n[columns.age]\ntype = \"integer\"\nlower = 0\nupper = 110\n\
         [columns.code]\ntype = \"integer\"\n[columns.class]\nfrom = \"age\"\ncut = [18, 65]\nclasses = [\"child\", \"adult\", \"old\"]\n\
         [columns.smoker]\nfrom = \"code\"\nrecode = { 1 = \"yes\", 2 = \"yes\", 3 = \"no\" }\nothers = \"missing\"\n\
         [columns.twice]\nis = \"2 * age + 1\"\n[columns.late]\nis = \"age >= 65\"\n\
         [per_unit.class]\ntake = \"last\"\norder = \"age\"\n[per_unit.smoker]\ntake = \"max\"\n\
         [per_unit.twice]\ntake = \"sum\"\nlower = 0\nupper = 400\n[per_unit.late]\ntake = \"any\"\n\
         [[statistic]]\nname = \"classes\"\nkind = \"count\"\nby = [\"class\"]\n\
         [[statistic]]\nname = \"smokers\"\nkind = \"count\"\nby = [\"smoker\"]\n\
         [[statistic]]\nname = \"twice\"\nkind = \"sum\"\ncolumn = \"twice\"\n\
         [[statistic]]\nname = \"late\"\nkind = \"sum\"\ncolumn = \"late\"\n",
    );
    let said = bench.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    let measured = table(&bench, "bundle/measurements.csv");
    let numbers =
        |name: &str| rows_of(&measured, name).iter().map(|row| number(row, "measurement")).collect::<Vec<_>>();
    assert_eq!(numbers("classes"), [1.0, 0.0, 3.0]);
    // The last of the codes that stand for something, by the letters of what they stand for.
    assert_eq!(
        rows_of(&measured, "smokers").iter().map(|row| row["by_smoker"].clone()).collect::<Vec<_>>(),
        ["yes", "no"]
    );
    assert_eq!(numbers("smokers"), [2.0, 1.0]);
    assert_eq!(numbers("twice"), [41.0 + 141.0 + 133.0 + 35.0 + 161.0]);
    assert_eq!(numbers("late"), [3.0]);
}

/// A plan over rows of a text `t`, a whole number `n` and a unit `id`, with these columns of units and a count where
/// they meet a condition.
fn counted(columns: &str, per_unit: &str, condition: &str) -> String {
    format!(
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = {{ column = \"id\" }}\nneighbours = \"add-remove\"\nepsilon = 100\n\
         [columns.id]\ntype = \"integer\"\n[columns.t]\ntype = \"text\"\n{columns}\n{per_unit}\n\
         [[statistic]]\nname = \"some\"\nkind = \"count\"\nwhere = \"{condition}\"\n"
    )
}

#[test]
fn texts_of_conditions_are_read_as_the_cells_are_that_units_take() {
    let bench = Workbench::new();
    bench.write("rows.csv", "id,t\n1, a b \n2,a b\n3,\n");
    bench.write("plan.toml", counted("", "[per_unit.t]\ntake = \"min\"", "t = ' a b '"));
    let said = bench.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(number(rows_of(&table(&bench, "bundle/measurements.csv"), "some")[0], "measurement"), 2.0);
}

#[test]
fn whole_numbers_beyond_those_that_add_up_exactly_are_refused_and_end_no_program() {
    let bench = Workbench::new();
    bench.write("rows.csv", "id,t,n\n1,a,1152921504606846977\n");
    let n = "[columns.n]\ntype = \"integer\"\nlower = 1152921504606846976\nupper = 1152921504606846979\nmissing = \
             1152921504606846976";
    let total = "[per_unit.total]\ntake = \"sum\"\nfrom = \"n\"\nlower = 0\nupper = 100";
    bench.write("plan.toml", counted(n, total, "total > 3"));
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2, "{}{}", said.out, said.err);
    assert!(said.err.contains("2^53") && !said.err.contains("panicked"), "{}", said.err);
}

/// Where the data are not at hand, a Parquet plan is checked against its own declarations, and nothing is refused for
/// what is not known.
#[test]
fn a_plan_of_units_is_checked_without_its_data() {
    let bench = Workbench::new();
    let per_unit = "[per_unit.total]\ntake = \"sum\"\nfrom = \"f\"\nlower = 0\nupper = 9\n[per_unit.last]\ntake = \"last\"\n\
                    from = \"t\"\norder = \"d\"\n[per_unit.any]\ntake = \"any\"\nfrom = \"b\"\n[per_unit.some]\ntake = \"rows\"\n\
                    where = \"f > 3\"";
    bench.write(
        "plan.toml",
        counted("", per_unit, "some > 0").replace("\"rows.csv\"", "\"absent.parquet\"\ntypes = \"public\""),
    );
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("`f` as number") && said.out.contains("[per_unit.some]"), "{}", said.out);
}

/// All mistakes at once, each at its place, and none that follows from another.
#[test]
fn mistakes_in_columns_of_units_are_noted_one_by_one() {
    let bench = Workbench::new();
    bench.write("rows.csv", "id,t\n1,a\n");
    let per_unit =
        "[per_unit.x]\ntake = \"rows\"\nwhere = \"nosuch > 1\"\n[per_unit.y]\ntake = \"rows\"\nwhere = \"id > (1\"";
    bench.write("plan.toml", counted("", per_unit, "x > 0"));
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("nosuch") && said.err.contains("2 mistakes"), "{}", said.err);
}
