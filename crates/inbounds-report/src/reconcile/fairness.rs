//! Who bears the error, as the bundle has it.

use std::path::Path;

use crate::{ReportError, cells::Sheet};

/// A class of leaves or inner nodes.
pub(super) struct Class {
    pub(super) nodes: String,
    pub(super) by: String,
    pub(super) class: String,
    pub(super) count: f64,
    pub(super) bias: f64,
    pub(super) bias_error: f64,
    /// Standard deviation of the estimates.
    pub(super) after: f64,
    /// Standard deviation of the measurements.
    pub(super) before: Option<f64>,
}

pub(super) fn read(path: &Path) -> Result<Vec<Class>, ReportError> {
    // Without replicates there may be no errors, and no table of them.
    if !path.exists() {
        return Ok(vec![]);
    }
    let sheet = Sheet::open(path)?;
    let [nodes, by, class] = [sheet.column("nodes")?, sheet.column("by")?, sheet.column("class")?];
    let (count, bias, error) = (sheet.column("count")?, sheet.column("mean_bias")?, sheet.column("mean_bias_error")?);
    let (after, before) = (sheet.column("mean_variance")?, sheet.column("mean_measured_variance")?);
    let mut classes = Vec::new();
    sheet.for_each(|row| {
        classes.push(Class {
            nodes: row.text(nodes).to_owned(),
            by: row.text(by).to_owned(),
            class: row.text(class).to_owned(),
            count: row.required(count)?,
            bias: row.required(bias)?,
            bias_error: row.required(error)?,
            after: row.required(after)?.sqrt(),
            before: row.number(before)?.map(f64::sqrt),
        });
        Ok(())
    })?;
    Ok(classes)
}
