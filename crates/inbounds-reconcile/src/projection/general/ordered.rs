//! Nodes in order, by isotonic regression.

use inbounds_bundle::Method;
use inbounds_project::{
    constraint::{Direction, Order},
    isotonic,
};

use crate::projection::{model::Model, solved::Solved, solver::Solver};

/// Orders that isotonic regression can take: chains and trees of nodes that all have a measurement and the same bounds.
pub(crate) struct Ordered {
    order: Order,
    weights: Vec<f64>,
    bounds: (f64, f64),
    is_integer: bool,
}

impl Ordered {
    /// None if the orders are not of that form.
    pub(crate) fn new(model: &Model, orders: &[Vec<u32>], is_integer: bool) -> Option<Self> {
        let measured = model.variance.iter().all(|&variance| variance > 0.0 && variance < f64::INFINITY);
        let (lower, upper) = model.limits(0);
        let alike = (0..model.nodes()).all(|node| model.limits(node) == (lower, upper));
        let bounds = if is_integer { (lower.ceil(), upper.floor()) } else { (lower, upper) };
        let order = forest(model.nodes(), orders).filter(|_| measured && alike && bounds.0 <= bounds.1)?;
        let weights = model.variance.iter().map(|variance| variance.recip()).collect();
        Some(Self { order, weights, bounds, is_integer })
    }
}

impl Solver for Ordered {
    fn method(&self) -> Method {
        if self.is_integer { Method::IsotonicInteger } else { Method::Isotonic }
    }

    /// The values in order.
    ///
    /// Over whole numbers the optimum is the other one rounded to the nearest. For where at least `k + 1` is better
    /// than at most `k` is where the weighted mean of `y` is above `k + 1/2`, as the difference of the costs of one
    /// cell is `2 w (k + 1/2 - y)`; so both optima have the same upper sets at these levels. Claim: `integer-isotonic`.
    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        let solution = isotonic::project(&value, &self.weights, &self.order, self.bounds);
        let solution = solution.expect("an order without cycles over measured nodes");
        let mut solved = Solved {
            ending: solution.status.into(),
            estimates: solution.estimates,
            certificate: solution.certificate.unwrap_or_default(),
            grid: 0.0,
        };
        if self.is_integer {
            let halves_up = |x: f64| if x - x.floor() >= 0.5 { x.ceil() } else { x.floor() };
            solved.estimates.iter_mut().for_each(|estimate| *estimate = halves_up(*estimate));
            solved.grid = 1.0;
        }
        solved
    }

    /// No equality: the measurements themselves.
    fn linear(&self, _: &Model, value: Vec<f64>) -> Vec<f64> {
        value
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        model.variance.clone()
    }

    fn rules(&self) -> &'static [&'static str] {
        const CLAMPED: &str = "Nodes that are pooled have the mean of their values by weight; bounds are met by clamping, which \
                               is exact for orders.";
        const HALF_UP: &str =
            "The optimum over whole numbers is that over real numbers rounded to the nearest, halves up.";
        if self.is_integer { &[CLAMPED, HALF_UP] } else { &[CLAMPED] }
    }
}

/// Orders as a forest, if no node has two next ones, or none two before it.
fn forest(nodes: usize, orders: &[Vec<u32>]) -> Option<Order> {
    let steps = || orders.iter().flat_map(|order| order.windows(2)).map(|pair| (pair[0] as usize, pair[1] as usize));
    let parents = |steps: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut parents: Vec<Option<usize>> = vec![None; nodes];
        for (node, parent) in steps {
            if parents[node].replace(parent).is_some_and(|known| known != parent) {
                return None;
            }
        }
        Some(parents)
    };
    if let Some(parents) = parents(&mut steps()) {
        return Some(Order::Forest { parents, direction: Direction::Increasing });
    }
    let parents = parents(&mut steps().map(|(before, after)| (after, before)))?;
    Some(Order::Forest { parents, direction: Direction::Decreasing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_forests_one_way_or_the_other() {
        let direction = |orders: &[Vec<u32>]| forest(5, orders).map(|order| order.direction());
        assert_eq!(direction(&[vec![0, 1, 2], vec![3, 1]]), Some(Direction::Increasing));
        assert_eq!(direction(&[vec![0, 1, 2], vec![0, 3]]), Some(Direction::Decreasing));
        assert_eq!(direction(&[vec![0, 1, 2], vec![0, 3, 2]]), None);
    }
}
