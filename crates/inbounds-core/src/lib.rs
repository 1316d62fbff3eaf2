//! Vocabulary and exact numerics of inbounds: what every other crate agrees on.
//!
//! Nothing here draws randomness, reads data or knows a statistic. The types fall in five groups:
//!
//! - privacy words: [`Epsilon`], [`Delta`], [`Rho`], [`Guarantee`], [`Neighbours`], [`Sensitivity`];
//! - numbers on which a privacy claim may rest: [`Rational`] (exact), [`Enclosure`] (outward rounded),
//!   [`Grid`] and [`StepRange`] (public lattices of possible answers), [`Answer`] and [`Tally`] (private exact
//!   integers);
//! - [`Region`]: which rows can count, as far as public conditions say;
//! - [`Approval`]: who approved a plan, and why;
//! - [`IntervalMethod`]: what an interval rests on; [`Quantity`]: what a number is;
//! - floating-point helpers for *describing* error, never for claiming privacy: [`special`], [`quadrature`], [`root`]
//!   and
//!   [`monte_carlo`];
//! - [`planted`]: the hooks of the defects that tests of the audit plant, which the program does not have.

mod answer;
mod approval;
mod enclosure;
mod error;
mod grid;
mod method;
pub mod monte_carlo;
mod named;
pub mod planted;
mod privacy;
pub mod quadrature;
mod quantity;
mod rational;
mod region;
pub mod root;
mod sensitivity;
pub mod special;
mod tally;

pub use answer::{Answer, NarrowAnswer, sums_of_groups, sums_of_spans};
pub use approval::Approval;
pub use enclosure::Enclosure;
pub use error::CoreError;
pub use grid::{Grid, StepRange};
pub use method::IntervalMethod;
pub use named::Named;
pub use privacy::{Delta, Epsilon, Guarantee, Neighbours, Rho};
pub use quantity::Quantity;
pub use rational::Rational;
pub use region::{Cells, Limit, Partition, Region, Span, SpanEnd};
pub use sensitivity::Sensitivity;
pub use tally::Tally;
