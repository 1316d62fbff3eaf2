//! Text in every encoding gives the numbers of the same text in UTF-8, and Unicode is compared in one spelling.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use encoding_rs::{Encoding, UTF_8};
use inbounds_data::{
    CellRules, ContributionBound, DataError, Engine, FileEngine, Kind, Query, Source, TextEncoding, TextLayout,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::{all_answers, filtered, keys, text, write};

/// Names of encodings as people write them, and words that can be written in each.
const WRITTEN: [(&str, &[&str]); 21] = [
    ("cp1250", &["Łódź", "Kraków", "Gdańsk"]),
    ("iso-8859-2", &["Łódź", "Kraków", "Gdańsk"]),
    ("windows-1251", &["Москва", "Київ", "Минск"]),
    ("koi8-r", &["Москва", "Казань", "Пермь"]),
    ("cp866", &["Москва", "Казань", "Пермь"]),
    ("windows-1252", &["Zürich", "Málaga", "Orléans"]),
    ("windows-1253", &["Αθήνα", "Πάτρα", "Βόλος"]),
    ("iso-8859-7", &["Αθήνα", "Πάτρα", "Βόλος"]),
    ("windows-1254", &["İzmir", "Şırnak", "Muğla"]),
    ("windows-1255", &["חיפה", "עכו", "לוד"]),
    ("windows-1256", &["حلب", "حمص", "حماة"]),
    ("windows-1257", &["Rīga", "Šiauliai", "Pärnu"]),
    ("windows-874", &["ตาก", "น่าน", "แพร่"]),
    ("macintosh", &["Zürich", "Málaga", "Orléans"]),
    ("cp932", &["東京", "大阪", "表ソ能"]),
    ("euc-jp", &["東京", "大阪", "札幌"]),
    ("iso-2022-jp", &["東京", "大阪", "札幌"]),
    ("gbk", &["北京", "上海", "重庆"]),
    ("gb18030", &["北京", "上海", "㐀😀"]),
    ("big5", &["臺北", "高雄", "功許蓋"]),
    ("euc-kr", &["서울", "부산", "대구"]),
];

fn laid_out(path: &Path, encoding: TextEncoding) -> Source {
    let text = TextLayout { encoding, ..TextLayout::default() };
    Source { text, ..Source::new(path.to_str().unwrap()).with_public_types() }
}

fn encoded(text: &str, name: &str) -> Vec<u8> {
    let encoding = match TextEncoding::named(name).unwrap() {
        TextEncoding::Other(encoding) => encoding,
        TextEncoding::Latin1 => encoding_rs::WINDOWS_1252,
        other => panic!("{other}"),
    };
    // What its label says, and not what a browser would write in its place.
    assert!(Encoding::for_label(encoding.name().as_bytes()) == Some(encoding));
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost && (encoding == UTF_8 || text.is_ascii() || *bytes != *text.as_bytes()), "{name}");
    bytes.into_owned()
}

/// Rows of words in an order of their own, long enough that letters lie across the chunks in which text is decoded.
fn rows(words: &[&str]) -> Vec<(String, u64)> {
    let mut random = Random::new(5);
    let word = |random: &mut Random| words[random.below(words.len() as u64) as usize].to_owned();
    (0..30_000).map(|_| (word(&mut random), random.below(100))).collect()
}

#[test]
fn every_encoding_gives_the_numbers_of_utf_8() {
    let folder = tempdir().unwrap();
    for (name, words) in WRITTEN {
        let encoding = TextEncoding::named(name).unwrap();
        let rows = rows(words);
        let header = format!("{} name", words[0]);
        let csv: String = rows.iter().map(|(word, n)| format!("\"{word}\",{n}\r\n")).collect();
        let tsv: String = rows.iter().map(|(word, n)| format!("{word}\t{n}\n")).collect();
        let json: String = rows.iter().map(|(word, n)| format!("{{\"{header}\":\"{word}\",\"n\":{n}}}\n")).collect();
        let expected: Vec<i128> =
            words.iter().map(|word| rows.iter().filter(|(other, _)| other == word).count() as i128).collect();
        let query = Query { keys: Some(keys([&header], words.iter().map(|word| [text(word)]))), ..Query::default() };
        for (file, content) in [
            ("rows.csv", format!("{header},n\r\n{csv}")),
            ("rows.tsv", format!("{header}\tn\n{tsv}")),
            ("rows.jsonl", json),
        ] {
            let path = folder.path().join(file);
            fs::write(&path, encoded(&content, name)).unwrap();
            let source = laid_out(&path, encoding).declare(&header, Kind::Text);
            let engine = FileEngine::open(&source).unwrap_or_else(|error| panic!("{name} {file}: {error}"));
            assert_eq!(all_answers(&engine, &query)[0], expected, "{name} {file}");
            let first = filtered(&format!("\"{header}\" = '{}'", words[0]));
            assert_eq!(all_answers(&engine, &first)[0][0], expected[0], "{name} {file}");
        }
    }
}

