use std::path::Path;

use inbounds_data::Kind;

use super::*;

fn parsed(name: &str, text: &str) -> Codebook {
    Codebook::parse(name, text, Path::new("people.csv")).unwrap_or_else(|error| panic!("{error}"))
}

fn codes(variable: &Variable) -> Vec<&str> {
    variable.values.iter().map(|value| value.code.as_str()).collect()
}

#[test]
fn a_table_schema_says_types_bounds_values_and_missing_codes() {
    let book = parsed(
        "schema.json",
        r#"{"missingValues": ["", "NA"], "fields": [
            {"name": "age", "type": "integer", "title": "Age", "constraints": {"minimum": 0, "maximum": 110}},
            {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m", "NA"]}},
            {"name": "answer", "type": "integer", "missingValues": [-9],
             "categories": [{"value": 1, "label": "yes"}, {"value": 2, "label": "no"}]},
            {"name": "seen", "type": "date", "format": "%d.%m.%Y"},
            {"name": "income", "type": "number", "constraints": {"minimum": 0}},
            {"name": "at", "type": "datetime"}]}"#,
    );
    assert_eq!(book.format, CodebookFormat::TableSchema);
    let of = |name| book.of_column(name).expect("described");
    let age = of("age");
    assert_eq!((age.kind, age.lower.as_deref(), age.upper.as_deref()), (Some(Kind::Integer), Some("0"), Some("110")));
    assert_eq!(age.missing, ["NA"], "an empty cell is missing anyway");
    assert_eq!(codes(of("sex")), ["f", "m"], "what is missing is no value");
    assert_eq!((codes(of("answer")), &of("answer").missing[..]), (vec!["1", "2"], &["-9".to_owned()][..]));
    assert_eq!((of("seen").kind, of("seen").format.as_deref()), (Some(Kind::Date), Some("%d.%m.%Y")));
    assert!(matches!(of("income").refused[..], [Refusal::Bounds(_)]) && of("income").lower.is_none());
    assert!(matches!(&of("at").refused[..], [Refusal::Type(word)] if word == "datetime"));
}

#[test]
fn a_package_of_several_tables_is_asked_for_the_one_of_the_data() {
    let text = r#"{"resources": [
        {"path": "data/visits.csv", "schema": {"fields": [{"name": "day", "type": "date"}]}},
        {"path": "data/people.csv", "schema": {"fields": [{"name": "age", "type": "integer"}]}}]}"#;
    assert!(parsed("datapackage.json", text).of_column("age").is_some());
    let other = Codebook::parse("datapackage.json", text, Path::new("rows.csv")).expect_err("which one?");
    let said = other.to_string();
    assert!(said.contains("data/visits.csv, data/people.csv") && said.contains("rows.csv"), "{said}");
}

#[test]
fn csv_on_the_web_says_titles_facets_and_nulls() {
    let book = parsed(
        "people.csv-metadata.json",
        r#"{"@context": "http://www.w3.org/ns/csvw", "url": "people.csv", "tableSchema": {"null": "-", "columns": [
            {"name": "age", "titles": {"en": "Age in years"}, "datatype": {"base": "integer", "minimum": 0, "maximum": 120}},
            {"name": "sex", "titles": "Sex", "datatype": {"base": "string", "format": "^(f|m)$"}},
            {"name": "code", "titles": "Code", "datatype": {"base": "string", "format": "[A-Z]+"}},
            {"name": "made", "virtual": true}]}}"#,
    );
    assert_eq!((book.format, book.variables.len()), (CodebookFormat::CsvOnTheWeb, 3));
    let age = book.of_column("Age in years").expect("by its title");
    assert_eq!(
        (age.kind, age.upper.as_deref(), &age.missing[..]),
        (Some(Kind::Integer), Some("120"), &["-".to_owned()][..])
    );
    assert_eq!(codes(book.of_column("Sex").expect("described")), ["f", "m"]);
    assert!(book.of_column("Code").expect("described").values.is_empty(), "an expression with infinitely many values");
}

