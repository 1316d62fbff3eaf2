//! The page and the pictures show what a reader needs, and nothing that is not so.

use super::*;

/// Draws `advise --plot` for a range and gives the picture.
fn advised(bench: &Workbench, ends: &[&str], name: &str) -> String {
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--integer", "--plot", name];
    let said = bench.run(&[&question[..], ends].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    file(bench, name)
}

/// Colour and dashes of the sample beside a name of the legend.
fn sample(svg: &str, name: &str) -> (String, String) {
    let (before, _) = svg.split_once(&format!(">{name}</text>")).unwrap_or_else(|| panic!("no {name} in {svg}"));
    let line = before.rsplit("<line ").next().expect("a sample");
    let attribute = |key: &str| {
        line.split_once(&format!("{key}=\""))
            .and_then(|(_, rest)| rest.split('"').next())
            .unwrap_or_default()
            .to_owned()
    };
    let length = attribute("x2").parse::<f64>().expect("an end") - attribute("x1").parse::<f64>().expect("an end");
    assert!(length >= 40.0, "a sample of {length} shows no dashes");
    (attribute("stroke"), attribute("stroke-dasharray"))
}

#[test]
fn a_mechanism_looks_the_same_in_every_picture_of_advise() {
    let bench = Workbench::new();
    let half_line = advised(&bench, &["--lower", "0"], "a.svg");
    let interval = advised(&bench, &["--lower", "0", "--upper", "3"], "b.svg");
    let mut looks = Vec::new();
    for mechanism in ["clamped", "conditioned", "folded", "thresholded"] {
        looks.push(sample(&half_line, mechanism));
        assert_eq!(sample(&half_line, mechanism), sample(&interval, mechanism), "{mechanism}");
    }
    let different: std::collections::BTreeSet<_> = looks.iter().collect();
    assert_eq!(different.len(), looks.len(), "{looks:?}");
    for part in ["<title ", "<desc ", "role=\"img\"", "@media (prefers-color-scheme:dark)"] {
        assert!(half_line.contains(part), "no {part}");
    }
}

#[test]
fn a_picture_that_would_not_be_what_its_name_says_is_refused() {
    let bench = Workbench::new();
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "0", "--plot", "a.png"];
    let said = bench.run(&question);
    assert_eq!((said.code, bench.path("a.png").exists()), (2, false), "{}", said.err);
    assert!(said.err.contains("pictures are drawn as SVG: write a.svg"), "{}", said.err);
}
