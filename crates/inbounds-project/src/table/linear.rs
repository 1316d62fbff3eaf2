//! The exact least-squares fit of all measurements, in closed form.
//!
//! **Idea.** A margin splits into residual components, one for each subset `A` of its attributes: what is left of the
//! sums over the other attributes once the mean along each attribute of `A` is taken away (the analysis of variance).
//! Components of different subsets are orthogonal, and a margin `S` measures the component `A` with noise of variance
//! `v_S * n(S \ A)` in every direction, `n` being the number of cells that are summed. So the fit is, component by
//! component, the mean of its measurements by the margins that contain it, weighted by the reciprocal of that variance:
//! no system is solved.
//!
//! References: Xiao, He, Zhang and Kifer 2023, ResidualPlanner (components as a basis of marginals); Darroch and Speed
//! 1983, Additive and multiplicative models and interactions.

use std::{borrow::Cow, collections::HashMap};

use super::{
    axes::{Axes, Layout},
    system::{MeasuredMargin, TableQueries, TableSystem},
    variances::{share, summed},
};
use crate::numeric::relative;

/// Exact margins that differ by more, relative to their numbers, contradict each other.
pub(super) const CONTRADICTION: f64 = 1e-9;

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
struct Component<'a> {
    axes: Axes,
    values: Values<'a>,
    /// The variance of the component along any direction.
    variance: f64,
}

/// The values of a component.
enum Values<'a> {
    Own(Vec<f64>),
    /// The evidence of this measured margin, the only one about the component. The values are never taken out of the
    /// margin, the largest there is.
    In(&'a MarginEvidence<'a>),
}

/// A measured margin, and its measurements of the components of its parts.
struct MarginEvidence<'a> {
    margin: &'a MeasuredMargin,
    /// Of each smaller component that is measured with the margin.
    residuals: HashMap<Axes, Vec<f64>>,
}

/// The unbiased least-squares estimates of all margins, smaller ones first.
///
/// # Contract
/// Minimises `sum over measured margins S of (1 / v_S) |M_S x - y_S|^2` over all tables `x`, of which `M_S x` is a
/// margin; exact margins are kept; for [residuals](TableSystem::of_residuals), `M_S` is what is left of that margin.
/// The estimates are linear in the measurements, and each margin is the sum of every larger one, up to rounding.
/// `variance` is that of one cell.
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
/// let fit = linear(&TableSystem::new(vec![2], vec![margin(Axes::new([0]), &[7.0, 3.0], 1.0), total])?).expect("no exact margins");
/// assert_eq!((&fit[0].values[..], fit[0].variance), (&[12.0][..], 1.0));
/// assert_eq!((&fit[1].values[..], fit[1].variance), (&[8.0, 4.0][..], 0.75));
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn linear(system: &TableSystem) -> Result<Vec<FittedMargin>, (Axes, Axes)> {
    let evidence: Vec<MarginEvidence<'_>> =
        system.measured.iter().map(|margin| MarginEvidence::new(system, margin)).collect();
    let components: Vec<Component<'_>> =
        system.margins.iter().map(|&axes| component(system, &evidence, axes)).collect::<Result<_, _>>()?;
    Ok(system.margins.iter().map(|&axes| margin(system, axes, &components)).collect())
}

impl<'a> MarginEvidence<'a> {
    fn new(system: &TableSystem, margin: &'a MeasuredMargin) -> Self {
        let sizes = &system.sizes;
        let mut sums: HashMap<Axes, Vec<f64>> = HashMap::new();
        let parts = match system.queries {
            TableQueries::Margins => margin.axes.subsets(),
            TableQueries::Residuals => Vec::new(),
        };
        // Larger parts first, so that each is summed from one that is hardly larger.
        for part in parts.into_iter().rev().filter(|part| *part != margin.axes) {
            let outer = next_larger(part, margin.axes);
            let larger = sums.get(&outer).unwrap_or(&margin.values);
            let smaller = Layout::new(sizes, outer, part).sums(larger);
            sums.insert(part, smaller);
        }
        let residuals = sums.into_iter().map(|(part, sums)| (part, off_means(sizes, part, sums))).collect();
        Self { margin, residuals }
    }

    /// Residual of the margin for a component.
    fn residual(&self, system: &TableSystem, axes: Axes) -> Cow<'_, [f64]> {
        match self.residuals.get(&axes) {
            Some(residual) => Cow::Borrowed(residual),
            None => Cow::Owned(off_means(&system.sizes, axes, self.margin.values.clone())),
        }
    }
}

