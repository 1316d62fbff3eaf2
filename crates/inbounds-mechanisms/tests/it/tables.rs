//! Reading reference tables (`refs/tables`) and comparing with them.

use std::{fs, path::Path};

use serde_json::Value;

/// Relative agreement asked of closed forms.
pub(crate) const TOLERANCE: f64 = 1e-12;

/// The table of a file name.
pub(crate) fn table(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../refs/tables").join(name);
    serde_json::from_str(&fs::read_to_string(path).expect("reference table")).expect("valid JSON")
}

/// The rows under a key; never none.
pub(crate) fn rows<'a>(table: &'a Value, key: &str) -> &'a [Value] {
    let rows = table[key].as_array().expect(key);
    assert!(!rows.is_empty(), "{key} is empty");
    rows
}

/// A number of the table; the infinities are strings there.
pub(crate) fn number(row: &Value, key: &str) -> f64 {
    match &row[key] {
        Value::String(text) if text == "inf" => f64::INFINITY,
        Value::String(text) if text == "-inf" => f64::NEG_INFINITY,
        other => other.as_f64().unwrap_or_else(|| panic!("{key} in {row}")),
    }
}

/// Relative agreement; where a bias passes through zero, relative to `size`, the size of what was subtracted.
pub(crate) fn assert_close(computed: f64, expected: f64, size: f64, label: &str) {
    let error = (computed - expected).abs();
    assert!(error <= TOLERANCE * expected.abs().max(size), "{label}: computed {computed:e}, expected {expected:e}");
}
