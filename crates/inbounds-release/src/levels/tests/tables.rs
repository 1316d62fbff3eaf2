//! A table by sex and age at every level of five counties of three states.

use inbounds_core::Rational;
use inbounds_data::KeyRow;

use super::neighbours::{assert_attained, spent, units};
use super::*;
use crate::plan::{Fit, MarginShares};

/// States of the counties.
const STATES: [usize; 5] = [0, 0, 1, 1, 2];
/// Cells of a county: two sexes by three ages.
const TABLE: usize = 6;
const CELLS: usize = 5 * TABLE;
/// Most cells are empty.
const COUNTS: [i128; CELLS] = [
    40, 3, 0, 0, 0, 9, // A county of the first state.
    0, 0, 1, 0, 0, 25, //
    7, 0, 0, 0, 12, 0, // One of the second.
    300, 120, 80, 290, 130, 90, //
    0, 0, 0, 2, 0, 0, // That of the third.
];

fn keys() -> Keys {
    let text = |word: String| KeyValue::Text(word);
    let rows = (0..CELLS).map(|key| {
        let (county, cell) = (key / TABLE, key % TABLE);
        let names =
            [format!("s{}", STATES[county]), format!("c{county}"), format!("x{}", cell / 3), format!("a{}", cell % 3)];
        names.map(text).to_vec()
    });
    Keys::new(["state", "county", "sex", "age"].map(str::to_owned).to_vec(), rows.collect()).expect("keys")
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, 0..0)
}

pub(super) fn levels_asked(shares: LevelShares, fit: Fit) -> plan::Levels {
    let names = ["all", "state", "county"].map(|name| spanned(name.to_owned())).to_vec();
    plan::Levels { names, shares: spanned(shares), fit }
}

pub(super) fn margins_asked(shares: MarginShares, fit: Fit) -> plan::Margins {
    let sets: [&[&str]; 4] = [&[], &["sex"], &["age"], &["sex", "age"]];
    let set = |names: &&[&str]| spanned(names.iter().map(|name| spanned((*name).to_owned())).collect());
    plan::Margins { sets: spanned(sets.iter().map(set).collect()), every: true, shares: spanned(shares), fit }
}

fn prepare(
    (of_levels, of_margins): (LevelShares, MarginShares),
    (fit, text): (Fit, &str),
    design: &Design,
    public: &[PublicMargin],
) -> Result<Levels, LevelsError> {
    let (levels, margins) = (levels_asked(of_levels, fit), margins_asked(of_margins, fit));
    let setting = Setting { cells: CELLS as u64, ..setting(epsilon(text), design) };
    let asked = Asked::Both(&levels, &margins);
    Levels::prepare_in(&OutputRange::Natural, asked, &keys(), (&AtLevels::Counts, public), &setting)
}

fn even(fit: Fit, text: &str) -> Levels {
    prepare((LevelShares::Even, MarginShares::Even), (fit, text), &ADD_REMOVE, &[]).expect("tables")
}

fn tally(counts: [i128; CELLS]) -> Tally {
    Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() }
}

/// Which cell of a margin at a level a key is part of, by a plain look at its words.
fn plainly(counts: &[i128; CELLS]) -> Vec<f64> {
    let places: [&dyn Fn(usize) -> usize; 3] = [&|_| 0, &|county| STATES[county], &|county| county];
    let cells: [&dyn Fn(usize) -> usize; 4] = [&|_| 0, &|cell| cell / 3, &|cell| cell % 3, &|cell| cell];
    let mut all = Vec::new();
    for (place, nodes) in places.iter().zip([1, 3, 5]) {
        for (part, size) in cells.iter().zip([1, 2, 3, 6]) {
            let mut sums = vec![0.0; nodes * size];
            for (key, count) in counts.iter().enumerate() {
                sums[place(key / TABLE) * size + part(key % TABLE)] += *count as f64;
            }
            all.extend(sums);
        }
    }
    all
}

