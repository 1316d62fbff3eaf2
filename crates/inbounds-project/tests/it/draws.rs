//! Seeded test inputs, and files that may or may not be there.

use std::{fs, path::Path};

use serde_json::Value;

/// SplitMix64: enough to scatter test cases, never for privacy.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform in `low..high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.word() % (high - low) as u64) as usize
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Laplace noise of scale 1.
    pub(crate) fn laplace(&mut self) -> f64 {
        let magnitude = -(1.0 - self.unit()).ln();
        if self.chance(0.5) { magnitude } else { -magnitude }
    }

    /// A value: often a small integer, so that ties and exact zeros happen, else anything between -10 and 10.
    pub(crate) fn value(&mut self) -> f64 {
        if self.between(0, 2) == 0 { self.between(0, 9) as f64 - 4.0 } else { 20.0 * self.unit() - 10.0 }
    }

    /// A weight: often one, else within a factor of a million on either side.
    pub(crate) fn weight(&mut self) -> f64 {
        if self.between(0, 2) == 0 { 1.0 } else { 10f64.powf(12.0 * self.unit() - 6.0) }
    }

    pub(crate) fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.value()).collect()
    }

    pub(crate) fn weights(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.weight()).collect()
    }
}

/// `sum w (x - y)^2`.
pub(crate) fn objective(values: &[f64], weights: &[f64], x: &[f64]) -> f64 {
    values.iter().zip(weights).zip(x).map(|((y, w), x)| w * (x - y) * (x - y)).sum()
}

/// A JSON file of the repository.
pub(crate) fn table(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../refs/tables").join(name);
    serde_json::from_str(&fs::read_to_string(path).expect("reference table")).expect("valid JSON")
}

/// A file of the data folder beside the repository; says so and gives none where that folder is not there.
#[expect(clippy::print_stderr, reason = "a skipped comparison must not look like a passed one")]
pub(crate) fn shared(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED: {name} is not in the data folder");
    }
    bytes
}

/// The numbers of a JSON array.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("array").iter().map(|x| x.as_f64().expect("number")).collect()
}
