//! Where marks are on both axes: which of them have a place, and how far an axis has to reach.

use super::{Axis, Interval, Marks, Panel, Scale};

/// The values of a mark on both axes: its least, its point and its greatest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    x: [f64; 3],
    y: [f64; 3],
}

impl Spot {
    /// `true` if both axes have a place for the mark.
    pub(super) fn shows(&self, panel: &Panel) -> bool {
        panel.x.shows(&self.x) && panel.y.shows(&self.y)
    }
}

/// A mark that has places.
pub(super) trait Placed {
    fn spot(&self) -> Spot;
}

impl Placed for (f64, f64) {
    fn spot(&self) -> Spot {
        Spot { x: [self.0; 3], y: [self.1; 3] }
    }
}

impl Placed for (f64, f64, f64) {
    fn spot(&self) -> Spot {
        Spot { x: [self.0; 3], y: [self.1, self.1, self.2] }
    }
}

impl Placed for super::Bar {
    fn spot(&self) -> Spot {
        Spot { x: [self.x.0, self.x.0, self.x.1], y: [self.y.0, self.y.0, self.y.1] }
    }
}

/// An interval to the left and right, or down and up.
pub(super) struct Bounded(pub(super) Interval, pub(super) bool);

impl Placed for Bounded {
    fn spot(&self) -> Spot {
        let Self(Interval { x, y, lower, upper }, level) = *self;
        if level { Spot { x: [lower, x, upper], y: [y; 3] } } else { Spot { x: [x; 3], y: [lower, y, upper] } }
    }
}

impl Marks {
    fn spots(&self) -> Vec<Spot> {
        fn each<'m, M: Placed + 'm>(marks: impl IntoIterator<Item = &'m M>) -> Vec<Spot> {
            marks.into_iter().map(Placed::spot).collect()
        }
        match self {
            Self::Line(points) | Self::Points(points) => each(points),
            Self::XIntervals(all) => all.iter().map(|interval| Bounded(*interval, true).spot()).collect(),
            Self::YIntervals(all) => all.iter().map(|interval| Bounded(*interval, false).spot()).collect(),
            Self::Band(corners) => each(corners),
            Self::Bars(bars) => each(bars),
        }
    }
}

impl Panel {
    fn spots(&self) -> impl Iterator<Item = Spot> {
        self.series.iter().flat_map(|series| series.marks.spots())
    }

    /// Number of marks without a place on the horizontal axis, and on the vertical axis.
    pub(super) fn hidden(&self) -> (usize, usize) {
        self.spots().fold((0, 0), |(x, y), spot| {
            (x + usize::from(!self.x.shows(&spot.x)), y + usize::from(!self.y.shows(&spot.y)))
        })
    }

    /// The least and the greatest values that are drawn, along both axes.
    pub(super) fn extents(&self) -> [(f64, f64); 2] {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let wider = |extent: (f64, f64), values: [f64; 3]| {
            values.iter().fold(extent, |(low, high), value| (low.min(*value), high.max(*value)))
        };
        let shown = self.spots().filter(|spot| spot.shows(self));
        shown.fold([none; 2], |[x, y], spot| [wider(x, spot.x), wider(y, spot.y)])
    }
}

impl Axis {
    fn shows(&self, values: &[f64; 3]) -> bool {
        let allowed = |value: f64| match self.scale {
            Scale::Log => value > 0.0,
            Scale::Linear | Scale::Names(_) => true,
        };
        let above = |value: f64| self.least.is_none_or(|least| value >= least);
        values.iter().all(|value| value.is_finite() && allowed(*value) && above(*value))
    }
}
