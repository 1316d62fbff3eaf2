//! What pages and answers say of themselves is so: of privacy, of tables, of intervals, and of what to write.

use super::*;

/// A page in plain words, with names between backticks.
fn page(bench: &Workbench, bundle: &str) -> String {
    let page = file(bench, &format!("{bundle}/report.html"));
    page.replace("<code>", "`").replace("</code>", "`").replace("&quot;", "\"")
}

/// What is read out instead of each picture of a page.
fn spoken(page: &str) -> Vec<&str> {
    let pictures = page.split("<svg").skip(1);
    pictures.filter_map(|svg| svg.split_once("aria-label=\"")?.1.split('"').next()).collect()
}

#[test]
fn only_a_private_release_is_called_one() {
    let bench = Workbench::new();
    bench.seeded("plan.toml", "seeded", "7");
    let seeded = page(&bench, "seeded");
    assert!(seeded.contains("<p class=\"kind\">Demonstration, not private</p>"), "no kind");
    assert!(seeded.contains("for a demonstration: the noise can be undone."), "no lead");
    assert!(seeded.contains("Epsilon it would spend"), "no cost");
    for words in [
        "Differentially private release",
        "Random noise hides",
        "guess right with",
        "Epsilon spent",
        "is spent",
        "The guarantee is for this release",
    ] {
        assert!(!seeded.contains(words), "a seeded page says `{words}`");
    }
    assert_eq!(bench.release().code, 0);
    let private = page(&bench, "bundle");
    assert!(private.contains("<p class=\"kind\">Differentially private release</p>"), "no kind");
    for words in [
        "Random noise hides whether any one row is in the data.",
        "Epsilon spent",
        "is spent; the table below shows the parts.",
        "The guarantee is for this release",
    ] {
        assert!(private.contains(words), "a private page lacks `{words}`");
    }
    assert!(!private.contains("demonstration"), "a private page speaks of a demonstration");
    bench.edit("unit = \"row\"", "unit = { column = \"id\", max_rows = 2 }");
    bench.edit("[columns.sex]", "[columns.id]\ntype = \"integer\"\n\n[columns.sex]");
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "units"]).code, 0);
    let units = page(&bench, "units");
    assert!(units.contains("Random noise hides whether the rows of any one “id” are in the data."), "no lead");
}

/// Twelve cells: the picture has all of them, the table beside it the first ten.
#[test]
fn no_picture_promises_a_table_and_no_lead_an_interval_that_holds() {
    let bench = Workbench::new();
    let values: Vec<String> = (0..12).map(|value| format!("\"k{value}\"")).collect();
    let rows: String = (0..600).map(|row| format!("{row},k{}\n", row % 7)).collect();
    bench.write("rows.csv", format!("id,key\n{rows}"));
    bench.write(
        "plan.toml",
        format!(
            "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 0.1\n\
             [columns.key]\ntype = \"text\"\nvalues = [{}]\n\
             [[statistic]]\nname = \"keys\"\nkind = \"count\"\nby = [\"key\"]\n",
            values.join(", ")
        ),
    );
    bench.seeded("plan.toml", "bundle", "3");
    let page = page(&bench, "bundle");
    let in_table = |value: usize| page.matches(&format!("k{value}<")).count() >= 2;
    assert!((0..12).all(in_table), "every number is in the table of estimates and in that of errors");
    let read_out = spoken(&page);
    assert!(read_out.contains(&"rows: 12 numbers with intervals."), "{read_out:?}");
    assert!(!page.contains("The table has them too"), "it has ten of twelve");
    for words in ["Every number is inside its range", "for the exact answer", "distances from the value"] {
        assert!(!page.contains(words), "the page says `{words}`");
    }
    for words in [
        "how far below or above it the exact answer from the rows that count may lie",
        "Noisy numbers below 0 are only in the table.",
        "of 12 noisy numbers had to be moved into the range, by",
    ] {
        assert!(page.contains(words), "the page lacks `{words}`");
    }
}

