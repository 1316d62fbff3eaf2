//! Colours of a drawing.

/// Colours of a figure.
pub(super) struct Inks {
    /// Words and axes.
    pub(super) text: &'static str,
    /// Lines of the grid.
    pub(super) grid: &'static str,
    /// Behind everything.
    pub(super) background: &'static str,
    /// Colours of series, in turn.
    pub(super) series: [&'static str; 7],
}
