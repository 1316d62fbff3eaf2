//! Sensitivities against brute force: all pairs of neighbours of small data sets, exact integers.

use std::collections::BTreeSet;

use inbounds_core::Neighbours;
use inbounds_statistics::{
    Contribution, Design, PrivacyUnit, of_bernstein, of_distances, of_distinct_units, of_sum, of_survey,
};

/// A row counts in cell `.0` (or nowhere) with `.1` steps.
type Row = (Option<usize>, i128);

/// All contributions one unit can make: up to `m` rows, each of any cell and value.
fn units(m: u64, cells: usize, values: &[i128], droppable: bool) -> BTreeSet<Vec<i128>> {
    let places = (0..cells).map(Some).chain(droppable.then_some(None));
    let rows: Vec<Row> = places.flat_map(|cell| values.iter().map(move |value| (cell, *value))).collect();
    totals(m, cells, droppable, &rows, |total, cell, value| total[cell] += value)
}

/// All vectors of `length` numbers that up to `m` of the rows add up to.
fn totals(
    m: u64,
    length: usize,
    droppable: bool,
    rows: &[Row],
    add: impl Fn(&mut Vec<i128>, usize, i128),
) -> BTreeSet<Vec<i128>> {
    let mut totals = BTreeSet::from([vec![0; length]]);
    for _ in 0..m {
        let grown: Vec<Vec<i128>> = totals
            .iter()
            .flat_map(|total| rows.iter().map(move |row| (total, row)))
            .map(|(total, (cell, value))| {
                let mut total = total.clone();
                if let Some(cell) = cell {
                    add(&mut total, *cell, *value);
                }
                total
            })
            .collect();
        // A unit may hold fewer than m rows, but a data set of exactly one row per unit has one each.
        if droppable { totals.extend(grown) } else { totals = grown.into_iter().collect() }
    }
    totals
}

/// Largest l1, linf and number of changed cells over neighbours.
fn brute_force(neighbours: Neighbours, units: &BTreeSet<Vec<i128>>) -> (u128, u128, u64) {
    let nothing = vec![0; units.first().expect("some unit").len()];
    let pairs: Vec<(&Vec<i128>, &Vec<i128>)> = match neighbours {
        Neighbours::AddRemove => units.iter().map(|unit| (unit, &nothing)).collect(),
        Neighbours::Substitute => units.iter().flat_map(|a| units.iter().map(move |b| (a, b))).collect(),
    };
    let mut largest = (0, 0, 0);
    for (a, b) in pairs {
        let changes: Vec<u128> = a.iter().zip(b).map(|(x, y)| x.abs_diff(*y)).collect();
        largest.0 = largest.0.max(changes.iter().sum());
        largest.1 = largest.1.max(changes.iter().copied().max().unwrap_or(0));
        largest.2 = largest.2.max(changes.iter().filter(|change| **change > 0).count() as u64);
    }
    largest
}

#[test]
fn every_rule_is_attained_and_never_passed() {
    let bounds: [(i128, i128); 6] = [(1, 1), (0, 3), (2, 5), (-4, 1), (-3, -1), (-2, 2)];
    for (lower, upper) in bounds {
        let values: Vec<i128> = (lower..=upper).collect();
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            for m in [1u64, 2, 3] {
                for cells in [1usize, 2, 3] {
                    let unit = if m == 1 { PrivacyUnit::Row } else { PrivacyUnit::Column(Contribution::of_rows(m)) };
                    let design = Design { neighbours, unit, rows: None };
                    let largest = brute_force(neighbours, &units(m, cells, &values, true));
                    let stated = of_sum(&design, (lower, upper), cells as u64, false);
                    assert_eq!(
                        (stated.l1, stated.linf, stated.cells),
                        largest,
                        "{neighbours} m {m} cells {cells} [{lower}, {upper}]"
                    );
                }
            }
        }
    }
}

#[test]
fn a_public_number_of_rows_that_all_count_leaves_only_the_width() {
    for (lower, upper) in [(0i128, 3i128), (2, 5), (-4, 1)] {
        let values: Vec<i128> = (lower..=upper).collect();
        let design = Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(9) };
        let largest = brute_force(Neighbours::Substitute, &units(1, 1, &values, false));
        let stated = of_sum(&design, (lower, upper), 1, true);
        assert_eq!((stated.l1, stated.linf, stated.cells), largest, "[{lower}, {upper}]");
    }
}

