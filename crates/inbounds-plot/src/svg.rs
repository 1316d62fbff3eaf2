//! From the library's SVG to ours: the same every time, and at home in a page.

use super::{Axis, Drawn, Figure, Panel, Scale, drawing::draw, inks::Inks};

/// Light ink: series in hues after Okabe and Ito, which stay apart under common colour blindness, as dark as 3 : 1 on
/// white asks for.
const PAPER: Inks = Inks {
    text: "#000000",
    grid: "#d5dce3",
    background: "#ffffff",
    series: ["#000000", "#0072b2", "#c14f00", "#00795a", "#a8557f", "#6f4fb8", "#a87400"],
};

/// Replacement for [`PAPER`] where the viewer prefers dark.
const NIGHT: Inks = Inks {
    text: "#e8edf2",
    grid: "#35414d",
    background: "#12171c",
    series: ["#e8edf2", "#56b4e9", "#ff9a57", "#2fc79a", "#e3a0c5", "#b79cf2", "#e69f00"],
};

/// The page's colours; those of [`PAPER`] where it has none. The first series is as the words are.
const PAGE: Inks = Inks {
    text: "currentColor",
    grid: "var(--plot-grid,#d5dce3)",
    background: "none",
    series: [
        "var(--plot-1,currentColor)",
        "var(--plot-2,#0072b2)",
        "var(--plot-3,#c14f00)",
        "var(--plot-4,#00795a)",
        "var(--plot-5,#a8557f)",
        "var(--plot-6,#6f4fb8)",
        "var(--plot-7,#a87400)",
    ],
};

/// The figure as points, black on white.
#[cfg(feature = "png")]
pub(super) fn points(drawn: Drawn<'_>) -> Result<Vec<u8>, String> {
    const SCALE: f32 = 2.0;
    super::drawing::points(drawn, &PAPER, SCALE)
}

pub(super) fn document(drawn: Drawn<'_>) -> String {
    let svg = stable(&draw(drawn, &PAPER), "clip");
    let (head, body) = svg.split_once('>').expect("a document begins with its root");
    format!(
        "{head} role=\"img\" aria-labelledby=\"title description\"><title id=\"title\">{}</title>\
         <desc id=\"description\">{}</desc><style>{}</style>{body}",
        escape(&drawn.title()),
        escape(&drawn.description()),
        night()
    )
}

/// Rules that exchange each colour for its counterpart. A viewer that knows no style sheets draws [`PAPER`].
fn night() -> String {
    let pairs = [(PAPER.text, NIGHT.text), (PAPER.grid, NIGHT.grid), (PAPER.background, NIGHT.background)];
    let pairs = pairs.into_iter().chain(PAPER.series.into_iter().zip(NIGHT.series).skip(1));
    let rule =
        |(light, dark): (&str, &str)| format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}");
    let rules: String = pairs.map(rule).collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}

impl Drawn<'_> {
    fn title(self) -> String {
        match self {
            Self::Figure(figure) => title(figure),
            Self::Map(map) => map.title.clone(),
        }
    }

    /// The drawing in words.
    fn description(self) -> String {
        match self {
            Self::Figure(figure) => description(figure),
            Self::Map(map) => {
                format!("A map of {} areas, in shades of {}.", map.areas.len(), map.classes.join(", "))
            }
        }
    }
}

fn title(figure: &Figure) -> String {
    if !figure.title.is_empty() {
        return figure.title.clone();
    }
    let titles: Vec<&str> =
        figure.panels.iter().map(|panel| panel.title.as_str()).filter(|title| !title.is_empty()).collect();
    if titles.is_empty() { "Figure".to_owned() } else { titles.join("; ") }
}

/// The axes of each panel and the names of its series.
fn description(figure: &Figure) -> String {
    let panel = |panel: &Panel| {
        let named = if panel.title.is_empty() { String::new() } else { format!("{}: ", panel.title) };
        let mut names: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
        names.dedup();
        format!("{named}{} against {}, for {}.", axis(&panel.y), axis(&panel.x), names.join(", "))
    };
    figure.panels.iter().map(panel).collect::<Vec<_>>().join(" ")
}

fn axis(axis: &Axis) -> String {
    let scale = if axis.scale == Scale::Log { " (logarithmic)" } else { "" };
    match (&axis.scale, axis.label.as_str()) {
        (Scale::Names(names), "") => format!("{} names", names.len()),
        (_, label) => format!("{label}{scale}"),
    }
}

