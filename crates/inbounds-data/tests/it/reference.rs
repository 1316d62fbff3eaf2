//! Answers from the definition, row by row, without the engine.

use std::collections::BTreeMap;

use inbounds_data::{Bins, Clip, ContributionBound, KeyValue, Missing, Query};

use crate::write::Row;

/// The cell and the steps of a row that counts.
struct Counted {
    cell: usize,
    steps: Vec<i64>,
}

/// Counts, then each sum, then each product, over the rows that pass; the text of the query's filter is not read, and
/// its unit is `person`.
pub(crate) fn answers(rows: &[Row], passes: impl Fn(&Row) -> bool, query: &Query) -> Vec<Vec<i128>> {
    let counted = rows.iter().filter(|row| passes(row)).filter_map(|row| {
        let steps = query.values.iter().map(|value| steps(row, value)).collect::<Option<Vec<i64>>>()?;
        Some((row, Counted { cell: cell(row, query)?, steps }))
    });
    let kept: Vec<Counted> = match &query.bound {
        None => counted.map(|(_, row)| row).collect(),
        Some(bound) => {
            let mut units: BTreeMap<&str, Vec<Counted>> = BTreeMap::new();
            for (row, counted) in counted {
                let Some(unit) = &row.person else { continue };
                units.entry(unit).or_default().push(counted);
            }
            units.into_iter().flat_map(|(unit, of_unit)| first(unit, of_unit, bound, query)).collect()
        }
    };
    let total = |term: &dyn Fn(&[i64]) -> i128| {
        let mut sums = vec![0; query.cells()];
        kept.iter().for_each(|row| sums[row.cell] += term(&row.steps));
        sums
    };
    let mut all = vec![total(&|_| 1)];
    all.extend((0..query.values.len()).map(|value| total(&|steps| steps[value].into())));
    all.extend(query.products.iter().map(|&(i, j)| total(&|steps| i128::from(steps[i]) * i128::from(steps[j]))));
    all
}

/// The rows of a unit that are kept, under limits on its rows in a cell, in a group and in all, and on its groups.
fn first(unit: &str, mut rows: Vec<Counted>, bound: &ContributionBound, query: &Query) -> Vec<Counted> {
    let bins = query.bins.as_ref().map_or(1, Bins::len);
    rows.sort_by_key(|row| mix(unit, row));
    limit(&mut rows, query.rows_per_cell, |row| row.cell);
    limit(&mut rows, bound.rows_per_group, |row| row.cell / bins);
    if let Some(most) = bound.groups {
        let mut groups: Vec<usize> = rows.iter().map(|row| row.cell / bins).collect();
        groups.sort_unstable();
        groups.dedup();
        // A group has the hash of a row in it without values.
        groups.sort_by_key(|&cell| mix(unit, &Counted { cell, steps: Vec::new() }));
        let kept = &groups[..groups.len().min(most.try_into().unwrap())];
        rows.retain(|row| kept.contains(&(row.cell / bins)));
    }
    rows.truncate(usize::try_from(bound.rows).unwrap_or(usize::MAX));
    rows
}

/// Leaves the first rows of each part.
fn limit(rows: &mut Vec<Counted>, most: Option<u64>, part: impl Fn(&Counted) -> usize) {
    let mut before: BTreeMap<usize, u64> = BTreeMap::new();
    rows.retain(|row| {
        let before = before.entry(part(row)).or_default();
        *before += 1;
        *before <= most.unwrap_or(u64::MAX)
    });
}

fn cell(row: &Row, query: &Query) -> Option<usize> {
    let (key, bins) = (key(row, query)?, query.bins.as_ref().map_or(1, Bins::len));
    Some(key * bins + query.bins.as_ref().map_or(Some(0), |bins| bin(row, bins))?)
}

fn bin(row: &Row, bins: &Bins) -> Option<usize> {
    match (number(row, bins.column()), bins.missing()) {
        (None, Missing::Drop) => None,
        (None, Missing::Impute(bin)) => Some(bin as usize),
        (Some(value), _) => {
            let (first, last) = (bins.edges()[0], bins.edges()[bins.len()]);
            let inside = |bin: &usize| (bins.edges()[*bin]..bins.edges()[*bin + 1]).contains(&value.max(first));
            if value >= last { Some(bins.len() - 1) } else { (0..bins.len()).find(inside) }
        }
    }
}

fn key(row: &Row, query: &Query) -> Option<usize> {
    let Some(keys) = &query.keys else { return Some(0) };
    let value = |column: &String| match column.as_str() {
        "state" => row.state.clone().map(KeyValue::Text),
        "age" => row.age.map(KeyValue::Integer),
        "member" => row.member.map(KeyValue::Boolean),
        other => panic!("no key column {other}"),
    };
    let key = keys.columns().iter().map(value).collect::<Option<Vec<KeyValue>>>()?;
    keys.rows().position(|row| row == key)
}

fn number(row: &Row, column: &str) -> Option<f64> {
    match column {
        "income" => row.income.filter(|income| !income.is_nan()),
        "age" => row.age.map(|age| age as f64),
        "member" => row.member.map(|member| f64::from(u8::from(member))),
        other => panic!("no value column {other}"),
    }
}

fn steps(row: &Row, clip: &Clip) -> Option<i64> {
    match (number(row, &clip.column), clip.missing) {
        (None, Missing::Drop) => None,
        (None, Missing::Impute(steps)) => Some(steps),
        (Some(value), _) => {
            let steps = (value / 2f64.powi(clip.grid.exponent())).round_ties_even();
            Some(steps.clamp(clip.lower as f64, clip.upper as f64) as i64)
        }
    }
}

/// The documented hash, written again.
fn mix(unit: &str, Counted { cell, steps }: &Counted) -> u64 {
    let mut words: Vec<u64> = Vec::new();
    let mut bytes = unit.as_bytes().to_vec();
    // The last chunk is padded, and empty if the text fills the ones before.
    bytes.resize(unit.len() / 8 * 8 + 8, 0);
    words.extend(bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap())));
    words.extend([unit.len() as u64, *cell as u64]);
    words.extend(if steps.is_empty() { vec![0] } else { steps.iter().map(|&steps| steps as u64).collect() });
    words.into_iter().fold(0, |hash, word| scramble(hash.wrapping_add(word)))
}

/// Output function of SplitMix64.
fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
