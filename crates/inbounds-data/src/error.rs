//! Errors in files, schema and query. No variant ever holds a cell.

use std::path::{Path, PathBuf};

use thiserror::Error;

use inbounds_input::nearest;

use crate::{Compression, FittingEncodings, ForeignFormat, FormulaError, Kind, RowFormat, TextEncoding};

/// A broken requirement on the source or the query, or a file that cannot be read.
///
/// Fields hold public names: paths, line numbers, column names, the user's own filter, keys and bounds. An error of
/// the engine below is never passed on, since its text may quote a cell; it is replaced by a text of our own.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The path leads to no file.
    #[error("no file at `{path}`; check the path, or the pattern if it is a glob")]
    NoFiles {
        /// Path, folder or glob as written in the source.
        path: String,
    },
    /// Rows in memory are asked for, and there are none.
    #[error(
        "format = \"memory\" stands for rows that a program hands over, and none were: release from that program, or write the rows \
         to a file and name it in `path`"
    )]
    NoRows,
    /// The caller ended the work.
    #[error("stopped before the rows were read to their end")]
    Stopped,
    /// The glob is not well formed.
    #[error("`{pattern}` is not a glob: {problem} at position {position}")]
    Glob {
        /// The pattern as written.
        pattern: String,
        /// Byte at which it breaks.
        position: usize,
        /// The error at that byte.
        problem: &'static str,
    },
    /// The operating system refused a file or folder.
    #[error("cannot read `{}`: {source}", file.display())]
    Unreadable {
        /// The file or folder.
        file: PathBuf,
        /// Answer of the operating system.
        source: std::io::Error,
    },
    /// A pipe or a device.
    #[error(
        "`{}` is no file but a pipe or a device, which can be read only once, and its columns are read before its rows: write \
         them to a file first",
        file.display()
    )]
    NotAFile {
        /// The path.
        file: PathBuf,
    },
    /// A folder of rows has a folder in it.
    #[error("`{}` holds the folder `{}`; name all files with a glob such as `{}/**/*.parquet`",
        folder.display(), subfolder.display(), folder.display())]
    Subfolder {
        /// The folder of rows.
        folder: PathBuf,
        /// The folder in it.
        subfolder: PathBuf,
    },
    /// A link to a folder, below a folder of rows or where `**` leads.
    #[error(
        "`{}` is a link to a folder, by which rows could be read twice or without end; put the folder itself in its place, or name \
         all files with a glob without `**`",
        link.display()
    )]
    LinkedFolder {
        /// The link.
        link: PathBuf,
    },
    /// A quantity that a column takes from the rows of a unit cannot be taken.
    #[error("{source}")]
    UnitColumn {
        /// The column.
        column: String,
        /// The error in it.
        source: Box<DataError>,
    },
    /// Two paths lead to one file.
    #[error(
        "`{}` and `{}` are one file, whose rows would count twice; remove the link, or name the files with a glob that has only \
         one of the two",
        first.display(), file.display()
    )]
    FileTwice {
        /// The first path.
        first: PathBuf,
        /// The second path.
        file: PathBuf,
    },
    /// A path that does not lead downwards, so that it cannot be told which columns its folders name.
    #[error(
        "cannot tell which folders between `{}` and `{}` name columns; write the path without `..` behind `*`, `?` or `[`",
        base.display(), file.display()
    )]
    NotBelow {
        /// The file.
        file: PathBuf,
        /// The folder below which folders name columns.
        base: PathBuf,
    },
    /// A declared column of JSON lines, and a folder of its name.
    #[error(
        "column `{column}` is declared, and `{}` lies in a folder `{column}=...` too: JSON lines have no header that says whose \
         cells are meant. For those in the lines, take `{column}=` out of the names of the folders and use a glob; for those of \
         the folders, write the rows as CSV or Parquet",
        file.display()
    )]
    DeclaredFolder {
        /// A file in such a folder.
        file: PathBuf,
        /// The column.
        column: String,
    },
    /// The folders of two files name different columns.
    #[error(
        "`{}` and `{}` must lie in folders that name the same columns, as `year=2020/state=CA` does; use a glob",
        first.display(), file.display()
    )]
    FoldersDisagree {
        /// The first file.
        first: PathBuf,
        /// The file that differs.
        file: PathBuf,
    },
    /// Files of several formats lie side by side.
    #[error("files must be of one format, but `{}` is {first_format} and `{}` is {format}; use a glob", first.display(), file.display())]
    MixedFormats {
        /// The first file.
        first: PathBuf,
        /// Its format.
        first_format: RowFormat,
        /// A file of another format.
        file: PathBuf,
        /// Its format.
        format: RowFormat,
    },
    /// The extension of a file says nothing about its format.
    #[error("cannot tell the format of `{}` from its name; {}", file.display(), remedy(file))]
    UnknownFormat {
        /// The file.
        file: PathBuf,
    },
    /// The first line of a CSV file is not a header.
    #[error("the first line of `{}` must be a header with the names of the columns, but {problem}", file.display())]
    CsvHeader {
        /// The file.
        file: PathBuf,
        /// The error, without the content of the line: it may hold cells.
        problem: String,
    },
    /// A name in the header of a CSV file is not UTF-8.
    #[error(
        "the first line of `{}` must be a header with the names of the columns, but field {field} is not UTF-8; {}",
        file.display(), fitting.remedy(file)
    )]
    HeaderNotUtf8 {
        /// The file.
        file: PathBuf,
        /// The field, counted from 1.
        field: usize,
        /// In which encodings the header can be.
        fitting: FittingEncodings,
    },
    /// A separator or a quotation mark that cannot be one.
    #[error("text: {problem}")]
    TextLayout {
        /// The error.
        problem: &'static str,
    },
    /// The header of a CSV file has no separator, and another one that files often have.
    #[error(
        "the first line of `{}` has no {}, but a {}, so that its columns would be read as one; give the separator that it \
         has: `separator = \"{}\"`",
        file.display(), sign(*expected), sign(*separator), separator.escape_ascii()
    )]
    OtherSeparator {
        /// The file.
        file: PathBuf,
        /// The separator that was looked for.
        expected: u8,
        /// The separator that the first line has.
        separator: u8,
    },
    /// Two CSV files have different headers.
    #[error("`{}` and `{}` must have the same header, but differ in field {field}", first.display(), file.display())]
    HeaderDisagrees {
        /// The first file.
        first: PathBuf,
        /// The file that differs.
        file: PathBuf,
        /// The first field that differs, counted from 1.
        field: usize,
    },
    /// Two Parquet files have different schemas.
    #[error("`{}` and `{}` must have the same schema, but differ in column `{column}`", first.display(), file.display())]
    SchemaDisagrees {
        /// The first file.
        first: PathBuf,
        /// The file that differs.
        file: PathBuf,
        /// A column that one of them lacks, or that has another type.
        column: String,
    },
    /// A name stands for two columns.
    #[error("`{}` has two columns named `{column}`", file.display())]
    DuplicateColumn {
        /// The file.
        file: PathBuf,
        /// The name.
        column: String,
    },
    /// A line of a CSV file has too few or too many fields.
    #[error(
        "line {line} of `{}` does not have as many fields as the header: {found} instead of {expected}; lines that \
            are no rows are left out by \
         `skip` (before the header), `skip_rows` (below it), `footer` (at the end) or `comment` (by a mark) in [data]",
        file.display()
    )]
    Ragged {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1 for the header.
        line: u64,
        /// Number of fields in the header.
        expected: usize,
        /// Number of fields in the line.
        found: usize,
    },
    /// A line of a CSV file is not UTF-8.
    #[error("line {line} of `{}` is not UTF-8 text; {}", file.display(), fitting.remedy(file))]
    NotUtf8 {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1 for the header.
        line: u64,
        /// In which encodings the file can be.
        fitting: FittingEncodings,
    },
    /// A file is not text in its encoding.
    #[error("line {line} of `{}` is not {encoding} text; {}", file.display(), fitting.remedy(file))]
    NotEncoded {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1 for the header.
        line: u64,
        /// The encoding.
        encoding: TextEncoding,
        /// In which encodings the file can be.
        fitting: FittingEncodings,
    },
    /// A compressed file is damaged or incomplete.
    #[error("`{}` is not a complete {compression} file; write or copy it again", file.display())]
    DamagedCompression {
        /// The file.
        file: PathBuf,
        /// Its compression.
        compression: Compression,
    },
    /// A line of a file of JSON lines is no object.
    #[error("line {line} of `{}` is not a JSON object; write one object in each line", file.display())]
    NotJson {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: u64,
    },
    /// An Arrow file is damaged or incomplete.
    #[error(
        "`{}` is not a complete file in the Arrow IPC file format (a stream is none); write or copy it again",
        file.display()
    )]
    DamagedArrow {
        /// The file.
        file: PathBuf,
    },
    /// A file of a statistical program or a spreadsheet is damaged or incomplete.
    #[error("`{}` is not a complete {format} file; write or copy it again", file.display())]
    DamagedProgramFile {
        /// The file.
        file: PathBuf,
        /// Its format.
        format: RowFormat,
    },
    /// A column that is gathered with others is named as if it were one.
    #[error(
        "{place}: `{column}` is gathered with other columns, so that it stands in `{names_to}`, and its cells in `{values_to}`"
    )]
    Gathered {
        /// Where it is named.
        place: &'static str,
        /// The column.
        column: String,
        /// The column of names.
        names_to: String,
        /// The column of cells.
        values_to: String,
    },
    /// A text of a file of a statistical program is not in the encoding that the file states.
    #[error("`{}` has texts that are not in the encoding which it states: save it anew as a {format} file in Unicode", file.display())]
    ProgramFileLetters {
        /// The file.
        file: PathBuf,
        /// Its format.
        format: RowFormat,
    },
    /// A workbook has no sheet of that name.
    #[error(
        "`{}` has no sheet `{sheet}`; its sheets are {}", file.display(),
        sheets.iter().map(|sheet| format!("`{sheet}`")).collect::<Vec<_>>().join(", ")
    )]
    NoSheet {
        /// The file.
        file: PathBuf,
        /// The name that was asked for.
        sheet: String,
        /// The sheets of the workbook, in order.
        sheets: Vec<String>,
    },
    /// A workbook is encrypted.
    #[error("`{}` is protected by a password: save it without one, or as CSV", file.display())]
    Password {
        /// The file.
        file: PathBuf,
    },
    /// A Parquet file is damaged or incomplete.
    #[error("`{}` is not a complete Parquet file; write or copy it again", file.display())]
    DamagedParquet {
        /// The file.
        file: PathBuf,
    },
    /// A column is named that the data do not have.
    #[error("{place}: no column `{column}` in the data{}", did_you_mean(suggestion.as_deref()))]
    NoSuchColumn {
        /// Part of the source or query that names it.
        place: &'static str,
        /// The name.
        column: String,
        /// The nearest existing name, if one is near.
        suggestion: Option<String>,
    },
    /// A column is named by a name that several columns have.
    #[error(
        "{place}: {} columns of the data are called `{column}`; name the one that is meant by its place, such as \
            `{}`, or give each a name of \
         its own in the file",
        called.len(), called.first().map_or("", String::as_str)
    )]
    AmbiguousColumn {
        /// Part of the source or query that names it.
        place: &'static str,
        /// The name.
        column: String,
        /// Name of each of them.
        called: Vec<String>,
    },
    /// A column is used that is not declared, in data that have no header.
    #[error("{place}: column `{column}` must be declared, because {format} data have no header")]
    Undeclared {
        /// Part of the source or query that names it.
        place: &'static str,
        /// The name.
        column: String,
        /// The format of the data.
        format: RowFormat,
    },
    /// The declared kind of a column contradicts the file.
    #[error("column `{column}` is declared {declared}, but the file has {actual}")]
    DeclaredKind {
        /// The column.
        column: String,
        /// The kind in the source.
        declared: Kind,
        /// The kind in the file.
        actual: Kind,
    },
    /// A column that cannot be made of others as it is to be.
    #[error("column `{column}`: {error}")]
    Derived {
        /// The column.
        column: String,
        /// The error in its rule.
        error: Box<DataError>,
    },
    /// A column is made of one of another kind than its rule takes.
    #[error("column `{from}` must be {required}, but it is {kind}")]
    DerivedFrom {
        /// The column that it is made of.
        from: String,
        /// Kind of that column.
        kind: Kind,
        /// Required content.
        required: &'static str,
    },
    /// Classes that do not fit their cuts.
    #[error("cuts must be finite and increasing, with one class more than cuts, got {cuts} cuts and {classes} classes")]
    Cuts {
        /// Number of cuts.
        cuts: usize,
        /// Number of classes.
        classes: usize,
    },
    /// Values of several kinds, or none.
    #[error("what codes stand for must be values of one kind, at least one")]
    DerivedValues,
    /// A formula that cannot be computed for every row.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// A declaration that cannot be: twice the same column, or a CSV column declared [`Kind::Other`].
    #[error("declared: column `{column}` {problem}")]
    Declaration {
        /// The column.
        column: String,
        /// The error.
        problem: &'static str,
    },
    /// A column is used for what its kind does not allow.
    #[error("{place}: column `{column}` must be {required}, but it is {kind}; {remedy}")]
    WrongKind {
        /// Part of the query that uses it.
        place: &'static str,
        /// The column.
        column: String,
        /// Its kind.
        kind: Kind,
        /// The kinds that are allowed.
        required: &'static str,
        /// Remedy.
        remedy: String,
    },
    /// Bounds of a clip that are out of order or too far out.
    #[error("value: bounds of `{column}` must satisfy -2^53 <= lower < upper <= 2^53 steps, got {lower} and {upper}")]
    ClipBounds {
        /// The column.
        column: String,
        /// Lower bound in steps.
        lower: i64,
        /// Upper bound in steps.
        upper: i64,
    },
    /// An imputed value outside the range of the clip.
    #[error("value: the imputed value of `{column}` must lie in [{lower}, {upper}] steps, got {steps}")]
    Imputed {
        /// The column.
        column: String,
        /// The imputed value in steps.
        steps: i64,
        /// Lower bound in steps.
        lower: i64,
        /// Upper bound in steps.
        upper: i64,
    },
    /// Edges of bins that are not in order.
    #[error("bins: edges of `{column}` must be finite and increasing, got {edge}{}", after(*below))]
    Edges {
        /// The column.
        column: String,
        /// The edge out of order.
        edge: f64,
        /// The edge before it, minus infinity if there is none.
        below: f64,
    },
    /// No bin between so few edges.
    #[error("bins: `{column}` must have at least 2 edges, got {edges}")]
    TooFewEdges {
        /// The column.
        column: String,
        /// Number of edges.
        edges: usize,
    },
    /// Missing numbers are to go into a bin that does not exist.
    #[error("bins: the imputed bin of `{column}` must be one of the {bins}, counted from 0, got {bin}")]
    ImputedBin {
        /// The column.
        column: String,
        /// The imputed bin.
        bin: i64,
        /// Number of bins.
        bins: usize,
    },
    /// A product of a value that the query does not have.
    #[error("products: ({left}, {right}) must name two of the {values} values, counted from 0")]
    ProductOfNothing {
        /// Place of the first factor.
        left: usize,
        /// Place of the second factor.
        right: usize,
        /// Number of values.
        values: usize,
    },
    /// A value with too many steps to be multiplied exactly.
    #[error(
        "products: bounds of `{column}` must lie in [-2^31, 2^31] steps, got {lower} and {upper}; use a coarser grid"
    )]
    FactorBounds {
        /// The column.
        column: String,
        /// Lower bound in steps.
        lower: i64,
        /// Upper bound in steps.
        upper: i64,
    },
    /// An answer that is too large for one query.
    #[error(
        "a query may fill 2^31 bytes, but {cells} cells with a count and {sums} sums each fill more; ask for fewer cells \
         or values at once"
    )]
    AnswerSize {
        /// Number of cells.
        cells: usize,
        /// Number of sums and products in each.
        sums: usize,
    },
    /// A contribution bound of no rows.
    #[error("bound: a unit of `{unit}` must be allowed at least 1 row, got 0")]
    NoRowsPerUnit {
        /// The unit column.
        unit: String,
    },
    /// A bound on the rows of a unit in a cell, without a unit.
    #[error("rows per cell: these are rows of a unit, and no bound names one")]
    NoUnit,
    /// Margins of which each would choose other rows of a unit.
    #[error(
        "keys: cells of margins are counted margin by margin, each of which would keep other rows of a unit: list the cells of the table"
    )]
    MarginsOfUnits,
    /// Answers of rows of which each unit has several, among which those that count would have to be chosen.
    #[error(
        "`{column}` holds several answers a row: then rows of a unit cannot be chosen; leave the column of the unit out"
    )]
    SetOfUnits {
        /// The column with the answers.
        column: String,
    },
    /// Two columns of answers among the keys of one question.
    #[error("keys: `{first}` and `{second}` both hold several answers a row; ask for one of them")]
    TwoSets {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Rows that stand for several, among which the rows of a unit would have to be chosen.
    #[error(
        "`{column}` says how many rows each row stands for: then nothing can say whose these are; leave the column of the unit out"
    )]
    FrequencyOfUnits {
        /// The column with the numbers.
        column: String,
    },
    /// A key list that is empty, ragged, repeats itself or mixes kinds.
    #[error("keys: {problem}")]
    Keys {
        /// The error and its place.
        problem: String,
    },
    /// A file with keys that cannot be used.
    #[error("key file `{}`{}: {problem}", file.display(), at_line(*line))]
    KeyFile {
        /// The file.
        file: PathBuf,
        /// The line (CSV) or row (Parquet), if one is to blame.
        line: Option<u64>,
        /// The error.
        problem: String,
    },
    /// A filter that is not an SQL expression.
    #[error("filter `{filter}` cannot be read: {problem}")]
    FilterSyntax {
        /// The filter as written.
        filter: String,
        /// Where and how it breaks.
        problem: String,
    },
    /// A filter with SQL that is not allowed: functions, arithmetic, casts, subqueries, comparisons of two columns.
    #[error("filter: `{construct}` is not allowed; {remedy}")]
    FilterRefused {
        /// The part that is refused.
        construct: String,
        /// Allowed alternative.
        remedy: &'static str,
    },
    /// A filter of unreasonable length.
    #[error("filter: it has {bytes} bytes and may have {most}: group by a key file instead of listing values")]
    FilterLength {
        /// Length found.
        bytes: usize,
        /// Longest length taken.
        most: usize,
    },
    /// A filter compares a column with a literal of another kind.
    #[error("filter: column `{column}` is {kind}; {remedy}")]
    FilterKind {
        /// The column.
        column: String,
        /// Its kind.
        kind: Kind,
        /// Remedy.
        remedy: String,
    },
    /// Units that take more memory than they may, which depends on how many there are.
    #[error(
        "the units of the rows take more than the {limit} bytes of memory that they may: allow them more (`--unit-memory`), or, without \
         `[per_unit]`, name a folder in which their rows may wait, encrypted (`--spill`)"
    )]
    UnitMemory {
        /// Limit on their memory, in bytes.
        limit: u64,
    },
    /// A folder in which rows of units should wait.
    #[error("rows of units that should wait in the folder `{}` (`--spill`): {source}", folder.display())]
    Spill {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A stream that has been read.
    #[error("the stream of rows has been read, and can be read once: open it again, and make a new plan of it")]
    ReadOnce,
    /// Keys that would be learned of a stream.
    #[error(
        "keys that are learned are found in one reading of the rows and counted in another, and a stream is read once: hand over a table, as \
         by `.read_all()`, or list the keys"
    )]
    LearnedOfStream,
    /// Rows that this process cannot read.
    #[error(
        "the rows of this plan are elsewhere: have whoever holds them make shares of them, and release those (`question()`, `release(shares=...)`)"
    )]
    Elsewhere,
    /// A supposed share that cannot be counted as one.
    #[error(transparent)]
    Share(#[from] crate::ShareError),
    /// The engine failed for a reason that no check of ours could name.
    #[error(
        "reading `{path}` failed while {stage}; the engine's own message is withheld because it may quote the data"
    )]
    Engine {
        /// Path of the source.
        path: String,
        /// Stage of the engine's work.
        stage: &'static str,
    },
}

