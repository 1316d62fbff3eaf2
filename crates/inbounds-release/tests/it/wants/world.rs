//! A small table, statistics of it that want an accuracy, and their true values by a plain loop.

use std::fmt::Write as _;

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use tempfile::TempDir;

pub(super) struct Row {
    sex: &'static str,
    region: &'static str,
    age: i64,
    pay: i64,
}

/// The fourth has no row.
const REGIONS: [&str; 4] = ["a", "b", "c", "d"];
const SEXES: [&str; 2] = ["f", "m"];
pub(super) const ROWS: usize = 600;

/// 600 made-up rows in a file.
pub(super) struct World {
    pub(super) folder: TempDir,
    rows: Vec<Row>,
}

impl World {
    pub(super) fn new() -> Self {
        let mut entropy = SeededEntropy::from_seed(12);
        let mut below = |limit: u64| entropy.word() % limit;
        let row = |place: usize| Row {
            sex: SEXES[below(2) as usize],
            region: REGIONS[place % 3],
            age: below(91) as i64,
            pay: below(1001) as i64,
        };
        let rows: Vec<Row> = (0..ROWS).map(row).collect();
        let mut text = String::from("sex,region,age,pay\n");
        for Row { sex, region, age, pay } in &rows {
            writeln!(text, "{sex},{region},{age},{pay}").expect("a String takes text");
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows.csv"), text).expect("written");
        Self { folder, rows }
    }

    /// The text of a plan of these statistics.
    pub(super) fn plan(&self, privacy: &str, statistics: &str) -> String {
        format!(
            "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', {privacy} }}\n\
             columns.sex = {{ type = 'text', values = ['f', 'm'] }}\n\
             columns.region = {{ type = 'text', values = ['a', 'b', 'c', 'd'] }}\n\
             columns.age = {{ type = 'integer', lower = 0, upper = 90, missing = 0 }}\n\
             columns.pay = {{ type = 'integer', lower = 0, upper = 1000, missing = 0 }}\n{statistics}"
        )
    }

    /// Of each cell the true value; `None` where a mean has fewer rows than it was wanted for.
    pub(super) fn truth(&self, asked: &Asked) -> Vec<Option<f64>> {
        let cell = |keys: &[&str]| {
            let is_among = |name: &str, keys: &[&str]| keys.is_empty() || keys.contains(&name);
            let is_in = |row: &&Row| {
                let by =
                    asked.by.iter().zip(keys).all(|(by, key)| *key == if *by == "sex" { row.sex } else { row.region });
                by && is_among(row.sex, asked.sexes)
            };
            let rows: Vec<&Row> = self.rows.iter().filter(is_in).collect();
            let sum = |value: fn(&Row) -> i64| rows.iter().map(|row| value(row)).sum::<i64>() as f64;
            let of_age = asked.rest.contains("age");
            let total = if of_age { sum(|row| row.age) } else { sum(|row| row.pay) };
            match asked.kind {
                "count" => Some(rows.len() as f64),
                "proportion" => Some(rows.len() as f64 / ROWS as f64),
                "sum" => Some(total),
                _ => (rows.len() as u64 >= asked.rows.unwrap_or(1)).then(|| total / rows.len() as f64),
            }
        };
        asked.keys().iter().map(|keys| cell(keys)).collect()
    }
}

/// A statistic, and what it wants.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) kind: &'static str,
    pub(super) rest: &'static str,
    by: &'static [&'static str],
    sexes: &'static [&'static str],
    /// Rows that the want is for.
    rows: Option<u64>,
    /// `rmse` or `margin`.
    pub(super) error: &'static str,
    pub(super) most: f64,
    levels: bool,
    /// True if raw measurements err by as much as is stated, whatever the rows.
    pub(super) is_exact: bool,
}

