//! The cheapest way to round, as a flow of units over arcs that each carry one unit or none.
//!
//! Every cell first goes the cheaper way; that leaves nodes with too much or too little. Units are then sent along
//! shortest paths, many in each round, until nothing is left.
//!
//! **Invariant.** The rounding is always the cheapest among those with the same imbalance: at the current potentials no
//! exchange along an arc gains anything. A shortest path keeps this true, and the potentials keep all lengths nonnegative,
//! so that Dijkstra's method finds it (Ahuja, Magnanti and Orlin 1993, section 9.7).

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::network::Network;

/// A cheapest rounding.
pub(super) struct Exchange {
    /// Whether each cell is rounded up.
    pub(super) up: Vec<bool>,
    /// The most that an exchange along one arc would gain at the final potentials: zero, up to rounding, at the optimum.
    pub(super) gain: f64,
}

/// Rounds every cell with a price up or down.
///
/// # Errors
/// Nodes of a cut that no rounding satisfies.
pub(super) fn cheapest(network: &Network, down: &[f64], prices: &[Option<f64>]) -> Result<Exchange, Vec<usize>> {
    let mut state = State::cheapest_alone(network, down, prices);
    while state.lacks.iter().any(|&lack| lack > 0.0) || state.lacks.iter().any(|&lack| lack < 0.0) {
        state.send_some()?;
    }
    Ok(Exchange { gain: state.largest_gain(), up: state.up })
}

struct Arc {
    cell: usize,
    from: usize,
    to: usize,
    price: f64,
}

struct State {
    arcs: Vec<Arc>,
    /// Arcs at each node.
    at: Vec<Vec<usize>>,
    up: Vec<bool>,
    /// What each node lacks of its demand; negative where it has too much.
    lacks: Vec<f64>,
    potentials: Vec<f64>,
}

impl State {
    fn cheapest_alone(network: &Network, down: &[f64], prices: &[Option<f64>]) -> Self {
        let nodes = network.demands.len();
        let (mut lacks, mut at, mut arcs) = (network.demands.clone(), vec![Vec::new(); nodes], Vec::new());
        let up: Vec<bool> = prices.iter().map(|price| price.is_some_and(|price| price < 0.0)).collect();
        for (cell, arc) in network.arcs.iter().enumerate() {
            let Some((from, to)) = *arc else { continue };
            let value = down[cell] + if up[cell] { 1.0 } else { 0.0 };
            lacks[to] -= value;
            lacks[from] += value;
            if let Some(price) = prices[cell] {
                at[from].push(arcs.len());
                at[to].push(arcs.len());
                arcs.push(Arc { cell, from, to, price });
            }
        }
        Self { arcs, at, up, lacks, potentials: vec![0.0; nodes] }
    }

    /// Where an arc can still carry a unit, and for how much: forwards while it is empty, backwards while it is full.
    fn residual(&self, arc: &Arc) -> (usize, usize, f64) {
        let (from, to, price) =
            if self.up[arc.cell] { (arc.to, arc.from, -arc.price) } else { (arc.from, arc.to, arc.price) };
        (from, to, price + self.potentials[from] - self.potentials[to])
    }

    /// Sends units from nodes with too much to the nearest that lack one: one to each of these, along the shortest paths, as far as
    /// no two of them share an arc. After that the arcs of a path cost nothing either way, and those of the others still cost nothing,
    /// so that each path is a shortest one when its turn comes. The first is always free.
    fn send_some(&mut self) -> Result<(), Vec<usize>> {
        let (distance, by, targets) = self.shortest_paths();
        let Some(&furthest) = targets.last() else {
            let nodes = 0..self.lacks.len();
            let reached: Vec<usize> = nodes.clone().filter(|&node| distance[node] < f64::INFINITY).collect();
            return Err(if reached.is_empty() {
                nodes.filter(|&node| self.lacks[node] > 0.0).collect()
            } else {
                reached
            });
        };
        for (potential, distance_of) in self.potentials.iter_mut().zip(&distance) {
            *potential += distance_of.min(distance[furthest]);
        }
        let mut taken = vec![false; self.arcs.len()];
        for target in targets {
            let path = self.path(target, &by);
            let source = path.last().map_or(target, |&(_, before)| before);
            if self.lacks[source] >= 0.0 || path.iter().any(|&(arc, _)| taken[arc]) {
                continue;
            }
            for (arc, _) in path {
                taken[arc] = true;
                let cell = self.arcs[arc].cell;
                self.up[cell] = !self.up[cell];
            }
            self.lacks[target] -= 1.0;
            self.lacks[source] += 1.0;
        }
        Ok(())
    }

    /// How far each node is from those with too much, by which arc, and those that lack something, nearest first.
    fn shortest_paths(&self) -> (Vec<f64>, Vec<Option<usize>>, Vec<usize>) {
        let nodes = self.lacks.len();
        let (mut distance, mut by, mut done) = (vec![f64::INFINITY; nodes], vec![None; nodes], vec![false; nodes]);
        let mut heap = BinaryHeap::new();
        for node in (0..nodes).filter(|&node| self.lacks[node] < 0.0) {
            distance[node] = 0.0;
            heap.push(Reverse(Step { distance: 0.0, node }));
        }
        let wanting = self.lacks.iter().filter(|&&lack| lack > 0.0).count();
        let mut targets = Vec::new();
        while let Some(Reverse(Step { node, .. })) = heap.pop() {
            if std::mem::replace(&mut done[node], true) {
                continue;
            }
            if self.lacks[node] > 0.0 {
                targets.push(node);
                if targets.len() == wanting {
                    break;
                }
            }
            for &arc in &self.at[node] {
                let (from, to, price) = self.residual(&self.arcs[arc]);
                let reach = distance[node] + price.max(0.0);
                if from == node && reach < distance[to] {
                    (distance[to], by[to]) = (reach, Some(arc));
                    heap.push(Reverse(Step { distance: reach, node: to }));
                }
            }
        }
        (distance, by, targets)
    }

    /// The arcs from a node back to where its shortest path begins, each with the node before it.
    fn path(&self, target: usize, by: &[Option<usize>]) -> Vec<(usize, usize)> {
        let mut path = Vec::new();
        let mut node = target;
        while let Some(arc) = by[node] {
            let Arc { from, to, .. } = self.arcs[arc];
            node = if node == to { from } else { to };
            path.push((arc, node));
        }
        path
    }

    fn largest_gain(&self) -> f64 {
        self.arcs.iter().map(|arc| -self.residual(arc).2).fold(0.0, f64::max)
    }
}

/// A node and how far it is; nearer first, ties by name, so that the result does not depend on the heap.
#[derive(PartialEq)]
struct Step {
    distance: f64,
    node: usize,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
