//! Statements of check on the other mechanism, compared with the errors of the plan that has it.

use inbounds_bundle::ChosenMechanism;
use inbounds_release::{
    AssumedRows, OpenedPlan,
    check::{CheckReport, check},
    plan::Plan,
};

/// A number of counts of a column's values, with what else stands in each statistic and in [privacy].
fn report(counts: usize, privacy: &str, rest: &str) -> CheckReport {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "x\n1\n").expect("written");
    let statistics: String = (0..counts)
        .map(|count| format!("[[statistic]]\nname = 'n{count}'\nkind = 'count'\nwhere = 'x > {count}'\n{rest}\n"))
        .collect();
    let text = format!(
        "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', {privacy} }}\n\
         columns.x = {{ type = 'integer' }}\n{statistics}"
    );
    check(&Plan::parse(&text, folder.path()).expect("a plan"), &AssumedRows::Usual).expect("a report")
}

/// Factor by which the first count errs less in the second report, on geometric average over its cases.
fn gain(own: &CheckReport, other: &CheckReport) -> f64 {
    let pairs = own.statistics[0].expected_error.iter().zip(&other.statistics[0].expected_error);
    let logs: Vec<f64> = pairs.map(|(own, other)| (own.rmse / other.rmse).ln()).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

const GAUSSIAN: &str = "mechanism = 'clamped-gaussian'";
const WITH_DELTA: &str = "epsilon = 1, delta = 1e-6";

/// Four counts: each part of epsilon buys narrower Laplace noise. A hundred: together, Gaussian noise is narrower.
#[test]
fn the_better_mechanism_is_named_with_its_gain() {
    for (counts, better, worse, word) in [(4, "", GAUSSIAN, "clamped"), (100, GAUSSIAN, "", "clamped-gaussian")] {
        let [own, other] = [worse, better].map(|mechanism| report(counts, WITH_DELTA, mechanism));
        let [said] = &own.other_mechanisms[..] else { panic!("the other is better: {:?}", own.other_mechanisms) };
        let gain = gain(&own, &other);
        assert_eq!((said.mechanism.as_str(), said.statistics.len()), (word, counts));
        assert!(gain > 1.1 && (said.least - gain).abs() < 1e-9 && (said.most - gain).abs() < 1e-9, "{said:?}, {gain}");
        assert_eq!(other.other_mechanisms, [], "{counts} counts have the better one");
    }
}

#[test]
fn what_cannot_change_is_not_advised() {
    assert_eq!(report(100, "epsilon = 1", "").other_mechanisms, [], "no delta is granted");
    let wanted = report(4, WITH_DELTA, &format!("{GAUSSIAN}\nwant = {{ rmse = 400 }}"));
    assert_eq!(wanted.other_mechanisms, [], "a want says what the error is to be");
    assert_eq!(report(100, WITH_DELTA, "mechanism = 'conditioned'").other_mechanisms, [], "another was chosen");
}

/// A median of a column over the rows that are expected, with what else stands in the statistic.
fn median(rows: &str, rest: &str) -> CheckReport {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "x\n1\n").expect("written");
    let text = format!(
        "data = {{ path = 'rows.csv', expect_rows = '{rows}' }}\n\
         privacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 0.1 }}\n\
         columns.x = {{ type = 'integer', lower = 0, upper = 1000, missing = 'drop' }}\n\
         [[statistic]]\nname = 'm'\nkind = 'quantile'\ncolumn = 'x'\nprobabilities = [0.5]\n{rest}\n"
    );
    check(&Plan::parse(&text, folder.path()).expect("a plan"), &AssumedRows::Usual).expect("a report")
}

