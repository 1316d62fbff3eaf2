//! Statistics about disjoint rows: what check, terminal, manifest and page say of them.

use serde_json::{Value, json};

use super::people;

const SENTENCE: &str = "By `age` a row can count in one of these groups of statistics at most: `income-under-40` and `people`; \
                        `income-40-to-64` and `people`; `income-from-65` and `people`. So what the groups cost does not add up; the \
                        largest counts (parallel composition, McSherry 2009).";

/// Without the line breaks of a terminal.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn all_that_is_said_of_a_release_says_what_does_not_add_up() {
    let bench = people("by-age.toml");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 0 && flat(&said.out).contains(SENTENCE), "{}", said.out);
    assert!(said.out.contains("This release spends all of its epsilon, 2."), "{}", said.out);
    let checked: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    let of_each = checked["statistics"].as_array().expect("statistics").iter().map(|one| &one["epsilon"]);
    assert_eq!(of_each.collect::<Vec<_>>(), ["1", "1", "1", "1"]);
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(flat(&said.out).contains(SENTENCE), "{}", said.out);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("bundle/release.json")).expect("a file"))
            .expect("JSON");
    let promise = &manifest["guarantee"];
    assert_eq!(
        (&promise["epsilon_spent"], &promise["apart"], &checked["apart"]),
        (&json!("2"), &promise["apart"], &promise["apart"])
    );
    assert_eq!(promise["apart"]["column"], "age");
    assert_eq!(promise["apart"]["classes"].as_array().map(Vec::len), Some(3));
    let page = std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file");
    assert!(page.contains("So what the groups cost does not add up") && page.contains("one bar for each such group"));
    let bar = |group: &str| page.contains(&format!("Parts of epsilon 2 of {group}, people."));
    assert!(bar("income-under-40") && bar("income-40-to-64") && bar("income-from-65"));
}

#[test]
fn all_that_is_said_of_gaussian_noise_says_what_it_saves() {
    let bench = people("gaussian.toml");
    let said = bench.run(&["check", "plan.toml"]);
    let names = "The Gaussian noise of `people`, `people-by-region`, `smokers` and `income` is accounted for together, with rho = ";
    let words = flat(&said.out);
    assert!(
        said.code == 0 && words.contains(names) && words.contains("times as wide as it would be one by one"),
        "{words}"
    );
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(flat(&said.out).contains(names), "{}", said.out);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("bundle/release.json")).expect("a file"))
            .expect("JSON");
    let promise = &manifest["guarantee"];
    assert_eq!(promise["epsilon_spent"], "2");
    let noise = promise["joint"][0]["noise"].as_f64().expect("a number");
    assert!(noise > 0.45 && noise < 0.65, "{noise}");
    for statistic in manifest["statistics"].as_array().expect("statistics") {
        let component = &statistic["measured"][0];
        assert!(component["rho"].is_string() && component["epsilon"].is_null(), "{component}");
    }
    // The page makes each mechanism again from its rho.
    let page = std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file");
    assert!(page.contains("is accounted for together, with rho = ") && !page.contains("no epsilon of its own"));
}

#[test]
fn all_that_is_said_of_a_release_says_what_its_accuracy_takes() {
    let bench = people("accuracy.toml");
    let sentence = "Epsilon is the least, rounded up, that gives the plan the accuracy that it wants: `people-by-region` an RMSE of at \
                    most 5 (it has 4.998, for epsilon 0.282), `smokers` a margin of at most 10 (it has 10, for epsilon 0.2844), and \
                    `mean-age` a margin of at most 2 for 300 rows (it has 2, for epsilon 0.3488). The dearest is `mean-age`.";
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 0 && flat(&said.out).contains(sentence), "{}", said.out);
    assert!(said.out.contains("This release spends epsilon 0.9152 of the 0.916 that the plan grants."), "{}", said.out);
    let checked: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(flat(&said.out).contains(sentence), "{}", said.out);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("bundle/release.json")).expect("a file"))
            .expect("JSON");
    let promise = &manifest["guarantee"];
    assert_eq!((&promise["epsilon_granted"], &promise["epsilon_spent"]), (&json!("0.916"), &json!("0.9152")));
    assert_eq!((&promise["wants"], &promise["wants"]["dearest"]), (&checked["wants"], &json!("mean-age")));
    let page = std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file");
    assert!(page.contains("that gives the plan the accuracy that it wants"));
    // Another epsilon, as if the plan gave it.
    let said = bench.run(&["check", "plan.toml", "--epsilon", "1,2"]);
    assert!(said.code == 0 && said.out.contains("epsilon 2"), "{} {}", said.out, said.err);
    let said = bench.run(&["check", "plan.toml", "--epsilon", "0.5"]);
    assert!(said.code != 0 && flat(&said.err).contains("must be 0.916"), "{}", said.err);
}

/// Check, release, manifest and page say for which columns a want with public moments is kept; with other moments the
/// release says which ones its estimates contradict.
#[test]
fn all_that_is_said_of_a_release_says_which_columns_its_accuracy_is_for() {
    let bench = people("about.toml");
    let kept = "With a mean or standard deviation, which the plan states, the error is the largest of all columns within the bounds that \
                have it in a group of so many rows; other columns can err more.";
    let wanted =
        "`income-spread` an RMSE of at most 2,000 for 400 rows with mean 30,000 and standard deviation 20,000 (it has ";
    let says = |text: &str| flat(text).contains(wanted) && flat(text).contains(kept);
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 0 && says(&said.out), "{} {}", said.out, said.err);
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(says(&said.out) && !said.out.contains("contradict"), "{}", said.out);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("bundle/release.json")).expect("a file"))
            .expect("JSON");
    let want = &manifest["guarantee"]["wants"]["statistics"][0];
    assert_eq!(want["about"], json!({ "mean": "30000", "sd": "20000" }));
    assert!(want["stated"].as_f64().is_some_and(|stated| stated <= 2000.0), "{want}");
    let page = std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file");
    assert!(
        page.contains("with mean 30,000 and standard deviation 20,000") && page.contains("other columns can err more")
    );

    let plan = std::fs::read_to_string(bench.path("plan.toml")).expect("a file");
    let all = plan.replace(", about = { mean = 30_000, sd = 20_000 }", "");
    std::fs::write(bench.path("all.toml"), all).expect("written");
    let epsilon = |plan: &str| -> f64 {
        let checked: Value = serde_json::from_str(&bench.run(&["check", plan, "--json"]).out).expect("JSON");
        checked["wants"]["statistics"][0]["epsilon"].as_str().expect("an epsilon").parse().expect("a number")
    };
    assert!(2.0 * epsilon("plan.toml") < epsilon("all.toml"), "{} {}", epsilon("plan.toml"), epsilon("all.toml"));

    std::fs::write(bench.path("wrong.toml"), plan.replace("mean = 30_000", "mean = 95_000")).expect("written");
    let said = bench.seeded("wrong.toml", "wrong", "7");
    let notice = "The plan says in `about` that the mean is 95,000. The estimate contradicts it, by more than three times the reach of its interval";
    assert!(flat(&said.out).contains(notice), "{}", said.out);
}

#[test]
fn nothing_is_said_where_everything_adds_up() {
    let bench = people("private-rows.toml");
    assert!(!bench.run(&["check", "plan.toml"]).out.contains("McSherry"));
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(!said.out.contains("McSherry"));
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("bundle/release.json")).expect("a file"))
            .expect("JSON");
    assert_eq!(manifest["guarantee"]["apart"], Value::Null);
    assert!(
        std::fs::read_to_string(bench.path("bundle/report.html")).expect("a file").contains("and the parts add up")
    );
}
