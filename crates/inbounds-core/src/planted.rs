//! Defects that an audit must find, and the hook that stands where each is planted.
//!
//! The program has none of them. Without the feature `planted-defects`, [`planted`] is a constant `false` and the code
//! behind it is left out. With the feature a defect is there from `plant` until `Planted` is dropped, in the process of
//! the test that calls it; nothing else, no option and no variable of the environment, can plant one, and a release
//! build with the feature does not compile. Under the feature the choice is global state, so that it reaches every
//! thread of the engine.

#[cfg(all(feature = "planted-defects", not(debug_assertions)))]
compile_error!("`planted-defects` is for the tests of the audit: no release build has it");

/// A mistake that others have shipped, or nearly, at the place of this program where it would be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Defect {
    /// Values are clipped at twice their upper bound.
    WrongClip = 1,
    /// Values are clipped before they are rounded, to one step beyond the bound.
    RoundedPastBound,
    /// A stored NaN passes the clip, and becomes a zero that may lie outside the bounds.
    NanPasses,
    /// The scale of values is taken from the largest of the rows.
    RangeFromData,
    /// The condition of a statistic is not applied.
    FilterDropped,
    /// Counts wrap at 256.
    CountWraps,
    /// Sums wrap at 32 bits.
    SumWraps,
    /// A unit keeps a row more than it may.
    BoundOffByOne,
    /// A unit keeps its rows in each group, not in all groups together.
    BoundPerGroup,
    /// A unit whose name has blanks around it is another unit.
    UnitSplit,
    /// Rows without a unit are spread over units of their own.
    UnitMissing,
    /// A table without rows is refused.
    EmptyRefused,
    /// The sensitivity of grouped sums under substitution is that of add-remove.
    SensitivityHalved,
    /// Noise is calibrated to twice the epsilon.
    NoiseTooSmall,
    /// Half of the calibrated noise is added.
    NoiseHalved,
    /// Cells without rows have no noise.
    EmptyCellExact,
    /// Every vector draws the same random words.
    NoiseReused,
    /// The published seed is the word that drew the first noise.
    SeedPublished,
    /// Diagnostics are measured and not paid for.
    DiagnosticsFree,
    /// The exact number of rows stands in the manifest.
    RowsPublished,
    /// Conditions that meet in one number are taken for disjoint.
    TouchingApart,
    /// Learned keys are published from one below the threshold on.
    ThresholdTooLow,
    /// Keys of a space that no row has are never published.
    EmptyKeysWithoutNoise,
    /// A column of whole numbers that the plan declares numbers has the grid of whole numbers, as long as all of its
    /// cells are whole.
    TypesFromCells,
    /// A ledger takes a unit for its own that is made or read in another way.
    UnitReadTwice,
    /// The price of a dead run is given back while its unfinished bundle lies there.
    PartialKept,
}

#[cfg(feature = "planted-defects")]
mod hook {
    use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

    use super::Defect;

    static CHOSEN: AtomicU8 = AtomicU8::new(0);
    static ROWS: AtomicU64 = AtomicU64::new(0);

    /// `true` while a defect is planted.
    pub fn planted(defect: Defect) -> bool {
        CHOSEN.load(Ordering::Relaxed) == defect as u8
    }

    /// A defect, until it is dropped. One at a time.
    pub struct Planted(());

    /// Plants a defect.
    ///
    /// # Panics
    /// If another one is planted.
    pub fn plant(defect: Defect) -> Planted {
        let before = CHOSEN.swap(defect as u8, Ordering::SeqCst);
        assert_eq!(before, 0, "one defect at a time");
        Planted(())
    }

    impl Drop for Planted {
        fn drop(&mut self) {
            CHOSEN.store(0, Ordering::SeqCst);
        }
    }

    /// Keeps the number of rows that were read, for the defects that show it.
    pub fn keep_rows(rows: u64) {
        ROWS.store(rows, Ordering::SeqCst);
    }

    /// The number of rows that was kept.
    pub fn kept_rows() -> u64 {
        ROWS.load(Ordering::SeqCst)
    }
}

#[cfg(not(feature = "planted-defects"))]
mod hook {
    use super::Defect;

    /// Always `false`: no defect is ever planted.
    #[inline(always)]
    pub const fn planted(_: Defect) -> bool {
        false
    }

    /// Keeps nothing.
    #[inline(always)]
    pub const fn keep_rows(_: u64) {}

    /// Nothing was kept.
    #[inline(always)]
    pub const fn kept_rows() -> u64 {
        0
    }
}

#[cfg(feature = "planted-defects")]
pub use hook::{Planted, plant};
pub use hook::{keep_rows, kept_rows, planted};
