//! The records of a bundle: what a release writes and a page reads, as one type each.
//!
//! - [`Notice`]: what a reader has to know before using a number.

mod notice;

pub use notice::{End, KnownRows, Notice, ODDS_OF_FALSE_NOTICE};
