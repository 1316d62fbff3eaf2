//! From the library's SVG to ours: the same every time, and at home in a page.

use super::{
    Figure,
    drawing::{Inks, draw},
};

/// Series in Okabe and Ito's colours, which stay apart under every common colour blindness, darkest first so that they do in
/// grey.
const PAPER: Inks = Inks {
    text: "#000000",
    grid: "#cccccc",
    background: "#ffffff",
    series: ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"],
};

/// The page's colours; those of [`PAPER`] where it has none. The first series is as the words are.
const PAGE: Inks = Inks {
    text: "currentColor",
    grid: "var(--plot-grid,#cccccc)",
    background: "none",
    series: [
        "var(--plot-1,currentColor)",
        "var(--plot-2,#0072B2)",
        "var(--plot-3,#D55E00)",
        "var(--plot-4,#009E73)",
        "var(--plot-5,#CC79A7)",
        "var(--plot-6,#56B4E9)",
        "var(--plot-7,#E69F00)",
    ],
};

pub(super) fn document(figure: &Figure) -> String {
    stable(&draw(figure, &PAPER), "clip")
}

pub(super) fn inline(figure: &Figure, id: &str, description: &str) -> String {
    let svg = stable(&draw(figure, &PAGE), id);
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

/// The library numbers clip paths from a counter of the whole process; numbered from zero a figure is the same every time.
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
    use crate::{At, Axis, Interval, Marks, Panel, Reference, Series};

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
        for part in ["var(--plot-1,currentColor)", "var(--plot-2,#0072B2)", "currentColor", "id=\"a-0\"", "url(#a-1)"] {
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
    fn series_of_one_name_share_colour_and_legend() {
        let band = Series { name: "steep".to_owned(), marks: Marks::Band(vec![(0.0, -1.0, 1.0), (19.0, 50.0, 60.0)]) };
        let both = panel(Axis::linear("x"), Axis::linear("y"), vec![band, curve("flat", 0.0), curve("steep", 3.0)]);
        let svg = Figure::row("", vec![both]).to_svg();
        assert_eq!(svg.matches(">steep</text>").count(), 1, "{svg}");
        assert_eq!(svg.matches("stroke=\"#000000\" stroke-width=\"1.8\"").count(), 1, "the curve is in its colour");
        assert!(svg.contains("fill=\"#000000\" fill-opacity=\"0.18\""), "and so is the band: {svg}");
    }
}
