//! A plan without its data, as a reviewer has it.

use inbounds_data::{DataError, Described, KeyValue, Kind, Source};
use serde::Serialize;

use crate::plan::{Column, Plan};

/// What a check without the data took for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// Where the plan says that the data are.
    pub path: String,
    /// Columns of which only the data know the type, each with the type that was taken for it.
    pub assumed: Vec<(String, &'static str)>,
    /// Statistics whose condition was not checked, because it may name columns that the plan does not describe.
    pub conditions: Vec<String>,
}

impl Unseen {
    /// What was taken for granted, as sentences.
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

/// The columns of a plan, and what had to be supposed about them. The plan's reader has refused a CSV column without a type;
/// a Parquet file knows its own.
pub(crate) fn described(plan: &Plan, source: &Source) -> Result<(Described, Unseen), DataError> {
    let mut source = source.clone();
    let mut assumed = Vec::new();
    let used = plan.statistics.iter().flat_map(|statistic| statistic.columns().into_iter().chain(&statistic.by));
    let dates = plan.columns.iter().filter_map(|column| column.taken.as_ref().map(|taken| &taken.from));
    let named =
        plan.columns.iter().map(|column| &column.name).chain(dates).chain(used).chain(plan.privacy.unit.column());
    for name in named {
        if source.declared.iter().any(|(declared, _)| *declared == name.value) {
            continue;
        }
        // What is taken from a date has the type that this gives it.
        if source.derived.iter().any(|derived| derived.name == name.value) {
            continue;
        }
        let is_date = source.derived.iter().any(|derived| derived.from == name.value);
        let kind = if is_date { Kind::Date } else { plan.column(&name.value).map_or(Kind::Text, supposed) };
        source.declared.push((name.value.clone(), kind));
        assumed.push((name.value.clone(), kind.name()));
    }
    // Where the plan must declare what it uses, conditions can be checked.
    let declared = !plan.data.format.has_types();
    let filtered = plan.statistics.iter().filter(|statistic| statistic.filter.is_some() && !declared);
    let conditions = filtered.map(|statistic| statistic.name.value.clone()).collect();
    let path = plan.data.path.value.clone();
    Ok((Described::new(&source, declared)?, Unseen { path, assumed, conditions }))
}

/// A type that fits what the plan says of a column: numbers if it has bounds, that of its values if it lists some.
fn supposed(column: &Column) -> Kind {
    if column.bounds.is_some() {
        return Kind::Number;
    }
    match column.values.as_deref().and_then(|values| values.first()).map(|value| &value.value) {
        Some(KeyValue::Integer(_)) => Kind::Integer,
        Some(KeyValue::Boolean(_)) => Kind::Boolean,
        _ => Kind::Text,
    }
}
