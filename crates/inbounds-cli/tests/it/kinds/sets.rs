//! Columns in which a cell holds several answers.

use std::fs;

use serde_json::Value;

use super::{number, rows_of, table};
use crate::workbench::Workbench;

const PLAN: &str = "data = { path = 'people.csv' }\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 100 }\n\
    [columns.langs]\ntype = 'set'\nseparator = ','\nvalues = ['R', 'Python', 'Rust', 'Java', 'JavaScript']\nmax_options = 3\n\
    [columns.sex]\ntype = 'text'\nvalues = ['f', 'm']\n\
    [columns.age]\ntype = 'integer'\nlower = 0\nupper = 100\nmissing = 'drop'\n\
    [[statistic]]\nname = 'langs'\nkind = 'count'\nby = ['langs']\n\
    [[statistic]]\nname = 'langs-by-sex'\nkind = 'count'\nby = ['sex', 'langs']\n\
    [[statistic]]\nname = 'age'\nkind = 'mean'\ncolumn = 'age'\nby = ['langs']\n";

/// Answers are counted whole and once. With epsilon 33 a statistic noise of scale 1/11 is 0 but with probability
/// `exp(-11)`, and the seed is fixed.
#[test]
fn each_answer_of_a_cell_is_counted() {
    let bench = Workbench::new();
    let people = [
        ("R, Python,R", "f", 30),
        ("JavaScript", "m", 50),
        ("Python ,Rust,Java,JavaScript", "f", 70),
        ("", "m", 9),
        ("C", "f", 9),
    ];
    let rows: String =
        (0..250).map(|row| people[row % 5]).map(|(langs, sex, age)| format!("\"{langs}\",{sex},{age}\n")).collect();
    bench.write("people.csv", format!("langs,sex,age\n{rows}"));
    bench.write("plan.toml", PLAN);
    let said = bench.seeded("plan.toml", "bundle", "3");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!said.out.contains("could not be read") && !said.out.contains("% of all"), "{}", said.out);
    let rows = table(&bench, "bundle/measurements.csv");
    let measured =
        |name: &str| rows_of(&rows, name).iter().map(|row| number(row, "measurement").round()).collect::<Vec<_>>();
    // Of the four answers of a cell the first three in the list count.
    assert_eq!(measured("langs"), [50.0, 100.0, 50.0, 50.0, 50.0]);
    assert_eq!(measured("langs-by-sex"), [50.0, 100.0, 50.0, 50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50.0]);
    let estimates = table(&bench, "bundle/estimates.csv");
    let ages: Vec<f64> = rows_of(&estimates, "age").iter().map(|row| number(row, "estimate")).collect();
    for (age, expected) in ages.iter().zip([30.0, 50.0, 70.0, 70.0, 50.0]) {
        assert!((age - expected).abs() < 2.0, "{ages:?}");
    }
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest"))
            .expect("JSON");
    let noise = &manifest["statistics"][0]["measured"][0]["sensitivity"];
    assert_eq!((&noise["l1"], &noise["linf_steps"]), (&3.0.into(), &"1".into()), "{noise:#}");
    let rules = manifest["rules"].to_string();
    let rule = "A cell of `langs` holds several answers, and its row counts in the cell of each; of more than 3, those that come first";
    assert!(rules.contains(rule), "{rules}");
    // Without a limit no unit's answer is left out.
    bench.write("plan.toml", PLAN.replace("max_options = 3\n", "").replace("'add-remove'", "'substitute', rows = 250"));
    let said = bench.seeded("plan.toml", "all", "3");
    assert_eq!(said.code, 0, "{}", said.err);
    let rows = table(&bench, "all/measurements.csv");
    let last: Vec<f64> = rows_of(&rows, "langs").iter().map(|row| number(row, "measurement").round()).collect();
    assert_eq!(last, [50.0, 100.0, 50.0, 50.0, 100.0]);
}

#[test]
fn what_answers_cannot_be_is_refused_with_the_remedy() {
    let bench = Workbench::new();
    bench.write("people.csv", "langs,sex,age\nR,f,3\n");
    for (from, to, problem, remedy) in [
        (
            "kind = 'count'\nby = ['langs']",
            "kind = 'proportion'\nby = ['langs']",
            "must be a count, a sum or a mean by `langs`",
            "and all rows, and divide",
        ),
        (
            "by = ['langs']\n",
            "by = ['langs']\nlearn_keys = true\n",
            "`learn_keys` in statistic `langs` must be left out by `langs`",
            "remove `learn_keys`",
        ),
        (
            "by = ['sex', 'langs']",
            "by = ['sex', 'langs']\nmargins = [['sex'], ['langs']]",
            "`margins` in statistic `langs-by-sex` must be left out",
            "group by other columns",
        ),
        (
            "unit = 'row'",
            "unit = { column = 'sex', max_rows = 1 }",
            "holds several answers, and `unit` names a column",
            "unit = { max_rows = k }",
        ),
        ("max_options = 3", "max_options = 6", "must be at most 5", "leave it out"),
        ("separator = ','", "separator = ''", "must be a string that is not empty", "separator = \";\""),
        ("separator = ','", "split = ','", "unknown key `split`", "did you mean `separator`?"),
        ("type = 'set'", "type = 'text'", "must be left out unless type = \"set\"", "\"set\" for several answers"),
        (
            "values = ['R', 'Python', 'Rust', 'Java', 'JavaScript']\n",
            "",
            "of type set must have `values`",
            "list the options",
        ),
        (
            "separator = ','\n",
            "separator = 'a'\n",
            "must be answers without the separator \"a\"",
            "write another `separator`",
        ),
        ("'R', 'Python'", "'R', 'R, too'", "got \"R, too\": no row would have it", "call it by its name in `labels`"),
        ("'Java', ", "'missing', ", "must be an answer", "leave `missing` out"),
        (
            "epsilon = 100",
            "epsilon = 100, together = ['langs', 'age']",
            "must not name statistic `langs`",
            "remove the name",
        ),
    ] {
        assert!(PLAN.contains(from), "{from}");
        bench.write("plan.toml", PLAN.replace(from, to));
        let said = bench.run(&["check", "plan.toml"]);
        assert_eq!(said.code, 2, "{to}: {}", said.out);
        assert!(said.err.contains(problem) && said.err.contains(remedy), "{to}: {}", said.err);
    }
}

