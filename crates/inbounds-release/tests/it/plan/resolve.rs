//! The plan against the schema of the data.

use inbounds_release::plan::{Kind, Plan};

use super::{GOOD, edit, parse};

/// The good plan over Parquet, with no type but those of `age` and `income`.
fn untyped() -> String {
    let text = edit(GOOD, "path = \"registry.csv\"", "path = \"registry.parquet\"\ntypes = \"public\"");
    text.replace("type = \"text\"\n", "").replace("type = \"boolean\"\n", "").replacen(
        "type = \"integer\"\nvalues",
        "values",
        1,
    )
}

fn schema() -> Vec<(String, Kind)> {
    let columns = [
        ("person", Kind::Text),
        ("sex", Kind::Text),
        ("age", Kind::Integer),
        ("income", Kind::Number),
        ("ward", Kind::Integer),
        ("open", Kind::Boolean),
        ("since", Kind::Other),
    ];
    columns.map(|(name, column_type)| (name.to_owned(), column_type)).to_vec()
}

/// Result of the schema check, as the error a user would see.
fn said(plan: &str, schema: &[(String, Kind)]) -> String {
    let plan: Plan = parse(plan).expect("the reader has nothing to say");
    plan.errors(plan.resolve(schema)).to_string()
}

fn retype(name: &str, column_type: Kind) -> Vec<(String, Kind)> {
    let mut schema = schema();
    schema.iter_mut().filter(|(column, _)| column == name).for_each(|(_, stored)| *stored = column_type);
    schema
}

#[test]
fn a_fitting_schema_has_no_mistakes() {
    assert_eq!(said(GOOD, &schema()), "");
    assert_eq!(said(&untyped(), &schema()), "");
    // Whole numbers are numbers.
    assert_eq!(said(&untyped(), &retype("income", Kind::Integer)), "");
}

#[test]
fn a_missing_column_is_said_once() {
    let without: Vec<_> = schema().into_iter().filter(|(name, _)| name != "ward").collect();
    let expected = "plan.toml:27:10: the data must have a column `ward`, and has none of that name\n  \
                    help: the columns are person, sex, age, income, open, since";
    assert_eq!(said(GOOD, &without), expected);
    let plan = edit(&untyped(), "by = [\"ward\", \"open\"]", "by = [\"wrad\", \"opn\"]");
    let expected = "plan.toml:50:7: the data must have a column `wrad`, and has none of that name\n  \
                    help: did you mean `ward`?\n\
                    plan.toml:50:15: the data must have a column `opn`, and has none of that name\n  \
                    help: did you mean `open`?";
    assert_eq!(said(&plan, &schema()), expected);
}

#[test]
fn long_schemas_are_cut() {
    let mut wide: Vec<_> = (0..100).map(|index| (format!("{index}"), Kind::Number)).collect();
    wide.push(("age".to_owned(), Kind::Integer));
    assert!(said(GOOD, &wide).contains("help: the columns are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...\n"));
}

#[test]
fn a_first_line_without_a_name_of_the_plan_is_not_shown() {
    let person: Vec<_> = ["p1", "female", "Alice", "ward 7"].map(|cell| (cell.to_owned(), Kind::Text)).into();
    let expected = "plan.toml:4:8: the data must have columns that the plan names, and the first line of the data names none \
                    of them\n  help: a CSV file begins with a line of column names: add it, or spell the names in the plan \
                    as they stand there; if other lines stand before it, write how many: skip = 3 in [data]";
    assert_eq!(said(GOOD, &person), expected);
    // The schema of a Parquet file is no row.
    assert!(said(&untyped(), &person).contains("the columns are p1, female, Alice, ward 7"));
}

#[test]
fn contradictions_of_type_are_said() {
    let said = said(GOOD, &retype("age", Kind::Boolean));
    let expected = "plan.toml:12:8: `type` in [columns.age] is integer, but the data has boolean\n  \
                    help: remove `type`, or name another column";
    assert_eq!(said, expected);
}

#[test]
fn uses_that_do_not_suit_the_type_in_the_data_are_said() {
    let cases = [
        (
            untyped(),
            retype("open", Kind::Number),
            "plan.toml:50:15: `by` in statistic `income-by-ward` must name an integer, text or boolean column, \
             but `open` is of type number\n  \
             help: if it holds codes, which are whole numbers, write type = \"integer\"; otherwise make classes of it with `cut`",
        ),
        (
            edit(&untyped(), "unit = \"row\"", "unit = { column = \"since\", max_rows = 2 }"),
            schema(),
            "plan.toml:8:19: `unit` in [privacy] must name an integer or text column, \
             but `since` is of type other\n  \
             help: name the column that identifies the people or households to protect",
        ),
        (
            edit(&untyped(), "type = \"number\"\n", ""),
            retype("income", Kind::Text),
            "plan.toml:18:10: `missing` in [columns.income] must be left out for a column of type text: \
             only numbers have bounds\n  \
             help: remove it, or mend the type of the column\n\
             plan.toml:19:9: `lower` in [columns.income] must be left out for a column of type text: \
             only numbers have bounds\n  \
             help: remove it, or mend the type of the column\n\
             plan.toml:20:9: `upper` in [columns.income] must be left out for a column of type text: \
             only numbers have bounds\n  \
             help: remove it, or mend the type of the column\n\
             plan.toml:48:10: `column` in statistic `income-by-ward` must be a number for a sum, \
             but `income` is of type text\n  \
             help: name a column of type integer or number, or count rows with kind = \"count\" and `where`",
        ),
        (
            untyped(),
            retype("sex", Kind::Integer),
            "plan.toml:25:11: each entry of `values` in [columns.sex] must be of type integer, got \"female\"\n  \
             help: write it without quotes, or mend the type of the column\n\
             plan.toml:25:21: each entry of `values` in [columns.sex] must be of type integer, got \"male\"\n  \
             help: write it without quotes, or mend the type of the column",
        ),
        (
            edit(&edit(&untyped(), "type = \"number\"\n", ""), "upper = 250_000.50", "upper = 9.5"),
            retype("income", Kind::Integer),
            "plan.toml:20:9: `upper` in [columns.income] must be a whole number in a column of type integer, got 9.5\n  \
             help: round it to a whole number",
        ),
    ];
    for (plan, schema, expected) in cases {
        assert_eq!(said(&plan, &schema), expected);
    }
}
