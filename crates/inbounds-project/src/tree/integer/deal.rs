//! Windows of totals with their increments, and dealing a total out to the children.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::{super::feasible::Reach, interval};
use crate::constraint::tree::TreeSystem;

/// The totals of one inner node that are looked at: `low` and one more for each increment.
#[derive(Debug, Clone, Copy, Default)]
struct Window {
    low: f64,
    begin: usize,
    end: usize,
}

/// A unit that a child can take, or give back, and what it costs, or saves.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    cost: f64,
    child: usize,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.child.cmp(&other.child))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The windows of all inner nodes, and the increments in them.
pub(super) struct Windows<'a> {
    system: &'a TreeSystem,
    reach: &'a [Reach],
    center: &'a [f64],
    prices: &'a [f64],
    windows: Vec<Window>,
    increments: Vec<f64>,
    /// Whether some node has no total that its children can make within their windows.
    apart: bool,
}

impl<'a> Windows<'a> {
    /// Bottom-up, `radius` totals to either side of `center`; children respond to `prices` first.
    pub(super) fn new(
        system: &'a TreeSystem,
        reach: &'a [Reach],
        center: &'a [f64],
        prices: &'a [f64],
        radius: f64,
    ) -> Self {
        let windows = vec![Window::default(); system.tree().head()];
        let mut all = Self { system, reach, center, prices, windows, increments: Vec::new(), apart: false };
        let mut buffers = Buffers::default();
        for position in system.tree().inner().rev() {
            all.open(position, radius, &mut buffers);
        }
        all
    }

    /// The optimum within the windows, by position; none if there is no total that all can make.
    pub(super) fn deal(&self) -> Option<Vec<f64>> {
        if self.apart {
            return None;
        }
        let tree = self.system.tree();
        let mut out = Vec::with_capacity(tree.nodes());
        for root in tree.roots() {
            out.push(self.respond(root, 0.0));
        }
        let mut buffers = Buffers::default();
        for position in tree.inner() {
            let total = out[position];
            let begin = out.len();
            self.respond_all(position, &mut out);
            let children = &mut out[begin..];
            let rest = total - children.iter().sum::<f64>();
            if self.walk(position, rest, children, &mut buffers) < rest.abs() {
                return None;
            }
        }
        Some(out)
    }

    /// The window of one inner position and its increments.
    fn open(&mut self, position: usize, radius: f64, buffers: &mut Buffers) {
        let (least, most) = self.range(position);
        let low = (self.center[position].floor() - radius).max(least).min(most);
        let high = (self.center[position].ceil() + radius).min(most).max(least);
        let mut responses = std::mem::take(&mut buffers.responses);
        responses.clear();
        self.respond_all(position, &mut responses);
        let total: f64 = responses.iter().sum();
        buffers.kept.clone_from(&responses);
        let down = self.walk(position, (low - total).min(0.0), &mut responses, buffers);
        let begin = self.increments.len();
        let reached = total - down;
        self.increments.extend(buffers.costs.iter().rev());
        responses.clone_from(&buffers.kept);
        let up = self.walk(position, (high - total).max(0.0), &mut responses, buffers);
        self.increments.extend(&buffers.costs);
        buffers.responses = responses;
        self.cut(position, begin, (reached, total + up), (low, high));
    }

    /// Keeps those increments of totals in `reached`, from `begin` on, that lie in `wanted`; adds the node's own cost.
    fn cut(&mut self, position: usize, begin: usize, reached: (f64, f64), wanted: (f64, f64)) {
        let (low, high) = (reached.0.max(wanted.0), reached.1.min(wanted.1));
        if low > high {
            self.apart = true;
            return;
        }
        let skip = (low - reached.0) as usize;
        let length = (high - low) as usize;
        self.increments.copy_within(begin + skip..begin + skip + length, begin);
        self.increments.truncate(begin + length);
        for (index, increment) in self.increments[begin..].iter_mut().enumerate() {
            *increment += marginal(self.system, position, low + index as f64 + 0.5);
        }
        self.windows[position] = Window { low, begin, end: begin + length };
    }

    /// Totals that a position can have at all.
    fn range(&self, position: usize) -> (f64, f64) {
        match self.reach.get(position) {
            Some(reach) => (reach.low, reach.high),
            None => interval(self.system, position),
        }
    }

    fn is_inner(&self, position: usize) -> bool {
        !self.system.tree().is_leaf(position)
    }

