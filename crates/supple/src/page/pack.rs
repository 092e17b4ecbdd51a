//! Animations as a page carries them: positions in 16 bits an axis over the bounds of all of them, in base64.

use math::Vect;
use serde_json::{Value, json};

use super::View;

/// The most bytes of positions in a view, and in all views; frames are left out beyond it.
const OF_A_VIEW: usize = 6_000_000;
const OF_ALL: usize = 13_500_000;

/// Where no colour is given.
const FLESH: [f32; 3] = [0.82, 0.50, 0.42];

/// The data of all views, and what there is to say about them.
pub(super) struct Packed {
    /// as the script reads it
    pub data: Value,
    /// every which frame is kept
    pub stride: usize,
}

/// Packs the views that have something to show.
pub(super) fn pack(views: &[&View], fps: f64) -> Packed {
    let fps = if fps.is_finite() && fps > 0.0 { fps } else { 24.0 };
    let bounds = Bounds::of(views);
    let stride = stride(views);
    let mut meshes: Vec<(&[[u32; 3]], usize, Value)> = vec![];
    let mut packed = vec![];
    for view in views {
        let vertices = view.frames.first().map_or(0, Vec::len);
        let known = meshes.iter().position(|m| m.0 == view.triangles && m.1 == vertices);
        let mesh = known.unwrap_or_else(|| {
            meshes.push((&view.triangles, vertices, corners(&view.triangles, vertices)));
            meshes.len() - 1
        });
        let colour = |v: usize| view.colours.get(v).filter(|c| c.iter().all(|c| c.is_finite())).unwrap_or(&FLESH);
        let colours: Vec<u8> = (0..vertices).flat_map(|v| colour(v).map(|c| (255.0 * c).round() as u8)).collect();
        packed.push(json!({
            "mesh": mesh,
            "vertices": vertices,
            "frames": base64(&bounds.frames(view, stride)),
            "colours": base64(&colours),
        }));
    }
    let meshes: Vec<Value> = meshes.into_iter().map(|m| m.2).collect();
    let size = [0, 1, 2].map(|k| bounds.high[k] - bounds.low[k]);
    Packed { data: json!({ "fps": fps / stride as f64, "size": size, "meshes": meshes, "views": packed }), stride }
}

/// Whether a position has a place; what overflows when differences are taken has none.
pub(super) fn placed(x: &Vect<3>) -> bool {
    x.iter().all(|x| x.abs() < 1e150)
}

/// Every which frame to keep so that the page stays small enough to send.
fn stride(views: &[&View]) -> usize {
    let longest = views.iter().map(|v| v.frames.len()).max().unwrap_or(1).max(1);
    let fits = |stride: &usize| {
        let bytes = |v: &&View| 6 * v.frames.first().map_or(0, Vec::len) * v.frames.len().div_ceil(*stride);
        views.iter().map(bytes).all(|b| b <= OF_A_VIEW) && views.iter().map(bytes).sum::<usize>() <= OF_ALL
    };
    (1..longest).find(fits).unwrap_or(longest)
}

/// The corners of the triangles, in 16 bits where they suffice. Triangles of vertices that are not there are left out.
fn corners(triangles: &[[u32; 3]], vertices: usize) -> Value {
    let corners = triangles.iter().filter(|t| t.iter().all(|v| (*v as usize) < vertices)).flatten();
    let wide = vertices > 1 << 16;
    let bytes: Vec<u8> = match wide {
        true => corners.flat_map(|v| v.to_le_bytes()).collect(),
        false => corners.flat_map(|v| (*v as u16).to_le_bytes()).collect(),
    };
    json!({ "wide": wide, "corners": base64(&bytes) })
}

/// The box around all positions.
struct Bounds {
    low: Vect<3>,
    high: Vect<3>,
}

impl Bounds {
    fn of(views: &[&View]) -> Self {
        let all = || views.iter().flat_map(|v| &v.frames).flatten().filter(|x| placed(x));
        let first = all().next().copied().unwrap_or_default();
        all().fold(Self { low: first, high: first }, |b, x| Self { low: b.low.inf(x), high: b.high.sup(x) })
    }

    /// A position in steps of 1/65535 of the box.
    fn steps(&self, x: &Vect<3>) -> [u16; 3] {
        [0, 1, 2].map(|k| {
            let size = self.high[k] - self.low[k];
            if size > 0.0 { (65535.0 * ((x[k] - self.low[k]) / size)).round() as u16 } else { 0 }
        })
    }

    /// The kept frames of a view; a position that has no place stays where it last was.
    fn frames(&self, view: &View, stride: usize) -> Vec<u8> {
        let mut last = view.frames.first().map_or(vec![], |f| vec![(self.low + self.high) / 2.0; f.len()]);
        let mut bytes = vec![];
        for frame in view.frames.iter().step_by(stride) {
            for (last, x) in last.iter_mut().zip(frame).filter(|(_, x)| placed(x)) {
                *last = *x;
            }
            bytes.extend(last.iter().flat_map(|x| self.steps(x)).flat_map(u16::to_le_bytes));
        }
        bytes
    }
}

/// Bytes as text [RFC 4648, section 4].
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | u32::from(three.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * k)) as usize & 63]);
            text.push(if k <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let known =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in known {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe, 0x00]), "+//+AA==");
    }

    fn view(frames: Vec<Vec<Vect<3>>>) -> View {
        View { caption: String::new(), triangles: vec![[0, 1, 2]], frames, colours: vec![] }
    }

    #[test]
    fn a_packed_position_is_off_by_less_than_a_step() {
        let x = |k: usize| Vect::from([(k as f64).sin() - 3.0, 1e-3 * (k as f64 * 0.7).cos(), 250.0]);
        let view = view((0..40).map(|f| (0..25).map(|v| x(25 * f + v)).collect()).collect());
        let bounds = Bounds::of(&[&view]);
        let bytes = bounds.frames(&view, 1);
        assert_eq!(bytes.len(), 40 * 25 * 6);
        for (k, six) in bytes.chunks(6).enumerate() {
            for (axis, two) in six.chunks(2).enumerate() {
                let size = bounds.high[axis] - bounds.low[axis];
                let back = bounds.low[axis] + size * f64::from(u16::from_le_bytes([two[0], two[1]])) / 65535.0;
                assert!((back - x(k)[axis]).abs() <= 0.51 * size / 65535.0, "{k}, {axis}: {back}");
            }
        }
    }

    #[test]
    fn what_has_no_place_stays_where_it_was() {
        let at = |x: f64| Vect::from([x, 0.0, 0.0]);
        let frames = vec![vec![at(0.0), at(1.0)], vec![at(f64::NAN), at(f64::INFINITY)], vec![at(0.5)]];
        let view = view(frames);
        let bytes = Bounds::of(&[&view]).frames(&view, 1);
        let x: Vec<u16> = bytes.chunks(6).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(x, [0, 65535, 0, 65535, 32768, 65535]);
    }

    #[test]
    fn long_animations_lose_frames_and_equal_meshes_are_stored_once() {
        let long = view(vec![vec![Vect::zeros(); 3000]; 300]);
        let views = [&long, &long, &long];
        assert_eq!((stride(&[&long]), stride(&views)), (1, 2));
        let Packed { data, .. } = pack(&views, 30.0);
        assert_eq!((data["fps"].as_f64(), data["meshes"].as_array().map(Vec::len)), (Some(15.0), Some(1)));
        assert!(data.to_string().len() < 20_000_000);
        assert_eq!(stride(&[&view(vec![vec![Vect::zeros(); 2_000_000]; 2])]), 2); // as far as it goes
    }
}
