//! Semidefinite matrices of which some entries are known or have bounds.
//!
//! **Idea.** Were it known which bounds bind, these entries would be given like the known ones, and Newton's method
//! finds the nearest matrix with given entries. So a set of bounds is tried, and changed where the solution breaks
//! another bound, or where the multiplier of a bound has the wrong sign: a primal-dual active set.
//!
//! **Conditions.** `X` is the nearest if there are `Y`, zero off the places with a range, and `Z` with `X = A + Y + Z`,
//! where `X` and `Z` are semidefinite and orthogonal, and an entry of `Y` is positive only at a lower bound and
//! negative only at an upper one, unless it is known.

use super::{LARGEST, MatrixSolution, certificate, check_size, newton, newton::Given, spectrum::Spectrum};
use crate::{
    ProjectError,
    certificate::{Certificate, Requirement, Status},
    constraint::Symmetric,
};

/// Sets of bounds that are tried before giving up.
const ROUNDS: usize = 200;
/// Rounds in which all bounds change at once. In later ones the first alone does, which goes round no circle where all
/// together might.
const TOGETHER: usize = 20;

/// The range of an entry and of its mirror image; its ends are the same where it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryRange {
    /// Row of the entry.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// Least value, which may be infinite.
    pub lower: f64,
    /// Largest value, which may be infinite.
    pub upper: f64,
}

impl EntryRange {
    fn is_known(&self) -> bool {
        self.lower == self.upper
    }

    fn place(&self) -> (usize, usize) {
        (self.row, self.column)
    }
}

/// The positive semidefinite matrix nearest to `matrix` whose entries are in their ranges.
///
/// # Contract
/// Minimises the Frobenius norm of `X - A` over symmetric, positive semidefinite `X` with each listed entry in its
/// range. Places are listed once, above or below the diagonal.
///
/// # Guarantee
/// Entries are in their ranges, known ones to the last bit. The certificate tells how near the matrix is to the
/// nearest, as of [`project`](super::project), and how far it is from semidefinite. [`Status::Infeasible`] names known
/// entries for which there is proof that no matrix has them; where ranges leave no room around a matrix, as with a
/// correlation of one, the search may end with [`Status::IterationLimit`].
///
/// # Errors
/// [`ProjectError`] if a place is outside the matrix, a range has its ends exchanged, or a number is not finite or
/// beyond `1e120`.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::Symmetric, psd::{EntryRange, project_within}};
/// let noisy = Symmetric::from_rows(3, vec![1.0, 0.9, 0.7, 0.9, 1.0, -0.2, 0.7, -0.2, 1.0])?;
/// let known = |row, column, value| EntryRange { row, column, lower: value, upper: value };
/// let ranges = [known(0, 0, 1.0), known(1, 1, 1.0), known(2, 2, 1.0), known(0, 1, 0.9)];
/// let tried = project_within(&noisy, &ranges)?.matrix.expect("there is one");
/// assert_eq!(tried.at(0, 1), 0.9);
/// assert!((tried.at(0, 2) - 0.45354).abs() < 1e-5 && (tried.at(1, 2) - 0.01970).abs() < 1e-5);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Qi and Sun 2006, A quadratically convergent Newton method for computing the nearest correlation matrix;
/// Hintermüller, Ito and Kunisch 2002, The primal-dual active set strategy as a semismooth Newton method.
pub fn project_within(matrix: &Symmetric, ranges: &[EntryRange]) -> Result<MatrixSolution, ProjectError> {
    check(matrix, ranges)?;
    let mut bounds: Vec<Option<f64>> = ranges.iter().map(|range| range.is_known().then_some(range.lower)).collect();
    let (mut iterations, mut last) = (0, None);
    for round in 0..ROUNDS {
        let tried = solve(matrix, ranges, &bounds);
        iterations += tried.iterations;
        let next: Vec<Option<f64>> =
            ranges.iter().enumerate().map(|(index, range)| binding(&tried, range, index, bounds[index])).collect();
        last = Some(tried);
        let Some(first) = (0..bounds.len()).find(|&index| next[index] != bounds[index]) else { break };
        if round < TOGETHER {
            bounds = next;
        } else {
            bounds[first] = next[first];
        }
    }
    let Some(tried) = last else { unreachable!("there is more than one round") };
    let known = (0..ranges.len()).filter(|&index| ranges[index].is_known()).collect::<Vec<_>>();
    if let Some(conflict) = conflict(&tried, ranges, &known, matrix.size()) {
        let status = Status::Infeasible { conflict };
        return Ok(MatrixSolution { status, matrix: None, certificate: None, iterations });
    }
    // What binds is met to the last bit, and what does not stays in its range.
    let kept = |(range, bound): (&EntryRange, &Option<f64>)| {
        bound.unwrap_or_else(|| tried.matrix.at(range.row, range.column).max(range.lower).min(range.upper))
    };
    let places: Vec<(usize, usize)> = ranges.iter().map(EntryRange::place).collect();
    let inside: Vec<f64> = ranges.iter().zip(&bounds).map(kept).collect();
    let kept = tried.matrix.with(&places, &inside);
    let certificate = kkt(matrix, ranges, &kept, &tried.added);
    Ok(MatrixSolution { status: certificate.status(), matrix: Some(kept), certificate: Some(certificate), iterations })
}

