//! The constraints of a reconciliation and how it was solved, in sentences.
//!
//! Constraints have their sentences in their record, and each solved system has one here, so that neither can be added
//! without them.

use inbounds_bundle::{
    Id, InputEntry, Method, ReconcileManifest, SolvedSystem, SolverEntry, SolverStatus, figures::counted,
};

/// Kind of the estimates, over the title of the page.
pub(super) fn kind(manifest: &ReconcileManifest) -> &'static str {
    match manifest.solver.method.known().map(Method::system) {
        Some(SolvedSystem::Tree | SolvedSystem::TopDownTree | SolvedSystem::ShrunkTree) if is_tree(&manifest.input) => {
            "Noisy numbers that add up"
        }
        Some(SolvedSystem::Table | SolvedSystem::TopDownTable | SolvedSystem::ShrunkTable) => {
            "A noisy table that adds up"
        }
        Some(SolvedSystem::Order) => "Noisy numbers in order",
        Some(SolvedSystem::Matrix) => "A noisy matrix made positive semidefinite",
        _ => "Noisy numbers under constraints",
    }
}

/// `true` if some numbers are parts of others.
pub(super) fn is_tree(input: &InputEntry) -> bool {
    input.levels > 1
}

/// Exactness of the sums.
fn exactness(method: &Id<Method>) -> &'static str {
    let Some(method) = method.known() else { return "" };
    match method.system() {
        SolvedSystem::Tree | SolvedSystem::TopDownTree | SolvedSystem::ShrunkTree => ", to the last bit",
        SolvedSystem::Rows | SolvedSystem::TopDownTable | SolvedSystem::ShrunkTable | SolvedSystem::Total
            if method.is_whole() =>
        {
            " exactly"
        }
        SolvedSystem::Rows
        | SolvedSystem::Table
        | SolvedSystem::TopDownTable
        | SolvedSystem::ShrunkTable
        | SolvedSystem::Total => ", up to the rounding of doubles",
        // No sums are stated with these.
        SolvedSystem::Order | SolvedSystem::Matrix => "",
    }
}

/// Everything that holds of the estimates.
pub(super) fn held(manifest: &ReconcileManifest) -> Vec<String> {
    let exactness = exactness(&manifest.solver.method);
    let tree = is_tree(&manifest.input).then(|| format!("Children add up to their parent{exactness}."));
    let held: Vec<String> = tree.into_iter().chain(manifest.constraints.sentences(exactness)).collect();
    if held.is_empty() { vec!["The estimates are under no constraint.".to_owned()] } else { held }
}

/// Which estimates were taken of those that satisfy the constraints.
fn chosen(method: &Id<Method>) -> &'static str {
    let Some(method) = method.known() else {
        return "The estimates were found by a method that this version of the program does not know";
    };
    match method.system() {
        SolvedSystem::Rows if method.is_whole() => {
            "The nearest numbers that satisfy this, whole or not, were found first, each measurement weighted by the inverse of its \
             variance; then each was rounded up or down so that the equalities hold, which does not always give the nearest whole \
             numbers"
        }
        SolvedSystem::Tree | SolvedSystem::Rows | SolvedSystem::Table | SolvedSystem::Total | SolvedSystem::Order => {
            "Among all numbers that satisfy this, the estimates are those nearest to the measurements, each weighted by the \
             inverse of its variance"
        }
        SolvedSystem::TopDownTree => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then, from the top down, the children of each number are those nearest to that fit that satisfy this, given the number"
        }
        SolvedSystem::TopDownTable if method.is_whole() => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then, from the total down, each margin is made of the numbers nearest to that fit that satisfy this, given the margins \
             of fewer attributes, and these are rounded up or down so that the sums hold"
        }
        SolvedSystem::TopDownTable => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then, from the total down, each margin is made of the numbers nearest to that fit that satisfy this, given the margins \
             of fewer attributes"
        }
        SolvedSystem::ShrunkTree => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then numbers that noise alone may have made were shrunk towards zero, by a prior that was fitted to the numbers of their \
             level, on the lowest level halfway; and from the top down, the children of each number are those nearest to the \
             shrunk ones that satisfy this, given the number"
        }
        SolvedSystem::ShrunkTable if method.is_whole() => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then numbers that noise alone may have made were shrunk towards zero, by a prior that was fitted to their margin, in the \
             largest margins halfway; and from the total down, each margin is made of the numbers nearest to the shrunk ones that \
             satisfy this, given the margins of fewer attributes, and these are rounded up or down so that the sums hold"
        }
        SolvedSystem::ShrunkTable => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then numbers that noise alone may have made were shrunk towards zero, by a prior that was fitted to their margin, in the \
             largest margins halfway; and from the total down, each margin is made of the numbers nearest to the shrunk ones that \
             satisfy this, given the margins of fewer attributes"
        }
        SolvedSystem::Matrix => {
            "Among all such matrices the estimate is the one nearest to the measurements in the Frobenius norm, in which entries \
             off the diagonal count twice; variances are not used as weights"
        }
    }
}

