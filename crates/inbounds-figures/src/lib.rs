//! Rates, differences, change and ranks of published numbers, with intervals from the laws of their noise.
//!
//! Everything here is post-processing: it reads bundles and public files, no row, and costs no epsilon.
//!
//! - [`law`]: the mathematics, without a bundle;
//! - [`FiguresFile`]: which figures are to be made; [`FigureKind`]: what there is;
//! - [`figures`]: makes and writes them; [`figures_within`] those of a plan, in its release; [`FigureCell`]: what is
//!   found of a key;
//! - [`PlannedStatistic`]: of which [`FiguresFile::rehearse`] tells before a release what could not be made;
//! - [`compare`]: the change of every number from one release to another.
//!
//! A bundle publishes the law of every measurement. Each published number is a linear form of measurements, or a
//! quotient of two, so that the noise of any figure follows, and what two numbers have in common is seen in their
//! forms.

#![deny(missing_docs)]

mod cell;
mod compare;
mod difference;
mod error;
mod evaluate;
mod file;
mod kind;
pub mod law;
mod method;
mod numbers;
mod operand;
mod rank;
mod read;
mod rehearse;
mod solve;
mod table;
mod words;
mod write;

pub use cell::{Against, Extent, FigureCell};
pub use compare::compare;
pub use error::{FiguresError, Refusal};
pub use file::{FigureOutline, FiguresFile, NamedStatistic};
pub use kind::FigureKind;
pub use method::FigureMethod;
pub use numbers::{PlannedNumber, PlannedStatistic, StatisticShape, read_release};
pub use write::{
    ComparisonEntry, FIGURES_SCHEMA, FigureEntry, FiguresMade, FiguresManifest, MadeFigure, NotCompared, NotMade,
    figures, figures_within,
};
