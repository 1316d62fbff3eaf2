//! Slow steps are done once for statistics that share their noise.

use inbounds_statistics::{SharedNumbers, SharedVector};

use crate::{OpenedPlan, plan::Plan, prepared_statistic::PreparedStatistic};

/// Sums, means and variances of seven columns, of all rows and by group.
fn twenty() -> (tempfile::TempDir, Plan) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "c0,c1,c2,c3,c4,c5,c6,g\n").expect("written");
    let mut text = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 20 }\n\
                    columns.g = { type = 'text', values = ['a', 'b', 'c'] }\n"
        .to_owned();
    for column in 0..7 {
        text += &format!("columns.c{column} = {{ type = 'integer', lower = 0, upper = 4, missing = 'drop' }}\n");
    }
    for place in 0..20 {
        let (kind, column) = (["sum", "mean", "variance"][place % 3], place / 3);
        let by = if place % 2 == 0 { "by = ['g']" } else { "" };
        text += &format!("[[statistic]]\nname = 's{place}'\nkind = '{kind}'\ncolumn = 'c{column}'\n{by}\n");
    }
    let plan = Plan::parse(&text, folder.path()).expect("a plan");
    (folder, plan)
}

fn vector(task: &PreparedStatistic) -> &SharedVector {
    match &task.setting.together {
        Some(SharedNumbers::Cube(vector)) => vector,
        other => panic!("statistic {} has {other:?}", task.index),
    }
}

/// Quantiles of a vector and simulated draws from it belong to the vector. A group that had a vector for each statistic
/// would find them again for each, which took most of the time of small releases.
#[test]
fn statistics_of_a_group_have_one_vector() {
    let (_folder, plan) = twenty();
    let opened = OpenedPlan::new(&plan).expect("an opened plan");
    assert!(!opened.together.is_empty() && opened.together.iter().any(|shared| shared.statistics.len() > 5));
    for shared in &opened.together {
        let first = vector(&opened.tasks[shared.statistics[0]]);
        let others = shared.statistics.iter().map(|place| vector(&opened.tasks[*place]));
        assert!(others.into_iter().all(|other| first.is_copy_of(other)), "{:?}", shared.statistics);
    }
    let vectors: Vec<_> = opened.together.iter().map(|shared| vector(&opened.tasks[shared.statistics[0]])).collect();
    let apart =
        vectors.iter().enumerate().all(|(place, one)| !vectors[..place].iter().any(|other| other.is_copy_of(one)));
    assert!(apart, "groups with different noise have vectors of their own");
}

/// The statistics of a group are those that were compared with others, whose errors are known then.
#[test]
fn what_was_tried_is_not_prepared_again() {
    let (_folder, plan) = twenty();
    let opened = OpenedPlan::new(&plan).expect("an opened plan");
    let tried = opened.together.iter().flat_map(|shared| &shared.statistics);
    assert!(tried.into_iter().all(|place| opened.tasks[*place].prepared.knows_usual_errors()));
}
