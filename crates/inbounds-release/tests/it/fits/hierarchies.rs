//! Hierarchies of the data folder.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    path::Path,
};

use inbounds_project::tree::LevelVariances;
use inbounds_release::{AssumedRows, check::check, plan::Plan};
use tempfile::TempDir;

use crate::thousand::{data_folder, unpack};

/// Parent and true count of each node, level by level, and where levels begin.
pub(super) struct Hierarchy {
    pub(super) name: &'static str,
    pub(super) parents: Vec<Option<u32>>,
    pub(super) truth: Vec<f64>,
    pub(super) begins: Vec<usize>,
    /// Codes of each finest cell, one a level below the first.
    keys: Vec<Vec<usize>>,
}

impl Hierarchy {
    /// From the codes and counts of the finest cells, in order of their codes.
    fn new(name: &'static str, keys: Vec<Vec<usize>>, counts: &[f64]) -> Self {
        let depth = keys[0].len();
        let (mut parents, mut begins) = (vec![None], vec![0, 1]);
        let mut truth = vec![counts.iter().sum::<f64>()];
        let mut above = vec![0_u32; keys.len()];
        for level in 1..=depth {
            for (place, (key, count)) in keys.iter().zip(counts).enumerate() {
                if place == 0 || keys[place - 1][..level] != key[..level] {
                    parents.push(Some(above[place]));
                    truth.push(0.0);
                }
                above[place] = parents.len() as u32 - 1;
                *truth.last_mut().expect("a cell") += count;
            }
            begins.push(parents.len());
        }
        Self { name, parents, truth, begins, keys }
    }

    pub(super) fn levels(&self) -> usize {
        self.begins.len() - 1
    }

    pub(super) fn level_of(&self, node: usize) -> usize {
        self.begins.partition_point(|&begin| begin <= node) - 1
    }

    /// The nodes of a level.
    pub(super) fn nodes(&self, level: usize) -> std::ops::Range<usize> {
        self.begins[level]..self.begins[level + 1]
    }

    /// Exact RMSE of each level under the sums alone, from the variances of its noise.
    pub(super) fn linear(&self, variances: &[f64]) -> Vec<f64> {
        let sizes: Vec<usize> = (0..self.levels()).map(|level| self.nodes(level).len()).collect();
        let tree = LevelVariances::new(&sizes, &self.parents).expect("a tree");
        tree.means(variances).into_iter().map(f64::sqrt).collect()
    }

    /// The parts of epsilon that the program gives the levels of a plan with `level_shares = "balanced"`.
    pub(super) fn balanced(&self) -> Vec<f64> {
        let folder = TempDir::new().expect("a folder");
        let columns: Vec<String> = (1..self.levels()).map(|level| format!("l{level}")).collect();
        let mut keys = columns.join(",") + "\n";
        for key in &self.keys {
            let codes: Vec<String> = key.iter().map(ToString::to_string).collect();
            writeln!(keys, "{}", codes.join(",")).expect("writes");
        }
        fs::write(folder.path().join("keys.csv"), keys).expect("writes");
        let quoted = columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
        let types: String = columns.iter().map(|column| format!("columns.{column}.type = \"integer\"\n")).collect();
        let text = format!(
            "data.path = \"rows.csv\"\nprivacy.unit = \"row\"\nprivacy.neighbours = \"add-remove\"\nprivacy.epsilon = 1\n{types}\
             [[statistic]]\nname = \"people\"\nkind = \"count\"\nkeys = \"keys.csv\"\nby = [{quoted}]\n\
             levels = [\"all\", {quoted}]\nlevel_shares = \"balanced\"\n"
        );
        let plan = Plan::parse(&text, folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
        let report = check(&plan, &AssumedRows::Usual).expect("a plan that is in order");
        let mut shares = vec![0.0; self.levels()];
        for noise in &report.statistics[0].noise {
            let name = noise.level.as_deref().expect("a level");
            let level = columns.iter().position(|column| column == name).map_or(0, |column| column + 1);
            shares[level] = part(noise.epsilon.as_deref().expect("pure"));
        }
        shares
    }
}

/// A fraction or decimal as a number.
fn part(text: &str) -> f64 {
    match text.split_once('/') {
        Some((numerator, denominator)) => part(numerator) / part(denominator),
        None => text.parse().expect("a number"),
    }
}

/// All people of the adult census extract by education, occupation, marital status, race and sex: every combination of
/// values.
pub(super) fn adult() -> Option<Hierarchy> {
    const COLUMNS: [&str; 5] = ["education", "occupation", "marital_status", "race", "sex"];
    let folder = TempDir::new().expect("a folder");
    let rows = unpack(&data_folder()?, "adult.csv", folder.path());
    let codes = COLUMNS.map(|column| {
        let values: BTreeMap<&str, usize> = rows.iter().map(|row| (row[column].as_str(), 0)).collect();
        values.into_keys().enumerate().map(|(code, value)| (value, code)).collect::<HashMap<_, _>>()
    });
    let mut counts: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    let mut all = vec![Vec::new()];
    for codes in &codes {
        all = all.iter().flat_map(|key| (0..codes.len()).map(move |code| [&key[..], &[code]].concat())).collect();
    }
    all.into_iter().for_each(|key| _ = counts.insert(key, 0.0));
    for row in &rows {
        let key: Vec<usize> = COLUMNS.iter().zip(&codes).map(|(column, codes)| codes[row[*column].as_str()]).collect();
        *counts.get_mut(&key).expect("every combination") += 1.0;
    }
    let (keys, counts): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
    Some(Hierarchy::new("adult", keys, &counts))
}

/// A column of places of the census by columns of codes; places without a number are left out.
fn places(name: &'static str, file: &str, columns: &[&str], value: &str) -> Option<Hierarchy> {
    let folder = data_folder()?.join("../geo");
    let into = TempDir::new().expect("a folder");
    if !Path::new(&folder).join(format!("{file}.gz")).exists() {
        return None;
    }
    let mut counts: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    for row in unpack(&folder, file, into.path()) {
        let Ok(count) = row[value].parse::<f64>() else { continue };
        let key = columns.iter().map(|column| row[*column].parse().expect("digits")).collect();
        counts.insert(key, count);
    }
    let (keys, counts): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
    Some(Hierarchy::new(name, keys, &counts))
}

/// People in group quarters in 2010: nation, states, counties and tracts, without Alaska.
pub(super) fn group_quarters() -> Option<Hierarchy> {
    let columns = ["state_fips", "county_fips", "tract"];
    places("group quarters", "us_tract_2010.csv", &columns, "group_quarters_pop")
}

/// People in 2020: nation, states, counties, tracts and block groups.
pub(super) fn census() -> Option<Hierarchy> {
    let columns = ["state_fips", "county_fips", "tract", "block_group"];
    places("census", "us_block_group_2020.csv", &columns, "population")
}