/// The columns that have a name in common, each with its number behind it.
pub fn called_alike<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let is_numbered = |column: &&str| {
        let place = column.strip_prefix(name).and_then(|rest| rest.strip_prefix(" (column ")?.strip_suffix(')'));
        place.is_some_and(|place| place.parse::<usize>().is_ok())
    };
    known.into_iter().filter(is_numbered).map(str::to_owned).collect()
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn after(below: f64) -> String {
    if below.is_finite() { format!(" after {below}") } else { String::new() }
}

fn at_line(line: Option<u64>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

impl DataError {
    /// A [`DataError::NoSuchColumn`] with the nearest of `known` as suggestion.
    pub(crate) fn no_such_column<'a>(
        place: &'static str,
        column: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let called = called_alike(column, known.iter().copied());
        if !called.is_empty() {
            return Self::AmbiguousColumn { place, column: column.to_owned(), called };
        }
        let suggestion = nearest(column, known).map(str::to_owned);
        Self::NoSuchColumn { place, column: column.to_owned(), suggestion }
    }
}

/// Common name of a separator.
fn sign(separator: u8) -> String {
    match separator {
        b',' => "comma".to_owned(),
        b';' => "semicolon".to_owned(),
        b'\t' => "tab".to_owned(),
        other => format!("`{}`", other.escape_ascii()),
    }
}

/// Remedy for a file whose format is not read.
fn remedy(file: &Path) -> String {
    match ForeignFormat::from_path(file) {
        Some(foreign) => foreign.to_string(),
        None => "give the format, or use a glob".to_owned(),
    }
}
