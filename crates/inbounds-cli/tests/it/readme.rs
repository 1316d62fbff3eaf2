//! README and tour against the program: every output that they show is what is printed today.

use std::fs;

use crate::repository::{MEASUREMENTS, PLAN, read, reconciled, run, seeded_release, seeded_release_of, stdout};
use crate::workbench::Workbench;

/// Every line that the program prints stands in the tour, in this order.
fn assert_in_tour(printed: &str, command: &str) {
    assert_in("docs/tour.md", printed, command);
}

/// Every line that the program prints stands in a document, in this order; where the document has `...`, lines may be
/// left out.
pub(crate) fn assert_in(document: &str, printed: &str, command: &str) {
    let text = read(document);
    let block = text.split("```").find(|part| part.contains(&format!("$ {command}\n")));
    let block = block.unwrap_or_else(|| panic!("{document} has no output of {command}"));
    // The folder of a bundle is that of the run.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines().map(str::trim_end).filter(|line| !line.starts_with("Bundle: "));
        lines.map(str::to_owned).collect()
    };
    let output = block.split_once(&format!("$ {command}\n")).map_or("", |(_, output)| output);
    let (shown, printed) = (lines(output), lines(printed));
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    if parts.len() == 1 {
        assert_eq!(shown, printed, "{document} shows an old output of: {command}");
        return;
    }
    assert!(shown.len() > 5 + parts.len(), "{document} cuts nearly all output of: {command}");
    let mut rest = printed.as_slice();
    for (place, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        // The first part is the beginning.
        let begins = if place == 0 { 1 } else { rest.len() };
        let position = (0..begins).find(|begin| rest[*begin..].starts_with(part));
        let position =
            position.unwrap_or_else(|| panic!("{document} shows an old output of {command}:\n{}", part.join("\n")));
        rest = &rest[position + part.len()..];
    }
}

#[test]
fn readme_and_tour_show_what_the_program_prints() {
    let (printed, _folder) = seeded_release();
    let release = format!("inbounds release {PLAN} --out registry-release --seed 7 --not-private");
    const PATIENTS: &str = "examples/registry/patients.toml";
    let (of_patients, _folder_of_patients) = seeded_release_of(PATIENTS);
    let release_patients = format!("inbounds release {PATIENTS} --out patients-release --seed 7 --not-private");
    assert_in("README.md", &of_patients, &release_patients);
    assert_in_tour(&printed, &release);
    let check = ["check", PLAN];
    assert_in_tour(&stdout(&run(&check)), &format!("inbounds {}", check.join(" ")));
    let advise = ["advise", "--epsilon", "0.1", "--sensitivity", "1", "--lower", "0", "--upper", "1"];
    assert_in_tour(&stdout(&run(&advise)), &format!("inbounds {}", advise.join(" ")));
    let design = [
        "design",
        "--epsilon",
        "1",
        "--sensitivity",
        "1",
        "--upper",
        "5",
        "--criterion",
        "mean-mse",
        "--worst-bias",
        "0.3",
    ];
    assert_in_tour(&stdout(&run(&design)), &format!("inbounds {}", design.join(" ")));
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("drawn.svg");
    let path = path.to_str().expect("a plain path");
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "0", "--integer", "--plot", path];
    assert!(run(&question).status.success());
    let drawn = fs::read_to_string(path).expect("drawn");
    assert!(
        drawn == read("docs/pictures/advise-count.svg"),
        "docs/pictures/advise-count.svg is out of date: draw it again"
    );
}

