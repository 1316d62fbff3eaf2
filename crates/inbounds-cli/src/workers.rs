//! `inbounds worker`, and the engine of releases whose rows workers read.

use std::{num::NonZero, path::PathBuf, thread};

use clap::{Args, ValueEnum};
use inbounds_release::{Credentials, Worker, WorkerError, Workers, plan::Plan};

use crate::{
    arguments::EXIT_CODES,
    failure::{self, Failure},
};

/// Who this side of a connection is, and whom it believes.
#[derive(Debug, Args)]
struct CredentialArguments {
    /// PEM file with the certificate of this side; beyond this machine needed on both sides
    #[arg(long, value_name = "FILE", requires = "key", requires = "authority")]
    certificate: Option<PathBuf>,
    /// PEM file with the private key of the certificate
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// PEM file with the certificate of the authority that signs those of the other sides
    #[arg(long, value_name = "FILE", requires = "certificate")]
    authority: Option<PathBuf>,
}

impl CredentialArguments {
    fn credentials(&self) -> Option<Credentials> {
        let Self { certificate, key, authority } = self;
        let (certificate, key) = (certificate.clone()?, key.clone()?);
        Some(Credentials { certificate, key, authority: authority.clone()? })
    }
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct WorkerArguments {
    /// Host and port to listen at, such as 127.0.0.1:4817
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// Threads for each coordinator [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    #[command(flatten)]
    credentials: CredentialArguments,
}

/// What reads the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineWord {
    /// This program
    Local,
    /// Workers, named by `--worker`
    Distributed,
}

#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// What reads the rows
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = EngineWord::Local)]
    engine: EngineWord,
    /// Host and port of a worker, once for each
    #[arg(long = "worker", value_name = "HOST:PORT")]
    workers: Vec<String>,
    #[command(flatten)]
    credentials: CredentialArguments,
}

impl EngineArguments {
    /// The plan, with what is to read its rows.
    pub(crate) fn reads(&self, mut plan: Plan) -> Result<Plan, Failure> {
        let credentials = self.credentials.credentials();
        match self.engine {
            EngineWord::Local if self.workers.is_empty() && credentials.is_none() => {}
            EngineWord::Local => {
                let problem =
                    "workers and certificates are of use with `--engine distributed` alone; give it, or leave them out";
                return Err(Failure::wrong(problem.to_owned()));
            }
            EngineWord::Distributed => {
                plan.workers = Some(Workers::new(&self.workers, credentials.as_ref()).map_err(wrong)?);
            }
        }
        Ok(plan)
    }
}

fn wrong(error: WorkerError) -> Failure {
    Failure::wrong(error.to_string())
}

/// Serves coordinators; returns only if it cannot.
pub(crate) fn serve(arguments: &WorkerArguments) -> Result<String, Failure> {
    let threads = arguments.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN);
    let worker =
        Worker::bind(&arguments.listen, arguments.credentials.credentials().as_ref(), threads).map_err(wrong)?;
    let address = worker.address().map_err(|error| Failure::wrong(format!("{}: {error}", arguments.listen)))?;
    failure::note(&format!("worker of inbounds {} listens at {address}", env!("CARGO_PKG_VERSION")));
    worker.serve(&failure::note);
    Ok(String::new())
}
