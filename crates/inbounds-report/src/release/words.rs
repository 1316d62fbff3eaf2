//! A release in sentences.

use inbounds_bundle::{
    CandidatesEntry, ClipEntry, CombinationEntry, Combined, ComponentEntry, GuaranteeEntry, Id, KindTraits, KindWord,
    MissingRule, PrivacyUnitEntry, RangeEntry, ReleaseManifest, StatisticEntry, TitleEnd, UnitEntry,
};
use inbounds_core::{Neighbours, Rational};

use super::names::Names;
pub(crate) use crate::figures::counted;
use crate::figures::{figure, group_digits, whole};

/// Names that the manifest puts between backticks, between quotation marks.
pub(crate) fn quoted(words: &str) -> String {
    let mut open = false;
    let mark = |letter: char| match letter {
        '`' => {
            open = !open;
            if open { '“' } else { '”' }
        }
        other => other,
    };
    words.chars().map(mark).collect()
}

/// Kind of the page, over its title.
pub(super) fn kind(manifest: &ReleaseManifest) -> &'static str {
    if manifest.private { "Differentially private release" } else { "Demonstration, not private" }
}

/// Secret that the guarantee hides, after "hides".
fn hidden(manifest: &ReleaseManifest) -> String {
    let guarantee = &manifest.guarantee;
    match (guarantee.neighbours.is(Neighbours::Substitute), &guarantee.privacy_unit) {
        (false, PrivacyUnitEntry::Row) => "whether any one row is in the data".to_owned(),
        (false, PrivacyUnitEntry::Column(column)) => {
            format!("whether the rows of any one “{column}” are in the data")
        }
        (false, PrivacyUnitEntry::Other(words)) => format!("whether any one unit ({words}) is in the data"),
        (false, PrivacyUnitEntry::Counted(column)) => {
            format!("whether any one of those that “{column}” counts is in the data")
        }
        (true, PrivacyUnitEntry::Counted(column)) => {
            format!("which values any one of those that “{column}” counts has")
        }
        (false, PrivacyUnitEntry::Rows(rows)) => format!("whether any {rows} rows are in the data"),
        (true, PrivacyUnitEntry::Rows(rows)) => format!("which values any {rows} rows have"),
        (true, PrivacyUnitEntry::Row) => "which values any one row has".to_owned(),
        (true, PrivacyUnitEntry::Column(column)) => format!("which values the rows of any one “{column}” have"),
        (true, PrivacyUnitEntry::Other(words)) => format!("which values any one unit ({words}) has"),
    }
}

pub(super) fn lead(manifest: &ReleaseManifest) -> String {
    let cells = manifest.statistics.iter().map(|statistic| statistic.cells * statistic.outputs.len().max(1)).sum();
    let counted = counted(cells, "number");
    match manifest.private {
        true => format!("{counted}, each with its possible error. Random noise hides {}.", hidden(manifest)),
        false => format!("{counted}, each with its possible error, for a demonstration: the noise can be undone."),
    }
}

/// What was counted, when, from where, and whom to ask, as the plan says it.
pub(super) fn about(manifest: &ReleaseManifest) -> Vec<(&'static str, String)> {
    let publication = &manifest.publication;
    let said = [
        ("What was counted", &publication.unit_of_rows),
        ("When", &publication.period),
        ("Source", &publication.source),
        ("Contact", &publication.contact),
    ];
    said.into_iter().filter_map(|(name, words)| Some((name, words.clone()?))).collect()
}

