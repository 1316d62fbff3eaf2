//! The exact least-squares fit of all measurements, in closed form.
//!
//! **Idea.** A margin splits into residual components, one for each subset `A` of its attributes: what is left of the sums over
//! the other attributes once the mean along each attribute of `A` is taken away (the analysis of variance). Components of
//! different subsets are orthogonal, and a margin `S` measures the component `A` with noise of variance `v_S * n(S \ A)` in every
//! direction, `n` being the number of cells that are summed. So the fit is, component by component, the mean of what the
//! margins that contain it say, weighted by the reciprocal of that variance: no system is solved.
//!
//! References: Xiao, He, Zhang and Kifer 2023, ResidualPlanner (components as a basis of marginals); Darroch and Speed 1983,
//! Additive and multiplicative models and interactions.

use super::{
    axes::{Axes, Layout},
    system::{MeasuredMargin, TableQueries, TableSystem},
    variances::{share, summed},
};
use crate::numeric::relative;

/// Exact margins that differ by more, relative to their numbers, contradict each other.
const CONTRADICTION: f64 = 1e-9;

/// A margin of the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedMargin {
    /// Its attributes.
    pub axes: Axes,
    /// Its cells, the last attribute moving fastest.
    pub values: Vec<f64>,
    /// The variance of each cell.
    pub variance: f64,
}

/// The part of all margins that only one set of attributes shows.
struct Component {
    axes: Axes,
    values: Vec<f64>,
    /// The variance of the component along any direction.
    variance: f64,
}

/// The unbiased least-squares estimates of all margins, smaller ones first.
///
/// # Contract
/// Minimises `sum over measured margins S of (1 / v_S) |M_S x - y_S|^2` over all tables `x`, of which `M_S x` is a margin; exact
/// margins are kept; for [residuals](TableSystem::of_residuals), `M_S` is what is left of that margin. The estimates are linear in the measurements, and each margin is the sum of every larger one, up to
/// rounding. `variance` is that of one cell.
///
/// # Errors
/// The attributes of two exact margins that contradict each other.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, MeasuredMargin, TableSystem, linear};
/// // Two cells with variance 1, and their total with variance 2: the total is the mean of 10 and 14.
/// let margin = |axes, values: &[f64], variance| MeasuredMargin { axes, values: values.to_vec(), variance };
/// let total = margin(Axes::NONE, &[14.0], 2.0);
/// let fit = linear(&TableSystem::new(vec![2], vec![margin(Axes::of([0]), &[7.0, 3.0], 1.0), total])?).expect("no exact margins");
/// assert_eq!((&fit[0].values[..], fit[0].variance), (&[12.0][..], 1.0));
/// assert_eq!((&fit[1].values[..], fit[1].variance), (&[8.0, 4.0][..], 0.75));
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn linear(system: &TableSystem) -> Result<Vec<FittedMargin>, (Axes, Axes)> {
    let components: Vec<Component> =
        system.margins.iter().map(|&axes| component(system, axes)).collect::<Result<_, _>>()?;
    Ok(system.margins.iter().map(|&axes| margin(system, axes, &components)).collect())
}

/// The mean of what all measured margins say of a component. What nothing says anything of is zero: an attribute of one value has no
/// direction off its mean.
fn component(system: &TableSystem, axes: Axes) -> Result<Component, (Axes, Axes)> {
    let says = |margin: &&MeasuredMargin| match system.queries {
        TableQueries::Margins => margin.axes.includes(axes),
        TableQueries::Residuals => margin.axes == axes,
    };
    let saying = || system.measured.iter().filter(says);
    // An exact margin settles the components that it has; others do not count any more.
    let exact: Vec<&MeasuredMargin> = saying().filter(|margin| margin.variance == 0.0).collect();
    let mut values = vec![0.0; system.cells(axes)];
    if let Some((first, others)) = exact.split_first() {
        values = residual(system, first, axes);
        for other in others {
            let same = residual(system, other, axes);
            let size = first.values.iter().chain(&other.values).fold(0.0, |size: f64, x| size.max(x.abs()));
            let apart = values.iter().zip(&same).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            if relative(apart, size * summed(&system.sizes, first.axes.and(other.axes), axes)) > CONTRADICTION {
                return Err((first.axes, other.axes));
            }
        }
        return Ok(Component { axes, values, variance: 0.0 });
    }
    let mut weight = 0.0;
    for margin in saying() {
        let own = (margin.variance * summed(&system.sizes, margin.axes, axes)).recip();
        values.iter_mut().zip(residual(system, margin, axes)).for_each(|(sum, residual)| *sum += own * residual);
        weight += own;
    }
    if weight == 0.0 {
        return Ok(Component { axes, values, variance: 0.0 });
    }
    values.iter_mut().for_each(|value| *value /= weight);
    Ok(Component { axes, values, variance: weight.recip() })
}

/// What a margin says of a component: sums over other attributes, and then off the mean along each of its own.
fn residual(system: &TableSystem, margin: &MeasuredMargin, axes: Axes) -> Vec<f64> {
    off_means(&system.sizes, axes, Layout::new(&system.sizes, margin.axes, axes).sums(&margin.values))
}

/// What is left of the cells of a margin once the mean along each attribute is taken away, the last attribute moving fastest.
///
/// # Panics
/// If the margin has not as many cells as `sizes` says.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, off_means};
/// assert_eq!(off_means(&[2, 2], Axes::of([0, 1]), vec![5.0, 1.0, 0.0, 2.0]), [1.5, -1.5, -1.5, 1.5]);
/// ```
pub fn off_means(sizes: &[usize], axes: Axes, mut values: Vec<f64>) -> Vec<f64> {
    for axis in axes.iter() {
        let layout = Layout::new(sizes, axes, axes.without(axis));
        let sums = layout.sums(&values);
        layout.spread(-(sizes[axis] as f64).recip(), &sums, &mut values);
    }
    values
}

/// A margin from its components, each spread evenly over the attributes that it does not have.
fn margin(system: &TableSystem, axes: Axes, components: &[Component]) -> FittedMargin {
    let (mut values, mut variance) = (vec![0.0; system.cells(axes)], 0.0);
    for component in components.iter().filter(|component| axes.includes(component.axes)) {
        let even = summed(&system.sizes, axes, component.axes).recip();
        Layout::new(&system.sizes, axes, component.axes).spread(even, &component.values, &mut values);
        variance += share(&system.sizes, axes, component.axes) * component.variance;
    }
    FittedMargin { axes, values, variance }
}
