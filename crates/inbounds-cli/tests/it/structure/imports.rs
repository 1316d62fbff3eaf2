//! Which files of a crate use which others, by their `use` declarations.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::repository::files_below;
use syn::{Attribute, Item, ItemUse, Meta, UseTree, Visibility};

/// The path of a module inside its crate; empty for the root.
pub(super) type Module = Vec<String>;

/// What a module takes of another: the names.
type Names = BTreeSet<String>;

/// One name that a `use` declaration brings into scope.
struct Import {
    path: Vec<String>,
    /// The name here, which `as` may have changed; `*` for all.
    name: String,
    /// True if it is re-exported: then a use of it here is a use of it there.
    is_shown: bool,
}

/// The files of a crate, without its root and its tests, and what each uses of the others.
pub(super) struct Imports {
    pub(super) by_module: BTreeMap<Module, BTreeMap<Module, Names>>,
}

impl Imports {
    /// Reads all sources below a folder.
    pub(super) fn read(sources: &Path) -> Self {
        let declared: BTreeMap<Module, Vec<Import>> = files(sources)
            .into_iter()
            .map(|path| {
                let text = fs::read_to_string(&path).expect("a source");
                let items = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).items;
                (module(sources, &path), imports(&items))
            })
            .collect();
        let known: BTreeSet<&Module> = declared.keys().collect();
        let mut shown: BTreeMap<(Module, String), Vec<String>> = BTreeMap::new();
        for (module, imports) in &declared {
            for import in imports.iter().filter(|import| import.is_shown) {
                if let Some(path) = absolute(&known, module, &import.path) {
                    shown.insert((module.clone(), import.name.clone()), path);
                }
            }
        }
        let mut by_module: BTreeMap<Module, BTreeMap<Module, Names>> = BTreeMap::new();
        for (module, imports) in &declared {
            let used = by_module.entry(module.clone()).or_default();
            for import in imports.iter().filter(|import| !import.is_shown) {
                let Some(path) = absolute(&known, module, &import.path) else { continue };
                let (home, name) = home(&known, &shown, path);
                if !home.is_empty() && home != *module {
                    used.entry(home).or_default().insert(name);
                }
            }
        }
        by_module.remove(&Module::new());
        Self { by_module }
    }

    /// Every module that one uses, or that those use.
    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Module> = self.by_module[from].keys().collect();
        while let Some(next) = open.pop() {
            if let Some((module, used)) = self.by_module.get_key_value(next)
                && reached.insert(module)
            {
                open.extend(used.keys());
            }
        }
        reached
    }

    /// Sets of files each of which uses every other, directly or not.
    pub(super) fn circles(&self) -> Vec<Vec<&Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.by_module.keys().map(|module| (module, self.reached(module))).collect();
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for (&module, others) in &reached {
            if others.contains(module) && !seen.contains(module) {
                let circle: Vec<&Module> =
                    others.iter().copied().filter(|other| reached[other].contains(module)).collect();
                seen.extend(circle.iter().copied());
                circles.push(circle);
            }
        }
        circles
    }
}

/// The sources below a folder, tests left out.
fn files(folder: &Path) -> Vec<PathBuf> {
    let is_test = |path: &PathBuf| {
        let inside = path.strip_prefix(folder).expect("a path below the folder").with_extension("");
        inside.iter().any(|part| part == "tests")
    };
    files_below(folder, "rs").into_iter().filter(|path| !is_test(path)).collect()
}

/// The module that a file is.
fn module(sources: &Path, path: &Path) -> Module {
    let inside = path.strip_prefix(sources).expect("a path below the sources").with_extension("");
    let mut parts: Module = inside.iter().map(|part| part.to_str().expect("UTF-8").to_owned()).collect();
    let last = parts.last().map(String::as_str);
    if last == Some("mod") || parts.len() == 1 && matches!(last, Some("lib" | "main")) {
        parts.pop();
    }
    parts
}

fn is_test(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

fn imports(items: &[Item]) -> Vec<Import> {
    let uses = items.iter().filter_map(|item| match item {
        Item::Use(item) if !item.attrs.iter().any(is_test) => Some(item),
        _ => None,
    });
    let mut imports = Vec::new();
    for ItemUse { vis, tree, .. } in uses {
        flatten(tree, &mut Vec::new(), !matches!(vis, Visibility::Inherited), &mut imports);
    }
    imports
}

/// The names that a tree brings into scope.
fn flatten(tree: &UseTree, before: &mut Vec<String>, is_shown: bool, imports: &mut Vec<Import>) {
    let mut add = |before: &[String], last: String, name: String| {
        let mut path = before.to_vec();
        match last.as_str() {
            "self" | "*" => {}
            _ => path.push(last),
        }
        let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name };
        imports.push(Import { path, name, is_shown });
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, is_shown, imports);
            before.pop();
        }
        UseTree::Name(name) => add(before, name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(renamed) => add(before, renamed.ident.to_string(), renamed.rename.to_string()),
        UseTree::Glob(_) => add(before, "*".to_owned(), "*".to_owned()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, is_shown, imports)),
    }
}

/// A path from the root of the crate; none for one of another crate.
fn absolute(known: &BTreeSet<&Module>, module: &Module, path: &[String]) -> Option<Vec<String>> {
    let mut base = module.clone();
    match path.first().map(String::as_str)? {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([&base, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            base.truncate(base.len() - up);
            Some([&base, &path[up..]].concat())
        }
        first => {
            base.push(first.to_owned());
            known.contains(&base).then(|| [&base, &path[1..]].concat())
        }
    }
}

/// The file in which something is, through all files that show it again, and its name there.
fn home(
    known: &BTreeSet<&Module>,
    shown: &BTreeMap<(Module, String), Vec<String>>,
    mut path: Vec<String>,
) -> (Module, String) {
    let mut seen = BTreeSet::new();
    loop {
        let length = (0..=path.len()).rev().find(|length| known.contains(&path[..*length].to_vec()));
        let (home, rest) = path.split_at(length.expect("the root is known"));
        let Some(name) = rest.first() else { return (home.to_vec(), "*".to_owned()) };
        let place = (home.to_vec(), name.clone());
        match shown.get(&place) {
            Some(target) if seen.insert(place.clone()) => path = [target, &rest[1..]].concat(),
            _ => return place,
        }
    }
}
