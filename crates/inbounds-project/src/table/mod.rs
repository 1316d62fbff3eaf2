//! Tables of counts by several attributes, of which margins were measured.
//!
//! Any set of margins may be measured, the table itself among them or not. The linear fit is a closed form, and the
//! nonnegative fit goes from the total down, margin by margin, so that the mass that zero cuts off in small cells never
//! moves the total. Tables of two attributes are settled together with their rows and columns, of which empty cells say
//! much.
//!
//! - [`Axes`], [`TableSystem`]: sets of attributes, and their measurements;
//! - [`linear()`]: the unbiased fit; [`top_down()`]: the fit that is not negative, and whole on request;
//!   [`shrunk_from`]: the same with small numbers shrunk towards zero;
//! - [`tree`]: a table at every node of a tree;
//! - [`MarginVariances`]: the errors of the linear fit, before anything is measured; [`ResidualPlan`]: what to measure
//!   so that they are least.

mod aims;
mod axes;
mod controlled_rounding;
mod dual_newton;
mod linear;
mod residuals;
mod runs;
mod settled;
mod shrunk;
mod system;
mod thresholds;
mod top_down;
pub mod tree;
mod variances;

pub use axes::{Axes, parts};
pub use linear::{FittedMargin, linear, off_means};
pub use residuals::ResidualPlan;
pub use shrunk::shrunk_from;
pub use system::{MOST_CELLS, MeasuredMargin, TableQueries, TableSystem};
pub use top_down::{TableNumbers, TableRefusal, TableSolution, check, top_down, top_down_from};
pub use variances::MarginVariances;
