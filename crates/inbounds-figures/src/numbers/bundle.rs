//! The files of a release: its manifest, its measurements and its estimates.

use std::{collections::HashMap, fs, path::Path, sync::Arc};

use inbounds_bundle::{ComponentEntry, Id, RELEASE_SCHEMA, ReleaseManifest, SharedLaw, StatisticEntry, digest::sha256};
use inbounds_mechanisms::noise::GridNoise;

use super::{
    Atom, Atoms,
    shape::{StatisticShape, law_of},
    statistic::{Cell, Measured, MeasuredRow, Statistic, Statistics},
};
use crate::{
    FiguresError, Refusal,
    table::{Table, key_of},
};

/// A release that is opened for figures.
pub(crate) struct Published {
    pub(crate) manifest: ReleaseManifest,
    /// SHA-256 of the manifest.
    pub(crate) digest: String,
    /// In the order of the manifest.
    pub(crate) statistics: Statistics,
}

/// The manifest of a release.
///
/// # Errors
/// [`FiguresError`] if there is no release, or its manifest is not what its schema says.
pub fn read_release(folder: &Path) -> Result<ReleaseManifest, FiguresError> {
    manifest(folder).map(|(manifest, _)| manifest)
}

/// The manifest of a release with its digest.
fn manifest(folder: &Path) -> Result<(ReleaseManifest, String), FiguresError> {
    let path = folder.join(ReleaseManifest::FILE);
    let bytes = fs::read(&path)
        .map_err(|source| FiguresError::NoRelease { folder: folder.to_owned(), reason: source.to_string() })?;
    let manifest: ReleaseManifest = serde_json::from_slice(&bytes)
        .map_err(|error| FiguresError::Manifest { path: path.clone(), problem: error.to_string() })?;
    if manifest.schema != RELEASE_SCHEMA {
        let problem = format!("its schema is `{}`, and this version knows `{RELEASE_SCHEMA}`", manifest.schema);
        return Err(FiguresError::Manifest { path, problem });
    }
    Ok((manifest, sha256(&bytes)))
}

impl Published {
    /// Reads the files. Measurements are added to `atoms`.
    ///
    /// # Errors
    /// [`FiguresError`] if there is no release, or a file is not what its schema says. What no figure can be made of is
    /// no error until one is asked for.
    pub(crate) fn open(folder: &Path, atoms: &mut Atoms) -> Result<Self, FiguresError> {
        let (manifest, digest) = manifest(folder)?;
        let mut measured = measured(&manifest, folder, &digest, atoms)?;
        let mut cells = estimated(&manifest, folder)?;
        let statistics = manifest.statistics.iter().map(|entry| {
            let measured = measured.remove(&entry.name).unwrap_or_else(|| Ok(Vec::new()));
            let cells = cells.remove(&entry.name).unwrap_or_default();
            Statistic::new(StatisticShape::from(entry), measured, cells)
        });
        let statistics = Statistics(statistics.collect());
        Ok(Self { digest, statistics, manifest })
    }
}

/// The published numbers by statistic.
fn estimated(manifest: &ReleaseManifest, folder: &Path) -> Result<HashMap<String, Vec<Cell>>, FiguresError> {
    let mut table = Table::open(folder.join("estimates.csv"))?;
    let keys = table.keys();
    let [statistic, output, unit] = ["statistic", "output", "unit"].map(|name| table.column(name));
    let (statistic, output, unit) = (statistic?, output?, unit?);
    let numbers = ["estimate", "bias_at_estimate", "rmse_at_estimate"].map(|name| table.column(name));
    let [estimate, bias, rmse] = numbers;
    let (estimate, bias, rmse) = (estimate?, bias?, rmse?);
    let mut cells: HashMap<String, Vec<Cell>> = HashMap::with_capacity(manifest.statistics.len());
    for record in table.records()? {
        let text = |place: usize| record.get(place).unwrap_or_default();
        let number = |place: usize| text(place).parse().unwrap_or(f64::NAN);
        cells.entry(text(statistic).to_owned()).or_default().push(Cell {
            key: key_of(&record, &keys),
            output: text(output).to_owned(),
            unit: text(unit).to_owned(),
            estimate: number(estimate),
            bias: number(bias),
            rmse: number(rmse),
        });
    }
    Ok(cells)
}

