//! The answer of `inbounds predict`.

use std::path::Path;

use inbounds_release::predict::Predicted;
use serde_json::json;

use super::Screen;

/// How many rows have a class, and what the model cannot do.
pub(crate) fn predict(predicted: &Predicted, out: &Path, screen: Screen) -> String {
    let mut text = format!("{} rows have a class, in {}", predicted.rows, out.display());
    if predicted.without > 0 {
        text.push_str(&format!("\n{} rows have none: a feature is missing or no number", predicted.without));
    }
    for (class, feature) in &predicted.degenerate {
        text.push_str(&format!(
            "\nclass `{class}` is never chosen: its released variance of {feature} is 0; release the model with \
             mechanism = \"conditioned\""
        ));
    }
    screen.prose(&text)
}

/// The same for a machine.
pub(crate) fn predict_json(predicted: &Predicted, out: &Path) -> String {
    super::json(&json!({
        "out": out,
        "rows": predicted.rows,
        "without": predicted.without,
        "degenerate": predicted.degenerate,
    }))
}
