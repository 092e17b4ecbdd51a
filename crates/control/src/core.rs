//! The core of a character: the part of its volume, around the bones, that follows the rig and holds the tissue.

use math::Vect;
use mesh::{Mesh, Near};
use rayon::prelude::*;

/// Why there is no core.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CoreError {
    /// Nothing is left to move.
    #[error(
        "with a core of {share} all {vertices} vertices of the volume follow the bones, so no tissue is left to move.\n\
         Take a smaller core (--core {}), or fill the character with smaller elements.", smaller(*.share)
    )]
    Everything {
        /// what was asked for
        share: f64,
        /// how many vertices there are
        vertices: usize,
    },
    /// Not a share.
    #[error("a core of {share} makes no sense: it must be from 0 (bones only) to 1 (the whole character).")]
    NotAShare {
        /// what was asked for
        share: f64,
    },
    /// A bone is nowhere.
    #[error("bone {bone} (counted from 0) has an end that is not a number. Check the rest pose of the rig.")]
    LostBone {
        /// which
        bone: usize,
    },
    /// There is nothing to find a core in.
    #[error("the volume is empty, so it has no core. Check that the character's surface was filled.")]
    Empty,
}

/// A share worth trying next.
fn smaller(share: f64) -> f64 {
    (50.0 * share).floor() / 100.0
}

/// The vertices that follow the rig, ascending.
///
///   bones  segments of the rest pose; both ends alike for a joint without length [m]
///   share  how much of the way from the bones to the skin is core, 0 to 1
///
/// A vertex is core where its distance to the bones is at most share · (distance to the bones + distance to the skin), and
/// where it belongs to an element that a bone crosses. A separate part of the volume in which that is not at least one whole
/// element, because no bone is in it, takes its deepest vertices instead.
pub fn find_core(mesh: &Mesh<3>, bones: &[[Vect<3>; 2]], share: f64) -> Result<Vec<u32>, CoreError> {
    if !(0.0..=1.0).contains(&share) {
        return Err(CoreError::NotAShare { share });
    }
    if let Some(bone) = bones.iter().position(|b| b.iter().any(|x| x.iter().any(|x| !x.is_finite()))) {
        return Err(CoreError::LostBone { bone });
    }
    if mesh.element_count() == 0 {
        return Err(CoreError::Empty);
    }
    let depth = depths(mesh);
    let ends: Vec<Vect<3>> = bones.concat();
    let numbers: Vec<u32> = (0..ends.len() as u32).collect();
    let near = Near::new(&ends, (0..).zip(numbers.chunks_exact(2)));
    let mut core: Vec<bool> = (mesh.rest.par_iter().zip(&depth))
        .with_min_len(256)
        .map(|(X, skin)| near.nearest(X).is_some_and(|(bone, _)| bone <= share * (bone + skin)))
        .collect();
    for e in mesh.elements().filter(|e| is_crossed(mesh, e, bones)) {
        e.iter().for_each(|&v| core[v as usize] = true);
    }
    hold_every_part(mesh, &depth, share, &mut core);
    if core.iter().all(|core| *core) {
        return Err(CoreError::Everything { share, vertices: core.len() });
    }
    Ok((0..core.len() as u32).filter(|&v| core[v as usize]).collect())
}

/// Adds to vertices that were chosen by hand what it takes to hold every separate part of the volume: its deepest element
/// where it has no whole one.
pub fn hold_all(mesh: &Mesh<3>, chosen: &[u32]) -> Vec<u32> {
    let mut core = vec![false; mesh.rest.len()];
    chosen.iter().for_each(|&v| core[v as usize] = true);
    hold_every_part(mesh, &depths(mesh), 0.0, &mut core);
    (0..core.len() as u32).filter(|&v| core[v as usize]).collect()
}

