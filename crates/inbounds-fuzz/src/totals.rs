//! Input of `inbounds reconcile`: measurements, constraints, and systems in triplets.

use std::path::PathBuf;

use inbounds_reconcile::{Constraints, Fit, Options, ReconcileError, Silent, reconcile};

use crate::{archive, scratch::Scratch};

/// Measurements, alone or in an archive with constraints and the tables that these name.
///
/// The first byte of an archive's first line chooses options.
///
/// # Panics
/// If an error says nothing.
pub fn measurements(bytes: &[u8]) {
    let scratch = Scratch::new();
    let parts = archive::parts(bytes);
    let mut options = Options { replicates: 0, ..Options::default() };
    let counts = if parts.is_empty() {
        let name = if bytes.starts_with(b"PAR1") { "counts.parquet" } else { "counts.csv" };
        scratch.write(name, bytes)
    } else {
        scratch.unpack(&parts, &["counts.csv", "rules.toml", "rows.csv", "sides.csv"]);
        let rules = scratch.path("rules.toml");
        options.constraints = rules.exists().then_some(rules);
        let choice = bytes[0];
        options.integer = choice == b'i';
        options.replicates = if choice == b'r' { 39 } else { 0 };
        options.fit = (choice == b'j').then_some(Fit::Joint);
        scratch.path("counts.csv")
    };
    answered(&scratch, counts, options);
}

/// Constraints by themselves.
///
/// # Panics
/// If a mistake has no place in the text.
pub fn constraints(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(errors) = Constraints::parse(&text) {
        assert!(!errors.mistakes.is_empty() && !errors.to_string().is_empty());
        assert!(errors.mistakes.iter().all(|mistake| text.get(mistake.span.clone()).is_some() && mistake.line >= 1));
    }
}

/// Triplets and sides of a linear system over four nodes.
///
/// # Panics
/// If an error says nothing.
pub fn system(bytes: &[u8]) {
    let scratch = Scratch::new();
    scratch.unpack(&archive::parts(bytes), &["rows.csv", "sides.csv"]);
    let counts = scratch.write("counts.csv", b"node,value,variance\na,3,1\nb,-1,2\nc,4,1\nd,7,3\n");
    let rules = scratch.write("rules.toml", b"[system]\ntriplets = \"rows.csv\"\nsides = \"sides.csv\"\n");
    answered(&scratch, counts, Options { constraints: Some(rules), replicates: 0, ..Options::default() });
}

fn answered(scratch: &Scratch, counts: PathBuf, options: Options) {
    let out = scratch.path("bundle");
    match reconcile(&counts, &options, &out, &Silent) {
        Ok(reconciled) => assert!(reconciled.folder.join("reconcile.json").is_file()),
        // What is no tree has no fit to choose.
        Err(ReconcileError::Fit) => {
            let _ = reconcile(&counts, &Options { fit: None, ..options }, &out, &Silent);
        }
        Err(error) => assert!(!error.to_string().is_empty() && !out.exists()),
    }
}
