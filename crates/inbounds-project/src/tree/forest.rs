//! One fact for each tree of a forest, such as the size of its largest number.
//!
//! Trees of one input are independent problems: the size of one must not decide how another is rounded. Positions are
//! in breadth-first order, so one pass over the inner positions passes on, from parent to child, which tree each
//! belongs to.

use crate::constraint::tree::Tree;

/// A fact about each tree, looked up by position.
pub(super) struct PerTree<T> {
    facts: Vec<T>,
    /// The tree of each position of the head; empty if there is one tree.
    tree_of: Vec<u32>,
}

impl<T: Copy> PerTree<T> {
    /// One fact, of the one tree.
    pub(super) fn one(fact: T) -> Self {
        Self { facts: vec![fact], tree_of: Vec::new() }
    }

    /// Starts from what each root says and takes in what each inner position says.
    pub(super) fn gathered(
        tree: &Tree,
        of_root: impl Fn(usize) -> T,
        of_inner: impl Fn(usize) -> T,
        together: impl Fn(T, T) -> T,
    ) -> Self {
        let mut facts: Vec<T> = tree.roots().map(of_root).collect();
        let several = facts.len() > 1;
        let mut tree_of: Vec<u32> = if several { (0..tree.head() as u32).collect() } else { Vec::new() };
        for position in tree.inner() {
            let own = if several { tree_of[position] } else { 0 };
            let fact = &mut facts[own as usize];
            *fact = together(*fact, of_inner(position));
            if several {
                let children = tree.children(position);
                let end = children.end.min(tree.head());
                tree_of[children.start.min(end)..end].fill(own);
            }
        }
        Self { facts, tree_of }
    }

    /// The fact about the tree of a root or of a position of the head.
    pub(super) fn at(&self, position: usize) -> T {
        match (&self.facts[..], self.tree_of.get(position)) {
            ([fact], _) => *fact,
            (facts, Some(&tree)) => facts[tree as usize],
            // A root without children behind the head.
            (facts, None) => facts[position],
        }
    }

    pub(super) fn map<U>(self, to: impl Fn(T) -> U) -> PerTree<U> {
        PerTree { facts: self.facts.into_iter().map(to).collect(), tree_of: self.tree_of }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.facts.iter().copied()
    }
}
