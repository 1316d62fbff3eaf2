//! "Did you mean": the name nearest to a mistyped one.

/// The candidate nearest to `name`, if one is near enough to be a likely slip of the pen.
///
/// Near enough means: equal but for case, or at most one edit (insertion, deletion, substitution, swap of neighbours)
/// for every three characters of `name`, rounded up. Ties go to the first candidate.
///
/// # Example
/// ```
/// let columns = ["county", "income", "age"];
/// assert_eq!(inbounds_data::nearest("incmoe", columns), Some("income"));
/// assert_eq!(inbounds_data::nearest("height", columns), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let allowed = wanted.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}
