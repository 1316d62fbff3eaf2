//! The page and the pictures show what a reader needs, and nothing that is not so.

use super::*;

/// Draws `advise --plot` for a range and gives the picture.
fn advised(bench: &Workbench, ends: &[&str], name: &str) -> String {
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--integer", "--plot", name];
    let said = bench.run(&[&question[..], ends].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    file(bench, name)
}

/// Colour and dashes of the sample beside a name of the legend.
fn sample(svg: &str, name: &str) -> (String, String) {
    let (before, _) = svg.split_once(&format!(">{name}</text>")).unwrap_or_else(|| panic!("no {name} in {svg}"));
    let line = before.rsplit("<line ").next().expect("a sample");
    let attribute = |key: &str| {
        line.split_once(&format!("{key}=\""))
            .and_then(|(_, rest)| rest.split('"').next())
            .unwrap_or_default()
            .to_owned()
    };
    let length = attribute("x2").parse::<f64>().expect("an end") - attribute("x1").parse::<f64>().expect("an end");
    assert!(length >= 40.0, "a sample of {length} shows no dashes");
    (attribute("stroke"), attribute("stroke-dasharray"))
}

#[test]
fn a_mechanism_looks_the_same_in_every_picture_of_advise() {
    let bench = Workbench::new();
    let half_line = advised(&bench, &["--lower", "0"], "a.svg");
    let interval = advised(&bench, &["--lower", "0", "--upper", "3"], "b.svg");
    let mut looks = Vec::new();
    for mechanism in ["clamped", "conditioned", "folded", "thresholded"] {
        looks.push(sample(&half_line, mechanism));
        assert_eq!(sample(&half_line, mechanism), sample(&interval, mechanism), "{mechanism}");
    }
    let different: std::collections::BTreeSet<_> = looks.iter().collect();
    assert_eq!(different.len(), looks.len(), "{looks:?}");
    for part in ["<title ", "<desc ", "role=\"img\"", "@media (prefers-color-scheme:dark)"] {
        assert!(half_line.contains(part), "no {part}");
    }
}

#[test]
fn a_picture_that_would_not_be_what_its_name_says_is_refused() {
    let bench = Workbench::new();
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "0", "--plot", "a.png"];
    let said = bench.run(&question);
    assert_eq!((said.code, bench.path("a.png").exists()), (2, false), "{}", said.err);
    assert!(said.err.contains("pictures are drawn as SVG: write a.svg"), "{}", said.err);
}

