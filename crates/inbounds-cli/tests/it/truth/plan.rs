//! A plan that is none, or has mistakes, shows no row, and shows all that is wrong at once.

use std::fmt::Write;

use super::{Workbench, people};

/// A thousand people, none of whom may appear anywhere.
fn rows(header: bool) -> String {
    let mut text = if header { "name,sex,age\n".to_owned() } else { String::new() };
    for index in 0..1000 {
        writeln!(text, "Person{index},{},{}", ["female", "male"][index % 2], 20 + index % 60).expect("a String");
    }
    text
}

#[test]
fn data_given_where_the_plan_is_meant_is_refused_in_a_sentence_without_a_line_of_it() {
    let bench = Workbench::new();
    bench.write("people.csv", rows(true));
    bench.write("latin.csv", b"name,age\nJos\xe9,40\n");
    bench.write("people.toml", rows(true));
    for file in ["people.csv", "latin.csv", "people.toml"] {
        for arguments in [vec!["check", file], vec!["release", file, "--out", "bundle"]] {
            let said = bench.run(&arguments);
            assert_eq!(said.code, 2, "{file}: {}", said.err);
            assert!(said.err.contains("this file is no plan"), "{}", said.err);
            assert!(
                !said.err.contains("Person") && !said.err.contains("Jos") && !said.err.contains("name,"),
                "{}",
                said.err
            );
            assert!(said.err.lines().count() <= 8 && said.out.is_empty(), "{}", said.err);
        }
        let json = bench.run(&["check", file, "--json"]);
        assert!(!json.out.contains("Person") && !json.out.contains("Jos"), "{}", json.out);
    }
    let constraints = bench.run(&["reconcile", "rows.csv", "--constraints", "people.csv", "--out", "bundle"]);
    assert_ne!(constraints.code, 0);
    assert!(!constraints.err.contains("Person"), "{}", constraints.err);
}

#[test]
fn a_real_file_of_twenty_thousand_rows_is_refused_at_once() {
    let bench = Workbench::new();
    if !people(&bench, "nhanes_2009_2012.csv") {
        return;
    }
    let said = bench.run(&["check", "nhanes_2009_2012.csv"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("this file is no plan") && said.err.lines().count() <= 8, "{}", said.err);
    assert!(!said.err.contains("51624") && !said.err.contains("SurveyYr"), "{}", said.err);
}

#[test]
fn rows_pasted_below_a_plan_give_twenty_mistakes_and_a_count() {
    let bench = Workbench::new();
    let plan = crate::workbench::PLAN;
    bench.write("plan.toml", format!("{plan}\n{}", rows(true)));
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("error: 1001 mistakes in plan.toml, the first 20 of them above; no row was read"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("Person30"), "{}", said.err);
}

#[test]
fn a_list_of_very_many_values_is_judged_without_printing_it() {
    let bench = Workbench::new();
    let values: Vec<String> = (0..100_000).map(|value| format!("\"v{value}\"")).collect();
    bench.edit(
        "type = \"text\"\nvalues = [\"f\", \"m\"]",
        &format!("type = \"integer\"\nvalues = [{}]", values.join(", ")),
    );
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("error: 100000 mistakes in plan.toml, the first 20 of them above"), "{}", said.err);
    assert!(said.err.len() < 20_000, "{} bytes", said.err.len());
}

#[test]
fn a_file_without_a_header_shows_no_person() {
    let bench = Workbench::new();
    bench.write("rows.csv", "p1,female,Alice\np2,male,Bob\n");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("the first line of the data names none of them"), "{}", said.err);
    for cell in ["p1", "female", "Alice"] {
        assert!(!said.err.contains(cell), "{cell}: {}", said.err);
    }
    bench.write("rows.csv", "p1,female,female\np2,male,male\n");
    let twice = bench.run(&["check", "plan.toml"]);
    let told = twice.err.contains("the first line of the data names none of them");
    assert!(told && !twice.err.contains("female"), "{}", twice.err);
}

/// A name that is a slip of a cell of the first row is answered with no cell of it, by whatever finds the slip.
#[test]
fn slips_of_cells_are_no_hints() {
    let bench = Workbench::new();
    bench.write("rows.csv", "Anna Smith,female,Diabetic,Bern\nBeat Frei,male,Healthy,Basel\n");
    let plan = |rest: &str| {
        format!(
            "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n{rest}"
        )
    };
    let grouped = "[columns.diabetes]\ntype = \"text\"\nvalues = [\"yes\"]\n\
                   [[statistic]]\nname = \"a\"\nkind = \"count\"\nby = [\"diabetes\"]\n";
    let filtered = "[columns.femal]\ntype = \"text\"\n\
                    [[statistic]]\nname = \"a\"\nkind = \"count\"\nwhere = \"femal = 'yes'\"\n";
    for rest in [grouped, filtered] {
        bench.write("plan.toml", plan(rest));
        for arguments in [&["check", "plan.toml"][..], &["release", "plan.toml", "--out", "b"], &["peek", "plan.toml"]]
        {
            let said = bench.run(arguments);
            assert_eq!(said.code, 2, "{}", said.err);
            for cell in ["Diabetic", "female", "Anna", "Bern"] {
                assert!(!said.err.contains(cell) && !said.out.contains(cell), "{cell}: {}", said.err);
            }
            assert!(said.err.contains("names none of them"), "{}", said.err);
        }
    }
}