pub(super) fn inline(drawn: Drawn<'_>, id: &str, description: &str) -> String {
    let svg = stable(&draw(drawn, &PAGE), id);
    let (head, body) = svg.split_once('>').expect("a document begins with its root");
    let size = |name: &str| {
        let from = head.split_once(&format!(" {name}=\"")).expect("the root has a size").1;
        from.split('"').next().unwrap_or_default()
    };
    let (width, height) = (size("width"), size("height"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"inherit\" fill=\"currentColor\">{body}",
        escape(description)
    )
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The library numbers clip paths from a counter of the whole process; numbered from zero a figure is the same every
/// time.
fn stable(svg: &str, id: &str) -> String {
    const PREFIX: &str = "kuva-clip-";
    let mut seen: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(at) = rest.find(PREFIX) {
        let digits = &rest[at + PREFIX.len()..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number = &digits[..end];
        let index = seen.iter().position(|known| *known == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        out.push_str(&rest[..at]);
        out.push_str(&format!("{id}-{index}"));
        rest = &digits[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{At, Axis, Bar, Interval, Marks, Panel, Reference, Series};

    fn curve(name: &str, slope: f64) -> Series {
        Series::line(name, (0..20).map(|x| (f64::from(x), slope * f64::from(x))).collect())
    }

    fn panel(x: Axis, y: Axis, series: Vec<Series>) -> Panel {
        Panel { title: "rise".to_owned(), x, y, series, references: vec![] }
    }

    fn sample() -> Figure {
        let panel = panel(Axis::linear("x"), Axis::linear("y <unit>"), vec![curve("flat", 0.0), curve("steep", 3.0)]);
        Figure::row("two & two", vec![panel.clone(), panel])
    }

    fn forest() -> Figure {
        let bar = |y: f64, x: f64| Interval { x, y, lower: x - 1.0, upper: x + 2.0 };
        let bars = Series { name: "estimate".to_owned(), marks: Marks::XIntervals(vec![bar(0.0, 5.0), bar(1.0, 7.0)]) };
        let names = Axis::names("", vec!["costs $1 to $2".to_owned(), "below".to_owned()]);
        let mut panel = panel(Axis::linear("rows"), names, vec![bars, Series::points("raw", vec![(4.0, 0.0)])]);
        panel.references.push(Reference { at: At::X(0.0), label: "least".to_owned() });
        Figure::row("", vec![panel])
    }

    /// Values of an attribute of all elements of a kind.
    fn attributes(svg: &str, element: &str, name: &str) -> Vec<f64> {
        let tag = format!("<{element} ");
        let value = |rest: &str| {
            let head = rest.split('>').next()?;
            head.split_once(&format!("{name}=\""))?.1.split('"').next()?.parse().ok()
        };
        svg.split(&tag).skip(1).filter_map(value).collect()
    }

    #[test]
    fn figures_are_the_same_every_time_and_escape_their_words() {
        let (first, second) = (sample().to_svg(), sample().to_svg());
        assert_eq!(first, second);
        assert!(first.starts_with("<svg"), "{}", &first[..60]);
        for words in ["two &amp; two", "y &lt;unit&gt;", "steep", "flat", "rise"] {
            assert!(first.contains(words), "{words}");
        }
        assert!(!first.contains("kuva-clip"));
    }

    #[test]
    fn a_figure_of_a_page_has_its_colours_its_name_and_no_size_in_its_parts() {
        let svg = sample().to_inline_svg("a", "who & \"why\"");
        assert_eq!(svg, sample().to_inline_svg("a", "who & \"why\""));
        assert!(
            svg.contains("viewBox=\"0 0 ") && svg.contains("aria-label=\"who &amp; &quot;why&quot;\""),
            "{}",
            &svg[..300]
        );
        for part in ["var(--plot-1,currentColor)", "var(--plot-2,#0072b2)", "currentColor", "id=\"a-0\"", "url(#a-1)"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(!svg.contains("#ffffff") && !svg.contains("\"white\""), "nothing is painted behind");
    }

    #[test]
    fn names_run_from_the_top_down_and_dollars_are_only_dollars() {
        let svg = forest().to_svg();
        assert!(svg.contains("costs $1 to $2"), "{svg}");
        let height = |words: &str| {
            let before = svg.split(words).next().and_then(|text| text.rsplit_once("<text ")).expect("the words").1;
            attributes(&format!("<text {before}>"), "text", "y")[0]
        };
        assert!(height("costs") < height("below"));
        let circles = attributes(&svg, "circle", "cy");
        assert!(
            (circles[0] - height("costs")).abs() < 8.0 && (circles[1] - height("below")).abs() < 8.0,
            "{circles:?}"
        );
    }

    #[test]
    fn what_an_axis_has_no_place_for_is_counted() {
        let points = vec![(1.0, 0.5), (10.0, 0.0), (f64::NAN, 2.0), (100.0, 20.0)];
        let logs = panel(Axis::log("people"), Axis::log("error"), vec![Series::points("p", points.clone())]);
        let svg = Figure::row("", vec![logs]).to_svg();
        assert!(svg.contains("people (1 not shown)") && svg.contains("error (1 not shown)"), "{svg}");
        let even = panel(Axis::linear("people"), Axis::linear("error"), vec![Series::points("p", points)]);
        let svg = Figure::row("", vec![even]).to_svg();
        assert!(svg.contains("people (1 not shown)") && svg.contains(">error<"), "{svg}");
    }

    #[test]
    fn a_document_has_a_title_a_description_and_colours_for_the_dark() {
        let svg = sample().to_svg();
        assert!(
            svg.contains("aria-labelledby=\"title description\"><title id=\"title\">two &amp; two</title>"),
            "{svg}"
        );
        assert!(svg.contains(">rise: y &lt;unit&gt; against x, for flat, steep. rise: y"), "{svg}");
        for (light, dark) in PAPER.series.into_iter().zip(NIGHT.series).chain([(PAPER.background, NIGHT.background)]) {
            assert!(svg.contains(&format!("[fill=\"{light}\"]{{fill:{dark}}}")), "{light}");
        }
    }

    #[test]
    fn known_names_keep_their_colour_and_dashes_whatever_else_is_drawn() {
        let figure = |names: &[&str]| {
            let series = names.iter().map(|name| curve(name, 1.0)).collect();
            let known_names = ["flat", "steep", "steeper"].map(str::to_owned).to_vec();
            Figure { known_names, ..Figure::row("", vec![panel(Axis::linear("x"), Axis::linear("y"), series)]) }
                .to_svg()
        };
        for names in [&["steep", "flat"][..], &["steeper", "steep"], &["other", "steep"]] {
            let svg = figure(names);
            assert!(svg.contains("stroke=\"#0072b2\" stroke-width=\"2\" stroke-dasharray=\"8 4\""), "{names:?}: {svg}");
        }
    }

    #[test]
    fn bars_stand_on_zero_and_nothing_is_below_it() {
        let bars = Marks::Bars(vec![Bar { x: (0.0, 30.0), y: (-0.3, 0.3) }, Bar { x: (0.0, 12.0), y: (0.7, 1.3) }]);
        let names = Axis::names("", vec!["above".to_owned(), "below".to_owned()]);
        let series = vec![Series { name: "rows".to_owned(), marks: bars }, Series::points("raw", vec![(-4.0, 1.0)])];
        let svg = Figure::row("", vec![panel(Axis::linear("rows").from(0.0), names, series)]).to_svg();
        assert!(svg.contains("rows (1 not shown)") && !svg.contains(">-"), "{svg}");
    }

    #[test]
    fn series_of_one_name_share_colour_and_legend() {
        let band = Series { name: "steep".to_owned(), marks: Marks::Band(vec![(0.0, -1.0, 1.0), (19.0, 50.0, 60.0)]) };
        let both = panel(Axis::linear("x"), Axis::linear("y"), vec![band, curve("flat", 0.0), curve("steep", 3.0)]);
        let svg = Figure::row("", vec![both]).to_svg();
        assert_eq!(svg.matches(">steep</text>").count(), 1, "{svg}");
        assert_eq!(svg.matches("stroke=\"#000000\" stroke-width=\"1.8\"").count(), 1, "the curve is in its colour");
        assert!(svg.contains("fill=\"#000000\" fill-opacity=\"0.18\""), "and so is the band: {svg}");
    }
}
