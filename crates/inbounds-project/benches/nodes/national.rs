//! Tables of national size: time and memory, beside one pass of writing and reading the same numbers.

use std::{fs, hint::black_box, io::Write, time::Instant};

use inbounds_project::{
    certificate::Status,
    constraint::tree::Tree,
    table::{
        Axes, MeasuredMargin, TableNumbers,
        tree::{TableTree, linear, top_down},
    },
};

use super::{clock::cpu_clock, data::Draws};

/// The name of a size, how many places each level below the nation has, and the numbers of values of the attributes:
/// those of the redistricting file are residence, voting age, Hispanic origin and race.
const SIZES: [(&str, &[usize], &[usize]); 4] = [
    ("counties / 64", &[1, 49], &[8, 2, 2, 63]),
    ("counties", &[51, 3_143], &[8, 2, 2, 63]),
    ("tracts / 64", &[1, 49, 1_319], &[2, 2, 63]),
    ("tracts", &[51, 3_143, 84_414], &[2, 2, 63]),
];

pub(crate) fn all() {
    println!(
        "\n{:<14} {:>9} {:>12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "national", "places", "cells", "linear", "whole", "seconds", "CPU", "pass", "peak MB", "data MB"
    );
    for (name, places, sizes) in SIZES {
        if std::env::var("INBOUNDS_BENCH_SIZE").is_ok_and(|only| only != name) {
            continue;
        }
        one(name, places, sizes);
    }
}

fn one(name: &str, places: &[usize], sizes: &[usize]) {
    let table: usize = sizes.iter().product();
    let (parents, truth) = tables(places, table);
    let nodes = parents.len();
    let axes = Axes::new(0..sizes.len());
    // The total, the margin of the last attribute and all cells, as a release would measure at each level.
    let listed = [Axes::NONE, Axes::new([sizes.len() - 1]), axes];
    let scale = (listed.len() * (places.len() + 1)) as f64;
    let mut draws = Draws::seeded(7);
    let measured = (0..nodes)
        .map(|node| {
            let own = &truth[node * table..(node + 1) * table];
            let margin = |axes: Axes, draws: &mut Draws| {
                let mut values = vec![0.0; axes.iter().map(|axis| sizes[axis]).product()];
                let parts = inbounds_project::table::parts(sizes, Axes::new(0..sizes.len()), axes);
                parts.into_iter().zip(own).for_each(|(part, cell)| values[part] += f64::from(*cell));
                values.iter_mut().for_each(|value| *value += draws.laplace(scale));
                MeasuredMargin { axes, values, variance: 2.0 * scale * scale }
            };
            listed.map(|axes| margin(axes, &mut draws)).to_vec()
        })
        .collect();
    drop(truth);
    let tree = Tree::from_parents(&parents).expect("a tree");
    let system = TableTree::new(sizes.to_vec(), tree, measured).expect("a tree of tables");
    let (start, cpu) = (Instant::now(), cpu_clock());
    let fit = linear(&system).expect("nothing is exact");
    let of_linear = start.elapsed().as_secs_f64();
    let solution = top_down(&fit, TableNumbers::Whole).expect("cells were measured");
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), (cpu_clock() - cpu).as_secs_f64());
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
    let pass = pass(&solution.cells);
    println!(
        "{name:<14} {nodes:>9} {:>12} {of_linear:>8.2} {:>8.2} {seconds:>8.2} {cpu:>8.2} {pass:>8.2} {:>9} {:>9.0}",
        nodes * table,
        seconds - of_linear,
        peak(),
        8.0 * (nodes * table) as f64 / 1e6
    );
}

/// One pass of writing all numbers and reading them again, in seconds.
fn pass(cells: &[f64]) -> f64 {
    let path = std::env::temp_dir().join(format!("inbounds-nodes-{}", std::process::id()));
    let start = Instant::now();
    let mut file = std::io::BufWriter::new(fs::File::create(&path).expect("a file"));
    cells.iter().for_each(|cell| file.write_all(&cell.to_le_bytes()).expect("it is written"));
    drop(file);
    black_box(fs::read(&path).expect("it is read"));
    fs::remove_file(&path).expect("it is removed");
    start.elapsed().as_secs_f64()
}

/// Most memory of the process so far, in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kilobytes| kilobytes / 1000)
}

/// The parents of all nodes, and their cells: heavy-tailed, mostly empty, some 4,000 people at a place of the last
/// level of tracts.
fn tables(places: &[usize], table: usize) -> (Vec<Option<u32>>, Vec<u32>) {
    let mut draws = Draws::seeded(3);
    let (mut parents, mut begin, mut above) = (vec![None], 0, 1);
    for &size in places {
        parents.extend((0..size).map(|place| Some((begin + place * above / size) as u32)));
        begin += above;
        above = size;
    }
    let mut cells = vec![0_u32; parents.len() * table];
    let share: Vec<f64> = (0..table).map(|_| draws.unit().powi(12)).collect();
    let all: f64 = share.iter().sum();
    let first = parents.len() - above;
    for place in first..parents.len() {
        let people = 332e6 / places.last().copied().unwrap_or(1) as f64 * -draws.unit().ln();
        let people = if places[0] == 1 { people / 64.0 } else { people };
        for (cell, share) in cells[place * table..(place + 1) * table].iter_mut().zip(&share) {
            let mean = people * share / all * -draws.unit().ln();
            *cell = (mean + draws.unit()) as u32 * u32::from(draws.unit() < 0.6 || mean > 50.0);
        }
    }
    for node in (1..parents.len()).rev() {
        let parent = parents[node].expect("a place below the nation") as usize;
        let (before, own) = cells.split_at_mut(node * table);
        before[parent * table..(parent + 1) * table].iter_mut().zip(own).for_each(|(sum, cell)| *sum += *cell);
    }
    (parents, cells)
}
