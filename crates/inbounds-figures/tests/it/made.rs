//! Figures of whole releases: what they cover, what is recognised, and what is refused.

use std::sync::Arc;

use inbounds_figures::{
    Against, Extent, FigureMethod, FiguresError, Refusal, compare,
    law::{AcceptedSet, QuotientLaw, WeightedNoise},
};
use inbounds_mechanisms::{
    noise::{DiscreteLaplace, GridNoise},
    sampler::SeededEntropy,
};
use serde_json::json;

use crate::bundles::{
    Measured, Published, cells, counts, cube, cube_component, laplace_component, make, noisy, statistic, write,
    write_with,
};

const SHARE: &str =
    "[[figure]]\nname = \"share\"\nkind = \"ratio\"\nof = \"people\"\nper = { statistic = \"people\", total = true }\n";

/// A count and its whole have the count in common: the share of one among three covers, is between 0 and 1, and is not
/// as wide as if the whole had noise of its own.
#[test]
fn a_part_and_its_whole_are_recognised() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut entropy = SeededEntropy::from_seed(3);
    let truth = [6i128, 3, 1];
    let (mut hits, trials) = ([0usize; 3], 700);
    for _ in 0..trials {
        let measured = noisy(&truth, "0.5", &mut entropy);
        counts(folder.path(), "0.5", &[("a", measured[0]), ("b", measured[1]), ("c", measured[2])]);
        let cells = cells(folder.path(), SHARE);
        for ((cell, truth), hits) in cells.iter().zip(truth).zip(&mut hits) {
            assert!(cell.lower >= 0.0 && cell.upper <= 1.0);
            *hits += usize::from((cell.lower..=cell.upper).contains(&(truth as f64 / 10.0)));
        }
    }
    // 4.5 standard deviations of 700 trials at 95 %: 0.913.
    assert!(hits.iter().all(|hits| *hits as f64 / trials as f64 >= 0.913), "{hits:?}");
    counts(folder.path(), "0.5", &[("a", 700), ("b", 200), ("c", 100)]);
    let own = &cells(folder.path(), SHARE)[0];
    assert_eq!(own.method, FigureMethod::QuotientTest);
    // (1 - r) X - r (Y + Z) has less variance than X - r (X' + Y + Z).
    let law = DiscreteLaplace::with_inverse_scale("0.5".parse().expect("number")).expect("a law");
    let noise = Arc::new(GridNoise::Laplace(law));
    let noises = |count: usize| vec![WeightedNoise { noise: noise.clone(), step: 1.0 }; count];
    let accepted = QuotientLaw::new(&noises(1), &noises(3)).accepted((700.0, 1000.0), 0.05, (0.0, 1.0));
    let AcceptedSet::Between { lower, upper } = accepted else { panic!("{accepted:?}") };
    assert!(own.upper - own.lower < 0.75 * (upper - lower), "{own:?} {accepted:?}");
}

#[test]
fn a_number_over_itself_is_one_and_less_itself_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    counts(folder.path(), "0.5", &[("a", 70), ("b", 3)]);
    let index = "[[figure]]\nname = \"i\"\nkind = \"index\"\nof = \"people\"\nbase = { group = \"a\" }\n";
    let index_cells = cells(folder.path(), index);
    assert_eq!((index_cells[0].estimate, index_cells[0].lower, index_cells[0].upper), (Some(100.0), 100.0, 100.0));
    assert_eq!((index_cells[1].against, index_cells[1].extent), (Some(Against::Lower), Extent::Bounded));
    let difference = "[[figure]]\nname = \"d\"\nkind = \"difference\"\nof = \"people\"\nfrom = { statistic = \"people\", where = { group = \"a\" } }\n";
    let difference_cells = cells(folder.path(), difference);
    assert_eq!(
        (difference_cells[0].lower, difference_cells[0].upper, difference_cells[0].method),
        (0.0, 0.0, FigureMethod::Public)
    );
    // 70 and 3 with scale 2: the radius of the difference is 8.
    assert_eq!(
        (difference_cells[1].raw, difference_cells[1].lower, difference_cells[1].upper),
        (Some(-67.0), -75.0, -59.0)
    );
    assert_eq!(difference_cells[1].errors_at_estimate, Some((0.0, (2.0f64 * (4.0 - 0.01)).sqrt())));
}

