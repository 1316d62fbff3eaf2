//! Sums by several groupings of the same cells, which are solved for together.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::{Certificate, Status},
    linked::Groupings,
};

use super::{
    linear::{DERIVED, ROUNDED_SUMS},
    tables::signed,
};
use crate::projection::{
    model::Model,
    solved::{Ending, Solved},
    solver::Solver,
};

/// The cells of groupings, once or several times: all cells of the first grouping, then all of the next.
struct Linked {
    groupings: Groupings,
    /// Weights of what was measured, and the variances of the linear fit, by grouping.
    weights: Vec<f64>,
    variances: Vec<Vec<f64>>,
    means: Vec<f64>,
    sign: Sign,
    is_integer: bool,
}

/// Which numbers there can be.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Any,
    NotNegative,
    NotPositive,
}

/// The solver for cells of groupings that were measured with one variance each, or not at all, and of which nothing is
/// required beyond sums and, if the model says so, that no node is negative, or that none is positive. The nodes of the
/// model are those of the groupings, once or again and again. None where more is required.
pub fn of_groupings(groupings: Groupings, model: &Model, is_integer: bool) -> Option<Box<dyn Solver>> {
    let sign = match () {
        () if model.sums_alone() => Sign::Any,
        () if model.is_nonpositive() => Sign::NotPositive,
        () if model.is_nonnegative() && model.bounded_nodes() == 0 => Sign::NotNegative,
        () => return None,
    };
    let mut first = 0;
    let weights = groupings.cells().map(|cells| {
        let variance = model.variance[first];
        first += cells;
        variance.recip()
    });
    let weights: Vec<f64> = weights.collect();
    if !model.nodes().is_multiple_of(first.max(1)) || !weights.iter().all(|weight| weight.is_finite()) {
        return None;
    }
    let variances = groupings.variances(&weights);
    let means = variances.iter().map(|level| level.iter().sum::<f64>() / level.len() as f64).collect();
    Some(Box::new(Linked { groupings, weights, variances, means, sign, is_integer: is_integer && sign != Sign::Any }))
}

impl Linked {
    /// Ratio of the numbers that are solved for to those of the nodes.
    fn factor(&self) -> f64 {
        if self.sign == Sign::NotPositive { -1.0 } else { 1.0 }
    }

    /// Results of `solve` for the numbers of each copy, which it takes and gives by grouping.
    fn each(&self, value: &[f64], mut solve: impl FnMut(&[Vec<f64>]) -> Vec<Vec<f64>>) -> Vec<f64> {
        let of_copy = |copy: &[f64]| {
            let mut rest = signed(copy, self.factor()).into_iter();
            let by_grouping: Vec<Vec<f64>> =
                self.groupings.cells().map(|cells| rest.by_ref().take(cells).collect()).collect();
            signed(&solve(&by_grouping).concat(), self.factor())
        };
        let cells: usize = self.groupings.cells().sum();
        value.chunks(cells).flat_map(of_copy).collect()
    }

    /// The estimates of one copy from its linear fit.
    fn bounded(&self, linear: &[f64], solved: &mut Solved) -> Vec<f64> {
        let solution = self.groupings.nonnegative(linear, &self.means);
        if solution.status != Status::Optimal {
            solved.ending = Ending::IterationLimit;
        }
        solved.certificate.take_in(solution.certificate);
        if self.is_integer { self.groupings.whole(&solution.finest, &self.means) } else { solution.finest }
    }
}

impl Solver for Linked {
    fn method(&self) -> Method {
        match (self.sign, self.is_integer) {
            (Sign::Any, _) => Method::Linear,
            (_, false) => Method::LinearBounded,
            (_, true) => Method::Rounded,
        }
    }

    fn solve(&self, model: &Model, value: Vec<f64>) -> Solved {
        self.solve_with_linear(model, value).0
    }

    fn linear(&self, _: &Model, value: Vec<f64>) -> Vec<f64> {
        self.each(&value, |measured| self.groupings.sums(&self.groupings.linear(measured, &self.weights)))
    }

    fn solve_with_linear(&self, _: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        let grid = if self.is_integer { 1.0 } else { 0.0 };
        let mut solved =
            Solved { ending: Ending::Optimal, estimates: Vec::new(), certificate: Certificate::default(), grid };
        let mut all = Vec::new();
        let estimates = self.each(&value, |measured| {
            let linear = self.groupings.linear(measured, &self.weights);
            all.extend(self.groupings.sums(&linear).into_iter().flatten());
            let finest = if self.sign == Sign::Any { linear } else { self.bounded(&linear, &mut solved) };
            self.groupings.sums(&finest)
        });
        solved.estimates = estimates;
        (solved, signed(&all, self.factor()))
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        let one: Vec<f64> = self.variances.iter().flatten().copied().collect();
        one.repeat(model.nodes() / one.len().max(1))
    }

    fn groups(&self, model: &Model) -> Vec<u32> {
        let one: Vec<u32> = (0..).zip(self.groupings.cells()).flat_map(|(group, cells)| vec![group; cells]).collect();
        one.repeat(model.nodes() / one.len().max(1))
    }

    fn rules(&self) -> &'static [&'static str] {
        const KEPT: &str = "Groupings of the same cells are solved for together: the finest cells, of which all others are sums. A grouping that is \
                            coarser than another counts 1000 times as much in what bounds move, each by the variance of its linear fit.";
        const ROUNDED: &str = "Two hierarchies of the same cells are rounded so that each number goes up or down and the sum of squares grows least; \
                               of more, or of more than 5,000 numbers, sums of cells side by side are rounded.";
        if self.is_integer { &[KEPT, ROUNDED, DERIVED] } else { &[KEPT, ROUNDED_SUMS, DERIVED] }
    }
}
