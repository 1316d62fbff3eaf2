//! The figures, tables and printed numbers of five papers, computed again with the public interface of inbounds.
//!
//! - Liu, *Statistical properties of sanitized results from differentially private Laplace mechanism with univariate
//!   bounding constraints*;
//! - Holohan, Antonatos, Braghin and Mac Aonghusa, *The bounded Laplace mechanism in differential privacy*;
//! - McGlinchey and Mason, *Observations on the bias of nonnegative mechanisms for differential privacy*;
//! - Zhu, Van Hentenryck and Fioretto, *Bias and variance of post-processing in differential privacy*;
//! - Zhu, Fioretto and Van Hentenryck, *Post-processing of differentially private data: a fairness perspective*.
//!
//! A [`Statement`] is what a paper says at one place: a theorem, a figure, a printed number. A [`Study`] computes
//! some of them. It returns [`Findings`]: tables, a picture, and [`Check`]s, each with a verdict that the numbers
//! beside it must bear out, and each claim of a paper with its statement. [`registry::all`] lists the studies,
//! [`pages`] writes a page per paper from what they found, and a [`suite`] runs several and puts everything into a
//! folder.
//!
//! Nothing here is for releases. Draws are seeded doubles, and one module holds what is not private at all.

mod check;
mod draws;
mod fairness;
pub mod files;
mod holohan;
mod island;
mod liu;
mod mcglinchey;
mod monte_carlo;
pub mod pages;
mod paper;
mod picture;
mod places;
mod published_scale;
pub mod registry;
pub mod statement;
mod study;
pub mod suite;
mod table;
mod written;
mod zhu;

pub use check::{Check, Claim, Standing, Verdict};
pub use paper::Paper;
pub use statement::Statement;
pub use study::{Context, Findings, Progress, Settings, Silent, Study, StudyError};
pub use table::{Cell, Table};
