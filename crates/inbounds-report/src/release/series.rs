//! Numbers over time, as lines amid their intervals.

use std::collections::HashSet;

use inbounds_plot::{Axis, Marks, Numbers, Panel, Series};

use crate::{
    cells::Cell,
    document::Picture,
    pictures::{self, Subject},
};

/// Fewest times of a line.
const TIMES: usize = 4;

/// Most lines that a reader can distinguish.
const LINES: usize = 6;

/// Lines over the one column whose values are times; none where there is no such column, or too many lines.
pub(super) fn over_time(
    id: &str,
    subject: &Subject,
    cells: &[&Cell],
    columns: &[usize],
    names: &[&str],
) -> Option<Picture> {
    let time_of = |cell: &Cell, column: usize| cell.values[column].as_deref().and_then(year);
    let is_time = |column: &&usize| cells.iter().all(|cell| time_of(cell, **column).is_some());
    let time = *columns.iter().find(is_time)?;
    let called = names[columns.iter().position(|column| *column == time)?];
    let mut times: Vec<f64> = cells.iter().filter_map(|cell| time_of(cell, time)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut lines: Vec<(String, Vec<(f64, &Cell)>)> = Vec::new();
    for cell in cells {
        let others = columns.iter().filter(|column| **column != time).filter_map(|column| cell.values[*column].clone());
        let name: Vec<String> = others.chain([cell.output.clone()]).filter(|word| !word.is_empty()).collect();
        let (name, point) = (name.join(", "), (time_of(cell, time)?, *cell));
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => lines.push((name, vec![point])),
        }
    }
    let distinct = |points: &[(f64, &Cell)]| points.iter().map(|(x, _)| x.to_bits()).collect::<HashSet<_>>().len();
    if times.len() < TIMES || lines.len() > LINES || lines.iter().any(|(_, points)| distinct(points) < points.len()) {
        return None;
    }
    let ends = |cell: &Cell| cell.interval.unwrap_or((cell.estimate, cell.estimate));
    let lowest = cells.iter().map(|cell| ends(cell).0.min(cell.estimate)).fold(f64::INFINITY, f64::min);
    let mut series = Vec::new();
    for (name, points) in &mut lines {
        points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let name = if name.is_empty() { "estimate".to_owned() } else { name.clone() };
        let band = points.iter().map(|(x, cell)| (*x, ends(cell).0, ends(cell).1)).collect();
        series.push(Series { name: name.clone(), marks: Marks::Band(band) });
        series.push(Series::line(name, points.iter().map(|(x, cell)| (*x, cell.estimate)).collect()));
    }
    let panel = Panel {
        title: subject.title.clone(),
        x: Axis::linear(called).written(Numbers::Ungrouped),
        y: subject.axis(lowest),
        series,
        references: vec![],
    };
    let spoken = format!("{} over {called}: {} lines of {} times.", subject.axis, lines.len(), times.len());
    let caption = format!("A line goes through estimates, amid their {}s.", subject.interval());
    Some(Picture { graphic: pictures::one(panel, 320.0), id: id.to_owned(), spoken, caption })
}

/// A time in years: `2024`, `2024-07`, `2024-Q3` or `2024-07-15`.
fn year(written: &str) -> Option<f64> {
    let mut parts = written.split('-');
    let first = parts.next().filter(|year| year.len() == 4)?;
    let year: f64 = first.parse::<u16>().ok().filter(|year| (1500..2500).contains(year))?.into();
    let within =
        |part: &str, last: u16| part.parse::<u16>().ok().filter(|part| (1..=last).contains(part)).map(f64::from);
    let middle = match (parts.next(), parts.next(), parts.next()) {
        (None, None, None) => 0.0,
        (Some(part), None, None) => match part.strip_prefix('Q') {
            Some(quarter) => (within(quarter, 4)? - 1.0) / 4.0,
            None => (within(part, 12)? - 1.0) / 12.0,
        },
        (Some(month), Some(day), None) => (within(month, 12)? - 1.0 + (within(day, 31)? - 1.0) / 31.0) / 12.0,
        _ => return None,
    };
    Some(year + middle)
}

#[cfg(test)]
mod tests {
    use super::year;

    #[test]
    fn times_are_told_from_other_values() {
        assert_eq!(year("2024"), Some(2024.0));
        assert_eq!(year("2024-Q3"), Some(2024.5));
        assert_eq!(year("2024-07"), Some(2024.5));
        assert_eq!(year("2024-01-01"), Some(2024.0));
        let others = ["18", "02024", "9999", "2024-13", "2024-Q5", "2024-07-15-1", "high", "", "+123"];
        assert_eq!(others.map(year), [None; 9]);
    }
}
