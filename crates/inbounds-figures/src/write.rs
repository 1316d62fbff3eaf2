//! Figures as files.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{ArrayRef, Float64Array, StringArray};
use inbounds_bundle::{
    ColumnSink, Destination, FileEntry, PartialBundle, Program, TidyColumns, digest::sha256, write_blocks,
};
use inbounds_core::Named;
use serde::{Deserialize, Serialize};

use crate::{
    FigureCell, FigureMethod, FiguresError, FiguresFile, evaluate,
    file::Asked,
    numbers::{Atoms, Published},
    operand::Sources,
    solve::{SEED, Solver},
};

/// Name and version of the schema of `figures.json`. Fields are added within a version, never renamed or removed.
pub const FIGURES_SCHEMA: &str = "inbounds/figures/1";

/// `figures.json`: of which release and which public files figures were made, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/figures.md describes each")]
pub struct FiguresManifest {
    pub schema: String,
    pub program: Program,
    /// SHA-256 of the manifests of the releases.
    pub releases: Vec<String>,
    pub titles: Vec<Option<String>>,
    /// True if the noise of all releases came from the operating system.
    pub private: bool,
    /// SHA-256 of the file of figures.
    pub figures_sha256: String,
    /// Public tables, by the names that the file of figures has for them.
    pub tables: Vec<FileEntry>,
    /// Seed of draws, where a law was drawn.
    pub seed: u64,
    pub figures: Vec<FigureEntry>,
    /// Of a plan, the figures that could not be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<NotMade>,
    /// Of two releases that were compared, what was not and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonEntry>,
    pub files: Vec<FileEntry>,
}

/// Summary of a comparison of two releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see FiguresManifest")]
pub struct ComparisonEntry {
    /// Numbers that both releases have, with their change.
    pub numbers: usize,
    /// Number of them that can be distinguished from no change, each by itself.
    pub told: usize,
    /// Bound on the average number of unchanged numbers that chance alone distinguishes from no change.
    pub by_chance: f64,
    /// Number of them that can be distinguished where all answers are to be right at once.
    pub told_together: usize,
    /// Statistics that are not compared.
    pub refused: Vec<NotCompared>,
    /// Cells that only one of the releases has.
    pub only_in_old: usize,
    pub only_in_new: usize,
}

/// A statistic that is not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see FiguresManifest")]
pub struct NotCompared {
    pub statistic: String,
    pub reason: String,
}

