//! Sentences about how a reconciliation read its input, and about what the input contradicts.

use crate::figures::thousands;
use crate::{TotalLabelEntry, figures::figure};

/// That labels were read as totals.
pub(super) fn total_labels(labels: &[TotalLabelEntry]) -> String {
    let verb = match labels.len() {
        1 => "was read as the sum over its attribute",
        _ => "were read as sums over their attributes",
    };
    format!(
        "{} {verb}, not as one more value. `--no-totals` reads such labels as values, `--total LABEL` names others.",
        TotalLabelEntry::listed(labels)
    )
}

/// That a value equals the sum of the others.
pub(super) fn equals_sum(attribute: &str, value: &str, slices: usize, false_alarm: f64) -> String {
    format!(
        "`{value}` of `{attribute}` equals the sum of the other values of `{attribute}` within noise, in all of {slices} \
         comparisons. If it is their total, everything is counted twice here: write `--total \"{value}\"`. (Among tables \
         whose values are spread evenly between zero and twice the sum of the others, at most {} % have such a value.)",
        figure(100.0 * false_alarm)
    )
}

/// That numbers are too far below zero; the first with its value and the standard deviation of that.
pub(super) fn below_zero(numbers: usize, node: &str, (value, deviation): (f64, f64), false_alarm: f64) -> String {
    let subject = match numbers {
        0 | 1 => format!("`{node}` is"),
        2 => format!("`{node}` and one other number are"),
        _ => format!("`{node}` and {} other numbers are", thousands(numbers as u64 - 1)),
    };
    format!(
        "{subject} further below zero than noise explains ({} {}, standard deviation {}), but no estimate may be negative \
         here. If numbers may be negative, write `nonnegative = false` into the constraints file; if not, check these \
         measurements. (Were no true number negative, noise alone would cause this notice with probability {} % at most.)",
        if numbers > 1 { "the first has" } else { "it has" },
        figure(value),
        figure(deviation),
        figure(100.0 * false_alarm)
    )
}

/// That nodes share a name.
pub(super) fn same_name(nodes: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = nodes.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let names = match nodes.len().saturating_sub(SHOWN) {
        0 => shown.join(" and "),
        more => format!("{} and {} more", shown.join(", "), thousands(more as u64)),
    };
    format!(
        "{names} were taken for different nodes, because their parents differ. If they are one node, give it one parent."
    )
}
