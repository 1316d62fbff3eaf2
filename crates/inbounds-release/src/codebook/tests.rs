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
            {"name": "at", "type": "datetime"}, {"name": "where", "type": "geopoint"}]}"#,
    );
    assert_eq!(book.format, CodebookFormat::TableSchema);
    let variable = |name| book.of_column(name).expect("described");
    let age = variable("age");
    assert_eq!((age.kind, age.lower.as_deref(), age.upper.as_deref()), (Some(Kind::Integer), Some("0"), Some("110")));
    assert_eq!(age.missing, ["NA"], "an empty cell is missing anyway");
    assert_eq!(codes(variable("sex")), ["f", "m"], "what is missing is no value");
    assert_eq!((codes(variable("answer")), &variable("answer").missing[..]), (vec!["1", "2"], &["-9".to_owned()][..]));
    assert_eq!((variable("seen").kind, variable("seen").format.as_deref()), (Some(Kind::Date), Some("%d.%m.%Y")));
    assert!(
        variable("income").refused.is_empty() && variable("income").lower.as_deref() == Some("0"),
        "one end is known"
    );
    assert_eq!(variable("at").kind, Some(Kind::Date), "a time of day is left out when a date is read");
    assert!(matches!(&variable("where").refused[..], [Refusal::Type(word)] if word == "geopoint"));
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
    let variable = |name| book.of_column(name).expect("described");
    assert_eq!((variable("sex").label.as_deref(), codes(variable("sex"))), (Some("Sex at birth"), vec!["1", "2"]));
    assert_eq!((variable("weight").kind, variable("weight").upper.as_deref()), (Some(Kind::Number), Some("300")));
    assert_eq!((variable("born").kind, &variable("born").refused[..]), (Some(Kind::Date), &[][..]));
    assert_eq!(codes(variable("smokes")), ["0", "1"]);
    assert_eq!(variable("race____9").label.as_deref(), Some("Race: Other"));
    assert_eq!((variable("pain").lower.as_deref(), variable("pain").upper.as_deref()), (Some("0"), Some("100")));
    assert_eq!(
        (&variable("id").refused[..], &variable("note").refused[..]),
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
    let variable = |name| book.of_column(name).expect("described");
    assert_eq!(
        (codes(variable("SEX")), &variable("SEX").missing[..]),
        (vec!["1", "2"], &["8".to_owned(), "9".to_owned()][..])
    );
    assert_eq!(variable("SEX").label.as_deref(), Some("Sex of the respondent"));
    assert_eq!(
        (variable("AGE").kind, &variable("AGE").lower, &variable("AGE").refused[..]),
        (Some(Kind::Integer), &None, &[Refusal::Observed][..])
    );
    assert_eq!((variable("HOURS").kind, variable("HOURS").upper.as_deref()), (Some(Kind::Number), Some("168")));
    assert_eq!(variable("name").kind, Some(Kind::Text), "without regard to case, where that is unique");
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

/// Programs write the range of the rows where the standard has the valid one.
#[test]
fn ranges_that_may_be_of_the_rows_are_not_taken() {
    let var = |inner: &str| {
        let text = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE codeBook SYSTEM \"Version2-0.dtd\"><codeBook><dataDscr><var name=\"x\" dcml=\"0\" {inner}</var>\
             </dataDscr></codeBook>"
        );
        parsed("study.xml", &text).of_column("x").expect("described").clone()
    };
    let range = "<valrng><range min=\"0\" max=\"110\"/></valrng><varFormat type=\"numeric\"/>";
    let alone = var(&format!(">{range}"));
    assert!(matches!(alone.refused[..], [Refusal::MaybeObserved]) && alone.lower.is_none(), "{alone:?}");
    let stat = |least: u8, largest: u8| {
        format!("<sumStat type=\"min\">{least}</sumStat><sumStat type=\"max\">{largest}</sumStat>")
    };
    let same = var(&format!(">{range}{}", stat(0, 110)));
    assert!(matches!(same.refused[..], [Refusal::Observed]) && same.lower.is_none(), "{same:?}");
    let wider = var(&format!(">{range}{}", stat(3, 98)));
    assert_eq!((wider.lower.as_deref(), wider.upper.as_deref()), (Some("0"), Some("110")), "{wider:?}");
    // Values with frequencies and without labels are those that occurred.
    let occurred = var("><catgry><catValu>1</catValu><catStat type=\"freq\">3</catStat></catgry>");
    assert!(occurred.values.is_empty() && matches!(occurred.refused[..], [Refusal::ObservedValues]), "{occurred:?}");
    // A list of codes beside numbers is no list of all values.
    let beside = var("intrvl=\"contin\"><catgry><catValu>97</catValu><labl>inconsistent</labl></catgry>");
    assert!(beside.values.is_empty() && beside.kind == Some(Kind::Integer), "{beside:?}");
    assert!(beside.refused[0].sentence().contains("97 (inconsistent)"), "{beside:?}");
    let invalid = var("><invalrng><item VALUE=\"99.0\"/><range min=\"97\" max=\"99\"/></invalrng>");
    assert_eq!(invalid.missing, ["99", "97", "98"], "{invalid:?}");
}

