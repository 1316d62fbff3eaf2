//! A plan whose text is read, and whose rows are not handed over yet.

use std::path::Path;

use inbounds_data::{Derivation, MemoryRows};
use inbounds_input::document::DocumentErrors;

use crate::{
    plan::{Plan, Rejected, Spanned},
    reading::with_data_mistakes,
};

/// A plan whose text is read, right or wrong, so that a caller with rows in memory hands over the columns that it reads
/// and no other.
///
/// # Example
/// ```
/// use inbounds_release::PlanDraft;
/// let text = r#"
///     data = { path = "rows in memory", format = "memory" }
///     columns.sex = { type = "text", values = ["f", "m"] }
///     columns.age.type = "integer"
///     columns.patient.type = "text"
///     [privacy]
///     unit = { column = "patient", max_rows = 1 }
///     neighbours = "add-remove"
///     epsilon = 1
///     [[statistic]]
///     name = "adults"
///     kind = "count"
///     by = ["sex"]
///     where = "age >= 18"
/// "#;
/// let draft = PlanDraft::parse("plan.toml", text, ".".as_ref());
/// assert_eq!(draft.columns_read(), ["sex", "age", "patient"]);
/// assert!(draft.finish(None).is_ok());
/// ```
pub struct PlanDraft(Result<Plan, Rejected>);

impl PlanDraft {
    /// Reads a plan file. Mistakes are said by [`PlanDraft::finish`].
    pub fn read(path: &Path) -> Self {
        Self(Plan::read_far(path))
    }

    /// Reads a plan from its text, with paths relative to `folder`; `name` is what mistakes call it.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Self {
        Self(Plan::parse_far(name, text, folder))
    }

    /// Names of the columns of the rows that the plan can read, each once: what it describes, groups by, takes values
    /// or units from, makes other columns of, or asks for in a condition. Of a plan with mistakes these are all names
    /// that it has.
    pub fn columns_read(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        match &self.0 {
            Ok(plan) => plan.columns_read().into_iter().for_each(&mut add),
            Err(Rejected::Mistaken { sound: Some(sound), .. }) => {
                sound.plan.columns_read().into_iter().for_each(&mut add);
                sound.left.named.iter().for_each(|name| add(name.value.clone()));
                sound.left.conditions.iter().flat_map(of_condition).for_each(&mut add);
            }
            Err(Rejected::Mistaken { sound: None, .. } | Rejected::Unread(_)) => {}
        }
        names
    }

    /// The plan, of rows in memory if there are some, in place of those at its path.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found, also those that the columns of the rows show.
    pub fn finish(self, rows: Option<MemoryRows>) -> Result<Plan, DocumentErrors> {
        match (self.0, rows) {
            (Ok(plan), Some(rows)) => Ok(plan.with_rows(rows)),
            (Ok(plan), None) => Ok(plan),
            (Err(rejected), rows) => Err(with_data_mistakes(rejected, rows)),
        }
    }
}

impl Plan {
    /// Names of the columns of the rows that the plan can read, with repetitions.
    fn columns_read(&self) -> Vec<String> {
        let described = self.columns.iter().filter(|column| column.derived.is_none());
        let mut names: Vec<String> = described.map(|column| column.name.value.clone()).collect();
        names.extend(self.privacy.unit.column().map(|name| name.value.clone()));
        names.extend(self.data.frequency.as_ref().map(|name| name.value.clone()));
        for derived in self.columns.iter().filter_map(|column| column.derived.as_ref()) {
            names.extend(derived.inputs.iter().map(|name| name.value.clone()));
            // A condition that cannot be read is a mistake, which is reported when the plan is compared with its
            // columns.
            names.extend(derived.rule.inputs().unwrap_or_default());
        }
        for taken in self.per_unit.iter().flatten().filter_map(|column| column.per_unit.as_ref()) {
            names.extend(taken.from.iter().chain(&taken.order).map(|name| name.value.clone()));
            names.extend(taken.filter.iter().flat_map(of_condition));
        }
        // Statistics of units read what is taken from the rows.
        for statistic in self.statistics.iter().filter(|_| self.per_unit.is_none()) {
            names.extend(statistic.columns().into_iter().chain(&statistic.by).map(|name| name.value.clone()));
            names.extend(statistic.filter.iter().flat_map(of_condition));
        }
        names
    }
}

