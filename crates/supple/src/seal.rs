//! The second built-in example: a seal on a skeleton, made in code. It hops twice, and its fat follows later.

use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use math::Vect;
use mesh::Surface;
use nalgebra::{Quaternion, UnitQuaternion};
use rig::{Affine, Channel, Character, Clip, Curve, Interpolation, Local, Node, Part, Skin, Target, Trs};

use crate::scene::Scene;
use crate::{Drawn, Error, Picture, Progress, Run, Summary, simulate};

/// Places along the seal [m], from tail to nose, and how thick it is there.
const PROFILE: [(f64, f64); 9] = [
    (-0.80, 0.00),
    (-0.70, 0.08),
    (-0.50, 0.16),
    (-0.20, 0.29),
    (0.10, 0.32),
    (0.38, 0.23),
    (0.58, 0.19),
    (0.74, 0.16),
    (0.86, 0.00),
];
/// Middles and half axes of its flippers on one side [m], and how far each is turned down [rad].
const FLIPPERS: [([f64; 3], [f64; 3], f64); 2] =
    [([0.34, 0.14, 0.24], [0.20, 0.035, 0.10], 0.5), ([0.12, 0.31, -0.86], [0.13, 0.03, 0.14], 0.1)];
/// The joints along it [m].
const JOINTS: [(&str, f64); 5] = [("hips", -0.45), ("belly", -0.15), ("chest", 0.20), ("neck", 0.45), ("head", 0.62)];
const RINGS: usize = 40;
const SEGMENTS: usize = 28;
/// How long the clip is [s], and how many keys a second it has.
const SECONDS: f64 = 3.0;
const KEYS: f64 = 24.0;

/// The seal, in the axes of glTF: y up, its nose along z, metres. Its clip is called "hop".
fn seal() -> Character {
    let nodes = JOINTS.iter().enumerate().map(|(k, (name, z))| {
        let parent = k.checked_sub(1).map(|p| p as u32);
        let before = if k == 0 { 0.0 } else { JOINTS[k - 1].1 };
        let height = if k == 0 { 0.33 } else { 0.0 };
        let translation = Vect::from([0.0, height, z - before]);
        Node { name: name.to_string(), parent, local: Local::Trs(Trs { translation, ..Trs::default() }) }
    });
    let surface = skin();
    let skin = weights(&surface);
    let part = Part {
        name: "seal".into(),
        node: 0,
        primitives: vec![0],
        shapes: vec![],
        shape_weights: vec![],
        attributes: vec![],
        surface,
        skin: Some(skin),
    };
    Character {
        nodes: nodes.collect(),
        parts: vec![part],
        clips: vec![hop()],
        world_from_file: Affine {
            R: math::Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0),
            t: Vect::zeros(),
        },
        notes: vec![],
    }
}

/// The seal's demonstration.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    /// about how many tetrahedra
    pub tets: f64,
    /// how lively its fat is [Hz]
    pub lively: f64,
}

impl Default for Seal {
    fn default() -> Self {
        Self { tets: 4000.0, lively: 3.0 }
    }
}

impl Seal {
    /// Writes seal.glb into the folder, simulates it into `soft` beside it, and draws three moments of both.
    pub fn simulate(
        &self,
        folder: &Path,
        soft: &str,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Summary, String), Error> {
        let input = folder.join("seal.glb");
        write_seal(&input)?;
        let mut scene = Scene::default();
        scene.character.file = Some(input.clone());
        scene.tissue.tets = Some(self.tets.into());
        scene.tissue.lively = Some(self.lively.into());
        scene.output.file = Some(folder.join(soft));
        let drawn = folder.join("seal-soft.glb");
        if scene.output.file.as_ref() != Some(&drawn) {
            scene.output.files.push(drawn.clone());
        }
        let mut summary = simulate(&scene, &Run::default(), &AtomicBool::new(false), progress)?;
        summary.files.insert(0, input.clone());
        Ok((summary, picture(&input, &drawn)?))
    }
}