/// A figure of a plan that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see FiguresManifest")]
pub struct NotMade {
    pub name: String,
    pub reason: String,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see FiguresManifest")]
pub struct FigureEntry {
    pub name: String,
    pub label: Option<String>,
    pub kind: String,
    pub cells: usize,
    pub level: f64,
    /// True if the intervals hold for all cells at once.
    pub joint: bool,
    pub methods: Vec<String>,
    /// The value that says "no difference", where there is one.
    pub neutral: Option<f64>,
}

/// A figure of all keys.
#[derive(Debug, Clone)]
pub struct MadeFigure {
    /// Its entry in `figures.json`.
    pub entry: FigureEntry,
    /// Its cells.
    pub cells: Vec<FigureCell>,
}

/// Figures as they were made.
#[derive(Debug, Clone)]
pub struct FiguresMade {
    /// Where the files stand.
    pub folder: PathBuf,
    /// Manifest of the files.
    pub manifest: FiguresManifest,
    /// The figures.
    pub figures: Vec<MadeFigure>,
}

/// Makes figures of a release and writes them into a new folder: `figures.csv`, the same in Parquet, and
/// `figures.json`. No row is read.
///
/// # Errors
/// [`FiguresError`]; nothing is written then.
pub fn figures(bundle: &Path, file: &FiguresFile, out: &Path) -> Result<FiguresMade, FiguresError> {
    let destination = Destination::claim(out)?;
    let (manifest, made) = make(bundle, file, |_, error| Err(error))?;
    let (folder, manifest) = destination.commit(|partial| write(partial, manifest, &made))?;
    Ok(FiguresMade { folder, manifest, figures: made })
}

/// Makes the figures of a plan in a release that is being written, whose other files but the page are there. A figure
/// that cannot be made is listed with the reason: the numbers of the release are measured, and not lost with it.
///
/// # Errors
/// [`FiguresError`], though neither [`FiguresError::Refused`] nor [`FiguresError::PublicTable`].
pub fn figures_within(partial: &PartialBundle, file: &FiguresFile) -> Result<FiguresManifest, FiguresError> {
    let mut refused = Vec::new();
    let (manifest, made) = make(partial.folder(), file, |name, error| {
        let reason = match error {
            FiguresError::Refused { refusal, .. } => refusal.to_string(),
            FiguresError::PublicTable { .. } => error.to_string(),
            other => return Err(other),
        };
        refused.push(NotMade { name: name.to_owned(), reason });
        Ok(())
    })?;
    write(partial, FiguresManifest { refused, ..manifest }, &made)
}

/// The figures of a file with their manifest; `refuse` says what becomes of one that cannot be made.
fn make(
    bundle: &Path,
    file: &FiguresFile,
    mut refuse: impl FnMut(&str, FiguresError) -> Result<(), FiguresError>,
) -> Result<(FiguresManifest, Vec<MadeFigure>), FiguresError> {
    let mut atoms = Atoms::default();
    let bundles = [Published::open(bundle, &mut atoms)?];
    let sources = Sources::new(&atoms, vec![&bundles[0].statistics], &file.folder);
    let mut solver = Solver::new(&atoms);
    let mut made = Vec::with_capacity(file.figures.len());
    for asked in &file.figures {
        let refused = |refusal| FiguresError::Refused { figure: asked.name.clone(), refusal };
        let read = asked.operands().try_for_each(|operand| sources.read(operand));
        match read.and_then(|()| evaluate::cells(asked, &sources, &mut solver).map_err(refused)) {
            Ok(cells) => {
                let cells = match bundles[0].manifest.quality.as_ref().filter(|_| asked.kind.has_quality()) {
                    Some(quality) => cells.into_iter().map(|cell| cell.classed(quality)).collect(),
                    None => cells,
                };
                made.push(MadeFigure { entry: entry(asked, &cells), cells });
            }
            Err(error) => refuse(&asked.name, error)?,
        }
    }
    let manifest = FiguresManifest {
        figures_sha256: file.sha256.clone(),
        tables: sources.files(),
        ..FiguresManifest::new(&bundles, &made)
    };
    Ok((manifest, made))
}

impl FiguresManifest {
    /// Its name in its folder.
    pub const FILE: &str = "figures.json";

