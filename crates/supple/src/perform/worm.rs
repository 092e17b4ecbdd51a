//! The worm: a flat body whose one half has far smaller triangles.

use control::Leak;
use dynamics::Body;
use elastic::{Flesh, Lame};
use math::Vect;
use mesh::{ElementSize, Mass, MassKind, Mesh};
use rig::{Weights, affine_handles};

use super::act::{Act, Skin};
use super::refine::refine;
use super::track::Track;
use crate::Error;

/// Triangles of the coarse half have this edge, those of the fine half the other [m].
const EDGES: [f64; 2] = [0.06, 0.03];

/// Half of its width [m].
const RADIUS: f64 = 0.18;

/// Vibrations in a worm that is coarse on one side and fine on the other [ZBLJ20, fig. 7]: with the mass matrix in the constraint the
/// fine end goes 1.03 times as far as the coarse one, without it 0.26 times. One affine handle bounces it.
pub(crate) fn worm() -> Result<Act<2>, Error> {
    let file = || "the worm".to_string();
    let mesh = outline()?;
    // D along the length only: few triangles across the width cannot show one that falls to 0 at the sides
    let mask = mesh.rest.iter().map(|x| (1.0 - x.x.powi(2)).max(0.0)).collect();
    let count = mesh.element_count();
    let lame = Lame::from_young(120.0, 0.4).map_err(|error| Error::Lame { error, place: file() })?;
    let mass = Mass::new(&mesh, &vec![1.0; count], MassKind::Lumped);
    let body = Body::new(mesh.rest.clone(), mass, vec![Flesh::Arap.tissue(&mesh, &vec![lame; count])]);
    let failed = |error| Error::Rig { error, file: file() };
    let one = Weights::new(1, mesh.rest.iter().map(|_| vec![(0, 1.0)])).map_err(failed)?;
    let rig = affine_handles(&mesh.rest, &one).map_err(failed)?;
    let track = Track::sampled(0.01, 3.0, |t| {
        // three hops, then it stays
        let hop = if t < 1.8 { 0.3 * (std::f64::consts::PI * t / 0.6).sin().abs() } else { 0.0 };
        vec![1.0, 0.0, 0.0, 0.0, 1.0, hop]
    });
    Ok(Act {
        name: "worm".into(),
        skin: Skin::flat(&mesh),
        mesh,
        body,
        rig: Box::new(rig),
        track,
        leak: Leak::Mask(mask),
        pushes: vec![],
        notes: vec![],
    })
}

/// A bar with round ends, x from −1 to 1, fine where x < 0.
fn outline() -> Result<Mesh<2>, Error> {
    let arc = |k: usize| {
        let (side, k) = if k < 9 { (1.0, k) } else { (-1.0, k - 9) };
        let angle = std::f64::consts::PI * (k as f64 / 8.0 - 0.5);
        side * Vect::from([1.0 - RADIUS + RADIUS * angle.cos(), RADIUS * angle.sin()])
    };
    let mut mesh = mesh::fill_plane(&[(0..18).map(arc).collect()], ElementSize::Edge(EDGES[0]))
        .map_err(|error| Error::Fill { error, file: "the worm".into() })?;
    refine(&mut mesh, EDGES[1], |x| x.x < 0.0);
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_half_has_far_more_vertices_and_both_weigh_the_same() {
        let act = worm().unwrap();
        let left = |v: &usize| act.mesh.rest[*v].x < 0.0;
        let all = act.mesh.rest.len();
        let fine = (0..all).filter(left).count();
        assert!(fine > 3 * (all - fine) && (200..2000).contains(&all), "{fine} of {all}");
        let weight: f64 = (0..all).filter(left).map(|v| act.body.mass.of(v)).sum();
        assert!((weight / act.body.mass.total() - 0.5).abs() < 0.02);
    }
}
