//! Where the rows are: from a path to a list of files of one format.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use inbounds_input::{FileLocation, is_stored};

use crate::folders::{self, FoundFile};
use crate::stored::{self, is_hidden};
use crate::{
    CellRules, Clip, ColumnTypes, DataError, Derivation, DerivedColumn, Kind, Longer, MemoryRows, PerUnit, RowFormat,
    SetColumn, TextLayout,
};

/// Where the rows are and how to read them. Public.
///
/// - `path`: a file, a folder (all files directly in it, those that begin with `.` or `_` left out) or a glob such as
///   `rows/**/*.parquet`; or the same in an object store, such as `s3://bucket/rows/**/*.parquet`. Folders below that
///   are called `NAME=VALUE` make a column `NAME` with the cell `VALUE` for all rows in them, unless the files have a
///   column of that name. No file is read twice, and neither a folder nor `**` leads through links to folders: both are
///   errors.
/// - `rows`: rows in memory, which take the place of files; `path` is then what messages call them.
/// - `format`: the format of all files; `None` takes it from their extensions, see [`RowFormat::from_path`].
/// - `text`: how text is laid out.
/// - `longer`: columns that are gathered in one, so that a row becomes several.
/// - `types`: who says of which kind columns are.
/// - `declared`: kinds of columns. Every other column is text, unless `types` leaves it to the schema of the data.
/// - `derived`: columns that the files do not have, which are made of others.
/// - `cells`: how cells are spelled, and `own_cells`: columns with rules of their own.
/// - `per_unit`: what each unit's rows are first made into, all of them into one.
///
/// An empty cell is missing, in CSV as in Parquet. A CSV column without a name in the header is called `(unnamed N)`,
/// `N` its position from 1. In a CSV file of one column every line below the header is a row, and an empty line is a
/// row whose cell is missing; otherwise an empty line is no row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Source {
    /// A file, a folder or a glob.
    pub path: String,
    /// Rows in memory, if they are not in files.
    #[serde(skip)]
    pub rows: Option<MemoryRows>,
    /// Format of all files, or `None` to go by the extension.
    pub format: Option<RowFormat>,
    /// Layout of text.
    pub text: TextLayout,
    /// Columns that are gathered in one. Not for rows in memory.
    pub longer: Option<Longer>,
    /// Who says of which kind columns are.
    pub types: ColumnTypes,
    /// Kinds of columns by name.
    pub declared: Vec<(String, Kind)>,
    /// Columns that are made of others.
    pub derived: Vec<DerivedColumn>,
    /// Spelling of the cells of all columns without rules of their own.
    pub cells: CellRules,
    /// Rules of single columns by name, which take the place of `cells`.
    pub own_cells: Vec<(String, CellRules)>,
    /// Columns in which a cell holds several answers.
    pub sets: Vec<SetColumn>,
    /// Number of equal rows that each row stands for, if that is not one: whole numbers from 0 on. Claim:
    /// `rows-of-a-frequency`. A row whose number is missing by [`Missing::Drop`](crate::Missing::Drop) stands for none,
    /// and [`Survey::left_out`](crate::Survey::left_out) counts it as one. There must be fewer than 2^63 rows in all;
    /// with it no question has a bound on the rows of a unit.
    pub frequency: Option<Clip>,
    /// Reduction of the rows of each unit, if questions are asked of a table with one row for each.
    pub per_unit: Option<PerUnit>,
}

