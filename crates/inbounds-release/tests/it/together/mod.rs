//! Statistics that share one vector of noise: what a row loses by them, what is measured once, and how much less they
//! err.

mod best;
mod gaussian;
mod people;
mod sums;

use std::fmt::Write as _;

use inbounds_mechanisms::{
    mechanism::Measurements,
    noise::{DiscreteCube, GridNoise},
    sampler::{Entropy, SeededEntropy},
};
use inbounds_release::{OpenedPlan, plan::Plan};
use inbounds_statistics::Estimate;
use tempfile::TempDir;

const MEMBERS: [&str; 7] = [
    "name = 'rows'\nkind = 'count'",
    "name = 'x'\nkind = 'mean'\ncolumn = 'x'",
    "name = 'y'\nkind = 'mean'\ncolumn = 'y'",
    "name = 'sum'\nkind = 'sum'\ncolumn = 'y'",
    "name = 'spread'\nkind = 'variance'\ncolumn = 'y'",
    "name = 'both'\nkind = 'covariance'\ncolumns = ['x', 'y']",
    "name = 'model'\nkind = 'naive-bayes'\ncolumns = ['x', 'y']",
];

/// A folder with rows, and plans of them.
struct World(TempDir);

impl World {
    fn new(rows: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
        Self(folder)
    }

    /// Statistics of two numeric columns, by group; `x` is dropped or imputed where it is missing.
    fn opened(&self, privacy: &str, missing: &str, members: &[&str], rest: &str) -> (Plan, OpenedPlan) {
        let statistics: String =
            members.iter().map(|member| format!("[[statistic]]\n{member}\nby = ['g']\n{rest}\n")).collect();
        let text = format!(
            "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1{privacy} }}\n\
             columns.x = {{ type = 'integer', lower = 0, upper = 4, missing = {missing} }}\n\
             columns.y = {{ type = 'number', lower = -1, upper = 3, missing = 1 }}\n\
             columns.g = {{ type = 'text', values = ['a', 'b', 'c'] }}\n{statistics}"
        );
        let plan = Plan::parse(&text, self.0.path()).expect("a plan");
        let opened = OpenedPlan::new(&plan).expect("an opened plan");
        (plan, opened)
    }
}

fn together(members: &[&str]) -> String {
    let name = |member: &&str| member.split('\'').nth(1).expect("a name").to_owned();
    let names: Vec<String> = members.iter().map(name).map(|name| format!("'{name}'")).collect();
    format!(", together = [{}]", names.join(", "))
}

fn cube(noise: &GridNoise) -> &DiscreteCube {
    let GridNoise::Cube(law) = noise else { panic!("no cube noise: {noise:?}") };
    law
}

/// The exact numbers of every component.
pub(crate) fn exact(plan: &Plan, opened: &OpenedPlan) -> Vec<Vec<Vec<i128>>> {
    let answers = opened.answer(plan, None).expect("answered").statistics;
    answers.iter().map(|one| one.iter().map(|answer| answer.private_steps().to_vec()).collect()).collect()
}

/// Of every row of a small world, missing cells and cells beyond their bounds among them: the sum over groups of the
/// largest move of a number in the scale of its noise. No row loses more than epsilon, and one loses all of it, but for
/// the odd parts of a step.
#[test]
fn no_row_loses_more_than_epsilon_and_one_loses_all() {
    for missing in ["2", "'drop'"] {
        let mut largest: f64 = 0.0;
        for x in ["", "-3", "0", "2", "4", "90"] {
            for y in ["", "-1", "1", "3", "1e9", "nan"] {
                for g in ["a", "c", "z", ""] {
                    let header = "x,y,g\n2,0.5,a\n,,b\n";
                    let (without, with) = (World::new(header), World::new(&format!("{header}{x},{y},{g}\n")));
                    let exact_answers = |world: &World| {
                        let (plan, opened) = world.opened(&together(&MEMBERS), missing, &MEMBERS, "");
                        (exact(&plan, &opened), opened)
                    };
                    let ((left, opened), (right, _)) = (exact_answers(&without), exact_answers(&with));
                    let mut lost = [0.0f64; 3];
                    for (place, task) in opened.tasks.iter().enumerate() {
                        for (index, component) in task.prepared.components().iter().enumerate() {
                            let rate = cube(component.mechanism.noise()).tau();
                            for (cell, lost) in lost.iter_mut().enumerate() {
                                let moved = left[place][index][cell].abs_diff(right[place][index][cell]);
                                *lost = lost.max(rate * moved as f64);
                            }
                        }
                    }
                    let lost: f64 = lost.iter().sum();
                    assert!(lost <= 1.0 + 1e-12, "{missing}: a row {x},{y},{g} loses {lost}");
                    largest = largest.max(lost);
                }
            }
        }
        assert!(largest > 1.0 - 1e-9, "{missing}: {largest}");
    }
}

