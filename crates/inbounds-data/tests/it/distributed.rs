//! The whole suite once more: whatever it asks of this machine it asks of three workers too, and the integers are the same.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

use inbounds_data::{Answers, DataError, Engine, FileEngine, Questions, RowFormat, Worker, WorkerError, Workers};

use crate::numbers;

/// Three workers of one, two and three threads.
static WORKERS: LazyLock<Workers> = LazyLock::new(|| {
    let address = |threads| {
        let worker = Worker::bind("127.0.0.1:0", None, NonZero::new(threads).unwrap()).unwrap();
        let address = worker.address().unwrap().to_string();
        thread::spawn(move || worker.serve(&|note| panic!("{note}")));
        address
    };
    Workers::new(&[1, 2, 3].map(address), None).unwrap()
});

/// Holds the answers of an engine against those of the workers.
pub(crate) fn agree(engine: &FileEngine, questions: &Questions<'_>, here: &Answers) {
    let there = FileEngine::open(engine.source()).unwrap().with_workers(WORKERS.clone()).answer(questions);
    let there = match there {
        Err(DataError::Worker(WorkerError::Memory)) if engine.format() == RowFormat::Memory => return,
        Err(DataError::Worker(WorkerError::Unanswered { .. })) => return,
        there => there.unwrap_or_else(|error| panic!("{error}")),
    };
    let all = |answers: &Answers| answers.tallies.iter().map(numbers).collect::<Vec<_>>();
    assert!(all(here) == all(&there), "workers count otherwise");
    let surveys = |answers: &Answers| answers.surveys.iter().map(|answer| answer.private_steps().to_vec()).collect();
    let [here, there]: [Vec<Vec<i128>>; 2] = [surveys(here), surveys(&there)];
    assert!(here == there, "workers survey otherwise");
}