fn released(measured: &Levels, counts: [i128; CELLS], seed: u64) -> Vec<Estimate> {
    let noisy = measured.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
    let estimated = measured.estimate_watched(&noisy, 0.95, RELEASES + seed, &Silent);
    assert_eq!(estimated.projection.expect("tables are projected").solver.status.word(), "optimal");
    estimated.estimates
}

/// That whole numbers of all levels and margins are the sums of the cells of counties, to the last unit.
fn assert_sums(values: &[f64]) {
    let cells: Vec<i128> = values[values.len() - CELLS..].iter().map(|value| *value as i128).collect();
    assert!(values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0), "{values:?}");
    assert_eq!(plainly(&cells.try_into().expect("all cells")), values);
}

fn counties(path: &[&str]) -> Vec<KeyValue> {
    path.iter().map(|word| KeyValue::Text((*word).to_owned())).collect()
}

/// Totals of the states.
fn totals(numbers: [u64; 3]) -> PublicMargin {
    let granularity = Granularity::Both { level: "state".to_owned(), margin: Vec::new() };
    let rows = numbers.iter().enumerate().map(|(state, number)| (counties(&[&format!("s{state}")]), *number));
    PublicMargin { granularity, file: "`totals.csv`".to_owned(), rows: rows.collect() }
}

#[test]
fn answers_are_sums_of_a_plain_loop_and_keys_are_named() {
    let tables = even(Fit::TopDown, "1");
    let answers = tables.answers(tally(COUNTS));
    let estimates: Vec<f64> =
        answers.iter().flat_map(|answer| answer.private_steps().iter().map(|&steps| steps as f64)).collect();
    assert_eq!(estimates, plainly(&COUNTS));
    let names: Vec<String> = tables.granularities().map(ToString::to_string).collect();
    assert_eq!(
        [&names[0], &names[5], &names[11]],
        ["level all, total", "level state, margin sex", "level county, margin sex, age"]
    );
    let public = keys();
    let nodes = tables.nodes(&public);
    // The second county's women of the third age.
    let (key, granularity) = nodes.get(12 + 36 + 5 + 10 + 15 + TABLE + 2);
    let words: Vec<String> = key.values().map(ToString::to_string).collect();
    assert_eq!((words.join(" "), granularity.to_string()), ("s0 c1 x0 a2".to_owned(), names[11].clone()));
    assert_eq!((nodes.len(), tables.cells_by_level().sum::<usize>()), (12 + 36 + 60, 108));
}

/// Every way in which one unit's rows can lie in the cells or in none, and be replaced: each margin at each level moves
/// as far as its noise is made for, and all together cost the whole epsilon.
#[test]
fn a_unit_moves_a_margin_of_a_level_as_far_as_its_sensitivity() {
    let places: Vec<Option<usize>> = [0, 1, 4, 8, 13, 29].map(Some).into_iter().chain([None]).collect();
    let of_rows = |rows: &[Option<usize>]| {
        let mut counts = [0; CELLS];
        rows.iter().flatten().for_each(|&cell| counts[cell] += 1);
        tally(counts)
    };
    for max_rows in [1, 2] {
        let units = units(&places, max_rows, of_rows);
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            let unit = PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows));
            let design = Design { neighbours, unit, rows: None };
            let tables = prepare((LevelShares::Even, MarginShares::Even), (Fit::TopDown, "1"), &design, &[]);
            let tables = tables.expect("tables");
            assert_attained(&tables, &units, neighbours, &format!("{neighbours}, {max_rows} rows"));
            assert_eq!(spent(&tables), Rational::ONE);
        }
    }
}

#[test]
fn tables_add_up_to_the_last_unit_and_intervals_cover() {
    let truth = plainly(&COUNTS);
    for (fit, releases) in [(Fit::TopDown, RELEASES), (Fit::Shrunk, 10)] {
        let tables = even(fit, "1");
        let mut misses = vec![0; truth.len()];
        for seed in 0..releases {
            let estimates = released(&tables, COUNTS, seed);
            let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
            assert_sums(&values);
            for ((misses, estimate), truth) in misses.iter_mut().zip(&estimates).zip(&truth) {
                *misses += u32::from(*truth < estimate.lower || *truth > estimate.upper);
            }
        }
        let most = misses.iter().max().expect("there are cells");
        assert!(*most <= MOST_MISSES, "{fit:?}: {misses:?}");
    }
}

