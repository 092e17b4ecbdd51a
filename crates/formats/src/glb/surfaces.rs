//! The surfaces of a take: a node, a mesh and a material for each, one clip for all.

use super::gltf_from_simulation;
use crate::character_out::GlbSummary;
use crate::character_out::draft::{Draft, F32};
use crate::character_out::shapes::{Delta, Shapes};
use crate::normals::normals;
use crate::{FormatError, Frames, ShapeBudget, Take, TakePart};
use math::Vect;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes surfaces that move, whatever they came from, for Blender and every other program that reads glTF: y up, metres,
/// seconds, motion as morph targets. For a character that came as glTF there is [`crate::write_character`].
pub fn write_take_glb(
    take: &Take,
    frames: &mut dyn Frames,
    out: impl AsRef<Path>,
    budget: ShapeBudget,
) -> Result<GlbSummary, FormatError> {
    let out = out.as_ref();
    if frames.count() == 0 {
        return Err(FormatError::Nothing { what: "the animation has no frames", file: out.into() });
    }
    let rest = frames.frame(0)?;
    write(take, &rest, frames, out, budget)
}

/// The same, with the shapes that the surfaces have when nothing moves them.
pub(super) fn write(
    take: &Take,
    rest: &[Vec<Vect<3>>],
    frames: &mut dyn Frames,
    out: &Path,
    budget: ShapeBudget,
) -> Result<GlbSummary, FormatError> {
    let times = times(take, frames, out)?;
    check(take, "the rest shape", 0, rest, out)?;
    let faces: Vec<Vec<[u32; 3]>> = take.parts.iter().map(triangles).collect();
    if faces.iter().all(Vec::is_empty) {
        return Err(FormatError::Nothing { what: "the surface has no triangles", file: out.into() });
    }
    let still: Vec<Still> = rest.iter().zip(&faces).map(|(x, faces)| Still::new(x, faces)).collect();
    let mut moves: Vec<[Vec<Vec<Delta>>; 2]> = take.parts.iter().map(|_| Default::default()).collect();
    for k in 0..frames.count() {
        let x = frames.frame(k)?;
        check(take, &format!("frame {k}"), k, &x, out)?;
        for ((x, faces), (still, moves)) in x.iter().zip(&faces).zip(still.iter().zip(&mut moves)) {
            let now = Still::new(x, faces);
            moves[0].push(differences(&now.x, &still.x));
            moves[1].push(differences(&now.normals, &still.normals));
        }
    }
    let mut draft = Draft { json: Map::new(), bin: Vec::new() };
    draft.json.insert("asset".into(), json!({ "version": "2.0", "generator": "Supple" }));
    let (mut summary, mut channels, mut samplers) = (GlbSummary::default(), Vec::new(), Vec::new());
    let (mut nodes, mut input) = (Vec::new(), None);
    for (part, ((faces, still), [moves, turns])) in take.parts.iter().zip(faces.iter().zip(&still).zip(moves)) {
        if faces.is_empty() {
            summary.notes.push(format!("{:?} has no faces, so it is not in the file", part.name));
            continue;
        }
        let shapes = shapes(moves, still, budget, &mut summary);
        let node = surface(&mut draft, part, faces, still, &shapes, &turns);
        nodes.push(node);
        summary.shapes += shapes.deltas.len();
        if !shapes.deltas.is_empty() {
            let input = *input.get_or_insert_with(|| draft.times(&times));
            let output = draft.floats(&shapes.weights.concat(), "SCALAR");
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": "weights" } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        }
    }
    draft.json.insert("scenes".into(), json!([{ "nodes": nodes }]));
    draft.json.insert("scene".into(), json!(0));
    if !channels.is_empty() {
        let clip = json!({ "name": take.name, "channels": channels, "samplers": samplers });
        draft.json.insert("animations".into(), json!([clip]));
    }
    draft.save(out)?;
    Ok(summary)
}

/// A surface at one moment, y up.
struct Still {
    x: Vec<Delta>,
    normals: Vec<Delta>,
}

impl Still {
    fn new(x: &[Vect<3>], faces: &[[u32; 3]]) -> Self {
        let x: Vec<_> = x.iter().map(gltf_from_simulation).collect();
        let narrow = |v: &Vect<3>| [v.x as f32, v.y as f32, v.z as f32];
        let normals = normals(&x, faces, Vect::<3>::y()).iter().map(narrow).collect();
        Still { x: x.iter().map(narrow).collect(), normals }
    }
}

fn differences(a: &[Delta], b: &[Delta]) -> Vec<Delta> {
    a.iter().zip(b).map(|(a, b)| [0, 1, 2].map(|i| a[i] - b[i])).collect()
}

/// The motion as shapes, none where nothing moves; the error goes into the summary.
fn shapes(moves: Vec<Vec<Delta>>, still: &Still, budget: ShapeBudget, summary: &mut GlbSummary) -> Shapes {
    let size = still.x.iter().flatten().fold(0.0f32, |a, b| a.max(b.abs()));
    let moved = moves.iter().flatten().flatten().any(|d| d.abs() > 1e-6 * size);
    let shapes = match budget {
        _ if !moved => Shapes { deltas: Vec::new(), weights: vec![Vec::new(); moves.len()] },
        ShapeBudget::PerFrame => Shapes::per_frame(moves.clone()),
        ShapeBudget::Principal { tolerance, most } => {
            let ones: Vec<Vec<f32>> = moves.iter().map(|frame| vec![1.0; frame.len()]).collect();
            Shapes::principal(moves.clone(), &ones, tolerance, most.max(1))
        }
    };
    for (f, frame) in moves.iter().enumerate() {
        let shown = shapes.at(f);
        for (v, d) in frame.iter().enumerate() {
            let shown = shown.get(v).copied().unwrap_or_default();
            let squared: f64 = (0..3).map(|i| (shown[i] - f64::from(d[i])).powi(2)).sum();
            summary.largest_error = summary.largest_error.max(squared.sqrt());
        }
    }
    if let ShapeBudget::Principal { tolerance, most } = budget
        && summary.largest_error > tolerance
    {
        summary.notes.push(format!(
            "{most} shapes are too few: a vertex is {:.3e} m from its place, more than the {tolerance:.3e} m asked for",
            summary.largest_error
        ));
    }
    shapes
}

/// Material, mesh and node of a part; the node.
fn surface(
    draft: &mut Draft,
    part: &TakePart,
    faces: &[[u32; 3]],
    still: &Still,
    shapes: &Shapes,
    turns: &[Vec<Delta>],
) -> usize {
    let [r, g, b] = part.color.map(|c| if c.is_finite() { c.clamp(0.0, 1.0) } else { 1.0 });
    let material = draft.push(
        "materials",
        json!({
            "name": part.name, "doubleSided": true,
            "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 },
        }),
    );
    let mut attributes = json!({ "POSITION": draft.vectors(&still.x), "NORMAL": draft.vectors(&still.normals) });
    if part.uv.len() == part.vertices {
        let narrow = |uv: &[f64; 2]| [uv[0] as f32, (1.0 - uv[1]) as f32].map(|x| if x.is_finite() { x } else { 0.0 });
        let bytes = part.uv.iter().flat_map(narrow).flat_map(f32::to_le_bytes).collect();
        attributes["TEXCOORD_0"] = draft.attribute(bytes, part.vertices, F32, "VEC2").into();
    }
    let indices = draft.indices(faces.as_flattened());
    let mut primitive = json!({ "attributes": attributes, "indices": indices, "material": material, "mode": 4 });
    let mut mesh = json!({ "name": part.name });
    if !shapes.deltas.is_empty() {
        let turns = shapes.fit(turns);
        let pairs = shapes.deltas.iter().zip(&turns);
        let targets: Vec<Value> =
            pairs.map(|(x, n)| json!({ "POSITION": draft.deltas(x), "NORMAL": draft.deltas(n) })).collect();
        mesh["weights"] = vec![0.0; targets.len()].into();
        primitive["targets"] = targets.into();
    }
    mesh["primitives"] = json!([primitive]);
    let mesh = draft.push("meshes", mesh);
    draft.push("nodes", json!({ "name": part.name, "mesh": mesh }))
}

/// When the frames are shown [s].
fn times(take: &Take, frames: &dyn Frames, out: &Path) -> Result<Vec<f32>, FormatError> {
    let times: Vec<f32> = (0..frames.count()).map(|k| (k as f64 / take.fps) as f32).collect();
    let rises = times.windows(2).all(|t| t[1] > t[0]) && times.iter().all(|t| t.is_finite());
    if !(take.fps > 0.0 && take.fps.is_finite() && rises) {
        return Err(FormatError::BadRate { fps: take.fps, file: out.into() });
    }
    Ok(times)
}

/// Polygons cut from their first corners; what asks for vertices that are not there is left out by [`check`].
fn triangles(part: &TakePart) -> Vec<[u32; 3]> {
    let (mut triangles, mut start) = (Vec::new(), 0usize);
    for &size in &part.sizes {
        let end = start.saturating_add(size as usize).min(part.corners.len());
        let face = &part.corners[start..end];
        triangles.extend((2..face.len()).map(|k| [face[0], face[k - 1], face[k]]));
        start = end;
    }
    triangles
}

/// All parts are there with all their vertices, which are numbers, and faces have corners that exist.
fn check(take: &Take, which: &str, frame: usize, x: &[Vec<Vect<3>>], out: &Path) -> Result<(), FormatError> {
    for (k, part) in take.parts.iter().enumerate() {
        let (expected, found) = (part.vertices, x.get(k).map_or(0, Vec::len));
        if found != expected {
            return Err(FormatError::WrongFrame { frame, found, expected, file: out.into() });
        }
        if let Some(at) = part.corners.iter().position(|&v| v as usize >= expected) {
            let (number, vertex, place) = (at as i64, i64::from(part.corners[at]), crate::Place::Unknown);
            let (what, file) = ("corner", out.into());
            return Err(FormatError::NoSuchVertex { what, number, vertex, vertices: expected, place, file });
        }
        // Half the range of f32, so that differences fit as well.
        let off = |x: &Vect<3>| x.iter().any(|v| !(v.abs() < f64::from(f32::MAX) / 4.0));
        if let Some(vertex) = x[k].iter().position(off) {
            return Err(FormatError::FlownOff { vertex, which: which.into(), file: out.into() });
        }
    }
    Ok(())
}
