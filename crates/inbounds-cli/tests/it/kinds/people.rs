//! What a release of every kind holds: constraints, names, units, numbers of rows, and the page.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use super::{PLANS, Row, estimates, number, people, released, rows_of, table};

/// Smallest eigenvalue of a symmetric matrix, by Jacobi rotations.
fn least_eigenvalue(mut matrix: Vec<Vec<f64>>) -> f64 {
    let n = matrix.len();
    for _ in 0..50 {
        for p in 0..n {
            for q in p + 1..n {
                let (apq, difference) = (matrix[p][q], matrix[q][q] - matrix[p][p]);
                let angle = 0.5 * (2.0 * apq).atan2(difference);
                let (sine, cosine) = angle.sin_cos();
                for row in &mut matrix {
                    (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
                }
                let rotated = |(a, b): (&f64, &f64)| (cosine * a - sine * b, sine * a + cosine * b);
                (matrix[p], matrix[q]) = matrix[p].iter().zip(&matrix[q]).map(rotated).unzip();
            }
        }
    }
    (0..n).map(|i| matrix[i][i]).fold(f64::INFINITY, f64::min)
}

/// A matrix from the numbers of its upper triangle, row by row.
fn symmetric(n: usize, upper: &[f64]) -> Vec<Vec<f64>> {
    let place = |i: usize, j: usize| i * n - i * (i + 1) / 2 + j;
    (0..n).map(|i| (0..n).map(|j| upper[place(i.min(j), i.max(j))]).collect()).collect()
}

#[test]
fn the_eigenvalues_of_the_test_are_right() {
    assert!((least_eigenvalue(symmetric(2, &[2.0, -1.0, 2.0])) - 1.0).abs() < 1e-12);
    // x^3 - 12 x^2 + 21 x - 10 = (x - 1)^2 (x - 10).
    assert!((least_eigenvalue(symmetric(3, &[5.0, 4.0, -2.0, 5.0, -2.0, 2.0])) - 1.0).abs() < 1e-12);
    assert!((least_eigenvalue(symmetric(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0])) + 1.0).abs() < 1e-12);
}

#[test]
fn estimates_of_every_kind_keep_their_constraints() {
    for plan in PLANS {
        let bench = people(plan);
        let manifest = released(&bench);
        let rows = table(&bench, "bundle/estimates.csv");
        let kinds: BTreeSet<&str> = statistics(&manifest).map(|entry| text(entry, "kind")).collect();
        assert_eq!(kinds.len(), 12, "{plan}: {kinds:?}");
        assert_in_range(&manifest, &rows);
        assert!(rows_of(&rows, "people-by-region").iter().all(|row| number(row, "estimate").fract() == 0.0));
        assert!(rows_of(&rows, "ages").iter().all(|row| number(row, "estimate").fract() == 0.0));
        let shares = estimates(&rows_of(&rows, "regions"));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{plan}: {shares:?}");
        let covariances = estimates(&rows_of(&rows, "body"));
        assert!(least_eigenvalue(symmetric(3, &covariances[..6])) >= -1e-9, "{plan}: {covariances:?}");
        let [first, correlation, second] = estimates(&rows_of(&rows, "body-correlated"))[..3] else {
            panic!("a triangle")
        };
        assert!(first >= 0.0 && second >= 0.0, "{plan}: the diagonal holds the variances");
        assert!(least_eigenvalue(symmetric(2, &[1.0, correlation, 1.0])) >= -1e-9, "{plan}: {correlation}");
        let quartiles = estimates(&rows_of(&rows, "quartiles-of-height"));
        assert!(quartiles.windows(2).all(|pair| pair[0] < pair[1]), "{plan}: {quartiles:?}");
        let model = rows_of(&rows, "shirts");
        let variances = model.iter().filter(|row| row["output"].starts_with("variance"));
        assert!(
            variances.clone().all(|row| number(row, "estimate") > 0.0),
            "a class with a variance of 0 is impossible"
        );
        assert_eq!(variances.count(), 6);
    }
}

/// Estimates and both ends of their intervals lie in the range of their output.
fn assert_in_range(manifest: &Value, rows: &[Row]) {
    for entry in statistics(manifest) {
        let outputs = list(entry, "outputs");
        for (index, row) in rows_of(rows, text(entry, "name")).into_iter().enumerate() {
            let range = &outputs[index % outputs.len()]["range"];
            let lower = range["lower"].as_f64().unwrap_or(f64::NEG_INFINITY);
            let upper = range["upper"].as_f64().unwrap_or(f64::INFINITY);
            for column in ["interval_lower", "estimate", "interval_upper"] {
                let value = number(row, column);
                assert!(value.is_finite() && lower <= value && value <= upper, "{column} leaves its range: {row:?}");
            }
            assert!(number(row, "interval_lower") <= number(row, "interval_upper"), "{row:?}");
            assert!(number(row, "rmse_at_estimate") > 0.0, "{row:?}");
        }
    }
}

