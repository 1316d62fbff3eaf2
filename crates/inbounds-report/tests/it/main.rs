//! The page of a bundle, as a reader meets it.

mod browser;
mod bundle;
mod page;
mod refused;
