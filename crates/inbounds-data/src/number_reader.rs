//! One cell of a numeric column, read outside a query.

use crate::{CellRules, Kind, cell_rules::CellReader};

/// Content of a cell of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberCell {
    /// A number; it may be infinite.
    Number(f64),
    /// Nothing: the cell is empty, a `NaN`, or listed as missing.
    Missing,
    /// Something that is not a number of the column's kind. Queries treat it as missing.
    Unreadable,
}

/// Reads single cells of a numeric column, just as queries read its rows.
///
/// # Example
/// ```
/// use inbounds_data::{CellRules, Kind, NumberCell, NumberReader};
/// let rules = CellRules { missing: vec!["-99".into()], thousands: Some(','), ..CellRules::default() };
/// let reader = NumberReader::new(&rules, Kind::Integer);
/// assert_eq!(reader.read(" 1,234 "), NumberCell::Number(1234.0));
/// assert_eq!(reader.read("-99.0"), NumberCell::Missing);
/// assert_eq!(reader.read("7.5"), NumberCell::Unreadable);
/// ```
#[derive(Debug, Clone)]
pub struct NumberReader {
    reader: CellReader,
    /// The same without missing values, to tell what is listed from what cannot be read.
    bare: CellReader,
    is_integer: bool,
}

impl NumberReader {
    /// A reader for cells that are spelled by these rules. [`Kind::Integer`] takes whole numbers only; every other kind
    /// is read as
    /// [`Kind::Number`].
    pub fn new(rules: &CellRules, kind: Kind) -> Self {
        let bare = CellRules { missing: Vec::new(), ..rules.clone() };
        Self { reader: CellReader::new(rules), bare: CellReader::new(&bare), is_integer: kind == Kind::Integer }
    }

    /// Content of a cell.
    pub fn read(&self, cell: &str) -> NumberCell {
        let number = |reader: &CellReader| {
            if self.is_integer { reader.integer(cell).map(|integer| integer as f64) } else { reader.number(cell) }
        };
        if let Some(number) = number(&self.reader) {
            return NumberCell::Number(number);
        }
        // Blanks around a number never count, whatever the rule for texts.
        let text = cell.trim();
        let listed = self.reader.text(text).is_none() || number(&self.bare).is_some();
        if listed || text.eq_ignore_ascii_case("nan") { NumberCell::Missing } else { NumberCell::Unreadable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_from_what_cannot_be_read() {
        let rules = CellRules { missing: vec!["NA".into(), "-99".into()], trim: false, ..CellRules::default() };
        let read = |kind: Kind, cell: &str| NumberReader::new(&rules, kind).read(cell);
        for cell in ["", "  ", "NA", " NA ", "-99", "-99.00", "-9.9e1", "NaN"] {
            assert_eq!(read(Kind::Number, cell), NumberCell::Missing, "{cell}");
        }
        for cell in ["1,5", "x", "na", "--1"] {
            assert_eq!(read(Kind::Number, cell), NumberCell::Unreadable, "{cell}");
        }
        assert_eq!(read(Kind::Number, " 7.5 "), NumberCell::Number(7.5));
        assert_eq!(read(Kind::Number, "-inf"), NumberCell::Number(f64::NEG_INFINITY));
        assert_eq!(
            [read(Kind::Integer, "7.0"), read(Kind::Integer, "-99.0")],
            [NumberCell::Number(7.0), NumberCell::Missing]
        );
        assert_eq!(read(Kind::Integer, "7.5"), NumberCell::Unreadable);
    }
}
