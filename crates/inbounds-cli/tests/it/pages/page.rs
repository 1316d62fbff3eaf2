//! What the page says and draws.

use std::fs;

use inbounds_bundle::Language;
use inbounds_report::{FILE, redraw};
use serde_json::json;

use super::{Bundle, Draw};

const PLACES: [(&str, usize); 3] = [("Aldermoor", 1423), ("Gullcrag", 15), ("Hollin Isle", 0)];

/// Whether these words are in the page, each after the one before.
fn in_order(page: &str, words: &[&str]) {
    words.iter().fold(page, |rest, words| {
        rest.split_once(words).unwrap_or_else(|| panic!("`{words}` is not where it should be")).1
    });
}

#[test]
fn a_page_is_a_function_of_its_bundle() {
    let bundle = Bundle::counts(&PLACES, Draw::Seeded);
    assert_eq!(bundle.page(), bundle.text(FILE));
    assert_eq!(bundle.page(), Bundle::counts(&PLACES, Draw::Seeded).page());
    assert_ne!(bundle.page(), Bundle::counts(&PLACES[..2], Draw::Seeded).page());
}

#[test]
fn a_release_is_told_from_guarantee_to_citation() {
    let bundle = Bundle::counts(&PLACES, Draw::Private);
    // Noise of scale 3.75: within 400 of 1,423 but for one release in 10^46.
    in_order(
        &bundle.page(),
        &[
            "<!DOCTYPE html>",
            "<h1>People by place</h1>",
            "<p class=\"sure\" lang=\"en\">How sure they are: with 95 % confidence each, at least half of the numbers are known this well: people within ± 11 rows.</p>",
            "The numbers",
            "<a href=\"#statistic-1\">people</a><small>Number of rows, by place, at most 3 rows of each “patient”</small>",
            "class=\"indented\">Aldermoor</th><td class=\"number\">1,4",
            " rows</td><td class=\"number\">± 11</td>",
            "Estimates stay at 0 or above (rows).",
            "<th scope=\"col\" class=\"number\">estimate, rows</th>",
            "<th scope=\"row\">Aldermoor</th><td class=\"number\">1,4",
            "<summary>Bias and error of each number</summary>",
            "<summary>What staying in bounds cost</summary>",
            "the absolute bias is at most 1.853 (rows)",
            // The standard deviation of discrete Laplace noise of inverse scale 4/15: sqrt(2 a) / (1 - a).
            "raw measurement, anywhere</th><td class=\"number\">0</td><td class=\"number\">5.288",
            "<summary>How it was measured</summary>",
            "inverse scale 4/15 per step; recalculated: the same",
            "<h2 id=\"methods-title\">Methods</h2>",
            "<p lang=\"en\" class=\"methods\">The numbers are not exact",
            "(differential privacy, epsilon = 0.8).",
            "At most 3 rows of each “patient” were used.",
            "The guarantee",
            "share one value of “patient”",
            // e^0.8 / (1 + e^0.8) = 0.68997, upward.
            "they guess right with a probability of at most 69 %.",
            "0.8 of 2",
            "The budget",
            "<span style=\"flex-basis:40%\">1</span>",
            "<span class=\"rest\" style=\"flex-basis:60%\"></span>",
            "not spent",
            "Caveats",
            "Cite and verify",
            "Differentially private release, epsilon 0.8, unit: rows that share a “patient”",
            "estimates.csv<small>",
            "matches",
        ],
    );
    let page = bundle.page();
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
            "<h2 id=\"headline-title\">The numbers</h2>",
            "plus or minus (95 % interval)",
            "<th scope=\"row\">state</th>",
            "<h2 id=\"estimates-title\">Estimates</h2>",
            "raw measurement</text>",
            "Error by size",
            "<details>",
            "<th scope=\"row\">port</th>",
            "What staying in bounds cost",
            "3 of 3 measured numbers moved",
            "What was done",
            "Children add up to their parent",
            "All estimates are whole",
            "least-squares-in-integers",
            "no budget was spent",
            "SHA-256 of reconcile.json",
        ],
    );
}

#[test]
fn words_of_a_bundle_are_words_and_no_markup() {
    let hostile = "<script>alert('\"&')</script> costs $1 or $2";
    let page = Bundle::counts(&[(hostile, 3), ("plain", 4)], Draw::Seeded).page();
    assert_eq!((page.matches("<script").count(), page.contains("alert('")), (1, false), "the page's own alone: {page}");
    assert!(page.contains("costs $1 or $2</th>"), "{page}");
}

#[test]
fn a_seeded_release_says_first_that_it_is_not_private() {
    let page = Bundle::counts(&PLACES, Draw::Seeded).page();
    in_order(
        &page,
        &[
            "role=\"alert\">NOT PRIVATE",
            "from a known seed, so that it protects nobody",
            "There is none.",
            "Epsilon it would spend",
            "not private, for tests",
        ],
    );
    assert!(!page.contains("guess right"), "no promise is made");
}

#[test]
fn every_number_is_in_a_table_and_errors_of_many_are_summed_up() {
    let names: Vec<String> = (0..5000).map(|index| format!("place {index}")).collect();
    let places: Vec<(&str, usize)> = names.iter().zip(0..).map(|(name, place)| (name.as_str(), place % 20)).collect();
    let page = Bundle::counts(&places, Draw::Seeded).page();
    assert!(page.len() < 1_200_000, "{} bytes", page.len());
    in_order(
        &page,
        &[
            "and 4,992 more",
            "The 20 largest of 5,000 estimates, chosen by their noisy values.",
            "<th scope=\"row\">place 0<",
            "<th scope=\"row\">place 4999<",
            "These are the first 100 of 5,000; all are in estimates.csv.",
            "Error against the true answer",
        ],
    );
    assert!(!page.contains("one a line"), "a list is no table of several attributes");
}

