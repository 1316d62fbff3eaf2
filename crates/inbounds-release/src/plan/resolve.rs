//! The plan against the schema of the data: names and types, never values.

use std::collections::HashSet;

use inbounds_data::{Derivation, called_alike};
use inbounds_input::document::{Mistake, Mistakes, Spanned, column_header, shorten};
use inbounds_input::nearest;

use super::{Column, Derived, Kind, Missing, Plan, fit, kinds, read::per_unit};

/// Longest list of columns a help shows.
const MOST_NAMES: usize = 12;

/// A schema, and the plan that is compared with it.
struct Resolver<'p> {
    plan: &'p Plan,
    schema: &'p [(String, Kind)],
    mistakes: Mistakes<'p>,
    /// Names already noted as missing: one note a name is enough.
    missing: HashSet<&'p str>,
}

/// Mistakes of a plan, and columns among the `named` that the data do not have.
pub(super) fn resolve(plan: &Plan, schema: &[(String, Kind)], named: &[Spanned<String>]) -> Vec<Mistake> {
    if let Some(mistake) = first_line(plan, schema, named) {
        return vec![mistake];
    }
    let mut resolver = Resolver { plan, schema, mistakes: Mistakes::new(&plan.text), missing: HashSet::new() };
    for column in &plan.columns {
        resolver.check_declared(column);
    }
    let of_units = plan.per_unit.iter().flatten().filter_map(|column| column.per_unit.as_ref());
    for column in of_units.flat_map(|taken| taken.from.iter().chain(&taken.order)) {
        resolver.type_in_data(column);
    }
    if let Some(column) = plan.privacy.unit.column() {
        resolver.check_key("`unit` in [privacy]", column, fit::unit);
    }
    for column in named {
        resolver.type_in_data(column);
    }
    let of_units = plan.schema_of_units(schema);
    if let Some(of_units) = &of_units {
        resolver.schema = of_units;
        plan.per_unit
            .iter()
            .flatten()
            .for_each(|column| resolver.check_facts(column, &per_unit::header(&column.name.value)));
    }
    for statistic in &plan.statistics {
        let place = format!("statistic `{}`", statistic.name.value);
        for column in &statistic.by {
            resolver.check_key(&format!("`by` in {place}"), column, fit::key);
        }
        let kind = kinds::entry(statistic.kind.word());
        let role = format!("`{}` in {place}", kind.column_key);
        for column in statistic.columns() {
            resolver.check_use(column, |column_type| kind.judge(&role, &column.value, column_type));
        }
    }
    let mut list = resolver.mistakes.into_list();
    list.sort_by_key(|mistake| mistake.span.start);
    list
}

/// The mistake of a first line that has none of the names of the plan, or of the `named`, where there are any. It may
/// hold a person: nothing of it is shown. Formats with a schema have no such line.
pub(super) fn first_line(plan: &Plan, schema: &[(String, Kind)], named: &[Spanned<String>]) -> Option<Mistake> {
    let declared = plan.columns.iter().map(|column| &column.name);
    let is_of_rows = plan.per_unit.is_none();
    let used = plan.statistics.iter().filter(|_| is_of_rows);
    let used = used.flat_map(|statistic| statistic.columns().into_iter().chain(&statistic.by));
    let taken = plan.per_unit.iter().flatten().filter_map(|column| column.per_unit.as_ref()?.from.as_ref());
    let used = used.chain(taken);
    let gathered = plan.data.longer.iter().flat_map(|longer| &longer.value.columns);
    if gathered.into_iter().any(|name| schema.iter().any(|(column, _)| column == name)) {
        return None;
    }
    let mut named = declared.chain(used).chain(plan.privacy.unit.column()).chain(named).peekable();
    let names_any = named.peek().is_none() || named.any(|name| schema.iter().any(|(column, _)| *column == name.value));
    if names_any || !plan.data.format.is_delimited() {
        return None;
    }
    let message = "the data must have columns that the plan names, and the first line of the data names none of them";
    if plan.data.format.has_dictionary() {
        let message =
            "the data must have columns that the plan names, and no variable of the file has one of these names";
        let help = "spell the names in the plan as `inbounds plan init` does".to_owned();
        return Some(plan.mistake(plan.data.path.span.clone(), message, Some(help)));
    }
    let help = "a CSV file begins with a line of column names: add it, or spell the names in the plan as they stand \
                there; if other lines stand before it, write how many: skip = 3 in [data]";
    Some(plan.mistake(plan.data.path.span.clone(), message, Some(help.to_owned())))
}

impl<'p> Resolver<'p> {
    fn check_declared(&mut self, column: &'p Column) {
        let place = column_header(&column.name.value);
        if let Some(derived) = &column.derived {
            self.check_inputs(derived, &place);
            return;
        }
        let Some(stored) = self.type_in_data(&column.name) else { return };
        if let Some(declared) = &column.column_type {
            if !declared.value.reads(stored) {
                let message = format!("`type` in {place} is {}, but the data has {stored}", declared.value);
                self.mistakes.note(&declared.span, message, "remove `type`, or name another column");
            }
            return;
        }
        self.check_facts(column, &place);
    }

