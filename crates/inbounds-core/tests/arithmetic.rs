//! The exact arithmetic on which every privacy claim rests, against an oracle of its own.
//!
//! A result is checked by multiplying back in whole numbers, with the schoolbook methods below and nothing of the
//! library that is tested: `a + b = s` holds if `s q = (p1 q2 + p2 q1) q'` in integers. Operands are many words long,
//! share factors, and lie beside powers of two, where implementations change their method. One published fault was in
//! release builds alone, so the same test runs there too: `cargo test --release -p inbounds-core --test arithmetic`.

use std::cmp::Ordering;

use inbounds_core::Rational;

/// A whole number from 0, lowest limb first, without zeros at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Natural(Vec<u32>);

impl Natural {
    fn from_decimal(digits: &str) -> Self {
        digits
            .bytes()
            .fold(Self(Vec::new()), |number, digit| number.times_small(10).plus(&Self::small((digit - b'0').into())))
    }

    fn small(value: u32) -> Self {
        Self(vec![value]).trimmed()
    }

    fn power_of_two(exponent: usize) -> Self {
        let mut limbs = vec![0; exponent / 32];
        limbs.push(1 << (exponent % 32));
        Self(limbs)
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn plus(&self, other: &Self) -> Self {
        let (mut limbs, mut carry) = (Vec::new(), 0u64);
        for place in 0..=self.0.len().max(other.0.len()) {
            let limb = |number: &Self| u64::from(number.0.get(place).copied().unwrap_or(0));
            carry += limb(self) + limb(other);
            limbs.push(carry as u32);
            carry >>= 32;
        }
        Self(limbs).trimmed()
    }

    /// `self - other`, which is not negative.
    fn minus(&self, other: &Self) -> Self {
        let (mut limbs, mut borrow) = (Vec::new(), 0i64);
        for (place, limb) in self.0.iter().enumerate() {
            let difference = i64::from(*limb) - i64::from(other.0.get(place).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(difference < 0);
            limbs.push((difference + (borrow << 32)) as u32);
        }
        assert_eq!(borrow, 0, "a difference below zero");
        Self(limbs).trimmed()
    }

    fn times_small(&self, factor: u32) -> Self {
        self.times(&Self::small(factor))
    }

    fn times(&self, other: &Self) -> Self {
        let mut limbs = vec![0u32; self.0.len() + other.0.len()];
        for (i, one) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (j, two) in other.0.iter().enumerate() {
                carry += u64::from(*one) * u64::from(*two) + u64::from(limbs[i + j]);
                limbs[i + j] = carry as u32;
                carry >>= 32;
            }
            limbs[i + other.0.len()] = carry as u32;
        }
        Self(limbs).trimmed()
    }

    fn half(&self) -> Self {
        let shifted = |place: usize| {
            let high = self.0.get(place + 1).copied().unwrap_or(0);
            (self.0[place] >> 1) | (high << 31)
        };
        Self((0..self.0.len()).map(shifted).collect()).trimmed()
    }

    fn is_even(&self) -> bool {
        self.0.first().is_none_or(|limb| limb % 2 == 0)
    }

    fn order(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// The greatest common divisor, by halves and differences.
    fn common(mut self, mut other: Self) -> Self {
        let mut twos = 0;
        while !self.0.is_empty() && !other.0.is_empty() {
            match (self.is_even(), other.is_even()) {
                (true, true) => (self, other, twos) = (self.half(), other.half(), twos + 1),
                (true, false) => self = self.half(),
                (false, true) => other = other.half(),
                (false, false) if self.order(&other).is_ge() => self = self.minus(&other),
                (false, false) => other = other.minus(&self),
            }
        }
        let odd = if self.0.is_empty() { other } else { self };
        odd.times(&Self::power_of_two(twos))
    }
}

/// A sign with two whole numbers.
#[derive(Debug, Clone)]
struct Fraction {
    negative: bool,
    numerator: Natural,
    denominator: Natural,
}

impl Fraction {
    fn new(value: &Rational) -> Self {
        let (numerator, denominator) = value.parts();
        let digits = numerator.to_string();
        let (negative, digits) = digits.strip_prefix('-').map_or((false, digits.as_str()), |digits| (true, digits));
        let fraction = Self {
            negative,
            numerator: Natural::from_decimal(digits),
            denominator: Natural::from_decimal(&denominator.to_string()),
        };
        assert!(!fraction.denominator.0.is_empty(), "a denominator of zero");
        fraction
    }

    /// `mantissa * 2^exponent`, exactly.
    fn of_double(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        let mantissa = Natural(vec![mantissa as u32, (mantissa >> 32) as u32]).trimmed();
        let power = Natural::power_of_two(exponent.unsigned_abs() as usize);
        let one = Natural::small(1);
        let (numerator, denominator) = if exponent < 0 { (mantissa, power) } else { (mantissa.times(&power), one) };
        Self { negative: value.is_sign_negative(), numerator, denominator }
    }

    fn order(&self, other: &Self) -> Ordering {
        let (one, two) = (self.numerator.times(&other.denominator), other.numerator.times(&self.denominator));
        let sign =
            |fraction: &Self| if fraction.numerator.0.is_empty() { 0 } else { 1 - 2 * i32::from(fraction.negative) };
        sign(self).cmp(&sign(other)).then_with(|| if self.negative { two.order(&one) } else { one.order(&two) })
    }

    fn plus(&self, other: &Self) -> Self {
        let (one, two) = (self.numerator.times(&other.denominator), other.numerator.times(&self.denominator));
        let denominator = self.denominator.times(&other.denominator);
        let (negative, numerator) = match (self.negative == other.negative, one.order(&two)) {
            (true, _) => (self.negative, one.plus(&two)),
            (false, Ordering::Less) => (other.negative, two.minus(&one)),
            (false, _) => (self.negative, one.minus(&two)),
        };
        Self { negative, numerator, denominator }
    }

    fn negated(&self) -> Self {
        Self { negative: !self.negative, ..self.clone() }
    }

    fn times(&self, other: &Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            numerator: self.numerator.times(&other.numerator),
            denominator: self.denominator.times(&other.denominator),
        }
    }
}

/// The fault in the results of the library for two operands; `None` if there is none.
fn fault(a: &Rational, b: &Rational) -> Option<&'static str> {
    let (one, two) = (Fraction::new(a), Fraction::new(b));
    let differs = |result: &Rational, expected: &Fraction| {
        let result = Fraction::new(result);
        result.order(expected).is_ne() || result.numerator.common(result.denominator) != Natural::small(1)
    };
    let zero = |result: &Rational| result == &Rational::ZERO;
    let wrong = |result: &Rational, expected: Fraction| {
        if zero(result) { !expected.numerator.0.is_empty() } else { differs(result, &expected) }
    };
    if wrong(&(a + b), one.plus(&two)) {
        return Some("+");
    }
    if wrong(&(a - b), one.plus(&two.negated())) {
        return Some("-");
    }
    if wrong(&(a * b), one.times(&two)) {
        return Some("*");
    }
    // The quotient times the divisor is the dividend.
    if !zero(b) && wrong(a, Fraction::new(&(a / b)).times(&two)) && !zero(a) {
        return Some("/");
    }
    if a.cmp(b) != one.order(&two) {
        return Some("comparison");
    }
    [(a, one), (b, two)].iter().find_map(|(value, exact)| fault_of_doubles(value, exact))
}

