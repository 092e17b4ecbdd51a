//! What a reduced model must do.

use math::check::Random;
use math::{Mat, Small, Vect};
use mesh::{Mass, MassKind, Mesh, block};
use rig::{Jacobian, Linear, Rig, Weights, affine_handles};

use super::cholesky::Cholesky;
use super::modes::{laplacian, pieces};
use super::orthonormal::{dot, pivoted};
use super::problem::Problem;
use super::{Reduced, ReducedError, ReducedOptions};

/// A bar with a handle at each end.
pub(super) struct Bar {
    pub mesh: Mesh<3>,
    pub rig: Linear<3>,
    pub mu: Vec<f64>,
    pub lambda: Vec<f64>,
    pub density: Vec<f64>,
    pub leak: Vec<f64>,
}

/// A bar that leaks in the middle; stiffer and heavier towards one end.
pub(super) fn bar(cells: [usize; 3]) -> Bar {
    let mesh = block(cells, Vect::from([2.0, 0.6, 0.5]));
    let blend = |X: &Vect<3>| {
        let t = X[0] / 2.0;
        t * t * (3.0 - 2.0 * t)
    };
    let columns = [mesh.rest.iter().map(|X| 1.0 - blend(X)).collect(), mesh.rest.iter().map(blend).collect()];
    let rig = affine_handles(&mesh.rest, &Weights::from_columns(&columns).unwrap()).unwrap();
    let count = mesh.element_count();
    let graded = |from: f64, to: f64| (0..count).map(|e| from + (to - from) * e as f64 / count as f64).collect();
    let leak = mesh.rest.iter().map(|X| 0.1 + (X[0] - 1.0).powi(2) + X[1] * X[2]).collect();
    Bar { rig, mu: graded(800.0, 1600.0), lambda: vec![0.0; count], density: graded(90.0, 110.0), leak, mesh }
}

impl Bar {
    pub fn model(&self, modes: usize, clusters: usize) -> Reduced {
        let options = ReducedOptions { modes, clusters, step: 0.02, tolerance: 1e-13, iterations: 3000 };
        self.model_of(&self.rig.jacobian, &options).unwrap()
    }
    pub fn model_of(&self, jacobian: &Jacobian<3>, options: &ReducedOptions) -> Result<Reduced, ReducedError> {
        Reduced::new(&self.mesh, &self.mu, &self.lambda, &self.density, jacobian, &self.leak, options)
    }
    fn mass(&self) -> Vec<f64> {
        let mass = Mass::new(&self.mesh, &self.density, MassKind::Lumped);
        (0..self.mesh.rest.len()).map(|v| mass.of(v)).collect()
    }
}

/// Turns and moves, as one row after the other of [R t], by an angle about z.
fn turn(angle: f64, t: [f64; 3]) -> Vec<f64> {
    let (s, c) = angle.sin_cos();
    vec![c, -s, 0.0, t[0], s, c, 0.0, t[1], 0.0, 0.0, 1.0, t[2]]
}

/// The handles at a time: one shakes, the other swings.
pub(super) fn pose(t: f64) -> Vec<f64> {
    let ease = 0.5 - 0.5 * (9.0 * t).cos();
    [turn(0.2 * ease, [0.0, 0.3 * ease, 0.1 * ease]), turn(-0.7 * ease, [0.2 * ease, 0.0, 0.3 * ease])].concat()
}

const STEPS: usize = 16;

/// u = B z after each step.
fn motion(model: &Reduced, rig: &dyn Rig<3>) -> Vec<Vec<Vect<3>>> {
    let mut live = model.live(rig).unwrap();
    let mut frames = vec![];
    for k in 1..=STEPS {
        assert!(live.step(&pose(0.02 * k as f64)).unwrap().converged, "step {k}");
        let mut u = vec![Vect::zeros(); model.rest.len()];
        model.displacements(live.coefficients(), &mut u);
        frames.push(u);
    }
    frames
}

