//! `kind = "proportion"`.

use std::{collections::HashMap, sync::Arc};

use inbounds_data::{KeyValue, Keys};
use inbounds_input::document::{Mistakes, Reported, Spanned, given, shorten};
use inbounds_statistics::{
    Describe, Share, Statistic, StatisticError,
    population::Population,
    proportion::{Negative, ProportionVector, Proportions, ShareRule, Total},
};
use toml::de::DeValue;

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, Setup, StatisticDraft,
    reader::{Key, KindReader, POPULATION, RANGE},
};
use crate::plan::{fit, read::key_value};

const RULE: Key = Key { name: "rule", help: "leave `rule` out for \"simplex\"" };
const RELEASES: Key = Key {
    name: "releases",
    help: "write the number of independent releases, from 2 to 100, such as releases = 5; leave it out for 5",
};
const CALCULATED: Key = Key {
    name: "calculated",
    help: "write the cell that gets what the others leave, one value a column of `by`, such as calculated = [\"coast\"]; leave \
           it out for the first cell",
};
const WITHIN: Key = Key {
    name: "within",
    help: "write the columns of `by` in each of whose groups shares add up to 1, such as within = [\"sex\"]",
};
const TOTAL: Key = Key { name: "total", help: "leave `total` out for shares of the rows in the listed cells" };

/// Independent releases of a multiple synthesis, unless the plan says how many; Liu's number.
const USUAL_RELEASES: u32 = 5;

/// Most releases, each of which has its part of epsilon.
const MOST_RELEASES: u64 = 100;

/// With `by`, the parts of the rows in the cells, which add up to 1; else the part that meets `where`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proportion {
    rule: Option<Spanned<ProportionRule>>,
    total: Option<Spanned<CellTotal>>,
    /// Columns of `by` in each of whose groups shares add up to 1; none for shares of all cells.
    within: Option<Spanned<Vec<Spanned<String>>>>,
    /// Independent releases of a multiple synthesis.
    releases: Option<Spanned<u64>>,
    /// The cell that gets what the others leave.
    calculated: Option<Spanned<Vec<Spanned<KeyValue>>>>,
}

/// Total of the rows in all cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellTotal {
    /// The rows in the listed cells, a number that is measured.
    Listed,
    /// The public number of rows: the plan says that each row is in a listed cell.
    Rows,
}

impl CellTotal {
    /// The words of plans.
    pub(super) const WORDS: [(&str, Self); 2] = [("listed", Self::Listed), ("rows", Self::Rows)];
}

/// Rule that makes noisy proportions add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProportionRule {
    /// The nearest point of the simplex.
    Simplex,
    /// Divided by their sum.
    Rescaling,
    /// The first cell is what the others leave.
    AllButOne,
    /// A binary tree of sums, made to agree.
    UniversalHistogram,
    /// Several releases by re-scaling, combined.
    MultipleSynthesis,
    /// Their mean given the noise, over all points of the simplex.
    Conditioning,
}

/// The words of plans.
const RULES: [(&str, ProportionRule); 6] = [
    ("simplex", ProportionRule::Simplex),
    ("re-scaling", ProportionRule::Rescaling),
    ("all-but-one", ProportionRule::AllButOne),
    ("universal-histogram", ProportionRule::UniversalHistogram),
    ("multiple-synthesis", ProportionRule::MultipleSynthesis),
    ("conditioning", ProportionRule::Conditioning),
];

impl Proportion {
    /// Rule that makes proportions of cells add up to 1.
    pub fn rule(&self) -> ProportionRule {
        self.rule.as_ref().map_or(ProportionRule::Simplex, |rule| rule.value)
    }

    /// Total of which proportions of cells are shares.
    pub fn total(&self) -> CellTotal {
        self.total.as_ref().map_or(CellTotal::Listed, |total| total.value)
    }

    /// The columns of `by` in each of whose groups shares add up to 1; none for shares of all cells.
    pub fn within(&self) -> &[Spanned<String>] {
        self.within.as_ref().map_or(&[], |within| &within.value)
    }

    /// The cells of each group, in the order in which groups first occur.
    fn groups(&self, keys: &Keys) -> Vec<Vec<usize>> {
        let is_group = |name: &String| self.within().iter().any(|within| within.value == *name);
        let places: Vec<usize> = (0..keys.columns().len()).filter(|place| is_group(&keys.columns()[*place])).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
        for (cell, row) in keys.rows().enumerate() {
            let group = *known.entry(places.iter().map(|place| row.places()[*place]).collect()).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(cell);
        }
        groups
    }

    /// Independent releases of a multiple synthesis.
    pub fn releases(&self) -> u32 {
        let releases = self.releases.as_ref().and_then(|releases| u32::try_from(releases.value).ok());
        releases.unwrap_or(USUAL_RELEASES)
    }