#[test]
fn distances_to_both_bounds_are_attained_and_never_passed() {
    for width in [1i128, 2, 5] {
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            for m in [1u64, 2, 3] {
                for cells in [1usize, 2, 3] {
                    let unit = if m == 1 { PrivacyUnit::Row } else { PrivacyUnit::Column(Contribution::of_rows(m)) };
                    let design = Design { neighbours, unit, rows: None };
                    let places = (0..cells).map(Some).chain([None]);
                    // What lies strictly between the bounds is alike.
                    let values = BTreeSet::from([0, 1, width - 1, width]);
                    let rows: Vec<Row> = places.flat_map(|cell| values.iter().map(move |x| (cell, *x))).collect();
                    let units = totals(m, 2 * cells, true, &rows, |total, cell, x| {
                        total[2 * cell] += x;
                        total[2 * cell + 1] += width - x;
                    });
                    let stated = of_distances(&design, width.unsigned_abs(), cells as u64);
                    let largest = brute_force(neighbours, &units);
                    let context = format!("{neighbours} m {m} cells {cells} width {width}");
                    assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{context}");
                }
            }
        }
    }
}

#[test]
fn bernstein_sums_are_attained_and_never_passed() {
    for width in [1i128, 2, 5] {
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            for m in [1u64, 2, 3] {
                for cells in [1usize, 2, 3] {
                    let unit = if m == 1 { PrivacyUnit::Row } else { PrivacyUnit::Column(Contribution::of_rows(m)) };
                    let design = Design { neighbours, unit, rows: None };
                    let places = (0..cells).map(Some).chain([None]);
                    let values = BTreeSet::from([0, 1, width]);
                    let rows: Vec<Row> = places.flat_map(|cell| values.iter().map(move |x| (cell, *x))).collect();
                    let units = totals(m, 3 * cells, true, &rows, |total, cell, x| {
                        total[3 * cell] += (width - x) * (width - x);
                        total[3 * cell + 1] += 2 * x * (width - x);
                        total[3 * cell + 2] += x * x;
                    });
                    let stated = of_bernstein(&design, width.unsigned_abs(), cells as u64);
                    let largest = brute_force(neighbours, &units);
                    let context = format!("{neighbours} m {m} cells {cells} width {width}");
                    assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{context}");
                }
            }
        }
    }
}

#[test]
fn numbers_of_units_are_attained_and_never_passed() {
    for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
        for m in [1u64, 2, 3, 4] {
            for cells in 1usize..=5 {
                let design = Design { neighbours, unit: PrivacyUnit::Column(Contribution::of_rows(m)), rows: None };
                // Up to m rows, of which those after the first in a cell do not count.
                let once = |unit: Vec<i128>| unit.into_iter().map(|rows| rows.min(1)).collect();
                let units = units(m, cells, &[1], true).into_iter().map(once).collect();
                let stated = of_distinct_units(&design, cells as u64);
                let largest = brute_force(neighbours, &units);
                assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{neighbours} m {m} cells {cells}");
            }
        }
    }
}

/// All that one unit can add to the numbers of cells, of which each has `width`: rows as `contribution` allows, each
/// one of `rows`.
fn limited_units(contribution: Contribution, cells: usize, rows: &[Vec<i128>]) -> BTreeSet<Vec<i128>> {
    let width = rows[0].len();
    let plus = |a: &[i128], b: &[i128]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
    // Sums of this many rows of one cell.
    let mut sums = vec![BTreeSet::from([vec![0; width]])];
    for _ in 0..contribution.rows_per_group() {
        let last = sums.last().expect("the sum of none");
        sums.push(last.iter().flat_map(|sum| rows.iter().map(|row| plus(sum, row))).collect());
    }
    // Rows and groups so far, with the numbers.
    let mut units = BTreeSet::from([(0, 0, Vec::new())]);
    for _ in 0..cells {
        let mut grown = BTreeSet::new();
        for (used, groups, numbers) in &units {
            for (count, sums) in sums.iter().enumerate() {
                let (used, groups) = (used + count as u64, groups + u64::from(count > 0));
                if used <= contribution.rows() && groups <= contribution.groups() {
                    grown.extend(sums.iter().map(|sum| (used, groups, [&numbers[..], sum].concat())));
                }
            }
        }
        units = grown;
    }
    units.into_iter().map(|(_, _, numbers)| numbers).collect()
}

