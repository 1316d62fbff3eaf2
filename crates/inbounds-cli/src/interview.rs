//! The questions of `plan init` in a terminal, asked one by one, with what a codebook says as answers to choose from.
//!
//! Lines are read and written, and no screen is painted: a screen reader reads them, and so does a test. A user who
//! ends the input, or answers nothing, leaves the rest to the plan, where it is a question.

use std::io::{self, BufRead, Write};

use inbounds_core::Epsilon;
use inbounds_release::{FirstAnswers, FirstLook, FirstNeighbours, FirstUnit};

use crate::arguments::epsilon;

/// Most names that a question lists.
const LISTED: usize = 12;

/// An interview: where answers come from, and where questions go.
pub(crate) struct Interview<'a, R, W> {
    pub(crate) look: &'a FirstLook<'a>,
    /// Columns of the terminal.
    pub(crate) width: usize,
    pub(crate) input: R,
    pub(crate) output: W,
    /// The errors to expect of a plan with some answers, as a table; `None` while it cannot be checked.
    pub(crate) expected: &'a dyn Fn(&FirstAnswers) -> Option<String>,
}

/// An answer, or the end of the input.
type Answer<T> = io::Result<Option<T>>;

impl<R: BufRead, W: Write> Interview<'_, R, W> {
    /// Asks what is not answered yet.
    pub(crate) fn ask(mut self, mut answers: FirstAnswers) -> io::Result<FirstAnswers> {
        let columns: Vec<String> = self.look.columns().map(str::to_owned).collect();
        let begin = format!(
            "Columns: {}.\nEnter leaves a question to the plan, or takes the answer in brackets. No row is read.\n",
            some(&columns)
        );
        self.say(&textwrap::fill(&begin, self.width))?;
        // The first question that finds no more input ends the interview.
        self.rest(&mut answers)?;
        self.say("")?;
        Ok(answers)
    }

    fn rest(&mut self, answers: &mut FirstAnswers) -> Answer<()> {
        if answers.unit.is_none() {
            let Some(unit) = self.unit()? else { return Ok(None) };
            answers.unit = unit;
        }
        if answers.neighbours == FirstNeighbours::AddRemove {
            let Some(neighbours) = self.neighbours(answers.unit.as_ref())? else { return Ok(None) };
            answers.neighbours = neighbours;
        }
        if answers.count_by.is_empty() {
            let Some(columns) = self.count_by()? else { return Ok(None) };
            for column in &columns {
                if !self.look.lists_values(column) {
                    let Some(values) = self.values(column)? else { return Ok(None) };
                    answers.values.extend((!values.is_empty()).then(|| (column.clone(), values)));
                }
            }
            answers.count_by = columns;
        }
        if answers.epsilon.is_none() {
            answers.epsilon = self.epsilon(answers)?;
        }
        Ok(Some(()))
    }

    /// Whose data are protected; no unit is a choice that is left to the plan.
    fn unit(&mut self) -> Answer<Option<FirstUnit>> {
        let question = "Whose data are protected? `row` if each person has one row, or the column that names people";
        let Some(name) = self.until(question, "", |look, answer| match answer {
            "" | "row" => Ok(answer.to_owned()),
            column => known(look, column).map(str::to_owned),
        })?
        else {
            return Ok(None);
        };
        match name.as_str() {
            "" => Ok(Some(None)),
            "row" => Ok(Some(Some(FirstUnit::Row))),
            _ => {
                let question = "How many rows of one person count at most? More rows need more noise";
                let most = self.until(question, "1", |_, answer| match answer.parse() {
                    Ok(most @ 1..) => Ok(most),
                    _ => Err("a whole number of at least 1 is needed".to_owned()),
                })?;
                Ok(most.map(|max_rows| Some(FirstUnit::Column { name, max_rows })))
            }
        }
    }

    fn neighbours(&mut self, unit: Option<&FirstUnit>) -> Answer<FirstNeighbours> {
        let question = "Does the release also hide whether somebody is in the data? `no` if everybody knows";
        let Some(hides) = self.until(question, "yes", |_, answer| match answer {
            "yes" | "y" => Ok(true),
            "no" | "n" => Ok(false),
            _ => Err("answer yes or no".to_owned()),
        })?
        else {
            return Ok(None);
        };
        match unit {
            _ if hides => Ok(Some(FirstNeighbours::AddRemove)),
            Some(FirstUnit::Row) => {
                let question = "How many rows are there? Everybody will know";
                let rows = self.until(question, "", |_, answer| {
                    answer.parse::<u64>().map_err(|_| "a whole number is needed".to_owned())
                })?;
                Ok(rows.map(|rows| FirstNeighbours::Substitute { rows: Some(rows) }))
            }
            Some(FirstUnit::Column { .. }) | None => Ok(Some(FirstNeighbours::Substitute { rows: None })),
        }
    }

    /// Columns to count by. Those with values are named.
    fn count_by(&mut self) -> Answer<Vec<String>> {
        let listed = self.look.columns().filter(|column| self.look.lists_values(column));
        let listed: Vec<String> = listed.map(str::to_owned).collect();
        let which = if listed.is_empty() { String::new() } else { format!(" Values are known of {}.", some(&listed)) };
        let question = format!("Count by which columns, with commas between? Enter counts all rows together.{which}");
        self.until(&question, "", |look, answer| {
            parts(answer).map(|column| known(look, column).map(str::to_owned)).collect::<Result<Vec<String>, String>>()
        })
    }

    fn values(&mut self, column: &str) -> Answer<Vec<String>> {
        let question = format!(
            "Which values can `{column}` have, with commas between? All that are possible, whatever the rows have"
        );
        self.until(&question, "", |_, answer| Ok(parts(answer).map(str::to_owned).collect()))
    }

    /// Epsilon, with the errors to expect at each that is tried.
    fn epsilon(&mut self, answers: &FirstAnswers) -> Answer<Epsilon> {
        let mut tried = FirstAnswers { epsilon: epsilon("1").ok(), ..answers.clone() };
        loop {
            let shown = tried.epsilon.as_ref().map_or_else(String::new, ToString::to_string);
            match (self.expected)(&tried) {
                Some(table) => self.say(&format!("\nWith epsilon {shown}:\n{table}\n"))?,
                None => self.say("\nErrors can be told once each column to count by has its values.")?,
            }
            let question = "Epsilon, the budget of this release? Another one shows its errors, Enter takes";
            let next = self.until(question, &shown, |_, answer| epsilon(answer))?;
            match next {
                Some(next) if Some(&next) != tried.epsilon.as_ref() => tried.epsilon = Some(next),
                taken => return Ok(taken),
            }
        }
    }

    /// Asks until the answer is one; an empty answer is `usual`.
    fn until<T>(
        &mut self,
        question: &str,
        usual: &str,
        read: impl Fn(&FirstLook<'_>, &str) -> Result<T, String>,
    ) -> Answer<T> {
        loop {
            let brackets = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
            write!(
                self.output,
                "{} ",
                textwrap::fill(&format!("{question}{brackets}:"), self.width.saturating_sub(1))
            )?;
            self.output.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                writeln!(self.output)?;
                return Ok(None);
            }
            let answer = match line.trim() {
                "" => usual,
                answer => answer,
            };
            match read(self.look, answer) {
                Ok(read) => return Ok(Some(read)),
                Err(wrong) => self.say(&wrong)?,
            }
        }
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }
}

