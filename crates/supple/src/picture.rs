//! Pictures as SVG: surfaces seen from a corner, and curves.

use std::fmt::Write;

use math::Vect;

/// A picture under construction.
pub struct Picture {
    width: f64,
    height: f64,
    body: String,
}

/// A surface to draw.
pub struct Drawn<'a> {
    /// positions
    pub x: &'a [Vect<3>],
    /// and what they are the corners of
    pub triangles: &'a [[u32; 3]],
    /// red, green, blue in 0..1
    pub colour: [f64; 3],
    /// 0..1
    pub opacity: f64,
}

/// A curve to plot: name, colour, and (x, y) points.
pub struct Curve<'a> {
    /// what it shows
    pub name: &'a str,
    /// as CSS has it
    pub colour: &'a str,
    /// (x, y)
    pub points: Vec<(f64, f64)>,
}

impl Picture {
    /// An empty picture of this size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Draws surfaces seen from the front, a little from the side and from above, z up, together in one view that fills
    /// the upper part of the picture down to `bottom`. Later ones are drawn over earlier ones.
    pub fn surfaces(&mut self, surfaces: &[Drawn<'_>], bottom: f64) {
        let (right, up, toward) = view_axes();
        let project = |x: &Vect<3>| (right.dot(x), up.dot(x), toward.dot(x));
        let flat = surfaces.iter().flat_map(|s| s.x).map(project);
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for (x, y, _) in flat {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let margin = 24.0;
        let scale = ((self.width - 2.0 * margin) / (high.0 - low.0)).min((bottom - 2.0 * margin) / (high.1 - low.1));
        let left = (self.width - scale * (high.0 - low.0)) / 2.0;
        let top = (bottom - scale * (high.1 - low.1)) / 2.0;
        let light = Vect::from([0.3, -0.7, 0.8]).normalize();
        for Drawn { x, triangles, colour, opacity } in surfaces {
            let mut faces: Vec<(f64, [Vect<3>; 3])> = triangles
                .iter()
                .map(|t| t.map(|v| x[v as usize]))
                .map(|c| (toward.dot(&(c[0] + c[1] + c[2])), c))
                .filter(|(_, c)| (c[1] - c[0]).cross(&(c[2] - c[0])).dot(&toward) > 0.0)
                .collect();
            faces.sort_by(|a, b| a.0.total_cmp(&b.0));
            let _ = write!(self.body, "<g opacity=\"{opacity}\" stroke-width=\"0.5\" stroke-linejoin=\"round\">");
            for (_, c) in faces {
                let normal = (c[1] - c[0]).cross(&(c[2] - c[0])).normalize();
                let shade = 0.45 + 0.55 * normal.dot(&light).max(0.0);
                let [r, g, b] = colour.map(|c| (255.0 * (c * shade).min(1.0)).round());
                let points = c.map(|x| {
                    let (u, v, _) = project(&x);
                    format!("{:.1},{:.1}", left + scale * (u - low.0), top + scale * (high.1 - v))
                });
                let _ = write!(
                    self.body,
                    "<polygon points=\"{}\" fill=\"rgb({r},{g},{b})\" stroke=\"rgb({r},{g},{b})\"/>",
                    points.join(" ")
                );
            }
            self.body.push_str("</g>\n");
        }
    }

    /// Plots curves over a common x axis in the strip between `top` and the lower edge.
    pub fn curves(&mut self, curves: &[Curve<'_>], x_label: &str, y_label: &str, top: f64) {
        let (left, right, bottom) = (64.0, self.width - 24.0, self.height - 44.0);
        let all = || curves.iter().flat_map(|c| &c.points);
        let (x0, x1) = all().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.0), b.max(p.0)));
        let (y0, y1) = all().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.1), b.max(p.1)));
        let width = |a: f64, b: f64| (b - a).max(f64::MIN_POSITIVE);
        let at = |(x, y): (f64, f64)| {
            (left + (right - left) * (x - x0) / width(x0, x1), bottom - (bottom - top) * (y - y0) / width(y0, y1))
        };
        for (value, is_x) in
            ticks(x0, x1).into_iter().map(|v| (v, true)).chain(ticks(y0, y1).into_iter().map(|v| (v, false)))
        {
            let (x, y) = if is_x { at((value, y0)) } else { at((x0, value)) };
            let (dx, dy) = if is_x { (0.0, top - bottom) } else { (right - left, 0.0) };
            let (tx, ty, anchor) = if is_x { (x, bottom + 16.0, "middle") } else { (left - 6.0, y + 4.0, "end") };
            let _ = writeln!(
                self.body,
                "<path d=\"M{x:.1} {y:.1}l{dx:.1} {dy:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{tx:.1}\" y=\"{ty:.1}\" text-anchor=\"{anchor}\">{value}</text>"
            );
        }
        for (k, curve) in curves.iter().enumerate() {
            let points: Vec<String> =
                curve.points.iter().map(|p| at(*p)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                self.body,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\
                 <text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>",
                points.join(" "),
                curve.colour,
                left + 240.0 * k as f64,
                top - 10.0,
                curve.colour,
                curve.name
            );
        }
        let middle = (top + bottom) / 2.0;
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x_label}</text>\
             <text transform=\"translate(14 {middle}) rotate(-90)\" text-anchor=\"middle\">{y_label}</text>",
            (left + right) / 2.0,
            self.height - 8.0
        );
    }

    /// The finished picture.
    pub fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
            self.width, self.height, self.body
        )
    }
}

/// The axes of the view: to the right, up, and toward the eye.
fn view_axes() -> (Vect<3>, Vect<3>, Vect<3>) {
    let toward = Vect::from([0.35, -1.0, 0.35]).normalize();
    let right = Vect::from([0.0, 0.0, 1.0]).cross(&toward).normalize();
    (right, toward.cross(&right), toward)
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

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(-0.11, 0.32), [-0.1, 0.0, 0.1, 0.2, 0.3]);
        assert_eq!(ticks(0.0, 3.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(1.0, 1.0), [1.0]);
    }

    #[test]
    fn a_picture_is_well_formed() {
        let mut picture = Picture::new(300.0, 300.0);
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vect::from);
        picture.surfaces(&[Drawn { x: &x, triangles: &[[0, 1, 2]], colour: [0.9, 0.5, 0.4], opacity: 1.0 }], 150.0);
        picture.curves(&[Curve { name: "tip", colour: "#c33", points: vec![(0.0, 1.0), (1.0, 2.0)] }], "s", "m", 160.0);
        let svg = picture.svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("<polygon") && svg.contains("<polyline") && !svg.contains("NaN"), "{svg}");
    }
}
