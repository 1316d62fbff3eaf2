//! The integration tests of the crate, one binary.

mod alternatives;
mod ends;
mod every_margin;
mod figures;
mod fits;
mod grants;
mod hierarchy;
mod joint;
mod kinds;
mod learned;
mod left_out;
mod margins;
mod notices;
mod plan;
mod possible;
mod ranges;
mod shares;
mod spending;
mod thousand;
mod together;
mod under_total;
mod wants;
