//! The cheapest way to round, as a flow of units over arcs that each carry one unit or none.
//!
//! Every cell first goes the cheaper way; that leaves nodes with too much or too little. Each unit is then sent along a
//! shortest path, until nothing is left.
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
        state.send_one()?;
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

    /// Sends one unit from a node with too much to the nearest that lacks one.
    fn send_one(&mut self) -> Result<(), Vec<usize>> {
        let nodes = self.lacks.len();
        let (mut distance, mut by, mut done) = (vec![f64::INFINITY; nodes], vec![None; nodes], vec![false; nodes]);
        let mut heap = BinaryHeap::new();
        for node in (0..nodes).filter(|&node| self.lacks[node] < 0.0) {
            distance[node] = 0.0;
            heap.push(Reverse(Step { distance: 0.0, node }));
        }
        let mut target = None;
        while let Some(Reverse(Step { node, .. })) = heap.pop() {
            if std::mem::replace(&mut done[node], true) {
                continue;
            }
            if self.lacks[node] > 0.0 {
                target = Some(node);
                break;
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
        let Some(target) = target else {
            let reached: Vec<usize> = (0..nodes).filter(|&node| done[node]).collect();
            return Err(if reached.is_empty() {
                (0..nodes).filter(|&i| self.lacks[i] > 0.0).collect()
            } else {
                reached
            });
        };
        for node in 0..nodes {
            self.potentials[node] += distance[node].min(distance[target]);
        }
        self.lacks[target] -= 1.0;
        let mut node = target;
        while let Some(arc) = by[node] {
            let Arc { cell, from, to, .. } = self.arcs[arc];
            node = if node == to { from } else { to };
            self.up[cell] = !self.up[cell];
        }
        self.lacks[node] += 1.0;
        Ok(())
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
