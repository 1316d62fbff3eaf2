//! The text of a TOML file, and whether it is the file that was meant.
//!
//! People give the data where the plan is meant. Rows must not be shown as the context of mistakes, so a file is judged by
//! its keys before anything of it is: a text of which no line begins with a key of the document, or with a slip of one, is
//! another file, and nothing of it is shown.

use std::{ffi::OsStr, fs, path::Path};

use inbounds_data::nearest;

use super::mistake::{Mistake, PlanErrors};

/// A kind of file that a person writes.
pub(crate) struct Document {
    /// What messages call it, as "plan".
    pub(crate) what: &'static str,
    /// The keys of its root.
    pub(crate) keys: &'static [&'static str],
    /// Keys that it had before, each of which its reader refuses with what to write instead.
    pub(crate) former: &'static [&'static str],
    /// How messages name what it must have.
    pub(crate) shape: &'static str,
}

impl Document {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`PlanErrors`] if it cannot be read, is another file, or is not UTF-8; only in the last case it shows a line.
    pub(crate) fn read(&self, path: &Path) -> Result<String, PlanErrors> {
        let name = path.display().to_string();
        let what = self.what;
        let bytes = fs::read(path).map_err(|error| {
            let help = format!("give the path of a {what}, which is a TOML file");
            let mistake = Mistake::at(&(0..0), format!("the {what} cannot be read: {error}"), Some(help));
            PlanErrors::new(&name, "", vec![mistake])
        })?;
        if self.is_another(&String::from_utf8_lossy(&bytes)) {
            let message = format!("this file is no {what}: no line of it begins {}", self.shape);
            let mistake = Mistake::at(&(0..0), message, Some(self.remedy(path)));
            return Err(PlanErrors::new(&name, "", vec![mistake]));
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            let message = format!("the {what} must be UTF-8 text, and is not from byte {valid} on");
            // Up to the first wrong byte the lossy text is the same, so the place is the same.
            let mistake = Mistake::at(&(valid..valid + 1), message, Some("save the file as UTF-8".to_owned()));
            PlanErrors::new(&name, &text, vec![mistake])
        })
    }

    /// Whether a text with words in it has no line that begins with a key.
    fn is_another(&self, text: &str) -> bool {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let mut content = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
        let is_key = |key| nearest(key, self.keys.iter().chain(self.former).copied()).is_some();
        content.peek().is_some() && !content.any(|line| first_key(line).is_some_and(is_key))
    }

    fn remedy(&self, path: &Path) -> String {
        let data = ["csv", "tsv", "gz", "parquet"];
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        match self.what {
            "plan" if data.contains(&extension.as_str()) => {
                format!("write a plan, a TOML file with path = {file:?} below [data], and give its path")
            }
            what => format!("give the path of a {what}, which is a TOML file"),
        }
    }
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
    use super::Document;

    const PLAN: Document = Document { what: "plan", keys: &["title", "data", "privacy"], former: &[], shape: "" };

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
            assert!(!PLAN.is_another(plan), "{plan}");
        }
        let others = [
            "id,name\n1,Alice\n",
            "data,title\n1,2\n",
            "data\n1\n",
            "{\"data\": 1}",
            "[rows]\n",
            "data. I say\n",
            "data]\n",
        ];
        for other in others {
            assert!(PLAN.is_another(other), "{other}");
        }
    }
}
