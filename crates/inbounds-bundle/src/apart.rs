//! Statistics whose rows are kept apart, so that what they cost does not add up.

use serde::{Deserialize, Serialize};

use crate::names::listed;

/// Groups of statistics that are spoken of one by one.
const SPOKEN: usize = 6;

/// Which statistics of a release a row can count in together, where it cannot in all.
///
/// # Example
/// ```
/// use inbounds_bundle::ApartEntry;
/// let groups = [["women", "all"], ["men", "all"]].map(|group| group.map(str::to_owned).to_vec());
/// let apart = ApartEntry { column: "sex".into(), classes: groups.to_vec() };
/// assert!(apart.sentence().starts_with(
///     "By `sex` a row can count in one of these groups of statistics at most: `women` and `all`; `men` and `all`."
/// ));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ApartEntry {
    /// The column whose cells keep them apart.
    pub column: String,
    /// For each row there is one with all statistics that it counts in, by their names.
    pub classes: Vec<Vec<String>>,
}

impl ApartEntry {
    /// States the consequence, and the theorem behind it.
    pub fn sentence(&self) -> String {
        let mut groups: Vec<String> = self.classes.iter().take(SPOKEN).map(|class| listed(class)).collect();
        match self.classes.len() - groups.len() {
            0 => {}
            1 => groups.push("one other group".to_owned()),
            more => groups.push(format!("{more} other groups")),
        }
        format!(
            "By `{}` a row can count in one of these groups of statistics at most: {}. So what the groups cost does not add up; \
             the largest counts (parallel composition, McSherry 2009).",
            self.column,
            groups.join("; ")
        )
    }
}
