//! Opens the data of a plan: columns are compared with what the plan says of them, and no row is read.

use inbounds_core::Grid;
use inbounds_data::{
    CellRules, Clip, Column, DataError, Derivation, DerivedColumn, Engine, FileEngine, Kind, Missing, NumberStyle,
    Query, RowFormat, Source,
};
use inbounds_input::document::{Mistake, column_header};

use crate::{
    error::Refused,
    per_unit::{per_unit, unbounded},
    plan::{self, Plan},
    without_data::described,
};

/// Opens the data, and notes declared columns that they do not have, or have of another type.
///
/// Columns that are `named` without being part of the plan are looked for too. A first line that names none of all
/// these may be a person: it is refused at once, because whatever else is said of it would quote it.
pub(crate) fn open(plan: &Plan, named: &[plan::Spanned<String>]) -> Result<(FileEngine, Vec<Mistake>), Refused> {
    let source = Source { per_unit: None, ..source(plan) };
    let bare = match FileEngine::open(&source) {
        Err(
            DataError::NoSuchColumn { .. }
            | DataError::AmbiguousColumn { .. }
            | DataError::DeclaredKind { .. }
            | DataError::Derived { .. },
        ) => {
            let (declared, derived, own_cells) = (Vec::new(), Vec::new(), Vec::new());
            let bare = Source { declared, derived, own_cells, frequency: None, ..source.clone() };
            FileEngine::open(&bare)?
        }
        opened => opened?,
    };
    let typed = |name: &str| source.declared.iter().find(|(declared, _)| declared == name).map(|(_, kind)| *kind);
    // Data that carry no types that are public have those of the plan.
    let untyped = !plan.data.has_public_types();
    let schema = bare.columns().iter().map(|column| {
        let declared = typed(&column.name).filter(|_| untyped);
        (column.name.clone(), declared.unwrap_or(column.kind))
    });
    let schema: Vec<(String, Kind)> = schema.collect();
    // Names of folders say nothing about the first line of the files.
    if let Some(mistake) = plan.first_line_mistake(&schema[..bare.columns_of_files().len()], named) {
        return Err(Refused::Mistakes(vec![mistake]));
    }
    let mut mistakes = plan.resolve_with(&schema, named);
    let kind_of = |name: &str| schema.iter().find(|(column, _)| column == name).map(|(_, kind)| *kind);
    // A declaration that contradicts the file has been noted.
    let fits = |(name, kind): &(String, Kind)| kind_of(name).is_some_and(|stored| kind.reads(stored));
    let declared = source.declared.iter().filter(|declared| fits(declared)).cloned().collect();
    let own_cells = source.own_cells.iter().filter(|(name, _)| kind_of(name).is_some()).cloned().collect();
    let mut source = Source { declared, own_cells, ..source };
    loop {
        match FileEngine::open(&source) {
            Err(DataError::Derived { column, error }) => {
                mistakes.extend(derived_mistake(plan, &column, &error));
                source.derived.retain(|derived| derived.name != column);
            }
            opened => {
                return ask_units(plan, opened?, mistakes);
            }
        }
    }
}

/// Engine for the rows of a plan: this program, which reads them, or the shares that others made of them.
pub(crate) fn reader(plan: &Plan, engine: FileEngine) -> Box<dyn Engine> {
    match &plan.shares {
        Some(shares) => Box::new(engine.with_shares(shares.clone())),
        None => Box::new(engine),
    }
}

