//! A page that is served for a test, and requests to it by hand.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    time::Duration,
};

use inbounds_explore::{Explorer, ServedPage};
use serde_json::Value;
use tempfile::TempDir;

/// A plan of its own in a folder of its own, with the examples' rows nowhere near.
pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) url: String,
    page: Option<ServedPage>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Site {
    /// A page for a plan with this text.
    pub(crate) fn serve(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("plan.toml");
        fs::write(&path, text).expect("writes");
        let explorer = Explorer::open(&path, 0).expect("a port");
        let url = explorer.url();
        Self { folder, url, page: Some(explorer.start()) }
    }

    /// The plan's file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("plan.toml")
    }

    /// The text of the plan's file.
    pub(crate) fn on_disk(&self) -> String {
        fs::read_to_string(self.path()).expect("reads")
    }

    /// Ends the program that serves it.
    pub(crate) fn stop(&mut self) {
        self.page = None;
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        self.url.split('/').nth(2).expect("an address")
    }

    /// `/TOKEN`.
    pub(crate) fn root(&self) -> String {
        format!("/{}", self.url.split('/').nth(3).expect("a token"))
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        stream
    }

    /// Sends these lines and a body, and reads until the connection is closed.
    pub(crate) fn send(&self, head: &[&str], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let head = format!("{}\r\nConnection: close\r\n\r\n", head.join("\r\n"));
        stream.write_all(head.as_bytes()).expect("sends");
        // A server that has refused may have closed before all of the body is sent.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// A page or a file.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&[&format!("GET {path} HTTP/1.1"), &format!("Host: {}", self.address())], b"")
    }

    /// What the page's own script would send.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let lines = self.lines(path, body.len());
        self.send(&lines.iter().map(String::as_str).collect::<Vec<_>>(), body.as_bytes())
    }

    /// The lines of a request of the page's own script.
    pub(crate) fn lines(&self, path: &str, length: usize) -> [String; 5] {
        [
            format!("POST {}/{path} HTTP/1.1", self.root()),
            format!("Host: {}", self.address()),
            format!("Origin: http://{}", self.address()),
            "Content-Type: application/json".to_owned(),
            format!("Content-Length: {length}"),
        ]
    }
}

/// The examples of the project.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}