/// Coded values and columns with units, as registries have them, and words for all of them.
const CODED: &str = r#"title = "Stays in hospital"
[data]
path = "rows.csv"
[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 50
[columns.sex]
type = "integer"
values = [1, 2]
label = "Sex at birth"
labels = { 2 = "men", 1 = "women" }
[columns.cost]
type = "number"
lower = 0
upper = 1000
missing = "drop"
label = "Cost of a stay"
unit = "euros"
[columns.nights]
type = "integer"
lower = 0
upper = 10
missing = "drop"
[[statistic]]
name = "stays"
label = "Stays, all of them"
kind = "count"
by = ["sex"]
[[statistic]]
name = "cost"
kind = "mean"
column = "cost"
[[statistic]]
name = "share"
kind = "proportion"
by = ["sex"]
[[statistic]]
name = "costs"
kind = "histogram"
column = "cost"
edges = [0, 250, 500, 1000]
[[statistic]]
name = "spread"
kind = "covariance"
columns = ["cost", "nights"]
[[statistic]]
name = "model"
kind = "naive-bayes"
columns = ["cost", "nights"]
by = ["sex"]
"#;

/// Releases the coded plan over made-up rows: what was printed, and the page.
fn coded(bench: &Workbench) -> (String, String) {
    let rows: String = (0..900)
        .map(|row| format!("{},{},{}\n", 1 + usize::from(row % 3 == 0), 100 + row % 700, (row * 7) % 10))
        .collect();
    bench.write("rows.csv", format!("sex,cost,nights\n{rows}"));
    bench.write("plan.toml", CODED);
    let said = bench.seeded("plan.toml", "bundle", "7");
    (said.out, file(bench, "bundle/report.html"))
}

/// Whether these words are in the page, each after the one before.
fn in_order(page: &str, words: &[&str]) {
    words.iter().fold(page, |rest, words| {
        rest.split_once(words).unwrap_or_else(|| panic!("`{words}` is not where it should be")).1
    });
}

#[test]
fn words_and_units_of_the_plan_are_shown_and_kept() {
    let bench = Workbench::new();
    let (printed, page) = coded(&bench);
    in_order(
        &page,
        &[
            "<h2 id=\"headline-title\">The numbers</h2>",
            ">Stays, all of them</a><small>Number of rows, by Sex at birth</small>",
            "class=\"indented\">women</th><td class=\"number\">60",
            "± ",
            ">cost</a><small>Mean of Cost of a stay</small></th><td class=\"number\">39",
            " euros</td>",
            "<h2 id=\"statistic-1-title\">Stays, all of them</h2>",
            "Its name in the plan is stays.",
            ">women</text>",
        ],
    );
    for words in ["Stays, all of them", "women", "Sex at birth"] {
        assert!(printed.contains(words), "`{words}` is not in\n{printed}");
    }
    let manifest = manifest(&bench, "bundle");
    assert_eq!(manifest["statistics"][0]["label"], "Stays, all of them");
    let columns = serde_json::json!([
        { "name": "sex", "label": "Sex at birth", "unit": null,
          "labels": [{ "value": 2, "label": "men" }, { "value": 1, "label": "women" }] },
        { "name": "cost", "label": "Cost of a stay", "unit": "euros" }
    ]);
    assert_eq!(manifest["columns"], columns);
}

#[test]
fn each_kind_has_its_picture_and_its_technical_parts_are_folded() {
    let bench = Workbench::new();
    let (_, page) = coded(&bench);
    let section = |number: usize| {
        let (_, from) = page.split_once(&format!("<section id=\"statistic-{number}\"")).expect("a section");
        from.split_once("</section>").expect("its end").0
    };
    // Bars stand on 0, and shares are percent.
    assert!(section(1).contains("aria-label=\"rows: 2 numbers") && section(1).contains(">0</text>"), "{}", section(1));
    assert!(section(3).contains(">0 %</text>") && section(3).contains(" %</td>"), "{}", section(3));
    assert!(section(4).contains("aria-label=\"rows"), "{}", section(4));
    for number in [1, 3, 4] {
        // Tables have biases below 0, axes do not.
        let pictures: Vec<&str> =
            section(number).split("<svg").skip(1).filter_map(|part| part.split("</svg>").next()).collect();
        assert!(!pictures.is_empty(), "{number} has no picture");
        let below = pictures.iter().any(|picture| picture.contains("aria-label=\"rows") && picture.contains(">-"));
        assert!(!below, "an axis of rows goes below 0: {}", section(number));
    }
    // A single number has no picture, a matrix is coloured, a model has a curve a class.
    assert!(!section(2).split("<details>").next().expect("a part").contains("<svg"), "{}", section(2));
    assert!(
        section(5).contains("<table class=\"matrix\">") && section(5).contains("class=\"above-4\""),
        "{}",
        section(5)
    );
    assert!(section(6).contains("Estimated densities of Cost of a stay, euros in 2 classes."), "{}", section(6));
    for number in 1..=6 {
        let (open, folded) = section(number).split_once("<details>").expect("a folded part");
        for technical in ["How it was measured", "What staying in bounds cost", "Bias and error of each number"] {
            assert!(!open.contains(technical) && folded.contains(technical), "{number}: {technical}");
        }
    }
}

#[test]
fn a_page_of_real_people_shows_no_count_below_nothing() {
    let bench = Workbench::new();
    if !people(&bench, "adult.csv") {
        return;
    }
    let values = "values = [\"Private\", \"State-gov\", \"Without-pay\", \"Never-worked\", \"Nobody\"]";
    bench.write(
        "plan.toml",
        format!(
            "[data]\npath = \"adult.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 0.1\n\
             [columns.workclass]\ntype = \"text\"\nlabel = \"Employer\"\n{values}\n\
             [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"workclass\"]\n"
        ),
    );
    bench.seeded("plan.toml", "bundle", "3");
    let page = file(&bench, "bundle/report.html");
    let picture = page.split_once("aria-label=\"rows: 5 numbers").and_then(|(_, rest)| rest.split_once("</svg>"));
    let picture = picture.expect("a picture of bars").0;
    assert!(picture.contains(">40,000</text>") && !picture.contains(">-"), "{picture}");
    assert!(page.contains("Number of rows, by Employer"));
}

/// Most people hold none of many values: a case of expected errors cannot occur, and is no number in the manifest.
#[test]
fn shares_of_many_values_have_a_page() {
    let bench = Workbench::new();
    let rows: String = (0..4000).map(|row| format!("{row},{}\n", row * row % 150)).collect();
    bench.write("rows.csv", format!("row,place\n{rows}"));
    bench.write("keys.csv", format!("place\n{}", (0..150).map(|key| format!("{key}\n")).collect::<String>()));
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n\
         [columns.place]\ntype = \"integer\"\n\
         [[statistic]]\nname = \"shares\"\nkind = \"proportion\"\nby = [\"place\"]\nkeys = \"keys.csv\"\n",
    );
    bench.seeded("plan.toml", "bundle", "3");
    let page = file(&bench, "bundle/report.html");
    in_order(&page, &["150 values", "and 142 more", ">0<", ">149<"]);
}
