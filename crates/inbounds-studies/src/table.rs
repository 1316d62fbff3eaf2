//! Tables of numbers, for CSV files.

/// One entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A number.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// Rows under headings.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    name: &'static str,
    headings: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table. The name becomes part of its file's.
    pub fn new(name: &'static str, headings: impl Into<Vec<&'static str>>) -> Self {
        Self { name, headings: headings.into(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not one cell a heading.
    pub fn push(&mut self, row: impl Into<Vec<Cell>>) {
        let row = row.into();
        assert_eq!(row.len(), self.headings.len(), "a cell a heading in table {}", self.name);
        self.rows.push(row);
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The table as CSV; numbers with the fewest digits that give the same double again.
    ///
    /// # Example
    /// ```
    /// use inbounds_studies::Table;
    /// let mut table = Table::new("ends", ["end", "bias"]);
    /// table.push(["lower".into(), 0.1.into()]);
    /// assert_eq!(table.to_csv(), "end,bias\nlower,0.1\n");
    /// ```
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => number.to_string(),
        };
        let rows = self.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>());
        let headings = self.headings.iter().map(|&heading| heading.to_owned()).collect();
        for row in std::iter::once(headings).chain(rows) {
            writer.write_record(row).expect("rows are as long as their headings, and memory does not fail");
        }
        let bytes = writer.into_inner().expect("memory does not fail");
        String::from_utf8(bytes).expect("made of strings")
    }
}
