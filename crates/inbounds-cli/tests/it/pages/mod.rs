//! Pages of real bundles: the program makes them, and a test of a changed or broken bundle changes a real one.

mod browser;
mod examples;
mod page;
mod refused;

use std::{fmt::Write, fs};

use serde_json::Value;

use crate::workbench::Workbench;

/// A bundle in the folder `bundle` of a workbench.
pub(crate) struct Bundle(Workbench);

/// How the noise of a release is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Draw {
    /// From the operating system: the page makes a promise, and its numbers differ from run to run.
    Private,
    /// From a seed.
    Seeded,
}

/// The head of a plan over rows of patients, of which three count, by place; the title with its quotes, and what stands
/// beside it.
fn head(title: &str, groups: &[(&str, usize)]) -> String {
    let names: Vec<Value> = groups.iter().map(|(name, _)| Value::from(*name)).collect();
    format!(
        "title = {}\n[data]\npath = \"rows.csv\"\n[privacy]\nunit = {{ column = \"patient\", max_rows = 3 }}\n\
         neighbours = \"add-remove\"\nepsilon = 2\n[columns.patient]\ntype = \"text\"\n[columns.place]\ntype = \"text\"\n\
         values = {}\n[columns.age]\ntype = \"integer\"\nlower = 0\nupper = 110\nmissing = \"drop\"\n",
        title,
        Value::from(names)
    )
}

const COUNT: &str = "[[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"place\"]\nshare = 0.4\n";

impl Bundle {
    /// A release of statistics over this many rows of each group, every row a patient.
    pub(crate) fn released(title: &str, groups: &[(&str, usize)], statistics: &str, draw: Draw) -> Self {
        Self::made(&Value::from(title).to_string(), groups, statistics, draw)
    }

    /// A seeded release whose plan has these words at its top: a title in quotes, and keys beside it.
    pub(crate) fn told(words: &str, groups: &[(&str, usize)], statistics: &str) -> Self {
        Self::made(words, groups, statistics, Draw::Seeded)
    }

    fn made(title: &str, groups: &[(&str, usize)], statistics: &str, draw: Draw) -> Self {
        let bench = Workbench::new();
        let mut rows = "patient,place,age\n".to_owned();
        for (patient, (name, _)) in groups.iter().flat_map(|group| std::iter::repeat_n(group, group.1)).enumerate() {
            let name = name.replace('"', "\"\"");
            writeln!(rows, "{patient},\"{name}\",{}", 20 + patient % 60).expect("text");
        }
        bench.write("rows.csv", rows);
        bench.write("plan.toml", head(title, groups) + statistics);
        let seeded: &[&str] = if draw == Draw::Seeded { &["--seed", "7", "--not-private"] } else { &[] };
        let said = bench.run(&[&["release", "plan.toml", "--out", "bundle"], seeded].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        Self(bench)
    }

    /// Counts of rows at epsilon 0.8 of 2.
    pub(crate) fn counts(groups: &[(&str, usize)], draw: Draw) -> Self {
        Self::released("People by place", groups, COUNT, draw)
    }

    /// Means of age at two levels, with their counts and sums.
    pub(crate) fn levels(groups: &[(&str, usize)]) -> Self {
        let statistic = "[[statistic]]\nname = \"people\"\nkind = \"mean\"\ncolumn = \"age\"\nby = [\"place\"]\n\
                         levels = [\"all\", \"place\"]\n";
        Self::released("Age by place", groups, statistic, Draw::Seeded)
    }

    /// The reconciliation of a tree of three nodes, whose measurements do not add up.
    pub(crate) fn reconciled() -> Self {
        let bench = Workbench::new();
        bench.write(
            "counts.csv",
            "node,parent,value,variance\nport,state,-11,49.8\nstate,,41,49.8\nmill,state,44,49.8\n",
        );
        let said = bench.run(&["reconcile", "counts.csv", "--integer", "--out", "bundle"]);
        assert_eq!(said.code, 0, "{}", said.err);
        Self(bench)
    }

    /// A file of it.
    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.path("bundle").join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Changes the manifest.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Value)) {
        let mut manifest: Value = serde_json::from_str(&self.text("release.json")).expect("JSON");
        change(&mut manifest);
        fs::write(self.file("release.json"), manifest.to_string()).expect("writes");
    }

    /// Replaces words of a file, which must be there.
    pub(crate) fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert!(text.contains(from), "{name} has no `{from}`");
        fs::write(self.file(name), text.replace(from, to)).expect("writes");
    }

    /// Its page, drawn anew.
    pub(crate) fn page(&self) -> String {
        inbounds_report::render(&self.0.path("bundle")).unwrap_or_else(|error| panic!("{error}"))
    }
}
