//! A linear requirement on nodes.

/// Relation of the sum of a row's terms to its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Equal to it.
    Equal,
    /// At most that.
    AtMost,
    /// At least that.
    AtLeast,
}

/// Name and requirement of a row, where nodes have these names.
pub(crate) type Words = fn(&Row, &dyn Fn(u32) -> String) -> (String, String);

/// `sum of coefficient * node` is equal to, at most or at least `side`.
#[derive(Debug, Clone)]
pub struct Row {
    pub(crate) terms: Vec<(u32, f64)>,
    pub(crate) sense: Sense,
    pub(crate) side: f64,
    /// Its name in the file that states it; empty if none does.
    pub(crate) label: String,
    pub(crate) words: Words,
}

impl Row {
    /// A row that a file states.
    pub(crate) fn stated(label: String, terms: Vec<(u32, f64)>, sense: Sense, side: f64) -> Self {
        let words: Words = |row, name| (row.label.clone(), format!("must hold: {}", row.formula(name)));
        Self { terms, sense, side, label, words }
    }

    /// A row that follows from something else, which has other words for it.
    pub(crate) fn implied(terms: Vec<(u32, f64)>, sense: Sense, side: f64, words: Words) -> Self {
        Self { terms, sense, side, label: String::new(), words }
    }

    /// The sum of its children, of the node of the first term.
    pub(crate) fn of_children(terms: Vec<(u32, f64)>) -> Self {
        let words: Words = |row, name| (row.first(name), "must be the sum of its children".to_owned());
        Self::implied(terms, Sense::Equal, 0.0, words)
    }

    /// Name of the node of its first term.
    pub(crate) fn first(&self, name: &dyn Fn(u32) -> String) -> String {
        self.terms.first().map_or_else(String::new, |&(node, _)| name(node))
    }

    /// Name of the node of its last term.
    pub(crate) fn last(&self, name: &dyn Fn(u32) -> String) -> String {
        self.terms.last().map_or_else(String::new, |&(node, _)| name(node))
    }

    /// The row as a formula, its first terms.
    fn formula(&self, name: &dyn Fn(u32) -> String) -> String {
        const SHOWN: usize = 6;
        let mut text = String::new();
        for (index, &(node, coefficient)) in self.terms.iter().take(SHOWN).enumerate() {
            text += match (index, coefficient < 0.0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            if coefficient.abs() != 1.0 {
                text += &format!("{} ", coefficient.abs());
            }
            text += &name(node);
        }
        if self.terms.len() > SHOWN {
            text += " + ...";
        }
        let sense = match self.sense {
            Sense::Equal => "=",
            Sense::AtMost => "<=",
            Sense::AtLeast => ">=",
        };
        format!("{text} {sense} {}", self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_words() {
        let name = |node: u32| ["a", "b", "c"][node as usize].to_owned();
        let row = Row::stated("books".into(), vec![(0, -1.0), (1, 2.5), (2, 1.0)], Sense::AtLeast, 3.0);
        assert_eq!((row.words)(&row, &name), ("books".to_owned(), "must hold: -a + 2.5 b + c >= 3".to_owned()));
        let row = Row::of_children(vec![(2, 1.0), (0, -1.0), (1, -1.0)]);
        assert_eq!((row.words)(&row, &name), ("c".to_owned(), "must be the sum of its children".to_owned()));
    }
}
