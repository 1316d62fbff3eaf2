//! Labels along axes.

use std::sync::Arc;

use kuva::render::layout::TickFormat;

use super::{Axis, ticks::Ticks};

/// Families tried in turn; the last is every viewer's own.
pub(super) const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// Width of the labels of an upright axis of numbers, and of all else beside the area of the marks.
pub(super) const MARGIN: f64 = 110.0;

/// Width of a letter of a label.
pub(super) const LETTER: f64 = 7.3;

/// Letters of a label that fit along a side, beside what stands at its ends.
pub(super) fn letters(side: f64) -> usize {
    ((side - MARGIN) / LETTER).max(8.0) as usize
}

pub(super) fn labelled(axis: &Axis, hidden: usize) -> String {
    let label = plain(&axis.label);
    if hidden == 0 { label } else { format!("{label} ({hidden} not shown)") }
}

pub(super) fn numbers(ticks: Ticks, axis: &Axis) -> TickFormat {
    let numbers = axis.numbers;
    TickFormat::Custom(Arc::new(move |value: f64| ticks.label(value, numbers)))
}

/// Names in place of the numbers from one on. The library has named axes too, but draws no grid beside them.
pub(super) fn words<'a>(names: impl Iterator<Item = &'a String>) -> TickFormat {
    let names: Vec<String> = names.map(|name| plain(name)).collect();
    TickFormat::Custom(Arc::new(move |value: f64| {
        let index = value.round() as usize;
        index.checked_sub(1).and_then(|index| names.get(index)).cloned().unwrap_or_default()
    }))
}

/// The library reads what stands between two dollars as a formula.
pub(super) fn plain(words: &str) -> String {
    words.replace('$', "\\$")
}
