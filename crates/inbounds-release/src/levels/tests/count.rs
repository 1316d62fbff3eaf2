use super::*;

const COUNTS: [i128; 6] = [40, 3, 0, 1, 0, 9];

/// Ten counts raise a false alarm once in 3,000 seeds. Noise that is taken for half of what it is fails.
#[test]
fn intervals_cover_at_the_level() {
    let at_epsilon = |text: &str| levels(&AtLevels::Counts, epsilon(text), &ADD_REMOVE);
    let (levels, wrong) = (at_epsilon("1"), at_epsilon("2"));
    let truth = all_levels(COUNTS).map(Some);
    let right = misses(&levels, &levels, Counties { counts: COUNTS, sums: [0; 6] }, &truth);
    assert!(right.iter().all(|&misses| misses <= MOST_MISSES), "{right:?}");
    let wrong = misses(&levels, &wrong, Counties { counts: COUNTS, sums: [0; 6] }, &truth);
    assert!(wrong.iter().any(|&misses| misses > MOST_MISSES), "{wrong:?}");
}

#[test]
fn counts_stay_within_the_public_number_of_rows() {
    let levels = levels(&AtLevels::Counts, epsilon("0.3"), &substitute(53));
    for seed in 0..20 {
        let (estimates, projection) = release(&levels, &levels, Counties { counts: COUNTS, sums: [0; 6] }, seed);
        assert_eq!(projection.solver.status.word(), "optimal");
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        assert!(values.iter().all(|value| (0.0..=53.0).contains(value) && value.fract() == 0.0), "{values:?}");
        assert_adds_up(&values, 0.0);
        assert!(estimates.iter().all(|estimate| estimate.upper <= 53.0));
    }
}

#[test]
fn noise_beyond_what_solvers_weigh_is_refused() {
    let keys = Keys::new(vec!["state".into()], vec![vec![KeyValue::Integer(1)], vec![KeyValue::Integer(2)]]);
    let names = ["all", "state"].map(|name| Spanned::new(name.to_owned(), 0..0));
    let asked = plan::Levels {
        names: names.to_vec(),
        shares: Spanned::new(LevelShares::Even, 0..0),
        fit: plan::Fit::default(),
    };
    let keys = keys.expect("keys");
    for (text, accepted) in [("1e-13", false), ("1e-6", true), ("100", true), ("1000", false)] {
        let prepared =
            Levels::prepare(Asked::Levels(&asked), &keys, &AtLevels::Counts, &setting(epsilon(text), &ADD_REMOVE));
        assert_eq!(prepared.is_ok(), accepted, "{text}");
        if let Err(error) = prepared {
            let required = "must have a scale between 0.0078125 and 1099511627776 rows";
            assert!(error.to_string().contains(required), "{error}");
        }
    }
}
