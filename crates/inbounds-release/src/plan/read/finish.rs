//! From a draft to the parts of a plan: all of them, or those in which nothing is wrong.

use std::collections::HashSet;

use inbounds_bundle::{PublicationEntry, QualityEntry};
use inbounds_figures::FiguresFile;
use inbounds_input::document::{Mistake, Regions, Reported, Spanned, given};

use super::{ColumnDraft, Draft, PrivacyDraft, StatisticDraft, derived, privacy};
use crate::plan::{
    Column, Data, Fit, IntervalChoice, LevelShares, Levels, MarginShares, Margins, MechanismChoice, OutputRange,
    Privacy, Statistic,
};

impl Draft {
    /// The finished parts of a plan, once nothing is wrong with any of them.
    pub(in crate::plan) fn finish(self) -> Result<Parts, Reported> {
        let (privacy, statistics) = (self.privacy?.finish()?, self.statistics?.into_iter());
        let interval = self.interval.finish(&IntervalChoice::default())?;
        Ok(Parts {
            title: self.title?.map(|title| title.value),
            publication: self.publication?,
            quality: self.quality?,
            round: self.round?.map(|round| round.value),
            data: self.data?.finish()?,
            columns: finished(self.columns?)?,
            per_unit: self.per_unit?.map(finished).transpose()?,
            statistics: statistics
                .map(|statistic| statistic.finish(&privacy.mechanism, &interval))
                .collect::<Result<_, _>>()?,
            figures: self.figures?,
            interval,
            privacy,
        })
    }
}

impl Draft {
    /// The parts in which nothing is wrong, and what the others name, if it is known where the data are.
    pub(in crate::plan) fn finish_sound(self, text: &str, mistakes: &[Mistake]) -> Option<(Parts, Leftover)> {
        let regions = Regions::new(text, mistakes);
        let named = self.named();
        let data = self.data.ok()?.openable()?;
        let unit = self.privacy.as_ref().ok().and_then(|draft| draft.unit.as_ref().ok().cloned());
        let privacy = self.privacy.and_then(PrivacyDraft::finish).ok();
        let privacy = privacy.filter(|privacy| regions.sound(&privacy.epsilon.span));
        let columns = self.columns.unwrap_or_default();
        let (columns, wrong): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|column| regions.sound(&column.name.span));
        let mut wrong: HashSet<String> = wrong.into_iter().map(|column| column.name.value).collect();
        let columns = without_those_of(columns, &mut wrong);
        // Without its columns there is no table of units, and nothing of it can be judged.
        let per_unit = self.per_unit.ok()?;
        let per_unit = per_unit.map(|columns| {
            let (sound, unsound): (Vec<_>, Vec<_>) =
                columns.into_iter().partition(|column| regions.sound(&column.name.span) && !column.reads_any(&wrong));
            wrong = unsound.into_iter().map(|column| column.name.value).collect();
            sound
        });
        // A condition on a column that is declared wrongly cannot be judged.
        let is_judged = |condition: &&Spanned<String>| !wrong.iter().any(|name| condition.value.contains(name));
        let fits = |statistic: &StatisticDraft| {
            let by = given(&statistic.by).into_iter().flat_map(|by| &by.value);
            regions.sound(&statistic.span)
                && given(&statistic.filter).as_ref().is_none_or(is_judged)
                && statistic.columns().iter().chain(by).all(|column| !wrong.contains(&column.value))
        };
        let (fitting, others): (Vec<_>, Vec<_>) = self.statistics.unwrap_or_default().into_iter().partition(fits);
        let conditions = others.iter().filter_map(|statistic| given(&statistic.filter)).filter(is_judged);
        let left = Leftover { privacy: privacy.is_none(), named, conditions: conditions.cloned().collect() };
        let privacy = privacy.unwrap_or_else(|| privacy::stand_in(unit));
        let interval = self.interval.finish(&IntervalChoice::default()).unwrap_or_default();
        let fitting = fitting.into_iter().filter_map(|statistic| statistic.finish(&privacy.mechanism, &interval).ok());
        let parts = Parts {
            title: None,
            publication: PublicationEntry::default(),
            quality: None,
            round: None,
            data,
            columns: finished(columns).ok()?,
            per_unit: per_unit.map(finished).transpose().ok()?,
            statistics: fitting.collect(),
            figures: None,
            interval,
            privacy,
        };
        Some((parts, left))
    }

    /// Every column that the plan names, wherever it could be read.
    fn named(&self) -> Vec<Spanned<String>> {
        let unit = self.privacy.as_ref().ok().and_then(|draft| draft.unit_column.as_ref());
        let declared = self.columns.iter().flatten().map(|column| &column.name);
        let used = self.statistics.iter().flatten().flat_map(|statistic| {
            let by = given(&statistic.by).into_iter().flat_map(|by| &by.value);
            statistic.columns().iter().chain(by)
        });
        let of_units = self.per_unit.iter().flatten().flatten().filter_map(|column| given(&column.per_unit));
        let taken = of_units.flat_map(|taken| taken.from.iter().chain(&taken.order));
        let used = used.filter(|_| self.reads_rows());
        // What is wrong with a rule has been noted; that its column is not in the data would follow.
        let is_made = |name: &&Spanned<String>| {
            self.row_column(&name.value).is_some_and(|column| !matches!(column.derived, Ok(None)))
        };
        unit.into_iter().chain(declared).chain(used).chain(taken).filter(|name| !is_made(name)).cloned().collect()
    }
}