/// Options that only a file of keys leaves out, columns made of whole cells, and cells that [per_unit] would take.
#[test]
fn options_that_no_row_can_have_are_refused_and_none_is_lost() {
    let bench = Workbench::new();
    let rows: String =
        ["3,R", "1 3,R", "1,S", "2 1,S", "1 2 3,S"].iter().map(|row| format!("{row}\n").repeat(40)).collect();
    bench.write("people.csv", format!("reason,town\n{rows}"));
    let plan = |rest: &str| {
        format!(
            "data = {{ path = 'people.csv' }}\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 100 }}\n\
             columns.reason = {{ type = 'set', values = [1, 2, 3] }}\n\
             columns.first = {{ from = 'reason', recode = {{ '1' = 'one' }}, others = 'other' }}\n{rest}\n"
        )
    };
    bench.write("keys.csv", "reason\n3\n");
    bench.write("plan.toml", plan("statistic = [{ name = 'a', kind = 'count', by = ['reason'], keys = 'keys.csv' }]"));
    let said = bench.seeded("plan.toml", "bundle", "3");
    assert!(said.code == 0 && said.out.contains("About 80 rows"), "{}{}", said.out, said.err);
    let rows = table(&bench, "bundle/measurements.csv");
    assert_eq!(number(&rows[0], "measurement").round(), 120.0);
    // Whatever a file of keys lists, diagnostics look at all answers of a cell.
    let with = plan("statistic = [{ name = 'a', kind = 'count', by = ['reason'], keys = 'keys.csv' }]");
    bench.write("plan.toml", with.replace("epsilon = 100", "epsilon = 100, diagnostics = 0.5"));
    let _ = fs::remove_dir_all(bench.path("bundle"));
    let said = bench.seeded("plan.toml", "bundle", "3");
    assert!(said.out.contains("About 120 rows (± 0 at 95 %) have a listed `reason`"), "{}", said.out);
    bench.write("keys.csv", "reason\n3\n5\n");
    for (rest, problem) in [
        (
            "statistic = [{ name = 'a', kind = 'count', by = ['reason'], keys = 'keys.csv' }]",
            "lists `5`, which is none of the `values`",
        ),
        (
            "statistic = [{ name = 'a', kind = 'count', by = ['reason', 'first'] }]",
            "must not cross `reason` with `first`",
        ),
    ] {
        bench.write("plan.toml", plan(rest));
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{rest}: {}{}", said.out, said.err);
    }
    let of_units = plan(
        "per_unit.reason.take = 'first'\nper_unit.reason.order = 'town'\nstatistic = [{ name = 'a', kind = 'count', by = ['reason'] }]",
    );
    bench.write("plan.toml", of_units.replace("unit = 'row'", "unit = { column = 'town' }"));
    let said = bench.run(&["check", "plan.toml"]);
    assert!(
        said.code == 2 && said.err.contains("is of type set, of which [per_unit] can take nothing"),
        "{}",
        said.err
    );
}

/// A ledger adds up releases by different options: one row can have all of them.
#[test]
fn releases_by_other_options_are_of_the_same_rows() {
    let bench = Workbench::new();
    bench.write("people.csv", "reason\n1 2\n");
    for option in ["1", "2"] {
        bench.write(&format!("{option}.csv"), format!("reason\n{option}\n"));
    }
    let create = [
        "ledger",
        "create",
        "l",
        "--data",
        "people.csv",
        "--unit",
        "row",
        "--neighbours",
        "add-remove",
        "--epsilon",
        "2",
        "--fixed-rows",
    ];
    assert_eq!(bench.run(&create).code, 0);
    for (option, code) in [("1", 0), ("2", 0), ("1", 9)] {
        bench.write(
            "plan.toml",
            format!(
                "data = {{ path = 'people.csv' }}\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1, ledger = 'l' }}\n\
                 columns.reason = {{ type = 'set', values = [1, 2, 3] }}\n\
                 statistic = [{{ name = 'a', kind = 'count', by = ['reason'], keys = '{option}.csv' }}]\n"
            ),
        );
        let said = bench.run(&["release", "plan.toml", "--out", &format!("out-{option}-{code}")]);
        assert_eq!(said.code, code, "{option}: {}{}", said.out, said.err);
    }
}
