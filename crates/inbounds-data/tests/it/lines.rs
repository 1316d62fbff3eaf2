//! Lines that are neither header nor rows, against a plain loop over the rows that were written.

use std::fs;
use std::path::Path;

use inbounds_core::Grid;
use inbounds_data::{Clip, DataError, Engine, FileEngine, Kind, Missing, Query, Source, TextEncoding, TextLayout};
use tempfile::tempdir;

use crate::random::Random;
use crate::{all_answers, keys, text};

const PLACES: [&str; 5] = ["a", "b, c", "two\nlines", "say \"so\"", "# no comment"];

fn source(path: &Path, text: TextLayout) -> Source {
    Source { text, ..Source::new(path.to_str().unwrap()).with_public_types() }
}

/// Places and numbers, and the file of them between lines that are none.
fn table(random: &mut Random, layout: &TextLayout, newline: &str) -> (Vec<(String, i128)>, String) {
    let sizes = [3, 500, 40_000];
    let rows: Vec<(String, i128)> = (0..sizes[random.below(3) as usize])
        .map(|_| (PLACES[random.below(5) as usize].to_owned(), random.below(100).into()))
        .collect();
    let separator = char::from(layout.separator.unwrap_or(b','));
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let comment = |random: &mut Random| match layout.comment {
        Some(mark) if random.below(4) == 0 => {
            format!("{}{separator}\"a 5\" pipe, not closed{newline}", char::from(mark))
        }
        _ => String::new(),
    };
    let mut file = String::new();
    (0..layout.skip).for_each(|line| file += &format!("Title {line}: \"persons\" by year;,{newline}"));
    file += &comment(random);
    file += &format!(" place {separator}n {newline}");
    for question in 0..layout.skip_rows {
        file += &comment(random);
        file += &format!("{}{separator}\"{{\"\"ImportId\"\": {question}}}\"{newline}", quoted("Where do\nyou live?"));
    }
    for (place, n) in &rows {
        file += &comment(random);
        file += &format!("{}{separator}{n}{newline}", quoted(place));
    }
    let notes = ["", "Source: \"a registry", "---", "Query: a,b;c"];
    let lines: Vec<&str> = (0..layout.footer as usize).map(|line| notes[line % 4]).collect();
    file += &lines.join(newline);
    // The last line may end or not, unless it would be no line then.
    if lines.last().is_some_and(|line| line.is_empty() || random.below(2) == 0) {
        file += newline;
    }
    (rows, file)
}

#[test]
fn only_rows_are_rows() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(7);
    let by = keys(["place"], PLACES.map(|place| [text(place)]));
    let clip = Clip { column: "n".to_owned(), lower: 0, upper: 100, grid: Grid::INTEGERS, missing: Missing::Drop };
    let query = Query { keys: Some(by), values: vec![clip], ..Query::default() };
    for case in 0..60 {
        let mut some = |most: u64| random.below(most) as u32;
        let layout = TextLayout {
            separator: [Some(b';'), None][some(2) as usize],
            skip: some(4),
            skip_rows: some(3),
            footer: some(5),
            comment: [Some(b'#'), Some(b'%'), None][some(3) as usize],
            encoding: [TextEncoding::ByMark, TextEncoding::named("cp1250").unwrap()][some(2) as usize],
            ..TextLayout::default()
        };
        let newline = ["\n", "\r\n"][random.below(2) as usize];
        let (rows, file) = table(&mut random, &layout, newline);
        let path = folder.path().join(["rows.csv", "rows.csv.zst"][case % 2]);
        let bytes = file.as_bytes().to_vec();
        let bytes = if case % 2 == 0 { bytes } else { zstd::encode_all(&bytes[..], 1).unwrap() };
        fs::write(&path, bytes).unwrap();
        let engine = FileEngine::open(&source(&path, layout.clone()).declare("n", Kind::Integer));
        let engine = engine.unwrap_or_else(|error| panic!("{error}\n{layout:?}\n{file:.300}"));
        let numbers_at = |place: &'static str| rows.iter().filter(move |(other, _)| other == place).map(|(_, n)| *n);
        let counts: Vec<i128> = PLACES.into_iter().map(|place| numbers_at(place).count() as i128).collect();
        let sums: Vec<i128> = PLACES.into_iter().map(|place| numbers_at(place).sum()).collect();
        assert_eq!(all_answers(&engine, &query), [counts, sums], "{layout:?} {newline:?}\n{file:.300}");
        let all = all_answers(&engine, &Query::default());
        assert_eq!(all, [[rows.len() as i128]], "{layout:?} {newline:?}\n{file:.300}");
    }
}