/// Doubles on both sides of a value: as near as doubles are, and the same one only where it is the value.
fn fault_of_doubles(value: &Rational, exact: &Fraction) -> Option<&'static str> {
    let (down, up) = (value.to_f64_down(), value.to_f64_up());
    if !(down.is_finite() && up.is_finite()) {
        // Beyond the largest double one side is infinite, and the other is that double.
        let far = Fraction::of_double(f64::MAX);
        let beyond = Fraction { negative: false, ..exact.clone() }.order(&far).is_gt();
        let other = if down.is_finite() { down } else { up };
        return (!beyond || other.abs() != f64::MAX).then_some("a double that is not finite");
    }
    let below = Fraction::of_double(down).order(exact);
    let above = Fraction::of_double(up).order(exact);
    match (below, above) {
        (Ordering::Equal, Ordering::Equal) => None,
        (Ordering::Less, Ordering::Greater) if down.next_up() == up => None,
        _ => Some("rounding to doubles"),
    }
}

/// Numbers that follow from a seed.
struct Draws(u64);

impl Draws {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.word() % end
    }

    /// Decimal digits of a number of up to some words: random, beside a power of two, or a product of small factors.
    fn digits(&mut self) -> String {
        let words = 1 + self.below(12) as usize;
        let number = match self.below(4) {
            0 => (0..words).fold(Natural::small(1), |number, _| number.times_small(2 + self.below(40) as u32)),
            1 => {
                let power = Natural::power_of_two(self.below(64 * words as u64) as usize + 2);
                if self.below(2) == 0 { power.plus(&Natural::small(1)) } else { power.minus(&Natural::small(1)) }
            }
            2 => Natural::power_of_two(self.below(64 * words as u64) as usize),
            _ => Natural((0..2 * words).map(|_| self.word() as u32).collect()).trimmed().plus(&Natural::small(1)),
        };
        decimal(&number)
    }

    fn rational(&mut self) -> Rational {
        let sign = if self.below(2) == 0 { "-" } else { "" };
        let numerator = if self.below(40) == 0 { "0".to_owned() } else { self.digits() };
        format!("{sign}{numerator}/{}", self.digits()).parse().expect("a fraction")
    }
}

