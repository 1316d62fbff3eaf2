//! The `[privacy]` table.

use std::ops::Range;

use inbounds_core::{Delta, Named as _, Neighbours, Rational};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given};
use toml::de::DeValue;

use super::{parameter::parameter, want};
use crate::plan::{GrantedEpsilon, MechanismChoice, MostOfUnit, Privacy, Sharing, Unit};

pub(in crate::plan) const HELP_UNIT: &str = "write unit = \"row\"; unit = { column = \"person\", max_rows = 4 } if one person may have several rows; or \
     unit = { max_rows = 4 } if no column says whose they are, and nobody has more";
const HELP_NEIGHBOURS: &str = "\"add-remove\" protects the number of units, \"substitute\" treats it as public";
const HELP_EPSILON: &str = "epsilon is for the whole release: a positive number such as 1.0, a fraction such as \"1/3\", or \"least\" if all statistics have `want`";
const HELP_DELTA: &str = "leave delta out for pure differential privacy, or write a small number such as 1e-6";
const HELP_DIAGNOSTICS: &str =
    "diagnostics is the part of epsilon for counts of how the rows were read, such as 0.01; leave it out for none";
const HELP_TOGETHER: &str = "name the statistics that get one vector of noise, such as together = [\"mean-cost\", \"mean-nights\"], or several such lists, or together = \"none\" for noise of their own; without it all share that err less by it";
const HELP_MECHANISM: &str = "write mechanism = \"best\" for Laplace or Gaussian noise, whichever errs less, or name the mechanism in each [[statistic]]";
const HELP_LEDGER: &str = "write the ledger of the data set, such as ledger = \"stays.ledger\", relative to the plan's folder; leave it out for none";
const HELP_UNITS: &str = "write the public number of units, such as rows = 4000";
const HELP_ROWS: &str = "write the public number of rows, such as rows = 4000";
const HELP_ONE_ROW: &str = "[per_unit] makes all rows of a unit into one: write unit = { column = \"person\" }";
const HELP_MAX_ROWS: &str = "max_rows is the most rows of one unit that are used";
const HELP_MAX_GROUPS: &str = "max_groups is the most groups of `by` in which rows of one unit are used";
const HELP_MAX_ROWS_PER_GROUP: &str =
    "max_rows_per_group is the most rows of one unit that are used in one group of `by`";
const UNIT_KEYS: [&str; 4] = ["column", "max_rows", "max_groups", "max_rows_per_group"];
const NO_ROWS_PER_GROUP: &str = "`max_groups` in `unit` must be given with `max_rows_per_group` or `max_rows`";
const NO_GROUPS: &str = "`max_rows_per_group` in `unit` must be given with `max_groups` or `max_rows`";

/// The unit of a plan whose author has not chosen one.
pub(crate) const UNDECIDED: &str = "undecided";

/// `[privacy]` as far as it could be read.
pub(in crate::plan) struct PrivacyDraft {
    pub(in crate::plan) unit: Result<Unit, Reported>,
    /// The column of the unit, also where the rest of the unit is wrong.
    pub(super) unit_column: Option<Spanned<String>>,
    pub(super) undecided: Option<Range<usize>>,
    pub(in crate::plan) neighbours: Result<Neighbours, Reported>,
    rows: Field<Spanned<u64>>,
    pub(in crate::plan) epsilon: Result<Spanned<GrantedEpsilon>, Reported>,
    pub(in crate::plan) delta: Field<Spanned<Delta>>,
    diagnostics: Field<Spanned<Rational>>,
    ledger: Field<Spanned<String>>,
    pub(in crate::plan) together: Field<Sharing>,
    pub(in crate::plan) mechanism: Field<MechanismChoice>,
}

impl PrivacyDraft {
    /// `true` in the case in which the number of rows is public: neighbours differ in the content of one row.
    pub(in crate::plan) fn rows_are_public(&self) -> bool {
        matches!((&self.unit, self.neighbours), (Ok(Unit::Row | Unit::OneRow { .. }), Ok(Neighbours::Substitute)))
    }

    pub(in crate::plan) fn finish(self) -> Result<Privacy, Reported> {
        let epsilon = self.epsilon?;
        let pure = || Delta::new(Rational::ZERO).expect("zero lies in [0, 1)");
        let delta = self.delta?.unwrap_or_else(|| Spanned::new(pure(), epsilon.span.clone()));
        Ok(Privacy {
            unit: self.unit?,
            undecided: self.undecided,
            neighbours: self.neighbours?,
            rows: self.rows?,
            epsilon,
            delta,
            diagnostics: self.diagnostics?,
            together: self.together?.unwrap_or_default(),
            mechanism: self.mechanism?.unwrap_or_default(),
            ledger: self.ledger?,
        })
    }
}

