//! The cells of a statistic by what can share an axis.

use inbounds_bundle::{QuantityEntry, StatisticEntry, UnitEntry};

use crate::cells::{Cell, Cells, Mark};

/// Cells that share an axis.
pub(super) struct View<'a> {
    /// The output that they are; none where the statistic has one, or all of them share the axis.
    pub(super) output: Option<&'a QuantityEntry>,
    pub(super) unit: &'a UnitEntry,
    /// Those that are shown one by one.
    pub(super) cells: Vec<&'a Cell>,
    /// All of them.
    pub(super) marks: Vec<Mark>,
}

/// The views of a statistic, one an output: means never lie at 0 beside sums. Bins and quantiles are points of one
/// axis.
pub(super) fn views<'a>(statistic: &'a StatisticEntry, cells: &'a Cells) -> Vec<View<'a>> {
    if statistic.traits().drawing.shares_axis() || statistic.outputs.len() < 2 {
        let unit = statistic.outputs.first().map_or(&statistic.unit, |output| &output.unit);
        return vec![View { output: None, unit, cells: cells.shown.iter().collect(), marks: cells.marks.clone() }];
    }
    let outputs = statistic.outputs.len();
    let view = |(index, output): (usize, &'a inbounds_bundle::OutputEntry)| View {
        output: Some(&output.name),
        unit: &output.unit,
        cells: cells.shown.iter().skip(index).step_by(outputs).collect(),
        marks: cells.marks.iter().skip(index).step_by(outputs).copied().collect(),
    };
    statistic.outputs.iter().enumerate().map(view).collect()
}

/// The shown cells by group, each with one cell an output; groups that are cut off are left out.
pub(super) fn groups<'a>(statistic: &StatisticEntry, cells: &'a Cells) -> Vec<&'a [Cell]> {
    let outputs = statistic.outputs.len().max(1);
    cells.shown.chunks_exact(outputs).collect()
}
