//! `inbounds figure` and `inbounds compare` on releases of the example, and their document.

use std::{collections::BTreeSet, fs};

use inbounds_figures::{FigureKind, FigureMethod};
use serde_json::Value;

use crate::repository::{PLAN, code_spans_of_section, fields, read, run, seeded_release, stdout, words};

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
    let columns: BTreeSet<String> = table.lines().next().expect("a header").split(',').map(generic).collect();
    assert_eq!(code_spans_of_section(&text, "figures.csv"), columns);
    let mut found = BTreeSet::new();
    fields(&manifest(&folder.path().join("out")), "", &mut found);
    fields(&manifest(&folder.path().join("compared")), "", &mut found);
    // Nothing was refused here, and no public table read.
    found.retain(|field| !["comparison.refused", "tables"].contains(&field.as_str()));
    found.extend(["statistic", "reason"].map(|field| format!("comparison.refused[].{field}")));
    assert_eq!(code_spans_of_section(&text, "figures.json"), found);
    assert_eq!(code_spans_of_section(&text, "Intervals"), words::<FigureMethod>());
    let kinds = words::<FigureKind>();
    assert!(kinds.is_subset(&code_spans_of_section(&text, "The file")), "{kinds:?}");
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
