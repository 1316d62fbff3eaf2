//! Rows of units that wait on disk: one file of encrypted blocks, and a list in memory of where those of each shard
//! are.
//!
//! Each block is encrypted and authenticated by ChaCha20-Poly1305 (RFC 8439) under one key from the operating system,
//! with its number as nonce. Key and list are in memory alone, so a block that was altered, or is another one, is
//! found.

use std::fs::File;
use std::io::{Error, Read, Result, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use chacha20poly1305::aead::{Aead, Generate, Key, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};

use super::stream::Stream;
use crate::engine::files::failure::Failure;

/// A file of blocks, made when the first one comes.
pub(super) struct Spill {
    folder: PathBuf,
    disk: Mutex<Option<Disk>>,
    /// The blocks of each shard.
    blocks: Vec<Mutex<Vec<Block>>>,
}

struct Disk {
    file: File,
    cipher: ChaCha20Poly1305,
    /// Bytes and blocks so far.
    end: u64,
    blocks: u64,
}

#[derive(Clone, Copy)]
struct Block {
    number: u64,
    begin: u64,
    bytes: usize,
}

impl Spill {
    pub(super) fn new(folder: PathBuf, shards: usize) -> Self {
        Self { folder, disk: Mutex::new(None), blocks: (0..shards).map(|_| Mutex::new(Vec::new())).collect() }
    }

    /// Writes the rows that wait for a shard.
    pub(super) fn write(&self, shard: usize, waiting: &Stream) -> std::result::Result<(), Failure> {
        let block = self.on_disk(|disk| disk.append(&waiting.to_bytes()))?;
        self.blocks[shard].lock().unwrap_or_else(PoisonError::into_inner).push(block);
        Ok(())
    }

    /// Hands the rows of a shard, block by block, to `take`.
    pub(super) fn read(&self, shard: usize, mut take: impl FnMut(&Stream)) -> std::result::Result<(), Failure> {
        let blocks = std::mem::take(&mut *self.blocks[shard].lock().unwrap_or_else(PoisonError::into_inner));
        for block in blocks {
            take(&Stream::from_bytes(&self.on_disk(|disk| disk.read(block))?));
        }
        Ok(())
    }

    fn on_disk<T>(&self, work: impl FnOnce(&mut Disk) -> Result<T>) -> std::result::Result<T, Failure> {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *disk {
            Some(disk) => Ok(disk),
            none => Disk::new(&self.folder).map(|disk| none.insert(disk)),
        };
        opened.and_then(work).map_err(|source| Failure::Spill { folder: self.folder.clone(), source })
    }
}

impl Disk {
    fn new(folder: &std::path::Path) -> Result<Self> {
        let key = Key::<ChaCha20Poly1305>::try_generate().map_err(Error::other)?;
        Ok(Self { file: tempfile::tempfile_in(folder)?, cipher: ChaCha20Poly1305::new(&key), end: 0, blocks: 0 })
    }

    fn append(&mut self, rows: &[u8]) -> Result<Block> {
        let sealed = self.cipher.encrypt(&nonce(self.blocks), rows).map_err(|_| Error::other("a block is too long"))?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&sealed)?;
        let block = Block { number: self.blocks, begin: self.end, bytes: sealed.len() };
        self.end += sealed.len() as u64;
        self.blocks += 1;
        Ok(block)
    }

    fn read(&mut self, block: Block) -> Result<Vec<u8>> {
        let mut sealed = vec![0; block.bytes];
        self.file.seek(SeekFrom::Start(block.begin))?;
        self.file.read_exact(&mut sealed)?;
        let opened = self.cipher.decrypt(&nonce(block.number), sealed.as_slice());
        opened.map_err(|_| Error::other("what was written there has been altered"))
    }
}

/// Each number occurs once under a key.
fn nonce(block: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&block.to_le_bytes());
    nonce.into()
}

#[cfg(test)]
mod tests {
    use hashbrown::DefaultHashBuilder;

    use super::super::names::Name;
    use super::*;

    fn stream(rows: u64, name: Name<'_>) -> Stream {
        let (mut stream, hasher) = (Stream::new(), DefaultHashBuilder::default());
        for row in 0..rows {
            stream.begin_row(name.hash(&hasher), name);
            stream.push(7 * row);
        }
        stream
    }

    /// Hash, name and word of each row.
    fn words(stream: &Stream) -> Vec<(u64, String, u64)> {
        let row = |mut words: super::super::Words<'_>| {
            let (hash, name) = words.begin();
            let name = match name {
                Name::Integer(unit) => unit.to_string(),
                Name::Text(unit) => unit.to_owned(),
            };
            (hash, name, words.word())
        };
        stream.rows().map(row).collect()
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let spill = Spill::new(folder.path().to_owned(), 2);
        let streams =
            [stream(3, Name::Integer(-5)), stream(0, Name::Integer(1)), stream(2, Name::Text("a longer name"))];
        for (shard, stream) in [(1, &streams[0]), (0, &streams[1]), (1, &streams[2])] {
            assert!(spill.write(shard, stream).is_ok());
        }
        let read = |shard| {
            let mut read = Vec::new();
            assert!(spill.read(shard, |stream| read.push(words(stream))).is_ok());
            read
        };
        assert_eq!(read(1), [words(&streams[0]), words(&streams[2])]);
        assert_eq!(read(0), [words(&streams[1])]);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "the file has no name");
    }

    #[test]
    fn what_lies_on_disk_is_encrypted_and_not_taken_once_altered() {
        let folder = tempfile::tempdir().expect("a folder");
        let spill = Spill::new(folder.path().to_owned(), 1);
        let secret = "a name that nobody may read";
        assert!(spill.write(0, &stream(1, Name::Text(secret))).is_ok());
        {
            let mut disk = spill.disk.lock().expect("no panic");
            let disk = disk.as_mut().expect("a block was written");
            let mut bytes = Vec::new();
            disk.file.seek(SeekFrom::Start(0)).expect("a file");
            disk.file.read_to_end(&mut bytes).expect("a file");
            assert!(
                bytes.len() > secret.len() && !bytes.windows(6).any(|window| secret.as_bytes().starts_with(window))
            );
            disk.file.seek(SeekFrom::Start(20)).expect("a file");
            disk.file.write_all(&[bytes[20] ^ 1]).expect("a file");
        }
        assert!(matches!(spill.read(0, |_| panic!("altered rows are taken")), Err(Failure::Spill { .. })));
    }
}