/// Where public numbers moved estimates far from the measurements, intervals and places hold both.
#[test]
fn an_estimate_lies_in_its_own_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    let group = |name: &str| vec![("group", name.to_owned())];
    let row = |name, steps| Measured {
        statistic: "people",
        keys: group(name),
        output: "",
        component: "count",
        level: "",
        steps,
        exponent: 0,
    };
    let published = |name, estimate| Published { statistic: "people", keys: group(name), output: "", estimate };
    let people = statistic("people", "count", &["group"], vec![laplace_component("count", None, "0.5", 1.0)]);
    write(
        folder.path(),
        &[people],
        &[],
        &[row("a", 150), row("b", 400)],
        &[published("a", 440.0), published("b", 90.0)],
    );
    let each = "[[figure]]\nname = \"n\"\nkind = \"ratio\"\nof = \"people\"\nper = 1\n";
    let place = "[[figure]]\nname = \"p\"\nkind = \"rank\"\nof = \"people\"\n";
    let index = "[[figure]]\nname = \"i\"\nkind = \"index\"\nof = \"people\"\nbase = { group = \"b\" }\n";
    let made = make(folder.path(), &format!("{each}{place}{index}")).unwrap_or_else(|error| panic!("{error}"));
    for cell in made.figures.iter().flat_map(|figure| &figure.cells) {
        let estimate = cell.estimate.expect("an estimate");
        assert!((cell.lower..=cell.upper).contains(&estimate), "{cell:?}");
    }
    // The measured side is as it was: 150 less the radius of one noise of scale 2.
    assert_eq!((made.figures[0].cells[0].lower, made.figures[0].cells[0].upper), (144.0, 440.0));
    assert_eq!((made.figures[1].cells[0].lower, made.figures[1].cells[0].upper), (1.0, 2.0));
    // What the interval leaves out agrees with it: 100 lies between the two.
    assert_eq!(made.figures[2].cells[0].against, Some(Against::Untold));
}

/// A mean whose measured number of rows is below 0 has no measurement, so no place by it, and stands at its estimate.
#[test]
fn a_mean_without_a_measurement_has_no_place_from_measurements() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mean =
        statistic("hours", "mean", &["group"], vec![laplace_component("distances to the bounds", None, "0.5", 1.0)]);
    mean["clip"] = json!({ "lower": 0.0, "upper": 100.0, "grid_spacing": 1.0, "missing": "dropped" });
    mean["range"] = json!({ "lower": 0.0, "upper": 100.0 });
    mean["outputs"][0]["range"] = mean["range"].clone();
    let group = |name: &str| vec![("group", name.to_owned())];
    let row = |name, output, steps| Measured {
        statistic: "hours",
        keys: group(name),
        output,
        component: "distances to the bounds",
        level: "",
        steps,
        exponent: 0,
    };
    let published = |name, estimate| Published { statistic: "hours", keys: group(name), output: "", estimate };
    let (above, below) = ("above the lower bound", "below the upper bound");
    write(
        folder.path(),
        &[mean],
        &[],
        // The quotient of the last would be 300.
        &[
            row("a", above, 6000),
            row("a", below, 4000),
            row("b", above, 5000),
            row("b", below, 5000),
            row("c", above, -3),
            row("c", below, 2),
        ],
        &[published("a", 60.0), published("b", 50.0), published("c", 0.0)],
    );
    let text = "[[figure]]\nname = \"p\"\nkind = \"rank\"\nof = \"hours\"\n\
                [[figure]]\nname = \"m\"\nkind = \"ratio\"\nof = \"hours\"\nper = 1\n\
                [[figure]]\nname = \"d\"\nkind = \"difference\"\nof = \"hours\"\nfrom = { statistic = \"hours\", where = { group = \"a\" } }\n";
    let made = make(folder.path(), text).unwrap_or_else(|error| panic!("{error}"));
    let raws = |figure: usize| made.figures[figure].cells.iter().map(|cell| cell.raw).collect::<Vec<_>>();
    assert_eq!(raws(0), [Some(1.0), Some(2.0), None]);
    assert_eq!(raws(1), [Some(60.0), Some(50.0), None]);
    assert_eq!(raws(2), [Some(0.0), Some(-10.0), None]);
    assert!(made.figures[0].notes(None).iter().any(|note| note.contains("it stands at its estimate")));
    assert!(made.figures[1].notes(None).iter().all(|note| !note.contains("it stands at its estimate")));
}

