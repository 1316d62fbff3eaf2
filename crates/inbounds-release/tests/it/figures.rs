//! Figures that no release could make are mistakes of the plan, before anything is spent; all others are made.

use std::{fs, path::Path};

use inbounds_figures::FiguresMade;
use inbounds_release::{AssumedRows, Randomness, Silent, check::check, plan::Plan, release};
use tempfile::TempDir;

const HEAD: &str = r#"
data.path = "rows.csv"
privacy = { unit = "row", neighbours = "add-remove", epsilon = 4 }
columns.g = { type = "text", values = ["a", "b", "c"] }
columns.w = { type = "integer", values = [1, 2] }
columns.x = { type = "integer", lower = 0, upper = 100, missing = "drop" }
[[statistic]]
name = "n"
kind = "count"
by = ["g", "w"]
[[statistic]]
name = "leveled"
kind = "count"
by = ["g", "w"]
levels = ["all", "g", "w"]
[[statistic]]
name = "h"
kind = "histogram"
column = "x"
edges = [0, 50, 100]
[[statistic]]
name = "m"
kind = "mean"
column = "x"
by = ["g"]
[[statistic]]
name = "of-levels"
kind = "mean"
column = "x"
by = ["g"]
levels = ["all", "g"]
[[statistic]]
name = "p"
kind = "proportion"
by = ["g"]
"#;

fn write(folder: &Path) {
    let rows: String =
        (0..300).map(|row| format!("{},{},{}\n", ["a", "b", "c"][row % 3], 1 + row % 2, row % 100)).collect();
    for (name, text) in [
        ("rows.csv", format!("g,w,x\n{rows}").as_str()),
        ("people.csv", "g,people\na,100\nb,20\nc,30\nd,-5\nd,0\n"),
        ("missing.csv", "g,people\na,100\nb,20\n"),
        ("twice.csv", "g,people\na,100\nb,20\nc,30\nc,40\n"),
        ("zero.csv", "g,people\na,100\nb,0\nc,30\n"),
        ("negative.csv", "g,people\na,100\nb,-20\nc,30\n"),
    ] {
        fs::write(folder.join(name), text).expect("written");
    }
}

fn plan(folder: &Path, figure: &str) -> Plan {
    let text = format!("{HEAD}[[figure]]\nname = \"f\"\n{figure}");
    Plan::parse(&text, folder).unwrap_or_else(|errors| panic!("{figure}: {errors}"))
}

#[test]
fn what_no_release_could_make_is_refused_before_anything_is_spent() {
    let folder = TempDir::new().expect("a folder");
    write(folder.path());
    let rate = |file: &str| {
        format!("kind = 'rate'\nof = 'leveled'\nby = ['g']\nper = {{ file = '{file}', value = 'people' }}")
    };
    for (figure, expected) in [
        ("kind = 'ratio'\nof = 'p'\nper = 2".to_owned(), "a share is the `ratio` of two counts"),
        ("kind = 'rank'\nof = 'h'".to_owned(), "add output = \"0 to 50\" or \"50 to 100\""),
        ("kind = 'rank'\nof = { statistic = 'h', output = '0 to 5' }".to_owned(), "add output = \"0 to 50\""),
        ("kind = 'index'\nof = 'm'\nbase = { g = 'z' }".to_owned(), "`m` has no published cell with g = z"),
        (
            "kind = 'difference'\nof = { statistic = 'n', where = { g = 'zz' } }\nfrom = { statistic = 'n', where = { g = 'a' } }"
                .to_owned(),
            "`n` has no published cell with g = zz",
        ),
        (
            "kind = 'ratio'\nof = 'm'\nper = { statistic = 'n', where = { w = 3 } }".to_owned(),
            "`n` has no published cell with g = a, w = 3",
        ),
        ("kind = 'ratio'\nof = 'm'\nper = 'n'".to_owned(), "`n` is by `w` too"),
        ("kind = 'ratio'\nof = 'n'\nby = ['g']\nper = 2".to_owned(), "`n` is by `w` too"),
        (
            "kind = 'weighted-sum'\nof = 'm'\nover = ['g']\nweights = { a = 0.5, b = 0.5, c = 1 }".to_owned(),
            "`m` is a quotient of two noisy numbers",
        ),
        (
            "kind = 'weighted-sum'\nof = 'of-levels'\nover = ['g']\nweights = { a = 0.5, b = 0.5, c = 1 }".to_owned(),
            "add output = \"mean\" or \"count\" or \"sum\"",
        ),
        ("kind = 'ratio'\nof = { statistic = 'm', total = true }\nper = 2".to_owned(), "`m` is a quotient of two noisy"),
        (
            "kind = 'weighted-sum'\nof = 'leveled'\nby = []\nover = ['g']\nweights = { a = 0.5, b = 0.5 }".to_owned(),
            "`weights` has no value for g = c",
        ),
        (
            "kind = 'standardised-rate'\nof = 'n'\nby = ['g']\nover = ['w']\nper = 'n'\nweights = { 1 = 1, 2 = 3 }".to_owned(),
            "the populations of a standardised rate must be public",
        ),
        (rate("missing.csv"), "the public table `missing.csv` has no row for g = c; it must have one"),
        (rate("twice.csv"), "the public table `twice.csv` has several rows for g = c; it must have one"),
        (rate("zero.csv"), "the public number that a rate is per must be above 0, and it is 0 for g = b"),
        (rate("negative.csv"), "the public number that a rate is per must be above 0, and it is -20 for g = b"),
        ("kind = 'rate'\nof = 'm'\nper = -3".to_owned(), "must be above 0, and it is -3 for g = a"),
        (rate("zero.csv").replace("'rate'", "'ratio'"), "a public number that is divided by is 0, for g = b"),
    ] {
        let plan = plan(folder.path(), &figure);
        let at = format!("{}:1: figure `f`: ", HEAD.lines().count() + 1);
        let checked = check(&plan, &AssumedRows::default()).expect_err(&figure).to_string();
        assert!(checked.contains(&at) && checked.contains(expected), "{figure}: {checked}");
        let out = folder.path().join("bundle");
        let refused = release(&plan, &out, Randomness::Seeded(5), &Silent).err().map(|error| error.to_string());
        assert_eq!(refused.as_ref(), Some(&checked));
        assert!(!out.exists(), "{figure}");
    }
}

