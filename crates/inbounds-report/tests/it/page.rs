//! What the page says and draws.

use std::fs;

use inbounds_report::{FILE, redraw};
use serde_json::json;

use crate::bundle::{Bundle, manifest};

const PLACES: [(&str, i64); 3] = [("Aldermoor", 1423), ("Gullcrag", 15), ("Hollin Isle", -4)];

/// Whether these words are in the page, each after the one before.
fn in_order(page: &str, words: &[&str]) {
    words.iter().fold(page, |rest, words| {
        rest.split_once(words).unwrap_or_else(|| panic!("`{words}` is not where it should be")).1
    });
}

#[test]
fn a_page_is_a_function_of_its_bundle() {
    let bundle = Bundle::counts(&PLACES);
    assert_eq!(bundle.page(), bundle.page());
    assert_eq!(bundle.page(), Bundle::counts(&PLACES).page());
    assert_ne!(bundle.page(), Bundle::counts(&PLACES[..2]).page());
}

#[test]
fn a_release_is_told_from_guarantee_to_citation() {
    let page = Bundle::counts(&PLACES).page();
    in_order(
        &page,
        &[
            "<!DOCTYPE html>",
            "<h1>People by place</h1>",
            "0.8 of 2",
            "The numbers",
            "<a href=\"#statistic-1\">people</a><small>Number of rows, by place</small>",
            "class=\"indented\">Aldermoor</th><td class=\"number\">1,423 rows</td><td class=\"number\">± 11</td>",
            "Estimates stay at 0 or above (rows).",
            "Measurements below 0 are in the table alone.",
            "<th scope=\"col\" class=\"number\">estimate, rows</th>",
            "<th scope=\"row\">Aldermoor</th><td class=\"number\">1,423</td><td class=\"number\">1,412 to 1,434</td>",
            "<summary>Bias and error of each number</summary>",
            "<summary>What staying in bounds cost</summary>",
            "The rule that keeps the range moved 1 of 3 raw measurements, by 4 (rows) at most.",
            "the bias is at most 1.85 (rows) either way",
            // The standard deviation of discrete Laplace noise of inverse scale 4/15: sqrt(2 a) / (1 - a).
            "raw measurement, anywhere</th><td class=\"number\">0</td><td class=\"number\">5.288",
            "<summary>How it was measured</summary>",
            "inverse scale 4/15 a step; calculated anew: the same",
            "The guarantee",
            "share one value of “patient”",
            // e^0.8 / (1 + e^0.8) = 0.68997, upward.
            "they guess right with a probability of at most 69 %.",
            "The budget",
            "<span style=\"flex-basis:40%\">1</span>",
            "<span class=\"rest\" style=\"flex-basis:60%\"></span>",
            "not spent",
            "Caveats",
            "follow “clip.missing”",
            "Cite and verify",
            "Differentially private release, epsilon 0.8, unit: rows that share a “patient”",
            "estimates.csv<small>",
            "matches",
        ],
    );
    assert!(page.contains("RMSE of the raw measurement, which has no bias"), "the curve is drawn");
    assert!(!page.contains("role=\"alert\""), "there is nothing to warn of");
}

#[test]
fn a_reconciliation_is_told_too() {
    let page = Bundle::reconciled().page();
    in_order(
        &page,
        &[
            "Reconciled: counts.csv",
            "role=\"alert\">the root “state” has drifted",
            "Children add up to their parent",
            "All estimates are whole",
            "least-squares-in-integers",
            "no budget was spent",
            "raw measurement</text>",
            "Error by size",
            "<th scope=\"row\">state</th>",
            "<th scope=\"row\">port</th><td class=\"number\">0<small>0 to 13</small></td><td class=\"number\">-11</td>",
            "3 of 3 measured numbers moved",
            "leaves, estimate 10 to 100",
            "SHA-256 of reconcile.json",
        ],
    );
}

#[test]
fn words_of_a_bundle_are_words_and_no_markup() {
    let hostile = "<script>alert('\"&')</script> costs $1 or $2";
    let page = Bundle::counts(&[(hostile, 3), ("plain", 4)]).page();
    assert!(!page.contains("<script") && !page.contains("alert('"), "{page}");
    assert!(page.contains("costs $1 or $2</th>"), "{page}");
}

#[test]
fn a_seeded_release_says_first_that_it_is_not_private() {
    let mut seeded = manifest(0);
    seeded["private"] = json!(false);
    seeded["guarantee"]["words"] = json!("NOT PRIVATE. The noise was drawn from the seed 7.");
    let table = "statistic,by_place,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,\
                 rmse_error,worst_bias,measurement\n";
    let page = Bundle::release(seeded, table).page();
    in_order(&page, &["role=\"alert\">NOT PRIVATE", "Epsilon spent", "There is none.", "not private, for tests"]);
    assert!(!page.contains("guess right"), "no promise is made");
}

