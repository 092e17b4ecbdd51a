//! Small pictures of surfaces, pixel by pixel.

use math::Vect;

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// A picture, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<Rgb>,
}

/// From where a surface is seen, and which part of the view fills the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    right: Vect<3>,
    up: Vect<3>,
    toward: Vect<3>,
    /// the middle of the picture, and what half of its height shows [m]
    middle: [f64; 2],
    half: [f64; 2],
    /// flat: filled, with its outline, without shading
    flat: bool,
}

/// Behind everything.
pub(crate) const PAPER: Rgb = [250, 249, 246];
const INK: Rgb = [52, 44, 60];
/// Each pixel is the mean of this many by this many.
const FINE: usize = 3;

impl View {
    /// Straight at what is flat, from the side and above at what is not, so near that all of these points are seen.
    pub fn around<'a>(flat: bool, points: impl Iterator<Item = &'a Vect<3>> + Clone) -> Self {
        let toward = if flat { Vect::from([0.0, -1.0, 0.0]) } else { Vect::from([0.45, -1.0, 0.4]).normalize() };
        let right = Vect::from([0.0, 0.0, 1.0]).cross(&toward).normalize();
        let right = if flat { Vect::from([1.0, 0.0, 0.0]) } else { right };
        let up = toward.cross(&right);
        let mut view = Self { right, up, toward, middle: [0.0; 2], half: [1.0; 2], flat };
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        for x in points {
            let at = [right.dot(x), up.dot(x)];
            for i in 0..2 {
                (low[i], high[i]) = (low[i].min(at[i]), high[i].max(at[i]));
            }
        }
        view.middle = [0, 1].map(|i| (low[i] + high[i]) / 2.0);
        view.half = [0, 1].map(|i| ((high[i] - low[i]) / 2.0 * 1.06).max(1e-9));
        view
    }

    /// How large what is seen is [m²].
    pub fn area(&self) -> f64 {
        4.0 * self.half[0] * self.half[1]
    }

    /// Height over width of what is seen.
    pub fn aspect(&self) -> f64 {
        self.half[1] / self.half[0]
    }
}

impl Pixels {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![PAPER; width * height] }
    }

    /// A surface in one colour.
    pub fn of(width: usize, height: usize, view: &View, x: &[Vect<3>], triangles: &[[u32; 3]], colour: Rgb) -> Self {
        let (w, h) = (width * FINE, height * FINE);
        let (mut fine, mut depth) = (vec![PAPER; w * h], vec![f64::NEG_INFINITY; w * h]);
        let scale = (w as f64 / 2.0 / view.half[0]).min(h as f64 / 2.0 / view.half[1]);
        let at = |x: &Vect<3>| {
            let u = w as f64 / 2.0 + scale * (view.right.dot(x) - view.middle[0]);
            let v = h as f64 / 2.0 - scale * (view.up.dot(x) - view.middle[1]);
            Vect::from([u, v, scale * view.toward.dot(x)])
        };
        let seen: Vec<Vect<3>> = x.iter().map(at).collect();
        let normals = normals(x, triangles);
        let light = (view.toward + 0.6 * view.up - 0.5 * view.right).normalize();
        for t in triangles {
            let corners = t.map(|v| seen[v as usize]);
            // cloth is seen from both sides
            let shade = t.map(|v| 0.42 + 0.58 * normals[v as usize].dot(&light).abs());
            fill(&corners, [w, h], |k, z, share| {
                if z > depth[k] {
                    depth[k] = z;
                    let s = if view.flat { 1.0 } else { (0..3).map(|i| share[i] * shade[i]).sum() };
                    fine[k] = colour.map(|c| (f64::from(c) * s).min(255.0) as u8);
                }
            });
        }
        if view.flat {
            outline(&seen, triangles, w, h, &mut fine);
        }
        let mut out = Self::new(width, height);
        for (k, pixel) in out.rgb.iter_mut().enumerate() {
            let (x, y) = (k % width * FINE, k / width * FINE);
            let all = (0..FINE * FINE).map(|i| fine[(y + i / FINE) * w + x + i % FINE]);
            let sum = all.fold([0u32; 3], |s, c| [0, 1, 2].map(|i| s[i] + u32::from(c[i])));
            *pixel = sum.map(|s| (s / (FINE * FINE) as u32) as u8);
        }
        out
    }

    /// Puts another picture into this one, its upper left corner here.
    pub fn paste(&mut self, other: &Self, left: usize, top: usize) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            for x in 0..other.width.min(self.width.saturating_sub(left)) {
                self.rgb[(top + y) * self.width + left + x] = other.rgb[y * other.width + x];
            }
        }
    }
}

