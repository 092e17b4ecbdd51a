//! The forces of one stage, and how far they are from balance.

use math::{Mat, Vect};
use mesh::Mass;

use crate::report::{Report, timed};
use crate::ride::{Frames, Scales};
use crate::stage::Stage;
use crate::system::System;

/// One stage to be solved: find x with M(a + d_m v) + d_k K v + ∂U/∂x = M g + f, where v = αx + c_v and a = βx + c_a.
pub(crate) struct Problem<'p, const D: usize> {
    pub stage: Stage,
    /// c_v
    pub velocity: &'p [Vect<D>],
    /// c_a
    pub acceleration: &'p [Vect<D>],
    /// M g + f + d_m M v of the drive
    pub external: &'p [Vect<D>],
    /// what the body's rows must be
    pub rows: &'p [f64],
    /// what the body rides on
    pub ride: Option<(&'p Frames<D>, &'p Scales)>,
}

/// The vectors that Newton's method works with: made once.
pub(crate) struct Scratch<const D: usize> {
    v: Vec<Vect<D>>,
    a: Vec<Vect<D>>,
    /// ∂U/∂x
    elastic: Vec<Vect<D>>,
    /// all forces but those
    pub other: Vec<Vect<D>>,
    /// positions that may be taken
    pub trial: Vec<Vect<D>>,
    /// on the unknowns: the forces out of balance, and what the rows leave of them
    pub residual: Vec<Vect<D>>,
    pub projected: Vec<Vect<D>>,
    /// the search direction, on the unknowns and on all vertices (zero at pins)
    pub direction: Vec<Vect<D>>,
    pub spread: Vec<Vect<D>>,
    /// by how much each kept row is not fulfilled
    pub violation: Vec<f64>,
}

impl<const D: usize> Scratch<D> {
    pub fn new(system: &System<'_, D>) -> Self {
        let all = || vec![Vect::zeros(); system.body.rest.len()];
        let free = || vec![Vect::zeros(); system.free.len()];
        Self {
            v: all(),
            a: all(),
            elastic: all(),
            other: all(),
            trial: all(),
            residual: free(),
            projected: free(),
            direction: free(),
            spread: all(),
            violation: vec![0.0; system.rows.len()],
        }
    }

    /// The vertex with the largest force left over.
    pub fn worst_vertex(&self, system: &System<'_, D>) -> Option<u32> {
        let larger = |a: usize, b: usize| {
            if self.projected[b].norm_squared() > self.projected[a].norm_squared() { b } else { a }
        };
        (0..system.free.len()).reduce(larger).map(|u| system.free[u])
    }
}

/// How far from balance.
#[derive(Clone, Copy)]
pub(crate) struct Balance {
    /// the size of the forces left over [N]
    pub residual: f64,
    /// the size of the scene's own forces
    pub forces: f64,
    /// the size of the forces of single elements, most of which balance each other
    pub single: f64,
}

impl Balance {
    pub fn relative(&self) -> f64 {
        if self.forces > 0.0 { self.residual / self.forces } else { self.residual }
    }
}