/// Limits on groups and on rows in each, for counts, sums, distances, Bernstein sums and numbers of units.
#[test]
fn limits_on_groups_are_attained_and_never_passed() {
    let one = |values: &[i128]| values.iter().map(|&value| vec![value]).collect::<Vec<_>>();
    let far: Vec<Vec<i128>> = [0, 1, 2].map(|x| vec![x, 2 - x]).into();
    let squares: Vec<Vec<i128>> = [0, 1, 2].map(|x: i128| vec![(2 - x) * (2 - x), 2 * x * (2 - x), x * x]).into();
    let mut smaller = 0;
    for (m, g, r) in [(4, 2, 2), (2, 2, 1), (3, 2, 2), (3, 3, 1), (3, 1, 3), (2, 1, 2), (4, 2, 3), (1, 1, 1)] {
        let contribution = Contribution::new(m, g, r);
        for (neighbours, cells) in [Neighbours::AddRemove, Neighbours::Substitute]
            .into_iter()
            .flat_map(|neighbours| (1..=4).map(move |cells| (neighbours, cells)))
        {
            let design = Design { neighbours, unit: PrivacyUnit::Column(contribution), rows: None };
            let largest_of = |rows: &[Vec<i128>]| brute_force(neighbours, &limited_units(contribution, cells, rows));
            let context = format!("{neighbours} m {m} g {g} r {r} cells {cells}");
            for (ends, values) in [((1, 1), one(&[1])), ((0, 2), one(&[0, 2])), ((-1, 2), one(&[-1, 0, 2]))] {
                let (stated, largest) = (of_sum(&design, ends, cells as u64, false), largest_of(&values));
                assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{context} {ends:?}");
                let plain = Design { unit: PrivacyUnit::Column(Contribution::of_rows(m)), ..design };
                smaller += u32::from(stated.l2_squared() < of_sum(&plain, ends, cells as u64, false).l2_squared());
            }
            let stated = of_distances(&design, 2, cells as u64);
            assert_eq!((stated.l1, stated.linf, stated.cells), largest_of(&far), "{context}, distances");
            let stated = of_bernstein(&design, 2, cells as u64);
            assert_eq!((stated.l1, stated.linf, stated.cells), largest_of(&squares), "{context}, squares");
            // One row of a unit in a cell counts.
            let once = limited_units(contribution, cells, &one(&[1]));
            let once = once.into_iter().map(|unit| unit.into_iter().map(|rows| rows.min(1)).collect()).collect();
            let stated = of_distinct_units(&design, cells as u64);
            let largest = brute_force(neighbours, &once);
            assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{context}, units");
        }
    }
    assert!(smaller > 40, "the limits lower sensitivities: {smaller}");
}

/// Everything that one row can add to the counts of a survey: the rows, `listed` zeros or ones, and for each of
/// `bounded` columns one of three places or none.
fn surveyed_rows(rows: bool, listed: usize, bounded: usize) -> Vec<Vec<i128>> {
    let mut rows_of_unit: Vec<Vec<i128>> = vec![if rows { vec![1] } else { vec![] }];
    let mut append = |choices: &[&[i128]]| {
        let grown = rows_of_unit.iter().flat_map(|row| choices.iter().map(move |choice| [&row[..], choice].concat()));
        rows_of_unit = grown.collect();
    };
    (0..listed).for_each(|_| append(&[&[0], &[1]]));
    (0..bounded).for_each(|_| append(&[&[0, 0, 0], &[1, 0, 0], &[0, 1, 0], &[0, 0, 1]]));
    rows_of_unit
}

#[test]
fn surveys_move_as_stated_and_no_further() {
    for (listed, bounded) in [(0usize, 1usize), (1, 0), (2, 0), (1, 1), (2, 1), (1, 2)] {
        for (neighbours, unit) in [
            (Neighbours::AddRemove, PrivacyUnit::Row),
            (Neighbours::Substitute, PrivacyUnit::Row),
            (Neighbours::AddRemove, PrivacyUnit::Column(Contribution::of_rows(1))),
            (Neighbours::AddRemove, PrivacyUnit::Column(Contribution::of_rows(2))),
            (Neighbours::Substitute, PrivacyUnit::Column(Contribution::of_rows(1))),
            (Neighbours::Substitute, PrivacyUnit::Column(Contribution::of_rows(2))),
        ] {
            let exactly_one = (neighbours, unit) == (Neighbours::Substitute, PrivacyUnit::Row);
            let rows = !exactly_one;
            let design = Design { neighbours, unit, rows: exactly_one.then_some(9) };
            let one = surveyed_rows(rows, listed, bounded);
            let mut units: BTreeSet<Vec<i128>> =
                if exactly_one { one.iter().cloned().collect() } else { BTreeSet::from([vec![0; one[0].len()]]) };
            for _ in 0..if exactly_one { 0 } else { design.rows_per_unit() } {
                let add = |unit: &Vec<i128>, row: &Vec<i128>| unit.iter().zip(row).map(|(x, y)| x + y).collect();
                let grown: Vec<Vec<i128>> =
                    units.iter().flat_map(|unit| one.iter().map(move |row| add(unit, row))).collect();
                units.extend(grown);
            }
            let stated = of_survey(&design, rows, listed as u64, bounded as u64);
            assert_eq!(
                (stated.l1, stated.linf, stated.cells),
                brute_force(neighbours, &units),
                "{neighbours} {unit:?}: {listed} listed, {bounded} bounded"
            );
        }
    }
}