    /// A whole number for a position near its best at a price; for a leaf, near its best at the optimum's price.
    fn respond(&self, position: usize, price: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, end } = self.windows[position];
            return low + self.increments[begin..end].partition_point(|&increment| increment <= price) as f64;
        }
        let (lower, upper) = interval(self.system, position);
        nearest(self.center[position]).max(lower).min(upper)
    }

    /// The children's responses to the price of a position, into `out`: optimal for their total.
    fn respond_all(&self, position: usize, out: &mut Vec<f64>) {
        let begin = out.len();
        let children = self.system.tree().children(position);
        let first = children.start;
        out.extend(children.map(|child| self.respond(child, self.prices[position])));
        let responses = &mut out[begin..];
        loop {
            let mut cheapest = Step { cost: f64::INFINITY, child: 0 };
            let mut dearest = Step { cost: f64::NEG_INFINITY, child: 0 };
            for (child, &at) in responses.iter().enumerate() {
                let (cost, saving) = (self.cost(first + child, at), self.saving(first + child, at));
                cheapest = if cost < cheapest.cost { Step { cost, child } } else { cheapest };
                dearest = if saving > dearest.cost { Step { cost: saving, child } } else { dearest };
            }
            if dearest.cost <= cheapest.cost {
                return;
            }
            // Only rounding of prices leads here, and each exchange lowers the cost.
            responses[cheapest.child] += 1.0;
            responses[dearest.child] -= 1.0;
        }
    }

    /// Takes the cheapest `rest` steps (gives back the dearest, if negative), leaving their costs in `buffers.costs`.
    /// Returns how many there were.
    fn walk(&self, position: usize, rest: f64, children: &mut [f64], buffers: &mut Buffers) -> f64 {
        buffers.costs.clear();
        if rest > 0.0 {
            self.take(position, rest, children, buffers)
        } else if rest < 0.0 {
            self.give_back(position, -rest, children, buffers)
        } else {
            0.0
        }
    }

    fn take(&self, position: usize, steps: f64, children: &mut [f64], buffers: &mut Buffers) -> f64 {
        let first = self.system.tree().children(position).start;
        let mut open = std::mem::take(&mut buffers.open);
        open.clear();
        open.extend(
            children.iter().enumerate().map(|(child, &at)| Reverse(Step { cost: self.cost(first + child, at), child })),
        );
        let mut heap = BinaryHeap::from(open);
        let mut taken = 0.0;
        while taken < steps
            && let Some(mut top) = heap.peek_mut()
            && top.0.cost < f64::INFINITY
        {
            let child = top.0.child;
            buffers.costs.push(top.0.cost);
            children[child] += 1.0;
            taken += 1.0;
            top.0.cost = self.cost(first + child, children[child]);
        }
        buffers.open = heap.into_vec();
        taken
    }

    fn give_back(&self, position: usize, steps: f64, children: &mut [f64], buffers: &mut Buffers) -> f64 {
        let first = self.system.tree().children(position).start;
        let mut open = std::mem::take(&mut buffers.given);
        open.clear();
        open.extend(
            children.iter().enumerate().map(|(child, &at)| Step { cost: self.saving(first + child, at), child }),
        );
        let mut heap = BinaryHeap::from(open);
        let mut given = 0.0;
        while given < steps
            && let Some(mut top) = heap.peek_mut()
            && top.cost > f64::NEG_INFINITY
        {
            let child = top.child;
            buffers.costs.push(top.cost);
            children[child] -= 1.0;
            given += 1.0;
            top.cost = self.saving(first + child, children[child]);
        }
        buffers.given = heap.into_vec();
        given
    }

    /// Cost of one more unit; infinite if there is no room.
    fn cost(&self, position: usize, at: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, end } = self.windows[position];
            return self.increments[begin..end].get((at - low) as usize).copied().unwrap_or(f64::INFINITY);
        }
        if at < interval(self.system, position).1 { marginal(self.system, position, at + 0.5) } else { f64::INFINITY }
    }

    /// Cost saved by one unit less; minus infinity if there is none to give.
    fn saving(&self, position: usize, at: f64) -> f64 {
        if self.is_inner(position) {
            let Window { low, begin, .. } = self.windows[position];
            return if at > low { self.increments[begin + (at - low) as usize - 1] } else { f64::NEG_INFINITY };
        }
        if at > interval(self.system, position).0 {
            marginal(self.system, position, at - 0.5)
        } else {
            f64::NEG_INFINITY
        }
    }
}

/// Derivative of a position's own cost.
fn marginal(system: &TreeSystem, position: usize, at: f64) -> f64 {
    let variance = system.variance[position];
    if variance == 0.0 { 0.0 } else { (at - system.value[position]) / variance }
}

/// Nearest whole number; ties go to the even one.
fn nearest(value: f64) -> f64 {
    const MAGIC: f64 = 1.5 * (1_u64 << 52) as f64;
    if value.abs() < (1_u64 << 51) as f64 { value + MAGIC - MAGIC } else { value.round() }
}

/// Memory used again from node to node.
#[derive(Default)]
struct Buffers {
    responses: Vec<f64>,
    kept: Vec<f64>,
    costs: Vec<f64>,
    open: Vec<Reverse<Step>>,
    given: Vec<Step>,
}
