//! Public numbers that measurements contradict.

use std::collections::{BTreeSet, HashMap};

use inbounds_bundle::Notice;

use super::counted::{Between, Reach};
use crate::{levels::SumsToKnown, prepared_statistic::CalibratedStatistic, released::Released};

/// A public number, and the sum of the measured cells that it is the number of.
struct Contradicted {
    level: usize,
    cell: usize,
    public: u64,
    sum: Between,
}

impl Contradicted {
    fn distance(&self) -> f64 {
        (self.public as f64 - self.sum.measured).abs()
    }
}

/// That public numbers are not true of the rows, where noise does not hide it. All intervals for sums of measured cells
/// hold together but with probability `miss`.
pub(super) fn contradicted(released: &Released, miss: f64) -> Option<Notice> {
    let CalibratedStatistic::Levels(levels) = &released.task.prepared else { return None };
    let keys = released.task.query.keys.as_ref()?;
    let sums = levels.sums_to_known(keys);
    let miss_of_one = miss / sums.iter().map(|sums| sums.known.values.len()).sum::<usize>().max(1) as f64;
    let all: Vec<Contradicted> = sums.iter().flat_map(|sums| of_vector(released, sums, miss_of_one)).collect();
    let worst = all.iter().max_by(|one, other| one.distance().total_cmp(&other.distance()))?;
    let cells: BTreeSet<(usize, usize)> = all.iter().map(|one| (one.level, one.cell)).collect();
    let known: HashMap<usize, usize> = sums.iter().map(|sums| (sums.known.level, sums.known.values.len())).collect();
    Some(Notice::PublicNumbersContradicted {
        numbers: cells.len(),
        of: known.values().sum(),
        cell: levels.cell_in_words(worst.level, worst.cell, keys),
        public: worst.public,
        counted: worst.sum.rows(),
        margin: worst.sum.margin(),
    })
}

/// The public numbers that one measured vector contradicts.
fn of_vector(released: &Released, sums: &SumsToKnown, miss: f64) -> Vec<Contradicted> {
    let measured = &released.measured[sums.vector];
    let mut steps: Vec<Vec<i128>> = vec![Vec::new(); sums.known.values.len()];
    sums.part.iter().zip(measured.steps()).for_each(|(cell, step)| steps[*cell as usize].push(*step));
    // The reach of a sum depends on its number of terms alone, of which there are few.
    let mut reaches: HashMap<usize, Reach> = HashMap::new();
    let mechanism = &**measured.mechanism();
    let mut contradicted = Vec::new();
    for (cell, (steps, &public)) in steps.into_iter().zip(&sums.known.values).enumerate() {
        let reach = reaches.entry(steps.len()).or_insert_with(|| Reach::new(mechanism, steps.len(), miss));
        let sum = reach.around(mechanism, steps.into_iter()).times(sums.step);
        if !(sum.lower..=sum.upper).contains(&(public as f64)) {
            contradicted.push(Contradicted { level: sums.known.level, cell, public, sum });
        }
    }
    contradicted
}