impl Source {
    /// A source without declarations, its format taken from the extension.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            rows: None,
            format: None,
            text: TextLayout::default(),
            longer: None,
            types: ColumnTypes::default(),
            declared: Vec::new(),
            derived: Vec::new(),
            cells: CellRules::default(),
            own_cells: Vec::new(),
            sets: Vec::new(),
            frequency: None,
            per_unit: None,
        }
    }

    /// Rows in memory, under the name by which messages call them.
    pub fn in_memory(name: impl Into<String>, rows: MemoryRows) -> Self {
        Self { rows: Some(rows), format: Some(RowFormat::Memory), ..Self::new(name) }
    }

    /// This source with the kinds of its columns taken from the schema of the data, which is warranted to be public.
    pub fn with_public_types(mut self) -> Self {
        self.types = ColumnTypes::Public;
        self
    }

    /// `true` if the kinds of columns that the data state may be used.
    pub(crate) fn has_types(&self, format: RowFormat) -> bool {
        self.types.are_in(format)
    }

    /// This source with the kind of one more column.
    pub fn declare(mut self, column: impl Into<String>, kind: Kind) -> Self {
        self.declared.push((column.into(), kind));
        self
    }

    /// This source with one more column that is made of others.
    pub fn derive(mut self, column: impl Into<String>, rule: Derivation) -> Self {
        self.derived.push(DerivedColumn { name: column.into(), rule });
        self
    }

    /// This source with rules for the cells of one more column.
    pub fn spell(mut self, column: impl Into<String>, rules: CellRules) -> Self {
        self.own_cells.push((column.into(), rules));
        self
    }

    /// Spelling of the cells of a column.
    pub fn rules_of(&self, column: &str) -> &CellRules {
        self.own_cells.iter().find(|(name, _)| name == column).map_or(&self.cells, |(_, rules)| rules)
    }

    /// `true` if a file is one of those with the rows, under any name. `false` where either cannot be found.
    pub fn holds(&self, file: &Path) -> bool {
        let Ok(file) = fs::canonicalize(file) else { return false };
        if self.format == Some(RowFormat::Memory) || is_stored(&self.path) {
            return false;
        }
        let same = |row_file: &Path| fs::canonicalize(row_file).is_ok_and(|row_file| row_file == file);
        self.files().is_ok_and(|(files, _)| files.iter().any(|file| same(file.path())))
    }

    /// The files, sorted by path, at least one, and their common format.
    pub(crate) fn files(&self) -> Result<(Vec<FoundFile>, RowFormat), DataError> {
        let (base, files) = if is_stored(&self.path) { self.stored_files()? } else { self.files_here()? };
        if files.is_empty() {
            return Err(DataError::NoFiles { path: self.path.clone() });
        }
        let format = self.common_format(&files)?;
        let files = files.into_iter().map(|file| FoundFile::below(&base, file));
        let files = files.collect::<Result<Vec<FoundFile>, DataError>>()?;
        if let Some(other) = files.iter().find(|file| !file.columns().eq(files[0].columns())) {
            let (first, file) = (files[0].path().to_path_buf(), other.path().to_path_buf());
            return Err(DataError::FoldersDisagree { first, file });
        }
        Ok((files, format))
    }

    /// The folder above which no folder names a column, and the files below it, sorted.
    fn files_here(&self) -> Result<(PathBuf, Vec<FileLocation>), DataError> {
        let path = Path::new(&self.path);
        let (base, files) = if path.is_dir() {
            (path.to_path_buf(), files_in(path)?)
        } else if path.exists() {
            (path.parent().unwrap_or(path).to_path_buf(), vec![path.to_path_buf()])
        } else {
            (folders::base_of(&self.path), matches_of(&self.path)?)
        };
        if let Some(file) = files.iter().find(|file| fs::metadata(file).is_ok_and(|metadata| !metadata.is_file())) {
            return Err(DataError::NotAFile { file: file.clone() });
        }
        refuse_twice(&files)?;
        Ok((base, files.into_iter().map(FileLocation::from).collect()))
    }

    /// The same of an object store.
    fn stored_files(&self) -> Result<(PathBuf, Vec<FileLocation>), DataError> {
        let unreadable = |source| DataError::Unreadable { file: PathBuf::from(&self.path), source };
        if let Some(file) = FileLocation::stored(&self.path).map_err(unreadable)? {
            let folder = file.path().parent().unwrap_or(file.path()).to_path_buf();
            return Ok((folder, vec![file]));
        }
        stored::files(&self.path)
    }

    fn common_format(&self, files: &[FileLocation]) -> Result<RowFormat, DataError> {
        let known: Vec<Option<RowFormat>> = files.iter().map(|file| RowFormat::from_path(file.path())).collect();
        let one_file_of_any_name = files.len() == 1 && self.format.is_some();
        let first = known.iter().position(Option::is_some);
        let odd =
            first.and_then(|first| known.iter().position(|format| format.is_some_and(|_| *format != known[first])));
        if let (Some(first), Some(odd), false) = (first, odd, one_file_of_any_name) {
            let format = |place: usize| known[place].expect("a known format");
            return Err(DataError::MixedFormats {
                first: files[first].path().to_path_buf(),
                first_format: format(first),
                file: files[odd].path().to_path_buf(),
                format: format(odd),
            });
        }
        if let Some(format) = self.format {
            return Ok(format);
        }
        if let Some(unknown) = known.iter().position(Option::is_none) {
            return Err(DataError::UnknownFormat { file: files[unknown].path().to_path_buf() });
        }
        Ok(known[0].expect("every file has a known extension"))
    }
}

