//! Shorthands for figures.

use inbounds_plot::{Axis, Panel, Series};

/// A panel without lines across.
pub(crate) fn panel(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x, y, series, references: Vec::new() }
}

/// `steps + 1` numbers from `low` to `high`, evenly.
pub(crate) fn even(low: f64, high: f64, steps: u32) -> impl Iterator<Item = f64> + Clone {
    (0..=steps).map(move |step| low + (high - low) * f64::from(step) / f64::from(steps))
}

/// `steps + 1` numbers from `low` to `high`, each the same multiple of the one before.
pub(crate) fn geometric(low: f64, high: f64, steps: u32) -> impl Iterator<Item = f64> + Clone {
    let (first, last) = (libm::log(low), libm::log(high));
    even(first, last, steps).map(move |log| if log == last { high } else { libm::exp(log) })
}
