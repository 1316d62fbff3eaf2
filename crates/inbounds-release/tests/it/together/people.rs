//! Gain of statistics that share noise, on data of people.

use std::path::Path;

use inbounds_core::Answer;
use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_release::{ExactAnswers, OpenedPlan, plan::Plan};

use super::{exact, together};

/// Estimates of all statistics in one release of these exact numbers.
fn values(opened: &OpenedPlan, exact: &[Vec<Vec<i128>>], seed: u64) -> Vec<f64> {
    let wrapped = exact.iter().map(|one| one.iter().map(|steps| Answer::new(steps.clone())).collect()).collect();
    let keys = exact.iter().map(|_| None).collect();
    let answers = ExactAnswers { statistics: wrapped, keys, diagnostics: None, left_out: Vec::new() };
    let measured = opened.measure(answers, &mut SeededEntropy::from_seed(seed)).statistics;
    let tasks = opened.tasks.iter().zip(&measured);
    tasks
        .flat_map(|(task, measured)| task.prepared.estimate(measured, 0.95, seed))
        .map(|estimate| estimate.value)
        .collect()
}

/// Gain of `together` on data of people: means of four columns in ten groups, and a variance by group, against shares.
///
/// `cargo test -p inbounds-release --test it gains_on_people -- --ignored --nocapture`
///
/// Of 400 releases each a ratio of two RMSEs is known to 5 %; the medians over the cells to about 1 %.
#[test]
#[ignore = "a study: minutes"]
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is what the study is for")]
fn gains_on_people() {
    const RUNS: u64 = 400;
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("INBOUNDS_DATA").map_or(beside, Into::into).join("people/adult.csv.gz");
    if !data.is_file() {
        eprintln!("SKIPPED: no data folder; set INBOUNDS_DATA to one that holds people/adult.csv.gz");
        return;
    }
    let columns = [("age", 17, 90), ("education_num", 1, 16), ("hours_per_week", 1, 99), ("capital_gain", 0, 99_999)];
    let read: String = columns
        .iter()
        .map(|(name, lower, upper)| {
            format!("columns.{name} = {{ type = 'integer', lower = {lower}, upper = {upper}, missing = {lower} }}\n")
        })
        .collect();
    let means: Vec<String> =
        columns.iter().map(|(name, ..)| format!("name = '{name}'\nkind = 'mean'\ncolumn = '{name}'")).collect();
    let spread = [
        "name = 'spread'\nkind = 'variance'\ncolumn = 'hours_per_week'".to_owned(),
        "name = 'rows'\nkind = 'count'".to_owned(),
    ];
    for (label, members, epsilons) in
        [("means of four columns", &means[..], ["1", "0.1"]), ("variance and count", &spread[..], ["1", "0.1"])]
    {
        for epsilon in epsilons {
            let members: Vec<&str> = members.iter().map(String::as_str).collect();
            let opened_of = |shared: bool, epsilon: &str| {
                let shared = if shared { together(&members) } else { ", together = 'none'".to_owned() };
                let statistics: String =
                    members.iter().map(|member| format!("[[statistic]]\n{member}\nby = ['race', 'sex']\n")).collect();
                let text = format!(
                    "data.path = '{}'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = {epsilon}{shared} }}\n{read}\
                     columns.sex = {{ type = 'text', values = ['Male', 'Female'] }}\ncolumns.race = {{ type = 'text', values = \
                     ['White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo', 'Other'] }}\n{statistics}",
                    data.display()
                );
                let plan = Plan::parse(&text, Path::new(".")).expect("a plan");
                let opened = OpenedPlan::new(&plan).expect("an opened plan");
                let exact = exact(&plan, &opened);
                (opened, exact)
            };
            // Noise 500 and 5,000 times less than that of the runs.
            let (opened, known) = opened_of(false, "500");
            let truths = values(&opened, &known, 1);
            let rmses = |shared: bool| -> Vec<f64> {
                let (opened, exact) = opened_of(shared, epsilon);
                let mut squares = vec![0.0; truths.len()];
                for seed in 0..RUNS {
                    let run = values(&opened, &exact, seed);
                    squares
                        .iter_mut()
                        .zip(run)
                        .zip(&truths)
                        .for_each(|((sum, value), truth)| *sum += (value - truth).powi(2));
                }
                squares.into_iter().map(|sum| (sum / RUNS as f64).sqrt()).collect()
            };
            let (apart, shared) = (rmses(false), rmses(true));
            // Ten variances, each with its mean and number of rows, stand before ten counts.
            let (outputs, taken) = if members.len() == 2 { (3, 10) } else { (1, 40) };
            let ratios = apart.iter().zip(&shared).step_by(outputs).take(taken);
            let mut ratios: Vec<f64> = ratios.map(|(apart, shared)| apart / shared).collect();
            ratios.sort_by(f64::total_cmp);
            let median = ratios[ratios.len() / 2];
            println!(
                "{label}, epsilon {epsilon}: RMSE less by {median:.2} ({:.2} to {:.2})",
                ratios[0],
                ratios[ratios.len() - 1]
            );
            assert!(median > 1.6, "{label}: {median}");
        }
    }
}
