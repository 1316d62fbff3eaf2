//! Projections of public numbers: arrays in and out.

use inbounds_project::{
    ProjectError, Solution,
    certificate::Status,
    constraint::{
        Bounds, Direction, MatrixConstraint, Order, Symmetric,
        tree::{Tree, TreeSystem},
    },
    isotonic, psd, simplex,
    table::{self, Axes, MeasuredMargin, TableNumbers, TableRefusal, TableSystem},
    tree,
};
use pyo3::{buffer::PyBuffer, prelude::*, types::PyBytes};

use crate::{
    failure::Failure,
    numbers::{bytes, copied},
    work,
};

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        Self::Parameter(error.to_string())
    }
}

/// Reciprocal variances; ones where none are given.
fn weights(variances: Option<Vec<f64>>, cells: usize) -> Vec<f64> {
    variances.map_or_else(|| vec![1.0; cells], |variances| variances.into_iter().map(f64::recip).collect())
}

fn optional(py: Python<'_>, array: Option<&PyBuffer<f64>>) -> PyResult<Option<Vec<f64>>> {
    array.map(|array| copied(py, array)).transpose()
}

fn infeasible() -> Failure {
    let message = "no numbers satisfy the constraints: the bounds leave no room for the total".to_owned();
    Failure::Infeasible { message, conflict: Vec::new() }
}

fn unproved() -> Failure {
    Failure::Parameter(
        "the nearest numbers were not found to the accuracy of doubles: give variances that differ less".to_owned(),
    )
}

fn estimates(solution: Solution) -> Result<Vec<f64>, Failure> {
    match solution.status {
        Status::Optimal => Ok(solution.estimates),
        Status::Infeasible { .. } => Err(infeasible()),
        _ => Err(unproved()),
    }
}

/// The nearest numbers with this total, within bounds; infinite ones are none.
#[pyfunction]
pub(crate) fn onto_total<'py>(
    py: Python<'py>,
    values: PyBuffer<f64>,
    variances: Option<PyBuffer<f64>>,
    total: f64,
    bounds: (f64, f64),
) -> PyResult<Bound<'py, PyBytes>> {
    let (values, variances) = (copied(py, &values)?, optional(py, variances.as_ref())?);
    let projected = work::apart(py, || {
        let is_open = bounds == (f64::NEG_INFINITY, f64::INFINITY);
        let bounds = if is_open { Bounds::None } else { Bounds::Same { lower: bounds.0, upper: bounds.1 } };
        let weights = weights(variances, values.len());
        estimates(simplex::project(&values, &weights, total, &bounds)?)
    })?;
    Ok(bytes(py, &projected))
}

/// The nearest numbers in order, within bounds.
#[pyfunction]
pub(crate) fn onto_order<'py>(
    py: Python<'py>,
    values: PyBuffer<f64>,
    variances: Option<PyBuffer<f64>>,
    is_increasing: bool,
    bounds: (f64, f64),
) -> PyResult<Bound<'py, PyBytes>> {
    let (values, variances) = (copied(py, &values)?, optional(py, variances.as_ref())?);
    let projected = work::apart(py, || {
        let direction = if is_increasing { Direction::Increasing } else { Direction::Decreasing };
        let weights = weights(variances, values.len());
        estimates(isotonic::project(&values, &weights, &Order::Chain(direction), bounds)?)
    })?;
    Ok(bytes(py, &projected))
}

