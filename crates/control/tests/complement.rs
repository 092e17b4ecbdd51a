//! Facts about complementary dynamics: what the rig cannot reach, and nothing else.
#![allow(non_snake_case)]

use control::{Adjusted, Animated, Complement, ComplementError, Complementary, Leak, Performance};
use dynamics::{Body, Integrator, Ride, Scales, Solver, State, Stepper};
use elastic::{Flesh, Lame, Springs};
use math::{Energy, Mat, Row, Small, Vect, packed, rows};
use mesh::{Mass, MassKind, Mesh};
use nalgebra::{DMatrix, DVector};
use rig::{DualQuaternions, Linear, Rig, Weights, affine_handles};

fn bar<const D: usize>(cells: usize, across: usize) -> Mesh<D>
where
    Mat<D>: Small<D>,
{
    let mut count = [across; D];
    count[0] = cells;
    mesh::block(count, Vect::from_fn(|i, _| if i == 0 { 0.6 } else { 0.3 }))
}

fn flesh<const D: usize>(mesh: &Mesh<D>, flesh: Flesh, kind: MassKind) -> Body<D>
where
    Mat<D>: Small<D>,
{
    let n = mesh.element_count();
    let lame = vec![Lame::from_young(2e4, 0.35).unwrap(); n];
    Body::new(mesh.rest.clone(), Mass::new(mesh, &vec![1000.0; n], kind), vec![flesh.tissue(mesh, &lame)])
}

/// Two handles at the ends of a bar, blended smoothly.
fn ends<const D: usize>(mesh: &Mesh<D>) -> Weights {
    let weight = |X: &Vect<D>| {
        let s = (X[0] / 0.6).clamp(0.0, 1.0);
        s * s * (3.0 - 2.0 * s)
    };
    Weights::new(2, mesh.rest.iter().map(|X| vec![(0, 1.0 - weight(X)), (1, weight(X))])).unwrap()
}

/// [R t] of a turn by an angle in the first two axes and a shift, as the rows that affine handles take.
fn affine<const D: usize>(angle: f64, shift: f64) -> Vec<f64> {
    let (sin, cos) = angle.sin_cos();
    let mut out = vec![];
    for i in 0..D {
        for j in 0..=D {
            out.push(match (i, j) {
                (0, 0) | (1, 1) => cos,
                (0, 1) => -sin,
                (1, 0) => sin,
                (0, j) if j == D => shift,
                _ => f64::from(i == j),
            });
        }
    }
    out
}

/// The rig bends and shakes.
fn shaken<'a, const D: usize>(rig: &'a Linear<D>) -> Performance<'a, D> {
    let parameters = |t: f64| {
        let mut p = affine::<D>(0.3 * (9.0 * t).sin(), 0.05 * (14.0 * t).sin());
        p.extend(affine::<D>(-0.5 * (8.0 * t).sin(), 0.1 * (11.0 * t).sin()));
        p
    };
    Performance { rig, parameters: Box::new(parameters), jumps: vec![] }
}

/// Steps through a motion and says how far C u was from 0 at most, relative to u, and how large u was.
fn run<const D: usize>(
    mesh: &Mesh<D>,
    body: &mut Body<D>,
    animated: &dyn Animated<D>,
    leak: &Leak,
    integrator: Integrator,
    solver: Solver,
    steps: usize,
) -> ([f64; 2], State<D>)
where
    Mat<D>: Small<D>,
{
    let mut drive = Complementary::attach(body, mesh, animated, leak, 0.0).unwrap();
    let complement = Complement::new(body, mesh, leak).unwrap();
    let mut stepper = Stepper::new(body);
    (stepper.integrator, stepper.solver, stepper.newton.tolerance) = (integrator, solver, 1e-9);
    let mut state = drive.start(&mut stepper, 0.0).unwrap();
    let (mut off, mut most) = (0.0f64, 0.0f64);
    for k in 1..=steps {
        let t = k as f64 / 60.0;
        drive.advance(&mut stepper, t, &mut state).unwrap_or_else(|e| panic!("{integrator:?} {solver:?} {e}"));
        let rig = drive.rig(t);
        let u: Vec<Vect<D>> = state.x.iter().zip(&*rig).map(|(x, r)| x - r).collect();
        let size = u.iter().map(|u| u.norm_squared()).sum::<f64>().sqrt();
        // as it is defined, not as it was prepared: Jrᵀ M D u
        let Du: Vec<Vect<D>> = u.iter().zip(&complement.leak).map(|(u, d)| *d * u).collect();
        let mut MDu = Du.clone();
        body.mass.times(&Du, &mut MDu);
        let J = animated.jacobian(t);
        let columns = J.columns();
        for (value, column) in J.transpose_times(&MDu).iter().zip(&columns) {
            let length = column.iter().map(|(v, c)| (body.mass.of(*v as usize) * c).norm_squared()).sum::<f64>().sqrt();
            if length > 0.0 {
                off = off.max(value.abs() / (length * size.max(1e-6)));
            }
        }
        most = most.max(u.iter().map(|u| u.norm()).fold(0.0, f64::max));
    }
    ([off, most], state)
}

