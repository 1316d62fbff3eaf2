//! Workers give the bundle that this machine gives.

use crate::bench::{WorkerProcess, bench, bundle, named, seeded, spent};

#[test]
fn three_processes_release_the_same_bundle() {
    let bench = bench();
    let here = seeded(&bench, "here", &[]);
    assert_eq!(here.code, 0, "{}", here.err);
    let workers: Vec<_> = (0..3).map(|_| WorkerProcess::start(&[])).collect();
    let addresses: Vec<&str> = workers.iter().map(|worker| worker.address.as_str()).collect();
    for (count, out) in [(1, "one"), (3, "three")] {
        let there = seeded(&bench, out, &named(&addresses[..count]));
        assert_eq!(there.code, 0, "{}", there.err);
        assert!(bundle(&bench.path("here")) == bundle(&bench.path(out)), "{count} workers release something else");
    }
    // Noise from a seed costs nothing; that of the system does.
    assert_eq!(spent(&bench), "0");
    let arguments = [&["release", "plan.toml", "--out", "private"][..], &named(&addresses)].concat();
    let private = bench.run(&arguments);
    assert_eq!((private.code, spent(&bench)), (0, "1".into()), "{}", private.err);
}

#[test]
fn the_curator_sees_the_same_counts() {
    let bench = bench();
    let worker = WorkerProcess::start(&[]);
    let here = bench.run(&["peek", "plan.toml", "--json"]);
    let there = bench.run(&[&["peek", "plan.toml", "--json"][..], &named(&[&worker.address])].concat());
    assert_eq!((there.code, there.out), (0, here.out), "{}", there.err);
}
