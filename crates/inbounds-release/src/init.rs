//! A first plan for a file, from its header or schema alone.
//!
//! What only people can know is left as a question in a comment: bounds and values that are public, whom the plan
//! protects, and how well. A codebook answers what it says. The plan is valid as it is written, with a count of all
//! rows, so that `check` accompanies each answer.

use std::{borrow::Cow, fmt::Write, path::Path};

use inbounds_core::Epsilon;
use inbounds_data::{
    Column, ColumnTypes, DataError, Engine, FileEngine, Kind, RowFormat, Source, TextEncoding, TextLayout, first_names,
};
use inbounds_input::{
    document::{key, quoted},
    located, nearest,
};

use crate::{
    ReleaseError,
    codebook::{BOUNDS_ASKED, Codebook, CodebookError, CodedValue, VALUES_ASKED, Variable, column_table},
    lines_asked::LinesAsked,
    plan::UNDECIDED,
};

/// Decisions that a user who begins a plan has taken already.
#[derive(Debug, Clone, Default)]
pub struct FirstAnswers {
    /// Unit of privacy; a plan without it is not released.
    pub unit: Option<FirstUnit>,
    /// Columns by which rows are counted, one statistic each; all rows are counted if there are none.
    pub count_by: Vec<String>,
    /// Values that these columns can have, where no codebook lists them: by column, as they stand in cells.
    pub values: Vec<(String, Vec<String>)>,
    /// Difference of data that the release hides; it includes membership in the data where the user does not say.
    pub neighbours: FirstNeighbours,
    /// Epsilon of the whole release; 1 where the user does not say.
    pub epsilon: Option<Epsilon>,
}

/// Difference of data that a release hides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstNeighbours {
    /// One unit more or less.
    #[default]
    AddRemove,
    /// Other values of one unit.
    Substitute {
        /// The number of rows, which is public then.
        rows: Option<u64>,
    },
}

/// Unit of privacy: the rows that are one person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstUnit {
    /// Each person has one row.
    Row,
    /// All rows with one value of this column are one person's, of which at most this many count.
    Column {
        /// The column.
        name: String,
        /// Most rows of one person.
        max_rows: u64,
    },
}

