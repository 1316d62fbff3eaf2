//! Digests by which plans and files are named.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 of a file, in lower-case hexadecimal.
///
/// # Errors
/// Errors of reading the file.
pub fn sha256_of_file(path: &Path) -> io::Result<String> {
    let mut writer = Hashed::new(io::sink());
    io::copy(&mut File::open(path)?, &mut writer)?;
    Ok(writer.finish().1)
}

/// A writer that digests what goes through it.
pub struct Hashed<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Hashed<W> {
    /// Nothing taken yet.
    pub fn new(inner: W) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    /// The writer inside, and the SHA-256 of all that it took.
    pub fn finish(self) -> (W, String) {
        (self.inner, hexadecimal(&self.hash.finalize()))
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.hash.update(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
