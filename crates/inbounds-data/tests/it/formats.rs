//! One table in every format gives the same integers, and a damaged file is refused by its name alone.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};
use encoding_rs::WINDOWS_1252;
use flate2::{Compression, write::GzEncoder};
use inbounds_data::{
    CellRules, ContributionBound, DataError, Engine, FileEngine, KeyValue, Kind, Query, Source, TextEncoding,
    TextLayout,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::write::{self, Row};
use crate::{all_answers, filtered, income, keys, partitions, text};

/// Rows with letters that distinguish encodings, separators and quotation marks.
fn rows(count: usize) -> Vec<Row> {
    let mut random = Random::new(13);
    let mut rows = random.rows(count, 50);
    for row in rows.iter_mut().filter(|row| row.state.as_deref() == Some("NV")) {
        row.state =
            Some(["Zürich", "a,b", "c;d", "say \"so\"", "it's", "two\nlines"][random.below(6) as usize].to_owned());
    }
    rows
}

fn questions() -> Vec<Query> {
    let states = STATES.into_iter().chain(["Zürich", "a,b", "c;d", "say \"so\"", "it's", "two\nlines"]);
    let by_state = keys(["state"], states.map(|state| [text(state)]));
    let by_both = keys(["member", "age"], (0..90).map(|age| [KeyValue::Boolean(age % 2 == 0), KeyValue::Integer(age)]));
    let bound = Some(ContributionBound::of_rows("person", 3));
    vec![
        Query { keys: Some(by_state.clone()), values: vec![income()], products: vec![(0, 0)], ..Query::default() },
        Query { keys: Some(by_both), bound: bound.clone(), values: vec![income()], ..Query::default() },
        Query { keys: Some(by_state), bound, ..Query::default() },
        filtered("age >= 30 AND (income < 1000.5 OR member) AND state <> 'Zürich'"),
        filtered("state IS NULL OR income IS NULL"),
    ]
}

/// The table as delimited text: a field is quoted if it must be, and a number is written with this separator of
/// decimals.
fn delimited(rows: &[Row], separator: char, quote: char, decimal: char, newline: &str) -> String {
    let quoted = |cell: String| {
        let special = [separator, quote, '\n', '\r'];
        let doubled = || format!("{quote}{}{quote}", cell.replace(quote, &format!("{quote}{quote}")));
        if cell.contains(special) { doubled() } else { cell.clone() }
    };
    let cell = |value: Option<String>| quoted(value.unwrap_or_default());
    let header = ["state", "age", "income", "member", "person"].join(&separator.to_string());
    let line = |row: &Row| {
        let income = row.income.map(|income| income.to_string().replace('.', &decimal.to_string()));
        let cells = [
            cell(row.state.clone()),
            cell(row.age.map(|age| age.to_string())),
            cell(income),
            cell(row.member.map(|member| member.to_string())),
            cell(row.person.clone()),
        ];
        cells.join(&separator.to_string())
    };
    std::iter::once(header).chain(rows.iter().map(line)).map(|line| line + newline).collect()
}

fn declared(path: &Path) -> Source {
    let source = Source::new(path.to_str().unwrap()).with_public_types();
    source.declare("age", Kind::Integer).declare("income", Kind::Number).declare("member", Kind::Boolean)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// As `zstd --long=31` writes it, but for the compression: one frame with a window of 2^31 bytes.
fn widest_zstd(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, (31 - 10) << 3];
    let blocks = bytes.chunks(1 << 16);
    let last = blocks.len() - 1;
    for (place, block) in blocks.enumerate() {
        let header = u32::from(place == last) | (block.len() as u32) << 3;
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame
}

/// UTF-16 with a byte order mark, or without.
fn utf16(text: &str, order: fn(u16) -> [u8; 2], mark: bool) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter().chain(text.encode_utf16()).flat_map(order).collect()
}

/// Every spelling of the same table, and how it is read.
fn spellings(folder: &Path, rows: &[Row]) -> Vec<(PathBuf, Source)> {
    let commas = delimited(rows, ',', '"', '.', "\n");
    let semicolons = delimited(rows, ';', '\'', ',', "\r\n");
    let tabs = delimited(rows, '\t', '"', '.', "\n");
    let layout = |separator: Option<u8>, quote: u8, encoding| TextLayout {
        separator,
        quote: Some(quote),
        encoding,
        ..TextLayout::default()
    };
    let usual = TextLayout::default();
    let european = CellRules { decimal: ',', ..CellRules::default() };
    let german = layout(Some(b';'), b'\'', TextEncoding::Latin1);
    let (latin1, _, lost) = WINDOWS_1252.encode(&semicolons);
    assert!(!lost);
    let members = [gzip(&commas.as_bytes()[..1000]), gzip(&commas.as_bytes()[1000..])].concat();
    let padded = [members.clone(), vec![0; 100_000]].concat();
    let mut all = Vec::new();
    let mut add = |name: &str, bytes: &[u8], text: &TextLayout, cells: &CellRules| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let source = Source { text: text.clone(), cells: cells.clone(), ..declared(&path) };
        all.push((path, source));
    };
    let plain = CellRules::default();
    add("plain.csv", commas.as_bytes(), &usual, &plain);
    add("mark.csv", format!("\u{feff}{commas}").as_bytes(), &usual, &plain);
    add("tabs.tsv", tabs.as_bytes(), &usual, &plain);
    add("latin1.csv", &latin1, &german, &european);
    add("latin1.csv.gz", &gzip(&latin1), &german, &european);
    add("packed.csv.gz", &gzip(commas.as_bytes()), &usual, &plain);
    add("members.csv.gz", &members, &usual, &plain);
    add("padded.csv.gz", &padded, &usual, &plain);
    add("wide.csv.zst", &widest_zstd(commas.as_bytes()), &usual, &plain);
    add("packed.csv.zst", &zstd(commas.as_bytes()), &usual, &plain);
    add("packed.tsv.zst", &zstd(tabs.as_bytes()), &usual, &plain);
    // A name that does not tell.
    add("unnamed.csv", &gzip(commas.as_bytes()), &usual, &plain);
    add("unpacked.csv.gz", commas.as_bytes(), &usual, &plain);
    add("utf16.csv", &utf16(&commas, u16::to_le_bytes, true), &usual, &plain);
    add("utf16be.csv", &utf16(&commas, u16::to_be_bytes, true), &usual, &plain);
    let encoding = |encoding| layout(None, b'"', encoding);
    add("bare16.csv", &utf16(&commas, u16::to_le_bytes, false), &encoding(TextEncoding::Utf16), &plain);
    add("bare16be.csv", &utf16(&commas, u16::to_be_bytes, false), &encoding(TextEncoding::Utf16Be), &plain);
    add("utf16.tsv.gz", &gzip(&utf16(&tabs, u16::to_le_bytes, true)), &encoding(TextEncoding::Utf16), &plain);
    all
}

