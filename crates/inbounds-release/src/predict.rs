//! What a released naive Bayes model says of rows. Reads a bundle, which is public, and writes beside it.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use inbounds_bundle::{KindWord, ReleaseManifest, StatisticEntry};
use inbounds_core::Quantity;
use inbounds_input::nearest;
use inbounds_statistics::bayes::{Class, Model};
use thiserror::Error;

/// Why nothing was predicted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PredictError {
    /// A file that cannot be read.
    #[error("cannot read {}: {problem}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A bundle without a model, or without the one that was named.
    #[error("{} holds no naive Bayes model{named}; its statistics are {found}", bundle.display())]
    NoModel {
        /// The bundle.
        bundle: PathBuf,
        /// " `name`" where one was asked for.
        named: String,
        /// What it holds.
        found: String,
    },
    /// Several models, none named.
    #[error("{} holds several models: choose one with --statistic: {found}", bundle.display())]
    SeveralModels {
        /// The bundle.
        bundle: PathBuf,
        /// Their names.
        found: String,
    },
    /// A model that can never choose one of its classes.
    #[error(
        "class `{class}` of {} is impossible: its released variance of `{column}` is 0; release the model anew with this version, \
         whose variances are always positive",
        bundle.display()
    )]
    ImpossibleClass {
        /// The bundle.
        bundle: PathBuf,
        /// The class.
        class: String,
        /// The feature.
        column: String,
    },
    /// Rows without a feature of the model.
    #[error("{} must have the column `{column}`, which the model reads; {help}", file.display())]
    NoColumn {
        /// The file.
        file: PathBuf,
        /// The missing column.
        column: String,
        /// What to do.
        help: String,
    },
    /// Rows with a column that the result adds.
    #[error("{} has a column `{column}`, which the result adds: rename or remove it", file.display())]
    TakenColumn {
        /// The file.
        file: PathBuf,
        /// The column.
        column: String,
    },
    /// A result that cannot be written.
    #[error("cannot write {}: {source}; name a file that does not exist yet", file.display())]
    Unwritten {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// What became of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicted {
    /// Rows with a class.
    pub rows: u64,
    /// Rows without one, because a feature is missing or no number.
    pub without: u64,
}

/// The model of a bundle; the only one, or the one named.
///
/// # Errors
/// [`PredictError`].
pub fn model(bundle: &Path, statistic: Option<&str>) -> Result<Model, PredictError> {
    let path = bundle.join(ReleaseManifest::FILE);
    let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    let manifest: ReleaseManifest = serde_json::from_slice(&bytes).map_err(|error| unreadable(&path, &error))?;
    let entry = chosen(bundle, &manifest, statistic)?;
    let path = bundle.join("estimates.csv");
    let mut reader = csv::Reader::from_path(&path).map_err(|error| unreadable(&path, &error))?;
    let rows: Vec<HashMap<String, String>> =
        reader.deserialize().collect::<Result<_, _>>().map_err(|error| unreadable(&path, &error))?;
    let mine = rows.iter().filter(|row| row.get("statistic") == Some(&entry.name));
    let model = assemble(entry, mine).ok_or_else(|| unreadable(&path, &"it lacks numbers of the model"))?;
    let impossible = model.degenerate().first().map(|(class, column)| PredictError::ImpossibleClass {
        bundle: bundle.to_owned(),
        class: (*class).to_owned(),
        column: (*column).to_owned(),
    });
    impossible.map_or(Ok(model), Err)
}

fn chosen<'m>(
    bundle: &Path,
    manifest: &'m ReleaseManifest,
    name: Option<&str>,
) -> Result<&'m StatisticEntry, PredictError> {
    let models = || manifest.statistics.iter().filter(|entry| entry.kind.is(KindWord::NaiveBayes));
    let wanted: Vec<_> = models().filter(|entry| name.is_none_or(|name| entry.name == name)).collect();
    let list = |entries: Vec<String>| entries.join(", ");
    match wanted[..] {
        [one] => Ok(one),
        [] => Err(PredictError::NoModel {
            bundle: bundle.to_owned(),
            named: name.map_or_else(String::new, |name| format!(" `{name}`")),
            found: list(manifest.statistics.iter().map(|entry| format!("{} ({})", entry.name, entry.kind)).collect()),
        }),
        _ => Err(PredictError::SeveralModels {
            bundle: bundle.to_owned(),
            found: list(models().map(|entry| entry.name.clone()).collect()),
        }),
    }
}