/// Numbers that several statistics need are measured once: number of rows, sum of `x`, sum of `y`, its squares, those
/// of `x`, and products. Where `x` is dropped, rows without it do not count in what reads it: three numbers more.
#[test]
fn what_several_statistics_need_is_measured_once() {
    let world = World::new("x,y,g\n2,0.5,a\n,,b\n");
    for (missing, numbers) in [("2", 6), ("'drop'", 9)] {
        let (plan, opened) = world.opened(&together(&MEMBERS), missing, &MEMBERS, "");
        let [shared] = opened.together.as_slice() else { panic!("one group") };
        assert_eq!(shared.numbers.len(), numbers, "{missing}: {:?}", shared.numbers);
        assert_eq!((shared.epsilon.to_string(), opened.cost.epsilon.to_string()), ("1".to_owned(), "1".to_owned()));
        let measured = opened.measure(opened.answer(&plan, None).expect("answered"), &mut SeededEntropy::from_seed(3));
        for members in &shared.numbers {
            let steps = |(place, index): &(usize, usize)| measured.statistics[*place][*index].steps().to_vec();
            assert!(members.iter().all(|member| steps(member) == steps(&members[0])), "one number, one measurement");
        }
        // What is no number of another is measured by itself.
        let firsts: Vec<Vec<i128>> = shared
            .numbers
            .iter()
            .map(|members| measured.statistics[members[0].0][members[0].1].steps().to_vec())
            .collect();
        let distinct: std::collections::HashSet<&Vec<i128>> = firsts.iter().collect();
        assert_eq!(distinct.len(), firsts.len());
    }
}

/// Epsilon of a group is the sum of the shares of its statistics, and others keep theirs.
#[test]
fn a_group_has_the_shares_of_its_statistics() {
    let world = World::new("x,y,g\n2,0.5,a\n");
    let members = [
        "name = 'rows'\nkind = 'count'\nshare = 0.1",
        "name = 'x'\nkind = 'mean'\ncolumn = 'x'\nshare = 0.3",
        "name = 'y'\nkind = 'sum'\ncolumn = 'y'\nshare = 0.2",
    ];
    let (_, opened) = world.opened(", together = [['rows', 'x']]", "2", &members, "");
    let epsilons: Vec<String> = opened.tasks.iter().map(|task| task.prepared.epsilon().to_string()).collect();
    assert_eq!(epsilons, ["0.4", "0.4", "0.2"]);
    assert_eq!(opened.cost.epsilon.to_string(), "0.6");
}

/// Rows of three groups: of 400, 60 and 25 rows, with values that are spread differently.
fn survey() -> String {
    let mut entropy = SeededEntropy::from_seed(17);
    let mut rows = String::from("x,y,g\n");
    for (g, count, shift) in [("a", 400, 0.0), ("b", 60, 1.0), ("c", 25, -0.8)] {
        for _ in 0..count {
            let y = f64::from(entropy.word() as u8 % 200) / 100.0 + shift;
            writeln!(rows, "{},{y},{g}", entropy.word() % 5).expect("a String takes text");
        }
    }
    rows
}