/// The table as JSON lines, in the ways that programs write them: nulls or no names, numbers or texts.
fn json_lines(rows: &[Row]) -> String {
    let line = |(place, row): (usize, &Row)| {
        let mut fields = serde_json::Map::new();
        let mut put = |name: &str, value: Option<serde_json::Value>| match value {
            Some(value) => drop(fields.insert(name.to_owned(), value)),
            None if place % 2 == 0 => drop(fields.insert(name.to_owned(), serde_json::Value::Null)),
            None => {}
        };
        put("person", row.person.clone().map(Into::into));
        put("note", Some(serde_json::json!({ "income": [1, 2], "age": "\n" })));
        put("state", row.state.clone().map(Into::into));
        put("member", row.member.map(|member| if place % 3 == 0 { (i32::from(member)).into() } else { member.into() }));
        put("age", row.age.map(|age| if place % 5 == 0 { age.to_string().into() } else { age.into() }));
        // JSON has no word for what is no finite number: as a text it is one.
        let number = |income: f64| if income.is_finite() { income.into() } else { income.to_string().into() };
        put("income", row.income.map(number));
        serde_json::Value::Object(fields).to_string() + if place % 7 == 0 { "\r\n\n" } else { "\n" }
    };
    rows.iter().enumerate().map(line).collect()
}

