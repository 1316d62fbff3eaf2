//! Which parts of a document a mistake leaves untouched.
//!
//! Mistakes of later phases are reported together with those of the reader, but only for parts in which nothing is
//! wrong yet: what follows from a mistake is no mistake of its own. A part is the lines from one table header to the
//! next.

use std::ops::Range;

use super::mistake::Mistake;

/// The parts of a text, and which of them hold a mistake.
pub struct Regions {
    /// Where each table header starts, increasing.
    starts: Vec<usize>,
    /// One entry a part; the first is before all headers.
    wrong: Vec<bool>,
}

impl Regions {
    /// The parts of a text, spoilt where a mistake stands.
    pub fn new(text: &str, mistakes: &[Mistake]) -> Self {
        let mut offset = 0;
        let mut starts = Vec::new();
        for line in text.split_inclusive('\n') {
            if is_header(line) {
                starts.push(offset);
            }
            offset += line.len();
        }
        let mut regions = Self { wrong: vec![false; starts.len() + 1], starts };
        for mistake in mistakes {
            let part = regions.part(&mistake.span);
            regions.wrong[part] = true;
        }
        regions
    }

    fn part(&self, span: &Range<usize>) -> usize {
        self.starts.partition_point(|start| *start <= span.start)
    }

    /// `true` if nothing is wrong in the part around a place.
    pub fn sound(&self, span: &Range<usize>) -> bool {
        !self.wrong[self.part(span)]
    }
}

/// `true` for a line `[name]` or `[[name]]`. A line of a list that looks like one only makes parts smaller.
fn is_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim();
    line.starts_with('[') && line.ends_with(']') && !line.contains([',', '='])
}

#[cfg(test)]
mod tests {
    use super::{Mistake, Regions};

    #[test]
    fn a_mistake_spoils_its_table_alone() {
        let text =
            "title = 1\n[data]\npath = 2\n[[statistic]] # one\nby = [\n[\"a\", 1],\n]\n[[statistic]]\nname = 3\n";
        let at = |word: &str| text.find(word).expect("a word")..text.len();
        let regions = Regions::new(text, &[Mistake::at(&at("by ="), "m", None)]);
        let sound =
            ["title", "[data]", "path", "[[statistic]] #", "\"a\"", "name ="].map(|word| regions.sound(&at(word)));
        assert_eq!(sound, [true, true, true, false, false, true]);
    }
}
