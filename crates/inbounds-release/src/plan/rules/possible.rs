//! Files of possible combinations are of grouping columns whose values are listed.

use inbounds_input::document::{Mistakes, given, shorten};

use crate::plan::read::StatisticDraft;

pub(super) fn check(statistic: &StatisticDraft, mistakes: &mut Mistakes) {
    let Some(possible) = given(&statistic.possible) else { return };
    let place = &statistic.place;
    let mut refuse = |message: String, help: &str| mistakes.note(&possible.span, message, help);
    let by = match &statistic.by {
        Ok(Some(by)) => &by.value,
        Ok(None) => {
            let message =
                format!("`possible` in {place} must come with `by`: it says which of its combinations are cells");
            refuse(message, "add `by`, or remove `possible`");
            return;
        }
        Err(_) => return,
    };
    if statistic.learns_keys() {
        let message =
            format!("`possible` in {place} must be left out with `learn_keys`, which chooses the cells by noise");
        refuse(message, "remove `possible`, or remove `learn_keys` and list the values");
        return;
    }
    let has_tables = given(&statistic.levels).is_some() && given(&statistic.margins).is_some();
    if given(&statistic.keys).is_some() && !has_tables {
        let message = format!("`possible` in {place} must be left out with `keys`: a key file lists every cell");
        refuse(message, "remove `possible`, and leave combinations that cannot occur out of the key file");
        return;
    }
    for file in &possible.value {
        let name = &file.file.value.name;
        let is_grouping = |column: &&String| by.iter().any(|own| own.value == **column);
        if let Some(other) = file.columns.iter().find(|column| !is_grouping(column)) {
            let near = inbounds_input::nearest(other, by.iter().map(|column| column.value.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message =
                format!("`{name}` in {place} has the column `{}`, which is none of `by`{near}", shorten(other));
            mistakes.note(
                &file.file.span,
                message,
                "name the columns of the file like those of `by`, and leave out others",
            );
        } else if file.columns.len() < 2 {
            let message =
                format!("`{name}` in {place} must have at least two columns of `by`, got {}", file.columns.len());
            let help = "list the values of one column in its `values`";
            mistakes.note(&file.file.span, message, help);
        }
    }
}
