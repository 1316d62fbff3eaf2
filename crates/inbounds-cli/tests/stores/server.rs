//! An object store on this machine, as far as reading goes: HEAD, GET of a range under a condition, and lists.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// The secret with which requests are signed, which nothing may show.
pub(crate) const SECRET: &str = "wJalrXUtnFEMI";

/// What the store does wrong, beginning with a number of answered requests for bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// The object is another one.
    Changed,
    /// The object is gone.
    Gone,
    /// Access is refused, in words that hold a cell.
    Refused,
    /// Half of the bytes are sent, and no more.
    Half,
    /// Every answer is an error of the store.
    Broken,
}

/// What the store holds, and what it was asked.
#[derive(Default)]
pub(crate) struct Holdings {
    objects: BTreeMap<String, Vec<u8>>,
    fault: Option<(usize, Fault)>,
    /// Requests for bytes, in their order: names and lengths.
    pub(crate) asked: Vec<(String, usize)>,
    pub(crate) unsigned: usize,
}

/// A store with one bucket, `rows`.
#[derive(Clone)]
pub(crate) struct Store {
    endpoint: String,
    pub(crate) holdings: Arc<Mutex<Holdings>>,
}

impl Store {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let store = Self { endpoint, holdings: Arc::default() };
        let serving = store.clone();
        thread::spawn(move || {
            for peer in listener.incoming().map_while(Result::ok) {
                let store = serving.clone();
                thread::spawn(move || store.serve(peer));
            }
        });
        store
    }

    pub(crate) fn put(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        self.holdings.lock().expect("nobody panics").objects.insert(key.to_owned(), bytes.into());
    }

    /// The number of answered requests for bytes, counted from here, after which the store makes this mistake.
    pub(crate) fn fails(&self, after: usize, fault: Fault) {
        let mut holdings = self.holdings.lock().expect("nobody panics");
        holdings.asked.clear();
        holdings.fault = Some((after, fault));
    }

    /// The variables of the environment that lead to it.
    pub(crate) fn variables(&self) -> [(&str, &str); 5] {
        [
            ("AWS_ENDPOINT_URL", &self.endpoint),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "reader"),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
        ]
    }

    /// Answers requests of a connection until it is closed.
    fn serve(&self, peer: TcpStream) {
        let mut lines = BufReader::new(peer.try_clone().expect("a handle"));
        let mut peer = peer;
        while let Some(request) = Request::read(&mut lines) {
            let (status, headers, body) = self.answer(&request);
            let sent = if request.method == "HEAD" { &[][..] } else { &body[..] };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
            let half = self.fault() == Some(Fault::Half) && request.range.is_some();
            let sent = if half { &sent[..sent.len() / 2] } else { sent };
            if peer.write_all(head.as_bytes()).and_then(|()| peer.write_all(sent)).is_err() || half {
                return;
            }
        }
    }

    fn fault(&self) -> Option<Fault> {
        let holdings = self.holdings.lock().expect("nobody panics");
        holdings.fault.filter(|(after, _)| holdings.asked.len() > *after).map(|(_, fault)| fault)
    }

    fn answer(&self, request: &Request) -> (&'static str, String, Vec<u8>) {
        let key = request.path.strip_prefix("/rows").unwrap_or_default().trim_start_matches('/').to_owned();
        {
            let mut holdings = self.holdings.lock().expect("nobody panics");
            holdings.unsigned += usize::from(!request.is_signed);
            if let Some((begin, end)) = request.range {
                holdings.asked.push((key.clone(), end + 1 - begin));
            }
        }
        let fault = self.fault();
        let of_bytes = request.range.is_some();
        match fault {
            Some(Fault::Refused) if of_bytes => {
                return ("403 Forbidden", String::new(), b"<Error><Message>of age 41</Message></Error>".to_vec());
            }
            Some(Fault::Broken) => return ("503 Slow Down", String::new(), b"of age 41".to_vec()),
            _ => {}
        }
        if let Some(prefix) = &request.prefix {
            return ("200 OK", "Content-Type: application/xml\r\n".to_owned(), self.list(prefix).into_bytes());
        }
        let holdings = self.holdings.lock().expect("nobody panics");
        let object = holdings.objects.get(&key).filter(|_| !(of_bytes && fault == Some(Fault::Gone)));
        let Some(bytes) = object else { return ("404 Not Found", String::new(), Vec::new()) };
        let tag = if fault == Some(Fault::Changed) { "\"other\"".to_owned() } else { tag(bytes) };
        if request.condition.as_ref().is_some_and(|wanted| *wanted != tag) {
            return ("412 Precondition Failed", String::new(), Vec::new());
        }
        let headers = format!("ETag: {tag}\r\nLast-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\n");
        match request.range {
            None => ("200 OK", headers, bytes.clone()),
            Some((begin, end)) => {
                let range = format!("Content-Range: bytes {begin}-{end}/{}\r\n", bytes.len());
                ("206 Partial Content", headers + &range, bytes[begin..=end].to_vec())
            }
        }
    }

    fn list(&self, prefix: &str) -> String {
        let holdings = self.holdings.lock().expect("nobody panics");
        let listed = holdings.objects.iter().filter(|(key, _)| key.starts_with(prefix)).map(|(key, bytes)| {
            let (tag, size) = (tag(bytes).replace('"', "&quot;"), bytes.len());
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-11-02T10:00:00.000Z</LastModified><ETag>{tag}</ETag>\
                 <Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            )
        });
        let listed: String = listed.collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>rows</Name><Prefix>{prefix}</Prefix>\
             <KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>"
        )
    }
}

fn tag(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(7_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("\"{sum:x}\"")
}

struct Request {
    method: String,
    path: String,
    /// Of a list.
    prefix: Option<String>,
    /// First and last byte.
    range: Option<(usize, usize)>,
    condition: Option<String>,
    is_signed: bool,
}

impl Request {
    fn read(lines: &mut impl BufRead) -> Option<Self> {
        let mut first = String::new();
        lines.read_line(&mut first).ok().filter(|read| *read > 0)?;
        let mut words = first.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let decoded = |text: &str| text.replace("%2F", "/").replace("%3D", "=").replace("%20", " ").replace('+', " ");
        let prefix = query.contains("list-type=2").then(|| {
            let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix="));
            decoded(prefix.unwrap_or_default())
        });
        let mut request = Self { method, path: decoded(path), prefix, range: None, condition: None, is_signed: false };
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { return Some(request) };
            match name.to_ascii_lowercase().as_str() {
                "range" => {
                    let (begin, end) = value.strip_prefix("bytes=")?.split_once('-')?;
                    request.range = Some((begin.parse().ok()?, end.parse().ok()?));
                }
                "if-match" => request.condition = Some(value.to_owned()),
                "authorization" => request.is_signed = value.starts_with("AWS4-HMAC-SHA256 Credential=reader/"),
                _ => {}
            }
        }
    }
}
