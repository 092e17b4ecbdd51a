//! Rigid bodies enriched: each is one affine handle over its tetrahedra.

use control::Leak;
use dynamics::Body;
use elastic::{Flesh, Lame};
use math::{Mat, Vect};
use mesh::{Mass, MassKind, Mesh};
use rig::{Affine, Skeleton, Weights, affine_handles};

use super::act::{Act, Skin};
use super::rigid::{Rigid, Shape, World};
use super::track::Track;
use crate::Error;
use crate::examples::{Solid, tets};
use crate::scene::RigidWorldKeys;

/// What falling bodies are made of, and how they are cut.
pub(crate) struct Jelly {
    pub flesh: Flesh,
    pub lame: Lame,
    /// of tetrahedra [m]; without it, a part of each body's size
    pub edge: Option<f64>,
    /// from frame to frame [s]
    pub dt: f64,
}

/// Bodies that fall on the ground and on each other as rapier moves them, and wobble [ZBLJ20, fig. 15].
pub(crate) fn drop(bodies: &[Rigid], world: &World, jelly: &Jelly) -> Result<Act<3>, Error> {
    if bodies.is_empty() {
        return Err(Error::Asked("there is no [[rigid]] body, so nothing falls.".into()));
    }
    let (mut mesh, mut density, mut body_of) = (Mesh::<3>::default(), vec![], vec![]);
    for (k, body) in bodies.iter().enumerate() {
        let filled = filled(body.shape, jelly.edge);
        if filled.element_count() == 0 {
            return Err(Error::Asked(format!("[[rigid]] number {} could not be filled: its edge is too long.", k + 1)));
        }
        let first = mesh.rest.len() as u32;
        mesh.corners.extend(filled.corners.iter().map(|v| v + first));
        mesh.rest.extend(filled.rest.iter().map(|x| body.start.apply(x)));
        density.resize(mesh.element_count(), body.density);
        body_of.resize(mesh.rest.len(), k as u32);
    }
    let count = mesh.element_count();
    let mass = Mass::new(&mesh, &density, MassKind::Lumped);
    let tissue = jelly.flesh.tissue(&mesh, &vec![jelly.lame; count]);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![tissue]);
    // what falls freely feels nothing
    body.gravity = Vect::from([0.0, 0.0, -world.gravity]);
    let failed = |error| Error::Rig { error, file: "the falling bodies".into() };
    let weights = Weights::new(bodies.len(), body_of.iter().map(|b| vec![(*b, 1.0)])).map_err(failed)?;
    let rig = affine_handles(&mesh.rest, &weights).map_err(failed)?;
    let poses = world.poses(bodies, jelly.dt);
    let keys = poses.iter().map(|maps: &Vec<Affine<3>>| Skeleton::parameters_of(maps, &[])).collect();
    let track = Track { dt: jelly.dt, keys, jumps: vec![] };
    track.check(bodies.len() * 12, "the falling bodies")?;
    Ok(Act {
        name: "drop".into(),
        skin: Skin::around(&mesh),
        mesh,
        body,
        rig: Box::new(rig),
        track,
        leak: Leak::Surface,
        pushes: vec![],
        notes: vec![],
    })
}

/// A shape filled with tetrahedra.
fn filled(shape: Shape, edge: Option<f64>) -> Mesh<3> {
    let corner = |s: f64| Vect::from([s, s, s]);
    match shape {
        Shape::Box(size) => {
            let edge = edge.unwrap_or(size.min() / 4.0);
            let cells = [0, 1, 2].map(|i| ((size[i] / edge).round() as usize).clamp(2, 60));
            let mut mesh = mesh::block(cells, size);
            mesh.rest.iter_mut().for_each(|x| *x -= size / 2.0);
            mesh
        }
        Shape::Sphere(radius) => {
            let edge = edge.unwrap_or(radius / 2.5);
            let solid = Solid::new(corner(-1.1 * radius), corner(1.1 * radius), move |p| p.norm() - radius);
            tets(&solid, edge, &[]).mesh
        }
        Shape::Torus(ring, tube) => {
            let edge = edge.unwrap_or(tube / 1.6);
            let high = Vect::from([1.1 * (ring + tube), 1.1 * (ring + tube), 1.3 * tube]);
            let solid = Solid::new(-high, high, move |p| (p.xy().norm() - ring).hypot(p.z) - tube);
            tets(&solid, edge, &[]).mesh
        }
    }
}

/// Six bodies that tumble into a heap.
pub(crate) fn example() -> Result<Act<3>, Error> {
    let body = |shape: Shape, at: [f64; 3], turn: [f64; 3], velocity: [f64; 3]| {
        let R: Mat<3> = *nalgebra::Rotation3::new(Vect::from(turn)).matrix();
        let start = Affine { R, t: Vect::from(at) };
        Rigid { shape, density: 1000.0, start, velocity: Vect::from(velocity), spin: Vect::from([0.4, 0.8, 0.0]) }
    };
    let bodies = [
        body(Shape::Box(Vect::from([0.7, 0.7, 0.5])), [0.0, 0.0, 0.35], [0.1, 0.2, 0.3], [0.0; 3]),
        body(Shape::Sphere(0.32), [0.15, -0.05, 1.1], [0.0; 3], [0.0; 3]),
        body(Shape::Torus(0.4, 0.15), [-0.5, 0.1, 1.5], [0.5, 0.4, 0.0], [0.4, 0.0, -0.5]),
        body(Shape::Box(Vect::from([0.45, 0.45, 0.45])), [0.3, 0.1, 1.95], [0.5, 0.6, 0.7], [-0.2, 0.0, 0.0]),
        body(Shape::Sphere(0.25), [-0.1, 0.0, 2.5], [0.0; 3], [0.0, 0.0, -1.0]),
        body(Shape::Torus(0.35, 0.13), [0.1, -0.1, 3.0], [1.0, 0.2, 0.1], [0.0, 0.0, -1.0]),
    ];
    // they hardly bounce and roll, or they would not stay together
    let world = World {
        seconds: 2.5,
        bounce: 0.1,
        friction: 0.9,
        angular_damping: 4.0,
        ..World::of(&RigidWorldKeys::default())?
    };
    let lame =
        Lame::from_young(1.5e4, 0.4).map_err(|error| Error::Lame { error, place: "the falling bodies".into() })?;
    drop(&bodies, &world, &Jelly { flesh: Flesh::StableNeoHookean, lame, edge: None, dt: 1.0 / 60.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_body_moves_rigidly_with_its_own_handle() {
        let act = example().unwrap();
        assert!(act.mesh.volumes(&act.mesh.rest).iter().all(|v| *v > 0.0));
        assert_eq!(act.rig.parameters(), 6 * 12);
        let connected = act.mesh.connected();
        let mut parts = connected.clone();
        parts.sort_unstable();
        parts.dedup();
        assert_eq!(parts.len(), 6);
        for t in [0.5, 1.2, 2.5] {
            let x = act.rigged(t);
            assert!(x.iter().all(|x| x.z > -0.05), "something fell through the ground");
            let pairs = act.mesh.elements().map(|e| (e[0] as usize, e[3] as usize));
            for (a, b) in pairs.take(500) {
                assert!(((x[a] - x[b]).norm() - (act.mesh.rest[a] - act.mesh.rest[b]).norm()).abs() < 1e-2);
            }
        }
    }
}
