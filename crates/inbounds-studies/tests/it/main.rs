//! Integration tests.

mod documented;
mod fairness;
mod liu;
mod registry;
mod statements;
mod zhu;
