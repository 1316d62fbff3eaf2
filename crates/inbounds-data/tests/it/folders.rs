//! Ways that lead to the same rows twice, or to none of them: each is read once or refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use inbounds_data::{FileEngine, Kind, Query, Source};
use tempfile::{TempDir, tempdir};

use crate::{all_answers, filtered};

/// A folder with files of one row each.
fn files(names: &[&str]) -> TempDir {
    let folder = tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x\n1\n").unwrap();
    }
    folder
}

fn link(folder: &TempDir, to: &str, name: &str) {
    symlink(to, folder.path().join(name)).unwrap();
}

fn source(folder: &TempDir, path: &str) -> Source {
    Source::new(folder.path().join(path).to_str().unwrap())
}

/// Why a source is refused, with the folder cut out.
fn refusal(folder: &TempDir, source: &Source) -> String {
    let error = FileEngine::open(source).err().unwrap_or_else(|| panic!("{} is refused", source.path));
    error.to_string().replace(&folder.path().display().to_string(), "")
}

/// Number of rows under a filter.
fn rows(source: &Source, filter: &str) -> i128 {
    all_answers(&FileEngine::open(source).unwrap_or_else(|error| panic!("{error}")), &filtered(filter))[0][0]
}

fn all_rows(source: &Source) -> i128 {
    all_answers(&FileEngine::open(source).unwrap_or_else(|error| panic!("{error}")), &Query::default())[0][0]
}

fn no_link(link: &str) -> String {
    format!(
        "`{link}` is a link to a folder, by which rows could be read twice or without end; put the folder itself in its \
         place, or name all files with a glob without `**`"
    )
}

fn one_file(first: &str, file: &str) -> String {
    format!(
        "`{first}` and `{file}` are one file, whose rows would count twice; remove the link, or name the files with a glob \
         that has only one of the two"
    )
}

#[test]
fn links_to_folders_are_refused() {
    let folder = files(&["rows/a=1/x.csv", "elsewhere/x.csv"]);
    link(&folder, "a=1", "rows/a=2");
    for path in ["rows", "rows/**/*.csv", "**/*.csv", "r*/**/x.csv"] {
        assert_eq!(refusal(&folder, &source(&folder, path)), no_link("/rows/a=2"), "{path}");
    }
    // Without `**` a link is followed once, and what it leads to twice is refused.
    let twice = one_file("/rows/a=1/x.csv", "/rows/a=2/x.csv");
    assert_eq!(refusal(&folder, &source(&folder, "rows/*/*.csv")), twice);
    fs::remove_file(folder.path().join("rows/a=2")).unwrap();
    link(&folder, "../elsewhere", "rows/a=2");
    assert_eq!(refusal(&folder, &source(&folder, "rows")), no_link("/rows/a=2"));
    assert_eq!(rows(&source(&folder, "rows/*/*.csv"), "a = '2'"), 1);
    // The data folder itself may be a link, and so may a folder that is left out.
    fs::remove_file(folder.path().join("rows/a=2")).unwrap();
    link(&folder, "rows", "also");
    link(&folder, "..", "rows/.up");
    assert_eq!(all_rows(&source(&folder, "also")), 1);
}

#[test]
fn loops_end() {
    let folder = files(&["rows/a=1/x.csv"]);
    link(&folder, "..", "rows/a=1/a=1");
    link(&folder, "../../rows", "rows/a=1/a=2");
    let refused = refusal(&folder, &source(&folder, "rows/**/*.csv"));
    assert!([no_link("/rows/a=1/a=1"), no_link("/rows/a=1/a=2")].contains(&refused), "{refused}");
    fs::remove_file(folder.path().join("rows/a=1/x.csv")).unwrap();
    let refused = refusal(&folder, &source(&folder, "rows"));
    assert!([no_link("/rows/a=1/a=1"), no_link("/rows/a=1/a=2")].contains(&refused), "{refused}");
}