/// A median of few rows errs less as a chosen bin, and one that was chosen so needs no advice.
#[test]
fn medians_of_few_rows_are_advised_to_choose_a_bin() {
    let own = median("300 to 300", "");
    let [said] = &own.other_mechanisms[..] else { panic!("choosing is better: {:?}", own.other_mechanisms) };
    let other = median("300 to 300", "mechanism = 'permute-and-flip'");
    let gain = gain(&own, &other);
    assert_eq!((said.mechanism.as_str(), &said.statistics[..]), ("permute-and-flip", &["m".to_owned()][..]));
    assert!(gain > 1.1 && (said.least / gain - 1.0).abs() < 0.01, "{said:?}, {gain}");
    assert_eq!(other.other_mechanisms, []);
    assert_eq!(median("300 to 300", "mechanism = 'best'").other_mechanisms, [], "it is chosen already");
}

const BEST: &str = "mechanism = 'best'";

/// The choices: number of statistics, their mechanism, and whether there was another.
fn chosen(report: &CheckReport) -> Vec<(usize, &str, bool)> {
    fn one(chosen: &ChosenMechanism) -> (usize, &str, bool) {
        (chosen.statistics.len(), &chosen.mechanism, chosen.other.is_some())
    }
    report.chosen.iter().map(one).collect()
}

/// The same noise as the better plan, and the other's loss beside it.
#[test]
fn best_is_the_better_mechanism() {
    for (counts, better, worse, word) in [(4, "", GAUSSIAN, "clamped"), (100, GAUSSIAN, "", "clamped-gaussian")] {
        let [best, other, left_to_program] =
            [better, worse, BEST].map(|mechanism| report(counts, WITH_DELTA, mechanism));
        assert_eq!(left_to_program.statistics, best.statistics);
        assert_eq!(chosen(&left_to_program), [(counts, word, true)]);
        let lost = left_to_program.chosen[0].other.as_ref().expect("there are two");
        if word == "clamped-gaussian" {
            let gained = gain(&other, &best);
            assert!((lost.least - gained).abs() < 1e-9 && (lost.most - gained).abs() < 1e-9, "{lost:?}, {gained}");
        }
        assert!(lost.least > 1.0);
        // The same for all statistics that say nothing.
        assert_eq!(report(counts, &format!("{WITH_DELTA}, {BEST}"), "").statistics, best.statistics);
    }
}

/// Without delta a count on a half line has nothing better; statistics that name their mechanism keep it.
#[test]
fn best_without_a_choice_is_laplace_noise() {
    let pure = report(100, "epsilon = 1", BEST);
    assert_eq!(chosen(&pure), [(100, "clamped", true)]);
    assert_eq!(pure.chosen[0].other.as_ref().map(|other| other.mechanism.as_str()), Some("conditioned"));
    assert_eq!(pure.statistics, report(100, "epsilon = 1", "").statistics);
    let named = report(100, &format!("{WITH_DELTA}, {BEST}"), "mechanism = 'clamped'");
    assert!(named.chosen.is_empty() && !named.other_mechanisms.is_empty());
}

/// A plan of one statistic of a column from 0 to 1000 over `rows` rows.
fn of_column(kind: &str, privacy: &str, rows: &str, rest: &str) -> Plan {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "x\n1\n").expect("written");
    let text = format!(
        "data = {{ path = 'rows.csv', {rows} }}\nprivacy = {{ unit = 'row', {privacy} }}\n\
         columns.x = {{ type = '{kind}', lower = 0, upper = 1000, missing = 0 }}\n\
         [[statistic]]\nname = 's'\ncolumn = 'x'\n{rest}\n"
    );
    Plan::parse(&text, &folder.keep()).expect("a plan")
}

