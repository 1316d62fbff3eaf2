//! The cheapest way to round, as a flow of units over arcs that each carry one unit or none.
//!
//! **Idea.** Every cell first goes the cheaper way; that leaves nodes with too much or too little. From each node with
//! too much a unit is then sent along the shortest path to the nearest that lacks one, until nothing is left. Cells
//! near a half turn at the least cost, so the ways from a node are sorted by cost, and a search reads only those that
//! are shorter than the path that is known: of tens of thousands of cells some dozens.
//!
//! **Invariant.** The rounding is always the cheapest among those with the same imbalance: at the current potentials no
//! exchange along an arc gains anything. A shortest path keeps this true, and the potentials keep all lengths
//! nonnegative, so that Dijkstra's method finds it (Ahuja, Magnanti and Orlin 1993, section 9.7). Potentials start at
//! zero and only sink, so that no way from a node is shorter than its cost at the potential of the node.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::network::Network;

/// A cheapest rounding.
pub(super) struct Exchange {
    /// True for each cell that is rounded up.
    pub(super) up: Vec<bool>,
    /// The most that an exchange along one arc would gain at the final potentials: zero, up to rounding, at the
    /// optimum.
    pub(super) gain: f64,
}

/// Rounds every cell with a cost up or down.
///
/// # Errors
/// Nodes of a cut that no rounding satisfies.
pub(super) fn cheapest(network: &Network, down: &[f64], costs: &[Option<f64>]) -> Result<Exchange, Vec<usize>> {
    let mut up: Vec<bool> = costs.iter().map(|cost| cost.is_some_and(|cost| cost < 0.0)).collect();
    let mut state = State::cheapest_alone(network, down, costs, &up);
    let mut search = Search::new(state.lacks.len());
    for source in 0..state.lacks.len() {
        while state.lacks[source] < 0.0 {
            search.send(&mut state, source)?;
        }
    }
    let nodes = 0..state.lacks.len();
    let lacking: Vec<usize> = nodes.filter(|&node| state.lacks[node] > 0.0).collect();
    if !lacking.is_empty() {
        return Err(lacking);
    }
    let turned = state.arcs.iter().filter(|arc| arc.turned);
    turned.for_each(|arc| up[arc.cell] = !up[arc.cell]);
    Ok(Exchange { gain: state.largest_gain(), up })
}

/// A cell that may turn from the cheaper way to the other one. That moves a unit from its tail to its head, and turning
/// back moves it back and refunds the cost.
struct Arc {
    cell: usize,
    tail: usize,
    head: usize,
    /// Cost of a turn; never negative.
    cost: f64,
    turned: bool,
}

/// An arc as seen from its tail: all that a search reads of most of them.
struct Way {
    cost: f64,
    head: u32,
    arc: u32,
}

struct State {
    arcs: Vec<Arc>,
    /// The arcs of which each node is the tail, cheapest first.
    ways: Vec<Vec<Way>>,
    /// The turned arcs of which each node is the head.
    turned: Vec<Vec<usize>>,
    /// Unmet demand of each node; negative where it has too much.
    lacks: Vec<f64>,
    /// Never positive.
    potentials: Vec<f64>,
}

impl State {
    fn cheapest_alone(network: &Network, down: &[f64], costs: &[Option<f64>], up: &[bool]) -> Self {
        let nodes = network.demands.len();
        let (mut lacks, mut arcs) = (network.demands.clone(), Vec::new());
        let mut ways: Vec<Vec<Way>> = (0..nodes).map(|_| Vec::new()).collect();
        for (cell, arc) in network.arcs.iter().enumerate() {
            let Some((from, to)) = *arc else { continue };
            let value = down[cell] + if up[cell] { 1.0 } else { 0.0 };
            lacks[to] -= value;
            lacks[from] += value;
            if let Some(cost) = costs[cell] {
                let (tail, head) = if up[cell] { (to, from) } else { (from, to) };
                ways[tail].push(Way { cost: cost.abs(), head: head as u32, arc: arcs.len() as u32 });
                arcs.push(Arc { cell, tail, head, cost: cost.abs(), turned: false });
            }
        }
        for ways in &mut ways {
            ways.sort_unstable_by(|one, other| one.cost.total_cmp(&other.cost).then(one.arc.cmp(&other.arc)));
        }
        Self { arcs, ways, turned: vec![Vec::new(); nodes], lacks, potentials: vec![0.0; nodes] }
    }

