use std::collections::{BTreeSet, HashMap};

use super::*;
use crate::{Cuts, DatePart, Day, Derivation, Kind, Outcomes};

#[derive(Default)]
struct Known(HashMap<&'static str, Kind>, HashMap<&'static str, Derivation>);

impl Rules for Known {
    fn kind(&self, column: &str) -> Option<Kind> {
        self.0.get(column).copied()
    }

    fn rule(&self, column: &str) -> Option<&Derivation> {
        self.1.get(column)
    }
}

fn text(text: &str) -> KeyValue {
    KeyValue::Text(text.to_owned())
}

fn texts(words: &str) -> Vec<KeyValue> {
    words.split(' ').map(|word| KeyValue::of_word(word).unwrap_or_else(|| text(word))).collect()
}

fn integers(values: impl IntoIterator<Item = i64>) -> Vec<KeyValue> {
    values.into_iter().map(KeyValue::Integer).collect()
}

fn recoded(from: &str, codes: &[(&str, &str)], others: Option<&str>) -> Derivation {
    let codes = codes.iter().map(|(code, to)| {
        let code = texts(code).remove(0);
        (code, (*to != "missing").then(|| text(to)))
    });
    Derivation::Recoded { from: from.to_owned(), codes: codes.collect(), others: others.map(text) }
}

fn cut(from: &str, cuts: &[f64], classes: &str) -> Derivation {
    Derivation::Cut { from: from.to_owned(), cuts: Cuts::Numbers(cuts.to_vec()), classes: texts(classes) }
}

