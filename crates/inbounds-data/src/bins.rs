//! Bins: cells along a number of each row, between edges that are public beforehand.

use crate::{DataError, Missing};

/// A number of each row, sorted into bins between public edges.
///
/// Edges `e_0 < e_1 < ... < e_k` make `k` bins, numbered from 0: bin `i` is `[e_i, e_(i+1))`, and the last one has both
/// its ends. Values outside are clipped into the first or the last bin, infinities too, so every number is in one bin:
/// the one whose number is how many of `e_1, ..., e_(k-1)` are at most the value. A Boolean column counts as 0 and 1.
/// What cannot be read as a number, a null and a NaN are *missing*.
///
/// # Comparison
/// A value is compared as the number it is read as, without rounding: an integer as itself, all else as a double, as a
/// [`Clip`](crate::Clip) reads it. A decimal of up to 15 digits is read as the double nearest to it, and so should an
/// edge be that comes from a decimal: then a cell `0.3` is in the bin that begins at `0.3`, and `0.299999999999999` in
/// the one before. Longer decimals may be rounded onto an edge, and those of Parquet past it by the last bit.
///
/// # Example
/// ```
/// use inbounds_data::{Bins, Missing};
/// let ages = Bins::new("age", vec![0.0, 18.0, 65.0, 120.0], Missing::Drop)?;
/// assert_eq!(ages.len(), 3);
/// let twice = Bins::new("age", vec![0.0, 18.0, 18.0], Missing::Drop).unwrap_err();
/// assert_eq!(twice.to_string(), "bins: edges of `age` must be finite and increasing, got 18 after 18");
/// # Ok::<(), inbounds_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "crate::records::BinsRecord")]
pub struct Bins {
    column: String,
    edges: Vec<f64>,
    missing: Missing,
}

/// Edges are finite, so equality of their doubles is one.
impl Eq for Bins {}

impl Bins {
    /// Bins of `column` (integer, number or Boolean) between `edges`; a row without a number is dropped or put into the
    /// bin with the imputed number.
    ///
    /// # Errors
    /// [`DataError::Edges`] unless the edges are finite and increasing, [`DataError::TooFewEdges`] unless there are
    /// two, [`DataError::ImputedBin`] for an imputed bin that does not exist.
    pub fn new(column: impl Into<String>, edges: Vec<f64>, missing: Missing) -> Result<Self, DataError> {
        let column = column.into();
        let below = |place: usize| place.checked_sub(1).map_or(f64::NEG_INFINITY, |below| edges[below]);
        let increases = |place: &usize| edges[*place].is_finite() && below(*place) < edges[*place];
        if let Some(place) = (0..edges.len()).find(|place| !increases(place)) {
            return Err(DataError::Edges { column, edge: edges[place], below: below(place) });
        }
        let Some(bins) = edges.len().checked_sub(1).filter(|&bins| bins > 0) else {
            return Err(DataError::TooFewEdges { column, edges: edges.len() });
        };
        match missing {
            Missing::Impute(bin) if !usize::try_from(bin).is_ok_and(|bin| bin < bins) => {
                Err(DataError::ImputedBin { column, bin, bins })
            }
            _ => Ok(Self { column, edges, missing }),
        }
    }

    /// Name of the column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The edges, one more than there are bins.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// Treatment of a row without a number.
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// Number of bins, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.edges.len() - 1
    }
}
