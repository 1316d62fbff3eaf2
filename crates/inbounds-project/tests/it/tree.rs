//! Trees.

mod brute;
mod equality;
mod exact;
mod grid;
mod infeasible;
mod integer;
mod rival;
mod shrunk;
mod systems;
mod tables;
mod top_down;
