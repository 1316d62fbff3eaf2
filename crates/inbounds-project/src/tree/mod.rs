//! Estimates that add up along a tree: by least squares, in range, and whole.
//!
//! All three minimise half the sum of `(s_v - x_v)^2 / V_v` over measured nodes `v`, where every inner node is the sum
//! of its children and every invariant keeps its value:
//!
//! - [`equality`] under nothing else (P);
//! - [`project`] with bounds (P+);
//! - [`integer`] with bounds and whole numbers (integer P+).
//!
//! [`top_down`] and [`top_down_integer`] keep the linear fit at the top instead, and meet bounds family by family;
//! [`shrunk`] and
//! [`shrunk_integer`] do so too, and shrink small numbers towards zero.
//!
//! Each returns a [`TreeSolution`] with its [`Certificate`]. Estimates add up to the last bit and zeros are zeros: the
//! rule is that of [`TreeSolution::grid`].

mod breakpoint;
mod by_level;
mod covariance;
mod curve;
mod feasible;
mod forest;
mod grid;
mod integer;
mod kkt;
mod newton;
mod part;
mod passes;
mod polish;
mod round;
mod scan;
mod top_down;

pub use by_level::LevelVariances;
pub use covariance::TreeCovariance;
pub use kkt::Claim;
pub use top_down::{shrunk, shrunk_integer, top_down, top_down_integer};

use self::{
    passes::{Leaves, Passes},
    round::Within,
};
use crate::{
    ProjectError,
    certificate::{Certificate, Requirement, Status},
    constraint::tree::{NodeBounds, TreeSystem},
};

/// Result of a solver.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TreeSolution {
    /// Status of the solver.
    pub status: Status,
    /// One estimate for each node, in the order of the input; empty if the system is infeasible.
    pub estimates: Vec<f64>,
    /// Certificate of the estimates; none if the system is infeasible.
    pub certificate: Option<Certificate>,
    /// All estimates are multiples of this power of two, and the sum of the children of a node is the estimate of the
    /// node to the last bit, in any order of adding. It is 1 for whole numbers, and else the finest of the steps of the
    /// trees, `2^-50` of the largest sum of each. An invariant or a bound that is a multiple of its tree's step holds
    /// to the last bit, any other to within one step.
    pub grid: f64,
}

impl TreeSolution {
    fn infeasible(conflict: Vec<usize>) -> Self {
        let conflict = conflict.into_iter().map(Requirement::Node).collect();
        Self { status: Status::Infeasible { conflict }, estimates: Vec::new(), certificate: None, grid: 1.0 }
    }

    /// The solution with these estimates, given by position.
    fn certified(system: &TreeSystem, (estimates, grid): (Vec<f64>, f64), claim: Claim) -> Self {
        let certificate = kkt::certify(system, &estimates, claim);
        let estimates = system.tree().to_input(estimates);
        Self { status: certificate.status(), estimates, certificate: Some(certificate), grid }
    }
}

/// Algorithm by which [`project`] finds the attained bounds. Both are exact; each checks the other in the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeRoute {
    /// Newton's method on the multipliers: nonnegativity alone, a handful of streaming sweeps, memory for inner nodes
    /// alone.
    Newton,
    /// Curves passed up the tree: any bounds, `O(n log n)` time and memory per level whatever the values.
    Breakpoints,
}

/// Weighted least squares under the sums and invariants alone; bounds of the system are not looked at.
///
/// # Contract
/// Two passes, `O(n)`, any variances. The estimates are linear in the values and unbiased if the measurements are;
/// [`TreeCovariance`] has their exact variances. Where measurements do not determine the estimates, those with the
/// least sum of squares over unmeasured leaves are taken.
///
/// # Example
/// The worked example of Hay et al. (2010), figure 2(b), left.
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::equality};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(2)])?;
/// let system = TreeSystem::new(tree, vec![13.0, 3.0, 11.0, 4.0, 1.0, 12.0, 1.0], vec![1.0; 7])?;
/// let estimates = equality(&system).estimates;
/// for (estimate, expected) in estimates.iter().zip([14.0, 3.0, 11.0, 3.0, 0.0, 11.0, 0.0]) {
///     assert!((estimate - expected).abs() < 1e-13);
/// }
/// assert_eq!(estimates[1], estimates[3] + estimates[4]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Hay, Rastogi, Miklau and Suciu (2010), Theorem 3, for equal fan-out and variances.
pub fn equality(system: &TreeSystem) -> TreeSolution {
    if system.invariants
        && let Err(conflict) = feasible::reach(system, |position| system.exact_interval(position))
    {
        return TreeSolution::infeasible(conflict);
    }
    TreeSolution::certified(system, under_equalities(system, None), Claim::Equalities)
}

/// The estimates of [`equality`] alone, which its certificate takes as long as.
///
/// # Contract
/// One estimate for each node, in the order of the input. Invariants must not contradict each other.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::linear};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![6.0, 1.0, 2.0], vec![1.0; 3])?;
/// assert_eq!(linear(&system), [5.0, 2.0, 3.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn linear(system: &TreeSystem) -> Vec<f64> {
    system.tree().to_input(under_equalities(system, None).0)
}

