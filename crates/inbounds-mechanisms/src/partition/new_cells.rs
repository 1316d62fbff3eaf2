//! The cells that one unit alone brings into being, and how likely one of them is published.

use inbounds_core::{CoreError, Enclosure, Rational, root::largest_that_holds};

use crate::law::discrete_laplace::DiscreteLaplace;

/// Bounds on the cells that exist by the rows of one unit alone.
///
/// # Law of noise without end
/// The unit has `r_1, ..., r_k` rows in them, `k <= cells`, each `1 <= r_i <= rows_per_cell` and together at most
/// `rows`. One is published with probability
///
/// ```text
/// 1 - prod_i F(T - r_i),      F(t) = P(Z < t) = 1 - a^t / (1 + a)   for t >= 1,      a^(1-t) / (1 + a)   for t <= 1,      a = e^-tau.
/// ```
///
/// The law of `Z` is log-concave, and so is `F`: `g(r) = -ln F(T - r)` is convex and increasing. So for a number `k` of
/// cells the sum of the `g(r_i)` is largest where the rows are all used and as unequal as may be: full cells of
/// `rows_per_cell`, one cell with what is left, and single rows. While `m = rows` are used up, a further single row is
/// taken from the cell that is partly full, and the sum changes by `g(1) - (g(r) - g(r - 1))` with falling `r`: it is
/// convex in `k` between the numbers at which no cell is partly full, and linear over these. So the largest is at the
/// least or largest `k`, or at the first or last one without a cell that is partly full. Claim:
/// `learned-keys-worst-case`.
///
/// # Law of noise with ends
/// With the divergences `h1` and `h2` of one step ([`EndedNoise`](super::EndedNoise)) `r` steps up in one cell spend
/// `G1(r) = h1 (E^r - 1) / (E - 1)`, and `r` down `G2(r)`. Let the unit's rows raise cells by `r_i` and lower others by
/// `s_j`. For each cell the least of `P_i` and `E^(r_i) Q_i` has the mass `1 - G1(r_i)` at least; the product of these
/// measures is at most `e^epsilon Q`, as all steps together are at most `l1`, and so
///
/// ```text
/// P(M(D) in S) <= e^epsilon P(M(D') in S) + 1 - prod_i (1 - G1(r_i)) prod_j (1 - G2(s_j)).
/// ```
///
/// Under add-remove all cells rise or all fall; where a unit's rows are replaced ([`NewCells::replaced`]) some rise and
/// others fall. `-ln(1 - G(r))` is convex and increasing in `r`, so the worst rows are those above. Claim:
/// `ended-noise`.
///
/// # Example
/// A person with up to three rows, wherever they are: in one cell with three rows, or in three with one each.
/// ```
/// use inbounds_mechanisms::partition::NewCells;
/// let person = NewCells::new(3, 3, 3)?;
/// assert_eq!((person.cells(), person.rows_per_cell(), person.rows()), (3, 3, 3));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewCells {
    cells: u64,
    rows_per_cell: u64,
    rows: u64,
    replaced: bool,
}

/// Rows of a unit in its cells: some full ones, perhaps one that is partly full, and single rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    full: u64,
    rest: Option<u64>,
    single: u64,
}

impl NewCells {
    /// A unit in at most `cells` cells, with at most `rows_per_cell` rows in each and `rows` in all.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless all are at least 1.
    pub fn new(cells: u64, rows_per_cell: u64, rows: u64) -> Result<Self, CoreError> {
        let named = [("cells", cells), ("rows in a cell", rows_per_cell), ("rows", rows)];
        match named.into_iter().find(|(_, number)| *number == 0) {
            Some((name, _)) => Err(CoreError::parameter(name, 0.0, "at least 1 for each unit")),
            None => Ok(Self { cells: cells.min(rows), rows_per_cell: rows_per_cell.min(rows), rows, replaced: false }),
        }
    }

    /// The same where neighbours replace the rows of a unit by others, rather than add or remove them.
    pub fn replaced(self) -> Self {
        Self { replaced: true, ..self }
    }

    /// `true` if neighbours replace the rows of a unit.
    pub fn is_replaced(&self) -> bool {
        self.replaced
    }

    /// Most cells of a unit.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Most rows of a unit in one cell.
    pub fn rows_per_cell(&self) -> u64 {
        self.rows_per_cell
    }

    /// Most rows of a unit.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Proves by enclosures that a new cell is published with probability at most `delta` at a threshold.
    pub(super) fn are_within(&self, noise: &DiscreteLaplace, threshold: i128, delta: &Rational, bits: usize) -> bool {
        let delta = Enclosure::from_rational(delta, bits);
        self.chances(noise, threshold, bits).iter().all(|chance| chance.certainly_at_most(&delta))
    }

    /// A proved upper bound on the probability that a new cell is published at a threshold.
    pub(super) fn largest_chance(&self, noise: &DiscreteLaplace, threshold: i128, bits: usize) -> f64 {
        let chances = self.chances(noise, threshold, bits);
        chances.iter().map(|chance| chance.upper().to_f64_up()).fold(0.0, f64::max).min(1.0)
    }

    /// The probability that one is published, for each shape that can have the largest.
    fn chances(&self, noise: &DiscreteLaplace, threshold: i128, bits: usize) -> Vec<Enclosure> {
        self.chances_of(&|rows| below(noise.inverse_scale(), threshold - i128::from(rows), bits), bits)
    }

    /// The same for the probability that a cell with some rows is not published.
    fn chances_of(&self, missed: &dyn Fn(u64) -> Enclosure, bits: usize) -> Vec<Enclosure> {
        let one = Enclosure::one(bits);
        let (full, single) = (missed(self.rows_per_cell), missed(1));
        let chance = |shape: Shape| {
            let rest = shape.rest.map_or_else(|| one.clone(), missed);
            one.sub(&full.pow(shape.full).mul(&rest).mul(&single.pow(shape.single)))
        };
        self.shapes().into_iter().map(chance).collect()
    }

