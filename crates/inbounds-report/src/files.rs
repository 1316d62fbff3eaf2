//! The files of a bundle, compared with the digests in its manifest.

use std::{
    io,
    path::{Component, Path},
};

use inbounds_bundle::{
    FileEntry,
    digest::{sha256, sha256_of_file},
};

use inbounds_figures::{FiguresMade, FiguresManifest};

use crate::{
    ReportError,
    document::{Block, Column, Entry, Section, Table},
};

/// State of the files that a manifest lists.
pub(crate) struct Files {
    manifest: &'static str,
    /// SHA-256 of the manifest, which names the whole bundle.
    pub(crate) digest: String,
    listed: Vec<(FileEntry, State)>,
    /// Those of figures, which the manifest does not list: their own names this one.
    figures: Vec<(FileEntry, State)>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Matches,
    Differs,
    Missing,
}

impl State {
    fn words(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Differs => "DIFFERS",
            Self::Missing => "MISSING",
        }
    }
}

impl Files {
    /// Digests every file that the manifest lists.
    pub(crate) fn check(
        folder: &Path,
        manifest: &'static str,
        bytes: &[u8],
        files: &[FileEntry],
    ) -> Result<Self, ReportError> {
        let listed = states(folder, manifest, files)?;
        Ok(Self { manifest, digest: sha256(bytes), listed, figures: Vec::new() })
    }

    /// Digests the files of figures, which must be of this release.
    pub(crate) fn add_figures(&mut self, folder: &Path, made: &FiguresMade) -> Result<(), ReportError> {
        let name = FiguresManifest::FILE;
        let path = folder.join(name);
        let sha256 = sha256_of_file(&path).map_err(|source| ReportError::Unreadable { path, source })?;
        let is_of_this = made.manifest.releases == [self.digest.clone()];
        let state = if is_of_this { State::Matches } else { State::Differs };
        self.figures.push((FileEntry { name: name.to_owned(), sha256 }, state));
        self.figures.extend(states(folder, name, &made.manifest.files)?);
        Ok(())
    }

    /// Warning, shown above all else, that a file is not that of the manifest.
    pub(crate) fn warning(&self) -> Option<String> {
        let odd: Vec<String> = self
            .listed
            .iter()
            .chain(&self.figures)
            .filter(|(_, state)| *state != State::Matches)
            .map(|(file, state)| format!("{} {}", file.name, state.words().to_lowercase()))
            .collect();
        (!odd.is_empty()).then(|| {
            format!(
                "The bundle is not as it was made: {}. Its numbers may not be those that were released.",
                odd.join(", ")
            )
        })
    }

    /// Patterns of the shell for all files.
    fn patterns(&self) -> String {
        let plan = self.listed.iter().find(|(file, _)| file.name.ends_with(".toml"));
        let plan = plan.map_or_else(String::new, |(file, _)| format!(" {}", file.name));
        let figures = if self.figures.is_empty() { String::new() } else { format!(" {}", FiguresManifest::FILE) };
        format!("{}{plan}{figures} *.csv *.parquet", self.manifest)
    }

    /// Citation of the bundle, and steps by which anyone can check it.
    pub(crate) fn section(&self, citation: String) -> Section {
        let row = |(file, state): &(FileEntry, State)| {
            vec![Entry::new(&file.name).with_note(&file.sha256), Entry::new(state.words())]
        };
        let manifest = Entry::new(self.manifest).with_note(&self.digest);
        let mut rows = vec![vec![manifest, Entry::new("identifies the bundle")]];
        rows.extend(self.listed.iter().chain(&self.figures).map(row));
        Section {
            id: "verify".to_owned(),
            title: "Cite and verify".to_owned(),
            blocks: vec![
                Block::Heading("To cite"),
                Block::Quote(citation),
                Block::Heading("To verify"),
                Block::Paragraph(format!(
                    "The SHA-256 of {} identifies the whole bundle, because that file lists the digests of the others. They \
                     were compared when this page was drawn.",
                    self.manifest
                )),
                Block::Table(Table {
                    caption: "Files of the bundle".to_owned(),
                    columns: vec![Column::words("file and SHA-256"), Column::words("against the manifest")],
                    rows,
                    note: "This page is not in the list: it is made from the other files, and from nothing else.".to_owned(),
                }),
                Block::Paragraph(
                    "Run in the folder of the bundle, these two lines compute the digests and draw this page again, byte for \
                     byte:"
                        .to_owned(),
                ),
                Block::Code(format!("sha256sum {}\ninbounds report . --out again.html", self.patterns())),
            ],
        }
    }
}

/// Digests the files that a manifest lists.
fn states(folder: &Path, manifest: &str, files: &[FileEntry]) -> Result<Vec<(FileEntry, State)>, ReportError> {
    let state = |file: &FileEntry| {
        if !is_plain(&file.name) {
            let problem = format!("`{}` in its list of files is no plain name", file.name);
            return Err(ReportError::Manifest { path: folder.join(manifest), problem });
        }
        Ok((file.clone(), state_of(folder, file)?))
    };
    files.iter().map(state).collect()
}

/// `true` for the name of a file in the folder itself: names come from a file that anyone may have written.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

fn state_of(folder: &Path, file: &FileEntry) -> Result<State, ReportError> {
    let path = folder.join(&file.name);
    match sha256_of_file(&path) {
        Ok(digest) if digest == file.sha256 => Ok(State::Matches),
        Ok(_) => Ok(State::Differs),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
        Err(source) => Err(ReportError::Unreadable { path, source }),
    }
}
