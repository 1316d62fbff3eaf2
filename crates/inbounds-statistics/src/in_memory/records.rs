//! Records in memory, and exact answers about them.

use inbounds_core::{Answer, Rational, Tally};

use crate::{Ask, Clip, ClipMissing};

/// Private rows: each a group and one value a column; NaN is a missing value. **Private**, so that it has no `Debug`.
#[derive(Default)]
pub struct Records {
    groups: Vec<usize>,
    values: Vec<f64>,
    columns: usize,
}

impl Records {
    /// Records of one column and one group.
    pub fn of_column(values: &[f64]) -> Self {
        Self { groups: vec![0; values.len()], values: values.to_vec(), columns: 1 }
    }

    /// Adds a row to a group.
    ///
    /// # Panics
    /// If it has not as many values as the first row.
    pub fn push(&mut self, group: usize, values: &[f64]) {
        if self.groups.is_empty() {
            self.columns = values.len();
        }
        assert_eq!(self.columns, values.len(), "every row has the same columns");
        self.groups.push(group);
        self.values.extend_from_slice(values);
    }

    /// The exact answers to what a statistic asks: each value within its bounds, on the nearest grid point, ties to
    /// the even one, as the engine for files does.
    pub(super) fn tally(&self, ask: &Ask, groups: usize) -> Tally {
        let edges: Option<Vec<f64>> = ask.edges.as_ref().map(|edges| edges.iter().map(Rational::to_f64).collect());
        let bins = edges.as_ref().map_or(1, |edges| edges.len() - 1);
        let columns = if edges.is_some() { 1 } else { ask.clips.len() };
        assert!(
            columns == 0 || self.groups.is_empty() || self.columns == columns,
            "one value a column of the statistic"
        );
        let mut counts = vec![0i128; groups * bins];
        let mut sums = vec![vec![0i128; groups]; ask.clips.len()];
        let mut products = vec![vec![0i128; groups]; ask.products.len()];
        for (row, group) in self.groups.iter().enumerate() {
            let values = &self.values[row * self.columns..(row + 1) * self.columns];
            let bin = match &edges {
                Some(_) if values[0].is_nan() => continue,
                Some(edges) => edges[1..bins].partition_point(|edge| *edge <= values[0]),
                None => 0,
            };
            let Some(steps) = ask.clips.iter().zip(values).map(|(clip, value)| steps(clip, *value)).collect() else {
                continue;
            };
            let steps: Vec<i128> = steps;
            counts[group * bins + bin] += 1;
            sums.iter_mut().zip(&steps).for_each(|(sum, steps)| sum[*group] += steps);
            products.iter_mut().zip(&ask.products).for_each(|(sum, (j, k))| sum[*group] += steps[*j] * steps[*k]);
        }
        let answers = |numbers: Vec<Vec<i128>>| numbers.into_iter().map(Answer::new).collect();
        Tally { counts: Answer::new(counts), sums: answers(sums), products: answers(products) }
    }
}

/// A value in steps of its grid; `None` leaves the row out.
fn steps(clip: &Clip, value: f64) -> Option<i128> {
    if value.is_nan() {
        return match clip.missing {
            ClipMissing::Drop => None,
            ClipMissing::Impute(steps) => Some(steps.into()),
        };
    }
    let steps = (value / clip.grid.spacing()).clamp(clip.lower as f64, clip.upper as f64);
    Some(steps.round_ties_even() as i128)
}