    /// The delta that noise spends whose divergences of one step, up and down, are `steps`.
    pub(super) fn spent(&self, tau: &Rational, steps: [Rational; 2], bits: usize) -> Enclosure {
        let one = Enclosure::one(bits);
        let power = |rows: u64| Enclosure::exp_neg(&(tau * &Rational::from(u128::from(rows))), bits);
        // (E^r - 1) / (E - 1) = (1 - a^r) / ((1 - a) a^(r - 1)).
        let grown = |rows: u64| one.sub(&power(rows)).div(&one.sub(&power(1)).mul(&power(rows - 1)));
        let largest = |step: Rational| {
            let step = Enclosure::from_rational(&step, bits);
            let chances = self.chances_of(&|rows| one.sub(&step.mul(&grown(rows))).positive_part(), bits);
            chances.into_iter().reduce(|one, other| one.hull(&other)).unwrap_or_else(|| one.clone())
        };
        let [up, down] = steps.map(largest);
        if self.replaced { one.sub(&one.sub(&up).mul(&one.sub(&down))) } else { up.hull(&down) }
    }

    /// The largest divergence of one step up that spends at most delta, where that down is `falling` times as large and
    /// counts if a unit's rows are replaced; in doubles, so that it must be proved.
    pub(super) fn largest_step(&self, tau: f64, delta: f64, falling: f64) -> f64 {
        let missed = |step: f64| {
            let grown = |rows: u64| step * libm::expm1(tau * rows as f64) / libm::expm1(tau);
            let ln = |rows: u64, times: u64| {
                if times == 0 { 0.0 } else { times as f64 * libm::log1p(-grown(rows).min(1.0)) }
            };
            let log_missed = |shape: Shape| {
                ln(self.rows_per_cell, shape.full) + shape.rest.map_or(0.0, |rows| ln(rows, 1)) + ln(1, shape.single)
            };
            self.shapes().into_iter().map(log_missed).fold(0.0, f64::min)
        };
        let spent = |step: f64| -libm::expm1(missed(step) + if falling > 0.0 { missed(falling * step) } else { 0.0 });
        largest_that_holds(delta, |step| spent(step) <= delta)
    }

    /// The shapes one of which has the largest probability.
    fn shapes(&self) -> Vec<Shape> {
        let most = self.cells;
        let least = self.rows.div_ceil(self.rows_per_cell).min(most);
        // Rows that a full cell has more than a single row.
        let more = (self.rows_per_cell - 1).max(1);
        let first = least + (self.rows - least) % more;
        let last = most.checked_sub((more - (self.rows - most) % more) % more);
        let between = |cells: &u64| (least..=most).contains(cells);
        let mut numbers: Vec<u64> =
            [Some(least), Some(first), last, Some(most)].into_iter().flatten().filter(between).collect();
        numbers.dedup();
        numbers.into_iter().map(|cells| self.shape(cells)).collect()
    }

    /// The most unequal rows in `cells` cells, all rows used as far as they fit.
    fn shape(&self, cells: u64) -> Shape {
        let more = self.rows_per_cell - 1;
        if more == 0 {
            return Shape { full: 0, rest: None, single: cells };
        }
        let spare = (self.rows - cells).min(cells.saturating_mul(more));
        let (full, left) = (spare / more, spare % more);
        let rest = (left > 0).then_some(1 + left);
        Shape { full, rest, single: cells - full - u64::from(left > 0) }
    }
}

/// `P(Z < t)` of discrete Laplace noise, enclosed.
fn below(tau: &Rational, t: i128, bits: usize) -> Enclosure {
    let one = Enclosure::one(bits);
    let one_plus_ratio = one.add(&Enclosure::exp_neg(tau, bits));
    let power = |steps: i128| Enclosure::exp_neg(&(tau * &Rational::from(steps)), bits).div(&one_plus_ratio);
    if t >= 1 { one.sub(&power(t)) } else { power(1 - t) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest sum of `g` over all ways to have rows in cells, by trying each.
    fn largest(g: &dyn Fn(u64) -> f64, cells: u64, rows: u64, most: u64) -> f64 {
        let next = |r: u64| g(r) + largest(g, cells - 1, rows - r, r);
        if cells == 0 { 0.0 } else { (1..=most.min(rows)).map(next).fold(0.0, f64::max) }
    }

    #[test]
    fn no_way_to_have_rows_in_cells_is_worse_than_the_shapes() {
        for tau in ["0.1", "0.7", "2"] {
            let noise = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible");
            for (cells, per_cell, rows) in
                (1..=7).flat_map(|c| (1..=8).flat_map(move |r| (1..=9).map(move |m| (c, r, m))))
            {
                let new = NewCells::new(cells, per_cell, rows).expect("positive");
                for threshold in [1, 2, 4, 9, 30] {
                    let below = |t: i128| below(noise.inverse_scale(), t, 128).to_f64();
                    let g = |r: u64| -below(threshold - i128::from(r)).ln();
                    let worst = -(-largest(&g, new.cells, rows, new.rows_per_cell)).exp_m1();
                    let chance = new.largest_chance(&noise, threshold, 128);
                    let case = format!("tau {tau} T {threshold} {new:?}");
                    assert!((chance - worst).abs() <= 1e-12, "{case}: {chance} for {worst}");
                }
            }
        }
    }

    #[test]
    fn a_unit_has_a_cell_and_a_row() {
        for (cells, per_cell, rows) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
            assert!(NewCells::new(cells, per_cell, rows).is_err());
        }
    }
}