#[test]
fn tables_and_manifest_say_the_same() {
    for plan in PLANS {
        let bench = people(plan);
        let manifest = released(&bench);
        let estimates = table(&bench, "bundle/estimates.csv");
        let measurements = table(&bench, "bundle/measurements.csv");
        assert_eq!(manifest["guarantee"]["epsilon_spent"], "15", "{plan}");
        let mut cells = (0, 0);
        for entry in statistics(&manifest) {
            let (name, outputs) = (text(entry, "name"), list(entry, "outputs"));
            let published = rows_of(&estimates, name);
            assert_eq!(published.len(), integer_of(&entry["cells"]) * outputs.len(), "{plan}: {name}");
            for (row, output) in published.iter().zip(outputs.iter().cycle()) {
                assert_eq!(row["unit"], text(output, "unit"), "{plan}: {name}");
                // Bins go by their edges.
                assert!(entry["kind"] == "histogram" || row["output"] == text(output, "name"), "{plan}: {row:?}");
                assert_eq!(entry["kind"] == "histogram", row["output"].contains(" to "), "{plan}: {row:?}");
                let keyed = row.iter().filter(|(column, value)| column.starts_with("by_") && !value.is_empty());
                assert_eq!(keyed.count(), list(entry, "by").len(), "{plan}: {row:?}");
            }
            let mut rest = rows_of(&measurements, name).into_iter();
            for measured in list(entry, "measured") {
                for row in rest.by_ref().take(integer_of(&measured["cells"])) {
                    assert_eq!(row["component"], text(measured, "role"), "{plan}: {name}");
                    assert_eq!(row["mechanism"], text(measured, "mechanism"), "{plan}: {name}");
                    assert_eq!(number(row, "scale"), measured["scale"].as_f64().expect("a number"), "{plan}: {name}");
                    let step = 2f64.powf(number(row, "grid_exponent")) / number(row, "divisor");
                    let value = number(row, "steps") * step;
                    assert!((number(row, "measurement") - value).abs() <= 1e-12 * value.abs(), "{plan}: {row:?}");
                }
            }
            assert_eq!(rest.next(), None, "{plan}: {name} has measurements that the manifest does not know");
            cells = (cells.0 + published.len(), cells.1 + rows_of(&measurements, name).len());
        }
        assert_eq!(cells, (estimates.len(), measurements.len()), "{plan}: rows of no statistic");
    }
}

#[test]
fn intervals_for_the_population_stand_where_they_were_asked_for() {
    let asked: [&[(&str, usize)]; 2] = [
        &[
            ("mean-age", 1),
            ("variance-of-height", 1),
            ("deviation-of-weight", 1),
            ("body", 6),
            ("regions", 4),
            ("smokers", 1),
        ],
        // The number of rows is of no population.
        &[("variance-of-height", 2)],
    ];
    for (plan, asked) in PLANS.into_iter().zip(asked) {
        let bench = people(plan);
        released(&bench);
        let rows = table(&bench, "bundle/estimates.csv");
        let with: Vec<&Row> = rows.iter().filter(|row| !row["population_lower"].is_empty()).collect();
        for row in &with {
            assert!(number(row, "population_lower") < number(row, "population_upper"), "{row:?}");
        }
        let count = |name: &str| with.iter().filter(|row| row["statistic"] == name).count();
        assert!(asked.iter().all(|(name, wanted)| count(name) == *wanted), "{plan}: {with:#?}");
        assert_eq!(with.len(), asked.iter().map(|(_, wanted)| wanted).sum::<usize>(), "{plan}");
        // A sample says less of its population than of itself.
        let width =
            |row: &Row, name: &str| number(row, &format!("{name}_upper")) - number(row, &format!("{name}_lower"));
        let wider = with.iter().filter(|row| width(row, "population") > width(row, "interval")).count();
        assert!(wider * 10 >= with.len() * 8, "{plan}: {wider} of {}", with.len());
    }
}

#[test]
fn the_page_shows_the_outputs() {
    for plan in PLANS {
        let bench = people(plan);
        let manifest = released(&bench);
        let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
        for entry in statistics(&manifest) {
            assert!(page.contains(text(entry, "name")), "{plan}: {} is not in the page", text(entry, "name"));
            for output in list(entry, "outputs") {
                assert!(page.contains(text(output, "name")), "{plan}: {output} is not in the page");
            }
        }
        for words in ["18 to 30", "recalculated: the same", "isles"] {
            assert!(page.contains(words), "{plan}: `{words}` is not in the page");
        }
        assert!(!page.contains("not recalculated"), "{plan}");
        let alerts: Vec<&str> = page.split("role=\"alert\">").skip(1).collect();
        assert!(alerts.len() == 1 && alerts[0].starts_with("NOT PRIVATE"), "{plan}: {} alerts", alerts.len());
    }
}

fn statistics(manifest: &Value) -> impl Iterator<Item = &Value> {
    list(manifest, "statistics").iter()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("`{key}` is no list in {value}"))
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {value}"))
}

fn integer_of(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a whole number")
}