/// Operands of a check are those of the release: with levels, coarser keys, outputs, and lines of tables that no key
/// needs.
#[test]
fn what_a_check_accepts_is_made() {
    let folder = TempDir::new().expect("a folder");
    write(folder.path());
    let figures = [
        ("rank", "of = 'n'"),
        ("rank", "of = { statistic = 'h', output = '0 to 50' }"),
        ("rank", "of = 'm'"),
        ("rate", "of = 'leveled'\nby = ['g']\nper = { file = 'people.csv', value = 'people' }"),
        ("ratio", "of = 'leveled'\nper = { statistic = 'leveled', total = true }"),
        ("ratio", "of = { statistic = 'n', total = ['w'] }\nper = { statistic = 'n', total = true }"),
        (
            "ratio",
            "of = { statistic = 'of-levels', output = 'sum' }\nper = { statistic = 'of-levels', output = 'count' }",
        ),
        ("ratio", "of = 'm'\nper = -2"),
        ("index", "of = 'm'\nbase = { g = 'b' }"),
        ("change", "of = { statistic = 'n', where = { w = 1 } }\nfrom = { statistic = 'n', where = { w = 2 } }"),
        ("difference", "of = 'm'\nfrom = { statistic = 'm', where = { g = 'a' } }"),
        ("weighted-sum", "of = 'n'\nover = ['w']\nweights = { 1 = -1, 2 = 1 }"),
        ("standardised-rate", "of = 'leveled'\nby = []\nover = ['g']\nper = 7\nweights = { a = 1, b = 2, c = 3 }"),
    ];
    let texts = figures
        .iter()
        .enumerate()
        .map(|(place, (kind, keys))| format!("[[figure]]\nname = 'f{place}'\nkind = '{kind}'\n{keys}\n"));
    let text = HEAD.to_owned() + &texts.collect::<String>();
    let plan = Plan::parse(&text, folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
    let checked = check(&plan, &AssumedRows::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked.figures.len(), figures.len());
    let released = release(&plan, &folder.path().join("bundle"), Randomness::Seeded(5), &Silent).expect("a release");
    let made = FiguresMade::open(&released.folder).expect("opens").expect("figures");
    assert_eq!((made.figures.len(), made.manifest.refused), (figures.len(), Vec::new()));
}

/// Quotients state no RMSE: their class is that of a normal error with their interval, and a number without error is in
/// the first one.
#[test]
fn quotients_have_classes_by_rmse() {
    let folder = TempDir::new().expect("a folder");
    write(folder.path());
    let figures = "[[figure]]\nname = 'index'\nkind = 'index'\nof = 'm'\nbase = { g = 'b' }\n\
                   [[figure]]\nname = 'share'\nkind = 'ratio'\nof = 'n'\nper = { statistic = 'n', total = true }\njoint = true\n";
    let text =
        format!("quality = {{ high = 0.1, low = 0.11 }}\nquality_of = 'rmse'\nsuppress = 'low'\n{HEAD}{figures}");
    let plan = Plan::parse(&text, folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
    let released = release(&plan, &folder.path().join("bundle"), Randomness::Seeded(5), &Silent).expect("a release");
    let made = FiguresMade::open(&released.folder).expect("opens").expect("figures");
    let base = made.figures[0].cells.iter().find(|cell| cell.key["g"] == "b").expect("a cell");
    assert_eq!((base.lower, base.upper, base.quality.as_deref()), (100.0, 100.0, Some("high")));
    let mut beyond = 0;
    for cell in made.figures.iter().flat_map(|figure| &figure.cells) {
        assert_eq!(cell.errors_at_estimate, None);
        let estimate = cell.estimate.expect("a number");
        let class = match 0.5 * (cell.upper - cell.lower) / normal_quantile(0.5 * cell.miss) / estimate {
            error if error <= 0.1 => "high",
            error if error <= 0.11 => "low",
            _ => "beyond",
        };
        beyond += usize::from(class == "beyond");
        assert_eq!(cell.quality.as_deref(), Some(class), "{cell:?}");
    }
    assert!(beyond < 9, "no class is given");
    let page = fs::read_to_string(released.folder.join("report.html")).expect("a page");
    assert!(page.contains("half of the width of the interval over the normal quantile of its level"));
}

/// The distance that a standard normal number passes to one side with a chance, by bisection.
fn normal_quantile(chance: f64) -> f64 {
    let (mut near, mut far) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if 0.5 * libm::erfc(middle * std::f64::consts::FRAC_1_SQRT_2) > chance { near = middle } else { far = middle }
    }
    near
}
