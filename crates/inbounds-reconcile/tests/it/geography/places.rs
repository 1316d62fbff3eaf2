//! Places of the census of 2020 with their populations: nation, states, counties, tracts, block groups.

use std::{fs::File, path::PathBuf};

use inbounds_project::constraint::tree::{Tree, TreeSystem};

pub(super) const LEVELS: [&str; 5] = ["nation", "state", "county", "tract", "block group"];

/// Digits of a place's code, by level.
const DIGITS: [usize; 5] = [0, 2, 5, 11, 12];

const FILE: &str = "us_block_group_2020.csv.gz";

/// All places, level by level; children of one place side by side.
pub(super) struct Places {
    pub(super) names: Vec<String>,
    pub(super) parents: Vec<Option<u32>>,
    pub(super) level: Vec<usize>,
    pub(super) population: Vec<f64>,
    tree: Tree,
}

impl Places {
    /// From the folder with real data, if it is there.
    pub(super) fn read() -> Option<Self> {
        let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/geo");
        let folder = std::env::var_os("INBOUNDS_GEOGRAPHY").map_or(beside, PathBuf::from);
        let packed = File::open(folder.join(FILE)).ok()?;
        let mut rows = csv::Reader::from_reader(flate2::read::GzDecoder::new(packed));
        let groups = rows.records().map(|row| {
            let row = row.expect("rectangular CSV");
            (format!("{}{}{}{}", &row[0], &row[1], &row[2], &row[3]), row[4].parse().expect("a population"))
        });
        Some(Self::from_groups(&groups.collect::<Vec<_>>()))
    }

    /// Every level from the codes of the block groups, which come sorted.
    fn from_groups(groups: &[(String, f64)]) -> Self {
        let (mut names, mut parents) = (Vec::<String>::new(), Vec::new());
        let (mut level, mut population) = (Vec::new(), Vec::new());
        let mut above = vec![0; groups.len()];
        for (depth, &digits) in DIGITS.iter().enumerate() {
            let mut last = None;
            for ((code, people), above) in groups.iter().zip(&mut above) {
                let code = &code[..digits];
                if last.replace(code) != Some(code) {
                    names.push(if depth == 0 { "US".to_owned() } else { code.to_owned() });
                    parents.push((depth > 0).then_some(*above));
                    level.push(depth);
                    population.push(0.0);
                }
                *above = names.len() as u32 - 1;
                population[*above as usize] += people;
            }
        }
        let tree = Tree::from_parents(&parents).expect("a tree");
        Self { names, parents, level, population, tree }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn leaves(&self) -> usize {
        self.tree.leaves()
    }

    /// Values of all places, each with the same variance.
    pub(super) fn system(&self, values: Vec<f64>, variance: f64) -> TreeSystem {
        TreeSystem::new(self.tree.clone(), values, vec![variance; self.len()]).expect("finite numbers")
    }

    /// Panics unless the parts of every place add up to it, to the last bit.
    pub(super) fn assert_adds_up(&self, estimates: &[f64]) {
        let mut sums = vec![0.0; self.len()];
        for (parent, estimate) in self.parents.iter().zip(estimates) {
            if let Some(parent) = parent {
                sums[*parent as usize] += estimate;
            }
        }
        let inner = self.len() - self.leaves();
        assert!(sums[..inner] == estimates[..inner], "some parts do not add up");
    }
}