#[test]
fn stated_errors_are_those_of_cells_far_from_zero_for_all_shares() {
    let counts = [5000; CELLS];
    let truth = plainly(&counts);
    let given = LevelShares::Given(["1/2", "1/4", "1/4"].map(|part| part.parse().expect("a part")).to_vec());
    for shares in [
        (LevelShares::Even, MarginShares::Even),
        (LevelShares::Balanced, MarginShares::Balanced),
        (LevelShares::Even, MarginShares::LeastError),
        (given, MarginShares::Even),
    ] {
        let name = format!("{shares:?}");
        let tables = prepare(shares, (Fit::TopDown, "1"), &ADD_REMOVE, &[]).expect("tables");
        assert_eq!(spent(&tables), Rational::ONE, "{name}");
        let expected = tables.expected_errors(&Scenario::default());
        let mut squares = vec![0.0; truth.len()];
        let runs = 400;
        for seed in 0..runs {
            let noisy = tables.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
            let parents = tables.hierarchy.parents();
            let measured = tables.measured(&noisy);
            let model = tables.additive.model(&parents, &measured);
            let solver = tables.hierarchy.solver(&model, true, tables.fit);
            let estimates = solver.solve(&model, model.value.clone()).estimates;
            squares
                .iter_mut()
                .zip(estimates)
                .zip(&truth)
                .for_each(|((sum, estimate), truth)| *sum += (estimate - truth).powi(2));
        }
        let mut begin = 0;
        for (cells, expected) in tables.cells_by_level().zip(&expected) {
            let mean = squares[begin..begin + cells].iter().sum::<f64>() / (runs as usize * cells) as f64;
            let ratio = mean.sqrt() / expected.rmse;
            // Rounding adds a part of a unit; a wrong formula would be off by more.
            assert!((ratio - 1.0).abs() < 0.12, "{name}: {} {ratio}", expected.case);
            begin += cells;
        }
    }
}

#[test]
fn solved_shares_gain_what_they_are_solved_for() {
    let rmse = |shares| {
        let tables = prepare(shares, (Fit::TopDown, "1"), &ADD_REMOVE, &[]).expect("tables");
        let errors: Vec<f64> = tables.expected_errors(&Scenario::default()).iter().map(|error| error.rmse).collect();
        let cells: Vec<f64> = tables.cells_by_level().map(|cells| cells as f64).collect();
        (errors, cells)
    };
    let (even, cells) = rmse((LevelShares::Even, MarginShares::Even));
    let (balanced, _) = rmse((LevelShares::Balanced, MarginShares::Balanced));
    let (least, _) = rmse((LevelShares::Balanced, MarginShares::LeastError));
    let logarithms = |errors: &[f64]| errors.iter().map(|error| error.ln()).sum::<f64>();
    let squares = |errors: &[f64]| errors.iter().zip(&cells).map(|(error, cells)| cells * error * error).sum::<f64>();
    assert!(
        logarithms(&balanced) < logarithms(&even) && squares(&least) < squares(&even),
        "{even:?} {balanced:?} {least:?}"
    );
    assert!(squares(&least) <= squares(&balanced), "{balanced:?} {least:?}");
}

#[test]
fn public_totals_are_met_and_nothing_is_spent_on_what_they_add_up_to() {
    let public = [totals([78, 1029, 2])];
    let (even, plain) = ((LevelShares::Even, MarginShares::Even), self::even(Fit::TopDown, "1"));
    let tables = prepare(even, (Fit::TopDown, "1"), &ADD_REMOVE, &public).expect("tables");
    assert_eq!((tables.components().len(), plain.components().len()), (10, 12));
    assert_eq!(spent(&tables), Rational::ONE);
    for seed in 0..20 {
        let estimates = released(&tables, COUNTS, seed);
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        assert_sums(&values);
        assert_eq!((values[0], &values[12..15]), (1109.0, &[78.0, 1029.0, 2.0][..]));
        assert!(
            estimates[0].measurement.is_none() && estimates[0].lower == 1109.0 && estimates[0].rmse_at_estimate == 0.0
        );
        // A state of one county has its total.
        assert_eq!(values[48 + 4], 2.0);
    }
    let sum = |tables: &Levels| {
        tables.expected_errors(&Scenario::default()).iter().map(|error| error.rmse.powi(2)).sum::<f64>()
    };
    assert!(sum(&tables) < sum(&plain));
}

