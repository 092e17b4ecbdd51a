//! The carpet: cloth of springs that three handles fly.

use std::f64::consts::{PI, TAU};

use control::Leak;
use dynamics::Body;
use elastic::Springs;
use math::Vect;
use mesh::{Mass, MassKind, Mesh};
use rig::{RigidHandles, Weights};

use super::act::{Act, On, Skin};
use super::track::Track;
use crate::Error;

/// Cells along and across.
const CELLS: [usize; 2] = [20, 10];
/// Length and width [m].
const SIZE: [f64; 2] = [2.0, 1.0];
/// Stiffness of springs: along the threads, across cells, and over two cells [N/m].
const STIFF: [f64; 3] = [400.0, 150.0, 40.0];
/// Mass per area [kg/m²].
const DENSITY: f64 = 0.4;
/// Air that holds it back, relative to its handles [1/s].
const AIR: f64 = 2.0;

/// Mass-spring cloth [ZBLJ20, fig. 14] that flies on a wave, with a handle at its front, its middle and its end.
pub(crate) fn carpet() -> Result<Act<3>, Error> {
    let sheet = mesh::block(CELLS, Vect::from(SIZE));
    let lift = |x: &Vect<2>| Vect::from([x[0] - SIZE[0] / 2.0, x[1] - SIZE[1] / 2.0, 0.0]);
    let rest: Vec<Vect<3>> = sheet.rest.iter().map(lift).collect();
    let mass = Mass::new(&sheet, &vec![DENSITY; sheet.element_count()], MassKind::Lumped);
    let mut body = Body::new(rest.clone(), mass, vec![Box::new(springs(&rest))]);
    body.damping.mass = AIR;
    let failed = |error| Error::Rig { error, file: "the carpet".into() };
    // smooth over the length: (1 − s)², 2 s (1 − s), s²
    let smooth = |x: &Vect<3>| -> Vec<(u32, f64)> {
        let s = 0.5 + x[0] / SIZE[0];
        vec![(0, (1.0 - s).powi(2)), (1, 2.0 * s * (1.0 - s)), (2, s * s)]
    };
    let weights = Weights::new(3, rest.iter().map(smooth)).map_err(failed)?;
    let points: Vec<Vect<3>> = (0..3).map(|b| Vect::from([(f64::from(b) - 1.0) * SIZE[0] / 2.0, 0.0, 0.0])).collect();
    let rig = RigidHandles::new(rest.clone(), weights, points).map_err(failed)?;
    let triangles = sheet.elements().map(|e| [e[0], e[1], e[2]]).collect();
    let skin = Skin { triangles, on: On::Vertices((0..rest.len() as u32).collect()) };
    // d = sin sin: none at the hem, most in the middle
    let mask = |x: &Vect<2>| (PI * x[0] / SIZE[0]).sin() * (PI * x[1] / SIZE[1]).sin();
    Ok(Act {
        name: "carpet".into(),
        leak: Leak::Mask(sheet.rest.iter().map(mask).collect()),
        // it has no tetrahedra, only triangles that hang together: the last corner stands twice
        mesh: Mesh { rest, corners: sheet.elements().flat_map(|e| [e[0], e[1], e[2], e[2]]).collect() },
        body,
        rig: Box::new(rig),
        track: Track::sampled(1.0 / 60.0, 4.0, flight),
        pushes: vec![],
        skin,
        notes: vec![],
    })
}

/// Threads, diagonals against shear, and springs over two cells against bending.
fn springs(rest: &[Vect<3>]) -> Springs {
    let [along, across] = CELLS;
    let vertex = |i: usize, j: usize| (i * (across + 1) + j) as u32;
    let mut springs = Springs::default();
    let mut tie = |a: (usize, usize), b: (usize, usize), stiffness: f64| {
        if b.0 <= along && b.1 <= across && a.1 <= across {
            let (a, b) = (vertex(a.0, a.1), vertex(b.0, b.1));
            springs.ends.extend([a, b]);
            springs.length.push((rest[a as usize] - rest[b as usize]).norm());
            springs.stiffness.push(stiffness);
        }
    };
    for i in 0..=along {
        for j in 0..=across {
            tie((i, j), (i + 1, j), STIFF[0]);
            tie((i, j), (i, j + 1), STIFF[0]);
            tie((i, j), (i + 1, j + 1), STIFF[1]);
            tie((i, j + 1), (i + 1, j), STIFF[1]);
            tie((i, j), (i + 2, j), STIFF[2]);
            tie((i, j), (i, j + 2), STIFF[2]);
        }
    }
    springs
}

/// Where the three handles are: a wave that runs from front to end and grows from nothing, and a bank to either side.
fn flight(t: f64) -> Vec<f64> {
    let grown = (t / 0.6).min(1.0).powi(2);
    let handle = |b: usize| {
        let phase = TAU * (0.8 * t - 0.22 * b as f64);
        let bank = 0.35 * grown * (TAU * 0.4 * t).sin();
        let pitch = -0.3 * grown * phase.cos();
        let up = 0.18 * grown * phase.sin();
        [bank, pitch, 0.0, 0.0, 0.5 * bank, up]
    };
    (0..3).flat_map(handle).collect()
}
