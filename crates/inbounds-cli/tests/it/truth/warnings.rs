//! Rows that vanish are noticed: the terminal, the page and the manifest say so beside the numbers.

use serde_json::Value;

use super::{Said, Workbench, file, manifest, people};

/// 2,000 rows: 1,200 `Gold`, 800 `Silver`, and a weight that is missing in 600 of them.
fn members(bench: &Workbench) {
    let row = |i: usize| {
        let plan = if i % 5 < 3 { "Gold" } else { "Silver" };
        let weight = if i % 10 < 3 { String::new() } else { format!("{}", 60 + i % 31) };
        format!("{i},{plan},{weight}\n")
    };
    let rows: String = (0..2000).map(row).collect();
    bench.write("rows.csv", format!("id,plan,weight\n{rows}"));
}

/// A plan over them, with these lines of `[data]`, these values of `plan`, and these statistics.
pub(super) fn plan(bench: &Workbench, data: &str, values: &str, statistics: &str) {
    bench.write(
        "plan.toml",
        format!(
            "[data]\npath = \"rows.csv\"\n{data}\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 2\n\
             [columns.id]\ntype = \"text\"\n[columns.plan]\ntype = \"text\"\nvalues = {values}\n\
             [columns.weight]\ntype = \"number\"\nlower = 0\nupper = 200\nmissing = \"drop\"\n{statistics}"
        ),
    );
}

pub(super) const BY_PLAN: &str = "[[statistic]]\nname = \"members\"\nkind = \"count\"\nby = [\"plan\"]\n";
const ALL: &str = "[[statistic]]\nname = \"all\"\nkind = \"count\"\n";
pub(super) const WEIGHT: &str = "[[statistic]]\nname = \"weight\"\nkind = \"mean\"\ncolumn = \"weight\"\n";

fn seeded(bench: &Workbench, plan: &str, bundle: &str) -> Said {
    bench.seeded(plan, bundle, "11")
}

/// Releases the plan of the workbench and returns the notices of each statistic, having found each sentence-making word
/// of `says` on terminal and page.
pub(super) fn noticed(bench: &Workbench, name: &str, says: &[&str]) -> Vec<Vec<Value>> {
    let said = seeded(bench, name, "bundle");
    // Lines are wrapped, so words are compared.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = words(&file(bench, "bundle/report.html").replace("<code>", "`").replace("</code>", "`"));
    for sentence in says {
        assert!(words(&said.out).contains(sentence), "terminal without `{sentence}`:\n{}", said.out);
        assert!(page.contains(&sentence.replace('"', "&quot;")), "page without `{sentence}`");
    }
    let manifest = manifest(bench, "bundle");
    let statistics = manifest["statistics"].as_array().expect("statistics");
    statistics.iter().map(|entry| entry["notices"].as_array().expect("notices").clone()).collect()
}

pub(super) fn ids(notices: &[Value]) -> Vec<&str> {
    notices.iter().map(|notice| notice["id"].as_str().expect("an id")).collect()
}

#[test]
fn a_right_plan_is_left_in_peace() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "expect_rows = \"1900 to 2100\"", "[\"Gold\", \"Silver\"]", &[BY_PLAN, ALL].concat());
    for notices in noticed(&bench, "plan.toml", &[]) {
        assert_eq!(notices, Vec::<Value>::new());
    }
}

#[test]
fn keys_that_no_row_has_are_noticed_against_another_statistic() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "", "[\"gold\", \"silver\"]", &[BY_PLAN, ALL].concat());
    let says = ["About 99 % of the rows do not have a listed `plan`, and are in none of these numbers."];
    let notices = noticed(&bench, "plan.toml", &says);
    assert_eq!((ids(&notices[0]), ids(&notices[1])), (vec!["left-out"], vec![]));
    assert_eq!((&notices[0][0]["reason"], &notices[0][0]["by"]), (&"unlisted".into(), &serde_json::json!(["plan"])));
    let rows = |field: &str| notices[0][0][field].as_u64().expect("a number");
    assert!(rows("rows") > 1_900 && rows("of") - rows("rows") < 20, "{notices:?}");
}

#[test]
fn keys_that_no_row_has_are_noticed_by_themselves() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "", "[\"gold\", \"silver\"]", BY_PLAN);
    let says = [
        "There may be no rows here at all: the noise hides whether there are none or up to",
        "in the 2 listed groups together. If there should be more than that: are the values of `plan` listed as the data spell them?",
    ];
    let notices = noticed(&bench, "plan.toml", &says);
    assert_eq!(ids(&notices[0]), ["no-rows", "left-out"]);
    plan(&bench, "expect_rows = \"1500 to 2500\"", "[\"gold\", \"silver\"]", BY_PLAN);
    // With a delta, rows that are left out are not measured.
    bench.edit("epsilon = 2", "epsilon = 2\ndelta = 1e-9");
    std::fs::remove_dir_all(bench.path("bundle")).expect("removes");
    let says = ["of the 1,500 to 2,500 rows that the plan expects have a listed `plan`"];
    assert_eq!(ids(&noticed(&bench, "plan.toml", &says)[0]), ["rows-lost"]);
}

