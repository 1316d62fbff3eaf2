//! A page where a plan is made, tried and saved before anything is spent. **It never reads a row.**
//!
//! All numbers are those of `inbounds check` ([`View`] holds its record whole) and of the mechanisms of the plan
//! ([`PublishedLaw`], [`Compared`]): the page computes none that is a property of the plan. A control of the page
//! changes the text of the plan ([`Change`]), and what is shown follows from the text.
//!
//! - [`Explorer`] serves the page on the loopback interface, to a client that has the token in its address.
//! - [`standalone`](fn@standalone) writes it as one file, with numbers computed beforehand.

#![deny(missing_docs)]

mod change;
mod page;
mod plan_file;
mod published;
mod ranks;
mod server;
mod standalone;
mod view;

use std::ops::RangeInclusive;

pub use change::{Change, ChangeError, Wanted, WantedWord};
pub use plan_file::PlanFileError;
pub use published::{Publication, PublishedLaw};
pub use ranks::RanksKept;
pub use server::{ExploreError, Explorer, MOST_BYTES, MOST_CONNECTIONS, ServedPage};
pub use standalone::{StandaloneError, standalone};
pub use view::{Compared, ComparedMechanism, MistakenView, Place, PlacedMessage, SoundView, View};

/// Dots of a quantile dotplot.
pub const DOTS: RangeInclusive<usize> = 20..=50;
