//! The figures, tables and printed numbers of five papers, computed again with the public interface of inbounds.
//!
//! - Liu, *Statistical properties of sanitized results from differentially private Laplace mechanism with univariate
//!   bounding constraints*;
//! - Holohan, Antonatos, Braghin and Mac Aonghusa, *The bounded Laplace mechanism in differential privacy*;
//! - McGlinchey and Mason, *Observations on the bias of nonnegative mechanisms for differential privacy*;
//! - Zhu, Van Hentenryck and Fioretto, *Bias and variance of post-processing in differential privacy*;
//! - Zhu, Fioretto and Van Hentenryck, *Post-processing of differentially private data: a fairness perspective*.
//!
//! A [`Study`] is one figure, table or statement. It returns [`Findings`]: tables, a picture, and [`Check`]s, each with a
//! verdict that the numbers beside it must bear out. [`registry::all`] lists the studies, [`pages`] writes a page per paper
//! from what they found, and a [`suite`] runs several and puts everything into a folder.
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
mod picture;
mod places;
mod published_scale;
pub mod registry;
mod study;
pub mod suite;
mod table;
mod zhu;

pub use check::{Check, Claim, Standing, Verdict};
pub use study::{Context, Findings, Paper, Progress, Settings, Silent, Study, StudyError};
pub use table::{Cell, Table};
