//! Labels of the numbers of a measured vector.

use std::fmt;

use inbounds_core::Quantity;

/// Label of a number that a cell contributes to a measured vector; its [`Display`](fmt::Display) is its name in tables.
#[derive(Debug, Clone, PartialEq)]
pub enum CellEntry {
    /// The only one of its cell; it has no name.
    Only,
    /// One of a few, by name.
    Named(&'static str),
    /// A number of rows between two edges.
    Bin([f64; 2]),
    /// A number of rows in a run of bins around chosen ones, by its place from the lowest.
    Run(usize),
    /// One of several quantities that are measured together.
    Of(Quantity),
}

impl fmt::Display for CellEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Only => Ok(()),
            Self::Named(name) => formatter.write_str(name),
            Self::Bin([lower, upper]) => write!(formatter, "{lower} to {upper}"),
            Self::Run(place) => write!(formatter, "run {}", place + 1),
            Self::Of(quantity) => quantity.fmt(formatter),
        }
    }
}
