//! Pages for the browser: animated surfaces, plots and tables in one file.

mod pack;

use std::fmt::Write;

use math::Vect;

use crate::picture::{Picture, Series, escaped};

/// A page for the browser: animations side by side, plots, tables. One file, nothing is loaded from elsewhere.
#[derive(Default)]
pub struct Page {
    /// the heading
    pub title: String,
    /// plain text under the heading; an empty line begins a paragraph
    pub intro: String,
    /// frames of the animations in a second
    pub fps: f64,
    /// animations, all played together under one camera and in one scale
    pub views: Vec<View>,
    /// below them
    pub plots: Vec<Plot>,
    /// and at the end
    pub tables: Vec<Table>,
}

/// An animated surface.
pub struct View {
    /// what is seen
    pub caption: String,
    /// corners, counterclockwise from outside
    pub triangles: Vec<[u32; 3]>,
    /// positions of all vertices in each frame, z up [m]
    pub frames: Vec<Vec<Vect<3>>>,
    /// red, green, blue of each vertex in 0..1; a default where there is none
    pub colours: Vec<[f32; 3]>,
}

/// Curves and points over two axes.
pub struct Plot {
    /// the heading
    pub title: String,
    /// what to see in it
    pub caption: String,
    /// what runs to the right, and its unit
    pub x_label: String,
    /// what runs up, and its unit
    pub y_label: String,
    /// what is plotted, the last on top
    pub series: Vec<Series>,
}

/// Rows of text and numbers.
pub struct Table {
    /// the heading
    pub title: String,
    /// what to see in it
    pub caption: String,
    /// the names of the columns
    pub head: Vec<String>,
    /// what is in them
    pub rows: Vec<Vec<String>>,
}

impl Page {
    /// The whole page.
    pub fn html(&self) -> String {
        let title = escaped(if self.title.is_empty() { "Supple" } else { &self.title });
        let mut body = String::new();
        for paragraph in self.intro.split("\n\n").filter(|p| !p.trim().is_empty()) {
            let _ = writeln!(body, "<p class=\"intro\">{}</p>", escaped(paragraph.trim()));
        }
        self.write_views(&mut body);
        write_section(&mut body, "plots", "Plots", self.plots.iter().map(Plot::html));
        write_section(&mut body, "tables", "Tables", self.tables.iter().map(Table::html));
        if self.views.is_empty() && self.plots.is_empty() && self.tables.is_empty() {
            body.push_str("<p>There is nothing to show.</p>\n");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n",
            include_str!("page/style.css")
        )
    }

    /// The animations, what controls them, their data and the script that plays them.
    fn write_views(&self, body: &mut String) {
        let shown: Vec<&View> = self.views.iter().filter(|v| !v.is_empty()).collect();
        let columns = match self.views.len() {
            0 => return,
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let packed = pack::pack(&shown, self.fps);
        body.push_str("<section aria-label=\"Animations\">\n");
        if !shown.is_empty() {
            body.push_str(include_str!("page/controls.html"));
        }
        let _ = writeln!(body, "<div class=\"views columns-{columns}\">");
        for view in &self.views {
            body.push_str(&view.html());
        }
        body.push_str("</div>\n");
        if packed.stride > 1 {
            let nth = packed.stride;
            let _ = writeln!(
                body,
                "<p class=\"hint\">To keep this page small it holds one frame in {nth}; what is between is interpolated.</p>"
            );
        }
        body.push_str("</section>\n");
        if !shown.is_empty() {
            let _ = writeln!(
                body,
                "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n(() => {{\n\"use strict\";\n{}{}{}{}}})();\n</script>",
                packed.data,
                include_str!("page/camera.js"),
                include_str!("page/webgl.js"),
                include_str!("page/painter.js"),
                include_str!("page/viewer.js"),
            );
        }
    }
}

impl View {
    /// Whether there is nothing to draw.
    fn is_empty(&self) -> bool {
        let vertices = self.frames.first().map_or(0, Vec::len);
        !self.triangles.iter().any(|t| t.iter().all(|v| (*v as usize) < vertices))
            || !self.frames.iter().flatten().any(pack::placed)
    }

