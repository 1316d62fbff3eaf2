//! Where the columns of a small table stand.

use std::path::Path;

use inbounds_input::nearest;

use crate::error::ReconcileError;

/// Where each column stands; no other may be there.
pub(super) fn positions<'h, const N: usize>(
    path: &Path,
    columns: [&'static str; N],
    header: impl Iterator<Item = &'h str>,
) -> Result<[usize; N], ReconcileError> {
    let refuse = |problem: String| ReconcileError::Columns { file: path.to_owned(), problem };
    let mut positions = [None; N];
    for (position, name) in header.enumerate() {
        let Some(index) = columns.iter().position(|column| *column == name) else {
            let near = nearest(name, columns).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(refuse(format!("unknown column `{name}`{near}; the columns are {}", columns.join(", "))));
        };
        if positions[index].replace(position).is_some() {
            return Err(refuse(format!("the column `{name}` occurs twice")));
        }
    }
    if let Some(missing) = positions.iter().position(Option::is_none) {
        return Err(refuse(format!("there is no column `{}`", columns[missing])));
    }
    Ok(positions.map(|position| position.expect("all columns are there")))
}
