//! Millions of measurements per second of wall time: the best of twenty vectors of a million answers, as a program that
//! uses the library takes them, the memory of the measurements included.
//!
//! `cargo run --release -p inbounds-mechanisms --example measure_speed`
//!
//! `benches/python.py` reads the line and sets the Python package beside it.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::{hint::black_box, time::Instant};

use inbounds_core::{Answer, CoreError, Epsilon, Guarantee, Sensitivity, StepRange};
use inbounds_mechanisms::{mechanism::Measurements, registry, sampler::SecureEntropy};

fn main() -> Result<(), CoreError> {
    let guarantee = Guarantee::Pure { epsilon: Epsilon::new("0.05".parse()?)? };
    let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
    let entry = registry::find("clamped").expect("registered");
    let mechanism = entry.calibrate(&guarantee, &one, StepRange::new(None, None)?).expect("calibrates");
    let answers: Vec<i128> = (0..1_000_000).map(|row| row % 1000).collect();
    let mut entropy = SecureEntropy::from_os().expect("the system has randomness");
    let mut run = || {
        let answer = Answer::new(answers.clone());
        let begin = Instant::now();
        let measured = Measurements::take(mechanism.clone(), answer, &mut entropy);
        black_box(measured.steps());
        begin.elapsed().as_secs_f64()
    };
    let best = (0..20).map(|_| run()).fold(f64::INFINITY, f64::min);
    println!("{:.1}", 1.0 / best);
    Ok(())
}
