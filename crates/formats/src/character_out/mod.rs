//! A simulated character back into its file: the input with everything in it, and the motion as morph targets.
//!
//! Morph targets are added before the skin moves the vertices. So a displacement d in the world becomes δ = L⁻¹ d in the
//! mesh, where L is the linear part of what the skin does to that vertex at that frame.

mod align;
mod bake;
mod clips;
pub(crate) mod draft;
mod keep;
mod mend;
mod meshes;
mod motion;
pub(crate) mod shapes;
mod unskin;
mod weights;

pub use motion::{GlbClip, GlbMotion, GlbSummary, ShapeBudget};

use crate::gltf::{container::Document, numbers};
use crate::{FormatError, Place};
use draft::Draft;
use motion::Moved;
use rig::Character;
use shapes::Shapes;
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the character of `input` (`.glb`, `.gltf`), as it was read into `character`, with its simulated motion. All that
/// the input holds stays: skeleton, skins, materials, textures, cameras, other clips, extras, unknown extensions.
pub fn write_character(
    input: impl AsRef<Path>,
    out: impl AsRef<Path>,
    character: &Character,
    mut motion: GlbMotion<'_>,
) -> Result<GlbSummary, FormatError> {
    let (input, out) = (input.as_ref(), out.as_ref());
    let ending = out.extension().unwrap_or_default().to_string_lossy().into_owned();
    if !ending.eq_ignore_ascii_case("glb") {
        return Err(FormatError::UnknownEnding { ending, known: ".glb", file: out.into() });
    }
    let times = motion.times(character, out)?;
    let document = Document::open(input)?;
    let mut summary = GlbSummary::default();
    let moved = motion.shapes(character, out)?;
    motion.measure(character, &moved, out, &mut summary)?;
    let draft = put(&document, character, &motion, &times, &moved, &mut summary)?;
    draft.save(out)?;
    Ok(summary)
}

/// The input, mended, with shapes and their weights.
fn put(
    document: &Document,
    character: &Character,
    motion: &GlbMotion<'_>,
    times: &[f32],
    moved: &[Moved],
    summary: &mut GlbSummary,
) -> Result<Draft, FormatError> {
    let stranger = || {
        let what = "the character does not have the nodes and meshes of this file; it was changed since it was read";
        FormatError::malformed(what, Place::Unknown, &document.file)
    };
    if document.list("nodes").len() != character.nodes.len() {
        return Err(stranger());
    }
    let read = |accessor: usize| numbers(document, accessor);
    let mut draft = Draft::of(document, &mut summary.notes);
    align::align(&mut draft, &mut summary.notes);
    mend::skeletons(&mut draft, character, &mut summary.notes);
    mend::skin_weights(&mut draft, character, &read, &mut summary.notes)?;
    meshes::separate(&mut draft, &moved.iter().map(|m| character.parts[m.part].node).collect::<Vec<_>>());
    let mut counts = BTreeMap::new();
    for m in moved {
        let part = &character.parts[m.part];
        let added = meshes::add(&mut draft, part, &m.shapes, &names(&m.shapes, m.per_frame)).ok_or_else(stranger)?;
        counts.insert(part.node, added);
        summary.shapes += added.ours;
    }
    clips::widen(&mut draft, &counts, &read)?;
    let clip = match &motion.clip {
        GlbClip::Artist { clip, .. } if *clip < document.list("animations").len() => *clip,
        GlbClip::Artist { .. } => return Err(stranger()),
        GlbClip::Baked { name, pose, .. } => {
            let mut track = bake::Track::new(character);
            (0..times.len()).for_each(|frame| track.push(&pose(frame)));
            track.write(&mut draft, name, times)
        }
    };
    for (p, part) in character.parts.iter().enumerate() {
        let ours = moved.iter().find(|m| m.part == p).map(|m| &m.shapes);
        let theirs = motion.artist_weights(character, p, times);
        if ours.is_none() && (theirs.is_none() || matches!(motion.clip, GlbClip::Artist { .. })) {
            continue; // its weights are in the clip as they were
        }
        let none = Shapes { deltas: Vec::new(), weights: vec![Vec::new(); times.len()] };
        let mut default = part.shape_weights.clone();
        default.resize(counts.get(&part.node).map_or(part.shapes.len(), |c| c.artist), 0.0);
        let keys = weights::merge(theirs.as_ref(), &default, times, ours.unwrap_or(&none));
        clips::set_weights(&mut draft, clip, part.node, &keys).ok_or_else(stranger)?;
    }
    clips::sweep(&mut draft, clip);
    bake::drop_empty(&mut draft, clip);
    Ok(draft)
}

/// What the artist sees in the list of shapes.
fn names(shapes: &Shapes, per_frame: bool) -> Vec<String> {
    let count = shapes.deltas.len();
    let name = |k: usize| match per_frame {
        true => format!("Supple frame {k}"),
        false if k + 1 == count => "Supple base".into(),
        false => format!("Supple {}", k + 1),
    };
    (0..count).map(name).collect()
}
