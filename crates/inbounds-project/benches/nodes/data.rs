//! Geographies with a table at every node, of files in the data folder beside the repository.

use std::{collections::HashMap, fs, io::Read, path::Path};

use inbounds_project::table::{Axes, MeasuredMargin, parts};

/// SplitMix64: enough for noise that protects nothing.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Strictly between 0 and 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) * 2f64.powi(-53)
    }

    pub(crate) fn laplace(&mut self, scale: f64) -> f64 {
        let u = self.unit() - 0.5;
        -scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
    }
}

/// A tree of places with the same table at each.
pub(crate) struct Geography {
    pub(crate) name: &'static str,
    levels: Vec<&'static str>,
    pub(crate) attributes: Vec<&'static str>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) parents: Vec<Option<u32>>,
    level: Vec<usize>,
    /// The cells of all nodes, node by node.
    pub(crate) truth: Vec<f64>,
}

impl Geography {
    /// From the path of each leaf, root first, and its cells.
    fn from_leaves(
        name: &'static str,
        levels: Vec<&'static str>,
        attributes: Vec<&'static str>,
        sizes: Vec<usize>,
        leaves: &[(Vec<String>, Vec<f64>)],
    ) -> Self {
        let table: usize = sizes.iter().product();
        let (mut parents, mut level, mut truth) = (Vec::new(), Vec::new(), Vec::<f64>::new());
        let mut known: HashMap<Vec<String>, u32> = HashMap::new();
        for depth in 0..levels.len() {
            for (path, cells) in leaves {
                let next = parents.len() as u32;
                let node = *known.entry(path[..depth].to_vec()).or_insert(next);
                if node == next {
                    parents.push(depth.checked_sub(1).map(|above| known[&path[..above]]));
                    level.push(depth);
                    truth.resize(truth.len() + table, 0.0);
                }
                let own = &mut truth[node as usize * table..(node as usize + 1) * table];
                own.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
            }
        }
        Self { name, levels, attributes, sizes, parents, level, truth }
    }

    pub(crate) fn table(&self) -> usize {
        self.sizes.iter().product()
    }

    pub(crate) fn levels(&self) -> &[&'static str] {
        &self.levels
    }

    pub(crate) fn children(&self, node: usize) -> Vec<usize> {
        (0..self.parents.len()).filter(|&child| self.parents[child] == Some(node as u32)).collect()
    }

    pub(crate) fn called(&self, axes: Axes) -> String {
        let names: Vec<&str> = axes.iter().map(|axis| self.attributes[axis]).collect();
        if names.is_empty() { "total".to_owned() } else { names.join(" x ") }
    }

    /// A margin of the tables of all nodes of a level.
    pub(crate) fn margins(&self, level: usize, axes: Axes, cells: &[f64]) -> Vec<f64> {
        let of_level = (0..self.parents.len()).filter(|&node| self.level[node] == level);
        of_level.flat_map(|node| self.margin(node, axes, cells)).collect()
    }

    pub(crate) fn margin(&self, node: usize, axes: Axes, cells: &[f64]) -> Vec<f64> {
        let all = Axes::new(0..self.sizes.len());
        let mut sums = vec![0.0; axes.iter().map(|axis| self.sizes[axis]).product()];
        let own = &cells[node * self.table()..(node + 1) * self.table()];
        parts(&self.sizes, all, axes).into_iter().zip(own).for_each(|(part, cell)| sums[part] += cell);
        sums
    }

    /// Every margin of every node with noise of one scale: equal parts of epsilon for all levels and margins.
    pub(crate) fn measure(&self, epsilon: f64, draws: &mut Draws) -> Vec<Vec<MeasuredMargin>> {
        let subsets = Axes::new(0..self.sizes.len()).subsets();
        let scale = (self.levels.len() * subsets.len()) as f64 / epsilon;
        let mut margin = |node: usize, axes: Axes| MeasuredMargin {
            axes,
            values: self.margin(node, axes, &self.truth).into_iter().map(|sum| sum + draws.laplace(scale)).collect(),
            variance: 2.0 * scale * scale,
        };
        (0..self.parents.len()).map(|node| subsets.iter().map(|&axes| margin(node, axes)).collect()).collect()
    }
}

/// The geographies whose files are there.
pub(crate) fn all() -> Vec<Geography> {
    [midwest(), counties(), tracts()].into_iter().flatten().collect()
}

