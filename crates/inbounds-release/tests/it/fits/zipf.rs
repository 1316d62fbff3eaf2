//! Wide tables of which most cells are empty.

use super::Table;

const SIZES: [usize; 2] = [50, 40];
const PEOPLE: usize = 5000;
/// Exponents of laws in random places, and of the two laws whose products are cells.
const PLACES: [f64; 6] = [1.2, 1.35, 1.5, 1.5, 1.65, 1.8];
const PRODUCTS: [f64; 4] = [0.8, 1.0, 1.2, 1.4];

/// Ten tables, the same each time.
pub(super) fn tables() -> Vec<Table> {
    let cells = SIZES[0] * SIZES[1];
    let zipf = |length: usize, exponent: f64| (1..=length).map(move |rank| (rank as f64).powf(-exponent));
    let mut random = Random(17);
    let mut tables: Vec<Table> = Vec::new();
    for exponent in PLACES {
        let mut weights: Vec<f64> = zipf(cells, exponent).collect();
        (1..cells).rev().for_each(|place| weights.swap(place, (random.uniform() * (place + 1) as f64) as usize));
        tables.push(drawn(&weights, &mut random));
    }
    for exponent in PRODUCTS {
        // With weights that vary by more than the products, so that no cell follows from its row and column.
        let columns: Vec<f64> = zipf(SIZES[1], exponent).collect();
        let products = zipf(SIZES[0], exponent).flat_map(|row| columns.iter().map(move |column| row * column));
        let weights: Vec<f64> = products.map(|product| product * random.uniform().powi(-2).min(1e3)).collect();
        tables.push(drawn(&weights, &mut random));
    }
    tables
}

fn drawn(weights: &[f64], random: &mut Random) -> Table {
    let all: f64 = weights.iter().sum();
    let ends: Vec<f64> = weights
        .iter()
        .scan(0.0, |end, weight| {
            *end += weight / all;
            Some(*end)
        })
        .collect();
    let mut cells = vec![0.0; weights.len()];
    for _ in 0..PEOPLE {
        let at = random.uniform();
        cells[ends.partition_point(|end| *end < at).min(weights.len() - 1)] += 1.0;
    }
    Table { sizes: SIZES, cells }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)
    }
}