#[test]
fn one_misspelled_key_of_two_is_noticed() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "", "[\"Gold\", \"silver\"]", BY_PLAN);
    let notices = noticed(&bench, "plan.toml", &["1 of the 2 listed groups by `plan` have next to no rows, at most"]);
    assert_eq!(ids(&notices[0]), ["empty-groups", "left-out"]);
}

#[test]
fn missing_values_are_noticed_beside_a_count() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "", "[\"Gold\", \"Silver\"]", &[ALL, WEIGHT].concat());
    let notices =
        noticed(&bench, "plan.toml", &["About 30 % of `weight` is missing, and is in none of these numbers."]);
    assert_eq!((ids(&notices[0]), ids(&notices[1])), (vec![], vec!["left-out"]));
}

#[test]
fn more_rows_than_expected_are_noticed() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "expect_rows = \"100 to 200\"", "[\"Gold\", \"Silver\"]", ALL);
    let notices = noticed(&bench, "plan.toml", &["rows are counted here, and the plan expects at most 200."]);
    assert_eq!(ids(&notices[0]), ["more-rows"]);
}

#[test]
fn bounds_of_another_unit_are_noticed() {
    let bench = Workbench::new();
    members(&bench);
    plan(&bench, "", "[\"Gold\", \"Silver\"]", WEIGHT);
    bench.edit("upper = 200", "upper = 30");
    let says = ["The mean of `weight` is within a hundredth of the range from the upper bound, 30: either most values"];
    assert_eq!(ids(&noticed(&bench, "plan.toml", &says)[0]), ["mean-at-bound", "left-out"]);
    let bins =
        "[[statistic]]\nname = \"weights\"\nkind = \"histogram\"\ncolumn = \"weight\"\nedges = [0, 10, 20, 30, 40]\n";
    plan(&bench, "", "[\"Gold\", \"Silver\"]", bins);
    std::fs::remove_dir_all(bench.path("bundle")).expect("removes");
    let notices = noticed(&bench, "plan.toml", &["% of the values of `weight` are in the last bin, above 30,"]);
    assert_eq!(ids(&notices[0]), ["values-in-end-bin", "left-out"]);
}

#[test]
fn mistakes_in_expected_rows_have_a_place_and_a_remedy() {
    for wrong in ["\"2000\"", "\"25000 to 15000\"", "2000", "\"many to more\""] {
        let bench = Workbench::new();
        bench.edit("path = \"rows.csv\"", &format!("path = \"rows.csv\"\nexpect_rows = {wrong}"));
        let said = bench.run(&["check", "plan.toml"]);
        assert_eq!(said.code, 2, "{wrong}: {}", said.out);
        assert!(said.err.contains("expect_rows = \"15000 to 25000\""), "{wrong}: {}", said.err);
    }
}

/// Columns of NHANES as a curator describes them who has not looked at the data.
#[test]
fn nhanes_described_wrongly_is_noticed() {
    let bench = Workbench::new();
    if !people(&bench, "nhanes_2009_2012.csv") {
        return;
    }
    let plan = "[data]\npath = \"nhanes_2009_2012.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"substitute\"\nrows = 20293\n\
        epsilon = 2\n[columns.Gender]\ntype = \"text\"\nvalues = [\"Male\", \"Female\"]\n\
        [columns.Race1]\ntype = \"integer\"\nvalues = [1, 2, 3, 4, 5]\n\
        [columns.BPSysAve]\ntype = \"number\"\nlower = 70\nupper = 240\nmissing = \"drop\"\n\
        [[statistic]]\nname = \"gender\"\nkind = \"count\"\nby = [\"Gender\"]\n\
        [[statistic]]\nname = \"race\"\nkind = \"count\"\nby = [\"Race1\"]\n\
        [[statistic]]\nname = \"pressure\"\nkind = \"mean\"\ncolumn = \"BPSysAve\"\n";
    bench.write("nhanes.toml", plan);
    let says = [
        "of 20,293 rows have a listed `Gender`; the others are in none of these numbers.",
        "of 20,293 rows have a listed `Race1`; the others are in none of these numbers.",
        "About 27 % of `BPSysAve` is missing: these numbers are of about 14,8",
    ];
    for notices in noticed(&bench, "nhanes.toml", &says) {
        assert_eq!(ids(&notices), ["rows-lost"]);
    }
}