/// Weighted least squares under the sums, invariants and bounds.
///
/// # Contract
/// The exact optimum, found by [`TreeRoute::Newton`] where bounds are nonnegativity alone and by
/// [`TreeRoute::Breakpoints`] otherwise, or if Newton's method is slow. Unmeasured leaves as in [`equality`], as far as
/// bounds allow. Where many boxes are attained at once, so that multipliers are far from unique, the last correction
/// may fail: then the status is [`Status::IterationLimit`], never a silent error.
///
/// # Example
/// ```
/// use inbounds_project::{certificate::Status, constraint::tree::{Tree, TreeSystem}, tree::project};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![5.0, -2.0, 4.0], vec![1.0; 3])?.nonnegative();
/// let solution = project(&system);
/// assert_eq!((solution.status, solution.estimates), (Status::Optimal, vec![4.5, 0.0, 4.5]));
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn project(system: &TreeSystem) -> TreeSolution {
    match by_newton(system) {
        Some(solution) if solution.status != Status::IterationLimit => solution,
        _ => by_breakpoints(system),
    }
}

/// [`project`] by one route; none if the route cannot take the system's bounds or takes too many sweeps.
pub fn project_by(system: &TreeSystem, route: TreeRoute) -> Option<TreeSolution> {
    match route {
        TreeRoute::Newton => by_newton(system),
        TreeRoute::Breakpoints => Some(by_breakpoints(system)),
    }
}

fn by_newton(system: &TreeSystem) -> Option<TreeSolution> {
    if matches!(*system.bounds, NodeBounds::Boxes { .. }) {
        return None;
    }
    if let Err(conflict) = feasible::reach(system, |position| system.interval(position)) {
        return Some(TreeSolution::infeasible(conflict));
    }
    let rounded = match *system.bounds {
        NodeBounds::Free => under_equalities(system, None),
        _ => on_grid(&newton::solve(system)?, None),
    };
    Some(TreeSolution::certified(system, rounded, Claim::Bounded))
}

fn by_breakpoints(system: &TreeSystem) -> TreeSolution {
    match feasible::reach(system, |position| system.interval(position)) {
        Ok(reach) => {
            let rounded = polish::solve(Within { system, reach: &reach }, &breakpoint::solve(system));
            TreeSolution::certified(system, rounded, Claim::Bounded)
        }
        Err(conflict) => TreeSolution::infeasible(conflict),
    }
}

/// Weighted least squares over whole numbers, under the sums, invariants and bounds.
///
/// # Contract
/// The true optimum, not a rounding: passing the exchange test of the certificate is sufficient. Where several tables
/// are optimal, which one is found depends on the input alone. Beyond `2^52`, in a value or in the sum of all leaves, a
/// unit does not show in doubles: then the optimum over real numbers comes back with [`Status::IterationLimit`].
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::integer};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![2.0, 0.6, 0.7, -3.0], vec![0.0, 1.0, 1.0, 1.0])?.nonnegative();
/// assert_eq!(integer(&system).estimates, [2.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn integer(system: &TreeSystem) -> TreeSolution {
    integer::solve(system)
}

/// The certificate of any estimates, one for each node in the order of the input: in `O(n)`, from the estimates alone.
///
/// # Errors
/// [`ProjectError::Length`].
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::{Claim, certify}};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let system = TreeSystem::new(tree, vec![5.0, -2.0, 4.0], vec![1.0; 3])?.nonnegative();
/// assert_eq!(certify(&system, &[4.5, 0.0, 4.5], Claim::Bounded)?.worst(), 0.0);
/// assert!(certify(&system, &[4.0, 0.0, 4.0], Claim::Bounded)?.stationarity > 0.1);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn certify(system: &TreeSystem, estimates: &[f64], claim: Claim) -> Result<Certificate, ProjectError> {
    let (wanted, found) = (system.tree().nodes(), estimates.len());
    if wanted != found {
        return Err(ProjectError::Length { name: "estimates", entries: "nodes", wanted, found });
    }
    Ok(kkt::certify(system, &system.tree().to_positions(estimates.to_vec()), claim))
}

/// Numbers up to this show a unit more or less.
const COUNTABLE: f64 = (1_u64 << 52) as f64;

/// `true` if one unit more or less shows in every value and estimate and in the sum of all, so that units can be dealt.
fn are_countable(system: &TreeSystem, estimates: &[f64]) -> bool {
    let leaves = (0..estimates.len()).filter(|&position| system.tree().is_leaf(position));
    let sizes = leaves.map(|leaf| estimates[leaf].abs().max(system.value[leaf].abs()));
    // Written so that a number that is none fails.
    sizes.sum::<f64>() < COUNTABLE && system.value.iter().all(|value| value.abs() < COUNTABLE)
}

/// `true` only if [`are_countable`] holds of all estimates whose absolute values add up to no more than `total`; errs
/// on the side of no.
fn surely_countable(system: &TreeSystem, total: f64) -> bool {
    total + scan::sum_of_sizes(&system.value) < COUNTABLE / 2.0
}

/// Estimates by position under equalities, and their grid step.
fn under_equalities(system: &TreeSystem, within: Option<Within<'_>>) -> (Vec<f64>, f64) {
    let mut passes = Passes::new(system, Leaves::All);
    passes.up();
    passes.down();
    on_grid(&passes, within)
}

fn on_grid(passes: &Passes<'_>, within: Option<Within<'_>>) -> (Vec<f64>, f64) {
    round::estimates(passes, within)
}
