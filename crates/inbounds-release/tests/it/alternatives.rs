//! What check says of the other mechanism, against the errors of the plan that has it.

use inbounds_release::{
    Assumed,
    check::{CheckReport, check},
    plan::Plan,
};

/// So many counts of a column's values, with what else stands in each statistic and in [privacy].
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
    check(&Plan::parse(&text, folder.path()).expect("a plan"), &Assumed::Usual).expect("a report")
}

/// How many times less the first count errs in the second report, on geometric average over its cases.
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
        let said = own.other_mechanism.as_ref().expect("the other is better");
        let found = gain(&own, &other);
        assert_eq!((said.mechanism.as_str(), said.statistics.len()), (word, counts));
        assert!(
            found > 1.1 && (said.least - found).abs() < 1e-9 && (said.most - found).abs() < 1e-9,
            "{said:?}, {found}"
        );
        assert_eq!(other.other_mechanism, None, "{counts} counts have the better one");
    }
}

#[test]
fn what_cannot_change_is_not_advised() {
    assert_eq!(report(100, "epsilon = 1", "").other_mechanism, None, "no delta is granted");
    let wanted = report(4, WITH_DELTA, &format!("{GAUSSIAN}\nwant = {{ rmse = 400 }}"));
    assert_eq!(wanted.other_mechanism, None, "a want says what the error is to be");
    assert_eq!(report(100, WITH_DELTA, "mechanism = 'conditioned'").other_mechanism, None, "another was chosen");
}