impl Asked {
    /// One of many, with a want of about this factor times a usual one.
    pub(super) fn draw(draw: &mut dyn FnMut(u64) -> u64, is_public: bool, has_delta: bool) -> Self {
        let plain = Self {
            kind: "count",
            rest: "",
            by: &["region"],
            sexes: &[],
            rows: None,
            error: if draw(3) == 0 { "margin" } else { "rmse" },
            most: 4.0,
            levels: false,
            is_exact: true,
        };
        let factor = 0.5 + draw(100) as f64 / 40.0;
        let conditioned = [
            "mechanism = 'conditioned'",
            "mechanism = 'folded'",
            "mechanism = 'hard-thresholded'",
            "mechanism = 'shifted-ramp'",
            "mechanism = 'thresholded'",
        ];
        let of_all = if is_public { None } else { Some(ROWS as u64) };
        let one = match draw(11) {
            0 => plain,
            1 => Self { by: &[], sexes: &["f"], ..plain },
            2 => Self { by: &[], sexes: &["m"], rest: "mechanism = 'clamped-staircase'", ..plain },
            3 => Self { kind: "sum", rest: "column = 'age'", by: &["sex"], most: 300.0, ..plain },
            4 => Self { kind: "sum", rest: "column = 'pay'", by: &[], most: 5000.0, ..plain },
            5 => Self { rest: conditioned[draw(5) as usize], most: 6.0, is_exact: false, ..plain },
            6 if has_delta => Self { rest: "mechanism = 'clamped-gaussian'", most: 15.0, is_exact: false, ..plain },
            7 => Self { by: &["sex", "region"], levels: true, error: "rmse", is_exact: false, ..plain },
            8 => Self { kind: "mean", rest: "column = 'age'", rows: Some(150), most: 4.0, is_exact: false, ..plain },
            9 => Self { kind: "proportion", rows: of_all, most: 0.02, is_exact: false, error: "rmse", ..plain },
            _ => Self {
                kind: "mean",
                rest: "column = 'pay'",
                by: &[],
                rows: of_all,
                most: 8.0,
                is_exact: is_public,
                ..plain
            },
        };
        Self { most: (one.most * factor * 1000.0).round() / 1000.0, ..one }
    }

    /// Its table in a plan, with a want `slack` times as large.
    pub(super) fn text(&self, name: usize, slack: f64) -> String {
        let rows = self.rows.map_or_else(String::new, |rows| format!(", rows = {rows}"));
        format!("{}want = {{ {} = {}{rows} }}\n", self.table(name), self.error, self.most * slack)
    }

    /// Its table in a plan, with a share in place of the want.
    pub(super) fn shared(&self, name: usize, share: &str) -> String {
        format!("{}share = '{share}'\n", self.table(name))
    }

    fn table(&self, name: usize) -> String {
        let Self { kind, rest, .. } = self;
        let mut text = format!("[[statistic]]\nname = 's{name}'\nkind = '{kind}'\n{rest}\n");
        if !self.by.is_empty() {
            writeln!(text, "by = {:?}", self.by).expect("a String takes text");
        }
        if let [sex] = self.sexes {
            writeln!(text, "where = \"sex = '{sex}'\"").expect("a String takes text");
        }
        if self.levels {
            text.push_str("levels = ['all', 'sex', 'region']\n");
        }
        text
    }

    /// The keys of its cells, in their order.
    fn keys(&self) -> Vec<Vec<&'static str>> {
        let extend = |keys: &[Vec<&'static str>], values: &'static [&'static str]| -> Vec<Vec<&'static str>> {
            keys.iter().flat_map(|key| values.iter().map(|value| [&key[..], &[*value]].concat())).collect()
        };
        let mut levels = vec![vec![Vec::new()]];
        for by in self.by {
            let values: &'static [&'static str] = if *by == "sex" { &SEXES } else { &REGIONS };
            let next = extend(levels.last().expect("one at least"), values);
            levels.push(next);
        }
        if self.levels { levels.concat() } else { levels.pop().expect("one at least") }
    }
}
