//! Columns that hold one quantity, made into rows.

/// Columns of the files that hold one quantity at several times or of several things, such as years, gathered in one
/// column. Public.
///
/// Each row of the files becomes as many rows as there are `columns`, in their order: all of its other cells, and
/// beside them the name of one of the columns, in a column `names_to` of texts, and its cell, in a column `values_to`.
/// A cell that is missing makes a row too. The gathered columns are no columns any more. So a unit has `columns.len()`
/// times as many rows as in the files, and a bound on them counts these.
///
/// # Example
/// ```
/// use inbounds_data::{Engine, FileEngine, KeyValue, Keys, Kind, Longer, Query, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "person,y2020,y2021\na,5,7\nb,,9\n")?;
/// let longer = Longer {
///     columns: vec!["y2020".into(), "y2021".into()],
///     names_to: "year".into(),
///     values_to: "visits".into(),
/// };
/// let source = Source { longer: Some(longer), ..Source::new(path.display().to_string()) };
/// let engine = FileEngine::open(&source.declare("visits", Kind::Integer))?;
/// let years = ["y2020", "y2021"].map(|year| vec![KeyValue::Text(year.into())]);
/// let keys = Some(Keys::new(vec!["year".into()], years.into())?);
/// let above = Query { keys, filter: Some("visits > 5".into()), ..Query::default() };
/// assert_eq!(engine.tally(&above)?.counts.private_steps(), [0, 2]);
/// assert_eq!(engine.tally(&Query::default())?.counts.private_steps(), [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Longer {
    /// The gathered columns of the files, each once, at least one.
    pub columns: Vec<String>,
    /// The column that holds the names of these.
    pub names_to: String,
    /// The column that holds their cells.
    pub values_to: String,
}
