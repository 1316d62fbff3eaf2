//! A first plan is written from a header or schema alone, and is in order from the first moment.

use super::*;
use crate::workbench::ROWS;

#[test]
fn a_first_plan_is_in_order_and_asks_for_the_rest() {
    let bench = Workbench::new();
    let lines: String = (0..300_000).map(|i| format!("{},f\n", i % 90)).collect();
    bench.write("large.csv", format!("age in years,sex\n{lines}"));
    let said = bench.run(&["plan", "init", "large.csv", "--out", "first.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = file(&bench, "first.toml");
    for words in
        ["[columns.\"age in years\"]", "[columns.sex]", "# diagnostics = 0.01", "worth it, as the file has ", "(?)"]
    {
        assert!(plan.contains(words), "no `{words}` in\n{plan}");
    }
    assert!(plan.lines().all(|line| line.chars().count() <= 120), "{plan}");
    let checked = bench.run(&["check", "first.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    assert!(checked.out.contains("all-rows"), "{}", checked.out);
    // The proposal is taken by a statistic that groups by a column or reads it. The curator has not chosen whose data
    // are protected.
    assert!(checked.out.contains("Privacy unit: undecided"), "{}", checked.out);
    let refused = bench.run(&["release", "first.toml", "--seed", "1", "--not-private", "--out", "none"]);
    assert!(refused.code == 2 && refused.err.contains("nobody has chosen whose data"), "{}", refused.err);
    assert!(!bench.path("none").exists());
    let answered = plan
        .replace("\"undecided\"", "\"row\"")
        .replace("# diagnostics", "diagnostics")
        .replace("# [columns.sex]", "[columns.sex]\ntype = \"text\"\nvalues = [\"f\"]");
    let by_sex = "[[statistic]]\nname = \"by-sex\"\nkind = \"count\"\nby = [\"sex\"]\n";
    bench.write("answered.toml", format!("{answered}\n{by_sex}"));
    bench.seeded("answered.toml", "bundle", "1");
}

/// What is decided already is said at once, and the plan is released when its values are.
#[test]
fn answers_are_given_as_flags() {
    let bench = Workbench::new();
    bench.write("visits.csv", "patient,district\n1,north\n1,south\n2,north\n");
    let begin = |out, count_by| {
        let flags = ["--unit", "patient", "--max-rows", "2", "--count-by", count_by, "--epsilon", "1/2"];
        bench.run(&[&["plan", "init", "visits.csv", "--out", out], flags.as_slice()].concat())
    };
    let said = begin("begun.toml", "distrct");
    assert!(said.code == 3 && said.err.contains("did you mean `district`?"), "{}: {}", said.code, said.err);
    let said = begin("begun.toml", "district");
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = file(&bench, "begun.toml");
    assert!(plan.contains("unit = { column = \"patient\", max_rows = 2 }"), "{plan}");
    bench.write("begun.toml", plan.replace("# values = [\"...\"]", "values = [\"north\", \"south\"]"));
    bench.seeded("begun.toml", "bundle", "1");
    assert!(file(&bench, "bundle/estimates.csv").contains("count-by-district"));
}

#[test]
fn nothing_is_overwritten_and_no_row_is_read() {
    let bench = Workbench::new();
    let said = bench.run(&["plan", "init", "rows.csv"]);
    assert_eq!(said.code, 4, "plan.toml is there: {}", said.err);
    let said = bench.run(&["plan", "init", "nothing.csv", "--out", "new.toml"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(!bench.path("new.toml").exists());
    // A first line that is no header is refused, and not shown.
    bench.write("nohead.csv", "Anna,34,ill\nBeat,51,well\n");
    let said = bench.run(&["plan", "init", "nohead.csv", "--out", "new.toml"]);
    assert!(said.code == 3 && !said.err.contains("Anna"), "{}", said.err);
}

/// The same table in other formats: the schema is checked, the rows are counted and the same estimates are released.
#[test]
fn other_formats_release_the_same() {
    let bench = Workbench::new();
    bench.seeded("plan.toml", "csv", "7");
    let rows: Vec<Vec<&str>> = ROWS.lines().map(|line| line.split(',').collect()).collect();
    let (header, rows) = (&rows[0], &rows[1..]);
    let json = |row: &Vec<&str>| {
        let field = |(name, cell): (&&str, &&str)| format!("\"{name}\": \"{cell}\"");
        format!("{{{}}}\n", header.iter().zip(row).map(field).collect::<Vec<_>>().join(", "))
    };
    bench.write("rows.jsonl", rows.iter().map(json).collect::<String>());
    bench.write("rows.tsv", ROWS.replace(',', "\t"));
    for sex in ["f", "m", "x"] {
        let folder = bench.path("parts").join(format!("sex={sex}"));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let own = rows.iter().filter(|row| row[1] == sex);
        let lines: String = own.map(|row| format!("{},{},{}\n", row[0], row[2], row[3])).collect();
        bench.write(&format!("parts/sex={sex}/rows.csv"), format!("id,age,income\n{lines}"));
    }
    let plan = file(&bench, "plan.toml");
    for (name, data) in [
        ("jsonl", "path = \"rows.jsonl\""),
        ("tsv", "path = \"rows.tsv\""),
        ("parts", "path = \"parts\"\nformat = \"csv\""),
    ] {
        let (path, bundle) = (format!("{name}.toml"), format!("{name}-bundle"));
        bench.write(&path, plan.replace("path = \"rows.csv\"", data));
        let checked = bench.run(&["check", &path]);
        assert_eq!(checked.code, 0, "{}", checked.err);
        let peeked = bench.run(&["peek", &path]);
        assert!(peeked.code == 0 && peeked.out == bench.run(&["peek", "plan.toml"]).out, "{}", peeked.out);
        bench.seeded(&path, &bundle, "7");
        assert_eq!(file(&bench, &format!("{bundle}/estimates.csv")), file(&bench, "csv/estimates.csv"), "{name}");
        let first = format!("first-{name}.toml");
        let said = bench.run(&["plan", "init", data.split('"').nth(1).expect("a path"), "--out", &first]);
        assert!(said.code == 0 && file(&bench, &first).contains("# [columns.income]"), "{}", said.err);
        assert_eq!(bench.run(&["check", &first]).code, 0, "{}", file(&bench, &first));
    }
}

/// Ages and years that are taken from dates are released, checked and peeked at like columns of the data.
#[test]
fn dates_are_released_as_years_and_ages() {
    let bench = Workbench::new();
    let rows = "id;born\n1;31.12.1990\n2;1.7.2000\n3;30.06.1950\n4;30.02.1990\n5;\n6;01.01.1900\n";
    bench.write("born.csv", rows);
    let plan = r#"
[data]
path = "born.csv"
separator = ";"

[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 1000

[columns.id]
type = "integer"

[columns.born]
type = "date"
format = "%d.%m.%Y"
missing_values = ["01.01.1900"]

[columns.year]
from = "born"
take = "year"
values = [1950, 1990, 2000]
labels = { 1950 = "the fifties" }

[columns.age]
from = "born"
take = "age at 2024-06-30"
lower = 0
upper = 110
missing = "drop"

[[statistic]]
name = "years"
kind = "count"
by = ["year"]
where = "born < '2020-01-01'"

[[statistic]]
name = "ages"
kind = "sum"
column = "age"
"#;
    bench.write("born.toml", plan);
    let checked = bench.run(&["check", "born.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    bench.seeded("born.toml", "bundle", "1");
    let estimates = file(&bench, "bundle/estimates.csv");
    let value = |statistic: &str| -> Vec<f64> {
        let lines = estimates.lines().filter(|line| line.starts_with(&format!("{statistic},")));
        let header: Vec<&str> = estimates.lines().next().expect("a header").split(',').collect();
        let place = header.iter().position(|name| *name == "estimate").expect("estimates");
        lines.map(|line| line.split(',').nth(place).expect("a field").parse().expect("a number")).collect()
    };
    assert_eq!(value("years").iter().map(|count| count.round()).collect::<Vec<_>>(), [1.0, 1.0, 1.0], "{estimates}");
    // 33 years since New Year's Eve 1990, 23 and 74.
    assert!((value("ages")[0] - 130.0).abs() < 2.0, "{estimates}");
    let peeked = bench.run(&["peek", "born.toml"]);
    assert!(peeked.code == 0 && peeked.out.contains("6 rows were read"), "{}{}", peeked.out, peeked.err);
    // Without the data, types are those of the plan; a column that the data lack is told once, at its place.
    bench.write("unseen.toml", plan.replace("born.csv", "absent.csv"));
    assert_eq!(bench.run(&["check", "unseen.toml"]).code, 0);
    bench.write("born.csv", rows.replace("born", "birth"));
    let refused = bench.run(&["check", "born.toml"]);
    assert!(refused.code == 2 && refused.err.contains("the data must have a column `born`"), "{}", refused.err);
    assert!(!refused.err.contains("`year`") && !refused.err.contains("`age`"), "{}", refused.err);
}

/// Files as spreadsheets write them: tabs in UTF-16 under the name of a text, and semicolons in one byte a letter.
#[test]
fn spreadsheets_are_begun_with_their_layout() {
    let bench = Workbench::new();
    let text = "Größe\tOrt\r\n1,5\tZürich\r\n";
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    bench.write("excel.txt", wide);
    bench.write("latin.csv", b"Gr\xf6\xdfe;Ort\n1,5;Z\xfcrich\n");
    for (file_name, layout) in [
        ("excel.txt", vec!["format = \"csv\"", "separator = \"\\t\""]),
        ("latin.csv", vec!["separator = \";\"", "encoding = \"latin-1\"", "# decimal = \",\""]),
    ] {
        let first = format!("{file_name}.toml");
        let mut said = bench.run(&["plan", "init", file_name, "--out", &first]);
        if file_name == "latin.csv" {
            // An encoding is asked for, and never guessed.
            assert!(said.code == 3 && said.err.contains("latin-1 (Western European)"), "{}", said.err);
            said = bench.run(&["plan", "init", file_name, "--out", &first, "--encoding", "latin-1"]);
        }
        assert_eq!(said.code, 0, "{}", said.err);
        let plan = file(&bench, &first);
        for words in layout.into_iter().chain(["[columns.\"Größe\"]", "[columns.Ort]"]) {
            assert!(plan.contains(words), "no `{words}` in {plan}");
        }
        assert_eq!(bench.run(&["check", &first]).code, 0, "{plan}");
    }
}

/// A plan from a codebook needs no answer but the public ones that the codebook lacks, and says where its lines are
/// from.
#[test]
fn a_codebook_answers_what_it_says() {
    let bench = Workbench::new();
    let rows = "id,age,sex,income,note\n1,34,f,1200.5,a\n2,999,m,800,b\n3,51,f,,c\n4,29,9,950,\n";
    bench.write("people.csv", rows);
    bench.write(
        "codebook.csv",
        "Variable;Type;Min;Max;Values;Missing;Label;Unit\n\
         age;integer;0;110;;999;Age at interview;years\n\
         sex;;;;f=female|m=male|9=no answer;9;Sex;\n\
         income;number;0;100000;;;Monthly income;euros\n\
         region;;;;north|south;;Region;\n",
    );
    let said = bench.run(&[
        "plan",
        "init",
        "people.csv",
        "--out",
        "first.toml",
        "--codebook",
        "codebook.csv",
        "--unit",
        "row",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = std::fs::read_to_string(bench.path("first.toml")).expect("a file");
    for line in [
        "[columns.age]\ntype = \"integer\"   # codebook.csv\nlabel = \"Age at interview\"   # codebook.csv\nunit = \"years\"",
        "lower = 0   # codebook.csv\nupper = 110   # codebook.csv\nmissing_values = [999]   # codebook.csv",
        "values = [\"f\", \"m\"]   # codebook.csv\nlabels = { f = \"female\", m = \"male\" }",
        "# It does not describe 2 of 5 columns: id, note.",
        "# It describes 1 of 4 variables that the data do not have: region.",
        "# [columns.id]",
    ] {
        assert!(plan.contains(line), "no `{line}` in\n{plan}");
    }
    assert!(!plan.contains("columns.region") && !plan.contains("1200"), "{plan}");
    // With the statistics that people ask for, it is released as it is.
    let more = "\n[[statistic]]\nname = \"by-sex\"\nkind = \"count\"\nby = [\"sex\"]\n\
                \n[[statistic]]\nname = \"income\"\nkind = \"mean\"\ncolumn = \"income\"\n";
    let plan = plan
        .replace(
            "# missing = \"drop\"   # or the number that a missing value counts as; statistics",
            "missing = \"drop\" # statistics",
        )
        .replace("\n# Columns that", &format!("{more}\n# Columns that"));
    bench.write("first.toml", &plan);
    let said = bench.run(&["release", "first.toml", "--seed", "1", "--not-private", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}\n{plan}", said.err);
    assert!(
        std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file").contains("female"),
        "labels of values are shown"
    );
    // Another file's codebook is refused, and says whose names it has.
    bench.write("other.json", "{\"fields\": [{\"name\": \"plot\", \"type\": \"integer\"}]}");
    let said = bench.run(&["plan", "init", "people.csv", "--out", "b.toml", "--codebook", "other.json"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("it has plot") && said.err.contains("id, age, sex"), "{}", said.err);
    let said = bench.run(&["plan", "init", "people.csv", "--out", "b.toml", "--codebook", "none.json"]);
    assert!(said.code == 3 && said.err.contains("none.json"), "{}", said.err);
    assert!(!bench.path("b.toml").exists());
}