#[test]
fn long_tables_are_cut_and_summed_up() {
    let names: Vec<String> = (0..5000).map(|index| format!("place {index}")).collect();
    let places: Vec<(&str, i64)> = names.iter().zip(0..).map(|(name, size)| (name.as_str(), size)).collect();
    let page = Bundle::counts(&places).page();
    assert!(page.len() < 200_000, "{} bytes", page.len());
    in_order(
        &page,
        &[
            "and 4,992 more",
            "All 5,000 estimates in order of size",
            "4,990 more below.",
            "<summary>The first 100 of 5,000 numbers</summary>",
            "place 99<",
            "These are the first 100 of 5,000; all are in estimates.csv.",
            "Error, whatever the true answer is",
        ],
    );
    assert!(!page.contains("place 100<"));
}

#[test]
fn a_statistic_without_a_curve_shows_errors_by_size() {
    let mut leveled = manifest(60);
    leveled["statistics"][0]["projection"] = json!({
        "solver": {
            "method": "least-squares-in-integers", "status": "optimal", "objective": 1.0, "tolerance": 1e-12, "grid": 1.0,
            "certificate": { "stationarity": 0.0, "feasibility": 0.0, "complementarity": 0.0 }
        },
        "replicates": 200, "seed": "1", "rank": 191
    });
    leveled["statistics"][0]["bias"] = json!({ "formula": "parametric-bootstrap", "worst": null });
    let rows: String =
        (0..60).map(|size| format!("people,p{size},rows,{size},0,99,0.5,0.1,5.2,0.1,,{}\n", size + 2)).collect();
    let header = "statistic,by_place,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,\
                  rmse_error,worst_bias,measurement\n";
    let page = Bundle::release(leveled, &format!("{header}{rows}")).page();
    in_order(
        &page,
        &[">10 to 100</text>", "Error by size", "moved 60 of 60 measurements by 2 (rows) in the root mean square"],
    );
    assert!(!page.contains("whatever the true answer"));
}

#[test]
fn outputs_are_named_and_drawn_over_axes_of_their_own() {
    let table = "statistic,by_place,output,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,\
                 rmse_at_estimate,rmse_error,worst_bias,measurement\n\
                 people,Ivel,mean,unit of column age,5,0,9,0.1,0,2,0,1.85,5\n\
                 people,Ivel,sum,unit of column age,2500,0,9000,0.1,0,20,0,18.5,-5\n\
                 people,Oare,mean,unit of column age,6,0,9,0.1,0,2,0,1.85,5\n\
                 people,Oare,sum,unit of column age,2600,0,9000,0.1,0,20,0,18.5,-5\n";
    let mut leveled = manifest(4);
    let range = json!({ "lower": 0.0, "upper": null });
    leveled["statistics"][0]["kind"] = json!("mean");
    leveled["statistics"][0]["outputs"] = json!([
        { "name": "mean", "unit": "unit of column age", "range": range },
        { "name": "sum", "unit": "unit of column age", "range": range }
    ]);
    let page = Bundle::release(leveled, table).page();
    in_order(
        &page,
        &[">8</text>", ">mean</text>", ">5,000</text>", ">sum</text>", "<th scope=\"row\">Ivel, mean</th>"],
    );
}

#[test]
fn noise_that_the_guarantee_does_not_ask_for_is_told_and_not_drawn() {
    let mut tampered = manifest(1);
    // Half the noise that epsilon 0.8 needs.
    tampered["statistics"][0]["measured"][0]["inverse_scale_per_step"] = json!("8/15");
    let table = "statistic,by_place,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,\
                 rmse_error,worst_bias,measurement\npeople,Ivel,rows,5,0,9,0.1,0,2,0,1.85,5\n";
    let page = Bundle::release(tampered, table).page();
    assert!(page.contains("not calculated anew: this version gives it another noise or rule"), "{page}");
    assert!(!page.contains("whatever the true answer"));
}

#[test]
fn files_that_were_changed_or_lost_are_warned_of() {
    let bundle = Bundle::counts(&PLACES);
    let estimates = bundle.folder().join("estimates.csv");
    let text = fs::read_to_string(&estimates).expect("table").replace("1423", "1424");
    fs::write(&estimates, text).expect("writes");
    in_order(&bundle.page(), &["role=\"alert\">The bundle is not as it was made: estimates.csv differs", "DIFFERS"]);
    let bundle = Bundle::reconciled();
    fs::remove_file(bundle.folder().join("fairness.csv")).expect("removes");
    in_order(&bundle.page(), &["role=\"alert\">The bundle is not as it was made: fairness.csv missing", "MISSING"]);
}

#[test]
fn drawing_again_replaces_the_page_and_leaves_nothing_else() {
    let bundle = Bundle::counts(&PLACES);
    let page = bundle.folder().join(FILE);
    fs::write(&page, "old").expect("writes");
    assert_eq!(redraw(bundle.folder()).expect("draws"), page);
    assert_eq!(fs::read_to_string(&page).expect("page"), bundle.page());
    assert_eq!(fs::read_dir(bundle.folder()).expect("folder").count(), 3, "manifest, table and page");
}
