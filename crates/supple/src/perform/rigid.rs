//! Rigid bodies that fall: where each is, frame by frame, by the engine rapier.

use math::{Mat, Vect};
use nalgebra::{Quaternion, UnitQuaternion};
use rapier3d_f64::prelude::{
    ColliderBuilder, PhysicsWorld, Pose, RigidBodyBuilder, RigidBodyHandle, SharedShape, Vector,
};
use rig::Affine;

use crate::Error;
use crate::params::{ANGULAR_DAMPING, DENSITY, SECONDS};
use crate::scene::{RigidKeys, RigidWorldKeys, ShapeKey, plain};

/// The shape of a rigid body, around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// its sides [m]
    Box(Vect<3>),
    /// its radius [m]
    Sphere(f64),
    /// lying on the ground: the radius of the ring, and that of the tube [m]
    Torus(f64, f64),
}

/// A rigid body as it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub shape: Shape,
    /// [kg/m³]
    pub density: f64,
    /// world_from_body
    pub start: Affine<3>,
    /// [m/s]
    pub velocity: Vect<3>,
    /// axis times angular velocity [rad/s]
    pub spin: Vect<3>,
}

/// Where they fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct World {
    /// the height of the ground [m]
    pub ground: f64,
    /// downward [m/s²]
    pub gravity: f64,
    /// how long [s]
    pub seconds: f64,
    /// how much of its speed a body keeps when it bounces [1]
    pub bounce: f64,
    /// how rough they are [1]
    pub friction: f64,
    /// how soon they stop turning [1/s]
    pub angular_damping: f64,
}

/// Flat pieces of a torus' tube for collisions.
const PIECES: usize = 16;
/// Steps of the rigid bodies in each frame.
const STEPS: usize = 4;

impl Rigid {
    /// What a scene says of a body; `number` counts from 1.
    pub fn of(keys: &RigidKeys, number: usize) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Asked(format!("[[rigid]] number {number}: {what}."));
        let numbers = [keys.position, keys.rotation, keys.velocity, keys.spin].concat();
        if numbers.iter().any(|x| !(x.abs() < 1e6)) {
            return Err(wrong("its place and speed must be numbers below a million"));
        }
        if keys.size.iter().any(|s| !(*s > 1e-4 && *s < 1e4)) {
            return Err(wrong("its size must be above 0.0001 and below 10000 m"));
        }
        let shape = match (keys.shape, &keys.size[..]) {
            (ShapeKey::Box, [x, y, z]) => Shape::Box(Vect::from([*x, *y, *z])),
            (ShapeKey::Sphere, [radius]) => Shape::Sphere(*radius),
            (ShapeKey::Torus, [ring, tube]) if ring > tube => Shape::Torus(*ring, *tube),
            (ShapeKey::Box, _) => return Err(wrong("the size of a box is its three sides: size = [1, 1, 1]")),
            (ShapeKey::Sphere, _) => return Err(wrong("the size of a sphere is its radius: size = [0.5]")),
            (ShapeKey::Torus, _) => {
                return Err(wrong(
                    "the size of a torus is the radius of its ring and the smaller one of its tube: size = [0.5, 0.2]",
                ));
            }
        };
        let density = DENSITY.value(plain(&keys.density))?;
        let turn = Vect::from(keys.rotation.map(f64::to_radians));
        let start = Affine { R: *nalgebra::Rotation3::new(turn).matrix(), t: Vect::from(keys.position) };
        Ok(Self { shape, density, start, velocity: Vect::from(keys.velocity), spin: Vect::from(keys.spin) })
    }

    fn collider(&self) -> ColliderBuilder {
        match self.shape {
            Shape::Box(s) => ColliderBuilder::cuboid(s[0] / 2.0, s[1] / 2.0, s[2] / 2.0),
            Shape::Sphere(radius) => ColliderBuilder::ball(radius),
            Shape::Torus(ring, tube) => {
                let at = |k: usize| {
                    let (sin, cos) = (std::f64::consts::TAU * k as f64 / PIECES as f64).sin_cos();
                    Vector::new(ring * cos, ring * sin, 0.0)
                };
                let piece = |k: usize| (Pose::identity(), SharedShape::capsule(at(k), at(k + 1), tube));
                ColliderBuilder::compound((0..PIECES).map(piece).collect())
            }
        }
        .density(self.density)
    }
}

impl World {
    /// What a scene says of the world.
    pub fn of(keys: &RigidWorldKeys) -> Result<Self, Error> {
        let world = Self {
            ground: plain(&keys.ground).unwrap_or(0.0),
            gravity: plain(&keys.gravity).unwrap_or(9.81),
            seconds: SECONDS.value(plain(&keys.seconds).or(Some(2.0)))?,
            bounce: plain(&keys.bounce).unwrap_or(0.3),
            friction: plain(&keys.friction).unwrap_or(0.6),
            angular_damping: ANGULAR_DAMPING.value(plain(&keys.angular_damping))?,
        };
        let sane = world.ground.abs() < 1e6
            && world.gravity.abs() < 1e4
            && (0.0..=1.0).contains(&world.bounce)
            && (0.0..=10.0).contains(&world.friction);
        let what = "[rigid_world]: ground and gravity must be numbers, bounce from 0 to 1, friction from 0 to 10.";
        if sane { Ok(world) } else { Err(Error::Asked(what.into())) }
    }

