//! Linear combinations: sensitivity against brute force in exact rationals, and what is measured.

use inbounds_core::{Answer, Rational, Tally};
use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_statistics::{
    Column, ColumnBounds, CombinedMeasure, LinearCombination, Missing, Setting, Statistic, StatisticError, Term,
};

use crate::engine::clamped;

fn term(weight: &str, (lower, upper): (i128, i128), integer: bool, missing: Missing) -> Term {
    let weight = match weight.split_once('/') {
        Some((above, below)) => Rational::ratio(above.parse().expect("whole"), below.parse().expect("whole")),
        None => weight.parse().expect("number"),
    };
    let bounds = ColumnBounds { lower: lower.into(), upper: upper.into(), integer, missing };
    Term { weight, column: Column { name: format!("column from {lower}"), bounds } }
}

/// All values that the combination can take on one row: any whole values within bounds, or nothing where it is dropped.
fn values_of_a_row(terms: &[Term], bounds: &[(i128, i128)]) -> Vec<Rational> {
    let mut values = terms.iter().zip(bounds).fold(vec![Rational::ZERO], |sums, (term, (lower, upper))| {
        let with = |sum: &Rational| {
            let sum = sum.clone();
            (*lower..=*upper).map(move |x| &sum + &(&term.weight * &Rational::from(x))).collect::<Vec<_>>()
        };
        sums.iter().flat_map(with).collect()
    });
    if terms.iter().any(|term| !matches!(term.column.bounds.missing, Missing::Impute(_))) {
        values.push(Rational::ZERO);
    }
    values
}

fn gap(a: &Rational, b: &Rational) -> Rational {
    if a > b { a - b } else { b - a }
}

/// Neighbours differ in one row, so all that one row can be, or its absence, is all there is to try.
#[test]
fn no_neighbour_passes_the_sensitivity_and_one_attains_it() {
    let impute = || Missing::Impute(Rational::from(1i128));
    let cases = [
        (vec![("1", (0, 3)), ("-1", (0, 3))], Missing::Drop),
        (vec![("1/2", (1, 3)), ("-2/3", (2, 4))], Missing::Drop),
        (vec![("1/2", (1, 3)), ("-2/3", (0, 2)), ("0.25", (-2, 1))], impute()),
        (vec![("3", (1, 4)), ("2", (1, 2))], impute()),
        (vec![("-7/5", (-3, 1))], Missing::Drop),
    ];
    for (terms, missing) in cases {
        let bounds: Vec<(i128, i128)> = terms.iter().map(|(_, bounds)| *bounds).collect();
        let terms: Vec<Term> = terms.iter().map(|(w, bounds)| term(w, *bounds, true, missing.clone())).collect();
        let row = values_of_a_row(&terms, &bounds);
        for rows in [Some(5), None] {
            let combination = LinearCombination { terms: terms.clone(), measure: CombinedMeasure::Sums };
            let prepared = combination.prepare(&clamped(rows, 1, "1")).expect("valid");
            let component = prepared.components()[0];
            let l1 = component.mechanism.sensitivity().l1;
            let stated = &Rational::from(l1) / &Rational::from(u128::from(component.divisor));
            let largest = match rows {
                Some(_) => row.iter().flat_map(|a| row.iter().map(move |b| gap(a, b))).max(),
                None => row.iter().map(|a| gap(a, &Rational::ZERO)).max(),
            };
            assert_eq!(largest, Some(stated), "{terms:?} {rows:?}");
            // The range of one row's worth, times the rows.
            let (lower, upper) = prepared.ranges()[0];
            let ends = (row.iter().min().expect("values"), row.iter().max().expect("values"));
            if rows.is_some() {
                assert!((lower - 5.0 * ends.0.to_f64()).abs() < 1e-12 && (upper - 5.0 * ends.1.to_f64()).abs() < 1e-12);
            }
        }
    }
}