/// Estimates of a statistic in many releases of a plan, by the exact numbers and fresh noise.
fn estimates(plan: &Plan, opened: &OpenedPlan, place: usize, runs: u64) -> Vec<Vec<Estimate>> {
    let run = |seed: u64| {
        let exact = opened.answer(plan, None).expect("answered");
        let measured: Vec<Vec<Measurements>> = opened.measure(exact, &mut SeededEntropy::from_seed(seed)).statistics;
        opened.tasks[place].prepared.estimate(&measured[place], 0.95, seed)
    };
    (0..runs).map(run).collect()
}

fn rmse(estimates: &[Vec<Estimate>], cell: usize, truth: f64) -> f64 {
    let squares = estimates.iter().map(|cells| (cells[cell].value - truth).powi(2));
    (squares.sum::<f64>() / estimates.len() as f64).sqrt()
}

/// In how many releases the interval of a cell holds the truth.
fn held(estimates: &[Vec<Estimate>], cell: usize, truth: f64) -> usize {
    estimates.iter().filter(|cells| cells[cell].lower <= truth && truth <= cells[cell].upper).count()
}

/// Means of a column, with the numbers of rows behind them, from the rows themselves.
fn truths(rows: &str, column: usize) -> Vec<f64> {
    let group_mean = |group: &str| {
        let values: Vec<f64> = rows
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|cells| cells[2] == group)
            .map(|cells| cells[column].parse::<f64>().expect("a number").clamp(-1.0, 4.0))
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    ["a", "b", "c"].map(group_mean).to_vec()
}

/// Two means and two sums of their columns are three numbers: by theory the noise of a sum has a variance of 20/3
/// `h^2`, where distances with a quarter of epsilon have `2 (p^2 + (1 - p)^2) 64 h^2`, at least 64. So the RMSE of a
/// mean near the middle of its bounds is less by 3.1. Of 300 releases each the ratio of two RMSEs is known to 6 %:
/// below 2.5 or above 3.8 it is three standard errors off (false alarm below 1 in 300).
#[test]
fn means_err_a_third_as_much() {
    let rows = survey();
    let world = World::new(&rows);
    let members =
        [MEMBERS[1], MEMBERS[2], "name = 'x2'\nkind = 'sum'\ncolumn = 'x'", "name = 'y2'\nkind = 'sum'\ncolumn = 'y'"];
    let rmse_of = |privacy: &str| {
        let (plan, opened) = world.opened(privacy, "2", &members, "");
        rmse(&estimates(&plan, &opened, 1, 300), 0, truths(&rows, 1)[0])
    };
    let (apart, shared) = (rmse_of(", together = 'none'"), rmse_of(&together(&members)));
    assert!((2.5..3.8).contains(&(apart / shared)), "{apart} {shared}");
}

/// Intervals of means that share noise hold the exact mean in 95 % of the releases or more, in large and in small
/// groups. Of 400 releases, fewer than 364 are 3.6 standard errors too few (false alarm below 1 in 1,000 over six
/// cells). Stated RMSEs are those that releases have, to a fifth, where a group is not lost in noise.
#[test]
fn intervals_of_shared_means_cover() {
    const RUNS: u64 = 400;
    let rows = survey();
    let world = World::new(&rows);
    let members = [MEMBERS[0], MEMBERS[1], MEMBERS[2], MEMBERS[4]];
    let (plan, opened) = world.opened(&together(&members), "2", &members, "");
    for (place, column) in [(1, 0), (2, 1)] {
        let releases = estimates(&plan, &opened, place, RUNS);
        for (cell, truth) in truths(&rows, column).into_iter().enumerate() {
            let held = held(&releases, cell, truth);
            assert!(held >= 364, "{place} {cell}: {held} of {RUNS}");
            let stated = releases.iter().map(|cells| cells[cell].rmse_at_estimate.powi(2)).sum::<f64>() / RUNS as f64;
            let real = rmse(&releases, cell, truth);
            if cell == 0 {
                assert!((stated.sqrt() / real - 1.0).abs() < 0.2, "{place}: {} {real}", stated.sqrt());
            }
        }
    }
}
