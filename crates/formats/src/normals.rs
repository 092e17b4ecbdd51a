//! Smooth normals of a surface.

use math::Vect;

/// The normal of each vertex: the sum of its triangles' normals, each as long as its triangle is large. A vertex
/// without triangles gets `up`.
pub(crate) fn normals(x: &[Vect<3>], triangles: &[[u32; 3]], up: Vect<3>) -> Vec<Vect<3>> {
    let mut sums = vec![Vect::<3>::zeros(); x.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|v| x[v as usize]);
        let area = (b - a).cross(&(c - a));
        for &v in corners {
            sums[v as usize] += area;
        }
    }
    sums.into_iter().map(|n| unit(n).unwrap_or(up)).collect()
}

/// Scaled first, so that neither huge nor tiny triangles are lost.
fn unit(n: Vect<3>) -> Option<Vect<3>> {
    let size = n.amax();
    (size > 0.0 && size.is_finite()).then(|| (n / size).normalize())
}
