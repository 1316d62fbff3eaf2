//! Controlled rounding: a solution made whole without breaking the equalities.

mod flow;
mod network;

use crate::{
    ProjectError, Solution,
    certificate::{Certificate, Requirement},
    check,
    constraint::Rows,
    numeric::{relative, sum},
};
use flow::Exchange;
use network::Network;

/// Beyond this doubles skip integers.
const LARGEST: f64 = 9_007_199_254_740_992.0; // 2^53

/// The whole-number solution of `A x = b` nearest to `values`, each cell rounded up or down.
///
/// # Contract
/// Minimises `sum w_i (x_i - y_i)^2`, which for rounding up or down is the same as minimising `sum w_i |x_i - y_i|`, over
/// whole `x` with `A x = b` and `floor(y_i) <= x_i <= ceil(y_i)`. Cells that are whole stay; so do bounds that are.
///
/// # Parameters
/// - `values`: `y`, a solution of `A x = b` up to rounding, below `2^53`.
/// - `weights`: `w`, finite and positive with finite reciprocals.
/// - `rows`: coefficients 1 and -1 and whole right-hand sides, of one of the structures below.
///
/// # Guarantee
/// If `A` is totally unimodular such an `x` exists near every solution. That is accepted in three cases, each of which
/// makes the system a network, so that the optimum is a cheapest flow and is found exactly:
///
/// - every column has at most two entries, and signs of the rows can be chosen so that the two differ (two-way tables,
///   sums along trees, flows);
/// - rows have entries of one sign, and any two of them are disjoint or one contains the other (totals of totals);
/// - the entries of every column are in consecutive rows and have one sign (ranges).
///
/// Status [`Infeasible`](crate::certificate::Status::Infeasible), naming rows of a cut that no rounding satisfies, if `values` is not a solution.
///
/// # Errors
/// [`ProjectError::NotUnimodular`] if the structure is not one of these, and [`ProjectError`] for malformed numbers.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::Rows, linear};
/// // A table of two by two with row sums 1 and 2 and column sums 2 and 1.
/// let places = [(0, 0, 1.0), (0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0), (2, 0, 1.0), (2, 2, 1.0), (3, 1, 1.0), (3, 3, 1.0)];
/// let table = Rows::from_triplets(4, &places, vec![1.0, 2.0, 2.0, 1.0])?;
/// let whole = linear::round(&[0.6, 0.4, 1.4, 0.6], &[1.0; 4], &table)?;
/// assert_eq!(whole.estimates, [1.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Cox 1987, A constructive procedure for unbiased controlled rounding (tables); Heller and Tompkins 1956 (two entries);
/// Fulkerson and Gross 1965 (consecutive entries); Ahuja, Magnanti and Orlin 1993, section 9.7 (cheapest flows).
pub fn round(values: &[f64], weights: &[f64], rows: &Rows) -> Result<Solution, ProjectError> {
    check::measurements(values, weights)?;
    check::length("columns of the equalities", "values", values.len(), rows.columns())?;
    check::whole("right-hand side", "row", rows.right(), LARGEST)?;
    if let Some(cell) = values.iter().position(|y| y.abs() >= LARGEST) {
        let place = format!("cell {cell}");
        return Err(ProjectError::Number { name: "value", place, requirement: "below 2^53", value: values[cell] });
    }
    let network = network::recognise(rows)?;
    let residual = |x: &[f64]| (0..rows.len()).map(|i| sum(rows.terms(i, x)).abs()).fold(0.0, f64::max);
    Ok(cheapest(&network, values, |cell| weights[cell], |_| 0.0, residual))
}

/// The same for fractions at rows and columns of a sheet, with whole sums of the `sides`, its rows and its columns. Prices of these, by which a fraction
/// goes up where it is above `1/2` and both, may be anything: nothing but the time depends on them, and it is short where fractions that all go the
/// cheaper way nearly have the sums.
pub(crate) fn round_sheet(
    fractions: &[f64],
    places: &[[u32; 2]],
    sides: [&[f64]; 2],
    prices: &[Vec<f64>; 2],
) -> Solution {
    let network = Network::of_sheet(places, sides);
    let residual = |x: &[f64]| {
        let mut left = sides.map(<[f64]>::to_vec);
        for (place, x) in places.iter().zip(x) {
            left.iter_mut().zip(place).for_each(|(left, &line)| left[line as usize] -= x);
        }
        left.iter().flatten().fold(0.0, |most: f64, left| most.max(left.abs()))
    };
    let added = |index: usize| {
        let lines = prices.iter().zip(places[index]);
        2.0 * lines.map(|(prices, line)| prices[line as usize]).sum::<f64>()
    };
    cheapest(&network, fractions, |_| 1.0, added, residual)
}

/// The cheapest rounding in a network; `added` to the price of a cell is the same for all roundings with the sums.
fn cheapest(
    network: &Network,
    values: &[f64],
    weight: impl Fn(usize) -> f64,
    added: impl Fn(usize) -> f64,
    residual: impl Fn(&[f64]) -> f64,
) -> Solution {
    let down: Vec<f64> = values.iter().map(|y| y.floor()).collect();
    // The price of rounding up instead of down, and none for a cell that is whole.
    let price = |i: usize| (values[i] > down[i]).then(|| weight(i) * (1.0 - 2.0 * (values[i] - down[i])) + added(i));
    let prices: Vec<Option<f64>> = (0..values.len()).map(price).collect();
    match flow::cheapest(network, &down, &prices) {
        Err(cut) => {
            let named = network.rows_of(&cut).into_iter().map(Requirement::Equality).collect();
            Solution::infeasible(named)
        }
        Ok(Exchange { up, gain }) => {
            let x: Vec<f64> = down.iter().zip(&up).map(|(down, &up)| if up { down + 1.0 } else { *down }).collect();
            let dearest = prices.iter().flatten().fold(0.0, |size: f64, price| size.max(price.abs()));
            let feasibility = residual(&x);
            let kkt = Certificate { stationarity: relative(gain, dearest), feasibility, ..Certificate::default() };
            Solution::certified(x, kkt)
        }
    }
}
