//! A ledger that is used as it should be, and what it says.

use std::{collections::BTreeSet, fs};

use super::{bench, create, json, manifest, shown};
use crate::{
    repository::{code_spans_of_section, read},
    workbench::Workbench,
};

#[test]
fn a_release_is_paid_for_and_says_what_is_left() {
    let bench = bench("2.5");
    let asked = bench.run(&["check", "plan.toml"]);
    let would = "The release would cost the ledger epsilon = 1. Of epsilon = 2.5 in all, epsilon = 2.5 is left, and epsilon = 1.5 \
                 would be left after it.";
    assert!(asked.out.contains(would), "{}", asked.out);
    let said = bench.release();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let words = "The ledger that paid for it, which gives out epsilon = 2.5 in all, had epsilon = 2.5 left before and has epsilon \
                 = 1.5 left now. The guarantee does not cover releases from the same rows that were not charged to that ledger, \
                 the time this run took, or what the plan itself reveals.";
    assert!(said.out.contains(words), "{}", said.out);
    let manifest = manifest(&bench, "bundle");
    let ledger = &manifest["guarantee"]["ledger"];
    assert!(manifest["guarantee"]["words"].as_str().expect("words").contains(words));
    assert_eq!(ledger["left_after"], json("{\"epsilon\": \"1.5\"}"));
    let fields: BTreeSet<String> = ledger.as_object().expect("fields").keys().cloned().collect();
    assert_eq!(code_spans_of_section(&read("docs/bundle.md"), "Paid from a ledger"), fields);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    for words in
        ["epsilon = 1.5 of epsilon = 2.5", "Entry 1 of the ledger paid epsilon = 1", "keep epsilon = 2.5 together"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("Another release from the same rows costs epsilon again"));
    let shown = shown(&bench);
    assert_eq!((&shown["left"]["epsilon"], &shown["id"]), (&"1.5".into(), &ledger["id"]));
    assert_eq!(shown["entries"][1]["standing"]["state"], "published");
}

#[test]
fn what_is_too_dear_is_refused_and_reads_nothing() {
    let bench = bench("1.25");
    assert_eq!(bench.release().code, 0);
    // Rows that cannot be read: a release that is refused does not find that out.
    bench.write("rows.csv", "id,sex,age,income\n1,f\n");
    let refused = bench.run(&["release", "plan.toml", "--out", "second"]);
    assert_eq!(refused.code, 9);
    assert_eq!(
        refused.err,
        "error: the release costs epsilon = 1, and the ledger has epsilon = 0.25 left; the largest epsilon with which this plan \
         would fit is 0.25. Nothing was spent\n"
    );
    let asked = bench.run(&["check", "plan.toml"]);
    assert_eq!((asked.code, asked.err.as_str()), (9, "error: the ledger would refuse this release\n"));
    let words = ["The plan is in order. No row was read.", "The ledger would refuse the release: the release costs"];
    assert!(words.iter().all(|words| asked.out.contains(words)), "{}", asked.out);
    let asked = bench.run(&["check", "plan.toml", "--json"]);
    assert_eq!(asked.code, 9);
    let checked = json(&asked.out);
    assert_eq!(checked["ledger"]["left_after"], serde_json::Value::Null);
    assert!(checked["ledger"]["refused"].as_str().expect("a reason").contains("has epsilon = 0.25 left"));
    assert!(!bench.path("second").exists());
    bench.write("rows.csv", crate::workbench::ROWS);
    bench.edit("epsilon = 1\n", "epsilon = 0.25\n");
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "second"]).code, 0);
}

