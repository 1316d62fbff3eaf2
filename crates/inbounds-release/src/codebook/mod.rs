//! Codebooks, which describe the columns of a file: types, bounds, values, missing codes, labels and units.
//!
//! Each format has a reader of its own, and all return the same [`Variable`]s. What a codebook says is public only
//! where it was known before the rows were: least and largest values that were *observed* are the rows', so they are
//! not taken, and the plan says why.

mod ddi;
mod dictionary;
mod error;
mod json;
mod plan;
mod redcap;
mod table;
mod variable;

use std::{fs, path::Path};

pub use error::CodebookError;
pub(crate) use plan::{BOUNDS_ASKED, VALUES_ASKED, column_table};
use variable::file_name;
pub use variable::{CodedValue, Refusal, Variable};

/// Formats of codebooks that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodebookFormat {
    /// Frictionless Data: a Table Schema, or a data package with one.
    TableSchema,
    /// CSV on the Web: metadata of a table, or of a group of them.
    CsvOnTheWeb,
    /// DDI Codebook 2.5, and 2.1, which has the same elements.
    Ddi,
    /// The data dictionary of a REDCap project.
    Redcap,
    /// The dictionary in a file of SPSS, Stata or SAS.
    Dictionary,
    /// A table with a row a variable: `variable,type,min,max,values,missing,label,unit`.
    Table,
}

impl CodebookFormat {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::TableSchema => "Frictionless Table Schema",
            Self::CsvOnTheWeb => "CSV on the Web",
            Self::Ddi => "DDI Codebook",
            Self::Redcap => "REDCap data dictionary",
            Self::Dictionary => "dictionary of the file",
            Self::Table => "table of variables",
        }
    }
}

/// The variables of a codebook, in its order.
///
/// # Example
/// ```
/// use inbounds_release::codebook::{Codebook, CodebookFormat};
/// let text = "variable,type,min,max,values,missing,label\n\
///             sex,text,,,f=female|m=male,,Sex\n\
///             age,integer,0,110,,999,Age in years\n";
/// let codebook = Codebook::parse("codebook.csv", text, "people.csv".as_ref())?;
/// assert_eq!(codebook.format, CodebookFormat::Table);
/// let age = codebook.of_column("age").expect("described");
/// assert_eq!((age.lower.as_deref(), age.upper.as_deref()), (Some("0"), Some("110")));
/// assert_eq!(age.missing, ["999"]);
/// # Ok::<(), inbounds_release::codebook::CodebookError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Codebook {
    /// The name of the file, as the plan mentions it.
    pub name: String,
    /// Its format.
    pub format: CodebookFormat,
    /// Its entries, one for each variable.
    pub variables: Vec<Variable>,
}

impl Codebook {
    /// Reads a codebook of the file, or files, at `data`, of which a data package may describe several.
    ///
    /// # Errors
    /// [`CodebookError`]: the file cannot be read, is damaged, is in no known format, or describes no variable.
    pub fn read(path: &Path, data: &Path) -> Result<Self, CodebookError> {
        if let Some(variables) = dictionary::read(path, false)? {
            return Self::of_variables(path, variables);
        }
        let unread = |source| CodebookError::Unread { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unread)?;
        let name = file_name(path);
        let not_utf8 = |_| CodebookError::NotUtf8 { name: name.clone() };
        let text = latin_1(&bytes).map_or_else(|| String::from_utf8(bytes).map_err(not_utf8), Ok)?;
        Self::parse(&name, &text, data)
    }

    /// Dictionary in the file with the rows, on its own variables; `None` for formats that have no dictionary.
    ///
    /// # Errors
    /// [`CodebookError::Dictionary`]: the file is damaged or cannot be read.
    pub fn in_data(data: &Path) -> Result<Option<Self>, CodebookError> {
        dictionary::read(data, true)?.map(|variables| Self::of_variables(data, variables)).transpose()
    }

    fn of_variables(path: &Path, variables: Vec<Variable>) -> Result<Self, CodebookError> {
        let name = file_name(path);
        match variables.is_empty() {
            true => Err(CodebookError::NoVariables { name }),
            false => Ok(Self { name, format: CodebookFormat::Dictionary, variables }),
        }
    }

    /// Reads the text of a codebook.
    ///
    /// # Errors
    /// As [`Codebook::read`].
    pub fn parse(name: &str, text: &str, data: &Path) -> Result<Self, CodebookError> {
        let text = text.trim_start_matches('\u{feff}');
        let (format, variables) = match text.trim_start().chars().next() {
            Some('{' | '[') => json::read(name, text, data)?,
            Some('<') => (CodebookFormat::Ddi, ddi::read(name, text, data)?),
            _ if redcap::is_header(text) => (CodebookFormat::Redcap, redcap::read(name, text)?),
            _ => (CodebookFormat::Table, table::read(name, text)?),
        };
        if variables.is_empty() {
            return Err(CodebookError::NoVariables { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), format, variables })
    }

    /// Entry of a column: names are compared as they are, and then without regard to case if that is unique.
    pub fn of_column(&self, column: &str) -> Option<&Variable> {
        let is = |variable: &&Variable| variable.names.iter().any(|name| name == column);
        if let Some(variable) = self.variables.iter().find(is) {
            return Some(variable);
        }
        let like = |name: &String| name.to_lowercase() == column.to_lowercase();
        let mut alike = self.variables.iter().filter(|variable| variable.names.iter().any(like));
        alike.next().filter(|_| alike.next().is_none())
    }
}

/// The text of an XML document that says that it is in Latin-1.
fn latin_1(bytes: &[u8]) -> Option<String> {
    const HEAD: usize = 100;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_lowercase();
    let head = head.split_once("?>").filter(|(head, _)| head.starts_with("<?xml"))?.0;
    let says = ["iso-8859-1", "latin1", "latin-1"].iter().any(|name| head.contains(name));
    says.then(|| bytes.iter().copied().map(char::from).collect())
}

#[cfg(test)]
mod tests;
