//! The bodies that are measured, and the threads they are measured on.

use dynamics::Body;
use elastic::{Flesh, Lame};
use math::{Assembly, BlockMatrix, Energy, Mat, Vect};
use mesh::{Mass, MassKind, Mesh};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Failure;

/// Young's modulus of all bodies [Pa].
pub const YOUNG: f64 = 1e5;
/// Poisson's ratio of all bodies.
pub const POISSON: f64 = 0.45;
/// Density of all bodies [kg/m³].
pub const DENSITY: f64 = 1000.0;
/// Gravity [m/s²], along y.
pub const GRAVITY: f64 = -9.81;

/// A cube of 1 m, of stable neo-Hookean flesh, clamped at the face x = 0 and pulled down by gravity.
pub fn cube(cells: [usize; 3]) -> Result<Body<3>, Failure> {
    let mesh = mesh::block(cells, Vect::from([1.0; 3]));
    let lame = vec![Lame::from_young(YOUNG, POISSON)?; mesh.element_count()];
    Ok(clamped(&mesh, Flesh::StableNeoHookean.tissue(&mesh, &lame)))
}

/// A body of this energy, with lumped mass, clamped at x = 0 and pulled down by gravity.
pub fn clamped(mesh: &Mesh<3>, energy: Box<dyn Energy<3>>) -> Body<3> {
    let mass = Mass::new(mesh, &vec![DENSITY; mesh.element_count()], MassKind::Lumped);
    let mut body = Body::new(mesh.rest.clone(), mass, vec![energy]);
    body.pins = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] == 0.0).collect();
    body.gravity = Vect::from([0.0, GRAVITY, 0.0]);
    body
}

/// The matrix of a backward-Euler step of h [s] at rest: K + M/h².
pub fn backward_euler_matrix(body: &Body<3>, h: f64) -> BlockMatrix<3> {
    let mut free = vec![true; body.rest.len()];
    for &v in &body.pins {
        free[v as usize] = false;
    }
    let energies: Vec<&dyn Energy<3>> = body.energies.iter().map(|e| &**e).collect();
    let (mut assembly, mut matrix) = Assembly::new(&energies, &free, []);
    assembly.tangents(&energies, &body.rest, true);
    assembly.fill(&mut matrix, 0.0, 1.0);
    for (column, vertex) in (0..free.len()).filter(|&v| free[v]).enumerate() {
        let diagonal = matrix.starts[column];
        matrix.blocks[diagonal] += body.mass.of(vertex) / (h * h) * Mat::<3>::identity();
    }
    matrix
}

/// A pool of so many threads.
pub fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}
