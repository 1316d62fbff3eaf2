//! The cheapest way to round where measurements are whole, which makes all costs whole.
//!
//! **Idea.** A projection moves a whole measurement of a cell by the multipliers of its rows. Costs of rounding up are
//! therefore whole multiples of two once a number of each node, its offset, is added: reduced costs, which differ by a
//! constant for all roundings with the right sums. They are about -1, 0 and 1, and thousands of arcs cost the same. So
//! units are not sent one at a time: the nodes with too much are searched from together, by distance (Dial 1969), and
//! all that shortest paths can carry is sent along them at once (Dinic 1970), until nothing is left. Successive
//! shortest paths, one for a unit, would each scan most of the arcs. Of arcs that cost the same those that are tried
//! first are taken, so they are tried in an order that is drawn from the demands, anew for every problem: otherwise
//! some places of a table would be rounded up more often than others.
//!
//! **Invariant.** As in `flow`: at the current potentials no exchange along an arc gains anything. The potentials are
//! whole, and so is the arithmetic (Ahuja, Magnanti and Orlin 1993, section 9.8, the primal-dual algorithm).

use std::collections::VecDeque;

use super::{flow::Exchange, network::Network};

/// Costs beyond this are left to `flow`; those of a projection are below 3.
const DEAREST: f64 = 64.0;

/// Networks beyond this are left to `flow`, so that distances are below `2^31`.
const MOST: usize = 1 << 24;

/// Rounds every cell with a cost up or down if reduced costs are whole multiples of two up to `near`. Then the rounding
/// is the cheapest at the costs without that remainder, so that it costs at most `2 near` a cell more than the
/// cheapest.
///
/// None if reduced costs are not whole, or if no rounding satisfies the demands.
pub(super) fn cheapest(network: &Network, down: &[f64], costs: &[Option<f64>], near: f64) -> Option<Exchange> {
    if network.demands.len() > MOST || costs.len() > i32::MAX as usize {
        return None;
    }
    let mut flow = Flow::new(network, costs);
    let reduced_costs = integer_costs(network, costs, &flow.offsets(costs), near)?;
    flow.set_costs(network, down, costs, &reduced_costs);
    while flow.lacks.iter().any(|lack| *lack < 0.0) {
        if !flow.measure() {
            return None;
        }
        while let Some(levels) = flow.levels() {
            flow.send(&levels);
        }
    }
    let settled = flow.lacks.iter().all(|lack| *lack == 0.0);
    settled.then(|| Exchange { gain: flow.largest_gain(), up: flow.up })
}

/// The reduced costs of rounding up, in units of two; none if they are not whole up to `near`.
fn integer_costs(network: &Network, costs: &[Option<f64>], offsets: &[f64], near: f64) -> Option<Vec<i32>> {
    let reduced = |(arc, cost): (&Option<(usize, usize)>, &Option<f64>)| {
        let (Some((from, to)), Some(cost)) = (*arc, *cost) else { return Some(0) };
        let cost = (cost + offsets[from] - offsets[to]) / 2.0;
        let is_whole = (cost - cost.round()).abs() <= near && cost.abs() <= DEAREST;
        is_whole.then(|| cost.round() as i32)
    };
    network.arcs.iter().zip(costs).map(reduced).collect()
}

/// Numbers that look random and are the same for the same problem.
struct Mixed(u64);

impl Mixed {
    fn from_numbers(numbers: &[f64]) -> Self {
        let mut mixed = Self(0);
        numbers.iter().for_each(|number| mixed.step(number.to_bits()));
        mixed
    }

    fn step(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^= self.0 >> 29;
    }

    /// The same items in another order (Knuth 1997, section 3.4.2, algorithm P).
    fn shuffled<T>(&mut self, mut items: Vec<T>) -> Vec<T> {
        for end in (1..items.len()).rev() {
            self.step(0);
            let place = ((self.0 >> 32) * (end as u64 + 1)) >> 32;
            items.swap(end, place as usize);
        }
        items
    }
}

/// An arc as seen from one of its ends: rounding its cell up from the tail, rounding it down again from the head.
#[derive(Clone, Copy, Default)]
struct Way {
    other: u32,
    /// The cell, and the bit `BACK` at the head.
    cell: u32,
    cost: i32,
}

const BACK: u32 = 1 << 31;

impl Way {
    fn cell(self) -> usize {
        (self.cell & !BACK) as usize
    }

