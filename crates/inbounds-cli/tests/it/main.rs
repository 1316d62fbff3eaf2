//! The program as a user meets it: files in, files and words out.

mod bad_input;
mod demo;
mod interrupted;
mod mechanisms;
mod repository;
mod workbench;
