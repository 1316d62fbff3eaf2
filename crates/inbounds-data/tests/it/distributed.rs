//! The whole suite once more: whatever it asks of this machine it asks of three workers too, and the integers are the same.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

use inbounds_data::{
    Answers, DataError, DistributedEngine, Engine, FileEngine, LearnKeys, LearnedCells, Query, Questions, RowFormat,
    Worker, WorkerError, Workers,
};

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

/// The rows of an engine, read by the workers; none if they are in memory, where workers cannot see them.
fn elsewhere(engine: &FileEngine) -> Option<DistributedEngine> {
    let elsewhere = FileEngine::open(engine.source()).unwrap().with_workers(WORKERS.clone());
    if engine.format() != RowFormat::Memory {
        return Some(elsewhere);
    }
    let refused = elsewhere.tally(&Query::default()).err();
    assert!(matches!(refused, Some(DataError::Worker(WorkerError::Memory))));
    None
}

/// What the workers learn.
pub(crate) fn learn(engine: &FileEngine, asked: &LearnKeys) -> Option<LearnedCells> {
    elsewhere(engine).map(|engine| engine.learn(asked, None).unwrap_or_else(|error| panic!("{error}")))
}

/// Holds the answers of an engine against those of the workers.
pub(crate) fn agree(engine: &FileEngine, questions: &Questions<'_>, here: &Answers) {
    let Some(there) = elsewhere(engine) else { return };
    let there = there.answer(questions).unwrap_or_else(|error| panic!("{error}"));
    let all = |answers: &Answers| answers.tallies.iter().map(numbers).collect::<Vec<_>>();
    assert!(all(here) == all(&there), "workers count otherwise");
    let surveys = |answers: &Answers| answers.surveys.iter().map(|answer| answer.private_steps().to_vec()).collect();
    let [here, there]: [Vec<Vec<i128>>; 2] = [surveys(here), surveys(&there)];
    assert!(here == there, "workers survey otherwise");
}
