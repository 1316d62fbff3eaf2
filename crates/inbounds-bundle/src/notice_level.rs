//! The level of margins in notices and diagnostics.

use crate::figures::figure;

/// Level of the margins that notices and diagnostics state, whatever a plan chooses for its statistics.
pub const NOTICE_LEVEL: f64 = 0.95;

/// The level in words.
pub(crate) fn at_level() -> String {
    format!("at {} %", figure(100.0 * NOTICE_LEVEL))
}