/// Bins of a column of numbers without edges follow from the rows that the plan expects and from epsilon, for a choice
/// and for the counts that it is compared with.
#[test]
fn best_of_numbers_without_edges_has_bins_for_the_rows() {
    let quantile = "kind = 'quantile'\nprobabilities = [0.5]";
    let add_remove = |epsilon: &str| format!("neighbours = 'add-remove', epsilon = {epsilon}, mechanism = 'best'");
    let bins = |epsilon: &str, rows: &str| {
        let plan = of_column("number", &add_remove(epsilon), rows, &format!("{quantile}\ninterval_share = 0.25"));
        OpenedPlan::new(&plan).expect("an opened plan").tasks[0].query.bins.as_ref().expect("bins").len()
    };
    // 8 n e, to the next power of two.
    assert_eq!(bins("1", "expect_rows = '900 to 1000'"), 8192);
    assert_eq!(bins("0.1", "expect_rows = '900 to 1000'"), 1024);
    assert_eq!(bins("0.01", "expect_rows = '10 to 100'"), 64);
    assert_eq!(bins("1", "expect_rows = '1000000 to 2000000'"), 1 << 18);
    assert_eq!(bins("1000", "expect_rows = '1 to 9000000000000000'"), 1 << 18);
    assert_eq!(bins("1", ""), 4096);
    let plan = of_column("number", &add_remove("1"), "expect_rows = '200 to 200'", quantile);
    let report = check(&plan, &AssumedRows::Usual).expect("a report");
    assert_eq!(chosen(&report), [(1, "permute-and-flip", true)]);
    let cases: Vec<&str> = report.statistics[0].expected_error.iter().map(|error| error.case.as_str()).collect();
    let both = ["spread over the bins", "in a twentieth of the bins"];
    assert_eq!(cases, both.map(|spread| format!("probability 0.5, 200 rows {spread}")));
}

/// Far below one, epsilon makes clamped noise fall on the ends of a range, where conditioned noise is spread over it:
/// the latter errs less then. A figure of the mean takes noise that is added.
#[test]
fn best_is_conditioned_where_the_range_is_short() {
    let mean = |epsilon: &str, mechanism: &str, rest: &str| {
        let privacy = format!("neighbours = 'substitute', rows = 20, epsilon = {epsilon}, mechanism = '{mechanism}'");
        let plan = of_column("number", &privacy, "", &format!("kind = 'mean'\n{rest}"));
        check(&plan, &AssumedRows::Usual).expect("a report")
    };
    let best = mean("0.05", "best", "");
    assert_eq!(chosen(&best), [(1, "conditioned", true)]);
    let [plain, conditioned] =
        ["clamped", "conditioned"].map(|word| mean("0.05", "clamped", &format!("mechanism = '{word}'")));
    assert_eq!(best.statistics, conditioned.statistics);
    let said = best.chosen[0].other.as_ref().expect("the other");
    assert!((said.least - gain(&plain, &conditioned)).abs() < 1e-9 && said.least > 1.0, "{said:?}");
    let rich = mean("2", "best", "");
    assert_eq!(chosen(&rich), [(1, "clamped", true)]);
    assert!(rich.chosen[0].other.as_ref().is_some_and(|other| other.mechanism == "conditioned" && other.least > 1.0));
    let other = "[[statistic]]\nname = 't'\nkind = 'mean'\ncolumn = 'x'\n";
    assert_eq!(chosen(&mean("0.1", "best", other)), [(2, "conditioned", true)]);
    let figure = format!("{other}[[figure]]\nname = 'f'\nkind = 'ratio'\nof = 's'\nper = {{ statistic = 't' }}\n");
    assert_eq!(chosen(&mean("0.1", "best", &figure)), [(2, "clamped", false)]);
}

/// Where the epsilon follows from wants, the better mechanism is the one that needs less.
#[test]
fn best_needs_the_least_epsilon() {
    for (counts, word) in [(4, "clamped"), (30, "clamped-gaussian")] {
        let with_mechanism = |mechanism: &str| {
            report(
                counts,
                "epsilon = 'least', delta = 1e-6",
                &format!(
                    "{mechanism}
want = {{ rmse = 50 }}"
                ),
            )
        };
        let [best, laplace, gaussian] = [BEST, "", GAUSSIAN].map(with_mechanism);
        let epsilon = |report: &CheckReport| report.epsilon.parse::<f64>().expect("a decimal");
        assert_eq!(chosen(&best), [(counts, word, true)]);
        assert_eq!(epsilon(&best), epsilon(&laplace).min(epsilon(&gaussian)));
        assert!(epsilon(&laplace) != epsilon(&gaussian));
    }
}

