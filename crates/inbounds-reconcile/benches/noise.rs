//! Blocks to noisy counts of six levels: what a noising tool does before `reconcile`.

use std::{path::Path, sync::Arc};

use arrow::{
    array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray},
    compute::concat_batches,
    datatypes::Int64Type,
};
use inbounds_mechanisms::{
    noise::DiscreteLaplace,
    sampler::{SeededEntropy, fill_discrete_laplace},
};

use super::{
    blocks::{DIGITS, writer},
    plain::batches,
};

/// Rows written at a time.
const BATCH: usize = 1 << 16;

/// One over the scale of the noise: the epsilon of each level.
const EPSILON: &str = "0.5";

/// Sums up the blocks on each level, adds exact noise, and writes a measurements file.
pub(crate) fn write(blocks: &Path, measurements: &Path) {
    let batches: Vec<RecordBatch> = batches(blocks).collect();
    let table = concat_batches(&batches[0].schema(), &batches).expect("batches of one file");
    drop(batches);
    let (codes, people) = (table.column(0).as_string::<i32>(), table.column(1).as_primitive::<Int64Type>());
    let law = DiscreteLaplace::with_inverse_scale(EPSILON.parse().expect("a number")).expect("positive");
    let mut entropy = SeededEntropy::from_seed(1);
    let mut file = None;
    for (level, digits) in DIGITS.into_iter().enumerate() {
        let mut places = sums(codes, people.values(), digits);
        let mut noise = vec![0; places.len()];
        fill_discrete_laplace(&law, &mut entropy, &mut noise);
        places.iter_mut().zip(noise).for_each(|((_, sum), noise)| *sum += noise as i64);
        for places in places.chunks(BATCH) {
            let batch = rows(codes, places, level, law.scale());
            file.get_or_insert_with(|| writer(measurements, &batch)).write(&batch).expect("the disk has room");
        }
    }
    file.expect("at least the nation").close().expect("the disk has room");
}

/// First block and number of people of each place: blocks are sorted, so those of a place stand together.
fn sums(codes: &StringArray, people: &[i64], digits: usize) -> Vec<(u32, i64)> {
    let mut places: Vec<(u32, i64)> = Vec::new();
    let mut last = None;
    for (block, &people) in people.iter().enumerate() {
        let code = &codes.value(block)[..digits];
        if last.replace(code) != Some(code) {
            places.push((block as u32, 0));
        }
        places.last_mut().expect("one was just there").1 += people;
    }
    places
}

fn rows(codes: &StringArray, places: &[(u32, i64)], level: usize, scale: f64) -> RecordBatch {
    let name = |block: u32, level: usize| match DIGITS[level] {
        0 => "nation",
        digits => &codes.value(block as usize)[..digits],
    };
    let node = places.iter().map(|&(block, _)| name(block, level));
    let parent = places.iter().map(|&(block, _)| level.checked_sub(1).map(|above| name(block, above)));
    let columns: [(&str, ArrayRef, bool); 5] = [
        ("node", Arc::new(StringArray::from_iter_values(node)), false),
        ("parent", Arc::new(StringArray::from_iter(parent)), true),
        ("value", Arc::new(Int64Array::from_iter_values(places.iter().map(|&(_, value)| value))), false),
        ("law", Arc::new(StringArray::from_iter_values(places.iter().map(|_| "discrete-laplace"))), false),
        ("scale", Arc::new(Float64Array::from_iter_values(places.iter().map(|_| scale))), false),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}
