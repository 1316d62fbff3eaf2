//! The places that the studies noise: those of a census, or made up where the census is not there.

use crate::{Context, StudyError, island};

/// Counties of 2010.
const COUNTIES: &str = "geo/us_county_2010.csv";
/// Tracts of 2010.
const TRACTS: &str = "geo/us_tract_2010.csv.gz";
/// The code of New Mexico in [`TRACTS`], and its number of counties.
const NEW_MEXICO: (&str, usize) = ("35", 33);

/// The counties of a state.
pub(crate) struct State {
    /// Its postal code.
    pub(crate) code: &'static str,
    /// Names of its counties.
    pub(crate) names: Vec<String>,
    /// Number of people in each.
    pub(crate) people: Vec<f64>,
    /// Number of households in each; none where the census is not there.
    pub(crate) households: Option<Vec<f64>>,
    /// Substitute for the census.
    pub(crate) substitute: Option<String>,
}

impl State {
    /// The state with a postal code and this number of counties; as many districts of the island where the census is
    /// not there.
    pub(crate) fn read(context: &Context<'_>, code: &'static str, counties: usize) -> Result<Self, StudyError> {
        match context.read(COUNTIES) {
            Ok(text) => Self::from_census(&text, code, counties),
            Err(StudyError::NoData { .. }) => Self::from_island(code, counties),
            Err(error) => Err(error),
        }
    }

    /// Index of the county with the fewest people.
    pub(crate) fn smallest(&self) -> usize {
        self.order()[0]
    }

    /// Index of the county with the most people.
    pub(crate) fn largest(&self) -> usize {
        self.order()[self.people.len() - 1]
    }

    /// Indices of the counties, from few people to many.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.people.len()).collect();
        order.sort_by(|&a, &b| self.people[a].total_cmp(&self.people[b]));
        order
    }

    fn from_census(text: &str, code: &'static str, counties: usize) -> Result<Self, StudyError> {
        let (mut names, mut people, mut households) = (Vec::new(), Vec::new(), Vec::new());
        for row in records(COUNTIES, text)?.iter().filter(|row| row.get(1) == Some(code)) {
            let count = |index| row.get(index).and_then(|field| field.parse().ok());
            let counts = count(5).zip(count(7)).ok_or_else(|| malformed(COUNTIES, format!("no counts in {row:?}")))?;
            names.push(row[4].to_owned());
            people.push(counts.0);
            households.push(counts.1);
        }
        expect_counties(COUNTIES, code, counties, people.len())?;
        Ok(Self { code, names, people, households: Some(households), substitute: None })
    }

    fn from_island(code: &'static str, counties: usize) -> Result<Self, StudyError> {
        /// So that noise of scale 10 seldom reaches zero, as in the states.
        const PEOPLE_ADDED: f64 = 100.0;
        let places = island::places()?;
        let districts = || places.iter().filter(|place| place.is_district).cycle().take(counties);
        Ok(Self {
            code,
            names: districts().map(|district| district.name.clone()).collect(),
            people: districts().map(|district| district.measured.max(0.0) + PEOPLE_ADDED).collect(),
            households: None,
            substitute: Some(format!(
                "The counties of 2010 are not there; in their place stand the districts of the island in `examples/census`, \
                 repeated as often as needed, with {PEOPLE_ADDED} people added to each."
            )),
        })
    }
}

/// The nation, its states and their counties.
pub(crate) struct Nation {
    /// The parent of each place, parents first; counties last.
    pub(crate) parents: Vec<Option<u32>>,
    /// Number of people in each place.
    pub(crate) people: Vec<f64>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// Number of places, at the end, that are counties.
    pub(crate) counties: usize,
    /// Substitute for the census.
    pub(crate) substitute: Option<String>,
}

impl Nation {
    /// The United States of 2010; the island where the census is not there.
    pub(crate) fn read(context: &Context<'_>) -> Result<Self, StudyError> {
        match context.read(COUNTIES) {
            Ok(text) => Self::from_census(&text),
            Err(StudyError::NoData { .. }) => Self::from_island(),
            Err(error) => Err(error),
        }
    }

    /// Place of the first county.
    pub(crate) fn first_county(&self) -> usize {
        self.parents.len() - self.counties
    }

    /// Places of the counties with the fewest and the most people.
    pub(crate) fn extremes(&self) -> [usize; 2] {
        let by_people = |a: &usize, b: &usize| self.people[*a].total_cmp(&self.people[*b]);
        let counties = || self.first_county()..self.parents.len();
        [counties().min_by(by_people), counties().max_by(by_people)].map(|place| place.expect("there are counties"))
    }

    /// The nation with its counties' people, places above them added up.
    fn new(parents: Vec<Option<u32>>, names: Vec<String>, of_counties: Vec<f64>, substitute: Option<String>) -> Self {
        let counties = of_counties.len();
        let mut nation = Self { people: Vec::new(), counties, parents, names, substitute };
        nation.set_counties(of_counties);
        nation
    }

    /// Gives the counties other numbers of people.
    pub(crate) fn set_counties(&mut self, of_counties: Vec<f64>) {
        let mut people = vec![0.0; self.first_county()];
        people.extend(of_counties);
        for place in (1..people.len()).rev() {
            if let Some(parent) = self.parents[place] {
                people[parent as usize] += people[place];
            }
        }
        self.people = people;
    }

