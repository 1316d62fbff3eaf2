//! Formats of statistical programs and spreadsheets, which are not read, and how their tables are handed over.

use std::fmt;
use std::path::Path;

/// A format that is known and not read. As a text it is a remedy: the lines of Python or R that make a file of it that
/// is.
///
/// # Example
/// ```
/// use inbounds_data::ForeignFormat;
///
/// let format = ForeignFormat::of("stays.sav".as_ref());
/// assert_eq!(format, Some(ForeignFormat::Spss));
/// assert!(format.unwrap().to_string().contains("pyreadstat.read_sav(\"FILE\")"));
/// assert_eq!(ForeignFormat::of("stays.csv".as_ref()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// `.sav` and `.zsav` of SPSS.
    Spss,
    /// `.dta` of Stata.
    Stata,
    /// `.sas7bdat` of SAS.
    Sas,
    /// `.xpt`, the transport format of SAS.
    SasTransport,
    /// `.xlsx`, `.xlsm` and `.xls` of Excel.
    Excel,
    /// `.ods` of OpenDocument.
    OpenDocument,
}

impl ForeignFormat {
    /// The format that the extension of a file tells, in either case.
    pub fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "sav" | "zsav" => Some(Self::Spss),
            "dta" => Some(Self::Stata),
            "sas7bdat" => Some(Self::Sas),
            "xpt" => Some(Self::SasTransport),
            "xlsx" | "xlsm" | "xls" => Some(Self::Excel),
            "ods" => Some(Self::OpenDocument),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Spss => "SPSS",
            Self::Stata => "Stata",
            Self::Sas => "SAS",
            Self::SasTransport => "SAS transport",
            Self::Excel => "Excel",
            Self::OpenDocument => "OpenDocument",
        }
    }

    /// A line of Python, and one of R.
    fn lines(self) -> (String, &'static str) {
        let statistical =
            |reader| format!("import pyreadstat; pyreadstat.{reader}(\"FILE\")[0].to_parquet(\"FILE.parquet\")");
        let sheet = "import pandas; pandas.read_excel(\"FILE\", dtype=str, keep_default_na=False).to_csv(\"FILE.csv\", index=False)";
        match self {
            Self::Spss => (
                statistical("read_sav"),
                "arrow::write_parquet(haven::zap_labels(haven::read_sav(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::Stata => (
                statistical("read_dta"),
                "arrow::write_parquet(haven::zap_labels(haven::read_dta(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::Sas => (
                statistical("read_sas7bdat"),
                "arrow::write_parquet(haven::zap_labels(haven::read_sas(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::SasTransport => (
                statistical("read_xport"),
                "arrow::write_parquet(haven::zap_labels(haven::read_xpt(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::Excel => (
                sheet.to_owned(),
                "write.csv(readxl::read_excel(\"FILE\", col_types = \"text\"), \"FILE.csv\", row.names = FALSE, na = \"\")",
            ),
            Self::OpenDocument => (
                sheet.to_owned(),
                "write.csv(readODS::read_ods(\"FILE\", col_types = NA), \"FILE.csv\", row.names = FALSE, na = \"\")",
            ),
        }
    }
}

impl fmt::Display for ForeignFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (python, r) = self.lines();
        let name = self.name();
        write!(
            formatter,
            "{name} files are not read: write a file that is, in Python by `{python}`, or in R by `{r}`; `inbounds help from-file` says \
             what to look at"
        )
    }
}