/// The artist's seal in grey behind the simulated one, at the moments in which they differ most.
fn picture(input: &Path, soft: &Path) -> Result<String, Error> {
    const MOMENTS: [f64; 3] = [0.30, 0.74, 1.70];
    let mut picture = Picture::new(900.0, 320.0);
    let (mut before, mut after) = (vec![], vec![]);
    let mut triangles = vec![];
    for (k, t) in MOMENTS.into_iter().enumerate() {
        for (file, all) in [(input, &mut before), (soft, &mut after)] {
            let character = formats::read_gltf(file)?;
            let first = all.len() as u32;
            let posed = character.posed(&character.pose(&character.clips[0], t), 0);
            // seen from its side: its nose, which points along −y, to the right
            all.extend(posed.iter().map(|x| Vect::from([-x[1] + 2.0 * k as f64, x[0], x[2]])));
            if file == input {
                let moved = character.parts[0].surface.triangles.iter().map(|t| t.map(|v| v + first));
                triangles.extend(moved);
            }
        }
    }
    let drawn = |x, colour, opacity| Drawn { x, triangles: &triangles, colour, opacity };
    picture.surfaces(&[drawn(&before, [0.75; 3], 0.45), drawn(&after, [0.45, 0.55, 0.65], 0.85)], 320.0);
    Ok(picture.svg())
}

/// Writes the seal as a `.glb`, as an artist would hand it over.
pub fn write_seal(file: &Path) -> Result<(), Error> {
    Ok(formats::write_rigged(file, &seal())?)
}

/// How thick it is at z: r² is a Catmull–Rom curve through the profile, so the ends are round.
fn radius(z: f64) -> f64 {
    let last = PROFILE.len() - 1;
    let k = PROFILE.iter().rposition(|p| p.0 <= z).unwrap_or(0).min(last - 1);
    let at = |k: usize| (PROFILE[k].0, PROFILE[k].1.powi(2));
    let slope = |k: usize| {
        let (a, b) = (at(k.saturating_sub(1)), at((k + 1).min(last)));
        (b.1 - a.1) / (b.0 - a.0)
    };
    let ((a, ra), (b, rb)) = (at(k), at(k + 1));
    let (h, s) = (b - a, (z - a) / (b - a));
    let t = 1.0 - s;
    let squared =
        ra * t * t * (1.0 + 2.0 * s) + rb * s * s * (3.0 - 2.0 * s) + h * s * t * (t * slope(k) - s * slope(k + 1));
    squared.max(0.0).sqrt()
}

/// A body that is a little flat below, and its flippers.
fn skin() -> Surface {
    let (low, high) = (PROFILE[0].0, PROFILE[PROFILE.len() - 1].0);
    let mut all = Surface::default();
    revolve(&mut all, RINGS, SEGMENTS, |along, around| {
        // denser at the ends, where it closes
        let z = low + (high - low) * (1.0 - (PI * along).cos()) / 2.0;
        let (sin, cos) = around.sin_cos();
        let flat = if sin < 0.0 { 0.85 } else { 1.0 };
        Vect::from([radius(z) * cos, 0.33 + flat * radius(z) * sin, z])
    });
    for (middle, axes, down) in FLIPPERS {
        for side in [1.0, -1.0] {
            revolve(&mut all, 10, 14, |along, around| {
                let (sin, cos) = around.sin_cos();
                let ball = Vect::from([(PI * along).sin() * cos, (PI * along).sin() * sin, -(PI * along).cos()]);
                let x = ball.component_mul(&Vect::from(axes));
                let turned =
                    Vect::from([x[0] * down.cos() + x[1] * down.sin(), x[1] * down.cos() - x[0] * down.sin(), x[2]]);
                let x = turned + Vect::from(middle);
                Vect::from([x[0] * side, x[1], x[2]])
            });
            if side < 0.0 {
                all.triangles.iter_mut().rev().take(2 * 14 * 9).for_each(|t| t.swap(0, 1)); // mirrored
            }
        }
    }
    all
}

