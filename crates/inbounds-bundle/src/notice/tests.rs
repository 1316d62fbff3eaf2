use super::{Among, End, KnownRows, Moment, Notice};
use crate::Exact;

#[test]
fn the_manifest_keeps_a_notice_by_its_id() {
    let notice = Notice::OutsideInterval { estimates: 1 };
    let json = serde_json::to_string(&notice).expect("serialises");
    assert_eq!(json, r#"{"id":"outside-interval","estimates":1}"#);
    assert_eq!(serde_json::from_str::<Notice>(&json).expect("reads"), notice);
}

#[test]
fn lost_rows_are_said_by_what_lost_them() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let lost = |reference: KnownRows, by: &[&str], columns: &[&str]| {
        let (by, columns, margin) = (names(by), names(columns), Some(12));
        Notice::RowsLost { counted: 14_814, margin, of: reference, by, columns, most_a_unit: None }.sentence()
    };
    let public = || KnownRows::Public { rows: 20_293 };
    assert_eq!(
        lost(public(), &[], &["BPSysAve"]),
        "About 27 % of `BPSysAve` is missing: these numbers are of about 14,814 (± 12 at 95 %) of 20,293 rows."
    );
    assert_eq!(
        lost(public(), &[], &["a", "b"]),
        "About 27 % of the rows have no value of `a` or `b`: these numbers are of about 14,814 (± 12 at 95 %) of 20,293 rows."
    );
    assert_eq!(
        lost(
            KnownRows::Statistic { name: "people".into(), rows: 20_290, margin: Some(9), partial: false },
            &["sex", "age"],
            &[]
        ),
        "About 14,814 (± 12 at 95 %) of about 20,290 rows (± 9 at 95 %) of `people` have listed values of `sex` and `age`; the others are in \
         none of these numbers."
    );
    assert_eq!(
        lost(KnownRows::Expected { lower: 15_000, upper: 25_000 }, &["sex"], &["income"]),
        "About 14,814 (± 12 at 95 %) of the 15,000 to 25,000 rows that the plan expects have a listed `sex` and a value of `income`; \
         the others are in none of these numbers."
    );
    assert_eq!(
        lost(KnownRows::Read { rows: 20_300, margin: None }, &[], &[]),
        "About 14,814 (± 12 at 95 %) of about 20,300 rows that were read are in these numbers."
    );
}

/// Where units have several rows and only some of them count, a quotient of counts is no part of the cells.
#[test]
fn of_units_with_several_rows_no_part_is_said_to_be_missing() {
    let lost = |by: &[&str], columns: &[&str]| {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let reference = KnownRows::Statistic { name: "visits".into(), rows: 13_100, margin: None, partial: false };
        let notice = Notice::RowsLost {
            counted: 12_207,
            margin: Some(30),
            of: reference,
            by: names(by),
            columns: names(columns),
            most_a_unit: Some(2),
        };
        notice.sentence()
    };
    let end = "At most 2 rows of each unit count: the others are in no number here, and no interval covers them.";
    let begin = "About 12,207 (± 30 at 95 %) of about 13,100 rows of `visits` are in these numbers";
    assert_eq!(lost(&[], &["age"]), format!("{begin}: those that have a value of `age`. {end}"));
    assert_eq!(
        lost(&["sex"], &["age"]),
        format!("{begin}: those that have a listed `sex` and a value of `age`. {end}")
    );
    assert_eq!(lost(&["sex"], &[]), format!("{begin}: those that have a listed `sex`. {end}"));
    assert_eq!(lost(&[], &[]), format!("{begin}. {end}"));
}

fn contradicted(estimates: usize, total: usize) -> Notice {
    let stated = Exact::from(&"4.5".parse().expect("a number"));
    Notice::MomentContradicted { moment: Moment::StandardDeviation, stated, estimates, of: total }
}

