//! A rule of one's own: `mechanism = { rule = "rule.csv" }`, and the file that it names.

use std::{fs, path::Path, sync::Arc};

use inbounds_bundle::{FileEntry, digest::sha256};
use inbounds_core::Rational;
use inbounds_data::Source;
use inbounds_input::{
    document::{Item, Mistakes, Reported, Spanned, Table, shorten},
    located,
};
use inbounds_mechanisms::{
    bounding::{DesignedFor, TabulatedRow, TabulatedRule},
    registry::{self, Entry},
};
use toml::de::DeValue;

use super::data::DataDraft;
use crate::plan::{MechanismChoice, RuleFile};

const HELP_RULE: &str = "write the path of a public CSV file with the columns `measurement` and `estimate`, as \
                         `inbounds design --out` writes it";
const HELP_NOISE: &str = "leave `noise` out for \"laplace\"";

/// The public files that a plan names, seen from its folder.
pub(super) struct PublicFiles<'a> {
    pub(super) folder: &'a Path,
    /// Where the rows are, as far as the plan says it.
    pub(super) rows: Option<Source>,
}

impl<'a> PublicFiles<'a> {
    pub(super) fn new(folder: &'a Path, data: &Result<DataDraft, Reported>) -> Self {
        let data = data.as_ref().ok();
        let path = data.and_then(|data| data.path.as_ref().ok());
        let rows = path.map(|path| Source {
            format: data.and_then(|data| data.format.ok()),
            ..Source::new(located(folder, &path.value).to_string_lossy().into_owned())
        });
        Self { folder, rows }
    }

    /// `true` if a file holds rows, which are private.
    pub(super) fn is_data(&self, path: &Path) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.holds(path))
    }

    /// A file with its entry under the name that the plan has for it.
    ///
    /// # Errors
    /// Words for why it cannot be read.
    pub(super) fn read(&self, name: &str) -> Result<(FileEntry, Vec<u8>), String> {
        let place = located(self.folder, name);
        let bytes = fs::read(&place).map_err(|error| format!("cannot read {}: {error}", place.display()))?;
        Ok((FileEntry { name: name.to_owned(), sha256: sha256(&bytes) }, bytes))
    }
}

/// The table `{ rule = "rule.csv", noise = "laplace" }`.
pub(super) fn read(
    item: &Item,
    place: &str,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Spanned<MechanismChoice>, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a word or a table with `rule`", HELP_RULE, mistakes));
    };
    let place = format!("`mechanism` in {place}");
    let table = Table::open(place.clone(), item.span.clone(), entries, &["rule", "noise"], mistakes);
    let words: Vec<(&str, &'static Entry)> =
        registry::TABULATED.iter().map(|entry| (entry.noise.about().word, entry)).collect();
    let noise = table.optional("noise", |item| item.word(&words, HELP_NOISE, mistakes));
    let path = table.optional("rule", |item| item.text(HELP_RULE, mistakes));
    let path = table.required("rule", path, HELP_RULE, mistakes)?;
    let entry = noise?.map_or(&registry::TABULATED[0], |noise| noise.value);
    let rule = read_file(&path, entry, files)
        .map_err(|(problem, help)| mistakes.note(&path.span, format!("`rule` in {place}: {problem}"), help))?;
    Ok(item.put(MechanismChoice::Rule(rule)))
}

