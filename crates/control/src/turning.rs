//! How the flesh around each vertex turns while a shape moves: frames by polar decomposition, with two derivatives.

use math::{Mat, Small, Vect};
use mesh::Mesh;
use rayon::prelude::*;

/// So many vertices are done side by side: a lot.
pub(crate) const LOT: usize = 4;

/// Deformation gradients averaged at the vertices: F_i = Σ V_e F_e / Σ V_e over the elements around vertex i. They are linear
/// in the positions, so the same sums give F′ from velocities and F″ from accelerations.
pub struct VertexGradients<const D: usize> {
    starts: Vec<u32>,
    /// F_i = Σ x_j g_jᵀ: the vertices j and their g [1/m]
    entries: Vec<(u32, Vect<D>)>,
}

impl<const D: usize> VertexGradients<D>
where
    Mat<D>: Small<D>,
{
    /// Prepares a mesh. Vertices that are led, whose frames nobody asks for, are left out.
    pub fn new(mesh: &Mesh<D>, led: &[u32]) -> Self {
        let volumes = mesh.volumes(&mesh.rest);
        let mut around = vec![0.0; mesh.rest.len()];
        let mut is_led = vec![false; mesh.rest.len()];
        led.iter().for_each(|&v| is_led[v as usize] = true);
        let mut triples: Vec<(u32, u32, Vect<D>)> = vec![];
        for (e, volume) in mesh.elements().zip(&volumes) {
            let gradients: Vec<Vect<D>> = Mesh::shape_gradients(&Mesh::edges(e, &mesh.rest)).collect();
            for &i in e.iter().filter(|&&i| !is_led[i as usize]) {
                around[i as usize] += volume;
                triples.extend(e.iter().zip(&gradients).map(|(&j, g)| (i, j, *volume * g)));
            }
        }
        triples.sort_by_key(|(i, j, _)| (*i, *j)); // stable: sums in the order of the elements
        let (mut starts, mut entries) = (vec![0], vec![]);
        let mut triples = triples.into_iter().peekable();
        for i in 0..mesh.rest.len() as u32 {
            while let Some((_, j, mut g)) = triples.next_if(|t| t.0 == i) {
                while let Some((_, _, more)) = triples.next_if(|t| t.0 == i && t.1 == j) {
                    g += more;
                }
                entries.push((j, g / around[i as usize]));
            }
            starts.push(entries.len() as u32);
        }
        Self { starts, entries }
    }

    /// F at a vertex, and what velocities and accelerations give in its place: F′ and F″. The fields are given vertex by vertex.
    fn at<const N: usize>(&self, i: usize, fields: &[[Vect<D>; N]]) -> [Mat<D>; N] {
        let mut F = [Mat::zeros(); N];
        for (j, g) in &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize] {
            let g = g.transpose();
            for (F, value) in F.iter_mut().zip(&fields[*j as usize]) {
                *F += value * g;
            }
        }
        F
    }

    /// R of F = R S at each vertex of a shape at p; nothing at vertices that are left out.
    pub fn rotations(&self, p: &[Vect<D>], out: &mut [Mat<D>]) {
        let each = out.par_chunks_mut(LOT).enumerate().with_min_len(64);
        each.for_each(|(k, out)| self.rotations_from(k * LOT, p, out));
    }

    /// F at a vertex of a shape at p; 0 where the vertex is left out.
    #[inline]
    fn gradient(&self, i: usize, p: &[Vect<D>]) -> Mat<D> {
        let mut F = Mat::zeros();
        for (j, g) in &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize] {
            F += p[*j as usize] * g.transpose();
        }
        F
    }

    /// R of F = R S at a lot of vertices, from this one on, of a shape at p; nothing at vertices that are left out.
    #[inline]
    pub(crate) fn rotations_from(&self, first: usize, p: &[Vect<D>], out: &mut [Mat<D>]) {
        // a vertex that is left out, or is not there, has no entries
        let lot: [usize; LOT] = std::array::from_fn(|k| first + k);
        let F = lot.map(|i| if i < first + out.len() { self.gradient(i, p) } else { Mat::zeros() });
        let sound = math::sound_rotations(F);
        for (k, R) in out.iter_mut().enumerate().filter(|(k, _)| self.knows(first + k)) {
            *R = sound[k].unwrap_or_else(|| F[k].signed_polar().R);
        }
    }

    /// Ω = R′Rᵀ and W = Ω′ − Ω² of each vertex, for a shape at p with velocities v and accelerations a; no W where `bend` is empty, and
    /// nothing at vertices that are left out.
    pub fn turning(&self, [p, v, a]: [&[Vect<D>]; 3], turn: &mut [Mat<D>], bend: &mut [Mat<D>]) {
        if bend.is_empty() {
            let motion: Vec<_> = p.iter().zip(v).map(|(p, v)| [*p, *v]).collect();
            return turn.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, turn)| {
                if self.knows(i) {
                    let [F, F1] = self.at(i, &motion);
                    *turn = turning(&F, &F1, None).0;
                }
            });
        }
        let motion: Vec<_> = p.iter().zip(v).zip(a).map(|((p, v), a)| [*p, *v, *a]).collect();
        turn.par_iter_mut().zip(bend).enumerate().with_min_len(256).for_each(|(i, (turn, bend))| {
            if self.knows(i) {
                let [F, F1, F2] = self.at(i, &motion);
                (*turn, *bend) = turning(&F, &F1, Some(&F2));
            }
        });
    }

    /// How many vertices are not left out.
    pub(crate) fn known(&self) -> usize {
        (1..self.starts.len()).filter(|&i| self.knows(i - 1)).count()
    }

    /// Whether a vertex is not left out.
    pub(crate) fn knows(&self, i: usize) -> bool {
        self.starts[i] < self.starts[i + 1]
    }
}

