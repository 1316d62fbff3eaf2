//! However a plan is damaged, the reader answers: a plan, or mistakes with places inside the text.

use std::path::Path;

use inbounds_core::Region;
use inbounds_release::{
    Grants,
    plan::{Kind, Plan},
};
use proptest::prelude::*;

use super::GOOD;

/// Pieces that lead a damaged plan into the corners of the reader.
const PIECES: [&str; 30] = [
    "\"",
    "'''",
    "\"\"\"",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "#",
    "\u{feff}",
    "ö",
    "\\u00e9",
    "nan",
    "-inf",
    "1e999",
    "1/3",
    "0x",
    "-",
    "_",
    "true",
    "2024-01-01",
    "columns",
    "[statistic]",
    "by = []",
    "\"\" = 1",
];

#[derive(Debug, Clone)]
enum Damage {
    Delete { at: usize, length: usize },
    Insert { at: usize, piece: &'static str },
    Byte { at: usize, byte: u8 },
    Copy { from: usize, length: usize, to: usize },
    Rename { word: usize, to: String },
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..GOOD.len();
    prop_oneof![
        (at.clone(), 1..20usize).prop_map(|(at, length)| Damage::Delete { at, length }),
        (at.clone(), prop::sample::select(&PIECES[..])).prop_map(|(at, piece)| Damage::Insert { at, piece }),
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte { at, byte }),
        (at.clone(), 1..80usize, at).prop_map(|(from, length, to)| Damage::Copy { from, length, to }),
        (0..60usize, "[a-z_]{0,9}").prop_map(|(word, to)| Damage::Rename { word, to }),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    match damage {
        Damage::Delete { at, length } => {
            let end = (at + length).min(bytes.len());
            bytes.drain((*at).min(end)..end);
        }
        Damage::Insert { at, piece } => {
            let at = (*at).min(bytes.len());
            bytes.splice(at..at, piece.bytes());
        }
        Damage::Byte { at, byte } => {
            if let Some(place) = bytes.get_mut(*at) {
                *place = *byte;
            }
        }
        Damage::Copy { from, length, to } => {
            let end = (from + length).min(bytes.len());
            let piece = bytes[(*from).min(end)..end].to_vec();
            let to = (*to).min(bytes.len());
            bytes.splice(to..to, piece);
        }
        Damage::Rename { word, to } => rename(bytes, *word, to),
    }
}

/// Renames the key before the `word`-th equals sign.
fn rename(bytes: &mut Vec<u8>, word: usize, to: &str) {
    let signs: Vec<_> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'=').map(|(at, _)| at).collect();
    let Some(sign) = signs.get(word) else { return };
    let start = bytes[..*sign].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    bytes.splice(start..*sign, to.bytes());
}

fn check(text: &str) {
    match Plan::parse(text, Path::new("")) {
        Ok(plan) => {
            let everywhere = Region::default();
            let (grants, _) = Grants::for_rows(&plan, &vec![&everywhere; plan.statistics.len()]);
            for (place, statistic) in plan.statistics.iter().enumerate() {
                assert!(grants.epsilon(place) <= *grants.granted());
                assert!(plan.listed_keys(statistic).is_none_or(|keys| keys.is_ok()));
            }
            let schema = [("age".to_owned(), Kind::Integer), ("sex".to_owned(), Kind::Other)];
            assert!(plan.resolve(&schema).iter().all(|mistake| text.get(mistake.span.clone()).is_some()));
        }
        Err(errors) => {
            assert!(!errors.mistakes.is_empty(), "an error says what is wrong");
            for mistake in &errors.mistakes {
                assert!(text.get(mistake.span.clone()).is_some(), "{mistake:?} points outside the plan");
                assert!(mistake.line >= 1 && mistake.column >= 1);
                assert!(!mistake.message.contains(char::is_control), "{mistake:?} breaks its line");
                assert!(mistake.help.iter().all(|help| !help.contains(char::is_control)), "{mistake:?}");
            }
            assert_eq!(
                errors.to_string().lines().filter(|line| line.starts_with("plan.toml:")).count(),
                errors.mistakes.len()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_plans_never_panic(damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = GOOD.as_bytes().to_vec();
        damages.iter().for_each(|damage| apply(&mut bytes, damage));
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,200}") {
        check(&text);
    }
}
