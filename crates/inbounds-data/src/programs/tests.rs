//! Files that other programs wrote, by `tests/programs/write.py`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use inbounds_input::FileLocation;
use tempfile::tempdir;

use super::{DictionaryVariable, damage, dictionary, open};
use crate::{DataError, Kind, RowFormat, TextLayout};

const PEOPLE: &str = "\
id,age,sex,income,town,born,seen
1,34,1,1234.5,Köln,1990-01-02,2020-01-02 03:04:05
2,99,2,-2.25,,1980-12-31,
3,,1,1000000,\"St. Gallen, SG\",,1970-01-01
4,51,9,0.1,\"the \"\"Hague\"\"\",2001-02-28,2024-02-29 12:00:00
5,98.5,,12345678901234568,Zürich,1899-09-09,1999-12-31 23:59:59
";

/// Two columns more, and lines in a cell made one.
const SHEET: &str = "\
id,age,sex,income,town,born,seen,member,note
1,34,1,1234.5,Köln,1990-01-02,2020-01-02 03:04:05,true,two lines
2,99,2,-2.25,,1980-12-31,,false,
3,,1,1000000,\"St. Gallen, SG\",,1970-01-01,,
4,51,9,0.1,\"the \"\"Hague\"\"\",2001-02-28,2024-02-29 12:00:00,true,
5,98.5,,123456789.25,Zürich,1900-03-01,1999-12-31 23:59:59,true,=
";

