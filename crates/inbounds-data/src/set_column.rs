//! Columns in which one cell holds several answers.

/// A column of text in which a cell holds several of some public options, with a separator between them: `1 3 13`.
/// Public.
///
/// Where a [`Query`](crate::Query) has it among its keys, a row counts once in the cell of each of its options that is
/// listed, of which at most `most`: those that come first in `options`. So one row moves all numbers of a query as
/// `most` rows do that are each in another cell. An option that a cell names twice counts once; blanks around options
/// do not count. As anything else than a key it is a text. No question about it has a bound on the rows of a unit.
///
/// # Example
/// ```
/// use inbounds_data::{Engine, FileEngine, KeyValue, Keys, Kind, Query, SetColumn, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "reason\n1 3 13\n13\n2 1 3\n")?;
/// let options = ["1", "3", "13"].map(str::to_owned).to_vec();
/// let keys = options.iter().map(|option| vec![KeyValue::Text(option.clone())]).collect();
/// let reason = SetColumn { column: "reason".into(), separator: " ".into(), options, most: 3 };
/// let source = Source::new(path.display().to_string()).declare("reason", Kind::Text);
/// let engine = FileEngine::open(&Source { sets: vec![reason], ..source })?;
/// let query = Query { keys: Some(Keys::new(vec!["reason".into()], keys)?), ..Query::default() };
/// assert_eq!(engine.tally(&query)?.counts.private_steps(), [2, 2, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SetColumn {
    /// Its name.
    pub column: String,
    /// Text between two options.
    pub separator: String,
    /// The options, each once.
    pub options: Vec<String>,
    /// Most options of a row that count, at least 1.
    pub most: u32,
}

impl SetColumn {
    /// The places of the options that a cell names, in increasing order, at most `most` of them.
    pub(crate) fn places(&self, cell: &str) -> Vec<usize> {
        let named = cell.split(self.separator.as_str()).map(str::trim);
        let mut places: Vec<usize> =
            named.filter_map(|name| self.options.iter().position(|option| option == name)).collect();
        places.sort_unstable();
        places.dedup();
        places.truncate(self.most as usize);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_whole_and_once() {
        let options = ["1", "2", "3", "13"].map(str::to_owned).to_vec();
        let set = SetColumn { column: "reason".into(), separator: ";".into(), options, most: 2 };
        for (cell, places) in [
            ("13", vec![3]),
            ("3; 1 ;3", vec![0, 2]),
            ("13;3;2;1", vec![0, 1]),
            ("31", vec![]),
            (";;", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(set.places(cell), places, "{cell}");
        }
    }
}
