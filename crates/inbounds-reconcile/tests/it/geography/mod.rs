//! Every place of the census of 2020, from the nation to 239,780 block groups, noised, made to add up, and compared.
//!
//! `cargo test --release -p inbounds-reconcile --test it geography -- --ignored --nocapture`
//!
//! Each level has a fifth of epsilon, spent on discrete Laplace noise by the exact sampler. Neighbours differ by one
//! person, who is in one place of each level. Intervals are those of `reconcile` with 19 replicates, the fewest for 95
//! %: the largest absolute error of 19 linear estimates of fresh noise, whose law does not depend on the truth.
//!
//! A mean over 100 runs is checked at 4 standard errors, some 90 times for each epsilon: a correct
//! program fails with probability about 1e-2 over the choice of seeds; the seeds are fixed. Wrong programs are noticed:
//! intervals of half the width, and the bias that nonnegativity brings.

#![expect(clippy::print_stdout, reason = "the table is what the study is for")]

mod files;
mod places;
mod tally;

use inbounds_mechanisms::{
    law::Noise,
    noise::DiscreteLaplace,
    sampler::{SeededEntropy, fill_discrete_laplace},
};
use inbounds_project::{
    certificate::Status,
    tree::{TreeCovariance, TreeSolution, equality, integer, project},
};

use places::{LEVELS, Places};
use tally::{Class, STANDARD_ERRORS, Tally, classes, mean, print};

const RUNS: usize = 100;

/// Fewest replicates of which the largest error makes an interval at [`LEVEL`].
const REPLICATES: usize = 19;
const LEVEL: f64 = 0.95;

/// Exact noise for every place.
struct Noisy<'a> {
    places: &'a Places,
    law: DiscreteLaplace,
    entropy: SeededEntropy,
    drawn: Vec<i128>,
}

impl<'a> Noisy<'a> {
    /// Noise for a fifth of epsilon.
    fn new(places: &'a Places, fifth: &str, seed: u64) -> Self {
        let law = DiscreteLaplace::with_inverse_scale(fifth.parse().expect("a number")).expect("positive");
        Self { places, law, entropy: SeededEntropy::from_seed(seed), drawn: vec![0; places.len()] }
    }

    fn noise(&mut self) -> impl Iterator<Item = f64> {
        fill_discrete_laplace(&self.law, &mut self.entropy, &mut self.drawn);
        self.drawn.iter().map(|&noise| noise as f64)
    }

    fn measure(&mut self) -> Vec<f64> {
        let places = self.places;
        self.noise().zip(&places.population).map(|(noise, people)| people + noise).collect()
    }

    /// Half the width of each place's interval.
    fn half_widths(&mut self) -> Vec<f64> {
        let mut half = vec![0.0_f64; self.places.len()];
        for _ in 0..REPLICATES {
            let noise = self.noise().collect();
            let errors = equality(&self.places.system(noise, self.law.variance())).estimates;
            half.iter_mut().zip(errors).for_each(|(half, error)| *half = half.max(error.abs()));
        }
        half
    }
}

/// Estimates that have their certificate and add up to the last bit.
fn checked(places: &Places, solution: TreeSolution) -> Vec<f64> {
    assert_eq!(solution.status, Status::Optimal);
    places.assert_adds_up(&solution.estimates);
    solution.estimates
}

fn study(places: &Places, epsilon: f64, fifth: &str, seed: u64) {
    let classes = classes(places);
    let [mut raw, mut sums, mut bounded, mut integers, mut narrow] = std::array::from_fn(|_| Tally::new(&classes));
    let mut noisy = Noisy::new(places, fifth, seed);
    let variance = noisy.law.variance();
    let truth = &places.population;
    for _ in 0..RUNS {
        let values = noisy.measure();
        let half = noisy.half_widths();
        let system = places.system(values.clone(), variance);
        let linear = checked(places, equality(&system));
        let system = system.nonnegative();
        let kept = checked(places, project(&system));
        let counts = checked(places, integer(&system));
        assert!(kept.iter().chain(&counts).all(|&estimate| estimate >= 0.0));
        assert!(counts.iter().all(|count| count.fract() == 0.0));
        let holds = |place: usize| (linear[place] - truth[place]).abs() <= half[place];
        let half_holds = |place: usize| (linear[place] - truth[place]).abs() <= half[place] / 2.0;
        let cut_holds = |place: usize| (linear[place].max(0.0) - truth[place]).abs() <= half[place];
        raw.take_in(|place| values[place] - truth[place], |_| false);
        sums.take_in(|place| linear[place] - truth[place], holds);
        bounded.take_in(|place| kept[place] - truth[place], cut_holds);
        integers.take_in(|place| counts[place] - truth[place], cut_holds);
        narrow.take_in(|place| linear[place] - truth[place], half_holds);
    }
    println!("\nepsilon {epsilon}, {fifth} on each level: noise of scale {:.3}, {RUNS} runs", noisy.law.scale());
    print(&classes, &raw, &[("sums", &sums), ("nonnegative", &bounded), ("whole", &integers)]);
    let stated = TreeCovariance::new(&places.system(vec![0.0; places.len()], variance)).variances();
    let mut failures = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        let mut fail = |label: &str| failures.push(format!("{label}: {} {:?}", LEVELS[class.level], class.size));
        let figures = &sums.figures[index];
        if figures.bias.above(0.0).abs() > STANDARD_ERRORS {
            fail("least squares under sums is biased");
        }
        let expected = mean(class, |place| stated[place]);
        if figures.square.above(expected).abs() > STANDARD_ERRORS {
            fail("the exact variance is not that of the errors");
        }
        for tally in [&sums, &bounded, &integers] {
            if tally.figures[index].covered.above(LEVEL) < -STANDARD_ERRORS {
                fail("intervals cover too rarely");
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    let find = |wanted: fn(&Class) -> bool| classes.iter().position(wanted).expect("a class");
    let groups = find(|class| class.level == 4 && class.size.is_none());
    let empty = find(|class| class.level == 4 && class.size == Some(0));
    assert!(sums.figures[groups].rmse() < raw.figures[groups].rmse(), "adding up must help");
    assert!(bounded.figures[empty].bias.above(0.0) > STANDARD_ERRORS, "a bias must be noticed");
    assert!(narrow.figures[groups].covered.above(LEVEL) < -STANDARD_ERRORS, "narrow intervals must be noticed");
}

#[test]
#[ignore = "slow: two hundred runs over 327,389 places; run by name in a release build"]
fn every_place_of_the_census_adds_up() {
    let Some(places) = Places::read() else {
        println!("SKIPPED: no data; set INBOUNDS_GEOGRAPHY to a folder that holds us_block_group_2020.csv.gz");
        return;
    };
    assert_eq!((places.leaves(), places.population[0]), (239_780, 331_449_281.0));
    study(&places, 0.5, "0.1", 2020);
    study(&places, 1.0, "0.2", 2021);
    files::one_run(&places, "0.1", 2022);
}