    /// Turns an arc, or turns it back.
    fn turn(&mut self, index: usize) {
        let arc = &mut self.arcs[index];
        arc.turned = !arc.turned;
        let turned = &mut self.turned[arc.head];
        if arc.turned {
            turned.push(index);
        } else {
            turned.retain(|other| *other != index);
        }
    }

    fn largest_gain(&self) -> f64 {
        let length = |arc: &Arc| arc.cost + self.potentials[arc.tail] - self.potentials[arc.head];
        let gain = |arc: &Arc| if arc.turned { length(arc) } else { -length(arc) };
        self.arcs.iter().map(gain).fold(0.0, f64::max)
    }
}

/// Shortest paths from one node, with room that is used again.
struct Search {
    /// Distance of each node; infinite if no path is known.
    distance: Vec<f64>,
    /// The same with the potential of the node added.
    label: Vec<f64>,
    /// The last arc on the path to each node.
    by: Vec<Option<usize>>,
    /// Nodes with a path.
    reached: Vec<usize>,
    /// Nodes whose path is the shortest.
    done: Vec<usize>,
    is_done: Vec<bool>,
    heap: BinaryHeap<Reverse<Step>>,
    /// Distance of the nearest node with unmet demand, as far as paths are known.
    nearest: f64,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Self {
            distance: vec![f64::INFINITY; nodes],
            label: vec![f64::INFINITY; nodes],
            by: vec![None; nodes],
            reached: Vec::new(),
            done: Vec::new(),
            is_done: vec![false; nodes],
            heap: BinaryHeap::new(),
            nearest: f64::INFINITY,
        }
    }

    /// Sends a unit from a node with too much to the nearest that lacks one.
    ///
    /// # Errors
    /// The nodes that can be reached, where none of them lacks anything.
    fn send(&mut self, state: &mut State, source: usize) -> Result<(), Vec<usize>> {
        self.clear();
        self.reach(state, source, 0.0, None);
        let target = self.run(state).ok_or_else(|| self.reached.clone())?;
        let furthest = self.distance[target];
        // Those that are further sink by as much as all others rise: not at all.
        for &node in &self.done {
            state.potentials[node] += self.distance[node] - furthest;
        }
        // Turn the arcs of the path, from its end to the source.
        let mut node = target;
        while let Some(index) = self.by[node] {
            let Arc { tail, head, .. } = state.arcs[index];
            node = if node == head { tail } else { head };
            state.turn(index);
        }
        state.lacks[target] -= 1.0;
        state.lacks[source] += 1.0;
        Ok(())
    }

    /// The nearest node that lacks something.
    fn run(&mut self, state: &State) -> Option<usize> {
        while let Some(Reverse(Step { node, .. })) = self.heap.pop() {
            if std::mem::replace(&mut self.is_done[node], true) {
                continue;
            }
            if state.lacks[node] > 0.0 {
                return Some(node);
            }
            // Relax the arcs out of the node, cheapest first, and the turned arcs back.
            self.done.push(node);
            let from = self.distance[node] + state.potentials[node];
            for way in &state.ways[node] {
                if from + way.cost >= self.nearest {
                    break;
                }
                let (head, arc) = (way.head as usize, way.arc as usize);
                if from + way.cost < self.label[head] && !state.arcs[arc].turned {
                    self.try_reach(state, (node, head), from + way.cost, arc);
                }
            }
            for &index in &state.turned[node] {
                let arc = &state.arcs[index];
                self.try_reach(state, (node, arc.tail), from - arc.cost, index);
            }
        }
        None
    }

    /// Notes a path to a node if it is the shortest that is known; `length` is without the potential of the node.
    /// Rounding makes no step shorter than nothing.
    fn try_reach(&mut self, state: &State, (from, to): (usize, usize), length: f64, arc: usize) {
        let reach = (length - state.potentials[to]).max(self.distance[from]);
        if reach < self.distance[to] {
            self.reach(state, to, reach, Some(arc));
        }
    }

    fn reach(&mut self, state: &State, node: usize, distance: f64, by: Option<usize>) {
        if self.distance[node] == f64::INFINITY {
            self.reached.push(node);
        }
        (self.distance[node], self.by[node]) = (distance, by);
        self.label[node] = distance + state.potentials[node];
        self.heap.push(Reverse(Step { distance, node }));
        if state.lacks[node] > 0.0 {
            self.nearest = self.nearest.min(distance);
        }
    }

    fn clear(&mut self) {
        for node in self.reached.drain(..) {
            (self.distance[node], self.label[node]) = (f64::INFINITY, f64::INFINITY);
            (self.by[node], self.is_done[node]) = (None, false);
        }
        self.done.clear();
        self.heap.clear();
        self.nearest = f64::INFINITY;
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
