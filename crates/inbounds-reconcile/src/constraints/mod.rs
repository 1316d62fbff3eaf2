//! The constraints file: what must hold, where the measurements file does not say it.

mod draft;
mod place;
mod system;

use std::path::{Path, PathBuf};

use inbounds_bundle::{
    ConstraintsEntry, MatrixEntry, SystemEntry,
    digest::{sha256, sha256_of_file},
};
use inbounds_input::document::{DocumentErrors, Mistakes, Spanned};

use self::draft::NamedRow;
use super::{error::ReconcileError, sheet::Sheet};
use crate::projection::{General, Model};

pub(super) use place::Placed;

/// Constraints by name, before they meet the measurements.
///
/// # Example
/// ```
/// use inbounds_reconcile::Constraints;
/// let constraints = Constraints::parse("nonnegative = true\nfixed.\"New York\" = 20201249")?;
/// assert!(constraints.nonnegative);
/// let wrong = Constraints::parse("nonnegativ = true").expect_err("a slip");
/// assert!(wrong.to_string().contains("did you mean `nonnegative`?"));
/// # Ok::<(), inbounds_reconcile::DocumentErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Constraints {
    /// Whether every node is at zero or above.
    pub nonnegative: bool,
    total: Option<Spanned<f64>>,
    orders: Vec<Vec<Spanned<String>>>,
    rows: Vec<NamedRow>,
    system: Option<SystemFiles>,
    matrix: Option<MatrixForm>,
    fixed: Vec<(Spanned<String>, f64)>,
    bounds: Vec<(Spanned<String>, f64, f64)>,
    name: String,
    text: String,
    folder: PathBuf,
}

/// Files of sparse rows, beside the constraints file.
#[derive(Debug, Clone, PartialEq)]
struct SystemFiles {
    triplets: String,
    sides: String,
}

/// How nodes are entries of a symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
struct MatrixForm {
    /// Between the two names of a node's row and column.
    separator: String,
    unit_diagonal: bool,
    span: std::ops::Range<usize>,
}

impl Default for Constraints {
    /// Sums, and nothing below zero.
    fn default() -> Self {
        Self {
            nonnegative: true,
            total: None,
            orders: Vec::new(),
            rows: Vec::new(),
            system: None,
            matrix: None,
            fixed: Vec::new(),
            bounds: Vec::new(),
            name: String::new(),
            text: String::new(),
            folder: PathBuf::new(),
        }
    }
}

impl Constraints {
    /// Reads a constraints file. Files that it names are looked for in its folder, and read when measurements are.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found; also where the file cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, DocumentErrors> {
        let text = draft::CONSTRAINTS.read(path)?;
        let found = Self::from_text(&path.display().to_string(), text)?;
        Ok(Self { folder: path.parent().unwrap_or(Path::new("")).to_owned(), ..found })
    }

    /// Reads constraints from their text. Mistakes go by the file name `constraints.toml`.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found.
    pub fn parse(text: &str) -> Result<Self, DocumentErrors> {
        Self::from_text("constraints.toml", text.to_owned())
    }

    fn from_text(name: &str, text: String) -> Result<Self, DocumentErrors> {
        let mut mistakes = Mistakes::new(&text);
        match draft::draft(&mut mistakes) {
            Ok(found) if mistakes.is_empty() => Ok(Self { name: name.to_owned(), text, ..found }),
            _ => Err(DocumentErrors::new(name, &text, mistakes.into_list())),
        }
    }

    /// What a manifest says of them, as far as this file knows.
    pub(super) fn entry(&self, model: &Model) -> ConstraintsEntry {
        let (equalities, inequalities) = model.general.as_ref().map_or((0, 0), General::stated_rows);
        let matrix = |form: &MatrixForm| Some((form.unit_diagonal, model.general.as_ref()?.matrix_size()?));
        ConstraintsEntry {
            file: None,
            sha256: (!self.name.is_empty()).then(|| sha256(self.text.as_bytes())),
            nonnegative: self.nonnegative,
            integer: false,
            top_down: false,
            fixed_nodes: 0,
            bounded_nodes: 0,
            total: self.total.as_ref().map(|total| total.value),
            orders: self.orders.len(),
            equalities,
            inequalities,
            system: None,
            matrix: self
                .matrix
                .as_ref()
                .and_then(matrix)
                .map(|(unit_diagonal, size)| MatrixEntry { size, unit_diagonal }),
        }
    }

    /// The files of sparse rows with their SHA-256.
    pub(super) fn system_entry(&self) -> Result<Option<SystemEntry>, ReconcileError> {
        let Some(files) = &self.system else { return Ok(None) };
        let digest = |file: &str| {
            let file = self.folder.join(file);
            sha256_of_file(&file).map_err(|source| ReconcileError::Unreadable { file, source })
        };
        Ok(Some(SystemEntry {
            triplets_sha256: digest(&files.triplets)?,
            sides_sha256: digest(&files.sides)?,
            triplets: files.triplets.clone(),
            sides: files.sides.clone(),
        }))
    }

    /// Whether anything is required beyond sums along a tree and what nodes are by themselves.
    pub(super) fn is_general(&self) -> bool {
        self.total.is_some()
            || !self.orders.is_empty()
            || !self.rows.is_empty()
            || self.system.is_some()
            || self.matrix.is_some()
    }

    /// The constraints by number of node.
    pub(super) fn on(&self, sheet: &Sheet) -> Result<Placed, ReconcileError> {
        place::place(self, sheet)
    }
}
