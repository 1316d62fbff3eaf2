//! Integration tests.

mod documented;
mod liu;
mod registry;
mod zhu;
