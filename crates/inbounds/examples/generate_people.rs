//! Writes the rows of `examples/people` to standard output: a made-up survey of adults.
//!
//! `cargo run -p inbounds --example generate_people > examples/people/people.csv`
//!
//! No real person stands behind any row. The seed is fixed, so the file is the same everywhere.

use std::{error::Error, io};

use rand::{RngExt, SeedableRng, rngs::ChaCha20Rng};

const PEOPLE: u32 = 400;

/// Regions, each with the part of the people who live in it or in one before; nobody lives in the last.
const REGIONS: [(&str, f64); 4] = [("coast", 0.55), ("hills", 0.90), ("plain", 1.0), ("isles", 1.0)];

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = ChaCha20Rng::seed_from_u64(400);
    let mut file = csv::Writer::from_writer(io::stdout().lock());
    file.write_record(["age", "height", "weight", "income", "region", "smoker", "shirt"])?;
    for _ in 0..PEOPLE {
        let age = random.random_range(18..=90);
        let tall = if random.random_bool(0.5) { 163.0 } else { 176.0 };
        let height = tall + 7.0 * near_normal(&mut random);
        let weight = 24.5 * (height / 100.0).powi(2) + 9.0 * near_normal(&mut random);
        let income = 1000.0 * (14.0 - 20.0 * random.random::<f64>().ln()).min(180.0);
        let place = random.random::<f64>();
        let region = REGIONS.iter().find(|(_, up_to)| place < *up_to).map_or("coast", |(name, _)| name);
        let smoker = random.random_bool(if age < 60 { 0.24 } else { 0.12 });
        let shirt = match height + 0.5 * weight {
            size if size < 198.0 => "small",
            size if size < 213.0 => "medium",
            _ => "large",
        };
        // One in forty does not say what they earn.
        let income = if random.random_bool(0.025) { String::new() } else { format!("{income:.0}") };
        file.write_record([
            age.to_string(),
            format!("{height:.1}"),
            format!("{weight:.1}"),
            income,
            region.to_owned(),
            smoker.to_string(),
            shirt.to_owned(),
        ])?;
    }
    file.flush()?;
    Ok(())
}

/// A sum of twelve uniform numbers less 6: mean 0, variance 1, between -6 and 6.
fn near_normal(random: &mut ChaCha20Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}