    /// Shares of cells, in the words of the library; `calculated` is the place of the cell that gets what the others
    /// leave.
    fn vector(&self, calculated: usize) -> ProportionVector {
        let total = match self.total() {
            CellTotal::Listed => Total::Measured,
            CellTotal::Rows => Total::Public,
        };
        let (rule, releases) = match self.rule() {
            ProportionRule::Simplex => (ShareRule::SimplexProjection, 1),
            ProportionRule::Rescaling => (ShareRule::Rescaling, 1),
            ProportionRule::MultipleSynthesis => (ShareRule::Rescaling, self.releases()),
            ProportionRule::AllButOne => (ShareRule::AllButOne { calculated, negative: Negative::Zeroed }, 1),
            ProportionRule::UniversalHistogram => (ShareRule::UniversalHistogram { fan_out: 2 }, 1),
            ProportionRule::Conditioning => (ShareRule::Conditioning, 1),
        };
        ProportionVector { rule, total, releases }
    }
}

impl Planned for Proportion {
    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        if setting.grouped {
            return self.vector(0).calibrate(setting);
        }
        Share { range: range.clone() }.calibrate(setting)
    }

    fn prepare_by(&self, keys: &Keys, setting: &Setting) -> Option<Calibrated> {
        let statistic = |shares: Proportions| Arc::new(shares) as Arc<dyn Statistic>;
        if !self.within().is_empty() {
            return Some(self.vector(0).prepare_within(setting, self.groups(keys)).map(statistic));
        }
        let calculated = self.calculated.as_ref()?.value.iter().map(|value| &value.value);
        let place = keys.rows().position(|row| row.iter().eq(calculated.clone()));
        // A cell that is not there is one beyond the last.
        Some(self.vector(place.unwrap_or(keys.len())).prepare(setting).map(statistic))
    }

    fn lone_group(&self, keys: &Keys) -> Option<String> {
        if self.within().is_empty() {
            return None;
        }
        let groups = self.groups(keys);
        let cell = *groups.iter().find(|group| group.len() < 2)?.first()?;
        let key = keys.rows().nth(cell)?;
        let values = keys.columns().iter().zip(key.iter());
        let own = values.filter(|(column, _)| self.within().iter().any(|within| within.value == **column));
        Some(own.map(|(column, value)| format!("`{column}` = {value}")).collect::<Vec<_>>().join(", "))
    }

    /// A share that meets a condition is of all rows.
    fn rows(&self, setup: &Setup) -> Option<u64> {
        setup.setting.design.rows
    }

    fn remedy(&self, error: &StatisticError, _drops: bool) -> Option<&'static str> {
        match (error, self.total(), self.rule()) {
            (StatisticError::NoRows { .. }, CellTotal::Rows, _) => Some(
                "leave `total` out for shares of the rows in the listed cells; or make `rows` in [privacy] public and remove \
                 `where`",
            ),
            (StatisticError::NoRows { .. }, CellTotal::Listed, ProportionRule::AllButOne) => Some(
                "write total = \"rows\" if each row is in a listed cell and `rows` in [privacy] is public, or take another \
                 `rule`",
            ),
            (StatisticError::NoRows { .. }, CellTotal::Listed, _) => Some(
                "release a count of these rows, or shares of cells by another rule; or make `rows` in [privacy] public",
            ),
            _ => None,
        }
    }

    fn advice(&self, setup: &Setup) -> Option<String> {
        let by = setup.key_columns;
        let (first, _) = by.split_first().filter(|(_, others)| !others.is_empty() && self.within().is_empty())?;
        Some(format!(
            "The shares are of the rows in all cells together. For shares within each `{first}` write within = [{first:?}]."
        ))
    }

    fn populations(&self, setup: &Setup) -> Vec<(String, Population)> {
        let tried: &[f64] = if setup.setting.grouped { &[] } else { &[0.5, 0.02] };
        tried.iter().map(|&p| (format!("proportion {p}"), Population::Proportion { p })).collect()
    }
}

