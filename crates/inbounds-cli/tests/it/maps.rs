//! Maps of numbers by place: on the page, among the pictures, in the bundle and in what is approved.

use std::fs;

use crate::workbench::Workbench;

const PLAN: &str = "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 2\n\
                    [columns.ward]\ntype = \"text\"\nvalues = [\"A\", \"B\", \"C\", \"D\"]\nlabels = { A = \"Old <town>\", B = \"C\" }\n\
                    map = { file = \"wards.geojson\", key = \"code\" }\n\
                    [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"ward\"]\n\
                    [[figure]]\nname = \"per-100\"\nkind = \"rate\"\nof = \"people\"\nper = 700\ntimes = 100\n";

/// Squares beside each other, of which the last has a hole.
fn wards(codes: &[&str]) -> String {
    let feature = |(at, code): (usize, &&str)| {
        let square = |west: f64, side: f64| {
            let east = west + side;
            format!("[[{west},50],[{east},50],[{east},{}],[{west},{}],[{west},50]]", 50.0 + side, 50.0 + side)
        };
        let hole = if at + 1 == codes.len() { format!(",{}", square(at as f64 + 0.25, 0.5)) } else { String::new() };
        format!(
            "{{\"type\":\"Feature\",\"properties\":{{\"code\":\"{code}\",\"size\":1}},\"geometry\":{{\"type\":\"Polygon\",\
             \"coordinates\":[{}{hole}]}}}}",
            square(at as f64, 1.0)
        )
    };
    let features: Vec<String> = codes.iter().enumerate().map(feature).collect();
    format!("{{\"type\":\"FeatureCollection\",\"features\":[{}]}}", features.join(","))
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("rows.csv", "ward\n".to_owned() + &"A\n".repeat(800) + &"B\n".repeat(200) + &"C\n".repeat(40) + "D\n");
    bench.write("plan.toml", PLAN);
    // D has no area, and no statistic counts E.
    bench.write("wards.geojson", wards(&["A", "B", "C", "E"]));
    bench
}

#[test]
fn numbers_by_place_are_on_maps() {
    let bench = bench();
    let said = bench.run(&["release", "plan.toml", "--seed", "7", "--not-private", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    let maps: Vec<&str> = page.split("<svg").skip(1).filter(|svg| svg.contains("class=\"area\"")).collect();
    assert_eq!(maps.len(), 4, "two of the counts and two of the rates");
    for map in &maps {
        let map = map.split("</svg>").next().unwrap_or_default();
        assert_eq!(map.matches("class=\"area\"").count(), 4);
        assert!(
            map.contains("<title>Old &lt;town&gt;: ") && map.contains("<title>E: no number shown</title>"),
            "{map}"
        );
        assert!(!map.contains("<title>D"), "{map}");
        // Two values of one label are two areas, each with its own number.
        assert_eq!(map.matches("<title>C: ").count(), 2, "{map}");
    }
    assert!(
        page.contains("people: the stronger the shade, the larger. One place is in no area of the map: see the table."),
        "{page}"
    );
    // The bundle has the file, and the page depends on nothing else.
    assert_eq!(fs::read(bench.path("bundle/map-1.geojson")).ok(), fs::read(bench.path("wards.geojson")).ok());
    fs::remove_file(bench.path("wards.geojson")).expect("the file");
    let drawn = bench.run(&["report", "bundle", "--out", "again.html"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    assert_eq!(fs::read_to_string(bench.path("again.html")).expect("a page"), page);
    let said = bench.run(&["export", "bundle", "--out", "files"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for (name, begins) in
        [("people-1-2.svg", &b"<svg"[..]), ("people-1-3.svg", b"<svg"), ("people-1-2.png", b"\x89PNG")]
    {
        let bytes = fs::read(bench.path("files").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(bytes.starts_with(begins), "{name}");
    }
}

#[test]
fn a_map_is_part_of_what_is_approved() {
    let bench = bench();
    let digest = || {
        let said = bench.run(&["check", "plan.toml", "--out", "approval.html", "--json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let page = fs::read_to_string(bench.path("approval.html")).expect("a page");
        assert!(page.contains("wards.geojson"));
        fs::remove_file(bench.path("approval.html")).expect("the page");
        let report: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        report["approval"]["sha256"].as_str().expect("a digest").to_owned()
    };
    let before = digest();
    bench.write("wards.geojson", wards(&["B", "A", "C", "E"]));
    assert_ne!(digest(), before);
}

#[test]
fn a_file_that_is_no_map_of_the_column_is_refused_with_the_remedy() {
    let bench = bench();
    let refused = |file: Option<String>, plan: String, says: &str| {
        if let Some(file) = file {
            bench.write("wards.geojson", file);
        }
        bench.write("plan.toml", plan);
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(says) && said.err.contains("plan.toml:"), "{says}: {}", said.err);
        bench.write("wards.geojson", wards(&["A", "B", "C", "E"]));
    };
    let plan = || PLAN.to_owned();
    refused(
        None,
        plan().replace("\"code\"", "\"name\""),
        "feature 1: it has no property `name`; it has `code`, `size`",
    );
    refused(None, plan().replace("\"code\"", "\"size\""), "no area of wards.geojson is one of the `values`");
    refused(None, plan().replace("wards.geojson", "absent.geojson"), "cannot read");
    refused(None, plan().replace("wards.geojson", "rows.csv"), "must be another file than the data");
    refused(Some("{\"type\": \"Poi".to_owned()), plan(), "this is no GeoJSON");
    refused(Some("{\"type\":\"Point\",\"coordinates\":[1,2]}".to_owned()), plan(), "a map is a collection of features");
    refused(Some(line()), plan(), "feature 1: it is a LineString");
}

/// A collection whose feature is a line.
fn line() -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"code\":\"A\"},\"geometry\":\
     {\"type\":\"LineString\",\"coordinates\":[[0,0],[1,1]]}}]}"
        .to_owned()
}