fn keeps_to_the_complement<const D: usize>(across: usize)
where
    Mat<D>: Small<D>,
{
    let mesh = bar::<D>(8, across);
    let rig = affine_handles(&mesh.rest, &ends(&mesh)).unwrap();
    for material in [Flesh::Arap, Flesh::StableNeoHookean] {
        for kind in [MassKind::Lumped, MassKind::Consistent] {
            for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
                for solver in [Solver::Newton, Solver::QuasiNewton] {
                    let mut body = flesh(&mesh, material, kind);
                    let ([off, most], _) = run(&mesh, &mut body, &shaken(&rig), &Leak::Surface, integrator, solver, 12);
                    assert!(off < 1e-10, "{material:?} {kind:?} {integrator:?} {solver:?}: {off:.1e}");
                    assert!(most > 1e-3, "vacuous: nothing moves: {most}");
                }
            }
        }
    }
}

#[test]
fn motion_stays_out_of_the_rig_s_reach_in_the_plane() {
    keeps_to_the_complement::<2>(5);
}

#[test]
fn motion_stays_out_of_the_rig_s_reach_in_space() {
    keeps_to_the_complement::<3>(4);
}

/// A rig whose Jacobian turns with it.
#[test]
fn a_nonlinear_rig_is_looked_at_again_in_every_step() {
    let mesh = bar::<3>(8, 4);
    let points = vec![Vect::from([0.0, 0.15, 0.15]), Vect::from([0.6, 0.15, 0.15])];
    let rig = DualQuaternions::new(mesh.rest.clone(), ends(&mesh), points).unwrap();
    let rest = rig.rest();
    let parameters = |t: f64| {
        let mut p = rest.clone();
        let half = p.len() / 2;
        p[0] += 0.8 * (7.0 * t).sin(); // twist
        p[half + 1] -= 0.6 * (8.0 * t).sin();
        p[half + 3] += 0.1 * (9.0 * t).sin();
        p
    };
    let animated = Performance { rig: &rig, parameters: Box::new(parameters), jumps: vec![] };
    assert!(!animated.is_linear());
    for solver in [Solver::Newton, Solver::QuasiNewton] {
        let mut body = flesh(&mesh, Flesh::StableNeoHookean, MassKind::Lumped);
        let ([off, most], _) = run(&mesh, &mut body, &animated, &Leak::Surface, Integrator::TrapezoidBdf2, solver, 15);
        assert!(off < 1e-10 && most > 1e-3, "{off:.1e} {most}");
    }
}