/// The columns of [`write::parquet`], with texts in this layout.
fn arrow_file(path: &Path, rows: &[Row], text: &DataType) {
    let parquet = path.with_extension("parquet");
    write::parquet(&parquet, rows);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&parquet).unwrap()).unwrap();
    // A file has one dictionary for each column.
    let rows = if matches!(text, DataType::Dictionary(..)) { usize::MAX >> 1 } else { 20_000 };
    let reader = reader.with_batch_size(rows).build().unwrap();
    fs::remove_file(parquet).unwrap();
    let mut writer: Option<FileWriter<File>> = None;
    for batch in reader {
        let batch = batch.unwrap();
        let arrays = batch.columns().iter().map(|array| match array.data_type() {
            DataType::Utf8 => cast(array, text).unwrap(),
            _ => array.clone(),
        });
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        let fields = names.into_iter().zip(arrays).map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(fields).unwrap();
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
        let new = || FileWriter::try_new_with_options(File::create(path).unwrap(), &batch.schema(), options).unwrap();
        writer.get_or_insert_with(new).write(&batch).unwrap();
    }
    writer.unwrap().finish().unwrap();
}

/// Formats that are no delimited text.
fn stored(folder: &Path, rows: &[Row]) -> Vec<(PathBuf, Source)> {
    let lines = json_lines(rows);
    let mut all = Vec::new();
    for (name, bytes) in [
        ("rows.jsonl", lines.clone().into_bytes()),
        ("rows.ndjson.gz", gzip(format!("\u{feff}{lines}").as_bytes())),
        ("rows16.jsonl", utf16(&lines, u16::to_le_bytes, true)),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        all.push((path.clone(), declared(&path).declare("state", Kind::Text).declare("person", Kind::Text)));
    }
    let dictionary = |width| DataType::Dictionary(Box::new(width), Box::new(DataType::Utf8));
    let layouts = [
        ("a.arrow", DataType::Utf8),
        ("b.feather", DataType::LargeUtf8),
        ("c.ipc", DataType::Utf8View),
        ("d.arrow", dictionary(DataType::Int8)),
        ("e.arrow", dictionary(DataType::Int32)),
    ];
    for (name, text) in layouts {
        let path = folder.join(name);
        arrow_file(&path, rows, &text);
        all.push((path.clone(), Source::new(path.to_str().unwrap()).with_public_types()));
    }
    all
}

/// The table in folders by state and member, each format in its own, and those columns in no file. JSON lines hold
/// both, and are in folders by state, which is not declared.
fn partitioned(folder: &Path, rows: &[Row]) -> Vec<(PathBuf, Source)> {
    let encoded = |text: &str| {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
                other => format!("%{other:02X}"),
            })
            .collect::<String>()
    };
    let missing = "__HIVE_DEFAULT_PARTITION__".to_owned();
    let mut parts: std::collections::BTreeMap<(String, String), Vec<Row>> = Default::default();
    for row in rows {
        let state = row.state.as_deref().map_or(missing.clone(), encoded);
        let member = row.member.map_or(missing.clone(), |member| member.to_string());
        parts.entry((state, member)).or_default().push(row.clone());
    }
    for ((state, member), rows) in &parts {
        for format in ["parquet", "csv", "jsonl"] {
            let inner = match format {
                "jsonl" => folder.join(format!("by-jsonl/state={state}")),
                _ => folder.join(format!("by-{format}/state={state}/member={member}")),
            };
            fs::create_dir_all(&inner).unwrap();
            match format {
                "parquet" => write::parquet_without(&inner.join("rows.parquet"), rows, &["state", "member"]),
                "jsonl" => fs::write(inner.join(format!("member-{member}.jsonl")), json_lines(rows)).unwrap(),
                _ => {
                    let line = |row: &Row| {
                        let age = row.age.map(|age| age.to_string()).unwrap_or_default();
                        let income = row.income.map(|income| income.to_string()).unwrap_or_default();
                        format!("{age},{income},{}\n", row.person.clone().unwrap_or_default())
                    };
                    let text: String = rows.iter().map(line).collect();
                    fs::write(inner.join("rows.csv"), format!("age,income,person\n{text}")).unwrap();
                }
            }
        }
    }
    let parquet = folder.join("by-parquet");
    let source = Source::new(parquet.to_str().unwrap()).with_public_types().declare("member", Kind::Boolean);
    let glob = folder.join("by-parquet/*/*/*.parquet");
    let by_glob = Source { path: glob.to_str().unwrap().to_owned(), ..source.clone() };
    let (csv, json) = (folder.join("by-csv"), folder.join("by-jsonl"));
    let json_source = declared(&json).declare("person", Kind::Text);
    vec![(parquet, source), (glob, by_glob), (csv.clone(), declared(&csv)), (json.clone(), json_source)]
}

