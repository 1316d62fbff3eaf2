//! Symmetric matrices without small eigenvalues, with or without a given diagonal.
//!
//! Without a given diagonal the nearest matrix is had by raising the eigenvalues below the floor to it (`spectrum.rs`).
//! With one, subtracting the floor from the diagonal leaves the nearest positive semidefinite matrix `X` with diagonal
//! `b > 0`, which is `X = (A + Diag(y))+` for the `y` with `diag X = b`. Two methods find it, and check each other in
//! tests: a semismooth Newton method on that equation (`newton.rs`) and alternating projections (`alternating.rs`).
//! Entries off the diagonal that are known, or have bounds, are met by the same Newton method and the active set of
//! bounds (`within.rs`).
//!
//! Results are not the same to the last bit on all processors, as the eigenvalue routines use the vectors of the
//! processor.

mod alternating;
mod certificate;
mod definite;
mod iterate;
mod newton;
mod spectrum;
mod within;

use crate::{
    ProjectError,
    certificate::{Certificate, Requirement, Status},
    constraint::{MatrixConstraint, Symmetric},
};
use definite::Position;
use newton::Given;
use spectrum::Spectrum;

pub use within::{EntryRange, project_within};

/// Method to find the nearest matrix with a given diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The semismooth Newton method of Qi and Sun: a handful of eigenvalue decompositions.
    #[default]
    Newton,
    /// Higham's alternating projections with Dykstra's correction: simple, and hundreds of decompositions.
    AlternatingProjections,
}

/// A projected matrix.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MatrixSolution {
    /// Outcome of the method.
    pub status: Status,
    /// The nearest matrix; none if nothing satisfies the constraint.
    pub matrix: Option<Symmetric>,
    /// Certificate of the solution; none if nothing satisfies the constraint.
    pub certificate: Option<Certificate>,
    /// Eigenvalue decompositions that the method made; that of the matrix itself always counts as one.
    pub iterations: usize,
}

/// The largest entry admitted.
const LARGEST: f64 = 1e120;

/// The matrix nearest to `matrix` that satisfies a constraint.
///
/// # Contract
/// Minimises the Frobenius norm of `X - A` over symmetric `X` with all eigenvalues at least `floor` and, if given,
/// `diag X = d`. `A`'s own diagonal does not matter then.
///
/// # Parameters
/// - `matrix`: `A`.
/// - `constraint`: see [`MatrixConstraint`].
/// - `method`: how to meet a diagonal; ignored without one.
///
/// # Guarantee
/// Exact up to rounding without a diagonal. With one the diagonal holds exactly, and the certificate tells how near
/// the matrix is to the nearest, relative to the norms of `A` and itself. A matrix that satisfies
/// the constraint up to the rounding of its eigenvalues is returned bit for bit. [`Status::Infeasible`] names diagonal
/// entries below the floor.
///
/// # Errors
/// [`ProjectError`] if the diagonal has the wrong length or a number is not finite or beyond `1e120`.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::{MatrixConstraint, Symmetric}, psd};
/// // Higham's example: correlations of 1 and 1, but 0 between the outer two.
/// let broken = Symmetric::from_rows(3, vec![1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0])?;
/// let solution = psd::project(&broken, &MatrixConstraint::correlation(3), psd::Method::Newton)?;
/// let repaired = solution.matrix.expect("ones are not below zero");
/// assert!((repaired.at(0, 1) - 0.7607).abs() < 5e-5);
/// assert!((broken.distance(&repaired) - 0.5278).abs() < 5e-5);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Higham 1988, Computing a nearest symmetric positive semidefinite matrix, theorem 2.1; Higham 2002, Computing the
/// nearest correlation matrix, algorithm 3.3; Qi and Sun 2006, A quadratically convergent Newton method for computing
/// the nearest correlation matrix, algorithm 5.1.
pub fn project(
    matrix: &Symmetric,
    constraint: &MatrixConstraint,
    method: Method,
) -> Result<MatrixSolution, ProjectError> {
    let low = diagonal_below_floor(matrix, constraint)?;
    if !low.is_empty() {
        let conflict = low.into_iter().map(Requirement::Diagonal).chain([Requirement::Floor]).collect();
        let status = Status::Infeasible { conflict };
        return Ok(MatrixSolution { status, matrix: None, certificate: None, iterations: 0 });
    }
    let (nearest_matrix, multipliers, more) = nearest_with_multipliers(matrix, constraint, method, Position::Unclear);
    let kkt = certificate::kkt(matrix, constraint, &nearest_matrix, &multipliers);
    Ok(MatrixSolution {
        status: kkt.status(),
        matrix: Some(nearest_matrix),
        certificate: Some(kkt),
        iterations: 1 + more,
    })
}

/// The matrix of [`project`] alone, bit for bit, without its certificate; none if nothing satisfies the constraint.
///
/// It takes much less time where the matrix clearly satisfies the constraint or clearly does not, which pivots tell:
/// eigenvalues are found where they are needed for the matrix.
///
/// # Errors
/// As [`project`].
///
/// # Example
/// ```
/// use inbounds_project::{constraint::{MatrixConstraint, Symmetric}, psd};
/// let broken = Symmetric::from_rows(2, vec![1.0, 3.0, 3.0, 1.0])?;
/// let constraint = MatrixConstraint::correlation(2);
/// let nearest = psd::nearest(&broken, &constraint, psd::Method::Newton)?;
/// assert_eq!(nearest, psd::project(&broken, &constraint, psd::Method::Newton)?.matrix);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn nearest(
    matrix: &Symmetric,
    constraint: &MatrixConstraint,
    method: Method,
) -> Result<Option<Symmetric>, ProjectError> {
    if !diagonal_below_floor(matrix, constraint)?.is_empty() {
        return Ok(None);
    }
    let position = Position::classify(matrix, constraint.floor);
    Ok(Some(nearest_with_multipliers(matrix, constraint, method, position).0))
}