    /// For each frame and body: now_from_start.
    pub fn poses(&self, bodies: &[Rigid], dt: f64) -> Vec<Vec<Affine<3>>> {
        let vector = |x: &Vect<3>| Vector::new(x[0], x[1], x[2]);
        let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -self.gravity), ..PhysicsWorld::new() };
        world.integration_parameters.dt = dt / STEPS as f64;
        let ground = ColliderBuilder::cuboid(1e3, 1e3, 1.0)
            .translation(Vector::new(0.0, 0.0, self.ground - 1.0))
            .restitution(self.bounce)
            .friction(self.friction);
        world.insert_collider(ground, None);
        let mut handles = vec![];
        for body in bodies {
            let turn = UnitQuaternion::from_matrix(&body.start.R).scaled_axis();
            let rigid = RigidBodyBuilder::dynamic()
                .translation(vector(&body.start.t))
                .rotation(vector(&turn))
                .linvel(vector(&body.velocity))
                .angvel(vector(&body.spin))
                .angular_damping(self.angular_damping)
                .can_sleep(false)
                .ccd_enabled(true);
            let collider = body.collider().restitution(self.bounce).friction(self.friction);
            handles.push(world.insert(rigid, collider).0);
        }
        let frames = (self.seconds / dt).round() as usize;
        let mut all = vec![vec![Affine::identity(); bodies.len()]];
        for _ in 0..frames {
            (0..STEPS).for_each(|_| world.step());
            let now = |(handle, body): (RigidBodyHandle, &Rigid)| {
                let pose = world.bodies[handle].position();
                let (q, t) = (pose.rotation, pose.translation);
                let R: Mat<3> =
                    *UnitQuaternion::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z)).to_rotation_matrix().matrix();
                let now_from_body = Affine { R, t: Vect::from([t.x, t.y, t.z]) };
                now_from_body * body.start.inverse().unwrap_or(Affine::identity())
            };
            all.push(handles.iter().copied().zip(bodies).map(now).collect());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(shape: Shape, z: f64) -> Rigid {
        let start = Affine { R: Mat::identity(), t: Vect::from([0.0, 0.0, z]) };
        Rigid { shape, density: 500.0, start, velocity: Vect::zeros(), spin: Vect::zeros() }
    }

    #[test]
    fn bodies_fall_freely_until_they_meet_the_ground_and_rest_on_each_other() {
        let world =
            World { seconds: 3.0, bounce: 0.2, friction: 0.8, ..World::of(&RigidWorldKeys::default()).unwrap() };
        let bodies = [body(Shape::Box(Vect::from([1.0, 1.0, 0.5])), 1.0), body(Shape::Torus(0.4, 0.1), 2.0)];
        let poses = world.poses(&bodies, 1.0 / 60.0);
        assert_eq!(poses.len(), 181);
        let height = |frame: usize, b: usize| poses[frame][b].apply(&bodies[b].start.t).z;
        let t = 12.0 / 60.0;
        assert!((height(12, 0) - (1.0 - 9.81 / 2.0 * t * t)).abs() < 0.01, "{}", height(12, 0));
        assert!((height(180, 0) - 0.25).abs() < 0.01, "the box is at {}", height(180, 0));
        assert!((height(180, 1) - 0.6).abs() < 0.02, "the torus is at {}", height(180, 1));
        let again = world.poses(&bodies, 1.0 / 60.0);
        assert_eq!(poses, again, "it never falls the same way twice");
    }

    #[test]
    fn a_body_that_spins_is_slowed_by_angular_damping_alone() {
        let turned = |angular_damping: f64| {
            let default = World::of(&RigidWorldKeys::default()).unwrap();
            let world = World { gravity: 0.0, seconds: 1.0, angular_damping, ..default };
            let spinning = Rigid { spin: Vect::from([0.0, 0.0, 1.0]), ..body(Shape::Sphere(0.5), 5.0) };
            let R = world.poses(&[spinning], 1.0 / 60.0)[60][0].R;
            R[(1, 0)].atan2(R[(0, 0)])
        };
        assert!((turned(0.0) - 1.0).abs() < 1e-6, "{}", turned(0.0));
        // ω = e^(−1.5 t)
        let expected = (1.0 - (-1.5f64).exp()) / 1.5;
        assert!((turned(ANGULAR_DAMPING.default) - expected).abs() < 0.01, "{}", turned(ANGULAR_DAMPING.default));
    }

    #[test]
    fn a_size_that_no_such_body_has_is_told() {
        let keys = RigidKeys { shape: ShapeKey::Torus, size: vec![0.2, 0.5], ..RigidKeys::default() };
        let text = Rigid::of(&keys, 2).unwrap_err().to_string();
        assert!(text.contains("number 2") && text.contains("tube"), "{text}");
        let keys = RigidKeys { shape: ShapeKey::Box, size: vec![1.0, -1.0, 1.0], ..RigidKeys::default() };
        assert!(Rigid::of(&keys, 1).is_err());
    }
}
