//! A worker: reads the pieces that a coordinator names, and returns what they come to.

use std::collections::HashSet;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use super::link::{Link, NoLink, PULSE};
use super::messages::{FileSeen, Job, Order, Reply};
use super::secure::{Credentials, Security};
use super::{WorkerError, seen};
use crate::engine::files::Piece;
use crate::{DataError, Engine, FileEngine};

/// Most connections at a time; what comes beyond is closed at once.
const CONNECTIONS: usize = 64;

/// A program that reads rows for coordinators of the same program.
///
/// Whoever may connect may ask exact numbers about every file that the worker can read. Beyond this machine only those may connect
/// whose certificate the [authority](Credentials::authority) of the worker has signed.
pub struct Worker {
    listener: TcpListener,
    security: Security,
    threads: NonZero<usize>,
}

impl Worker {
    /// Listens at an address, with so many threads for each coordinator.
    ///
    /// # Errors
    /// [`WorkerError::Open`] for an address beyond this machine without credentials, [`WorkerError::Credentials`],
    /// [`WorkerError::Address`] and [`WorkerError::Listen`].
    pub fn bind(
        address: &str,
        credentials: Option<&Credentials>,
        threads: NonZero<usize>,
    ) -> Result<Self, WorkerError> {
        let security = Security::new(credentials)?;
        let places = security.places(address)?;
        let listen = |source| WorkerError::Listen { address: address.to_owned(), source };
        let listener = TcpListener::bind(places.as_slice()).map_err(listen)?;
        Ok(Self { listener, security, threads })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves coordinators until the process ends, and tells `note` of those that are sent away.
    pub fn serve(&self, note: &(impl Fn(&str) + Sync)) {
        let open = AtomicUsize::new(0);
        thread::scope(|scope| {
            for connection in self.listener.incoming() {
                // A connection that broke before it was taken, or too many open files: the next one may do.
                let Ok(tcp) = connection else {
                    thread::sleep(std::time::Duration::from_millis(50));
                    continue;
                };
                if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
                    open.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let open = &open;
                scope.spawn(move || {
                    // A panic ends this connection and no other.
                    let served = inbounds_input::guarded(|| self.serve_one(tcp));
                    if let Some(Err(problem)) = served {
                        note(&problem);
                    }
                    open.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
    }

    fn serve_one(&self, tcp: TcpStream) -> Result<(), String> {
        let peer = tcp.peer_addr().map_or_else(|_| "a peer".to_owned(), |peer| peer.to_string());
        let mut link = self.security.accept(tcp).map_err(|no_link| match no_link {
            NoLink::Stranger => format!("{peer} was sent away: it is no coordinator of inbounds"),
            NoLink::Io(error) => format!("{peer} was sent away: {error}"),
        })?;
        if !link.is_same() {
            return Err(format!(
                "{peer} was sent away: it is inbounds {}, another program than this one",
                link.program
            ));
        }
        // A coordinator that goes away in the middle is none of the worker's business.
        let _ = self.work(&mut link);
        Ok(())
    }

    fn work(&self, link: &mut Link<'_>) -> io::Result<()> {
        let job: Job = link.receive()?;
        let engine = match open(&job) {
            Ok(engine) => engine.with_threads(self.threads),
            Err(error) => return link.send(&Reply::Refused(error.to_string())),
        };
        link.send(&Reply::Ready)?;
        loop {
            match link.receive()? {
                Order::Wait => {}
                Order::Read(pieces) => {
                    let pieces = pieces.into_iter().collect();
                    match while_alive(link, |stop| share(&engine, &job, &pieces, stop))? {
                        Some(Ok(numbers)) => {
                            link.send(&Reply::Share)?;
                            link.send_bytes(&numbers)?;
                        }
                        Some(Err(error)) => return link.send(&Reply::Refused(error.to_string())),
                        None => {
                            let problem = "the reading ended without a word; what it stumbled over is not shown";
                            return link.send(&Reply::Refused(problem.to_owned()));
                        }
                    }
                }
            }
        }
    }
}

/// Opens the source of a job, if it is the one that the coordinator sees.
fn open(job: &Job) -> Result<FileEngine, DataError> {
    let engine = FileEngine::open(&job.source)?;
    let agrees = engine.columns() == job.columns.as_slice();
    let files = seen::files(&engine)?;
    if !agrees || !files.iter().map(|file| &file.path).eq(job.files.iter().map(|file| &file.path)) {
        return Err(WorkerError::OtherSource { path: job.source.path.clone() }.into());
    }
    same(&files, &job.files)?;
    Ok(engine)
}

/// What these pieces come to. The files must still be the same when they are read.
fn share(engine: &FileEngine, job: &Job, pieces: &HashSet<Piece>, stop: &AtomicBool) -> Result<Vec<u8>, DataError> {
    let numbers = engine.share(&job.asked, pieces, stop)?;
    same(&seen::files(engine)?, &job.files)?;
    Ok(numbers)
}

fn same(here: &[FileSeen], there: &[FileSeen]) -> Result<(), WorkerError> {
    match here.iter().zip(there).find(|(here, there)| here != there) {
        None => Ok(()),
        Some((here, _)) => Err(WorkerError::OtherFile { file: here.path.clone().into() }),
    }
}

/// Works and says so from time to time; stops where nobody hears it. `None` if the work panicked.
fn while_alive<T: Send>(link: &mut Link<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> io::Result<Option<T>> {
    let stop = AtomicBool::new(false);
    let (done, finished) = mpsc::channel();
    thread::scope(|scope| {
        let stop = &stop;
        let worker = scope.spawn(move || {
            let result = work(stop);
            // Whoever waited may have gone.
            let _ = done.send(());
            result
        });
        while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(PULSE) {
            if let Err(gone) = link.send(&Reply::Working) {
                stop.store(true, Ordering::Relaxed);
                return Err(gone);
            }
        }
        Ok(worker.join().ok())
    })
}
