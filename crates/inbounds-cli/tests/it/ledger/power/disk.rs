//! A disk that keeps what was synchronised, and of everything else any part.
//!
//! **Idea.** Data of a file are safe when the file was synchronised, names in a folder when the folder was. Until then
//! each write, each change of a length and each change of a name survives a loss of power or not, by itself and in any
//! combination; of a write also single sectors, or only that the file grew. That is less than any file system promises.
//! A rename is one change.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What a disk writes as a whole.
const SECTOR: usize = 512;

/// A call that changed files; paths are relative to the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Create(PathBuf),
    Folder(PathBuf),
    Remove(PathBuf),
    Rename { from: PathBuf, to: PathBuf },
    Length { path: PathBuf, length: usize },
    Write { path: PathBuf, at: usize, bytes: Vec<u8> },
    Sync(PathBuf),
}

/// What becomes of changes that were not synchronised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Luck {
    /// All are lost.
    None,
    /// All survive.
    All,
    /// Each has its own fate, drawn with this seed.
    Drawn(u64),
}

/// A folder with everything below it, as far as it is safe, and what has changed since.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    File { safe: Vec<u8>, pending: Vec<Data> },
    Folder { safe: Names, now: Names, pending: Vec<Name> },
}

type Names = BTreeMap<String, usize>;

#[derive(Debug, Clone)]
enum Data {
    Length(usize),
    Write { at: usize, bytes: Vec<u8> },
}

#[derive(Debug, Clone)]
enum Name {
    Put(String, usize),
    Drop(String),
    Move { from: String, to: String, node: usize },
}

/// Numbers that only have to be various.
struct Draw(u64);