#[test]
fn every_format_gives_the_same_integers() {
    let folder = tempdir().unwrap();
    let rows = rows(3_000);
    let reference = folder.path().join("rows.parquet");
    write::parquet(&reference, &rows);
    let reference = FileEngine::open(&Source::new(reference.to_str().unwrap()).with_public_types()).unwrap();
    let expected: Vec<_> = questions().iter().map(|query| all_answers(&reference, query)).collect();
    assert!(expected.iter().all(|answer| answer[0].iter().sum::<i128>() > 100));
    let mut all = spellings(folder.path(), &rows);
    all.extend(stored(folder.path(), &rows));
    all.extend(partitioned(folder.path(), &rows));
    for (path, source) in all {
        for threads in [1, 3] {
            let engine = FileEngine::open(&source).unwrap_or_else(|error| panic!("{error}"));
            let engine = partitions(engine, threads);
            let actual: Vec<_> = questions().iter().map(|query| all_answers(&engine, query)).collect();
            assert_eq!(actual, expected, "{}", path.display());
        }
    }
}

/// Text that fills several blocks, so that every layer is read across their ends.
#[test]
fn long_files_are_read_across_blocks() {
    let folder = tempdir().unwrap();
    let rows = rows(60_000);
    let commas = delimited(&rows, ',', '"', '.', "\n");
    assert!(commas.len() > 1 << 20);
    let query = &questions()[0];
    let answers = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        all_answers(&partitions(FileEngine::open(&declared(&path)).unwrap(), 3), query)
    };
    let expected = answers("rows.csv", commas.as_bytes());
    assert_eq!(answers("rows.csv.zst", &zstd(commas.as_bytes())), expected);
    assert_eq!(answers("rows16.csv.gz", &gzip(&utf16(&commas, u16::to_le_bytes, true))), expected);
    for (path, source) in stored(folder.path(), &rows) {
        let engine = partitions(FileEngine::open(&source).unwrap(), 3);
        assert_eq!(all_answers(&engine, query), expected, "{}", path.display());
    }
}

/// Quotation marks are letters where the layout says so.
#[test]
fn text_without_quotation_marks() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.tsv");
    fs::write(&path, "state\tnote\n\"CA\tsaid \"so\"\nNV\t\"\n\"CA\t5\"\n").unwrap();
    let text_layout = TextLayout { quote: None, ..TextLayout::default() };
    let source = Source { text: text_layout, ..Source::new(path.to_str().unwrap()).with_public_types() };
    let engine = FileEngine::open(&source).unwrap();
    let by_state = Query { keys: Some(keys(["state"], [[text("\"CA")], [text("NV")]])), ..Query::default() };
    assert_eq!(all_answers(&engine, &by_state), [[2, 1]]);
    // A byte that stands for the missing quotation mark is no text, wherever it stands.
    fs::write(&path, b"state\tnote\n\xffCA\tx\nNV\ty\n\xff\tz\n").unwrap();
    let error = FileEngine::open(&source).unwrap().tally(&by_state).err().unwrap();
    assert!(matches!(error, DataError::NotUtf8 { line: 2, .. }), "{error}");
}

