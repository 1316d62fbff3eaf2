//! Tests of the statistics as the release uses them.

mod neighbours;
mod proportion;
mod ratio;
