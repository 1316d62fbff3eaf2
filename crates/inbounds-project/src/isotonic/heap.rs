//! Heaps that merge quickly: leftist heaps (Crane 1972) in one arena, without recursion.
//!
//! **Invariant.** No key is larger than that of its parent, and no left child has a smaller rank than the right one, so
//! a right spine has at most `log2(n + 1)` cells; merging walks down right spines only.

/// For each cell, its children in the heap that holds it, and its rank (length of the right spine).
pub(super) struct Heaps {
    children: Vec<[Option<usize>; 2]>,
    rank: Vec<u32>,
}

impl Heaps {
    /// One heap of one cell for each of `cells`.
    pub(super) fn singletons(cells: usize) -> Self {
        Self { children: vec![[None; 2]; cells], rank: vec![1; cells] }
    }

    /// The heap without its root.
    pub(super) fn pop(&mut self, root: usize, key: impl Fn(usize) -> f64) -> Option<usize> {
        let [left, right] = std::mem::take(&mut self.children[root]);
        self.rank[root] = 1;
        self.merge(left, right, key)
    }

    /// One heap of two, the largest key at its root, in `O(log n)`: right spines have logarithmic length.
    pub(super) fn merge(
        &mut self,
        first: Option<usize>,
        second: Option<usize>,
        key: impl Fn(usize) -> f64,
    ) -> Option<usize> {
        let (mut spine, mut first, mut second) = (Vec::new(), first, second);
        while let (Some(a), Some(b)) = (first, second) {
            let (top, rest) = if key(a) >= key(b) { (a, b) } else { (b, a) };
            spine.push(top);
            first = self.children[top][1];
            second = Some(rest);
        }
        let mut merged = first.or(second);
        for top in spine.into_iter().rev() {
            let left = self.children[top][0];
            let ranks = [left, merged].map(|child| child.map_or(0, |child| self.rank[child]));
            self.children[top] = if ranks[0] >= ranks[1] { [left, merged] } else { [merged, left] };
            self.rank[top] = 1 + ranks[0].min(ranks[1]);
            merged = Some(top);
        }
        merged
    }
}