/// Counties of five states by race in 1990.
fn midwest() -> Option<Geography> {
    let races = ["white", "black", "american_indian", "asian", "other"];
    let rows = rows("geo/midwest_county_race_1990.csv", &[&["state", "county"], &races[..]].concat())?;
    let leaf = |row: &Vec<String>| (row[..2].to_vec(), row[2..].iter().map(|cell| number(cell)).collect());
    let leaves: Vec<(Vec<String>, Vec<f64>)> = rows.iter().map(leaf).collect();
    Some(Geography::from_leaves("midwest 1990", vec!["nation", "state", "county"], vec!["race"], vec![5], &leaves))
}

/// Counties of New England and the Middle Atlantic by sex, race and age: the population of 2020 with the shares of 400
/// people of the adult extract, others in each county.
fn counties() -> Option<Geography> {
    let states = ["CT", "ME", "MA", "NH", "RI", "VT", "NJ", "NY", "PA"];
    let rows = rows("geo/us_county_2020.csv", &["state", "county", "population"])?;
    let among = rows.into_iter().filter(|row| states.contains(&row[0].as_str()));
    let people = people()?;
    let mut draws = Draws::seeded(2020);
    let leaf = |row: Vec<String>| {
        let cells = drawn(&people, number(&row[2]), 80, |(sex, race, age)| sex * 40 + race * 8 + age, &mut draws);
        (row[..2].to_vec(), cells)
    };
    let leaves: Vec<(Vec<String>, Vec<f64>)> = among.map(leaf).collect();
    let attributes = vec!["sex", "race", "age"];
    Some(Geography::from_leaves("counties 2020", vec!["nation", "state", "county"], attributes, vec![2, 5, 8], &leaves))
}

/// Tracts of Connecticut by sex and race, in the same way.
fn tracts() -> Option<Geography> {
    let rows = rows("geo/us_tract_2020.csv.gz", &["state_fips", "county_fips", "tract", "population"])?;
    let people = people()?;
    let mut draws = Draws::seeded(2021);
    let leaf = |row: Vec<String>| {
        let cells = drawn(&people, number(&row[3]), 10, |(sex, race, _)| sex * 5 + race, &mut draws);
        (row[1..3].to_vec(), cells)
    };
    let leaves: Vec<(Vec<String>, Vec<f64>)> = rows.into_iter().filter(|row| row[0] == "09").map(leaf).collect();
    let levels = vec!["state", "county", "tract"];
    Some(Geography::from_leaves("tracts 2020", levels, vec!["sex", "race"], vec![2, 5], &leaves))
}

/// Sex, race and class of age of everyone in the adult extract.
fn people() -> Option<Vec<(usize, usize, usize)>> {
    let rows = rows("people/adult.csv.gz", &["sex", "race", "age"])?;
    let mut races: Vec<String> = Vec::new();
    let person = |row: Vec<String>| {
        let race = races.iter().position(|race| *race == row[1]).unwrap_or_else(|| {
            races.push(row[1].clone());
            races.len() - 1
        });
        (usize::from(row[0] == "Male"), race, ((number(&row[2]) as usize - 17) / 10).min(7))
    };
    Some(rows.into_iter().map(person).collect())
}

/// Cells of a place with so many people, who are as some people are that are drawn for it.
fn drawn(
    people: &[(usize, usize, usize)],
    population: f64,
    cells: usize,
    cell: impl Fn((usize, usize, usize)) -> usize,
    draws: &mut Draws,
) -> Vec<f64> {
    let mut counts = vec![0.0; cells];
    for _ in 0..400 {
        counts[cell(people[(draws.unit() * people.len() as f64) as usize])] += population / 400.0;
    }
    counts.into_iter().map(|count| (count + draws.unit()).floor() * f64::from(u8::from(count > 0.0))).collect()
}

/// Some columns of a file, which may be compressed. Says so where the file is not there.
fn rows(name: &str, columns: &[&str]) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    let bytes = fs::read(&path).ok().or_else(|| fs::read(Path::new("/work/shared/data").join(name)).ok());
    let Some(bytes) = bytes else {
        println!("SKIPPED: {name} is not in the data folder");
        return None;
    };
    let mut text = String::new();
    match name.ends_with(".gz") {
        true => {
            flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(|_| ()).expect("a compressed text")
        }
        false => text = String::from_utf8(bytes).expect("a text"),
    }
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let places: Vec<usize> =
        columns.iter().map(|column| header.iter().position(|name| name == column).expect("a column")).collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        places.iter().map(|&place| fields[place].to_owned()).collect()
    };
    Some(lines.map(row).collect())
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}
