//! The materials by name: the one list that scenes, flags and the studio read.

use math::{Energy, Mat, Small};
use mesh::Mesh;

use crate::*;

/// A material that Young's modulus and Poisson's ratio settle.
pub trait FromLame: Copy {
    /// The material with these parameters for small deformations.
    fn from_lame(lame: Lame) -> Self;
    /// What it makes of them for small deformations, where it cannot keep both.
    fn small_strain(lame: Lame) -> Lame {
        lame
    }
}

macro_rules! materials {
    ($($key:literal => $Material:ident),* $(,)?) => {
        /// Which material the flesh is made of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Flesh { $(#[doc = $key] $Material),* }

        impl Flesh {
            /// All of them, in the order they are shown.
            pub const ALL: &[Self] = &[$(Self::$Material),*];

            /// The name in scenes and flags.
            pub fn name(self) -> &'static str {
                match self { $(Self::$Material => $key),* }
            }

            /// Makes the mesh of this material, with Lamé parameters for each element.
            pub fn tissue<const D: usize>(self, mesh: &Mesh<D>, lame: &[Lame]) -> Box<dyn Energy<D>>
            where
                Mat<D>: Small<D>,
            {
                match self { $(Self::$Material => {
                    Box::new(Tissue::new(mesh, lame.iter().map(|l| $Material::from_lame(*l)).collect()))
                })* }
            }
        }
    };
}

materials! {
    "stable-neo-hookean" => StableNeoHookean,
    "corotated" => Corotated,
    "arap" => Arap,
    "stvk" => StVenantKirchhoff,
    "stvk-volume" => StVenantKirchhoffVolume,
    "neo-hookean" => NeoHookean,
    "mooney-rivlin" => MooneyRivlin,
    "linear" => Linear,
}

/// A name that no material has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no material {name:?}. The materials are: {}.", Flesh::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownMaterial {
    /// what was asked for
    pub name: String,
}

impl std::str::FromStr for Flesh {
    type Err = UnknownMaterial;
    fn from_str(name: &str) -> Result<Self, UnknownMaterial> {
        Self::ALL.iter().copied().find(|m| m.name() == name).ok_or_else(|| UnknownMaterial { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_is_found_by_its_name() {
        for &flesh in Flesh::ALL {
            assert_eq!(flesh.name().parse(), Ok(flesh));
        }
        let error = "rubber".parse::<Flesh>().unwrap_err().to_string();
        assert!(
            error.starts_with("there is no material \"rubber\". The materials are: stable-neo-hookean,"),
            "{error}"
        );
    }
}