/// A model from the rows of its estimates: those of a class follow one another.
fn assemble<'r>(entry: &StatisticEntry, rows: impl Iterator<Item = &'r HashMap<String, String>>) -> Option<Model> {
    let mut numbers: HashMap<(Vec<String>, String), f64> = HashMap::new();
    let mut keys: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let key: Vec<String> =
            entry.by.iter().map(|by| row.get(&format!("by_{by}")).cloned()).collect::<Option<_>>()?;
        if keys.last() != Some(&key) {
            keys.push(key.clone());
        }
        numbers.insert((key, row.get("output")?.clone()), row.get("estimate")?.parse().ok()?);
    }
    let of = |key: &Vec<String>, output: Quantity| numbers.get(&(key.clone(), output.to_string())).copied();
    // As the library reads them: a class has at least one row.
    let rows = |key: &Vec<String>| Some(of(key, Quantity::Rows)?.max(1.0));
    let total = keys.iter().map(rows).sum::<Option<f64>>()?;
    let class = |key: &Vec<String>| {
        let every = |what: fn(String) -> Quantity| -> Option<Vec<f64>> {
            entry.columns.iter().map(|column| of(key, what(column.clone()))).collect()
        };
        Some(Class {
            name: key.join(", "),
            log_prior: libm::log(rows(key)? / total),
            means: every(|column| Quantity::Mean { column: Some(column) })?,
            variances: every(|column| Quantity::Variance { column })?,
        })
    };
    Some(Model { features: entry.columns.clone(), classes: keys.iter().map(class).collect::<Option<_>>()? })
}

/// Writes the rows of a CSV file with the most probable class and the probability of each.
///
/// # Errors
/// [`PredictError`]; nothing was written if rows cannot be read.
pub fn predict(model: &Model, rows: &Path, out: &Path) -> Result<Predicted, PredictError> {
    let mut reader = csv::Reader::from_path(rows).map_err(|error| unreadable(rows, &error))?;
    let header = reader.headers().map_err(|error| unreadable(rows, &error))?.clone();
    let places = model.features.iter().map(|feature| place(rows, &header, feature)).collect::<Result<Vec<_>, _>>()?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let unwritten = |source: io::Error| PredictError::Unwritten { file: out.to_owned(), source };
    let probabilities = model.classes.iter().map(|class| format!("probability_{}", class.name));
    let added: Vec<String> = std::iter::once("predicted".to_owned()).chain(probabilities).collect();
    if let Some(column) = added.iter().find(|added| header.iter().any(|name| name == added.as_str())) {
        return Err(PredictError::TakenColumn { file: rows.to_owned(), column: column.clone() });
    }
    let mut line = |record: &csv::StringRecord, added: &[String]| {
        writer.write_record(record.iter().chain(added.iter().map(String::as_str))).map_err(io::Error::other)
    };
    line(&header, &added).map_err(unwritten)?;
    let mut predicted = Predicted { rows: 0, without: 0 };
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(rows, &error))?;
        let features: Option<Vec<f64>> = places.iter().map(|place| record.get(*place)?.trim().parse().ok()).collect();
        let answer = features.and_then(|row| Some((model.predict(&row).ok()?, model.log_posteriors(&row).ok()?)));
        let added = match answer {
            Some((class, posteriors)) => {
                predicted.rows += 1;
                let shown = posteriors.iter().map(|value| format!("{:?}", libm::exp(*value)));
                std::iter::once(class.to_owned()).chain(shown).collect()
            }
            None => {
                predicted.without += 1;
                vec![String::new(); added.len()]
            }
        };
        line(&record, &added).map_err(unwritten)?;
    }
    let bytes = writer.into_inner().map_err(|error| unwritten(error.into_error()))?;
    let mut file = fs::File::create_new(out).map_err(unwritten)?;
    io::Write::write_all(&mut file, &bytes).map_err(unwritten)?;
    Ok(predicted)
}

fn place(file: &Path, header: &csv::StringRecord, feature: &str) -> Result<usize, PredictError> {
    header.iter().position(|name| name == feature).ok_or_else(|| {
        let near = nearest(feature, header.iter());
        let help = near.map_or_else(|| "add it".to_owned(), |near| format!("did you mean `{near}`?"));
        PredictError::NoColumn { file: file.to_owned(), column: feature.to_owned(), help }
    })
}

fn unreadable(file: &Path, problem: &impl ToString) -> PredictError {
    PredictError::Unreadable { file: file.to_owned(), problem: problem.to_string() }
}