    fn html(&self) -> String {
        let caption = escaped(&self.caption);
        if self.is_empty() {
            return format!(
                "<figure><div class=\"empty\">This view has no surface to show.</div><figcaption>{caption}</figcaption></figure>\n"
            );
        }
        let expected = self.frames.len() * self.frames.first().map_or(0, Vec::len);
        let placed: usize = self.frames.iter().map(|f| f.iter().filter(|x| pack::placed(x)).count()).sum();
        let note = match expected.saturating_sub(placed) {
            0 => String::new(),
            lost => format!(
                "<br><strong>{lost} of its {expected} positions are missing or not finite; each is drawn where it last was.</strong>"
            ),
        };
        format!(
            "<figure><canvas tabindex=\"0\" role=\"img\" aria-label=\"Animated surface: {caption}\"></canvas>\
             <figcaption>{caption}{note}</figcaption></figure>\n"
        )
    }
}

impl Plot {
    fn html(&self) -> String {
        let (title, caption) = (escaped(&self.title), escaped(&self.caption));
        let drawn = if self.series.iter().all(Series::is_empty) {
            "<div class=\"empty\">This plot has no points to show.</div>".into()
        } else {
            let mut picture = Picture::new(390.0, 290.0);
            picture.curves(&self.series, &self.x_label, &self.y_label, 4.0);
            format!("<div role=\"img\" aria-label=\"Plot: {title}\">{}</div>", picture.svg())
        };
        format!("<figure><h3>{title}</h3>{drawn}<figcaption>{caption}</figcaption></figure>\n")
    }
}

impl Table {
    fn html(&self) -> String {
        let (title, caption) = (escaped(&self.title), escaped(&self.caption));
        let columns = self.rows.iter().map(Vec::len).chain([self.head.len()]).max().unwrap_or(0);
        if columns == 0 || self.rows.is_empty() {
            return format!(
                "<figure><h3>{title}</h3><p>This table has no rows.</p><figcaption>{caption}</figcaption></figure>\n"
            );
        }
        let column = |k: usize| self.rows.iter().filter_map(move |r| r.get(k));
        let numbers: Vec<bool> = (0..columns).map(|k| column(k).all(|c| is_number(c))).collect();
        let cells = |row: &[String], tag: &str| -> String {
            let cell = |k: usize| {
                let class = if numbers[k] { " class=\"number\"" } else { "" };
                let text = row.get(k).map_or("", |c| shown(c));
                format!("<{tag}{class}>{}</{}>", escaped(text), &tag[..2])
            };
            (0..columns).map(cell).collect()
        };
        let rows: String = self.rows.iter().map(|r| format!("<tr>{}</tr>\n", cells(r, "td"))).collect();
        format!(
            "<figure><h3>{title}</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {title}\">\
             <table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div><figcaption>{caption}</figcaption></figure>\n",
            cells(&self.head, "th scope=\"col\"")
        )
    }
}

/// Writes a section with a heading, where it has anything in it.
fn write_section(body: &mut String, class: &str, heading: &str, parts: impl Iterator<Item = String>) {
    let parts: String = parts.collect();
    if !parts.is_empty() {
        let _ = writeln!(body, "<section>\n<h2>{heading}</h2>\n<div class=\"{class}\">\n{parts}</div>\n</section>");
    }
}

/// What a cell shows: a dash for a number that is none.
fn shown(cell: &str) -> &str {
    if cell.trim().parse().is_ok_and(|v: f64| !v.is_finite()) { "–" } else { cell }
}

/// Whether a cell holds a number, perhaps with a unit behind it, or nothing.
fn is_number(cell: &str) -> bool {
    let first = cell.split_whitespace().next().unwrap_or("–").replace('−', "-");
    first == "–" || first == "-" || first.trim_end_matches(['%', '×']).parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests;
