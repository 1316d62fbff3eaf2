//! In which encodings some lines can be, as far as their bytes tell.
//!
//! Any bytes are text in several encodings, so none can be known from them. What can be known is in which they are
//! *no* text, and
//! in which they would make words that no language has: those are never named. Nothing of the lines is shown.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_874,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258,
};

use super::TextEncoding;

/// Lines beyond ASCII that are looked at.
const MOST_LINES: usize = 10_000;

/// Encodings that files have, where they are written, and what `iconv` calls them.
const CANDIDATES: [(&Encoding, &str, &str); 19] = [
    (WINDOWS_1252, "Western European", "CP1252"),
    (WINDOWS_1250, "Central European", "CP1250"),
    (ISO_8859_2, "Central European", "ISO-8859-2"),
    (WINDOWS_1251, "Cyrillic", "CP1251"),
    (KOI8_U, "Cyrillic", "KOI8-U"),
    (IBM866, "Cyrillic", "CP866"),
    (WINDOWS_1253, "Greek", "CP1253"),
    (WINDOWS_1254, "Turkish", "CP1254"),
    (WINDOWS_1255, "Hebrew", "CP1255"),
    (WINDOWS_1256, "Arabic", "CP1256"),
    (WINDOWS_1257, "Baltic", "CP1257"),
    (WINDOWS_1258, "Vietnamese", "CP1258"),
    (WINDOWS_874, "Thai", "CP874"),
    (SHIFT_JIS, "Japanese", "CP932"),
    (EUC_JP, "Japanese", "EUC-JP"),
    (GB18030, "Chinese", "GB18030"),
    (BIG5, "Chinese", "CP950"),
    (EUC_KR, "Korean", "CP949"),
    (MACINTOSH, "Western European, of old Macs", "MACINTOSH"),
];

/// In which encodings lines can be. Those that are ASCII say nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FittingEncodings {
    /// All lines are UTF-8.
    Utf8,
    /// Some lines are UTF-8; the others can be in these, by their places among the candidates.
    Mixed(Vec<usize>),
    /// No line is UTF-8; all of them can be in these.
    These(Vec<usize>),
}

impl FittingEncodings {
    /// Looks at the lines of a text.
    pub(crate) fn of_text(text: impl Read) -> Self {
        let lines = BufReader::new(text).split(b'\n').map_while(Result::ok);
        Self::of_lines(lines)
    }

    /// Looks at some lines.
    pub(crate) fn of_lines(lines: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let (mut utf8, mut others) = (false, false);
        // Those in which everything is text, and those in which it makes words too.
        let (mut valid, mut likely) = ([true; CANDIDATES.len()], [true; CANDIDATES.len()]);
        let is_plain = |line: &[u8]| line.is_ascii() && !line.contains(&0);
        let beyond = lines.into_iter().filter(|line| !is_plain(line.as_ref()));
        for line in beyond.take(MOST_LINES) {
            let line = line.as_ref();
            if std::str::from_utf8(line).is_ok_and(is_text) {
                utf8 = true;
                continue;
            }
            others = true;
            for (place, (encoding, ..)) in CANDIDATES.iter().enumerate() {
                if valid[place] {
                    let text = encoding.decode_without_bom_handling_and_without_replacement(line);
                    valid[place] = text.as_deref().is_some_and(is_text);
                    likely[place] &= valid[place] && text.as_deref().is_some_and(has_words);
                }
            }
        }
        let kept = if likely.contains(&true) { likely } else { valid };
        let places = (0..kept.len()).filter(|&place| kept[place]).collect();
        match (utf8, others) {
            (true, true) => Self::Mixed(places),
            (_, false) => Self::Utf8,
            (false, true) => Self::These(places),
        }
    }

    /// Advice about a file, in words.
    pub(crate) fn remedy(&self, file: &Path) -> String {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let iconv = |from: &str, file: &str| format!("`iconv -f {from} -t UTF-8 {file} > utf-8-{file}`");
        match self {
            Self::Utf8 => "all of it is UTF-8: leave `encoding` out".to_owned(),
            Self::Mixed(places) => {
                let others = match places.first().map(|&place| CANDIDATES[place]) {
                    None => "Write or copy the others again".to_owned(),
                    Some((.., from)) => format!(
                        "The others could be {}: convert the file that they come from before it is joined, such as with {}",
                        listed(places),
                        iconv(from, "part.csv")
                    ),
                };
                format!(
                    "some of its lines are UTF-8 and others are not, as where files of two encodings were joined: no \
                     encoding reads both. {others}"
                )
            }
            Self::These(places) => match places.first().map(|&place| CANDIDATES[place]) {
                None => "in no encoding that is known here is all of it text; write or copy it again".to_owned(),
                Some((.., from)) => format!(
                    "its bytes do not tell which encoding it has, and it could be {}: ask who wrote it, and write \
                     `encoding` in [data] (or `--encoding` behind `plan init`), or convert it, such as with {}",
                    listed(places),
                    iconv(from, &name)
                ),
            },
        }
    }
}

