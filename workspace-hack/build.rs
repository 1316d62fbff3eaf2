//! Nothing: only with a script are the features of the libraries of scripts and macros united.

fn main() {}
