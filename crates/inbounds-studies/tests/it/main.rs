//! Integration tests.

mod documented;
mod registry;
