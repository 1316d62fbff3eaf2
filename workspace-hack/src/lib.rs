//! Nothing: the crate unites features of libraries, and its manifest says which and why.
