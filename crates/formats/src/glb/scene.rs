//! The description of the file: scene, node, mesh, material, animation.

use super::bin::Bin;
use super::{Animation, gltf_from_simulation};
use crate::FormatError;
use crate::normals::normals;
use gltf_json as json;
use json::validation::Checked::Valid;
use json::{Accessor, Index};
use math::Vect;
use std::path::Path;

/// The description, and the numbers it describes.
pub(super) fn build(animation: &Animation, file: &Path) -> Result<(json::Root, Vec<u8>), FormatError> {
    let mut root = json::Root::default();
    let mut bin = Bin::default();
    let rotate = |x: &[Vect<3>]| x.iter().map(gltf_from_simulation).collect::<Vec<_>>();
    let (triangles, up) = (&animation.surface.triangles, Vect::<3>::y());
    let rest = rotate(&animation.surface.x);
    let rest_normals = normals(&rest, triangles, up);
    let positions = bin.vectors(&mut root, &rest);
    let normal = bin.vectors(&mut root, &rest_normals);
    let indices = bin.indices(&mut root, triangles);
    let mut targets = Vec::new();
    for frame in &animation.frames {
        let x = rotate(frame);
        let n = normals(&x, triangles, up);
        targets.push(json::mesh::MorphTarget {
            positions: Some(bin.vectors(&mut root, &differences(&x, &rest))),
            normals: Some(bin.vectors(&mut root, &differences(&n, &rest_normals))),
            tangents: None,
        });
    }
    let count = animation.frames.len();
    let times: Vec<f32> = (0..count).map(|k| (k as f64 / animation.fps) as f32).collect();
    if times.windows(2).any(|t| t[1] <= t[0]) || times.iter().any(|t| !t.is_finite()) {
        return Err(FormatError::BadRate { fps: animation.fps, file: file.into() });
    }
    // At frame k target k has all the weight; between frames two share it, which is linear in time.
    let weights: Vec<f32> = (0..count * count).map(|i| if i / count == i % count { 1.0 } else { 0.0 }).collect();
    let input = bin.scalars(&mut root, &times, true);
    let output = bin.scalars(&mut root, &weights, false);
    assemble(&mut root, animation, Parts { positions, normal, indices, targets, input, output });
    root.buffers.push(json::Buffer {
        byte_length: bin.0.len().into(),
        name: None,
        uri: None,
        extensions: None,
        extras: Default::default(),
    });
    Ok((root, bin.0))
}

struct Parts {
    positions: Index<Accessor>,
    normal: Index<Accessor>,
    indices: Index<Accessor>,
    targets: Vec<json::mesh::MorphTarget>,
    input: Index<Accessor>,
    output: Index<Accessor>,
}

/// One scene, one node, one mesh, one material, one animation.
fn assemble(root: &mut json::Root, animation: &Animation, parts: Parts) {
    use json::mesh::Semantic;
    let name = Some(animation.name.clone());
    let [r, g, b] = animation.color.map(|c| if c.is_finite() { c.clamp(0.0, 1.0) } else { 1.0 });
    let material = root.push(json::Material {
        name: name.clone(),
        double_sided: true,
        pbr_metallic_roughness: json::material::PbrMetallicRoughness {
            base_color_factor: json::material::PbrBaseColorFactor([r, g, b, 1.0]),
            metallic_factor: json::material::StrengthFactor(0.0),
            roughness_factor: json::material::StrengthFactor(0.7),
            ..Default::default()
        },
        ..Default::default()
    });
    let weights = Some(vec![0.0; parts.targets.len()]);
    let mesh = root.push(json::Mesh {
        extensions: None,
        extras: Default::default(),
        name: name.clone(),
        primitives: vec![json::mesh::Primitive {
            attributes: [(Valid(Semantic::Positions), parts.positions), (Valid(Semantic::Normals), parts.normal)]
                .into_iter()
                .collect(),
            extensions: None,
            extras: Default::default(),
            indices: Some(parts.indices),
            material: Some(material),
            mode: Valid(json::mesh::Mode::Triangles),
            targets: Some(parts.targets),
        }],
        weights,
    });
    let node = root.push(json::Node { mesh: Some(mesh), name: name.clone(), ..Default::default() });
    let scene = root.push(json::Scene { extensions: None, extras: Default::default(), name: None, nodes: vec![node] });
    root.scene = Some(scene);
    root.asset.generator = Some("Supple".into());
    root.animations.push(json::Animation {
        extensions: None,
        extras: Default::default(),
        channels: vec![json::animation::Channel {
            sampler: Index::new(0),
            target: json::animation::Target {
                extensions: None,
                extras: Default::default(),
                node,
                path: Valid(json::animation::Property::MorphTargetWeights),
            },
            extensions: None,
            extras: Default::default(),
        }],
        name,
        samplers: vec![json::animation::Sampler {
            extensions: None,
            extras: Default::default(),
            input: parts.input,
            interpolation: Valid(json::animation::Interpolation::Linear),
            output: parts.output,
        }],
    });
}

/// b as f32 is what a reader adds the difference to, so the difference is taken from that.
fn differences(a: &[Vect<3>], b: &[Vect<3>]) -> Vec<Vect<3>> {
    a.iter().zip(b).map(|(a, b)| a - b.map(|v| f64::from(v as f32))).collect()
}
