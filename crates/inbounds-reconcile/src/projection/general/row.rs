//! A linear requirement on nodes.

/// How the sum of a row's terms stands to its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    Equal,
    AtMost,
    AtLeast,
}

/// Where a row comes from, which is what it is called by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Whose {
    /// A row of the constraints.
    Named(String),
    /// The sum of its children, of the node of the first term.
    Children,
    /// The one known total.
    Total,
    /// Two neighbours in an order.
    Order,
}

/// `sum of coefficient * node` is equal to, at most or at least `side`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) whose: Whose,
    pub(crate) terms: Vec<(u32, f64)>,
    pub(crate) sense: Sense,
    pub(crate) side: f64,
}

impl Row {
    /// What the row is called, and what it requires.
    pub(crate) fn words<'n>(&self, name: impl Fn(u32) -> &'n str) -> (String, String) {
        let first = || self.terms.first().map_or("", |&(node, _)| name(node)).to_owned();
        match &self.whose {
            Whose::Named(label) => (label.clone(), format!("must hold: {}", self.formula(name))),
            Whose::Children => (first(), "must be the sum of its children".to_owned()),
            Whose::Total => ("total".to_owned(), format!("must be {}", self.side)),
            Whose::Order => {
                let after = self.terms.last().map_or("", |&(node, _)| name(node));
                (first(), format!("must be at most `{after}`"))
            }
        }
    }

    /// The row as a formula, its first terms.
    fn formula<'n>(&self, name: impl Fn(u32) -> &'n str) -> String {
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
            text += name(node);
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
        let names = ["a", "b", "c"];
        let name = |node: u32| names[node as usize];
        let terms = vec![(0, -1.0), (1, 2.5), (2, 1.0)];
        let row = Row { whose: Whose::Named("books".into()), terms, sense: Sense::AtLeast, side: 3.0 };
        assert_eq!(row.words(name), ("books".to_owned(), "must hold: -a + 2.5 b + c >= 3".to_owned()));
        let row = Row { whose: Whose::Order, terms: vec![(0, 1.0), (2, -1.0)], sense: Sense::AtMost, side: 0.0 };
        assert_eq!(row.words(name), ("a".to_owned(), "must be at most `c`".to_owned()));
    }
}
