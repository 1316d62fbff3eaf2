//! The choice of statistics that share their noise, where the plan leaves it to the program.

use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_release::{AssumedRows, OpenedPlan, check::check, plan::Plan};

use super::{MEMBERS, World, together};

const BEST: &str = ", together = 'best'";
const NONE: &str = ", together = 'none'";

fn groups(opened: &OpenedPlan) -> Vec<Vec<usize>> {
    opened.together.iter().map(|shared| shared.statistics.clone()).collect()
}

/// Nine columns and their covariances, which are 55 sums, beside a count and a mean.
fn wide(together: &str) -> (tempfile::TempDir, Plan) {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..9).map(|column| format!("c{column}")).collect();
    std::fs::write(folder.path().join("rows.csv"), format!("{}\n", names.join(","))).expect("written");
    let columns: String = names
        .iter()
        .map(|name| format!("columns.{name} = {{ type = 'integer', lower = 0, upper = 4, missing = 2 }}\n"))
        .collect();
    let text = format!(
        "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1{together} }}\n{columns}\
         [[statistic]]\nname = 'rows'\nkind = 'count'\n[[statistic]]\nname = 'mean'\nkind = 'mean'\ncolumn = 'c0'\n\
         [[statistic]]\nname = 'all'\nkind = 'covariance'\ncolumns = {names:?}\n"
    );
    let plan = Plan::parse(&text, folder.path()).expect("a plan");
    (folder, plan)
}

/// Chosen groups are measured as if the plan had named it: the same numbers from the same seed.
#[test]
fn a_chosen_group_is_a_named_one() {
    let world = World::new("x,y,g\n2,0.5,a\n,,b\n3,1,b\n");
    let (plan, best) = world.opened(BEST, "2", &MEMBERS, "");
    let [chosen] = best.together.as_slice() else { panic!("one group") };
    let members: Vec<&str> = chosen.statistics.iter().map(|place| MEMBERS[*place]).collect();
    assert!(members.len() >= 4, "{members:?}");
    let (named_plan, named) = world.opened(&together(&members), "2", &MEMBERS, "");
    assert_eq!((&best.together, &best.cost), (&named.together, &named.cost));
    let measured = |plan: &Plan, opened: &OpenedPlan| {
        let answers = opened.answer(plan, None).expect("answered");
        let measured = opened.measure(answers, &mut SeededEntropy::from_seed(4));
        let steps = |one: &Vec<inbounds_mechanisms::mechanism::Measurements>| {
            one.iter().map(|vector| vector.steps().to_vec()).collect::<Vec<_>>()
        };
        measured.statistics.iter().map(steps).collect::<Vec<_>>()
    };
    assert_eq!(measured(&plan, &best), measured(&named_plan, &named));
}

/// A count would err some six times more in one vector with 55 sums: it and the mean share theirs, and the matrix is
/// alone.
#[test]
fn a_statistic_that_would_lose_keeps_its_own_noise() {
    let (_folder, plan) = wide(BEST);
    let opened = OpenedPlan::new(&plan).expect("an opened plan");
    assert_eq!(groups(&opened), [[0, 1]]);
    let (_folder, named) = wide(", together = ['rows', 'mean', 'all']");
    let scale = |opened: &OpenedPlan| opened.tasks[0].prepared.components()[0].scale();
    let all = OpenedPlan::new(&named).expect("an opened plan");
    assert!(scale(&all) > 5.0 * scale(&opened), "{} and {}", scale(&all), scale(&opened));
}

/// Thirty means are one group, whatever the noise.
#[test]
fn all_that_gain_are_one_group() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("rows.csv"),
        (0..30).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",") + "\n",
    )
    .expect("written");
    for mechanism in ["clamped", "clamped-gaussian"] {
        let mean = |c: usize| {
            format!(
                "columns.c{c} = {{ type = 'integer', lower = 0, upper = 4, missing = 2 }}\n[[statistic]]\nname = 'm{c}'\nkind = 'mean'\n\
                 column = 'c{c}'\nmechanism = '{mechanism}'\n"
            )
        };
        let (columns, statistics): (Vec<String>, Vec<String>) = (0..30)
            .map(mean)
            .map(|text| {
                text.split_once('\n').map(|(column, rest)| (column.to_owned(), rest.to_owned())).expect("lines")
            })
            .unzip();
        let head = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 1, delta = 1e-6 }\n";
        let text = format!("{head}{}\n{}", columns.join("\n"), statistics.concat());
        let plan = Plan::parse(&text, folder.path()).expect("a plan");
        let opened = OpenedPlan::new(&plan).expect("an opened plan");
        let [shared] = opened.together.as_slice() else { panic!("one group of {mechanism}") };
        assert_eq!((shared.statistics.len(), shared.numbers.len()), (30, 31));
    }
}

