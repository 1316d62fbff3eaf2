//! "Did you mean": the name nearest to a mistyped one.

/// Similarity below which a suggestion would confuse more than it helps; found by trying misspelt words of plans.
const ALIKE: f64 = 0.75;

/// The candidate most like `wrong`, letter case aside; `None` if none is much like it.
///
/// # Example
/// ```
/// let columns = ["county", "income", "age"];
/// assert_eq!(inbounds_input::nearest("incmoe", columns), Some("income"));
/// assert_eq!(inbounds_input::nearest("height", columns), None);
/// ```
pub fn nearest<'c>(wrong: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wrong = wrong.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (likeness(&wrong, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Between 0 and 1. Jaro-Winkler favours common beginnings, but is blind to two letters swapped in a short name.
fn likeness(wrong: &str, right: &str) -> f64 {
    let likeness = strsim::jaro_winkler(wrong, right);
    let one_slip = right.chars().count() >= 3 && strsim::osa_distance(wrong, right) == 1;
    if one_slip { likeness.max(ALIKE) } else { likeness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let names = ["unit", "neighbours", "rows", "epsilon", "delta"];
        for (wrong, right) in
            [("epsilom", "epsilon"), ("neighbors", "neighbours"), ("Delta", "delta"), ("eps", "epsilon")]
        {
            assert_eq!(nearest(wrong, names), Some(right), "{wrong}");
        }
        assert_eq!(nearest("aeg", ["age"]), Some("age"));
        for stranger in ["", "colour", "zzz", "by"] {
            assert_eq!(nearest(stranger, names), None, "{stranger}");
        }
    }
}