/// Of sixty counts one has half of epsilon: narrow Laplace noise stays narrower than what is shared.
#[test]
fn a_statistic_that_would_lose_keeps_laplace_noise() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "x\n1\n").expect("written");
    let count = |count: usize| {
        let share = if count == 0 { "1/2" } else { "1/120" };
        format!("[[statistic]]\nname = 'n{count}'\nkind = 'count'\nwhere = 'x > {count}'\nshare = '{share}'\n")
    };
    let text = |mechanism: &str| {
        format!(
            "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', {WITH_DELTA}{mechanism} }}\n\
             columns.x = {{ type = 'integer' }}\n{}",
            (0..60).map(count).collect::<String>()
        )
    };
    let with_mechanism = |mechanism: &str| {
        check(&Plan::parse(&text(mechanism), folder.path()).expect("a plan"), &AssumedRows::Usual).expect("a report")
    };
    let [best, laplace] = [", mechanism = 'best'", ""].map(with_mechanism);
    assert_eq!(chosen(&best), [(59, "clamped-gaussian", true), (1, "clamped", true)]);
    assert_eq!(best.chosen[1].statistics, ["n0"]);
    assert_eq!(best.statistics[0], laplace.statistics[0]);
    let rmse = |report: &CheckReport| report.statistics[1].expected_error[0].rmse;
    assert!(rmse(&best) < 0.9 * rmse(&laplace), "{} against {}", rmse(&best), rmse(&laplace));
}

/// A mean of a private number of rows with a want has no Gaussian noise, and leaves it to the counts.
#[test]
fn one_want_that_cannot_have_gaussian_noise_leaves_it_to_others() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "x\n1\n").expect("written");
    let count = |count: usize| {
        format!("[[statistic]]\nname = 'n{count}'\nkind = 'count'\nwhere = 'x > {count}'\nwant.rmse = 50\n")
    };
    let checked = |of_mean: &str| {
        let text = format!(
            "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 'least', delta = 1e-6 }}\n\
             columns.x = {{ type = 'integer', lower = 0, upper = 100, missing = 'drop' }}\n{}\
             [[statistic]]\nname = 'm'\nkind = 'mean'\ncolumn = 'x'\nwant = {{ rmse = 5, rows = 1000 }}\n{of_mean}\n",
            (0..30).map(|number| count(number) + BEST + "\n").collect::<String>()
        );
        check(&Plan::parse(&text, folder.path()).expect("a plan"), &AssumedRows::Usual).expect("a report")
    };
    let [best, named] = [BEST, "mechanism = 'clamped'"].map(checked);
    assert_eq!(chosen(&best), [(30, "clamped-gaussian", true), (1, "clamped", false)]);
    assert_eq!(best.epsilon, named.epsilon);
}

/// At a large epsilon a median has no error by either noise. The factor between them is finite, so that the release can
/// be read again.
#[test]
fn errors_of_zero_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..200).map(|row| format!("{}\n", row / 2)).collect();
    std::fs::write(folder.path().join("rows.csv"), format!("x\n{rows}")).expect("written");
    let text = format!(
        "data = {{ path = 'rows.csv', expect_rows = '190 to 210' }}\n\
         privacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 100, delta = 1e-6 }}\n\
         columns.x = {{ type = 'integer', lower = 0, upper = 100, missing = 'drop' }}\n\
         [[statistic]]\nname = 'm'\nkind = 'quantile'\ncolumn = 'x'\nprobabilities = [0.5]\n{BEST}\n"
    );
    let plan = Plan::parse(&text, folder.path()).expect("a plan");
    let released = inbounds_release::release(
        &plan,
        &folder.path().join("out"),
        inbounds_release::Randomness::Seeded(1),
        &inbounds_release::Silent,
    );
    let chosen = &released.expect("releases").manifest.guarantee.chosen;
    assert!(chosen.iter().flat_map(|one| &one.other).all(|other| other.least.is_finite() && other.most.is_finite()));
}
