//! Pictures as SVG: surfaces seen from a corner, and curves.

mod plot;

use std::fmt::Write;

use math::Vect;

pub use plot::{Series, Style};

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

/// Text as it stands in SVG and HTML, between tags or between quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push(' '), // neither may hold these
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_well_formed() {
        let mut picture = Picture::new(300.0, 300.0);
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vect::from);
        picture.surfaces(&[Drawn { x: &x, triangles: &[[0, 1, 2]], colour: [0.9, 0.5, 0.4], opacity: 1.0 }], 150.0);
        let points = vec![(0.0, 1.0), (1.0, 2.0)];
        let tip = Series { name: "tip".into(), colour: "#c33".into(), points, style: Style::Line };
        picture.curves(&[tip], "s", "m", 160.0);
        let svg = picture.svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("<polygon") && svg.contains("<polyline") && !svg.contains("NaN"), "{svg}");
    }
    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(escaped("µ, ×\u{1}\n"), "µ, × \n");
    }
}