/// How far each vertex is from the boundary of the part of the volume it belongs to [m].
fn depths(mesh: &Mesh<3>) -> Vec<f64> {
    let part = mesh.connected();
    let boundary = mesh.boundary();
    let mut facets: Vec<(u32, u32)> = (boundary.chunks_exact(3).map(|f| part[f[0] as usize])).zip(0..).collect();
    facets.sort_unstable();
    let mut skins: Vec<Option<Near<3>>> = part.iter().map(|_| None).collect(); // at most as many parts as vertices
    for same in facets.chunk_by(|a, b| a.0 == b.0) {
        let corners = same.iter().map(|&(_, f)| (f, &boundary[3 * f as usize..3 * f as usize + 3]));
        skins[same[0].0 as usize] = Some(Near::new(&mesh.rest, corners));
    }
    let depth = |(X, &part): (&Vect<3>, &u32)| {
        let skin = skins[part as usize].as_ref().and_then(|skin| skin.nearest(X));
        skin.map_or(0.0, |(distance, _)| distance)
    };
    mesh.rest.par_iter().zip(&part).with_min_len(256).map(depth).collect()
}

/// Whether one of the bones goes through an element, or touches it.
fn is_crossed(mesh: &Mesh<3>, element: &[u32], bones: &[[Vect<3>; 2]]) -> bool {
    let edges = Mesh::edges(element, &mesh.rest);
    let first = mesh.rest[element[0] as usize];
    let (mut low, mut high) = (first, first);
    for &v in element {
        (low, high) = (low.inf(&mesh.rest[v as usize]), high.sup(&mesh.rest[v as usize]));
    }
    let gradients: Vec<Vect<3>> = Mesh::shape_gradients(&edges).collect();
    bones.iter().any(|[a, b]| {
        if (0..3).any(|i| a[i].max(b[i]) < low[i] || a[i].min(b[i]) > high[i]) {
            return false;
        }
        // The corners' weights are linear along the bone; inside, none is negative.
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for (k, g) in gradients.iter().enumerate() {
            let own = if k == 0 { 1.0 } else { 0.0 };
            let (start, end) = (own + g.dot(&(a - first)), own + g.dot(&(b - first)));
            if !(start >= 0.0 || end >= 0.0) {
                return false; // also for NaN, where an element has no volume
            }
            if start < 0.0 {
                from = from.max(start / (start - end));
            } else if end < 0.0 {
                to = to.min(start / (start - end));
            }
        }
        from <= to
    })
}