/// `ledger check` says how many bundles it looked at, and finds those that were changed and those that were never
/// charged.
#[test]
fn bundles_that_were_changed_or_never_charged_are_found() {
    let bench = bench("3");
    assert_eq!(bench.release().code, 0);
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "second"]).code, 0);
    bench.seeded("plan.toml", "seeded", "7");
    bench.edit("ledger = \"rows.ledger\"\n", "");
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "free"]).code, 0);
    let check = |bundles: &[&str]| bench.run(&[&["ledger", "check", "rows.ledger"], bundles].concat());
    let said = check(&[]);
    assert!(said.code == 0 && said.out.contains("No bundle was named, so none was held against it."), "{}", said.out);
    let said = check(&["bundle", "second"]);
    let paid =
        "2 bundles were looked at. 2 of them were paid from this ledger, and their files are those of their manifests.";
    assert!(said.code == 0 && said.out.contains(paid), "{}{}", said.out, said.err);
    let said = check(&["bundle", "seeded"]);
    assert!(said.code == 0 && said.out.contains("2 bundles were looked at. 1 of them was paid"), "{}", said.out);
    assert!(said.out.contains("Not charged: seeded. Its noise is from a seed"), "{}", said.out);
    let said = check(&["bundle", "free"]);
    assert_eq!((said.code, said.err.as_str()), (9, "error: 1 of 2 bundles was changed or never charged\n"));
    assert!(said.out.contains("NOT CHARGED: free. If its rows are those of this ledger, enter"), "{}", said.out);
    let estimates = fs::read_to_string(bench.path("second/estimates.csv")).expect("estimates");
    bench.write("second/estimates.csv", estimates.replacen("people", "persons", 1));
    let said = check(&["bundle", "second"]);
    assert_eq!(said.code, 9, "{}", said.err);
    assert!(
        said.out.contains("CHANGED: second. The bundle is not as it was made: estimates.csv differs."),
        "{}",
        said.out
    );
    let said = check(&["bundle", "second", "free", "seeded", "--json"]);
    assert_eq!(said.code, 9);
    let bundles = &json(&said.out)["bundles"];
    assert_eq!(
        (&bundles["paid"], &bundles["not_charged"], &bundles["seeded"], &bundles["changed"][0]["bundle"]),
        (&json("[\"bundle\"]"), &json("[\"free\"]"), &json("[\"seeded\"]"), &"second".into())
    );
}

#[test]
fn rows_that_cannot_be_read_cost_nothing() {
    let bench = bench("1");
    bench.write("rows.csv", "id,sex,age,income\n1,f\n");
    assert_eq!(bench.release().code, 3);
    assert_eq!(shown(&bench)["entries"].as_array().expect("entries").len(), 1);
}

#[test]
fn a_bundle_that_cannot_be_begun_costs_nothing() {
    let bench = bench("1");
    let name = "n".repeat(250);
    assert_eq!(bench.run(&["release", "plan.toml", "--out", &name]).code, 4);
    assert_eq!(shown(&bench)["entries"].as_array().expect("entries").len(), 1);
}

#[test]
fn a_changed_manifest_is_noticed() {
    let bench = bench("1");
    assert_eq!(bench.release().code, 0);
    let check = || bench.run(&["ledger", "check", "rows.ledger", "bundle"]);
    assert_eq!(check().code, 0);
    let path = bench.path("bundle/release.json");
    let text = fs::read_to_string(&path).expect("a manifest");
    fs::write(&path, text + "\n").expect("writes");
    let said = check();
    assert!(said.code == 9 && said.err.contains("release.json was changed"), "{}", said.err);
}

#[test]
fn a_seeded_release_is_not_charged_and_says_so() {
    let bench = bench("0.5");
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(said.out.contains("The ledger of the plan was neither asked nor charged"), "{}", said.out);
    assert_eq!(shown(&bench)["left"]["epsilon"], "0.5");
    assert_eq!(manifest(&bench, "bundle")["guarantee"]["ledger"], serde_json::Value::Null);
}

#[test]
fn a_plan_about_something_else_is_refused() {
    let bench = bench("5");
    let refused = |from: &str, to: &str, words: &str| {
        bench.edit(from, to);
        for arguments in [&["release", "plan.toml", "--out", "bundle"][..], &["check", "plan.toml"]] {
            let said = bench.run(arguments);
            assert_eq!(said.code, 9, "{}{}", said.out, said.err);
            assert!(said.err.contains(words), "{}", said.err);
        }
        bench.edit(to, from);
    };
    bench.edit("[columns.sex]", "[columns.id]\ntype = \"integer\"\n\n[columns.sex]");
    refused(
        "unit = \"row\"",
        "unit = { column = \"id\", max_rows = 2 }",
        "protects one row, but the plan protects all rows with",
    );
    fs::copy(bench.path("rows.csv"), bench.path("copy.csv")).expect("copies");
    refused("path = \"rows.csv\"", "path = \"copy.csv\"", "the ledger belongs to the data set");
    refused("ledger = \"rows.ledger\"", "ledger = \"no.ledger\"", "there is no ledger at");
    refused("ledger = \"rows.ledger\"", "ledger = \"rows.csv\"", "is no ledger of inbounds");
    bench.edit("neighbours = \"add-remove\"", "neighbours = \"substitute\"\nrows = 5");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 9 && said.err.contains("the plan has neighbours = \"substitute\""), "{}", said.err);
}