    /// Compares bounds and values with the type in the data, where the plan declares none.
    fn check_facts(&mut self, column: &'p Column, place: &str) {
        let Some((_, stored)) = self.schema.iter().find(|(name, _)| *name == column.name.value) else { return };
        let stored = *stored;
        if column.column_type.is_some() {
            return;
        }
        for (key, bound) in column.bounds.iter().flat_map(|bounds| [("lower", &bounds.lower), ("upper", &bounds.upper)])
        {
            if let Err(complaint) = fit::number(&format!("`{key}` in {place}"), &bound.value, Some(stored)) {
                self.mistakes.note_complaint(&bound.span, complaint);
            }
        }
        let may_be_missing = column.per_unit.as_ref().is_none_or(|taken| taken.take.value.may_be_missing());
        if let Some(Missing::Impute(value)) = column.missing.as_ref().filter(|_| may_be_missing)
            && let Err(complaint) = fit::number(&format!("`missing` in {place}"), value, Some(stored))
        {
            self.mistakes.note_complaint(&column.name.span, complaint);
        }
        let list = column.values.as_deref().unwrap_or_default();
        for (span, complaint) in fit::values(&format!("`values` in {place}"), list, stored) {
            self.mistakes.note_complaint(&span, complaint);
        }
    }

    /// The columns that one is made of: there, and dates where these are taken. Other types are the engine's to judge.
    fn check_inputs(&mut self, derived: &'p Derived, place: &str) {
        for from in &derived.inputs {
            let declared = self.plan.row_column(&from.value).is_some_and(|input| input.column_type.is_some());
            let takes_dates = matches!(derived.rule, Derivation::Taken { .. } | Derivation::Elapsed { .. });
            let stored = self.type_in_data(from).filter(|stored| takes_dates && *stored != Kind::Date && !declared);
            if let Some(stored) = stored {
                let name = shorten(&from.value);
                let message = format!("`from` in {place} must name a column of type date, but the data has {stored}");
                let help =
                    format!("if `{name}` holds dates as text, add {} with type = \"date\"", column_header(&from.value));
                self.mistakes.note(&from.span, message, help);
            }
        }
    }

    fn check_key(&mut self, role: &str, column: &'p Spanned<String>, judge: fit::Judge) {
        self.check_use(column, |column_type| judge(role, &column.value, column_type));
    }

    /// Compares a use of a column with its type in the data, unless the reader has judged it by a declared type.
    fn check_use(
        &mut self,
        column: &'p Spanned<String>,
        judge: impl FnOnce(Kind) -> Result<(), inbounds_input::document::Complaint>,
    ) {
        let Some(stored) = self.type_in_data(column) else { return };
        let declared = self.plan.column(&column.value).is_some_and(|declared| declared.column_type.is_some());
        if !declared && let Err(complaint) = judge(stored) {
            self.mistakes.note_complaint(&column.span, complaint);
        }
    }

    /// The type of a column in the data; notes a column that is not there.
    fn type_in_data(&mut self, column: &'p Spanned<String>) -> Option<Kind> {
        if let Some((_, column_type)) = self.schema.iter().find(|(name, _)| *name == column.value) {
            return Some(*column_type);
        }
        if let Some(known) = self.plan.row_column(&column.value).filter(|known| known.derived.is_some()) {
            return known.column_type.as_ref().map(|kind| kind.value);
        }
        // The type of a cell of a unit may be known when the data are open.
        if self.plan.per_unit.iter().flatten().any(|known| known.name.value == column.value) {
            return None;
        }
        if self.missing.insert(&column.value) {
            let called = called_alike(&column.value, self.schema.iter().map(|(name, _)| name.as_str()));
            if let Some(one) = called.first() {
                let name = shorten(&column.value);
                let message = format!("the data must have one column `{name}`, and has {} of that name", called.len());
                let help = format!(
                    "name the one that is meant by its place, such as {}, or rename it in the file",
                    column_header(one)
                );
                self.mistakes.note(&column.span, message, help);
                return None;
            }
            let message =
                format!("the data must have a column `{}`, and has none of that name", shorten(&column.value));
            let help = self.help_missing(&column.value);
            self.mistakes.note(&column.span, message, help);
        }
        None
    }

    fn help_missing(&self, wrong: &str) -> String {
        if let Some(near) = nearest(wrong, self.schema.iter().map(|(name, _)| name.as_str())) {
            return format!("did you mean `{}`?", shorten(near));
        }
        let names: Vec<_> = self.schema.iter().take(MOST_NAMES).map(|(name, _)| shorten(name)).collect();
        let rest = if self.schema.len() > MOST_NAMES { ", ..." } else { "" };
        format!("the columns are {}{rest}", names.join(", "))
    }
}
