//! One run through `reconcile`: the same numbers, from file to file.

use std::fmt::Write;

use inbounds_project::tree::top_down_integer;
use inbounds_reconcile::{Options, Silent, reconcile};

use super::{LEVEL, Noisy, REPLICATES, places::Places};
use crate::geography::places::LEVELS;

/// Coverage is a mean over places, whose errors are all but independent from tract to tract: of the 239,780 block
/// groups 4 standard errors are below 0.005 even if the four of a tract missed together.
const LEAST_COVERAGE: f64 = LEVEL - 0.005;

pub(super) fn one_run(places: &Places, fifth: &str, seed: u64) {
    let mut noisy = Noisy::new(places, fifth, seed);
    let (values, scale) = (noisy.measure(), noisy.law.scale());
    let mut text = "node,parent,value,law,scale\n".to_owned();
    for ((name, parent), value) in places.names.iter().zip(&places.parents).zip(&values) {
        let parent = parent.map_or("", |parent| &places.names[parent as usize]);
        writeln!(text, "{name},{parent},{value},discrete-laplace,{scale}").expect("text");
    }
    let folder = tempfile::tempdir().expect("folder");
    let measurements = folder.path().join("measurements.csv");
    std::fs::write(&measurements, text).expect("writes");
    let options = Options { integer: true, replicates: REPLICATES, seed, ..Options::default() };
    let reconciled = reconcile(&measurements, &options, &folder.path().join("bundle"), &Silent).expect("reconciles");

    let solver = &reconciled.manifest.solver;
    assert_eq!((solver.method.word(), solver.status.word()), ("top-down-least-squares-in-integers", "optimal"));
    assert_eq!(reconciled.manifest.warnings, [""; 0]);
    let estimates: Vec<f64> = reconciled.nodes().map(|node| node.estimate).collect();
    places.assert_adds_up(&estimates);
    let variance = inbounds_reconcile::Law::DiscreteLaplace.variance(scale);
    assert_eq!(estimates, top_down_integer(&places.system(values, variance).nonnegative()).estimates);

    let mut held = [(0.0, 0.0); LEVELS.len()];
    for ((node, name), (&level, people)) in
        reconciled.nodes().zip(&places.names).zip(places.level.iter().zip(&places.population))
    {
        assert_eq!(node.name, name);
        let (lower, upper) = node.interval.expect("replicates");
        let (places, covered) = &mut held[level];
        *places += 1.0;
        *covered += f64::from(u8::from((lower..=upper).contains(people)));
    }
    println!("\none run through `reconcile`, {REPLICATES} replicates: whole numbers, the same as the solver's");
    for (name, (places, covered)) in LEVELS.iter().zip(held) {
        println!("{name:<12} intervals cover {:.4} of {places}", covered / places);
    }
    let (groups, covered) = held[LEVELS.len() - 1];
    assert!(covered / groups >= LEAST_COVERAGE, "{covered} of {groups}");
}
