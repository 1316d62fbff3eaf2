//! Rows that conditions keep apart share a budget, where that is proved.

use super::{create, shown};
use crate::workbench::Workbench;

/// A plan over one column, with one count where a condition holds.
fn where_age(name: &str, condition: &str, epsilon: &str) -> String {
    format!(
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = {epsilon}\nledger = \
         \"rows.ledger\"\n[columns.age]\ntype = \"integer\"\n[[statistic]]\nname = \"{name}\"\nkind = \"count\"\nwhere = \
         \"{condition}\"\n"
    )
}

#[test]
fn releases_of_disjoint_fixed_rows_share_the_budget() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "1", "--fixed-rows"]);
    bench.write("young.toml", where_age("young", "age < 18", "0.75"));
    bench.write("old.toml", where_age("old", "age >= 18", "0.5"));
    bench.write("all.toml", where_age("all", "age >= 17", "0.5"));
    // The same cells, read otherwise.
    bench.write(
        "other.toml",
        where_age("old", "age >= 18", "0.5").replace("\"integer\"", "\"integer\"\nmissing_values = [99]"),
    );
    let release = |plan: &str, out: &str| bench.run(&["release", plan, "--out", out]);
    assert_eq!(release("young.toml", "young").code, 0);
    assert_eq!(release("other.toml", "other").code, 9);
    assert_eq!(release("all.toml", "all").code, 9);
    let asked = bench.run(&["check", "old.toml"]);
    let nothing = "The release costs nothing more: no row can be both here and in entry 1. Of epsilon = 1 in all, epsilon = \
                   0.25 is left.";
    assert!(asked.code == 0 && asked.out.contains(nothing), "{}{}", asked.out, asked.err);
    bench.write("part.toml", where_age("old", "age >= 18", "0.875"));
    let asked = bench.run(&["check", "part.toml"]);
    let part = "The release would cost the ledger epsilon = 0.125 more, and not epsilon = 0.875: no row can be both here and in \
                entry 1. Of epsilon = 1 in all, epsilon = 0.25 is left, and epsilon = 0.125 would be left after it.";
    assert!(asked.code == 0 && asked.out.contains(part), "{}{}", asked.out, asked.err);
    let said = release("old.toml", "old");
    assert_eq!(said.code, 0, "{}", said.err);
    let page = std::fs::read_to_string(bench.path("old/report.html")).expect("a page");
    let free = "This release is entry 3 of the ledger. It cost nothing more, although its own price is epsilon = 0.5";
    assert!(page.contains(free), "the page says that it cost something");
    assert!(said.out.contains("had epsilon = 0.25 left before and has epsilon = 0.25 left now"), "{}", said.out);
    let entry = &shown(&bench)["entries"][3];
    let statement = entry["what"].as_str().expect("words");
    assert!(statement.contains("entry 1 by `age`") && statement.contains("McSherry 2009"), "{statement}");
    assert!(statement.contains("So epsilon = 0 was added to what is spent, and not epsilon = 0.5"), "{statement}");
    assert_eq!((&entry["price"]["epsilon"], &entry["added"]["epsilon"]), (&"0.5".into(), &"0".into()));
}

