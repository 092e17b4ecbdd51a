//! A scene into an act.

use std::path::Path;

use control::Leak;
use elastic::{Flesh, Lame};
use formats::{CdBody, CdMaterial};
use math::Vect;

use super::act::{Act, AnyAct};
use super::amoeba::amoeba;
use super::drop::{self, Jelly, drop};
use super::outline::read_stencil;
use super::push::Push;
use super::rigid::{Rigid, World};
use super::{carpet, character, twist, worm};
use crate::Error;
use crate::params::{DENSITY, EDGE, FPS, POISSON, YOUNG};
use crate::scene::{ExampleKey, ForceKeys, LeakKey, Scene, plain};

/// Whether a scene is one of these: a rig in motion, to be enriched.
pub(crate) fn is_act(scene: &Scene) -> bool {
    scene.character.example.is_some() || !scene.rigid.is_empty() || scene.character.file.as_deref().is_some_and(is_cd)
}

fn is_cd(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Makes the act that a scene tells of, and what it is called in messages.
pub(crate) fn open(scene: &Scene) -> Result<(AnyAct, String), Error> {
    refuse(scene)?;
    let keys = &scene.character;
    let (mut act, name) = match (keys.example, &keys.file) {
        (Some(example), None) => {
            let act = match example {
                ExampleKey::Worm => AnyAct::Plane(worm::worm()?),
                ExampleKey::Carpet => AnyAct::Space(carpet::carpet()?),
                ExampleKey::Twist => AnyAct::Space(twist::twist()?),
                ExampleKey::Drop => AnyAct::Space(drop::example()?),
            };
            let name = act.name().to_string();
            (act, name)
        }
        (None, Some(file)) => (of_file(scene, file)?, file.display().to_string()),
        (None, None) => (AnyAct::Space(falling(scene)?), "the falling bodies".into()),
        (Some(_), Some(_)) => {
            return Err(Error::Asked("[character] names a file and an example. Take one of them out.".into()));
        }
    };
    match &mut act {
        AnyAct::Plane(act) => set(scene, act, &name)?,
        AnyAct::Space(act) => set(scene, act, &name)?,
    }
    Ok((act, name))
}

/// An error for what makes no sense here.
fn refuse(scene: &Scene) -> Result<(), Error> {
    let (c, t, m) = (&scene.character, &scene.tissue, &scene.method);
    let built_in = c.example.is_some();
    let unused = [
        (c.clip.is_some(), "clip"),
        (c.motion.is_some(), "motion"),
        (c.cache.is_some(), "cache"),
        (c.skeleton.is_some(), "skeleton"),
        (c.skin.is_some(), "skin"),
        (c.loops.is_some(), "loops"),
        (c.speed.is_some(), "speed"),
        (c.preroll.is_some(), "preroll"),
        (c.postroll.is_some(), "postroll"),
        (t.lively.is_some(), "lively"),
        (t.modelled.is_some(), "modelled"),
        (!t.region.is_empty(), "[[tissue.region]]"),
        (!scene.pin.is_empty(), "[[pin]]"),
        (m.core.is_some() || !m.core_bones.is_empty(), "core"),
        (built_in && (t.material.is_some() || t.young.is_some() || t.poisson.is_some()), "material, young and poisson"),
        (built_in && !scene.rigid.is_empty(), "[[rigid]]"),
    ];
    match unused.iter().find(|(given, _)| *given) {
        Some((_, key)) => Err(Error::Asked(format!("{key} cannot be used with this rig. Take it out of the scene."))),
        None => Ok(()),
    }
}

/// A scene of Complementary Dynamics. What this scene says of the flesh goes before what that one says.
fn of_file(scene: &Scene, file: &Path) -> Result<AnyAct, Error> {
    let name = file.display().to_string();
    let mut cd = formats::read_cd_scene(file)?;
    let flesh = match &scene.tissue.material {
        Some(name) => name.parse().map_err(|e: elastic::UnknownMaterial| Error::Asked(e.to_string()))?,
        None if matches!(cd.body, CdBody::Picture(_)) => Flesh::Linear,
        None => character::flesh_of(&cd),
    };
    cd.material = material(scene, cd.material)?;
    Ok(match &cd.body {
        CdBody::Plane(body) => AnyAct::Plane(character::plane(&cd, body, flesh, &name)?),
        CdBody::Space(body) => AnyAct::Space(character::space(&cd, body, flesh, &name)?),
        CdBody::Picture(picture) => {
            let picture = read_stencil(picture)?;
            cd.notes.clear();
            AnyAct::Plane(amoeba(&cd, &picture, flesh, &name)?)
        }
    })
}

/// What the flesh is made of.
fn material(scene: &Scene, of_file: CdMaterial) -> Result<CdMaterial, Error> {
    let t = &scene.tissue;
    let mut material = of_file;
    if let Some(density) = plain(&t.density) {
        material.density = DENSITY.value(Some(density))?;
    }
    let lame = Lame { mu: material.mu, lambda: material.lambda };
    if t.young.is_some() || t.poisson.is_some() {
        let young = YOUNG.value(plain(&t.young).or(Some(lame.young())))?;
        let poisson = POISSON.value(plain(&t.poisson).or(Some(lame.lambda / (2.0 * (lame.lambda + lame.mu)))))?;
        let place = "[tissue]".to_string();
        let lame = Lame::from_young(young, poisson).map_err(|error| Error::Lame { error, place })?;
        (material.mu, material.lambda) = (lame.mu, lame.lambda);
    }
    Ok(material)
}

/// The bodies of `[[rigid]]`.
fn falling(scene: &Scene) -> Result<Act<3>, Error> {
    let t = &scene.tissue;
    let bodies: Vec<Rigid> =
        scene.rigid.iter().enumerate().map(|(k, keys)| Rigid::of(keys, k + 1)).collect::<Result<_, _>>()?;
    let flesh = match &t.material {
        Some(name) => name.parse().map_err(|e: elastic::UnknownMaterial| Error::Asked(e.to_string()))?,
        None => Flesh::Arap,
    };
    let place = "[tissue]".to_string();
    let lame = Lame::from_young(YOUNG.value(plain(&t.young))?, POISSON.value(plain(&t.poisson).or(Some(0.4)))?)
        .map_err(|error| Error::Lame { error, place })?;
    let edge = plain(&t.edge).map(|edge| EDGE.value(Some(edge))).transpose()?;
    let dt = 1.0 / FPS.value(plain(&scene.character.fps).or(Some(60.0)))?;
    drop(&bodies, &World::of(&scene.rigid_world)?, &Jelly { flesh, lame, edge, dt })
}

/// What a scene says of any act: leak, gravity, wind, forces, teleports.
fn set<const D: usize>(scene: &Scene, act: &mut Act<D>, file: &str) -> Result<(), Error> {
    match (&scene.method.mask, scene.method.leak) {
        (Some(_), Some(_)) => return Err(Error::Asked("leak and mask say the same. Take one of them out.".into())),
        (Some(mask), None) => act.leak = Leak::Mask(formats::read_dmat(mask)?.values),
        (None, Some(LeakKey::Surface)) => act.leak = Leak::Surface,
        (None, Some(LeakKey::None)) => act.leak = Leak::None,
        (None, None) => {}
    }
    let all = || (0..act.mesh.rest.len() as u32).collect::<Vec<u32>>();
    let flat = |x: [f64; 3]| Vect::<D>::from_fn(|i, _| x[i]);
    let sane = |x: &[f64; 3]| x.iter().all(|x| x.abs() <= 1e4);
    let world = &scene.world;
    if [world.gravity, world.wind].iter().flatten().any(|x| !sane(x)) {
        return Err(Error::Asked("gravity and wind must be three numbers [m/s²], such as [0, 0, -9.81].".into()));
    }
    if let Some(gravity) = world.gravity {
        act.body.gravity = flat(gravity);
    }
    if let Some(wind) = world.wind {
        act.pushes.push(Push::steady(all(), [f64::NEG_INFINITY, f64::INFINITY], flat(wind)));
    }
    let step = act.track.dt / crate::params::SUBSTEPS.count(plain(&scene.character.substeps).or(Some(1.0)))? as f64;
    for (k, keys) in scene.force.iter().enumerate() {
        let wrong = |what: &str| Error::Asked(format!("[[force]] number {}: {what}.\n({file})", k + 1));
        let on = place(keys, &act.mesh.rest);
        if on.is_empty() {
            return Err(wrong("no vertex lies in its place, so it pushes nothing"));
        }
        if let Some(v) = on.iter().find(|v| **v as usize >= act.mesh.rest.len()) {
            return Err(wrong(&format!("there is no vertex {v}, the body has {}", act.mesh.rest.len())));
        }
        let end = keys.end.unwrap_or(f64::INFINITY);
        if !(keys.start < end) {
            return Err(wrong("it must end after its start"));
        }
        let force = match (keys.push, keys.blow) {
            (Some(push), None) if sane(&push) => Push::steady(on, [keys.start, end], flat(push)),
            (None, Some(blow)) if sane(&blow) => Push::blow(on, keys.start, step, flat(blow)),
            _ => return Err(wrong("it needs either push = [x, y, z] in m/s² or blow = [x, y, z] in m/s")),
        };
        act.pushes.push(force);
    }
    act.track.jumps = jumps(scene, act)?;
    Ok(())
}

/// The vertices that a force is on.
fn place<const D: usize>(keys: &ForceKeys, rest: &[Vect<D>]) -> Vec<u32> {
    if keys.corners.is_none() && keys.sphere.is_none() && keys.vertices.is_empty() {
        return (0..rest.len() as u32).collect();
    }
    let in_box = |x: &Vect<D>| {
        keys.corners.is_some_and(|c| (0..D).all(|i| (c[i].min(c[i + 3])..=c[i].max(c[i + 3])).contains(&x[i])))
    };
    let in_ball =
        |x: &Vect<D>| keys.sphere.is_some_and(|s| (0..D).map(|i| (x[i] - s[i]).powi(2)).sum::<f64>() <= s[3] * s[3]);
    let mut on: Vec<u32> = (0..rest.len() as u32)
        .filter(|&v| in_box(&rest[v as usize]) || in_ball(&rest[v as usize]))
        .chain(keys.vertices.iter().copied())
        .collect();
    on.sort_unstable();
    on.dedup();
    on
}

/// When the rig is somewhere else at once: as the scene says, or where the whole body goes most of its size within a frame,
/// and far more than in the frames beside.
fn jumps<const D: usize>(scene: &Scene, act: &mut Act<D>) -> Result<Vec<f64>, Error> {
    let dt = act.track.dt;
    if let Some(times) = &scene.character.teleports {
        let mut times = times.clone();
        times.sort_by(f64::total_cmp);
        if times.iter().any(|t| !t.is_finite()) {
            return Err(Error::Asked("teleports must be times [s].".into()));
        }
        return Ok(times);
    }
    const FAR: f64 = 0.5;
    const SUDDEN: f64 = 6.0;
    let middles: Vec<Vect<D>> = (0..act.track.keys.len())
        .map(|k| {
            let x = act.rigged(k as f64 * dt);
            x.iter().sum::<Vect<D>>() / x.len().max(1) as f64
        })
        .collect();
    let gone: Vec<f64> = middles.windows(2).map(|m| (m[1] - m[0]).norm()).collect();
    let beside =
        |k: usize| [k.wrapping_sub(1), k + 1].iter().filter_map(|k| gone.get(*k)).fold(0.0, |a: f64, b| a.max(*b));
    let jumps: Vec<f64> = (0..gone.len())
        .filter(|&k| gone[k] > FAR * act.mesh.size() && gone[k] > SUDDEN * beside(k))
        .map(|k| (k + 1) as f64 * dt)
        .collect();
    if let [first, ..] = jumps[..] {
        act.notes.push(format!(
            "The body is somewhere else at once {} times, first at {first:.3} s; it is carried there. teleports = [] under [character] \
             drags it instead.",
            jumps.len()
        ));
    }
    Ok(jumps)
}