pub(super) fn facts(manifest: &ReleaseManifest) -> Vec<(&'static str, String)> {
    let guarantee = &manifest.guarantee;
    // A seeded release protects no unit and spends nothing.
    let [epsilon, delta] = match manifest.private {
        true => ["Epsilon spent", "Delta spent"],
        false => ["Epsilon it would spend", "Delta it would spend"],
    };
    let mut facts =
        vec![(epsilon, format!("{} of {}", guarantee.epsilon_spent.rounded_up(), guarantee.epsilon_granted))];
    if guarantee.delta_granted.is_positive() {
        facts.push((delta, format!("{} of {}", guarantee.delta_spent.rounded_up(), guarantee.delta_granted)));
    }
    if let Some(ledger) = &guarantee.ledger {
        facts.push((
            "Left in the ledger",
            format!("{} of {}", ledger.left_after.rounded_down(), ledger.granted.rounded_down()),
        ));
    }
    facts.extend(manifest.approval.as_ref().map(|approval| ("Approval", approval.sentence())));
    facts.push(("Privacy unit", quoted(&guarantee.privacy_unit.to_string())));
    facts.push(match &manifest.per_unit {
        Some(_) => ("Rows of a unit", "all, made into one".to_owned()),
        None if matches!(guarantee.privacy_unit, PrivacyUnitEntry::Rows(_)) => {
            ("Rows of a unit, as promised", rows_that_count(guarantee))
        }
        None => ("Rows of a unit that count", rows_that_count(guarantee)),
    });
    if let Some(rows) = guarantee.public_rows {
        let label = if manifest.per_unit.is_some() { "Units, publicly known" } else { "Rows, publicly known" };
        facts.push((label, whole(rows as usize)));
    }
    facts.push(("Noise", if manifest.private { "from the system" } else { "from a seed" }.to_owned()));
    facts
}

/// Limit on the rows of one unit that count in a statistic.
fn rows_that_count(guarantee: &GuaranteeEntry) -> String {
    let number = |limit: u64| whole(limit as usize);
    let rows = format!("at most {}", number(guarantee.rows_per_unit));
    match (guarantee.groups_per_unit, guarantee.rows_per_group) {
        (None, None) => rows,
        (Some(groups), None) => format!("{rows}, in at most {} groups", number(groups)),
        (None, Some(of_group)) => format!("{rows}, {} in a group", number(of_group)),
        (Some(groups), Some(of_group)) => format!("{rows}: {} in each of {} groups", number(of_group), number(groups)),
    }
}

/// The guarantee as a guess that anyone can picture.
pub(super) fn guess(manifest: &ReleaseManifest) -> String {
    let guarantee = &manifest.guarantee;
    let question = match (guarantee.neighbours.is(Neighbours::Substitute), &guarantee.privacy_unit) {
        (true, PrivacyUnitEntry::Rows(rows)) => format!("which of two values each of {rows} rows has"),
        (true, _) => "which of two values one row has".to_owned(),
        (false, PrivacyUnitEntry::Rows(rows)) => format!("whether {rows} given rows are in the data"),
        (false, PrivacyUnitEntry::Counted(column)) => {
            format!("whether one of those that “{column}” counts is in the data")
        }
        (false, PrivacyUnitEntry::Row) => "whether one row is in the data".to_owned(),
        (false, PrivacyUnitEntry::Column(column)) => format!("whether the rows of one “{column}” are in the data"),
        (false, PrivacyUnitEntry::Other(words)) => format!("whether one unit ({words}) is in the data"),
    };
    let percent =
        inbounds_bundle::percent_guessed_right(guarantee.epsilon_spent.to_f64_up(), guarantee.delta_spent.to_f64_up());
    format!(
        "Suppose that someone who knows everything else must guess {question}, and that both answers are equally likely. Given \
         everything that was released, they guess right with a probability of at most {percent} %. Without the release it is \
         50 %."
    )
}

