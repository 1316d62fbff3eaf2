//! Numbers are read exactly as written.

use inbounds_core::{Rational, Region};
use inbounds_release::{
    Grants,
    plan::{OutputRange, Plan},
};

use super::{GOOD, edit, parse};

fn with_epsilon(epsilon: &str) -> Plan {
    parse(&edit(GOOD, "epsilon = 1.0", &format!("epsilon = {epsilon}"))).expect(epsilon)
}

/// The good plan with a share on each of its four statistics.
fn with_shares(shares: [&str; 4]) -> Plan {
    let text = ["people", "people-by-sex", "income-by-ward", "mean-age"].iter().zip(shares).fold(
        GOOD.to_owned(),
        |text, (name, share)| {
            edit(&text, &format!("name = \"{name}\""), &format!("name = \"{name}\"\nshare = {share}"))
        },
    );
    parse(&text).expect("the shares are right")
}

/// Grants of statistics that are about all rows.
fn grants(plan: &Plan) -> Grants {
    let everywhere = Region::default();
    let (grants, mistake) = Grants::for_rows(plan, &vec![&everywhere; plan.statistics.len()]);
    assert!(mistake.is_none(), "{mistake:?}");
    grants
}

fn total_epsilon(plan: &Plan) -> Rational {
    let grants = grants(plan);
    (0..plan.statistics.len()).fold(Rational::ZERO, |sum, place| &sum + grants.epsilon(place).value())
}

#[test]
fn epsilon_is_what_is_written() {
    let cases = [
        ("\"1/3\"", Rational::ratio(1, 3)),
        ("0.1", Rational::ratio(1, 10)),
        ("1", Rational::ONE),
        ("+1_000.5", Rational::ratio(2001, 2)),
        ("25e-4", Rational::ratio(1, 400)),
        ("0x10", Rational::ratio(16, 1)),
        ("\"0.7\"", Rational::ratio(7, 10)),
        // One more digit than a double holds.
        ("0.10000000000000000000000001", Rational::ratio(10i128.pow(25) + 1, 10u128.pow(26))),
    ];
    for (written, exact) in cases {
        let granted = with_epsilon(written).privacy.epsilon.value;
        assert_eq!(granted.given().map(|epsilon| epsilon.value().clone()), Some(exact), "{written}");
    }
}

#[test]
fn shares_add_up_exactly() {
    // Added as doubles, these are 1.0000000000000002 and would be refused.
    assert!([0.01, 0.2, 0.68, 0.11].iter().fold(0.0, |sum, share| sum + share) > 1.0);
    let plan = with_shares(["0.01", "0.2", "0.68", "0.11"]);
    assert_eq!(total_epsilon(&plan), Rational::ONE);
    let plan = with_shares(["0.1", "0.2", "0.6999999999999999999999", "1e-22"]);
    assert_eq!(total_epsilon(&plan), Rational::ONE);
    let plan = with_shares(["\"1/3\"", "\"1/3\"", "\"1/6\"", "\"1/6\""]);
    assert_eq!(total_epsilon(&plan), Rational::ONE);
}

#[test]
fn three_shares_of_a_tenth_kind_are_a_whole() {
    let count = |name: &str, share: &str| format!("[[statistic]]\nname = '{name}'\nkind = 'count'\nshare = {share}\n");
    let head = "data.path = 'a.parquet'\ndata.types = 'public'\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = \"1/3\"\n";
    let plan = parse(&[head, &count("a", "0.1"), &count("b", "0.2"), &count("c", "0.7")].concat()).expect("right");
    assert_eq!(total_epsilon(&plan), Rational::ratio(1, 3));
    assert_eq!(*grants(&plan).epsilon(2).value(), Rational::ratio(7, 30));
}

#[test]
fn without_shares_all_parts_are_equal() {
    let plan = with_epsilon("\"1/3\"");
    for place in 0..plan.statistics.len() {
        assert_eq!(*grants(&plan).epsilon(place).value(), Rational::ratio(1, 12));
    }
}

#[test]
fn bounds_delta_and_ranges_are_exact() {
    let text = edit(GOOD, "epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-300");
    let text = edit(&text, "range = \"unbounded\"", "range = { upper = \"1/3\" }");
    let plan = parse(&text).expect("right");
    assert_eq!(*plan.privacy.delta.value.value(), "1e-300".parse().expect("a number"));
    let bounds = plan.column("income").and_then(|column| column.bounds.clone()).expect("income has bounds");
    assert_eq!(bounds.upper.value, Rational::ratio(500_001, 2));
    let given = OutputRange::Declared { lower: None, upper: Some(Rational::ratio(1, 3)) };
    assert_eq!(plan.statistics[2].range.value, given);
}
