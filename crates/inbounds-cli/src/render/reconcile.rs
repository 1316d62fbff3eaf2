//! The answer of `inbounds reconcile`.

use inbounds_bundle::{ErrorMethod, ReconcileManifest};
use inbounds_release::reconcile::{By, FairnessRow, Node, Reconciled};

use super::{
    figures::{figure, simulated},
    table,
};

/// Nodes shown; the bundle has all.
const SHOWN: usize = 12;

/// Estimates on the terminal, who bears the error, and where the rest is.
pub(crate) fn reconcile(reconciled: &Reconciled) -> String {
    let manifest = &reconciled.manifest;
    let mut parts = vec![headline(manifest), nodes(reconciled)];
    let leaves: Vec<&FairnessRow> = reconciled.fairness.iter().filter(|row| row.nodes == "leaves").collect();
    if !leaves.is_empty() {
        parts.push(fairness(&leaves));
    }
    parts.extend(manifest.warnings.iter().map(|warning| format!("Warning: {warning}.")));
    parts.push(format!("Bundle: {}", reconciled.folder.display()));
    parts.join("\n\n")
}

fn headline(manifest: &ReconcileManifest) -> String {
    let (input, solver) = (&manifest.input, &manifest.solver);
    let certificate = &solver.certificate;
    let worst = certificate.stationarity.max(certificate.feasibility).max(certificate.complementarity);
    let met = if worst == 0.0 { "exactly".to_owned() } else { format!("to {worst:.0e}") };
    let shape = match input.levels {
        1 => format!("{} nodes", input.nodes),
        levels => format!("{} nodes in {levels} levels, {} of them leaves", input.nodes, input.leaves),
    };
    format!(
        "{shape}, {} measurements\n{}: {}, conditions of optimality met {met}",
        input.measurements, solver.method, solver.status,
    )
}

fn nodes(reconciled: &Reconciled) -> String {
    let level = reconciled.manifest.error.interval.as_ref().map(|interval| interval.level);
    let interval = level.map_or_else(|| "interval".to_owned(), |level| format!("{} % interval", figure(100.0 * level)));
    let header = ["node", "estimate", &interval, "bias there", "RMSE there", "measurement", "its RMSE"];
    let missing = || "-".to_owned();
    let row = |node: Node<'_>| {
        let indent = "  ".repeat(node.level.min(8) as usize);
        vec![
            format!("{indent}{}", node.name),
            figure(node.estimate),
            node.interval.map_or_else(missing, |(lower, upper)| format!("{} to {}", figure(lower), figure(upper))),
            node.error.map_or_else(missing, |error| simulated(error.bias, error.bias_error)),
            node.error.map_or_else(missing, |error| simulated(error.rmse, error.rmse_error)),
            node.measured.map_or_else(missing, |(value, _)| figure(value)),
            node.measured.map_or_else(missing, |(_, variance)| figure(variance.sqrt())),
        ]
    };
    let all = reconciled.nodes();
    let hidden = all.len().saturating_sub(SHOWN);
    let more = if hidden == 0 { String::new() } else { format!("\n... and {hidden} more in the bundle") };
    let runs = match &reconciled.manifest.error {
        error if error.method.is(ErrorMethod::ExactVariance) || error.replicates == 0 => String::new(),
        error => format!(
            "\nBias and RMSE are from {} runs with new noise, with the standard error that this leaves.",
            error.replicates
        ),
    };
    format!("{}{more}{runs}", table(&header, 1, all.take(SHOWN).map(row)))
}

/// Who bears the error, among the leaves.
fn fairness(leaves: &[&FairnessRow]) -> String {
    let header = ["leaves by", "class", "leaves", "mean bias", "standard deviation", "before"];
    let mut last = None;
    let rows = leaves.iter().map(|row| {
        let by = match row.by {
            By::Size => "estimate",
            By::Siblings => "siblings",
        };
        let first = last.replace(row.by) != Some(row.by);
        vec![
            if first { by.to_owned() } else { String::new() },
            row.class.clone(),
            row.count.to_string(),
            simulated(row.mean_bias, row.mean_bias_error),
            figure(row.mean_variance.sqrt()),
            row.mean_measured_variance.map_or_else(|| "-".to_owned(), |variance| figure(variance.sqrt())),
        ]
    });
    format!("Who bears the error\n{}", table(&header, 2, rows))
}
