//! Tests of the mechanisms as a user sees them: reference tables, exact audits, sampler statistics, contracts.

mod attack;
mod audit;
mod audit_approximate;
mod audit_gaussian;
mod audit_vectors;
mod contract;
mod cube;
mod designer;
mod ended;
mod gaussian_sampler;
mod hockey_stick;
mod inference;
mod laws;
mod log_laplace;
mod partition;
mod reference;
mod reference_laws;
mod rules;
mod sampler;
mod selection;
mod staircase;
mod tables;
mod tabulated;
mod timing;
mod words;
