//! Dates in every spelling, against a plain loop over days.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Date64Array, DictionaryArray, Int32Array, StringArray, TimestampMicrosecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use inbounds_core::Grid;
use inbounds_data::{
    Bounded, CellRules, Clip, ContributionBound, DateFormat, DatePart, DateSpan, Day, Derivation, Engine, FileEngine,
    KeyValue, Kind, Missing, Query, Source, Survey,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::{all_answers, filtered, keys, text, write};

/// A day as year, month and day of the month.
type Civil = (i64, i64, i64);

const AT: Civil = (2024, 2, 28);

/// Days of every sort, among them the last of February, the code for missing and none.
fn days() -> Vec<Option<Civil>> {
    let mut random = Random::new(29);
    let fixed =
        [(2000, 2, 29), (2000, 2, 28), (2000, 3, 1), (1900, 1, 1), (1969, 12, 31), (2024, 2, 28), (2024, 2, 29)];
    let drawn = (0..500).map(|_| {
        let day = (1920 + random.below(110) as i64, 1 + random.below(12) as i64, 1 + random.below(28) as i64);
        (random.below(10) > 0).then_some(day)
    });
    fixed.into_iter().map(Some).chain(drawn).collect()
}

/// The code for a missing day, 1 January 1900, is none.
fn known(day: &Option<Civil>) -> Option<Civil> {
    day.filter(|day| *day != (1900, 1, 1))
}

fn age((year, month, day): Civil) -> i64 {
    AT.0 - year - i64::from((AT.1, AT.2) < (month, day))
}

fn iso((year, month, day): Civil) -> String {
    format!("{year}-{month:02}-{day:02}")
}

/// Days since 1970, counted one year and one month after the other.
fn since_1970((year, month, day): Civil) -> i64 {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year: i64| if leap(year) { 366 } else { 365 };
    let years: i64 = (1970..year).map(length).sum::<i64>() - (year..1970).map(length).sum::<i64>();
    let months = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30];
    years + months[..month as usize - 1].iter().sum::<i64>() + day - 1
}

/// The same days in files, each with the source that reads them.
fn files(folder: &Path, days: &[Option<Civil>]) -> Vec<(PathBuf, Source)> {
    let mut all = Vec::new();
    let mut add = |name: &str, format: DateFormat, code: &str| {
        let path = folder.join(name);
        let cells = CellRules { date: format, missing: vec![code.to_owned()], ..CellRules::default() };
        let source =
            Source { cells, ..Source::new(path.to_str().unwrap()).with_public_types() }.declare("day", Kind::Date);
        all.push((path.clone(), source));
        path
    };
    let lines = |cell: &dyn Fn(Civil) -> String| {
        let line = |(row, day): (usize, &Option<Civil>)| format!("{row},{}\n", day.map(cell).unwrap_or_default());
        let lines: String = days.iter().enumerate().map(line).collect();
        format!("row,day\n{lines}")
    };
    let german = |(year, month, day): Civil| format!(" {day}.{month}.{year} ");
    let american = |(year, month, day): Civil| format!("{month:02}/{day:02}/{year} 23:59");
    let format = |pattern: &str| DateFormat::new(pattern).unwrap();
    fs::write(add("iso.csv", DateFormat::default(), "1900-01-01"), lines(&iso)).unwrap();
    let timed = |day: Civil| format!("{}T00:30:00+02:00", iso(day));
    fs::write(add("timed.csv", DateFormat::default(), "1900-01-01"), lines(&timed)).unwrap();
    fs::write(add("german.csv", format("%d.%m.%Y"), "1.1.1900"), lines(&german)).unwrap();
    fs::write(add("american.csv", format("%m/%d/%Y %H:%M"), "01/01/1900 00:00"), lines(&american)).unwrap();
    let json = |(row, day): (usize, &Option<Civil>)| match day {
        Some(day) => format!("{{\"row\":{row},\"day\":\"{}\"}}\n", iso(*day)),
        None => format!("{{\"row\":{row}}}\n"),
    };
    let json: String = days.iter().enumerate().map(json).collect();
    fs::write(add("days.jsonl", DateFormat::default(), "1900-01-01"), json).unwrap();
    let stored = || days.iter().map(|day| day.map(since_1970));
    let late = |unit: i64| stored().map(move |day| day.map(|day| (day + 1) * unit - 1));
    let arrays: Vec<(&str, ArrayRef)> = vec![
        ("date32.parquet", Arc::new(Date32Array::from_iter(stored().map(|day| day.map(|day| day as i32))))),
        ("date64.parquet", Arc::new(Date64Array::from_iter(stored().map(|day| day.map(|day| day * 86_400_000))))),
        ("micro.parquet", Arc::new(TimestampMicrosecondArray::from_iter(late(86_400_000_000)))),
        ("nano.parquet", Arc::new(TimestampNanosecondArray::from_iter(late(86_400_000_000_000)).with_timezone("UTC"))),
        ("second.parquet", Arc::new(TimestampSecondArray::from_iter(late(86_400)).with_timezone("+00:00"))),
        ("text.parquet", Arc::new(days.iter().map(|day| day.map(iso)).collect::<StringArray>())),
    ];
    for (name, array) in arrays {
        write::columns(&add(name, DateFormat::default(), "1900-01-01"), vec![("day", array)]);
    }
    all
}