/// In a file of one column every line is a row.
#[test]
fn one_column() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("ages.csv");
    for (content, expected) in [
        ("age\n1\n\n3\n", [3, 1]),
        ("age\r\n1\r\n\r\n3\r\n\r\n", [4, 2]),
        ("age\n\n\n\n1", [4, 3]),
        ("age\n\"\"\n \nNA\n7\n", [4, 3]),
        ("age\n", [0, 0]),
        ("\n\nage\n\n", [1, 1]),
    ] {
        fs::write(&path, content).unwrap();
        let rules = CellRules { missing: vec!["NA".to_owned()], ..CellRules::default() };
        let source = Source {
            cells: rules,
            ..Source::new(path.to_str().unwrap()).with_public_types().declare("age", Kind::Integer)
        };
        let engine = FileEngine::open(&source).unwrap();
        let count = |query: &Query| all_answers(&engine, query)[0][0];
        assert_eq!([count(&Query::default()), count(&filtered("age IS NULL"))], expected, "{content:?}");
    }
}

/// Damage below the records names the file, and nothing of what stands in it.
#[test]
fn damaged_files_are_refused() {
    let folder = tempdir().unwrap();
    let rows = rows(40_000);
    let commas = delimited(&rows, ',', '"', '.', "\n");
    let outcome = |name: &str, bytes: &[u8], encoding| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let source = Source { text: TextLayout { encoding, ..TextLayout::default() }, ..declared(&path) };
        let opened = FileEngine::open(&source);
        let error = opened.and_then(|engine| engine.tally(&questions()[0])).err();
        let error = error.unwrap_or_else(|| panic!("{name} is damaged"));
        let shown = error.to_string().replace(&format!("{}/", folder.path().display()), "");
        assert!(!format!("{error:?}").contains("Zürich"), "no cell: {error:?}");
        shown
    };
    let usual = TextEncoding::ByMark;
    let packed = gzip(commas.as_bytes());
    let gzipped = "`a.csv.gz` is not a complete gzip file; write or copy it again";
    for end in [15, packed.len() / 2, packed.len() - 5] {
        assert_eq!(outcome("a.csv.gz", &packed[..end], usual), gzipped, "{end}");
    }
    // Behind a member stand zeros up to the end, or another member.
    for behind in [vec![0, 0, 1], vec![1], [vec![0], packed.clone()].concat(), packed[..20].to_vec()] {
        assert_eq!(outcome("a.csv.gz", &[packed.clone(), behind].concat(), usual), gzipped);
    }
    let mut flipped = packed.clone();
    flipped[packed.len() / 2..packed.len() / 2 + 20].fill(0xaa);
    assert_eq!(outcome("a.csv.gz", &flipped, usual), gzipped);
    let packed = zstd(commas.as_bytes());
    let zstandard = "`a.csv.zst` is not a complete zstd file; write or copy it again";
    for end in [10, packed.len() / 2, packed.len() - 1] {
        assert_eq!(outcome("a.csv.zst", &packed[..end], usual), zstandard, "{end}");
    }
    // Half of a letter at the end, and half of a pair in the middle.
    let wide = utf16(&commas, u16::to_le_bytes, true);
    let no_text = |line: usize| {
        let none = "in no encoding that is known here is all of it text; write or copy it again";
        format!("line {line} of `a.csv` is not UTF-16 text; {none}")
    };
    let lines = commas.matches('\n').count();
    assert_eq!(outcome("a.csv", &wide[..wide.len() - 1], usual), no_text(lines));
    let line = 20_000;
    let begin = commas.match_indices('\n').nth(line - 2).unwrap().0 + 1;
    let units = commas[..begin].encode_utf16().count();
    let mut split = wide.clone();
    split[2 + 2 * units..4 + 2 * units].copy_from_slice(&0xd800u16.to_le_bytes());
    assert_eq!(outcome("a.csv", &split, usual), no_text(line));
    let (latin1, _, _) = WINDOWS_1252.encode(&commas);
    let first = commas[..commas.find('ü').unwrap()].matches('\n').count() + 1;
    let told = outcome("a.csv", &latin1, usual);
    assert!(told.starts_with(&format!("line {first} of `a.csv` is not UTF-8 text; its bytes do not tell")), "{told}");
    assert!(told.contains("latin-1 (Western European)") && !told.contains("Japanese"), "{told}");
    assert!(outcome("a.csv", &wide, TextEncoding::Utf8).starts_with("the first line of `a.csv` must be a header"));
}

