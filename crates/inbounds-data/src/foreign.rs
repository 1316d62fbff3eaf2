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
/// let format = ForeignFormat::from_path("stays.sas7bdat".as_ref());
/// assert_eq!(format, Some(ForeignFormat::Sas));
/// assert!(format.unwrap().to_string().contains("pyreadstat.read_sas7bdat(\"FILE\")"));
/// assert_eq!(ForeignFormat::from_path("stays.csv".as_ref()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// `.sas7bdat` of SAS.
    Sas,
    /// `.por`, the portable format of SPSS.
    SpssPortable,
    /// `.rds` of R.
    R,
    /// `.xlsb`, the binary format of Excel.
    ExcelBinary,
}

impl ForeignFormat {
    /// The format that the extension of a file tells, in either case.
    pub fn from_path(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "sas7bdat" => Some(Self::Sas),
            "por" => Some(Self::SpssPortable),
            "rds" => Some(Self::R),
            "xlsb" => Some(Self::ExcelBinary),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sas => "SAS",
            Self::SpssPortable => "SPSS portable",
            Self::R => "R",
            Self::ExcelBinary => "Excel binary",
        }
    }

    /// A line of Python, and one of R.
    fn lines(self) -> (String, &'static str) {
        let statistical =
            |reader| format!("import pyreadstat; pyreadstat.{reader}(\"FILE\")[0].to_parquet(\"FILE.parquet\")");
        match self {
            Self::Sas => (
                statistical("read_sas7bdat"),
                "arrow::write_parquet(haven::zap_labels(haven::read_sas(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::SpssPortable => (
                statistical("read_por"),
                "arrow::write_parquet(haven::zap_labels(haven::read_por(\"FILE\")), \"FILE.parquet\")",
            ),
            Self::R => (
                "import pyreadr; pyreadr.read_r(\"FILE\")[None].to_parquet(\"FILE.parquet\")".to_owned(),
                "arrow::write_parquet(readRDS(\"FILE\"), \"FILE.parquet\")",
            ),
            Self::ExcelBinary => (
                "import pandas; pandas.read_excel(\"FILE\", dtype=str, keep_default_na=False).to_csv(\"FILE.csv\", index=False)"
                    .to_owned(),
                "write.csv(readxlsb::read_xlsb(\"FILE\", sheet = 1), \"FILE.csv\", row.names = FALSE, na = \"\")",
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
