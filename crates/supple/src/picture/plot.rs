//! Curves and points over two axes.

use std::fmt::Write;

use super::{Picture, escaped};

/// What is plotted in one colour.
pub struct Series {
    /// what it shows
    pub name: String,
    /// as CSS has it
    pub colour: String,
    /// (x, y); what is not finite is left out, and a line has a gap there
    pub points: Vec<(f64, f64)>,
    /// how it is drawn
    pub style: Style,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// a line through the points
    #[default]
    Line,
    /// a dashed line through the points
    Dashed,
    /// a dot at each point
    Points,
}

impl Series {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        !self.points.iter().any(drawable)
    }

    /// The marks through these places of the picture.
    fn marks(&self, at: impl Fn((f64, f64)) -> (f64, f64)) -> String {
        let mut marks = String::new();
        if self.style == Style::Points {
            for (x, y) in self.points.iter().filter(|p| drawable(p)).map(|p| at(*p)) {
                let _ = write!(marks, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
            }
            return format!("<g fill=\"{}\">{marks}</g>\n", escaped(&self.colour));
        }
        for run in self.points.split(|p| !drawable(p)).filter(|run| !run.is_empty()) {
            let mut places: Vec<String> = run.iter().map(|p| at(*p)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            if let [alone] = &places[..] {
                places.push(alone.clone()); // a dot
            }
            let _ = write!(marks, "<polyline points=\"{}\"/>", places.join(" "));
        }
        let dashes = if self.style == Style::Dashed { " stroke-dasharray=\"6 5\"" } else { "" };
        format!(
            "<g fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}>\
             {marks}</g>\n",
            escaped(&self.colour)
        )
    }
}

impl Picture {
    /// Plots series over common axes in the strip between `top` and the lower edge, their names above them.
    pub fn curves(&mut self, series: &[Series], x_label: &str, y_label: &str, top: f64) {
        let all = || series.iter().flat_map(|s| &s.points).filter(|p| drawable(p));
        let (Some((x0, x1)), Some((y0, y1))) = (range(all().map(|p| p.0)), range(all().map(|p| p.1))) else {
            let (x, y) = (self.width / 2.0, (top + self.height) / 2.0);
            let _ = writeln!(
                self.body,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">There is nothing to plot.</text>"
            );
            return;
        };
        let room = 0.04 * (y1 - y0);
        let (y0, y1) = (y0 - room, y1 + room);
        let (xs, ys) = (ticks(x0, x1), ticks(y0, y1));
        let widest = ys.iter().map(|y| number(*y).chars().count()).max().unwrap_or(0);
        let (left, right, bottom) = (34.0 + LETTER * widest as f64, self.width - 24.0, self.height - 44.0);
        let top = self.legend(series, left, top) + 8.0;
        let at = |(x, y): (f64, f64)| {
            (left + (right - left) * ((x - x0) / (x1 - x0)), bottom - (bottom - top) * ((y - y0) / (y1 - y0)))
        };
        for x in xs {
            let (tx, text) = (at((x, y0)).0, number(x));
            let _ = writeln!(
                self.body,
                "<path d=\"M{tx:.1} {bottom:.1}V{top:.1}\" stroke=\"#e2e2e2\"/>\
                 <text x=\"{tx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 16.0
            );
        }
        for y in ys {
            let (ty, text) = (at((x0, y)).1, number(y));
            let _ = writeln!(
                self.body,
                "<path d=\"M{left:.1} {ty:.1}H{right:.1}\" stroke=\"#e2e2e2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                left - 6.0,
                ty + 4.0
            );
        }
        let _ = writeln!(
            self.body,
            "<path d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"#999\"/>"
        );
        for one in series {
            self.body.push_str(&one.marks(at));
        }
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (left + right) / 2.0,
            self.height - 8.0,
            escaped(x_label),
            (top + bottom) / 2.0,
            escaped(y_label)
        );
    }

    /// Writes the names, in as many rows as they need, and returns where the last row ends.
    fn legend(&mut self, series: &[Series], left: f64, top: f64) -> f64 {
        const SAMPLE: f64 = 26.0;
        const ROW: f64 = 18.0;
        let right = self.width - 8.0;
        let (mut x, mut y) = (left, top + 10.0);
        for one in series {
            let mut name = one.name.clone();
            if one.is_empty() {
                name.push_str(" (no points)");
            }
            let most = ((right - left - SAMPLE) / LETTER).max(2.0) as usize;
            if name.chars().count() > most {
                name = name.chars().take(most - 1).chain(['…']).collect();
            }
            let width = SAMPLE + LETTER * name.chars().count() as f64;
            if x > left && x + width > right {
                (x, y) = (left, y + ROW);
            }
            let sample = if one.style == Style::Points { vec![(10.0, 0.0)] } else { vec![(0.0, 0.0), (20.0, 0.0)] };
            let sample = Series { name: String::new(), colour: one.colour.clone(), points: sample, style: one.style };
            self.body.push_str(&sample.marks(|(dx, dy)| (x + dx, y + dy)));
            let _ = writeln!(self.body, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + SAMPLE, y + 4.0, escaped(&name));
            x += width + 14.0;
        }
        y + 8.0
    }
}