/// Codes for missing and keys of another type in the adult file.
#[test]
fn adult_described_wrongly_is_noticed() {
    let bench = Workbench::new();
    if !people(&bench, "adult.csv") {
        return;
    }
    let plan = "[data]\npath = \"adult.csv\"\nexpect_rows = \"45000 to 50000\"\n[privacy]\nunit = \"row\"\n\
        neighbours = \"add-remove\"\nepsilon = 2\n[columns.sex]\ntype = \"text\"\nvalues = [\"male\", \"female\"]\n\
        [columns.income]\ntype = \"text\"\nvalues = [\"<=50K\", \">50K\"]\n\
        [[statistic]]\nname = \"sex\"\nkind = \"count\"\nby = [\"sex\"]\n\
        [[statistic]]\nname = \"income\"\nkind = \"count\"\nby = [\"income\"]\n";
    bench.write("adult.toml", plan);
    let notices = noticed(&bench, "adult.toml", &["do not have a listed `sex`, and are in none of these numbers."]);
    assert_eq!((ids(&notices[0]), ids(&notices[1])), (vec!["left-out"], vec![]));
}

/// A unit that is declared as a number, while its cells are texts, is seen by the curator at once.
#[test]
fn the_curator_sees_how_many_rows_can_count() {
    let bench = Workbench::new();
    let lines: String = (0..100).map(|i| format!("P{},{i}\n{},{i}\n", i % 10, i % 5)).collect();
    bench.write("rows.csv", format!("unit,value\n{lines}"));
    let plan = |kind: &str| {
        format!(
            "[data]\npath = \"rows.csv\"\n[privacy]\nunit = {{ column = \"unit\", max_rows = 3 }}\nneighbours = \"add-remove\"\n\
             epsilon = 1\n[columns.unit]\ntype = \"{kind}\"\n[[statistic]]\nname = \"all\"\nkind = \"count\"\n"
        )
    };
    for (kind, rows) in [("text", 45), ("integer", 15)] {
        bench.write("plan.toml", plan(kind));
        let said = bench.run(&["peek", "plan.toml"]);
        let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let left_out = 200 - rows;
        let said = format!("200 rows were read. {left_out} of them are left out, and {rows} can count");
        assert!(text.contains(&said), "{text}");
    }
}

/// The bins of a quantile are measured layer by layer, and the coarsest layer says best how many rows there are.
#[test]
fn rows_of_a_quantile_are_those_of_its_coarsest_layer() {
    let bench = Workbench::new();
    members(&bench);
    let quantile = "[[statistic]]\nname = \"median\"\nkind = \"quantile\"\ncolumn = \"weight\"\n\
                    edges = { lower = 0, upper = 200, bins = 2000 }\nprobabilities = [0.5]\nshare = 0.1\n";
    let all = ALL.replace("kind = \"count\"", "kind = \"count\"\nshare = 0.9");
    plan(&bench, "", "[\"Gold\", \"Silver\"]", &[quantile, &all].concat());
    let notices = noticed(&bench, "plan.toml", &[]);
    assert!(!ids(&notices[0]).contains(&"no-rows"), "1,400 rows were called none: {:?}", notices[0]);
}

/// Where a unit counts with a few of its rows, which are chosen from those that can count, no part is said to be
/// missing.
#[test]
fn capped_counts_say_nothing_about_missing_cells() {
    let bench = Workbench::new();
    let row =
        |i: usize| format!("u{},{}\n", i / 4, if i.is_multiple_of(2) { String::new() } else { format!("{}", i % 50) });
    let lines: String = (0..8000).map(row).collect();
    bench.write("rows.csv", format!("unit,value\n{lines}"));
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = { column = \"unit\", max_rows = 3 }\n\
         neighbours = \"add-remove\"\nepsilon = 20\n[columns.unit]\ntype = \"text\"\n\
         [columns.value]\ntype = \"integer\"\nlower = 0\nupper = 50\nmissing = \"drop\"\n\
         [[statistic]]\nname = \"all\"\nkind = \"count\"\n\
         [[statistic]]\nname = \"values\"\nkind = \"mean\"\ncolumn = \"value\"\n",
    );
    let notices = noticed(&bench, "plan.toml", &["At most 3 rows of each unit count: the others"]);
    assert_eq!(ids(&notices[1]), ["rows-lost"]);
    let said = file(&bench, "bundle/report.html");
    assert!(!said.contains("is missing:"), "half of the cells are missing, not a third");
}

