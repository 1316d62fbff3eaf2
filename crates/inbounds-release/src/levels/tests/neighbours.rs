use std::collections::BTreeSet;

use inbounds_core::Rational;

use super::*;

/// A row counts in a county (or in none) with a value.
type Row = (Option<usize>, i128);

/// The engine's answer for some rows of one unit.
fn tally_of(rows: &[Row]) -> Tally {
    let (mut counts, mut sums) = ([0; 6], [0; 6]);
    for &(county, value) in rows {
        if let Some(county) = county {
            counts[county] += 1;
            sums[county] += value;
        }
    }
    Counties { counts, sums }.tally()
}

/// The tallies of every unit with one or two of these rows.
pub(super) fn units<R: Copy>(rows: &[R], max_rows: u64, tally_of: impl Fn(&[R]) -> Tally) -> Vec<Tally> {
    match max_rows {
        1 => rows.iter().map(|row| tally_of(&[*row])).collect(),
        _ => rows.iter().flat_map(|one| rows.iter().map(|other| tally_of(&[*one, *other]))).collect(),
    }
}

/// Every way in which one unit's rows can lie in six cells or in none, and every way in which they can then be
/// replaced, with values at both bounds and between: the largest change of each level's measured numbers is what its
/// noise is made for.
#[test]
fn a_unit_moves_a_level_as_far_as_its_sensitivity() {
    let values = [-2, 3, 10];
    let places = (0..6).map(Some).chain([None]);
    let rows: Vec<Row> = places.flat_map(|county| values.map(|value| (county, value))).collect();
    for max_rows in [1, 2] {
        let units = units(&rows, max_rows, tally_of);
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            let design = Design {
                neighbours,
                unit: PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows)),
                rows: None,
            };
            let column = || column("-2", "10", true);
            for measured in [AtLevels::Counts, AtLevels::Sums(column()), AtLevels::Means(column())] {
                let levels = levels(&measured, epsilon("1"), &design);
                assert_attained(&levels, &units, neighbours, &format!("{neighbours}, {max_rows} rows, {measured:?}"));
            }
        }
    }
}

/// Largest l1 change over neighbours.
pub(super) fn largest_change(neighbours: Neighbours, units: &BTreeSet<Vec<i128>>) -> u128 {
    let change = |one: &Vec<i128>, other: &Vec<i128>| one.iter().zip(other).map(|(x, y)| x.abs_diff(*y)).sum();
    let nothing = vec![0; units.first().expect("some unit").len()];
    let changes: Vec<u128> = match neighbours {
        Neighbours::AddRemove => units.iter().map(|unit| change(unit, &nothing)).collect(),
        Neighbours::Substitute => units.iter().flat_map(|one| units.iter().map(|other| change(one, other))).collect(),
    };
    changes.into_iter().max().unwrap_or(0)
}

/// Each level with noise moves as far between neighbours, whose units these are, as its noise is made for.
pub(super) fn assert_attained(levels: &Levels, units: &[Tally], neighbours: Neighbours, context: &str) {
    for (level, component) in levels.levels_with_noise() {
        let answer = |tally: &Tally| levels.additive.answer(level, tally).private_steps().to_vec();
        let change = largest_change(neighbours, &units.iter().map(answer).collect());
        assert_eq!(change, component.mechanism.sensitivity().l1, "{context}, {}", level.granularity);
    }
}

/// The epsilons of all measurements together.
pub(super) fn spent(levels: &Levels) -> Rational {
    let own = |component: &Component| component.mechanism.guarantee().epsilon().expect("pure").value().clone();
    levels.components().into_iter().map(own).fold(Rational::ZERO, |all, part| &all + &part)
}
