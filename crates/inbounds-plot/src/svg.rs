//! Drawing with kuva.

use kuva::{
    backend::svg::SvgBackend,
    plot::{LinePlot, LineStyle},
    render::{figure, layout::Layout, plots::Plot},
};

use super::{Figure, Line, Panel};

/// Okabe and Ito's colours, which stay apart under every common colour blindness, darkest first so that they do in grey.
const COLOURS: [&str; 7] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"];

/// Families tried in turn; the last is every viewer's own.
const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

pub(super) fn draw(figure: &Figure) -> String {
    let plots: Vec<Vec<Plot>> = figure.panels.iter().map(|panel| lines(&panel.lines)).collect();
    let layouts = figure.panels.iter().zip(&plots).map(|(panel, plots)| layout(panel, plots)).collect();
    let scene = figure::Figure::new(1, figure.panels.len())
        .with_title(&figure.title)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_cell_size(460.0, 380.0)
        .with_shared_legend_bottom()
        .render();
    stable(&SvgBackend.render_scene(&scene))
}

fn layout(panel: &Panel, plots: &[Plot]) -> Layout {
    Layout::auto_from_plots(plots)
        .with_title(&panel.title)
        .with_x_label(&panel.x_label)
        .with_y_label(&panel.y_label)
        .with_font_family(FONT)
}

/// Colours in turn, a new dash with each, so that lines differ without colour too.
fn lines(lines: &[Line]) -> Vec<Plot> {
    let styles = [LineStyle::Solid, LineStyle::Dashed, LineStyle::DashDot, LineStyle::Dotted];
    let line = |(index, line): (usize, &Line)| {
        let plot = LinePlot::new()
            .with_data(line.points.iter().copied())
            .with_color(COLOURS[index % COLOURS.len()])
            .with_line_style(styles[index % styles.len()].clone())
            .with_stroke_width(1.8)
            .with_legend(&line.name);
        Plot::Line(plot)
    };
    lines.iter().enumerate().map(line).collect()
}

/// The library numbers clip paths from a counter of the whole process; numbered from zero a figure is the same every time.
fn stable(svg: &str) -> String {
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
        out.push_str(&format!("clip-{index}"));
        rest = &digits[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Figure {
        let line = |name: &str, slope: f64| Line {
            name: name.to_owned(),
            points: (0..20).map(|x| (f64::from(x), slope * f64::from(x))).collect(),
        };
        let panel = Panel {
            title: "rise".to_owned(),
            x_label: "x".to_owned(),
            y_label: "y <unit>".to_owned(),
            lines: vec![line("flat", 0.0), line("steep", 3.0)],
        };
        Figure { title: "two & two".to_owned(), panels: vec![panel.clone(), panel] }
    }

    #[test]
    fn figures_are_the_same_every_time_and_escape_their_words() {
        let (first, second) = (sample().to_svg(), sample().to_svg());
        assert_eq!(first, second);
        assert!(first.starts_with("<svg") || first.starts_with("<?xml"), "{}", &first[..60]);
        for words in ["two &amp; two", "y &lt;unit&gt;", "steep", "flat", "rise"] {
            assert!(first.contains(words), "{words}");
        }
        assert!(!first.contains("kuva-clip"));
    }
}