/// The measured numbers by statistic and component.
fn measured(
    manifest: &ReleaseManifest,
    folder: &Path,
    digest: &str,
    atoms: &mut Atoms,
) -> Result<HashMap<String, Measured>, FiguresError> {
    let mut table = Table::open(folder.join("measurements.csv"))?;
    let keys = table.keys();
    let mut places = Vec::new();
    for name in ["statistic", "output", "component", "level", "margin", "measurement", "grid_exponent", "divisor"] {
        places.push(table.column(name)?);
    }
    let mut measured: HashMap<String, Measured> = manifest
        .statistics
        .iter()
        .map(|entry| (entry.name.clone(), Ok(entry.measured.iter().map(|_| Vec::new()).collect())))
        .collect();
    let mut laws: HashMap<(usize, usize), Result<Arc<GridNoise>, Refusal>> = HashMap::new();
    let shapes: Vec<StatisticShape> = manifest.statistics.iter().map(StatisticShape::from).collect();
    let sharing = Sharing::new(manifest);
    for record in table.records()? {
        let text = |place: usize| record.get(places[place]).unwrap_or_default();
        let number = |place: usize| {
            text(place).parse::<f64>().map_err(|_| table.wrong(format!("`{}` is no number", text(place))))
        };
        let at = manifest.statistics.iter().position(|entry| entry.name == text(0));
        let at = at.ok_or_else(|| table.wrong(format!("the manifest has no statistic `{}`", text(0))))?;
        let entry = &manifest.statistics[at];
        let is_component = |component: &&ComponentEntry| {
            let margin = component.margin.as_ref().map_or_else(String::new, |columns| margin_name(columns));
            component.role.to_string() == text(2)
                && component.level.as_deref().unwrap_or("") == text(3)
                && margin == text(4)
        };
        let place = entry.measured.iter().position(|component| is_component(&component));
        let place = place.ok_or_else(|| table.wrong(format!("the manifest has no `{}` of `{}`", text(2), text(0))))?;
        let component = &entry.measured[place];
        let Some(Ok(rows)) = measured.get_mut(&entry.name) else { continue };
        let law = laws.entry((at, place)).or_insert_with(|| law_of(&shapes[at], component).map(Arc::new));
        let noise = match law {
            Ok(law) => law.clone(),
            Err(refusal) => {
                measured.insert(entry.name.clone(), Err(refusal.clone()));
                continue;
            }
        };
        let key = key_of(&record, &keys);
        let (value, exponent, divisor) = (number(5)?, number(6)?, number(7)?);
        let step = libm::exp2(exponent) / divisor;
        let output = text(1).to_owned();
        let group = sharing.group_of(&entry.name);
        let scope = format!("{digest}/{}", group.map_or_else(|| format!("={}", entry.name), |group| group.to_string()));
        let vector = matches!(*noise, GridNoise::Cube(_)).then(|| atoms.vector(&format!("{scope}/{key:?}")));
        let atom = Atom { value, noise, step, vector };
        let atom = match group {
            None => Some(atoms.add(atom)),
            Some(group) if !sharing.is_certain(group) => None,
            Some(_) => atoms.shared(&format!("{scope}/{}/{key:?}/{output}", identity(entry, component)), atom),
        };
        let Some(atom) = atom else {
            measured.insert(entry.name.clone(), Err(Refusal::SharedUnclear { statistic: entry.name.clone() }));
            continue;
        };
        rows[place].push(MeasuredRow { key, output, atom });
    }
    Ok(measured)
}

/// Name of a margin in tables.
pub(super) fn margin_name(columns: &[String]) -> String {
    if columns.is_empty() { "total".to_owned() } else { columns.join(", ") }
}

/// Identity of a measured number among those that statistics share: its quantity, the reading of the columns, and the
/// rows that count.
fn identity(entry: &StatisticEntry, component: &ComponentEntry) -> String {
    let dropping = entry.missing.iter().filter(|missing| matches!(missing.rule, inbounds_bundle::MissingRule::Dropped));
    let mut needed: Vec<&str> = dropping.map(|missing| missing.column.as_str()).collect();
    needed.sort_unstable();
    needed.dedup();
    let clips: Vec<_> = entry.columns.iter().zip(&entry.clips).collect();
    let role = component.role.to_string();
    let own = |(column, _): &&(&String, &inbounds_bundle::ClipEntry)| role.contains(column.as_str());
    let own: Vec<String> =
        clips.iter().filter(own).map(|(column, clip)| format!("{column}{:?}{:?}", clip.lower, clip.upper)).collect();
    format!("{role}/{needed:?}/{own:?}/{:?}", component.grid_spacing)
}

/// Which statistics share measurements, and whether the manifest says which of these are one number.
struct Sharing<'a> {
    manifest: &'a ReleaseManifest,
    certain: Vec<bool>,
}

impl<'a> Sharing<'a> {
    fn new(manifest: &'a ReleaseManifest) -> Self {
        let is_certain = |group: &inbounds_bundle::SharedNoiseEntry| {
            let members = manifest.statistics.iter().filter(|entry| group.holds(&entry.name));
            let mut names: Vec<String> = members
                .flat_map(|entry| entry.measured.iter().map(move |component| identity(entry, component)))
                .collect();
            names.sort_unstable();
            names.dedup();
            let is_known = matches!(group.law, Id::Known(SharedLaw::Cube | SharedLaw::Gaussian));
            is_known && names.len() as u64 == group.numbers
        };
        Self { manifest, certain: manifest.guarantee.together.iter().map(is_certain).collect() }
    }

    fn group_of(&self, statistic: &str) -> Option<usize> {
        self.manifest.guarantee.together.iter().position(|group| group.holds(statistic))
    }

    fn is_certain(&self, group: usize) -> bool {
        self.certain[group]
    }
}
