//! Cells that are not listed in advance: which of them are published, and the errors and intervals of a published one
//! (partition selection).
//!
//! # The mechanism
//! A cell is any key that at least one row has. Its count `n >= 1` gets discrete Laplace noise `Z` of inverse scale
//! `tau = epsilon / l1`, and key and measurement `y = n + Z` are published if `y >= T`. Of all other cells nothing is
//! published, not even how many there are; for keys that no row has, no noise is drawn.
//!
//! The noise is of a [`KeyNoise`]. Noise with ends ([`EndedNoise`]) has a lower threshold at the same price, and as its
//! count costs nothing beside the choice of its key, no part of epsilon is kept for counts.
//!
//! # The guarantee of noise with ends
//! With `T` above the largest noise a cell without rows would never be published, whatever its noise. So all keys that
//! can be may be thought to have noise, and leaving out counts below `T` is post-processing of counts with noise: see
//! [`EndedNoise`] for one cell, and [`NewCells`] for all cells of a unit. Claims: `ended-noise`,
//! `optimal-key-selection`.
//!
//! # The guarantee of noise without end
//! [`NewCells`] bounds the cells that exist by the rows of one unit alone. With the largest probability `delta(T)` that
//! any of them is published, the published set of (key, measurement) keeps `(epsilon, delta(T))` under both relations.
//!
//! *Proof.* Let `D` and `D'` be neighbours, `C` the cells that exist in both, `f` and `f'` the published part of `C`,
//! and `A`, `A'` the events that of the other cells of `D`, of `D'`, none is published. Noise is independent between
//! cells, so `A` is independent of `f`. The counts of `C` differ by at most `l1` in all, and leaving cells out is
//! post-processing, so `P(f in S) <= e^epsilon P(f' in S)` and the reverse. For a set `S` of outputs let `S0` be its
//! outputs with keys of `C` alone, and `x = P(f in S0)`, `x' = P(f' in S0)`, `p = P(A)`, `p' = P(A')`. Then
//!
//! ```text
//! P(M(D) in S) <= p x + 1 - p,      P(M(D') in S) >= p' x',      x <= e^epsilon x'
//! P(M(D) in S) - e^epsilon P(M(D') in S) <= p x + 1 - p - p' x = 1 - p + (p - p') x <= 1 - min(p, p') <= delta(T),
//! ```
//!
//! because `0 <= x <= 1`. A cell that exists in one neighbour only has rows of one unit only, under add-remove those of
//! the unit that is there, under substitution those of either, so `1 - p` and `1 - p'` are at most `delta(T)`. It is
//! attained: where `D` is empty, `M(D)` publishes nothing, and `M(D')` something with probability `1 - p'`. Claim:
//! `learned-keys`.
//!
//! # Without delta
//! Where all keys that can be are public, `D` of them, every one gets noise, whether a row has it or not: discrete
//! Laplace noise on all counts, which keeps `epsilon` alone, and of which leaving cells out is post-processing. That
//! `D` may be 2^63 costs no time ([`KeySelection::select_of_space`]): of the `m` cells without rows a number `K` with
//! the binomial law of `m` and `p = P(Z >= T) = a^T / (1 + a)` reaches the threshold, any `K` of them with the same
//! probability, and, because the tail has no memory, each with `T` and a geometric number more. `T` is the least at
//! which `D p`, which bounds the expected number of published cells without rows, is at most a number that the caller
//! names. Claim: `learned-keys-of-space`.
//!
//! # What is known of a published count
//! Being published is part of the output, so interval, bias and error are those given `Y >= T`; see
//! [`KeySelection::interval`] and
//! [`KeySelection::error_at`].
//!
//! # References
//! Optimal selection: Desfontaines, Voss, Gipson and Mandayam, *Differentially private partition selection*, 2022. The
//! threshold on new keys: Korolova, Kenthapadi, Mishra and Ntoulas, *Releasing search queries and clicks privately*,
//! 2009. Sparse histograms without delta: Cormode, Procopiuc, Srivastava and Tran, *Differentially private summaries
//! for sparse data*, 2012, in real numbers; Kerschbaum, Lee and Wu, *Optimal pure differentially private sparse
//! histograms in near-linear deterministic time*, 2025, for a time that the rows do not decide, which this is not.

mod candidates;
mod ended;
mod kind;
mod learned;
mod mechanism;
mod new_cells;
mod space;

pub use candidates::KeyCandidates;
pub use ended::EndedNoise;
pub use kind::KeyNoise;
pub use learned::{KeySelection, PublishedCell};
pub use new_cells::NewCells;
pub use space::RankedCell;
