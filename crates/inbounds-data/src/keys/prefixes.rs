//! Numbers for the beginnings of keys: (number of a beginning, code of the next value) is looked up in a table, so that
//! the last number is that of the whole key.

use hashbrown::HashMap;

/// Entries of a prefix table above which it is a hash map, unless it has at most `DENSE_PER_KEY` a key.
const DENSE: usize = 1 << 20;
const DENSE_PER_KEY: usize = 4;

/// Mark of an entry without a number, above the number of any key.
const UNNUMBERED: u32 = u32::MAX;

/// Map from the number of a prefix and the next code to the number of the longer prefix.
pub(crate) enum PrefixTable {
    Dense { width: u32, numbers: Vec<u32> },
    Sparse { width: u32, numbers: HashMap<u64, u32>, unlisted: u32 },
}

/// A table of prefixes in the making: they are numbered as they come.
pub(crate) struct Numbering {
    table: PrefixTable,
    /// A key list has fewer than 2^32 keys, so has every column and prefix.
    next: u32,
}

impl Numbering {
    /// A table without longer prefixes yet, for this number of prefixes and codes, where there are at most `keys` keys.
    pub(crate) fn new(prefixes: u32, codes: u32, keys: usize) -> Self {
        let width = codes + 1;
        let entries = (prefixes as usize + 1).saturating_mul(width as usize);
        let table = if entries <= DENSE.max(DENSE_PER_KEY.saturating_mul(keys)).min(u32::MAX as usize) {
            PrefixTable::Dense { width, numbers: vec![UNNUMBERED; entries] }
        } else {
            PrefixTable::Sparse { width, numbers: HashMap::new(), unlisted: UNNUMBERED }
        };
        Self { table, next: 0 }
    }

    /// The number of a prefix with one more code: the next one where it is new.
    pub(crate) fn number(&mut self, prefix: u32, code: u32) -> u32 {
        let number = match &mut self.table {
            PrefixTable::Dense { width, numbers } => &mut numbers[(prefix * *width + code) as usize],
            PrefixTable::Sparse { width, numbers, .. } => {
                numbers.entry(place(prefix, *width, code)).or_insert(UNNUMBERED)
            }
        };
        if *number == UNNUMBERED {
            *number = self.next;
            self.next += 1;
        }
        *number
    }

    /// Count of numbered entries.
    pub(crate) fn numbered(&self) -> u32 {
        self.next
    }

    /// The table, where whatever has no number is not listed.
    pub(crate) fn finish(mut self) -> PrefixTable {
        match &mut self.table {
            PrefixTable::Dense { numbers, .. } => {
                numbers.iter_mut().filter(|number| **number == UNNUMBERED).for_each(|number| *number = self.next);
            }
            PrefixTable::Sparse { unlisted, .. } => *unlisted = self.next,
        }
        self.table
    }
}

/// Where a prefix with one more code stands.
fn place(prefix: u32, width: u32, code: u32) -> u64 {
    u64::from(prefix) * u64::from(width) + u64::from(code)
}

impl PrefixTable {
    pub(crate) fn extend(&self, prefixes: &mut [u32], codes: &[u32]) {
        let pairs = prefixes.iter_mut().zip(codes);
        match self {
            Self::Dense { width, numbers } => {
                pairs.for_each(|(prefix, &code)| *prefix = numbers[(*prefix * width + code) as usize]);
            }
            Self::Sparse { width, numbers, unlisted } => pairs.for_each(|(prefix, &code)| {
                *prefix = numbers.get(&place(*prefix, *width, code)).copied().unwrap_or(*unlisted);
            }),
        }
    }
}
