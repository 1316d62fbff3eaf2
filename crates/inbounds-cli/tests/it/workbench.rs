//! A folder with a plan and rows, and the program to run on them.

use std::{fs, path::PathBuf, process::Command};

use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub(crate) struct Workbench(TempDir);

/// What the program said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) const ROWS: &str = "id,sex,age,income\n1,f,30,100\n2,m,41,250.5\n3,f,52,NaN\n4,m,,inf\n5,x,77,-3\n";

/// A plan over [`ROWS`] in the file `rows.csv`.
pub(crate) const PLAN: &str = r#"
[data]
path = "rows.csv"

[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 1

[columns.sex]
type = "text"
values = ["f", "m"]

[columns.age]
type = "integer"
lower = 0
upper = 110
missing = "drop"

[columns.income]
type = "number"
lower = 0
upper = 1000
missing = "drop"

[[statistic]]
name = "people"
kind = "count"
by = ["sex"]

[[statistic]]
name = "income"
kind = "sum"
column = "income"
where = "age >= 18"

[[statistic]]
name = "age"
kind = "mean"
column = "age"
"#;

impl Workbench {
    /// A folder with [`PLAN`] and [`ROWS`].
    pub(crate) fn new() -> Self {
        let bench = Self(TempDir::new().expect("folder"));
        bench.write("plan.toml", PLAN);
        bench.write("rows.csv", ROWS);
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("writes");
    }

    /// Replaces words of the plan that must be there.
    pub(crate) fn edit(&self, from: &str, to: &str) {
        let plan = fs::read_to_string(self.path("plan.toml")).expect("plan");
        assert!(plan.contains(from), "the plan has no `{from}`");
        self.write("plan.toml", plan.replace(from, to));
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        self.said(Command::new(env!("CARGO_BIN_EXE_inbounds")).env_remove("COLUMNS"), arguments)
    }

    /// The same as on a terminal of this many columns.
    pub(crate) fn run_at(&self, columns: usize, arguments: &[&str]) -> Said {
        self.run_with(&[("COLUMNS", &columns.to_string())], arguments)
    }

    /// The same with variables of the environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
        self.said(command.env_remove("COLUMNS").envs(variables.iter().copied()), arguments)
    }

    fn said(&self, command: &mut Command, arguments: &[&str]) -> Said {
        let output = command.current_dir(self.0.path()).args(arguments).output().expect("runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Said { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
    }

    pub(crate) fn release(&self) -> Said {
        self.run(&["release", "plan.toml", "--out", "bundle"])
    }

    /// Releases a plan with seeded noise, which must succeed.
    #[track_caller]
    pub(crate) fn seeded(&self, plan: &str, out: &str, seed: &str) -> Said {
        let said = self.run(&["release", plan, "--out", out, "--seed", seed, "--not-private"]);
        assert_eq!(said.code, 0, "{}", said.err);
        said
    }

    /// Names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