/// Half lines are said, and no wrong number.
#[test]
fn small_denominators_leave_half_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    counts(folder.path(), "0.5", &[("a", 40), ("b", 2)]);
    let of_b = "[[figure]]\nname = \"r\"\nkind = \"ratio\"\nof = \"people\"\nper = { statistic = \"people\", where = { group = \"b\" } }\n";
    let ratio_cells = cells(folder.path(), of_b);
    assert_eq!(
        (ratio_cells[0].extent, ratio_cells[0].upper, ratio_cells[0].raw_rmse),
        (Extent::AtLeast, f64::INFINITY, None)
    );
    assert!((3.0..6.0).contains(&ratio_cells[0].lower), "{:?}", ratio_cells[0]);
}

/// Two numbers of one vector of noise, under three statistics that share them.
#[test]
fn shared_numbers_are_one_measurement() {
    let folder = tempfile::tempdir().expect("a folder");
    let group = json!({ "statistics": ["people", "hours", "mean-hours"], "law": "cube", "epsilon": "1", "numbers": 2 });
    let two = || vec![cube_component("count", "0.2", 2, 1.0), cube_component("centred sum of hours", "0.2", 2, 1.0)];
    let with_clip = |mut entry: serde_json::Value| {
        entry["columns"] = json!(["hours"]);
        entry["clips"] = json!([{ "lower": 0.0, "upper": 100.0, "grid_spacing": 1.0, "missing": "dropped" }]);
        entry
    };
    let mut count = statistic("people", "count", &[], vec![cube_component("count", "0.2", 2, 1.0)]);
    count["columns"] = json!([]);
    let mut sum = with_clip(statistic("hours", "sum", &[], two()));
    sum["range"] = json!({ "lower": 0.0, "upper": null });
    let mut mean = with_clip(statistic("mean-hours", "mean", &[], two()));
    mean["range"] = json!({ "lower": 0.0, "upper": 100.0 });
    mean["outputs"][0]["range"] = mean["range"].clone();
    let row = |statistic: &'static str, component: &'static str, steps: i128| Measured {
        statistic,
        keys: Vec::new(),
        output: "",
        component,
        level: "",
        steps,
        exponent: 0,
    };
    let mut entropy = SeededEntropy::from_seed(8);
    let (mut hits, trials) = ([0usize; 2], 300);
    for _ in 0..trials {
        // 40 people of 35 hours on average.
        let noise = cube("0.2", 2, &mut entropy);
        let (people, hours) = (40 + noise[0], -600 + noise[1]);
        let rows = [
            row("people", "count", people),
            row("hours", "count", people),
            row("hours", "centred sum of hours", hours),
            row("mean-hours", "count", people),
            row("mean-hours", "centred sum of hours", hours),
        ];
        let published = |statistic, estimate| Published { statistic, keys: Vec::new(), output: "", estimate };
        let cells_of = [
            published("people", people as f64),
            published("hours", 1400.0),
            published("mean-hours", 1400.0 / people as f64),
        ];
        write(
            folder.path(),
            &[count.clone(), sum.clone(), mean.clone()],
            std::slice::from_ref(&group),
            &rows,
            &cells_of,
        );
        let text = "[[figure]]\nname = \"hours-each\"\nkind = \"ratio\"\nof = \"hours\"\nper = \"people\"\n\
                    [[figure]]\nname = \"again\"\nkind = \"ratio\"\nof = \"mean-hours\"\nper = 1\n";
        let made = make(folder.path(), text).unwrap_or_else(|error| panic!("{error}"));
        for (figure, hits) in made.figures.iter().zip(&mut hits) {
            let cell = &figure.cells[0];
            assert_eq!(cell.method, FigureMethod::JointDraws);
            *hits += usize::from((cell.lower..=cell.upper).contains(&35.0));
        }
        // A sum over its own number of rows is the mean: the same measurements, seen to be the same.
        let [one, other] = [0, 1].map(|place: usize| &made.figures[place].cells[0]);
        assert!((one.raw.expect("a number") - other.raw.expect("a number")).abs() < 1e-9);
        if one.upper <= 100.0 {
            assert!((one.lower - other.lower).abs() < 1e-9 && (one.upper - other.upper).abs() < 1e-9);
        }
    }
    // 4.5 standard deviations of 300 trials at 95 %, and 1.5 % of the rank of the draws: 0.878.
    assert!(hits.iter().all(|hits| *hits as f64 / trials as f64 >= 0.878), "{hits:?}");
}

