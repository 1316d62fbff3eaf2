//! Grants of statistics by the rows that they are about, compared with every row of a small world, which the engine
//! reads.

use std::fmt::Write as _;

use inbounds_core::Rational;
use inbounds_data::{Engine, KeyValue, Keys, Query};
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_release::{OpenedPlan, ReleaseError, plan::Plan};
use tempfile::TempDir;

const CONDITIONS: [&str; 13] = [
    "x < 2",
    "x >= 2",
    "x <= 2",
    "x = 1",
    "x BETWEEN 1 AND 2",
    "x > 2 OR g = 'a'",
    "g = 'a'",
    "g IN ('b', 'c')",
    "x < 3 AND g = 'b'",
    "NOT x < 2",
    "x <> 1",
    "g = 'a ' AND h = 'a'",
    "x < 1 AND x > 3",
];

/// Every row of the world: each combination of cells, some of them missing, with a number of its own.
fn world() -> String {
    let mut text = String::from("id,x,g,h\n");
    let mut id = 0;
    for x in ["", "0", "1", "2", "3", "4"] {
        for g in ["", "a", "b", "c"] {
            for h in ["a", "b", "c"] {
                writeln!(text, "{id},{x},{g},{h}").expect("a String takes text");
                id += 1;
            }
        }
    }
    text
}

struct World(TempDir);

impl World {
    const ROWS: i64 = 72;

    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), world()).expect("written");
        Self(folder)
    }

    fn opened(&self, privacy: &str, statistics: &str) -> Result<(Plan, OpenedPlan), ReleaseError> {
        let text = format!(
            "data.path = 'rows.csv'\nprivacy = {{ {privacy} }}\ncolumns.id.type = 'integer'\ncolumns.x = {{ type = 'integer', lower = 0, \
             upper = 4, missing = 'drop' }}\ncolumns.g.type = 'text'\ncolumns.h = {{ type = 'text', values = ['a', 'b'] }}\n{statistics}"
        );
        let plan = Plan::parse(&text, self.0.path())?;
        let opened = OpenedPlan::new(&plan)?;
        Ok((plan, opened))
    }
}

/// Of each row whether a query counts it: its answer by the numbers of the rows.
fn counted(engine: &dyn Engine, query: &Query) -> Vec<bool> {
    let (mut columns, keys) = query.keys.as_ref().map_or((Vec::new(), vec![Vec::new()]), |keys| {
        (keys.columns().to_vec(), keys.rows().map(|key| key.to_vec()).collect())
    });
    columns.push("id".to_owned());
    let with_id = |id: i64| keys.iter().map(move |key| [&key[..], &[KeyValue::Integer(id)]].concat());
    let all = Keys::new(columns, (0..World::ROWS).flat_map(with_id).collect()).expect("keys");
    let query = Query { keys: Some(all), filter: query.filter.clone(), ..Query::default() };
    let tally = engine.tally(&query).expect("answered");
    tally.counts.private_steps().chunks(keys.len()).map(|counts| counts.iter().any(|count| *count > 0)).collect()
}

/// Privacy loss of each row: the epsilons of the statistics whose query counts it, once where they share measurements,
/// and of the diagnostics.
fn lost(opened: &OpenedPlan) -> Vec<Rational> {
    let of_task = |task: &inbounds_release::PreparedStatistic| {
        let epsilon = task.prepared.epsilon().value().clone();
        counted(&*opened.engine, &task.query)
            .into_iter()
            .map(move |counts| if counts { epsilon.clone() } else { Rational::ZERO })
    };
    let diagnostics = opened.diagnostics.as_ref().and_then(|asked| asked.mechanism().guarantee().epsilon().cloned());
    let mut rows = vec![diagnostics.map_or(Rational::ZERO, |epsilon| epsilon.value().clone()); World::ROWS as usize];
    let is_counted = |task: &&inbounds_release::PreparedStatistic| {
        opened.shared_noise(task.index).is_none_or(|shared| shared.statistics[0] == task.index)
    };
    for task in opened.tasks.iter().filter(is_counted) {
        rows.iter_mut().zip(of_task(task)).for_each(|(row, more)| *row = &*row + &more);
    }
    rows
}

fn most(lost: &[Rational]) -> Rational {
    lost.iter().max().expect("rows").clone()
}

fn count(name: usize, rest: &str) -> String {
    format!("[[statistic]]\nname = 's{name}'\nkind = 'count'\n{rest}\n")
}

/// Statistics of a random plan.
fn random(draw: &mut impl FnMut(u64) -> u64) -> String {
    let shares = draw(2) == 0;
    let statistic = |name: u64, draw: &mut dyn FnMut(u64) -> u64| {
        let mut rest = String::new();
        match draw(4) {
            0 => rest.push_str("by = ['h']\n"),
            1 => {}
            _ => writeln!(rest, "where = \"{}\"", CONDITIONS[draw(CONDITIONS.len() as u64) as usize]).expect("text"),
        }
        if shares {
            writeln!(rest, "share = '{}/6'", 1 + draw(4)).expect("text");
        }
        count(name as usize, &rest)
    };
    (0..2 + draw(4)).map(|name| statistic(name, draw)).collect()
}

