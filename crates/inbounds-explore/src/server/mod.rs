//! The page over HTTP, for this machine alone.
//!
//! - It listens on `127.0.0.1` and on nothing else; [`guard`](mod@guard) refuses what does not come from its own page.
//! - It has no cookie and no state but the file of the plan: every request brings the text that it is about.
//! - Requests are small ([`MOST_BYTES`]), arrive in time ([`IN_TIME`]) and over few connections ([`MOST_CONNECTIONS`]).

mod api;
mod guard;

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use rand::{TryRng, rngs::SysRng};
use thiserror::Error;
use tokio::{net::TcpListener, runtime::Runtime, sync::Semaphore};

use crate::{PlanFileError, plan_file::PlanFile};

/// Most bytes of a request: a plan may list a hundred thousand values.
pub const MOST_BYTES: usize = 4 << 20;

/// Most connections at a time. A browser opens six for a page.
pub const MOST_CONNECTIONS: usize = 48;

/// Time in which the head of a request, and then its body, have to arrive.
const IN_TIME: Duration = Duration::from_secs(20);

/// Plans that are prepared at the same time.
const AT_ONCE: usize = 2;

/// Bytes of the token in the address.
const TOKEN_BYTES: usize = 24;

/// Why there is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The plan cannot be opened.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// No port of the loopback interface.
    #[error("no page at 127.0.0.1:{port}: {source}")]
    Port {
        /// The port that was asked for, 0 for any.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// No token.
    #[error("the operating system gave no random bytes for the address of the page: {0}")]
    Entropy(String),
}

/// A page that is served, or about to be.
#[derive(Debug)]
pub struct Explorer {
    runtime: Runtime,
    listener: TcpListener,
    served: Arc<Served>,
}

/// State from which every request is answered.
#[derive(Debug)]
struct Served {
    file: PlanFile,
    address: SocketAddr,
    token: String,
    at_once: Semaphore,
}

impl Explorer {
    /// Opens a port of the loopback interface for the plan at a path, which need not exist; port 0 for any.
    ///
    /// # Errors
    /// [`ExploreError`].
    pub fn open(plan: &Path, port: u16) -> Result<Self, ExploreError> {
        let file = PlanFile::new(plan);
        file.load()?;
        let unopened = |source| ExploreError::Port { port, source };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .enable_time()
            .build()
            .map_err(unopened)?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port))).map_err(unopened)?;
        let address = listener.local_addr().map_err(unopened)?;
        let served = Arc::new(Served { file, address, token: token()?, at_once: Semaphore::new(AT_ONCE) });
        Ok(Self { runtime, listener, served })
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.served.address, self.served.token)
    }

    /// Serves the page for as long as the process lives.
    pub fn serve(self) -> ! {
        let Self { runtime, listener, served } = self;
        match runtime.block_on(accept(listener, served)) {}
    }

    /// Serves the page for as long as what is returned lives.
    pub fn start(self) -> ServedPage {
        let Self { runtime, listener, served } = self;
        runtime.spawn(accept(listener, served));
        ServedPage { runtime: Some(runtime) }
    }
}

/// A page that is served until this is dropped.
#[derive(Debug)]
pub struct ServedPage {
    runtime: Option<Runtime>,
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn token() -> Result<String, ExploreError> {
    let mut bytes = [0; TOKEN_BYTES];
    SysRng.try_fill_bytes(&mut bytes).map_err(|error| ExploreError::Entropy(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Takes connections, up to the most; one more is closed before anything of it is read.
async fn accept(listener: TcpListener, served: Arc<Served>) -> Infallible {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let router: Router = api::router(served);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptor is free: wait until a connection ends.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = free.clone().try_acquire_owned() else { continue };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(IN_TIME)
                .max_buf_size(64 << 10)
                .serve_connection(TokioIo::new(stream), service);
            // A browser that goes away is no failure.
            let _ = connection.await;
            drop(place);
        });
    }
}