/// About how wide a letter is [px]; a picture does not know its fonts.
const LETTER: f64 = 6.8;

/// Whether a point has a place; what overflows when differences are taken has none.
fn drawable(p: &(f64, f64)) -> bool {
    p.0.abs() < 1e150 && p.1.abs() < 1e150
}

/// From the least to the greatest value, with some room where they are all the same.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    let room = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    match high - low {
        width if width > 1e-12 * low.abs().max(high.abs()) => Some((low, high)),
        width if width >= 0.0 => Some((low - room, high + room)),
        _ => None,
    }
}

/// A number as an axis shows it.
fn number(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    (if plain { format!("{value}") } else { format!("{value:e}") }).replace('-', "−")
}

/// Round numbers between two values, about five of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![low];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    // one division rounds; a product of a step like 0.1 would not print as 0.3
    let digits = (-step.log10().floor()).max(0.0) as usize;
    (first..=last).filter_map(|k| format!("{:.digits$}", k as f64 * step).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plotted(series: &[Series]) -> String {
        let mut picture = Picture::new(400.0, 300.0);
        picture.curves(series, "x", "y", 8.0);
        let svg = picture.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        svg
    }

    fn line(points: Vec<(f64, f64)>) -> Series {
        Series { name: "a".into(), colour: "red".into(), points, style: Style::Line }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(-0.11, 0.32), [-0.1, 0.0, 0.1, 0.2, 0.3]);
        assert_eq!(ticks(0.0, 3.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(1.0, 1.0), [1.0]);
        assert_eq!([0.0, -0.25, 2e-9, 1.5e6].map(number), ["0", "−0.25", "2e−9", "1.5e6"]);
    }

    #[test]
    fn what_is_not_finite_leaves_a_gap() {
        let nan = f64::NAN;
        let svg =
            plotted(&[line(vec![(0.0, 1.0), (1.0, 2.0), (2.0, nan), (3.0, 1.0), (nan, 0.0), (4.0, f64::INFINITY)])]);
        assert_eq!(svg.matches("<polyline").count(), 3, "two runs and the sample beside the name: {svg}");
        assert!(plotted(&[line(vec![(0.0, nan)])]).contains("There is nothing to plot."));
        assert!(plotted(&[line(vec![(0.0, 1.0)]), line(vec![])]).contains("a (no points)"));
        plotted(&[line(vec![(0.0, f64::MAX), (1.0, -f64::MAX), (2.0, 7.0), (3.0, 7.0)])]);
    }

    #[test]
    fn names_that_do_not_fit_beside_each_other_stand_below() {
        let named = |name: &str| Series { name: name.into(), ..line(vec![(0.0, 0.0), (1.0, 1.0)]) };
        let rows = |names: &[&str]| {
            let svg = plotted(&names.iter().map(|n| named(n)).collect::<Vec<_>>());
            let row =
                |text: &str| svg.split(text).next()?.rsplit("y=\"").next()?.split('"').next()?.parse::<f64>().ok();
            names.iter().map(|n| row(&format!(">{}<", escaped(n))).unwrap()).collect::<Vec<_>>()
        };
        let short = rows(&["one", "two & a half"]);
        assert_eq!(short[0], short[1]);
        let long = rows(&["a name of twenty-eight letters", "another of twenty-eight so"]);
        assert!(long[1] > long[0] + 10.0);
        assert!(plotted(&[named(&"long ".repeat(40))]).contains('…'));
    }
}
