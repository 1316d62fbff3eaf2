//! Integration tests.

mod documented;
mod registry;
mod zhu;
