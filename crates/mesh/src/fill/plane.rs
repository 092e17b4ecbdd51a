//! Outlines filled with triangles.

use math::Vect;
use spade::{AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation};

use super::{ElementSize, FillError};
use crate::Mesh;

/// The most triangles that are made.
const MOST: f64 = 5e6;

/// Fills closed loops of points [m] with triangles by Delaunay refinement [She02]. A loop inside another one is a hole, one
/// inside the hole is filled again; the direction of a loop means nothing. Loops may touch and cross.
///
/// No angle is below 20 degrees except where the outline itself has a sharper one.
pub fn fill_plane(loops: &[Vec<Vect<2>>], size: ElementSize) -> Result<Mesh<2>, FillError> {
    let points = || loops.iter().flatten();
    for (vertex, x) in points().enumerate() {
        let at = [x.x, x.y, 0.0];
        if !x.iter().all(|c| c.is_finite()) {
            return Err(FillError::NotAPlace { vertex, at });
        }
        if x.amax() > 1e12 {
            return Err(FillError::TooFar { vertex, at, limit: 1e12 });
        }
    }
    let low = points().fold(Vect::from([f64::INFINITY; 2]), |m, x| m.inf(x));
    let high = points().fold(Vect::from([f64::NEG_INFINITY; 2]), |m, x| m.sup(x));
    let scale = (high - low).norm();
    if !(scale > 1e-9) {
        return Err(FillError::NoArea);
    }
    size.check()?;
    let outline = outline(loops, &low, scale)?;
    // Of the area: a first mesh as coarse as the outline allows tells it.
    let coarse = refine(&outline, f64::INFINITY);
    let whole: f64 = coarse.volumes(&coarse.rest).iter().sum();
    if coarse.element_count() == 0 || !(whole > 1e-12) {
        return Err(FillError::NoArea);
    }
    let regular = 3f64.sqrt() / 4.0;
    // Refinement stops on the largest area; the mean one is a share of it.
    let mut largest = match size {
        ElementSize::Edge(edge) => 1.5 * regular * (edge / scale).powi(2),
        ElementSize::Count(count) => 1.6 * whole / count as f64,
    };
    if whole / largest > MOST {
        let possible = scale * (whole / MOST / 1.5 / regular).sqrt();
        let asked = scale * (largest / 1.5 / regular).sqrt();
        return Err(FillError::TooMany { asked, cells: whole / largest, limit: MOST, possible });
    }
    let mut mesh = refine(&outline, largest);
    if let ElementSize::Count(count) = size {
        for _ in 0..8 {
            let ratio = mesh.element_count() as f64 / count as f64;
            if (ratio - 1.0).abs() < 0.1 || mesh.element_count() == coarse.element_count() && ratio > 1.0 {
                break;
            }
            largest *= ratio.clamp(0.25, 4.0);
            mesh = refine(&outline, largest);
        }
    }
    mesh.rest.iter_mut().for_each(|x| *x = low + *x * scale);
    Ok(mesh)
}

type Outline = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The loops as edges of a triangulation, split where they cross.
fn outline(loops: &[Vec<Vect<2>>], low: &Vect<2>, scale: f64) -> Result<Outline, FillError> {
    let mut outline = Outline::new();
    for points in loops {
        let mut handles = vec![];
        for x in points {
            let p = (x - low) / scale;
            // A grid as fine as welding merges what is meant to be one point.
            let p = p.map(|c| (c * 1e7).round() / 1e7);
            handles.push(outline.insert(Point2::new(p.x, p.y)).map_err(|_| FillError::NoArea)?);
        }
        for k in 0..handles.len() {
            let (from, to) = (handles[k], handles[(k + 1) % handles.len()]);
            if from != to {
                outline.add_constraint_and_split(from, to, |p| p);
            }
        }
    }
    Ok(outline)
}

fn refine(outline: &Outline, largest: f64) -> Mesh<2> {
    let mut fine = outline.clone();
    let mut parameters = RefinementParameters::<f64>::new()
        .exclude_outer_faces(true)
        .with_angle_limit(AngleLimit::from_deg(20.0))
        .with_max_additional_vertices(MOST as usize);
    if largest.is_finite() {
        parameters = parameters.with_max_allowed_area(largest);
    }
    let result = fine.refine(parameters);
    let mut out = vec![false; fine.num_all_faces()];
    for face in result.excluded_faces {
        out[face.index()] = true;
    }
    let mut mesh = Mesh::default();
    let mut number = vec![u32::MAX; fine.num_vertices()];
    for face in fine.inner_faces().filter(|f| !out[f.fix().index()]) {
        for v in face.vertices() {
            let k = &mut number[v.fix().index()];
            if *k == u32::MAX {
                *k = mesh.rest.len() as u32;
                mesh.rest.push(Vect::from([v.position().x, v.position().y]));
            }
            mesh.corners.push(*k);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quality;

    fn square(low: f64, high: f64) -> Vec<Vect<2>> {
        [[low, low], [high, low], [high, high], [low, high]].map(Vect::from).to_vec()
    }

    #[test]
    fn a_square_with_a_hole_is_filled_around_the_hole() {
        let mesh = fill_plane(&[square(0.0, 4.0), square(1.0, 2.0)], ElementSize::Edge(0.25)).unwrap();
        let volumes = mesh.volumes(&mesh.rest);
        assert!((volumes.iter().sum::<f64>() - 15.0).abs() < 1e-6);
        assert!(volumes.iter().all(|v| *v > 0.0));
        let q = Quality::of(&mesh);
        assert!(q.smallest_angle > 20.0 && q.largest_angle < 140.0, "{q:?}");
        let inside = |x: &Vect<2>| x.iter().all(|c| *c > 1.0 + 1e-6 && *c < 2.0 - 1e-6);
        assert!(!mesh.rest.iter().any(inside));
    }

    #[test]
    fn a_number_of_triangles_can_be_asked_for() {
        let circle: Vec<_> =
            (0..60).map(|k| f64::from(k) * 0.10471975511965977).map(|a| Vect::from([a.cos(), a.sin()])).collect();
        for count in [300, 3000] {
            let n = fill_plane(std::slice::from_ref(&circle), ElementSize::Count(count)).unwrap().element_count();
            assert!((n as f64 / count as f64 - 1.0).abs() < 0.15, "{n} instead of {count}");
        }
    }

    #[test]
    fn outlines_without_area_are_errors_and_crossing_ones_are_filled() {
        let line = vec![Vect::from([0.0, 0.0]), Vect::from([1.0, 1.0]), Vect::from([2.0, 2.0])];
        for loops in [vec![], vec![vec![]], vec![line]] {
            assert_eq!(fill_plane(&loops, ElementSize::Edge(0.1)), Err(FillError::NoArea));
        }
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(Vect::from).to_vec();
        let mesh = fill_plane(&[bow], ElementSize::Edge(0.1)).unwrap();
        assert!((mesh.volumes(&mesh.rest).iter().sum::<f64>() - 0.5).abs() < 1e-6);
        let bad = vec![vec![Vect::from([0.0, 0.0]), Vect::from([f64::NAN, 1.0]), Vect::from([1.0, 0.0])]];
        assert!(matches!(fill_plane(&bad, ElementSize::Edge(0.1)), Err(FillError::NotAPlace { vertex: 1, .. })));
        let tiny = fill_plane(&[square(0.0, 1.0)], ElementSize::Edge(1e-9));
        assert!(matches!(tiny, Err(FillError::TooMany { .. })), "{tiny:?}");
    }
}
