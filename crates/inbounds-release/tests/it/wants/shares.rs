//! Grant of each statistic of a plan with wants.

use inbounds_bundle::WantEntry;
use inbounds_statistics::Scenario;

use super::opened;

fn text(privacy: &str, statistics: &[&str]) -> String {
    let statistic = |(name, rest): (usize, &&str)| format!("[[statistic]]\nname = 's{name}'\nkind = 'count'\n{rest}\n");
    let statistics: String = statistics.iter().enumerate().map(statistic).collect();
    format!(
        "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', {privacy} }}\n\
         columns.sex = {{ type = 'text', values = ['f', 'm'] }}\n{statistics}"
    )
}

/// Epsilons of a plan: the whole, then one a statistic.
fn epsilons(privacy: &str, statistics: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "sex\nf\nm\n").expect("written");
    let opened = opened(&text(privacy, statistics), folder.path());
    let of_each = (0..statistics.len()).map(|place| opened.grants.epsilon(place).to_string());
    std::iter::once(opened.grants.granted().to_string()).chain(of_each).collect()
}

/// Counts with discrete Laplace noise: the variance is `2 a / (1 - a)^2` with `a = e^-epsilon`, and an RMSE of 5 needs
/// 0.282...
const WANT: &str = "want = { rmse = 5 }";

#[test]
fn wants_come_first_and_others_share_the_rest() {
    assert_eq!(epsilons("epsilon = 1", &[WANT, "", ""]), ["1", "0.282", "0.359", "0.359"]);
    assert_eq!(epsilons("epsilon = 1", &[WANT, "share = 0.25", "share = 0.5"]), ["1", "0.282", "0.1795", "0.359"]);
    assert_eq!(epsilons("epsilon = 2", &[WANT]), ["2", "0.282"]);
    assert_eq!(
        epsilons("epsilon = 1, diagnostics = 0.5", &["by = ['sex']\nwant = { rmse = 5 }", ""]),
        ["1", "0.282", "0.218"]
    );
}

#[test]
fn the_least_is_the_largest_sum_of_what_a_row_can_count_in() {
    let of_sex = |sex: &str| format!("where = \"sex = '{sex}'\"\n{WANT}");
    assert_eq!(epsilons("epsilon = 'least'", &[WANT]), ["0.282", "0.282"]);
    assert_eq!(epsilons("epsilon = 'least'", &[WANT, WANT])[0], "0.564");
    assert_eq!(epsilons("epsilon = 'least'", &[&of_sex("f"), &of_sex("m")]), ["0.282", "0.282", "0.282"]);
    assert_eq!(epsilons("epsilon = 'least'", &[&of_sex("f"), &of_sex("m"), WANT])[0], "0.564");
    assert_eq!(epsilons("epsilon = 'least', diagnostics = 0.5", &["by = ['sex']\nwant = { rmse = 5 }"])[0], "0.564");
}

/// Others have what is left to the rows that they are about.
#[test]
fn what_is_left_is_left_to_the_rows_that_a_statistic_is_about() {
    let wanting = format!("where = \"sex = 'f'\"\n{WANT}");
    let by_statistic = epsilons("epsilon = 1", &[&wanting, "where = \"sex = 'f'\"", "where = \"sex = 'm'\""]);
    assert_eq!(by_statistic, ["1", "0.282", "0.718", "1"]);
}

/// Delta goes with epsilon, and what is accounted for together needs less of it: three alike about twice what one does.
#[test]
fn gaussian_wants_are_met_together() {
    let gaussian = "mechanism = 'clamped-gaussian'\nwant = { rmse = 20 }";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "sex\nf\nm\n").expect("written");
    let mut needed = Vec::new();
    let margin = "mechanism = 'clamped-gaussian'\nwant = { margin = 30.5 }";
    for statistics in [&[gaussian][..], &[gaussian, gaussian, gaussian], &[gaussian, WANT], &[gaussian, margin, margin]]
    {
        for epsilon in ["'least'", "2"] {
            let opened = opened(&text(&format!("epsilon = {epsilon}, delta = 1e-6"), statistics), folder.path());
            let wants = opened.wants.as_ref().expect("it wants something");
            let met = |want: &WantEntry| want.stated <= want.most.to_f64() && want.stated > 0.98 * want.most.to_f64();
            assert!(wants.statistics.iter().all(met), "{wants:?}");
            assert!(opened.cost.delta <= "1e-6".parse().expect("a number"));
            needed.push(opened.cost.epsilon.to_f64());
        }
    }
    let part = needed[2] / needed[0];
    assert!(part > 1.7 && part < 2.1, "{part}");
    // Beside a statistic without a want, which has what is left.
    let by_statistic = epsilons("epsilon = 1, delta = 1e-6", &[gaussian, gaussian, "mechanism = 'clamped-gaussian'"]);
    assert_eq!(by_statistic.len(), 4);
}

