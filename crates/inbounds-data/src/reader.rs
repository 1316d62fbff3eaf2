//! The version of the reading of rows and cells.

/// The version of the reader. It is raised whenever files are divided into other rows than before, or a cell is read as
/// another value: what must mean the same rows or units for longer than one version of the program, such as a ledger,
/// holds it beside what plans say.
///
/// A table of readings, `tests/readings.txt`, stands for it: a test fails where one changes and the version does not.
pub const READER: u32 = 1;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::{CellRules, DateFormat, Negative, NumberStyle, cell_rules::CellReader};

    const CELLS: [&str; 39] = [
        "",
        " ",
        "a",
        " a ",
        "A",
        "NA",
        "\u{a0}a\u{a0}",
        "7",
        "07",
        " 7 ",
        "+7",
        "-7",
        "7.0",
        "7,0",
        "7e0",
        "7.5",
        "7,5",
        "1,234",
        "1.234",
        "1 234",
        "1,234.5",
        "9007199254740993",
        "9223372036854775808",
        "inf",
        "NaN",
        "-0",
        "-99",
        "-99.0",
        "true",
        "Yes",
        "0",
        "2024-02-29",
        "2024-02-29T23:30:00+02:00",
        "29.02.2024",
        "\u{2212}7",
        "7+",
        "(7)",
        "none",
        "1,23,456",
    ];

    fn rules() -> Vec<CellRules> {
        let usual = CellRules::default();
        vec![
            CellRules { missing: vec!["NA".into(), "-99".into()], ..usual.clone() },
            CellRules { trim: false, missing: vec!["a".into()], ..usual.clone() },
            CellRules { thousands: Some(','), ..usual.clone() },
            CellRules {
                thousands: Some('.'),
                decimal: ',',
                date: DateFormat::new("%d.%m.%Y").expect("a format"),
                ..usual.clone()
            },
            CellRules {
                thousands: Some(','),
                number: NumberStyle {
                    marks: vec!["+".into()],
                    spelled: vec![("none".into(), "0".into())],
                    negative: Negative::Brackets,
                    either_decimal: false,
                    groups: vec![3, 2],
                },
                ..usual
            },
        ]
    }

    /// Every cell under every rule, as each kind reads it.
    fn readings() -> String {
        let mut table =
            format!("reader {READER}: rules, cell, then as text, number, integer, unit, boolean and date\n");
        for (place, rules) in rules().iter().enumerate() {
            let reader = CellReader::new(rules);
            for cell in CELLS {
                let (text, number, integer) = (reader.text(cell), reader.number(cell), reader.integer(cell));
                let (unit, boolean, day) = (reader.unit(cell), reader.boolean(cell), reader.day(cell));
                writeln!(table, "{place} {cell:?} {text:?} {number:?} {integer:?} {unit:?} {boolean:?} {day:?}")
                    .expect("a text");
            }
        }
        table
    }

    #[test]
    fn a_reading_that_changes_raises_the_version() {
        let (now, kept) = (readings(), include_str!("../tests/readings.txt"));
        let odd = now.lines().zip(kept.lines()).find(|(now, kept)| now != kept);
        assert!(now == kept, "raise `READER` and keep the new table:\n{odd:?}\n{now}");
    }
}
