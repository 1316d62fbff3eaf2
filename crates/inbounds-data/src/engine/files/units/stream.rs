//! Rows that wait for their shard, as one run of words: a row is written in one place of memory and read in another,
//! once each.

use super::names::{Name, is_text};

/// Words that wait for a shard before they are taken together.
const TOGETHER: usize = 2048;

/// Rows of one shard. Of each row: the hash and the name of its unit, then what is taken of it.
pub(in super::super) struct Stream {
    words: Vec<u64>,
    /// Where each row begins.
    begins: Vec<u32>,
}

/// Unread words of a row, and the rows after it.
pub(in super::super) struct Words<'s> {
    words: &'s [u64],
}

impl Stream {
    pub(in super::super) fn new() -> Self {
        Self { words: Vec::with_capacity(TOGETHER + TOGETHER / 8), begins: Vec::new() }
    }

    /// Writes these rows in place of all that is there, without the names of their units, and returns the words of
    /// each.
    pub(in super::super) fn write_only(
        &mut self,
        which: impl IntoIterator<Item = usize>,
        rows: &impl Rows,
    ) -> impl Iterator<Item = Words<'_>> {
        self.clear();
        for row in which {
            self.begin();
            rows.write(row, self);
        }
        self.rows()
    }

    fn begin(&mut self) {
        self.begins.push(u32::try_from(self.words.len()).expect("a stream is taken once it is long"));
    }

    /// Begins a row of a unit; `hash` is that of its name, which says whether it is a text.
    pub(super) fn begin_row(&mut self, hash: u64, name: Name<'_>) {
        debug_assert_eq!(is_text(hash), matches!(name, Name::Text(_)), "the hash of another name");
        self.begin();
        match name {
            Name::Integer(unit) => self.words.extend_from_slice(&[hash, unit as u64]),
            Name::Text(unit) => {
                self.words.push(hash);
                self.push_text(unit);
            }
        }
    }

    pub(in super::super) fn push(&mut self, word: u64) {
        self.words.push(word);
    }

    /// The length in bytes, and then eight bytes a word.
    pub(in super::super) fn push_text(&mut self, text: &str) {
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        self.words.push(text.len() as u64);
        self.words.extend(chunks.iter().map(|&chunk| u64::from_ne_bytes(chunk)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.words.push(u64::from_ne_bytes(last));
        }
    }

    /// All of it: the number of rows, where rows begin, and the words.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut head = vec![self.begins.len() as u64];
        head.extend(self.begins.iter().map(|&begin| u64::from(begin)));
        [bytemuck::cast_slice(&head), bytemuck::cast_slice(&self.words)].concat()
    }

    /// Inverse of [`Stream::to_bytes`].
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|&word| u64::from_ne_bytes(word)).collect();
        let (begins, words) = words[1..].split_at(words[0] as usize);
        let begins = begins.iter().map(|&begin| begin as u32).collect();
        Self { words: words.to_vec(), begins }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    pub(super) fn is_long(&self) -> bool {
        self.words.len() >= TOGETHER
    }

    /// The words of each row.
    pub(super) fn rows(&self) -> impl Iterator<Item = Words<'_>> {
        self.begins.iter().map(|&begin| Words { words: &self.words[begin as usize..] })
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.begins.clear();
    }
}

impl<'s> Words<'s> {
    /// The hash and the name of the unit of the row.
    pub(super) fn begin(&mut self) -> (u64, Name<'s>) {
        let hash = self.word();
        (hash, if is_text(hash) { Name::Text(self.text()) } else { Name::Integer(self.word() as i64) })
    }

    /// The next word, which stays.
    pub(in super::super) fn peek(&self) -> u64 {
        *self.words.first().expect("as many words as were written")
    }

    pub(in super::super) fn word(&mut self) -> u64 {
        let (&word, rest) = self.words.split_first().expect("as many words as were written");
        self.words = rest;
        word
    }

    pub(in super::super) fn many(&mut self, words: usize) -> &'s [u64] {
        let (many, rest) = self.words.split_at(words);
        self.words = rest;
        many
    }

    pub(in super::super) fn text(&mut self) -> &'s str {
        let length = self.word() as usize;
        let bytes: &[u8] = bytemuck::cast_slice(self.many(length.div_ceil(8)));
        std::str::from_utf8(&bytes[..length]).expect("a text was written")
    }
}

/// The rows of a batch.
pub(in super::super) trait Rows {
    /// `true` if anything is to be taken of a row.
    fn counts(&self, row: usize) -> bool;

    /// Writes what is to be taken of a row.
    fn write(&self, row: usize, stream: &mut Stream);
}