/// Adds a closed surface: rings from tip to tip, along from 0 to 1, around from 0 to 2π.
fn revolve(all: &mut Surface, rings: usize, segments: usize, place: impl Fn(f64, f64) -> Vect<3>) {
    let first = all.x.len() as u32;
    let last = first + ((rings - 1) * segments + 1) as u32;
    all.x.push(place(0.0, 0.0));
    for ring in 1..rings {
        let along = ring as f64 / rings as f64;
        all.x.extend((0..segments).map(|k| place(along, TAU * k as f64 / segments as f64)));
    }
    all.x.push(place(1.0, 0.0));
    let at = |ring: usize, k: usize| first + 1 + ((ring - 1) * segments + k % segments) as u32;
    for k in 0..segments {
        all.triangles.push([first, at(1, k + 1), at(1, k)]);
        all.triangles.push([last, at(rings - 1, k), at(rings - 1, k + 1)]);
        for ring in 1..rings - 1 {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            all.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}

/// Each vertex follows the two joints it is between.
fn weights(surface: &Surface) -> Skin {
    let mut skin = Skin { joints: (0..JOINTS.len() as u32).collect(), starts: vec![0], ..Skin::default() };
    skin.joint_from_mesh =
        JOINTS.iter().map(|(_, z)| Affine { R: math::Mat::identity(), t: Vect::from([0.0, -0.33, -z]) }).collect();
    for x in &surface.x {
        let after = JOINTS.iter().position(|(_, z)| *z > x[2]);
        let (k, s) = match after {
            Some(0) => (0, 0.0),
            Some(k) => (k - 1, (x[2] - JOINTS[k - 1].1) / (JOINTS[k].1 - JOINTS[k - 1].1)),
            None => (JOINTS.len() - 1, 0.0),
        };
        let s = s * s * (3.0 - 2.0 * s);
        skin.joint.push(k as u32);
        skin.weight.push(1.0 - s);
        if s > 0.0 {
            skin.joint.push(k as u32 + 1);
            skin.weight.push(s);
        }
        skin.starts.push(skin.joint.len() as u32);
    }
    skin
}

/// Two hops with a bend before each, then a rest in which the fat settles.
fn hop() -> Clip {
    let count = (SECONDS * KEYS) as usize + 1;
    let times: Vec<f64> = (0..count).map(|k| k as f64 / KEYS).collect();
    // one hop from 0 to 1: height and bend
    let height = |s: f64| if (0.3..0.8).contains(&s) { (PI * (s - 0.3) / 0.5).sin().max(0.0) } else { 0.0 };
    let bend = |s: f64| if s < 1.0 { (TAU * s).sin() * (PI * s).sin() } else { 0.0 };
    let phase = |t: f64| (if t < 0.9 { t } else { t - 0.9 }) / 0.9;
    let curve = |width: usize, value: &dyn Fn(f64) -> Vec<f64>| Curve {
        values: times.iter().flat_map(|&t| value(t)).collect(),
        times: times.clone(),
        width,
        interpolation: Interpolation::Linear,
    };
    let rise = |t: f64| {
        let z = JOINTS[0].1 + 0.25 * (t.min(1.8) / 1.8);
        vec![0.0, 0.33 + 0.3 * height(phase(t)), z]
    };
    let mut channels = vec![Channel { target: Target::Translation(0), curve: curve(3, &rise) }];
    for (k, amount) in [(0, 0.35), (1, -0.25), (2, -0.35), (3, -0.3), (4, 0.2)] {
        let turn = move |t: f64| {
            let q: Quaternion<f64> =
                UnitQuaternion::from_axis_angle(&Vect::<3>::x_axis(), amount * bend(phase(t))).into_inner();
            vec![q.i, q.j, q.k, q.w]
        };
        channels.push(Channel { target: Target::Rotation(k), curve: curve(4, &turn) });
    }
    Clip { name: "hop".into(), channels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seal_is_closed_and_its_weights_sum_to_one() {
        let seal = seal();
        let part = &seal.parts[0];
        let mut edges: Vec<[u32; 2]> = vec![];
        for t in &part.surface.triangles {
            edges.extend([[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        }
        edges.sort_unstable();
        assert!(
            edges.windows(2).all(|e| e[0] != e[1]) && edges.iter().all(|e| edges.binary_search(&[e[1], e[0]]).is_ok())
        );
        let volume: f64 = part
            .surface
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| part.surface.x[v as usize]);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        assert!(volume > 0.2, "it faces inward, or is thin: {volume}");
        let skin = part.skin.as_ref().unwrap();
        assert!((0..part.surface.x.len()).all(|v| (skin.of(v).map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12));
    }
}