/// The nearest symmetric matrix without an eigenvalue below the floor, and with this diagonal if there is one.
#[pyfunction]
pub(crate) fn onto_semidefinite<'py>(
    py: Python<'py>,
    size: usize,
    rows: PyBuffer<f64>,
    floor: f64,
    diagonal: Option<PyBuffer<f64>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (rows, diagonal) = (copied(py, &rows)?, optional(py, diagonal.as_ref())?);
    let projected = work::apart(py, || {
        let matrix = Symmetric::from_rows(size, rows)?;
        let constraint = MatrixConstraint { floor, diagonal };
        let solution = psd::project(&matrix, &constraint, psd::Method::Newton)?;
        match (solution.status, solution.matrix) {
            (Status::Optimal, Some(matrix)) => {
                Ok((0..size * size).map(|entry| matrix.at(entry / size, entry % size)).collect::<Vec<f64>>())
            }
            (Status::Infeasible { .. }, _) => Err(Failure::Infeasible {
                message: "no matrix has this diagonal and no eigenvalue below the floor".to_owned(),
                conflict: Vec::new(),
            }),
            _ => Err(unproved()),
        }
    })?;
    Ok(bytes(py, &projected))
}

/// The nearest numbers of the nodes of a tree, each the sum of its children.
#[pyfunction]
pub(crate) fn onto_tree<'py>(
    py: Python<'py>,
    values: PyBuffer<f64>,
    variances: Option<PyBuffer<f64>>,
    parents: Vec<Option<u32>>,
    is_nonnegative: bool,
    is_whole: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (values, variances) = (copied(py, &values)?, optional(py, variances.as_ref())?);
    let projected = work::apart(py, || {
        let variances = variances.unwrap_or_else(|| vec![1.0; values.len()]);
        let system = TreeSystem::new(Tree::from_parents(&parents)?, values, variances)?;
        let system = if is_nonnegative { system.nonnegative() } else { system };
        let solution = if is_whole { tree::integer(&system) } else { tree::project(&system) };
        match solution.status {
            Status::Optimal => Ok(solution.estimates),
            Status::Infeasible { .. } => Err(infeasible()),
            _ => Err(unproved()),
        }
    })?;
    Ok(bytes(py, &projected))
}

/// A margin: its attributes, its cells, and their variance.
type Margin = (Vec<usize>, PyBuffer<f64>, f64);

/// Margins of a table that add up, each of the measured ones and all of their margins: attributes and cells.
#[pyfunction]
pub(crate) fn onto_table<'py>(
    py: Python<'py>,
    sizes: Vec<usize>,
    margins: Vec<Margin>,
    is_nonnegative: bool,
    is_whole: bool,
) -> PyResult<Vec<(Vec<usize>, Bound<'py, PyBytes>)>> {
    let measured = margins.iter().map(|(attributes, values, variance)| {
        let values = copied(py, values)?;
        Ok((attributes.clone(), values, *variance))
    });
    let measured: Vec<(Vec<usize>, Vec<f64>, f64)> = measured.collect::<PyResult<_>>()?;
    let tables = work::apart(py, || {
        let wrong = |attribute: &usize| *attribute >= sizes.len() || *attribute >= Axes::MOST;
        if measured.iter().any(|(attributes, _, _)| attributes.iter().any(wrong)) {
            return Err(Failure::Parameter("a margin has an attribute that the table does not have".to_owned()));
        }
        let measured = measured.into_iter();
        let measured = measured
            .map(|(attributes, values, variance)| MeasuredMargin { axes: Axes::new(attributes), values, variance })
            .collect();
        let system = TableSystem::new(sizes, measured)?;
        let axes = system.margins().iter().map(|axes| axes.iter().collect::<Vec<usize>>());
        let refused = |refusal: TableRefusal| Failure::Parameter(refusal.to_string());
        let cells: Vec<Vec<f64>> = if is_nonnegative || is_whole {
            let numbers = if is_whole { TableNumbers::Whole } else { TableNumbers::Real };
            table::top_down(&system, numbers).map_err(refused)?.margins
        } else {
            let fit = table::linear(&system);
            let fit = fit.map_err(|(first, second)| refused(TableRefusal::Contradiction(first, second)))?;
            fit.into_iter().map(|margin| margin.values).collect()
        };
        Ok(axes.zip(cells).collect::<Vec<_>>())
    })?;
    Ok(tables.into_iter().map(|(axes, cells)| (axes, bytes(py, &cells))).collect())
}