#[test]
fn every_other_sentence_reads() {
    let by = vec!["plan".to_owned()];
    let said = [
        Notice::MoreRows { counted: 30_000, expected: 25_000 },
        Notice::SharesTooLarge { counted: 12_000, rows: 20_293, by: by.clone() },
        Notice::PublicNumbersContradicted {
            numbers: 2,
            of: 4,
            cell: Some("g = b".into()),
            public: 900,
            counted: 310,
            margin: Some(12),
        },
        Notice::PublicNumbersContradicted { numbers: 1, of: 1, cell: None, public: 2000, counted: 991, margin: None },
        Notice::NoRows { by: vec![], groups: 1, at_most: 17, filtered: false },
        Notice::NoRows { by: vec![], groups: 1, at_most: 17, filtered: true },
        Notice::NoRows { by: by.clone(), groups: 3, at_most: 44, filtered: false },
        Notice::NoRows { by: by.clone(), groups: 3, at_most: 44, filtered: true },
        Notice::EmptyGroups { by, empty: 2, groups: 3, at_most: 17 },
        Notice::MeanAtBound { column: "share".into(), end: End::Lower, bound: 0.0 },
        Notice::ValuesInEndBin { column: "age".into(), end: End::Upper, edge: 90.0, percent: 97 },
        Notice::ClassesLikeNoise,
        Notice::VariancesLikeNoise { variances: 3, of: 8 },
        contradicted(1, 1),
        contradicted(3, 8),
    ]
    .map(|notice| notice.sentence());
    let expected = [
        "About 30,000 rows are counted here, and the plan expects at most 25,000.",
        "About 12,000 of 20,293 rows have a listed `plan`, but the plan says that all have (`total = \"rows\"`): these numbers \
         are too large. List every value, or remove `total`.",
        "Public numbers are not true of the rows, 2 of 4: for `g = b` the plan says 900, and measured cells add up to 310 \
         (± 12). All other numbers are bent to the public ones: correct these, or remove `public`.",
        "The public number is not true of the rows: in all the plan says 2,000, and measured cells add up to 991. All other \
         numbers are bent to the public ones: correct these, or remove `public`.",
        "There may be no rows here at all: the noise hides whether there are none or up to 17.",
        "There may be no rows here at all: the noise hides whether there are none or up to 17. If there should be more than \
         that: does `where` fit the data?",
        "There may be no rows here at all: the noise hides whether there are none or up to 44 in the 3 listed groups together. \
         If there should be more than that: are the values of `plan` listed as the data spell them?",
        "There may be no rows here at all: the noise hides whether there are none or up to 44 in the 3 listed groups together. \
         If there should be more than that: are the values of `plan` listed as the data spell them, and does `where` fit the \
         data?",
        "2 of the 3 listed groups by `plan` have next to no rows, at most 17 each.",
        "The mean of `share` is within a hundredth of the range from the lower bound, 0: either most values are clipped \
         to it, or the bounds are far wider than the values.",
        "At least 97 % of the values of `age` are in the last bin, above 90, which also takes all values beyond the \
         edges.",
        "The classes of this model differ no more than noise alone would make them differ, so its predictions are no better \
         than a guess: release it with more epsilon or fewer columns.",
        "3 of the 8 variances of this model are smaller than their noise: they are pulled towards those of the other classes \
         and towards the middle of what the bounds allow. Judge them by their intervals and by the largest errors over these; \
         the errors at the estimate say nothing.",
        "The plan says in `about` that the standard deviation is 4.5. The estimate contradicts it, by more than three times the reach \
         of its interval, so the error that was wanted is not promised there: use the interval and the errors that are stated with it.",
        "The plan says in `about` that the standard deviation is 4.5. 3 of 8 estimates contradict it, by more than three times the reach \
         of its interval, so the error that was wanted is not promised there: use the interval and the errors that are stated with it.",
    ];
    assert_eq!(said, expected);
}

#[test]
fn sentences_on_noise_have_their_figures() {
    let split = Notice::FineSplit { statistics: 15, epsilon: 1.0, least: 1.0 / 15.0 };
    assert!(split.sentence().starts_with(
        "Epsilon 1 is split over 15 statistics: the least part is 0.06667, and its noise is about 15 times"
    ));
    let many = Notice::BiasAddsUp { cells: 50, bias: 0.5 };
    assert!(
        many.sentence().starts_with("Each of the 50 cells is kept in its range by itself, with a bias of up to 0.5")
    );
    assert!(many.sentence().contains("off by up to 25, on one side"));
    let factor =
        Notice::NoiseIsFactor { log_scale: 0.231, relative_rmse: Some(0.3729), added_is_better_above: Some(1.264) };
    assert!(factor.sentence().contains("is 37.29 % of the answer") && factor.sentence().contains("above 1.264 noise"));
    let heavy = Notice::NoiseIsFactor { log_scale: 1.0, relative_rmse: None, added_is_better_above: None };
    assert!(heavy.sentence().contains("within a factor of 2 of it") && heavy.sentence().contains("no finite mean"));
    let wide = Notice::NoiseExceedsRange { rmse: 47.123, width: 120.0 };
    // 120 / sqrt(12).
    assert!(wide.sentence().contains("RMSE of 47.12 or more") && wide.sentence().contains("has 34.64 on average"));
    assert!(Notice::LostInNoise { estimates: 3, of: 4 }.sentence().starts_with("3 of 4 estimates are smaller"));
    assert!(
        Notice::IntervalsFillRange { estimates: 1, of: 1 }
            .sentence()
            .starts_with("This estimate is too uncertain to use")
    );
}

#[test]
fn what_bounds_did_names_a_level_or_nodes() {
    let level = || Among::Level { level: "all".into() };
    let nodes = |nodes| Among::Nodes { node: "north".into(), nodes };
    let drift = Notice::Drift { among: level(), distance: 6.24, limit: 3.1, false_alarm: 0.0498 };
    assert_eq!(
        drift.sentence(),
        "Level `all` has drifted: an estimate lies 6.2 standard deviations from the least-squares fit of all measurements \
         without bounds; were the estimates right, noise alone would exceed 3.1, here or at another level, with probability \
         5.0 % at most. Bounds of other numbers, or shrinking, have moved it: quote raw measurements instead."
    );
    let cost = Notice::BoundsCost { among: nodes(1), ratio: 1.987 };
    assert_eq!(
        cost.sentence(),
        "`north` is made worse by bounds or by shrinking: in the simulations the RMSE there is 1.99 times that of the least-squares fit of all \
         measurements without bounds. Rely on the intervals, which are those of that fit."
    );
    assert!(
        Notice::BoundsCost { among: nodes(9), ratio: 2.0 }.sentence().starts_with("The 9 numbers such as `north` are")
    );
    for notice in [drift, cost] {
        let json = serde_json::to_string(&notice).expect("serialises");
        assert_eq!(serde_json::from_str::<Notice>(&json).expect("reads"), notice, "{json}");
    }
}
