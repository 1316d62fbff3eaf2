//! The constraints of a reconciliation and how it was solved, in sentences.
//!
//! Constraints are taken apart field by field, and methods one by one, so that a new one does not compile here without its
//! sentence.

use inbounds_bundle::{
    ConstraintsEntry, Id, InputEntry, MatrixEntry, Method, ReconcileManifest, SolverEntry, SolverStatus, SystemEntry,
};

use crate::{
    figures::{figure, whole},
    release::words::counted,
};

/// What kind of estimates they are, over the title of the page.
pub(super) fn kind(manifest: &ReconcileManifest) -> &'static str {
    match &manifest.solver.method {
        Id::Known(Method::Equality | Method::Bounded | Method::Integer | Method::TopDown | Method::TopDownInteger)
            if is_tree(&manifest.input) =>
        {
            "Noisy numbers that add up"
        }
        Id::Known(Method::Isotonic | Method::IsotonicInteger) => "Noisy numbers in order",
        Id::Known(Method::Semidefinite | Method::Correlation) => "A noisy matrix made positive semidefinite",
        _ => "Noisy numbers under constraints",
    }
}

/// Whether some numbers are parts of others.
pub(super) fn is_tree(input: &InputEntry) -> bool {
    input.levels > 1
}

/// How exactly sums hold.
fn exactness(method: &Id<Method>) -> &'static str {
    match method.known() {
        Some(Method::Equality | Method::Bounded | Method::Integer | Method::TopDown | Method::TopDownInteger) => {
            ", to the last bit"
        }
        Some(Method::Rounded | Method::TotalInteger) => " exactly",
        Some(Method::Linear | Method::LinearBounded | Method::Total | Method::TotalBounded) => {
            ", up to the rounding of doubles"
        }
        // No sums are stated with these, or this version does not know.
        Some(Method::Isotonic | Method::IsotonicInteger | Method::Semidefinite | Method::Correlation) | None => "",
    }
}

/// Everything that holds of the estimates.
pub(super) fn held(manifest: &ReconcileManifest) -> Vec<String> {
    let ConstraintsEntry {
        file: _,
        sha256: _,
        nonnegative,
        integer,
        top_down,
        fixed_nodes,
        bounded_nodes,
        total,
        orders,
        equalities,
        inequalities,
        system,
        matrix,
    } = &manifest.constraints;
    let exactness = exactness(&manifest.solver.method);
    let some = |count: usize| (count > 0).then_some(count);
    let held = [
        is_tree(&manifest.input).then(|| format!("Children add up to their parent{exactness}.")),
        total.map(|total| format!("All numbers add up to {}{exactness}.", figure(total))),
        some(*equalities).map(|count| format!("{}{exactness}.", hold(count, "equality", "equalities"))),
        some(*inequalities).map(|count| format!("{}.", hold(count, "inequality", "inequalities"))),
        system.as_ref().map(|SystemEntry { triplets, sides, triplets_sha256: _, sides_sha256: _ }| {
            format!("Coefficients and right-hand sides were read from “{triplets}” and “{sides}”.")
        }),
        some(*orders).map(|count| {
            let said = if count == 1 { "One order is".to_owned() } else { format!("{} orders are", whole(count)) };
            format!("{said} kept: each number is at most the next.")
        }),
        matrix.as_ref().map(|MatrixEntry { size, unit_diagonal }| {
            let ones = if *unit_diagonal { ", with ones on the diagonal" } else { "" };
            format!("The numbers are a symmetric {size} by {size} matrix that is positive semidefinite{ones}.")
        }),
        nonnegative.then(|| "Nothing is negative.".to_owned()),
        integer.then(|| "All estimates are whole.".to_owned()),
        some(*fixed_nodes).map(|count| format!("{} known exactly.", are(count, "number"))),
        some(*bounded_nodes).map(|count| format!("{} bounds.", have_their_own(count))),
        top_down.then(|| "Upper levels are estimated first, and bounds at lower levels never change them.".to_owned()),
    ];
    let held: Vec<String> = held.into_iter().flatten().collect();
    if held.is_empty() { vec!["The estimates are under no constraint.".to_owned()] } else { held }
}

/// Which estimates were taken of those that keep this, and how well that is proved.
pub(super) fn solved(solver: &SolverEntry) -> String {
    let chosen = match &solver.method {
        Id::Known(
            Method::Equality
            | Method::Bounded
            | Method::Integer
            | Method::Linear
            | Method::LinearBounded
            | Method::Total
            | Method::TotalBounded
            | Method::TotalInteger
            | Method::Isotonic
            | Method::IsotonicInteger,
        ) => {
            "Among all numbers that satisfy this, the estimates are those nearest to the measurements, each weighted by the \
             inverse of its variance"
        }
        Id::Known(Method::TopDown | Method::TopDownInteger) => {
            "All measurements were fitted under the sums and exact values alone, each weighted by the inverse of its variance; \
             then, from the top down, the children of each number are those nearest to that fit that satisfy this, given the number"
        }
        Id::Known(Method::Rounded) => {
            "The nearest numbers that satisfy this, whole or not, were found first, each measurement weighted by the inverse of its \
             variance; then each was rounded up or down so that the equalities hold, which does not always give the nearest whole \
             numbers"
        }
        Id::Known(Method::Semidefinite | Method::Correlation) => {
            "Among all such matrices the estimate is the one nearest to the measurements in the Frobenius norm, in which entries \
             off the diagonal count twice; variances are not used as weights"
        }
        Id::Unknown(_) => "The estimates were found by a method that this version of the program does not know",
    };
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

/// Whether the numbers of a tree are kept from falling below an end; none where there is no tree, or none is known.
fn is_bounded(manifest: &ReconcileManifest) -> Option<bool> {
    let bounded = match manifest.solver.method.known()? {
        Method::Bounded | Method::Integer | Method::TopDown | Method::TopDownInteger => {
            manifest.constraints.nonnegative
        }
        Method::Equality => false,
        Method::Linear
        | Method::LinearBounded
        | Method::Rounded
        | Method::Total
        | Method::TotalBounded
        | Method::TotalInteger
        | Method::Isotonic
        | Method::IsotonicInteger
        | Method::Semidefinite
        | Method::Correlation => return None,
    };
    is_tree(&manifest.input).then_some(bounded)
}

/// What sums and bounds do to errors.
pub(super) fn trade(manifest: &ReconcileManifest) -> Option<&'static str> {
    is_bounded(manifest).map(|bounded| {
        if bounded {
            " Adding up reduces errors; bounds push small numbers up at the expense of their siblings."
        } else {
            " Adding up reduces errors."
        }
    })
}

/// What sums and bounds do to errors, by the size of the estimates.
pub(super) fn trade_by_size(manifest: &ReconcileManifest) -> Option<&'static str> {
    is_bounded(manifest)
        .filter(|bounded| *bounded)
        .map(|_| " Bounds push small numbers up at the expense of large ones.")
}

fn hold(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 stated {one} holds") } else { format!("{} stated {more} hold", whole(count)) }
}

/// "1 number is", "2 numbers are".
pub(super) fn are(count: usize, noun: &str) -> String {
    format!("{} {}", counted(count, noun), if count == 1 { "is" } else { "are" })
}

/// "1 number has its own", "2 numbers have their own".
fn have_their_own(count: usize) -> String {
    format!("{} {} own", counted(count, "number"), if count == 1 { "has its" } else { "have their" })
}