#[test]
fn public_numbers_that_contradict_or_are_of_no_cell_are_refused_by_name() {
    let refused = |public: &[PublicMargin]| {
        let shares = (LevelShares::Even, MarginShares::Even);
        prepare(shares, (Fit::TopDown, "1"), &ADD_REMOVE, public).expect_err("it is refused").to_string()
    };
    let all = |number| PublicMargin {
        granularity: Granularity::Both { level: "all".to_owned(), margin: Vec::new() },
        file: "`nation.csv`".to_owned(),
        rows: vec![(Vec::new(), number)],
    };
    assert_eq!(
        refused(&[all(1000), totals([78, 1029, 2])]),
        "the numbers in `totals.csv` and the numbers in `nation.csv` contradict each other: at level all, total they are 1109 and 1000"
    );
    let shares = (LevelShares::Even, MarginShares::Even);
    let of_1000 = Design { rows: Some(1000), neighbours: Neighbours::Substitute, ..ADD_REMOVE };
    let more_than_all = prepare(shares, (Fit::TopDown, "1"), &of_1000, &[totals([78, 1029, 2])]);
    assert_eq!(
        more_than_all.expect_err("it is refused").to_string(),
        "the numbers in `totals.csv` add up to 1109, and [privacy] says that there are 1000 rows"
    );
    let mut missing = totals([78, 1029, 2]);
    missing.rows.pop();
    assert_eq!(refused(&[missing]), "`totals.csv` must have a number for each cell, and has none for `s2`");
    let mut more = totals([78, 1029, 2]);
    more.rows.push((counties(&["s9"]), 4));
    assert_eq!(refused(&[more]), "`totals.csv` has a number for `s9`, which is no cell of the statistic");
}

/// A public margin of all columns of a level is met, and everything that it adds up to is known.
#[test]
fn public_margins_of_two_columns_are_met_and_others_beside_them_refused() {
    let shares = || (LevelShares::Even, MarginShares::Even);
    let granularity = |level: &str, margin: &[&str]| Granularity::Both {
        level: level.to_owned(),
        margin: margin.iter().map(|name| (*name).to_owned()).collect(),
    };
    // The nation by both columns, from the counts themselves.
    let keys = keys();
    let mut rows: Vec<(Vec<KeyValue>, u64)> = Vec::new();
    for (key, count) in keys.rows().map(KeyRow::to_vec).zip(COUNTS) {
        match rows.iter_mut().find(|(own, _)| own[..] == key[2..]) {
            Some((_, sum)) => *sum += count as u64,
            None => rows.push((key[2..].to_vec(), count as u64)),
        }
    }
    let nation = PublicMargin {
        granularity: granularity("all", &["sex", "age"]),
        file: "`nation.csv`".to_owned(),
        rows: rows.clone(),
    };
    let tables = prepare(shares(), (Fit::TopDown, "1"), &ADD_REMOVE, &[nation]).expect("tables");
    // Four of the twelve margins are the nation's.
    assert_eq!((tables.components().len(), spent(&tables)), (8, Rational::ONE));
    for seed in 0..10 {
        let values: Vec<f64> = released(&tables, COUNTS, seed).iter().map(|estimate| estimate.value).collect();
        assert_sums(&values);
        let cells = rows.len();
        let known: Vec<f64> = rows.iter().map(|(_, count)| *count as f64).collect();
        assert_eq!(values[12 - cells..12], known[..]);
    }
    let apart = |column: &str, values: &[u64], place: usize| {
        let key = |index: usize| keys.values(place).nth(index).expect("a value").clone();
        let rows = values.iter().enumerate().map(|(index, number)| (vec![key(index)], *number)).collect();
        PublicMargin { granularity: granularity("all", &[column]), file: format!("`{column}.csv`"), rows }
    };
    let (sexes, ages) = (keys.values(2).count(), keys.values(3).count());
    let sex = apart("sex", &vec![ages as u64; sexes], 2);
    let age = apart("age", &vec![sexes as u64; ages], 3);
    let refused = prepare(shares(), (Fit::TopDown, "1"), &ADD_REMOVE, &[sex, age]).expect_err("it is refused");
    assert!(
        refused.to_string().starts_with("the numbers in `sex.csv` and the numbers in `age.csv` cannot both be met"),
        "{refused}"
    );
}

