//! What stands beside numbers near an end of their range, where the error at the estimate says too little.

use serde_json::Value;

use super::people;

/// Means that share measurements, and shares of two categories, in small groups that are all at one end: terminal and
/// page show the largest errors over the intervals, which are those of the table, and no error simulated at the
/// estimate.
#[test]
fn near_an_end_the_largest_errors_over_the_interval_are_shown() {
    let bench = people("accuracy.toml");
    let rows: String =
        (0..46).map(|row| format!("{},{}\n", if row < 6 { "a" } else { "b" }, i32::from(row < 6))).collect();
    std::fs::write(bench.path("rows.csv"), format!("g,x\n{rows}")).expect("written");
    let plan = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 0.06, together = [['m', 'n']] }\n\
                columns.g = { type = 'text', values = ['a', 'b'] }\ncolumns.x = { type = 'integer', lower = 0, upper = 1, values = [0, 1], missing = 0 }\n\
                [[statistic]]\nname = 'm'\nkind = 'mean'\ncolumn = 'x'\nby = ['g']\n[[statistic]]\nname = 'n'\nkind = 'count'\nby = ['g']\n\
                [[statistic]]\nname = 'p'\nkind = 'proportion'\nby = ['g', 'x']\nwithin = ['g']\n";
    std::fs::write(bench.path("ends.toml"), plan).expect("written");
    let said = bench.seeded("ends.toml", "ends", "3");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("bias at most") && !said.out.contains("simulated"), "{}", said.out);
    assert!(!said.out.contains("tells nothing"), "{}", said.out);
    let page = std::fs::read_to_string(bench.path("ends/report.html")).expect("a file");
    assert!(page.contains("bias at most") && !page.contains("simulated bias"));
    // That an interval is nearly the whole range stands beside the number, and takes the place of no error.
    assert!(page.contains("tells nothing: this is nearly the whole range"));
    let released: Value = serde_json::from_str(
        &bench.run(&["release", "ends.toml", "--out", "again", "--seed", "3", "--not-private", "--json"]).out,
    )
    .expect("JSON");
    let mut lost = 0;
    for statistic in released["statistics"].as_array().expect("statistics").iter().filter(|one| one["name"] != "n") {
        for estimate in statistic["estimates"].as_array().expect("estimates") {
            let number = |name: &str| estimate[name].as_f64().unwrap_or_else(|| panic!("{name} of {estimate}"));
            let (bias, rmse) = (number("bias_over_interval").abs(), number("rmse_over_interval"));
            assert!(bias >= number("bias_at_estimate").abs() && rmse >= number("rmse_at_estimate") && rmse >= bias);
            // Noise beats the six rows, so that nothing is left but a bias towards the middle.
            lost += usize::from(estimate["tells_nothing"] == true && (0.3..=0.6).contains(&bias));
            assert!(said.out.contains(&figure(rmse)), "{rmse} in {}", said.out);
        }
    }
    assert!(lost >= 2, "{released}");
}

/// Four significant digits, without zeros at the end.
fn figure(number: f64) -> String {
    let decimals = (3 - number.log10().floor() as i32).max(0) as usize;
    format!("{number:.decimals$}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
