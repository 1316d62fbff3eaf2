//! Messages over one connection.
//!
//! A message is any number of frames, each with its length before it; the last one is marked. Memory grows as bytes arrive, never with
//! what a peer announces, and no message is longer than the side that waits for it allows. Whoever says nothing for a while is lost.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::messages::{MAGIC, program};

/// How long a coordinator waits for a word of a worker, which says one while it works.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How long a worker waits for its coordinator, which may be busy with what others sent.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(600);
/// How often a side that works or waits says so.
pub(super) const PULSE: Duration = Duration::from_secs(3);
/// How long the first words may take, all together.
const GREETING: Duration = Duration::from_secs(10);
/// How often a side that waits looks whether it should.
const LOOK: Duration = Duration::from_millis(100);
/// Most bytes of a frame.
const FRAME: usize = 1 << 20;
/// What marks a frame that is not the last one of its message.
const MORE: u32 = 1 << 31;

/// Most bytes of a message that is a record.
pub(super) const RECORD: usize = 1 << 28;
/// Most bytes of exact numbers.
pub(super) const NUMBERS: usize = 1 << 36;

/// Bytes in both directions; under TLS, or in the open on one machine.
pub(super) trait Stream: Read + Write + Send {
    /// The greeting is over.
    fn greeted(&mut self);
}

/// A connection that waits for so long and no longer, and not for longer than whoever waits wants.
pub(super) struct Socket<'s> {
    tcp: TcpStream,
    /// When the greeting must be over; none once it is.
    until: Option<Instant>,
    patience: Duration,
    stopped: Box<dyn Fn() -> bool + Send + 's>,
}

impl<'s> Socket<'s> {
    /// A connection whose greeting begins now. Reading ends early once `stopped` says so.
    pub(super) fn new(tcp: TcpStream, patience: Duration, stopped: impl Fn() -> bool + Send + 's) -> io::Result<Self> {
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(LOOK))?;
        tcp.set_write_timeout(Some(patience))?;
        Ok(Self { tcp, until: Some(Instant::now() + GREETING), patience, stopped: Box::new(stopped) })
    }
}

impl Read for Socket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let until = self.until.unwrap_or_else(|| Instant::now() + self.patience);
        loop {
            if (self.stopped)() {
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "stopped"));
            }
            match self.tcp.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if Instant::now() >= until {
                        return Err(io::Error::new(io::ErrorKind::TimedOut, "it said nothing for too long"));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

impl Stream for Socket<'_> {
    fn greeted(&mut self) {
        self.until = None;
    }
}

/// A connection to a side that has said what program it is.
pub(super) struct Link<'s> {
    stream: Box<dyn Stream + 's>,
    /// What it said.
    pub(super) program: String,
}

/// Why there is no link.
pub(super) enum NoLink {
    /// The other side is no program of this kind, or speaks otherwise.
    Stranger,
    /// The connection failed.
    Io(io::Error),
}

impl From<io::Error> for NoLink {
    fn from(error: io::Error) -> Self {
        // A library above the connection says what it does not like in words of its own.
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
                if error.get_ref().is_none() =>
            {
                Self::Stranger
            }
            _ => Self::Io(error),
        }
    }
}

impl<'s> Link<'s> {
    /// Says what this program is, and hears what the other one is.
    pub(super) fn greet(mut stream: Box<dyn Stream + 's>) -> Result<Self, NoLink> {
        let ours = program();
        let length = u8::try_from(ours.len()).expect("a short text");
        stream.write_all(&[MAGIC.as_slice(), &[length], ours.as_bytes()].concat())?;
        stream.flush()?;
        let mut head = [0; MAGIC.len() + 1];
        // Byte by byte: whoever says something else need not say as much.
        for place in 0..head.len() {
            stream.read_exact(&mut head[place..=place])?;
            if MAGIC.get(place).is_some_and(|expected| *expected != head[place]) {
                return Err(NoLink::Stranger);
            }
        }
        let mut program = vec![0; head[MAGIC.len()].into()];
        stream.read_exact(&mut program)?;
        let program = String::from_utf8(program).map_err(|_| NoLink::Stranger)?;
        if program.chars().any(char::is_control) {
            return Err(NoLink::Stranger);
        }
        stream.greeted();
        Ok(Self { stream, program })
    }

    /// Whether the other side is the same program.
    pub(super) fn is_same(&self) -> bool {
        self.program == program()
    }

    pub(super) fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        let bytes = postcard::to_stdvec(message).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        self.send_bytes(&bytes)
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        loop {
            let (frame, after) = rest.split_at(rest.len().min(FRAME));
            let length = u32::try_from(frame.len()).expect("a short frame");
            let head = if after.is_empty() { length } else { length | MORE };
            // In one piece, so that it leaves as one.
            self.stream.write_all(&[head.to_le_bytes().as_slice(), frame].concat())?;
            if after.is_empty() {
                return self.stream.flush();
            }
            rest = after;
        }
    }

    pub(super) fn receive<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let bytes = self.receive_bytes(RECORD)?;
        let (record, rest) = postcard::take_from_bytes(&bytes).map_err(|_| garbled())?;
        if rest.is_empty() { Ok(record) } else { Err(garbled()) }
    }

    /// A message of at most so many bytes.
    pub(super) fn receive_bytes(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let mut head = [0; 4];
            self.stream.read_exact(&mut head)?;
            let head = u32::from_le_bytes(head);
            let length = (head & !MORE) as usize;
            if length > FRAME || length > most - bytes.len() {
                return Err(garbled());
            }
            let begin = bytes.len();
            bytes.resize(begin + length, 0);
            self.stream.read_exact(&mut bytes[begin..])?;
            if head & MORE == 0 {
                return Ok(bytes);
            }
        }
    }
}

fn garbled() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it said what cannot be understood")
}