/// At a great epsilon what is measured is the combination itself, on integers and on grids of different spacing.
#[test]
fn the_combination_of_sums_is_what_is_measured() {
    let impute = || Missing::Impute(Rational::ONE);
    let integers = vec![term("1/2", (0, 4), true, impute()), term("-1/3", (0, 6), true, impute())];
    let mixed = vec![term("0.25", (0, 4), true, impute()), term("-3", (0, 6), false, impute())];
    for (terms, wanted) in [(integers, 9.0 / 2.0 - 10.0 / 3.0), (mixed, 9.0 / 4.0 - 30.0)] {
        for (measure, divisor) in [(CombinedMeasure::Sums, 1.0), (CombinedMeasure::Means, 20.0)] {
            let combination = LinearCombination { terms: terms.clone(), measure };
            let prepared = combination.prepare(&clamped(Some(20), 1, "2000")).expect("valid");
            let sum =
                |(clip, sum): (&inbounds_statistics::Clip, f64)| Answer::new(vec![(sum / clip.grid.spacing()) as i128]);
            let sums = prepared.ask().clips.iter().zip([9.0, 10.0]).map(sum).collect();
            let moments = Tally { counts: Answer::new(vec![20]), sums, products: Vec::new() };
            let measured = prepared.measure(moments, &mut SeededEntropy::from_seed(1));
            let estimate = prepared.estimate(&measured, 0.95, 0)[0];
            let scale = prepared.components()[0].scale();
            assert!((estimate.value - wanted / divisor).abs() < 30.0 * scale, "{estimate:?} {wanted} {divisor}");
            assert!(scale < 0.02 / divisor);
        }
    }
}

#[test]
fn terms_that_cancel_cost_less_than_columns_apart() {
    let terms =
        |second: &str| vec![term("1", (10, 12), true, Missing::Drop), term(second, (10, 12), true, Missing::Drop)];
    let sensitivity = |second: &str| {
        let combination = LinearCombination { terms: terms(second), measure: CombinedMeasure::Sums };
        combination.prepare(&clamped(None, 1, "1")).expect("valid").components()[0].sensitivity()
    };
    // Apart, each column moves by 12: together 24, but a difference by 2.
    assert_eq!((sensitivity("1"), sensitivity("-1")), (24.0, 2.0));
}

#[test]
fn combinations_that_make_no_sense_are_refused() {
    let counted = || Missing::Impute(Rational::ZERO);
    let valid = term("1", (0, 4), true, counted());
    let refuse = |terms: Vec<Term>, measure: CombinedMeasure, setting: &Setting| {
        LinearCombination { terms, measure }.prepare(setting).expect_err("refused")
    };
    let (public, private) = (clamped(Some(9), 1, "1"), clamped(None, 1, "1"));
    assert!(matches!(refuse(Vec::new(), CombinedMeasure::Sums, &public), StatisticError::AtLeast { .. }));
    let zero = Term { weight: Rational::ZERO, ..valid.clone() };
    assert!(matches!(refuse(vec![zero], CombinedMeasure::Sums, &public), StatisticError::Weight { .. }));
    let tiny = Term { weight: "1e-30".parse().expect("number"), ..valid.clone() };
    assert!(matches!(refuse(vec![tiny], CombinedMeasure::Sums, &public), StatisticError::Weight { .. }));
    let fine = term("1", (0, 1), false, counted());
    let huge = term("1e17", (0, 1 << 40), true, counted());
    assert!(matches!(refuse(vec![fine, huge], CombinedMeasure::Sums, &public), StatisticError::Weight { .. }));
    assert!(matches!(refuse(vec![valid.clone()], CombinedMeasure::Means, &private), StatisticError::NoRows { .. }));
    let dropped = term("1", (0, 4), true, Missing::Drop);
    assert!(matches!(refuse(vec![dropped], CombinedMeasure::Means, &public), StatisticError::NoRows { .. }));
    assert!(matches!(
        refuse(vec![valid], CombinedMeasure::Means, &clamped(Some(0), 1, "1")),
        StatisticError::FewRows { .. }
    ));
}