/// Which estimates were taken of those that keep this, and how well that is proved.
pub(super) fn solved(solver: &SolverEntry) -> String {
    let chosen = chosen(&solver.method);
    let certificate = &solver.certificate;
    let worst = certificate.stationarity.max(certificate.feasibility).max(certificate.complementarity);
    let met = if worst == 0.0 { "exactly".to_owned() } else { format!("to {worst:.0e}") };
    let (status, allowed) = (&solver.status, format!("{:.0e}", solver.tolerance));
    let ended = match status {
        Id::Known(SolverStatus::Optimal) => {
            format!(
                "The solver ended with “{status}”: the conditions of an optimum are met {met}, where {allowed} is allowed."
            )
        }
        Id::Known(SolverStatus::IterationLimit) => format!(
            "The solver stopped early (“{status}”): the conditions of an optimum are met {met}, where {allowed} is allowed, so \
             better numbers may exist."
        ),
        Id::Unknown(_) => format!(
            "The solver ended with “{status}”, which this version of the program does not know; the conditions of an optimum are \
             met {met}, where {allowed} is allowed."
        ),
    };
    format!("{chosen} ({}). {ended}", solver.method)
}

/// True if the numbers of a tree are kept from falling below an end; none where there is no tree, or none is known.
fn is_bounded(manifest: &ReconcileManifest) -> Option<bool> {
    let method = manifest.solver.method.known().filter(|method| method.is_of_tree())?;
    is_tree(&manifest.input).then_some(manifest.constraints.nonnegative && !method.is_linear())
}

/// Effect of sums and bounds on errors.
pub(super) fn trade(manifest: &ReconcileManifest) -> Option<&'static str> {
    is_bounded(manifest).map(|bounded| {
        if is_shrunk(manifest) {
            " Adding up reduces errors; shrinking takes from small numbers, also from those that are right, and gives to their siblings."
        } else if bounded {
            " Adding up reduces errors; bounds push small numbers up at the expense of their siblings."
        } else {
            " Adding up reduces errors."
        }
    })
}

/// Effect of sums and bounds on errors, by the size of the estimates.
pub(super) fn trade_by_size(manifest: &ReconcileManifest) -> Option<&'static str> {
    if is_shrunk(manifest) {
        return Some(
            " The bias is the price of shrinking: small numbers are made smaller, and large ones get what is taken from them.",
        );
    }
    is_bounded(manifest)
        .filter(|bounded| *bounded)
        .map(|_| " Bounds push small numbers up at the expense of large ones.")
}

/// `true` if numbers were shrunk towards zero.
fn is_shrunk(manifest: &ReconcileManifest) -> bool {
    let system = manifest.solver.method.known().map(Method::system);
    matches!(system, Some(SolvedSystem::ShrunkTree | SolvedSystem::ShrunkTable))
}

/// "1 number is", "2 numbers are".
pub(super) fn are(count: usize, noun: &str) -> String {
    format!("{} {}", counted(count, noun), if count == 1 { "is" } else { "are" })
}