/// Stands where [privacy] could not be read, so that names and conditions can be compared with the data. No statistic
/// is prepared by it.
pub(super) fn stand_in(unit: Option<Unit>) -> Privacy {
    let nowhere = 0..0;
    Privacy {
        unit: unit.unwrap_or(Unit::Row),
        undecided: None,
        neighbours: Neighbours::AddRemove,
        rows: None,
        epsilon: Spanned::new(GrantedEpsilon::Least, nowhere.clone()),
        delta: Spanned::new(Delta::ZERO, nowhere),
        diagnostics: None,
        together: Sharing::default(),
        mechanism: MechanismChoice::default(),
        ledger: None,
    }
}

pub(super) fn read(root: &Table, mistakes: &mut Mistakes) -> Result<PrivacyDraft, Reported> {
    let known = ["unit", "neighbours", "rows", "epsilon", "delta", "diagnostics", "together", "mechanism", "ledger"];
    let Some(table) = root.table("privacy", "[privacy]", &known, mistakes)? else {
        let help = "add [privacy] with unit, neighbours and epsilon";
        return Err(mistakes.note(&root.span, "the table [privacy] is missing", help));
    };
    let mut unit_column = None;
    let is_reduced = root.item("per_unit").is_some();
    let unit = table.optional("unit", |item| match is_reduced {
        true => read_reduced(&item, &mut unit_column, mistakes),
        false => read_unit(&item, &mut unit_column, mistakes),
    });
    let unit = table.required("unit", unit, HELP_UNIT, mistakes);
    let is_undecided = |item: &Item| matches!(item.value, DeValue::String(word) if word == UNDECIDED);
    let undecided = table.item("unit").filter(is_undecided).map(|item| item.span.clone());
    let words: Vec<_> = Neighbours::all().iter().map(|relation| (relation.name(), *relation)).collect();
    let neighbours = table.optional("neighbours", |item| item.word(&words, HELP_NEIGHBOURS, mistakes));
    let neighbours = table.required("neighbours", neighbours, HELP_NEIGHBOURS, mistakes);
    let epsilon = table.optional("epsilon", |item| want::read_epsilon(&item, HELP_EPSILON, mistakes));
    let epsilon = table.required("epsilon", epsilon, HELP_EPSILON, mistakes);
    let delta = table.optional("delta", |item| parameter(&item, Delta::new, HELP_DELTA, mistakes));
    let rows = table.optional("rows", |item| item.counting_number(HELP_ROWS, mistakes));
    let diagnostics = table.optional("diagnostics", |item| read_diagnostics(&item, mistakes));
    let ledger = table.optional("ledger", |item| item.text(HELP_LEDGER, mistakes));
    let together = table.optional("together", |item| read_together(&item, mistakes));
    let choices = [MechanismChoice::default(), MechanismChoice::Best];
    let words = [&choices[0], &choices[1]].map(|choice| (choice.word(), choice));
    let mechanism = table.optional("mechanism", |item| item.word(&words, HELP_MECHANISM, mistakes));
    let mechanism = mechanism.map(|word| word.map(|word| word.value.clone()));
    let neighbours = neighbours.map(|word| word.value);
    let mut draft = PrivacyDraft {
        unit,
        unit_column,
        undecided,
        neighbours,
        rows,
        epsilon,
        delta,
        diagnostics,
        ledger,
        together,
        mechanism,
    };
    draft.rows = check_rows(&draft, &table, mistakes);
    Ok(draft)
}

/// A part of epsilon that leaves statistics some.
fn read_diagnostics(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let share = item.number(mistakes)?;
    let inside = share.value.is_positive() && share.value < Rational::ONE;
    if inside { Ok(share) } else { Err(item.refuse("greater than 0 and less than 1", HELP_DIAGNOSTICS, mistakes)) }
}

/// One group of names, or several, or a word: the program chooses, or each statistic has noise of its own.
fn read_together(item: &Item, mistakes: &mut Mistakes) -> Result<Sharing, Reported> {
    match item.value {
        DeValue::String(word) if word == "best" => return Ok(Sharing::Best),
        DeValue::String(word) if word == "none" => return Ok(Sharing::NONE),
        DeValue::String(_) => {
            return Err(item.refuse("\"best\", \"none\" or a list of names", HELP_TOGETHER, mistakes));
        }
        _ => {}
    }
    let names = |item: &Item, mistakes: &mut Mistakes| {
        item.list(HELP_TOGETHER, mistakes, |name, mistakes| name.text(HELP_TOGETHER, mistakes))
    };
    let is_of_groups =
        matches!(item.value, DeValue::Array(entries) if entries.iter().any(|entry| entry.get_ref().is_array()));
    let groups =
        if is_of_groups { item.list(HELP_TOGETHER, mistakes, names)?.value } else { vec![names(item, mistakes)?] };
    Ok(Sharing::Named(groups))
}

