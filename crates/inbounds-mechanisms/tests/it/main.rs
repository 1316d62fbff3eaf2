//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod attack;
mod audit;
mod audit_approximate;
mod audit_gaussian;
mod contract;
mod designer;
mod gaussian_sampler;
mod inference;
mod hockey_stick;
mod reference;
mod rules;
mod sampler;
mod tables;
mod timing;
mod words;
