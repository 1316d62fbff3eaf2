//! A coordinator: gives pieces to workers, and takes what each comes to whole or not at all.

use std::io;
use std::net::TcpStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::WorkerError;
use super::link::{Link, NUMBERS, PULSE};
use super::messages::{Job, Order, Reply, program};
use super::secure::{Credentials, Security};
use crate::engine::files::Piece;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);

/// The workers that read the rows of a release, by their addresses.
///
/// # Example
/// Nothing is connected before rows are read, and nothing crosses a network in the open:
/// ```
/// use inbounds_data::Workers;
/// assert!(Workers::new(&["127.0.0.1:4817".to_owned(), "[::1]:4817".to_owned()], None).is_ok());
/// let far = Workers::new(&["192.0.2.1:4817".to_owned()], None).unwrap_err();
/// assert!(far.to_string().starts_with("`192.0.2.1:4817` is beyond this machine"));
/// ```
#[derive(Debug, Clone)]
pub struct Workers {
    addresses: Vec<String>,
    security: Security,
}

impl Workers {
    /// Workers at these addresses, each a host and a port.
    ///
    /// # Errors
    /// [`WorkerError::Named`] unless each is named once, [`WorkerError::Open`] for one beyond this machine without credentials,
    /// [`WorkerError::Credentials`] and [`WorkerError::Address`].
    pub fn new(addresses: &[String], credentials: Option<&Credentials>) -> Result<Self, WorkerError> {
        let twice = addresses.iter().enumerate().find(|(place, address)| addresses[..*place].contains(address));
        if addresses.is_empty() || twice.is_some() {
            return Err(WorkerError::Named { worker: twice.map(|(_, address)| address.clone()) });
        }
        let security = Security::new(credentials)?;
        addresses.iter().try_for_each(|address| security.places(address).map(|_| ()))?;
        Ok(Self { addresses: addresses.to_vec(), security })
    }

    /// Number of workers.
    pub(in crate::engine) fn count(&self) -> usize {
        self.addresses.len()
    }

    /// Has all orders read. A thread for each worker begins with a state, takes shares into it, each whole, and ends with what it
    /// became; `take` returns false for what is no share. Orders that a lost worker had are given to others. Ends early once it is
    /// `halted`, and then with any result.
    pub(in crate::engine) fn gather<S, T: Send>(
        &self,
        (job, orders): (&Job, Vec<Vec<Piece>>),
        halted: &(impl Fn() -> bool + Sync),
        begin: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, &[u8]) -> bool + Sync,
        end: impl Fn(S) -> T + Sync,
    ) -> Result<Vec<T>, WorkerError> {
        let queue = Queue::new(orders, self.count());
        let stopped = || halted() || queue.has_failed();
        let serve = |worker: &str| {
            let mut state = begin();
            match self.connect(worker, job, &stopped) {
                Ok(mut link) => queue.serve(worker, &mut link, &mut |bytes| take(&mut state, bytes)),
                Err(error) => queue.fail(error),
            }
            end(state)
        };
        let results = thread::scope(|scope| {
            let threads: Vec<_> = self.addresses.iter().map(|worker| scope.spawn(|| serve(worker))).collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect::<Result<Vec<T>, _>>()
        });
        match (queue.into_failure(), results) {
            (Some(failure), _) => Err(failure),
            (None, Ok(results)) => Ok(results),
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    /// A worker that is ready for the job.
    fn connect<'s>(
        &self,
        worker: &str,
        job: &Job,
        stopped: &'s (impl Fn() -> bool + Sync),
    ) -> Result<Link<'s>, WorkerError> {
        let unreachable = |source| WorkerError::Unreachable { worker: worker.to_owned(), source };
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        let places = self.security.places(worker)?;
        let tcp = places.iter().find_map(|place| match TcpStream::connect_timeout(place, CONNECT) {
            Ok(tcp) => Some(tcp),
            Err(error) => {
                last = error;
                None
            }
        });
        let Some(tcp) = tcp else { return Err(unreachable(last)) };
        let mut link = self.security.connect(worker, tcp, stopped)?;
        if !link.is_same() {
            let (theirs, ours) = (link.program, program());
            return Err(WorkerError::Version { worker: worker.to_owned(), theirs, ours });
        }
        link.send(job).map_err(unreachable)?;
        loop {
            match link.receive().map_err(unreachable)? {
                Reply::Ready => return Ok(link),
                Reply::Working | Reply::Share => {}
                Reply::Refused(problem) => return Err(WorkerError::Refused { worker: worker.to_owned(), problem }),
            }
        }
    }
}

/// The orders of all workers.
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<Vec<Piece>>,
    /// Orders that are being read.
    taken: usize,
    /// Workers that are not lost.
    workers: usize,
    failure: Option<WorkerError>,
}