/// The unit; its column goes into `named` as soon as it is read.
fn read_unit(item: &Item, named: &mut Option<Spanned<String>>, mistakes: &mut Mistakes) -> Result<Unit, Reported> {
    match item.value {
        DeValue::Table(entries) => {
            let table = Table::open("`unit`", item.span.clone(), entries, &UNIT_KEYS, mistakes);
            let column = table.optional("column", |item| item.text(HELP_UNIT, mistakes));
            if column == Ok(None) {
                return read_rows(&table, mistakes);
            }
            let column = table.required("column", column, HELP_UNIT, mistakes);
            *named = column.as_ref().ok().cloned();
            let most = read_most(&table, mistakes);
            Ok(Unit::Column { column: column?, most: most? })
        }
        DeValue::String(word) if word == "row" || word == UNDECIDED => Ok(Unit::Row),
        _ => Err(item.refuse("\"row\" or a table with `max_rows` and `column`", HELP_UNIT, mistakes)),
    }
}

/// Rows that no column assigns to a unit: one unit has at most this many.
fn read_rows(table: &Table, mistakes: &mut Mistakes) -> Result<Unit, Reported> {
    for key in &UNIT_KEYS[2..] {
        if let Some(most) = table.item(key) {
            let message = format!("`{key}` in `unit` must be left out without `column`: nothing says whose a row is");
            return Err(mistakes.note(&most.span, message, HELP_UNIT));
        }
    }
    let most = table.optional("max_rows", |item| item.counting_number(HELP_MAX_ROWS, mistakes));
    Ok(Unit::Rows { most: table.required("max_rows", most, HELP_UNIT, mistakes)? })
}

/// Reads the limits on the rows of one unit.
fn read_most(table: &Table, mistakes: &mut Mistakes) -> Result<MostOfUnit, Reported> {
    let mut limit = |key, help| table.optional(key, |item| item.counting_number(help, mistakes));
    let rows = limit("max_rows", HELP_MAX_ROWS);
    let groups = limit("max_groups", HELP_MAX_GROUPS);
    let rows_per_group = limit("max_rows_per_group", HELP_MAX_ROWS_PER_GROUP);
    let (rows, groups, rows_per_group) = (rows?, groups?, rows_per_group?);
    if groups.is_none() && rows_per_group.is_none() {
        let rows = table.required("max_rows", Ok(rows), HELP_MAX_ROWS, mistakes)?;
        return Ok(MostOfUnit { rows: Some(rows), groups, rows_per_group });
    }
    match (rows, groups, rows_per_group) {
        (None, Some(one), None) => Err(mistakes.note(&one.span, NO_ROWS_PER_GROUP, HELP_MAX_ROWS_PER_GROUP)),
        (None, None, Some(one)) => Err(mistakes.note(&one.span, NO_GROUPS, HELP_MAX_GROUPS)),
        (rows, groups, rows_per_group) => Ok(MostOfUnit { rows, groups, rows_per_group }),
    }
}

/// The unit whose rows are made into one.
fn read_reduced(item: &Item, named: &mut Option<Spanned<String>>, mistakes: &mut Mistakes) -> Result<Unit, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with `column`", HELP_ONE_ROW, mistakes));
    };
    let table = Table::open("`unit`", item.span.clone(), entries, &UNIT_KEYS, mistakes);
    let column = table.optional("column", |item| item.text(HELP_ONE_ROW, mistakes));
    let column = table.required("column", column, HELP_ONE_ROW, mistakes);
    *named = column.as_ref().ok().cloned();
    for key in &UNIT_KEYS[1..] {
        if let Some(most) = table.item(key) {
            let message = format!("`{key}` in `unit` must be left out with [per_unit]: each unit is one row");
            return Err(mistakes.note(&most.span, message, HELP_ONE_ROW));
        }
    }
    Ok(Unit::OneRow { column: column? })
}

/// The number of rows is stated exactly where it is public and not private by the neighbour relation.
fn check_rows(draft: &PrivacyDraft, table: &Table, mistakes: &mut Mistakes) -> Field<Spanned<u64>> {
    let (Ok(unit), Ok(neighbours)) = (&draft.unit, draft.neighbours) else { return draft.rows.clone() };
    match (draft.rows_are_public(), given(&draft.rows)) {
        (true, None) if draft.rows.is_ok() => {
            let (message, help) = match unit {
                Unit::OneRow { .. } => (
                    "[privacy] must have `rows` when one unit is substituted: the number of units, which are one row each, is \
                     then public",
                    HELP_UNITS,
                ),
                Unit::Row | Unit::Column { .. } | Unit::Rows { .. } => (
                    "[privacy] must have `rows` when one row is substituted: the number of rows is then public",
                    HELP_ROWS,
                ),
            };
            Err(mistakes.note(&table.span, message, help))
        }
        (false, Some(rows)) => {
            let case = match unit {
                Unit::Row | Unit::OneRow { .. } => format!("neighbours = \"{neighbours}\""),
                Unit::Column { .. } => "a unit column".to_owned(),
                Unit::Rows { .. } => "a unit of several rows".to_owned(),
            };
            let message =
                format!("`rows` in [privacy] must be left out with {case}: the number of rows is then private");
            Err(mistakes.note(&rows.span, message, "remove `rows`"))
        }
        _ => draft.rows.clone(),
    }
}
