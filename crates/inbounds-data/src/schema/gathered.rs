//! Columns that are gathered in one: where they stand, and where what they are made into does.

use crate::{Column, DataError, Kind, RowFormat, Source};

/// Places, in a table, of columns that are gathered.
pub(crate) struct Gathered {
    /// The columns of the files, in the order of the source.
    pub(crate) listed: Vec<usize>,
    /// The column of their names.
    pub(crate) names: usize,
    /// The column of their cells, which stands behind it.
    pub(crate) values: usize,
}

impl Gathered {
    /// Finds the columns that a source gathers among those that the files store, and adds the two that they become.
    pub(super) fn from_source(
        source: &Source,
        columns: &mut Vec<Column>,
        (stored, format): (usize, RowFormat),
    ) -> Result<Option<Self>, DataError> {
        let Some(longer) = &source.longer else { return Ok(None) };
        let refuse = |column: &String, problem| DataError::Declaration { column: column.clone(), problem };
        if format == RowFormat::Memory {
            return Err(refuse(
                &longer.values_to,
                "is gathered of columns of files: gather those of rows in memory before",
            ));
        }
        for made in [&longer.names_to, &longer.values_to] {
            if columns.iter().any(|column| column.name == *made) || longer.names_to == longer.values_to {
                return Err(refuse(made, "is made of gathered columns, but there is a column of this name already"));
            }
        }
        let mut listed = Vec::with_capacity(longer.columns.len());
        for name in &longer.columns {
            let known = || columns[..stored].iter().map(|column| column.name.as_str());
            let place = known().position(|column| column == name);
            let place = place.ok_or_else(|| DataError::no_such_column("[data.longer]", name, known()))?;
            if listed.contains(&place) {
                return Err(refuse(name, "is gathered twice"));
            }
            listed.push(place);
        }
        let Some(&first) = listed.first() else { return Err(refuse(&longer.values_to, "is gathered of no column")) };
        let kind = columns[first].kind;
        if let Some(other) = listed.iter().find(|place| columns[**place].kind != kind && source.has_types(format)) {
            return Err(refuse(&columns[*other].name, "is not of the type of the other gathered columns"));
        }
        if listed.iter().any(|place| columns[*place].kind == Kind::Other) {
            return Err(refuse(&longer.values_to, "is gathered of nested columns, whose cells cannot be read"));
        }
        let names = columns.len();
        columns.push(Column { name: longer.names_to.clone(), kind: Kind::Text });
        columns.push(Column { name: longer.values_to.clone(), kind });
        Ok(Some(Self { listed, names, values: names + 1 }))
    }

    /// `true` for the name of a column that is gathered.
    pub(super) fn holds(&self, columns: &[Column], name: &str) -> bool {
        self.listed.iter().any(|place| columns[*place].name == name)
    }
}

/// The columns of files without a header: those that are declared and not made by gathering, and those gathered.
pub(super) fn declared(source: &Source) -> Vec<(String, Kind)> {
    let Some(longer) = &source.longer else { return source.declared.clone() };
    let is_stored = |name: &String| *name != longer.names_to && *name != longer.values_to;
    let stored = source.declared.iter().filter(|(name, _)| is_stored(name)).cloned();
    stored.chain(longer.columns.iter().map(|name| (name.clone(), Kind::Text))).collect()
}
