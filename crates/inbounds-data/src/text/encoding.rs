//! Encodings of text, by the names that people and programs have for them.

use std::fmt;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5,
    ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16,
    KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

/// Encoding of letters as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TextEncoding {
    /// The encoding of the byte order mark at the beginning of a file; UTF-8 if there is none.
    ByMark,
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16 in the order of its byte order mark; without one, the least byte first, as Windows writes it.
    Utf16,
    /// UTF-16 with the greatest byte first.
    Utf16Be,
    /// One byte a letter: ISO 8859-1, with the letters of Windows-1252 where ISO 8859-1 has none. Every file can be
    /// read so.
    Latin1,
    /// Any other encoding of the WHATWG Encoding Standard. Bytes that are no text in it are an error.
    Other(#[serde(with = "crate::records::encoding")] &'static Encoding),
}

/// The encodings that have a label, but for UTF-8, UTF-16 and Latin-1.
const OTHERS: [&Encoding; 35] = [
    BIG5,
    EUC_JP,
    EUC_KR,
    GB18030,
    GBK,
    IBM866,
    ISO_2022_JP,
    ISO_8859_2,
    ISO_8859_3,
    ISO_8859_4,
    ISO_8859_5,
    ISO_8859_6,
    ISO_8859_7,
    ISO_8859_8,
    ISO_8859_8_I,
    ISO_8859_10,
    ISO_8859_13,
    ISO_8859_14,
    ISO_8859_15,
    ISO_8859_16,
    KOI8_R,
    KOI8_U,
    MACINTOSH,
    SHIFT_JIS,
    WINDOWS_874,
    WINDOWS_1250,
    WINDOWS_1251,
    WINDOWS_1252,
    WINDOWS_1253,
    WINDOWS_1254,
    WINDOWS_1255,
    WINDOWS_1256,
    WINDOWS_1257,
    WINDOWS_1258,
    X_MAC_CYRILLIC,
];

