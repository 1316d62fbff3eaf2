//! A good plan becomes the records it describes.

use std::{fs, path::Path};

use inbounds_core::{Neighbours, Rational};
use inbounds_release::plan::{KeyValue, Kind, Missing, OutputRange, Plan, RowFormat, Spanned, StatisticKind, Unit};

use super::{GOOD, edit, parse};

/// The words of a list of placed names.
fn words(list: &[Spanned<String>]) -> Vec<&str> {
    list.iter().map(|name| name.value.as_str()).collect()
}

#[test]
fn the_head_of_the_plan() {
    let plan = parse(GOOD).expect("good");
    assert_eq!(plan.title.as_deref(), Some("Registry of long-term care, 2024"));
    assert_eq!((plan.data.path.value.as_str(), plan.data.format), ("registry.csv", RowFormat::Csv));
    assert_eq!(plan.locate(&plan.data.path.value), Path::new("folder/registry.csv"));
    assert_eq!(plan.privacy.unit, Unit::Row);
    assert_eq!(plan.privacy.neighbours, Neighbours::AddRemove);
    assert_eq!(plan.privacy.epsilon.value.given().map(|epsilon| epsilon.value().clone()), Some(Rational::ONE));
    assert_eq!(*plan.privacy.delta.value.value(), Rational::ZERO);
    assert_eq!(plan.privacy.rows, None);
    // sha256sum tests/it/plan/good.toml
    assert_eq!(plan.digest, "a57e4fb88250a29d18758f00ef3fe607324c30cb55a24ffc877fe232ad9a22a9");
}

#[test]
fn the_columns() {
    let plan = parse(GOOD).expect("good");
    let names: Vec<_> = plan.columns.iter().map(|column| column.name.value.as_str()).collect();
    assert_eq!(names, ["age", "income", "sex", "ward", "person", "open"]);
    let age = plan.column("age").expect("age is declared");
    let bounds = age.bounds.as_ref().expect("age has bounds");
    assert_eq!((&bounds.lower.value, &bounds.upper.value), (&Rational::ZERO, &Rational::ratio(110, 1)));
    assert_eq!(age.missing, Some(Missing::Drop));
    assert_eq!(
        plan.column("income").and_then(|column| column.missing.as_ref()),
        Some(&Missing::Impute(Rational::ZERO))
    );
    let sex = plan.column("sex").expect("sex is declared");
    assert_eq!(sex.missing, None);
    assert_eq!(sex.column_type.as_ref().map(|column_type| column_type.value), Some(Kind::Text));
    let values: Vec<_> = sex.values.iter().flatten().map(|value| &value.value).collect();
    assert_eq!(values, [&KeyValue::Text("female".into()), &KeyValue::Text("male".into())]);
}

#[test]
fn the_words_for_people() {
    let words = "values = [1, 2, 3]\nlabel = \"Ward\"\nlabels = { 2 = \"South\", 1 = \"North\" }";
    let text = edit(GOOD, "values = [1, 2, 3]", words);
    let text = edit(&text, "name = \"people\"\n", "name = \"people\"\nlabel = \"All\"\n");
    let plan = parse(&text).expect("good");
    let ward = plan.column("ward").expect("declared");
    assert_eq!((ward.label.as_deref(), &ward.unit), (Some("Ward"), &None));
    let words = [(KeyValue::Integer(2), "South".to_owned()), (KeyValue::Integer(1), "North".to_owned())];
    assert_eq!(ward.labels, words);
    assert_eq!(plan.statistics[0].label.as_deref(), Some("All"));
    assert_eq!(plan.statistics[1].label, None);
}

#[test]
fn the_statistics() {
    let plan = parse(GOOD).expect("good");
    let [people, by_sex, income, age] = plan.statistics.as_slice() else { panic!("four statistics") };
    assert_eq!((people.kind.name(), people.mechanism.value.word()), ("count", "clamped"));
    assert_eq!(people.range.value, OutputRange::Natural);
    assert_eq!(words(&by_sex.by), ["sex", "ward"]);
    assert_eq!(by_sex.filter.as_ref().map(|filter| filter.value.as_str()), Some("age >= 65"));
    assert_eq!(by_sex.mechanism.value.word(), "conditioned");
    let range = OutputRange::Declared { lower: Some(Rational::ZERO), upper: Some(Rational::ratio(500, 1)) };
    assert_eq!(by_sex.range.value, range);
    assert_eq!(income.kind.name(), "sum");
    assert_eq!(income.column().map(|column| column.value.as_str()), Some("income"));
    assert_eq!(income.keys.as_ref().map(|keys| keys.value.as_str()), Some("wards.csv"));
    assert_eq!(income.range.value, OutputRange::Unbounded);
    assert!(matches!(&age.kind, StatisticKind::Mean(mean) if mean.column.value == "age"));
}