impl<const D: usize> Problem<'_, D> {
    /// Sums the forces at x into `scratch.residual` and `scratch.other`. Where there is stiffness damping, the projected
    /// tangents at x are evaluated on the way.
    pub fn balance(
        &self,
        system: &mut System<'_, D>,
        s: &mut Scratch<D>,
        x: &[Vect<D>],
        report: &mut Report,
    ) -> Balance {
        let Stage { alpha, beta, .. } = self.stage;
        let damping = system.body.damping;
        let System { body, assembly, energies, free, rows, .. } = system;
        let size = |f: &[Vect<D>]| free.iter().map(|&v| f[v as usize].norm_squared()).sum::<f64>().sqrt();
        timed(&mut report.seconds.elements, || assembly.gradient(energies, x, &mut s.elastic));
        let single = assembly.force_size();
        // In a stretched body that nothing else pulls all forces cancel; then single elements set the scale.
        let mut forces = size(&s.elastic).max(1e-4 * single).max(size(self.external));
        if alpha == 0.0 {
            s.other.fill(Vect::zeros());
        } else {
            for i in 0..x.len() {
                let v = alpha * x[i] + self.velocity[i];
                let a = beta * x[i] + self.acceleration[i];
                (s.v[i], s.a[i]) = match self.ride {
                    None => (v, a + damping.mass * v),
                    Some((frames, scales)) => {
                        let relative = frames.damped_velocity(i, &x[i], &v);
                        let d_m = damping.mass * Scales::at(&scales.mass_damping, i);
                        let held_back = frames.held_back(i, Scales::at(&scales.inertia, i), &x[i], &v);
                        (relative, a - held_back + d_m * relative)
                    }
                };
            }
            body.mass.times(&s.a, &mut s.other);
            forces = forces.max(size(&s.other));
        }
        if alpha * damping.stiffness != 0.0 {
            timed(&mut report.seconds.elements, || {
                assembly.tangents(energies, x, true);
                let share = self.ride.map_or(&[][..], |(_, scales)| &scales.stiffness_damping);
                assembly.times(energies, &s.v, share, &mut s.a);
            });
            forces = forces.max(damping.stiffness * size(&s.a));
            s.other.iter_mut().zip(&s.a).for_each(|(o, a)| *o += damping.stiffness * a);
        }
        s.other.iter_mut().zip(self.external).for_each(|(o, f)| *o -= f);
        if let Some((frames, scales)) = self.ride {
            for (i, lack) in frames.lack.iter().enumerate() {
                s.other[i] -= (1.0 - Scales::at(&scales.inertia, i)) * lack;
            }
        }
        for (u, &v) in free.iter().enumerate() {
            s.residual[u] = s.other[v as usize] + s.elastic[v as usize];
        }
        s.projected.copy_from_slice(&s.residual);
        if !rows.is_empty() {
            rows.project(&mut s.projected);
        }
        Balance { residual: dot(&s.projected, &s.projected).sqrt(), forces, single }
    }

    /// What turning frames add to β, for each vertex; empty where they add nothing.
    pub fn spin(&self) -> &[Mat<D>] {
        self.ride.map_or(&[], |(frames, _)| frames.spin())
    }

    /// dᵀ M · spin · d
    pub fn spin_product(&self, mass: &Mass, d: &[Vect<D>]) -> f64 {
        let row =
            |(i, spin): (usize, &Mat<D>)| mass.row(i).map(|(j, m)| m * d[j as usize].dot(&(spin * d[i]))).sum::<f64>();
        self.spin().iter().enumerate().map(row).sum()
    }

    /// The incremental potential at x, damping left out: U + ½ aᵀ M a / β + ½ dᵀ M · spin · d − fᵀ x.
    fn potential(&self, system: &mut System<'_, D>, s: &mut Scratch<D>, x: &[Vect<D>]) -> f64 {
        let beta = self.stage.beta;
        let spin = self.spin();
        for (i, x) in x.iter().enumerate() {
            let mut a = beta * x + self.acceleration[i];
            if let Some((frames, scales)) = self.ride {
                let v = self.stage.alpha * x + self.velocity[i];
                a -= frames.held_back(i, Scales::at(&scales.inertia, i), x, &v);
                if let Some(spin) = spin.get(i) {
                    s.v[i] = x - frames.p[i];
                    a -= spin * s.v[i]; // it has an energy of its own
                }
            }
            s.a[i] = a;
        }
        let mass = &system.body.mass;
        let inertia = mass.product(&s.a, &s.a) / (2.0 * beta) + 0.5 * self.spin_product(mass, &s.v);
        let external: f64 = self.external.iter().zip(x).map(|(f, x)| f.dot(x)).sum();
        system.assembly.value(&system.energies, x) + inertia - external
    }

    /// x ← the one of x and these that has the lowest incremental potential: where the velocity leads, where the drive
    /// carries it, and, for a body with crushed elements, its rest shape. Tangled flesh has many equilibria; this finds the way
    /// out of them that a line search, which only goes downhill, does not. A sound body never takes its rest shape, since it
    /// would jump over barriers that are real.
    pub fn choose_start(
        &self,
        system: &mut System<'_, D>,
        s: &mut Scratch<D>,
        x: &mut [Vect<D>],
        others: [Option<&[Vect<D>]>; 4],
    ) {
        let mut lowest = self.potential(system, s, x);
        for other in others.into_iter().flatten() {
            let value = self.potential(system, s, other);
            if value < lowest {
                lowest = value;
                x.copy_from_slice(other);
            }
        }
    }
}

/// |p_i|² of the vertices, on average [m²].
pub(crate) fn mean_square<const D: usize>(p: &[Vect<D>]) -> f64 {
    dot(p, p) / p.len().max(1) as f64
}

pub(crate) fn dot<const D: usize>(a: &[Vect<D>], b: &[Vect<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}
