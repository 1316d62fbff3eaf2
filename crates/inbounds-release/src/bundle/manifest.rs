//! Entries of the manifest of a release.

use inbounds_bundle::{
    BiasEntry, ClipEntry, ColumnEntry, CombinationEntry, Combined, DerivedEntry, ExpectedErrorEntry, FileEntry,
    GuaranteeEntry, IntervalEntry, MapEntry, MissingEntry, MissingRule, Program, PublicEntry, RELEASE_SCHEMA,
    RangeEntry, ReleaseManifest, StatisticEntry, ValueEntry, ValueLabelEntry,
};
use inbounds_core::planted::{Defect, kept_rows, planted};
use inbounds_statistics::{CombinedMeasure, ExpectedError};

use super::{About, words};
use crate::{
    LearnedTable, Released,
    entries::{clip, components, outputs},
    notices,
    payment::Payment,
    plan::{
        Column, Combination, KeyValue, Missing, Plan, PublicCells, PublicNumbers, Spanned, Statistic, StatisticKind,
    },
    released::{Published, Randomness},
};

/// The manifest of a release.
pub(super) fn manifest(
    about: &About,
    published: Published,
    payment: &Payment,
    files: Vec<FileEntry>,
) -> ReleaseManifest {
    let &About { plan, design, granted, spent, apart, joint, together, chosen, wants, run } = about;
    let most = plan.privacy.unit.most();
    ReleaseManifest {
        schema: RELEASE_SCHEMA.to_owned(),
        program: Program::this(),
        title: plan.title.clone().filter(|_| !planted(Defect::RowsPublished)).or_else(rows_as_title),
        publication: plan.publication.clone(),
        quality: plan.quality.clone(),
        private: run.randomness == Randomness::Secure,
        rounding_seed: run.rounding_seed.to_string(),
        guarantee: GuaranteeEntry {
            words: words::guarantee(about, payment),
            privacy_unit: words::privacy_unit(plan),
            rows_per_unit: design.rows_per_unit(),
            groups_per_unit: most.and_then(|most| Some(most.groups.as_ref()?.value)),
            rows_per_group: most.and_then(|most| Some(most.rows_per_group.as_ref()?.value)),
            neighbours: design.neighbours.into(),
            public_rows: design.rows,
            epsilon_granted: granted.value().into(),
            delta_granted: plan.privacy.delta.value.value().into(),
            epsilon_spent: (&spent.epsilon).into(),
            delta_spent: (&spent.delta).into(),
            apart: apart.cloned(),
            joint: joint.to_vec(),
            wants: wants.cloned(),
            together: together.to_vec(),
            chosen: chosen.to_vec(),
            ledger: payment.entry().cloned(),
            notices: notices::of_budget(
                plan,
                spent,
                &published.statistics.iter().map(|released| &released.task).collect::<Vec<_>>(),
            ),
        },
        plan_sha256: plan.digest.clone(),
        approval: plan.approval.clone(),
        rules: words::rules(plan, design),
        columns: plan.read_columns().iter().enumerate().filter_map(column).collect(),
        per_unit: words::per_unit(plan),
        statistics: published.statistics.iter().map(|released| statistic(plan, released)).collect(),
        diagnostics: published.diagnostics,
        left_out: published.left_out,
        files,
    }
}

/// Title under a planted defect.
fn rows_as_title() -> Option<String> {
    planted(Defect::RowsPublished).then(|| format!("{} rows", kept_rows()))
}

fn statistic(plan: &Plan, released: &Released) -> StatisticEntry {
    let described = &plan.statistics[released.task.index];
    let prepared = &released.task.prepared;
    let (lower, upper) = prepared.shared_ends();
    let clips: Vec<ClipEntry> = prepared.ask().clips.iter().map(clip).collect();
    let outputs = outputs(plan, described, prepared);
    StatisticEntry {
        name: described.name.value.clone(),
        label: described.label.clone(),
        kind: described.kind.word().into(),
        column: described.column().map(|column| column.value.clone()),
        columns: described.columns().into_iter().map(|column| column.value.clone()).collect(),
        by: released.task.key_columns().to_vec(),
        within: described.within().iter().map(|column| column.value.clone()).collect(),
        keys: released.task.key_file.clone(),
        possible: described.possible.iter().map(|possible| possible.file.value.clone()).collect(),
        public: described.public.iter().map(|numbers| public(&numbers.value)).collect(),
        rule: described.mechanism.value.rule_file().map(|rule| rule.file.clone()),
        filter: described.filter.as_ref().map(|filter| filter.value.clone()),
        cells: released.task.prepared.cells(),
        unit: outputs.first().map(|output| output.unit.clone()).unwrap_or_default(),
        epsilon: prepared.epsilon().value().into(),
        clip: clips.first().filter(|_| clips.len() == 1).cloned(),
        clips,
        range: RangeEntry { lower, upper },
        outputs,
        measured: components(&released.task, released.measured.iter().map(|measured| measured.steps().len())),
        bias: BiasEntry { formula: prepared.bias_formula().into(), worst: released.worst_bias },
        expected_error: released.expected.iter().map(expected).collect(),
        interval: IntervalEntry {
            level: released.task.coverage.level,
            joint: released.task.coverage.joint,
            method: prepared.interval_method().into(),
        },
        missing: missing(plan, described),
        combination: combination(described),
        learned: released.task.learned().map(LearnedTable::entry),
        projection: released.projection.clone(),
        rounding: released.rounded.as_ref().map(|rounded| rounded.entry.clone()),
        notices: released.notices.clone(),
    }
}