/// The nearest matrix, the multipliers of its diagonal, and how many decompositions the method needed besides that of
/// the matrix itself.
///
/// A position that is clear saves eigenvalues, and says nothing that they would not.
fn nearest_with_multipliers(
    matrix: &Symmetric,
    constraint: &MatrixConstraint,
    method: Method,
    position: Position,
) -> (Symmetric, Vec<f64>, usize) {
    let unmoved = |matrix: Symmetric| {
        let multipliers = vec![0.0; matrix.size()];
        (matrix, multipliers, 0)
    };
    let diagonal = constraint.diagonal.as_ref();
    let may_fit = position != Position::Below && diagonal.is_none_or(|diagonal| has_diagonal(matrix, diagonal));
    if may_fit && position == Position::Above {
        return unmoved(matrix.clone());
    }
    let spectrum = if may_fit || diagonal.is_none() { Spectrum::decompose(matrix) } else { None };
    let fits = spectrum.as_ref().is_some_and(|spectrum| spectrum.is_at_least(constraint.floor));
    match (diagonal, spectrum) {
        _ if may_fit && fits => unmoved(matrix.clone()),
        (Some(diagonal), _) => with_diagonal(matrix, constraint.floor, diagonal, method),
        (None, Some(spectrum)) => unmoved(spectrum.raised_to(matrix, constraint.floor)),
        (None, None) => unmoved(matrix.clone()),
    }
}

fn has_diagonal(matrix: &Symmetric, diagonal: &[f64]) -> bool {
    (0..matrix.size()).all(|i| matrix.at(i, i) == diagonal[i])
}

/// Checks the arguments, and returns the places of a diagonal that are below the floor.
fn diagonal_below_floor(matrix: &Symmetric, constraint: &MatrixConstraint) -> Result<Vec<usize>, ProjectError> {
    constraint.check(matrix.size())?;
    check_size("entry", matrix.entries())?;
    check_size("floor", &[constraint.floor])?;
    check_size("diagonal entry", constraint.diagonal.as_deref().unwrap_or(&[]))?;
    let too_low = |&i: &usize| constraint.diagonal.as_ref().is_some_and(|d| d[i] < constraint.floor);
    Ok((0..matrix.size()).filter(too_low).collect())
}

/// Squares must not overflow.
fn check_size(name: &'static str, numbers: &[f64]) -> Result<(), ProjectError> {
    match numbers.iter().find(|x| x.abs() > LARGEST) {
        None => Ok(()),
        Some(&value) => Err(ProjectError::Number {
            name,
            place: "the matrix".into(),
            requirement: "at most 1e120 in absolute value",
            value,
        }),
    }
}

/// The problem without floor: `diag X = b` with `b > 0`, near `A`.
struct Shifted {
    matrix: Symmetric,
    diagonal: Vec<f64>,
}

impl Shifted {
    fn given(&self) -> Given<'_> {
        let places = (0..self.diagonal.len()).map(|i| (i, i)).collect();
        Given { matrix: &self.matrix, places, values: self.diagonal.clone() }
    }
}

/// Subtracts the floor, leaves out rows whose diagonal entry is at it, which must be zero elsewhere, and solves the
/// rest.
fn with_diagonal(matrix: &Symmetric, floor: f64, diagonal: &[f64], method: Method) -> (Symmetric, Vec<f64>, usize) {
    let n = matrix.size();
    let kept: Vec<usize> = (0..n).filter(|&i| diagonal[i] > floor).collect();
    let shift = |i: usize, j: usize| if i == j { floor } else { 0.0 };
    let entry = |i: usize, j: usize| matrix.at(kept[i], kept[j]) - shift(i, j);
    let shifted = Shifted {
        matrix: Symmetric::from_lower(kept.len(), entry),
        diagonal: kept.iter().map(|&i| diagonal[i] - floor).collect(),
    };
    let iterate = match method {
        Method::Newton => newton::solve(&shifted.given()),
        Method::AlternatingProjections => alternating::solve(&shifted),
    };
    // Entries far beyond the diagonal leave nothing of it to scale by: then a feasible matrix is returned, and the
    // certificate says that it is not the nearest.
    let lost = |i: usize| !(iterate.matrix.at(i, i) > 0.0 && iterate.matrix.at(i, i) < f64::INFINITY);
    if (0..kept.len()).any(lost) {
        let alone = Symmetric::from_lower(n, |i, j| if i == j { diagonal[i] } else { 0.0 });
        return (alone, vec![0.0; n], iterate.iterations);
    }
    // Scaling rows and columns keeps a matrix semidefinite and repairs the rounding of its diagonal.
    let scale: Vec<f64> = (0..kept.len()).map(|i| (shifted.diagonal[i] / iterate.matrix.at(i, i)).sqrt()).collect();
    let mut place = vec![None; n];
    kept.iter().enumerate().for_each(|(at, &i)| place[i] = Some(at));
    let matrix = Symmetric::from_lower(n, |i, j| match (place[i], place[j]) {
        _ if i == j => diagonal[i],
        (Some(a), Some(b)) => iterate.matrix.at(a, b) * scale[a] * scale[b],
        _ => 0.0,
    });
    let multipliers = place.iter().map(|at| at.map_or(f64::INFINITY, |at| iterate.multipliers[at])).collect();
    (matrix, multipliers, iterate.iterations)
}
