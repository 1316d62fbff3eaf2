//! Tables of people by two attributes, most cells of which are empty.

use crate::{Context, StudyError};

/// The tables of `puma`, and their states.
const TABLES: [(&str, &str); 8] = [
    ("AL", "puma/ST_01_PUMA_01301.csv"),
    ("CO", "puma/ST_08_PUMA_00803.csv"),
    ("GA", "puma/ST_13_PUMA_04600.csv"),
    ("IL", "puma/ST_17_PUMA_03529.csv"),
    ("IA", "puma/ST_19_PUMA_01700.csv"),
    ("MD", "puma/ST_24_PUMA_01004.csv"),
    ("MI", "puma/ST_26_PUMA_02702.csv"),
    ("MO", "puma/ST_29_PUMA_01901.csv"),
];

/// Counts by row and column.
pub(super) struct CrossTab {
    pub(super) name: String,
    pub(super) rows: Vec<Vec<f64>>,
}

/// All tables, and what was taken in their place.
pub(super) fn all(context: &Context<'_>) -> Result<(Vec<CrossTab>, Option<String>), StudyError> {
    let read = |&(name, file): &(&str, &str)| {
        let rows = parsed(file, &context.read(file)?)?;
        Ok(CrossTab { name: name.to_owned(), rows })
    };
    match TABLES.iter().map(read).collect() {
        Ok(tables) => Ok((tables, None)),
        Err(StudyError::NoData { .. }) => Ok((vec![made_up()], Some(SUBSTITUTE.to_owned()))),
        Err(error) => Err(error),
    }
}

const SUBSTITUTE: &str = "The tables of microdata areas are not there; in their place stands one that is made up, with nine rows of \
                          24 cells, of which six in seven are empty.";

fn made_up() -> CrossTab {
    let cell = |row: u32, column: u32| match (row, column) {
        (_, 0) => f64::from(3_u32.pow(8 - row)),
        (row, column) if (row + column) % 7 == 0 => f64::from((5 * row + 11 * column) % 31),
        _ => 0.0,
    };
    let row = |row| (0..24).map(|column| cell(row, column)).collect();
    CrossTab { name: "made up".to_owned(), rows: (0..9).map(row).collect() }
}

fn parsed(file: &str, text: &str) -> Result<Vec<Vec<f64>>, StudyError> {
    let malformed = |reason: String| StudyError::Malformed { file: file.to_owned(), reason };
    let rows = csv::Reader::from_reader(text.as_bytes()).into_records();
    let rows = rows.map(|row| {
        let row = row.map_err(|error| malformed(error.to_string()))?;
        let cell = |field: &str| field.parse().map_err(|_| malformed(format!("`{field}` is no number of people")));
        row.iter().skip(1).map(cell).collect()
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn without_the_tables_there_is_one_that_says_so() {
        let context = Context { study: "test", replicates: 0, seed: 0, data: None, progress: &Silent };
        let (tables, substitute) = all(&context).expect("made up");
        let cells: Vec<f64> = tables[0].rows.concat();
        assert_eq!((tables.len(), cells.len()), (1, 216));
        assert!(cells.iter().filter(|&&x| x == 0.0).count() > 170);
        assert!(substitute.expect("said").contains("made up"));
    }

    #[test]
    fn rows_are_read_without_their_keys_and_words_are_refused() {
        assert_eq!(parsed("f", ",01,02\n1,62,0\n2,5,7\n").expect("numbers"), [[62.0, 0.0], [5.0, 7.0]]);
        let error = parsed("f", ",01\n1,many\n").expect_err("a word").to_string();
        assert!(error.contains("`many`"), "{error}");
    }
}
