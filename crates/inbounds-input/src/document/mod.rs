//! TOML files that people write: every mistake with its place and its remedy.
//!
//! Reading goes from the file to its text ([`Document::read`]), to a tree whose values know where they stand
//! ([`Document::parse`]), to tables whose keys are checked ([`Table`]) and values that are read exactly ([`Item`]).
//! What is wrong is noted in [`Mistakes`], and reading goes on, so that all mistakes are shown at once
//! ([`DocumentErrors`]).
//!
//! People give the data where the plan is meant. Rows must not be shown as the context of mistakes, so a file is judged
//! before anything of it is shown. It is another file if it is no UTF-8 text, if its first line that says anything is
//! no key and no header of a table, or if no line begins with a key of the document or with a slip of one.

mod mistake;
mod regions;
mod spanned;
mod table;
mod value;

use std::{collections::HashSet, ffi::OsStr, fs, path::Path};

use toml::de::DeTable;

use crate::nearest;

pub use mistake::{Complaint, DocumentErrors, MOST_MISTAKES, Mistake, Mistakes, PlacedMistake, Reported};
pub use regions::Regions;
pub use spanned::Spanned;
pub use table::{Field, Table, fill, given};
pub use value::{Item, column_header, key, quoted, refuse_repeats, shorten};

/// A kind of file that a person writes.
pub struct Document {
    /// Its name in messages, as "plan".
    pub noun: &'static str,
    /// The keys of its root.
    pub keys: &'static [&'static str],
    /// Keys that it had before, each of which its reader refuses with what to write instead.
    pub former: &'static [&'static str],
    /// Keys that are lists of tables, each written in double brackets.
    pub lists: &'static [&'static str],
    /// Required content, in the words of messages.
    pub shape: &'static str,
}

impl Document {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`DocumentErrors`] if it cannot be read, is another file, or is not UTF-8; only in the last case it shows a
    /// line.
    pub fn read(&self, path: &Path) -> Result<String, DocumentErrors> {
        let name = path.display().to_string();
        let noun = self.noun;
        let bytes = fs::read(path).map_err(|error| {
            let help = format!("give the path of a {noun}, which is a TOML file");
            let mistake = Mistake::at(&(0..0), format!("the {noun} cannot be read: {error}"), Some(help));
            DocumentErrors::new(&name, "", vec![mistake])
        })?;
        if let Some(reason) = self.why_another(&String::from_utf8_lossy(&bytes)) {
            let message = format!("this file is no {noun}: {reason}");
            let mistake = Mistake::at(&(0..0), message, Some(self.remedy(path)));
            return Err(DocumentErrors::new(&name, "", vec![mistake]));
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let message = format!("the {noun} must be UTF-8 text, and is not from byte {valid} on");
            // Up to the first wrong byte the lossy text is the same, so the place is the same.
            let mistake = Mistake::at(&(valid..valid + 1), message, Some("save the file as UTF-8".to_owned()));
            DocumentErrors::new(&name, &text, vec![mistake])
        })
    }

    /// The tree of a text that is TOML. What is not TOML is noted, once a line, and then nothing else is judged.
    ///
    /// # Errors
    /// [`Reported`] if something was noted.
    pub fn parse<'t>(&self, mistakes: &mut Mistakes<'t>) -> Result<DeTable<'t>, Reported> {
        let text = mistakes.text();
        let (tree, errors) = DeTable::parse_recoverable(text);
        let newlines: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
        let line_of = |place: usize| newlines.partition_point(|newline| *newline < place);
        let mut lines = HashSet::new();
        let mut outcome = Ok(tree.into_inner());
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let message = format!("the {} is not valid TOML: {}", self.noun, error.message());
            let fraction = text.get(span.clone()).is_some_and(is_fraction);
            let list = self.list_at(text, span.start).filter(|_| error.message().contains("duplicate key"));
            let help = match list {
                _ if fraction => Some("write a fraction in quotes, such as \"1/3\"".to_owned()),
                Some(list) => Some(format!("write [[{list}]], in double brackets: there may be several")),
                None => None,
            };
            if lines.insert(line_of(span.start)) {
                outcome = Err(mistakes.note_mistake(Mistake::at(&span, message, help)));
            }
        }
        outcome
    }

    /// The list of tables that the line around a place opens in single brackets.
    fn list_at(&self, text: &str, place: usize) -> Option<&'static str> {
        let start = text[..text.floor_char_boundary(place)].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or_default().trim();
        self.lists.iter().copied().find(|list| line == format!("[{list}]"))
    }

    /// Why a text with words in it is another file, if it is.
    fn why_another(&self, text: &str) -> Option<String> {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let mut content = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
        let is_key = |key| nearest(key, self.keys.iter().chain(self.former).copied()).is_some();
        if first_key(content.peek()?).is_none() {
            return Some("its first line is no `key = value` and no [table]".to_owned());
        }
        let named = content.any(|line| first_key(line).is_some_and(is_key));
        (!named).then(|| format!("no line of it begins {}", self.shape))
    }

    fn remedy(&self, path: &Path) -> String {
        let data = ["csv", "tsv", "gz", "parquet"];
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        match self.noun {
            "plan" if data.contains(&extension.as_str()) => {
                format!("write a plan, a TOML file with path = {file:?} below [data], and give its path")
            }
            noun => format!("give the path of a {noun}, which is a TOML file"),
        }
    }
}