/// The rows may be heaped anywhere in a bin, and the error of a quantile is the largest over it.
#[test]
fn errors_of_a_quantile_are_not_called_those_at_the_estimate() {
    let bench = Workbench::new();
    bench.write("rows.csv", format!("x\n{}", (0..400).map(|row| format!("{}\n", row % 90)).collect::<String>()));
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 5\n\
         [columns.x]\ntype = \"number\"\nlower = 0\nupper = 100\nmissing = \"drop\"\n\
         [[statistic]]\nname = \"median\"\nkind = \"quantile\"\ncolumn = \"x\"\n\
         edges = { lower = 0, upper = 100, bins = 10 }\nprobabilities = [0.5]\n",
    );
    let said = bench.seeded("plan.toml", "bundle", "3");
    let terminal = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = page(&bench, "bundle");
    assert!(terminal.contains("largest bias") && !terminal.contains("simulated bias"), "{}", said.out);
    assert!(page.contains("largest bias in the bin") && !page.contains("simulated bias"), "the page");
}

/// Every listed value is that of rows; it is the condition that lets none pass.
#[test]
fn a_condition_that_no_row_meets_is_named_beside_the_values() {
    let bench = Workbench::new();
    bench.edit("by = [\"sex\"]", "by = [\"sex\"]\nwhere = \"age > 105\"");
    let said = bench.seeded("plan.toml", "bundle", "7");
    let words = "are the values of `sex` listed as the data spell them, and does `where` fit the data?";
    assert!(said.out.contains(words), "{}", said.out);
    assert!(!said.out.contains("There may be no rows with"), "all rows have a sex: {}", said.out);
    let notices = manifest(&bench, "bundle")["statistics"][0]["notices"].clone();
    assert_eq!((&notices[0]["id"], &notices[0]["filtered"]), (&"no-rows".into(), &Value::Bool(true)));
}

#[test]
fn a_file_that_is_not_there_is_not_said_to_hold_a_mistake() {
    let bench = Workbench::new();
    let said = bench.run(&["check", "nope.toml"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("error: no plan could be read from nope.toml; no row was read"), "{}", said.err);
    let said = bench.run(&["check", "rows.csv"]);
    assert!(said.code == 2 && !said.err.contains("mistake"), "{}", said.err);
}

/// No statement of how many rows are left out is needed where none is.
#[test]
fn rows_that_all_count_are_said_to() {
    let bench = Workbench::new();
    bench.edit("unit = \"row\"", "unit = { column = \"id\", max_rows = 2 }");
    bench.edit("[columns.sex]", "[columns.id]\ntype = \"integer\"\n\n[columns.sex]");
    let said = bench.run(&["peek", "plan.toml"]);
    let words = "All can count: each has a readable `id`, and no unit has more than 2 rows.";
    assert!(said.out.contains(words), "{}{}", said.out, said.err);
}

/// A statistic that the README says to count patients counts patients.
#[test]
fn the_plan_of_the_readme_counts_what_its_name_says() {
    let readme = crate::repository::read("README.md");
    let plan = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    let bench = Workbench::new();
    bench.write("plan.toml", plan);
    bench.write("stays.csv", "patient,age,district\na,70,Dunmere\na,70,Dunmere\nb,66,Dunmere\nc,12,Dunmere\n");
    bench.edit("privacy.epsilon = 1\n", "privacy.epsilon = 1000\n");
    let said = bench.seeded("plan.toml", "bundle", "7");
    let rows = rows(&bench, "bundle/estimates.csv");
    let row_of = |district: &str| rows.iter().find(|row| row["by_district"] == district).expect("a cell").clone();
    let cell = row_of("Dunmere");
    assert!(cell["statistic"].contains("patients"), "{}", said.out);
    assert_eq!((cell["estimate"].as_str(), cell["unit"].as_str()), ("2.0", "units"));
}