impl FirstAnswers {
    /// The columns that the plan reads for them, each once.
    fn columns(&self) -> Vec<&str> {
        let unit = self.unit.iter().filter_map(|unit| match unit {
            FirstUnit::Row => None,
            FirstUnit::Column { name, .. } => Some(name.as_str()),
        });
        let mut names = Vec::new();
        for name in unit.chain(self.count_by.iter().map(String::as_str)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn unit(&self) -> String {
        match &self.unit {
            None => format!(
                "unit = \"{UNDECIDED}\"          # (?) \"row\" if each person has one row, or {{ column = \"...\", max_rows = 3 }}"
            ),
            Some(FirstUnit::Row) => "unit = \"row\"                # each person has one row".to_owned(),
            Some(FirstUnit::Column { name, max_rows }) => format!(
                "unit = {{ column = {}, max_rows = {max_rows} }}   # (?) more rows of each count with more max_rows, and noise",
                quoted(name)
            ),
        }
    }

    fn neighbours(&self) -> String {
        match self.neighbours {
            FirstNeighbours::AddRemove => {
                "neighbours = \"add-remove\"   # hides also whether somebody is in the data".to_owned()
            }
            FirstNeighbours::Substitute { rows } => {
                let rows = match rows {
                    // With units the number of rows is not needed.
                    _ if matches!(self.unit, Some(FirstUnit::Column { .. })) => String::new(),
                    Some(rows) => format!("rows = {rows}"),
                    None => "# rows = 1000               # (?) how many rows there are, which everybody will know"
                        .to_owned(),
                };
                format!(
                    "neighbours = \"substitute\"   # hides what somebody's values are, and not that they are in the data\n{rows}"
                )
            }
        }
    }

    fn values_of(&self, column: &str) -> Option<&[String]> {
        self.values.iter().find(|(name, _)| name == column).map(|(_, values)| &values[..])
    }

    fn epsilon(&self) -> String {
        match &self.epsilon {
            None => {
                "epsilon = 1                 # (?) the whole budget of this release; `check` says what it means in odds"
                    .to_owned()
            }
            Some(epsilon) => format!("epsilon = {}", quoted(&epsilon.to_string())),
        }
    }

    fn statistics(&self) -> String {
        if self.count_by.is_empty() {
            return "[[statistic]]\nname = \"all-rows\"\nkind = \"count\"\n".to_owned();
        }
        let is_plain = |column: &str| column.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-".contains(sign));
        let one = |(place, column): (usize, &String)| {
            // Names of columns have any sign, and those of statistics have not.
            let name = if is_plain(column) { format!("count-by-{column}") } else { format!("count-{}", place + 1) };
            format!("[[statistic]]\nname = \"{name}\"\nkind = \"count\"\nby = [{}]\n", quoted(column))
        };
        self.count_by.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
    }
}

/// Bytes from which on a hundredth of epsilon buys diagnostics that can see something: some 10,000 rows.
const LARGE: u64 = 1 << 20;

/// The text of a first plan for the file, or files, at `data`, which the plan shall call `path`, and which are laid out
/// as `laid_out` says where they are text. What a codebook says of a column is filled in, and each such line says where
/// it is from. What has been answered stands in the plan; as long as the user has not chosen the unit, it is checked
/// and not released. Reads no row.
///
/// The columns of a CSV file are the fields of its first line. Whether that is a header cannot be known from it, and
/// the text says so.
///
/// # Errors
/// [`ReleaseError::Data`]: there is no file, its format is not known, or its header or schema is damaged;
/// [`ReleaseError::Codebook`]: the codebook describes no column of the data; [`ReleaseError::NoColumn`]: an answer
/// names a column that is not there.
///
/// # Panics
/// Never: text is written to memory.
pub fn init(
    data: &Path,
    path: &str,
    laid_out: TextLayout,
    codebook: Option<&Codebook>,
    answers: &FirstAnswers,
) -> Result<String, ReleaseError> {
    FirstLook::open(data, laid_out, codebook)?.plan(path, answers)
}

/// Data whose header or schema was read, and what codebooks say of their columns. No row is read.
pub struct FirstLook<'c> {
    layout: Layout,
    bytes: u64,
    columns: Vec<Column>,
    /// Names of folders, which are columns that no plan declares.
    folders: Vec<String>,
    /// The one that was named, which is asked first.
    codebook: Option<&'c Codebook>,
    /// The dictionary in the file.
    own: Option<Codebook>,
}

impl<'c> FirstLook<'c> {
    /// Looks at the file, or files, at `data`, laid out as `laid_out` says where they are text.
    ///
    /// # Errors
    /// As [`init`].
    pub fn open(data: &Path, laid_out: TextLayout, codebook: Option<&'c Codebook>) -> Result<Self, ReleaseError> {
        let data = located(Path::new(""), &data.to_string_lossy());
        let mut source = Source { text: laid_out, ..Source::new(data.to_string_lossy()) };
        // For people to read: the types that are used are those that they leave in the plan.
        source.types = ColumnTypes::Public;
        let engine = open(&mut source)?;
        let names = first_names(&source)?;
        // Those that the opened files have without a declaration are names of folders, which may not be declared.
        let is_free = |name: &String| engine.columns().iter().all(|folder| folder.name != *name);
        let named = |names: Vec<String>| names.into_iter().filter(is_free).map(text_column).collect();
        let columns = names.map_or_else(|| engine.columns().to_vec(), named);
        let lines = LinesAsked::detect(engine.format(), &source.text, &columns);
        let layout = Layout { format: engine.format(), text: engine.text_layout(), lines };
        if let Some(codebook) = codebook.filter(|_| layout.lines != LinesAsked::Title) {
            check_match(codebook, &columns)?;
        }
        let own = if layout.format.has_dictionary() { Codebook::in_data(&data)? } else { None };
        let is_folder = |column: &&Column| columns.iter().all(|known| known.name != column.name);
        let folders = engine.columns().iter().filter(is_folder).map(|column| column.name.clone()).collect();
        Ok(Self { bytes: engine.bytes(), layout, columns, folders, codebook, own })
    }