/// What a worker is to do next.
enum Next {
    Read(Vec<Piece>),
    /// Others may leave something.
    Wait,
    Done,
}

impl Queue {
    fn new(orders: Vec<Vec<Piece>>, workers: usize) -> Self {
        let state = State { waiting: orders, taken: 0, workers, failure: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    fn into_failure(self) -> Option<WorkerError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failure
    }

    /// Ends all work with the first failure.
    fn fail(&self, failure: WorkerError) {
        self.state().failure.get_or_insert(failure);
        self.changed.notify_all();
    }

    fn next(&self) -> Next {
        let mut state = self.state();
        if state.failure.is_some() {
            return Next::Done;
        }
        if let Some(pieces) = state.waiting.pop() {
            state.taken += 1;
            return Next::Read(pieces);
        }
        if state.taken == 0 {
            return Next::Done;
        }
        drop(self.changed.wait_timeout(state, PULSE).unwrap_or_else(PoisonError::into_inner));
        Next::Wait
    }

    fn finish_order(&self) {
        self.state().taken -= 1;
        self.changed.notify_all();
    }

    /// Gives back the order of a worker that is lost, if it had one.
    fn lose(&self, worker: &str, order: Option<Vec<Piece>>, error: &io::Error) {
        let mut state = self.state();
        state.workers -= 1;
        if let Some(pieces) = order {
            state.taken -= 1;
            state.waiting.push(pieces);
        }
        if state.workers == 0 && !(state.waiting.is_empty() && state.taken == 0) {
            let problem = lost(error);
            state.failure.get_or_insert(WorkerError::Lost { worker: worker.to_owned(), problem });
        }
        self.changed.notify_all();
    }

    /// Has one worker read until nothing is left, or it is lost.
    fn serve(&self, worker: &str, link: &mut Link<'_>, take: &mut dyn FnMut(&[u8]) -> bool) {
        loop {
            match self.next() {
                Next::Done => return,
                Next::Wait => {
                    if let Err(error) = link.send(&Order::Wait) {
                        return self.lose(worker, None, &error);
                    }
                }
                Next::Read(pieces) => match read(link, &pieces) {
                    Ok(Ok(numbers)) if take(&numbers) => self.finish_order(),
                    Ok(Ok(_)) => {
                        let problem = "it sent what is no answer to the questions".to_owned();
                        return self.fail(WorkerError::Refused { worker: worker.to_owned(), problem });
                    }
                    Ok(Err(problem)) => {
                        return self.fail(WorkerError::Refused { worker: worker.to_owned(), problem });
                    }
                    Err(error) => return self.lose(worker, Some(pieces), &error),
                },
            }
        }
    }
}

/// The exact numbers of these pieces, or why the worker cannot read them; an error if it is lost.
fn read(link: &mut Link<'_>, pieces: &[Piece]) -> io::Result<Result<Vec<u8>, String>> {
    link.send(&Order::Read(pieces.to_vec()))?;
    loop {
        match link.receive()? {
            Reply::Working | Reply::Ready => {}
            Reply::Refused(problem) => return Ok(Err(problem)),
            Reply::Share => return link.receive_bytes(NUMBERS).map(Ok),
        }
    }
}

/// How a worker was lost, in words.
fn lost(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "the connection ended".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(part: usize) -> Vec<Piece> {
        vec![Piece { file: 0, part }]
    }

    fn lost_connection() -> io::Error {
        io::ErrorKind::ConnectionReset.into()
    }

    #[test]
    fn the_order_of_a_lost_worker_is_given_to_another() {
        let queue = Queue::new(vec![piece(0)], 2);
        let Next::Read(order) = queue.next() else { panic!("there is an order") };
        queue.lose("a:1", Some(order.clone()), &lost_connection());
        let Next::Read(again) = queue.next() else { panic!("the order is back") };
        assert_eq!(again, order);
        queue.finish_order();
        assert!(matches!(queue.next(), Next::Done));
        assert!(queue.into_failure().is_none());
    }

    #[test]
    fn when_the_last_worker_is_lost_its_name_is_told() {
        let queue = Queue::new(vec![piece(0), piece(1)], 1);
        let Next::Read(order) = queue.next() else { panic!("there is an order") };
        queue.lose("b:2", Some(order), &lost_connection());
        assert!(matches!(queue.next(), Next::Done));
        let failure = queue.into_failure().expect("nobody is left").to_string();
        assert!(failure.starts_with("worker `b:2` was lost before all rows were read"), "{failure}");
    }

    #[test]
    fn whoever_is_lost_with_nothing_to_do_is_not_missed() {
        let queue = Queue::new(Vec::new(), 1);
        queue.lose("c:3", None, &lost_connection());
        assert!(queue.into_failure().is_none());
    }
}