impl Read for Proportion {
    const WORD: KindWord = KindWord::Proportion;
    const WITH_ARTICLE: &'static str = "a proportion";
    const KEYS: &'static [Key] = &[RULE, TOTAL, WITHIN, RELEASES, CALCULATED, RANGE, POPULATION];

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let (rule, total) = (reader.word(&RULE, &RULES), reader.word(&TOTAL, &CellTotal::WORDS));
        let within = reader.names(&WITHIN);
        let releases = reader.optional(&RELEASES, |item, help, mistakes| {
            let releases = item.counting_number(help, mistakes)?;
            let is_some = (2..=MOST_RELEASES).contains(&releases.value);
            if is_some { Ok(releases) } else { Err(item.refuse("from 2 to 100", help, mistakes)) }
        });
        let calculated = reader.optional(&CALCULATED, |item, help, mistakes| match item.value {
            DeValue::Array(_) => item.list(help, mistakes, key_value::read),
            _ => {
                let value = key_value::read(&item, mistakes)?;
                Ok(item.put(vec![value]))
            }
        });
        let (within, releases, calculated) = (within?, releases?, calculated?);
        Ok(Self { rule: rule?, total: total?, within, releases, calculated })
    }

    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let (place, with_article) = (&statistic.place, Self::WITH_ARTICLE);
        check_within(kind, statistic, mistakes);
        check_rule_keys(kind, statistic, draft, mistakes);
        match (&statistic.by, &statistic.filter) {
            (Ok(None), Ok(None)) => {
                let message = format!(
                    "{place} must have `by` or `where`: {with_article} is of cells, or of rows that meet a condition"
                );
                mistakes.note(
                    &statistic.span,
                    message,
                    "add `by` for proportions that add up to 1, or `where` for one",
                );
            }
            (Ok(None), _) => {
                if let Some(rule) = kind.and_then(|kind| kind.rule.as_ref()) {
                    let message =
                        format!("`rule` in {place} must come with `by`: it makes several proportions add up to 1");
                    mistakes.note(&rule.span, message, "remove `rule`, or add `by`");
                }
                if let Some(total) = kind.and_then(|kind| kind.total.as_ref()) {
                    let message =
                        format!("`total` in {place} must come with `by`: a proportion with `where` is of all rows");
                    mistakes.note(&total.span, message, "remove `total`, or add `by`");
                }
            }
            (Ok(Some(_)), _) => {
                if let Some(range) = given(&statistic.range) {
                    let message = format!(
                        "`range` in {place} must be left out with `by`: proportions that add up to 1 have their own"
                    );
                    mistakes.note(&range.span, message, "remove `range`");
                }
            }
            (Err(_), _) => {}
        }
    }
}

/// Keys that one rule alone has.
fn check_rule_keys(kind: Option<&Proportion>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let Some(kind) = kind else { return };
    let place = &statistic.place;
    if let Some(releases) = kind.releases.as_ref().filter(|_| kind.rule() != ProportionRule::MultipleSynthesis) {
        let message =
            format!("`releases` in {place} must come with rule = \"multiple-synthesis\", which makes several");
        mistakes.note(&releases.span, message, "remove `releases`, or name the rule");
    }
    let Some(calculated) = &kind.calculated else { return };
    if kind.rule() != ProportionRule::AllButOne {
        let message =
            format!("`calculated` in {place} must come with rule = \"all-but-one\", which calculates one cell");
        mistakes.note(&calculated.span, message, "remove `calculated`, or name the rule");
    }
    if let Some(by) = given(&statistic.by).filter(|by| by.value.len() != calculated.value.len()) {
        let (columns, values) = (by.value.len(), calculated.value.len());
        let message =
            format!("`calculated` in {place} must have one value a column of `by`, got {values} for {columns}");
        mistakes.note(&calculated.span, message, CALCULATED.help);
        return;
    }
    let by = given(&statistic.by).map_or(&[][..], |by| &by.value);
    for (column, value) in by.iter().zip(&calculated.value) {
        let values = draft.column(&column.value).and_then(|column| given(&column.values));
        if values.is_some_and(|values| values.iter().all(|listed| listed.value != value.value)) {
            let (name, written) = (shorten(&column.value), shorten(&fit::written(&value.value)));
            let message =
                format!("`calculated` in {place} must name listed values, and `{name}` does not list {written}");
            mistakes.note(&value.span, message, CALCULATED.help);
        }
    }
}

/// Shares within groups are of cells that some columns of `by` put into groups and others distinguish, by rules of one
/// group alone.
fn check_within(kind: Option<&Proportion>, statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let Some((kind, within)) = kind.and_then(|kind| Some((kind, kind.within.as_ref()?))) else { return };
    let place = &statistic.place;
    let by = match &statistic.by {
        Ok(Some(by)) => &by.value,
        Ok(None) => {
            let message = format!("`within` in {place} must come with `by`, some of whose columns it names");
            mistakes.note(&within.span, message, "add `by`, or remove `within`");
            return;
        }
        Err(_) => return,
    };
    for name in within.value.iter().filter(|name| by.iter().all(|by| by.value != name.value)) {
        let message = format!("`within` in {place} must name columns of `by`, got `{}`", shorten(&name.value));
        mistakes.note(
            &name.span,
            message,
            format!("add `{}` to `by`, or name one that is there", shorten(&name.value)),
        );
    }
    if within.value.len() >= by.len() {
        let message = format!("`within` in {place} must leave a column of `by` whose values have shares");
        mistakes.note(
            &within.span,
            message,
            "add the column with the answers to `by`, such as by = [\"sex\", \"smoker\"]",
        );
    }
    if let Some(rule) = kind.rule.as_ref()
        && matches!(rule.value, ProportionRule::AllButOne | ProportionRule::UniversalHistogram)
    {
        let message = format!("`rule` in {place} must not be of all cells together with `within`");
        mistakes.note(
            &rule.span,
            message,
            "take \"simplex\", \"re-scaling\", \"multiple-synthesis\" or \"conditioning\"",
        );
    }
    if let Some(total) = kind.total.as_ref().filter(|total| total.value == CellTotal::Rows) {
        let message = format!("`total` in {place} must be left out with `within`: the rows of a group are measured");
        mistakes.note(&total.span, message, "remove `total`");
    }
}