/// The same in full space: every vertex, one rotation per element, Jrᵀ M D u = 0 by multipliers.
fn full(bar: &Bar, h: f64) -> Vec<Vec<Vect<3>>> {
    let (n, mass, pieces) = (bar.mesh.rest.len(), bar.mass(), pieces(&bar.mesh));
    let L = laplacian(n, &pieces, &bar.mu);
    let mut H = vec![0.0; n * n];
    for c in 0..n {
        for k in L.starts[c]..L.starts[c + 1] {
            let r = L.rows[k] as usize;
            (H[r * n + c], H[c * n + r]) = (2.0 * L.blocks[k][0], 2.0 * L.blocks[k][0]);
        }
        H[c * n + c] += mass[c] / (h * h);
    }
    let factor = Cholesky::new(H, n).unwrap();
    let solve = |b: &[f64]| {
        let mut x = b.to_vec();
        x.chunks_exact_mut(n).for_each(|axis| factor.solve(axis));
        x
    };
    // rows of C, axis after axis
    let mut rows = vec![vec![0.0; 3 * n]; bar.rig.jacobian.parameters];
    for v in 0..n {
        for (k, value) in bar.rig.jacobian.row(v) {
            (0..3).for_each(|i| rows[k][i * n + v] = mass[v] * bar.leak[v] * value[i]);
        }
    }
    let rows = pivoted(rows, 1e-12);
    let bent: Vec<Vec<f64>> = rows.iter().map(|row| solve(row)).collect();
    let m = rows.len();
    let schur = Cholesky::new((0..m * m).map(|k| dot(&rows[k / m], &bent[k % m])).collect(), m).unwrap();
    let (mut x, mut before) = (bar.mesh.rest.clone(), bar.mesh.rest.clone());
    let mut u = vec![Vect::<3>::zeros(); n];
    let mut frames = vec![];
    for k in 1..=STEPS {
        let mut posed = x.clone();
        bar.rig.positions(&pose(h * k as f64), &mut posed);
        loop {
            // H u = M (y − x_r)/h² + 2 Σ V μ (R − ∂x_r/∂X) ∇φ
            let mut b = vec![0.0; 3 * n];
            for v in 0..n {
                let late = 2.0 * x[v] - before[v] - posed[v];
                (0..3).for_each(|i| b[i * n + v] = mass[v] / (h * h) * late[i]);
            }
            for p in &pieces {
                let gradient = |x: &dyn Fn(usize) -> Vect<3>| -> Mat<3> {
                    p.corners.iter().zip(&p.gradients).map(|(&v, g)| x(v as usize) * g.transpose()).sum()
                };
                let R = gradient(&|v| posed[v] + u[v]).signed_polar().R;
                let stress = 2.0 * p.volume * bar.mu[p.element] * (R - gradient(&|v| posed[v]));
                for (&v, g) in p.corners.iter().zip(&p.gradients) {
                    let force = stress * g;
                    (0..3).for_each(|i| b[i * n + v as usize] += force[i]);
                }
            }
            let mut new = solve(&b);
            let mut y: Vec<f64> = rows.iter().map(|row| dot(row, &new)).collect();
            schur.solve(&mut y);
            bent.iter().zip(&y).for_each(|(b, y)| super::orthonormal::add(-y, b, &mut new));
            let mut change = 0.0f64;
            for v in 0..n {
                let to = Vect::from([new[v], new[n + v], new[2 * n + v]]);
                change = change.max((to - u[v]).amax());
                u[v] = to;
            }
            if change < 1e-13 {
                break;
            }
        }
        before = x;
        x = posed.iter().zip(&u).map(|(x, u)| x + u).collect();
        frames.push(u.clone());
    }
    frames
}

fn length(frames: &[Vec<Vect<3>>]) -> f64 {
    frames.iter().flatten().map(|u| u.norm_squared()).sum::<f64>().sqrt()
}

#[test]
fn it_converges_to_the_full_solution_as_modes_grow() {
    let bar = bar([4, 2, 2]);
    let exact = full(&bar, 0.02);
    assert!(length(&exact) > 0.1, "vacuous: {}", length(&exact));
    let mut errors = vec![];
    for modes in [1, 2, 4, 8, 16] {
        let model = bar.model(modes, usize::MAX);
        let frames = motion(&model, &bar.rig);
        let rest: Vec<Vec<Vect<3>>> =
            frames.iter().zip(&exact).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect()).collect();
        errors.push((modes, model.freedoms(), length(&rest) / length(&exact)));
    }
    println!("modes, freedoms, relative error: {errors:?}");
    assert!(errors.windows(2).all(|e| e[1].2 < e[0].2), "{errors:?}");
    assert!(errors[errors.len() - 1].2 < 1e-8, "{errors:?}");
}

#[test]
fn it_converges_to_one_rotation_per_element_as_clusters_grow() {
    let bar = bar([6, 2, 2]);
    let exact = motion(&bar.model(4, usize::MAX), &bar.rig);
    let error = |clusters: usize| {
        let frames = motion(&bar.model(4, clusters), &bar.rig);
        let rest: Vec<Vec<Vect<3>>> =
            frames.iter().zip(&exact).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect()).collect();
        length(&rest) / length(&exact)
    };
    let errors = [1, 4, 16, 64, bar.mesh.element_count()].map(error);
    println!("relative error by clusters: {errors:?}");
    assert!(errors.windows(2).all(|e| e[1] < e[0]) && errors[4] == 0.0, "{errors:?}");
}