/// A number that a notice says to be measured is not said to be unmeasured above it, and rows are compared with the
/// base that has the least error, which is stated.
#[test]
fn lost_rows_are_compared_with_the_least_noisy_base() {
    let bench = Workbench::new();
    let row = |i: usize| format!("u{i},{}\n", if i.is_multiple_of(4) { String::new() } else { format!("{}", i % 50) });
    bench.write("rows.csv", format!("unit,value\n{}", (0..2000).map(row).collect::<String>()));
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = { column = \"unit\", max_rows = 1 }\n\
         neighbours = \"add-remove\"\nepsilon = 20\n[columns.unit]\ntype = \"text\"\n\
         [columns.value]\ntype = \"integer\"\nlower = 0\nupper = 50\nmissing = \"drop\"\n\
         [[statistic]]\nname = \"noisy\"\nkind = \"count\"\nshare = 0.01\n\
         [[statistic]]\nname = \"all\"\nkind = \"count\"\nshare = 0.5\n\
         [[statistic]]\nname = \"values\"\nkind = \"mean\"\ncolumn = \"value\"\nshare = 0.49\n",
    );
    let notices = noticed(&bench, "plan.toml", &["of about 2,000 rows (± 0 at 95 %) of `all`"]);
    let lost = &notices[2][0];
    assert_eq!((ids(&notices[2]), &lost["of"]["name"]), (vec!["rows-lost"], &"all".into()));
    assert_eq!(lost["of"]["margin"], 0);
    let page = file(&bench, "bundle/report.html");
    assert!(page.contains("are left out.") && !page.contains("How many there are is not measured"), "{page}");
}

/// Diagnostics of units with several rows count those that are left of each unit, and do not call them the rows that
/// were read.
#[test]
fn capped_rows_are_not_called_the_rows_that_were_read() {
    let bench = Workbench::new();
    let lines: String = (0..8000).map(|i| format!("u{},{}\n", i / 4, i % 50)).collect();
    bench.write("rows.csv", format!("unit,value\n{lines}"));
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = { column = \"unit\", max_rows = 3 }\n\
         neighbours = \"add-remove\"\nepsilon = 20\ndiagnostics = 0.1\n[columns.unit]\ntype = \"text\"\n\
         [columns.value]\ntype = \"integer\"\nlower = 0\nupper = 50\nmissing = \"drop\"\n\
         [[statistic]]\nname = \"values\"\nkind = \"mean\"\ncolumn = \"value\"\n",
    );
    noticed(&bench, "plan.toml", &["at most 3 of each unit; the counts below are of these."]);
    assert!(!file(&bench, "bundle/report.html").contains("rows were read (±"), "8,000 were, and 6,000 can count");
}

/// A column whose unreadable cells are not counted says so, and one whose cells are counted does not.
#[test]
fn cells_that_nobody_counts_are_said_to_be_uncounted() {
    let bench = Workbench::new();
    let rows: String = (0..400).map(|row| format!("{row},{}\n", if row % 4 == 0 { "?" } else { "30" })).collect();
    bench.write("people.csv", format!("id,age\n{rows}"));
    let said = |unit: &str, rest: &str, missing: &str| {
        bench.write(
            "plan.toml",
            format!(
                "data = {{ path = 'people.csv' }}\nprivacy = {{ unit = {unit}, epsilon = 8{rest} }}\ncolumns.id.type = 'text'\n\
                 columns.age = {{ type = 'integer', lower = 0, upper = 100, missing = {missing} }}\n\
                 statistic = [{{ name = 'age', kind = 'mean', column = 'age' }}]\n"
            ),
        );
        let _ = std::fs::remove_dir_all(bench.path("bundle"));
        let said = bench.seeded("plan.toml", "bundle", "5");
        assert_eq!(said.code, 0, "{}", said.err);
        let sentence = "How many there are is not measured; `diagnostics` in the plan would measure it.";
        let page =
            std::fs::read_to_string(bench.path("bundle/report.html")).expect("a page").contains("is not measured; ");
        assert_eq!(said.out.contains(sentence), page, "{}", said.out);
        page
    };
    let (one, person) = ("'row'", "{ column = 'id', max_rows = 2 }");
    assert!(!said(one, ", neighbours = 'add-remove'", "'drop'"));
    assert!(said(one, ", neighbours = 'add-remove'", "0"));
    assert!(said(one, ", neighbours = 'add-remove', delta = 1e-6", "'drop'"));
    assert!(!said(one, ", neighbours = 'substitute', rows = 400", "'drop'"));
    assert!(said(person, ", neighbours = 'add-remove'", "'drop'"));
    assert!(!said(person, ", neighbours = 'add-remove', diagnostics = 0.2", "'drop'"));
}
