//! What a file of a volume holds.

use mesh::Mesh;

/// A volume as it came from a file: checked, positively oriented, every vertex in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume<const D: usize> {
    /// The vertices and elements, in the order of the file.
    pub mesh: Mesh<D>,
    /// Parts of the volume that the file names.
    pub regions: Vec<Region>,
    /// What was repaired or left out on reading; whole sentences for the artist.
    pub notes: Vec<String>,
}

/// Elements that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// As the file has it; the number of the region where it has no name.
    pub name: String,
    /// Element numbers, from 0.
    pub elements: Vec<u32>,
    /// What the file says they are made of.
    pub material: Option<Material>,
}

/// What a region is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// As the file has it.
    pub name: String,
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// How it pulls back.
    pub law: Law,
}

/// The laws of material that a `.veg` file knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// `ENU`: the same in all directions.
    Young {
        /// E [Pa]
        young: f64,
        /// ν
        poisson: f64,
    },
    /// `MOONEYRIVLIN`
    MooneyRivlin {
        /// [Pa]
        mu01: f64,
        /// [Pa]
        mu10: f64,
        /// [Pa]
        v1: f64,
    },
    /// `ORTHOTROPIC`: its own stiffness along each of three axes.
    Orthotropic {
        /// E₁, E₂, E₃ [Pa]
        young: [f64; 3],
        /// ν₁₂, ν₂₃, ν₃₁
        poisson: [f64; 3],
        /// G₁₂, G₂₃, G₃₁ [Pa]
        shear: [f64; 3],
        /// The axes as columns; the rows of the file one after another.
        axes: [f64; 9],
    },
}

/// A volume in the plane or in space, as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyVolume {
    /// Triangles in the plane.
    Plane(Volume<2>),
    /// Tetrahedra in space.
    Space(Volume<3>),
}
