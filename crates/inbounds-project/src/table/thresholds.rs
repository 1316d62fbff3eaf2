//! Multipliers of rows and columns at which the cells of a sheet, each rounded the cheaper way, nearly have whole sums.
//!
//! **Idea.** At multipliers `p_i`, `q_j` a cell goes up where its fraction is above `1/2 + p_i + q_j`. Given the
//! multipliers of the columns, the multiplier of a row at which as many of its cells go up as its sum needs is found by
//! selection, and the other way round. Each turn moves fewer cells, if no two have the same fraction. A minimum-cost
//! flow decides the rest; it starts from the same cells at the same multipliers and so has little to send: of ten
//! million cells some hundred units in place of fifty thousand.

/// Turns of rows and columns, at most.
const TURNS: usize = 60;
/// Units by which sums of columns may be off at the end, as a share of the number of columns.
const ENOUGH: f64 = 0.05;
/// Turns between two checks of progress.
const LOOK: usize = 4;
/// At each check the sums must be off by at most this share of what they were: where few cells are not whole,
/// multipliers may get stuck.
const SLOW: f64 = 0.8;

/// The cells of a sheet that are not whole.
pub(super) struct Fractions {
    /// Excess of each over the whole number below it, row by row.
    pub(super) above: Vec<f64>,
    /// The row and the column of each.
    pub(super) places: Vec<[u32; 2]>,
    /// Number of them that go up, in each row and in each column.
    pub(super) wanted: [Vec<f64>; 2],
}

impl Fractions {
    /// Of cells that stand row by row, with whole sums of rows and of columns.
    pub(super) fn new(cells: &[f64], [rows, columns]: [&[f64]; 2]) -> Self {
        let (mut above, mut places, mut wanted) = (Vec::new(), Vec::new(), [rows.to_vec(), columns.to_vec()]);
        for (row, line) in cells.chunks_exact(columns.len()).enumerate() {
            for (column, cell) in line.iter().enumerate() {
                let floor = floor(*cell);
                wanted[0][row] -= floor;
                wanted[1][column] -= floor;
                if *cell > floor {
                    above.push(cell - floor);
                    places.push([row as u32, column as u32]);
                }
            }
        }
        Self { above, places, wanted }
    }

    /// The multipliers of the rows and of the columns. They may be anything: only how long a flow takes depends on
    /// them.
    pub(super) fn multipliers(&self) -> [Vec<f64>; 2] {
        let mut multipliers = [0, 1].map(|side| vec![0.0; self.wanted[side].len()]);
        let lines = [0, 1].map(|side| self.lines(side));
        let mut before = f64::INFINITY;
        for turn in 1..=TURNS {
            // Rows given the columns, then columns given the rows: coordinate ascent on the dual function.
            lines[0].turn(&self.wanted, &mut multipliers);
            let off = lines[1].turn(&self.wanted, &mut multipliers);
            let is_stuck = turn % LOOK == 0 && off > SLOW * before;
            if is_stuck || off <= ENOUGH * multipliers[1].len() as f64 {
                break;
            }
            if turn % LOOK == 0 {
                before = off;
            }
        }
        multipliers
    }

    /// Fractions in each row, or in each column.
    fn lines(&self, side: usize) -> Lines {
        let mut begins = vec![0; self.wanted[side].len() + 1];
        for place in &self.places {
            begins[place[side] as usize + 1] += 1;
        }
        for line in 1..begins.len() {
            begins[line] += begins[line - 1];
        }
        let mut next = begins.clone();
        let mut entries = vec![(0.0, 0); self.above.len()];
        for (above, place) in self.above.iter().zip(&self.places) {
            let next = &mut next[place[side] as usize];
            entries[*next] = (*above, place[1 - side]);
            *next += 1;
        }
        Lines { side, entries, begins }
    }
}

/// The fractions of one side, line by line.
struct Lines {
    /// 0 for rows, 1 for columns.
    side: usize,
    /// A fraction and its line on the other side.
    entries: Vec<(f64, u32)>,
    /// Where each line begins, and the end.
    begins: Vec<usize>,
}

impl Lines {
    /// Sets the multipliers of the lines anew, and returns by how much their sums were off before.
    fn turn(&self, wanted: &[Vec<f64>; 2], multipliers: &mut [Vec<f64>; 2]) -> f64 {
        let wanted = &wanted[self.side];
        let [rows, columns] = multipliers;
        let (own, others) = if self.side == 0 { (rows, columns) } else { (columns, rows) };
        let (mut keys, mut off) = (Vec::new(), 0.0);
        for (line, range) in self.begins.windows(2).enumerate() {
            keys.clear();
            let entries = &self.entries[range[0]..range[1]];
            keys.extend(entries.iter().map(|(above, across)| above - others[*across as usize]));
            let goes_up = keys.iter().filter(|key| **key > 0.5 + own[line]).count();
            off += (goes_up as f64 - wanted[line]).abs();
            own[line] = threshold(&mut keys, wanted[line]) - 0.5;
        }
        off
    }
}

/// A number with `wanted` of the keys above it, or the nearest to such a number.
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

/// The whole number below. Most cells are zero, which need not be rounded.
pub(super) fn floor(cell: f64) -> f64 {
    if cell == 0.0 { cell } else { cell.floor() }
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

    /// Cells whose rounding each by itself leaves sums that are off by far: with multipliers, hardly.
    #[test]
    fn sums_are_nearly_right_at_these_multipliers() {
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
                let rounded = cell.floor() + f64::from(u8::from(goes_up));
                off[0][row] -= rounded;
                off[1][column] -= rounded;
            }
            off.iter().flatten().map(|off| off.abs()).sum::<f64>()
        };
        let alone = off([vec![0.0; rows], vec![0.0; columns]]);
        let with_multipliers = off(Fractions::new(&cells, [&of_rows, &of_columns]).multipliers());
        assert!(with_multipliers < 0.1 * alone, "{with_multipliers} for {alone}");
    }
}