#[test]
fn a_data_dictionary_says_choices_ranges_and_checkboxes() {
    let head = "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,\"Choices, Calculations, OR Slider Labels\",\
                Field Note,Text Validation Type OR Show Slider Number,Text Validation Min,Text Validation Max,Identifier?";
    let book = parsed(
        "dictionary.csv",
        &format!(
            "{head}\n\
             id,a,,text,Record ID,,,,,,y\n\
             sex,a,,radio,\"<b>Sex</b> at birth\",\"1, Female | 2, Male\",,,,,\n\
             weight,a,,text,Weight,,,number,20,300,\n\
             born,a,,text,Born,,,date_dmy,,today,\n\
             smokes,a,,yesno,Smokes,,,,,,\n\
             race,a,,checkbox,Race,\"1, White | -9, Other\",,,,,\n\
             pain,a,,slider,Pain,None | Worst,,,,,\n\
             note,a,,notes,Notes,,,,,,\n\
             intro,a,,descriptive,Welcome,,,,,,\n"
        ),
    );
    assert_eq!(book.format, CodebookFormat::Redcap);
    let of = |name| book.of_column(name).expect("described");
    assert_eq!((of("sex").label.as_deref(), codes(of("sex"))), (Some("Sex at birth"), vec!["1", "2"]));
    assert_eq!((of("weight").kind, of("weight").upper.as_deref()), (Some(Kind::Number), Some("300")));
    assert_eq!((of("born").kind, &of("born").refused[..]), (Some(Kind::Date), &[][..]));
    assert_eq!(codes(of("smokes")), ["0", "1"]);
    assert_eq!(of("race____9").label.as_deref(), Some("Race: Other"));
    assert_eq!((of("pain").lower.as_deref(), of("pain").upper.as_deref()), (Some("0"), Some("100")));
    assert_eq!(
        (&of("id").refused[..], &of("note").refused[..]),
        (&[Refusal::Identifier][..], &[Refusal::FreeText][..])
    );
    assert!(book.of_column("intro").is_none(), "a heading has no column");
}

/// Observed values are the rows'; a range beside them that differs was known before.
#[test]
fn ddi_says_categories_and_ranges_but_nothing_observed() {
    let book = parsed(
        "study.xml",
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
          <var name="SEX" intrvl="discrete"><labl>Sex of the
            respondent</labl><invalrng><item VALUE="8"/></invalrng>
            <catgry><catValu>1</catValu><labl>Male</labl><catStat type="freq">812</catStat></catgry>
            <catgry><catValu>2</catValu><labl>Female</labl></catgry>
            <catgry missing="Y"><catValu>9</catValu><labl>No answer</labl></catgry>
            <varFormat type="numeric"/></var>
          <var name="AGE" dcml="0"><labl>Age</labl><valrng><range min="15" max="97"/></valrng>
            <sumStat type="min">15</sumStat><sumStat type="max">97</sumStat><varFormat type="numeric"/></var>
          <var name="HOURS" dcml="1"><valrng><range min="0" max="168"/></valrng>
            <sumStat type="min">1</sumStat><sumStat type="max">90</sumStat><varFormat type="numeric"/></var>
          <var name="NAME"><varFormat type="character"/></var>
        </dataDscr></codeBook>"#,
    );
    assert_eq!(book.format, CodebookFormat::Ddi);
    let of = |name| book.of_column(name).expect("described");
    assert_eq!((codes(of("SEX")), &of("SEX").missing[..]), (vec!["1", "2"], &["8".to_owned(), "9".to_owned()][..]));
    assert_eq!(of("SEX").label.as_deref(), Some("Sex of the respondent"));
    assert_eq!(
        (of("AGE").kind, &of("AGE").lower, &of("AGE").refused[..]),
        (Some(Kind::Integer), &None, &[Refusal::Observed][..])
    );
    assert_eq!((of("HOURS").kind, of("HOURS").upper.as_deref()), (Some(Kind::Number), Some("168")));
    assert_eq!(of("name").kind, Some(Kind::Text), "without regard to case, where that is unique");
}

#[test]
fn what_is_no_codebook_is_refused_with_what_it_is() {
    let refused = |name: &str, text: &str| {
        Codebook::parse(name, text, Path::new("people.csv")).expect_err("no codebook").to_string()
    };
    for (name, text, wanted) in [
        ("a.json", "{", "EOF while parsing"),
        ("a.json", "[1]", "no object"),
        ("a.json", "{\"a\": 1}", "none of `resources`"),
        ("a.json", "{\"fields\": []}", "describes no variable"),
        ("a.xml", "<html></html>", "<html>"),
        ("a.xml", "<codeBook>", "a.xml is no codebook that can be read"),
        ("a.csv", "x,y\n1,2\n", "its first line is x,y"),
        ("a.csv", "variable,type\n", "describes no variable"),
    ] {
        let said = refused(name, text);
        assert!(said.contains(wanted) && said.contains(name), "{text}: {said}");
    }
}

#[test]
fn documents_do_not_expand_entities() {
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><codeBook>&c;</codeBook>";
    assert!(Codebook::parse("a.xml", bomb, Path::new("people.csv")).is_err());
}
