//! What can be wrong between a coordinator and its workers.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A machine that cannot be reached, does not prove who it is, or does not do its part. No variant ever holds a cell.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// An address that is no address.
    #[error("`{address}` is no address: write a host and a port, as in `127.0.0.1:4817`{}", because(source))]
    Address {
        /// The address as written.
        address: String,
        /// Answer of the operating system, if it was asked.
        source: Option<io::Error>,
    },
    /// Exact numbers would cross a network in the open.
    #[error(
        "`{address}` is beyond this machine, and exact numbers cross a network only where both sides prove who they are: give \
         `--certificate`, `--key` and `--authority`"
    )]
    Open {
        /// The address as written.
        address: String,
    },
    /// A certificate, a key or an authority that cannot be used.
    #[error("`{}` cannot be used: {problem}", file.display())]
    Credentials {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A worker cannot listen.
    #[error("cannot listen at `{address}`: {source}")]
    Listen {
        /// The address as written.
        address: String,
        /// Answer of the operating system.
        source: io::Error,
    },
    /// No workers were named, or one was named twice.
    #[error("name each worker once, at least one, with `--worker HOST:PORT`{}", twice(worker.as_deref()))]
    Named {
        /// The one that was named twice.
        worker: Option<String>,
    },
    /// Nothing answers.
    #[error("worker `{worker}` cannot be reached: {source}; start it with `inbounds worker --listen {worker}`")]
    Unreachable {
        /// Address of the worker as written.
        worker: String,
        /// Answer of the operating system.
        source: io::Error,
    },
    /// Something else answers.
    #[error(
        "what answers at `{worker}` is no worker of inbounds, or one that has a certificate where this side has none; check the \
         address, and give both sides `--certificate`, `--key` and `--authority` or neither"
    )]
    Stranger {
        /// Address of the worker as written.
        worker: String,
    },
    /// One side does not accept the certificate of the other.
    #[error(
        "no trusted connection to worker `{worker}`: {problem}; the certificates of both sides must be signed by the authority \
         that the other side names, be in date, and that of the worker must name its host"
    )]
    Untrusted {
        /// Address of the worker as written.
        worker: String,
        /// What the library of certificates says.
        problem: String,
    },
    /// Another program.
    #[error(
        "worker `{worker}` is inbounds {theirs} and this is inbounds {ours}: only the same program on all machines gives the \
         same numbers; install one of the two everywhere"
    )]
    Version {
        /// Address of the worker as written.
        worker: String,
        /// What the worker says that it is.
        theirs: String,
        /// What this program is.
        ours: String,
    },
    /// The worker cannot do what it was asked, and says why.
    #[error("worker `{worker}`: {problem}")]
    Refused {
        /// Address of the worker as written.
        worker: String,
        /// What it says.
        problem: String,
    },
    /// No worker is left.
    #[error(
        "worker `{worker}` was lost before all rows were read, and no other is left: {problem}; start it again, and release again. \
         No noise was drawn"
    )]
    Lost {
        /// Address of the worker that was lost last.
        worker: String,
        /// How it was lost.
        problem: String,
    },
    /// A file that is not the one that the coordinator sees.
    #[error(
        "`{}` is not the file that the coordinator sees: its size, its time of change or its parts differ; let all machines see one \
         file system, or copy the file with its times (`cp -p`), and change it while nothing reads it",
        file.display()
    )]
    OtherFile {
        /// The file.
        file: PathBuf,
    },
    /// Other columns or other files than the coordinator sees.
    #[error("`{path}` has other files or columns than the coordinator sees; let all machines see one file system")]
    OtherSource {
        /// Path of the source.
        path: String,
    },
    /// Rows that no other machine can see.
    #[error(
        "rows in memory can be read by no worker: write them to a file that all machines see, or leave the workers out"
    )]
    Memory,
    /// A path that is not UTF-8.
    #[error("the path `{}` must be UTF-8 text to be told to workers", file.display())]
    Path {
        /// The file.
        file: PathBuf,
    },
}

fn because(source: &Option<io::Error>) -> String {
    source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default()
}

fn twice(worker: Option<&str>) -> String {
    worker.map(|worker| format!("; `{worker}` is named twice")).unwrap_or_default()
}