/// METHODS B4: accelerating, turning, but rigid: with D = I the flesh does not notice.
#[test]
fn rigid_motion_moves_nothing_where_no_momentum_leaks() {
    let mesh = bar::<3>(6, 3);
    let weights = Weights::new(1, mesh.rest.iter().map(|_| vec![(0, 1.0)])).unwrap();
    let rig = affine_handles(&mesh.rest, &weights).unwrap();
    let parameters = |t: f64| affine::<3>(2.0 * (5.0 * t).sin(), 0.3 * (12.0 * t).sin());
    for material in [Flesh::Corotated, Flesh::StableNeoHookean, Flesh::Arap] {
        for integrator in [Integrator::BackwardEuler, Integrator::TrapezoidBdf2] {
            let animated = Performance { rig: &rig, parameters: Box::new(parameters), jumps: vec![] };
            let mut body = flesh(&mesh, material, MassKind::Lumped);
            body.gravity = Vect::from([0.0, -9.81, 0.0]); // the rig holds all of it
            let ([_, most], _) = run(&mesh, &mut body, &animated, &Leak::None, integrator, Solver::Newton, 20);
            assert!(most < 1e-10, "{material:?} {integrator:?}: {most:.1e}");
            let ([_, leaks], _) = run(&mesh, &mut body, &animated, &Leak::Surface, integrator, Solver::Newton, 20);
            assert!(leaks > 1e-3, "vacuous: nothing moves where it should: {leaks}");
        }
    }
}

/// One backward Euler step as a dense problem: the Hessian in full, the rows as a dense matrix, multipliers and all.
fn dense_step<const D: usize>(body: &Body<D>, C: &[Row<D>], rig: &[Vect<D>], state: &State<D>, h: f64) -> Vec<Vect<D>>
where
    Mat<D>: Small<D>,
{
    let n = body.rest.len();
    let mut A = DMatrix::<f64>::zeros(C.len(), D * n);
    for (r, row) in C.iter().enumerate() {
        row.iter().for_each(|(v, c)| (0..D).for_each(|k| A[(r, D * *v as usize + k)] += c[k]));
    }
    // orthonormal rows of the same span
    let svd = A.svd(false, true);
    let Vt = svd.v_t.unwrap();
    let kept: Vec<usize> = (0..svd.singular_values.len()).filter(|&k| svd.singular_values[k] > 1e-9).collect();
    let A = DMatrix::from_fn(kept.len(), D * n, |r, c| Vt[(kept[r], c)]);
    let mut x = rig.to_vec();
    for _ in 0..60 {
        let (mut g, mut H) = (DVector::zeros(D * n), DMatrix::zeros(D * n, D * n));
        for i in 0..n {
            for (j, m) in body.mass.row(i) {
                let j = j as usize;
                for k in 0..D {
                    let y = state.x[j][k] + h * state.v[j][k];
                    g[D * i + k] += m * ((x[j][k] - y) / (h * h) - body.gravity[k]);
                    H[(D * i + k, D * j + k)] += m / (h * h);
                }
            }
        }
        for energy in &body.energies {
            let arity = energy.arity();
            let (mut f, mut blocks) = (vec![Vect::<D>::zeros(); arity], vec![Mat::<D>::zeros(); packed(arity)]);
            for (term, s) in energy.stencils().chunks_exact(arity).enumerate() {
                energy.gradient(term, &x, &mut f);
                energy.hessian(term, &x, true, &mut blocks);
                for a in 0..arity {
                    for k in 0..D {
                        g[D * s[a] as usize + k] += f[a][k];
                    }
                    for b in 0..=a {
                        let block = blocks[packed(a) + b];
                        for (i, j) in (0..D).flat_map(|i| (0..D).map(move |j| (i, j))) {
                            H[(D * s[a] as usize + i, D * s[b] as usize + j)] += block[(i, j)];
                            if a != b {
                                H[(D * s[b] as usize + j, D * s[a] as usize + i)] += block[(i, j)];
                            }
                        }
                    }
                }
            }
        }
        let (N, m) = (D * n, A.nrows());
        let mut K = DMatrix::zeros(N + m, N + m);
        K.view_mut((0, 0), (N, N)).copy_from(&H);
        K.view_mut((N, 0), (m, N)).copy_from(&A);
        K.view_mut((0, N), (N, m)).copy_from(&A.transpose());
        let off = DVector::from_fn(N, |i, _| rig[i / D][i % D] - x[i / D][i % D]);
        let mut right = DVector::zeros(N + m);
        right.rows_mut(0, N).copy_from(&-g);
        right.rows_mut(N, m).copy_from(&(&A * off));
        let step = K.lu().solve(&right).unwrap();
        (0..N).for_each(|i| x[i / D][i % D] += step[i]);
        if step.rows(0, N).amax() < 1e-14 {
            break;
        }
    }
    x
}

