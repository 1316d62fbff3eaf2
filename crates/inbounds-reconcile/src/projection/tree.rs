//! Sums along a tree and bounds of nodes, by the solvers of trees.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::Certificate,
    constraint::tree::TreeSystem,
    tree::{
        TreeCovariance, TreeSolution, equality, integer, linear, project, shrunk, shrunk_integer, top_down,
        top_down_integer,
    },
};

use super::{
    fit::Fit,
    model::Model,
    reach::ranges,
    solved::Solved,
    solver::{SHRUNK, Solver, TIES},
};

/// The solver of a model of which nothing is required beyond sums along the tree and bounds of nodes.
pub fn of_tree(model: &Model, is_integer: bool, fit: Fit) -> Box<dyn Solver> {
    Box::new(match (is_integer, fit) {
        (true, Fit::TopDown) => OfTree::TopDownInteger,
        (true, Fit::Joint) => OfTree::Integer,
        // Where a number may be negative there is nothing to shrink to.
        (true, Fit::Shrunk) if model.is_nonnegative() => OfTree::ShrunkInteger,
        (true, Fit::Shrunk) => OfTree::TopDownInteger,
        // Without bounds all fits are the linear one.
        (false, _) if model.sums_alone() => OfTree::Equality,
        (false, Fit::TopDown) => OfTree::TopDown,
        (false, Fit::Joint) => OfTree::Bounded,
        (false, Fit::Shrunk) if model.is_nonnegative() => OfTree::Shrunk,
        (false, Fit::Shrunk) => OfTree::TopDown,
    })
}

/// The solvers of trees, each by the name of its method.
enum OfTree {
    Equality,
    Bounded,
    Integer,
    TopDown,
    TopDownInteger,
    Shrunk,
    ShrunkInteger,
}

impl OfTree {
    fn solution(&self, system: &TreeSystem) -> TreeSolution {
        match self {
            Self::Equality => equality(system),
            Self::Bounded => project(system),
            Self::Integer => integer(system),
            Self::TopDown => top_down(system),
            Self::TopDownInteger => top_down_integer(system),
            Self::Shrunk => shrunk(system),
            Self::ShrunkInteger => shrunk_integer(system),
        }
    }
}

impl Solver for OfTree {
    fn method(&self) -> Method {
        match self {
            Self::Equality => Method::Equality,
            Self::Bounded => Method::Bounded,
            Self::Integer => Method::Integer,
            Self::TopDown => Method::TopDown,
            Self::TopDownInteger => Method::TopDownInteger,
            Self::Shrunk => Method::Shrunk,
            Self::ShrunkInteger => Method::ShrunkInteger,
        }
    }

    fn solve(&self, model: &Model, value: Vec<f64>) -> Solved {
        self.solution(&model.with(value)).into()
    }

    fn linear(&self, model: &Model, value: Vec<f64>) -> Vec<f64> {
        linear(&model.with(value))
    }

    fn solve_with_linear(&self, model: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        let system = model.with(value);
        (self.solution(&system).into(), linear(&system))
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        TreeCovariance::new(&model.with(model.value.clone())).variances()
    }

    /// The certificate of a top-down solution is of its families, given their linear fit.
    fn linear_certificate(&self, model: &Model) -> Certificate {
        match self {
            Self::TopDown | Self::TopDownInteger | Self::Shrunk | Self::ShrunkInteger => {
                equality(&model.with(model.value.clone())).certificate.unwrap_or_default()
            }
            Self::Equality | Self::Bounded | Self::Integer => Certificate::default(),
        }
    }

    fn objective(&self, model: &Model, estimates: &[f64]) -> f64 {
        model.with(model.value.clone()).objective(estimates).expect("one estimate a node")
    }

    fn ranges(&self, model: &Model) -> (Vec<f64>, Vec<f64>) {
        ranges(model)
    }

    fn rules(&self) -> &'static [&'static str] {
        const GRID: &str = "All estimates are multiples of `solver.grid`, a power of two, so that children add up to their parent to the last \
             bit, in any order, when the written numbers are read as doubles.";
        const REST: &str = "What rounding to the grid leaves over goes to the children in the order in which the file first names them, \
                            evenly, passing over those that are at a bound or known exactly.";
        const FREE: &str = "Where measurements do not determine nodes, what is left is divided evenly over unmeasured leaves, and no error is \
             stated.";
        match self {
            Self::Shrunk | Self::ShrunkInteger => &[SHRUNK, GRID, REST, TIES, FREE],
            Self::Equality | Self::Bounded | Self::Integer | Self::TopDown | Self::TopDownInteger => {
                &[GRID, REST, TIES, FREE]
            }
        }
    }
}