/// Problem of a file, and the remedy.
type Problem = (String, &'static str);

fn read_file(path: &Spanned<String>, entry: &'static Entry, files: &PublicFiles) -> Result<RuleFile, Problem> {
    if files.is_data(&located(files.folder, &path.value)) {
        let problem = "the file must be another than the data: a rule is published, and rows are private";
        return Err((problem.to_owned(), "design a rule from public numbers, with `inbounds design --out`"));
    }
    let (file, bytes) = files.read(&path.value).map_err(|problem| (problem, HELP_RULE))?;
    let rule = rule(&bytes, entry).map_err(|problem| (format!("{}: {problem}", path.value), HELP_RULE))?;
    Ok(RuleFile { file, span: path.span.clone(), rule: Arc::new(rule) })
}

/// The columns of a file, by place.
struct Header {
    measurement: usize,
    estimate: usize,
    noise: Option<usize>,
    scale: Option<usize>,
}

impl Header {
    const NAMES: [&str; 4] = ["measurement", "estimate", "noise", "scale"];

    fn read(record: &csv::StringRecord) -> Result<Self, String> {
        if let Some(other) = record.iter().find(|name| !Self::NAMES.contains(name)) {
            return Err(format!(
                "line 1: no column `{}` belongs in a rule: its columns are `measurement`, `estimate` and, to be compared with \
                 what is drawn, `noise` and `scale`",
                shorten(other)
            ));
        }
        let place = |name: &str| record.iter().position(|column| column == name);
        let twice = Self::NAMES.iter().find(|name| record.iter().filter(|column| column == *name).count() > 1);
        if let Some(name) = twice {
            return Err(format!("line 1: the column `{name}` must stand there once"));
        }
        let needed = |name: &str| place(name).ok_or_else(|| format!("line 1: the column `{name}` is missing"));
        let header = Self {
            measurement: needed("measurement")?,
            estimate: needed("estimate")?,
            noise: place("noise"),
            scale: place("scale"),
        };
        match (header.noise, header.scale) {
            (Some(_), None) => Err("line 1: `noise` needs the column `scale` beside it".to_owned()),
            (None, Some(_)) => Err("line 1: `scale` needs the column `noise` beside it".to_owned()),
            _ => Ok(header),
        }
    }
}

fn rule(bytes: &[u8], entry: &'static Entry) -> Result<TabulatedRule, String> {
    // A byte order mark, as spreadsheets write it, is none of a name.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let damaged = |error: csv::Error| match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: the row must have {expected_len} cells, as the header has, got {len}")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {}: the text must be UTF-8", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    };
    let header = Header::read(reader.headers().map_err(damaged)?)?;
    let (mut rows, mut designed_for) = (Vec::new(), None);
    for record in reader.records() {
        let record = record.map_err(damaged)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |place: usize, name: &str| {
            let cell = &record[place];
            cell.parse::<Rational>().map_err(|_| {
                format!("line {line}: `{name}` must be a finite number such as 2.5, got {:?}", shorten(cell))
            })
        };
        let of_row = designed(&record, &header, line)?;
        if rows.is_empty() {
            designed_for = of_row;
        } else if designed_for != of_row {
            return Err(format!("line {line}: `noise` and `scale` must be those of the first row"));
        }
        let (measurement, estimate) =
            (number(header.measurement, "measurement")?, number(header.estimate, "estimate")?);
        rows.push(TabulatedRow { line, measurement, estimate });
    }
    TabulatedRule::new(entry.noise, rows, designed_for).map_err(|error| error.to_string())
}

/// The noise that a row says it was designed for.
fn designed(record: &csv::StringRecord, header: &Header, line: u64) -> Result<Option<DesignedFor>, String> {
    let (Some(noise), Some(scale)) = (header.noise, header.scale) else { return Ok(None) };
    let known = registry::TABULATED.iter().find(|entry| entry.noise.about().word == &record[noise]);
    let known = known.ok_or_else(|| {
        let words: Vec<&str> = registry::TABULATED.iter().map(|entry| entry.noise.about().word).collect();
        format!("line {line}: `noise` must be one of {}, got {:?}", words.join(", "), shorten(&record[noise]))
    })?;
    let scale = record[scale].parse::<Rational>().ok().filter(Rational::is_positive);
    let scale = scale.ok_or_else(|| format!("line {line}: `scale` must be a number greater than 0"))?;
    Ok(Some(DesignedFor { noise: known.noise, scale }))
}
