//! The fish of fast_cody, with its rig carried inside and its swim.

use std::path::{Path, PathBuf};

use math::{BlockMatrix, Factor, Mat};
use mesh::{Mesh, Near, Sparse, lumped, stiffness};
use rig::{Linear, Weights, affine_handles};

use crate::Failure;

/// As fast_cody has them: μ [Pa], density [kg/m³], h [s]. It says μ = 1e4 for μ/2 ‖F − R‖², which is half of ours.
pub const MATERIAL: [f64; 3] = [5e3, 1e3, 0.01];

/// Where the fish is, if it is.
pub fn folder() -> Option<PathBuf> {
    let up = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).take(3);
    let mut all = up.map(|folder| folder.join("../shared/data/cd3d/fish_fast_cody"));
    all.find(|folder| folder.join("cd_fish.msh").is_file())
}

/// The fish, one unit high, and its swim as parameters.
pub struct Fish {
    pub mesh: Mesh<3>,
    pub rig: Linear<3>,
    pub leak: Vec<f64>,
    pub swim: Vec<Vec<f64>>,
}

impl Fish {
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let mut mesh = formats::read_volume(folder.join("cd_fish.msh"))?.mesh;
        let bones = formats::read_cody_rig(folder.join("rigs/skeleton_rig/skeleton_rig.json"))?;
        let frames = formats::read_cody_animation(folder.join("rigs/skeleton_rig/anim/swim.json"))?;
        let numbers: Vec<u32> = (0..mesh.rest.len() as u32).collect();
        let near = Near::new(&mesh.rest, numbers.chunks(1).map(|k| (k[0], k)));
        let mut known: Vec<(u32, Vec<f64>)> = vec![];
        for (k, X) in bones.rest.iter().enumerate() {
            let vertex = near.nearest(X).ok_or("the fish has no vertices")?.1;
            known.push((vertex, bones.weights.row(k).collect()));
        }
        let weights = diffuse(&mesh, known, 1e4)?;
        let (low, high) = mesh.bounds();
        let scale = 1.0 / (high[1] - low[1]);
        mesh.rest.iter_mut().for_each(|X| *X *= scale);
        let skin = mesh.boundary().into_iter().map(|v| (v, vec![1.0])).collect();
        let leak = diffuse(&mesh, skin, 1e-3)?.remove(0).iter().map(|w| 1.0 - w).collect();
        let pose = |frame: &Vec<rig::Affine<3>>| -> Result<Vec<f64>, Failure> {
            let maps = bones.maps(frame).ok_or("a frame of the swim has other bones")?;
            let rows = |m: &rig::Affine<3>| {
                let rows: [[f64; 4]; 3] =
                    std::array::from_fn(|i| [m.R[(i, 0)], m.R[(i, 1)], m.R[(i, 2)], scale * m.t[i]]);
                rows.concat()
            };
            Ok(maps.iter().flat_map(rows).collect())
        };
        let swim = frames.iter().map(pose).collect::<Result<_, Failure>>()?;
        let rig = affine_handles(&mesh.rest, &Weights::from_columns(&weights)?)?;
        Ok(Self { mesh, rig, leak, swim })
    }
}

/// Known values, spread by one backward step of heat as fast_cody does: (t L + M) w = 0 elsewhere, then each column is
/// scaled to 0 … 1.
fn diffuse(mesh: &Mesh<3>, mut known: Vec<(u32, Vec<f64>)>, t: f64) -> Result<Vec<Vec<f64>>, Failure> {
    known.sort_by_key(|(v, _)| *v);
    known.dedup_by_key(|(v, _)| *v);
    let (n, count) = (mesh.rest.len(), known.first().map_or(0, |k| k.1.len()));
    let (L, M): (Sparse, Vec<f64>) = (stiffness(mesh), lumped(mesh));
    let mut columns = vec![vec![f64::NAN; n]; count];
    for (v, values) in &known {
        columns.iter_mut().zip(values).for_each(|(column, value)| column[*v as usize] = *value);
    }
    let free: Vec<u32> = (0..n as u32).filter(|&v| columns[0][v as usize].is_nan()).collect();
    let mut place = vec![u32::MAX; n];
    free.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
    let entries = || {
        (0..n).flat_map(|c| (L.starts[c]..L.starts[c + 1]).map(move |k| (k, c))).map(|(k, c)| {
            let (r, value) = (L.rows[k] as usize, t * L.blocks[k][0]);
            (r, c, if r == c { value + M[c] } else { value })
        })
    };
    let inside = |r: usize, c: usize| place[r] != u32::MAX && place[c] != u32::MAX;
    let pairs = entries().filter(|&(r, c, _)| inside(r, c)).map(|(r, c, _)| (place[r], place[c]));
    let mut A = BlockMatrix::<1>::with_pattern(free.len(), pairs);
    let mut b = vec![0.0; free.len() * count];
    for (r, c, value) in entries() {
        if inside(r, c) {
            let at = A.find(place[r].max(place[c]), place[r].min(place[c])).ok_or("no such entry")?;
            A.blocks[at] += Mat::<1>::from_element(value);
        }
        for (to, from) in [(r, c), (c, r)] {
            if place[to] != u32::MAX && place[from] == u32::MAX {
                for (k, column) in columns.iter().enumerate() {
                    b[k * free.len() + place[to] as usize] -= value * column[from];
                }
            }
        }
    }
    let mut factor = Factor::new(&A);
    factor.factorize(&A)?;
    factor.solve_many(&mut b);
    for (column, b) in columns.iter_mut().zip(b.chunks_exact(free.len())) {
        free.iter().zip(b).for_each(|(&v, b)| column[v as usize] = *b);
        let (low, high) = column.iter().fold((f64::MAX, f64::MIN), |(low, high), w| (low.min(*w), high.max(*w)));
        column.iter_mut().for_each(|w| *w = (*w - low) / (high - low));
    }
    Ok(columns)
}