    /// Names of the columns that a plan can declare, in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// `true` for a column whose values a codebook lists.
    pub fn lists_values(&self, column: &str) -> bool {
        described(self.codebooks(), column).is_some_and(|(variable, _)| !variable.values.is_empty())
    }

    fn codebooks(&self) -> impl Iterator<Item = &Codebook> {
        self.codebook.into_iter().chain(&self.own)
    }

    /// The text of a first plan, which calls the data `path`.
    ///
    /// # Errors
    /// [`ReleaseError::NoColumn`]: an answer names a column that is not there.
    pub fn plan(&self, path: &str, answers: &FirstAnswers) -> Result<String, ReleaseError> {
        let is_there =
            |name: &&str| self.columns().chain(self.folders.iter().map(String::as_str)).any(|column| column == *name);
        if let Some(absent) = answers.columns().into_iter().find(|name| !is_there(name)) {
            let nearest = nearest(absent, self.columns()).map(str::to_owned);
            return Err(ReleaseError::NoColumn { column: absent.to_owned(), nearest });
        }
        let codebooks: Vec<&Codebook> = self.codebooks().collect();
        Ok(text(path, &self.layout, self.bytes, (&self.columns, &codebooks), answers))
    }
}

/// Refuses a codebook that describes none of the columns.
fn check_match(codebook: &Codebook, columns: &[Column]) -> Result<(), CodebookError> {
    if columns.iter().any(|column| codebook.of_column(&column.name).is_some()) {
        return Ok(());
    }
    Err(CodebookError::OtherData {
        name: codebook.name.clone(),
        variables: some(codebook.variables.iter().filter_map(|variable| variable.names.first())),
        columns: some(columns.iter().map(|column| &column.name)),
    })
}

/// The first few names.
fn some<'n>(names: impl Iterator<Item = &'n String>) -> String {
    const MOST: usize = 5;
    let mut names: Vec<&str> = names.take(MOST + 1).map(String::as_str).collect();
    if names.len() > MOST {
        names[MOST] = "...";
    }
    names.join(", ")
}

/// Opens the data, laid out as the header tells where it is not laid out as usual.
fn open(source: &mut Source) -> Result<FileEngine, DataError> {
    loop {
        match FileEngine::open(source) {
            // Spreadsheets call text so, whatever separates its columns.
            Err(DataError::UnknownFormat { file }) if file.extension().is_some_and(|extension| extension == "txt") => {
                source.format = Some(RowFormat::Csv);
            }
            Err(DataError::OtherSeparator { separator, .. }) => source.text.separator = Some(separator),
            opened => return opened,
        }
    }
}

fn text_column(name: String) -> Column {
    Column { name, kind: Kind::Text }
}

/// The plan's description of the files.
struct Layout {
    format: RowFormat,
    /// Layout of text, where it is not as usual.
    text: TextLayout,
    lines: LinesAsked,
}

impl Layout {
    /// The lines of [data] that say so.
    fn lines(&self, path: &str) -> String {
        let format = match RowFormat::from_path(Path::new(path)) {
            Some(told) if told == self.format => String::new(),
            _ => format!("format = {}\n", quoted(self.format.word())),
        };
        let separator = self.text.separator.map_or_else(String::new, |separator| {
            // A tab is written as `\t`.
            format!("separator = \"{}\"\n", separator.escape_ascii())
        });
        let encoding = match self.text.encoding {
            TextEncoding::ByMark => String::new(),
            other => format!(
                "encoding = {}        # (?) are the names of columns below spelled as they should be?\n",
                quoted(&other.word())
            ),
        };
        let decimal = if self.text.separator == Some(b';') {
            "# decimal = \",\"             # (?) are numbers written as 0,5? Files with semicolons often have them so\n"
        } else {
            ""
        };
        let skip = match self.text.skip {
            0 => String::new(),
            lines => format!("skip = {lines}                    # lines before the header\n"),
        };
        let sheet = self.text.sheet.as_ref().map_or_else(String::new, |sheet| format!("sheet = {}\n", quoted(sheet)));
        let header =
            if self.text.header { "header = true              # names of columns may be numbers\n" } else { "" };
        [format.as_str(), &sheet, &separator, &encoding, decimal, &skip, header, self.lines.question()].concat()
    }
}

