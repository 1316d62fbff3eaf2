//! Rows that stand for several: the answers are those of the table in which each row is repeated by its frequency.

use std::fs;

use inbounds_core::Grid;
use inbounds_data::{
    Bins, Clip, ContributionBound, DataError, Engine, FileEngine, KeyValue, Keys, Kind, LearnKeys, LeftOut, Missing,
    Query, Questions, Source, Survey,
};
use tempfile::tempdir;

use crate::random::Random;

const SEXES: [&str; 3] = ["f", "m", "x"];

fn clip(column: &str, lower: i64, upper: i64, missing: Missing) -> Clip {
    Clip { column: column.into(), lower, upper, grid: Grid::INTEGERS, missing }
}

/// Rows as text, each with its number: some numbers are missing, unreadable, negative, or above the bound of 9.
fn rows(random: &mut Random) -> Vec<(String, Option<i64>)> {
    let numbers = ["0", "1", "2", "7", "9", "40", "-3", "", "many"];
    let row = |_| {
        let sex = SEXES[random.below(3) as usize];
        let age = if random.below(9) == 0 { "old".to_owned() } else { random.below(100).to_string() };
        let written = numbers[random.below(numbers.len() as u64) as usize];
        (format!("{sex},{age},{written}"), written.parse::<i64>().ok())
    };
    (0..4_000).map(row).collect()
}

fn open(path: &std::path::Path, frequency: Option<Clip>) -> FileEngine {
    let source = Source::new(path.display().to_string()).declare("age", Kind::Integer).declare("n", Kind::Integer);
    FileEngine::open(&Source { frequency, ..source }).expect("a table")
}

/// Claim: `rows-of-a-frequency`.
#[test]
fn a_row_counts_as_often_as_it_says() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(11);
    let rows = rows(&mut random);
    for (missing, unknown) in [(Missing::Drop, 0), (Missing::Impute(4), 4)] {
        let times = |number: &Option<i64>| number.map_or(unknown, |number| number.clamp(0, 9)) as usize;
        let once: String = rows.iter().map(|(row, _)| format!("{row}\n")).collect();
        let expanded: String = rows.iter().map(|(row, number)| format!("{row}\n").repeat(times(number))).collect();
        let (short, long) = (folder.path().join("short.csv"), folder.path().join("long.csv"));
        fs::write(&short, format!("sex,age,n\n{once}")).unwrap();
        fs::write(&long, format!("sex,age,n\n{expanded}")).unwrap();
        let keys =
            Keys::new(vec!["sex".into()], SEXES[..2].iter().map(|sex| vec![KeyValue::Text((*sex).into())]).collect());
        let keys = keys.unwrap();
        let age = clip("age", 10, 80, Missing::Drop);
        let queries = [
            Query::default(),
            Query { keys: Some(keys.clone()), filter: Some("age < 60".into()), ..Query::default() },
            Query { keys: Some(keys.clone()), values: vec![age.clone()], ..Query::default() },
            Query {
                values: vec![age.clone(), clip("n", 0, 50, Missing::Impute(1))],
                products: vec![(0, 0), (0, 1)],
                ..Query::default()
            },
            Query {
                bins: Some(Bins::new("age", vec![0.0, 20.0, 50.0, 100.0], Missing::Drop).unwrap()),
                ..Query::default()
            },
        ];
        let left_out = Query { keys: Some(keys), values: vec![age], ..Query::default() };
        let survey = Survey { rows: true, left_out: vec![left_out], ..Survey::default() };
        let ask = |engine: &FileEngine| {
            let questions = Questions { queries: queries.iter().collect(), surveys: vec![&survey], stop: None };
            let answers = engine.answer(&questions).unwrap();
            let numbers = answers.tallies.into_iter().map(|tally| {
                let sums = tally.sums.iter().chain(&tally.products).map(|sums| sums.private_steps().to_vec());
                [vec![tally.counts.private_steps().to_vec()], sums.collect()].concat()
            });
            let numbers: Vec<Vec<Vec<i128>>> = numbers.collect();
            (numbers, answers.surveys[0].private_steps().to_vec())
        };
        let frequency = Some(clip("n", 0, 9, missing));
        let (weighted, mut seen) = ask(&open(&short, frequency.clone()));
        let (expected, mut truth) = ask(&open(&long, None));
        assert!(expected[0][0][0] > 10_000, "there is something to count: {expected:?}");
        assert_eq!(weighted, expected, "{missing:?}");
        // A row that does not say how many it stands for is one that is left out, listed key or not.
        let unread = rows.iter().filter(|(_, number)| number.is_none() && unknown == 0);
        let unread: Vec<&str> = unread.map(|(row, _)| row.as_str()).collect();
        let unread_rows = |test: &dyn Fn(&str) -> bool| unread.iter().filter(|row| test(row)).count() as i128;
        let is_unlisted = |row: &str| row.starts_with('x');
        let is_unreadable = |row: &str| !is_unlisted(row) && (row.ends_with("many") || row.contains("old"));
        let place = |why: LeftOut| 1 + LeftOut::ALL.iter().position(|known| *known == why).unwrap();
        truth[0] += unread_rows(&|_| true);
        truth[place(LeftOut::Unlisted)] += unread_rows(&is_unlisted);
        truth[place(LeftOut::Unreadable)] += unread_rows(&is_unreadable);
        truth[place(LeftOut::Missing)] += unread_rows(&|row| !is_unlisted(row) && !is_unreadable(row));
        assert_eq!(std::mem::take(&mut seen), truth, "{missing:?}");
        let learn = |engine: FileEngine| {
            engine.learn(&LearnKeys::from_columns(&["sex"]), None).unwrap().counts.private_steps().to_vec()
        };
        assert_eq!(learn(open(&short, frequency.clone())), learn(open(&long, None)));
        // Nothing says whose the rows are that a row stands for.
        let bound = Some(ContributionBound::of_rows("sex", 2));
        let refused = open(&short, frequency).check(&Query { bound, ..Query::default() });
        assert!(matches!(refused, Err(DataError::FrequencyOfUnits { column }) if column == "n"));
    }
}
