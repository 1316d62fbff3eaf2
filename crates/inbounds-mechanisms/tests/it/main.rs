//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod audit;
mod audit_approximate;
mod audit_gaussian;
mod contract;
mod hockey_stick;
mod reference;
mod sampler;