/// Description of a statistic.
pub(super) fn description(statistic: &StatisticEntry, names: &Names) -> String {
    let with_columns = |noun: &str| match &statistic.columns[..] {
        [] => noun.to_owned(),
        columns => format!("{noun} of {}", names.list(columns).join(", ")),
    };
    let description = match (&statistic.combination, &statistic.kind) {
        (Some(entry), _) => combination(entry, statistic, names),
        // Where each unit is one row, rows are counted in units.
        (None, Id::Known(KindWord::Count)) if statistic.unit == UnitEntry::Units => "Number of units".to_owned(),
        (None, Id::Known(kind)) => {
            let KindTraits { title, end, .. } = kind.traits();
            let title = &title.replace("rows", names.things());
            match end {
                TitleEnd::Rows => title.clone(),
                TitleEnd::Columns => with_columns(title),
                TitleEnd::ColumnsAnd(words) => format!("{}{words}", with_columns(title)),
            }
        }
        (None, Id::Unknown(word)) => {
            with_columns(&format!("A statistic of the kind “{word}”, which this version does not know,"))
        }
    };
    let filter = statistic.filter.as_ref().map(|filter| format!(" where {filter}")).unwrap_or_default();
    let by = match &statistic.by[..] {
        [] => String::new(),
        by => format!(", by {}", names.list(by).join(" and ")),
    };
    let within = match &statistic.within[..] {
        [] => String::new(),
        within => format!(", as shares within each {}", names.list(within).join(" and ")),
    };
    let of_unit = names.most_of_each_unit(statistic).map_or_else(String::new, |most| format!(", {}", quoted(&most)));
    format!("{description}{filter}{by}{within}{of_unit}")
}

/// "Mean of Age − 2.5 × mean of Rooms".
fn combination(entry: &CombinationEntry, statistic: &StatisticEntry, names: &Names) -> String {
    let measure = match entry.of {
        Combined::Sum => "sum",
        Combined::Mean => "mean",
    };
    let mut words = String::new();
    for (place, (weight, column)) in entry.weights.iter().zip(&statistic.columns).enumerate() {
        let written = weight.to_string();
        let (negative, size) = written.strip_prefix('-').map_or((false, written.as_str()), |size| (true, size));
        words += match (place, negative) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        if size != "1" {
            words += &format!("{size} × ");
        }
        words += &format!("{measure} of {}", names.column(column));
    }
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Coverage of the intervals: of each level, those of one number each, and those of all numbers of a statistic at once.
pub(crate) fn of_intervals(manifest: &ReleaseManifest) -> Vec<String> {
    let mut levels: Vec<f64> = Vec::new();
    let alone = manifest.statistics.iter().map(|statistic| &statistic.interval).filter(|interval| !interval.joint);
    for interval in alone {
        if !levels.contains(&interval.level) {
            levels.push(interval.level);
        }
    }
    let mut sentences: Vec<String> = levels
        .iter()
        .map(|level| {
            let (percent, missed) = (figure(100.0 * level), (10_000.0 * (1.0 - level)).round());
            format!("An interval at {percent} % is for one number. Of ten thousand of them, about {missed} may miss.")
        })
        .collect();
    sentences.extend(manifest.statistics.iter().filter(|statistic| statistic.interval.joint).map(|statistic| {
        let percent = figure(100.0 * statistic.interval.level);
        format!("The intervals of `{}` hold for all its numbers at once, at {percent} %.", statistic.name)
    }));
    sentences
}

/// An interval by its level.
pub(crate) fn level(level: f64) -> String {
    format!("{} % interval", figure(100.0 * level))
}

/// Where the keys came from: a file, by its digest, or the rows.
pub(super) fn keys(statistic: &StatisticEntry) -> Option<String> {
    if let Some(learned) = &statistic.learned {
        return Some(match &learned.candidates {
            CandidatesEntry::OfRows { unit_rows, unit_cells, delta_bound, .. } => format!(
                "The keys were learned: one unit alone can have {unit_rows} rows in {unit_cells} cells, and one of these is published with a \
                 probability of at most {delta_bound:.3e}. A text of more than {} bytes was a missing key.",
                learned.longest_text
            ),
            CandidatesEntry::OfSpace { space_cells, spurious_bound, .. } => format!(
                "The keys were chosen by noise from {} that can be, without a delta; at most {spurious_bound:.3e} published cells \
                 without rows are expected.",
                group_digits(&space_cells.to_string())
            ),
        });
    }
    let file = statistic.keys.as_ref()?;
    Some(format!("The keys were listed in {}, with the SHA-256 {}.", file.name, file.sha256))
}

/// Which rule of one's own made the estimates, if one did.
pub(super) fn rule(statistic: &StatisticEntry) -> Option<String> {
    let file = statistic.rule.as_ref()?;
    Some(format!(
        "The estimates follow the rule in {}, with the SHA-256 {}; the manifest has its rows.",
        file.name, file.sha256
    ))
}

/// Clipping of values, for each column that is read. The value of missing ones stands above the numbers, where the
/// bundle states it column by column.
pub(super) fn clips(statistic: &StatisticEntry) -> String {
    let one = |clip: &ClipEntry, whose: String| {
        let missing = match &clip.missing {
            _ if !statistic.missing.is_empty() => String::new(),
            MissingRule::Dropped => "; rows where it is missing were left out".to_owned(),
            MissingRule::CountedAs(value) => format!("; missing ones were counted as {}", figure(*value)),
            MissingRule::Other(words) => format!("; missing ones were {words}"),
        };
        let (lower, upper) = (figure(clip.lower), figure(clip.upper));
        format!("{whose} were clipped to {lower} to {upper}{missing}.")
    };
    match (&statistic.clip, &statistic.clips[..]) {
        (Some(clip), [] | [_]) => one(clip, "Values".to_owned()),
        (_, clips) => {
            let named = clips.iter().zip(&statistic.columns);
            let sentences: Vec<String> = named.map(|(clip, column)| one(clip, format!("Values of {column}"))).collect();
            sentences.join(" ")
        }
    }
}

/// Summary of a mechanism.
pub(super) fn mechanism(component: &ComponentEntry) -> &'static str {
    component.mechanism.known().map_or("a mechanism that this version does not know", |entry| entry.summary)
}