fn text(
    path: &str,
    layout: &Layout,
    bytes: u64,
    (columns, codebooks): (&[Column], &[&Codebook]),
    answers: &FirstAnswers,
) -> String {
    let from = match layout.format {
        RowFormat::Csv | RowFormat::Tsv => "the first line",
        RowFormat::Excel | RowFormat::OpenDocument => "the first line of the sheet",
        RowFormat::Spss | RowFormat::Stata | RowFormat::SasTransport => "the dictionary",
        RowFormat::JsonLines => "the names in the first line",
        RowFormat::Arrow | RowFormat::Parquet | RowFormat::Memory => "the schema",
    };
    let mut plan = format!(
        "# A first plan, made from {from} of {} alone: no row was read.\n\
         # Answer the questions, marked with (?), and take away the # before a line that you need.\n\
         # `inbounds check` says at any time what the plan costs; `inbounds help plan` explains every key.\n",
        quoted(path)
    );
    if layout.format.has_lines() {
        plan +=
            "# If the columns below are a person's values, the file has no header: delete this plan, and add one.\n";
    }
    if layout.format == RowFormat::JsonLines {
        plan += "# JSON lines have no header: the columns are those that a plan declares. Those below are the names of the first\n\
                 # line; delete what is not public knowledge, and add what other lines have.\n";
    }
    let diagnostics = if bytes >= LARGE {
        format!(
            "# diagnostics = 0.01        # a hundredth of epsilon to see how rows were read: worth it, as the file has {} MB\n",
            bytes >> 20
        )
    } else {
        "# diagnostics = 0.01        # a part of epsilon to see how rows were read; the file is small, so it would see little\n"
            .to_owned()
    };
    let laid_out = layout.lines(path);
    let types = if layout.format.has_types() {
        "# types = \"public\"          # (?) is the schema that of a database, which no row can change? Then no column needs a `type`\n"
    } else {
        ""
    };
    write!(
        plan,
        "\n[data]\n\
         path = {}\n\
         {laid_out}\
         {types}\
         # missing_values = [\"NA\"]   # (?) spellings that stand for a missing value\n\
         # expect_rows = \"900 to 1100\"   # (?) how many rows you expect, so that lost rows are noticed\n\
         \n[privacy]\n\
         {}\n\
         {}\n\
         {}\n\
         {diagnostics}\n\
         # Every row counts once. More kinds of statistics: `inbounds help kinds`.\n\
         {}",
        quoted(path),
        answers.unit(),
        answers.neighbours(),
        answers.epsilon(),
        answers.statistics(),
    )
    .expect("a String takes text");
    plan += "\n# Columns that statistics use, grouped by, or name the unit. Bounds and values must be public knowledge: they are\n\
             # published, and taking them from the rows would leak. What the file does not have, such as classes of ages,\n\
             # can be made of its columns: `inbounds help from-file`.\n";
    if layout.lines == LinesAsked::Title {
        plan +=
            "# Names of columns follow when the title is left out: run `inbounds plan init` once more, with --skip.\n";
        return plan;
    }
    plan.extend(codebooks.iter().map(|codebook| coverage(codebook, columns)));
    let read = answers.columns();
    for column in columns {
        let variable = described(codebooks.iter().copied(), &column.name);
        plan += &match variable {
            Some((variable, codebook)) => {
                let mut variable = answered(variable, answers.values_of(&column.name));
                let names_people =
                    matches!(&answers.unit, Some(FirstUnit::Column { name, .. }) if *name == column.name);
                if names_people && variable.kind == Some(Kind::Number) {
                    variable.to_mut().kind = Some(Kind::Integer);
                }
                column_table(column, (&variable, codebook), layout.format, answers.count_by.contains(&column.name))
            }
            None if read.contains(&column.name.as_str()) => declared(column, layout.format, answers),
            None => table(column, layout.format),
        };
    }
    plan
}