/// Decimal digits, by repeated division by ten.
fn decimal(number: &Natural) -> String {
    let (mut limbs, mut digits) = (number.0.clone(), Vec::new());
    while limbs.iter().any(|limb| *limb != 0) {
        let mut rest = 0u64;
        for limb in limbs.iter_mut().rev() {
            rest = (rest << 32) + u64::from(*limb);
            *limb = (rest / 10) as u32;
            rest %= 10;
        }
        digits.push(b'0' + rest as u8);
    }
    digits.reverse();
    if digits.is_empty() { "0".to_owned() } else { String::from_utf8(digits).expect("digits") }
}

#[test]
fn results_multiply_back_to_their_operands() {
    let mut draws = Draws(20_261_122);
    for round in 0..1_500 {
        let a = draws.rational();
        // Often with a factor in common, so that results have to be reduced.
        let b = if draws.below(3) == 0 { &a * &draws.rational() } else { draws.rational() };
        assert_eq!(fault(&a, &b), None, "round {round}: {a} and {b}");
        let text = a.to_string();
        assert_eq!(text.parse(), Ok(a), "{text}");
    }
}

/// Operands with which versions of the library were wrong, as they were published with the reports of 2024 to 2026.
#[test]
fn published_faults_are_not_there() {
    let number = |text: &str| -> Rational { text.parse().expect(text) };
    // Quotients with a wrong denominator, or one of zero.
    assert_eq!(&number("-2/3") / &number("4"), number("-1/6"));
    assert_eq!(&number("10") / &number("10"), Rational::ONE);
    assert_eq!(&number("1235") / &number("10"), number("123.5"));
    // A double that was rounded twice.
    let twice = Rational::ratio(-10_534_148_920_556_696_739, 73_786_976_294_838_206_464);
    assert_eq!(twice.to_f64().to_bits(), 0xbfc2_461a_1430_9b17);
    // Conversions that were called exact, where the largest of one or two words becomes the next power of two.
    for text in
        ["18446744073709551615", "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455"]
    {
        let value = number(text);
        assert!(value.to_f64_down() < value.to_f64_up(), "{text}");
        assert_eq!(fault(&value, &number("1/3")), None, "{text}");
    }
    // A reduction of long operands that ended in a panic: numbers of thousands of digits with a long common factor.
    let long = |digit: char, length: usize| number(&std::iter::repeat_n(digit, length).collect::<String>());
    let (a, b) = (&long('7', 4_000) * &long('3', 2_500), &long('9', 3_000) * &long('3', 2_500));
    let ratio = &a / &b;
    assert_eq!(&ratio * &b, a);
}

/// The oracle is no formality: it notices results that are off by one in the last place.
#[test]
fn the_oracle_notices_wrong_results() {
    let exact = Fraction::new(&"10/3".parse().expect("a fraction"));
    assert!(Fraction::new(&"3333333333333333/1000000000000000".parse().expect("a fraction")).order(&exact).is_lt());
    let third: Rational = "1/3".parse().expect("a fraction");
    assert_eq!(fault_of_doubles(&third, &exact), Some("rounding to doubles"));
    let six = Natural::small(6);
    assert_eq!(six.clone().common(Natural::small(4)), Natural::small(2));
    assert_eq!(decimal(&Natural::power_of_two(64)), "18446744073709551616");
    assert_eq!(Natural::from_decimal("18446744073709551616"), Natural::power_of_two(64));
}