/// Bytes that are no text are an error of the form of a file, which names the line and shows nothing of it.
#[test]
fn bytes_that_are_no_text_are_an_error_and_never_replaced() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let refused = |encoding: &str, bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let engine = FileEngine::open(&laid_out(&path, TextEncoding::named(encoding).unwrap())).unwrap();
        engine.tally(&Query::default()).err().unwrap_or_else(|| panic!("{encoding}"))
    };
    for (encoding, bad) in [
        ("shift_jis", &b"\x93\xff"[..]),
        ("euc-kr", &b"\xff"[..]),
        ("gb18030", &b"\x81\x20"[..]),
        ("big5", &b"\x87\x20"[..]),
        ("windows-1253", &b"\xaa"[..]),
        ("iso-8859-7", &b"\xae"[..]),
        ("utf-8", &b"\xc3"[..]),
    ] {
        let error = refused(encoding, &[&b"place,n\nsecret,1\n"[..], bad, b",2\n"].concat());
        let told = error.to_string();
        let line = matches!(error, DataError::NotEncoded { line: 3, .. } | DataError::NotUtf8 { line: 3, .. });
        assert!(line && told.contains("line 3") && !told.contains("secret"), "{encoding}: {told}");
    }
    let error = refused("utf-8", b"town,n\nM\xc3\xa1laga,10\nC\xe1diz,20\n").to_string();
    assert!(error.contains("line 3") && error.contains("some of its lines are UTF-8 and others are not"), "{error}");
    assert!(error.contains("The others could be latin-1 (Western European)") && !error.contains("diz"), "{error}");
    let error = refused("utf-8", b"miasto\n\xa3\xf3d\x9f\nKrak\xf3w\nGda\xf1sk\n").to_string();
    assert!(error.contains("windows-1250 (Central European)") && !error.contains("latin-1"), "{error}");
    assert!(error.contains("`iconv -f CP1250 -t UTF-8 rows.csv > utf-8-rows.csv`"), "{error}");
    let error = refused("shift_jis", "town\nFàtima\n".as_bytes()).to_string();
    assert!(error.contains("all of it is UTF-8: leave `encoding` out"), "{error}");
}

/// A header is public, and tells no more than its own bytes do.
#[test]
fn a_header_in_another_encoding_says_which_it_can_be() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, [&encoded("都道府県,人数\n", "cp932")[..], b"secret,1\n"].concat()).unwrap();
    let error = FileEngine::open(&laid_out(&path, TextEncoding::ByMark)).err().unwrap();
    assert!(matches!(error, DataError::HeaderNotUtf8 { field: 1, .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("shift_jis (Japanese)") && told.contains("iconv -f ") && !told.contains("latin-1"), "{told}");
}

/// `é` is one letter, however it was typed: in cells, keys, conditions, missing values, names of columns and names of
/// units.
#[test]
fn letters_are_compared_in_one_spelling() {
    let folder = tempdir().unwrap();
    let (one, two) = ("Orl\u{e9}ans", "Orle\u{301}ans");
    let cells = [one, two, two, "Paris", "sans re\u{301}ponse"];
    let csv = folder.path().join("rows.csv");
    let lines: String = cells.iter().map(|cell| format!("{cell},1\n")).collect();
    fs::write(&csv, format!("de\u{301}partement,n\n{lines}")).unwrap();
    let json = folder.path().join("rows.jsonl");
    let lines = cells.iter().map(|cell| format!("{{\"d\u{e9}partement\":\"{cell}\"}}\n"));
    fs::write(&json, lines.collect::<String>()).unwrap();
    let parquet = folder.path().join("rows.parquet");
    write::columns(&parquet, vec![("d\u{e9}partement", Arc::new(StringArray::from(cells.to_vec())) as ArrayRef)]);
    for path in [csv, json, parquet] {
        let cells = CellRules { missing: vec!["sans r\u{e9}ponse".to_owned()], ..CellRules::default() };
        let source = Source { cells, ..laid_out(&path, TextEncoding::ByMark) };
        let engine = FileEngine::open(&source.declare("d\u{e9}partement", Kind::Text)).unwrap();
        let said = path.display();
        let by = keys(["d\u{e9}partement"], [[text(one)], [text("Paris")]]);
        assert_eq!(all_answers(&engine, &Query { keys: Some(by), ..Query::default() })[0], [3, 1], "{said}");
        for (filter, count) in [
            (format!("\"d\u{e9}partement\" = '{two}'"), 3),
            (format!("\"d\u{e9}partement\" IN ('{two}', 'x')"), 3),
            ("\"d\u{e9}partement\" LIKE 'Orle\u{301}%'".to_owned(), 3),
            ("\"d\u{e9}partement\" IS NULL".to_owned(), 1),
        ] {
            assert_eq!(all_answers(&engine, &filtered(&filter))[0], [count], "{said}: {filter}");
        }
        // A unit with one name in two spellings is one, and keeps one row.
        let bound = Some(ContributionBound::of_rows("d\u{e9}partement", 1));
        assert_eq!(all_answers(&engine, &Query { bound, ..Query::default() })[0], [2], "{said}");
    }
}
