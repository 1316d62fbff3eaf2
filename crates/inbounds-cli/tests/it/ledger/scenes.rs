//! Folders as dead runs left them, each of another kind, that can be put back as they were: paths of a ledger are
//! absolute.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{bench, shim};
use crate::workbench::Workbench;

/// What runs left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing.
    Nothing,
    /// An empty folder of a run that died before its price was reserved.
    Empty,
    /// The numbers of a run that died after it.
    Numbers,
    /// The numbers of two runs.
    NumbersOfTwo,
    /// A bundle in its place that no entry knows.
    Bundle,
    /// Numbers of a run whose price an older version gave back all the same.
    NumbersOfVoided,
}

impl Left {
    pub(super) const ALL: [Self; 6] =
        [Self::Nothing, Self::Empty, Self::Numbers, Self::NumbersOfTwo, Self::Bundle, Self::NumbersOfVoided];
}

/// A file or folder.
struct Kept {
    mode: u32,
    /// `None` for a folder.
    bytes: Option<Vec<u8>>,
}

/// A folder that can be put back.
pub(super) struct Scene {
    pub(super) bench: Workbench,
    pub(super) left: Left,
    kept: BTreeMap<PathBuf, Kept>,
}

pub(super) fn release(out: &str) -> [&str; 5] {
    ["release", "plan.toml", "--out", out, "--quiet"]
}

pub(super) const VOID: [&str; 6] =
    ["ledger", "void", "rows.ledger", "1", "--reason", "killed by a test, and nobody looked"];

impl Scene {
    pub(super) fn new(left: Left) -> Self {
        let bench = bench("1000");
        match left {
            Left::Nothing => {}
            Left::Empty => killed(&bench, "bundle-1", |step| step.contains("lock-test") && step.starts_with("create")),
            Left::Numbers => killed(&bench, "bundle-1", at_manifest),
            Left::NumbersOfTwo => {
                killed(&bench, "bundle-1", at_manifest);
                killed(&bench, "bundle-2", at_manifest);
            }
            Left::Bundle => killed(&bench, "bundle-1", |step| step.starts_with("chmod") && step.contains("bundle-1")),
            Left::NumbersOfVoided => {
                killed(&bench, "bundle-1", at_manifest);
                let partial = partials(&bench).remove(0);
                let aside = bench.path("aside");
                fs::rename(&partial, &aside).expect("moves");
                assert_eq!(bench.run(&VOID).code, 0);
                fs::rename(&aside, &partial).expect("moves back");
            }
        }
        let mut kept = BTreeMap::new();
        keep(&bench.path(""), &mut kept);
        Self { bench, left, kept }
    }

    /// Puts the folder back as it was.
    pub(super) fn put_back(&self) {
        super::clear(&self.bench.path(""));
        for (path, Kept { mode, bytes }) in &self.kept {
            match bytes {
                Some(bytes) => fs::write(path, bytes).expect("writes"),
                None => fs::create_dir(path).expect("creates"),
            }
            fs::set_permissions(path, fs::Permissions::from_mode(*mode)).expect("sets the mode");
        }
    }

    /// The calls that change files when a command runs here.
    pub(super) fn steps(&self, arguments: &[&str]) -> Vec<String> {
        self.put_back();
        let log = tempfile::NamedTempFile::new().expect("a file");
        shim::run(&self.bench, &[("SHIM_LOG", log.path().to_string_lossy().into_owned())], arguments);
        fs::read_to_string(log.path()).expect("a log").lines().map(str::to_owned).collect()
    }
}

fn at_manifest(step: &str) -> bool {
    step.starts_with("create") && step.contains("release.json")
}

/// Kills a release at the first step of which this is true.
fn killed(bench: &Workbench, out: &str, at: impl Fn(&str) -> bool) {
    // The steps of the same release elsewhere.
    let elsewhere = super::bench("1000");
    let steps = shim::steps(&elsewhere, &release(out));
    let step = steps.iter().position(|step| at(step)).unwrap_or_else(|| panic!("{steps:?}"));
    assert_eq!(shim::run(bench, &[("SHIM_KILL_AT", step.to_string())], &release(out)).code, None);
}

fn keep(folder: &Path, kept: &mut BTreeMap<PathBuf, Kept>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let about = fs::metadata(&path).expect("stands");
        let bytes = about.is_file().then(|| fs::read(&path).expect("a file"));
        kept.insert(path.clone(), Kept { mode: about.permissions().mode() & 0o7777, bytes });
        if about.is_dir() {
            keep(&path, kept);
        }
    }
}

/// The hidden folders in which bundles grew.
pub(super) fn partials(bench: &Workbench) -> Vec<PathBuf> {
    bench.names().into_iter().filter(|name| name.contains(".partial-")).map(|name| bench.path(&name)).collect()
}
