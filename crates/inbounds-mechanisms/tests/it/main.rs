//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod audit;
mod contract;
mod laws;
mod log_laplace;
mod reference;
mod reference_laws;
mod sampler;
mod staircase;
