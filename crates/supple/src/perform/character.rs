//! The paper's own characters: a volume, a rig and frames, as one scene file names them.

use control::Leak;
use dynamics::Body;
use elastic::{Flesh, Lame};
use formats::{CdCharacter, CdKind, CdModel, CdScene};
use math::{Mat, Small, Vect};
use mesh::{ElementSize, Embedding, Mass, MassKind, Mesh};
use rig::{
    Affine, AutoWeights, Bone, Cage, Linear, Rig, RigError, Skeleton, Weights, Wire, affine_handles, automatic_weights,
};

use super::act::{Act, On, Skin};
use super::track::Track;
use crate::Error;

/// What the flesh of a scene is made of when nobody else says; the scenes of flat bodies name no law.
pub(crate) fn flesh_of(scene: &CdScene) -> Flesh {
    match scene.material.model {
        Some(CdModel::Arap) | None => Flesh::Arap,
        Some(CdModel::NeoHookean) => Flesh::NeoHookean,
        Some(CdModel::StVk) => Flesh::StVenantKirchhoff,
        Some(CdModel::Corotational) => Flesh::Corotated,
    }
}

/// A flat character.
pub(crate) fn plane(scene: &CdScene, character: &CdCharacter<2>, flesh: Flesh, file: &str) -> Result<Act<2>, Error> {
    let cage = |corners: Vec<Vect<2>>, rest: &[Vect<2>]| -> Result<Linear<2>, RigError> {
        let cage = Cage::polygon(corners);
        let (low, high) = rest.iter().fold((rest[0], rest[0]), |(l, h), x| (l.inf(x), h.sup(x)));
        let edge = (high - low).norm() / 80.0;
        let filling = mesh::fill_plane(std::slice::from_ref(&cage.corners), ElementSize::Edge(edge));
        let filling = filling.map_err(|_| RigError::FlatCage { corners: cage.corners.len() })?;
        cage.rig(&cage.harmonic(&filling, rest)?)
    };
    let skin = |mesh: &Mesh<2>, _: &Affine<2>| Skin::flat(mesh);
    act(scene, character, flesh, Affine::identity(), cage, skin, file)
}

/// A solid character. Files have y up, here z is up.
pub(crate) fn space(scene: &CdScene, character: &CdCharacter<3>, flesh: Flesh, file: &str) -> Result<Act<3>, Error> {
    let z_up_from_y_up = Affine { R: Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0), t: Vect::zeros() };
    let cage = |corners: Vec<Vect<3>>, _: &[Vect<3>]| Err(RigError::FlatCage { corners: corners.len() });
    let skin = |mesh: &Mesh<3>, world_from_file: &Affine<3>| match &character.display {
        Some(surface) => {
            let x: Vec<Vect<3>> = surface.x.iter().map(|x| world_from_file.apply(x)).collect();
            Skin { triangles: surface.triangles.clone(), on: On::Inside(Embedding::new(mesh, &x)) }
        }
        None => Skin::around(mesh),
    };
    act(scene, character, flesh, z_up_from_y_up, cage, skin, file)
}

/// The body as the published programs simulate it: within [−1, 1].
fn act<const D: usize>(
    scene: &CdScene,
    character: &CdCharacter<D>,
    flesh: Flesh,
    world_from_unit: Affine<D>,
    cage: impl Fn(Vec<Vect<D>>, &[Vect<D>]) -> Result<Linear<D>, RigError>,
    skin: impl Fn(&Mesh<D>, &Affine<D>) -> Skin,
    file: &str,
) -> Result<Act<D>, Error>
where
    Mat<D>: Small<D>,
{
    let world_from_file = world_from_unit * character.unit_from_file;
    let file_from_world = world_from_file.inverse().unwrap_or(Affine::identity());
    let in_world = |x: &Vect<D>| world_from_file.apply(x);
    let mut mesh = character.volume.mesh.clone();
    mesh.rest.iter_mut().for_each(|x| *x = in_world(x));
    let lame = Lame { mu: scene.material.mu, lambda: scene.material.lambda };
    let count = mesh.element_count();
    let mass = Mass::new(&mesh, &vec![scene.material.density; count], MassKind::Lumped);
    let tissue = flesh.tissue(&mesh, &vec![lame; count]);
    let mut notes = scene.notes.clone();
    let failed = |error: RigError| Error::Rig { error, file: file.into() };
    let handles = &character.rig;
    let (rig, points): (Box<dyn Rig<D>>, bool) = match handles.kind {
        CdKind::Bones | CdKind::Points => {
            let weights = weights(character, &mesh, in_world, &mut notes, file)?;
            (Box::new(affine_handles(&mesh.rest, &weights).map_err(failed)?), false)
        }
        CdKind::Wire => {
            let knots = handles.rest.iter().map(in_world).collect();
            (Box::new(Wire::new(&mesh.rest, knots).map_err(failed)?), true)
        }
        CdKind::Cage => {
            let corners = handles.rest.iter().map(in_world).collect();
            (Box::new(cage(corners, &mesh.rest).map_err(failed)?), true)
        }
    };
    let pose = |maps: &Vec<Affine<D>>| -> Vec<f64> {
        if points {
            let moved = handles.rest.iter().zip(maps).map(|(x, map)| in_world(&map.apply(x)));
            return moved.flat_map(|x| x.iter().copied().collect::<Vec<_>>()).collect();
        }
        let maps: Vec<_> = maps.iter().map(|map| world_from_file * *map * file_from_world).collect();
        Skeleton::parameters_of(&maps, &[])
    };
    let track = Track { dt: scene.dt, keys: handles.frames.iter().map(pose).collect(), jumps: vec![] };
    track.check(rig.parameters(), file)?;
    Ok(Act {
        name: scene.name.clone(),
        skin: skin(&mesh, &world_from_file),
        body: Body::new(mesh.rest.clone(), mass, vec![tissue]),
        mesh,
        rig,
        track,
        leak: Leak::Surface,
        pushes: vec![],
        notes,
    })
}

