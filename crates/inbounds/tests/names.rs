//! Names of public types, so that an import says which one is meant.

use std::{collections::BTreeMap, fs, path::Path};

/// Public types declared in the source files under a folder, without those of inline tests, each with its files.
fn types(folder: &Path, found: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            types(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests").next().expect("a first part");
        for line in code.lines() {
            let declared = ["struct ", "enum ", "trait ", "type "]
                .into_iter()
                .find_map(|keyword| line.strip_prefix("pub ")?.strip_prefix(keyword));
            if let Some(rest) = declared {
                let name = rest.split(|letter: char| !letter.is_alphanumeric()).next().expect("a name");
                found.entry(name.to_owned()).or_default().push(path.display().to_string());
            }
        }
    }
}

/// Those of a crate that its root exports: the solvers below are shared with releases, and nobody else calls them.
fn reconciling(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let root = fs::read_to_string(folder.join("lib.rs")).expect("a root");
    let exports = root.lines().filter(|line| line.starts_with("pub use ")).collect::<String>();
    let mut found = BTreeMap::new();
    types(folder, &mut found);
    found.retain(|name, _| exports.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name));
    assert!(found.len() > 10, "{found:?}");
    found
}

#[test]
fn no_two_public_types_share_a_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut found = BTreeMap::new();
    for name in ["core", "mechanisms", "project", "statistics", "advise"] {
        types(&crates.join(format!("inbounds-{name}/src")), &mut found);
    }
    for (name, files) in reconciling(&crates.join("inbounds-reconcile/src")) {
        found.entry(name).or_default().extend(files);
    }
    assert!(found.len() > 100, "{found:?}");
    // In Rust an `Error` is a failure: the error of an estimate says so, and a failure says of what.
    assert!(!found.contains_key("Error"), "{found:?}");
    let shared: Vec<_> = found.into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(shared.is_empty(), "{shared:#?}");
}