/// Pairs of stretches whose sum is below this are taken to have this sum: there the rotation of a nearly inverted vertex
/// is not defined, and its derivatives would have no bound.
const INVERTED: f64 = 0.1;

/// Ω = R′Rᵀ and W = R″Rᵀ + 2R′R′ᵀ of the rotation in F = R S, from F′ and F″ (METHODS A8); W is 0 where F″ is not given.
///
/// With A = RᵀR′, skew: A S + S A = RᵀF′ − F′ᵀR and A′S + S A′ = RᵀF″ − F″ᵀR − (A²S − S A²) − 2(A S′ + S′A). In the axes of
/// S each entry of such an equation stands alone, divided by the sum of two stretches.
pub fn turning<const D: usize>(F: &Mat<D>, F1: &Mat<D>, F2: Option<&Mat<D>>) -> (Mat<D>, Mat<D>)
where
    Mat<D>: Small<D>,
{
    if let Some(R) = F.sound_rotation() {
        return turning_of_sound(F, &R, F1, F2);
    }
    let svd = F.signed_svd();
    let sums = Mat::<D>::from_fn(|i, j| (svd.sigma[i] + svd.sigma[j]).max(INVERTED));
    // all in the axes of S: R becomes U, S diagonal
    let S = Mat::from_diagonal(&svd.sigma);
    let (Ut, V) = (svd.U.transpose(), svd.V);
    let [A, W] = rates(&S, Ut * F1 * V, F2.map(|F2| Ut * F2 * V), |B| B.component_div(&sums));
    (svd.U * A * Ut, svd.U * W * Ut)
}

/// The same, faster, where R is known and no two stretches have a sum near [`INVERTED`].
fn turning_of_sound<const D: usize>(F: &Mat<D>, R: &Mat<D>, F1: &Mat<D>, F2: Option<&Mat<D>>) -> (Mat<D>, Mat<D>)
where
    Mat<D>: Small<D>,
{
    let S = R.transpose() * F;
    let S = 0.5 * (S + S.transpose());
    let Rt = R.transpose();
    let [A, W] = rates(&S, Rt * F1, F2.map(|F2| Rt * F2), |B| S.skew_solve(&B));
    (R * A * Rt, R * W * Rt)
}

/// A = RᵀR′ and A′ − A² from S, G₁ = RᵀF′ and G₂ = RᵀF″, with what solves A S + S A = B.
fn rates<const D: usize>(S: &Mat<D>, G1: Mat<D>, G2: Option<Mat<D>>, solve: impl Fn(Mat<D>) -> Mat<D>) -> [Mat<D>; 2] {
    let A = solve(G1 - G1.transpose());
    let Some(G2) = G2 else { return [A, Mat::zeros()] };
    let S1 = G1 - A * S;
    let squared = A * A;
    let right = (G2 - G2.transpose()) - (squared * S - S * squared) - 2.0 * (A * S1 + S1 * A);
    [A, solve(right) - squared]
}

#[cfg(test)]
mod tests {
    use math::check::Random;

    use super::*;

