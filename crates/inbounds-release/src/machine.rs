//! The machine that reads the rows.

use std::path::PathBuf;

use inbounds_data::{Engine, UnitMemory};

/// What the machine that reads the rows may use. Nothing of it changes an answer, or is said in a bundle.
///
/// # Example
/// ```
/// use inbounds_release::Machine;
/// let machine = Machine { unit_memory: Some(2 << 30), spill: Some("/scratch".into()) };
/// assert_eq!(Machine::default().unit_memory, None);
/// # let _ = machine;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// Most bytes that are held of the units of the rows; `None` for no limit.
    pub unit_memory: Option<u64>,
    /// A folder in which rows of units wait beyond that, encrypted.
    pub spill: Option<PathBuf>,
}

impl Machine {
    /// Has an engine keep to it.
    pub(crate) fn limit(&self, engine: &mut dyn Engine) {
        engine.limit_units(&UnitMemory { limit: self.unit_memory, spill: self.spill.clone() });
    }
}
