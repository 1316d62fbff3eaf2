//! From a folder to a page.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use inbounds_bundle::{
    Language, PartialBundle, RECONCILE_SCHEMA, RELEASE_SCHEMA, ReconcileManifest, ReleaseManifest, join,
};
use inbounds_figures::FiguresMade;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{FILE, ReportError, document::Page, files::Files, reconcile, release};

/// The page of a bundle.
///
/// The same files give the same page, byte for byte. Files whose digest is not that of the manifest are shown all the
/// same, under a warning.
///
/// # Errors
/// [`ReportError`]: there is no bundle, a file cannot be read, or a manifest or table is not what its schema says.
pub fn render(folder: &Path) -> Result<String, ReportError> {
    Ok(draw(folder)?.page)
}

/// The page of a bundle, and what to say of the bundle beside it.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The page that [`render`] returns.
    pub page: String,
    /// That a file is not that of the manifest, in words; `None` if all are.
    pub warning: Option<String>,
}

/// The page of a bundle with its warning; every file is digested once for both.
///
/// # Errors
/// The errors of [`render`].
pub fn draw(folder: &Path) -> Result<Drawn, ReportError> {
    draw_in(folder, None)
}

/// The page of a bundle, with the methods of a release in this language in place of its plan's.
///
/// # Errors
/// The errors of [`render`].
pub fn draw_in(folder: &Path, language: Option<Language>) -> Result<Drawn, ReportError> {
    let opened = open(folder)?;
    let files = || opened.files(folder);
    let (page, files) = match &opened.manifest {
        Manifest::Release(manifest) => {
            let (files, cells) = join(files, || release::read(folder, manifest));
            let (mut files, figures) = (files?, FiguresMade::open(folder)?);
            if let Some(figures) = &figures {
                files.add_figures(folder, figures)?;
            }
            let maps = match release::Maps::read(folder, manifest) {
                // What is wrong with them is in the warning.
                Err(_) if files.warning().is_some() => release::Maps::default(),
                maps => maps?,
            };
            (release::page(manifest, &files, (&cells?, figures.as_ref(), &maps), language), files)
        }
        Manifest::Reconcile(manifest) => {
            let (files, tables) = join(files, || reconcile::read(folder));
            let files = files?;
            (reconcile::page(manifest, &files, &tables?), files)
        }
    };
    Ok(Drawn { page: page.to_string(), warning: files.warning() })
}

/// The estimates of a statistic of a release as a document of SVG: the pictures of the page, and
/// of what the page shows in words alone, such as a single number, one with its interval.
///
/// # Errors
/// The errors of [`render`], and [`ReportError::NoStatistic`].
pub fn plot(folder: &Path, statistic: &str) -> Result<String, ReportError> {
    let opened = open(folder)?;
    opened.files(folder)?;
    let drawn = match &opened.manifest {
        Manifest::Release(manifest) => release::plot(folder, manifest, statistic)?,
        Manifest::Reconcile(_) => None,
    };
    let missing = || ReportError::NoStatistic { folder: folder.to_owned(), name: statistic.to_owned() };
    Ok(drawn.ok_or_else(missing)?.to_svg())
}

/// A bundle whose manifest is read.
pub(crate) struct Opened {
    pub(crate) manifest: Manifest,
    /// The manifest as it was read.
    bytes: Vec<u8>,
}

pub(crate) enum Manifest {
    Release(Box<ReleaseManifest>),
    Reconcile(Box<ReconcileManifest>),
}

impl Opened {
    /// The files of the bundle, compared with the manifest.
    pub(crate) fn files(&self, folder: &Path) -> Result<Files, ReportError> {
        let (name, files) = match &self.manifest {
            Manifest::Release(manifest) => (ReleaseManifest::FILE, &manifest.files),
            Manifest::Reconcile(manifest) => (ReconcileManifest::FILE, &manifest.files),
        };
        Files::check(folder, name, &self.bytes, files)
    }
}

pub(crate) fn open(folder: &Path) -> Result<Opened, ReportError> {
    let read = |name: &str| {
        let path = folder.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ReportError::Unreadable { path, source }),
        }
    };
    if let Some(bytes) = read(ReleaseManifest::FILE)? {
        let parsed = parse(&folder.join(ReleaseManifest::FILE), &bytes, RELEASE_SCHEMA)?;
        Ok(Opened { manifest: Manifest::Release(Box::new(parsed)), bytes })
    } else if let Some(bytes) = read(ReconcileManifest::FILE)? {
        let parsed = parse(&folder.join(ReconcileManifest::FILE), &bytes, RECONCILE_SCHEMA)?;
        Ok(Opened { manifest: Manifest::Reconcile(Box::new(parsed)), bytes })
    } else {
        Err(ReportError::NoBundle { folder: folder.to_owned() })
    }
}

/// Draws the page of a bundle into it, in place of the one that may be there, and returns its path.
///
/// # Errors
/// The errors of [`render`] and [`Drawn::put_into`].
pub fn redraw(folder: &Path) -> Result<PathBuf, ReportError> {
    draw(folder)?.put_into(folder)
}

/// Puts the page into a bundle that is being written, of the files that it has so far, among them a manifest.
///
/// # Errors
/// Those of [`render`], and [`ReportError::Bundle`].
pub fn put_page(partial: &PartialBundle) -> Result<(), ReportError> {
    partial.write(FILE, render(partial.folder())?.as_bytes())?;
    Ok(())
}

impl Drawn {
    /// Writes the page into a bundle, in place of the one that may be there, and returns its path.
    ///
    /// The page is replaced whole or not at all.
    ///
    /// # Errors
    /// [`ReportError::Unwritable`]; what was there stays.
    pub fn put_into(&self, folder: &Path) -> Result<PathBuf, ReportError> {
        let path = folder.join(FILE);
        let partial = folder.join(format!(".{FILE}.partial-{}", process::id()));
        let write = || {
            let mut file = File::create_new(&partial)?;
            file.write_all(self.page.as_bytes())?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|source| {
            // Best effort: the error that matters is the one already in hand.
            let _ = fs::remove_file(&partial);
            ReportError::Unwritable { path: path.clone(), source }
        })?;
        Ok(path)
    }
}

/// A manifest; fields that this version does not know are none of its business.
fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8], schema: &str) -> Result<T, ReportError> {
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    let fail = |problem: String| ReportError::Manifest { path: path.to_owned(), problem };
    let named: Named = serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))?;
    if named.schema != schema {
        return Err(fail(format!("its schema is `{}`, and this version knows `{schema}`", named.schema)));
    }
    serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))
}

impl Page {
    /// Warns of files that are not those of the manifest.
    pub(crate) fn warned(mut self, files: &Files) -> Self {
        if let Some(warning) = files.warning() {
            self.warnings.insert(0, warning);
        }
        self
    }
}