fn agrees_with_dense<const D: usize>(mesh: Mesh<D>)
where
    Mat<D>: Small<D>,
{
    let rig = affine_handles(&mesh.rest, &ends(&mesh)).unwrap();
    let animated = shaken(&rig);
    for (material, solver) in [
        (Flesh::StableNeoHookean, Solver::Newton),
        (Flesh::Corotated, Solver::Newton),
        (Flesh::Corotated, Solver::QuasiNewton),
        (Flesh::Arap, Solver::QuasiNewton),
    ] {
        let mut body = flesh(&mesh, material, MassKind::Consistent);
        body.gravity = Vect::from_fn(|i, _| if i == 1 { -9.81 } else { 0.0 });
        let mut drive = Complementary::attach(&mut body, &mesh, &animated, &Leak::Surface, 0.0).unwrap();
        let mut stepper = Stepper::new(&body);
        (stepper.integrator, stepper.solver) = (Integrator::BackwardEuler, solver);
        stepper.newton.tolerance = 1e-12;
        let mut state = drive.start(&mut stepper, 0.0).unwrap();
        for k in 1..=4 {
            let t = k as f64 / 60.0;
            let expected = dense_step(&body, &body.rows, &drive.rig(t), &state, t - state.t);
            drive.advance(&mut stepper, t, &mut state).unwrap();
            let off = state.x.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            let moved = state.x.iter().zip(&*drive.rig(t)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(off < 1e-8 * 0.6 && moved > 1e-4, "{material:?} {solver:?}: {off:.1e} of {moved}");
        }
    }
}

#[test]
fn small_problems_agree_with_a_dense_solution() {
    agrees_with_dense::<2>(bar(8, 4));
    agrees_with_dense::<3>(bar(4, 3));
}

/// The bar of Fig. 7, half of it refined: the same motion, because rows are weighted with mass; with a mass of 1 per vertex in the rows,
/// it is another.
#[test]
fn refining_a_region_changes_little_because_of_mass() {
    let even = mesh::block::<2>([48, 12], Vect::from([0.6, 0.15]));
    // cells of the second half are four times shorter than those of the first
    let uneven = {
        let mut mesh = mesh::block::<2>([60, 12], Vect::from([0.6, 0.15]));
        for X in &mut mesh.rest {
            let k = X[0] / 0.6 * 60.0;
            X[0] = if k <= 12.0 { 0.3 * k / 12.0 } else { 0.3 + 0.3 * (k - 12.0) / 48.0 };
        }
        mesh
    };
    let probe = |mesh: &Mesh<2>, mass_weighted: bool| -> Vec<f64> {
        let weights = Weights::new(1, mesh.rest.iter().map(|_| vec![(0, 1.0)])).unwrap();
        let rig = affine_handles(&mesh.rest, &weights).unwrap();
        let animated = Performance {
            rig: &rig,
            parameters: Box::new(|t: f64| affine::<2>(0.0, 0.05 * (20.0 * t).sin())),
            jumps: vec![],
        };
        let mut body = flesh(mesh, Flesh::StableNeoHookean, MassKind::Lumped);
        // one end is pushed, so that something moves
        let tip: Vec<u32> = (0..mesh.rest.len() as u32).filter(|&v| mesh.rest[v as usize][0] < 1e-9).collect();
        let share = 4.0 / tip.len() as f64;
        body.forces.extend(tip.iter().map(|&v| (v, Vect::from([0.0, share]))));
        let mut drive = Complementary::attach(&mut body, mesh, &animated, &Leak::None, 0.0).unwrap();
        if !mass_weighted {
            // Jᵀ u = 0 instead of Jᵀ M u = 0
            body.rows = rig.jacobian(&rig.rest()).columns();
            drive = control::Attached::by_rows(
                Complementary::attach(
                    &mut flesh(mesh, Flesh::StableNeoHookean, MassKind::Lumped),
                    mesh,
                    &animated,
                    &Leak::None,
                    0.0,
                )
                .unwrap()
                .into_follow(),
                body.rows.clone(),
                mesh.rest.len(),
                1e-3,
            );
        }
        let mut stepper = Stepper::new(&body);
        let mut state = drive.start(&mut stepper, 0.0).unwrap();
        let corner = (0..mesh.rest.len()).find(|&v| mesh.rest[v].norm() < 1e-9).unwrap();
        (1..=24)
            .map(|k| {
                drive.advance(&mut stepper, k as f64 / 60.0, &mut state).unwrap();
                state.x[corner][1] - drive.rig(state.t)[corner][1]
            })
            .collect()
    };
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        let size = a.iter().map(|a| a * a).sum::<f64>().sqrt();
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / size
    };
    let with = distance(&probe(&even, true), &probe(&uneven, true));
    let without = distance(&probe(&even, false), &probe(&uneven, false));
    println!("refined: {with:.4} with mass, {without:.4} without");
    assert!(with < 0.03 && without > 5.0 * with, "{with} {without}");
}