    /// A smooth F(t) and its derivatives.
    fn path<const D: usize>(random: &mut Random) -> impl Fn(f64) -> [Mat<D>; 3] {
        let [a, b, c]: [Mat<D>; 3] =
            std::array::from_fn(|_| Mat::from_columns(&std::array::from_fn::<_, D, _>(|_| random.vector::<D>())));
        move |t| {
            let F = Mat::identity() + 0.4 * a * (1.3 * t).sin() + 0.3 * b * t + 0.1 * c * t * t;
            let F1 = 0.4 * 1.3 * a * (1.3 * t).cos() + 0.3 * b + 0.2 * c * t;
            let F2 = -0.4 * 1.69 * a * (1.3 * t).sin() + 0.2 * c;
            [F, F1, F2]
        }
    }

    fn check<const D: usize>()
    where
        Mat<D>: Small<D>,
    {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let at = path::<D>(&mut random);
            let (t, h) = (0.2, 1e-3);
            let R = |t: f64| at(t)[0].signed_polar().R;
            let [F, F1, F2] = at(t);
            let (turn, bend) = turning(&F, &F1, Some(&F2));
            let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| R(t + k * h));
            let (R0, R1) = (R(t), (a - 8.0 * b + 8.0 * c - d) / (12.0 * h));
            let R2 = (16.0 * (b + c) - a - d - 30.0 * R0) / (12.0 * h * h);
            assert!(R1.norm() > 1e-3, "vacuous: nothing turns");
            assert!((turn - R1 * R0.transpose()).norm() < 1e-9 * (1.0 + R1.norm()), "{turn}");
            let W = R2 * R0.transpose() + 2.0 * R1 * R1.transpose();
            assert!((bend - W).norm() < 1e-6 * (1.0 + W.norm()), "{bend} {W}");
        }
    }

    #[test]
    fn the_derivatives_of_the_rotation_are_those_of_differences() {
        check::<2>();
        check::<3>();
    }

    #[test]
    fn both_ways_to_the_frames_agree() {
        let mut random = Random::new(5);
        for _ in 0..50 {
            let [F, F1, F2] = path::<3>(&mut random)(0.3);
            let (a, b) = turning(&F, &F1, Some(&F2));
            assert_eq!(turning(&F, &F1, None).0, a);
            let R = F.signed_polar().R; // by the axes: the same body, turned first
            let (c, d) = turning(&(R.transpose() * F), &(R.transpose() * F1), Some(&(R.transpose() * F2)));
            assert!((R.transpose() * a * R - c).norm() < 1e-10 * (1.0 + a.norm()));
            assert!((R.transpose() * b * R - d).norm() < 1e-9 * (1.0 + b.norm()));
            if F.sound_rotation().is_some() {
                let svd = F.signed_svd();
                let sums = Mat::<3>::from_fn(|i, j| svd.sigma[i] + svd.sigma[j]);
                let (U, V) = (svd.U, svd.V);
                let S = Mat::from_diagonal(&svd.sigma);
                let [A, _] = rates(&S, U.transpose() * F1 * V, None, |B| B.component_div(&sums));
                assert!((U * A * U.transpose() - a).norm() < 1e-10 * (1.0 + a.norm()));
            }
        }
    }

    #[test]
    fn a_vertex_that_turns_inside_out_has_bounded_frames() {
        for flat in [1.0, 0.1, 1e-3, 0.0, -1e-3, -1.0] {
            let F = Mat::<3>::from_diagonal(&Vect::from([1.0, 0.9, flat]));
            let (turn, bend) = turning(&F, &Mat::<3>::repeat(1.0), Some(&Mat::<3>::from_fn(|i, j| (i + 2 * j) as f64)));
            assert!(turn.norm() < 100.0 && bend.norm() < 1e4, "{flat}: {turn} {bend}");
        }
    }

    #[test]
    fn a_rigid_spin_is_seen_at_every_vertex() {
        let mesh = mesh::block([2, 2, 2], Vect::from([1.0, 0.7, 0.4]));
        let gradients = VertexGradients::new(&mesh, &[]);
        let omega = Vect::from([0.3, -1.0, 2.0]);
        let v: Vec<Vect<3>> = mesh.rest.iter().map(|X| omega.cross(X)).collect();
        let a: Vec<Vect<3>> = v.iter().map(|v| omega.cross(v)).collect();
        let mut turn = vec![Mat::zeros(); mesh.rest.len()];
        let mut bend = turn.clone();
        gradients.turning([&mesh.rest, &v, &a], &mut turn, &mut bend);
        for (turn, bend) in turn.iter().zip(&bend) {
            let cross = omega.cross_matrix();
            assert!((turn - cross).norm() < 1e-12 && (bend + cross * cross).norm() < 1e-11, "{turn} {bend}");
        }
    }
}
