//! Controlled rounding: a solution made whole without breaking the equalities.

mod flow;
mod integral;
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
/// Minimises `sum w_i (x_i - y_i)^2`, which for rounding up or down is the same as minimising `sum w_i |x_i - y_i|`,
/// over whole `x` with `A x = b` and `floor(y_i) <= x_i <= ceil(y_i)`. Cells that are whole stay; so do bounds that
/// are.
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
/// Status [`Infeasible`](crate::certificate::Status::Infeasible), naming rows of a cut that no rounding satisfies, if
/// `values` is not a solution.
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
/// Cox 1987, A constructive procedure for unbiased controlled rounding (tables); Heller and Tompkins 1956 (two
/// entries); Fulkerson and Gross 1965 (consecutive entries); Ahuja, Magnanti and Orlin 1993, section 9.7 (cheapest
/// flows).
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
    let largest = values.iter().fold(1.0, |size: f64, y| size.max(y.abs()));
    Ok(cheapest(&network, values, |cell| weights[cell], |_| 0.0, 4.0 * f64::EPSILON * largest, residual))
}

/// The same for fractions, known up to `near`, at rows and columns of a sheet, with whole sums of the `sides`, its rows
/// and its columns. A fraction goes up where it is above `1/2` and the multipliers of its row and of its column, which
/// may be any numbers: only the time depends on them. It is short where fractions that all go the cheaper way nearly
/// have the sums.
pub(crate) fn round_sheet(
    fractions: &[f64],
    places: &[[u32; 2]],
    sides: [&[f64]; 2],
    multipliers: &[Vec<f64>; 2],
    near: f64,
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
        let lines = multipliers.iter().zip(places[index]);
        2.0 * lines.map(|(multipliers, line)| multipliers[line as usize]).sum::<f64>()
    };
    cheapest(&network, fractions, |_| 1.0, added, near, residual)
}