impl Draw {
    /// Below `limit`.
    fn next(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

impl Disk {
    /// What stands in a folder, all of it safe.
    pub(super) fn from_folder(folder: &Path) -> Self {
        let mut disk = Self { nodes: Vec::new() };
        disk.take_in(folder);
        disk
    }

    fn take_in(&mut self, path: &Path) -> usize {
        let id = self.nodes.len();
        if path.is_file() {
            self.nodes.push(Node::File { safe: fs::read(path).expect("a file"), pending: Vec::new() });
            return id;
        }
        self.nodes.push(folder());
        for entry in fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry");
            let child = self.take_in(&entry.path());
            let Node::Folder { safe, now, .. } = &mut self.nodes[id] else { unreachable!() };
            let name = entry.file_name().into_string().expect("UTF-8");
            safe.insert(name.clone(), child);
            now.insert(name, child);
        }
        id
    }

    fn find(&self, path: &Path) -> usize {
        path.iter().filter(|part| *part != ".").fold(0, |at, part| {
            let Node::Folder { now, .. } = &self.nodes[at] else { panic!("{} is in no folder", path.display()) };
            now[part.to_str().expect("UTF-8")]
        })
    }

    fn names_of(&mut self, path: &Path) -> (&mut Names, &mut Vec<Name>, String) {
        let folder = self.find(path.parent().unwrap_or(Path::new("")));
        let Node::Folder { now, pending, .. } = &mut self.nodes[folder] else { panic!("{}", path.display()) };
        (now, pending, path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned())
    }

    fn put(&mut self, path: &Path, node: Node) {
        let id = self.nodes.len();
        self.nodes.push(node);
        let (now, pending, name) = self.names_of(path);
        now.insert(name.clone(), id);
        pending.push(Name::Put(name, id));
    }

    fn change_data(&mut self, path: &Path, data: Data) {
        let id = self.find(path);
        let Node::File { pending, .. } = &mut self.nodes[id] else { panic!("{} is no file", path.display()) };
        pending.push(data);
    }

    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Create(path) => self.put(path, Node::File { safe: Vec::new(), pending: Vec::new() }),
            Change::Folder(path) => self.put(path, folder()),
            Change::Remove(path) => {
                let (now, pending, name) = self.names_of(path);
                now.remove(&name);
                pending.push(Name::Drop(name));
            }
            Change::Rename { from, to } => {
                assert_eq!(from.parent(), to.parent(), "a move to another folder is not modelled");
                let (now, pending, from) = self.names_of(from);
                let node = now.remove(&from).expect("what is renamed is there");
                let to = to.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
                now.insert(to.clone(), node);
                pending.push(Name::Move { from, to, node });
            }
            Change::Length { path, length } => self.change_data(path, Data::Length(*length)),
            Change::Write { path, at, bytes } => self.change_data(path, Data::Write { at: *at, bytes: bytes.clone() }),
            Change::Sync(path) => {
                let id = self.find(path);
                match &mut self.nodes[id] {
                    Node::File { safe, pending } => pending.drain(..).for_each(|data| data.survive(safe)),
                    Node::Folder { safe, now, pending } => {
                        pending.clear();
                        safe.clone_from(now);
                    }
                }
            }
        }
    }

    /// Writes what a loss of power leaves into an empty folder.
    pub(super) fn leave(&self, root: &Path, luck: Luck) {
        let mut draw = Draw(if let Luck::Drawn(seed) = luck { seed } else { 0 });
        // Now and then most survive, or most are lost.
        let odds = 1 + draw.next(9);
        self.leave_node(0, root, luck, &mut |limit| match (luck, limit) {
            (Luck::None, _) => 0,
            (Luck::All, limit) => limit - 1,
            // Whether something survives at all.
            (Luck::Drawn(_), 2) => u64::from(draw.next(10) < odds),
            (Luck::Drawn(_), limit) => draw.next(limit),
        });
    }

    fn leave_node(&self, id: usize, path: &Path, luck: Luck, draw: &mut dyn FnMut(u64) -> u64) {
        match &self.nodes[id] {
            Node::File { safe, pending } => {
                let mut bytes = safe.clone();
                for data in pending {
                    if draw(2) == 1 {
                        data.damaged(luck, draw).into_iter().for_each(|data| data.survive(&mut bytes));
                    }
                }
                fs::write(path, bytes).expect("writes");
            }
            Node::Folder { safe, pending, .. } => {
                let mut names = safe.clone();
                pending.iter().filter(|_| draw(2) == 1).for_each(|name| name.survive(&mut names));
                fs::create_dir_all(path).expect("a folder");
                for (name, child) in names {
                    self.leave_node(child, &path.join(name), luck, draw);
                }
            }
        }
    }
}

fn folder() -> Node {
    Node::Folder { safe: Names::new(), now: Names::new(), pending: Vec::new() }
}

impl Data {
    /// What is left of a change that survives.
    fn damaged(&self, luck: Luck, draw: &mut dyn FnMut(u64) -> u64) -> Vec<Data> {
        let Self::Write { at, bytes } = self else { return vec![self.clone()] };
        match if luck == Luck::All { 0 } else { draw(4) } {
            0 | 1 => vec![self.clone()],
            // The file grew, and that is all.
            2 => vec![Self::Write { at: at + bytes.len(), bytes: Vec::new() }],
            _ => {
                let (mut from, mut sectors) = (0, Vec::new());
                while from < bytes.len() {
                    let to = (from + SECTOR - (at + from) % SECTOR).min(bytes.len());
                    if draw(2) == 1 {
                        sectors.push(Self::Write { at: at + from, bytes: bytes[from..to].to_vec() });
                    }
                    from = to;
                }
                sectors
            }
        }
    }

    fn survive(&self, file: &mut Vec<u8>) {
        match self {
            Self::Length(length) => file.resize(*length, 0),
            Self::Write { at, bytes } => {
                let end = at + bytes.len();
                if file.len() < end {
                    file.resize(end, 0);
                }
                file[*at..end].copy_from_slice(bytes);
            }
        }
    }
}

impl Name {
    fn survive(&self, names: &mut Names) {
        match self {
            Self::Put(name, node) => drop(names.insert(name.clone(), *node)),
            Self::Drop(name) => drop(names.remove(name)),
            Self::Move { from, to, node } => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}
