//! Seeded random rows, without a crate: xorshift with a multiplier.

use crate::write::Row;

pub(crate) struct Random(u64);

pub(crate) const STATES: [&str; 5] = ["CA", "NV", "OR", "a state with a long name", "WA"];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(10) > 0).then_some(value)
    }

    pub(crate) fn row(&mut self, units: u64) -> Row {
        let income = match self.below(12) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => -5.5,
            // Eighths: half of them are ties on a grid of quarters.
            _ => self.below(2_000_000) as f64 / 8.0,
        };
        let state = STATES[self.below(5) as usize].to_owned();
        let (age, member, person) = (self.below(90) as i64, self.below(2) == 0, format!("p{}", self.below(units)));
        Row {
            state: self.maybe(state),
            age: self.maybe(age),
            income: self.maybe(income),
            member: self.maybe(member),
            person: self.maybe(person),
        }
    }

    pub(crate) fn rows(&mut self, count: usize, units: u64) -> Vec<Row> {
        (0..count).map(|_| self.row(units)).collect()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