/// Columns that the codebook describes, and those that it leaves out.
fn coverage(codebook: &Codebook, columns: &[Column]) -> String {
    let (name, format) = (quoted(&codebook.name), codebook.format.name());
    let mut lines = format!(
        "#\n# Lines that end with the name of {name} ({format}) say what it says. Take them for public only if it was written without the rows.\n"
    );
    let left: Vec<&String> =
        columns.iter().map(|column| &column.name).filter(|name| codebook.of_column(name).is_none()).collect();
    if !left.is_empty() {
        let more = format!(
            "# It does not describe {} of {} columns: {}.\n",
            left.len(),
            columns.len(),
            some(left.iter().copied())
        );
        lines += &more;
    }
    let is_of_a_column = |variable: &&Variable| {
        let described = columns.iter().filter_map(|column| codebook.of_column(&column.name));
        described.into_iter().any(|known| std::ptr::eq(known, *variable))
    };
    let absent: Vec<&String> = codebook
        .variables
        .iter()
        .filter(|variable| !is_of_a_column(variable))
        .filter_map(|variable| variable.names.first())
        .collect();
    if !absent.is_empty() {
        let more = format!(
            "# It describes {} of {} variables that the data do not have: {}.\n",
            absent.len(),
            codebook.variables.len(),
            some(absent.iter().copied())
        );
        lines += &more;
    }
    lines
}

/// The first of some codebooks that describes a column, and what it says.
fn described<'c>(
    mut codebooks: impl Iterator<Item = &'c Codebook>,
    column: &str,
) -> Option<(&'c Variable, &'c Codebook)> {
    codebooks.find_map(|codebook| Some((codebook.of_column(column)?, codebook)))
}

/// Description of a column by a codebook, and values that the user answered where it lists none.
fn answered<'v>(variable: &'v Variable, values: Option<&[String]>) -> Cow<'v, Variable> {
    let Some(values) = values.filter(|_| variable.values.is_empty()) else { return Cow::Borrowed(variable) };
    let values = values.iter().map(|code| CodedValue { code: code.clone(), label: None }).collect();
    Cow::Owned(Variable { values, ..variable.clone() })
}

/// The table of a column that an answer names.
fn declared(column: &Column, format: RowFormat, answers: &FirstAnswers) -> String {
    let (kind, why) = match format.has_types() && column.kind != Kind::Other {
        true => (column.kind, "the schema says so; would it for any rows?"),
        false => (Kind::Text, "text takes every cell as it is; or \"integer\", \"boolean\", \"date\"?"),
    };
    if let Some(values) = answers.values_of(&column.name) {
        let kind = if values.iter().all(|value| value.parse::<i64>().is_ok()) { Kind::Integer } else { Kind::Text };
        let values = values.iter().map(|value| if kind == Kind::Integer { value.clone() } else { quoted(value) });
        let values = values.collect::<Vec<_>>().join(", ");
        return format!("\n[columns.{}]\ntype = \"{kind}\"\nvalues = [{values}]\n", key(&column.name));
    }
    let values = match (answers.count_by.contains(&column.name), kind) {
        (true, Kind::Boolean) => "values = [true, false]\n",
        (true, _) => &format!("# values = [\"...\"]   # (?) {VALUES_ASKED}\n"),
        (false, _) => "",
    };
    format!("\n[columns.{}]\ntype = \"{kind}\"   # (?) {why}\n{values}", key(&column.name))
}