/// In a file of one column an empty line is a row, wherever it stands, and a line that is left out is none.
#[test]
fn one_column_between_lines_that_are_none() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let layout = TextLayout { skip: 1, skip_rows: 1, footer: 1, comment: Some(b'#'), ..TextLayout::default() };
    for newline in ["\n", "\r\n"] {
        let lines = ["title", "# c", "age", "How old?", "7", "", "# \"x", "", "8", "# y", "Source: z"];
        fs::write(&path, lines.join(newline)).unwrap();
        let engine = FileEngine::open(&source(&path, layout.clone())).unwrap();
        assert_eq!(all_answers(&engine, &Query::default()), [[4]], "{newline:?}");
        let by = keys(["age"], [[text("7")], [text("8")]]);
        assert_eq!(all_answers(&engine, &Query { keys: Some(by), ..Query::default() }), [[1, 1]], "{newline:?}");
    }
}

#[test]
fn names_are_those_that_people_mean() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let names = |layout: &TextLayout, file: &str| {
        fs::write(&path, file).unwrap();
        let engine = FileEngine::open(&source(&path, layout.clone()));
        engine.map(|engine| engine.columns().iter().map(|column| column.name.clone()).collect::<Vec<_>>())
    };
    let plain = TextLayout::default();
    assert_eq!(names(&plain, "sep=;\nYear;Value\n2022;10\n").unwrap(), ["Year", "Value"]);
    assert_eq!(names(&plain, "\u{feff}sep=\t\r\nYear\tValue\r\n").unwrap(), ["Year", "Value"]);
    let skip = TextLayout { skip: 2, ..plain.clone() };
    assert_eq!(names(&skip, "sep=;\nTitle\nYear;Value\n2022;10\n").unwrap(), ["Year", "Value"]);
    assert_eq!(names(&plain, "Year , Value,\n2022,10,\n").unwrap(), ["Year", "Value", "(unnamed 3)"]);
    let header = TextLayout { header: true, ..plain.clone() };
    assert_eq!(names(&header, "geo,2019 ,2020 \nDE,1,2\n").unwrap(), ["geo", "2019", "2020"]);
    let refused = names(&plain, "geo,2019 ,2020 \nDE,1,2\n").err().unwrap().to_string();
    assert!(refused.contains("write `header = true`"), "{refused}");
    assert_eq!(names(&plain, "a,n,a,b\n1,2,3,4\n").unwrap(), ["a (column 1)", "n", "a (column 3)", "b"]);
    let empty = names(&TextLayout { skip: 9, ..plain.clone() }, "a,b\n1,2\n").err().unwrap().to_string();
    assert!(empty.contains("`skip` and `footer` leave no line"), "{empty}");
    let json = Source { text: TextLayout { skip: 1, ..plain.clone() }, ..Source::new("x.jsonl") };
    fs::write(folder.path().join("x.jsonl"), "{}\n").unwrap();
    let json = Source { path: folder.path().join("x.jsonl").to_string_lossy().into_owned(), ..json };
    assert!(FileEngine::open(&json).err().unwrap().to_string().contains("are for CSV, TSV and workbooks"));
}

/// Two columns of one name are an error only if one of them is used; the message says how to name it.
#[test]
fn a_name_of_two_columns_matters_where_it_is_used() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "a,n,a\nx,1,y\nx,2,z\n").unwrap();
    let bare = source(&path, TextLayout::default());
    let engine = FileEngine::open(&bare).unwrap();
    let by = |name: &str| Query { keys: Some(keys([name], [[text("x")], [text("y")]])), ..Query::default() };
    assert_eq!(all_answers(&engine, &by("a (column 3)")), [[0, 1]]);
    let error = engine.check(&by("a")).err().unwrap();
    let told = "keys: 2 columns of the data are called `a`; name the one that is meant by its place, such as `a \
        (column 1)`, or give each \
                a name of its own in the file";
    assert!(matches!(error, DataError::AmbiguousColumn { .. }) && error.to_string() == told, "{error}");
    assert!(FileEngine::open(&bare.declare("a", Kind::Integer)).err().unwrap().to_string().contains("2 columns"));
}

/// Errors about lines count those that are left out, name the keys that leave lines out, and show nothing.
#[test]
fn errors_name_lines_as_an_editor_does_and_the_remedy() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let refused = |layout: TextLayout, file: &str| {
        fs::write(&path, file).unwrap();
        let engine = FileEngine::open(&source(&path, layout.clone())).unwrap();
        engine.tally(&Query::default()).err().unwrap().to_string()
    };
    let file = "state,icd,deaths\nAlabama,J18,10\n---\nsecret\n";
    let told = refused(TextLayout::default(), file);
    let remedy = "lines that are no rows are left out by `skip` (before the header), `skip_rows` (below it), \
        `footer` (at the end) or `comment` \
                  (by a mark) in [data]";
    assert!(told.contains("line 3 of") && told.ends_with(remedy) && !told.contains("secret"), "{told}");
    let layout = TextLayout { skip: 2, skip_rows: 1, comment: Some(b'#'), ..TextLayout::default() };
    let told = refused(layout, "title\n\na,b\n\"q\nq\",x,y\n1,2\n# c\n3\n");
    assert!(told.contains("line 8 of") && told.contains("1 instead of 2"), "{told}");
}
