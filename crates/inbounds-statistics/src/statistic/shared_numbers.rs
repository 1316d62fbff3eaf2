//! Numbers that statistics share, each measured once.

use inbounds_mechanisms::mechanism::Together;

/// How numbers are measured that several statistics, or several parts of one, are made of: each once, with noise of one of two kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum SharedNumbers {
    /// One vector of cube noise a cell, which has all of epsilon for each of its numbers.
    Cube(Together),
    /// Gaussian noise of its own for each of so many numbers, with an equal part of epsilon and delta, or of rho.
    Gaussian(usize),
}
