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
    /// How many people live in each.
    pub(crate) people: Vec<f64>,
    /// How many households are in each; none where the census is not there.
    pub(crate) households: Option<Vec<f64>>,
    /// What was taken in place of the census.
    pub(crate) substitute: Option<String>,
}

impl State {
    /// The state with a postal code and so many counties; as many districts of the island where the census is not there.
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

/// The parent of each node of New Mexico, its counties and its tracts, parents first; of the island where the census is not
/// there, and then what was taken in its place.
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

fn expect_counties(file: &str, code: &str, wanted: usize, found: usize) -> Result<(), StudyError> {
    if found == wanted {
        Ok(())
    } else {
        Err(malformed(file, format!("{wanted} counties of {code} wanted, {found} found")))
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
