//! Who is on the other side: TLS in which both sides show a certificate, and nothing else beyond this machine.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, RootCertStore, ServerConfig, ServerConnection, SideData,
    StreamOwned,
};

use super::WorkerError;
use super::link::{LONG_PATIENCE, Link, NoLink, PATIENCE, Socket, Stream};

/// What one side of a connection shows, and whom it believes.
///
/// Both sides of a connection show a certificate that an authority has signed which the other side names. There is no other list of
/// authorities: whoever holds a key that yours has signed can ask a worker for exact numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// PEM file with the certificate of this side, and those that lead from it to the authority.
    pub certificate: PathBuf,
    /// PEM file with its private key.
    pub key: PathBuf,
    /// PEM file with the certificates of the authority that signs those of the other sides.
    pub authority: PathBuf,
}

/// How connections are made and taken.
#[derive(Clone)]
pub(super) struct Security(Option<(Arc<ClientConfig>, Arc<ServerConfig>)>);

/// No key may be printed.
impl fmt::Debug for Security {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Tls" } else { "Open" })
    }
}

impl Security {
    /// Reads certificates and keys, if there are to be any.
    pub(super) fn new(credentials: Option<&Credentials>) -> Result<Self, WorkerError> {
        Ok(Self(credentials.map(configurations).transpose()?))
    }

    /// The places that an address leads to, all of which may be used.
    pub(super) fn places(&self, address: &str) -> Result<Vec<SocketAddr>, WorkerError> {
        let found = |source| WorkerError::Address { address: address.to_owned(), source };
        let places: Vec<SocketAddr> = address.to_socket_addrs().map_err(|source| found(Some(source)))?.collect();
        if places.is_empty() {
            return Err(found(None));
        }
        if self.0.is_none() && !places.iter().all(|place| place.ip().to_canonical().is_loopback()) {
            return Err(WorkerError::Open { address: address.to_owned() });
        }
        Ok(places)
    }

    /// Connects to a worker, and hears what program it is.
    pub(super) fn connect<'s>(
        &self,
        worker: &str,
        tcp: TcpStream,
        stopped: &'s (impl Fn() -> bool + Sync),
    ) -> Result<Link<'s>, WorkerError> {
        let unreachable = |source| WorkerError::Unreachable { worker: worker.to_owned(), source };
        let mut socket = Socket::new(tcp, PATIENCE, stopped).map_err(unreachable)?;
        let stream: Box<dyn Stream + 's> = match &self.0 {
            None => Box::new(socket),
            Some((client, _)) => {
                let name = name_of(worker)?;
                let connection = ClientConnection::new(client.clone(), name);
                let mut connection = connection.map_err(|error| untrusted(worker, &error))?;
                shake(&mut connection, &mut socket).map_err(|error| refused(worker, error))?;
                Box::new(StreamOwned::new(connection, socket))
            }
        };
        Link::greet(stream).map_err(|no_link| match no_link {
            NoLink::Stranger => WorkerError::Stranger { worker: worker.to_owned() },
            NoLink::Io(error) => refused(worker, error),
        })
    }

    /// Takes a connection of a coordinator, which has proved who it is if it had to.
    pub(super) fn accept(&self, tcp: TcpStream) -> Result<Link<'static>, NoLink> {
        let mut socket = Socket::new(tcp, LONG_PATIENCE, || false)?;
        match &self.0 {
            None => Link::greet(Box::new(socket)),
            Some((_, server)) => {
                let mut connection = ServerConnection::new(server.clone()).map_err(io::Error::other)?;
                shake(&mut connection, &mut socket)?;
                Link::greet(Box::new(StreamOwned::new(connection, socket)))
            }
        }
    }
}

impl Stream for StreamOwned<ClientConnection, Socket<'_>> {
    fn greeted(&mut self) {
        self.sock.greeted();
    }
}

impl Stream for StreamOwned<ServerConnection, Socket<'_>> {
    fn greeted(&mut self) {
        self.sock.greeted();
    }
}

/// Ends the handshake, or says why it cannot be.
fn shake<S: SideData>(connection: &mut ConnectionCommon<S>, socket: &mut (impl Read + Write)) -> io::Result<()> {
    while connection.is_handshaking() {
        connection.complete_io(socket)?;
    }
    Ok(())
}

/// What a failure before the first message says to whoever named the worker.
fn refused(worker: &str, error: io::Error) -> WorkerError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(inner) => untrusted(worker, inner),
        None => WorkerError::Unreachable { worker: worker.to_owned(), source: error },
    }
}

fn untrusted(worker: &str, error: &rustls::Error) -> WorkerError {
    let problem = match error {
        rustls::Error::InvalidMessage(_) => "what answers there speaks no TLS".to_owned(),
        rustls::Error::AlertReceived(alert) => format!("the worker does not accept this side ({alert:?})"),
        other => other.to_string(),
    };
    WorkerError::Untrusted { worker: worker.to_owned(), problem }
}

/// The name that the certificate of a worker must have: its host, as it was written.
fn name_of(worker: &str) -> Result<ServerName<'static>, WorkerError> {
    let wrong = || WorkerError::Address { address: worker.to_owned(), source: None };
    let (host, _) = worker.rsplit_once(':').ok_or_else(wrong)?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match host.parse::<IpAddr>() {
        Ok(address) => Ok(ServerName::IpAddress(address.into())),
        Err(_) => ServerName::try_from(host.to_owned()).map_err(|_| wrong()),
    }
}

fn configurations(credentials: &Credentials) -> Result<(Arc<ClientConfig>, Arc<ServerConfig>), WorkerError> {
    let Credentials { certificate, key, authority } = credentials;
    let chain = certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| cannot(key, &error))?;
    let mut roots = RootCertStore::empty();
    for root in certificates(authority)? {
        roots.add(root).map_err(|error| cannot(authority, &error))?;
    }
    let roots = Arc::new(roots);
    let provider = Arc::new(ring::default_provider());
    let of_pair = |error: rustls::Error| cannot(key, &error);
    let client = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(of_pair)?
        .with_root_certificates(roots.clone())
        .with_client_auth_cert(chain.clone(), secret.clone_key())
        .map_err(of_pair)?;
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
        .build()
        .map_err(|error| cannot(authority, &error))?;
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(of_pair)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, secret)
        .map_err(of_pair)?;
    Ok((Arc::new(client), Arc::new(server)))
}

/// The certificates of a file, at least one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, WorkerError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| cannot(file, &error))?;
    if read.is_empty() {
        return Err(cannot(file, &"it has no certificate in PEM"));
    }
    Ok(read)
}

fn cannot(file: &Path, problem: &impl fmt::Display) -> WorkerError {
    WorkerError::Credentials { file: file.to_path_buf(), problem: problem.to_string() }
}
