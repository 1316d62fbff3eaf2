//! Rows that statistics leave out: counted beside them for nothing, and said whatever else a plan asks.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use inbounds_bundle::{Notice, Reason};
use inbounds_core::Rational;
use inbounds_release::{ExactAnswers, OpenedPlan, Randomness, Release, Silent, plan::Plan, release};
use tempfile::TempDir;

const HEAD: &str = "[data]\npath = \"rows.csv\"\nmissing_values = [\"-9\"]\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\n\
                    epsilon = EPSILON\n[columns.v]\ntype = \"integer\"\nlower = 0\nupper = 85\nmissing = \"drop\"\n[columns.g]\n\
                    type = \"text\"\nvalues = [\"a\", \"b\"]\n";

fn plan(folder: &Path, privacy: &str, statistics: &str) -> Plan {
    let head = HEAD.replace("EPSILON", privacy);
    let statistics = statistics.split('|').enumerate();
    let statistics = statistics.map(|(place, keys)| format!("[[statistic]]\nname = \"s{place}\"\n{keys}\n"));
    Plan::parse(&format!("{head}{}", statistics.collect::<String>()), folder).expect("a plan")
}

fn released(plan: &Plan, folder: &Path, seed: u64) -> Release {
    let out = folder.join("bundle");
    let done = release(plan, &out, Randomness::Seeded(seed), &Silent).expect("a release");
    fs::remove_dir_all(out).expect("a folder to remove");
    done
}

fn notices(release: &Release) -> Vec<&Notice> {
    release.statistics.iter().flat_map(|released| &released.notices).collect()
}

/// Ages, of which three in every `unreadable` rows cannot be read.
fn ages(rows: usize, unreadable: Option<usize>) -> String {
    let mut text = "v,g\n".to_owned();
    for row in 0..rows {
        let odd = unreadable.is_some_and(|every| row % every < 3);
        let cell = if odd { "85+".to_owned() } else { (row * 7 % 85).to_string() };
        writeln!(text, "{cell},a").expect("a String takes text");
    }
    text
}

const KINDS: [&str; 4] = [
    "kind = \"mean\"\ncolumn = \"v\"",
    "kind = \"sum\"\ncolumn = \"v\"",
    "kind = \"quantile\"\ncolumn = \"v\"\nprobabilities = [0.5]",
    "kind = \"variance\"\ncolumn = \"v\"",
];

/// Number of `releases` of a file with 15 % unreadable cells that say so, and of a clean file that say anything of
/// rows.
fn said(releases: u64) -> (u64, u64) {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let plans: Vec<Plan> = KINDS.iter().map(|kind| plan(folder, "1", kind)).collect();
    let run = |rows: String, is_said: fn(&Notice) -> bool| -> u64 {
        fs::write(folder.join("rows.csv"), rows).expect("writes");
        let one = |seed: u64| {
            let done = released(&plans[seed as usize % plans.len()], folder, seed);
            u64::from(notices(&done).into_iter().any(is_said))
        };
        (0..releases).map(one).sum()
    };
    let unreadable = run(
        ages(1_000, Some(20)),
        |notice| matches!(notice, Notice::LeftOut { reason: Reason::Unreadable { columns }, .. } if *columns == ["v"]),
    );
    let clean = run(ages(1_000, None), |notice| matches!(notice, Notice::LeftOut { .. } | Notice::RowsLost { .. }));
    (unreadable, clean)
}

/// With probability 40 / 1,000 in all a right program would fail here, were the seeds not fixed.
#[test]
fn unreadable_cells_are_said_without_a_count_beside_them() {
    assert_eq!(said(40), (40, 0));
}

#[test]
#[ignore = "a thousand releases of either file"]
fn unreadable_cells_are_said_in_a_thousand_releases() {
    let (unreadable, clean) = said(1_000);
    assert!(
        unreadable >= 999 && clean == 0,
        "said in {unreadable} of 1,000 with unreadable cells, in {clean} of 1,000 without"
    );
}

#[test]
fn each_reason_is_counted_and_said() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let rows =
        ["40,a\n".repeat(500), "85+,a\n".repeat(100), ",a\n".repeat(60), "-9,b\n".repeat(40), "3,c\n".repeat(300)];
    fs::write(folder.join("rows.csv"), format!("v,g\n{}", rows.concat())).expect("writes");
    let done = released(&plan(folder, "20", "kind = \"mean\"\ncolumn = \"v\"\nby = [\"g\"]"), folder, 3);
    let [entry] = done.manifest.left_out.as_slice() else { panic!("one set of counts") };
    let counts = [entry.unreadable, entry.missing, entry.unlisted].map(|count| count.expect("a count").measured);
    assert_eq!(counts, [100, 100, 300]);
    assert_eq!((entry.epsilon.to_string(), entry.by.join(",")), ("20".to_owned(), "g".to_owned()));
    let said: Vec<String> = notices(&done).iter().map(|notice| notice.sentence()).collect();
    let said = said.join("\n");
    for sentence in [
        "About 14 % of `v` could not be read",
        "About 14 % of `v` is missing",
        "About 30 % of the rows do not have a listed `g`",
    ] {
        assert!(said.contains(sentence), "{sentence}: {said}");
    }
}

