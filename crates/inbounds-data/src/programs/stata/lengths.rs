//! Checks the lengths that a file states against the length of the file.
//!
//! The reader makes room for whatever length it finds before it reads so much, so that one damaged byte asks for four
//! gigabytes. Files since version 13 have a map of their sections, by which the lengths in them are found.

use std::io::{Read, Seek, SeekFrom};

use super::super::broken::Broken;

/// Bytes in which the map begins.
const HEAD: usize = 1 << 10;

/// A section whose entries state their length.
struct Section {
    /// Its place in the map.
    place: usize,
    /// Bytes of the tag before its entries.
    tag: u64,
    /// Beginning of an entry.
    mark: &'static [u8],
    /// Bytes between mark and length, and those behind the counted ones.
    before: u64,
    behind: u64,
}

/// Holds all stated lengths against the length of the file, which is left at its beginning. Files before version 13
/// have no map and pass.
pub(super) fn check(file: &mut (impl Read + Seek), length: u64) -> Result<(), Broken> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let sections = sections(&head);
    let map = place_of(&head, b"<map>").filter(|_| head.starts_with(b"<stata_dta>"));
    if let (Some(map), Some((sections, is_big))) = (map, sections) {
        for section in sections {
            let at = head
                .get(map + 8 * section.place..)
                .and_then(|bytes| bytes.first_chunk::<8>())
                .ok_or(Broken::Damaged)?;
            let begin = if is_big { u64::from_be_bytes(*at) } else { u64::from_le_bytes(*at) };
            section.check(file, begin, (length, is_big))?;
        }
    }
    file.rewind()?;
    Ok(())
}

/// The sections of a file of the version that its head states, and whether the most significant byte comes first.
fn sections(head: &[u8]) -> Option<([Section; 3], bool)> {
    let release = head.get(place_of(head, b"<release>")?..)?.first_chunk::<3>()?;
    let is_big = head.get(place_of(head, b"<byteorder>")?..)?.starts_with(b"MSF");
    // A long text has the numbers of its variable and row before its kind and length; a list of labels has a name.
    let (numbers, name) = if release == b"117" { (8, 33) } else { (12, 129) };
    let notes = Section { place: 8, tag: 17, mark: b"<ch>", before: 0, behind: 5 };
    let texts = Section { place: 10, tag: 7, mark: b"GSO", before: numbers + 1, behind: 0 };
    let labels = Section { place: 11, tag: 14, mark: b"<lbl>", before: 0, behind: name + 3 + 6 };
    Some(([notes, texts, labels], is_big))
}

impl Section {
    fn check(&self, file: &mut (impl Read + Seek), begin: u64, (length, is_big): (u64, bool)) -> Result<(), Broken> {
        let mut at = begin.saturating_add(self.tag);
        let mut entry = vec![0; self.mark.len() + usize::try_from(self.before).expect("a few bytes") + 4];
        loop {
            file.seek(SeekFrom::Start(at.min(length)))?;
            match file.read_exact(&mut entry) {
                Ok(()) if entry.starts_with(self.mark) => {}
                // Its end, or a file that ends in it, which its reader notices.
                _ => return Ok(()),
            }
            let stated = *entry.last_chunk::<4>().expect("four bytes at its end");
            let stated = u64::from(if is_big { u32::from_be_bytes(stated) } else { u32::from_le_bytes(stated) });
            at += entry.len() as u64 + stated + self.behind;
            if at > length {
                return Err(Broken::Damaged);
            }
        }
    }
}

/// The place behind the first of these bytes.
fn place_of(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark).map(|place| place + mark.len())
}