fn taken(from: &str, part: DatePart) -> Derivation {
    Derivation::Taken { from: from.to_owned(), part }
}

fn derived(source: Source) -> Source {
    let at = DatePart::AgeAt(Day::parse(&iso(AT)).unwrap());
    source
        .derive("year", taken("day", DatePart::Year))
        .derive("month", taken("day", DatePart::Month))
        .derive("age", taken("day", at))
}

fn ages() -> Clip {
    Clip { column: "age".to_owned(), lower: 0, upper: 60, grid: Grid::INTEGERS, missing: Missing::Drop }
}

#[test]
fn parts_of_dates_are_those_of_the_calendar() {
    let folder = tempdir().unwrap();
    let days = days();
    let read: Vec<Civil> = days.iter().filter_map(known).collect();
    let count = |test: &dyn Fn(&Civil) -> bool| read.iter().filter(|day| test(day)).count() as i128;
    let by_year = keys(["year"], (1900..2030).map(|year| [KeyValue::Integer(year)]));
    let by_month = keys(["month"], (1..=12).map(|month| [KeyValue::Integer(month)]));
    for (path, source) in files(folder.path(), &days) {
        let engine = FileEngine::open(&derived(source)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let said = path.display();
        let by_years = all_answers(&engine, &Query { keys: Some(by_year.clone()), ..Query::default() });
        assert_eq!(by_years[0], (1900..2030).map(|year| count(&|day| day.0 == year)).collect::<Vec<_>>(), "{said}");
        let clipped = |day: &Civil| i128::from(age(*day).clamp(0, 60));
        let of_month = |month: i64| read.iter().filter(move |day| day.1 == month);
        let query = Query { keys: Some(by_month.clone()), values: vec![ages()], ..Query::default() };
        let by_months = all_answers(&engine, &query);
        assert_eq!(by_months[0], (1..=12).map(|month| of_month(month).count() as i128).collect::<Vec<_>>(), "{said}");
        assert_eq!(
            by_months[1],
            (1..=12).map(|month| of_month(month).map(clipped).sum()).collect::<Vec<i128>>(),
            "{said}"
        );
        for (filter, expected) in [
            ("age >= 18", count(&|day| age(*day) >= 18)),
            ("age > 17.5", count(&|day| age(*day) >= 18)),
            ("age < 0 AND month IN (2, 3)", count(&|day| age(*day) < 0 && [2, 3].contains(&day.1))),
            ("day >= '2000-02-29'", count(&|day| *day >= (2000, 2, 29))),
            (
                "day BETWEEN '1969-12-31' AND '1999-12-31'",
                count(&|day| (1969..2000).contains(&day.0) && *day >= (1969, 12, 31)),
            ),
            ("day IN ('2000-02-29', '1969-12-31')", count(&|day| [(2000, 2, 29), (1969, 12, 31)].contains(day))),
            ("day IS NULL", (days.len() - read.len()) as i128),
            ("year IS NULL", (days.len() - read.len()) as i128),
        ] {
            assert_eq!(all_answers(&engine, &filtered(filter))[0][0], expected, "{said}: {filter}");
        }
        // A column that is taken from a date names units and is surveyed like any other.
        let bound = Some(ContributionBound::of_rows("year", 1));
        let years: std::collections::HashSet<i64> = read.iter().map(|day| day.0).collect();
        assert_eq!(all_answers(&engine, &Query { bound, ..Query::default() })[0][0], years.len() as i128, "{said}");
        let bounded = vec![Bounded { column: "age".to_owned(), lower: 0.0, upper: 60.0 }];
        let survey = Survey { rows: true, listed: vec![by_month.clone()], bounded, empty: true, ..Survey::default() };
        let ages =
            [count(&|day| age(*day) < 0), count(&|day| (0..=60).contains(&age(*day))), count(&|day| age(*day) > 60)];
        let empty = days.iter().filter(|day| day.is_none()).count() as i128;
        let expected = [days.len() as i128, read.len() as i128, ages[0], ages[1], ages[2], empty, empty];
        assert_eq!(engine.survey(&survey).unwrap().private_steps(), expected, "{said}");
    }
}

#[test]
fn what_is_no_date_is_missing_and_what_cannot_be_is_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("days.csv");
    fs::write(&path, "day,state\n2024-02-30,a\n31.12.2024,b\n24-01-01,c\n-99,d\n2024-02-29,e\n").unwrap();
    let source = Source::new(path.to_str().unwrap()).with_public_types().declare("day", Kind::Date);
    let engine = FileEngine::open(&source).unwrap();
    assert_eq!(all_answers(&engine, &filtered("day IS NULL"))[0], [4]);
    let refused = |source: Source| FileEngine::open(&source).err().unwrap().to_string();
    let base = source.clone();
    assert_eq!(
        refused(base.clone().derive("year", taken("state", DatePart::Year))),
        "column `year`: column `state` must be of dates, but it is text"
    );
    assert_eq!(
        refused(base.clone().derive("year", taken("dya", DatePart::Year))),
        "column `year`: derived: no column `dya` in the data; did you mean `day`?"
    );
    assert_eq!(
        refused(base.derive("state", taken("day", DatePart::Year))),
        "declared: column `state` is made of others, but there is a column of this name already"
    );
    let check = |filter: &str| engine.check(&filtered(filter)).err().unwrap().to_string();
    let remedy = "filter: column `day` is date; compare it with a date, written as '2020-12-31'";
    for filter in ["day > 2020", "day = '31.12.2020'", "day = TRUE", "day = 'x'"] {
        assert_eq!(check(filter), remedy);
    }
    let grouped = Query { keys: Some(keys(["day"], [[text("2024-02-29")]])), ..Query::default() };
    assert!(engine.check(&grouped).err().unwrap().to_string().contains("must be text, as its keys are"));
}

