//! What a share of epsilon shows of how the rows were read, and what the curator can see for nothing.

use serde_json::Value;

use super::{
    Workbench, file, manifest, people,
    warnings::{BY_PLAN, WEIGHT, ids, noticed, plan},
};

/// A column of every kind of cell, and of -99 for missing.
fn codes(bench: &Workbench) {
    let row = |i: usize| {
        let plan = ["Gold", "Silver", "Bronze", ""][i % 4];
        let weight = match i % 10 {
            0 => "-99".to_owned(),
            1 => String::new(),
            2 => "unknown".to_owned(),
            _ => format!("{}", 60 + i % 31),
        };
        format!("{i},{plan},{weight}\n")
    };
    let rows: String = (0..2000).map(row).collect();
    bench.write("rows.csv", format!("id,plan,weight\n{rows}"));
}

fn with_diagnostics(bench: &Workbench, share: &str) {
    plan(bench, "", "[\"Gold\", \"Silver\"]", &[BY_PLAN, WEIGHT].concat());
    bench.edit("epsilon = 2", &format!("epsilon = 2\ndiagnostics = {share}"));
}

#[test]
fn diagnostics_say_how_the_rows_were_read() {
    let bench = Workbench::new();
    codes(&bench);
    with_diagnostics(&bench, "0.5");
    let says = ["have a listed `plan`: about 50 % of all.", "Of `weight` about 20 % (± "];
    let notices = noticed(&bench, "plan.toml", &says);
    assert_eq!((ids(&notices[0]), ids(&notices[1])), (vec!["rows-lost"], vec!["rows-lost"]));
    assert_eq!(notices[0][0]["of"]["known"], "read");
    let manifest = manifest(&bench, "bundle");
    let entry = &manifest["diagnostics"];
    // Half of epsilon 2 for three counts that one row moves: noise of scale 3, which passes 45 with probability 3e-7.
    assert_eq!(
        (&entry["epsilon"], &entry["sensitivity"], &entry["rule"]),
        (&"1".into(), &3.into(), &"survey-counts".into())
    );
    assert_eq!(entry["inverse_scale"], "1/3");
    let near = |count: &Value, truth: i64| {
        let measured = count["measured"].as_i64().expect("a whole number");
        assert!((measured - truth).abs() < 45, "{measured} for {truth}");
    };
    near(&entry["rows"]["rows"], 2000);
    near(&entry["listed"][0]["rows"], 1000);
    let weight = &entry["columns"][0];
    near(&weight["below"], 200);
    near(&weight["within"], 1400);
    near(&weight["above"], 0);
    // Diagnostics have half, the two statistics a quarter each.
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "2");
    for statistic in manifest["statistics"].as_array().expect("statistics") {
        assert_eq!(statistic["epsilon"], "0.5");
    }
}

/// How far a count of the manifest may be off, either way.
fn margin(count: &Value) -> u64 {
    let number = |value: &Value| value.as_u64().expect("a number");
    let rows = count["measured"].as_i64().expect("a whole number").max(0) as u64;
    (number(&count["interval"][1]) - rows).max(rows.saturating_sub(number(&count["interval"][0])))
}

