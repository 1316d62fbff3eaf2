//! `interval` and `joint`, of the plan and of its statistics.

use inbounds_core::Rational;
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given};

use crate::plan::IntervalChoice;

const HELP_INTERVAL: &str =
    "write the probability with which an interval is to hold, such as interval = 0.9, or leave it out for 0.95";
const HELP_JOINT: &str =
    "write joint = true for intervals that hold for all numbers of a statistic at once, or leave it out";

/// Keys of a table on intervals.
pub(in crate::plan) struct IntervalDraft {
    pub(in crate::plan) level: Field<Spanned<Rational>>,
    pub(in crate::plan) joint: Field<Spanned<bool>>,
}

impl IntervalDraft {
    /// Reads both keys of a table.
    pub(super) fn read(table: &Table, mistakes: &mut Mistakes) -> Self {
        Self {
            level: table.optional("interval", |item| read_level(&item, mistakes)),
            joint: table.optional("joint", |item| read_joint(&item, mistakes)),
        }
    }

    /// The level, and whether intervals hold at once, for figures that say nothing else.
    pub(super) fn usual(&self) -> (f64, bool) {
        let usual = IntervalChoice::default();
        let level = given(&self.level).map_or(&usual.level, |level| &level.value);
        (level.to_f64(), given(&self.joint).map_or(usual.joint, |joint| joint.value))
    }

    /// The values of these keys, with the defaults for the others.
    pub(super) fn finish(self, usual: &IntervalChoice) -> Result<IntervalChoice, Reported> {
        Ok(IntervalChoice {
            level: self.level?.map_or_else(|| usual.level.clone(), |level| level.value),
            joint: self.joint?.map_or(usual.joint, |joint| joint.value),
        })
    }
}

fn read_level(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let level = item.number(mistakes)?;
    let (least, most) = IntervalChoice::levels();
    if (least..=most).contains(&level.value) {
        Ok(level)
    } else {
        Err(item.refuse("between 0.5 and 0.9999", HELP_INTERVAL, mistakes))
    }
}

fn read_joint(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<bool>, Reported> {
    let joint = item.value.as_bool();
    joint.map(|joint| item.put(joint)).ok_or_else(|| item.refuse("true or false", HELP_JOINT, mistakes))
}