#[test]
fn dictionaries_of_days_and_numbers_are_what_they_stand_for() {
    let folder = tempdir().unwrap();
    let days: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(19_782), Some(1_700_000_000), None]));
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![(1 << 63) + 5, 7, 7]));
    let packed = |values: &ArrayRef| -> ArrayRef {
        let keys = Int32Array::from_iter_values(0..values.len() as i32);
        Arc::new(DictionaryArray::new(keys, values.clone()))
    };
    let ask = |engine: &FileEngine| {
        let years = keys(["year"], [1970, 2023, 2024].map(|year| [KeyValue::Integer(year)]));
        let bound = Some(ContributionBound::of_rows("unit", 1));
        let units = all_answers(engine, &Query { bound, ..Query::default() });
        (all_answers(engine, &Query { keys: Some(years), ..Query::default() }), units)
    };
    for (name, days, large) in [("plain", days.clone(), large.clone()), ("packed", packed(&days), packed(&large))] {
        let path = folder.path().join(format!("{name}.parquet"));
        write::columns(&path, vec![("day", days), ("unit", large)]);
        let source = Source::new(path.display().to_string()).with_public_types().declare("day", Kind::Date);
        let engine = FileEngine::open(&source.derive("year", taken("day", DatePart::Year))).unwrap();
        assert_eq!(ask(&engine), (vec![vec![1, 1, 0]], vec![vec![2]]), "{name}");
    }
}

