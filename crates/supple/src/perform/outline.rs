//! The outline of a picture: where it is not transparent.

use std::collections::BTreeMap;
use std::path::Path;

use math::Vect;

use crate::Error;

/// Pixels, each inside or outside.
pub(crate) struct Stencil {
    /// how many in a row
    pub width: usize,
    /// row by row, the top one first
    pub inside: Vec<bool>,
}

/// Reads where a .png is at least half opaque.
pub(crate) fn read_stencil(file: &Path) -> Result<Stencil, Error> {
    let failed = |what: String| Error::Asked(format!("{what}.\n({})", file.display()));
    let open = std::fs::File::open(file).map_err(|e| failed(format!("the picture cannot be read: {e}")))?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(open));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let broken = |e: png::DecodingError| failed(format!("the picture is damaged: {e}"));
    let mut reader = decoder.read_info().map_err(broken)?;
    const MOST: usize = 1 << 30;
    let size = reader.output_buffer_size().filter(|size| *size < MOST);
    let mut pixels = vec![0; size.ok_or_else(|| failed("the picture is too large to be traced".into()))?];
    let info = reader.next_frame(&mut pixels).map_err(broken)?;
    let channels = info.color_type.samples();
    if !matches!(info.color_type, png::ColorType::Rgba | png::ColorType::GrayscaleAlpha) {
        return Err(failed(
            "the picture has no transparency, so it has no outline to trace. Save it with alpha".into(),
        ));
    }
    let width = info.width as usize;
    let rows = pixels.chunks_exact(info.line_size).take(info.height as usize);
    let inside = rows.flat_map(|row| row[..width * channels].chunks_exact(channels).map(|p| p[channels - 1] >= 128));
    Ok(Stencil { width, inside: inside.collect() })
}

impl Stencil {
    fn is_inside(&self, x: i64, y: i64) -> bool {
        let height = (self.inside.len() / self.width.max(1)) as i64;
        (0..self.width as i64).contains(&x)
            && (0..height).contains(&y)
            && self.inside[y as usize * self.width + x as usize]
    }

    /// Closed loops around what is inside, in pixels, y up: through the middles of the pixels' sides, simplified so that no
    /// point of it was farther than `tolerance` [pixels] away. Loops around less than `least` of the whole area are dust.
    pub fn loops(&self, tolerance: f64, least: f64) -> Vec<Vec<Vect<2>>> {
        let height = (self.inside.len() / self.width.max(1)) as i64;
        // sides with the inside on their left, from corner to corner
        let mut sides: BTreeMap<(i64, i64), Vec<(i64, i64)>> = BTreeMap::new();
        for y in 0..height {
            for x in (0..self.width as i64).filter(|x| self.is_inside(*x, y)) {
                for (there, from, to) in [
                    ((x, y + 1), (x, y + 1), (x + 1, y + 1)),
                    ((x + 1, y), (x + 1, y + 1), (x + 1, y)),
                    ((x, y - 1), (x + 1, y), (x, y)),
                    ((x - 1, y), (x, y), (x, y + 1)),
                ] {
                    if !self.is_inside(there.0, there.1) {
                        sides.entry(from).or_default().push(to);
                    }
                }
            }
        }
        let mut loops: Vec<Vec<Vect<2>>> = vec![];
        while let Some((&start, _)) = sides.first_key_value() {
            let (mut points, mut at, mut came) = (vec![], start, (0, 0));
            while let Some(ways) = sides.get_mut(&at) {
                // where two loops touch, stay on this one: turn toward the inside
                let left = |to: &(i64, i64)| came.0 * (to.1 - at.1) - came.1 * (to.0 - at.0);
                let best = (0..ways.len()).min_by_key(|k| left(&ways[*k])).unwrap_or(0);
                let to = ways.swap_remove(best);
                if ways.is_empty() {
                    sides.remove(&at);
                }
                let middle = [(at.0 + to.0) as f64 / 2.0, height as f64 - (at.1 + to.1) as f64 / 2.0];
                points.push(Vect::from(middle));
                (came, at) = ((to.0 - at.0, to.1 - at.1), to);
                if at == start {
                    break;
                }
            }
            loops.push(points);
        }
        let whole: f64 = self.inside.iter().filter(|inside| **inside).count() as f64;
        loops.retain(|points| area(points).abs() > least * whole);
        loops.iter().map(|points| simplified(points, tolerance)).filter(|points| points.len() > 2).collect()
    }
}

/// What a closed loop goes around, positive where it goes anticlockwise.
fn area(points: &[Vect<2>]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.x * b.y - a.y * b.x).sum::<f64>() / 2.0
}

/// A closed loop with fewer points (Douglas and Peucker).
fn simplified(points: &[Vect<2>], tolerance: f64) -> Vec<Vect<2>> {
    let Some(first) = points.first() else { return vec![] };
    // cut it where it is farthest from its first point
    let far = (0..points.len())
        .max_by(|a, b| (points[*a] - first).norm_squared().total_cmp(&(points[*b] - first).norm_squared()));
    let far = far.unwrap_or(0);
    let mut closed = points.to_vec();
    closed.push(*first);
    let mut kept = vec![false; closed.len()];
    (kept[0], kept[far]) = (true, true);
    let mut open = vec![(0, far), (far, closed.len() - 1)];
    while let Some((a, b)) = open.pop() {
        let way = closed[b] - closed[a];
        let off = |k: usize| {
            let d = closed[k] - closed[a];
            let s = (d.dot(&way) / way.norm_squared().max(1e-300)).clamp(0.0, 1.0);
            (d - s * way).norm()
        };
        if let Some(worst) = (a + 1..b).max_by(|p, q| off(*p).total_cmp(&off(*q)))
            && off(worst) > tolerance
        {
            kept[worst] = true;
            open.extend([(a, worst), (worst, b)]);
        }
    }
    (0..points.len()).filter(|k| kept[*k]).map(|k| points[k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_two_loops_and_the_area_of_the_ring() {
        let n = 200;
        let radius = |k: usize| ((k % n) as f64 - 99.5).hypot((k / n) as f64 - 99.5);
        let mut inside: Vec<bool> = (0..n * n).map(|k| (40.0..90.0).contains(&radius(k))).collect();
        inside[3] = true; // dust
        let loops = Stencil { width: n, inside }.loops(0.8, 1e-3);
        assert_eq!(loops.len(), 2);
        let signed: f64 = loops.iter().map(|points| area(points)).sum();
        let ring = std::f64::consts::PI * (90.0f64.powi(2) - 40.0f64.powi(2));
        assert!((signed.abs() / ring - 1.0).abs() < 0.02, "{signed} {ring}");
        assert!(loops.iter().all(|points| (12..200).contains(&points.len())), "it is not simplified");
    }

    #[test]
    fn squares_that_touch_at_a_corner_are_traced_to_the_end() {
        let inside = vec![true, false, false, true];
        let loops = Stencil { width: 2, inside }.loops(0.0, 0.0);
        assert_eq!(loops.iter().map(|points| area(points)).sum::<f64>().abs(), 1.0); // the middles of its sides cut corners
    }
}