/// A column that is taken from another is read by how that one is read.
#[test]
fn numbers_of_dates_in_two_formats_are_two_columns() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "1", "--fixed-rows"]);
    bench.write("rows.csv", "born\n01.02.1990\n03.04.2001\n");
    let plan = |name: &str, condition: &str, format: &str| {
        let born = format!("[columns.born]\ntype = \"date\"\nformat = \"{format}\"\n");
        let year = "[columns.month]\nfrom = \"born\"\ntake = \"month\"";
        where_age(name, condition, "0.6").replace("[columns.age]\ntype = \"integer\"", &(born + year))
    };
    bench.write("early.toml", plan("early", "month < 3", "%d.%m.%Y"));
    bench.write("other.toml", plan("late", "month >= 3", "%m.%d.%Y"));
    bench.write("late.toml", plan("late", "month >= 3", "%d.%m.%Y"));
    let release = |plan: &str, out: &str| bench.run(&["release", plan, "--out", out]);
    assert_eq!(release("early.toml", "early").code, 0);
    assert_eq!(release("other.toml", "other").code, 9);
    let said = release("late.toml", "late");
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn rows_that_may_change_share_a_budget_within_one_release_alone() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "1"]);
    let old = "\n[[statistic]]\nname = \"old\"\nkind = \"count\"\nwhere = \"age >= 18\"\n";
    bench.write("both.toml", where_age("young", "age < 18", "0.75") + old);
    let said = bench.run(&["release", "both.toml", "--out", "both"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(shown(&bench)["spent"]["epsilon"], "0.75");
    let statement = shown(&bench)["entries"][1]["what"].to_string();
    assert!(statement.contains("keep the rows of some of its statistics apart"), "{statement}");
    bench.write("young.toml", where_age("young", "age < 18", "0.3"));
    assert_eq!(bench.run(&["release", "young.toml", "--out", "young"]).code, 9);
}

/// Gaussian noise that is accounted for together has one price, of the rows that all of it is about.
#[test]
fn gaussian_noise_together_has_one_price() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "1", "--delta", "1e-6", "--fixed-rows"]);
    let two = |condition: &str| {
        // Two equal counts are one measurement, unless the plan keeps them apart.
        let plan =
            where_age("one", condition, "1\ndelta = 1e-6\ntogether = \"none\"") + "mechanism = \"clamped-gaussian\"\n";
        let (head, statistic) = plan.split_at(plan.find("[[statistic]]").expect("a statistic"));
        format!("{head}{statistic}{}", statistic.replace("\"one\"", "\"two\""))
    };
    bench.write("young.toml", two("age < 18"));
    bench.write("old.toml", two("age >= 18"));
    bench.write("all.toml", two("age >= 17"));
    let release = |plan: &str, out: &str| bench.run(&["release", plan, "--out", out]);
    let said = release("young.toml", "young");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("is accounted for together"), "{}", said.out);
    let spent = &shown(&bench)["spent"];
    let delta: f64 = spent["delta"]
        .as_str()
        .expect("a number")
        .split('/')
        .map(|part| part.parse::<f64>().expect("a number"))
        .reduce(|a, b| a / b)
        .expect("a number");
    assert!(spent["epsilon"] == "1" && delta > 0.0 && delta <= 1e-6, "{spent}");
    assert_eq!((release("all.toml", "all").code, release("old.toml", "old").code), (9, 0));
}

#[test]
fn nothing_is_parallel_for_units_of_several_rows() {
    let bench = Workbench::new();
    let terms =
        ["ledger", "create", "rows.ledger", "--data", "rows.csv", "--neighbours", "add-remove", "--epsilon", "1"];
    assert_eq!(bench.run(&[&terms[..], &["--unit", "column=id", "--fixed-rows"]].concat()).code, 0);
    let plan = |name: &str, condition: &str| {
        let unit = "unit = { column = \"id\", max_rows = 2 }";
        let plan = where_age(name, condition, "0.6").replace("unit = \"row\"", unit);
        plan.replace("[columns.age]", "[columns.id]\ntype = \"integer\"\n[columns.age]")
    };
    bench.write("young.toml", plan("young", "age < 18"));
    bench.write("old.toml", plan("old", "age >= 18"));
    assert_eq!(bench.run(&["release", "young.toml", "--out", "young"]).code, 0);
    assert_eq!(bench.run(&["release", "old.toml", "--out", "old"]).code, 9);
}

/// A derived column is told from others by its rule, and by how the columns are read that it is made of.
#[test]
fn derived_columns_keep_rows_apart_only_where_they_are_the_same() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "1", "--fixed-rows"]);
    let plan = |name: &str, condition: &str, share: &str| {
        where_age(name, condition, share) + "\n[columns.old]\nis = \"age >= 40\"\n"
    };
    let old = plan("old", "old = TRUE", "0.5");
    bench.write("young.toml", plan("young", "old = FALSE", "0.75"));
    bench.write("old.toml", &old);
    bench.write("rule.toml", old.replace("age >= 40", "age >= 30"));
    bench.write("read.toml", old.replace("\"integer\"", "\"integer\"\nmissing_values = [99]"));
    let release = |plan: &str, out: &str| bench.run(&["release", plan, "--out", out]).code;
    assert_eq!(release("young.toml", "young"), 0);
    assert_eq!((release("rule.toml", "rule"), release("read.toml", "read")), (9, 9));
    assert_eq!(release("old.toml", "old-bundle"), 0);
}

/// A plan that asks for accuracy pays what was found for it, and is refused where that is more than is left.
#[test]
fn a_found_epsilon_is_what_is_paid() {
    let bench = Workbench::new();
    create(&bench, &["--epsilon", "0.5", "--fixed-rows"]);
    let plan = where_age("young", "age < 18", "\"least\"");
    bench.write("plan.toml", format!("{plan}want = {{ rmse = 5 }}\n"));
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 0 && said.out.contains("would cost the ledger epsilon = 0.282"), "{} {}", said.out, said.err);
    let said = bench.run(&["release", "plan.toml", "--out", "first"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(shown(&bench)["entries"][1]["price"]["epsilon"], "0.282");
    let said = bench.run(&["release", "plan.toml", "--out", "second"]);
    assert_eq!(said.code, 9, "{} {}", said.out, said.err);
}
