//! Formats of files with rows, by their names.

use std::fmt;
use std::path::Path;

/// The format of files with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RowFormat {
    /// Delimited text with a header line; separated by commas unless a [`TextLayout`](crate::TextLayout) says
    /// otherwise.
    Csv,
    /// The same, separated by tabs.
    Tsv,
    /// A JSON object in each line. There is no header: the columns are those that are
    /// [declared](crate::Source::declared), and an object without one has no such cell.
    JsonLines,
    /// The file format of Apache Arrow (IPC, Feather 2).
    Arrow,
    /// Apache Parquet.
    Parquet,
    /// `.sav` and `.zsav` of SPSS. Cells that its dictionary declares missing are missing.
    Spss,
    /// `.dta` of Stata.
    Stata,
    /// `.xpt`, the transport format of SAS; its first table.
    SasTransport,
    /// Workbooks of Excel; one [sheet](crate::TextLayout::sheet).
    Excel,
    /// Workbooks of OpenDocument; one sheet.
    OpenDocument,
    /// [Rows](crate::MemoryRows) that a program holds in memory.
    Memory,
}

/// Form of rows as they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowForm {
    /// Lines of fields between separators, below a header: stored so, or made to be.
    Delimited,
    /// A JSON object in each line.
    JsonLines,
    /// Record batches of a file of Arrow.
    Arrow,
    /// Row groups of a file of Parquet.
    Parquet,
    /// Record batches in memory.
    Memory,
}

impl RowFormat {
    /// The form in which rows of this format are read.
    pub fn form(self) -> RowForm {
        match self {
            Self::Csv
            | Self::Tsv
            | Self::Spss
            | Self::Stata
            | Self::SasTransport
            | Self::Excel
            | Self::OpenDocument => RowForm::Delimited,
            Self::JsonLines => RowForm::JsonLines,
            Self::Arrow => RowForm::Arrow,
            Self::Parquet => RowForm::Parquet,
            Self::Memory => RowForm::Memory,
        }
    }

    /// All formats.
    pub const ALL: [Self; 11] = [
        Self::Csv,
        Self::Tsv,
        Self::JsonLines,
        Self::Arrow,
        Self::Parquet,
        Self::Spss,
        Self::Stata,
        Self::SasTransport,
        Self::Excel,
        Self::OpenDocument,
        Self::Memory,
    ];

    /// The format that a file's extension stands for, upper or lower case. Text may be compressed: `rows.csv.gz` is
    /// CSV.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let packed = [".gz", ".zst", ".zstd"].iter().find_map(|suffix| name.strip_suffix(suffix));
        let extension = packed.unwrap_or(&name).rsplit_once('.')?.1;
        let format = match extension {
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "jsonl" | "ndjson" => Self::JsonLines,
            "arrow" | "feather" | "ipc" => Self::Arrow,
            "parquet" => Self::Parquet,
            "sav" | "zsav" => Self::Spss,
            "dta" => Self::Stata,
            "xpt" | "xport" => Self::SasTransport,
            "xlsx" | "xlsm" | "xls" => Self::Excel,
            "ods" => Self::OpenDocument,
            _ => return None,
        };
        (packed.is_none() || format.is_text()).then_some(format)
    }

    /// The word for it in plans.
    pub fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::JsonLines => "json-lines",
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
            Self::Spss => "sav",
            Self::Stata => "dta",
            Self::SasTransport => "xpt",
            Self::Excel => "xlsx",
            Self::OpenDocument => "ods",
            Self::Memory => "memory",
        }
    }

    /// `true` if data of this format state the kinds of their columns.
    pub fn has_types(self) -> bool {
        match self.form() {
            RowForm::Delimited | RowForm::JsonLines => false,
            RowForm::Arrow | RowForm::Parquet | RowForm::Memory => true,
        }
    }

    /// `true` if files are text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::JsonLines)
    }

    /// `true` if files are text whose cells stand between separators.
    pub fn has_separators(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv)
    }

    /// `true` for workbooks, of which one sheet has the rows.
    pub fn has_sheets(self) -> bool {
        matches!(self, Self::Excel | Self::OpenDocument)
    }

    /// `true` if people write the lines, so that some of them may be no rows.
    pub fn has_lines(self) -> bool {
        self.has_separators() || self.has_sheets()
    }

    /// `true` for files of statistical programs, which have names and labels of variables.
    pub fn has_dictionary(self) -> bool {
        matches!(self, Self::Spss | Self::Stata | Self::SasTransport)
    }

    /// `true` if rows are lines of fields below a header: where they are stored so, or are made to be.
    pub fn is_delimited(self) -> bool {
        self.form() == RowForm::Delimited
    }

    /// `true` if a file is made into delimited text before it is read.
    pub fn is_decoded(self) -> bool {
        self.is_delimited() && !self.has_separators()
    }
}

impl fmt::Display for RowFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::JsonLines => "JSON lines",
            Self::Arrow => "Arrow IPC",
            Self::Parquet => "Parquet",
            Self::Spss => "SPSS",
            Self::Stata => "Stata",
            Self::SasTransport => "SAS transport",
            Self::Excel => "Excel",
            Self::OpenDocument => "OpenDocument",
            Self::Memory => "in-memory",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_the_format() {
        let word = |name: &str| RowFormat::from_path(Path::new(name)).map(RowFormat::word);
        let csv = ["rows.csv", "a/b.CSV", "rows.csv.gz", "rows.2020.csv.zst", "r.csv.ZSTD"];
        assert_eq!(csv.map(word), [Some("csv"); 5]);
        assert_eq!(["rows.tsv", "rows.tab", "r.tsv.gz"].map(word), [Some("tsv"); 3]);
        assert_eq!(["rows.jsonl", "rows.ndjson.zst"].map(word), [Some("json-lines"); 2]);
        assert_eq!(["rows.arrow", "rows.feather", "rows.ipc"].map(word), [Some("arrow"); 3]);
        assert_eq!(word("rows.parquet"), Some("parquet"));
        assert_eq!(["r.sav", "r.ZSAV"].map(word), [Some("sav"); 2]);
        assert_eq!(
            ["r.dta", "r.xpt", "r.xlsx", "r.XLS", "r.ods"].map(word),
            ["dta", "xpt", "xlsx", "xlsx", "ods"].map(Some)
        );
        assert_eq!(
            ["rows.parquet.gz", "rows.sav.gz", "rows.gz", "rows", "csv", "a.csv/rows", "rows.txt"].map(word),
            [None; 7]
        );
    }
}
