//! Where an even axis ends and where its labels stand.
//!
//! Ends are multiples of a step of 1, 2 or 5 times a power of ten. The step is the least whose labels have room beside
//! one another, so labels never overlap.

use super::Numbers;

/// Ends of an even axis, both with a label, and the distance of its labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ticks {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) step: f64,
}

/// Width of a digit of a label, in pixels.
const DIGIT: f64 = 7.6;

/// Free space between two labels.
const GAP: f64 = 14.0;

/// Height of a label with the free space above it.
const LINE: f64 = 34.0;

/// Most steps of an axis: more are not read.
const MOST: f64 = 8.0;

/// The direction in which labels follow one another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Along {
    Width,
    Height,
}

impl Ticks {
    /// Ticks over values from `lowest` to `highest` on an axis of `room` pixels.
    pub(super) fn over(lowest: f64, highest: f64, (along, room): (Along, f64), numbers: Numbers) -> Self {
        let (lowest, highest) = apart(lowest, highest);
        let least = (highest - lowest) / MOST;
        let fits = |ticks: &Self| {
            let space = match along {
                Along::Height => LINE,
                Along::Width => {
                    ticks.values().map(|value| ticks.label(value, numbers).chars().count()).max().unwrap_or(1) as f64
                        * DIGIT
                        + GAP
                }
            };
            ticks.steps() * space <= room
        };
        let two = |ticks: &Self| ticks.steps() <= 1.0;
        let mut steps = steps(least).map(|step| Self::by(step, lowest, highest));
        steps.find(|ticks| fits(ticks) || two(ticks)).unwrap_or(Self {
            low: lowest,
            high: highest,
            step: highest - lowest,
        })
    }

    fn by(step: f64, lowest: f64, highest: f64) -> Self {
        // A value that is a multiple but for rounding is the end itself.
        let low = (lowest / step + 1e-9).floor() * step;
        let high = (highest / step - 1e-9).ceil() * step;
        Self { low, high, step }
    }

    fn steps(&self) -> f64 {
        ((self.high - self.low) / self.step).round()
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let Self { low, step, .. } = *self;
        (0..=self.steps().min(2.0 * MOST) as u32).map(move |index| low + f64::from(index) * step)
    }

    /// The label of a value, with as many decimals as the step has.
    pub(super) fn label(&self, value: f64, numbers: Numbers) -> String {
        label(value, self.step, numbers)
    }
}

/// Two values that are not the same, so that there is an axis between them.
fn apart(lowest: f64, highest: f64) -> (f64, f64) {
    if lowest > highest {
        // Nothing is drawn.
        (0.0, 1.0)
    } else if highest - lowest > 1e-12 * lowest.abs().max(highest.abs()) {
        (lowest, highest)
    } else if lowest == 0.0 {
        (0.0, 1.0)
    } else {
        // A value of its own is drawn amid an axis of a tenth of its size.
        let around = 0.05 * lowest.abs();
        (lowest - around, highest + around)
    }
}

/// 1, 2 and 5 times the powers of ten, from the first that is not below `least`.
fn steps(least: f64) -> impl Iterator<Item = f64> {
    const COUNT: i32 = 12;
    let first = least.log10().floor() as i32;
    let of_power = |power: i32| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power));
    (first..first + COUNT).flat_map(of_power).filter(move |step| *step >= least * (1.0 - 1e-9))
}

/// A number on an axis: thousands grouped, with the decimals of the step; a power of ten where digits would not help.
fn label(value: f64, step: f64, numbers: Numbers) -> String {
    let (value, step, sign) = match numbers {
        Numbers::Plain | Numbers::Ungrouped => (value, step, ""),
        Numbers::Percent => (100.0 * value, 100.0 * step, " %"),
    };
    if value.abs() < 1e-9 * step {
        return format!("0{sign}");
    }
    if !(1e-5..1e12).contains(&step) {
        return format!("{value:.1e}{sign}");
    }
    let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
    let digits = format!("{value:.decimals$}");
    match numbers {
        Numbers::Ungrouped => digits,
        Numbers::Plain | Numbers::Percent => grouped(&digits) + sign,
    }
}

/// The whole part of a decimal in groups of three digits.
fn grouped(decimal: &str) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let (integral, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut text = sign.to_owned();
    for (index, digit) in integral.chars().enumerate() {
        if index > 0 && (integral.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: (Along, f64) = (Along::Width, 300.0);

    fn labels(lowest: f64, highest: f64, room: (Along, f64), numbers: Numbers) -> Vec<String> {
        let ticks = Ticks::over(lowest, highest, room, numbers);
        ticks.values().map(|value| ticks.label(value, numbers)).collect()
    }

    #[test]
    fn labels_are_round_and_have_room() {
        assert_eq!(labels(0.0, 1434.0, WIDE, Numbers::Plain), ["0", "500", "1,000", "1,500"]);
        assert_eq!(labels(0.0, 0.55, WIDE, Numbers::Percent), ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %", "60 %"]);
        assert_eq!(labels(2019.0, 2022.0, WIDE, Numbers::Ungrouped), ["2019", "2020", "2021", "2022"]);
        assert_eq!(labels(-0.26, 0.31, WIDE, Numbers::Plain), ["-0.4", "-0.2", "0.0", "0.2", "0.4"].map(zero));
        assert_eq!(
            labels(12_345_678.0, 12_345_679.5, WIDE, Numbers::Plain),
            ["12,345,678", "12,345,679", "12,345,680"]
        );
        assert_eq!(labels(5.0, 5.0, (Along::Height, 200.0), Numbers::Plain)[0], "4.6");
        for (lowest, highest) in [(0.0, 3e14), (-1e-3, 5e9), (-7e13, 1.0), (0.1, 0.1000001)] {
            for room in [120.0, 200.0, 300.0, 900.0] {
                let labels = labels(lowest, highest, (Along::Width, room), Numbers::Plain);
                let longest = labels.iter().map(String::len).max().expect("labels") as f64;
                let used = (labels.len() - 1) as f64 * (DIGIT * longest + GAP);
                assert!(used <= room || labels.len() == 2, "{lowest} to {highest} in {room}: {labels:?}");
            }
        }
    }

    /// Label of zero, as the step writes it.
    fn zero(label: &str) -> String {
        if label == "0.0" { "0".to_owned() } else { label.to_owned() }
    }

    #[test]
    fn an_axis_of_what_is_not_negative_does_not_go_below_zero() {
        for highest in [1e-9, 0.3, 1.0, 7.0, 1e12] {
            assert_eq!(Ticks::over(0.0, highest, WIDE, Numbers::Plain).low, 0.0);
        }
        assert_eq!(Ticks::over(f64::INFINITY, f64::NEG_INFINITY, WIDE, Numbers::Plain).low, 0.0, "nothing is drawn");
    }
}