    /// Of figures of these releases, without a file of figures, public tables and a comparison.
    pub(crate) fn new(bundles: &[Published], made: &[MadeFigure]) -> Self {
        Self {
            schema: FIGURES_SCHEMA.to_owned(),
            program: Program::this(),
            releases: bundles.iter().map(|bundle| bundle.digest.clone()).collect(),
            titles: bundles.iter().map(|bundle| bundle.manifest.title.clone()).collect(),
            private: bundles.iter().all(|bundle| bundle.manifest.private),
            figures_sha256: sha256(b""),
            tables: Vec::new(),
            seed: SEED,
            figures: made.iter().map(|figure| figure.entry.clone()).collect(),
            refused: Vec::new(),
            comparison: None,
            files: Vec::new(),
        }
    }
}

fn entry(asked: &Asked, cells: &[FigureCell]) -> FigureEntry {
    FigureEntry {
        name: asked.name.clone(),
        label: asked.label.clone(),
        kind: asked.kind.name().to_owned(),
        cells: cells.len(),
        level: asked.level,
        joint: asked.joint,
        methods: methods(cells),
        neutral: asked.kind.neutral(),
    }
}

/// The methods of cells, each once.
pub(crate) fn methods(cells: &[FigureCell]) -> Vec<String> {
    let mut methods: Vec<String> = Vec::new();
    for cell in cells {
        let name = FigureMethod::name(cell.method).to_owned();
        if !methods.contains(&name) {
            methods.push(name);
        }
    }
    methods
}

/// Writes figures, and the manifest with the digests of their tables.
pub(crate) fn write(
    partial: &PartialBundle,
    manifest: FiguresManifest,
    figures: &[MadeFigure],
) -> Result<FiguresManifest, FiguresError> {
    let files = write_blocks(partial, table(figures).finish()?, std::iter::empty())?;
    let manifest = FiguresManifest { files, ..manifest };
    let mut json = serde_json::to_vec_pretty(&manifest).expect("strings, numbers and lists serialise");
    json.push(b'\n');
    partial.write(FiguresManifest::FILE, &json)?;
    Ok(manifest)
}

/// One row a cell.
fn table(figures: &[MadeFigure]) -> TidyColumns {
    let rows: Vec<(&FigureEntry, &FigureCell)> =
        figures.iter().flat_map(|figure| figure.cells.iter().map(|cell| (&figure.entry, cell))).collect();
    let by: BTreeSet<&String> = rows.iter().flat_map(|(_, cell)| cell.key.keys()).collect();
    let mut columns = TidyColumns::new("figures");
    let words = |texts: Vec<Option<String>>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let mut word = |name: &str, description: &str, value: &dyn Fn(&FigureEntry, &FigureCell) -> Option<String>| {
        let texts = rows.iter().map(|(entry, cell)| value(entry, cell)).collect();
        columns.push(name, "", description, words(texts), true);
    };
    word("figure", "name of the figure", &|entry, _| Some(entry.name.clone()));
    word("kind", "kind of the figure", &|entry, _| Some(entry.kind.clone()));
    for column in by {
        let description = format!("value of the grouping column `{column}`; empty for figures that are not by it");
        word(&format!("by_{column}"), &description, &|_, cell| cell.key.get(column).cloned());
    }
    word("output", "which number of the cell, of compared releases; empty where a cell has one", &|_, cell| {
        Some(cell.output.clone()).filter(|output| !output.is_empty())
    });
    word("unit", "unit of the numbers of this row", &|_, cell| Some(cell.unit.clone()));
    let mut number = |name: &str, description: &str, value: &dyn Fn(&FigureEntry, &FigureCell) -> Option<f64>| {
        let finite = |(entry, cell): &(&FigureEntry, &FigureCell)| value(entry, cell).filter(|value| value.is_finite());
        let values: Float64Array = rows.iter().map(finite).collect();
        columns.push(name, "", description, Arc::new(values), true);
    };
    number("estimate", "from the estimates; empty where that divides by zero", &|_, cell| cell.estimate);
    number("raw", "from the measurements; empty where that divides by zero", &|_, cell| cell.raw);
    number("interval_lower", "lower end of the interval; empty where nothing bounds it", &|_, cell| Some(cell.lower));
    number("interval_upper", "upper end of the interval; empty where nothing bounds it", &|_, cell| Some(cell.upper));
    number("interval_level", "probability with which the interval, or all of a joint figure, hold", &|entry, _| {
        Some(entry.level)
    });
    number("interval_miss", "chance with which the interval of this cell may miss by itself", &|_, cell| {
        Some(cell.miss)
    });
    number(
        "raw_rmse",
        "root mean square error of the raw figure, which is unbiased; empty where it has none",
        &|_, cell| cell.raw_rmse,
    );
    number(
        "bias_at_estimate",
        "bias of the estimate, were the truths the estimates; empty where it is undefined or unknown",
        &|_, cell| cell.errors_at_estimate.map(|(bias, _)| bias),
    );
    number("rmse_at_estimate", "its root mean square error, likewise", &|_, cell| {
        cell.errors_at_estimate.map(|(_, rmse)| rmse)
    });
    number("method_error", "ends of the shortest interval of its kind are at most so much nearer", &|_, cell| {
        Some(cell.method_error)
    });
    let mut word = |name: &str, description: &str, value: &dyn Fn(&FigureCell) -> Option<String>| {
        let texts = rows.iter().map(|(_, cell)| value(cell)).collect();
        columns.push(name, "", description, words(texts), true);
    };
    word("extent", "what the interval says", &|cell| Some(cell.extent.to_string()));
    word("against", "against no difference, for kinds that know it", &|cell| {
        cell.against.map(|against| against.to_string())
    });
    word("against_all", "the same where the answers for all cells of the figure are to be right at once", &|cell| {
        cell.against_all.map(|against| against.to_string())
    });
    word("method", "how the interval was made", &|cell| Some(cell.method.to_string()));
    word("error", "whether bias and RMSE are defined", &|cell| {
        Some(if cell.raw_rmse.is_some() { "defined" } else { "undefined" }.to_owned())
    });
    if rows.iter().any(|(_, cell)| cell.quality.is_some()) {
        word(
            "quality",
            "class of the relative error, by `quality` of the plan; empty of differences, changes and ranks",
            &|cell| cell.quality.clone(),
        );
    }
    columns
}
