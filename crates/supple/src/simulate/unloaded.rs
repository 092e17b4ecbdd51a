//! The shape that flesh would have without its weight, so that it hangs as it was modelled.
//!
//! With p(X) the static shape of flesh that was X before it had any weight, X with p(X) = the modelled shape is sought: what p lacks of that
//! is added to X until it lacks nothing. Soft flesh is given its weight in portions.

use dynamics::{Body, equilibrium};
use math::Vect;
use mesh::Mesh;

use super::hold::Hold;
use super::tissue::Materials;
use crate::Error;

/// How exactly the modelled shape is met, as a share of its size.
const TOLERANCE: f64 = 1e-6;
/// How often it is corrected for a portion of its weight.
const TRIES: usize = 60;
/// The smallest portion.
const LEAST: f64 = 1.0 / 64.0;

/// The body of a mesh with these materials, whose weight makes of it what was modelled.
pub(crate) fn unloaded(
    materials: &Materials,
    mesh: &Mesh<3>,
    hold: &Hold,
    gravity: Vect<3>,
    file: &str,
) -> Result<Body<3>, Error> {
    let as_modelled = materials.body(mesh, hold)?;
    let of = |rest: &[Vect<3>], load: f64| -> Result<Body<3>, Error> {
        let mut body = materials.body(&Mesh { rest: rest.to_vec(), ..mesh.clone() }, hold)?;
        body.mass = as_modelled.mass.clone(); // it neither gains nor loses any
        body.gravity = load * gravity;
        Ok(body)
    };
    let (mut rest, mut load, mut portion) = (mesh.rest.clone(), 0.0, 1.0);
    while load < 1.0 {
        let next = f64::min(load + portion, 1.0);
        match hung(|X| of(X, next), mesh, rest.clone())? {
            Some(found) => (rest, load) = (found, next),
            None if portion > LEAST => portion /= 4.0,
            None => {
                let what =
                    "is too soft to hang as it was modelled: no shape was found that its weight turns into that one";
                return Err(Error::Asked(format!(
                    "the flesh {what} (under {:.0}% of its weight there is one).\nMake it stiffer with young or lively, or leave modelled = \"hanging\" out.\n({file})",
                    100.0 * load
                )));
            }
        }
    }
    of(&rest, 1.0)
}

/// X whose static shape is the modelled one, from a guess; none where it is not found.
fn hung(
    of: impl Fn(&[Vect<3>]) -> Result<Body<3>, Error>,
    mesh: &Mesh<3>,
    mut rest: Vec<Vect<3>>,
) -> Result<Option<Vec<Vect<3>>>, Error> {
    let (modelled, size) = (&mesh.rest, mesh.size());
    let mut before = f64::INFINITY;
    for _ in 0..TRIES {
        if mesh.volumes(&rest).iter().any(|volume| !(*volume > 0.0)) {
            return Ok(None);
        }
        let Ok(shape) = equilibrium(&of(&rest)?, modelled) else { return Ok(None) };
        let lack: Vec<Vect<3>> = modelled.iter().zip(&shape).map(|(X, p)| X - p).collect();
        let most = lack.iter().map(Vect::norm).fold(0.0, f64::max);
        if most <= TOLERANCE * size {
            return Ok(Some(rest));
        }
        if !(most < before) {
            return Ok(None);
        }
        before = most;
        rest.iter_mut().zip(&lack).for_each(|(X, lack)| *X += lack);
    }
    Ok(None)
}
