//! The answer of `inbounds predict`.

use std::path::Path;

use inbounds_release::predict::Predicted;
use serde_json::json;

use super::Screen;

/// How many rows have a class.
pub(crate) fn predict(predicted: &Predicted, out: &Path, screen: Screen) -> String {
    let mut text = format!("{} rows have a class, in {}", predicted.rows, out.display());
    if predicted.without > 0 {
        text.push_str(&format!("\n{} rows have none: a feature is missing or no number", predicted.without));
    }
    screen.prose(&text)
}

/// The same for a machine.
pub(crate) fn predict_json(predicted: &Predicted, out: &Path) -> String {
    super::json(&json!({
        "out": out,
        "rows": predicted.rows,
        "without": predicted.without,
    }))
}