/// `true` for a bare value that looks like `1/3`.
fn is_fraction(written: &str) -> bool {
    written.contains('/') && written.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.' | b' '))
}

/// The key of a line that is `key = ...`, `key.x = ...`, `[key]`, `[[key]]` or `[key.x]`, in quotes or not.
fn first_key(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['[', ' ', '\t', '"', '\'']);
    let end = bare.find(|character: char| !character.is_ascii_alphanumeric() && !"_-".contains(character));
    let (key, rest) = bare.split_at(end.unwrap_or(bare.len()));
    let rest = rest.trim_start_matches(['"', '\'', ' ', '\t']);
    let follows = match rest.chars().next() {
        Some('=') => true,
        // A bracket that is not closed is a slip in a document, and no row.
        Some(']') | None => line.starts_with('['),
        Some('.') => rest.contains(['=', ']']),
        _ => false,
    };
    follows.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::{Document, Mistakes};

    const PLAN: Document =
        Document { noun: "plan", keys: &["title", "data", "privacy"], former: &[], lists: &["statistic"], shape: "" };

    #[test]
    fn a_table_that_is_there_twice_is_told_of_double_brackets() {
        let mut mistakes = Mistakes::new("[statistic]\nname = 1\n[statistic]\nname = 2\n");
        assert!(PLAN.parse(&mut mistakes).is_err());
        let help = mistakes.list()[0].help.as_deref();
        assert_eq!(help, Some("write [[statistic]], in double brackets: there may be several"));
        for other in ["title = 1\ntitle = 2\n", "[data]\npath = 1\n[data]\npath = 2\n"] {
            let mut mistakes = Mistakes::new(other);
            assert!(PLAN.parse(&mut mistakes).is_err());
            assert_eq!(mistakes.list()[0].help, None);
        }
    }

    #[test]
    fn a_plan_is_known_by_its_keys_and_rows_are_none() {
        let plans = [
            "",
            "# nothing yet\n",
            "\u{feff}[data]\npath = 1",
            "x = 1\n [ privacy ]\n",
            "data.path = 'a'",
            "\"data\" = 1",
            "title= 7",
            "[privcy]",
            "[data",
        ];
        for plan in plans {
            assert_eq!(PLAN.why_another(plan), None, "{plan}");
        }
        let others = [
            "id,name\n1,Alice\n",
            "data,title\n1,2\n",
            "data\n1\n",
            "{\"data\": 1}",
            "[rows]\n",
            "data. I say\n",
            "data]\n",
            "id,note\n1,ill\n[data] is in a cell",
            "\u{1f}\u{fffd}\u{8}\n[data]\n",
        ];
        for other in others {
            assert!(PLAN.why_another(other).is_some(), "{other}");
        }
    }
}
