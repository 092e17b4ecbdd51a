//! Complementary dynamics in real time: a reduced model by skinning eigenmodes, with rotations by clusters [BZC23].
//!
//! u = B z, where the columns of B are weights times affine maps, orthogonal to all the rig can do: Jrᵀ M D B = 0. A step
//! knows only z, the parameters of the rig and one rotation per cluster of elements, however large the mesh is.

mod basis;
mod cache;
mod cholesky;
mod clusters;
mod live;
mod memory;
mod modes;
mod orthonormal;
mod problem;
mod rotations;
mod tables;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use math::Vect;
use mesh::{Mass, MassKind, Mesh};
use rig::{Jacobian, Rig};

use cholesky::Cholesky;
use tables::Tables;

pub use live::{Live, StepTook};

/// What a reduced model is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedOptions {
    /// how many weights there are; each has 12 coefficients
    pub modes: usize,
    /// how many rotations there are; as many as elements, or more, give each its own
    pub clusters: usize,
    /// h [s]
    pub step: f64,
    /// a step ends when an iteration moves the body by less, as the root of the mean square over its mass [m]
    pub tolerance: f64,
    /// or after so many iterations
    pub iterations: usize,
}

impl Default for ReducedOptions {
    fn default() -> Self {
        Self { modes: 16, clusters: 100, step: 0.01, tolerance: 1e-6, iterations: 30 }
    }
}

/// Why there is no reduced model, or no next frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReducedError {
    /// A list has the wrong length.
    #[error("there are {found} {what}, but the volume needs {expected}.")]
    Lengths {
        /// of what
        what: &'static str,
        /// how many there must be
        expected: usize,
        /// how many there are
        found: usize,
    },
    /// Too few or too many parameters for the rig.
    #[error("there are {found} parameters, but the rig has {expected}.")]
    Parameters {
        /// how many the rig has
        expected: usize,
        /// how many there are
        found: usize,
    },
    /// There is no such vertex.
    #[error("there is no vertex {vertex}: the volume has {vertices}, counted from 0.")]
    NoVertex {
        /// which was asked for
        vertex: usize,
        /// how many there are
        vertices: usize,
    },
    /// A number makes no sense.
    #[error("{what} number {place} (counted from 0) is {value}, but it must be {must}.")]
    Wrong {
        /// of what
        what: &'static str,
        /// where in its list
        place: usize,
        /// what it is
        value: f64,
        /// what it must be
        must: &'static str,
    },
    /// An element or vertex without volume.
    #[error("vertex {vertex} (counted from 0) belongs to no element that has a volume. Fill the character again.")]
    Flat {
        /// which
        vertex: usize,
    },
    /// The eigenvalues were not found.
    #[error("the {asked} smoothest motions of the volume could not be found. Ask for fewer modes.")]
    NoModes {
        /// how many were asked for
        asked: usize,
    },
    /// The rig leaves nothing to the tissue.
    #[error(
        "the {parameters} parameters of the rig can already make every motion that was asked for.\n\
         Take more modes, or a rig with fewer parameters."
    )]
    Everything {
        /// how many parameters the rig has
        parameters: usize,
    },
    /// The rig is not affine in its parameters.
    #[error("the rig is not linear in its parameters; the real-time model needs one that is, like affine handles.")]
    NotLinear,
    /// The rig is another than the model was made for.
    #[error("the rig is not the one that the real-time model was made for. Make the model again with this rig.")]
    OtherRig,
    /// The cache cannot be written.
    #[error("the real-time model cannot be kept: {reason}.\n({})", .file.display())]
    Unwritable {
        /// what the system said
        reason: String,
        /// where
        file: PathBuf,
    },
}

/// A reduced model of a body under a linear rig.
#[derive(Clone, Debug)]
pub struct Reduced {
    options: ReducedOptions,
    /// X
    rest: Vec<Vect<3>>,
    /// of the rig
    jacobian: u64,
    tables: Tables,
    /// the factor of 2 Φᵀ L Φ + 1/h² for one axis where no fields come in threes, otherwise of the whole matrix
    factor: Cholesky,
}

impl Reduced {
    /// Makes a model of flesh with ψ = μ ‖F − R‖² + λ/2 tr²(RᵀF − 1), where R is one rotation per cluster.
    ///
    ///   mu, lambda, density  one number per element            [Pa], [Pa], [kg/m³]
    ///   jacobian             Jr of the rig, the same in every pose
    ///   leak                 D, one number per vertex: 1 holds back all the rig can do, 0 lets it leak
    pub fn new(
        mesh: &Mesh<3>,
        mu: &[f64],
        lambda: &[f64],
        density: &[f64],
        jacobian: &Jacobian<3>,
        leak: &[f64],
        options: &ReducedOptions,
    ) -> Result<Self, ReducedError> {
        check(mesh, mu, lambda, density, jacobian, leak, options)?;
        let mass = Mass::new(mesh, density, MassKind::Lumped);
        let root: Vec<f64> = (0..mesh.rest.len()).map(|v| mass.of(v).sqrt()).collect();
        let pieces = modes::pieces(mesh);
        let mut solid = vec![false; root.len()];
        pieces.iter().flat_map(|p| p.corners).for_each(|v| solid[v as usize] = true);
        if let Some(vertex) = solid.iter().position(|solid| !solid) {
            return Err(ReducedError::Flat { vertex });
        }
        let L = modes::laplacian(root.len(), &pieces, mu);
        let basis = basis::basis(mesh, &L, &root, jacobian, leak, options.modes)?;
        let over = |w: &Vec<f64>| -> Vec<f64> {
            let mean =
                |p: &modes::Piece| p.corners.iter().map(|&v| w[v as usize] / root[v as usize]).sum::<f64>() / 4.0;
            pieces.iter().map(mean).collect()
        };
        let weights: Vec<Vec<f64>> = basis.modes.weights.iter().map(over).collect();
        let sizes: Vec<f64> = pieces.iter().map(|p| p.volume).collect();
        let labels = clusters::clusters(&weights, &basis.modes.values, &sizes, options.clusters);
        let tables = Tables::new(mesh, &pieces, &basis, &L, &root, [mu, lambda], jacobian, &labels);
        Self::from_tables(tables, mesh, jacobian, options)
    }

