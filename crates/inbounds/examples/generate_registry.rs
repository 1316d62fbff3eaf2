//! Writes the rows of `examples/registry` to standard output: a made-up registry of hospital stays.
//!
//! `cargo run -p inbounds --example generate_registry > examples/registry/stays.csv`
//!
//! No real person stands behind any row. The seed is fixed, so the file is the same everywhere.

use std::{error::Error, io};

use rand::{RngExt, SeedableRng, rngs::ChaCha20Rng};

/// Districts with the number of patients drawn for each; the last one has none on purpose.
const DISTRICTS: [(&str, u32); 8] = [
    ("Aldermoor", 980),
    ("Brackwater", 640),
    ("Cinder Hills", 410),
    ("Dunmere", 265),
    ("Eastholm", 120),
    ("Fenwick", 31),
    ("Gullcrag", 4),
    ("Hollin Isle", 0),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = ChaCha20Rng::seed_from_u64(2026);
    let mut file = csv::Writer::from_writer(io::stdout().lock());
    file.write_record(["patient", "district", "sex", "age", "nights", "cost"])?;
    let mut patient = 0;
    for (district, patients) in DISTRICTS {
        for _ in 0..patients {
            patient += 1;
            let sex = if random.random_bool(0.53) { "female" } else { "male" };
            let age: u32 = (random.random_range(0..=96) + random.random_range(0..=96)) / 2 + 4;
            // Most have one stay, a few have many.
            let mut stays = 1;
            while stays < 9 && random.random_bool(0.35) {
                stays += 1;
            }
            for _ in 0..stays {
                let nights = (-6.0 * random.random::<f64>().ln()).floor();
                let cost = 310.0 + 420.0 * nights * random.random_range(0.7..1.6) + 12.0 * f64::from(age);
                // One stay in fifty has not been billed yet.
                let cost = if random.random_bool(0.02) { String::new() } else { format!("{cost:.2}") };
                file.write_record([
                    format!("P{patient:05}"),
                    district.to_owned(),
                    sex.to_owned(),
                    age.to_string(),
                    nights.to_string(),
                    cost,
                ])?;
            }
        }
    }
    file.flush()?;
    Ok(())
}