    fn is_back(self) -> bool {
        self.cell & BACK != 0
    }
}

struct Flow {
    /// The ways of a node are those from `begins[node]` to `begins[node + 1]`.
    begins: Vec<usize>,
    ways: Vec<Way>,
    /// True for each cell that is rounded up.
    up: Vec<bool>,
    /// Unmet demand of each node; negative where it has too much.
    lacks: Vec<f64>,
    potentials: Vec<i32>,
    /// In which nodes with too much are tried.
    order: Mixed,
}

impl Flow {
    /// The arcs of cells that can be rounded, without costs.
    fn new(network: &Network, costs: &[Option<f64>]) -> Self {
        let nodes = network.demands.len();
        let cells = network.arcs.iter().zip(costs).enumerate();
        let arcs = cells.filter_map(|(cell, (arc, cost))| cost.and(*arc).map(|arc| (cell, arc)));
        let mut order = Mixed::from_numbers(&network.demands);
        let arcs: Vec<(usize, (usize, usize))> = order.shuffled(arcs.collect());
        let mut begins = vec![0; nodes + 1];
        for &(_, (from, to)) in &arcs {
            begins[from + 1] += 1;
            begins[to + 1] += 1;
        }
        for node in 0..nodes {
            begins[node + 1] += begins[node];
        }
        let (mut next, mut ways) = (begins.clone(), vec![Way::default(); begins[nodes]]);
        for (cell, (from, to)) in arcs {
            for (here, other, bit) in [(from, to, 0), (to, from, BACK)] {
                ways[next[here]] = Way { other: other as u32, cell: cell as u32 | bit, cost: 0 };
                next[here] += 1;
            }
        }
        let (up, lacks) = (vec![false; costs.len()], network.demands.clone());
        Self { begins, ways, up, lacks, potentials: vec![0; nodes], order }
    }

    fn ways(&self, node: usize) -> &[Way] {
        &self.ways[self.begins[node]..self.begins[node + 1]]
    }

    /// Numbers of the nodes, at most 1 in size, that make the costs along a spanning forest multiples of two. If any
    /// numbers do that for all arcs, these do: two that agree on a tree differ by a constant and multiples of two.
    fn offsets(&self, costs: &[Option<f64>]) -> Vec<f64> {
        let mut offsets = vec![f64::NAN; self.lacks.len()];
        let mut queue = VecDeque::new();
        for root in 0..offsets.len() {
            if offsets[root].is_nan() {
                offsets[root] = 0.0;
                queue.push_back(root);
            }
            while let Some(node) = queue.pop_front() {
                for way in self.ways(node) {
                    let other = way.other as usize;
                    if let (true, Some(cost)) = (offsets[other].is_nan(), costs[way.cell()]) {
                        let there = offsets[node] + if way.is_back() { -cost } else { cost };
                        offsets[other] = there - 2.0 * (there / 2.0).round();
                        queue.push_back(other);
                    }
                }
            }
        }
        offsets
    }

    /// Notes the reduced costs and rounds each cell the cheaper way.
    fn set_costs(&mut self, network: &Network, down: &[f64], costs: &[Option<f64>], reduced_costs: &[i32]) {
        for way in &mut self.ways {
            let cost = reduced_costs[way.cell()];
            way.cost = if way.is_back() { -cost } else { cost };
        }
        for (cell, arc) in network.arcs.iter().enumerate() {
            match *arc {
                Some((from, to)) => {
                    self.up[cell] = costs[cell].is_some() && reduced_costs[cell] < 0;
                    let value = down[cell] + if self.up[cell] { 1.0 } else { 0.0 };
                    self.lacks[to] -= value;
                    self.lacks[from] += value;
                }
                None => self.up[cell] = costs[cell].is_some_and(|cost| cost < 0.0),
            }
        }
    }

    /// `true` if the cell can be turned in this direction.
    fn is_open(&self, way: Way) -> bool {
        self.up[way.cell()] == way.is_back()
    }

    /// Cost of a way at the potentials: never negative for an open one.
    fn length(&self, node: usize, way: Way) -> i32 {
        way.cost + self.potentials[node] - self.potentials[way.other as usize]
    }

