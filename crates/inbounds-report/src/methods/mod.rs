//! Methods in plain words, to print under a table.
//!
//! What is to be said is data, [`Statement`], made of the manifest alone. A language is one file that has a sentence
//! for each of them; without one it does not compile.

mod english;
mod french;
mod german;
mod numbers;

use std::collections::HashSet;

use inbounds_bundle::{Id, Language, Method, MissingRule, PrivacyUnitEntry, ReleaseManifest};
use inbounds_core::{Named, Neighbours};

use crate::document::Spoken;

/// Statements about a release, a sentence each. Numbers are exact texts of the manifest, or doubles to be written.
pub(crate) enum Statement<'a> {
    /// What was counted, when, and by whose rows.
    About { things: Option<&'a str>, period: Option<&'a str>, source: Option<&'a str> },
    /// That noise hides each unit, and how well.
    Noise { hidden: Hidden<'a>, epsilon: &'a str, delta: Option<&'a str> },
    /// That no unit is hidden.
    Seeded,
    /// How much of each unit counts.
    Limit { rows: u64, column: &'a str },
    /// That values of a column were cut to bounds before they were used.
    Clipped { column: &'a str, lower: f64, upper: f64, unit: &'a str },
    /// That rows without a value of a column are in no number of it.
    Dropped { column: &'a str },
    /// That missing values of a column count as a number.
    CountedAs { column: &'a str, value: f64, unit: &'a str },
    /// That totals are the sums of their parts.
    AddsUp { in_integers: bool },
    /// That numbers stay where they can be, and what that costs.
    KeptInRange,
    /// What stands beside each number.
    Margin { level: f64 },
    /// Errors that the margin does not cover.
    Scope,
    /// Count of numbers whose interval is nearly their whole range.
    TellNothing { numbers: usize },
    /// The program and the bundle.
    Made { program: &'a str, digest: &'a str },
    /// Whom to ask.
    Contact(&'a str),
}

/// Whom the noise hides, and what of them.
#[derive(Clone, Copy)]
pub(crate) enum Hidden<'a> {
    /// The presence of one row in the data.
    Row,
    /// The presence of some number of rows in the data.
    Rows(u64),
    /// The presence in the data of all rows with one value of a column.
    Unit(&'a str),
    /// Which values one row has, whose being there is public.
    Values,
    /// Which values some number of rows have.
    ValuesOf(u64),
}

/// Bound on the error of at least half of the numbers of a statistic.
pub(crate) struct Typical {
    pub(crate) name: String,
    pub(crate) plus_minus: String,
    pub(crate) unit: TypicalUnit,
}

/// Unit of an error.
pub(crate) enum TypicalUnit {
    /// Percentage points.
    Points,
    /// A unit of the plan; empty for none.
    Named(String),
}

impl TypicalUnit {
    /// Behind a number, with a language's word for percentage points.
    fn behind(&self, points: &str) -> String {
        match self {
            Self::Points => format!(" {points}"),
            Self::Named(unit) if unit.is_empty() => String::new(),
            Self::Named(unit) => format!(" {unit}"),
        }
    }
}

/// Sentences of a language.
pub(crate) trait Speaks {
    /// The heading of the methods.
    fn heading(&self) -> &'static str;
    /// A sentence.
    fn sentence(&self, statement: &Statement) -> String;
    /// How sure the numbers are, in one sentence.
    fn how_sure(&self, level: f64, typical: &[Typical]) -> String;
}

pub(crate) fn speaker(language: Language) -> &'static dyn Speaks {
    match language {
        Language::English => &english::English,
        Language::German => &german::German,
        Language::French => &french::French,
    }
}

/// The language of a release: the one asked for, or that of its plan.
pub(crate) fn language(manifest: &ReleaseManifest, asked: Option<Language>) -> Language {
    let of_plan = manifest.publication.language.as_ref().and_then(Id::known);
    asked.or(of_plan).unwrap_or(Language::English)
}

/// The methods of a release.
pub(crate) fn paragraph(manifest: &ReleaseManifest, tell_nothing: usize, digest: &str, language: Language) -> Spoken {
    Spoken { language: language.name(), words: sentences(manifest, tell_nothing, digest, language).join(" ") }
}

/// The methods of a release, a sentence or two each.
pub(crate) fn sentences(
    manifest: &ReleaseManifest,
    tell_nothing: usize,
    digest: &str,
    language: Language,
) -> Vec<String> {
    let statements = Statements { manifest, tell_nothing };
    let program = manifest.program.to_string();
    let exact = [manifest.guarantee.epsilon_spent.to_string(), manifest.guarantee.delta_spent.to_string()];
    let words = speaker(language);
    statements.all(&program, digest, &exact).iter().map(|statement| words.sentence(statement)).collect()
}

struct Statements<'a> {
    manifest: &'a ReleaseManifest,
    /// Count of numbers whose interval is nearly their whole range.
    tell_nothing: usize,
}

impl<'a> Statements<'a> {
    fn all(&self, program: &'a str, digest: &'a str, exact: &'a [String; 2]) -> Vec<Statement<'a>> {
        let Self { manifest, tell_nothing: numbers } = *self;
        let publication = &manifest.publication;
        let [things, period, source, contact] =
            [&publication.unit_of_rows, &publication.period, &publication.source, &publication.contact]
                .map(|words| words.as_deref());
        let mut all = Vec::new();
        if things.is_some() || period.is_some() || source.is_some() {
            all.push(Statement::About { things, period, source });
        }
        let [epsilon, delta] = exact;
        let delta = manifest.guarantee.delta_spent.is_positive().then_some(delta.as_str());
        all.push(match manifest.private {
            true => Statement::Noise { hidden: self.hidden(), epsilon, delta },
            false => Statement::Seeded,
        });
        if let (PrivacyUnitEntry::Column(column), None) = (&manifest.guarantee.privacy_unit, &manifest.per_unit) {
            all.push(Statement::Limit { rows: manifest.guarantee.rows_per_unit, column: self.called(column) });
        }
        all.extend(self.columns());
        let projections = manifest.statistics.iter().filter_map(|statistic| statistic.projection.as_ref());
        let methods: Vec<Option<Method>> = projections.map(|projection| projection.solver.method.known()).collect();
        if !methods.is_empty() {
            let is_whole = |method: &Option<Method>| method.is_some_and(Method::is_whole);
            all.push(Statement::AddsUp { in_integers: methods.iter().all(is_whole) });
        }
        let is_bounded = |range: &inbounds_bundle::RangeEntry| range.lower.is_some() || range.upper.is_some();
        if manifest.statistics.iter().any(|statistic| is_bounded(&statistic.range)) {
            all.push(Statement::KeptInRange);
        }
        let levels: Vec<f64> = manifest.statistics.iter().map(|statistic| statistic.interval.level).collect();
        if let Some(level) = levels.first().filter(|first| levels.iter().all(|level| level == *first)) {
            all.push(Statement::Margin { level: *level });
        }
        all.push(Statement::Scope);
        if numbers > 0 {
            all.push(Statement::TellNothing { numbers });
        }
        all.extend(contact.map(Statement::Contact));
        all.push(Statement::Made { program, digest });
        all
    }

    fn hidden(&self) -> Hidden<'a> {
        let guarantee = &self.manifest.guarantee;
        match (guarantee.neighbours.is(Neighbours::Substitute), &guarantee.privacy_unit) {
            (false, PrivacyUnitEntry::Row) => Hidden::Row,
            (false, PrivacyUnitEntry::Rows(rows)) => Hidden::Rows(*rows),
            (true, PrivacyUnitEntry::Rows(rows)) => Hidden::ValuesOf(*rows),
            (false, PrivacyUnitEntry::Column(column) | PrivacyUnitEntry::Counted(column)) => {
                Hidden::Unit(self.called(column))
            }
            (false, PrivacyUnitEntry::Other(words)) => Hidden::Unit(words),
            (true, _) => Hidden::Values,
        }
    }

    fn called(&self, column: &'a str) -> &'a str {
        let entry = self.manifest.columns.iter().find(|entry| entry.name == column);
        entry.and_then(|entry| entry.label.as_deref()).unwrap_or(column)
    }

    /// Treatment of the values of columns, each column once.
    fn columns(&self) -> Vec<Statement<'a>> {
        let mut all = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for statistic in &self.manifest.statistics {
            // A count reads no number, and a single clip stands alone.
            let clips: Vec<_> = match (&statistic.clip, &statistic.clips[..]) {
                (Some(clip), [] | [_]) => statistic.columns.iter().zip([clip]).collect(),
                (_, clips) => statistic.columns.iter().zip(clips).collect(),
            };
            for (column, clip) in clips {
                if !seen.insert(column) {
                    continue;
                }
                let entry = self.manifest.columns.iter().find(|entry| entry.name == *column);
                let unit = entry.and_then(|entry| entry.unit.as_deref()).unwrap_or_default();
                let called = self.called(column);
                all.push(Statement::Clipped { column: called, lower: clip.lower, upper: clip.upper, unit });
                let stated = statistic.missing.iter().find(|entry| entry.column == *column);
                match stated.map_or(&clip.missing, |entry| &entry.rule) {
                    MissingRule::Dropped => all.push(Statement::Dropped { column: called }),
                    MissingRule::CountedAs(value) => {
                        all.push(Statement::CountedAs { column: called, value: *value, unit });
                    }
                    MissingRule::Other(_) => {}
                }
            }
        }
        all
    }
}

/// How sure the numbers are: of each statistic and output, the median of what they are off by at most.
pub(crate) fn how_sure(typical: &[Typical], level: f64, language: Language) -> Option<Spoken> {
    let words = (!typical.is_empty()).then(|| speaker(language).how_sure(level, typical))?;
    Some(Spoken { language: language.name(), words })
}
