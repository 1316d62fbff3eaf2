//! Where the columns of a measurements file stand.

use std::path::Path;

use inbounds_input::{document::shorten, nearest};

use super::super::{
    cells::{LEVEL, SUMMED},
    error::ReconcileError,
    options::{Options, WideColumns},
    tables::in_estimates,
};

/// The columns of a measurements file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Node,
    Parent,
    Value,
    Variance,
    Law,
    Scale,
    Fixed,
    Lower,
    Upper,
}

pub(super) const COLUMNS: [(&str, Column); 9] = [
    ("node", Column::Node),
    ("parent", Column::Parent),
    ("value", Column::Value),
    ("variance", Column::Variance),
    ("law", Column::Law),
    ("scale", Column::Scale),
    ("fixed", Column::Fixed),
    ("lower", Column::Lower),
    ("upper", Column::Upper),
];

/// Words that official statistics call attributes by, and that are a letter or two from the name of a column.
const EVERYDAY: [&str; 14] = [
    "state", "states", "stage", "place", "male", "sale", "sales", "salary", "code", "mode", "rate", "race", "mixed",
    "owner",
];

/// True if an attribute is called by a word that people use, which is not a column of the file misspelt.
fn is_everyday(name: &str) -> bool {
    EVERYDAY.contains(&name.to_lowercase().as_str())
}

/// Help where one column holds no measurements.
const WIDE: &str =
    ". A table with one column for each value of an attribute is read with `wide`: --wide tenure=owned,rented";

/// Position of each column in the file. Every column that is none of these and holds no measurement is an attribute of
/// a table, or where `node` is there, of a table at each node.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    known: [Option<usize>; COLUMNS.len()],
    /// Positions and names of the attributes that have a column.
    pub(super) attributes: Vec<(usize, String)>,
    /// The attribute whose values have a column each, if there is one.
    spread: Option<Spread>,
}

/// An attribute whose values have a column each.
#[derive(Debug, Clone)]
struct Spread {
    attribute: String,
    /// Where the measurements stand, each with the value of the attribute that it is of.
    columns: Vec<(usize, String)>,
}

