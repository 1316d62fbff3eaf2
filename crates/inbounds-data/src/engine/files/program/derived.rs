//! The parts of a program that make derived columns.

use super::super::bins::BinIndex;
use super::super::derived::{Choice, Maker};
use super::super::{filter, read::Way};
use super::nodes::Node;
use super::{NodeId, Program, possible};
use crate::{DataError, DatePart, Derivation, Kind};

impl<'a> Program<'a> {
    /// Maker of the values of a derived column of this kind, with its inputs.
    pub(super) fn maker(&mut self, rule: &'a Derivation, kind: Kind) -> Result<(Vec<NodeId>, Maker<'a>), DataError> {
        let table = self.table;
        let input = |name: &String| table.column("derived", name);
        Ok(match rule {
            Derivation::Taken { from, part } => {
                let way = if *part == DatePart::Hour { Way::Hour } else { Way::Day };
                (vec![self.read(input(from)?, way)?], Maker::Part(*part))
            }
            Derivation::Elapsed { from, to, unit } => {
                (vec![self.read(input(from)?, Way::Day)?, self.read(input(to)?, Way::Day)?], Maker::Elapsed(*unit))
            }
            Derivation::Cut { from, cuts, classes } => {
                let from = input(from)?;
                let way = if from.kind == Kind::Date { Way::Day } else { Way::Amount };
                let index = BinIndex::between(from.kind, &cuts.as_numbers(), classes.len());
                (vec![self.read(from, way)?], Maker::Cut { index, choice: Choice::of_classes(classes) })
            }
            Derivation::Recoded { from, codes, others } => {
                let from = input(from)?;
                let reader = self.reader(from);
                codes.iter().try_for_each(|(code, _)| possible(&from.name, code, reader))?;
                let column = self.read(from, Way::of_kind(from.kind))?;
                (vec![column], Maker::recode(codes, others.as_ref(), (reader, from.kind))?)
            }
            Derivation::LookedUp { from, keys, to } => {
                let (mut columns, mut readers) = (Vec::new(), Vec::new());
                for (place, name) in from.iter().enumerate() {
                    let from = input(name)?;
                    let reader = self.reader(from);
                    keys.iter().try_for_each(|key| possible(name, &key[place], reader))?;
                    columns.push(self.read(from, Way::of_kind(from.kind))?);
                    readers.push((reader, from.kind));
                }
                (columns, Maker::look_up(from, keys, to, readers)?)
            }
            Derivation::Condition(text) => {
                let condition = filter::filter(text, table, &mut |column, way| self.read(column, way))?;
                (vec![self.node(Node::Condition(condition))], Maker::Truth)
            }
            Derivation::Computed { formula, ranges } => {
                let number = |name: &String| {
                    let column = input(name)?;
                    self.read(column, if column.kind == Kind::Boolean { Way::Truth } else { Way::Number })
                };
                let columns = formula.columns().iter().map(number).collect::<Result<_, _>>()?;
                (columns, Maker::formula(formula, ranges, kind))
            }
        })
    }

    /// The places of the stored columns that a column comes from.
    pub(super) fn stored(&self, place: usize) -> Result<Vec<usize>, DataError> {
        let (mut places, mut seen, mut waiting) = (Vec::new(), vec![false; self.table.columns.len()], vec![place]);
        while let Some(place) = waiting.pop() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            match self.table.derived(place) {
                None => places.push(place),
                Some(rule) => {
                    for name in rule.inputs()? {
                        waiting.push(self.table.place(self.table.column("derived", &name)?));
                    }
                }
            }
        }
        Ok(places)
    }
}
