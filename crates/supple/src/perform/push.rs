//! What pushes a body from outside: wind, blows, fields.

use math::Vect;

/// A push on some vertices, as an acceleration: a force in proportion to their mass, whatever the mesh.
pub(crate) struct Push<const D: usize> {
    /// the vertices
    pub on: Vec<u32>,
    /// when it begins and ends [s]
    pub span: [f64; 2],
    /// the acceleration of a vertex at rest at X, at time t [m/s²]
    pub field: Field<D>,
}

/// An acceleration [m/s²] by the rest place [m] and the time [s].
type Field<const D: usize> = Box<dyn Fn(&Vect<D>, f64) -> Vect<D> + Sync + Send>;

impl<const D: usize> Push<D> {
    /// The same acceleration [m/s²] for some time [s].
    pub fn steady(on: Vec<u32>, span: [f64; 2], acceleration: Vect<D>) -> Self {
        Self { on, span, field: Box::new(move |_, _| acceleration) }
    }

    /// A blow at a time [s] that changes velocities by this much [m/s] within `length` [s], one step of the simulation.
    pub fn blow(on: Vec<u32>, time: f64, length: f64, velocity: Vect<D>) -> Self {
        Self::steady(on, [time, time + length], velocity / length)
    }

    /// Adds its forces at time t to those on all vertices [N]; `mass` is that of each vertex [kg].
    pub fn add(&self, t: f64, rest: &[Vect<D>], mass: &[f64], forces: &mut [Vect<D>]) {
        // a step that ends with the span is pushed, one that ends where it begins is not
        let close = 1e-9 * (1.0 + t.abs());
        if t > self.span[0] + close && t <= self.span[1] + close {
            for &v in &self.on {
                let v = v as usize;
                forces[v] += mass[v] * (self.field)(&rest[v], t);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blow_gives_its_velocity_to_any_mass_in_one_step() {
        let blow = Push::blow(vec![1], 0.5, 0.01, Vect::from([0.0, 2.0]));
        let rest = [Vect::zeros(); 2];
        let at = |t: f64| {
            let mut forces = [Vect::zeros(); 2];
            blow.add(t, &rest, &[3.0, 4.0], &mut forces);
            forces
        };
        assert_eq!(at(0.5), [Vect::<2>::zeros(); 2]);
        assert!((at(0.51)[1][1] * 0.01 / 4.0 - 2.0).abs() < 1e-12 && at(0.51)[0].norm() == 0.0);
        assert_eq!(at(0.52), [Vect::<2>::zeros(); 2]);
    }
}