impl StatisticDraft {
    /// `left_out` is the mechanism of statistics that name none, and `usual` the intervals of those that choose none.
    pub(in crate::plan) fn finish(
        self,
        left_out: &MechanismChoice,
        usual: &IntervalChoice,
    ) -> Result<Statistic, Reported> {
        let (name, label) = (self.name?, self.label?);
        let interval = self.interval.finish(usual)?;
        let population = self.population?.unwrap_or_else(|| Spanned::new(false, name.span.clone()));
        let kind = self.kind?.kind?;
        let by = self.by?.map_or_else(Vec::new, |by| by.value);
        let mechanism = self.mechanism?.unwrap_or_else(|| Spanned::new(left_out.clone(), name.span.clone()));
        let spend_delta = self.spend_delta?.unwrap_or_else(|| Spanned::new(false, name.span.clone()));
        let range = self.range?.unwrap_or_else(|| Spanned::new(OutputRange::Natural, name.span.clone()));
        let (keys, filter, share, want) = (self.keys?, self.filter?, self.share?, self.want?);
        let spurious = self.spurious?;
        let possible = self.possible?.map_or_else(Vec::new, |possible| possible.value);
        let learn_keys = self.learn_keys?.unwrap_or_else(|| Spanned::new(None, name.span.clone()));
        let want = want.map_or_else(Vec::new, |want| want.value);
        let shares = self.level_shares?.unwrap_or_else(|| Spanned::new(LevelShares::Even, name.span.clone()));
        let fit = self.fit?.map_or_else(Fit::default, |fit| fit.value);
        let levels = self.levels?.map(|levels| Levels { names: levels.value, shares, fit });
        let shares = self.margin_shares?.unwrap_or_else(|| Spanned::new(MarginShares::Even, name.span.clone()));
        let every = self.every_margin?.is_none_or(|every| every.value);
        let margins = self.margins?.map(|sets| Margins { sets, every, shares, fit });
        let public = self.public?.map_or_else(Vec::new, |public| public.value);
        Ok(Statistic {
            name,
            label,
            kind,
            by,
            keys,
            possible,
            learn_keys,
            spurious,
            filter,
            share,
            want,
            mechanism,
            spend_delta,
            range,
            levels,
            margins,
            public,
            population,
            interval,
        })
    }
}

/// The columns that are made of none that is wrong; those that are count as wrong too.
fn without_those_of(mut columns: Vec<ColumnDraft>, wrong: &mut HashSet<String>) -> Vec<ColumnDraft> {
    loop {
        let is_made_of_wrong = |column: &ColumnDraft| {
            let inputs = given(&column.derived).map(derived::DerivedDraft::inputs).unwrap_or_default();
            inputs.iter().any(|input| wrong.contains(&input.value))
        };
        let (more, sound): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_made_of_wrong);
        if more.is_empty() {
            return sound;
        }
        wrong.extend(more.into_iter().map(|column| column.name.value));
        columns = sound;
    }
}

/// Statements of the wrong parts of a plan that can be compared with the data all the same.
pub(crate) struct Leftover {
    /// True if [privacy] is among the wrong parts, without which no statistic can be prepared.
    pub(crate) privacy: bool,
    /// Every column that the plan names, in sound parts too.
    pub(crate) named: Vec<Spanned<String>>,
    /// Conditions of statistics that are not among the sound parts.
    pub(crate) conditions: Vec<Spanned<String>>,
}

/// The parts of a [`Plan`](super::Plan) that come out of its tables.
pub(in crate::plan) struct Parts {
    pub(in crate::plan) title: Option<String>,
    pub(in crate::plan) publication: PublicationEntry,
    pub(in crate::plan) quality: Option<QualityEntry>,
    pub(in crate::plan) round: Option<u64>,
    pub(in crate::plan) data: Data,
    pub(in crate::plan) privacy: Privacy,
    pub(in crate::plan) columns: Vec<Column>,
    pub(in crate::plan) per_unit: Option<Vec<Column>>,
    pub(in crate::plan) statistics: Vec<Statistic>,
    pub(in crate::plan) figures: Option<FiguresFile>,
    pub(in crate::plan) interval: IntervalChoice,
}

fn finished(columns: Vec<ColumnDraft>) -> Result<Vec<Column>, Reported> {
    columns.into_iter().map(ColumnDraft::finish).collect()
}