/// Parts of an answer between commas.
fn parts(answer: &str) -> impl Iterator<Item = &str> {
    answer.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// A column of the data.
fn known<'l>(look: &'l FirstLook<'_>, column: &str) -> Result<&'l str, String> {
    look.columns().find(|known| *known == column).ok_or_else(|| {
        let near = inbounds_input::nearest(column, look.columns());
        match near {
            Some(near) => format!("there is no column `{column}`; did you mean `{near}`?"),
            None => format!("there is no column `{column}`"),
        }
    })
}

/// The first few names.
fn some(names: &[String]) -> String {
    match names.get(..LISTED) {
        Some(first) if names.len() > LISTED => format!("{} and {} more", first.join(", "), names.len() - LISTED),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use inbounds_release::{codebook::Codebook, plan::TextLayout};

    use super::*;

    /// Answers of a person, and what was asked.
    fn interviewed(answers: &str) -> (FirstAnswers, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("visits.csv");
        fs::write(&path, "patient,sex,district,age\n").expect("a file");
        let text = "variable,values\nsex,f=female|m=male\n";
        let codebook = Codebook::parse("codebook.csv", text, &path).expect("a codebook");
        let look = FirstLook::open(&path, TextLayout::default(), Some(&codebook)).expect("a header");
        let mut output = Vec::new();
        let expected = |tried: &FirstAnswers| {
            let known = tried.count_by.iter().all(|column| column == "sex" || !tried.values.is_empty());
            known.then(|| format!("table at {}", tried.epsilon.as_ref().expect("an epsilon")))
        };
        let interview =
            Interview { look: &look, width: 80, input: answers.as_bytes(), output: &mut output, expected: &expected };
        let first_answers = interview.ask(FirstAnswers::default()).expect("a terminal");
        (first_answers, String::from_utf8(output).expect("text"))
    }

    #[test]
    fn answers_are_asked_for_until_they_are_some() {
        let (first_answers, asked) =
            interviewed("pateint\npatient\n0\n3\n\nsex, distrct\nsex, district\nnorth,south\n0\n2\n\n");
        assert_eq!(first_answers.unit, Some(FirstUnit::Column { name: "patient".to_owned(), max_rows: 3 }));
        assert_eq!(first_answers.neighbours, FirstNeighbours::AddRemove);
        assert_eq!(first_answers.count_by, ["sex", "district"]);
        assert_eq!(first_answers.values, [("district".to_owned(), vec!["north".to_owned(), "south".to_owned()])]);
        assert_eq!(first_answers.epsilon.expect("an epsilon").to_string(), "2");
        for part in [
            "Columns: patient, sex, district, age.",
            "did you mean `patient`?",
            "a whole number of at least 1 is needed",
            "Values are known of sex.",
            "did you mean `district`?",
            "With epsilon 1:\ntable at 1",
            "With epsilon 2:\ntable at 2",
        ] {
            assert!(asked.contains(part), "{part} in {asked}");
        }
    }

    #[test]
    fn what_is_not_answered_is_left_to_the_plan() {
        let (first_answers, _) = interviewed("");
        assert_eq!(
            (first_answers.unit, first_answers.epsilon.is_none(), first_answers.count_by.len()),
            (None, true, 0)
        );
        let (first_answers, asked) = interviewed("row\nno\n1200\ndistrict\n\n");
        assert_eq!(first_answers.unit, Some(FirstUnit::Row));
        assert_eq!(first_answers.neighbours, FirstNeighbours::Substitute { rows: Some(1200) });
        assert_eq!((first_answers.count_by, first_answers.values), (vec!["district".to_owned()], Vec::new()));
        assert!(asked.contains("Errors can be told once"), "{asked}");
    }
}
