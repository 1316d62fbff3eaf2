//! The cells of a statistic by what can share an axis.

use inbounds_bundle::{QuantityEntry, StatisticEntry, UnitEntry};

use crate::cells::{Cell, Cells, Mark};

/// Cells that share an axis.
pub(super) struct View<'a> {
    /// The output that they are; none where the statistic has one, or all of them share the axis.
    pub(super) output: Option<&'a QuantityEntry>,
    pub(super) unit: &'a UnitEntry,
    /// The level or margin whose cells they are; empty where there is but one.
    pub(super) granularity: &'a str,
    pub(super) cells: Vec<&'a Cell>,
    /// All of them, where they are of one level or margin.
    pub(super) marks: Vec<Mark>,
}

impl<'a> View<'a> {
    /// The cells of each level or margin by themselves: a total would make points of its parts.
    fn by_granularity(self) -> Vec<Self> {
        let columns_of = |cell: &Cell| cell.values.iter().map(Option::is_some).collect::<Vec<_>>();
        let mut views: Vec<(Vec<bool>, Self)> = Vec::new();
        for cell in &self.cells {
            let columns = columns_of(cell);
            match views.iter_mut().find(|(known, view)| *known == columns && view.granularity == cell.granularity) {
                Some((_, view)) => view.cells.push(*cell),
                None => views.push((
                    columns,
                    Self { granularity: &cell.granularity, cells: vec![*cell], marks: Vec::new(), ..self },
                )),
            }
        }
        if views.len() > 1 { views.into_iter().map(|(_, view)| view).collect() } else { vec![self] }
    }

    /// The grouping columns that identify its cells.
    pub(super) fn columns(&self) -> Vec<usize> {
        let values = self.cells.first().map(|cell| cell.values.as_slice()).unwrap_or_default();
        let known = values.iter().enumerate().filter(|(_, value)| value.is_some());
        known.map(|(column, _)| column).collect()
    }
}

/// The views of a statistic, one an output and a level or margin: means never lie at 0 beside sums, nor parts beside
/// their total. Bins and quantiles are points of one axis.
pub(super) fn views<'a>(statistic: &'a StatisticEntry, cells: &'a Cells) -> Vec<View<'a>> {
    if statistic.traits().drawing.shares_axis() || statistic.outputs.len() < 2 {
        let unit = statistic.outputs.first().map_or(&statistic.unit, |output| &output.unit);
        let all = cells.shown.iter().collect();
        return View { output: None, unit, granularity: "", cells: all, marks: cells.bins().to_vec() }.by_granularity();
    }
    let outputs = statistic.outputs.len();
    let view = |(index, output): (usize, &'a inbounds_bundle::OutputEntry)| View {
        output: Some(&output.name),
        unit: &output.unit,
        granularity: "",
        cells: cells.shown.iter().skip(index).step_by(outputs).collect(),
        marks: cells.bins().iter().skip(index).step_by(outputs).copied().collect(),
    };
    statistic.outputs.iter().enumerate().map(view).flat_map(View::by_granularity).collect()
}

/// The shown cells by group, each with one cell an output; groups that are cut off are left out.
pub(super) fn groups<'a>(statistic: &StatisticEntry, cells: &'a Cells) -> Vec<&'a [Cell]> {
    let outputs = statistic.outputs.len().max(1);
    cells.shown.chunks_exact(outputs).collect()
}