#[test]
fn layouts_that_cannot_be() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "a,b\n1,2\n").unwrap();
    let refused = |separator, quote| {
        let text = TextLayout { separator, quote, ..TextLayout::default() };
        FileEngine::open(&Source { text, ..Source::new(path.to_str().unwrap()).with_public_types() })
            .err()
            .map(|error| error.to_string())
    };
    let signs =
        "text: separator, quote and comment must be ASCII characters that are no letters, digits or line breaks";
    for separator in [b'a', b'0', b'\n', 0xe9] {
        assert_eq!(refused(Some(separator), None).as_deref(), Some(signs));
    }
    let two = "text: separator, quote and comment must be different characters";
    assert_eq!(refused(Some(b'"'), Some(b'"')).as_deref(), Some(two));
    assert_eq!(refused(None, Some(b',')).as_deref(), Some(two));
    assert_eq!(refused(Some(b','), None), None);
}

/// A cell of JSON is what CSV would have in its place, and whatever is none is missing: nothing in a line that is an
/// object is an error.
#[test]
fn json_cells() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let cells = [
        ("1", Some(1)),
        ("1.0", Some(1)),
        ("\"1\"", Some(1)),
        ("true", Some(1)),
        ("null", None),
        ("[1]", None),
        ("{\"a\":1}", None),
        ("\"\"", None),
        ("1.5", None),
        ("\"\\ud800\"", None),
        ("\"\\u0031\"", Some(1)),
        ("10e-1", Some(1)),
        ("-99", None),
        ("1e999", Some(i64::MAX)),
        ("123456789012345678901234567890", Some(i64::MAX)),
        (" 1 ", Some(1)),
    ];
    let lines: String = cells.iter().map(|(cell, _)| format!("{{\"b\":[{{}}],\"a\":{cell}}}\n")).collect();
    // A name of half a letter is the name of no column, and no fault of its line.
    let odd = "{\"\\ud800\":5,\"\\u0061\":7,\"a\":1}";
    fs::write(&path, format!("{lines}{{}}\n\n{odd}")).unwrap();
    let rules = CellRules { missing: vec!["-99".to_owned()], decimal: ',', ..CellRules::default() };
    let source =
        Source { cells: rules, ..Source::new(path.to_str().unwrap()).with_public_types().declare("a", Kind::Integer) };
    let engine = FileEngine::open(&source).unwrap();
    let count = |filter: &str| all_answers(&engine, &filtered(filter))[0][0];
    let read = |wanted: Option<i64>| cells.iter().filter(|(_, cell)| *cell == wanted).count() as i128;
    assert_eq!(all_answers(&engine, &Query::default())[0][0], cells.len() as i128 + 2);
    assert_eq!(count("a IS NULL"), read(None) + 1);
    assert_eq!(count("a = 1"), read(Some(1)) + 1);
    assert_eq!(count("a = 9223372036854775807"), read(Some(i64::MAX)));
    let undeclared = engine.check(&filtered("b = 1")).err().unwrap().to_string();
    assert_eq!(undeclared, "filter: column `b` must be declared, because JSON lines data have no header");
}

