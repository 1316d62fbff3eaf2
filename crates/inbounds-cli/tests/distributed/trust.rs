//! Who may ask, and whom to believe: certificates of both sides, and nothing in the open beyond this machine.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::{
    bench::{WorkerProcess, bench, bundle, named, seeded, spent_nothing},
    workbench::Workbench,
};

type Authority = CertifiedIssuer<'static, KeyPair>;

/// An authority, whose certificate is written to `NAME.pem`.
fn authority(bench: &Workbench, name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
    bench.write(&format!("{name}.pem"), authority.pem());
    authority
}

/// A certificate for a host, signed by an authority, as `NAME.pem` and `NAME-key.pem`.
fn certificate(bench: &Workbench, name: &str, host: &str, signed_by: &Authority) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![host.to_owned()]).expect("a host");
    bench.write(&format!("{name}.pem"), params.signed_by(&key, signed_by).expect("a certificate").pem());
    bench.write(&format!("{name}-key.pem"), key.serialize_pem());
}

/// The arguments of a side that shows one certificate and believes one authority.
fn shows(bench: &Workbench, name: &str, authority: &str) -> Vec<String> {
    let path = |name: String| bench.path(&name).to_string_lossy().into_owned();
    let files = [format!("{name}.pem"), format!("{name}-key.pem"), format!("{authority}.pem")].map(path);
    ["--certificate", "--key", "--authority"]
        .into_iter()
        .zip(files)
        .flat_map(|(word, file)| [word.to_owned(), file])
        .collect()
}

fn words(owned: &[String]) -> Vec<&str> {
    owned.iter().map(String::as_str).collect()
}

#[test]
fn two_sides_that_one_authority_signed_give_the_same_bundle() {
    let bench = bench();
    seeded(&bench, "here", &[]);
    let ours = authority(&bench, "ours");
    certificate(&bench, "worker", "127.0.0.1", &ours);
    certificate(&bench, "coordinator", "release.example", &ours);
    let workers = [(); 2].map(|()| WorkerProcess::start(&words(&shows(&bench, "worker", "ours"))));
    let shows = shows(&bench, "coordinator", "ours");
    let arguments = [named(&[&workers[0].address, &workers[1].address]), words(&shows)].concat();
    let said = seeded(&bench, "there", &arguments);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(bundle(&bench.path("here")) == bundle(&bench.path("there")));
}

#[test]
fn whoever_cannot_prove_who_it_is_gets_nothing() {
    let bench = bench();
    let (ours, theirs) = (authority(&bench, "ours"), authority(&bench, "theirs"));
    certificate(&bench, "worker", "127.0.0.1", &ours);
    certificate(&bench, "elsewhere", "elsewhere.example", &ours);
    certificate(&bench, "coordinator", "release.example", &ours);
    certificate(&bench, "stranger", "127.0.0.1", &theirs);
    let refused = |worker: &[String], coordinator: &[String], problem: &str| {
        let worker = WorkerProcess::start(&words(worker));
        let arguments = [named(&[&worker.address]), words(coordinator)].concat();
        let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &arguments].concat());
        spent_nothing(&bench, &said, 3, problem);
        worker
    };
    let side = |name: &str, authority: &str| shows(&bench, name, authority);
    let (worker, coordinator) = (side("worker", "ours"), side("coordinator", "ours"));
    refused(&worker, &side("stranger", "ours"), "the worker does not accept this side").says("was sent away");
    refused(&side("stranger", "ours"), &coordinator, "no trusted connection to worker");
    refused(&side("elsewhere", "ours"), &coordinator, "no trusted connection to worker");
    refused(&worker, &side("coordinator", "theirs"), "no trusted connection to worker");
    refused(&[], &coordinator, "what answers there speaks no TLS");
    refused(&worker, &[], "is no worker of inbounds, or one that has a certificate where this side has none");
}

#[test]
fn nothing_crosses_a_network_in_the_open() {
    let bench = bench();
    let far = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&["192.0.2.1:4817"])].concat());
    let open = "is beyond this machine, and exact numbers cross a network only where both sides prove who they are";
    spent_nothing(&bench, &far, 2, &format!("`192.0.2.1:4817` {open}"));
    let any = bench.run(&["worker", "--listen", "0.0.0.0:0"]);
    spent_nothing(&bench, &any, 2, &format!("`0.0.0.0:0` {open}"));
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    let bench = bench();
    let release = ["release", "plan.toml", "--out", "out"];
    let refused = |more: &[&str], problem: &str| {
        spent_nothing(&bench, &bench.run(&[&release[..], more].concat()), 2, problem);
    };
    refused(&["--worker", "127.0.0.1:1"], "are of use with `--engine distributed` alone");
    refused(&["--engine", "distributed"], "name each worker once, at least one");
    refused(&named(&["127.0.0.1:1", "127.0.0.1:1"]), "`127.0.0.1:1` is named twice");
    refused(&named(&["127.0.0.1"]), "`127.0.0.1` is no address");
    let missing = ["--certificate", "a.pem", "--key", "b.pem", "--authority", "c.pem"];
    refused(&[&named(&["127.0.0.1:1"])[..], &missing].concat(), "`a.pem` cannot be used");
}
