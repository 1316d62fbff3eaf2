//! Sentences beside figures, for every place that shows them.

use std::collections::BTreeSet;

use inbounds_bundle::{QualityEntry, QualityMeasure};
use inbounds_core::Named;

use crate::{Against, Extent, FigureCell, FigureKind, MadeFigure};

impl FigureCell {
    /// Whether the interval leaves out the value of no difference, in a word: `no`, or the side that it is on, with a
    /// star if that holds for all cells of the figure at once. None for kinds that know no difference.
    pub fn significance(&self) -> Option<&'static str> {
        let also_all = self.against_all == self.against;
        Some(match (self.against?, also_all) {
            (Against::Higher, true) => "higher *",
            (Against::Higher, false) => "higher",
            (Against::Lower, true) => "lower *",
            (Against::Lower, false) => "lower",
            (Against::Untold, _) => "no",
        })
    }
}

impl FigureKind {
    /// Noun for a figure of the kind.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Ratio => "a ratio",
            Self::Rate => "a rate",
            Self::Difference => "a difference",
            Self::Change => "a change",
            Self::Index => "an index, of which the base cell is 100",
            Self::WeightedSum => "a weighted sum",
            Self::StandardisedRate => "a standardised rate",
            Self::Rank => "places, the largest number first",
        }
    }
}

impl MadeFigure {
    /// Its title: its label, or its name.
    pub fn title(&self) -> &str {
        self.entry.label.as_ref().unwrap_or(&self.entry.name)
    }

    /// Behind the level of its intervals: that they hold for several cells at once, or nothing.
    pub fn at_once(&self) -> &'static str {
        if self.entry.joint && self.cells.len() > 1 { ", all at once" } else { "" }
    }

    /// Its kind, if this version knows it.
    pub fn known_kind(&self) -> Option<FigureKind> {
        FigureKind::named(&self.entry.kind)
    }

    /// The columns that identify its cells, in the order of their names.
    pub fn key_columns(&self) -> Vec<String> {
        let columns: BTreeSet<&String> = self.cells.iter().flat_map(|cell| cell.key.keys()).collect();
        columns.into_iter().cloned().collect()
    }

    /// Notes on its cells, by the classes of the release if it has some.
    pub fn notes(&self, quality: Option<&QualityEntry>) -> Vec<&'static str> {
        let any = |is: fn(&FigureCell) -> bool| self.cells.iter().any(is);
        let is_rank = self.known_kind() == Some(FigureKind::Rank);
        let by_rmse = quality.is_some_and(|quality| quality.of.is(QualityMeasure::Rmse));
        let notes = [
            (any(|cell| cell.raw_rmse.is_none()) && !is_rank).then_some(
                "Bias and RMSE are undefined: the figure divides by a noisy number, which can be zero.",
            ),
            (by_rmse && any(|cell| cell.quality.is_some() && cell.errors_at_estimate.is_none())).then_some(
                "Where no RMSE is stated, quality is half of the width of the interval over the normal quantile of its level.",
            ),
            (is_rank && any(|cell| cell.raw.is_none())).then_some(
                "A cell without a measurement has no place from measurements; among the others it stands at its estimate.",
            ),
            any(|cell| cell.extent == Extent::Contradiction)
                .then_some("An interval with ! is all that is possible: the measurements contradict all of it."),
            any(|cell| cell.against.is_some()).then_some(
                "Significant: whether the interval leaves out the value of no difference, and to which side; with * also \
                 where all cells are to be right at once.",
            ),
        ];
        notes.into_iter().flatten().collect()
    }
}