/// Where losses do not simply add up over rows there are no counts.
#[test]
fn counts_that_would_cost_something_are_left_out() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("rows.csv"), ages(50, None)).expect("writes");
    let reasons = |plan: &Plan| -> Vec<(bool, bool)> {
        let done = released(plan, folder, 1);
        done.manifest.left_out.iter().map(|one| (one.unreadable.is_some(), one.unlisted.is_some())).collect()
    };
    let mean = "kind = \"mean\"\ncolumn = \"v\"\nby = [\"g\"]";
    assert_eq!(reasons(&plan(folder, "1", mean)), [(true, true)]);
    for privacy in ["1\ndelta = 0.001", "1\ndiagnostics = 0.1"] {
        assert_eq!(reasons(&plan(folder, privacy, mean)), [], "{privacy}");
    }
    // Apart by keys: a row of the one is unlisted in the other.
    let apart = plan(folder, "1", &format!("{mean}\nwhere = \"g = 'a'\"|{mean}\nwhere = \"g = 'b'\""));
    assert_eq!(reasons(&apart), [(true, false), (true, false)]);
    assert_eq!(reasons(&plan(folder, "1", "kind = \"count\"")), []);
    let text = plan(folder, "1", mean).text().replace("\"add-remove\"", "\"substitute\"\nrows = 50");
    assert_eq!(reasons(&Plan::parse(&text, folder).expect("a plan")), []);
    let units = plan(folder, "1", KINDS[0]).text().replace("\"row\"", "{ column = \"g\", max_rows = 2 }");
    assert_eq!(reasons(&Plan::parse(&units, folder).expect("a plan")), []);
}

fn answers(plan: &Plan, folder: &Path, rows: &[&str]) -> (Vec<Vec<Vec<i128>>>, Vec<Vec<i128>>) {
    fs::write(folder.join("rows.csv"), format!("v,g\n{}", rows.concat())).expect("writes");
    let opened = OpenedPlan::new(plan).expect("a plan that fits");
    let ExactAnswers { statistics, left_out, .. } = opened.answer(plan, None).expect("rows");
    let steps = |answer: &inbounds_core::Answer| answer.private_steps().to_vec();
    let statistics = statistics.iter().map(|answers| answers.iter().map(steps).collect()).collect();
    (statistics, left_out.iter().map(steps).collect())
}

/// The claim itself: over all rows that there are, a row moves the numbers of a statistic or one of its counts, by one,
/// and never both; and what is lost by it is at most the epsilon of the release.
#[test]
fn a_row_is_in_the_numbers_or_in_the_counts() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let cells = ["", "-9", "0", "85", "99", "1.5", "x", "NaN", "true"];
    let rows: Vec<String> = cells.iter().flat_map(|v| ["a", "b", "c", ""].map(|g| format!("{v},{g}\n"))).collect();
    let plans = [
        KINDS.join("|"),
        "kind = \"mean\"\ncolumn = \"v\"\nby = [\"g\"]|kind = \"count\"\nby = [\"g\"]|kind = \"sum\"\ncolumn = \"v\"\nwhere = \"g = 'a'\"".to_owned(),
        "kind = \"count\"\nby = [\"g\"]|kind = \"count\"\nby = [\"g\"]\nwhere = \"v > 3\"".to_owned(),
        "kind = \"count\"\nby = [\"g\"]\nwhere = \"v > 3\"|kind = \"count\"\nby = [\"g\"]\nwhere = \"v <= 3\"".to_owned(),
    ];
    let mut moved = BTreeSet::new();
    fs::write(folder.join("rows.csv"), "v,g\n").expect("writes");
    for statistics in &plans {
        let plan = plan(folder, "1", statistics);
        let opened = OpenedPlan::new(&plan).expect("a plan that fits");
        let base = ["40,a\n", "x,b\n"];
        let before = answers(&plan, folder, &base);
        for row in &rows {
            let after = answers(&plan, folder, &[base[0], base[1], row]);
            let differs = |place: usize| before.0[place] != after.0[place];
            let mut loss = Rational::ZERO;
            for (asked, (before, after)) in opened.left_out.iter().zip(before.1.iter().zip(&after.1)) {
                let change: i128 = before.iter().zip(after).map(|(a, b)| (a - b).abs()).sum();
                assert!(change <= 1, "{row}");
                for place in asked.statistics.iter().filter(|_| change > 0) {
                    assert!(!differs(*place), "{row} is counted and left out: {statistics}");
                }
                if change > 0 {
                    let epsilon = asked.mechanism().guarantee().epsilon().expect("pure").value().clone();
                    loss = &loss + &epsilon;
                    moved.insert("left out");
                }
            }
            let paid = |place: &usize| opened.tasks[*place].prepared.epsilon().value().clone();
            let in_numbers: Vec<usize> = (0..before.0.len()).filter(|place| differs(*place)).collect();
            moved.extend((!in_numbers.is_empty()).then_some("counted"));
            // What shares noise is paid for once, with the sum of its parts.
            let shares = |place: &&usize| opened.shared_noise(**place).is_none();
            loss = in_numbers.iter().filter(shares).map(paid).fold(loss, |sum, epsilon| &sum + &epsilon);
            let group = |shared: &&inbounds_release::SharedNoise| shared.statistics.iter().any(|place| differs(*place));
            loss = opened.together.iter().filter(group).fold(loss, |sum, shared| &sum + shared.epsilon.value());
            assert!(loss <= Rational::ONE, "{row} loses {loss}: {statistics}");
        }
    }
    assert_eq!(moved.len(), 2, "rows of both sorts");
}