#[test]
fn a_statistic_without_a_curve_shows_errors_by_size() {
    let names: Vec<String> = (0..60).map(|index| format!("p{index}")).collect();
    let places: Vec<(&str, usize)> = names.iter().zip(0..).map(|(name, size)| (name.as_str(), size)).collect();
    let leveled = COUNT_AT_LEVELS;
    let page = Bundle::released("People", &places, leveled, Draw::Seeded).page();
    in_order(&page, &[">10 to 100</text>", "Error by size", "(rows) in root mean square"]);
    assert!(!page.contains("Error against the true answer"));
}

const COUNT_AT_LEVELS: &str =
    "[[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"place\"]\nlevels = [\"all\", \"place\"]\n";

#[test]
fn outputs_are_named_and_drawn_over_axes_of_their_own() {
    let page = Bundle::levels(&[("Ivel", 500), ("Oare", 600)]).page();
    in_order(
        &page,
        &[
            "<th scope=\"col\" class=\"number\">mean</th><th scope=\"col\" class=\"number\">count, rows</th>",
            "<tr><th scope=\"row\">all</th>",
            "<tr class=\"in-1\"><th scope=\"row\">Ivel</th>",
            ">mean by place</text>",
            ">count by place</text>",
            ">sum by place</text>",
            "<th scope=\"row\">Ivel, mean</th>",
        ],
    );
}

#[test]
fn noise_that_the_guarantee_does_not_ask_for_is_told_and_not_drawn() {
    let bundle = Bundle::counts(&PLACES, Draw::Private);
    assert!(bundle.page().contains("Error against the true answer"));
    // Half the noise that epsilon 0.8 needs.
    bundle.edit(|manifest| {
        let scale = &mut manifest["statistics"][0]["measured"][0]["inverse_scale_per_step"];
        assert_eq!(*scale, "4/15");
        *scale = json!("8/15");
    });
    let page = bundle.page();
    assert!(page.contains("not recalculated: this version gives it another noise or rule"), "{page}");
    assert!(!page.contains("Error against the true answer"));
}

#[test]
fn files_that_were_changed_or_lost_are_warned_of() {
    let bundle = Bundle::counts(&PLACES, Draw::Private);
    bundle.replace("estimates.csv", "Aldermoor", "Elsewhere");
    in_order(&bundle.page(), &["role=\"alert\">The bundle is not as it was made: estimates.csv differs", "DIFFERS"]);
    let bundle = Bundle::reconciled();
    fs::remove_file(bundle.file("fairness.csv")).expect("removes");
    in_order(&bundle.page(), &["role=\"alert\">The bundle is not as it was made: fairness.csv missing", "MISSING"]);
}

#[test]
fn drawing_again_replaces_the_page_and_leaves_nothing_else() {
    let bundle = Bundle::counts(&PLACES, Draw::Seeded);
    let page = bundle.file(FILE);
    fs::write(&page, "old").expect("writes");
    let folder = bundle.file("");
    assert_eq!(redraw(&folder).expect("draws"), page);
    assert_eq!(fs::read_to_string(&page).expect("page"), bundle.page());
    assert_eq!(fs::read_dir(&folder).expect("folder").count(), 7, "plan, manifest, two tables twice, and page");
}

#[test]
fn what_the_plan_says_of_its_numbers_comes_first_and_the_methods_speak_its_language() {
    let title = "People by place\"\nunit_of_rows = \"inhabitants\"\nperiod = \"31 December 2024\"\nsource = \"Register <A>\"\n\
                 contact = \"a@example.org\"\nlanguage = \"de";
    let bundle = Bundle::told(&format!("\"{title}\""), &PLACES, COUNT_AND_MEAN);
    let page = bundle.page();
    in_order(
        &page,
        &[
            "<dt>What was counted</dt><dd>inhabitants</dd>",
            "<dt>When</dt><dd>31 December 2024</dd>",
            "<dt>Source</dt><dd>Register &#60;A&#62;</dd>",
            "<dt>Contact</dt><dd>a@example.org</dd>",
            "lang=\"de\">Genauigkeit:",
            "Number of inhabitants, by place",
            " inhabitants</td>",
            "Methodische Hinweise",
            "Gezählt wurden: inhabitants. Berichtszeitraum: 31 December 2024. Quelle: Register &#60;A&#62;.",
            "Werte von „age“ unter 0 oder über 110 wurden auf diese Grenzen gesetzt.",
            "Datensätze ohne Angabe zu „age“ gehen in die betreffenden Zahlen nicht ein.",
            "von 95\u{a0}% innerhalb dieser Spanne",
            "Auskunft: a@example.org.",
        ],
    );
    let french = inbounds_report::draw_in(&bundle.file(""), Some(Language::French)).expect("draws").page;
    in_order(
        &french,
        &["lang=\"fr\">Précision\u{a0}:", "Méthodologie", "«\u{a0}age\u{a0}» inférieures à 0 ou supérieures à 110"],
    );
    assert!(!french.contains("Methodische"));
}

const COUNT_AND_MEAN: &str = "[[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"place\"]\n[[statistic]]\nname = \"age\"\n\
                              kind = \"mean\"\ncolumn = \"age\"\n";