/// A hierarchy of a total and two parts: the raw total is the weighted mean of what was measured and the sum of the
/// parts, its interval is shorter than that of its measurement, and it covers.
#[test]
fn fits_are_taken_by_the_joint_law_of_their_measurements() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut entry = statistic(
        "people",
        "count",
        &["group"],
        vec![
            laplace_component("count", Some("all"), "0.5", 1.0),
            laplace_component("count", Some("group"), "0.5", 1.0),
        ],
    );
    entry["projection"] = json!({
        "solver": {
            "method": "top-down-least-squares-in-integers", "status": "optimal", "objective": 0.0,
            "certificate": { "stationarity": 0.0, "feasibility": 0.0, "complementarity": 0.0 }, "tolerance": 1e-9, "grid": 1.0,
        },
        "replicates": 200, "seed": "1", "rank": 191,
    });
    let row = |group: Option<&str>, level: &'static str, steps: i128| Measured {
        statistic: "people",
        keys: group.map(|group| ("group", group.to_owned())).into_iter().collect(),
        output: "",
        component: "count",
        level,
        steps,
        exponent: 0,
    };
    let published = |group: Option<&str>, estimate: f64| Published {
        statistic: "people",
        keys: group.map(|group| ("group", group.to_owned())).into_iter().collect(),
        output: "",
        estimate,
    };
    let mut entropy = SeededEntropy::from_seed(4);
    let (mut hits, trials) = ([0usize; 3], 300);
    let text = "[[figure]]\nname = \"total\"\nkind = \"ratio\"\nof = \"people\"\nper = 1\nby = []\n\
                [[figure]]\nname = \"share\"\nkind = \"ratio\"\nof = \"people\"\nper = { statistic = \"people\", total = true }\n";
    for _ in 0..trials {
        let measured = noisy(&[50, 40, 10], "0.5", &mut entropy);
        let rows =
            [row(None, "all", measured[0]), row(Some("a"), "group", measured[1]), row(Some("b"), "group", measured[2])];
        let cells = [published(None, 50.0), published(Some("a"), 40.0), published(Some("b"), 10.0)];
        write(folder.path(), &[entry.clone()], &[], &rows, &cells);
        let made = make(folder.path(), text).unwrap_or_else(|error| panic!("{error}"));
        let total = &made.figures[0].cells[0];
        // Weights 1 and 1/2 of the two ways to know the total.
        let expected = (2 * measured[0] + measured[1] + measured[2]) as f64 / 3.0;
        assert!((total.raw.expect("a number") - expected).abs() < 1e-9, "{total:?} {expected}");
        let variance = 2.0 * 0.6065306597126334 / (1.0 - 0.6065306597126334f64).powi(2);
        assert!((total.raw_rmse.expect("defined").powi(2) - variance * 2.0 / 3.0).abs() < 1e-9);
        hits[0] += usize::from((total.lower..=total.upper).contains(&50.0));
        for (cell, (hits, truth)) in made.figures[1].cells.iter().zip(hits[1..].iter_mut().zip([0.8, 0.2])) {
            *hits += usize::from((cell.lower..=cell.upper).contains(&truth));
        }
    }
    assert!(hits.iter().all(|hits| *hits as f64 / trials as f64 >= 0.878), "{hits:?}");
}

/// Intervals that hold together are wider, and cover together.
#[test]
fn joint_intervals_hold_for_all_cells_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let mut entropy = SeededEntropy::from_seed(12);
    let truth = [5i128; 12];
    let text = "interval = 0.9\njoint = true\n[[figure]]\nname = \"n\"\nkind = \"rate\"\nof = \"people\"\nper = 1\ntimes = 1\n";
    let (mut together, mut alone, trials) = (0, 0, 400);
    for _ in 0..trials {
        let measured = noisy(&truth, "0.5", &mut entropy);
        let rows: Vec<(&str, i128)> = names.iter().copied().zip(measured).collect();
        counts(folder.path(), "0.5", &rows);
        let all = |text: &str| cells(folder.path(), text).iter().all(|cell| (cell.lower..=cell.upper).contains(&5.0));
        together += usize::from(all(text));
        alone += usize::from(all(&text.replace("joint = true\n", "")));
    }
    // 4.5 standard deviations of 400 trials at 90 %: 0.8325.
    assert!(together as f64 / trials as f64 >= 0.8325, "{together}");
    assert!((alone as f64) < 0.75 * trials as f64, "{alone}");
}

