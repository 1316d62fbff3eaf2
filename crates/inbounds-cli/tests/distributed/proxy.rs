//! A connection in the middle, that does something when the first side connects, or once so many bytes came back.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
};

/// Something between a coordinator and a worker.
pub(crate) struct Proxy {
    pub(crate) address: String,
}

impl Proxy {
    /// Hands on one connection to `to`; `connected` is called before the first byte, and `after` once so many bytes came back, which
    /// are then handed on no more.
    pub(crate) fn new(
        to: String,
        connected: impl FnOnce() + Send + 'static,
        bytes: usize,
        after: impl FnOnce() + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        thread::spawn(move || {
            let Ok((near, _)) = listener.accept() else { return };
            connected();
            let far = TcpStream::connect(to).expect("a worker");
            let (mut from, mut into) = (near.try_clone().expect("a handle"), far.try_clone().expect("a handle"));
            thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut into);
                let _ = into.shutdown(Shutdown::Write);
            });
            hand_back(far, &near, bytes, after);
            let _ = near.shutdown(Shutdown::Both);
        });
        Self { address }
    }
}

fn hand_back(mut far: TcpStream, mut near: &TcpStream, bytes: usize, after: impl FnOnce()) {
    let mut buffer = [0; 4096];
    let mut left = bytes;
    while let Ok(read @ 1..) = far.read(&mut buffer) {
        let handed = read.min(left);
        if near.write_all(&buffer[..handed]).is_err() {
            return;
        }
        left -= handed;
        if left == 0 {
            return after();
        }
    }
}