/// Calls for each pixel in a triangle: its number, how near it is, and the shares of the corners.
fn fill(c: &[Vect<3>; 3], size: [usize; 2], mut each: impl FnMut(usize, f64, [f64; 3])) {
    let edge = |a: &Vect<3>, b: &Vect<3>, x: f64, y: f64| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    let whole = edge(&c[0], &c[1], c[2][0], c[2][1]);
    if !(whole.abs() > 1e-12) {
        return;
    }
    let range = |i: usize| {
        let (low, high) = (c[0][i].min(c[1][i]).min(c[2][i]), c[0][i].max(c[1][i]).max(c[2][i]));
        (low - 0.5).ceil().max(0.0) as usize..((high - 0.5).floor() + 1.0).clamp(0.0, size[i] as f64) as usize
    };
    for y in range(1) {
        for x in range(0) {
            let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
            let share = [
                edge(&c[1], &c[2], px, py) / whole,
                edge(&c[2], &c[0], px, py) / whole,
                edge(&c[0], &c[1], px, py) / whole,
            ];
            if share.iter().all(|s| *s >= -1e-9) {
                each(y * size[0] + x, (0..3).map(|i| share[i] * c[i][2]).sum(), share);
            }
        }
    }
}

/// Draws the sides that only one triangle has.
fn outline(seen: &[Vect<3>], triangles: &[[u32; 3]], w: usize, h: usize, fine: &mut [Rgb]) {
    let mut sides: Vec<[u32; 2]> = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    sides.iter_mut().for_each(|side| side.sort_unstable());
    sides.sort_unstable();
    let reach = FINE as f64 * 0.75;
    for same in sides.chunk_by(|a, b| a == b).filter(|same| same.len() == 1) {
        let [a, b] = same[0].map(|v| seen[v as usize]);
        let along = Vect::from([b[0] - a[0], b[1] - a[1]]);
        let length = along.norm().max(1e-9);
        // a thin quadrilateral with square ends
        let way = along * (reach / length);
        let side = Vect::from([-way[1], way[0]]);
        let corner = |p: &Vect<3>, s: f64, e: f64| {
            Vect::from([p[0] + s * side[0] + e * way[0], p[1] + s * side[1] + e * way[1], 0.0])
        };
        let q = [corner(&a, 1.0, -1.0), corner(&a, -1.0, -1.0), corner(&b, -1.0, 1.0), corner(&b, 1.0, 1.0)];
        for t in [[q[0], q[1], q[2]], [q[0], q[2], q[3]]] {
            fill(&t, [w, h], |k, _, _| fine[k] = INK);
        }
    }
}

/// Normals of vertices, by area.
fn normals(x: &[Vect<3>], triangles: &[[u32; 3]]) -> Vec<Vect<3>> {
    let mut normals = vec![Vect::<3>::zeros(); x.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| x[v as usize]);
        let n = (b - a).cross(&(c - a));
        t.iter().for_each(|&v| normals[v as usize] += n);
    }
    normals.iter().map(|n| n.try_normalize(1e-300).unwrap_or(Vect::zeros())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_surface_is_seen_and_what_is_not_covered_stays_paper() {
        let at = |y: f64, s: f64| [[-s, y, -s], [s, y, -s], [s, y, s], [-s, y, s]].map(Vect::from);
        let far = at(1.0, 1.0);
        let view = View::around(false, far.iter());
        let picture = Pixels::of(60, 60, &view, &far, &[[0, 1, 2], [0, 2, 3]], [255, 0, 0]);
        assert_eq!(picture.rgb[0], PAPER);
        let middle = picture.rgb[30 * 60 + 30];
        assert!(middle[0] > 80 && middle[1] == 0, "{middle:?}");
    }
}
