//! Differentially private statistics that stay inside what everyone knows to be true of them, and say what that cost.
//!
//! This is the door for Rust users: what is private is in memory. The command line is the crate
//! `inbounds-cli`; rows in files are read by `inbounds-data` and released by `inbounds-release`.
//!
//! # A count with its interval
//! ```
//! use inbounds::{Count, Neighbours, SecureEntropy};
//!
//! let count = Count::per_row(Neighbours::AddRemove).epsilon("0.5")?; // calibrated, reusable
//! let published = count.release(3, &mut SecureEntropy::from_os()?); // the private 3 is moved in
//! println!("{published}"); // such as: 4.0, 95 % interval 0.0 to 9.0, bias 0.0, RMSE 2.8
//! # assert!(published.value >= 0.0 && published.interval.contains(published.value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A number is published with what it cost: the raw `measurement` beside the `value` inside its range, an `interval`
//! that covers the exact count 19 times in 20, and `bias` and `rmse` of the value. Each call of `release` spends its
//! epsilon.
//!
//! # Groups, and units of several rows
//! Up to three rows of a patient count, in eight public districts. One patient moves these counts by three in all, so
//! the noise has scale `3 / 0.8`.
//! ```
//! use inbounds::{Count, Neighbours, SeededEntropy};
//!
//! let stays = Count::per_unit(Neighbours::AddRemove, 3).groups(8).epsilon("0.8")?;
//! assert_eq!(stays.statistic().components()[0].scale(), 3.75);
//! // A seed is for tests and examples: whoever knows it knows the noise.
//! let mut entropy = SeededEntropy::from_seed(1);
//! let published = stays.release_all(vec![412, 398, 77, 0, 3, 1204, 951, 60], &mut entropy);
//! assert!(published.iter().all(|district| district.value >= 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sums and means of a column
//! Values are clipped to public bounds. What a missing one counts as has no default: here its row is left out.
//! ```
//! use inbounds::{Column, Describe, Mean, Missing, Neighbours, Records, SeededEntropy, Sum};
//!
//! let cost = Column::new("cost", "0", "15000", Missing::Drop)?;
//! let rows = Records::of_column(&[120.0, 3400.5, f64::NAN, 18_000.0, 990.0]);
//! let mut entropy = SeededEntropy::from_seed(1);
//! let mean = Mean::new(cost.clone()).per_row(Neighbours::AddRemove).epsilon("0.8")?;
//! let published = &mean.release_rows(&rows, &mut entropy)[0];
//! assert!((0.0..=15_000.0).contains(&published.value));
//! let sum = Sum::new(cost).per_row(Neighbours::AddRemove).epsilon("0.8")?;
//! assert!(sum.release_rows(&rows, &mut entropy)[0].rmse <= 15_000.0 / 0.8 * 1.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A public number of rows
//! Where neighbours have one row replaced, the number of rows may be public, and means, shares and variances rest on
//! it: one of 400 rows moves the mean of a column between 0 and 1 by 1/400.
//! ```
//! use inbounds::{Column, Describe, Mean, Missing, Share};
//!
//! let insured = Column::whole("insured", "0", "1", Missing::Impute("0".parse()?))?;
//! let mean = Mean::new(insured).among_rows(400).epsilon("0.5")?;
//! assert_eq!(mean.statistic().components()[0].scale(), 0.005);
//! let smokers = Share::default().among_rows(400).filtered().epsilon("0.5")?;
//! assert_eq!(smokers.statistic().ranges(), [(0.0, 1.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Variances, quantiles, histograms
//! ```
//! use inbounds::{Column, Describe, Histogram, Missing, Neighbours, Records, SeededEntropy, Variance};
//! use inbounds::statistics::{proportion::Total, quantile::{Quantiles, Values}};
//!
//! let rows = Records::of_column(&(0..500).map(|row| f64::from(row % 90)).collect::<Vec<_>>());
//! let edges = || (0..=9).map(|edge| (10i128 * edge).into()).collect::<Vec<_>>();
//! let mut entropy = SeededEntropy::from_seed(2);
//! let bins = Histogram { edges: edges() }.per_row(Neighbours::AddRemove).epsilon("1")?.release_rows(&rows, &mut entropy);
//! assert_eq!(bins.len(), 9);
//! let age = Column::whole("age", "0", "89", Missing::Drop)?;
//! let spread = Variance { column: age }.per_row(Neighbours::AddRemove).epsilon("1")?.release_rows(&rows, &mut entropy);
//! // Over a private number of rows a variance brings the mean and that number.
//! assert_eq!(spread.iter().map(|one| one.quantity.to_string()).collect::<Vec<_>>(), ["variance of age", "mean of age", "rows"]);
//! let median = Quantiles { edges: edges(), probabilities: vec!["1/2".parse()?], total: Total::Measured, values: Values::Real };
//! let median = &median.per_row(Neighbours::AddRemove).epsilon("1")?.release_rows(&rows, &mut entropy)[0];
//! assert!((0.0..=90.0).contains(&median.value));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Noise and a range, without a statistic
//! ```
//! use inbounds::{SeededEntropy, laplace};
//!
//! let published = laplace("0.5")?.clamped(0..)?.release(3, &mut SeededEntropy::from_seed(1));
//! assert!(published.value >= 0.0);
//! // Noise conditioned on its range needs a larger scale to be private.
//! let conditioned = laplace("0.5")?.sensitivity(2).conditioned(0..=100)?;
//! assert!(conditioned.component().scale() > 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors before anything is measured
//! ```
//! use inbounds::{Count, Neighbours};
//!
//! let count = Count::per_row(Neighbours::AddRemove).epsilon("0.5")?;
//! let at_zero = &count.expected_errors()[0];
//! // Clamping at zero biases a count of zero by a/(1 - a^2), a = e^-0.5, and no count by more.
//! assert!((at_zero.bias - 0.9595173756674719).abs() < 1e-12);
//! assert_eq!(count.statistic().worst_bias(), Some(at_zero.bias));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//! [`statistics`] has the descriptions and what they are prepared to, [`mechanisms`] noise, samplers, calibration and
//! accounting,
//! [`project`] what makes numbers add up, [`core`] the exact numbers that claims rest on. None reads files.
//!
//! | feature | adds | by default |
//! |---|---|---|
//! | `statistics` | [`statistics`], and all names at the root but those of numbers and entropy | yes |
//! | `matrices` | matrices without negative eigenvalues in [`project`] and `reconcile`, with a library of linear algebra; part of `statistics` | yes |
//! | `reconcile` | tables of noisy numbers made to add up | |
//! | `page` | `report.html` in the bundles of `reconcile` | yes |
//! | `parquet` | Parquet, with all its codecs, beside CSV in what `reconcile` reads and writes | yes |
//! | `advise` | the choice of a mechanism | |
//!
//! Without `parquet` or `matrices`, `reconcile` refuses a Parquet file or a `[matrix]`, and names the feature.

#[cfg(feature = "advise")]
pub use inbounds_advise as advise;
pub use inbounds_core as core;
pub use inbounds_mechanisms as mechanisms;
pub use inbounds_project as project;
#[cfg(feature = "reconcile")]
pub use inbounds_reconcile as reconcile;
#[cfg(feature = "statistics")]
pub use inbounds_statistics as statistics;

pub use inbounds_core::{Delta, Epsilon, Neighbours, Rational};
pub use inbounds_mechanisms::sampler::{SecureEntropy, SeededEntropy};
#[cfg(feature = "statistics")]
pub use inbounds_statistics::{
    BareMechanism, BareNoise, Column, Count, Describe, DistinctUnits, Histogram, Mean, Missing, Protected, Published,
    Publisher, Records, Share, StandardDeviation, StatisticError, Sum, Variance, laplace,
};