/// The files of a folder, or of the folders in it if all of them name a column.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |source| DataError::Unreadable { file: folder.to_path_buf(), source };
    let (mut files, mut subfolders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        match path.is_dir() {
            true if folders::is_column(&path) => subfolders.push(path),
            _ if is_hidden(&path) => {}
            true => subfolders.push(path),
            false => files.push(path),
        }
    }
    // Rows in a subfolder would be left out in silence otherwise.
    let odd = subfolders.iter().find(|subfolder| !files.is_empty() || !folders::is_column(subfolder));
    if let Some(subfolder) = odd {
        return Err(DataError::Subfolder { folder: folder.to_path_buf(), subfolder: subfolder.clone() });
    }
    if let Some(link) = subfolders.iter().find(|subfolder| subfolder.is_symlink()) {
        return Err(DataError::LinkedFolder { link: link.clone() });
    }
    for subfolder in subfolders {
        files.extend(files_in(&subfolder)?);
    }
    files.sort();
    Ok(files)
}

fn matches_of(pattern: &str) -> Result<Vec<PathBuf>, DataError> {
    let malformed = |error: glob::PatternError| DataError::Glob {
        pattern: pattern.to_owned(),
        position: error.pos,
        problem: error.msg,
    };
    let unreadable = |error: glob::GlobError| {
        let file = error.path().to_path_buf();
        DataError::Unreadable { file, source: error.into() }
    };
    let paths = glob::glob(pattern).map_err(malformed)?;
    // `**` leads through links, and never ends where they lead back.
    if let Some(above) = folders::above_all(pattern) {
        for folder in glob::glob(&above).map_err(malformed)? {
            refuse_links_in(&folder.map_err(unreadable)?)?;
        }
    }
    let mut files = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(unreadable)?;
    files.retain(|path| !path.is_dir() && !is_hidden(path));
    files.sort();
    Ok(files)
}

/// Refuses links to folders anywhere below a folder.
fn refuse_links_in(folder: &Path) -> Result<(), DataError> {
    if !folder.is_dir() {
        return Ok(());
    }
    let unreadable = |source| DataError::Unreadable { file: folder.to_path_buf(), source };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        match (path.is_symlink(), path.is_dir()) {
            (true, true) => return Err(DataError::LinkedFolder { link: path }),
            (false, true) => refuse_links_in(&path)?,
            (_, false) => {}
        }
    }
    Ok(())
}

/// Refuses files that are one and the same, under whatever names: its rows would count twice.
fn refuse_twice(files: &[PathBuf]) -> Result<(), DataError> {
    let mut by_canonical: HashMap<PathBuf, &PathBuf> = HashMap::with_capacity(files.len());
    for file in files {
        let itself = fs::canonicalize(file).map_err(|source| DataError::Unreadable { file: file.clone(), source })?;
        if let Some(first) = by_canonical.insert(itself, file) {
            return Err(DataError::FileTwice { first: first.clone(), file: file.clone() });
        }
    }
    Ok(())
}
