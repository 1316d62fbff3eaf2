//! **Not private.** Conditioned Laplace noise at the scale that papers print for it.
//!
//! Liu's truncated Laplace mechanism conditions noise of scale `lambda = Delta / epsilon` on the range. Its privacy
//! loss is not `epsilon` but up to `log(2 e^epsilon - 1)`, since the normaliser depends on the answer
//! ([`continuous_conditioned_loss`](inbounds_mechanisms::calibrate::continuous_conditioned_loss)). The studies need it
//! to draw the papers' curves; no other crate can.

use inbounds_core::CoreError;
use inbounds_mechanisms::{
    bounding::{Conditioned, Range},
    law::Laplace,
};

/// Its name in tables and pictures.
pub(crate) const NAME: &str = "conditioned, published scale (not private)";

/// Laplace noise of scale `Delta / epsilon` conditioned on a range. Not `epsilon`-differentially private.
pub(crate) fn conditioned(epsilon: f64, sensitivity: f64, range: Range) -> Result<Conditioned<Laplace>, CoreError> {
    Ok(Conditioned::new(Laplace::with_scale(sensitivity / epsilon)?, range))
}
