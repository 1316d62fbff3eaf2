//! However the files are damaged, the readers answer: a bundle, or an error and nothing at its place.

use std::fs;

use inbounds_release::reconcile::Constraints;
use proptest::prelude::*;

use super::{Bench, without_errors};

const COUNTS: &str = "node,parent,value,variance,law,scale,fixed,lower,upper\n\
                      r,,10,,laplace,2,,,\na,r,3,1,,,,0,\nb,r,,,,,6,,9\nc,a,1,2,,,false,,\nd,a,2,,discrete-gaussian,3,,,\n";
const RULES: &str =
    "nonnegative = true\ntop_down = false\n[fixed]\nb = 6\n[bounds]\n\"a\" = { lower = 0, upper = 7.5 }\n";

const PIECES: [&str; 32] = [
    "\"", ",", "\n", "\r\n", "r", "a", "b", ",r,", "nan", "inf", "-", "1e999", "1e-320", "true", "\u{feff}", "ö", "{",
    "}", "[", "]", "=", "'", "#", "fixed", "bounds", "lower", "top_down", "gaussian", "0", "\0", " ", "1e90",
];

/// A text with pieces put in, taken out or written over.
fn damaged(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let blow = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..12);
    (prop::collection::vec(blow, 1..8), prop::option::weighted(0.1, any::<u8>())).prop_map(move |(blows, byte)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, piece, cut) in blows {
            let place = place.index(bytes.len() + 1);
            let end = (place + cut).min(bytes.len());
            bytes.splice(place..end, PIECES[piece.index(PIECES.len())].bytes());
        }
        bytes.extend(byte);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_constraints_are_read_or_refused_with_a_place(bytes in damaged(RULES)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(errors) = Constraints::parse(&text) {
            prop_assert!(!errors.mistakes.is_empty());
            for mistake in &errors.mistakes {
                prop_assert!(text.get(mistake.span.clone()).is_some() && mistake.line >= 1);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_measurements_give_a_bundle_or_an_error(
        counts in damaged(COUNTS),
        rules in prop_oneof![Just(RULES.as_bytes().to_vec()), damaged(RULES)],
    ) {
        let mut bench = Bench::new();
        let rules = String::from_utf8_lossy(&rules).into_owned();
        let path = bench.write("counts.csv", &counts);
        let rules = bench.write("rules.toml", rules);
        bench.bundles += 1;
        let out = bench.folder.path().join("bundle");
        let options = inbounds_release::reconcile::Options { constraints: Some(rules), ..without_errors() };
        match inbounds_release::reconcile::reconcile(&path, &options, &out, &inbounds_release::Silent) {
            Ok(found) => prop_assert!(found.folder.join("reconcile.json").is_file()),
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                prop_assert_eq!(fs::read_dir(bench.folder.path()).expect("a folder").count(), 2);
            }
        }
    }
}
