//! Waiting times of an author who works on a plan: small releases, and checks, which read no row.
//!
//! `cargo bench -p inbounds-release --bench small`
//!
//! Twenty statistics of many kinds over a thousand rows, eighty counts, sums and means, twenty variances, quantiles of
//! 500 and of 4,096 bins, and the check of every plan under `examples`. All times are CPU time of the process on all of
//! its threads, so that what is computed in vain shows. The release writes its bundle, page included, to disk.

mod common;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use criterion::Criterion;
use inbounds_release::{AssumedRows, Randomness, Silent, check::check, plan::Plan, release};

use self::common::{cpu_time, numbers};

/// Rows of the generated file.
const ROWS: u64 = 1000;

/// Numeric columns of it, all of them from 0 to 100.
const COLUMNS: usize = 20;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    write_rows(&folder.join("small.csv"));
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for (name, statistics) in questions() {
        let plan = Plan::parse(&format!("{}{statistics}", head()), &folder).expect("a good plan");
        let out = folder.join("small-bundle");
        let run = || {
            release(&plan, &out, Randomness::Secure, &Silent).expect("releases");
            fs::remove_dir_all(&out).expect("removes");
        };
        criterion
            .bench_function(&format!("release of {name}, CPU time"), |bench| bench.iter_custom(|n| cpu_time(n, &run)));
        benchmark_check(&mut criterion, name, &plan);
    }
    for path in examples() {
        let Ok(plan) = Plan::parse(&fs::read_to_string(&path).expect("readable"), path.parent().expect("a folder"))
        else {
            // Constraints of `reconcile` are no plans.
            continue;
        };
        let name = path.file_stem().unwrap_or_default().display().to_string();
        benchmark_check(&mut criterion, &name, &plan);
    }
    criterion.final_summary();
}

fn benchmark_check(criterion: &mut Criterion, name: &str, plan: &Plan) {
    let run = || assert!(!check(plan, &AssumedRows::Usual).expect("a good plan").statistics.is_empty());
    criterion.bench_function(&format!("check of {name}, CPU time"), |bench| bench.iter_custom(|n| cpu_time(n, &run)));
}

/// All plans of the repository's examples.
fn examples() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folders = fs::read_dir(examples).expect("the examples").flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder.path()).ok()).flatten().flatten();
    let mut plans: Vec<PathBuf> = files.map(|file| file.path()).collect();
    plans.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    plans.sort();
    plans
}

fn questions() -> Vec<(&'static str, String)> {
    let one = |name: &str, keys: &str| format!("[[statistic]]\nname = '{name}'\n{keys}\n");
    let quantile = |bins: usize| {
        let edges = format!("edges = {{ lower = 0, upper = 100, bins = {bins} }}");
        one("quantiles", &format!("kind = 'quantile'\ncolumn = 'c00'\nprobabilities = [0.25, 0.5, 0.75]\n{edges}"))
    };
    let mut eighty = String::new();
    let mut variances = String::new();
    for column in 0..COLUMNS {
        for (kind, by) in [("sum", ""), ("mean", ""), ("sum", "by = ['sex']"), ("mean", "by = ['sex']")] {
            let name = format!("{kind}-{column}{}", if by.is_empty() { "" } else { "-by-sex" });
            eighty += &one(&name, &format!("kind = '{kind}'\ncolumn = 'c{column:02}'\n{by}"));
        }
        variances += &one(&format!("v{column}"), &format!("kind = 'variance'\ncolumn = 'c{column:02}'"));
    }
    vec![
        ("twenty statistics", twenty(&one)),
        ("eighty sums and means", eighty),
        ("twenty variances", variances),
        ("quantiles of 500 bins", quantile(500)),
        ("quantiles of 4096 bins", quantile(4096)),
    ]
}

/// Counts, means and sums in several groups, a covariance matrix, quantiles and a histogram.
fn twenty(one: &dyn Fn(&str, &str) -> String) -> String {
    let mut text = String::new();
    for (place, by) in ["['state']", "['sex']", "['state', 'sex']"].iter().enumerate() {
        text += &one(&format!("count-{place}"), &format!("kind = 'count'\nby = {by}"));
    }
    for column in 0..4 {
        for by in ["state", "sex"] {
            let keys = format!("kind = 'mean'\ncolumn = 'c{column:02}'\nby = ['{by}']");
            text += &one(&format!("mean-{column}-{by}"), &keys);
        }
    }
    for column in 1..3 {
        text += &one(&format!("sum-{column}-state"), &format!("kind = 'sum'\ncolumn = 'c{column:02}'\nby = ['state']"));
        text += &one(&format!("sum-{column}"), &format!("kind = 'sum'\ncolumn = 'c{column:02}'"));
    }
    text += &one("covariances", "kind = 'covariance'\ncolumns = ['c00', 'c01', 'c02', 'c03']");
    let edges = |bins: usize| format!("edges = {{ lower = 0, upper = 100, bins = {bins} }}");
    for column in ["c00", "c02"] {
        let keys = format!("kind = 'quantile'\ncolumn = '{column}'\nprobabilities = [0.25, 0.5, 0.75]\n{}", edges(100));
        text += &one(&format!("quantiles-{column}"), &keys);
    }
    text += &one("histogram", &format!("kind = 'histogram'\ncolumn = 'c00'\n{}", edges(10)));
    text + &one("rows", "kind = 'count'")
}

/// Text of all plans before their statistics.
fn head() -> String {
    let states: Vec<String> = (0..51).map(|state| format!("'{state:02}'")).collect();
    let mut text = format!(
        "data.path = 'small.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 20 }}\n\
         [columns.state]\ntype = 'text'\nvalues = [{}]\n[columns.sex]\ntype = 'text'\nvalues = ['female', 'male']\n",
        states.join(", ")
    );
    for column in 0..COLUMNS {
        let keys = "type = 'number'\nlower = 0\nupper = 100\nmissing = 'drop'";
        writeln!(text, "[columns.c{column:02}]\n{keys}").expect("texts can be written to");
    }
    text
}

fn write_rows(path: &Path) {
    let mut next = numbers();
    let columns: Vec<String> = (0..COLUMNS).map(|column| format!("c{column:02}")).collect();
    let mut text = format!("state,sex,{}\n", columns.join(","));
    for _ in 0..ROWS {
        let sex = if next().is_multiple_of(2) { "female" } else { "male" };
        write!(text, "{:02},{sex}", next() % 51).expect("texts can be written to");
        (0..COLUMNS).for_each(|_| text += &format!(",{}", (next() % 10_000) as f64 / 100.0));
        text.push('\n');
    }
    fs::write(path, text).expect("the folder can be written");
}