#[test]
fn a_cell_that_cannot_occur_is_missing_at_its_place_alone() {
    let all_keys = keys();
    let rows: Vec<Vec<KeyValue>> = all_keys.rows().take(CELLS - 1).map(KeyRow::to_vec).collect();
    let keys = Keys::new(all_keys.columns().to_vec(), rows).expect("keys");
    let prepare = |of_levels, fit| {
        let (levels, margins) = (levels_asked(of_levels, fit), margins_asked(MarginShares::Even, fit));
        let asked = Asked::Both(&levels, &margins);
        Levels::prepare(asked, &keys, &AtLevels::Counts, &setting(epsilon("1"), &ADD_REMOVE))
    };
    let levels = prepare(LevelShares::Even, Fit::TopDown).expect("zeros");
    // The last state has one county, so that the cell is missing in both.
    assert_eq!(levels.cells_by_level().collect::<Vec<_>>(), [1, 2, 3, 6, 3, 6, 9, 17, 5, 10, 15, 29]);
    let refused = |of_levels, fit| prepare(of_levels, fit).expect_err("it is not built");
    assert_eq!(refused(LevelShares::Balanced, Fit::TopDown), LevelsError::LinkedShares);
    assert_eq!(refused(LevelShares::Even, Fit::Shrunk), LevelsError::LinkedFit);
}

/// Sums of one sign, of both and below zero, and means with their counts add up as counts do.
#[test]
fn sums_and_means_add_up_too() {
    let shares = (LevelShares::Even, MarginShares::Even);
    let (levels, margins) = (levels_asked(shares.0, Fit::TopDown), margins_asked(shares.1, Fit::TopDown));
    let asked = Asked::Both(&levels, &margins);
    let setting = Setting { cells: CELLS as u64, ..setting(epsilon("1"), &ADD_REMOVE) };
    for (lower, upper, sign) in [("0", "9", 1), ("-9", "9", -1), ("-9", "0", -1)] {
        for measure in [AtLevels::Sums(column(lower, upper, true)), AtLevels::Means(column(lower, upper, true))] {
            let tables = Levels::prepare(asked, &keys(), &measure, &setting).expect("tables");
            let sums: Vec<i128> = COUNTS.iter().map(|count| sign * 4 * count).collect();
            let tally =
                Tally { counts: Answer::new(COUNTS.to_vec()), sums: vec![Answer::new(sums)], products: Vec::new() };
            let noisy = tables.measure(tally, &mut SeededEntropy::from_seed(1));
            let estimates = tables.estimate_watched(&noisy, 0.95, 7, &Silent).estimates;
            let outputs = tables.outputs().len();
            // A mean has its sum as the last number; a sum is the only one.
            let values: Vec<f64> = estimates.iter().skip(outputs - 1).step_by(outputs).map(|one| one.value).collect();
            let (total, counties) = (values[0], &values[values.len() - CELLS..]);
            assert!(
                (total - counties.iter().sum::<f64>()).abs() < 1e-6 * total.abs().max(1.0),
                "{lower} {upper}: {total}"
            );
            let states: f64 = values[12..15].iter().sum();
            assert!((total - states).abs() < 1e-6 * total.abs().max(1.0), "{lower} {upper}: {total} {states}");
        }
    }
}