#[test]
fn a_named_data_set_is_the_one_that_plans_name() {
    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", "epsilon = 1\nledger = \"rows.ledger\"\n");
    let terms =
        ["ledger", "create", "rows.ledger", "--unit", "row", "--neighbours", "add-remove", "--epsilon", "2", "--data"];
    let typo = bench.run(&[&terms[..], &["rosw.csv"]].concat());
    assert_eq!(typo.code, 2);
    assert!(typo.err.contains("there is no such file or folder"), "{}", typo.err);
    let said = bench.run(&[&terms[..], &["survey 2025"]].concat());
    assert!(said.code == 0 && said.out.contains("name = \"survey 2025\" to [data]"), "{}{}", said.out, said.err);
    let refused = bench.release();
    assert!(refused.code == 9 && refused.err.contains("write name = \"survey 2025\" in [data]"), "{}", refused.err);
    bench.edit("path = \"rows.csv\"", "path = \"rows.csv\"\nname = \"survey 2025\"");
    assert_eq!(bench.release().code, 0);
}

#[test]
fn gaussian_noise_is_paid_in_rho_by_its_variance() {
    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", "epsilon = 1\ndelta = 1e-6\nledger = \"rows.ledger\"\n");
    bench.edit("kind = \"count\"", "kind = \"count\"\nmechanism = \"clamped-gaussian\"");
    create(&bench, &["--rho", "0.5"]);
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let price = manifest(&bench, "bundle")["guarantee"]["ledger"]["price"]["rho"].as_str().expect("rho").to_owned();
    let price: inbounds_core::Rational = price.parse().expect("a number");
    // The two others are Laplace of epsilon 1/3 each; the Gaussian count has less rho than its epsilon alone would.
    let others = 1.0 / 9.0;
    assert!(price.to_f64() > others && price.to_f64() < others + 0.5 / 9.0, "{price}");

    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", "epsilon = 1\ndelta = 1e-6\nledger = \"rows.ledger\"\n");
    bench.edit("kind = \"count\"", "kind = \"count\"\nmechanism = \"clamped-gaussian\"");
    create(&bench, &["--epsilon", "5"]);
    let refused = bench.release();
    assert_eq!(refused.code, 9);
    assert!(refused.err.contains("spends delta, and the ledger counts pure epsilon"), "{}", refused.err);
}

/// Of keys that are learned no rho is known; a ledger of epsilon and delta pays for them.
#[test]
fn learned_keys_are_paid_in_epsilon_and_delta() {
    for (terms, answer) in [
        (vec!["--rho", "0.5"], Some("and list its keys where they are learned")),
        (vec!["--epsilon", "5"], Some("list its keys where they are learned")),
        (vec!["--epsilon", "5", "--delta", "1e-6"], None),
    ] {
        let bench = Workbench::new();
        bench.edit("epsilon = 1\n", "epsilon = 1\ndelta = 3e-7\nledger = \"rows.ledger\"\n");
        bench.edit("by = [\"sex\"]", "by = [\"age\"]\nlearn_keys = true");
        create(&bench, &terms);
        let said = bench.release();
        match answer {
            Some(words) => assert!(said.code == 9 && said.err.contains(words), "{}{}", said.out, said.err),
            None => {
                assert_eq!(said.code, 0, "{}", said.err);
                let price = &manifest(&bench, "bundle")["guarantee"]["ledger"]["price"];
                assert_eq!(*price, json("{\"epsilon\": \"1\", \"delta\": \"0.0000003\"}"));
            }
        }
    }
}