/// Where estimates stay.
pub(super) fn range(range: &RangeEntry, unit: &str) -> String {
    match (range.lower, range.upper) {
        (Some(lower), Some(upper)) => {
            format!("Estimates stay between {} and {} ({unit}).", figure(lower), figure(upper))
        }
        (Some(lower), None) => format!("Estimates stay at {} or above ({unit}).", figure(lower)),
        (None, Some(upper)) => format!("Estimates stay at {} or below ({unit}).", figure(upper)),
        // The outputs have different ranges, or none.
        (None, None) => String::new(),
    }
}

/// The measured quantity, with a name distinct from the other measurements of its statistic.
pub(super) fn role(component: &ComponentEntry) -> String {
    match (&component.level, component.margin.as_deref()) {
        (Some(level), None) => format!("{}, level {level}", component.role),
        (Some(level), Some([])) => format!("{}, level {level}, total", component.role),
        (Some(level), Some(margin)) => format!("{}, level {level}, margin {}", component.role, margin.join(", ")),
        (None, Some([])) => format!("{}, total", component.role),
        (None, Some(margin)) => format!("{}, margin {}", component.role, margin.join(", ")),
        (None, None) => component.role.to_string(),
    }
}

/// Part of the whole, in percent.
pub(super) fn percent(part: &Rational, total: &Rational) -> f64 {
    100.0 * part.to_f64() / total.to_f64()
}

pub(super) fn citation(manifest: &ReleaseManifest, digest: &str) -> String {
    let title = manifest.title.as_deref().unwrap_or("A release of statistics");
    let guarantee = &manifest.guarantee;
    let promise = if manifest.private {
        let delta = if guarantee.delta_spent.is_positive() {
            format!(", delta {}", guarantee.delta_spent.rounded_up())
        } else {
            String::new()
        };
        format!(
            "Differentially private release, epsilon {}{delta}, unit: {}",
            guarantee.epsilon_spent,
            quoted(&guarantee.privacy_unit.to_string())
        )
    } else {
        "Seeded release, not private, for tests and demonstrations".to_owned()
    };
    format!("{title}. {promise}. Made with {}. SHA-256 of release.json: {digest}", manifest.program)
}
