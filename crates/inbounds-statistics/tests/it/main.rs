//! Tests of the statistics as the release uses them.

mod linear;
mod neighbours;
mod proportion;
mod quantile;
mod ratio;