#[test]
fn several_files_of_one_study_are_told_by_the_name_of_the_data() {
    let text = "<codeBook><fileDscr ID=\"F1\"><fileTxt><fileName>people.NSDstat</fileName></fileTxt></fileDscr>\
                <fileDscr ID=\"F2\"><fileTxt><fileName>houses</fileName></fileTxt></fileDscr><dataDscr>\
                <var name=\"size\" files=\"F2\"><labl>Rooms</labl></var><var name=\"size\" files=\"F1\"><labl>Height</labl></var>\
                </dataDscr></codeBook>";
    let codebook_for = |data: &str| Codebook::parse("study.xml", text, data.as_ref());
    let label = |data: &str| codebook_for(data).expect("a file").of_column("size").expect("described").label.clone();
    assert_eq!(label("people.csv").as_deref(), Some("Height"));
    assert_eq!(label("houses.csv").as_deref(), Some("Rooms"));
    assert!(matches!(codebook_for("rows.csv"), Err(CodebookError::WhichTable { .. })));
}

#[test]
fn lists_of_a_table_are_of_one_shape() {
    let with_values = |values: &str| {
        let text = format!("variable,type,values\nx,numeric,\"{values}\"\n");
        parsed("codebook.csv", &text).of_column("x").expect("described").clone()
    };
    for values in ["1=Yes|2=No", "1: Yes, 2: No", "1 - Yes; 2 - No", "01=Yes\n02=No", "1.0=Yes|2.0=No"] {
        let variable = with_values(values);
        assert_eq!((codes(&variable), variable.kind), (vec!["1", "2"], Some(Kind::Integer)), "{values}");
        assert_eq!(variable.values[0].label.as_deref(), Some("Yes"), "{values}");
    }
    for values in ["1=Yes, always, 2=No", "1 Yes | 2 No", "0-No, 1-Yes"] {
        let variable = with_values(values);
        assert!(
            variable.values.is_empty() && matches!(variable.refused[..], [Refusal::Values(_)]),
            "{values}: {variable:?}"
        );
    }
    let range = with_values("01-10");
    assert_eq!((range.lower.as_deref(), range.upper.as_deref()), (Some("1"), Some("10")));
    assert_eq!(codes(&with_values("1, 2, 3")), ["1", "2", "3"]);
    let unknown = with_values("1=agree|8=Don't know|9=Refused to say|7=Missingham");
    assert!(matches!(&unknown.refused[..], [Refusal::LooksMissing(codes)] if codes.len() == 2), "{unknown:?}");
    let twice = Codebook::parse("codebook.csv", "variable,values\nx,1\nx,2\n", "rows.csv".as_ref());
    assert!(twice.expect_err("two lines").to_string().contains("`x` has several lines"));
}

#[test]
fn labels_of_truth_values_are_those_of_true_and_false() {
    let with_values = |values: &str| {
        let text = format!("variable,type,values\nx,boolean,\"{values}\"\n");
        parsed("codebook.csv", &text).of_column("x").expect("described").clone()
    };
    for values in ["1=smokes|0=does not", "Yes=smokes|no=does not"] {
        let variable = with_values(values);
        assert_eq!((codes(&variable), variable.values[0].label.as_deref()), (vec!["true", "false"], Some("smokes")));
        assert!(variable.refused.is_empty(), "{variable:?}");
    }
    let odd = with_values("1=yes|2=no");
    assert!(
        odd.values.is_empty() && matches!(&odd.refused[..], [Refusal::Values(why)] if why.contains("`2`")),
        "{odd:?}"
    );
}

#[test]
fn dates_and_truth_values_are_read_as_they_are_written() {
    let variable = |field: &str| {
        let text = format!("{{\"fields\": [{{\"name\": \"x\", {field}}}]}}");
        parsed("schema.json", &text).of_column("x").expect("described").clone()
    };
    for (format, pattern) in [("DD/MM/YYYY", Some("%d/%m/%Y")), ("fmt:%d.%m.%Y", Some("%d.%m.%Y")), ("default", None)] {
        let variable = variable(&format!("\"type\": \"date\", \"format\": \"{format}\""));
        assert_eq!((variable.kind, variable.format.as_deref()), (Some(Kind::Date), pattern), "{format}");
    }
    let odd = variable("\"type\": \"date\", \"format\": \"week ww\"");
    assert!(odd.kind.is_none() && matches!(&odd.refused[..], [Refusal::DatePattern(_)]), "{odd:?}");
    assert_eq!(variable("\"type\": \"boolean\"").kind, Some(Kind::Boolean));
    let german = variable("\"type\": \"boolean\", \"trueValues\": [\"ja\"], \"falseValues\": [\"nein\"]");
    assert_eq!((german.kind, codes(&german)), (Some(Kind::Text), vec!["ja", "nein"]));
    let comma = variable("\"type\": \"number\", \"decimalChar\": \",\", \"groupChar\": \".\"");
    assert_eq!((comma.decimal, comma.thousands), (Some(','), Some('.')));
    let web = parsed(
        "meta.json",
        "{\"url\": \"rows.csv\", \"tableSchema\": {\"columns\": [{\"name\": \"x\", \"datatype\": {\"base\": \"date\", \"format\": \"M/d/yyyy\"}}]}}",
    );
    assert_eq!(web.of_column("x").expect("described").format.as_deref(), Some("%-m/%-d/%Y"));
}
