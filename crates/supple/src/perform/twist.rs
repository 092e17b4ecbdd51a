//! The twisting bar: dual quaternions, a rig whose Jacobian changes with the pose.

use std::f64::consts::PI;

use control::Leak;
use dynamics::Body;
use elastic::{Flesh, Lame};
use math::Vect;
use mesh::{Mass, MassKind};
use rig::{DualQuaternions, Weights};

use super::act::{Act, Skin};
use super::track::Track;
use crate::Error;

/// A bar [ZBLJ20, sec. 3.4] of 31 × 7 × 7 vertices on three bones: one end is twisted by 300 degrees, quickly, held, and let
/// back. Two bones must not be turned against each other by more than half a turn, so the middle one goes half the way.
pub(crate) fn twist() -> Result<Act<3>, Error> {
    let file = || "the bar".to_string();
    let mut mesh = mesh::block([30, 6, 6], Vect::from([2.0, 0.4, 0.4]));
    mesh.rest.iter_mut().for_each(|x| *x -= Vect::from([1.0, 0.2, 0.2]));
    let count = mesh.element_count();
    let lame = Lame::from_young(3e4, 0.4).map_err(|error| Error::Lame { error, place: file() })?;
    let mass = Mass::new(&mesh, &vec![1000.0; count], MassKind::Lumped);
    let body = Body::new(mesh.rest.clone(), mass, vec![Flesh::Arap.tissue(&mesh, &vec![lame; count])]);
    let failed = |error| Error::Rig { error, file: file() };
    let hat = |x: &Vect<3>| (0..3).map(|b| (b, (1.0 - (x[0] + 1.0 - f64::from(b)).abs()).max(0.0))).collect();
    let weights = Weights::new(3, mesh.rest.iter().map(hat)).map_err(failed)?;
    let points = (0..3).map(|b| Vect::from([f64::from(b) - 1.0, 0.0, 0.0])).collect();
    let rig = DualQuaternions::new(mesh.rest.clone(), weights, points).map_err(failed)?;
    let smooth = |s: f64| s.clamp(0.0, 1.0).powi(2) * (3.0 - 2.0 * s.clamp(0.0, 1.0));
    let track = Track::sampled(1.0 / 60.0, 2.5, |t| {
        let angle = 5.0 / 3.0 * PI * (smooth(t / 0.5) - smooth((t - 1.25) / 0.4));
        (0..3).flat_map(|b| [angle * f64::from(b) / 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]).collect()
    });
    Ok(Act {
        name: "twist".into(),
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
