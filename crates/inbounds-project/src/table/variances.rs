//! The errors of the linear fit of a table, from those of its measurements.
//!
//! A margin `S` that is measured with variance `v_S` measures the component `A` of a part of it as one
//! number of variance `v_S * n(S \ A)` would, see [`linear`](super::linear()); all margins together leave it the
//! variance `1 / sum 1 / (v_S n(S \ A))`. A cell of a margin is made of the components of all its parts, in known
//! shares.

use super::axes::Axes;

/// The margins of a table, ready to tell the variances of their linear fit.
///
/// # Contract
/// With `v_S` the variances of measured margins and `n(B)` the number of cells of `B`, a cell of the margin `S` has the
/// variance `sum over A in S of prod_{j in A} (1 - 1/n_j) / n(S \ A)^2 * w_A`, where
/// `1 / w_A = sum over measured T that include A of 1 / (v_T n(T \ A))`. No fit that is linear in the measurements and
/// unbiased for every table has a smaller one.
///
/// # Example
/// Two cells with variance 1, and their total with variance 2:
/// ```
/// use inbounds_project::table::{Axes, MarginVariances};
/// let table = MarginVariances::new(&[2], [Axes::new([0])]);
/// assert_eq!(table.margins(), [Axes::NONE, Axes::new([0])]);
/// assert_eq!(table.of_margins(&[2.0, 1.0]), [1.0, 0.75]);
/// assert_eq!(table.of_margins(&[f64::INFINITY, 1.0]), [2.0, 1.0]);
/// ```
///
/// # References
/// Xiao, He, Zhang and Kifer 2023, ResidualPlanner.
#[derive(Debug, Clone)]
pub struct MarginVariances {
    margins: Vec<Axes>,
    /// Of each component: the margins that have it, and how many of their cells are summed for it.
    saying: Vec<Vec<(usize, f64)>>,
    /// Of each margin: the components that it has, and their shares in a cell.
    made_of: Vec<Vec<(usize, f64)>>,
}

impl MarginVariances {
    /// Of all margins of some margins, where attributes have these sizes.
    ///
    /// # Panics
    /// If a margin has an attribute without a size.
    pub fn new(sizes: &[usize], margins: impl IntoIterator<Item = Axes>) -> Self {
        let mut all: Vec<Axes> = margins.into_iter().flat_map(Axes::subsets).collect();
        all.sort_unstable();
        all.dedup();
        let saying = |&axes: &Axes| {
            let outer = all.iter().enumerate().filter(|(_, outer)| outer.includes(axes));
            outer.map(|(index, outer)| (index, summed(sizes, *outer, axes))).collect()
        };
        let made_of = |&axes: &Axes| {
            let inner = all.iter().enumerate().filter(|(_, inner)| axes.includes(**inner));
            inner.map(|(index, inner)| (index, share(sizes, axes, *inner))).collect()
        };
        Self { saying: all.iter().map(saying).collect(), made_of: all.iter().map(made_of).collect(), margins: all }
    }

    /// All margins, smaller ones first.
    pub fn margins(&self) -> &[Axes] {
        &self.margins
    }

    /// The variance of a cell of each margin, from the variance of each margin's measurements: infinite for one that is
    /// not measured.
    ///
    /// # Panics
    /// Unless there is one variance for each margin.
    pub fn of_margins(&self, measured: &[f64]) -> Vec<f64> {
        assert_eq!(measured.len(), self.margins.len(), "one variance a margin");
        let weight = |saying: &Vec<(usize, f64)>| saying.iter().map(|(index, n)| (measured[*index] * n).recip()).sum();
        let component: Vec<f64> = self.saying.iter().map(|saying| f64::recip(weight(saying))).collect();
        self.of_residuals(&component)
    }

    /// The same where [residuals](super::TableSystem::of_residuals) are measured, from the variance of each.
    ///
    /// # Panics
    /// Unless there is one variance for each margin.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::table::{Axes, MarginVariances};
    /// let table = MarginVariances::new(&[2], [Axes::new([0])]);
    /// assert_eq!(table.of_residuals(&[2.0, 1.0]), [2.0, 2.0 / 4.0 + 1.0 / 2.0]);
    /// ```
    pub fn of_residuals(&self, measured: &[f64]) -> Vec<f64> {
        assert_eq!(measured.len(), self.margins.len(), "one variance a residual");
        // One that is zero, whatever the rows are, is not measured.
        let part = |(index, share): &(usize, f64)| if *share == 0.0 { 0.0 } else { share * measured[*index] };
        self.made_of.iter().map(|made_of| made_of.iter().map(part).sum()).collect()
    }

    /// Growth of the weighted sum of the variances of some margins with that of each residual.
    pub(super) fn weights_of_residuals(&self, weights: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.margins.len()];
        for (weight, made_of) in weights.iter().zip(&self.made_of) {
            made_of.iter().for_each(|(index, share)| all[*index] += weight * share);
        }
        all
    }
}

/// Number of cells of a margin that are summed for one cell of a smaller margin.
pub(super) fn summed(sizes: &[usize], outer: Axes, inner: Axes) -> f64 {
    outer.less(inner).iter().map(|axis| sizes[axis] as f64).product()
}

/// Weight of a component's variance in a cell of a margin: one cell has a part `1 - 1/n` in the directions off the mean
/// along an attribute, and `1/n` of a sum.
pub(super) fn share(sizes: &[usize], margin: Axes, component: Axes) -> f64 {
    let off_mean = |axis: usize| 1.0 - (sizes[axis] as f64).recip();
    let even = summed(sizes, margin, component).recip();
    component.iter().map(off_mean).product::<f64>() * even * even
}

#[cfg(test)]
mod tests {
    use super::super::{MeasuredMargin, TableSystem, linear};
    use super::*;

    #[test]
    fn variances_are_those_of_the_fit() {
        let sizes = [3, 2, 4];
        let measured = [([0, 1].as_slice(), 2.0), (&[1, 2], 0.5), (&[2], 3.0), (&[], 1.0)];
        let margin = |(axes, variance): &(&[usize], f64)| {
            let axes = Axes::new(axes.iter().copied());
            MeasuredMargin {
                axes,
                values: vec![0.0; axes.iter().map(|axis| sizes[axis]).product()],
                variance: *variance,
            }
        };
        let measured: Vec<MeasuredMargin> = measured.iter().map(margin).collect();
        let variances = MarginVariances::new(&sizes, measured.iter().map(|margin| margin.axes));
        let measured_variance =
            |axes: &Axes| measured.iter().find(|one| one.axes == *axes).map_or(f64::INFINITY, |one| one.variance);
        let computed = variances.of_margins(&variances.margins().iter().map(measured_variance).collect::<Vec<_>>());
        let fit = linear(&TableSystem::new(sizes.to_vec(), measured).expect("a table")).expect("no exact margins");
        assert_eq!(computed.len(), fit.len());
        for (computed, margin) in computed.iter().zip(fit) {
            assert!((computed - margin.variance).abs() < 1e-12, "{}: {computed} for {}", margin.axes, margin.variance);
        }
    }

    #[test]
    fn what_no_margin_tells_has_no_variance() {
        let table = MarginVariances::new(&[2, 2], [Axes::new([0, 1])]);
        let nothing = f64::INFINITY;
        let computed = table.of_margins(&[nothing, 1.0, 1.0, nothing]);
        assert_eq!((computed[0], computed[1], computed[2]), (1.0, 0.75, 0.75));
        assert_eq!(computed[3], nothing);
    }
}
