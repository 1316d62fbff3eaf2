//! The program as a user meets it: files in, files and words out.

mod bad_input;
mod canaries;
mod capabilities;
mod constraints;
mod demo;
mod figures;
mod interrupted;
mod kinds;
mod layouts;
mod ledger;
mod levels;
mod made_of;
mod mechanisms;
mod multiplied;
mod own_rule;
mod pages;
mod readme;
mod reconcile;
mod report;
mod repository;
mod structure;
mod study;
mod truth;
mod workbench;