/// The table of a column, as a comment.
fn table(column: &Column, format: RowFormat) -> String {
    let kind = if format.has_types() && column.kind != Kind::Other {
        format!(
            "type = \"{}\"       # (?) the schema says so; would it for any rows? If not, what should it be?",
            column.kind
        )
    } else if format.has_types() {
        "# nested or bytes: no statistic can read it".to_owned()
    } else {
        format!(
            "type = \"...\"       # (?) \"integer\", \"number\", \"text\", \"boolean\" or \"date\": {format} does not say"
        )
    };
    let [lower, upper] = BOUNDS_ASKED;
    let missing = "missing = \"drop\"   # or the number that a missing value counts as";
    let values = "values = [\"...\"]   # (?) for `by`: every value that can occur";
    let lines: &[&str] = match (format.has_types(), column.kind) {
        (false, _) => &[lower, upper, missing, values],
        (true, Kind::Integer) => &[lower, upper, missing, values],
        (true, Kind::Number) => &[lower, upper, missing],
        (true, Kind::Text) => &[values],
        (true, Kind::Boolean | Kind::Date | Kind::Other) => &[],
    };
    let lines: String = lines.iter().map(|line| format!("# {line}\n")).collect();
    let kind = if kind.starts_with('#') { kind } else { format!("# {kind}") };
    format!("\n# [columns.{}]\n{kind}\n{lines}", key(&column.name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::plan::Plan;

    /// The reader refuses to have such a column declared.
    #[test]
    fn folders_of_json_lines_are_not_proposed() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("year=2020");
        fs::create_dir(&inner).expect("a new folder");
        fs::write(inner.join("a.jsonl"), "{\"age\": 1, \"year\": 2}\n").expect("a file");
        let text = init(folder.path(), "rows", TextLayout::default(), None, &FirstAnswers::default()).expect("a plan");
        assert!(text.contains("# [columns.age]") && !text.contains("year"), "{text}");
    }

    /// The program asks about the content of the first line, and reads nothing else.
    #[test]
    fn lines_that_are_no_names_are_asked_about() {
        let folder = tempfile::tempdir().expect("a folder");
        let planned = |file: &[u8], laid_out: TextLayout| {
            let path = folder.path().join("rows.csv");
            fs::write(&path, file).expect("a file");
            let text = init(&path, "rows.csv", laid_out, None, &FirstAnswers::default())?;
            Plan::parse(&text, folder.path()).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
            Ok::<String, ReleaseError>(text)
        };
        let usual = TextLayout::default();
        let title = b"Table 1: persons by year\nSource: registry\n\nYear,Value\n2022,10\n";
        let text = planned(title, usual.clone()).expect("a plan");
        assert!(text.contains("# skip = 1 ") && !text.contains("[columns.") && text.contains("--skip"), "{text}");
        let text = planned(title, TextLayout { skip: 3, ..usual.clone() }).expect("a plan");
        assert!(text.contains("\nskip = 3 ") && text.contains("# [columns.Year]"), "{text}");
        let text = planned(b"sep=;\nYear ;Value\n2022;10\n", usual.clone()).expect("a plan");
        assert!(text.contains("separator = \";\"\n") && text.contains("# [columns.Year]\n"), "{text}");
        let survey = b"StartDate,ResponseId,Q1\nStart Date,Response ID,\"How old\nare you?\"\n";
        let text = planned(survey, usual.clone()).expect("a plan");
        assert!(
            text.contains("# skip_rows = 2 ") && text.contains("# [columns.Q1]") && !text.contains("How"),
            "{text}"
        );
        let years = planned(b"geo,2019 ,2020\nDE,1,2\n", TextLayout { header: true, ..usual.clone() }).expect("a plan");
        assert!(years.contains("\nheader = true ") && years.contains("# [columns.2019]"), "{years}");
        let japanese = b"\x93s\x93\xb9\x95{\x8c\xa7,\x90l\x90\x94\n\x93\x8c\x8b\x9e,10\n";
        let refused = planned(japanese, usual.clone()).expect_err("no UTF-8").to_string();
        assert!(refused.contains("shift_jis (Japanese)") && !refused.contains("latin-1"), "{refused}");
        let encoding = TextEncoding::named("cp932").expect("an encoding");
        let text = planned(japanese, TextLayout { encoding, ..usual.clone() }).expect("a plan");
        assert!(text.contains("encoding = \"shift_jis\"") && text.contains("[columns.\"都道府県\"]"), "{text}");
    }

    /// Answers are in the plan, a column that is not there is refused, and without a chosen unit nothing is
    /// released.
    #[test]
    fn what_was_answered_is_in_the_plan() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("visits.csv");
        fs::write(&path, "patient,district\n7,north\n").expect("a file");
        let begun = |answers: &FirstAnswers| init(&path, "visits.csv", TextLayout::default(), None, answers);
        let parsed = |text: &str| Plan::parse(text, folder.path());
        let open = begun(&FirstAnswers::default()).expect("a plan");
        assert!(parsed(&open).expect("a plan").decided().is_err(), "{open}");
        let answers = FirstAnswers {
            unit: Some(FirstUnit::Column { name: "patient".to_owned(), max_rows: 2 }),
            count_by: vec!["district".to_owned()],
            values: Vec::new(),
            neighbours: FirstNeighbours::AddRemove,
            epsilon: Some(Epsilon::new("1/3".parse().expect("a fraction")).expect("positive")),
        };
        let text = begun(&answers).expect("a plan");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        let missing = parsed(&text).expect_err("values are public knowledge that nobody gave").to_string();
        assert!(missing.contains("possible values of `district`"), "{missing}");
        let plan = parsed(&text.replace("# values = [\"...\"]", "values = [\"north\", \"south\"]")).expect("a plan");
        plan.decided().expect("a unit");
        assert_eq!(plan.privacy.epsilon.value.given().map(ToString::to_string).as_deref(), Some("1/3"));
        assert_eq!(plan.statistics[0].name.value, "count-by-district");
        let row = begun(&FirstAnswers { unit: Some(FirstUnit::Row), ..FirstAnswers::default() }).expect("a plan");
        parsed(&row).expect("a plan").decided().expect("a unit");
        let wrong = FirstAnswers { count_by: vec!["distrct".to_owned()], ..answers };
        let refused = begun(&wrong).expect_err("no such column").to_string();
        assert!(refused.contains("no column `distrct`; did you mean `district`?"), "{refused}");
    }

    /// Every commented line is one that the reader takes once its question is answered.
    #[test]
    fn the_text_is_a_plan_and_so_is_what_it_suggests() {
        let kinds =
            [("age", Kind::Integer), ("Größe \"cm\"\n", Kind::Number), ("sex", Kind::Text), ("old", Kind::Boolean)];
        let columns: Vec<Column> =
            kinds.iter().map(|(name, kind)| Column { name: (*name).to_owned(), kind: *kind }).collect();
        let layouts = [
            (RowFormat::Csv, None, "a.csv"),
            (RowFormat::Csv, Some(b';'), "a.csv.gz"),
            (RowFormat::Tsv, None, "a.tsv"),
            (RowFormat::JsonLines, None, "a.jsonl"),
            (RowFormat::Arrow, None, "folder"),
            (RowFormat::Parquet, None, "b\\c.parquet"),
        ];
        for (format, separator, path) in layouts {
            let laid_out = TextLayout { separator, ..TextLayout::default() };
            let layout = Layout { format, text: laid_out, lines: LinesAsked::Nothing };
            let text = text(path, &layout, 5 << 20, (&columns, &[]), &FirstAnswers::default());
            let plan = Plan::parse(&text, Path::new(".")).expect("a plan");
            assert_eq!((plan.data.path.value.as_str(), plan.statistics.len()), (path, 1));
            assert_eq!((plan.data.format, plan.data.text.separator), (format, separator));
            assert!(text.contains("worth it, as the file has 5 MB") && !text.contains("\nGr"));
            let answered: String = text
                .lines()
                .map(|line| {
                    line.strip_prefix("# ")
                        .filter(|line| line.starts_with(['[']) || line.contains(" = "))
                        .unwrap_or(line)
                })
                .map(|line| match line.split_once(" = ") {
                    Some(("type", _)) => "type = \"integer\"",
                    Some(("lower", _)) => "lower = 0",
                    Some(("upper", _)) => "upper = 9",
                    Some(("values", _)) => "values = [1]",
                    Some(("diagnostics", _)) => "",
                    _ => line,
                })
                .map(|line| format!("{line}\n"))
                .collect();
            let plan = Plan::parse(&answered, Path::new(".")).unwrap_or_else(|errors| panic!("{errors}\n{answered}"));
            assert_eq!(plan.columns.len(), 4, "{answered}");
        }
    }
}
