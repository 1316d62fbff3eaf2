//! Prices of rows and columns at which the cells of a sheet, each rounded the cheaper way, nearly have whole sums.
//!
//! **Idea.** At prices `p_i`, `q_j` a cell goes up where its fraction is above `1/2 + p_i + q_j`. Given the prices of the columns, the price of a
//! row at which as many of its cells go up as its sum needs is found by selection, and the other way round. Each turn moves fewer
//! cells, if no two have the same fraction. What is left is for a cheapest flow, which looks at the same cells at the same prices and so has little to
//! send: of ten million cells some hundred units in place of fifty thousand.

/// Turns of rows and columns, at most.
const TURNS: usize = 60;
/// Units by which sums of columns may be off at the end, as part of the columns.
const ENOUGH: f64 = 0.05;
/// After each so many turns they must be off by no more than this part of what they were: where few cells are not whole, prices may get stuck.
const LOOK: usize = 4;
const SLOW: f64 = 0.8;
/// Columns that are gathered at a time.
const BLOCK: usize = 16;

/// The prices of the rows and of the columns of a sheet, whose cells stand row by row. They may be anything: only how long a flow takes depends on them.
pub(super) fn prices(cells: &[f64], [rows, columns]: [&[f64]; 2]) -> [Vec<f64>; 2] {
    let across = columns.len();
    let mut sheet = Sheet {
        fractions: cells.iter().map(|cell| cell - cell.floor()).collect(),
        wanted: [rows.to_vec(), columns.to_vec()],
        prices: [vec![0.0; rows.len()], vec![0.0; across]],
    };
    for (row, line) in cells.chunks_exact(across).enumerate() {
        for (column, cell) in line.iter().enumerate() {
            sheet.wanted[0][row] -= cell.floor();
            sheet.wanted[1][column] -= cell.floor();
        }
    }
    let mut before = f64::INFINITY;
    for turn in 1..=TURNS {
        sheet.price_rows();
        let off = sheet.price_columns();
        let is_stuck = turn % LOOK == 0 && off > SLOW * before;
        if is_stuck || off <= ENOUGH * across as f64 {
            break;
        }
        if turn % LOOK == 0 {
            before = off;
        }
    }
    sheet.prices
}

struct Sheet {
    /// What each cell has above the whole number below it; zero for a whole one, which stays.
    fractions: Vec<f64>,
    /// How many cells of each row, and of each column, go up.
    wanted: [Vec<f64>; 2],
    prices: [Vec<f64>; 2],
}

impl Sheet {
    fn lines(&self) -> std::slice::ChunksExact<'_, f64> {
        self.fractions.chunks_exact(self.prices[1].len())
    }

    fn price_rows(&mut self) {
        let mut keys = Vec::with_capacity(self.prices[1].len());
        let price = |(line, wanted): (&[f64], &f64)| {
            keys.clear();
            let fractional = line.iter().zip(&self.prices[1]).filter(|(fraction, _)| **fraction > 0.0);
            keys.extend(fractional.map(|(fraction, price)| fraction - price));
            threshold(&mut keys, *wanted) - 0.5
        };
        self.prices[0] = self.lines().zip(&self.wanted[0]).map(price).collect();
    }

    /// By how much the sums of columns were off before. Columns are gathered in blocks, so that each line is read where it lies.
    fn price_columns(&mut self) -> f64 {
        let mut off = 0.0;
        let across = self.prices[1].len();
        let mut keys: Vec<Vec<f64>> = vec![Vec::new(); BLOCK];
        for begin in (0..across).step_by(BLOCK) {
            let end = across.min(begin + BLOCK);
            keys.iter_mut().for_each(Vec::clear);
            for (line, price) in self.lines().zip(&self.prices[0]) {
                let fractional = keys.iter_mut().zip(&line[begin..end]).filter(|(_, fraction)| **fraction > 0.0);
                fractional.for_each(|(keys, fraction)| keys.push(fraction - price));
            }
            for (keys, column) in keys.iter_mut().zip(begin..end) {
                let (price, wanted) = (&mut self.prices[1][column], self.wanted[1][column]);
                let goes_up = keys.iter().filter(|key| **key > 0.5 + *price).count();
                off += (goes_up as f64 - wanted).abs();
                *price = threshold(keys, wanted) - 0.5;
            }
        }
        off
    }
}

/// A number that so many of the keys are above, or at least the nearest number to one.
fn threshold(keys: &mut [f64], wanted: f64) -> f64 {
    let wanted = wanted.clamp(0.0, keys.len() as f64) as usize;
    let descending = |one: &f64, other: &f64| other.total_cmp(one);
    match wanted {
        _ if keys.is_empty() => 0.5,
        0 => keys.iter().fold(f64::NEG_INFINITY, |most, key| most.max(*key)),
        all if all == keys.len() => keys.iter().fold(f64::INFINITY, |least, key| least.min(*key)),
        _ => {
            let (_, least, others) = keys.select_nth_unstable_by(wanted - 1, descending);
            let next = others.iter().fold(f64::NEG_INFINITY, |most, key| most.max(*key));
            f64::midpoint(*least, next)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that is above as many keys as it should be, of ties as well as it can.
    #[test]
    fn thresholds_are_between_keys() {
        let keys = [0.3, 0.9, 0.1, 0.5];
        for (wanted, expected) in [(0.0, 0.9), (1.0, 0.7), (3.0, 0.2), (4.0, 0.1), (9.0, 0.1), (-1.0, 0.9)] {
            assert_eq!(threshold(&mut keys.to_vec(), wanted), expected, "{wanted}");
        }
        assert_eq!(threshold(&mut [], 2.0), 0.5);
    }

    /// Cells whose rounding each by itself leaves sums that are off by far: with prices, hardly.
    #[test]
    fn sums_are_nearly_right_at_these_prices() {
        let (rows, columns) = (200_usize, 150_usize);
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let cells: Vec<f64> =
            (0..rows * columns).map(|_| if uniform() < 0.3 { 0.0 } else { 9.0 * uniform() }).collect();
        let of_rows: Vec<f64> = cells.chunks_exact(columns).map(|line| line.iter().sum::<f64>().round()).collect();
        let of_columns: Vec<f64> =
            (0..columns).map(|column| cells.iter().skip(column).step_by(columns).sum::<f64>().round()).collect();
        let off = |[p, q]: [Vec<f64>; 2]| {
            let mut off = [of_rows.clone(), of_columns.clone()];
            for (place, cell) in cells.iter().enumerate() {
                let (row, column) = (place / columns, place % columns);
                let goes_up = cell.fract() > 0.5 + p[row] + q[column];
                let whole = cell.floor() + f64::from(u8::from(goes_up));
                off[0][row] -= whole;
                off[1][column] -= whole;
            }
            off.iter().flatten().map(|off| off.abs()).sum::<f64>()
        };
        let alone = off([vec![0.0; rows], vec![0.0; columns]]);
        let priced = off(prices(&cells, [&of_rows, &of_columns]));
        assert!(priced < 0.1 * alone, "{priced} for {alone}");
    }
}