const FILES: [&str; 12] = [
    "people-plain.sav",
    "people-packed.sav",
    "people.zsav",
    "strings.sav",
    "people-8.dta",
    "people-15.dta",
    "strings-117.dta",
    "strings-118.dta",
    "people-5.xpt",
    "people-8.xpt",
    "book.xlsx",
    "book.ods",
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

fn format(path: &Path) -> RowFormat {
    RowFormat::from_path(path).expect("a format")
}

fn read(path: &Path, layout: &TextLayout) -> std::io::Result<String> {
    let mut text = String::new();
    open(&FileLocation::from(path), layout, format(path))?.read_to_string(&mut text)?;
    Ok(text)
}

fn text(name: &str, layout: &TextLayout) -> String {
    read(&path(name), layout).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn cells_are_what_the_programs_show() {
    let usual = TextLayout::default();
    for name in ["people-8.dta", "people-5.xpt"] {
        assert_eq!(text(name, &usual), PEOPLE.replace('ö', "o").replace('ü', "u"), "{name}");
    }
    for name in ["people-15.dta", "people-8.xpt"] {
        assert_eq!(text(name, &usual), PEOPLE, "{name}");
    }
    // Ages from 97 to 99 are declared missing, and so is the sex 9.
    let declared = PEOPLE.replace("2,99,", "2,,").replace("51,9,", "51,,").replace("5,98.5,", "5,,");
    for name in ["people-plain.sav", "people-packed.sav", "people.zsav"] {
        assert_eq!(text(name, &usual), declared, "{name}");
    }
}

#[test]
fn long_texts_are_whole() {
    let usual = TextLayout::default();
    let (x, y, u) = ("x".repeat(255), "y".repeat(256), "ü".repeat(150));
    let (z, q) = ("z".repeat(252) + "end", "q".repeat(700) + "!");
    let w = "w".repeat(252) + "  " + &"v".repeat(251) + "t";
    let of_spss = format!("brief,text,longer,after\na,{x},{z},1\n,{y},{q},2\nccc,,{w},\ndd,{u},,4\n");
    assert_eq!(text("strings.sav", &usual), of_spss);
    let of_stata = format!("brief,text,after\na,{x},1\n,{y},2\nccc,,\ndd,{},4\n", "u".repeat(3000));
    assert_eq!(text("strings-117.dta", &usual), of_stata);
    assert_eq!(text("strings-118.dta", &usual), of_stata);
}

#[test]
fn the_layout_says_which_lines_of_which_sheet_are_rows() {
    let usual = TextLayout::default();
    assert_eq!(text("book.ods", &usual), SHEET);
    assert_eq!(text("book.xlsx", &usual), "about\nPeople who are made up\n");
    // The remark stands right of the last name, and the note is a line for `footer`.
    let people = TextLayout { sheet: Some("People".to_owned()), skip: 3, footer: 1, ..usual.clone() };
    assert_eq!(text("book.xlsx", &people), format!("\n\n\n{SHEET}Source: made up,,,,,,,,\n"));
    let absent = TextLayout { sheet: Some("Places".to_owned()), ..usual };
    let location = FileLocation::from(path("book.xlsx"));
    let refused = damage(&location, &absent, RowFormat::Excel).expect("no such sheet");
    let message = refused.to_string();
    assert!(
        message.ends_with("book.xlsx` has no sheet `Places`; its sheets are `Hidden`, `Read me`, `People`"),
        "{message}"
    );
}

#[test]
fn dictionaries_say_labels_values_and_codes_for_missing() {
    let variable = |name: &str, wanted: &str| -> DictionaryVariable {
        let variables = dictionary(&path(name)).expect("a file").expect("a dictionary");
        variables.into_iter().find(|variable| variable.name == wanted).unwrap_or_else(|| panic!("{wanted} of {name}"))
    };
    let labelled = |variable: &DictionaryVariable| -> Vec<String> {
        variable.values.iter().map(|value| format!("{}={}", value.code, value.label)).collect()
    };
    for name in ["people-plain.sav", "people-packed.sav", "people.zsav"] {
        let (age, sex) = (variable(name, "age"), variable(name, "sex"));
        let missing = |variable: &DictionaryVariable| -> Vec<String> {
            variable.missing.iter().map(ToString::to_string).collect()
        };
        assert_eq!((age.label.as_deref(), missing(&age)), (Some("Age in years"), vec!["97 to 99".to_owned()]));
        assert_eq!(
            (labelled(&sex), missing(&sex)),
            (vec!["1=male".to_owned(), "2=female".to_owned()], vec!["9".to_owned()])
        );
        assert_eq!(variable(name, "born").kind, Some(Kind::Date));
        assert_eq!([variable(name, "town").kind, variable(name, "income").kind], [Some(Kind::Text), None]);
    }
    for name in ["people-8.dta", "people-15.dta"] {
        let sex = variable(name, "sex");
        assert_eq!(labelled(&sex), ["1=male", "2=female", "9=refused"], "{name}");
        assert_eq!(sex.label.as_deref(), Some("Sex of the person"));
        assert_eq!(variable(name, "seen").kind, Some(Kind::Date));
    }
    assert_eq!(variable("people-5.xpt", "age").label.as_deref(), Some("Age in years"));
    assert_eq!(dictionary(&path("book.xlsx")).expect("a file"), None);
}

/// Files that end too early, or have a wrong byte: an error or other cells, and never a panic that leaves the thread.
#[test]
fn damage_is_an_error_that_names_the_file() {
    let folder = tempdir().expect("a folder");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("below a length")
    };
    let usual = TextLayout::default();
    for name in FILES {
        let good = fs::read(path(name)).expect("a file");
        let full_text = text(name, &usual);
        let file = folder.path().join(name);
        let location = FileLocation::from(file.as_path());
        for length in (0..good.len()).step_by(good.len() / 40) {
            fs::write(&file, &good[..length]).expect("a file");
            match read(&file, &usual) {
                // What comes behind the rows may be cut off.
                Ok(text) => assert!(
                    length > good.len() / 4 && (text == full_text || format(&file) == RowFormat::SasTransport),
                    "{name}: {length}"
                ),
                Err(_) => {
                    let refused = damage(&location, &usual, format(&file)).expect("damage");
                    assert!(matches!(refused, DataError::DamagedProgramFile { .. }), "{name}: {refused}");
                }
            }
        }
        for _ in 0..60 {
            let mut bad = good.clone();
            for _ in 0..1 + random(3) {
                let place = random(bad.len());
                bad[place] = [0, 0xff, 0x7f, 0x80][random(4)];
            }
            fs::write(&file, &bad).expect("a file");
            drop(read(&file, &usual));
            drop(dictionary(&file));
        }
    }
}

/// A file of SAS has whole records, and one that ends within one is cut off.
#[test]
fn a_transport_file_is_whole() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("people.xpt");
    let good = fs::read(path("people-5.xpt")).expect("a file");
    for length in (good.len() - 400..good.len()).filter(|length| length % 80 != 0) {
        fs::write(&file, &good[..length]).expect("a file");
        let refused = damage(&FileLocation::from(file.as_path()), &TextLayout::default(), RowFormat::SasTransport);
        assert!(matches!(refused, Some(DataError::DamagedProgramFile { .. })), "{length}: {refused:?}");
    }
}

/// A byte that is no letter would make two values one.
#[test]
fn letters_are_in_the_encoding_that_the_file_states() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("people.sav");
    let mut bytes = fs::read(path("people-plain.sav")).expect("a file");
    let place = bytes.windows(5).position(|five| five == "Köln".as_bytes()).expect("a town");
    bytes[place + 1] = 0xf6;
    fs::write(&file, &bytes).expect("a file");
    let location = FileLocation::from(file.as_path());
    let refused = damage(&location, &TextLayout::default(), RowFormat::Spss).expect("no UTF-8");
    assert!(matches!(refused, DataError::ProgramFileLetters { .. }), "{refused}");
    assert!(!refused.to_string().contains("ln"), "{refused}");
}
