//! Levels over six counties of three states.

mod at_once;
mod count;
mod coverage;
mod known;
mod linked;
mod margin_means;
mod margin_sums;
mod margins;
mod mean;
mod neighbours;
mod residuals;
mod sparse;
mod sum;
mod tables;
mod unmeasured;

use inbounds_bundle::ProjectionEntry;
use inbounds_core::{Answer, Delta, Neighbours, Quantity};
use inbounds_data::KeyValue;
use inbounds_mechanisms::{registry, sampler::SeededEntropy};
use inbounds_statistics::{ColumnBounds, Design, Missing, PrivacyUnit};

use super::*;
use crate::plan::{self, Fit, LevelShares, MarginShares, Spanned};

/// Releases of a test of coverage. More than [`MOST_MISSES`] misses at a level of 95 % have probability 3e-5.
const RELEASES: u64 = 200;
/// See [`RELEASES`].
const MOST_MISSES: u32 = 24;

const ADD_REMOVE: Design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };

/// Replacing one of a public number of rows.
fn substitute(rows: u64) -> Design {
    Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(rows) }
}

fn epsilon(text: &str) -> Epsilon {
    Epsilon::new(text.parse().expect("a number")).expect("positive")
}

fn column(lower: &str, upper: &str, integer: bool) -> Column {
    let read = |text: &str| text.parse().expect("a number");
    let bounds = ColumnBounds { lower: read(lower), upper: read(upper), integer, missing: Missing::Drop };
    Column { name: "value".to_owned(), bounds }
}

/// Laplace noise for this epsilon.
fn setting(epsilon: Epsilon, design: &Design) -> Setting {
    let (mechanism, delta) = (registry::default(), Delta::ZERO);
    let rho_rate = None;
    Setting {
        design: *design,
        cells: 1,
        grouped: true,
        filtered: false,
        mechanism: mechanism.into(),
        epsilon,
        delta,
        rho_rate,
        together: None,
    }
}

/// Levels "all", "state" and "county" with equal parts of epsilon.
fn levels(measure: &AtLevels, epsilon: Epsilon, design: &Design) -> Levels {
    levels_with(LevelShares::Even, measure, epsilon, design)
}

/// The same with other parts.
fn levels_with(shares: LevelShares, measure: &AtLevels, epsilon: Epsilon, design: &Design) -> Levels {
    let text = |word: &str| KeyValue::Text(word.to_owned());
    let rows = [["n", "1"], ["n", "2"], ["s", "1"], ["s", "2"], ["s", "3"], ["w", "1"]];
    let rows = rows.iter().map(|row| row.iter().map(|word| text(word)).collect()).collect();
    let keys = Keys::new(vec!["state".into(), "county".into()], rows).expect("keys");
    let names = ["all", "state", "county"].map(|name| Spanned::new(name.to_owned(), 0..0));
    let asked = plan::Levels { names: names.to_vec(), shares: Spanned::new(shares, 0..0), fit: plan::Fit::default() };
    Levels::prepare(Asked::Levels(&asked), &keys, measure, &setting(epsilon, design)).expect("levels")
}

/// The name of a column of a table.
fn name(column: usize) -> String {
    format!("column {column}")
}

/// Margins of a table whose columns are named by their places.
fn asked(listed: &[&[usize]], shares: MarginShares, fit: Fit) -> plan::Margins {
    let spanned = |name: String| Spanned::new(name, 0..0);
    let set = |columns: &&[usize]| Spanned::new(columns.iter().map(|&column| spanned(name(column))).collect(), 0..0);
    let sets = Spanned::new(listed.iter().map(set).collect(), 0..0);
    plan::Margins { sets, every: true, shares: Spanned::new(shares, 0..0), fit }
}

/// The cells of all levels from those of the counties.
fn all_levels(counties: [i128; 6]) -> [f64; 10] {
    let sum = |cells: &[i128]| cells.iter().sum::<i128>() as f64;
    let county = |index: usize| counties[index] as f64;
    let states = [sum(&counties[..2]), sum(&counties[2..5]), county(5)];
    [sum(&counties), states[0], states[1], states[2], county(0), county(1), county(2), county(3), county(4), county(5)]
}

/// The engine's answer: number of rows and sum of each county.
#[derive(Clone, Copy)]
struct Counties {
    counts: [i128; 6],
    sums: [i128; 6],
}

impl Counties {
    fn tally(self) -> Tally {
        let Self { counts, sums } = self;
        Tally { counts: Answer::new(counts.to_vec()), sums: vec![Answer::new(sums.to_vec())], products: Vec::new() }
    }
}

/// The estimates of a release from a seed, by levels that may be stated otherwise than they were measured.
fn release(measured: &Levels, stated: &Levels, counties: Counties, seed: u64) -> (Vec<Estimate>, ProjectionEntry) {
    let measured = measured.measure(counties.tally(), &mut SeededEntropy::from_seed(seed));
    let estimated = stated.estimate_watched(&measured, 0.95, RELEASES + seed, &Silent);
    (estimated.estimates, estimated.projection.expect("levels are projected"))
}

/// Number of misses of each number by its interval; a number that does not exist counts as inside.
fn misses(measured: &Levels, stated: &Levels, counties: Counties, truth: &[Option<f64>]) -> Vec<u32> {
    let mut misses = vec![0; truth.len()];
    for seed in 0..RELEASES {
        let (estimates, _) = release(measured, stated, counties, seed);
        for ((misses, estimate), truth) in misses.iter_mut().zip(estimates).zip(truth) {
            *misses += u32::from(truth.is_some_and(|truth| truth < estimate.lower || truth > estimate.upper));
        }
    }
    misses
}

/// That three levels add up, to the last bit or to a part of the total.
fn assert_adds_up(values: &[f64], part: f64) {
    let close = |one: f64, other: f64| assert!((one - other).abs() <= part * values[0].abs(), "{values:?}");
    close(values[0], values[1..4].iter().sum());
    close(values[1], values[4..6].iter().sum());
    close(values[2], values[6..9].iter().sum());
    close(values[3], values[9]);
}
