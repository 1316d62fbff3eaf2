//! The folder that a suite is written into.

use std::{fs, io, path::Path};

use crate::{
    Paper, files, pages,
    suite::{Outcome, Suite},
};

impl Suite {
    /// Creates a folder and writes into it all tables and pictures, a page per paper, the table
    /// of statements and the list of errata.
    ///
    /// # Errors
    /// Any error of the file system; [`io::ErrorKind::AlreadyExists`] if something is at the place of the folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        for paper in Paper::ALL {
            let mut page = String::new();
            for (study, outcome) in self.outcomes.iter().filter(|(study, _)| study.paper == paper) {
                match outcome {
                    Outcome::Found(findings) => {
                        files::write(study, findings, folder)?;
                        page.push_str(&pages::section(study, findings));
                    }
                    Outcome::Skipped(reason) => page.push_str(&pages::skipped(study, reason)),
                }
            }
            if !page.is_empty() {
                fs::write(folder.join(pages::name(paper)), pages::head(paper) + &page)?;
            }
        }
        fs::write(folder.join("statements.md"), pages::statements(self))?;
        fs::write(folder.join("errata.md"), pages::ERRATA)
    }
}