impl TextEncoding {
    /// The encoding that a name stands for: a label of the WHATWG Encoding Standard, or what spreadsheets, Python, R
    /// and iconv call it,
    /// in upper or lower case. Names that stand for nothing in particular, such as `ansi`, are none.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::TextEncoding;
    /// let word = |name| TextEncoding::named(name).map(TextEncoding::word);
    /// for name in ["windows-1250", "CP1250", "cp-1250", "Windows 1250", "win1250"] {
    ///     assert_eq!(word(name).as_deref(), Some("windows-1250"), "{name}");
    /// }
    /// assert_eq!([word("cp932"), word("latin-2")].map(Option::unwrap_or_default), ["shift_jis", "iso-8859-2"]);
    /// assert_eq!([word("cp850"), word("ansi")], [None, None]);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let digits = |prefix: &str| plain.strip_prefix(prefix).filter(|rest| rest.parse::<u16>().is_ok());
        let label = match plain.as_str() {
            // The standard reads ASCII as Windows-1252, and would so make letters of what is none.
            "ascii" | "usascii" | "ansix341968" | "utf8sig" | "utf8bom" | "cp65001" => "utf-8".to_owned(),
            "utf16be" => "utf-16be".to_owned(),
            "utf16" | "utf16le" | "ucs2" | "ucs2le" | "unicode" => "utf-16".to_owned(),
            "cp932" | "windows932" | "mskanji" => "shift_jis".to_owned(),
            "cp936" | "windows936" => "gbk".to_owned(),
            "cp949" | "windows949" | "uhc" => "euc-kr".to_owned(),
            "cp950" | "windows950" => "big5".to_owned(),
            "big5hkscs" => "big5".to_owned(),
            "latin7" => "iso-8859-13".to_owned(),
            "latin8" => "iso-8859-14".to_owned(),
            "latin9" => "iso-8859-15".to_owned(),
            "latin10" => "iso-8859-16".to_owned(),
            "macroman" | "cp10000" => "macintosh".to_owned(),
            "maccyrillic" | "cp10007" => "x-mac-cyrillic".to_owned(),
            _ => {
                let windows = digits("windows").or_else(|| digits("win")).or_else(|| digits("cp"));
                let windows = windows.filter(|page| page.starts_with("125") || *page == "874");
                let iso = digits("iso8859").map(|part| format!("iso-8859-{part}"));
                windows.map(|page| format!("windows-{page}")).or(iso).unwrap_or_else(|| plain.clone())
            }
        };
        Self::from_encoding(Encoding::for_label(label.as_bytes()).or_else(|| {
            let is_named = |encoding: &&&'static Encoding| {
                let name = encoding.name().chars().filter(char::is_ascii_alphanumeric);
                name.map(|letter| letter.to_ascii_lowercase()).eq(plain.chars())
            };
            OTHERS.iter().find(is_named).copied().or_else(|| Encoding::for_label(name.as_bytes()))
        })?)
    }

    /// Text encoding that reads an encoding; none for encodings that read no text.
    pub(crate) fn from_encoding(encoding: &'static Encoding) -> Option<Self> {
        match encoding {
            encoding if encoding == UTF_8 => Some(Self::Utf8),
            encoding if encoding == UTF_16LE => Some(Self::Utf16),
            encoding if encoding == UTF_16BE => Some(Self::Utf16Be),
            encoding if encoding == WINDOWS_1252 => Some(Self::Latin1),
            encoding => OTHERS.contains(&encoding).then_some(Self::Other(encoding)),
        }
    }

    /// The word for it in plans.
    pub fn word(self) -> String {
        match self {
            Self::ByMark | Self::Utf8 => "utf-8".to_owned(),
            Self::Utf16 => "utf-16".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::Latin1 => "latin-1".to_owned(),
            Self::Other(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ByMark | Self::Utf8 => "UTF-8",
            Self::Utf16 | Self::Utf16Be => "UTF-16",
            Self::Latin1 => "Latin-1",
            Self::Other(encoding) => encoding.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_and_every_name_of_people_is_known() {
        for encoding in OTHERS {
            let known = TextEncoding::from_encoding(encoding).expect("an encoding of text");
            assert_eq!(TextEncoding::named(encoding.name()), Some(known), "{}", encoding.name());
            assert_eq!(TextEncoding::named(&known.word()), Some(known), "{}", known.word());
        }
        for (name, word) in [
            ("cp1252", "latin-1"),
            ("ISO-8859-1", "latin-1"),
            ("latin1", "latin-1"),
            ("latin-2", "iso-8859-2"),
            ("iso8859_2", "iso-8859-2"),
            ("ISO 8859-15", "iso-8859-15"),
            ("latin-9", "iso-8859-15"),
            ("CP1251", "windows-1251"),
            ("cp1258", "windows-1258"),
            ("cp874", "windows-874"),
            ("cp866", "ibm866"),
            ("sjis", "shift_jis"),
            ("Shift-JIS", "shift_jis"),
            ("windows-31j", "shift_jis"),
            ("EUCJP", "euc-jp"),
            ("euc_jp", "euc-jp"),
            ("gb2312", "gbk"),
            ("cp936", "gbk"),
            ("GB18030", "gb18030"),
            ("big5hkscs", "big5"),
            ("cp949", "euc-kr"),
            ("koi8_r", "koi8-r"),
            ("mac_roman", "macintosh"),
            ("utf8", "utf-8"),
            ("utf-8-sig", "utf-8"),
            ("ASCII", "utf-8"),
            ("UTF-16LE", "utf-16"),
        ] {
            assert_eq!(TextEncoding::named(name).map(TextEncoding::word).as_deref(), Some(word), "{name}");
        }
        for name in ["utf-61", "cp850", "ansi", "", "replacement", "x-user-defined", "utf-7", "cp1361"] {
            assert_eq!(TextEncoding::named(name), None, "{name}");
        }
    }
}