/// Cloth of springs, which has nothing inside: D = I is used, and said.
#[test]
fn a_net_of_springs_moves_by_both_solvers_alike() {
    let sheet = mesh::block::<2>([8, 8], Vect::from([1.0, 1.0]));
    let springs = || Springs::on_edges(&sheet, &vec![200.0; sheet.element_count()]);
    let rig =
        affine_handles(&sheet.rest, &Weights::new(1, sheet.rest.iter().map(|_| vec![(0, 1.0)])).unwrap()).unwrap();
    let animated = Performance {
        rig: &rig,
        parameters: Box::new(|t: f64| affine::<2>(0.4 * (6.0 * t).sin(), 0.2 * (10.0 * t).sin())),
        jumps: vec![],
    };
    let mut ends = vec![];
    for solver in [Solver::Newton, Solver::QuasiNewton] {
        let mass = Mass::new(&sheet, &vec![1.0; sheet.element_count()], MassKind::Lumped);
        let energy: Box<dyn Energy<2>> = Box::new(springs());
        let mut body = Body::new(sheet.rest.clone(), mass, vec![energy]);
        let ([off, most], state) =
            run(&sheet, &mut body, &animated, &Leak::Surface, Integrator::BackwardEuler, solver, 20);
        assert!(off < 1e-10 && most > 1e-3, "{off:.1e} {most}");
        ends.push(state.x);
    }
    let off = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(off < 1e-5, "{off:.1e}");
}

#[test]
fn what_cannot_be_is_said() {
    let mesh = bar::<3>(4, 2);
    let body = flesh(&mesh, Flesh::Arap, MassKind::Lumped);
    let n = mesh.rest.len();
    let refused = |leak: &Leak| Complement::new(&body, &mesh, leak).map(|_| ()).unwrap_err().to_string();
    assert!(refused(&Leak::Mask(vec![1.0; 3])).contains("has 3 values, but the volume has 45 vertices"));
    assert!(refused(&Leak::Mask(vec![f64::NAN; n])).contains("not a number"));
    let complement = Complement::new(&body, &mesh, &Leak::Surface).unwrap();
    assert_eq!(complement.solid_parts, 1, "only three vertices are inside");
    // a rig that moves nothing
    let still =
        Linear { base: mesh.rest.clone(), jacobian: rig::Jacobian::from_rows(2, vec![vec![]; n]), rest: vec![0.0; 2] };
    let error = complement.rows(&still.jacobian(&[0.0; 2])).unwrap_err();
    assert_eq!(error, ComplementError::NothingHeld);
    // a rig that reaches everything
    let unit = |k: usize| Vect::from_fn(|i, _| f64::from(i == k));
    let all = rig::Jacobian::from_rows(3 * n, (0..n).map(|v| (0..3).map(|k| ((3 * v + k) as u32, unit(k))).collect()));
    let rows = complement.rows(&all).unwrap();
    let error = complement.check(&mesh, &rows).unwrap_err();
    assert_eq!(error, ComplementError::NothingLeft { rank: 3 * n, unknowns: 3 * n });
    assert!(rows::independent_rows(&rows).len() == 3 * n);
    let error = complement.rows(&rig::Jacobian::<3>::from_rows(1, vec![vec![]; 7])).unwrap_err();
    assert_eq!(error, ComplementError::RigSize { given: 7, needed: n });
}