/// A count that has nine tenths of epsilon loses by sharing it, and the means beside it share what they have.
#[test]
fn what_is_left_by_a_loser_shares() {
    let world = World::new("x,y,g\n2,0.5,a\n");
    let shared = ["0.9", "0.05", "0.05"];
    let members: Vec<String> =
        MEMBERS.iter().zip(shared).map(|(member, share)| format!("{member}\nshare = {share}")).collect();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    let (_, opened) = world.opened("", "2", &members, "");
    assert_eq!(groups(&opened), [[1, 2]]);
    assert_eq!(opened.tasks[0].prepared.epsilon().to_string(), "0.9");
}

/// Other groups, conditions, levels, mechanisms and wants keep statistics apart.
#[test]
fn only_statistics_of_the_same_rows_and_groups_share() {
    let world = World::new("x,y,g\n2,0.5,a\n");
    let rest = |rest: [&str; 3]| -> Vec<String> {
        MEMBERS.iter().zip(rest).map(|(member, rest)| format!("{member}\n{rest}")).collect()
    };
    let groups_with = |rests: [&str; 3], privacy: &str| {
        let members = rest(rests);
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        groups(&world.opened(privacy, "2", &members, "").1)
    };
    assert_eq!(groups_with(["", "", ""], BEST), [[0, 1, 2]]);
    assert_eq!(groups_with(["", "", ""], ""), [[0, 1, 2]], "what a plan says nothing of is shared");
    assert_eq!(groups_with(["", "", ""], NONE), Vec::<Vec<usize>>::new());
    assert_eq!(groups_with(["where = 'x > 1'", "", ""], BEST), [[1, 2]]);
    assert_eq!(groups_with(["", "where = 'x > 1'", "where = 'x > 1'"], BEST), [[1, 2]]);
    assert_eq!(groups_with(["mechanism = 'conditioned'", "", ""], BEST), [[1, 2]]);
    assert_eq!(groups_with(["levels = ['all', 'g']", "", ""], BEST), [[1, 2]]);
    assert_eq!(groups_with(["want = { rmse = 5 }", "", ""], BEST), [[1, 2]]);
}

/// `check` of a plan that shares nothing states the gain that the errors of both plans show.
#[test]
fn check_says_what_would_be_gained() {
    let world = World::new("x,y,g\n2,0.5,a\n");
    let report = |privacy: &str| {
        let (plan, _) = world.opened(privacy, "2", &MEMBERS[..3], "");
        check(&plan, &AssumedRows::Usual).expect("a report")
    };
    let (own, best) = (report(NONE), report(BEST));
    let [gain] = own.would_share.as_slice() else { panic!("one group") };
    assert!(best.would_share.is_empty() && best.together.len() == 1);
    let mean_of = |place: usize| {
        let pairs = own.statistics[place].expected_error.iter().zip(&best.statistics[place].expected_error);
        // Gains are of the usual cases.
        let usual = pairs.filter(|(own, _)| !own.case.starts_with("worst within"));
        let logs: Vec<f64> = usual.map(|(own, best)| (own.rmse / best.rmse).ln()).collect();
        (logs.iter().sum::<f64>() / logs.len() as f64).exp()
    };
    let gains: Vec<f64> = (0..3).map(mean_of).collect();
    let (least, most) = gains.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), gain| (l.min(*gain), m.max(*gain)));
    assert!((gain.least - least).abs() < 1e-9 && (gain.most - most).abs() < 1e-9, "{gain:?}, {gains:?}");
    assert!(least > 1.1);
}