fn check(matrix: &Symmetric, ranges: &[EntryRange]) -> Result<(), ProjectError> {
    check_size("entry", matrix.entries())?;
    let refuse = |range: &EntryRange, requirement, value| {
        let place = format!("row {}, column {}", range.row, range.column);
        Err(ProjectError::Number { name: "range", place, requirement, value })
    };
    for range in ranges {
        if range.row >= matrix.size() || range.column >= matrix.size() {
            return refuse(range, "a place of the matrix", range.lower);
        }
        if range.lower.is_nan() || range.upper.is_nan() || range.lower > range.upper {
            return refuse(range, "at most its upper end", range.lower);
        }
        if let Some(&end) = [range.lower, range.upper].iter().find(|end| end.is_finite() && end.abs() > LARGEST) {
            return refuse(range, "at most 1e120 in absolute value", end);
        }
    }
    Ok(())
}

/// Result for a set of bounds.
struct Tried {
    matrix: Symmetric,
    /// `Y` at the place of each range, zero where its bound was not in the set.
    added: Vec<f64>,
    iterations: usize,
}

/// The nearest matrix with the entries of which `bounds` have a value.
fn solve(matrix: &Symmetric, ranges: &[EntryRange], bounds: &[Option<f64>]) -> Tried {
    let given = ranges.iter().zip(bounds).filter_map(|(range, bound)| Some((range.place(), (*bound)?)));
    let (places, values) = given.unzip();
    let problem = Given { matrix, places, values };
    let tried = newton::solve(&problem);
    let mut of_given = problem.added(&tried.multipliers).into_iter();
    let added = bounds.iter().map(|bound| bound.and_then(|_| of_given.next()).unwrap_or(0.0)).collect();
    Tried { matrix: tried.matrix, added, iterations: tried.iterations }
}

/// The bound of an entry that binds, as far as a solution shows.
fn binding(tried: &Tried, range: &EntryRange, index: usize, bound: Option<f64>) -> Option<f64> {
    if range.is_known() {
        return bound;
    }
    let (value, multiplier) = (tried.matrix.at(range.row, range.column), tried.added[index]);
    match bound {
        // A bound that pulls the wrong way is let go.
        Some(at) => (if at == range.lower { multiplier > 0.0 } else { multiplier < 0.0 }).then_some(at),
        None if value < range.lower => Some(range.lower),
        None if value > range.upper => Some(range.upper),
        None => None,
    }
}

/// Known entries that no semidefinite matrix has, with proof.
///
/// With `D` zero off their places, `<D, X> = s` for every matrix with these entries. If no eigenvalue of `D` is above
/// `l`, and the rows where `D` is not zero have known diagonal entries, `<D, X>` of a semidefinite `X` is at most `l`
/// times their sum. The multipliers of a search that finds nothing grow along such a `D`.
fn conflict(tried: &Tried, ranges: &[EntryRange], known: &[usize], size: usize) -> Option<Vec<Requirement>> {
    let norm = known.iter().map(|&index| tried.added[index].abs()).fold(0.0, f64::max);
    if norm == 0.0 || !norm.is_finite() {
        return None;
    }
    let share = |index: usize| tried.added[index] / norm;
    let places: Vec<(usize, usize)> = known.iter().map(|&index| ranges[index].place()).collect();
    let shares: Vec<f64> = known.iter().map(|&index| share(index)).collect();
    let direction = Symmetric::from_lower(size, |_, _| 0.0).plus(&places, &shares);
    let is_used = |row: usize| (0..size).any(|column| direction.at(row, column) != 0.0);
    let diagonal = |row: usize| {
        let of_row = |&&index: &&usize| ranges[index].place() == (row, row);
        known.iter().find(of_row).map(|&index| ranges[index].lower)
    };
    let trace = (0..size).filter(|&row| is_used(row)).map(diagonal).sum::<Option<f64>>()?;
    let largest = Spectrum::decompose(&direction)?.values.last().copied()?.max(0.0);
    let along = known.iter().map(|&index| {
        let count = if ranges[index].row == ranges[index].column { 1.0 } else { 2.0 };
        count * share(index) * ranges[index].lower
    });
    let terms: Vec<f64> = along.collect();
    let sum: f64 = terms.iter().sum();
    let rounding = 1e-10 * (trace + terms.iter().map(|term| term.abs()).sum::<f64>());
    let named = known.iter().filter(|&&index| share(index).abs() > 1e-6).map(|&index| Requirement::Entry(index));
    (sum > largest * trace + rounding).then(|| named.chain([Requirement::Floor]).collect())
}

/// Certificate of the conditions at a matrix.
fn kkt(matrix: &Symmetric, ranges: &[EntryRange], x: &Symmetric, added: &[f64]) -> Certificate {
    let places: Vec<(usize, usize)> = ranges.iter().map(EntryRange::place).collect();
    let moved = matrix.plus(&places, added);
    let multiplier = Symmetric::from_lower(matrix.size(), |i, j| x.at(i, j) - moved.at(i, j));
    // A multiplier that pulls away from the end that its entry is at.
    let wrong = |(range, added): (&EntryRange, &f64)| {
        let value = x.at(range.row, range.column);
        match (value <= range.lower, value >= range.upper) {
            (true, true) => 0.0,
            (true, false) => (-added).max(0.0),
            (false, true) => added.max(0.0),
            (false, false) => added.abs(),
        }
    };
    let wrong = ranges.iter().zip(added).map(wrong).fold(0.0, f64::max);
    certificate::distances(matrix, x, &multiplier, x, wrong, 0.0)
}
