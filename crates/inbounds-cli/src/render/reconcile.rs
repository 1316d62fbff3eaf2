//! The answer of `inbounds reconcile`.

use inbounds_bundle::{ErrorMethod, ReconcileManifest, TableEntry};
use inbounds_reconcile::{By, FairnessRow, Node, Reconciled};

use super::{
    Screen, Shown,
    columns::Table,
    figures::{figure, simulated},
    interval, none, note,
    release::{OUTSIDE, marked},
};

/// Estimates on the terminal, who bears the error, and where the rest is.
pub(crate) fn reconcile(reconciled: &Reconciled, shown: Shown, screen: Screen) -> String {
    let manifest = &reconciled.manifest;
    let first = manifest.notices.iter().filter(|notice| notice.comes_first());
    let mut parts: Vec<String> = first.map(|notice| screen.prose(&format!("Warning: {}", notice.sentence()))).collect();
    parts.extend([screen.prose(&headline(manifest)), nodes(reconciled, shown, screen)]);
    let leaves: Vec<&FairnessRow> = reconciled.fairness.iter().filter(|row| row.nodes == "leaves").collect();
    if !leaves.is_empty() {
        parts.push(format!("Who bears the error\n{}", screen.table(&fairness(&leaves))));
    }
    parts.extend(manifest.warnings.iter().map(|warning| screen.prose(&format!("Warning: {warning}."))));
    let others = manifest.notices.iter().filter(|notice| !notice.comes_first());
    parts.extend(others.map(|notice| screen.prose(&note(notice))));
    parts.push(format!("Bundle: {}", reconciled.folder.display()));
    parts.join("\n\n")
}

fn headline(manifest: &ReconcileManifest) -> String {
    let (input, solver) = (&manifest.input, &manifest.solver);
    let certificate = &solver.certificate;
    let worst = certificate.stationarity.max(certificate.feasibility).max(certificate.complementarity);
    let met = if worst == 0.0 { "exactly".to_owned() } else { format!("to {worst:.0e}") };
    let shape = match (&manifest.constraints.table, input.levels) {
        (Some(table), _) => format!("{} nodes of a table by {}", input.nodes, table.attributes()),
        (None, 1) => format!("{} nodes", input.nodes),
        (None, levels) => format!("{} nodes in {levels} levels, {} of them leaves", input.nodes, input.leaves),
    };
    let totals = manifest.constraints.table.as_ref().and_then(TableEntry::totals);
    let totals = totals.map(|totals| format!("; {totals}")).unwrap_or_default();
    format!(
        "{shape}, {} measurements{totals}\n{}: {}, conditions of optimality met {met}",
        input.measurements, solver.method, solver.status,
    )
}

fn nodes(reconciled: &Reconciled, shown: Shown, screen: Screen) -> String {
    let error = &reconciled.manifest.error;
    let level = error.interval.as_ref().map(|interval| format!("{} %", figure(100.0 * interval.level)));
    let all = reconciled.nodes();
    let count = all.len();
    let rows: Vec<Node<'_>> = all.take(shown.limit()).collect();
    let percent = level.as_deref().unwrap_or("");
    let table = Table::default()
        .words("node", &rows, |node| format!("{}{}", "  ".repeat(node.level.min(8) as usize), node.name))
        .figures("estimate", &rows, |node| marked(node.estimate, node.is_outside()))
        .figures(format!("{percent} interval").trim(), &rows, |node| {
            node.interval.map_or_else(none, |(lower, upper)| interval(lower, upper))
        })
        .figures("bias", &rows, |node| node.error.map_or_else(none, |error| simulated(error.bias, error.bias_error)))
        .figures("RMSE", &rows, |node| node.error.map_or_else(none, |error| simulated(error.rmse, error.rmse_error)))
        .figures(format!("± {percent}").trim(), &rows, |node| {
            node.interval.map_or_else(none, |(lower, upper)| figure(0.5 * (upper - lower)))
        })
        .figures("measurement", &rows, |node| node.measured.map_or_else(none, |(value, _)| figure(value)))
        .figures("its RMSE", &rows, |node| node.measured.map_or_else(none, |(_, variance)| figure(variance.sqrt())));
    let mut notes: Vec<String> = shown.more(count).into_iter().collect();
    if rows.iter().any(Node::is_outside) {
        notes.insert(0, OUTSIDE.to_owned());
    }
    if !error.method.is(ErrorMethod::ExactVariance) && error.replicates > 0 {
        notes.push(format!(
            "Bias and RMSE are from {} simulations that take the estimates as the truth; ± is their standard error.",
            error.replicates
        ));
    }
    screen.table_with_notes(&table, &notes.join("\n"))
}

/// Who bears the error, among the leaves.
fn fairness(leaves: &[&FairnessRow]) -> Table {
    let by = |row: &&FairnessRow| match row.by {
        By::Size => "estimate".to_owned(),
        By::Siblings => "siblings".to_owned(),
    };
    Table::default()
        .words_once("leaves by", leaves, by)
        .words("class", leaves, |row| row.class.clone())
        .figures("leaves", leaves, |row| row.count.to_string())
        .figures("mean bias", leaves, |row| simulated(row.mean_bias, row.mean_bias_error))
        .figures("standard deviation", leaves, |row| figure(row.mean_variance.sqrt()))
        .figures("before", leaves, |row| {
            row.mean_measured_variance.map_or_else(none, |variance| figure(variance.sqrt()))
        })
}
