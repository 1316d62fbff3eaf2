//! Names in sentences.

/// Most names that are spoken one by one.
const SPOKEN: usize = 8;

/// Names of statistics, quoted; of many the first, and how many more.
pub(crate) fn listed(names: &[String]) -> String {
    let mut spoken: Vec<String> = names.iter().take(SPOKEN).map(|name| format!("`{name}`")).collect();
    match names.len() - spoken.len() {
        0 => {}
        1 => spoken.push("one other".to_owned()),
        more => spoken.push(format!("{more} others")),
    }
    match spoken.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
