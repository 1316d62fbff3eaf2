//! Errors by the size of the estimate, for tables too long to be seen cell by cell.

/// Sums over the cells whose estimates are of one size.
#[derive(Default, Clone, Copy)]
pub(crate) struct Class {
    pub(crate) count: usize,
    bias: f64,
    mse: f64,
}

impl Class {
    pub(crate) fn mean_bias(&self) -> f64 {
        self.bias / self.count as f64
    }

    /// Root of the mean of the squares.
    pub(crate) fn rmse(&self) -> f64 {
        (self.mse / self.count as f64).sqrt()
    }
}

/// Classes by powers of ten of the absolute estimate: zero, below one, 1 to 10, 10 to 100, and so on.
#[derive(Default)]
pub(crate) struct Classes {
    classes: Vec<Class>,
}

impl Classes {
    pub(crate) fn take(&mut self, estimate: f64, bias: f64, rmse: f64) {
        let size = estimate.abs();
        let index = if size == 0.0 {
            0
        } else if size < 1.0 {
            1
        } else {
            // Exact at the powers of ten, where a logarithm is not.
            2 + std::iter::successors(Some(10.0), |power| Some(power * 10.0)).take_while(|power| size >= *power).count()
        };
        if self.classes.len() <= index {
            self.classes.resize(index + 1, Class::default());
        }
        let class = &mut self.classes[index];
        class.count += 1;
        class.bias += bias;
        class.mse += rmse * rmse;
    }

    /// Those that hold a cell, from small to large, by name.
    pub(crate) fn named(&self) -> Vec<(String, Class)> {
        let name = |index: usize| match index {
            0 => "0".to_owned(),
            1 => "below 1".to_owned(),
            _ => format!("{} to {}", power(index - 2), power(index - 1)),
        };
        let named = self.classes.iter().enumerate().filter(|(_, class)| class.count > 0);
        named.map(|(index, class)| (name(index), *class)).collect()
    }
}

/// A power of ten in few letters.
fn power(exponent: usize) -> String {
    match exponent {
        0..3 => format!("1{}", "0".repeat(exponent)),
        3..6 => format!("1{},000", "0".repeat(exponent - 3)),
        6..9 => format!("1{},000,000", "0".repeat(exponent - 6)),
        _ => format!("1e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fall_into_powers_of_ten() {
        let mut classes = Classes::default();
        for size in [0.0, 0.5, 1.0, -9.99, 10.0, 999.0, 1000.0, 1e10] {
            classes.take(size, 1.0, 2.0);
        }
        let named: Vec<(String, usize)> =
            classes.named().into_iter().map(|(name, class)| (name, class.count)).collect();
        let expected = [
            ("0", 1),
            ("below 1", 1),
            ("1 to 10", 2),
            ("10 to 100", 1),
            ("100 to 1,000", 1),
            ("1,000 to 10,000", 1),
            ("1e10 to 1e11", 1),
        ];
        assert_eq!(named, expected.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!((classes.named()[2].1.mean_bias(), classes.named()[2].1.rmse()), (1.0, 2.0));
    }
}
