//! The answer of `inbounds predict`.

use std::path::Path;

use inbounds_release::predict::Predicted;
use serde_json::json;

use super::Screen;

/// Number of rows with a class, and the outcome for the others.
pub(crate) fn predict(predicted: &Predicted, out: &Path, screen: Screen) -> String {
    let rows = |count: u64, one: &str, many: &str| {
        if count == 1 { format!("\n1 row {one}") } else { format!("\n{count} rows {many}") }
    };
    let mut text = match predicted.rows {
        1 => format!("1 row has a class, in {}", out.display()),
        rows => format!("{rows} rows have a class, in {}", out.display()),
    };
    if predicted.filled > 0 {
        let lack = if predicted.filled == 1 { "lacks" } else { "lack" };
        text.push_str(&format!(
            "\n{} of them {lack} a number in some column, which counts as the plan's `missing` says",
            predicted.filled
        ));
    }
    if predicted.without > 0 {
        let why = "none: a feature is missing, unreadable or infinite";
        text.push_str(&rows(predicted.without, &format!("has {why}"), &format!("have {why}")));
    }
    if predicted.unreadable > 0 {
        let cells = predicted.columns.iter().map(|column| format!("{} in `{}`", column.cells, column.column));
        let cells: Vec<String> = cells.collect();
        let why = format!("cells that the plan's rules cannot read: {}", cells.join(", "));
        text.push_str(&rows(predicted.unreadable, &format!("has {why}"), &format!("have {why}")));
    }
    screen.prose(&text)
}

/// The predictions as JSON.
pub(crate) fn predict_json(predicted: &Predicted, out: &Path) -> String {
    let mut value = serde_json::to_value(predicted).expect("numbers and strings serialise");
    value["out"] = json!(out);
    super::json(&value)
}
