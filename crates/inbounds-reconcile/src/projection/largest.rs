//! The largest of many numbers, item by item, without keeping the others.

/// So many rounds of numbers are put off and then taken in together, so that the largest are brought from memory once
/// for all of them.
const PUT_OFF: usize = 8;

/// The `kept` largest numbers noted of each item; rounded up to single precision, zero until `kept` were noted.
#[derive(Debug, Clone)]
pub struct Largest {
    /// Ascending for each item.
    numbers: Vec<f32>,
    kept: usize,
    /// Numbers of all items that are not among these yet, one list for each round.
    put_off: Vec<Vec<f32>>,
}

impl Largest {
    /// Of numbers that are at zero or above.
    pub fn new(items: usize, kept: usize) -> Self {
        Self { numbers: vec![0.0; items * kept], kept, put_off: Vec::new() }
    }

    /// Keeps a number if it is one of the largest of its item.
    pub fn note(&mut self, item: usize, number: f64) {
        keep(&mut self.numbers[item * self.kept..][..self.kept], rounded_up(number));
    }

    /// Notes one number of each item, from the first on.
    pub fn note_each(&mut self, numbers: impl Iterator<Item = f64>) {
        self.put_off.push(numbers.map(rounded_up).collect());
        if self.put_off.len() == PUT_OFF {
            self.settle();
        }
    }

    /// Takes in what was put off, and frees its memory.
    pub(super) fn settle(&mut self) {
        for (item, largest) in self.numbers.chunks_exact_mut(self.kept).enumerate() {
            self.put_off.iter().for_each(|numbers| keep(largest, numbers[item]));
        }
        self.put_off.clear();
    }

    /// The least of the largest of an item.
    pub fn least(&self, item: usize) -> f64 {
        self.after(item, 0)
    }

    /// The number after the `before` least of the largest of an item.
    pub(super) fn after(&self, item: usize, before: usize) -> f64 {
        let mut largest = self.numbers[item * self.kept..][..self.kept].to_vec();
        self.put_off.iter().for_each(|numbers| keep(&mut largest, numbers[item]));
        f64::from(largest[before])
    }

    /// Number of errors that are kept of each item.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }
}

/// Puts a number in its place among the largest, in ascending order, if it is one of them.
#[inline(always)]
fn keep(largest: &mut [f32], number: f32) {
    if number <= largest[0] {
        return;
    }
    let mut at = 0;
    while at + 1 < largest.len() && largest[at + 1] < number {
        largest[at] = largest[at + 1];
        at += 1;
    }
    largest[at] = number;
}

fn rounded_up(number: f64) -> f32 {
    let near = number as f32;
    if f64::from(near) < number { near.next_up() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_kept_in_order() {
        let mut largest = Largest::new(2, 3);
        [5.0, 1.0, 7.0, 5.0, 0.5, 6.0].into_iter().for_each(|number| largest.note(1, number));
        assert_eq!(largest.numbers, [0.0, 0.0, 0.0, 5.0, 6.0, 7.0]);
        assert_eq!((largest.least(0), largest.least(1)), (0.0, 5.0));
        assert!(f64::from(rounded_up(0.1)) >= 0.1);
    }

    #[test]
    fn rounds_that_are_put_off_count() {
        let (mut one_by_one, mut put_off) = (Largest::new(3, 4), Largest::new(3, 4));
        for round in 0..3 * PUT_OFF + 2 {
            let numbers = [round, 7 * round % 11, 40 - round].map(|number| number as f64);
            numbers.into_iter().enumerate().for_each(|(item, number)| one_by_one.note(item, number));
            put_off.note_each(numbers.into_iter());
            assert!((0..3).all(|item| put_off.least(item) == one_by_one.least(item)), "{round}");
        }
        assert_eq!(put_off.least(0), (3 * PUT_OFF - 2) as f64);
        put_off.settle();
        assert!(put_off.put_off.is_empty() && (0..3).all(|item| put_off.least(item) == one_by_one.least(item)));
    }
}