#[test]
fn epsilon_and_delta_are_both_kept() {
    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", "epsilon = 1\ndelta = 3e-6\nledger = \"rows.ledger\"\n");
    bench.edit("kind = \"count\"", "kind = \"count\"\nmechanism = \"clamped-gaussian\"");
    create(&bench, &["--epsilon", "100", "--delta", "1.5e-6"]);
    assert_eq!(bench.release().code, 0);
    let refused = bench.run(&["release", "plan.toml", "--out", "second"]);
    assert_eq!(refused.code, 9);
    assert!(
        refused.err.contains("has epsilon = 99 and delta = 0.0000005 left; no epsilon of this plan would fit"),
        "{}",
        refused.err
    );
}

#[test]
fn what_was_spent_elsewhere_is_recorded_and_a_history_is_exported() {
    let bench = bench("3");
    let record =
        ["ledger", "record", "rows.ledger", "--epsilon", "1/3", "--reason", "the <report> of 2024", "--by", "Ada"];
    let said = bench.run(&record);
    assert_eq!(said.out, "Entry 1: Spent elsewhere: the <report> of 2024 Left: epsilon = 8/3.\n");
    assert_eq!(bench.release().code, 0);
    assert_eq!(bench.run(&["ledger", "export", "rows.ledger", "--out", "history.csv"]).code, 0);
    assert_eq!(bench.run(&["ledger", "export", "rows.ledger", "--out", "history.html"]).code, 0);
    let table = fs::read_to_string(bench.path("history.csv")).expect("a table");
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(table.as_bytes()).records().collect::<Result<_, _>>().expect("CSV");
    let column = |row: usize, place: usize| rows[row].get(place).expect("a cell").to_owned();
    assert_eq!(rows.len(), 4);
    assert_eq!((column(1, 4), column(1, 5), column(1, 2)), ("recorded".into(), "1/3".into(), "Ada".into()));
    assert_eq!((column(2, 4), column(2, 5)), ("reserved".into(), "1".into()));
    let page = fs::read_to_string(bench.path("history.html")).expect("a page");
    assert!(page.contains("the &#60;report&#62; of 2024") || page.contains("the &lt;report&gt; of 2024"));
    assert!(!page.contains("<report>"));
    let again = bench.run(&["ledger", "export", "rows.ledger", "--out", "history.csv"]);
    assert_eq!(again.code, 4);
    assert_eq!(bench.run(&["ledger", "export", "rows.ledger", "--out", "history.pdf"]).code, 2);
}

#[test]
fn an_old_copy_that_is_put_back_is_noticed_by_its_bundles() {
    let bench = bench("3");
    fs::copy(bench.path("rows.ledger"), bench.path("old")).expect("copies");
    assert_eq!(bench.release().code, 0);
    fs::rename(bench.path("old"), bench.path("rows.ledger")).expect("puts back");
    assert_eq!(bench.run(&["ledger", "check", "rows.ledger"]).code, 0);
    let said = bench.run(&["ledger", "check", "rows.ledger", "bundle"]);
    assert_eq!(said.code, 9);
    assert!(said.err.contains("the bundle `bundle` was released from entry 1"), "{}", said.err);
    assert_eq!(bench.run(&["ledger", "check", "rows.ledger", "plan.toml"]).code, 3);
}

#[test]
fn everything_fits_into_eighty_columns() {
    let bench = bench("3");
    bench.write(
        "plan.toml",
        fs::read_to_string(bench.path("plan.toml")).expect("plan").replacen(
            "[data]",
            "title = \"Hospital stays by district, age and year of admission\"\n[data]",
            1,
        ),
    );
    assert_eq!(bench.release().code, 0);
    for arguments in [&["ledger", "show", "rows.ledger"][..], &["ledger", "check", "rows.ledger"]] {
        let said = bench.run_at(80, arguments);
        assert_eq!(said.code, 0);
        let wide: Vec<&str> = said.out.lines().filter(|line| line.chars().count() > 80 && line.contains(' ')).collect();
        assert!(wide.is_empty(), "{wide:?}");
    }
}
