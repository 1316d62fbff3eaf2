//! Four proportions of a sample, sanitised and made to add up.

mod all_but_one;
mod compare;
mod histogram;
mod procedure;
mod rescaling;
mod results;
mod sums;
mod synthesis;

pub(super) use all_but_one::STUDY as ALL_BUT_ONE;
pub(super) use histogram::STUDY as UNIVERSAL_HISTOGRAM;
pub(super) use procedure::Procedure;
pub(super) use rescaling::STUDY as RESCALING;
pub(super) use results::{EPSILONS, ROWS, Results, SHARES, Setting, sample};
pub(super) use sums::STUDY as PAIR_SUMS;
pub(super) use synthesis::STUDY as MULTIPLE_SYNTHESIS;