/// A teleport in the middle: the flesh goes along as if nothing had happened.
#[test]
fn flesh_goes_along_when_the_rig_teleports() {
    let mesh = bar::<3>(6, 3);
    let rig = affine_handles(&mesh.rest, &ends(&mesh)).unwrap();
    let jump = 5.0 / 60.0;
    let path = |far: f64| {
        let shaken = shaken(&rig);
        Performance {
            rig: &rig,
            parameters: Box::new(move |t: f64| {
                let mut p = (shaken.parameters)(t);
                let half = p.len() / 2;
                if t >= jump {
                    p[7] += far;
                    p[half + 7] += far;
                }
                p
            }),
            jumps: if far == 0.0 { vec![] } else { vec![jump] },
        }
    };
    let end = |far: f64| {
        let mut body = flesh(&mesh, Flesh::StableNeoHookean, MassKind::Lumped);
        run(&mesh, &mut body, &path(far), &Leak::Surface, Integrator::TrapezoidBdf2, Solver::Newton, 10).1
    };
    let (stayed, went) = (end(0.0), end(50.0));
    let off =
        stayed.x.iter().zip(&went.x).map(|(a, b)| (b - a - Vect::from([0.0, 50.0, 0.0])).norm()).fold(0.0, f64::max);
    // the step that lands on the jump starts anew, with accelerations by differences
    assert!(off < 2e-3, "{off:.1e}");
}

/// The dials ride on static shapes that keep to the rows: amplitude 0 is the static shape, amplitude 1 the motion without dials.
#[test]
fn dials_work_in_the_complement() {
    let mesh = bar::<3>(6, 4);
    let rig = affine_handles(&mesh.rest, &ends(&mesh)).unwrap();
    let animated = shaken(&rig);
    let ends: Vec<[Vec<Vect<3>>; 2]> = [None, Some(1.0), Some(0.0)]
        .into_iter()
        .map(|epsilon: Option<f64>| {
            let mut body = flesh(&mesh, Flesh::StableNeoHookean, MassKind::Lumped);
            body.gravity = Vect::from([0.0, 0.0, -9.81]);
            let mut drive = Complementary::attach(&mut body, &mesh, &animated, &Leak::Surface, 0.0).unwrap();
            let n = mesh.rest.len();
            let factors = move |_: f64, scales: &mut Scales| scales.inertia = vec![epsilon.unwrap_or(1.0); n];
            let mut ride = Adjusted::new(&body, &mesh, Box::new(factors));
            ride.set_tolerance(1e-11, 0.0);
            let mut stepper = Stepper::new(&body);
            stepper.newton.tolerance = 1e-11;
            let mut state = drive.start(&mut stepper, 0.0).unwrap();
            let v = state.v.clone();
            // all start from the static shape
            ride.start(&drive, 0.0, &mut state.x, &v);
            state.a.fill(Vect::zeros());
            for k in 1..=8 {
                let on = epsilon.map(|_| &mut ride as &mut dyn Ride<3>);
                drive.advance_on(&mut stepper, on, k as f64 / 60.0, &mut state).unwrap();
            }
            [state.x, ride.motion().x.clone()]
        })
        .collect();
    let off = |a: &[Vect<3>], b: &[Vect<3>]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / 0.6;
    let [plain, whole, none] = &ends[..] else { panic!("three runs") };
    assert!(off(&whole[0], &plain[0]) < 1e-8, "amplitude 1: {:.1e}", off(&whole[0], &plain[0]));
    assert!(off(&none[0], &none[1]) < 1e-8, "amplitude 0: {:.1e}", off(&none[0], &none[1]));
    assert!(off(&none[0], &plain[0]) > 1e-3, "vacuous: inertia does nothing");
}