#[test]
fn places_are_those_of_the_text() {
    let plan = parse(GOOD).expect("good");
    let by = &plan.statistics[1].by[1];
    assert_eq!(&GOOD[by.span.clone()], "\"ward\"");
    let mistake = plan.mistake(by.span.clone(), "no such ward", Some("look again".to_owned()));
    let errors = plan.errors(vec![mistake]);
    assert_eq!(errors.to_string(), "plan.toml:44:14: no such ward\n  help: look again");
}

#[test]
fn listed_keys_change_slowest_in_the_first_column() {
    let plan = parse(GOOD).expect("good");
    let [people, by_sex, income, _] = plan.statistics.as_slice() else { panic!("four statistics") };
    assert!(plan.listed_keys(people).is_none());
    assert!(plan.listed_keys(income).is_none(), "its cells are in a file");
    let keys = plan.listed_keys(by_sex).expect("both columns list their values").expect("distinct");
    let expected: Vec<Vec<KeyValue>> = ["female", "male"]
        .iter()
        .flat_map(|sex| (1..=3).map(|ward| vec![KeyValue::Text((*sex).to_owned()), KeyValue::Integer(ward)]))
        .collect();
    assert!(keys.rows().eq(expected));
}

#[test]
fn units_and_public_rows() {
    let unit = edit(GOOD, "unit = \"row\"", "unit = { column = \"person\", max_rows = 4 }");
    let plan = parse(&unit).expect("good");
    let Unit::Column { column, most } = &plan.privacy.unit else { panic!("a unit column") };
    assert_eq!((column.value.as_str(), most.contribution()), ("person", inbounds_statistics::Contribution::of_rows(4)));
    for (limits, expected) in [
        ("max_groups = 3, max_rows_per_group = 2", inbounds_statistics::Contribution::of_groups(3, 2)),
        ("max_groups = 3, max_rows = 5", inbounds_statistics::Contribution::new(5, 3, 5)),
        ("max_rows = 5, max_rows_per_group = 2", inbounds_statistics::Contribution::new(5, 5, 2)),
        ("max_rows = 5, max_groups = 3, max_rows_per_group = 2", inbounds_statistics::Contribution::new(5, 3, 2)),
    ] {
        let unit = format!("unit = {{ column = \"person\", {limits} }}");
        let plan = parse(&edit(GOOD, "unit = \"row\"", &unit)).expect("a unit in groups");
        assert_eq!(plan.privacy.unit.most().map(|most| most.contribution()), Some(expected), "{limits}");
    }
    let rows = edit(GOOD, "neighbours = \"add-remove\"", "neighbours = \"substitute\"\nrows = 4000");
    let rows = edit(&rows, "kind = \"count\"", "kind = \"count\"\nwhere = \"age < 3\"");
    let plan = parse(&rows).expect("good");
    assert_eq!(plan.privacy.rows.map(|rows| rows.value), Some(4000));
}

#[test]
fn a_plan_is_read_from_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plan");
    let plan = Plan::read(&folder.join("good.toml")).expect("good");
    assert_eq!(plan.digest, parse(GOOD).expect("good").digest);
    assert_eq!(plan.folder, folder);
    assert_eq!(plan.text(), GOOD);
}

#[test]
fn files_that_are_no_text_are_said() {
    let missing = Plan::read(Path::new("no-such-folder/plan.toml")).expect_err("there is no such file");
    assert!(missing.to_string().starts_with("no-such-folder/plan.toml:1:1: the plan cannot be read: "), "{missing}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin1.toml");
    fs::write(&path, b"title = 1\ndata = \"Gr\xf6\xdfe\"\n").expect("the file can be written");
    let latin = Plan::read(&path).expect_err("Latin-1 is not UTF-8");
    let [mistake] = latin.mistakes.as_slice() else { panic!("one mistake") };
    assert_eq!((mistake.line, mistake.column), (2, 11));
    assert_eq!(mistake.message, "the plan must be UTF-8 text, and is not from byte 20 on");
}

#[test]
fn dotted_and_inline_tables_and_a_byte_order_mark_are_fine() {
    let text = "\u{feff}data.path = 'a.parquet'\r\ndata.types = 'public'\r\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 1 }\r\n\
                statistic = [{ name = 'n', kind = 'count' }]\r\n";
    let plan = parse(text).expect("good");
    assert_eq!(plan.data.format, RowFormat::Parquet);
    let wrong = text.replace("data.path", "data.pat");
    let errors = parse(&wrong).expect_err("`pat` is no key");
    assert_eq!(errors.mistakes[0].message, "[data] must have `path`");
    assert_eq!((errors.mistakes[0].line, errors.mistakes[0].column), (1, 1));
}