/// Whatever the conditions, keys and shares, no row loses more than the release states, and that is at most epsilon.
#[test]
fn no_row_loses_more_than_the_plan_states() {
    let world = World::new();
    let mut entropy = SeededEntropy::from_seed(11);
    let mut draw = |below: u64| entropy.word() % below;
    let (mut prepared, mut beyond, mut attained) = (0, 0, 0);
    for number in 0..250 {
        let diagnostics = if draw(3) == 0 { ", diagnostics = 0.1" } else { "" };
        let privacy = format!("unit = 'row', neighbours = 'add-remove', epsilon = '4/3'{diagnostics}");
        let statistics = random(&mut draw);
        let (_, opened) = match world.opened(&privacy, &statistics) {
            Ok(prepared) => prepared,
            Err(ReleaseError::Plan(errors)) => {
                let only = errors.mistakes.iter().all(|mistake| {
                    mistake.message.contains("must add up to at most 1") || mistake.message.contains("nothing to count")
                });
                assert!(only, "{errors}\n{statistics}");
                continue;
            }
            Err(error) => panic!("{error}\n{statistics}"),
        };
        prepared += 1;
        let most = most(&lost(&opened));
        assert!(most <= opened.cost.epsilon, "plan {number}: {most} of {}\n{statistics}", opened.cost.epsilon);
        assert!(opened.cost.epsilon <= *opened.grants.granted().value());
        let sum = opened.tasks.iter().fold(Rational::ZERO, |sum, task| &sum + task.prepared.epsilon().value());
        beyond += usize::from(sum > *opened.grants.granted().value());
        attained += usize::from(most == opened.cost.epsilon);
    }
    // Plans, those whose epsilons add up to more than theirs, and those with a row that loses all that is stated.
    assert!(prepared > 100 && beyond > 20 && attained > 50, "{prepared} {beyond} {attained}");
}

#[test]
fn disjoint_statistics_have_the_whole_epsilon_each() {
    let world = World::new();
    let row = "unit = 'row', neighbours = 'add-remove', epsilon = 1";
    let epsilons = |privacy: &str, statistics: &str| {
        let (_, opened) = world.opened(privacy, statistics).expect("a plan");
        let each = opened.tasks.iter().map(|task| task.prepared.epsilon().to_string()).collect::<Vec<_>>();
        let (cost, most) = (opened.cost.epsilon.clone(), most(&lost(&opened)));
        (each.join(" "), cost.to_string(), most == cost)
    };
    let answer = |each: &str, cost: &str| (each.to_owned(), cost.to_owned(), true);
    let two = count(0, "where = \"g = 'a'\"") + &count(1, "where = \"g = 'b'\"");
    assert_eq!(epsilons(row, &two), answer("1 1", "1"));
    // Diagnostics are about all rows; so is a count without a condition.
    let diagnosed = format!("{row}, diagnostics = 0.1");
    assert_eq!(epsilons(&diagnosed, &(two.clone() + &count(2, "by = ['h']"))), answer("0.45 0.45 0.45", "1"));
    assert_eq!(epsilons(row, &(two.clone() + &count(2, ""))), answer("0.5 0.5 0.5", "1"));
    // Each has equal parts of the fullest class that it is in, by the column that distinguishes most.
    let mixed =
        two.clone() + &count(2, "where = 'x < 1'") + &count(3, "where = 'x = 2'") + &count(4, "where = 'x > 2'");
    // No row is in more than two of these; one column for all of them cannot tell.
    assert_eq!(epsilons(row, &mixed), ("1/3 1/3 1/3 1/3 1/3".to_owned(), "1".to_owned(), false));
    let uneven = count(0, "where = 'x <= 1'")
        + &count(1, "where = 'x >= 1'")
        + &count(2, "where = 'x < 0'")
        + &count(3, "where = 'x = 9'");
    assert_eq!(epsilons(row, &uneven).0, "0.5 0.5 0.5 0.5");
    // Shares stay as they are, and cost what the fullest class costs.
    let shared = two.replace("where", "share = 0.5\nwhere") + &count(2, "share = 0.25");
    assert_eq!(epsilons(row, &shared), answer("0.5 0.5 0.25", "0.75"));
    // A row that is replaced can leave one side and enter the other; a unit of several rows is on both.
    let substituted = "unit = 'row', neighbours = 'substitute', rows = 72, epsilon = 1";
    assert_eq!(epsilons(substituted, &two).0, "0.5 0.5");
    let units = "unit = { column = 'id', max_rows = 2 }, neighbours = 'add-remove', epsilon = 1";
    assert_eq!(epsilons(units, &two).0, "0.5 0.5");
}

#[test]
fn shares_beyond_the_whole_name_the_statistics_and_the_column() {
    let world = World::new();
    let row = "unit = 'row', neighbours = 'add-remove', epsilon = 1";
    let refused = |statistics: &str| match world.opened(row, statistics) {
        Err(ReleaseError::Plan(errors)) => errors.to_string(),
        other => panic!("accepted: {}", other.is_ok()),
    };
    let with = |name, share: &str, condition: &str| count(name, &format!("share = {share}\nwhere = \"{condition}\""));
    let apart = with(0, "0.7", "g = 'a'") + &with(1, "0.6", "g = 'b'");
    assert!(world.opened(row, &apart).is_ok());
    let said = refused(&(apart + &count(2, "share = '2/5'")));
    let message = "the shares of `s0`, `s2` must add up to at most 1, got 1.1: as far as `g` tells, a row can count in all of them";
    assert!(said.contains(message) && said.contains("lower the shares by 0.1 in all"), "{said}");
    let said = refused(&(with(0, "0.7", "x <= 2") + &with(1, "0.6", "x >= 2")));
    assert!(said.contains("the shares must add up to at most 1, got 1.3"), "{said}");
}