/// No level and no margin errs more than is wanted, by what `check` states of each, and the one that errs most hardly
/// less.
#[test]
fn levels_and_margins_have_what_is_wanted_of_the_worst_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "sex,ward\nf,1\nm,2\n").expect("written");
    let ward = "by = ['sex', 'ward']\nwant = { rmse = 5 }";
    for granularities in [
        "levels = ['all', 'sex', 'ward']",
        "margins = [['sex'], ['ward']]",
        "margins = [['sex', 'ward']]\nmargin_shares = 'even'",
    ] {
        let plan = text("epsilon = 'least'", &[&format!("{ward}\n{granularities}")]);
        let plan = plan.replace("columns.sex", "columns.ward = { type = 'integer', values = [1, 2, 3] }\ncolumns.sex");
        let opened = opened(&plan, folder.path());
        let stated = opened.tasks[0].prepared.expected_errors(&Scenario::default());
        let worst = stated.iter().map(|error| error.rmse).fold(0.0, f64::max);
        assert!(worst <= 5.0 && worst > 4.99, "{granularities}: {stated:?}");
    }
    // Of one of them, which is not the worst.
    for (granularities, part, place) in [
        ("levels = ['all', 'sex', 'ward']", "'ward'", 2),
        ("margins = [['sex'], ['ward']]", "['ward']", 2),
        ("margins = [['sex', 'ward'], ['sex']]", "['ward', 'sex']", 3),
    ] {
        let statistic = format!("by = ['sex', 'ward']\nwant = {{ rmse = 5, of = {part} }}\n{granularities}");
        let plan = text("epsilon = 'least'", &[&statistic]);
        let plan = plan.replace("columns.sex", "columns.ward = { type = 'integer', values = [1, 2, 3] }\ncolumns.sex");
        let opened = opened(&plan, folder.path());
        let stated = opened.tasks[0].prepared.expected_errors(&Scenario::default());
        assert!(stated[place].rmse <= 5.0 && stated[place].rmse > 4.99, "{granularities}: {stated:?}");
        let said = opened.wants.expect("it wants something").statistics[0].of.clone().expect("a part");
        assert!(stated[place].case.starts_with(&said), "{said}: {stated:?}");
    }
}

/// The same of sums, and of means of a number of rows, for which `check` states the middle of the bounds: at an end
/// they err the root of 2 more, to first order.
#[test]
fn sums_and_means_in_margins_have_what_is_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "sex,ward,age\nf,1,30\nm,2,40\n").expect("written");
    let columns = "columns.ward = { type = 'integer', values = [1, 2, 3] }\n\
                   columns.age = { type = 'integer', lower = 0, upper = 100, missing = 'drop' }\ncolumns.sex";
    for (kind, want, most, at_an_end) in
        [("sum", "rmse = 500", 500.0, 1.0), ("mean", "rmse = 5, rows = 100", 5.0, std::f64::consts::SQRT_2)]
    {
        let asked = "by = ['sex', 'ward']\nmargins = [['sex'], ['ward', 'sex']]\ncolumn = 'age'";
        let plan = text("epsilon = 'least'", &[&format!("{asked}\nwant = {{ {want} }}")]);
        let plan = plan.replace("'count'", &format!("'{kind}'")).replace("columns.sex", columns);
        let opened = opened(&plan, folder.path());
        let stated = opened.tasks[0].prepared.expected_errors(&Scenario::default());
        let of_rows = |case: &str| {
            let rows = case.split_once("mean of ").and_then(|(_, rest)| rest.split_once(' '));
            rows.map_or(100.0, |(rows, _)| rows.parse::<f64>().expect("a number of rows"))
        };
        let first = stated.iter().filter(|error| !error.case.contains("count"));
        let worst = first.map(|error| error.rmse * of_rows(&error.case) / 100.0).fold(0.0, f64::max) * at_an_end;
        assert!(worst <= most && worst > 0.998 * most, "{kind}: {worst}, {stated:?}");
    }
}

/// Of two wants the dearer one is met exactly, whichever comes first, and both are in the record with what was found
/// for it.
#[test]
fn several_wants_have_what_the_dearest_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "sex,ward\nf,1\nm,2\n").expect("written");
    let asked = |wants: &str| {
        let statistic = format!("by = ['sex', 'ward']\nlevels = ['all', 'sex', 'ward']\nwant = {wants}");
        let plan = text("epsilon = 'least'", &[&statistic]);
        let plan = plan.replace("columns.sex", "columns.ward = { type = 'integer', values = [1, 2, 3] }\ncolumns.sex");
        opened(&plan, folder.path())
    };
    let granted = |wants: &str| asked(wants).grants.granted().value().to_f64();
    let (total, ward) = ("{ rmse = 4, of = 'all' }", "{ rmse = 6, of = 'ward' }");
    let (of_total, of_ward) = (granted(total), granted(ward));
    assert!((of_total - of_ward).abs() > 0.05, "one is dearer: {of_total} and {of_ward}");
    for wants in [format!("[{total}, {ward}]"), format!("[{ward}, {total}]")] {
        assert_eq!(granted(&wants), of_total.max(of_ward));
    }
    let record = asked(&format!("[{total}, {ward}]")).wants.expect("it wants something");
    let [first, second] = record.statistics.as_slice() else { panic!("two wants") };
    assert!(
        first.of.as_deref() != second.of.as_deref()
            && first.epsilon == second.epsilon
            && first.statistic == second.statistic
    );
    let slack = [(first, 4.0), (second, 6.0)].map(|(want, most): (&WantEntry, f64)| want.stated / most);
    assert!(slack.iter().all(|part| *part <= 1.0) && slack.iter().any(|part| *part > 0.99), "{slack:?}");
    assert_eq!(asked("[{ rmse = 5 }]").grants.granted(), asked("{ rmse = 5 }").grants.granted());
}