/// Any linear rig: along several axes at once, some parameters alike, one that does nothing.
fn any_rig(vertices: usize) -> Jacobian<3> {
    let mut random = Random::new(5);
    let mut row = |_| {
        let a: Vect<3> = random.vector();
        vec![(0, a), (1, random.vector()), (2, 3.0 * a), (4, Vect::from([random.number(), 0.0, 0.0]))]
    };
    Jacobian::from_rows(5, (0..vertices).map(&mut row).collect::<Vec<_>>())
}

#[test]
fn no_motion_has_a_part_that_the_rig_could_make() {
    let bar = bar([4, 3, 2]);
    let (mass, n) = (bar.mass(), bar.mesh.rest.len());
    for (jacobian, rank) in [(bar.rig.jacobian.clone(), 24), (any_rig(n), 3)] {
        for modes in [1, 3, 16, n] {
            let options = ReducedOptions { modes, ..Default::default() };
            let model = bar.model_of(&jacobian, &options).unwrap();
            let mut random = Random::new(modes as u64);
            for _ in 0..5 {
                let z: Vec<f64> = (0..model.freedoms()).map(|_| random.number()).collect();
                let mut u = vec![Vect::zeros(); n];
                model.displacements(&z, &mut u);
                // BᵀMB = 1
                let square: f64 = u.iter().zip(&mass).map(|(u, m)| m * u.norm_squared()).sum();
                assert!((square / dot(&z, &z) - 1.0).abs() < 1e-12);
                let f: Vec<Vect<3>> = (0..n).map(|v| mass[v] * bar.leak[v] * u[v]).collect();
                let part = jacobian.transpose_times(&f);
                for (k, column) in jacobian.columns().iter().enumerate() {
                    let size: f64 = column.iter().map(|(v, c)| c.norm() * f[*v as usize].norm()).sum();
                    assert!(part[k].abs() <= 1e-12 * size, "parameter {k}, {modes} modes: {} of {size}", part[k]);
                }
            }
            // with all modes nothing but the rig is missing
            if modes == n {
                assert_eq!(model.freedoms(), 3 * n - rank);
            }
        }
    }
}

#[test]
fn rigid_motion_without_a_leak_gives_no_secondary_motion() {
    let mut bar = bar([4, 2, 2]);
    let swing = |t: f64| turn(2.0 * t * t, [t * t, -3.0 * t.sin(), 0.5 * t]).repeat(2);
    let moved = |bar: &Bar| {
        let model = bar.model(8, 20);
        let mut live = model.live(&bar.rig).unwrap();
        let mut most = 0.0f64;
        for k in 1..=40 {
            live.step(&swing(0.02 * k as f64)).unwrap();
            let mut u = vec![Vect::zeros(); bar.mesh.rest.len()];
            model.displacements(live.coefficients(), &mut u);
            most = u.iter().map(|u| u.norm()).fold(most, f64::max);
        }
        most
    };
    assert!(moved(&bar) > 1e-2, "vacuous: a leak must show");
    bar.leak.fill(1.0);
    let most = moved(&bar);
    assert!(most < 1e-12, "{most}");
}

#[test]
fn the_gradient_of_the_reduced_energy_is_its_derivative() {
    for volume in [0.0, 5e3] {
        let mut bar = bar([3, 2, 2]);
        bar.lambda.fill(volume);
        let mut random = Random::new(8);
        // the last has fields that come in threes
        for jacobian in [bar.rig.jacobian.clone(), any_rig(bar.mesh.rest.len())] {
            let options = ReducedOptions { modes: 3, clusters: 7, ..Default::default() };
            let model = bar.model_of(&jacobian, &options).unwrap();
            let (m, P) = (model.freedoms(), jacobian.parameters);
            let mut list = |n: usize, size: f64| (0..n).map(|_| size * random.number()).collect::<Vec<f64>>();
            let mut problem = Problem::new(&model.tables, 0.01);
            let (moved, bent) = (list(P, 0.2), list(P, 0.01));
            problem.prepare(&moved, &bent, &list(m, 0.3), &list(m, 50.0), &Vect::from([1.0, -9.8, 2.0]));
            let (z, dz) = (list(m, 0.5), list(m, 1.0));
            let mut g = vec![0.0; m];
            problem.evaluate(&z, &mut g);
            let mut at = |s: f64| {
                let z: Vec<f64> = z.iter().zip(&dz).map(|(z, d)| z + s * d).collect();
                problem.evaluate(&z, &mut vec![0.0; m])
            };
            let slope = (8.0 * (at(1e-4) - at(-1e-4)) - at(2e-4) + at(-2e-4)) / 12e-4;
            let exact = dot(&g, &dz);
            assert!(exact.abs() > 1.0, "vacuous: {exact}");
            assert!((slope / exact - 1.0).abs() < 1e-8, "λ = {volume}: {slope} {exact}");
        }
    }
}