/// A set with the first attribute that another one, which includes it, has more.
fn next_larger(axes: Axes, within: Axes) -> Axes {
    axes.with(within.less(axes).iter().next().expect("a larger set has another attribute"))
}

/// The mean of a component over all measured margins that have it. A component without evidence is zero: an attribute
/// of one value has no direction off its mean.
fn component<'a>(
    system: &TableSystem,
    evidence: &'a [MarginEvidence<'a>],
    axes: Axes,
) -> Result<Component<'a>, (Axes, Axes)> {
    let has_component = |evidence: &&MarginEvidence<'_>| match system.queries {
        TableQueries::Margins => evidence.margin.axes.includes(axes),
        TableQueries::Residuals => evidence.margin.axes == axes,
    };
    let informative = || evidence.iter().filter(has_component);
    if let (Some(only), None, TableQueries::Margins) = (informative().next(), informative().nth(1), system.queries)
        && only.margin.axes == axes
    {
        return Ok(Component { axes, values: Values::In(only), variance: only.margin.variance });
    }
    // An exact margin settles the components that it has; others do not count any more.
    let exact: Vec<&MarginEvidence<'_>> = informative().filter(|evidence| evidence.margin.variance == 0.0).collect();
    if let Some((first, others)) = exact.split_first() {
        let values = first.residual(system, axes).into_owned();
        for other in others {
            let same = other.residual(system, axes);
            let (first, other) = (first.margin, other.margin);
            let size = first.values.iter().chain(&other.values).fold(0.0, |size: f64, x| size.max(x.abs()));
            let apart = values.iter().zip(same.iter()).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            if relative(apart, size * summed(&system.sizes, first.axes.and(other.axes), axes)) > CONTRADICTION {
                return Err((first.axes, other.axes));
            }
        }
        return Ok(Component { axes, values: Values::Own(values), variance: 0.0 });
    }
    let mut values = vec![0.0; system.cells(axes)];
    let mut weight = 0.0;
    for evidence in informative() {
        let own = (evidence.margin.variance * summed(&system.sizes, evidence.margin.axes, axes)).recip();
        let residual = evidence.residual(system, axes);
        values.iter_mut().zip(residual.iter()).for_each(|(sum, residual)| *sum += own * residual);
        weight += own;
    }
    if weight == 0.0 {
        return Ok(Component { axes, values: Values::Own(values), variance: 0.0 });
    }
    values.iter_mut().for_each(|value| *value /= weight);
    Ok(Component { axes, values: Values::Own(values), variance: weight.recip() })
}

/// Residuals of the cells of a margin, once the mean along each attribute is taken away, the last attribute moving
/// fastest.
///
/// # Panics
/// If the margin has not as many cells as `sizes` says.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, off_means};
/// assert_eq!(off_means(&[2, 2], Axes::new([0, 1]), vec![5.0, 1.0, 0.0, 2.0]), [1.5, -1.5, -1.5, 1.5]);
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
///
/// A margin that alone measures its own component is its measurement, moved as its other components are.
fn margin(system: &TableSystem, axes: Axes, components: &[Component<'_>]) -> FittedMargin {
    let sizes = &system.sizes;
    let parts = || components.iter().filter(|component| axes.includes(component.axes));
    let own = parts().find(|component| component.axes == axes).expect("every margin has a component of its own");
    let (mut values, measured) = match &own.values {
        Values::Own(values) => (values.clone(), None),
        Values::In(evidence) => (evidence.margin.values.clone(), Some(*evidence)),
    };
    let mut moves: HashMap<Axes, Vec<f64>> = HashMap::new();
    // Smaller parts first: each is spread over one that is hardly larger, and goes on with it.
    for Component { axes: part, values: component, .. } in parts().filter(|component| component.axes != axes) {
        let Values::Own(component) = component else { unreachable!("a part of a margin is never in itself alone") };
        let even = summed(sizes, axes, *part).recip();
        let mut own = moves.remove(part).unwrap_or_else(|| vec![0.0; component.len()]);
        own.iter_mut().zip(component).for_each(|(own, value)| *own += even * value);
        if let Some(evidence) = measured {
            own.iter_mut().zip(&evidence.residuals[part]).for_each(|(own, value)| *own -= even * value);
        }
        let outer = next_larger(*part, axes);
        let larger = match outer == axes {
            true => &mut values,
            false => moves.entry(outer).or_insert_with(|| vec![0.0; system.cells(outer)]),
        };
        Layout::new(sizes, outer, *part).spread(1.0, &own, larger);
    }
    let variance = parts().map(|component| share(sizes, axes, component.axes) * component.variance).sum();
    FittedMargin { axes, values, variance }
}
