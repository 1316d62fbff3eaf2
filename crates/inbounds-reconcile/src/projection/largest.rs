//! The largest of many numbers, item by item, without keeping the others.

/// The `kept` largest numbers noted of each item; rounded up to single precision, zero until so many were noted.
#[derive(Debug, Clone)]
pub struct Largest {
    /// Ascending for each item.
    numbers: Vec<f32>,
    kept: usize,
}

impl Largest {
    /// Of numbers that are at zero or above.
    pub fn new(items: usize, kept: usize) -> Self {
        Self { numbers: vec![0.0; items * kept], kept }
    }

    /// Keeps a number if it is one of the largest of its item.
    pub fn note(&mut self, item: usize, number: f64) {
        let largest = &mut self.numbers[item * self.kept..][..self.kept];
        let number = rounded_up(number);
        if number <= largest[0] {
            return;
        }
        let after = largest.partition_point(|&kept| kept < number);
        largest.copy_within(1..after, 0);
        largest[after - 1] = number;
    }

    /// The least of the largest of an item.
    pub fn least(&self, item: usize) -> f64 {
        f64::from(self.numbers[item * self.kept])
    }
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
}