    fn from_census(text: &str) -> Result<Self, StudyError> {
        const PLACES: usize = 1 + 51;
        let (mut states, mut of_counties) = (Vec::<String>::new(), Vec::new());
        let (mut parents, mut names) = (Vec::new(), Vec::new());
        for row in &records(COUNTIES, text)? {
            let people = row.get(5).and_then(|field| field.parse::<f64>().ok());
            let (Some(code), Some(county), Some(people)) = (row.get(1), row.get(4), people) else {
                return Err(malformed(COUNTIES, format!("no county in {row:?}")));
            };
            if states.last().map(String::as_str) != Some(code) {
                states.push(code.to_owned());
            }
            parents.push(Some(states.len() as u32));
            names.push(format!("{county}, {code}"));
            of_counties.push(people);
        }
        if states.len() + 1 != PLACES {
            return Err(malformed(COUNTIES, format!("51 states wanted, one after the other, {} found", states.len())));
        }
        let above = std::iter::once(None).chain(states.iter().map(|_| Some(0)));
        let of_above = std::iter::once("the nation".to_owned()).chain(states.iter().cloned());
        Ok(Self::new(above.chain(parents).collect(), of_above.chain(names).collect(), of_counties, None))
    }

    fn from_island() -> Result<Self, StudyError> {
        /// So that noise of scale 6 seldom reaches zero, as in the counties.
        const PEOPLE_ADDED: f64 = 82.0;
        let places = island::places()?;
        let (above, districts): (Vec<_>, Vec<_>) = (0..places.len()).partition(|&place| !places[place].is_district);
        let order: Vec<usize> = above.into_iter().chain(districts.iter().copied()).collect();
        let new_place = |old: u32| order.iter().position(|&place| place == old as usize).map(|place| place as u32);
        let parents = order.iter().map(|&place| places[place].parent.and_then(new_place)).collect();
        let names = order.iter().map(|&place| places[place].name.clone()).collect();
        let of_districts =
            districts.iter().map(|&place| places[place].measured.max(0.0).round() + PEOPLE_ADDED).collect();
        let substitute = format!(
            "The counties of 2010 are not there; in their place stands the island of `examples/census`, with {PEOPLE_ADDED} \
             people added to each district."
        );
        Ok(Self::new(parents, names, of_districts, Some(substitute)))
    }
}

/// The parent of each node of New Mexico, its counties and its tracts, parents first; of the island where the census
/// is not there, and then what was taken in its place.
pub(crate) fn tracts(context: &Context<'_>) -> Result<(Vec<Option<u32>>, Option<String>), StudyError> {
    match context.read(TRACTS) {
        Ok(text) => Ok((tracts_of_census(&text)?, None)),
        Err(StudyError::NoData { .. }) => {
            let substitute = "The tracts of 2010 are not there; in their place stands the island of `examples/census`.";
            let parents = island::places()?.into_iter().map(|place| place.parent).collect();
            Ok((parents, Some(substitute.to_owned())))
        }
        Err(error) => Err(error),
    }
}

fn tracts_of_census(text: &str) -> Result<Vec<Option<u32>>, StudyError> {
    let rows = records(TRACTS, text)?;
    let mut counties: Vec<&str> = Vec::new();
    let mut tracts = Vec::new();
    for county in rows.iter().filter(|row| row.get(0) == Some(NEW_MEXICO.0)).filter_map(|row| row.get(1)) {
        if counties.last() != Some(&county) {
            counties.push(county);
        }
        tracts.push(Some(counties.len() as u32));
    }
    expect_counties(TRACTS, "NM", NEW_MEXICO.1, counties.len())?;
    Ok(std::iter::once(None).chain(counties.iter().map(|_| Some(0))).chain(tracts).collect())
}

fn records(file: &str, text: &str) -> Result<Vec<csv::StringRecord>, StudyError> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_records();
    rows.collect::<Result<_, _>>().map_err(|error| malformed(file, error.to_string()))
}

fn expect_counties(file: &str, code: &str, wanted: usize, count: usize) -> Result<(), StudyError> {
    if count == wanted {
        Ok(())
    } else {
        Err(malformed(file, format!("{wanted} counties of {code} wanted, {count} found")))
    }
}

fn malformed(file: &str, reason: String) -> StudyError {
    StudyError::Malformed { file: file.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn without_the_census_there_is_the_island_and_it_says_so() {
        let context = Context { study: "test", replicates: 0, seed: 0, data: None, progress: &Silent };
        let state = State::read(&context, "AZ", 15).expect("made up");
        assert_eq!(state.people.len(), 15);
        assert_eq!(state.names[0], state.names[12]);
        assert_eq!(state.people[state.smallest()], 100.0);
        assert!(state.substitute.expect("said").contains("examples/census"));
        let (parents, substitute) = tracts(&context).expect("made up");
        assert_eq!((parents.len(), parents.iter().filter(|parent| **parent == Some(0)).count()), (16, 3));
        assert!(substitute.expect("said").contains("examples/census"));
        let nation = Nation::read(&context).expect("made up");
        assert_eq!((nation.parents.len(), nation.counties, nation.first_county()), (16, 12, 4));
        let below: f64 = nation.people[nation.first_county()..].iter().sum();
        assert_eq!(nation.people[0], below);
        assert_eq!(nation.people[nation.extremes()[0]], 82.0);
        assert!(nation.substitute.expect("said").contains("examples/census"));
    }

    #[test]
    fn rows_of_a_census_become_a_tree_and_a_wrong_number_is_refused() {
        let row = |county: usize| format!("35,{county:03},000100,10,4,0\n35,{county:03},000200,10,4,0\n");
        let text = |counties| format!("state,county,tract,p,h,g\n{}", (1..=counties).map(row).collect::<String>());
        let parents = tracts_of_census(&text(33)).expect("as expected");
        assert_eq!((parents.len(), parents[0], parents[33], parents[34]), (100, None, Some(0), Some(1)));
        assert_eq!(parents[99], Some(33));
        let error = tracts_of_census(&text(32)).expect_err("one is missing").to_string();
        assert!(error.contains("33 counties of NM wanted, 32 found"), "{error}");
    }
}