impl Layout {
    pub(super) fn from_header<'h>(
        path: &Path,
        header: impl IntoIterator<Item = &'h str>,
        options: &Options,
    ) -> Result<Self, ReconcileError> {
        Self::locate(header, options).map_err(|problem| ReconcileError::Columns { file: path.to_owned(), problem })
    }

    fn locate<'h>(header: impl IntoIterator<Item = &'h str>, options: &Options) -> Result<Self, String> {
        let wide = options.wide.as_ref();
        let mut layout = Self { known: [None; COLUMNS.len()], attributes: Vec::new(), spread: None };
        let mut spread = wide.map(|wide| Spread { attribute: wide.attribute.clone(), columns: Vec::new() });
        let header: Vec<&str> = header.into_iter().collect();
        if let [only] = header[..] {
            return Err(format!(
                "the first line has one column, `{}`, and no measurements beside it; the names of the columns must stand there, with \
                 commas between them: leave out titles above them and notes below the table, and write commas for other separators",
                shorten(only)
            ));
        }
        for (position, name) in header.into_iter().enumerate() {
            if name.is_empty() {
                return Err(format!("column {} has no name; give it one, or leave it out", position + 1));
            }
            let known = COLUMNS.into_iter().find(|(known, _)| *known == name);
            let twice = match (known, wide.and_then(|wide| wide.value(name)), &mut spread) {
                (_, Some(value), Some(spread)) => {
                    let twice = spread.columns.iter().any(|(_, other)| other == value);
                    spread.columns.push((position, value.to_owned()));
                    twice
                }
                (Some((_, column)), ..) => layout.known[column as usize].replace(position).is_some(),
                (None, ..) => {
                    let twice = layout.attributes.iter().any(|(_, other)| other == name);
                    layout.attributes.push((position, name.to_owned()));
                    twice
                }
            };
            if twice {
                return Err(format!("the column `{name}` occurs twice"));
            }
        }
        layout.spread = spread;
        match wide {
            Some(wide) => layout.judge_wide(wide, options)?,
            None => layout.judge_long()?,
        }
        layout.judge_attributes()?;
        Ok(layout)
    }

    /// Checks the columns of a table: refuses names that are one and the same to the bundle, and columns of which none
    /// states the noise.
    fn judge_attributes(&self) -> Result<(), String> {
        let attributes = self.attributes();
        let known = COLUMNS.map(|(known, _)| known);
        if let Some(name) = attributes.iter().find(|name| known.contains(&name.as_str())) {
            return Err(format!("the attribute `{name}` is called like a column with a meaning of its own; rename it"));
        }
        let of_level = |name: &&String| {
            let level = name.strip_prefix(LEVEL);
            self.has_places() && level.is_some_and(|level| level.bytes().all(|digit| digit.is_ascii_digit()))
        };
        if let Some(name) = attributes.iter().find(of_level) {
            return Err(format!(
                "the attribute `{name}` is called as the estimates call the nodes above a cell, level by level; rename it"
            ));
        }
        let clash = |name: &&String| {
            attributes.iter().any(|other| *other != **name && in_estimates(other) == in_estimates(name))
        };
        if let Some(name) = attributes.iter().find(clash) {
            return Err(format!("the column of the attribute `{name}` would stand twice in the estimates; rename it"));
        }
        let is_missing = |column| self.position(column).is_none();
        let noise = match (is_missing(Column::Law), is_missing(Column::Scale)) {
            (false, true) => Some("scale"),
            (true, false) => Some("law"),
            (true, true) if is_missing(Column::Variance) && is_missing(Column::Fixed) => Some("variance"),
            _ => None,
        };
        match noise.filter(|_| !attributes.is_empty()) {
            None => Ok(()),
            Some("variance") => Err(format!(
                "nothing states the noise: give a column `variance`, or `law` and `scale`, or `fixed`{}",
                self.slip(&["variance", "law", "scale", "fixed"])
            )),
            Some(missing) => Err(format!("there is no column `{missing}`{}", self.slip(&[missing]))),
        }
    }

    /// The attribute that may be one of some columns, misspelt, as a question; words that people call attributes by are
    /// no slips.
    fn slip(&self, missing: &[&str]) -> String {
        let names = self.attributes.iter().filter(|(_, name)| !is_everyday(name));
        let slips = names.filter_map(|(_, name)| Some((name, nearest(name, missing.iter().copied())?)));
        slips.map(|(name, near)| format!("; is `{name}` meant as `{near}`?")).next().unwrap_or_default()
    }

    /// Checks columns of which one holds all measurements.
    fn judge_long(&self) -> Result<(), String> {
        let is_missing = |column| self.position(column).is_none();
        let may_be_wide = [Column::Node, Column::Parent, Column::Value].into_iter().all(is_missing);
        let wide = if may_be_wide { WIDE } else { "" };
        let named = self.position(Column::Node).is_some() || self.position(Column::Parent).is_some();
        let slip = |(_, name): &(usize, String)| {
            let known = COLUMNS.into_iter().filter(|(_, column)| is_missing(*column)).map(|(known, _)| known);
            nearest(name, known).filter(|_| !is_everyday(name)).map(|near| (name.clone(), near))
        };
        if let Some((name, near)) = self.attributes.iter().filter(|_| named).find_map(slip) {
            return Err(format!(
                "unknown column `{name}`; did you mean `{near}`? If it is an attribute of a table at each node, give it a name that is \
                 less like `{near}`"
            ));
        }
        let no_node = is_missing(Column::Node) && (named || self.attributes.is_empty());
        match no_node.then_some("node").or_else(|| is_missing(Column::Value).then_some("value")) {
            Some(missing) => Err(format!("there is no column `{missing}`{}{wide}", self.slip(&[missing]))),
            None => Ok(()),
        }
    }

    /// Checks columns of which one a value of an attribute holds measurements.
    fn judge_wide(&self, wide: &WideColumns, options: &Options) -> Result<(), String> {
        let values = self.spread.iter().flat_map(|spread| &spread.columns);
        let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
        let total = wide.total.iter().map(|name| (name, SUMMED));
        let asked = wide.values.iter().map(|name| (name, name.as_str())).chain(total);
        if let Some((missing, _)) = asked.into_iter().find(|(_, value)| !values.contains(value)) {
            let near = nearest(missing, self.attributes.iter().map(|(_, name)| name.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("there is no column `{missing}`{near}"));
        }
        if let Some((_, name)) = self.attributes.iter().find(|(_, name)| options.totals.includes(name)) {
            return Err(format!(
                "the column `{name}` is no value of `{}`: if it has the sums over it, write --wide-total {name}; if it is an \
                 attribute, --no-totals",
                wide.attribute
            ));
        }
        let refused = [Column::Value, Column::Fixed, Column::Lower, Column::Upper];
        let refused =
            COLUMNS.into_iter().find(|(_, column)| refused.contains(column) && self.position(*column).is_some());
        if let Some((name, _)) = refused {
            return Err(format!(
                "the column `{name}` cannot stand beside one column for each value of `{}`",
                wide.attribute
            ));
        }
        if self.position(Column::Parent).is_some() && self.position(Column::Node).is_none() {
            return Err("there is no column `node`".to_owned());
        }
        if self.attributes.iter().any(|(_, name)| *name == wide.attribute) {
            return Err(format!("the attribute `{}` has a column of its own too", wide.attribute));
        }
        Ok(())
    }

    /// `true` if there is a table at each node, rather than nodes alone or one table.
    pub(super) fn has_places(&self) -> bool {
        self.position(Column::Node).is_some() && !self.attributes().is_empty()
    }

    pub(super) fn position(&self, column: Column) -> Option<usize> {
        self.known[column as usize]
    }

    /// The names of the attributes.
    pub(super) fn attributes(&self) -> Vec<String> {
        let spread = self.spread.iter().map(|spread| &spread.attribute);
        self.attributes.iter().map(|(_, name)| name).chain(spread).cloned().collect()
    }

    /// Where the measurements of a row stand, each with the value of the attribute that it is of where each value has a
    /// column.
    pub(super) fn values(&self) -> Vec<(Option<usize>, Option<&str>)> {
        match &self.spread {
            None => vec![(self.position(Column::Value), None)],
            Some(spread) => {
                spread.columns.iter().map(|(position, value)| (Some(*position), Some(value.as_str()))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_no_slips_of_columns() {
        let refusal = |header: &[&str]| {
            let layout = Layout::from_header(Path::new("file.csv"), header.iter().copied(), &Options::default());
            layout.expect_err("it is refused").to_string()
        };
        for word in EVERYDAY.into_iter().chain(["State"]) {
            assert!(!refusal(&[word, "sex", "value"]).contains("meant as"), "{word}");
            let beside = ["node", "parent", "value", "variance", word];
            let layout = Layout::from_header(Path::new("file.csv"), beside, &Options::default()).expect("an attribute");
            assert_eq!(layout.attributes(), [word]);
        }
        // A slip still is one.
        assert!(refusal(&["node", "parent", "value", "variance", "uper"]).contains("did you mean `upper`"));
        assert!(refusal(&["sex", "value", "varience"]).contains("is `varience` meant as `variance`?"));
    }
}