#[test]
fn what_has_no_law_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = |entry: serde_json::Value| {
        let rows = [Measured {
            statistic: "people",
            keys: Vec::new(),
            output: "",
            component: "count",
            level: "",
            steps: 7,
            exponent: 0,
        }];
        write(
            folder.path(),
            &[entry],
            &[],
            &rows,
            &[Published { statistic: "people", keys: Vec::new(), output: "", estimate: 7.0 }],
        );
        let text = "[[figure]]\nname = \"r\"\nkind = \"ratio\"\nof = \"people\"\nper = 2\n";
        match make(folder.path(), text) {
            Err(FiguresError::Refused { refusal, .. }) => refusal,
            other => panic!("{other:?}"),
        }
    };
    let component = || laplace_component("count", None, "0.5", 1.0);
    let mut conditioned = component();
    conditioned["processing"] = json!(null);
    conditioned["mechanism"] = json!("conditioned-discrete-laplace");
    let refusal = one(statistic("people", "count", &[], vec![conditioned]));
    assert!(matches!(refusal, Refusal::Conditioned { .. }), "{refusal}");
    let refusal = one(statistic("people", "proportion", &[], vec![component()]));
    assert!(refusal.to_string().contains("a share is the `ratio` of two counts"), "{refusal}");
    let mut wrong = component();
    wrong["scale"] = json!(3.0);
    let refusal = one(statistic("people", "count", &[], vec![wrong]));
    assert!(matches!(refusal, Refusal::UnknownLaw { .. }), "a scale that is not that of the parameters: {refusal}");
    counts(folder.path(), "0.5", &[("a", 4), ("b", 9)]);
    for (text, words) in [
        ("of = \"peopel\"\nper = 1", "did you mean `people`?"),
        ("of = \"people\"\nper = \"people\"\nby = []", "is by `group` too"),
        (
            "of = { statistic = \"people\", where = { group = \"z\" } }\nper = 1\nby = []",
            "no published cell with group = z",
        ),
        ("of = { statistic = \"people\", where = { region = \"z\" } }\nper = 1", "is not grouped by `region`"),
        ("of = \"people\"\nper = 0", "divided by is 0"),
    ] {
        let text = format!("[[figure]]\nname = \"r\"\nkind = \"ratio\"\n{text}\n");
        let error = make(folder.path(), &text).expect_err("is refused").to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn releases_are_compared_and_what_is_not_comparable_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new, out) = (folder.path().join("old"), folder.path().join("new"), folder.path().join("out"));
    counts(&old, "0.5", &[("a", 40), ("b", 90), ("c", 5)]);
    counts(&new, "0.8", &[("a", 71), ("b", 93), ("d", 5)]);
    let made = compare(&old, &new, 0.95, &out).expect("compares");
    let comparison = made.manifest.comparison.as_ref().expect("a comparison");
    assert_eq!((comparison.numbers, comparison.told, comparison.told_together), (2, 1, 1));
    assert_eq!((comparison.only_in_old, comparison.only_in_new), (1, 1));
    let [differences, changes] = made.figures.as_slice() else { panic!("two figures") };
    assert_eq!((differences.cells[0].raw, differences.cells[0].against), (Some(31.0), Some(Against::Higher)));
    assert_eq!(differences.cells[1].against, Some(Against::Untold));
    assert_eq!(changes.cells[0].estimate, Some(77.5));
    assert!(changes.cells[0].lower > 0.0 && changes.cells[1].lower < 0.0);
    let error = compare(&old, &old, 0.95, &folder.path().join("same")).expect_err("the same").to_string();
    assert!(error.contains("the same release"), "{error}");
    // From one seed, and with another condition.
    let component = || vec![laplace_component("count", None, "0.5", 1.0)];
    let row = |steps| Measured {
        statistic: "people",
        keys: Vec::new(),
        output: "",
        component: "count",
        level: "",
        steps,
        exponent: 0,
    };
    let cell = |estimate| [Published { statistic: "people", keys: Vec::new(), output: "", estimate }];
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let plain = statistic("people", "count", &[], component());
    write_with(&one, std::slice::from_ref(&plain), &[], &[row(4)], &cell(4.0), false, "7");
    write_with(&other, std::slice::from_ref(&plain), &[], &[row(9)], &cell(9.0), false, "7");
    let error = compare(&one, &other, 0.95, &folder.path().join("seed")).expect_err("one seed").to_string();
    assert!(error.contains("one seed"), "{error}");
    let mut filtered = plain;
    filtered["where"] = json!("age > 60");
    write_with(&other, &[filtered], &[], &[row(9)], &cell(9.0), false, "8");
    let error = compare(&one, &other, 0.95, &folder.path().join("where")).expect_err("another condition").to_string();
    assert!(
        error.contains("`people`: another condition (`where`): none in the old one, age > 60 in the new one"),
        "{error}"
    );
}