#[test]
fn a_step_ends_where_the_forces_are_in_balance_with_and_without_resistance_to_volume() {
    for volume in [0.0, 2e3, 2e4] {
        let mut bar = bar([4, 2, 2]);
        bar.lambda.fill(volume);
        let model = bar.model(4, 30);
        let mut problem = Problem::new(&model.tables, 0.02);
        let rest = bar.rig.rest();
        let moved: Vec<f64> = pose(0.3).iter().zip(&rest).map(|(p, r)| p - r).collect();
        let still = vec![0.0; model.freedoms()];
        problem.prepare(&moved, &vec![0.0; rest.len()], &still, &still, &Vect::zeros());
        let (mut z, mut g) = (still.clone(), still.clone());
        problem.evaluate(&z, &mut g);
        let before = dot(&g, &g).sqrt();
        let took = problem.solve(&model.factor, &mut z, 1e-12, 3000);
        problem.evaluate(&z, &mut g);
        println!("λ = {volume}: {took:?}");
        assert!(took.converged && dot(&g, &g).sqrt() < 1e-8 * before, "λ = {volume}: {took:?}");
    }
}

#[test]
fn pushes_and_gravity_move_what_leaks() {
    let bar = bar([4, 2, 2]);
    let model = bar.model(6, 30);
    let lowest = |gravity: f64, push: f64| {
        let mut live = model.live(&bar.rig).unwrap();
        live.set_gravity(Vect::from([0.0, 0.0, gravity]));
        for _ in 0..10 {
            live.push(22, &Vect::from([0.0, 0.0, push])).unwrap();
            let missing = live.push(1_000_000, &Vect::zeros()).unwrap_err().to_string();
            assert!(missing.contains("no vertex 1000000"), "{missing}");
            assert!(live.push(0, &Vect::repeat(f64::NAN)).is_err());
            live.step(&bar.rig.rest()).unwrap();
        }
        let mut x = bar.mesh.rest.clone();
        live.positions(&mut x);
        x[22][2] - bar.mesh.rest[22][2]
    };
    assert!(lowest(0.0, 0.0).abs() < 1e-12);
    assert!(lowest(0.0, -20.0) < -1e-3 && lowest(0.0, 20.0) > 1e-3);
    assert!(lowest(-9.8, 0.0).abs() > 1e-4);
}

#[test]
fn what_cannot_be_is_refused_in_words_and_changes_nothing() {
    let bar = bar([2, 2, 2]);
    let model = bar.model(2, 10);
    let mut live = model.live(&bar.rig).unwrap();
    live.step(&pose(0.1)).unwrap();
    let before = live.coefficients().to_vec();
    let mut bad = pose(0.2);
    bad[3] = f64::NAN;
    let said = live.step(&bad).unwrap_err().to_string();
    assert_eq!(said, "parameter number 3 (counted from 0) is NaN, but it must be a number.");
    assert_eq!(live.step(&[1.0]).unwrap_err(), ReducedError::Parameters { expected: 24, found: 1 });
    assert_eq!(live.coefficients(), before);
    let mut other = bar.rig.clone();
    other.jacobian.value[5][0] += 1e-3;
    assert_eq!(model.live(&other).err(), Some(ReducedError::OtherRig));
    let options = ReducedOptions::default();
    let mut broken = self::bar([2, 2, 2]);
    broken.mu[4] = -1.0;
    let said = broken.model_of(&bar.rig.jacobian, &options).unwrap_err().to_string();
    assert_eq!(said, "μ number 4 (counted from 0) is -1, but it must be above 0.");
    broken.mu.pop();
    assert!(matches!(broken.model_of(&bar.rig.jacobian, &options), Err(ReducedError::Lengths { .. })));
    let mut loose = self::bar([2, 2, 2]);
    loose.mesh.rest.push(Vect::zeros());
    loose.leak.push(1.0);
    let rig = affine_handles(&loose.mesh.rest, &Weights::from_columns(&[vec![1.0; 28]]).unwrap()).unwrap();
    assert_eq!(loose.model_of(&rig.jacobian, &options).err(), Some(ReducedError::Flat { vertex: 27 }));
}
