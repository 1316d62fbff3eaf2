//! The page as it is served, over sockets and in a browser.

mod browser;
mod pages;
mod refused;
mod server;
