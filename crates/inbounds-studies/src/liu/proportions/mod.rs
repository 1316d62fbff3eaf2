//! Four proportions of a sample, sanitised and made to add up.

mod procedure;
mod results;
mod studies;

pub(super) use procedure::Procedure;
pub(super) use results::{EPSILONS, ROWS, Results, SHARES, Setting, sample};
pub(super) use studies::{ALL_BUT_ONE, MULTIPLE_SYNTHESIS, PAIR_SUMS, RESCALING, UNIVERSAL_HISTOGRAM};
