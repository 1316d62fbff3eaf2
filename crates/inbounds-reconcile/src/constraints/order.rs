//! Nodes of which each is at most the next.

use std::collections::HashMap;

use inbounds_input::document::{Item, Mistakes, Reported, Spanned};

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
};
use crate::{
    error::ReconcileError,
    projection::{Demand, Fit, Model, Ordered, Row, Sense, Solver},
};

const HELP: &str = "write order = [[\"smallest\", \"middle\", \"largest\"]], one list for each chain";

pub(super) const KIND: Kind = Kind {
    key: "order",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| any(root.optional(KIND.key, |item| chains(&item, mistakes).map(NamedChains))),
};

#[derive(Debug)]
struct NamedChains(Vec<Vec<Spanned<String>>>);

impl Constraint for NamedChains {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        let noted = placing.mistakes.len();
        let chain = |names: &Vec<Spanned<String>>| names.iter().filter_map(|name| placing.find(name)).collect();
        let chains = Chains(self.0.iter().map(chain).collect());
        if placing.mistakes.len() == noted {
            self.refuse_cycle(&chains, placing);
        }
        placing.demand(Some(chains), |entry| entry.orders = self.0.len());
        Ok(())
    }
}

impl NamedChains {
    /// Notes the first order that closes a cycle: its nodes would all have to be equal, which is not an order.
    fn refuse_cycle(&self, chains: &Chains, placing: &mut Placing) {
        let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
        for (chain, names) in chains.0.iter().zip(&self.0) {
            for (pair, name) in chain.windows(2).zip(&names[1..]) {
                if let Some(path) = path(&next, pair[1], pair[0]) {
                    let shown: Vec<String> =
                        path.iter().take(6).map(|&node| format!("`{}`", placing.sheet.names().name(node))).collect();
                    let message = format!("the order has a cycle: {} <= `{}`", shown.join(" <= "), name.value);
                    return placing.note(
                        &name.span,
                        message,
                        "leave one of them out; an [[equality]] makes nodes equal",
                    );
                }
                next.entry(pair[0]).or_default().push(pair[1]);
            }
        }
    }
}

/// Nodes of which each is at most the next; without cycles.
struct Chains(Vec<Vec<u32>>);

impl Demand for Chains {
    fn rows(&self, _: &Model) -> Vec<Row> {
        let pairs = self.0.iter().flat_map(|chain| chain.windows(2));
        let row = |pair: &[u32]| {
            Row::implied(vec![(pair[0], 1.0), (pair[1], -1.0)], Sense::AtMost, 0.0, |row, name| {
                (row.first(name), format!("must be at most `{}`", row.last(name)))
            })
        };
        pairs.map(row).collect()
    }

    fn solver(&self, model: &Model, is_integer: bool, _: Fit) -> Option<Box<dyn Solver>> {
        Some(Box::new(Ordered::new(model, &self.0, is_integer)?))
    }
}

/// Lists of at least two names.
fn chains(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<Vec<Spanned<String>>>, Reported> {
    let chains = item.list(HELP, mistakes, |chain, mistakes| {
        let names = chain.list(HELP, mistakes, |name, mistakes| name.text(HELP, mistakes))?;
        match names.value.len() {
            1 => Err(chain.refuse("a list of at least two nodes", HELP, mistakes)),
            _ => Ok(names),
        }
    })?;
    Ok(chains.value.into_iter().map(|chain| chain.value).collect())
}

/// Nodes on a way from one to another, both included.
fn path(next: &HashMap<u32, Vec<u32>>, from: u32, to: u32) -> Option<Vec<u32>> {
    let mut before: HashMap<u32, u32> = HashMap::from([(from, from)]);
    let mut waiting = vec![from];
    while let Some(node) = waiting.pop() {
        if node == to {
            let mut path = vec![node];
            while path.last() != Some(&from) {
                path.push(before[&path[path.len() - 1]]);
            }
            path.reverse();
            return Some(path);
        }
        for &after in next.get(&node).into_iter().flatten() {
            before.entry(after).or_insert_with(|| {
                waiting.push(after);
                node
            });
        }
    }
    None
}
