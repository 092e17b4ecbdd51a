//! What a page says, and what must never be in it.

use super::*;
use crate::Style;

fn triangle(caption: &str, z: f64) -> View {
    let frame = |z: f64| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, z]].map(Vect::from).to_vec();
    View { caption: caption.into(), triangles: vec![[0, 1, 2]], frames: vec![frame(0.0), frame(z)], colours: vec![] }
}

fn plot(points: Vec<(f64, f64)>) -> Plot {
    let series = vec![Series { name: "<s>".into(), colour: "\"red".into(), points, style: Style::Points }];
    Plot { title: "<p>".into(), caption: "<c>".into(), x_label: "<x>".into(), y_label: "<y>".into(), series }
}

fn table(rows: &[&[&str]]) -> Table {
    let texts = |row: &[&str]| row.iter().map(|c| c.to_string()).collect::<Vec<_>>();
    let (title, caption, head) = ("<t>".into(), "<c>".into(), texts(&["<h>", "n"]));
    Table { title, caption, head, rows: rows.iter().map(|r| texts(r)).collect() }
}

/// The body of a page without its script and data.
fn text(page: &Page) -> String {
    let html = page.html();
    let body = html.split("<body>").nth(1).unwrap();
    let (before, after) = body.split_once("<script").unwrap_or((body, ""));
    format!("{before}{}", after.rsplit("</script>").next().unwrap())
}

#[test]
fn all_texts_are_escaped() {
    let page = Page {
        title: "</title><script>".into(),
        intro: "<i>\n\n</main>".into(),
        fps: 24.0,
        views: vec![triangle("\"<v>", 1.0)],
        plots: vec![plot(vec![(0.0, 1.0), (1.0, 2.0)])],
        tables: vec![table(&[&["<td>", "1"]])],
    };
    assert_eq!(page.html().matches("<script").count(), 2, "the data and the viewer");
    let text = text(&page);
    for raw in ["<i>", "<v>", "<s>", "<p>", "<c>", "<x>", "<y>", "<t>", "<h>", "<td><td>", "\"\"red"] {
        assert!(!text.contains(raw), "{raw}: {text}");
    }
    for known in ["&lt;i&gt;", "&quot;&lt;v&gt;", "&lt;s&gt;", "&quot;red", "&lt;x&gt;", "&lt;t&gt;", "&lt;td&gt;"] {
        assert!(text.contains(known), "{known}: {text}");
    }
    assert_eq!(text.matches("<p class=\"intro\">").count(), 2);
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let html = Page { views: vec![triangle("a", 1.0)], ..Page::default() }.html();
    let html = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!["http:", "https:", "src=", "@import", "url("].iter().any(|s| html.contains(s)));
}

#[test]
fn a_page_without_views_has_no_script() {
    let html = Page { title: "empty".into(), ..Page::default() }.html();
    assert!(html.contains("There is nothing to show.") && !html.contains("<script") && !html.contains("<canvas"));
    let page = Page { views: vec![View { frames: vec![], ..triangle("a", 1.0) }], ..Page::default() };
    assert!(page.html().contains("This view has no surface to show.") && !page.html().contains("<script"));
    let page = Page { tables: vec![table(&[])], plots: vec![plot(vec![])], ..Page::default() };
    assert!(
        page.html().contains("This table has no rows.") && page.html().contains("This plot has no points to show.")
    );
}

#[test]
fn what_is_not_finite_does_not_reach_the_page() {
    let nan = f64::NAN;
    let page = Page {
        fps: nan,
        views: vec![triangle("a", nan), triangle("b", f64::INFINITY), triangle("c", 1.0)],
        plots: vec![plot(vec![(0.0, nan), (nan, 1.0)]), plot(vec![(0.0, 1.0), (1.0, nan), (2.0, -f64::INFINITY)])],
        tables: vec![table(&[&["a", "NaN"], &["b", "inf"], &["c", "1.5 ms"]])],
        ..Page::default()
    };
    let html = page.html();
    let data = html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert!(data["fps"].as_f64() == Some(24.0) && data["size"][2].as_f64() == Some(1.0), "{data}");
    let text = text(&page);
    assert!(!text.contains("NaN") && !text.contains("inf<") && !text.contains("inf\""), "{text}");
    assert_eq!(text.matches("1 of its 6 positions are missing").count(), 2);
    assert_eq!(text.matches("<td class=\"number\">–</td>").count(), 2);
}