#[test]
fn formats_that_guess_are_refused_and_none_panics() {
    let refused = |pattern: &str| DateFormat::new(pattern).unwrap_err();
    assert_eq!(refused("%g-W%V-%u"), "must write the year in four digits, as %Y");
    assert_eq!(refused("%#z %F"), "must tell the day, the month and the year, as %Y-%m-%d does");
    let folder = tempdir().unwrap();
    let path = folder.path().join("signs.csv");
    fs::write(&path, "day,x\n01.01.+02024,1\n01.01.2024,1\n").unwrap();
    let rules = CellRules { date: DateFormat::new("%d.%m.%Y").unwrap(), ..CellRules::default() };
    let source =
        Source::new(path.display().to_string()).with_public_types().declare("day", Kind::Date).spell("day", rules);
    let engine = FileEngine::open(&source.derive("year", taken("day", DatePart::Year))).unwrap();
    let year = keys(["year"], [[KeyValue::Integer(2024)]]);
    assert_eq!(all_answers(&engine, &Query { keys: Some(year), ..Query::default() })[0], [1]);
}

/// Midnight of the zone, as R and pandas hold dates, is the same day wherever it is stored.
#[test]
fn a_stored_time_is_the_day_of_its_zone_in_every_format() {
    let folder = tempdir().unwrap();
    let days = ["2020-01-01", "2020-02-01", "2020-03-01", "2020-06-15", "2020-12-31", "2020-03-29", "2020-10-25"];
    for (zone, written, hours) in [
        (
            "Europe/Berlin",
            ["+01:00", "+01:00", "+01:00", "+02:00", "+01:00", "+01:00", "+02:00"],
            [1, 1, 1, 2, 1, 1, 2],
        ),
        (
            "America/New_York",
            ["-05:00", "-05:00", "-05:00", "-04:00", "-05:00", "-04:00", "-04:00"],
            [-5, -5, -5, -4, -5, -4, -4],
        ),
        ("+05:00", ["+05:00"; 7], [5; 7]),
    ] {
        let csv = folder.path().join("days.csv");
        let lines: String = days.iter().zip(written).map(|(day, zone)| format!("{day} 00:00:00{zone},1\n")).collect();
        fs::write(&csv, format!("day,n\n{lines}")).unwrap();
        let seconds = days.iter().zip(hours).map(|(day, hours)| {
            let [year, month, day] = [0..4, 5..7, 8..10].map(|place| day[place].parse::<i64>().unwrap());
            since_1970((year, month, day)) * 86_400 - hours * 3600
        });
        let array = TimestampSecondArray::from_iter_values(seconds).with_timezone(zone);
        let parquet = folder.path().join("days.parquet");
        write::columns(&parquet, vec![("day", Arc::new(array) as ArrayRef)]);
        for path in [csv, parquet] {
            let source = Source::new(path.display().to_string()).declare("day", Kind::Date);
            let source = source
                .derive("name", taken("day", DatePart::YearMonth))
                .derive("weekday", taken("day", DatePart::Weekday))
                .derive("hour", taken("day", DatePart::Hour));
            let engine = FileEngine::open(&source).unwrap();
            for day in days {
                let said = format!("{zone} {day} {}", path.display());
                assert_eq!(all_answers(&engine, &filtered(&format!("day = '{day}'")))[0], [1], "{said}");
            }
            let months = ["2020-01", "2020-03", "2020-10", "2019-12"].map(|month| [text(month)]);
            let by = |column: &str, values| Query { keys: Some(keys([column], values)), ..Query::default() };
            assert_eq!(all_answers(&engine, &by("name", months.to_vec()))[0], [1, 2, 1, 0], "{zone}");
            let midnight = [0, 23, 1].map(|hour| [KeyValue::Integer(hour)]).to_vec();
            assert_eq!(all_answers(&engine, &by("hour", midnight))[0], [7, 0, 0], "{zone}");
        }
    }
}