/// Adds to the core until each part of the volume has at least one whole element in it, which holds it in place.
fn hold_every_part(mesh: &Mesh<3>, depth: &[f64], share: f64, core: &mut [bool]) {
    let part = mesh.connected();
    let volumes = mesh.volumes(&mesh.rest);
    let (mut held, mut begun, mut deepest) =
        (vec![false; part.len()], vec![false; part.len()], vec![0.0f64; part.len()]);
    for v in 0..part.len() {
        let p = part[v] as usize;
        begun[p] |= core[v];
        deepest[p] = deepest[p].max(depth[v]);
    }
    for (e, volume) in mesh.elements().zip(&volumes) {
        held[part[e[0] as usize] as usize] |= *volume > 0.0 && e.iter().all(|&v| core[v as usize]);
    }
    // the best element of each part that is not held: most of it core, then deepest, then largest
    let mut best: Vec<Option<(usize, [f64; 3])>> = vec![None; part.len()];
    for (k, e) in mesh.elements().enumerate() {
        let p = part[e[0] as usize] as usize;
        if held[p] || !(volumes[k] > 0.0) {
            continue;
        }
        let already = e.iter().filter(|v| core[**v as usize]).count() as f64;
        let score = [already, e.iter().map(|&v| depth[v as usize]).sum(), volumes[k]];
        if best[p].is_none_or(|(_, other)| score > other) {
            best[p] = Some((k, score));
        }
    }
    for v in 0..part.len() {
        let p = part[v] as usize;
        if !held[p] && !begun[p] && deepest[p] > 0.0 {
            core[v] |= depth[v] >= (1.0 - share) * deepest[p] && depth[v] > 0.0;
        }
    }
    for (k, _) in best.into_iter().flatten() {
        mesh.corners[4 * k..4 * k + 4].iter().for_each(|&v| core[v as usize] = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar() -> Mesh<3> {
        mesh::block([16, 6, 6], Vect::from([1.6, 0.6, 0.6]))
    }
    const BONE: [[f64; 3]; 2] = [[0.2, 0.32, 0.32], [1.4, 0.32, 0.32]];

    #[test]
    fn a_larger_share_gives_a_larger_core_that_surrounds_the_bone() {
        let mesh = bar();
        let bone = BONE.map(Vect::from);
        let mut before = 0;
        for share in [0.0, 0.4, 0.5, 0.8] {
            let core = find_core(&mesh, &[bone], share).unwrap();
            assert!(core.len() > before, "{share}: {} {before}", core.len());
            before = core.len();
            for &v in core.iter().filter(|_| share == 0.0) {
                let X = mesh.rest[v as usize];
                assert!((X[1] - 0.32).abs() < 0.1 && (X[2] - 0.32).abs() < 0.1 && X[0] > 0.09 && X[0] < 1.51, "{X}");
            }
        }
    }

    #[test]
    fn elements_that_a_bone_crosses_are_found_by_walking_along_it() {
        let mesh = mesh::block([6, 3, 3], Vect::from([1.6, 0.6, 0.6]));
        let bone = [[0.11, 0.13, 0.17], [1.37, 0.51, 0.42]].map(Vect::from);
        let (steps, length) = (500, (bone[1] - bone[0]).norm());
        let mut crossed = 0;
        for e in mesh.elements() {
            let corners: Vec<_> = e.iter().map(|&v| mesh.rest[v as usize]).collect();
            let away = |k: usize| {
                let x = bone[0] + k as f64 / steps as f64 * (bone[1] - bone[0]);
                (mesh::closest_point(&corners, &x) - x).norm()
            };
            let nearest = (0..=steps).map(away).fold(f64::INFINITY, f64::min);
            let found = is_crossed(&mesh, e, &[bone]);
            assert!(found || nearest > 0.0, "{corners:?}");
            assert!(!found || nearest <= length / steps as f64, "{corners:?} {nearest}");
            crossed += found as usize;
        }
        assert!(crossed > 6, "{crossed}");
        // a joint without length is in one element
        let joint = [bone[0]; 2];
        assert_eq!(mesh.elements().filter(|e| is_crossed(&mesh, e, &[joint])).count(), 1);
    }

    #[test]
    fn a_part_without_a_bone_is_held_by_its_deepest_element() {
        let mut mesh = bar();
        let n = mesh.rest.len() as u32;
        mesh.corners.extend(mesh.corners.iter().map(|v| v + n).collect::<Vec<_>>());
        mesh.rest.extend(mesh.rest.iter().map(|X| X + Vect::from([0.0, 0.0, 3.0])).collect::<Vec<_>>());
        for bones in [vec![BONE.map(Vect::from)], vec![]] {
            let core = find_core(&mesh, &bones, 0.0).unwrap();
            let second: Vec<u32> = core.iter().copied().filter(|v| *v >= n).collect();
            assert!(second.len() >= 4 && second.len() < 100, "{}", second.len());
            assert!(mesh.elements().any(|e| e.iter().all(|v| second.contains(v))), "a whole element");
            assert!(second.iter().all(|&v| (mesh.rest[v as usize][1] - 0.3).abs() < 0.11));
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        let mesh = bar();
        let say =
            |mesh: &Mesh<3>, bones: &[[Vect<3>; 2]], share| find_core(mesh, bones, share).unwrap_err().to_string();
        let bone = BONE.map(Vect::from);
        assert_eq!(
            say(&mesh, &[bone], 1.0),
            "with a core of 1 all 833 vertices of the volume follow the bones, so no tissue is left to move.\n\
             Take a smaller core (--core 0.5), or fill the character with smaller elements."
        );
        assert_eq!(
            say(&mesh, &[bone], f64::NAN),
            "a core of NaN makes no sense: it must be from 0 (bones only) to 1 (the whole character)."
        );
        assert_eq!(
            say(&mesh, &[bone, [bone[0], Vect::from([f64::NAN; 3])]], 0.3),
            "bone 1 (counted from 0) has an end that is not a number. Check the rest pose of the rig."
        );
        assert_eq!(
            say(&Mesh::default(), &[bone], 0.3),
            "the volume is empty, so it has no core. Check that the character's surface was filled."
        );
    }
}