/// Keys are published, so a list of keys is not taken from the rows, and no mistake in it shows a cell.
#[test]
fn rows_are_no_list_of_keys() {
    let bench = Workbench::new();
    bench.write("rows.csv", "id,illness\n1,Syphilis\n2,Gout\n3,Syphilis\n");
    bench.write(
        "plan.toml",
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n\
         [columns.illness]\ntype = \"text\"\n\
         [[statistic]]\nname = \"a\"\nkind = \"count\"\nby = [\"illness\"]\nkeys = \"./rows.csv\"\n",
    );
    for arguments in [&["check", "plan.toml"][..], &["release", "plan.toml", "--out", "b"]] {
        let said = bench.run(arguments);
        assert_eq!(said.code, 2);
        assert!(!said.err.contains("Syphilis") && !said.out.contains("Syphilis"), "{}", said.err);
        assert!(said.err.contains("must be another file than the data"), "{}", said.err);
    }
}

/// A table with a note that begins as a plan does, and packed rows, are data all the same.
#[test]
fn data_that_look_a_little_like_a_plan_are_not_shown() {
    let bench = Workbench::new();
    bench.write("notes.csv", "id,note\n1,\"see\n[data] Anna Smith\"\n");
    bench.write("rows.gz", b"\x1f\x8b\x08\x08rows.csv\0\n[data]\xff Anna Smith\n");
    for name in ["notes.csv", "rows.gz"] {
        let said = bench.run(&["check", name]);
        assert_eq!(said.code, 2);
        assert!(said.err.contains("is no plan") && !said.err.contains("Anna"), "{name}: {}", said.err);
    }
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let bench = Workbench::new();
    bench.edit("[data]", "title = \"a\\u001b[31mred\\u009b2J\\u202Eb\"\n[data]");
    bench.edit("values = [\"f\", \"m\"]", "values = [\"f\\u001b[2J\", \"m\\nNOT PRIVATE\"]");
    for arguments in [vec!["release", "plan.toml", "--out", "bundle"], vec!["check", "plan.toml"]] {
        let said = bench.run(&arguments);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(
            !said.out.contains(|c: char| c != '\n' && c.is_control()) && !said.out.contains('\u{202e}'),
            "{}",
            said.out
        );
        assert!(said.out.contains("\\u001b[31mred"), "{}", said.out);
    }
    bench.edit("kind = \"sum\"", "kind = \"\\u001b[31msum\"\u{9b}31m");
    let wrong = bench.run(&["check", "plan.toml"]);
    assert_eq!(wrong.code, 2);
    assert!(!wrong.err.contains(|c: char| c != '\n' && c.is_control()), "{:?}", wrong.err);
}

#[test]
fn mistakes_of_the_text_of_the_schema_and_of_conditions_come_together() {
    let bench = Workbench::new();
    bench.edit("name = \"people\"\nkind = \"count\"", "name = \"people\"\nkind = \"median\"");
    bench.edit("where = \"age >= 18\"", "where = \"age >= 18 & sex = \\\"f\\\"\"");
    bench.edit(
        "name = \"age\"\nkind = \"mean\"\ncolumn = \"age\"",
        "name = \"weight\"\nkind = \"mean\"\ncolumn = \"weight\"",
    );
    bench.edit(
        "[columns.age]",
        "[columns.weight]\ntype = \"number\"\nlower = 0\nupper = 300\nmissing = \"drop\"\n\n[columns.age]",
    );
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    for words in [
        "did you mean \"quantile\"? The median is the quantile with probabilities = [0.5]",
        "write AND between two conditions",
        "the data must have a column `weight`",
        "error: 3 mistakes in plan.toml",
    ] {
        assert!(said.err.replace("\n  │ ", " ").contains(words), "{words}: {}", said.err);
    }
}

/// What [data], [privacy] and a statistic say wrongly hides neither a column that the data do not have nor a bad
/// condition.
#[test]
fn mistakes_of_the_schema_are_shown_whatever_else_is_wrong() {
    let bench = Workbench::new();
    bench.edit("[data]", "[data]\nexpect_rows = \"many\"");
    bench.edit("unit = \"row\"", "unit = { column = \"persn\", max_rows = \"4\" }");
    bench.edit("epsilon = 1", "epsilon = -1");
    bench.edit("[columns.age]", "[columns.heigt]\ntype = \"numbr\"\n\n[columns.age]");
    bench.edit("where = \"age >= 18\"", "where = \"age >= 18 & age < 99\"\nfilter = \"age > 2\"");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    let flat = said.err.replace("\n  │ ", " ");
    for words in [
        "`expect_rows` in [data] must be two whole numbers",
        "`max_rows` in `unit` must be",
        "the data must have a column `persn`",
        "`epsilon` in [privacy] must be",
        "the data must have a column `heigt`",
        "did you mean \"number\"?",
        "write AND between two conditions",
        "did you mean `where`?",
        "error: 8 mistakes in plan.toml",
    ] {
        assert!(flat.contains(words), "{words}: {}", said.err);
    }
}

