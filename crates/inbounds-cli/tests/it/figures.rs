//! `inbounds figure` and `inbounds compare` on releases of the example, and their document.

use std::{collections::BTreeSet, fs};

use inbounds_figures::{FigureKind, FigureMethod};
use serde_json::Value;

use crate::repository::{PLAN, code_spans_of_section, fields, read, root, run, seeded_release, stdout, words};
use tempfile::TempDir;

const FIGURES: &str = "
[[figure]]
name = \"rate\"
kind = \"rate\"
of = \"stays-by-district\"
per = { file = \"population.csv\", value = \"people\" }

[[figure]]
name = \"share\"
kind = \"ratio\"
of = \"stays-by-district\"
per = { statistic = \"stays-by-district\", total = true }
joint = true

[[figure]]
name = \"cost-of-men\"
kind = \"change\"
of = { statistic = \"mean-cost-by-sex\", where = { sex = \"male\" } }
from = { statistic = \"mean-cost-by-sex\", where = { sex = \"female\" } }
";

const PEOPLE: &str = "district,people\nAldermoor,52000\nBrackwater,41000\nCinder Hills,30500\nDunmere,22000\nEastholm,12000\n\
                      Fenwick,4100\nGullcrag,1300\nHollin Isle,260\n";

fn manifest(folder: &std::path::Path) -> Value {
    let file = fs::read_to_string(folder.join("figures.json")).expect("a manifest");
    serde_json::from_str(&file).expect("JSON")
}

#[test]
fn figures_are_made_compared_and_documented() {
    let (_, folder) = seeded_release();
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(at("figures.toml"), FIGURES).expect("writes");
    fs::write(at("population.csv"), PEOPLE).expect("writes");
    let output = run(&["figure", &at("bundle"), &at("figures.toml"), "--out", &at("out")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = stdout(&output);
    assert!(said.contains("share (ratio, pure number; intervals at 95 %, all at once)"), "{said}");
    assert!(said.contains("NOT PRIVATE"), "{said}");
    let table = fs::read_to_string(folder.path().join("out/figures.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + 8 + 8 + 1);

    // A second release of the same plan, with other noise.
    let again = run(&["release", PLAN, "--out", &at("again"), "--seed", "8", "--not-private"]);
    assert!(again.status.success());
    let output = run(&["compare", &at("bundle"), &at("again"), "--out", &at("compared"), "--interval", "0.9"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains("of 11 numbers can be told from no change at 90 %"), "{}", stdout(&output));

    let text = read("docs/figures.md");
    let generic = |column: &str| if column.starts_with("by_") { "by_<column>".to_owned() } else { column.to_owned() };
    let mut columns: BTreeSet<String> = table.lines().next().expect("a header").split(',').map(generic).collect();
    // Of releases of plans with classes.
    columns.insert("quality".to_owned());
    assert_eq!(code_spans_of_section(&text, "figures.csv"), columns);
    let mut field_names = BTreeSet::new();
    fields(&manifest(&folder.path().join("out")), "", &mut field_names);
    fields(&manifest(&folder.path().join("compared")), "", &mut field_names);
    // Nothing was refused here, and no public table read.
    field_names.retain(|field| !["comparison.refused", "tables"].contains(&field.as_str()));
    field_names.extend(["statistic", "reason"].map(|field| format!("comparison.refused[].{field}")));
    // Only releases leave figures out.
    field_names.extend(["name", "reason"].map(|field| format!("refused[].{field}")));
    assert_eq!(code_spans_of_section(&text, "figures.json"), field_names);
    assert_eq!(code_spans_of_section(&text, "Intervals"), words::<FigureMethod>());
    let kinds = words::<FigureKind>();
    assert!(kinds.is_subset(&code_spans_of_section(&text, "The file")), "{kinds:?}");
}

#[test]
fn a_plan_makes_its_figures_in_its_release() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let example = root().join("examples/registry");
    let plan = example.join("rates.toml");
    let plan = plan.to_str().expect("UTF-8");
    let checked = stdout(&run(&["check", plan]));
    assert!(checked.contains("Figures: stays-per-100000, share, cost-of-men, place."), "{checked}");
    let released = run(&["release", plan, "--out", &at("bundle"), "--seed", "7", "--not-private", "--all"]);
    assert!(released.status.success(), "{}", String::from_utf8_lossy(&released.stderr));

    // What the plan makes is what the command makes of the bundle.
    let text = fs::read_to_string(plan).expect("the plan");
    let figures = text.split_once("[[figure]]").expect("figures").1;
    fs::write(at("figures.toml"), format!("interval = 0.9\n[[figure]]{figures}")).expect("writes");
    for file in ["population.csv", "districts.geojson"] {
        fs::copy(example.join(file), at(file)).expect("copies");
    }
    let output = run(&["figure", &at("bundle"), &at("figures.toml"), "--out", &at("out"), "--all"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = |folder: &str| fs::read_to_string(at(&format!("{folder}/figures.csv"))).expect("a table");
    assert_eq!(table("bundle"), table("out"));
    let [own, other] = ["bundle", "out"].map(|name| manifest(&folder.path().join(name)));
    let plan_digest = own["figures_sha256"].as_str().expect("a digest");
    let release: Value =
        serde_json::from_slice(&fs::read(at("bundle/release.json")).expect("a manifest")).expect("JSON");
    assert_eq!(release["plan_sha256"].as_str(), Some(plan_digest));
    for field in ["figures", "releases", "tables", "files"] {
        assert_eq!(own[field], other[field], "{field}");
    }

    // The terminal has the figures that the command prints, and the page has them too.
    let printed = stdout(&output);
    let printed = printed.split("\n\n").next().expect("a figure");
    assert!(stdout(&released).contains(printed), "{printed}");
    let page = fs::read_to_string(at("bundle/report.html")).expect("a page");
    for words in ["id=\"figures\"", "Stays per 100,000 people: a rate", "90 % interval, all at once", "population.csv"]
    {
        assert!(page.contains(words), "{words}");
    }

    // A figure that was changed afterwards shows.
    fs::write(at("bundle/figures.csv"), table("bundle").replace("Dunmere", "Dunmore")).expect("writes");
    let report = run(&["report", &at("bundle"), "--out", &at("again.html")]);
    let page = fs::read_to_string(at("again.html")).expect("a page");
    assert!(page.contains("The bundle is not as it was made: figures.csv differs"), "{report:?}");
}

#[test]
fn a_public_table_is_part_of_what_is_approved() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for file in ["rates.toml", "stays.csv", "population.csv", "districts.geojson"] {
        fs::copy(root().join("examples/registry").join(file), at(file)).expect("copies");
    }
    let digest = |page: &str| {
        let said = stdout(&run(&["check", &at("rates.toml"), "--out", &at(page)]));
        said.split("Digest to approve: ").nth(1).expect("a digest").trim().to_owned()
    };
    let first = digest("one.html");
    let page = fs::read_to_string(at("one.html")).expect("a page");
    for words in ["population.csv", "Figures that are made of these numbers", "Stays per 100,000 people", "a rate"] {
        assert!(page.contains(words), "{words}");
    }
    let table = fs::read_to_string(at("population.csv")).expect("a table");
    fs::write(at("population.csv"), table.replace("52000", "53000")).expect("writes");
    assert_ne!(digest("other.html"), first);
}

#[test]
fn what_noise_decides_of_a_figure_is_no_loss_of_the_release() {
    // Ten thousand cells with levels: their fit is too large for figures, which only the released fit shows.
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let values: Vec<String> = (0..3000).map(|value| value.to_string()).collect();
    let plan = format!(
        "data.path = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n\
         [columns.place]\ntype = \"integer\"\nvalues = [{}]\n\
         [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"place\"]\nlevels = [\"all\", \"place\"]\n\
         [[figure]]\nname = \"rank\"\nkind = \"rank\"\nof = \"people\"\n",
        values.join(", ")
    );
    fs::write(at("plan.toml"), plan).expect("writes");
    fs::write(at("rows.csv"), "place\n1\n2\n2\n").expect("writes");
    let released = run(&["release", &at("plan.toml"), "--out", &at("bundle"), "--seed", "7", "--not-private"]);
    assert!(released.status.success(), "{}", String::from_utf8_lossy(&released.stderr));
    assert!(stdout(&released).contains("Not made: figure rank: the fit of `people` has"), "{}", stdout(&released));
    let made = manifest(&folder.path().join("bundle"));
    assert_eq!((made["figures"].as_array().map(Vec::len), &made["refused"][0]["name"]), (Some(0), &"rank".into()));
    let page = fs::read_to_string(at("bundle/report.html")).expect("a page");
    assert!(page.contains("could not be made: the fit of"), "no notice on the page");
}

/// On the terminal figures call columns, values and rows what statistics call them, and the page calls rows so too.
#[test]
fn figures_are_shown_in_words_of_the_plan() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let plan = "unit_of_rows = \"people\"\ndata.path = \"rows.csv\"\n\
                privacy = { unit = \"row\", neighbours = \"add-remove\", epsilon = 2 }\n\
                [columns.place]\ntype = \"integer\"\nlabel = \"District\"\nvalues = [1, 2]\n\
                labels = { 1 = \"Aldermoor\", 2 = \"Brackwater\" }\n\
                [[statistic]]\nname = \"n\"\nkind = \"count\"\nby = [\"place\"]\n\
                [[figure]]\nname = \"rate\"\nkind = \"rate\"\nof = \"n\"\nper = 500\ntimes = 1000\n";
    fs::write(at("plan.toml"), plan).expect("writes");
    fs::write(at("rows.csv"), format!("place\n{}", "1\n2\n2\n".repeat(50))).expect("writes");
    let released = run(&["release", &at("plan.toml"), "--out", &at("bundle"), "--seed", "7", "--not-private"]);
    assert!(released.status.success(), "{}", String::from_utf8_lossy(&released.stderr));
    let figures = plan.split_once("[[figure]]").expect("figures").1;
    fs::write(at("figures.toml"), format!("[[figure]]{figures}")).expect("writes");
    let made = run(&["figure", &at("bundle"), &at("figures.toml"), "--out", &at("out")]);
    for said in [stdout(&released), stdout(&made)] {
        let own =
            said.split("rate (rate, people per 1000; intervals at 95 %)").nth(1).unwrap_or_else(|| panic!("{said}"));
        assert!(own.contains("District") && own.contains("Aldermoor") && own.contains("Brackwater"), "{said}");
        assert!(!own.contains("place"), "{said}");
    }
    let page = fs::read_to_string(at("bundle/report.html")).expect("a page");
    assert!(page.contains("rate: a rate, people per 1000"), "no unit on the page");
    for words in ["(rows)", "known before any row was read, rows"] {
        assert!(!page.contains(words), "the page says {words}");
    }
    // Another release of the plan, compared.
    let again = run(&["release", &at("plan.toml"), "--out", &at("again"), "--seed", "8", "--not-private"]);
    assert!(again.status.success());
    let compared = stdout(&run(&["compare", &at("bundle"), &at("again"), "--out", &at("compared")]));
    assert!(compared.contains("District") && compared.contains("Aldermoor"), "{compared}");
}

#[test]
fn mistakes_in_figures_have_their_place_and_nothing_is_written() {
    let (_, folder) = seeded_release();
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for (text, code, expected) in [
        ("[[figure]]\nname = \"r\"\nkind = \"ratoi\"\nof = \"x\"\n", 2, "did you mean \"ratio\"?"),
        ("[[figure]]\nname = \"r\"\nkind = \"ratio\"\nof = \"x\"\n", 2, "must have `per`"),
        (
            "[[figure]]\nname = \"r\"\nkind = \"rank\"\nof = \"stays-by-distrit\"\n",
            2,
            "did you mean `stays-by-district`?",
        ),
        (
            "[[figure]]\nname = \"r\"\nkind = \"rate\"\nof = \"stays-by-district\"\nper = { file = \"no.csv\", value = \"people\" }\n",
            3,
            "the public table",
        ),
        ("interval = 2\n", 2, "between 0.5 and 0.9999"),
    ] {
        fs::write(at("figures.toml"), text).expect("writes");
        let output = run(&["figure", &at("bundle"), &at("figures.toml"), "--out", &at("out")]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}: {said}");
        assert!(said.replace("\n", " ").contains(expected), "{text}: {said}");
        assert!(!folder.path().join("out").exists());
    }
    let output = run(&["compare", &at("bundle"), &at("bundle"), "--out", &at("out")]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
