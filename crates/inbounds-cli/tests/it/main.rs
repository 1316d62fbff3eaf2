//! The program as a user meets it: files in, files and words out.

mod bad_input;
mod demo;
mod interrupted;
mod levels;
mod mechanisms;
mod readme;
mod reconcile;
mod repository;
mod study;
mod workbench;
