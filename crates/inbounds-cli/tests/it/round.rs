//! Counts as multiples, with totals that add up: in the table, on the page and in the workbook.

use std::{collections::HashMap, fs};

use crate::{truth::rows, workbench::Workbench};

const PLAN: &str = "round = 5\n[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 2\n\
                    [columns.ward]\ntype = \"text\"\nvalues = [\"large\", \"middle\", \"small\"]\n\
                    [columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"m\"]\n[columns.age]\ntype = \"number\"\nlower = 0\nupper = 100\n\
                    missing = \"drop\"\n\
                    [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"ward\", \"sex\"]\n\
                    margins = [[], [\"ward\"], [\"sex\"], [\"ward\", \"sex\"]]\n\
                    [[statistic]]\nname = \"age\"\nkind = \"mean\"\ncolumn = \"age\"\n";

#[test]
fn counts_are_shown_as_multiples_that_add_up() {
    let bench = Workbench::new();
    let part = |ward: &str, sex: &str, count: usize| format!("{ward},{sex},40\n").repeat(count);
    let text = [part("large", "f", 1203), part("large", "m", 1187), part("middle", "f", 58), part("middle", "m", 61)];
    bench.write("rows.csv", format!("ward,sex,age\n{}{}", text.concat(), part("small", "f", 7)));
    bench.write("plan.toml", PLAN);
    let said = bench.run(&["release", "plan.toml", "--seed", "7", "--not-private", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let sentence =
        "Numbers are rounded to multiples of 5, up or down so that totals still add up; none is moved by more than ";
    assert!(said.out.contains(sentence), "{}", said.out);

    let estimates = rows(&bench, "bundle/estimates.csv");
    let number = |row: &HashMap<String, String>, name: &str| row[name].parse::<f64>().expect("a number");
    let people: Vec<_> = estimates.iter().filter(|row| row["statistic"] == "people").collect();
    let shown = |ward: &str, sex: &str| {
        let row = people.iter().find(|row| row["by_ward"] == ward && row["by_sex"] == sex).expect("a cell");
        number(row, "rounded")
    };
    assert_eq!(people.len(), 12);
    for row in &people {
        let (rounded, estimate) = (number(row, "rounded"), number(row, "estimate"));
        assert!(rounded % 5.0 == 0.0 && (rounded - estimate).abs() < 5.0, "{rounded} for {estimate}");
    }
    for ward in ["large", "middle", "small", ""] {
        assert_eq!(shown(ward, "f") + shown(ward, "m"), shown(ward, ""), "{ward}");
    }
    for sex in ["f", "m", ""] {
        assert_eq!(["large", "middle", "small"].map(|ward| shown(ward, sex)).iter().sum::<f64>(), shown("", sex));
    }
    // A mean is no count.
    let mean = estimates.iter().find(|row| row["statistic"] == "age").expect("a mean");
    assert_eq!(mean["rounded"], "");

    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains(sentence));
    let total = inbounds_bundle::figures::figure(shown("", ""));
    assert!(page.contains(&format!(">{total}<")), "no {total} on the page");
    let said = bench.run(&["export", "bundle", "--out", "files"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let file = fs::File::open(bench.path("files/tables.xlsx")).expect("a workbook");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut archive.by_name("xl/worksheets/sheet2.xml").expect("a sheet"), &mut text)
        .expect("text");
    assert!(text.contains(&format!("<v>{}</v>", shown("", ""))));
}

#[test]
fn a_plan_without_counts_rounds_nothing() {
    let bench = Workbench::new();
    let (before, mean) = PLAN.split_once("[[statistic]]\nname = \"people\"").expect("counts");
    let mean = mean.split_once("[[statistic]]").expect("a mean").1;
    bench.write("plan.toml", format!("{before}[[statistic]]{mean}"));
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("`round` is for numbers of rows"), "{}", said.err);
}