    /// Raises the potentials by the distances from the nodes with too much, up to that of the nearest which lacks
    /// something. False if there is none.
    fn measure(&mut self) -> bool {
        let mut distances = vec![i32::MAX; self.lacks.len()];
        let mut buckets = vec![self.sources()];
        buckets[0].iter().for_each(|&node| distances[node as usize] = 0);
        let (mut at, mut nearest) = (0, i32::MAX);
        while at < buckets.len() && nearest == i32::MAX {
            // A node is in the bucket of every distance that it had; only the last counts. Ways of length zero add to
            // the bucket itself.
            while let Some(node) = buckets[at].pop() {
                let node = node as usize;
                if distances[node] != at as i32 {
                    continue;
                }
                if self.lacks[node] > 0.0 {
                    nearest = at as i32;
                }
                for &way in self.ways(node).iter().filter(|way| self.is_open(**way)) {
                    let (other, distance) = (way.other as usize, at as i32 + self.length(node, way));
                    if distance < distances[other] {
                        distances[other] = distance;
                        if buckets.len() <= distance as usize {
                            buckets.resize(distance as usize + 1, Vec::new());
                        }
                        buckets[distance as usize].push(other as u32);
                    }
                }
            }
            at += 1;
        }
        if nearest < i32::MAX {
            self.potentials.iter_mut().zip(distances).for_each(|(potential, far)| *potential += far.min(nearest));
        }
        nearest < i32::MAX
    }

    /// The nodes with too much.
    fn sources(&self) -> Vec<u32> {
        let nodes = 0..self.lacks.len();
        nodes.filter(|&node| self.lacks[node] < 0.0).map(|node| node as u32).collect()
    }

    /// Number of ways of length zero from the nodes with too much to each node; `u32::MAX` if that is further than the
    /// nearest node with unmet demand. None if there is no such node.
    fn levels(&self) -> Option<Vec<u32>> {
        let mut levels = vec![u32::MAX; self.lacks.len()];
        let mut queue: VecDeque<usize> = self.sources().into_iter().map(|node| node as usize).collect();
        queue.iter().for_each(|&node| levels[node] = 0);
        let mut nearest = u32::MAX;
        while let Some(node) = queue.pop_front() {
            if self.lacks[node] > 0.0 {
                nearest = nearest.min(levels[node]);
            }
            if levels[node] >= nearest {
                continue;
            }
            for &way in self.ways(node) {
                let other = way.other as usize;
                if levels[other] == u32::MAX && self.length(node, way) == 0 && self.is_open(way) {
                    levels[other] = levels[node] + 1;
                    queue.push_back(other);
                }
            }
        }
        (nearest < u32::MAX).then_some(levels)
    }

    /// Sends units along ways that each lead one level further, until no path of such ways is left.
    fn send(&mut self, levels: &[u32]) {
        // The way of each node that is tried next: what was tried in vain, or has carried its unit, is not tried again.
        let mut next = self.begins.clone();
        let sources = self.sources();
        for source in self.order.shuffled(sources) {
            let source = source as usize;
            while self.lacks[source] < 0.0 {
                let Some((path, target)) = self.path(source, levels, &mut next) else { break };
                self.lacks[source] += 1.0;
                self.lacks[target] -= 1.0;
                for node in path {
                    let cell = self.ways[next[node]].cell();
                    self.up[cell] = !self.up[cell];
                    next[node] += 1;
                }
            }
        }
    }

    /// The nodes of a path, each left by its next way, and the node that lacks something at its end.
    fn path(&self, source: usize, levels: &[u32], next: &mut [usize]) -> Option<(Vec<usize>, usize)> {
        let (mut path, mut node) = (Vec::new(), source);
        while self.lacks[node] <= 0.0 {
            let leads = |way: Way| {
                levels[way.other as usize] == levels[node] + 1 && self.length(node, way) == 0 && self.is_open(way)
            };
            let rest = &self.ways[next[node]..self.begins[node + 1]];
            match rest.iter().position(|way| leads(*way)) {
                Some(skipped) => {
                    next[node] += skipped;
                    path.push(node);
                    node = self.ways[next[node]].other as usize;
                }
                None => {
                    next[node] = self.begins[node + 1];
                    node = path.pop()?;
                    next[node] += 1;
                }
            }
        }
        Some((path, node))
    }

    /// As in `flow`; exact, as all numbers are whole.
    fn largest_gain(&self) -> f64 {
        let nodes = 0..self.lacks.len();
        let open = nodes.flat_map(|node| self.ways(node).iter().map(move |way| (node, *way)));
        let gain = |(node, way)| if self.is_open(way) { -self.length(node, way) } else { 0 };
        2.0 * f64::from(open.map(gain).fold(0, i32::max))
    }
}