/// The cheapest rounding in a network of values that are known up to `near`; `added` to the cost of a cell adds up to
/// the same for all roundings with the sums.
fn cheapest(
    network: &Network,
    values: &[f64],
    weight: impl Fn(usize) -> f64,
    added: impl Fn(usize) -> f64,
    near: f64,
    residual: impl Fn(&[f64]) -> f64,
) -> Solution {
    let down: Vec<f64> = values.iter().map(|y| y.floor()).collect();
    // The cost of rounding up instead of down, and none for a cell that is whole.
    let cost = |i: usize| (values[i] > down[i]).then(|| weight(i) * (1.0 - 2.0 * (values[i] - down[i])) + added(i));
    let costs: Vec<Option<f64>> = (0..values.len()).map(cost).collect();
    let by_integer_costs = integral::cheapest(network, &down, &costs, near);
    match by_integer_costs.map_or_else(|| flow::cheapest(network, &down, &costs), Ok) {
        Err(cut) => {
            let named = network.rows_of(&cut).into_iter().map(Requirement::Equality).collect();
            Solution::infeasible(named)
        }
        Ok(Exchange { up, gain }) => {
            let x: Vec<f64> = down.iter().zip(&up).map(|(down, &up)| if up { down + 1.0 } else { *down }).collect();
            let dearest = costs.iter().flatten().fold(0.0, |size: f64, cost| size.max(cost.abs()));
            let feasibility = residual(&x);
            let kkt = Certificate { stationarity: relative(gain, dearest), feasibility, ..Certificate::default() };
            Solution::certified(x, kkt)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below `below` that look random.
    fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Whole cells moved to the sums of others by the least squares in closed form, as a network with these sums.
    fn sheet(rows: usize, columns: usize, draw: &mut impl FnMut(u64) -> u64) -> (Network, Vec<f64>) {
        let places: Vec<[u32; 2]> =
            (0..rows * columns).map(|cell| [(cell / columns) as u32, (cell % columns) as u32]).collect();
        let mut integers = || places.iter().map(|_| draw(9) as f64).collect::<Vec<f64>>();
        let (truth, measured) = (integers(), integers());
        let missing = |axis: usize, line: u32| {
            let cells = places.iter().zip(truth.iter().zip(&measured));
            cells.filter(|(place, _)| place[axis] == line).map(|(_, (truth, measured))| truth - measured).sum::<f64>()
        };
        let (of_rows, of_columns): (Vec<f64>, Vec<f64>) =
            ((0..rows as u32).map(|i| missing(0, i)).collect(), (0..columns as u32).map(|j| missing(1, j)).collect());
        let of_all = of_rows.iter().sum::<f64>() / (rows * columns) as f64;
        let moved = places.iter().zip(&measured).map(|(&[i, j], y)| {
            y + of_rows[i as usize] / columns as f64 + of_columns[j as usize] / rows as f64 - of_all
        });
        let values: Vec<f64> = moved.map(|y| if (y - y.round()).abs() < 1e-11 { y.round() } else { y }).collect();
        let sums = |axis: usize, lines: usize| -> Vec<f64> {
            let line = |line: usize| places.iter().zip(&truth).filter(move |(place, _)| place[axis] == line as u32);
            (0..lines).map(|index| line(index).map(|(_, x)| x).sum()).collect()
        };
        (Network::of_sheet(&places, [&sums(0, rows), &sums(1, columns)]), values)
    }

    fn rounding_costs(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().map(|y| (y.fract() != 0.0).then(|| 1.0 - 2.0 * (y - y.floor()))).collect()
    }

    fn total_cost(costs: &[Option<f64>], up: &[bool]) -> f64 {
        costs.iter().zip(up).map(|(cost, &up)| cost.filter(|_| up).unwrap_or(0.0)).sum()
    }

    #[test]
    fn whole_costs_give_as_cheap_a_rounding() {
        let mut draw = draws(5);
        for case in 0..400 {
            let (rows, columns) = (1 + draw(9) as usize, 1 + draw(9) as usize);
            let (network, values) = sheet(rows, columns, &mut draw);
            let (down, costs) = (values.iter().map(|y| y.floor()).collect::<Vec<f64>>(), rounding_costs(&values));
            let one = flow::cheapest(&network, &down, &costs).unwrap_or_else(|cut| panic!("case {case}: {cut:?}"));
            let other = integral::cheapest(&network, &down, &costs, 1e-11);
            let other = other.unwrap_or_else(|| panic!("case {case}: costs of {rows} x {columns} are not whole"));
            assert_eq!(other.gain, 0.0, "case {case}");
            let totals = [&one, &other].map(|exchange| total_cost(&costs, &exchange.up));
            assert!((totals[0] - totals[1]).abs() < 1e-9, "case {case}: {totals:?}");
            let mut left = network.demands.clone();
            for (cell, arc) in network.arcs.iter().enumerate() {
                let (from, to) = arc.unwrap_or_else(|| panic!("case {case}: cell {cell} is in no sum"));
                let x = down[cell] + if other.up[cell] { 1.0 } else { 0.0 };
                (left[from], left[to]) = (left[from] + x, left[to] - x);
            }
            assert!(left.iter().all(|left| *left == 0.0), "case {case}: {left:?}");
        }
    }

    /// Many roundings are equally cheap, and no place of a sheet may be rounded up more often than others. Rows and
    /// columns keep their sums, so that what one quarter has too much its neighbours lack: its mean error is within 4.5
    /// of its standard errors of zero, and not by chance in 1 of 100,000 seeds. An order that is the same for all
    /// problems is nine of them off.
    #[test]
    fn no_place_is_favoured_where_costs_tie() {
        let mut draw = draws(7);
        let (rows, columns, runs) = (10, 10, 4000);
        let mut errors: Vec<Vec<f64>> = vec![Vec::new(); rows * columns];
        for _ in 0..runs {
            let (network, values) = sheet(rows, columns, &mut draw);
            let down: Vec<f64> = values.iter().map(|y| y.floor()).collect();
            let exchange = integral::cheapest(&network, &down, &rounding_costs(&values), 1e-11).expect("whole costs");
            for (cell, errors) in errors.iter_mut().enumerate() {
                errors.push(down[cell] + f64::from(u8::from(exchange.up[cell])) - values[cell]);
            }
        }
        let quarters = [(0, 0), (0, 1), (1, 0), (1, 1)];
        for (below, right) in quarters {
            let of_run = |run: usize| -> f64 {
                let cells = (0..rows * columns).filter(|cell| (cell / columns >= rows / 2) == (below == 1));
                let cells = cells.filter(|cell| (cell % columns >= columns / 2) == (right == 1));
                cells.map(|cell| errors[cell][run]).sum()
            };
            let sums: Vec<f64> = (0..runs).map(of_run).collect();
            let mean = sums.iter().sum::<f64>() / runs as f64;
            let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
            assert!(mean.abs() < 4.5 * (variance / runs as f64).sqrt(), "{below} {right}: {mean}");
        }
    }

    #[test]
    fn other_costs_and_impossible_sums_are_left_to_the_other_method() {
        let mut draw = draws(6);
        let (mut network, mut values) = sheet(4, 5, &mut draw);
        let down: Vec<f64> = values.iter().map(|y| y.floor()).collect();
        let own = rounding_costs(&values);
        assert!(integral::cheapest(&network, &down, &own, 1e-11).is_some());
        // The first of the rows wants more than all of its cells rounded up.
        network.demands[0] += 20.0 * network.demands[0].signum();
        assert!(integral::cheapest(&network, &down, &own, 1e-11).is_none());
        assert!(flow::cheapest(&network, &down, &own).is_err());
        // An exchange among four cells keeps the sums, but no numbers of rows and columns explain it.
        network.demands[0] -= 20.0 * network.demands[0].signum();
        [(0, 1e-3), (1, -1e-3), (5, -1e-3), (6, 1e-3)].iter().for_each(|&(cell, by)| values[cell] += by);
        let down: Vec<f64> = values.iter().map(|y| y.floor()).collect();
        assert!(integral::cheapest(&network, &down, &rounding_costs(&values), 1e-11).is_none());
        assert!(flow::cheapest(&network, &down, &rounding_costs(&values)).is_ok());
    }
}