/// The weights of the file, or bounded biharmonic ones.
fn weights<const D: usize>(
    character: &CdCharacter<D>,
    mesh: &Mesh<D>,
    in_world: impl Fn(&Vect<D>) -> Vect<D>,
    notes: &mut Vec<String>,
    file: &str,
) -> Result<Weights, Error>
where
    Mat<D>: Small<D>,
{
    let rig = &character.rig;
    if let Some(table) = &rig.weights {
        let column = |c: usize| (0..table.rows).map(|row| table.at(row, c)).collect::<Vec<f64>>();
        let columns: Vec<_> = (0..table.columns).map(column).collect();
        return Weights::from_columns(&columns).map_err(|error| Error::Rig { error, file: file.into() });
    }
    let bones: Vec<Bone<D>> =
        rig.rest.iter().zip(&rig.ends).map(|(from, to)| Bone { from: in_world(from), to: in_world(to) }).collect();
    notes.push("The rig has no weights. Bounded biharmonic weights were computed.".into());
    automatic_weights(mesh, &bones, AutoWeights::Biharmonic)
        .map_err(|error| Error::Weights { error, file: file.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::CdBody;

    /// The paper's scenes; none where they are not here.
    fn scene(name: &str) -> Option<CdScene> {
        let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
        let shared = std::env::var("SUPPLE_SHARED").unwrap_or(beside.into());
        let file = std::path::Path::new(&shared).join("data").join(name);
        if !file.is_file() {
            eprintln!("skipped: {} is not here", file.display());
            return None;
        }
        Some(formats::read_cd_scene(file).unwrap())
    }

    /// In each frame the rig puts the vertices where the handles' own maps put them.
    fn follows<const D: usize>(act: &Act<D>, character: &CdCharacter<D>, world_from_file: Affine<D>)
    where
        Mat<D>: Small<D>,
    {
        let off = act.rigged(0.0).iter().zip(&act.mesh.rest).map(|(x, X)| (x - X).norm()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{}: its first frame is {off} from rest", act.name);
        let (rig, frames) = (&character.rig, character.rig.frames.len());
        assert_eq!(act.track.keys.len(), frames);
        let Some(table) = &rig.weights else { return };
        if !matches!(rig.kind, CdKind::Bones | CdKind::Points) {
            return;
        }
        let mut moved = 0.0f64;
        for k in [frames / 2, frames - 1] {
            let x = act.rigged(k as f64 * act.track.dt);
            for (v, X) in character.volume.mesh.rest.iter().enumerate() {
                let sum: f64 = table.row(v).sum();
                let blended: Vect<D> =
                    (0..rig.rest.len()).map(|b| table.at(v, b) / sum * rig.frames[k][b].apply(X)).sum();
                let expected = world_from_file.apply(&blended);
                assert!((x[v] - expected).norm() < 1e-9, "{} frame {k} vertex {v}", act.name);
                moved = moved.max((expected - act.mesh.rest[v]).norm());
            }
        }
        assert!(moved > 0.01, "vacuous: {} does not move", act.name);
    }

    #[test]
    fn rigs_put_vertices_where_their_handles_say() {
        for name in ["bird/bird_mouth", "daisy/daisy", "hedgehog/hedgehog", "walrus/walrus"] {
            let Some(scene) = scene(&format!("cd2d/{name}.json")) else { return };
            let CdBody::Plane(character) = &scene.body else { panic!("{name} is flat") };
            let act = plane(&scene, character, flesh_of(&scene), name).unwrap();
            let (low, high) = act.mesh.bounds();
            assert!((high - low).max() < 2.0 + 1e-9 && (low + high).norm() < 1e-9, "{name} is not within [−1, 1]");
            follows(&act, character, character.unit_from_file);
        }
        for name in ["sphere/sphere", "frog/frog", "elephant/elephant"] {
            let Some(scene) = scene(&format!("cd3d/{name}.json")) else { return };
            let CdBody::Space(character) = &scene.body else { panic!("{name} is solid") };
            let act = space(&scene, character, flesh_of(&scene), name).unwrap();
            let R = Mat::<3>::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
            follows(&act, character, Affine { R, t: Vect::zeros() } * character.unit_from_file);
        }
    }

    #[test]
    fn the_amoeba_is_traced_as_one_body_about_as_large_as_its_picture_says() {
        let Some(scene) = scene("cd2d/amoeba/amoeba.json") else { return };
        let CdBody::Picture(picture) = &scene.body else { panic!("it is a picture") };
        let stencil = crate::perform::outline::read_stencil(picture).unwrap();
        let act = crate::perform::amoeba::amoeba(&scene, &stencil, Flesh::Linear, "amoeba").unwrap();
        assert!(act.mesh.connected().iter().all(|part| *part == 0), "it fell to pieces");
        let (low, high) = act.mesh.bounds();
        let pixel = (high - low).max() / (stencil.width as f64);
        let opaque = stencil.inside.iter().filter(|inside| **inside).count() as f64;
        let area: f64 = act.mesh.volumes(&act.mesh.rest).iter().sum();
        let share = area / (opaque * pixel * pixel);
        assert!((0.9..1.6).contains(&share), "{share}"); // the picture may have a margin
        assert_eq!((act.track.keys.len(), act.rig.parameters()), (500, 6));
        assert!((4000..6000).contains(&act.mesh.rest.len()), "{}", act.mesh.rest.len());
    }
}
