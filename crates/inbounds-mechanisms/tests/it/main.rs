//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod audit;
mod contract;
mod designer;
mod reference;
mod sampler;
