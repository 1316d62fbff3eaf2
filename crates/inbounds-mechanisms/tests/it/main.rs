//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod audit;
mod audit_approximate;
mod contract;
mod inference;
mod designer;
mod reference;
mod rules;
mod sampler;
mod tables;
