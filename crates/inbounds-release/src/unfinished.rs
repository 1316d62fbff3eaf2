//! Unfinished bundles of runs that died: noisy numbers that no manifest accounts for.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use inbounds_ledger::is_partial;

/// The plan in the bundle of a release, byte for byte: the first file that a release writes.
pub(crate) const PLAN_FILE: &str = "plan.toml";

/// A hidden folder with a bundle that was not moved to its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The folder.
    pub folder: PathBuf,
    /// True if its run has certainly ended; otherwise this is unknown.
    pub is_dead: bool,
}

impl Unfinished {
    /// Description, with the remedy.
    pub fn sentence(&self) -> String {
        let (description, first) = match self.is_dead {
            true => ("the unfinished bundle of a run that died", ""),
            false => ("the unfinished bundle of a run that may have died", "If no release is running there: "),
        };
        format!(
            "Note: {} is {description}, and can hold noisy numbers of the rows. {first}Delete it unread, or, if \
             somebody may have read it, count the epsilon of its plan as spent. If a ledger paid for it, \
             `inbounds ledger check` removes it.",
            self.folder.display()
        )
    }
}

/// The unfinished bundles of releases in the folder in which a bundle is to stand, sorted. Those of runs that live are
/// left out, and so are folders without a plan, which hold no noisy number. Empty also where the folder cannot be read.
pub fn unfinished_beside(destination: &Path) -> Vec<Unfinished> {
    let parent = destination.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let folders = entries.flatten().map(|entry| entry.path()).filter(|path| is_partial(path));
    let mut unfinished_runs: Vec<Unfinished> = folders.filter_map(unfinished).collect();
    unfinished_runs.sort_by(|one, other| one.folder.cmp(&other.folder));
    unfinished_runs
}

fn unfinished(folder: PathBuf) -> Option<Unfinished> {
    // What cannot be looked into is another user's, and may hold numbers.
    if folder.join(PLAN_FILE).try_exists().is_ok_and(|has_plan| !has_plan) {
        return None;
    }
    match File::open(&folder).map(|held| held.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => None,
        Ok(Ok(())) => Some(Unfinished { folder, is_dead: true }),
        Ok(Err(TryLockError::Error(_))) | Err(_) => Some(Unfinished { folder, is_dead: false }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use inbounds_bundle::{BundleError, Destination};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("stands").permissions().mode() & 0o777
    }

    #[test]
    fn a_bundle_is_private_until_it_stands() {
        let room = tempfile::tempdir().expect("folder");
        let usual = room.path().join("usual");
        fs::create_dir(&usual).expect("creates");
        let destination = Destination::claim(&room.path().join("bundle")).expect("free");
        let partial = destination.partial();
        let begun = destination.begin().expect("begins");
        assert_eq!(mode(&partial), 0o700);
        let (out, ()) = begun
            .commit(|bundle| -> Result<(), BundleError> {
                bundle.write("a.txt", b"a")?;
                assert_eq!(mode(bundle.folder()), 0o700);
                Ok(())
            })
            .expect("commits");
        assert_eq!(mode(&out), mode(&usual));
    }

    #[test]
    fn a_run_that_lives_is_not_named_and_one_that_died_is() {
        let room = tempfile::tempdir().expect("folder");
        let out = room.path().join("bundle");
        let destination = Destination::claim(&out).expect("free");
        let partial = destination.partial();
        let begun = destination.begin().expect("begins");
        fs::write(partial.join(PLAN_FILE), "1").expect("writes");
        assert!(unfinished_beside(&out).is_empty(), "it lives");
        drop(begun);
        assert!(unfinished_beside(&out).is_empty(), "it removed what it had");

        let dead = room.path().join(".other.partial-7");
        fs::create_dir(&dead).expect("creates");
        fs::write(dead.join("estimates.csv"), "1").expect("writes");
        assert!(unfinished_beside(&out).is_empty(), "it is of no release");
        fs::write(dead.join(PLAN_FILE), "1").expect("writes");
        for other in [".other.partial-", ".other.partial-x", "other.partial-7"] {
            fs::create_dir(room.path().join(other)).expect("creates");
            fs::write(room.path().join(other).join(PLAN_FILE), "1").expect("writes");
        }
        let unfinished = unfinished_beside(&out);
        assert_eq!(unfinished, [Unfinished { folder: dead.clone(), is_dead: true }]);
        let said = unfinished[0].sentence();
        assert!(said.contains(".other.partial-7") && said.contains("Delete it unread"), "{said}");
    }
}
