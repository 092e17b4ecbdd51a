//! The amoeba: an outline with one handle, and a force that runs through it.

use control::Leak;
use dynamics::Body;
use elastic::{Flesh, Lame};
use formats::CdScene;
use math::Vect;
use mesh::{ElementSize, Mass, MassKind};
use rig::{Weights, affine_handles};

use super::act::{Act, Skin};
use super::outline::Stencil;
use super::push::Push;
use super::track::Track;
use crate::Error;

/// Triangles that the outline is filled with: about as many vertices as the paper's 4918.
const TRIANGLES: usize = 9300;
/// The script's own time from frame to frame; its simulation steps are longer.
const BEAT: f64 = 0.025;
/// How strong the force is [m/s²].
const STRENGTH: f64 = 60.0;

/// The outline within [−1, 1], rocked by one affine handle [ZBLJ20, fig. 8]: at the script's time s it is shifted up by
/// 0.6 sin(s/2) and turned by 0.05 sin(s/2), and pushed along x with 60 max(sin(5x − 6s), 0).
pub(crate) fn amoeba(scene: &CdScene, stencil: &Stencil, flesh: Flesh, file: &str) -> Result<Act<2>, Error> {
    let mut loops = stencil.loops(1.5, 1e-3);
    let points = || loops.iter().flatten();
    let low = points().fold(Vect::from([f64::INFINITY; 2]), |m, x| m.inf(x));
    let high = points().fold(Vect::from([f64::NEG_INFINITY; 2]), |m, x| m.sup(x));
    let (middle, half) = ((low + high) / 2.0, (high - low).max() / 2.0);
    loops.iter_mut().flatten().for_each(|x| *x = (*x - middle) / half);
    let mesh = mesh::fill_plane(&loops, ElementSize::Count(TRIANGLES))
        .map_err(|error| Error::Fill { error, file: file.into() })?;
    let count = mesh.element_count();
    let lame = Lame { mu: scene.material.mu, lambda: scene.material.lambda };
    let mass = Mass::new(&mesh, &vec![scene.material.density; count], MassKind::Lumped);
    let body = Body::new(mesh.rest.clone(), mass, vec![flesh.tissue(&mesh, &vec![lame; count])]);
    let failed = |error| Error::Rig { error, file: file.into() };
    let one = Weights::new(1, mesh.rest.iter().map(|_| vec![(0, 1.0)])).map_err(failed)?;
    let rig = affine_handles(&mesh.rest, &one).map_err(failed)?;
    let dt = scene.dt;
    let beat = move |t: f64| BEAT * t / dt;
    let seconds = scene.frames.saturating_sub(1) as f64 * dt;
    let track = Track::sampled(dt, seconds, |t| {
        let wave = (beat(t) / 2.0).sin();
        let (sin, cos) = (0.05 * wave).sin_cos();
        vec![cos, -sin, 0.0, sin, cos, 0.6 * wave]
    });
    let push = Push {
        on: (0..mesh.rest.len() as u32).collect(),
        span: [f64::NEG_INFINITY, f64::INFINITY],
        field: Box::new(move |X: &Vect<2>, t| Vect::from([STRENGTH * (5.0 * X.x - 6.0 * beat(t)).sin().max(0.0), 0.0])),
    };
    Ok(Act {
        name: scene.name.clone(),
        skin: Skin::flat(&mesh),
        mesh,
        body,
        rig: Box::new(rig),
        track,
        leak: Leak::None,
        pushes: vec![push],
        notes: vec![format!("The picture was traced and filled with {count} triangles.")],
    })
}