/// Numbers of two dates of a row, and comparisons of them, against a plain loop.
#[test]
fn two_dates_of_a_row_are_counted_and_compared() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(31);
    let (first, second) = (days(), {
        let mut other = days();
        random.shuffle(&mut other);
        other
    });
    let path = folder.path().join("days.csv");
    let cell = |day: &Option<Civil>| day.map(iso).unwrap_or_default();
    let lines: String = first.iter().zip(&second).map(|(a, b)| format!("{},{}\n", cell(a), cell(b))).collect();
    fs::write(&path, format!("from,to\n{lines}")).unwrap();
    let parquet = folder.path().join("days.parquet");
    let stored = |days: &[Option<Civil>]| -> ArrayRef {
        Arc::new(Date32Array::from_iter(days.iter().map(|day| day.map(|day| since_1970(day) as i32))))
    };
    write::columns(&parquet, vec![("from", stored(&first)), ("to", stored(&second))]);
    let elapsed = |unit| Derivation::Elapsed { from: "from".to_owned(), to: "to".to_owned(), unit };
    let pairs: Vec<(Civil, Civil)> = first.iter().zip(&second).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    let count = |test: &dyn Fn(Civil, Civil) -> bool| pairs.iter().filter(|(a, b)| test(*a, *b)).count() as i128;
    let years = |a: Civil, b: Civil| b.0 - a.0 - i64::from((b.1, b.2) < (a.1, a.2));
    for path in [path, parquet] {
        let source = Source::new(path.display().to_string()).declare("from", Kind::Date).declare("to", Kind::Date);
        let source = source.derive("days", elapsed(DateSpan::Days)).derive("years", elapsed(DateSpan::Years));
        let engine = FileEngine::open(&source).unwrap();
        for (filter, expected) in [
            ("\"to\" >= \"from\"", count(&|a, b| b >= a)),
            ("\"from\" < \"to\" AND years < 40", count(&|a, b| a < b && years(a, b) < 40)),
            ("NOT \"to\" = \"from\"", count(&|a, b| a != b)),
            ("days IS NULL", (first.len() - pairs.len()) as i128),
        ] {
            assert_eq!(all_answers(&engine, &filtered(filter))[0][0], expected, "{filter}");
        }
        let clip = |column: &str| Clip { column: column.to_owned(), lower: -90_000, upper: 90_000, ..ages() };
        let query = Query { values: vec![clip("days"), clip("years")], ..Query::default() };
        let sums = all_answers(&engine, &query);
        let sum = |elapsed: &dyn Fn(Civil, Civil) -> i64| {
            pairs.iter().map(|(a, b)| i128::from(elapsed(*a, *b))).sum::<i128>()
        };
        assert_eq!(sums[1], [sum(&|a, b| since_1970(b) - since_1970(a))]);
        assert_eq!(sums[2], [sum(&years)]);
        let check = |filter: &str| engine.check(&filtered(filter)).err().unwrap().to_string();
        assert!(check("days = years").contains("is not allowed"), "{}", check("days = years"));
    }
}

/// One column in several spellings, against the days that were written.
#[test]
fn several_spellings_of_dates_in_one_column() {
    let folder = tempdir().unwrap();
    let days = days();
    let path = folder.path().join("days.csv");
    let spelled = |(place, (year, month, day)): (usize, Civil)| match place % 4 {
        0 => format!("{year}-{month:02}-{day:02}"),
        1 => format!("{day:02}.{month:02}.{year}"),
        2 => format!("{year}/{month}/{day}"),
        _ => format!("{year}-{month:02}-{day:02} 00:00:00"),
    };
    let known: Vec<Civil> = days.iter().flatten().copied().collect();
    let lines: String = known.iter().copied().enumerate().map(|row| format!("{},x\n", spelled(row))).collect();
    fs::write(&path, format!("day,n\n{lines}")).unwrap();
    let date = DateFormat::any(&["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"]).unwrap();
    let cells = CellRules { date, ..CellRules::default() };
    let source = Source { cells, ..Source::new(path.display().to_string()) }.declare("day", Kind::Date);
    let engine = FileEngine::open(&source.derive("quarter", taken("day", DatePart::Quarter))).unwrap();
    assert_eq!(all_answers(&engine, &filtered("day IS NULL"))[0], [0]);
    let quarters = keys(["quarter"], (1..=4).map(|quarter| [KeyValue::Integer(quarter)]));
    let expected: Vec<i128> =
        (1..=4).map(|quarter| known.iter().filter(|day| (day.1 + 2) / 3 == quarter).count() as i128).collect();
    assert_eq!(all_answers(&engine, &Query { keys: Some(quarters), ..Query::default() })[0], expected);
}
