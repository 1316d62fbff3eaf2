//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod attack;
mod audit;
mod contract;
mod reference;
mod sampler;
mod timing;
mod words;
