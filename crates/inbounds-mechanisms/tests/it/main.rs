//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod attack;
mod audit;
mod audit_approximate;
mod contract;
mod designer;
mod gaussian_sampler;
mod inference;
mod reference;
mod rules;
mod sampler;
mod tables;
mod timing;
mod words;