#[test]
fn a_file_is_read_once() {
    let folder = files(&["rows/a.csv", "elsewhere/c.csv"]);
    link(&folder, "a.csv", "rows/b.csv");
    for path in ["rows", "rows/*.csv", "rows/**/*.csv"] {
        assert_eq!(refusal(&folder, &source(&folder, path)), one_file("/rows/a.csv", "/rows/b.csv"), "{path}");
    }
    assert_eq!(all_rows(&source(&folder, "rows/b*.csv")), 1);
    fs::remove_file(folder.path().join("rows/b.csv")).unwrap();
    link(&folder, "../elsewhere/c.csv", "rows/c.csv");
    assert_eq!(all_rows(&source(&folder, "rows")), 2);
    // What is found and cannot be read is no reason to read the rest.
    link(&folder, "nowhere", "rows/d.csv");
    for path in ["rows", "rows/*.csv"] {
        assert!(refusal(&folder, &source(&folder, path)).starts_with("cannot read `/rows/d.csv`: "), "{path}");
    }
}

#[test]
fn folders_that_name_columns_are_not_hidden() {
    let folder = files(&["rows/_a=1/x.csv", "rows/_a=2/x.csv", "rows/.b/x.csv", "rows/_log/x.csv", "dot/.a=1/x.csv"]);
    let by_path = source(&folder, "rows").declare("_a", Kind::Integer);
    assert_eq!([all_rows(&by_path), rows(&by_path, "_a = 2")], [2, 1]);
    let by_glob = source(&folder, "rows/*=*/*.csv");
    assert_eq!([all_rows(&by_glob), rows(&by_glob, "_a = '2'")], [2, 1]);
    assert_eq!(rows(&source(&folder, "dot"), "\".a\" = '1'"), 1);
    // A folder of that name beside files is refused, as any other is.
    fs::write(folder.path().join("dot/y.csv"), "x\n1\n").unwrap();
    assert!(refusal(&folder, &source(&folder, "dot")).starts_with("`/dot` holds the folder `/dot/.a=1`"));
}

#[test]
fn a_path_may_begin_with_a_dot() {
    let folder = files(&["rows/a=1/x.csv", "rows/a=2/x.csv"]);
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let rows_at = |begin: &str, pattern: &str| {
        let path = Path::new(begin).join(&up).join(folder.path().strip_prefix("/").unwrap()).join("rows").join(pattern);
        rows(&Source::new(path.to_str().unwrap()).with_public_types(), "a = '2'")
    };
    for begin in [".", "././", ""] {
        for pattern in ["*/*.csv", "./*/*.csv", "**/*.csv", ""] {
            assert_eq!(rows_at(begin, pattern), 1, "{begin} {pattern}");
        }
    }
    let refused = refusal(&folder, &source(&folder, "rows/*1/../a=2/x.csv"));
    assert_eq!(
        refused,
        "cannot tell which folders between `/rows` and `/rows/a=1/../a=2/x.csv` name columns; write the path without `..` \
         behind `*`, `?` or `[`"
    );
}

/// JSON lines have no header that says whether the files have the column too.
#[test]
fn json_lines_take_a_column_from_one_place() {
    let folder = tempdir().unwrap();
    let inner = folder.path().join("rows/a=1");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("x.jsonl"), "{\"a\": 7, \"b\": 1}\n").unwrap();
    let undeclared = source(&folder, "rows").declare("b", Kind::Integer);
    assert_eq!(rows(&undeclared, "a = '1' AND b = 1"), 1);
    assert_eq!(
        refusal(&folder, &undeclared.clone().declare("a", Kind::Integer)),
        "column `a` is declared, and `/rows/a=1/x.jsonl` lies in a folder `a=...` too: JSON lines have no header that says whose \
         cells are meant. For those in the lines, take `a=` out of the names of the folders and use a glob; for those of the \
         folders, write the rows as CSV or Parquet"
    );
    // The first remedy.
    fs::rename(&inner, folder.path().join("rows/1")).unwrap();
    assert_eq!(rows(&source(&folder, "rows/*/*.jsonl").declare("a", Kind::Integer), "a = 7"), 1);
}
