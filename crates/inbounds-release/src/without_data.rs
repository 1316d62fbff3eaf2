//! A plan without its data, as a reviewer has it: the schema is assumed.

use inbounds_data::{Cuts, DataError, Derivation, Described, Kind, Source};
use serde::Serialize;

use crate::per_unit::per_unit;
use crate::plan::{Column, PerUnitWord, Plan, Spanned, TakenPerUnit};

/// Assumptions about the schema, in a check without the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaAssumptions {
    /// Where the plan says that the data are.
    pub path: String,
    /// Columns of which only the data know the type, each with the type that was taken for it.
    pub assumed: Vec<(String, &'static str)>,
    /// Statistics whose condition was not checked, because it may name columns that the plan does not describe.
    pub conditions: Vec<String>,
    /// The columns that the data were assumed to have.
    #[serde(skip)]
    pub(crate) columns: Vec<inbounds_data::Column>,
}

impl SchemaAssumptions {
    /// The assumptions, as sentences.
    pub fn sentence(&self) -> String {
        let mut text = format!("No file is at `{}`: columns and their types are those of the plan.", self.path);
        if !self.assumed.is_empty() {
            let taken: Vec<String> = self.assumed.iter().map(|(name, kind)| format!("`{name}` as {kind}")).collect();
            text.push_str(&format!(" The file's own types are not known; taken were {}.", taken.join(", ")));
        }
        if !self.conditions.is_empty() {
            text.push_str(&format!(" Not checked: `where` of {}.", self.conditions.join(", ")));
        }
        text
    }
}

/// The columns of a plan, and the assumptions about them. The plan's reader has refused a CSV column without a
/// type; a Parquet file knows its own.
pub(crate) fn described(plan: &Plan, source: &Source) -> Result<(Described, SchemaAssumptions), DataError> {
    let mut source = source.clone();
    let mut assumed = Vec::new();
    let used = plan.statistics.iter().filter(|_| plan.per_unit.is_none());
    let used = used.flat_map(|statistic| statistic.columns().into_iter().chain(&statistic.by));
    let taken = plan.per_unit.iter().flatten().filter_map(|column| column.per_unit.as_ref());
    let used = used.chain(taken.flat_map(|taken| taken.from.iter().chain(&taken.order)));
    // Where the plan must declare what it uses, conditions can be checked.
    let declared = !plan.data.has_public_types();
    if !declared {
        without_conditions(&mut source);
    }
    let inputs = plan.columns.iter().filter_map(|column| column.derived.as_ref()).filter_map(|derived| {
        // A condition is not checked, and nothing is assumed of the columns that it names.
        (!matches!(derived.rule, Derivation::Condition(_))).then_some(&derived.inputs)
    });
    let inputs = inputs.flatten();
    let named =
        plan.columns.iter().map(|column| &column.name).chain(inputs).chain(used).chain(plan.privacy.unit.column());
    for name in named {
        if source.declared.iter().any(|(declared, _)| *declared == name.value) {
            continue;
        }
        // What is made of others has the type that this gives it.
        if source.derived.iter().any(|derived| derived.name == name.value) {
            continue;
        }
        let asked = source.derived.iter().find_map(|derived| asked(&derived.rule, &name.value));
        let asked = asked.or_else(|| asked_per_unit(plan, &name.value));
        let kind = asked.unwrap_or_else(|| plan.row_column(&name.value).map_or(Kind::Text, assumed_kind));
        source.declared.push((name.value.clone(), kind));
        assumed.push((name.value.clone(), kind.name()));
    }
    let kind = |name: &str| source.declared.iter().find(|(declared, _)| declared == name).map(|(_, kind)| *kind);
    source.per_unit = per_unit(plan, &kind);
    let filtered = plan.statistics.iter().filter(|statistic| statistic.filter.is_some() && !declared);
    let mut conditions: Vec<String> = filtered.map(|statistic| statistic.name.value.clone()).collect();
    if !declared {
        let columns = source.per_unit.iter_mut().flat_map(|per_unit| &mut per_unit.columns);
        let unchecked =
            columns.filter_map(|column| column.filter.take().map(|_| format!("[per_unit.{}]", column.name)));
        conditions.extend(unchecked);
    }
    let path = plan.data.path.value.clone();
    let stored = source.declared.iter().filter(|(name, _)| source.derived.iter().all(|derived| derived.name != *name));
    let columns = stored.map(|(name, kind)| inbounds_data::Column { name: name.clone(), kind: *kind }).collect();
    Ok((Described::new(&source, declared)?, SchemaAssumptions { path, assumed, conditions, columns }))
}

/// Columns that are conditions become columns of booleans, which they are, whatever they name.
fn without_conditions(source: &mut Source) {
    let (conditions, others): (Vec<_>, Vec<_>) =
        source.derived.drain(..).partition(|derived| matches!(derived.rule, Derivation::Condition(_)));
    source.derived = others;
    source.declared.extend(conditions.into_iter().map(|derived| (derived.name, Kind::Boolean)));
}

/// The type that a rule asks of a column.
fn asked(rule: &Derivation, column: &str) -> Option<Kind> {
    match rule {
        Derivation::Taken { from, .. } => (from == column).then_some(Kind::Date),
        Derivation::Elapsed { from, to, .. } => (from == column || to == column).then_some(Kind::Date),
        Derivation::Cut { from, cuts, .. } => (from == column).then_some(match cuts {
            Cuts::Numbers(_) => Kind::Number,
            Cuts::Days(_) => Kind::Date,
        }),
        Derivation::Recoded { from, codes, .. } => {
            codes.iter().filter(|_| from == column).find_map(|(code, _)| code.kind())
        }
        Derivation::LookedUp { from, keys, .. } => {
            let place = from.iter().position(|name| name == column)?;
            keys.iter().find_map(|key| key.get(place)?.kind())
        }
        Derivation::Computed { formula, .. } => {
            formula.columns().iter().any(|name| name == column).then_some(Kind::Number)
        }
        Derivation::Condition(_) => None,
    }
}

/// The type that a cell of a unit asks of the column that it is taken from.
fn asked_per_unit(plan: &Plan, column: &str) -> Option<Kind> {
    let asked = |taken: &TakenPerUnit| {
        let is = |name: &Option<Spanned<String>>| name.as_ref().is_some_and(|name| name.value == column);
        match taken.take.value {
            _ if is(&taken.order) => Some(Kind::Number),
            PerUnitWord::Sum | PerUnitWord::Mean => is(&taken.from).then_some(Kind::Number),
            PerUnitWord::Any | PerUnitWord::All => is(&taken.from).then_some(Kind::Boolean),
            PerUnitWord::Rows | PerUnitWord::Min | PerUnitWord::Max | PerUnitWord::First | PerUnitWord::Last => None,
        }
    };
    plan.per_unit.iter().flatten().filter_map(|column| column.per_unit.as_ref()).find_map(asked)
}

/// A type that fits what the plan says of a column: numbers if it has bounds, that of its values if it lists some.
fn assumed_kind(column: &Column) -> Kind {
    if column.bounds.is_some() {
        return Kind::Number;
    }
    column.values.iter().flatten().find_map(|value| value.value.kind()).unwrap_or(Kind::Text)
}