#[test]
fn the_page_on_audits_shows_what_an_audit_prints() {
    let arguments = ["audit", PLAN, "--runs", "2000", "--pairs", "200"];
    let audited = run(&arguments);
    assert!(audited.status.success(), "{}", String::from_utf8_lossy(&audited.stderr));
    assert_in("docs/audit.md", &stdout(&audited), &format!("inbounds {}", arguments.join(" ")));
    let json = run(&["audit", PLAN, "--runs", "100", "--pairs", "4", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert_eq!((json["tables"].as_u64(), json["findings"].as_array().map(Vec::len)), (Some(8), Some(0)), "{json}");
    assert_eq!(json["reached"][0]["calibrated"], 3, "{json}");
}

#[test]
fn the_tour_shows_what_reconcile_prints() {
    let (printed, _folder) = reconciled();
    assert_in_tour(&printed, &format!("inbounds reconcile {MEASUREMENTS} --integer --out census"));
}

/// The page on files is run from its first block to its last: files are written, the blocks of the plan are one plan,
/// and each command prints what the page shows.
#[test]
fn the_page_on_files_is_run_block_by_block() {
    let page = "docs/from-file.md";
    let text = read(page);
    let blocks: Vec<(&str, &str)> =
        text.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect();
    let blocks_in =
        |language: &'static str| blocks.iter().filter(move |(tag, _)| *tag == language).map(|(_, block)| *block);
    let bench = Workbench::new();
    for (name, block) in ["stays.csv", "regions.csv"].into_iter().zip(blocks_in("csv")) {
        bench.write(name, block);
    }
    fs::remove_file(bench.path("plan.toml")).expect("the plan of the workbench");
    let mut run = 0;
    for block in blocks_in("text") {
        let command = block.lines().next().and_then(|line| line.strip_prefix("$ inbounds ")).expect("a command");
        if !command.starts_with("plan init") {
            bench.write("plan.toml", blocks_in("toml").collect::<String>());
        }
        let said = bench.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(said.code, 0, "{command}: {}", said.err);
        assert_in(page, &said.out, &format!("inbounds {command}"));
        run += 1;
    }
    assert_eq!((run, blocks_in("csv").count()), (3, 2));
    let peeked = bench.run(&["peek", "plan.toml"]);
    assert_eq!(peeked.code, 0, "{}", peeked.err);
    for missing in [
        "age_class          7           1      1",
        "cost_per_day  0 to 15,000      0       7      0      0           2",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&peeked.out).contains(&words(missing)), "{}", peeked.out);
    }
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(bench.path("stays/release.json")).expect("a manifest")).expect("JSON");
    let columns = manifest["columns"].as_array().expect("columns");
    let region = columns.iter().find(|column| column["name"] == "region").expect("a derived column");
    assert_eq!(region["derived"]["from"], serde_json::json!(["District"]));
    assert_eq!(region["derived"]["lookup"]["name"], "regions.csv");
    let digest = inbounds_bundle::digest::sha256(blocks_in("csv").nth(1).expect("regions").as_bytes());
    assert_eq!(region["derived"]["lookup"]["sha256"], digest);
    // What is wrong shows at its place, and no cell.
    bench.write("regions.csv", "District,region\nD-02,North\nD-02,South\n");
    let refused = bench.run(&["check", "plan.toml"]);
    assert!(refused.code == 2 && refused.err.contains("line 3: the same key as in line 2: D-02"), "{}", refused.err);
    bench.write("plan.toml", blocks_in("toml").collect::<String>().replace("\"regions.csv\"", "\"stays.csv\""));
    let refused = bench.run(&["check", "plan.toml"]);
    assert!(refused.code == 2 && refused.err.contains("must be another file than the data"), "{}", refused.err);
    assert!(!refused.err.contains("P001") && !refused.err.contains("D-07"), "{}", refused.err);
    // Without the data the plan is checked all the same.
    bench.write("regions.csv", blocks_in("csv").nth(1).expect("regions"));
    bench.write("plan.toml", blocks_in("toml").collect::<String>().replace("\"stays.csv\"", "\"absent.csv\""));
    let unseen = bench.run(&["check", "plan.toml"]);
    assert!(unseen.code == 0 && unseen.out.contains("`long` is whether Days > 7"), "{}{}", unseen.out, unseen.err);
    // Bounds of a derived column make the noise as small as the page says.
    let scale = |plan: String| {
        bench.write("plan.toml", plan);
        let checked = bench.run(&["check", "plan.toml", "--json"]);
        let checked: serde_json::Value = serde_json::from_str(&checked.out).expect("JSON");
        let statistics = checked["statistics"].as_array().expect("statistics");
        let cost = statistics.iter().find(|statistic| statistic["name"] == "cost-per-day").expect("a mean");
        cost["noise"][0]["scale"].as_f64().expect("a scale")
    };
    let rule = "is = \"Cost / greatest(Days, 1)\"\n";
    let narrow = blocks_in("toml").collect::<String>().replace(rule, &format!("{rule}lower = 0\nupper = 5_000\n"));
    assert!(text.contains("write `lower = 0` and `upper = 5_000` for the column: the noise is a third of it then"));
    let third = scale(blocks_in("toml").collect()) / scale(narrow);
    assert!((third - 3.0).abs() < 0.01, "{third}");
    // A column that the data lack is told once, at its place.
    bench.write("plan.toml", blocks_in("toml").collect::<String>());
    bench.write("stays.csv", blocks_in("csv").next().expect("stays").replace("Cost", "Costs"));
    let refused = bench.run(&["check", "plan.toml"]);
    assert!(refused.code == 2 && refused.err.contains("the data must have a column `Cost`"), "{}", refused.err);
    assert_eq!(refused.err.matches("error").count(), 1, "{}", refused.err);
}
