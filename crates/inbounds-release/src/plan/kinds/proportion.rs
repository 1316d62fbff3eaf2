//! `kind = "proportion"`.

use std::{collections::HashMap, sync::Arc};

use inbounds_data::{KeyValue, Keys};
use inbounds_input::document::{Mistakes, Reported, Spanned, given, shorten};
use inbounds_statistics::{
    Describe, Share, Statistic, StatisticError,
    population::Population,
    proportion::{Negative, ProportionVector, ShareRule, Total},
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, StatisticDraft, Task,
    reader::{Key, KindReader, POPULATION, RANGE},
};

const RULE: Key = Key { name: "rule", help: "leave `rule` out for \"simplex\"" };
const WITHIN: Key = Key {
    name: "within",
    help: "write the columns of `by` in each of whose groups shares add up to 1, such as within = [\"sex\"]",
};
const TOTAL: Key = Key { name: "total", help: "leave `total` out for shares of the rows in the listed cells" };

/// Independent releases of a multiple synthesis; Liu's number.
const RELEASES: u32 = 5;

/// With `by`, the parts of the rows in the cells, which add up to 1; else the part that meets `where`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proportion {
    rule: Option<Spanned<ProportionRule>>,
    total: Option<Spanned<CellTotal>>,
    /// Columns of `by` in each of whose groups shares add up to 1; none for shares of all cells.
    within: Option<Spanned<Vec<Spanned<String>>>>,
}

/// What the rows in all cells add up to.
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

/// How noisy proportions are made to add up to 1.
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
    /// How proportions of cells are made to add up to 1.
    pub fn rule(&self) -> ProportionRule {
        self.rule.as_ref().map_or(ProportionRule::Simplex, |rule| rule.value)
    }

    /// What proportions of cells are shares of.
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
        let mut known: HashMap<Vec<&KeyValue>, usize> = HashMap::new();
        for (cell, row) in keys.rows().iter().enumerate() {
            let group = *known.entry(places.iter().map(|place| &row[*place]).collect()).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(cell);
        }
        groups
    }

    /// Shares of cells, in the words of the library.
    fn vector(&self) -> ProportionVector {
        let total = match self.total() {
            CellTotal::Listed => Total::Measured,
            CellTotal::Rows => Total::Public,
        };
        let (rule, releases) = match self.rule() {
            ProportionRule::Simplex => (ShareRule::SimplexProjection, 1),
            ProportionRule::Rescaling => (ShareRule::Rescaling, 1),
            ProportionRule::MultipleSynthesis => (ShareRule::Rescaling, RELEASES),
            ProportionRule::AllButOne => (ShareRule::AllButOne { calculated: 0, negative: Negative::Zeroed }, 1),
            ProportionRule::UniversalHistogram => (ShareRule::UniversalHistogram { fan_out: 2 }, 1),
            ProportionRule::Conditioning => (ShareRule::Conditioning, 1),
        };
        ProportionVector { rule, total, releases }
    }
}

impl Planned for Proportion {
    fn prepare(&self, range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        if setting.grouped {
            return self.vector().calibrate(setting);
        }
        Share { range: range.clone() }.calibrate(setting)
    }

    fn prepare_by(&self, keys: &Keys, setting: &Setting) -> Option<Calibrated> {
        let groups = || self.vector().prepare_within(setting, self.groups(keys));
        (!self.within().is_empty()).then(|| groups().map(|shares| Arc::new(shares) as Arc<dyn Statistic>))
    }

    /// A share that meets a condition is of all rows.
    fn rows(&self, task: &Task) -> Option<u64> {
        task.setting.design.rows
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

    fn advice(&self, task: &Task) -> Option<String> {
        let by = task.key_columns();
        let (first, _) = by.split_first().filter(|(_, others)| !others.is_empty() && self.within().is_empty())?;
        Some(format!(
            "The shares are of the rows in all cells together. For shares within each `{first}` write within = [{first:?}]."
        ))
    }

    fn populations(&self, task: &Task) -> Vec<(String, Population)> {
        let tried: &[f64] = if task.setting.grouped { &[] } else { &[0.5, 0.02] };
        tried.iter().map(|&p| (format!("proportion {p}"), Population::Proportion { p })).collect()
    }
}

impl Read for Proportion {
    const WORD: KindWord = KindWord::Proportion;
    const WITH_ARTICLE: &'static str = "a proportion";
    const KEYS: &'static [Key] = &[RULE, TOTAL, WITHIN, RANGE, POPULATION];

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let (rule, total) = (reader.word(&RULE, &RULES), reader.word(&TOTAL, &CellTotal::WORDS));
        let within = reader.names(&WITHIN);
        Ok(Self { rule: rule?, total: total?, within: within? })
    }

    fn check(kind: Option<&Self>, statistic: &StatisticDraft, _draft: &Draft, mistakes: &mut Mistakes) {
        let (place, what) = (&statistic.place, Self::WITH_ARTICLE);
        check_within(kind, statistic, mistakes);
        match (&statistic.by, &statistic.filter) {
            (Ok(None), Ok(None)) => {
                let message =
                    format!("{place} must have `by` or `where`: {what} is of cells, or of rows that meet a condition");
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

/// Shares within groups are of cells that some columns of `by` put into groups and others tell apart, by rules of one group alone.
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
