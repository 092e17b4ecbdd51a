//! Shapes given by where they are: a function of space that is negative inside, about the distance to their surface.

use math::Vect;
use nalgebra::UnitQuaternion;

/// A point or direction.
pub(crate) fn v(x: f64, y: f64, z: f64) -> Vect<3> {
    Vect::from([x, y, z])
}

/// The same on the other side: x negated.
pub(crate) fn mirrored(p: Vect<3>) -> Vect<3> {
    v(-p.x, p.y, p.z)
}

/// A shape, and a box around it.
pub(crate) struct Solid {
    field: Box<dyn Fn(&Vect<3>) -> f64>,
    /// the least corner of the box [m]
    pub low: Vect<3>,
    /// the greatest corner of the box [m]
    pub high: Vect<3>,
}

impl Solid {
    /// A shape from its function, which must be positive outside the box.
    pub fn new(low: Vect<3>, high: Vect<3>, field: impl Fn(&Vect<3>) -> f64 + 'static) -> Self {
        Self { field: Box::new(field), low, high }
    }

    /// About the distance to the surface [m], negative inside.
    pub fn at(&self, p: &Vect<3>) -> f64 {
        (self.field)(p)
    }

    fn box_distance(&self, p: &Vect<3>) -> f64 {
        (self.low - p).sup(&(p - self.high)).max()
    }

    /// How the function changes at a point, by differences over h [m].
    pub fn gradient(&self, p: &Vect<3>, h: f64) -> Vect<3> {
        Vect::from_fn(|i, _| {
            let mut step = Vect::zeros();
            step[i] = h;
            (self.at(&(p + step)) - self.at(&(p - step))) / (2.0 * h)
        })
    }

    /// How far the surface is from a point inside, along a way of length 1 [m].
    pub fn out(&self, from: &Vect<3>, way: &Vect<3>) -> f64 {
        let (mut far, most) = (0.0, (self.high - self.low).norm());
        for _ in 0..64 {
            let inside = -self.at(&(from + way * far));
            if far > most || inside.abs() < 1e-6 {
                break;
            }
            far += 0.8 * inside;
        }
        far
    }

    /// The nearest point of the surface, about, for a point near it; and the way out there.
    pub fn onto(&self, p: Vect<3>) -> (Vect<3>, Vect<3>) {
        let mut x = p;
        for _ in 0..8 {
            let slope = self.gradient(&x, 1e-4);
            x -= slope * (self.at(&x) / slope.norm_squared().max(1e-2));
        }
        (x, self.gradient(&x, 1e-4).try_normalize(1e-9).unwrap_or_default())
    }

    /// Both, their seam rounded over about r [m].
    pub fn join(self, other: Self, r: f64) -> Self {
        let (low, high) = (self.low.inf(&other.low).add_scalar(-r), self.high.sup(&other.high).add_scalar(r));
        Self::new(low, high, move |p| {
            let near = self.at(p);
            // what is farther than this changes nothing
            if other.box_distance(p) > near + r { near } else { smooth_min(near, other.at(p), r) }
        })
    }

    /// What is in this but not in the other, the seam rounded over about r [m].
    pub fn minus(self, other: Self, r: f64) -> Self {
        Self::new(self.low, self.high, move |p| -smooth_min(-self.at(p), other.at(p), r))
    }

    /// What is in this and on the side of a plane to which its normal does not point, rounded over about r [m].
    pub fn cut(self, through: Vect<3>, normal: Vect<3>, r: f64) -> Self {
        Self::new(self.low, self.high, move |p| -smooth_min(-self.at(p), -normal.dot(&(p - through)), r))
    }

    /// The same in another place: turned about the origin, then moved.
    pub fn placed(self, turn: UnitQuaternion<f64>, to: Vect<3>) -> Self {
        let middle = (self.low + self.high) / 2.0;
        let (centre, reach) = (turn * middle + to, (self.high - self.low).norm() / 2.0);
        let back = turn.inverse();
        Self::new(centre.add_scalar(-reach), centre.add_scalar(reach), move |p| self.at(&(back * (p - to))))
    }
}

/// The smaller of both, with a rounded edge where they are nearly the same.
pub(crate) fn smooth_min(a: f64, b: f64, r: f64) -> f64 {
    if r <= 0.0 {
        return a.min(b);
    }
    let near = (1.0 - (a - b).abs() / r).max(0.0);
    a.min(b) - near * near * r / 4.0
}

/// All of them, their seams rounded over about r [m]. Nothing, if there are none.
pub(crate) fn joined(all: impl IntoIterator<Item = Solid>, r: f64) -> Solid {
    let nothing = || Solid::new(Vect::zeros(), Vect::zeros(), |_| f64::MAX);
    all.into_iter().reduce(|a, b| a.join(b, r)).unwrap_or_else(nothing)
}

/// An ellipsoid along the axes.
pub(crate) fn ellipsoid(middle: Vect<3>, half: Vect<3>) -> Solid {
    Solid::new(middle - half, middle + half, move |p| {
        let q = (p - middle).component_div(&half);
        let (near, slope) = (q.norm(), q.component_div(&half).norm());
        if slope < 1e-12 { -half.min() } else { near * (near - 1.0) / slope }
    })
}

/// A ball.
pub(crate) fn ball(middle: Vect<3>, r: f64) -> Solid {
    ellipsoid(middle, Vect::repeat(r))
}

/// Two balls and the cone between them.
pub(crate) fn cone(a: Vect<3>, ra: f64, b: Vect<3>, rb: f64) -> Solid {
    let r = ra.max(rb);
    Solid::new(a.inf(&b).add_scalar(-r), a.sup(&b).add_scalar(r), move |p| {
        let along = b - a;
        let (l2, step) = (along.norm_squared(), ra - rb);
        let (a2, inverse) = (l2 - step * step, 1.0 / l2);
        let pa = p - a;
        let (y, z) = (pa.dot(&along), pa.dot(&along) - l2);
        let x2 = (pa * l2 - along * y).norm_squared();
        let (y2, z2) = (y * y * l2, z * z * l2);
        let k = step.signum() * step * step * x2;
        if z.signum() * a2 * z2 > k {
            (x2 + z2).sqrt() * inverse - rb
        } else if y.signum() * a2 * y2 < k {
            (x2 + y2).sqrt() * inverse - ra
        } else {
            ((x2 * a2 * inverse).sqrt() + y * step) * inverse - ra
        }
    })
}

/// A limb through balls (middle, radius), rounded where it bends.
pub(crate) fn chain(balls: &[(Vect<3>, f64)], r: f64) -> Solid {
    joined(balls.windows(2).map(|two| cone(two[0].0, two[0].1, two[1].0, two[1].1)), r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_and_cones_are_as_far_as_they_should_be() {
        assert!((ball(v(1.0, 0.0, 0.0), 0.5).at(&v(3.0, 0.0, 0.0)) - 1.5).abs() < 1e-12);
        let rod = cone(v(0.0, 0.0, 0.0), 0.2, v(0.0, 0.0, 1.0), 0.2);
        assert!((rod.at(&v(0.7, 0.0, 0.5)) - 0.5).abs() < 1e-12);
        assert!((rod.at(&v(0.0, 0.0, 1.5)) - 0.3).abs() < 1e-12);
        let slope = cone(v(0.0, 0.0, 0.0), 0.3, v(0.0, 0.0, 1.0), 0.1).gradient(&v(0.4, 0.1, 0.4), 1e-5);
        assert!((slope.norm() - 1.0).abs() < 1e-6, "a distance grows by its way: {slope}");
    }
}
