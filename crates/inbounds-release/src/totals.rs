//! Listed values that are called like sums of others, which plans are told of before rows are read.

use inbounds_input::document::Spanned;
use inbounds_reconcile::TotalLabels;
use serde::Serialize;

use crate::plan::{Column, Plan};

/// Values of a grouping column that are called like sums of its other values.
///
/// # Example
/// ```
/// use inbounds_release::ListedTotals;
/// let totals = ListedTotals { column: "sex".into(), values: vec!["Total".into()] };
/// assert_eq!(
///     totals.sentence(),
///     "`values` of `sex` lists `Total`, which usually names the sum of the others: with its rows people count twice. \
///      Leave it out there, and by `where` in statistics that are not by `sex`."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedTotals {
    /// The column.
    pub column: String,
    /// The values.
    pub values: Vec<String>,
}

impl ListedTotals {
    /// Warning about the values, with the remedy.
    pub fn sentence(&self) -> String {
        let Self { column, values } = self;
        let names: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        let (names, tail) = match names.as_slice() {
            [name] => {
                (name.clone(), "which usually names the sum of the others: with its rows people count twice. Leave it")
            }
            [names @ .., last] => (
                format!("{} and {last}", names.join(", ")),
                "which usually name sums of the others: with their rows people count twice. Leave them",
            ),
            [] => return String::new(),
        };
        format!(
            "`values` of `{column}` lists {names}, {tail} out there, and by `where` in statistics that are not by \
             `{column}`."
        )
    }
}

/// Values that the grouping columns of a plan list beside others, though named like a sum, in the order of the columns.
pub(crate) fn listed(plan: &Plan) -> Vec<ListedTotals> {
    let groups = |column: &&Column| {
        let is_own = |name: &Spanned<String>| name.value == column.name.value;
        plan.statistics.iter().any(|statistic| statistic.keys.is_none() && statistic.by.iter().any(is_own))
    };
    plan.columns.iter().filter(groups).filter_map(of_column).collect()
}

/// Of a column with one answer a cell: among several answers, `all` is one of them.
fn of_column(column: &Column) -> Option<ListedTotals> {
    let values = column.values.as_ref().filter(|_| column.set.is_none())?;
    let usual = TotalLabels::default();
    let is_total = |name: &String| usual.includes(name);
    let totals: Vec<String> = values.iter().map(|value| column.value_called(&value.value)).filter(is_total).collect();
    let beside_others = !totals.is_empty() && totals.len() < values.len();
    beside_others.then(|| ListedTotals { column: column.name.value.clone(), values: totals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed_totals(columns: &str, by: &str) -> Vec<(String, Vec<String>)> {
        let text = format!(
            "data.path = 'a.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1 }}\n{columns}\n\
             [[statistic]]\nname = 'a'\nkind = 'count'\nby = [{by}]\n[[statistic]]\nname = 'b'\nkind = 'count'\nby = [{by}]\n"
        );
        let plan = Plan::parse(&text, ".".as_ref()).unwrap_or_else(|errors| panic!("{errors}"));
        listed(&plan).into_iter().map(|totals| (totals.column, totals.values)).collect()
    }

    #[test]
    fn values_called_like_sums_are_found_once_a_column() {
        let sex = "columns.sex = { type = 'text', values = ['male', 'Insgesamt', 'female', '(all)'] }";
        let region = "columns.region = { type = 'integer', values = [0, 1], labels = { 0 = 'Ensemble' } }";
        let wanted = [("sex", vec!["Insgesamt", "(all)"]), ("region", vec!["Ensemble"])]
            .map(|(column, values)| (column.to_owned(), values.into_iter().map(str::to_owned).collect()));
        assert_eq!(listed_totals(&format!("{sex}\n{region}"), "'sex', 'region'"), wanted);
        let sentence = ListedTotals { column: "sex".into(), values: wanted[0].1.clone() }.sentence();
        assert!(
            sentence.starts_with("`values` of `sex` lists `Insgesamt` and `(all)`, which usually name sums"),
            "{sentence}"
        );
    }

    #[test]
    fn a_total_alone_an_answer_among_several_and_what_is_no_group_are_not() {
        for (column, by) in [
            ("{ type = 'text', values = ['Total'] }", "'sex'"),
            ("{ type = 'set', separator = ',', values = ['all', 'some'] }", "'sex'"),
            ("{ type = 'text', values = ['All others', 'Totalitarian'] }", "'sex'"),
            ("{ type = 'text', values = ['Total', 'male'] }", "'other'"),
        ] {
            let other = "columns.other = { type = 'text', values = ['a', 'b'] }";
            assert_eq!(listed_totals(&format!("columns.sex = {column}\n{other}"), by), [], "{column}");
        }
    }
}