/// A file with semicolons and decimal commas: the error says what to write, and the first plan has it.
#[test]
fn a_file_with_semicolons_is_read_once_the_plan_says_so() {
    let bench = Workbench::new();
    let rows = std::fs::read_to_string(bench.path("rows.csv")).expect("rows").replace(',', ";");
    bench.write("rows.csv", &rows);
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 3 && said.err.contains("has no comma, but a semicolon"), "{}", said.err);
    assert!(said.err.contains("separator = \";\""), "{}", said.err);
    bench.edit("[data]", "[data]\nseparator = \";\"\ndecimal = \",\"");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = bench.run(&["plan", "init", "rows.csv", "--out", "first.toml"]);
    let first = std::fs::read_to_string(bench.path("first.toml")).expect("a plan");
    assert!(said.code == 0 && first.contains("separator = \";\"") && first.contains("# [columns.age]"), "{first}");
}

/// A mistake that may follow from another one is not told: here the separator is what makes the header one long name.
#[test]
fn what_follows_from_a_mistake_is_no_mistake() {
    let bench = Workbench::new();
    let rows = std::fs::read_to_string(bench.path("rows.csv")).expect("rows").replace(',', ";");
    bench.write("rows.csv", &rows);
    bench.edit("[data]", "[data]\ndelimiter = \";\"");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("unknown key `delimiter`"), "{}", said.err);
    assert!(!said.err.contains("the data must have"), "{}", said.err);
}

#[test]
fn keys_of_other_languages_are_known() {
    for (from, to, hint) in [
        ("where = \"age >= 18\"", "filter = \"age >= 18\"", "did you mean `where`?"),
        ("kind = \"mean\"", "function = \"mean\"", "did you mean `kind`?"),
        ("epsilon = 1", "budget = 1", "did you mean `epsilon`?"),
        ("lower = ", "min = ", "did you mean `lower`?"),
        ("path = ", "file = ", "did you mean `path`?"),
        ("lower = ", "top = \"85+\"\nlower = ", "did you mean `marks`?"),
    ] {
        let bench = Workbench::new();
        bench.edit(from, to);
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(hint), "{to}: {}", said.err);
    }
}

#[test]
fn words_of_other_languages_are_known() {
    let cases = [
        ("kind = \"mean\"", "kind = \"average\"", "did you mean \"mean\"?"),
        ("type = \"number\"", "type = \"float\"", "did you mean \"number\"?"),
        ("where = \"age >= 18\"", "where = 'sex = \"f\"'", "put a text in single quotes"),
        ("where = \"age >= 18\"", "where = 'sex = f'", "put a text in single quotes"),
        ("where = \"age >= 18\"", "where = 'age >= 2023-05-01'", "a date stands in single quotes"),
        ("where = \"age >= 18\"", "where = \"(age >= 18) | (age < 3)\"", "write OR between two conditions"),
    ];
    for (from, to, hint) in cases {
        let bench = Workbench::new();
        bench.edit(from, to);
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(hint), "{to}: {}", said.err);
    }
    let bench = Workbench::new();
    bench.edit("epsilon = 1", "epsilon = 1\nrho = 1");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.err.contains("unknown key `rho`") && !said.err.contains("did you mean"), "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_as_data_with_the_reason() {
    let bench = Workbench::new();
    std::fs::remove_file(bench.path("rows.csv")).expect("the file");
    let made = std::process::Command::new("mkfifo").arg(bench.path("rows.csv")).status().expect("mkfifo runs");
    assert!(made.success());
    let said = bench.release();
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("is no file but a pipe or a device"), "{}", said.err);
}

/// Names of folders are columns too, and say nothing about the first line of the files in them.
#[test]
fn a_row_in_place_of_the_header_is_not_shown_where_folders_name_columns() {
    for asked in ["by = [\"year\"]", "where = \"age > 30\""] {
        let bench = Workbench::new();
        std::fs::create_dir_all(bench.path("rows/year=2020")).expect("a folder");
        bench.write("rows/year=2020/r.csv", "Zoe Smith,HIV positive,x1\nBob,flu,x2\n");
        bench.write(
            "plan.toml",
            format!(
                "[data]\npath = \"rows\"\nformat = \"csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\n\
                 epsilon = 1\n[columns.year]\ntype = \"integer\"\nvalues = [2020]\n[[statistic]]\nname = \"n\"\n\
                 kind = \"count\"\n{asked}\n"
            ),
        );
        for command in [&["peek", "plan.toml"][..], &["check", "plan.toml"], &["release", "plan.toml", "--out", "b"]] {
            let said = bench.run(command);
            assert!(said.code == 2 && said.err.contains("names none of them"), "{command:?}: {}", said.err);
            assert!(!format!("{}{}", said.out, said.err).contains("Zoe"), "{command:?}");
        }
    }
}
