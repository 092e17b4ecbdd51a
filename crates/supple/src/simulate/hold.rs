//! What holds the flesh: a core that follows the rig, or the rig's whole reach.

use control::{Complement, Leak};
use math::{Row, Vect};
use rig::{Weights, affine_handles};

use super::core::core;
use super::place::Place;
use super::puppet::Puppet;
use super::tissue::Materials;
use super::volume::Volume;
use crate::Error;
use crate::scene::{LeakKey, MethodKeys, MethodKind};

/// Pins and rows of the body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold {
    pub pins: Vec<u32>,
    pub rows: Vec<Row<3>>,
}

impl Hold {
    /// True where nothing holds it.
    pub fn is_empty(&self) -> bool {
        self.pins.is_empty() && self.rows.is_empty()
    }
}

/// Which method a scene asks for; none where it leaves that open.
pub(crate) fn kind(keys: &MethodKeys, puppet: &Puppet) -> Result<Option<MethodKind>, Error> {
    let core_chosen =
        keys.core.is_some() || !keys.core_bones.is_empty() || keys.core_box.is_some() || keys.core_attribute.is_some();
    match keys.kind {
        Some(MethodKind::Complement) if puppet.acted().is_none() => Err(Error::Asked(
            "the method complement needs a rig, but this is moved by pins or a cache, which reach only one shape at a time.\nUse the \
             method attach."
                .into(),
        )),
        Some(MethodKind::Complement) if core_chosen => Err(Error::Asked(
            "the method complement has no core: the rig holds the flesh as a whole.\nLeave out core, core_bones, core_box and \
             core_attribute, or use the method attach."
                .into(),
        )),
        None if puppet.acted().is_none() || core_chosen => Ok(Some(MethodKind::Attach)),
        kind => Ok(kind),
    }
}

/// A rig that moves the flesh in more directions than this is not left to the complement unless that is asked for: it takes long, and little
/// is left to move.
const MANY: usize = 800;

/// What holds the flesh of a scene, and by which method. `poses` are places of all vertices as the rig has them, at some times of the clip.
#[allow(clippy::too_many_arguments)]
pub(crate) fn hold(
    keys: &MethodKeys,
    kind: Option<MethodKind>,
    puppet: &Puppet,
    volume: &Volume,
    materials: &Materials,
    poses: &[Vec<Vect<3>>],
    file: &str,
    notes: &mut Vec<String>,
) -> Result<(MethodKind, Hold), Error> {
    if kind == Some(MethodKind::Attach) {
        if keys.leak.is_some() || keys.leak_attribute.is_some() {
            let what =
                "leak and leak_attribute belong to the method complement; with a core all momentum goes through it.";
            return Err(Error::Asked(what.into()));
        }
        return Ok((MethodKind::Attach, Hold { pins: core(keys, puppet, volume, poses, file, notes)?, rows: vec![] }));
    }
    let refused = |error| Error::Complement { error, file: file.into() };
    let leak = match (&keys.leak_attribute, keys.leak.unwrap_or_default()) {
        (Some(_), _) if keys.leak.is_some() => {
            return Err(Error::Asked("Momentum leaks by one of leak and leak_attribute, not by both.".into()));
        }
        (Some(name), _) => {
            let place = Place { attribute: Some(name), ..Place::default() };
            Leak::Mask(place.on_vertices(puppet, volume, file)?.iter().map(|painted| 1.0 - painted).collect())
        }
        (None, LeakKey::Surface) => Leak::Surface,
        (None, LeakKey::None) => Leak::None,
    };
    let body = materials.body(&volume.mesh, &Hold::default())?;
    let complement = Complement::new(&body, &volume.mesh, &leak).map_err(refused)?;
    if complement.solid_parts > 0 {
        notes.push(format!(
            "{} of {} bodies are too thin to have flesh inside, so they take no momentum from the rig; more tetrahedra change that.",
            complement.solid_parts, volume.bodies
        ));
    }
    let weights = Weights::new(handles(volume), volume.influences.iter().cloned());
    let rig = weights.and_then(|weights| affine_handles(&volume.mesh.rest, &weights));
    let rig = rig.map_err(|error| Error::Asked(format!("{error}\n({file})")))?;
    let rows = complement.rows(&rig.jacobian).map_err(refused)?;
    let open = kind.is_none() && keys.leak.is_none() && keys.leak_attribute.is_none();
    if open && rows.len() > MANY {
        notes.push(format!(
            "The rig moves the flesh in {} directions, which is a lot for the method complement; the method attach is used instead.",
            rows.len()
        ));
        return hold(keys, Some(MethodKind::Attach), puppet, volume, materials, poses, file, notes);
    }
    complement.check(&volume.mesh, &rows).map_err(refused)?;
    Ok((MethodKind::Complement, Hold { pins: vec![], rows }))
}

/// One more than the largest node that moves anything.
fn handles(volume: &Volume) -> usize {
    volume.influences.iter().flatten().map(|(node, _)| *node as usize + 1).max().unwrap_or(0)
}
