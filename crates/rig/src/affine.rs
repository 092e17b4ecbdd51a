//! Affine maps, and the translation, rotation and scale that artists set.

use std::ops::Mul;

use math::{Mat, Small, Vect};
use nalgebra::{Quaternion, Rotation3, UnitQuaternion};

/// x ↦ R x + t. R may scale and shear. Named for both its ends: `world_from_bone`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine<const D: usize> {
    /// the linear part [1]
    pub R: Mat<D>,
    /// the translation [m]
    pub t: Vect<D>,
}

impl<const D: usize> Affine<D> {
    /// The map that changes nothing.
    pub fn identity() -> Self {
        Self { R: Mat::identity(), t: Vect::zeros() }
    }

    /// Where a point goes.
    pub fn apply(&self, x: &Vect<D>) -> Vect<D> {
        self.R * x + self.t
    }

    /// The way back; none where the map flattens space.
    pub fn inverse(&self) -> Option<Self>
    where
        Mat<D>: Small<D>,
    {
        let R = self.R.cofactor().transpose() / self.R.det();
        let t = -(R * self.t);
        (R.iter().chain(t.iter()).all(|x| x.is_finite())).then_some(Self { R, t })
    }

    /// weight · self + other, entry by entry: how linear blend skinning sums maps.
    pub fn add_scaled(&mut self, weight: f64, other: &Self) {
        self.R += weight * other.R;
        self.t += weight * other.t;
    }

    /// The map with all entries 0.
    pub fn zero() -> Self {
        Self { R: Mat::zeros(), t: Vect::zeros() }
    }

    /// Whether all entries are numbers.
    pub fn is_finite(&self) -> bool {
        self.R.iter().chain(self.t.iter()).all(|x| x.is_finite())
    }
}

impl<const D: usize> Mul for Affine<D> {
    type Output = Self;
    /// c_from_a = c_from_b * b_from_a
    fn mul(self, first: Self) -> Self {
        Self { R: self.R * first.R, t: self.R * first.t + self.t }
    }
}

/// Scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// [m]
    pub translation: Vect<3>,
    /// need not be of unit length: it is normalised in use
    pub rotation: Quaternion<f64>,
    /// along the axes, before the rotation
    pub scale: Vect<3>,
}

impl Default for Trs {
    fn default() -> Self {
        Self { translation: Vect::zeros(), rotation: Quaternion::identity(), scale: Vect::from([1.0; 3]) }
    }
}

impl Trs {
    /// As one map. A rotation of length zero is none.
    pub fn affine(&self) -> Affine<3> {
        let R = UnitQuaternion::try_new(self.rotation, 1e-12).unwrap_or_default().to_rotation_matrix();
        Affine { R: R.matrix() * Mat::<3>::from_diagonal(&self.scale), t: self.translation }
    }

    /// The translation, rotation and scale that come nearest to a map: exact if it does not shear. A mirrored one has a
    /// negative scale in x.
    pub fn from_affine(map: &Affine<3>) -> Self {
        let mut scale = Vect::<3>::from_fn(|j, _| map.R.column(j).norm());
        if map.R.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let mut R = map.R;
        for j in 0..3 {
            R.column_mut(j).scale_mut(1.0 / scale[j]);
        }
        let nearest = if R.iter().all(|x| x.is_finite()) { R.signed_polar().R } else { Mat::identity() };
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(nearest)).into_inner();
        Self { translation: map.t, rotation, scale }
    }
}