/// Candidates as a plan names them, each with where it is written.
fn listed(places: &[usize]) -> String {
    let mut list = String::new();
    for (number, &place) in places.iter().enumerate() {
        let (encoding, region, _) = CANDIDATES[place];
        let between = match number {
            0 => "",
            last if last + 1 == places.len() => " or ",
            _ => ", ",
        };
        let word = TextEncoding::from_encoding(encoding).map(TextEncoding::word).unwrap_or_default();
        // A String takes text.
        let _written = write!(list, "{between}{word} ({region})");
    }
    list
}

/// Signs of text: no control characters, and nothing that has no meaning.
fn is_text(text: &str) -> bool {
    let is_sign = |sign: char| {
        let is_private = matches!(sign, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
        let is_drawn = matches!(sign, '\u{2320}'..='\u{2321}' | '\u{2500}'..='\u{25ff}');
        matches!(sign, '\t' | '\n' | '\r') || !(sign.is_control() || is_private || is_drawn || sign == '\u{fffd}')
    };
    text.chars().all(is_sign)
}

/// `true` if letters make words: no capital behind a small letter, no symbol inside a word, and one script in a word.
fn has_words(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    (0..signs.len()).filter(|&place| !signs[place].is_ascii()).all(|place| {
        let sign = signs[place];
        let at = |place: Option<usize>| place.and_then(|place| signs.get(place).copied()).unwrap_or(' ');
        let (before, after) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        let touches = |test: fn(char) -> bool| test(before) || test(after);
        if !sign.is_alphanumeric() {
            let is_usual =
                matches!(sign, '\u{a0}' | '’' | '‘' | '“' | '”' | '„' | '«' | '»' | '–' | '—' | '°' | '…' | '·')
                    || sign >= '\u{2e80}'
                    || is_mark(sign);
            return is_usual || !touches(char::is_alphabetic);
        }
        let is_far = matches!(sign, '\u{370}'..='\u{1dff}');
        let is_eastern = sign >= '\u{2e80}';
        let is_letter = |sign: char| sign.is_ascii_alphabetic();
        if is_far {
            return !touches(is_letter);
        }
        if is_eastern {
            !(is_letter(before) && is_letter(after))
        } else {
            !(sign.is_uppercase() && before.is_lowercase())
        }
    })
}

/// Accents of Vietnamese and vowels of Hebrew, Arabic and Thai, which belong to the letter before.
fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{670}' | '\u{e31}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(lines: &[&[u8]]) -> String {
        FittingEncodings::of_lines(lines).remedy(Path::new("a/f.csv"))
    }

    #[test]
    fn only_encodings_that_make_words_are_named() {
        let polish = words(&[b"\xa3\xf3d\x9f", b"Krak\xf3w", b"Gda\xf1sk", b"plain"]);
        assert!(polish.contains("could be windows-1250 (Central European): ask"), "{polish}");
        assert!(polish.contains("`iconv -f CP1250 -t UTF-8 f.csv > utf-8-f.csv`"), "{polish}");
        let header =
            words(&[b"\x93s\x93\xb9\x95{\x8c\xa7", b"\x90l\x90\x94", b"\x93\x8c\x8b\x9e", b"\x91\xe5\x8d\xe3"]);
        assert!(header.contains("shift_jis (Japanese)") && !header.contains("latin-1"), "{header}");
        let greek = words(&[b"\xc1\xe8\xde\xed\xe1"]);
        assert!(greek.contains("windows-1253 (Greek)"), "{greek}");
        // Where words do not help, what is text is named, and what is none is not.
        let french = words(&[b"Orl\xe9ans"]);
        assert!(french.contains("latin-1 (Western European)") && !french.contains("Japanese"), "{french}");
    }

    #[test]
    fn files_of_two_encodings_are_said_to_be() {
        let mixed = FittingEncodings::of_lines([&b"M\xc3\xa1laga"[..], b"C\xe1diz"]);
        assert!(matches!(&mixed, FittingEncodings::Mixed(places) if places.contains(&0)), "{mixed:?}");
        assert_eq!(FittingEncodings::of_lines([&b"M\xc3\xa1laga"[..], b"x"]), FittingEncodings::Utf8);
        assert!(words(&[b"M\xc3\xa1laga", b"C\xe1diz"]).starts_with("some of its lines are UTF-8 and others are not"));
        assert!(words(&[b"\x00\x81\xff"]).starts_with("in no encoding"));
    }
}
