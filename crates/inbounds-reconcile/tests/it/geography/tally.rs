//! Errors over runs, by level and by size of place.

use super::places::{LEVELS, Places};

/// Standard errors that a mean may be off.
pub(super) const STANDARD_ERRORS: f64 = 4.0;

/// A figure over the runs: its mean, and the standard error of that.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    runs: f64,
    first: f64,
    second: f64,
}

impl Mean {
    fn take_in(&mut self, number: f64) {
        self.runs += 1.0;
        self.first += number;
        self.second += number * number;
    }

    pub(super) fn value(&self) -> f64 {
        self.first / self.runs
    }

    pub(super) fn error(&self) -> f64 {
        let variance = (self.second / self.runs - self.value().powi(2)).max(0.0);
        (variance / (self.runs - 1.0)).sqrt()
    }

    /// Its excess over another number, in standard errors; zero where both agree exactly.
    pub(super) fn above(&self, number: f64) -> f64 {
        let off = self.value() - number;
        if off == 0.0 { 0.0 } else { off / self.error() }
    }
}

/// Errors of one method in one class of places: means over the class, by run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    pub(super) bias: Mean,
    pub(super) square: Mean,
    pub(super) covered: Mean,
}

impl Figures {
    pub(super) fn rmse(&self) -> f64 {
        self.square.value().sqrt()
    }
}

/// Places of one level, all or those of one size.
pub(super) struct Class {
    pub(super) level: usize,
    /// Digits of the population, zero for an empty place; none for all sizes.
    pub(super) size: Option<u32>,
    places: Vec<u32>,
}

impl Class {
    fn words(&self) -> String {
        match self.size {
            None => "all".to_owned(),
            Some(0) => "0".to_owned(),
            Some(digits) => format!("{} to {}", 10_u64.pow(digits - 1), 10_u64.pow(digits) - 1),
        }
    }
}

/// All classes, largest places last; each level as a whole before its sizes.
pub(super) fn classes(places: &Places) -> Vec<Class> {
    let mut classes = Vec::new();
    for level in 0..LEVELS.len() {
        let members = (0..places.len() as u32).filter(|&place| places.level[place as usize] == level);
        let members: Vec<u32> = members.collect();
        let size = |place: u32| (places.population[place as usize] as u64).checked_ilog10().map_or(0, |log| log + 1);
        let of_size = |digits: u32| members.iter().copied().filter(|&place| size(place) == digits).collect();
        let sizes = (0..12).map(|digits| Class { level, size: Some(digits), places: of_size(digits) });
        let sizes: Vec<Class> = sizes.filter(|class| !class.places.is_empty()).collect();
        classes.push(Class { level, size: None, places: members.clone() });
        if sizes.len() > 1 {
            classes.extend(sizes);
        }
    }
    classes
}

/// Figures of one method in all classes.
pub(super) struct Tally<'a> {
    classes: &'a [Class],
    pub(super) figures: Vec<Figures>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(classes: &'a [Class]) -> Self {
        Self { classes, figures: vec![Figures::default(); classes.len()] }
    }

    /// Takes in the errors of a run, and whether each place's interval held the truth.
    pub(super) fn take_in(&mut self, error: impl Fn(usize) -> f64, covers: impl Fn(usize) -> bool) {
        for (class, figures) in self.classes.iter().zip(&mut self.figures) {
            let (mut sum, mut squares, mut covered) = (0.0, 0.0, 0.0);
            for &place in &class.places {
                let error = error(place as usize);
                sum += error;
                squares += error * error;
                covered += f64::from(u8::from(covers(place as usize)));
            }
            let count = class.places.len() as f64;
            figures.bias.take_in(sum / count);
            figures.square.take_in(squares / count);
            figures.covered.take_in(covered / count);
        }
    }
}

/// Mean over the places of a class.
pub(super) fn mean(class: &Class, number: impl Fn(usize) -> f64) -> f64 {
    class.places.iter().map(|&place| number(place as usize)).sum::<f64>() / class.places.len() as f64
}

/// Prints one row a class: error as measured, and bias, RMSE and coverage by each method.
pub(super) fn print(classes: &[Class], raw: &Tally<'_>, methods: &[(&str, &Tally<'_>)]) {
    print!("{:<12} {:<20} {:>8} {:>8}", "level", "population", "places", "raw RMSE");
    for (name, _) in methods {
        print!("  | {:>18} {:>8} {:>7}", format!("{name}: bias"), "RMSE", "covered");
    }
    println!();
    for (index, class) in classes.iter().enumerate() {
        let name = if class.size.is_none() { LEVELS[class.level] } else { "" };
        print!("{name:<12} {:<20} {:>8} {:>8.3}", class.words(), class.places.len(), raw.figures[index].rmse());
        for (_, tally) in methods {
            let Figures { bias, covered, .. } = tally.figures[index];
            let rmse = tally.figures[index].rmse();
            print!("  | {:>9.4} ± {:<6.4} {rmse:>8.3} {:>7.4}", bias.value(), bias.error(), covered.value());
        }
        println!();
    }
}
