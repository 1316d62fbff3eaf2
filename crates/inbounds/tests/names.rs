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

#[test]
fn no_two_public_types_share_a_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut found = BTreeMap::new();
    for name in ["core", "mechanisms", "project", "statistics"] {
        types(&crates.join(format!("inbounds-{name}/src")), &mut found);
    }
    assert!(found.len() > 100, "{found:?}");
    let shared: Vec<_> = found.into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(shared.is_empty(), "{shared:#?}");
}
