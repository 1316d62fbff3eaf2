//! A folder that is its owner's until it is published, and that a run holds while it lives.

use std::{fs, io, path::Path};

/// A folder that only its owner may look into, held by this run.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    /// Locked for as long as it is open: the system lets go of it however the run ends.
    #[cfg(unix)]
    held: fs::File,
}

/// Permissions of a folder once others may look into it: the mode that the user's mask gives, where the system has
/// modes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode(#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix has modes"))] u32);

#[cfg(unix)]
impl PrivateFolder {
    /// Makes a folder at which nothing stands.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        fs::DirBuilder::new().mode(0o700).create(path)?;
        let held = fs::File::open(path).inspect_err(|_| {
            // Nothing is in it; the error that matters is the one in hand.
            let _ = fs::remove_dir(path);
        })?;
        // Who looks whether it is held locks it for an instant, so this waits. A file system without locks refuses, and
        // then no process can tell whether the run lives.
        let _ = held.lock();
        Ok(Self { held })
    }

    /// The mode of a folder that the user makes for others to read, as the files in this one show it: each may be
    /// entered by whom its files can be read by.
    pub(crate) fn mode_of_others(&self, path: &Path) -> io::Result<Mode> {
        use std::os::unix::fs::PermissionsExt as _;
        let own = self.held.metadata()?.permissions().mode() & 0o7700;
        let of_files = match fs::read_dir(path)?.next() {
            Some(file) => file?.metadata()?.permissions().mode() & 0o666,
            None => 0,
        };
        Ok(Mode(own | of_files | (of_files & 0o444) >> 2))
    }

    /// Gives others the rights that the user's mask leaves them.
    pub(crate) fn open(&self, Mode(mode): Mode) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        self.held.set_permissions(fs::Permissions::from_mode(mode))
    }
}

#[cfg(not(unix))]
impl PrivateFolder {
    /// Makes a folder at which nothing stands. Who may read it is decided by the folder in which it is.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir(path).map(|()| Self {})
    }

    /// Nothing here.
    pub(crate) fn mode_of_others(&self, _: &Path) -> io::Result<Mode> {
        Ok(Mode(0))
    }

    /// Others may read it already.
    pub(crate) fn open(&self, _: Mode) -> io::Result<()> {
        Ok(())
    }
}
