//! Classes of numbers by their relative error: a column, marks, and what is not shown.

use std::fs;

use crate::{truth::rows, workbench::Workbench};

const PLAN: &str = "quality = { high = 0.1, low = 0.3 }\nsuppress = \"low\"\n[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\n\
                    neighbours = \"add-remove\"\nepsilon = 2\n[columns.ward]\ntype = \"text\"\nvalues = [\"large\", \"middle\", \"small\", \"empty\"]\n\
                    [columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"m\"]\n[[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"ward\"]\n\
                    [[statistic]]\nname = \"cells\"\nkind = \"count\"\nby = [\"ward\", \"sex\"]\n\
                    [[figure]]\nname = \"per-100\"\nkind = \"rate\"\nof = \"people\"\nper = 700\ntimes = 100\n\
                    [[figure]]\nname = \"place\"\nkind = \"rank\"\nof = \"people\"\n\
                    [[figure]]\nname = \"each\"\nkind = \"ratio\"\nof = \"cells\"\nper = { statistic = \"cells\", total = true }\n";

#[test]
fn numbers_of_a_class_that_is_suppressed_are_on_no_page_and_all_in_the_tables() {
    let bench = Workbench::new();
    let text = "large,f\nlarge,m\n".repeat(2_000) + &"middle,f\nmiddle,m\n".repeat(12) + &"small,f\n".repeat(4);
    bench.write("rows.csv", "ward,sex\n".to_owned() + &text);
    bench.write("plan.toml", PLAN);
    let said = bench.run(&["release", "plan.toml", "--seed", "7", "--not-private", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("`high`, at most 10 %; `low`, at most 30 %; `beyond`, more."), "{}", said.out);

    // The class of each number follows from its interval.
    let mut table = csv::Reader::from_path(bench.path("bundle/estimates.csv")).expect("a table");
    let header = table.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let (mut seen, mut hidden) = (Vec::new(), Vec::new());
    for row in table.records() {
        let row = row.expect("a row");
        let number = |name: &str| row[place(name)].parse::<f64>().expect("a number");
        let relative = 0.5 * (number("interval_upper") - number("interval_lower")) / number("estimate").abs();
        let class = match relative {
            at_most if at_most <= 0.1 => "high",
            at_most if at_most <= 0.3 => "low",
            _ => "beyond",
        };
        assert_eq!(&row[place("quality")], class, "{row:?}");
        seen.push(class);
        if class != "high" {
            hidden.push(number("estimate"));
        }
    }
    assert!(["high", "low", "beyond"].iter().all(|class| seen.contains(class)), "{seen:?}");

    // What is hidden is a dash with its class, in tables and in pictures.
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    let tables: String = page.split("<svg").map(|part| part.rsplit("</svg>").next().unwrap_or_default()).collect();
    for number in hidden.iter().filter(|number| **number > 5.0) {
        assert!(!tables.contains(&format!(">{number}<")), "{number} is on the page");
    }
    let pictures: Vec<&str> = page.split("<svg").skip(1).filter_map(|part| part.split("</svg>").next()).collect();
    assert!(pictures.iter().any(|picture| picture.contains("large")));
    assert!(!pictures.iter().any(|picture| picture.contains("empty") || picture.contains("small")));
    assert!(page.contains("Page and workbook do not show numbers of class"));

    // Figures have classes too, but for places.
    let figures = rows(&bench, "bundle/figures.csv");
    let class_of = |figure: &str, ward: &str| {
        let row = figures.iter().find(|row| row["figure"] == figure && row["by_ward"] == ward).expect("a figure");
        (row["quality"].clone(), row["estimate"].clone())
    };
    assert_eq!((class_of("per-100", "large").0.as_str(), class_of("place", "large").0.as_str()), ("high", ""));
    let (class, hidden_rate) = class_of("per-100", "small");
    assert_eq!(class, "beyond");
    let hidden_rate = inbounds_bundle::figures::figure(hidden_rate.parse().expect("a number"));
    assert!(!tables.contains(&format!(">{hidden_rate}<")), "{hidden_rate} is on the page");
    assert!(said.out.contains("quality"), "{}", said.out);
    // By two columns a figure is a table of rows and columns.
    let each = page.rsplit("each: a ratio; under each plus or minus (95 % interval)").next().expect("a table");
    let each = each.split("</table>").next().unwrap_or_default();
    assert!(each.contains(">f<") && each.contains(">m<") && each.contains("beyond"), "{each}");

    let said = bench.run(&["export", "bundle", "--out", "files"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let file = fs::File::open(bench.path("files/tables.xlsx")).expect("a workbook");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut text = String::new();
    for sheet in ["xl/worksheets/sheet2.xml", "xl/worksheets/sheet3.xml"] {
        std::io::Read::read_to_string(&mut archive.by_name(sheet).expect("a sheet"), &mut text).expect("text");
    }
    // Cells with words have the place of the word in place of a number.
    let numbers: Vec<&str> = text.split("<c ").filter(|cell| !cell.contains("t=\"s\"")).collect();
    assert!(numbers.iter().any(|cell| cell.contains("<v>3997</v>")));
    for number in hidden.iter().filter(|number| **number > 5.0) {
        let written = format!("<v>{number}</v>");
        assert!(!numbers.iter().any(|cell| cell.contains(&written)), "{number} is in the workbook");
    }
}