    /// The same, kept in a file: if it holds the model of exactly these numbers it is read, otherwise it is made and
    /// the file is written.
    #[allow(clippy::too_many_arguments)]
    pub fn cached(
        file: &Path,
        mesh: &Mesh<3>,
        mu: &[f64],
        lambda: &[f64],
        density: &[f64],
        jacobian: &Jacobian<3>,
        leak: &[f64],
        options: &ReducedOptions,
    ) -> Result<Self, ReducedError> {
        check(mesh, mu, lambda, density, jacobian, leak, options)?;
        let print = cache::fingerprint(mesh, [mu, lambda, density, leak], jacobian, options);
        let read = cache::read(file, print, [mesh.rest.len(), jacobian.parameters]);
        if let Some(Ok(model)) = read.map(|tables| Self::from_tables(tables, mesh, jacobian, options)) {
            return Ok(model);
        }
        let mut made = Self::new(mesh, mu, lambda, density, jacobian, leak, options)?;
        cache::write(file, print, &mut made.tables)
            .map_err(|error| ReducedError::Unwritable { reason: error.to_string(), file: file.into() })?;
        Ok(made)
    }

    fn from_tables(
        tables: Tables,
        mesh: &Mesh<3>,
        jacobian: &Jacobian<3>,
        options: &ReducedOptions,
    ) -> Result<Self, ReducedError> {
        let factor = problem::factor(&tables, options.step).ok_or(ReducedError::NoModes { asked: options.modes })?;
        let (rest, jacobian) = (mesh.rest.clone(), cache::of_jacobian(jacobian));
        Ok(Self { options: options.clone(), rest, jacobian, tables, factor })
    }

    /// Starts at rest in the rig's rest pose.
    pub fn live<'a>(&'a self, rig: &'a dyn Rig<3>) -> Result<Live<'a>, ReducedError> {
        if !rig.is_linear() {
            return Err(ReducedError::NotLinear);
        }
        let p = rig.rest();
        let mut x = vec![Vect::zeros(); rig.vertices()];
        rig.positions(&p, &mut x);
        let size = self.rest.iter().map(|X| X.amax()).fold(0.0, f64::max);
        let near = |(x, X): (&Vect<3>, &Vect<3>)| (x - X).amax() <= 1e-9 * size;
        if x.len() != self.rest.len()
            || cache::of_jacobian(&rig.jacobian(&p)) != self.jacobian
            || !x.iter().zip(&self.rest).all(near)
        {
            return Err(ReducedError::OtherRig);
        }
        Ok(Live::new(self, rig))
    }

    /// How many coefficients z has.
    pub fn freedoms(&self) -> usize {
        self.tables.freedoms()
    }
    /// How many rotations there are.
    pub fn clusters(&self) -> usize {
        self.tables.sizes[4]
    }
    /// λ of the weights [1/s²], ascending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.tables.values[..self.tables.values.len() - 1]
    }
    /// u ← B z
    pub fn displacements(&self, z: &[f64], u: &mut [Vect<3>]) {
        self.tables.displacements(z, u);
    }
}

/// Refuses what no model can be made from.
fn check(
    mesh: &Mesh<3>,
    mu: &[f64],
    lambda: &[f64],
    density: &[f64],
    jacobian: &Jacobian<3>,
    leak: &[f64],
    options: &ReducedOptions,
) -> Result<(), ReducedError> {
    let (n, elements) = (mesh.rest.len(), mesh.element_count());
    let lengths = [
        ("values of μ", elements, mu.len()),
        ("values of λ", elements, lambda.len()),
        ("densities", elements, density.len()),
        ("values of the leak", n, leak.len()),
        ("vertices of the rig", n, jacobian.vertices()),
    ];
    if let Some(&(what, expected, found)) = lengths.iter().find(|(_, expected, found)| expected != found) {
        return Err(ReducedError::Lengths { what, expected, found });
    }
    let find = |what, list: &[f64], must, good: fn(f64) -> bool| match list.iter().position(|x| !good(*x)) {
        Some(place) => Err(ReducedError::Wrong { what, place, value: list[place], must }),
        None => Ok(()),
    };
    let positive = |x: f64| x > 0.0 && x.is_finite();
    find("μ", mu, "above 0", positive)?;
    find("λ", lambda, "0 or more", |x| x >= 0.0 && x.is_finite())?;
    find("density", density, "above 0", positive)?;
    find("leak", leak, "a number", f64::is_finite)?;
    find("time step", &[options.step], "above 0", positive)?;
    let moves: Vec<f64> = jacobian.value.iter().map(|x| x.sum()).collect();
    find("entry of the rig's Jacobian", &moves, "a number", f64::is_finite)?;
    let places: Vec<f64> = mesh.rest.iter().map(|X| X.sum()).collect();
    find("vertex", &places, "a number", f64::is_finite)
}
