//! Errors of margins that `inbounds check` states, against a study of all margins of one and two columns of the adult
//! census extract at epsilon 1 and delta 10^-9, in closed form.
//!
//! The study has continuous Gaussian noise. That of a plan is discrete, and hardly wider.

use std::{ops::Range, path::Path};

use inbounds_release::{OpenedPlan, plan::Plan};
use inbounds_statistics::Scenario;

/// Education, occupation, race, sex, marital status, class of work, relationship, country of birth, income class, age
/// by decade. All ten have three billion combinations.
const SIZES: [usize; 10] = [16, 15, 5, 2, 7, 9, 6, 42, 2, 10];

/// Mean RMSE of margins of one column, of two, and RMSE over all cells.
fn stated(columns: usize, asked: &str) -> [f64; 3] {
    let mut text =
        "data.path = 'nowhere.csv'\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 1\ndelta = 1e-9\n"
            .to_owned();
    for (column, size) in SIZES[..columns].iter().enumerate() {
        text += &format!("[columns.c{column}]\ntype = 'integer'\nvalues = {:?}\n", (0..*size).collect::<Vec<_>>());
    }
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let mut margins: Vec<Vec<&String>> = names.iter().map(|name| vec![name]).collect();
    margins.extend(
        (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b))).map(|(a, b)| vec![&names[a], &names[b]]),
    );
    text += &format!("[[statistic]]\nname = 'a'\nkind = 'count'\nby = {names:?}\nmargins = {margins:?}\n{asked}\n");
    let plan = Plan::parse(&text, Path::new("nowhere")).unwrap_or_else(|errors| panic!("{errors}"));
    let opened = OpenedPlan::with_or_without_data(&plan).expect("an opened plan").0;
    let squares: Vec<f64> =
        opened.tasks[0].prepared.expected_errors(&Scenario::default()).iter().map(|error| error.rmse.powi(2)).collect();
    let cells: Vec<f64> = margins
        .iter()
        .map(|margin| margin.iter().map(|name| SIZES[name[1..].parse::<usize>().expect("a place")] as f64).product())
        .collect();
    // The total, which is not listed, comes first.
    let squares = &squares[1..];
    let mean = |range: Range<usize>| (squares[range.clone()].iter().sum::<f64>() / range.len() as f64).sqrt();
    let of_all: f64 = squares.iter().zip(&cells).map(|(square, cells)| square * cells).sum();
    [mean(0..columns), mean(columns..squares.len()), (of_all / cells.iter().sum::<f64>()).sqrt()]
}

#[test]
fn stated_errors_are_those_of_the_study() {
    let least = "margin_shares = 'least-error'";
    let gaussian = |parts: &str| format!("mechanism = 'clamped-gaussian'\n{parts}");
    let cases = [
        (6, "".to_owned(), [20.2, 25.1, 26.3]),
        (4, least.to_owned(), [14.4, 8.6, 7.0]),
        (6, least.to_owned(), [27.2, 20.8, 16.9]),
        (4, gaussian(least), [21.0, 13.1, 11.5]),
        (6, gaussian(least), [29.6, 19.5, 17.5]),
        (8, least.to_owned(), [49.2, 41.8, 29.2]),
        (8, gaussian(least), [42.7, 28.0, 22.4]),
        (10, least.to_owned(), [65.2, 66.3, 44.2]),
        (10, gaussian(least), [47.9, 34.2, 26.7]),
    ];
    for (columns, asked, expected) in cases {
        let ratios = stated(columns, &asked);
        let near = |(ratio, expected): (&f64, f64)| (ratio / expected - 1.0).abs() < 0.03;
        assert!(ratios.iter().zip(expected).all(near), "{columns} {asked}: {ratios:?} for {expected:?}");
    }
    // One Gaussian statistic for each margin, with its part of delta, has 113.7.
    let even = stated(6, &gaussian(""));
    assert!(even.iter().all(|rmse| *rmse < 113.7 / 4.0), "{even:?}");
}
