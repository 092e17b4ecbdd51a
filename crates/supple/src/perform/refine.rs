//! Triangles made smaller where wanted.

use std::collections::BTreeMap;

use mesh::Mesh;

/// Halves triangles at their longest side until those whose middle is `inside` have no side above `edge` [m]. Neighbours
/// are halved with them, so that no vertex lies on a side (Rivara).
pub(crate) fn refine(mesh: &mut Mesh<2>, edge: f64, inside: impl Fn(&math::Vect<2>) -> bool) {
    loop {
        let triangles: Vec<[u32; 3]> = mesh.elements().map(|e| [e[0], e[1], e[2]]).collect();
        let length = |a: u32, b: u32| (mesh.rest[a as usize] - mesh.rest[b as usize]).norm();
        // the corner opposite the longest side; of equal sides that of the least vertices, so that neighbours agree
        let apex = |t: &[u32; 3]| {
            let side = |k: usize| {
                let (a, b) = (t[(k + 1) % 3].min(t[(k + 2) % 3]), t[(k + 1) % 3].max(t[(k + 2) % 3]));
                (length(a, b), a, b)
            };
            let longer = |p: &usize, q: &usize| {
                let (p, q) = (side(*p), side(*q));
                p.0.total_cmp(&q.0).then(q.1.cmp(&p.1)).then(q.2.cmp(&p.2))
            };
            (0..3).max_by(longer).unwrap_or(0)
        };
        let apexes: Vec<usize> = triangles.iter().map(apex).collect();
        let base = |k: usize| {
            let (t, c) = (triangles[k], apexes[k]);
            let (a, b) = (t[(c + 1) % 3], t[(c + 2) % 3]);
            (a.min(b), a.max(b))
        };
        let large = |k: &usize| {
            let middle = triangles[*k].iter().map(|&v| mesh.rest[v as usize]).sum::<math::Vect<2>>() / 3.0;
            let (a, b) = base(*k);
            inside(&middle) && length(a, b) > edge
        };
        let mut beside: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        for (k, t) in triangles.iter().enumerate() {
            for c in 0..3 {
                let (a, b) = (t[c], t[(c + 1) % 3]);
                beside.entry((a.min(b), a.max(b))).or_default().push(k);
            }
        }
        // from each large triangle along ever longer sides to one that both neighbours find their longest
        let mut split: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for mut k in (0..triangles.len()).filter(large) {
            while let Some(next) = beside[&base(k)].iter().copied().find(|n| *n != k && base(*n) != base(k)) {
                k = next;
            }
            split.insert(base(k), 0);
        }
        if split.is_empty() {
            return;
        }
        for (side, middle) in &mut split {
            *middle = mesh.rest.len() as u32;
            mesh.rest.push((mesh.rest[side.0 as usize] + mesh.rest[side.1 as usize]) / 2.0);
        }
        mesh.corners.clear();
        for (k, t) in triangles.iter().enumerate() {
            let (c, a, b) = (t[apexes[k]], t[(apexes[k] + 1) % 3], t[(apexes[k] + 2) % 3]);
            match split.get(&base(k)) {
                Some(&m) => mesh.corners.extend([c, a, m, c, m, b]),
                None => mesh.corners.extend(t),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Vect;

    #[test]
    fn only_a_part_is_made_finer_and_no_gap_opens() {
        let mut mesh = mesh::block([8, 2], Vect::from([4.0, 1.0]));
        let (coarse, boundary) = (mesh.element_count(), |m: &Mesh<2>| m.boundary());
        let before: f64 = mesh.volumes(&mesh.rest).iter().sum();
        refine(&mut mesh, 0.15, |x| x.x < 2.0);
        let volumes = mesh.volumes(&mesh.rest);
        assert!(volumes.iter().all(|v| *v > 0.0) && (volumes.iter().sum::<f64>() - before).abs() < 1e-12);
        let around: f64 =
            boundary(&mesh).chunks_exact(2).map(|e| (mesh.rest[e[0] as usize] - mesh.rest[e[1] as usize]).norm()).sum();
        assert!((around - 10.0).abs() < 1e-12, "a side has a neighbour on a part of it only: {around}");
        let left = mesh.elements().filter(|e| mesh.rest[e[0] as usize].x < 1.5).count();
        let right = mesh.elements().filter(|e| mesh.rest[e[0] as usize].x > 2.5).count();
        assert!(left > 8 * right && right <= coarse, "{left} {right}");
    }
}