/// Public numbers of cells, and where they come from.
fn public(numbers: &PublicNumbers) -> PublicEntry {
    let margin = numbers.margin.iter().flat_map(|margin| margin.value.iter().map(|column| column.value.clone()));
    PublicEntry {
        level: numbers.level.as_ref().map(|level| level.value.clone()),
        margin: margin.collect(),
        file: numbers.file().cloned(),
        number: match numbers.cells {
            PublicCells::Number(number) => Some(number),
            PublicCells::File { .. } => None,
        },
    }
}

/// The weighted sum of a combination.
fn combination(described: &Statistic) -> Option<CombinationEntry> {
    let StatisticKind::Combination(Combination { weights, measure }) = &described.kind else { return None };
    let measure = match measure {
        CombinedMeasure::Means => Combined::Mean,
        CombinedMeasure::Sums => Combined::Sum,
    };
    Some(CombinationEntry { of: measure, weights: weights.iter().map(|(_, weight)| weight.into()).collect() })
}

/// The plan's rule for missing numbers, column by column.
pub(crate) fn missing(plan: &Plan, described: &Statistic) -> Vec<MissingEntry> {
    let entry = |column: &Spanned<String>| {
        let read = plan.column(&column.value)?;
        // Every unit has such a cell.
        if read.per_unit.as_ref().is_some_and(|taken| !taken.take.value.may_be_missing()) {
            return None;
        }
        let rule = match read.missing.as_ref()? {
            Missing::Drop => MissingRule::Dropped,
            Missing::Impute(value) => MissingRule::CountedAs(value.to_f64()),
        };
        Some(MissingEntry { column: column.value.clone(), rule })
    };
    described.columns().into_iter().filter_map(entry).collect()
}

/// The name that the map of the column at a place of the plan has in a bundle.
pub(super) fn map_file(place: usize) -> String {
    format!("map-{}.geojson", place + 1)
}

/// Labels of a column and its values, if the plan has them, its map, and its derivation, if the data do not have it.
fn column((place, column): (usize, &Column)) -> Option<ColumnEntry> {
    let value = |value: &KeyValue| match value {
        KeyValue::Boolean(value) => ValueEntry::Boolean(*value),
        KeyValue::Integer(value) => ValueEntry::Integer(*value),
        KeyValue::Text(value) => ValueEntry::Text(value.clone()),
        KeyValue::Missing => ValueEntry::Text(KeyValue::MISSING.to_owned()),
    };
    let label = |(named, label): &(KeyValue, String)| ValueLabelEntry { value: value(named), label: label.clone() };
    let entry = ColumnEntry {
        name: column.name.value.clone(),
        label: column.label.clone(),
        unit: column.unit.clone(),
        labels: column.labels.iter().map(label).collect(),
        map: column.map.as_ref().map(|map| MapEntry {
            source: map.file.name.clone(),
            file: FileEntry { name: map_file(place), sha256: map.file.sha256.clone() },
            key: map.key.clone(),
        }),
        derived: column.derived.as_ref().map(|derived| DerivedEntry {
            from: derived.inputs.iter().map(|input| input.value.clone()).collect(),
            lookup: derived.lookup.clone(),
        }),
    };
    let says = entry.derived.is_some() || entry.map.is_some() || entry.label.is_some() || entry.unit.is_some();
    (says || !entry.labels.is_empty()).then_some(entry)
}

/// The manifest's entry for an expected error.
pub(crate) fn expected(error: &ExpectedError) -> ExpectedErrorEntry {
    ExpectedErrorEntry { case: error.case.clone(), bias: error.bias, rmse: error.rmse, half_width: error.half_width }
}