/// The columns that a condition names; none if it cannot be read, which is said elsewhere.
fn of_condition(condition: &Spanned<String>) -> Vec<String> {
    Derivation::Condition(condition.value.clone()).inputs().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"
        data = { path = "rows in memory", format = "memory" }
        columns.sex = { type = "text", values = ["f", "m"] }
        columns.old = { is = "age >= 65 AND NOT (\"born in\" IS NULL)", values = [true, false] }
        columns.year = { from = "day", take = "year", values = [2020] }
        columns.day.type = "date"
        columns.cost = { type = "number", lower = 0, upper = 9, missing = "drop" }
        [privacy]
        unit = { column = "patient", max_rows = 1 }
        neighbours = "add-remove"
        epsilon = 1
        [[statistic]]
        name = "a"
        kind = "mean"
        column = "cost"
        by = ["sex", "old", "year"]
        where = "ward IN ('x') OR height BETWEEN 1 AND 2 OR name LIKE 'A%'"
    "#;

    fn columns(plan: &str) -> Vec<String> {
        let mut columns = PlanDraft::parse("plan.toml", plan, Path::new(".")).columns_read();
        columns.sort();
        columns
    }

    #[test]
    fn every_part_of_a_plan_names_its_columns() {
        let read = ["age", "born in", "cost", "day", "height", "name", "old", "patient", "sex", "ward", "year"];
        assert_eq!(columns(PLAN), read);
        let units = PLAN.replace(
            "[privacy]",
            "[per_unit]\nstays = { take = 'rows', where = 'kind = 1', lower = 0, upper = 9 }\n[privacy]",
        );
        let units =
            units.replace("kind = \"mean\"\n        column = \"cost\"", "kind = \"sum\"\n        column = \"stays\"");
        let (head, _) = units.split_once("by = ").expect("a key");
        let of_rows = ["age", "born in", "cost", "day", "kind", "patient", "sex"];
        assert_eq!(columns(&head.replace(", max_rows = 1", "")), of_rows);
    }

    #[test]
    fn a_plan_with_mistakes_names_what_it_has() {
        let wrong = PLAN.replace("epsilon = 1", "epsilon = 0").replace("kind = \"mean\"", "kind = \"meen\"");
        let read = columns(&wrong);
        for name in ["sex", "cost", "patient", "ward", "height"] {
            assert!(read.iter().any(|column| column == name), "{name} in {read:?}");
        }
        assert!(columns("no plan").is_empty());
    }
}

/// Reads a plan file; if it has mistakes, its valid part is compared with the data too, so that all mistakes are
/// reported at once. Reads no row.
///
/// # Errors
/// [`DocumentErrors`] with every mistake found.
pub fn read_plan(path: &Path) -> Result<Plan, DocumentErrors> {
    PlanDraft::read(path).finish(None)
}

/// Where the text of a plan comes from, and the rows if the plan does not say where they are.
#[derive(Debug, Clone)]
pub struct PlanText<'a> {
    /// The plan in TOML.
    pub text: &'a str,
    /// Its name in mistakes.
    pub name: &'a str,
    /// Folder to which its paths are relative.
    pub folder: &'a Path,
    /// Rows in memory, which take the place of those at the path of the plan.
    pub rows: Option<MemoryRows>,
}

/// Reads a plan from its text, as [`read_plan`] does a file.
///
/// # Errors
/// [`DocumentErrors`] with every mistake found.
pub fn parse_plan(PlanText { text, name, folder, rows }: PlanText) -> Result<Plan, DocumentErrors> {
    PlanDraft::parse(name, text, folder).finish(rows)
}