/// The combinations as words, group after group.
fn words(columns: &[(&str, Vec<KeyValue>)], known: &Known) -> Vec<String> {
    let group = |group: Together| {
        let word = |row: &Vec<u32>| {
            let word = |(&column, &value): (&usize, &u32)| columns[column].1[value as usize].to_string();
            group.columns.iter().zip(row).map(word).collect::<Vec<_>>().join("/")
        };
        group.rows.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    together(columns, known).into_iter().map(group).collect()
}

#[test]
fn two_groupings_of_a_column_meet_in_its_values() {
    let mut known = Known::default();
    known.1.insert("state", recoded("county", &[("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Y")], None));
    known.1.insert("health", recoded("county", &[("a", "P"), ("b", "Z"), ("c", "Z"), ("d", "P")], None));
    let columns =
        [("state", texts("X Y")), ("sex", texts("f m")), ("health", texts("P Z")), ("county", texts("a b c d"))];
    assert_eq!(words(&columns, &known), ["X/P/a X/Z/b Y/P/d Y/Z/c", "f m"]);
    assert_eq!(words(&columns[..3], &known)[0], "X/P X/Z Y/P Y/Z");
    // A county that is in no state stands with none; another one is listed nowhere.
    let columns = [("state", texts("X Y missing")), ("county", texts("a e missing"))];
    assert_eq!(words(&columns, &known), ["X/a missing/e missing/missing"]);
}

#[test]
fn what_no_rule_gives_is_left_out() {
    let mut known = Known::default();
    known.1.insert("sex", recoded("code", &[("M", "male"), ("missing", "not-stated")], Some("other")));
    known.1.insert("short", recoded("sex", &[("male", "m"), ("female", "f")], Some("rest")));
    assert_eq!(words(&[("sex", texts("male not-stated other missing"))], &known), ["male not-stated other"]);
    assert_eq!(words(&[("short", texts("m f rest"))], &known), ["m rest"]);
    let lookup = Derivation::LookedUp {
        from: vec!["class".to_owned(), "district".to_owned()],
        keys: vec![texts("old A"), texts("young missing")],
        to: Outcomes::Values { of: vec![Some(text("1")), Some(text("2"))], others: None },
    };
    known.1.insert("class", cut("age", &[65.0], "young old"));
    known.1.insert("weight", lookup);
    let columns = [("class", texts("young old missing")), ("weight", texts("1 2 missing"))];
    assert_eq!(words(&columns, &known), ["young/2 young/missing old/1 old/missing missing/missing"]);
}

/// Against every whole number, and every number on a grid.
#[test]
fn cuts_of_one_column_are_those_of_all_its_numbers() {
    let mut known = Known::default();
    known.1.insert("five", cut("age", &[18.0, 30.5, 30.7, 65.0], "a b c d e"));
    known.1.insert("ten", cut("age", &[20.0, 65.0], "x y z"));
    known.1.insert("legal", cut("age", &[18.0], "no yes"));
    let columns = [("five", texts("a b c d e")), ("ten", texts("x y z")), ("legal", texts("no yes"))];
    let class = |number: f64, cuts: &[f64]| cuts.iter().filter(|cut| **cut <= number).count();
    let row = |number: f64| {
        let places = [class(number, &[18.0, 30.5, 30.7, 65.0]), class(number, &[20.0, 65.0]), class(number, &[18.0])];
        places.map(|place| place as u32).to_vec()
    };
    for (kind, grid) in [(Kind::Integer, 1.0), (Kind::Number, 20.0)] {
        known.0.insert("age", kind);
        let expected: BTreeSet<Vec<u32>> = (0..2000).map(|place| row(f64::from(place) / grid)).collect();
        assert_eq!(together(&columns, &known)[0].rows, Vec::from_iter(expected), "{kind}");
    }
    // With the numbers themselves, of which some are listed.
    known.0.insert("age", Kind::Integer);
    let columns = [columns[1].clone(), ("age", integers([19, 20, 64, 99]))];
    assert_eq!(words(&columns, &known), ["x/19 y/20 y/64 z/99"]);
}

/// Against every day of some years.
#[test]
fn parts_of_one_date_are_those_of_all_its_days() {
    let day = |text: &str| Day::parse(text).expect("a day");
    let taken = |part| Derivation::Taken { from: "birth".to_owned(), part };
    let parts =
        [DatePart::Year, DatePart::AgeAt(day("2020-02-29")), DatePart::AgeAt(day("2024-06-15")), DatePart::Month];
    let cuts = [day("2000-05-20"), day("2001-01-01")];
    let mut known = Known::default();
    for (name, part) in ["year", "leap", "age", "month"].into_iter().zip(parts) {
        known.1.insert(name, taken(part));
    }
    let classes = texts("before in after");
    known.1.insert("class", Derivation::Cut { from: "birth".to_owned(), cuts: Cuts::Days(cuts.to_vec()), classes });
    let columns = [
        ("year", integers(1999..=2001)),
        ("leap", integers(15..=25)),
        ("age", integers(15..=30)),
        ("month", integers(1..=12)),
        ("class", texts("before in after")),
    ];
    let from = day("1999-01-01").days();
    let row = |days: i64| {
        let day = Day::from_days(days).expect("a day");
        let mut row: Vec<u32> = parts
            .iter()
            .zip([1999, 15, 15, 1])
            .map(|(part, first)| (part.number(day).expect("a number") - first) as u32)
            .collect();
        row.push(cuts.iter().filter(|cut| **cut <= day).count() as u32);
        row
    };
    let expected: BTreeSet<Vec<u32>> = (from..=day("2001-12-31").days()).map(row).collect();
    assert_eq!(together(&columns, &known)[0].rows, Vec::from_iter(expected));
}

#[test]
fn conditions_and_formulas_are_columns_of_their_own() {
    let mut known = Known::default();
    known.0.insert("old", Kind::Boolean);
    known.1.insert("old", Derivation::Condition("age >= 65".to_owned()));
    known.1.insert("class", cut("age", &[65.0], "young old"));
    let truths = vec![KeyValue::Boolean(false), KeyValue::Boolean(true)];
    assert_eq!(words(&[("old", truths), ("class", texts("young old"))], &known), ["false true", "young old"]);
}