/// What the program says of the rows, on a terminal of 80 columns, and the record.
fn said_of_rows(bench: &Workbench, plan: &str) -> (String, Value) {
    let said = bench.run_at(80, &["release", plan, "--out", "bundle", "--seed", "11", "--not-private"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let (_, rows) = said.out.split_once("\nThe rows, epsilon ").expect("diagnostics");
    let (rows, _) = rows.split_once("\n\n").expect("their end");
    assert!(rows.lines().all(|line| line.chars().count() <= 80), "{rows}");
    // Wrapped between words only, as the page has them.
    let page = file(bench, "bundle/report.html").replace("<code>", "`").replace("</code>", "`");
    let words = rows.lines().skip(1).collect::<Vec<_>>().join(" ");
    for sentence in words.split_inclusive(". ").filter(|sentence| sentence.starts_with("About")) {
        assert!(page.contains(sentence.trim()), "the page lacks `{sentence}`");
    }
    (words, manifest(bench, "bundle")["diagnostics"].clone())
}

#[test]
fn diagnostics_say_how_far_they_may_be_off_at_80_columns() {
    let bench = Workbench::new();
    codes(&bench);
    with_diagnostics(&bench, "0.5");
    let (said, entry) = said_of_rows(&bench, "plan.toml");
    let weight = &entry["columns"][0];
    // Discrete Laplace noise of scale 3 passes 9 with probability 0.041 and 8 with 0.058; that of four such counts is
    // wider.
    assert_eq!([&entry["rows"]["rows"], &entry["listed"][0]["rows"], &weight["below"]].map(margin), [9; 3]);
    assert!((10..36).contains(&margin(&weight["missing"])), "{weight}");
    for part in [
        "rows were read (± 9 at 95 %).".to_owned(),
        "rows (± 9 at 95 %) have a listed `plan`: about 50 % of all.".to_owned(),
        format!("(± {} rows at 95 %) is missing; about ", margin(&weight["missing"])),
        "(± 9) values are below 0 and 0 (± 9) above 200.".to_owned(),
    ] {
        assert!(said.contains(&part), "no `{part}` in `{said}`");
    }
    // Notices of lost rows say it too: in the first statistic half of epsilon 1, so noise of scale 2.
    let notice = &manifest(&bench, "bundle")["statistics"][0]["notices"][0];
    assert_eq!(notice["id"], "rows-lost");
    let margin = notice["margin"].as_u64().expect("a margin");
    assert!(file(&bench, "bundle/report.html").contains(&format!("(± {margin} at 95 %) of about")));
}

#[test]
fn diagnostics_of_a_real_file_hold_the_truth() {
    let bench = Workbench::new();
    if !people(&bench, "nhanes_2009_2012.csv") {
        return;
    }
    bench.write(
        "nhanes.toml",
        "[data]\npath = \"nhanes_2009_2012.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 2\n\
         diagnostics = 0.05\n[columns.Gender]\ntype = \"text\"\nvalues = [\"Male\", \"Female\"]\n\
         [columns.BPSysAve]\ntype = \"number\"\nlower = 70\nupper = 240\nmissing = \"drop\"\n\
         [[statistic]]\nname = \"gender\"\nkind = \"count\"\nby = [\"Gender\"]\n\
         [[statistic]]\nname = \"pressure\"\nkind = \"mean\"\ncolumn = \"BPSysAve\"\n",
    );
    let (said, entry) = said_of_rows(&bench, "nhanes.toml");
    let exact: Value = serde_json::from_str(&bench.run(&["peek", "nhanes.toml", "--json"]).out).expect("JSON");
    let column = &exact["counts"]["columns"][0];
    let missing = column["empty"].as_u64().expect("a count") + column["unreadable"].as_u64().expect("a count");
    let stated = &entry["columns"][0]["missing"];
    let near = stated["measured"].as_i64().expect("a whole number").abs_diff(missing as i64);
    // Seeded: one seed in twenty or fewer may fall outside.
    assert!(near <= margin(stated), "{near} {stated}");
    assert!(
        said.contains(&format!("Of `BPSysAve` about 27 % (± {} rows at 95 %) is missing", margin(stated))),
        "{said}"
    );
}

#[test]
fn check_says_what_diagnostics_will_see() {
    let bench = Workbench::new();
    codes(&bench);
    with_diagnostics(&bench, "0.5");
    bench.edit("[privacy]", "expect_rows = \"2000 to 3000\"\n[privacy]");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "Diagnostics, epsilon 1, noise of scale 3 rows: a column that is missing in more than ";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(" % of 2,000 rows will be noticed"), "{said}");
}

#[test]
fn mistakes_in_diagnostics_have_a_place_and_a_remedy() {
    for wrong in ["0", "1", "-0.1", "\"some\"", "true"] {
        let bench = Workbench::new();
        codes(&bench);
        with_diagnostics(&bench, wrong);
        let said = bench.run(&["check", "plan.toml"]);
        assert_eq!(said.code, 2, "{wrong}: {}", said.out);
        assert!(said.err.contains("diagnostics"), "{wrong}: {}", said.err);
    }
}

#[test]
fn the_curator_can_peek_and_nothing_is_written() {
    let bench = Workbench::new();
    codes(&bench);
    plan(&bench, "", "[\"Gold\", \"Silver\"]", &[BY_PLAN, WEIGHT].concat());
    let before = bench.names();
    let said = bench.run(&["peek", "plan.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("NOT PRIVATE.") && said.out.matches("NOT PRIVATE.").count() == 2, "{}", said.out);
    assert!(said.out.trim_end().ends_with("do not publish, send or keep them."), "{}", said.out);
    // Sentences are wrapped where there is a terminal.
    let is_sentence = |line: &str| line.starts_with("The plan cannot use");
    assert!(said.out.lines().all(|line| is_sentence(line) || line.chars().count() <= 80), "{}", said.out);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = said.out.lines().map(words).collect();
    for line in ["2,000 rows were read.", "plan 1,000 500 500", "weight 0 to 200 200 1,400 0 200 200"] {
        assert!(lines.iter().any(|shown| shown == line), "no line `{line}` in\n{}", said.out);
    }
    let json: Value = serde_json::from_str(&bench.run(&["peek", "plan.toml", "--json"]).out).expect("JSON");
    assert!(json["not_private"].as_str().is_some_and(|mark| mark.starts_with("NOT PRIVATE")));
    assert_eq!(json["counts"]["columns"][0]["unreadable"], 200);
    assert_eq!(bench.names(), before);
    // Cells of any kind: the same exit code.
    bench.write("rows.csv", "id,plan,weight\n\u{1b},\"a\nb\",1e999\n,,NaN\n");
    assert_eq!(bench.run(&["peek", "plan.toml"]).code, 0);
}
