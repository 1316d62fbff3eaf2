//! What happens to a worker, or in its place: a release ends with the same bundle, or fails with nothing spent.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    bench::{WorkerProcess, bench, bundle, named, seeded, spent_nothing},
    proxy::Proxy,
};

/// A worker behind a connection that sees what it sends.
struct Doomed {
    address: String,
    worker: Arc<Mutex<WorkerProcess>>,
}

impl Drop for Doomed {
    fn drop(&mut self) {
        self.worker.lock().expect("nobody panics").kill();
    }
}

/// A worker that is killed with -9 once it has sent so many bytes.
fn doomed(bytes: usize) -> Doomed {
    let worker = Arc::new(Mutex::new(WorkerProcess::start(&[])));
    let (address, killed) = (worker.lock().expect("nobody panics").address.clone(), Arc::clone(&worker));
    let proxy = Proxy::new(address, || {}, bytes, move || killed.lock().expect("nobody panics").kill());
    Doomed { address: proxy.address, worker }
}

/// Bytes of the greeting, and of the word that a worker is ready.
fn first_words() -> usize {
    let worker = WorkerProcess::start(&[]);
    let mut peer = TcpStream::connect(&worker.address).expect("a worker");
    let mut head = [0; 9];
    peer.read_exact(&mut head).expect("a greeting");
    head.len() + usize::from(head[8]) + 5
}

#[test]
fn the_orders_of_a_killed_worker_are_read_by_others() {
    let bench = bench();
    seeded(&bench, "here", &[]);
    let others = [WorkerProcess::start(&[]), WorkerProcess::start(&[])];
    let first = first_words();
    // In the first word of a share, in its numbers, and between two of them.
    for (run, more) in [1, 7, 12, 40, 60, 90, 130, 200].into_iter().enumerate() {
        let doomed = doomed(first + more);
        let out = format!("run-{run}");
        let said = seeded(&bench, &out, &named(&[&doomed.address, &others[0].address, &others[1].address]));
        assert_eq!(said.code, 0, "after {more} bytes: {}", said.err);
        assert!(bundle(&bench.path("here")) == bundle(&bench.path(&out)), "after {more} bytes");
    }
}

#[test]
fn without_any_worker_left_nothing_is_spent() {
    let bench = bench();
    let first = first_words();
    for more in [1, 40, 90] {
        let doomed = doomed(first + more);
        let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&[&doomed.address])].concat());
        let problem = format!("worker `{}` was lost before all rows were read", doomed.address);
        spent_nothing(&bench, &said, 3, &problem);
    }
    let doomed = doomed(first - 1);
    let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&[&doomed.address])].concat());
    spent_nothing(&bench, &said, 3, "cannot be reached");
    let gone =
        bench.run(&["release", "plan.toml", "--out", "out", "--engine", "distributed", "--worker", "127.0.0.1:1"]);
    spent_nothing(&bench, &gone, 3, "worker `127.0.0.1:1` cannot be reached");
}

#[test]
fn a_file_that_changes_is_refused() {
    let bench = Arc::new(bench());
    let worker = WorkerProcess::start(&[]);
    let path = bench.path("rows/part-3.csv");
    let change = move || {
        let mut file = fs::OpenOptions::new().append(true).open(path).expect("a file");
        file.write_all(b"p1,f,30,100\n").expect("writes");
    };
    let proxy = Proxy::new(worker.address.clone(), change, usize::MAX, || {});
    let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&[&proxy.address])].concat());
    spent_nothing(&bench, &said, 3, "part-3.csv` is not the file that the coordinator sees");
}

#[test]
fn another_program_is_refused_by_both_sides() {
    let bench = bench();
    let greeting = |version: &str| [b"inbounds".as_slice(), &[version.len() as u8], version.as_bytes()].concat();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let old = greeting("0.0.1 (protocol 0, least byte first)");
    let told = old.clone();
    thread::spawn(move || {
        let (mut peer, _) = listener.accept().expect("a coordinator");
        peer.write_all(&told).expect("a greeting");
        let _ = peer.read_to_end(&mut Vec::new());
    });
    let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&[&address])].concat());
    spent_nothing(&bench, &said, 3, "is inbounds 0.0.1 (protocol 0, least byte first) and this is inbounds");
    let worker = WorkerProcess::start(&[]);
    let mut peer = TcpStream::connect(&worker.address).expect("a worker");
    peer.write_all(&old).expect("a greeting");
    peer.read_to_end(&mut Vec::new()).expect("the end");
    worker.says("was sent away: it is inbounds 0.0.1");
}

/// Bytes that are no words of the protocol: the worker neither ends nor fills its memory, and serves the next coordinator.
#[test]
#[cfg(target_os = "linux")]
fn garbage_on_the_port_does_no_harm() {
    let bench = bench();
    let worker = WorkerProcess::start(&[]);
    let mut greeting = vec![0; first_words() - 5];
    TcpStream::connect(&worker.address).expect("a worker").read_exact(&mut greeting).expect("a greeting");
    let frame = |length: u32, bytes: &[u8]| [&greeting[..], &length.to_le_bytes(), bytes].concat();
    let many = (0..2000u32).map(|word| word.wrapping_mul(0x9e37_79b9)).flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let long = vec![255; 1 << 20];
    for bytes in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        many.clone(),
        b"inbounds".to_vec(),
        frame(u32::MAX, &[]),
        frame(u32::MAX, &many),
        frame(1 << 20, &[1, 2, 3]),
        // A path of 2^60 bytes, and lists that go on.
        frame(10, &[255, 255, 255, 255, 255, 255, 255, 255, 16, 0]),
        frame(1 << 20, &long),
    ] {
        let mut peer = TcpStream::connect(&worker.address).expect("a worker");
        // It may be sent away before it has said all.
        let _ = peer.write_all(&bytes);
        let _ = peer.shutdown(std::net::Shutdown::Write);
        let _ = peer.read_to_end(&mut Vec::new());
    }
    let most = worker.most_memory();
    assert!(most < 200 << 20, "{most} bytes");
    let said = seeded(&bench, "out", &named(&[&worker.address]));
    assert_eq!(said.code, 0, "{}", said.err);
    worker.says("was sent away: it is no coordinator of inbounds");
}

/// Answers that are none: too short, too long, or no numbers.
#[test]
fn a_worker_that_talks_nonsense_is_told_of() {
    let bench = bench();
    let mut greeting = vec![0; first_words() - 5];
    let worker = WorkerProcess::start(&[]);
    TcpStream::connect(&worker.address).expect("a worker").read_exact(&mut greeting).expect("a greeting");
    let frame = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes(), bytes].concat();
    // Ready, then a share of these bytes.
    for (share, problem) in [
        (frame(&[]), "it sent what is no answer to the questions"),
        (frame(&[0; 5000]), "it sent what is no answer to the questions"),
        (frame(&[255; 5000]), "it sent what is no answer to the questions"),
        (u32::MAX.to_le_bytes().to_vec(), "it said what cannot be understood"),
    ] {
        let words = [greeting.clone(), frame(&[0]), frame(&[3]), share].concat();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        thread::spawn(move || {
            let (mut peer, _) = listener.accept().expect("a coordinator");
            peer.write_all(&words).expect("words");
            let _ = peer.read_to_end(&mut Vec::new());
        });
        let said = bench.run(&[&["release", "plan.toml", "--out", "out"][..], &named(&[&address])].concat());
        spent_nothing(&bench, &said, 3, problem);
    }
}