/// Lines that are no objects, and damage of files that carry types.
#[test]
fn other_damaged_files_are_refused() {
    let folder = tempdir().unwrap();
    let outcome = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let source = Source::new(path.to_str().unwrap()).with_public_types();
        let source = if name.contains("json") { source.declare("a", Kind::Text) } else { source };
        let error = FileEngine::open(&source).and_then(|engine| engine.tally(&filtered("a = 'x'"))).err();
        let error = error.unwrap_or_else(|| panic!("{name} is damaged"));
        assert!(!format!("{error:?}").contains("secret"), "no cell: {error:?}");
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    let good = "{\"a\":\"secret\"}\n";
    for broken in
        ["secret", "[\"secret\"]", "\"secret\"", "{\"a\":\"secret\"", "{\"a\":\"secret\"}{}", "{\"a\":NaN}", "{'a':1}"]
    {
        let said = outcome("a.jsonl", format!("{good}\n{broken}\n{good}").as_bytes());
        assert_eq!(said, "line 3 of `a.jsonl` is not a JSON object; write one object in each line", "{broken}");
    }
    let bytes = [good.as_bytes(), b"{\"a\":\"\xff\"}\n"].concat();
    assert!(outcome("a.jsonl", &bytes).starts_with("line 2 of `a.jsonl` is not UTF-8 text"));
    let arrow = folder.path().join("a.arrow");
    let column = std::sync::Arc::new(arrow::array::StringArray::from(vec!["secret"; 5_000])) as arrow::array::ArrayRef;
    let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let mut writer = FileWriter::try_new(File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let intact = fs::read(&arrow).unwrap();
    let damaged =
        "`a.arrow` is not a complete file in the Arrow IPC file format (a stream is none); write or copy it again";
    for end in [0, 5, 100, intact.len() / 2, intact.len() - 1] {
        assert_eq!(outcome("a.arrow", &intact[..end]), damaged, "{end}");
    }
    // The offsets of the texts: those beyond the letters are damage, whatever the letters are.
    let mut broken = intact.clone();
    broken[400..2_000].fill(0x5a);
    assert_eq!(outcome("a.arrow", &broken), damaged);
}

#[test]
fn folders_that_disagree_are_refused() {
    let folder = tempdir().unwrap();
    let message = |path: &str| {
        let source = Source::new(folder.path().join(path).to_str().unwrap());
        let error = FileEngine::open(&source).err().unwrap().to_string();
        error.replace(&folder.path().display().to_string(), "")
    };
    let write = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a,b\n1,2\n").unwrap();
    };
    write("rows/year=2020/a.csv");
    write("rows/state=CA/a.csv");
    let must = "must lie in folders that name the same columns, as `year=2020/state=CA` does; use a glob";
    assert_eq!(message("rows"), format!("`/rows/state=CA/a.csv` and `/rows/year=2020/a.csv` {must}"));
    write("mixed/year=2020/a.csv");
    write("mixed/a.csv");
    assert!(message("mixed").starts_with("`/mixed` holds the folder `/mixed/year=2020`"));
    write("plain/2020/a.csv");
    assert!(message("plain").starts_with("`/plain` holds the folder `/plain/2020`"));
    // A column of the files has its own cells.
    write("own/a=7/rows.csv");
    let source = Source::new(folder.path().join("own").to_str().unwrap()).declare("a", Kind::Integer);
    let engine = FileEngine::open(&source).unwrap();
    assert_eq!(engine.columns().len(), 2);
    assert_eq!(all_answers(&engine, &filtered("a = 1"))[0], [1]);
}

/// A decimal comma is for numbers: `1.5` as a text is the text `1.5`, written as a number or not, and one unit.
#[test]
fn numbers_in_columns_of_texts_keep_their_spelling_in_json() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    fs::write(&path, "{\"p\":1.5,\"income\":2.5}\n{\"p\":\"1.5\",\"income\":\"2,5\"}\n").unwrap();
    let mut source = Source::new(path.display().to_string())
        .with_public_types()
        .declare("p", Kind::Text)
        .declare("income", Kind::Number);
    source.cells.decimal = ',';
    let engine = FileEngine::open(&source).unwrap();
    let bound = |rows| Some(ContributionBound::of_rows("p", rows));
    assert_eq!(all_answers(&engine, &Query { bound: bound(1), ..Query::default() })[0], [1]);
    let both = all_answers(&engine, &Query { values: vec![income()], bound: bound(5), ..Query::default() });
    let steps = i128::from((2.5 / income().grid.spacing()) as i64);
    assert_eq!(both, [[2], [2 * steps]]);
}

#[test]
fn a_header_of_no_text_is_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "name,age\nAda,36\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    let error =
        FileEngine::open(&Source::new(path.display().to_string()).with_public_types()).err().unwrap().to_string();
    assert!(error.contains("name the `encoding`") && !error.contains('\0'), "{error}");
}
