//! Published numbers of a bundle, as linear forms of its measurements.
//!
//! Every number that a figure can be made of is a linear form of measured numbers, or a quotient of two: a count is one
//! measurement, a mean a sum over a number of rows, and a number of a fit that adds up the weighted sum of measurements
//! that the linear fit gives it. Two numbers have in common what measurements their forms have in common, and nothing
//! else of their noise; so correlations need not be declared.
//!
//! - `form`: forms and quotients; `atoms`: the measurements with their laws;
//! - `shape`: of a statistic what decides that; `statistic`: its numbers, published or planned;
//! - `bundle`: the files; `making`: of which measurements a cell is made; `fit`: the weights of levels and margins.

mod atoms;
mod bundle;
mod fit;
mod form;
mod making;
mod shape;
mod statistic;

pub(crate) use atoms::{Atom, Atoms};
pub(crate) use bundle::Published;
pub use bundle::read_release;
pub(crate) use form::{Form, Raw};
pub use shape::StatisticShape;
pub use statistic::{PlannedNumber, PlannedStatistic};
pub(crate) use statistic::{Statistic, Statistics};

pub(crate) use crate::table::Key;