/// Lets the engine ask the columns of units, if the plan has any, and notes those that cannot be taken from the rows.
fn ask_units(
    plan: &Plan,
    mut engine: FileEngine,
    mut mistakes: Vec<Mistake>,
) -> Result<(FileEngine, Vec<Mistake>), Refused> {
    let kind = |name: &str| engine.columns().iter().find(|column| column.name == name).map(|column| column.kind);
    let Some(mut per_unit) = per_unit(plan, &kind) else { return Ok((engine, mistakes)) };
    mistakes.extend(unreadable_in(plan, &engine));
    mistakes.extend(unbounded(plan, &kind));
    let all = plan.per_unit.iter().flatten().count();
    loop {
        match engine.ask_units(&per_unit) {
            Err(DataError::UnitColumn { column, source }) => {
                let place = plan.column(&column).and_then(|column| column.per_unit.as_ref());
                // What is wrong with a column that it is taken from has been noted.
                let read = place.iter().flat_map(|taken| taken.from.iter().chain(&taken.order));
                let noted = read.into_iter().any(|read| mistakes.iter().any(|mistake| mistake.span == read.span));
                let span = place.map(|taken| taken.filter.as_ref().map_or(&taken.take.span, |filter| &filter.span));
                if !noted {
                    mistakes.push(plan.mistake(span.cloned().unwrap_or_default(), source.to_string(), None));
                }
                per_unit.columns.retain(|known| known.name != column);
            }
            // Without one of its columns, or its unit, nothing can be said of the table of units.
            Ok(()) if per_unit.columns.len() == all => return Ok((engine, mistakes)),
            Ok(()) => return Err(Refused::Mistakes(mistakes)),
            Err(_) if !mistakes.is_empty() => return Err(Refused::Mistakes(mistakes)),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Mistake in the derivation of a column, unless it has been noted: a column that is not there, or no date.
fn derived_mistake(plan: &Plan, column: &str, error: &DataError) -> Option<Mistake> {
    let derived = plan.row_column(column)?.derived.as_ref()?;
    let noted = match error {
        DataError::NoSuchColumn { .. } | DataError::AmbiguousColumn { .. } | DataError::Undeclared { .. } => true,
        DataError::DerivedFrom { .. } => matches!(derived.rule, Derivation::Taken { .. } | Derivation::Elapsed { .. }),
        _ => false,
    };
    let message = format!("{} cannot be made as it says: {error}", column_header(column));
    (!noted).then(|| plan.mistake(derived.span.clone(), message, None))
}

/// Mistakes in the conditions of derived columns, which are judged when they are read.
pub(crate) fn unreadable(plan: &Plan, engine: &dyn Engine) -> Vec<Mistake> {
    // Of units they are judged where the rows are at hand, by [`open`].
    if plan.per_unit.is_some() { Vec::new() } else { unreadable_in(plan, engine) }
}

fn unreadable_in(plan: &Plan, engine: &dyn Engine) -> Vec<Mistake> {
    let mistake = |column: &plan::Column| {
        let derived = column.derived.as_ref()?;
        let Derivation::Condition(text) = &derived.rule else { return None };
        engine.columns().iter().find(|known| known.name == column.name.value)?;
        let error = engine.check(&Query { filter: Some(text.clone()), ..Query::default() }).err()?;
        let message = format!("`is` in {}: {error}", column_header(&column.name.value));
        Some(plan.mistake(derived.span.clone(), message, None))
    };
    plan.columns.iter().filter_map(mistake).collect()
}

impl Plan {
    /// The columns that the data themselves hold, with the kinds as which they are read: by the header or schema, and
    /// where there is no file yet, or the format carries no types, by the plan. Reads no row.
    ///
    /// # Errors
    /// [`DataError`] if the data cannot be opened.
    pub fn stored_columns(&self) -> Result<Vec<Column>, DataError> {
        let bare = Source { per_unit: None, derived: Vec::new(), ..source(self) };
        let declared = |(name, kind): &(String, Kind)| Column { name: name.clone(), kind: *kind };
        match FileEngine::open(&bare) {
            Ok(engine) if self.data.has_public_types() => Ok(engine.columns_of_files().to_vec()),
            Ok(_) => Ok(bare.declared.iter().map(declared).collect()),
            Err(DataError::NoFiles { .. } | DataError::NoRows) => Ok(described(self, &bare)?.1.columns),
            Err(error) => Err(error),
        }
    }
}

/// Where the rows are and how their files are laid out, and nothing of how their cells are read.
pub(crate) fn stored(plan: &Plan) -> Source {
    let path = match plan.data.format {
        RowFormat::Memory => plan.data.path.value.clone(),
        _ => plan.locate(&plan.data.path.value).to_string_lossy().into_owned(),
    };
    Source {
        rows: plan.rows.clone(),
        format: Some(plan.data.format),
        text: plan.data.text.clone(),
        longer: plan.data.longer.as_ref().map(|longer| longer.value.clone()),
        ..Source::new(path)
    }
}

/// Where the rows are, and what the plan says of their columns.
pub(crate) fn source(plan: &Plan) -> Source {
    let own = || plan.columns.iter().filter(|column| column.derived.is_none());
    let declared =
        own().filter_map(|column| column.column_type.as_ref().map(|kind| (column.name.value.clone(), kind.value)));
    let derived = plan.columns.iter().filter_map(|column| {
        let rule = column.derived.as_ref()?.rule.clone();
        Some(DerivedColumn { name: column.name.value.clone(), rule })
    });
    let columns = own().map(|column| &column.name.value);
    let decimal = plan.data.decimal.as_ref().map(|decimal| decimal.value);
    Source {
        types: plan.data.types,
        declared: declared.collect(),
        derived: derived.collect(),
        cells: CellRules {
            missing: plan.data.missing_values.iter().map(|code| code.value.clone()).collect(),
            decimal: decimal.unwrap_or(CellRules::default().decimal),
            number: NumberStyle { either_decimal: plan.data.reads_either(decimal), ..NumberStyle::default() },
            ..CellRules::default()
        },
        own_cells: columns.map(|name| (name.clone(), plan.cell_rules(name))).collect(),
        sets: plan.columns.iter().filter_map(plan::Column::set).collect(),
        frequency: plan.frequency().map(|frequency| Clip {
            column: frequency.column.value.clone(),
            lower: frequency.bounds.0,
            upper: frequency.bounds.1,
            grid: Grid::INTEGERS,
            missing: frequency.missing.map_or(Missing::Drop, Missing::Impute),
        }),
        per_unit: per_unit(plan, &|name| {
            plan.row_column(name).and_then(|column| column.column_type.as_ref()).map(|kind| kind.value)
        }),
        ..stored(plan)
    }
}
