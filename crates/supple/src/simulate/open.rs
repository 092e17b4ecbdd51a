//! Files into a puppet.

use std::path::{Path, PathBuf};

use formats::{CacheOptions, MakeHuman, Up};
use mesh::Surface;
use nalgebra::UnitQuaternion;
use rig::{Bound, Character, Clip, Mocap, Playback, Retarget, Trs};

use super::driven::Driven;
use super::puppet::{Acted, Cached, Puppet};
use super::run::Timing;
use crate::Error;
use crate::params::{FPS, LOOPS, POSTROLL, PREROLL, SECONDS, SPEED};
use crate::record::fingerprint;
use crate::scene::{CharacterKeys, Scene, UpKey, plain, suggest};

/// What a scene's files hold.
pub(crate) struct Opened {
    pub file: PathBuf,
    pub puppet: Puppet,
    pub timing: Timing,
    /// stands for the files and the scene
    pub print: u64,
    pub notes: Vec<String>,
}

/// Reads what the scene names.
pub(crate) fn open(scene: &Scene) -> Result<Opened, Error> {
    let timing = Timing::of(scene)?;
    let keys = &scene.character;
    let file = keys.file.clone().ok_or_else(|| {
        Error::Asked("The scene names no character. Write file = \"name.glb\" under [character].".into())
    })?;
    let mut notes = vec![];
    let puppet = match &keys.cache {
        Some(cache) => cached(keys, &file, cache, &mut notes)?,
        None if is_volume(&file) => driven(scene, &file, &mut notes)?,
        None => acted(keys, &file, timing.fps, &mut notes)?,
    };
    if puppet.driven().is_none() && (!scene.pin.is_empty() || keys.skin.is_some() || keys.seconds.is_some()) {
        let what =
            "[[pin]], skin and seconds are for volumes (.veg, .mesh, .msh, .node). A character is moved by its rig.";
        return Err(Error::Asked(what.into()));
    }
    scene.check_dials()?;
    Ok(Opened { print: print(scene, &file), file, puppet, timing, notes })
}

/// The surface that a file shows at rest, and what was mended: .glb, .gltf, .obj, .stl.
pub fn rest_surface(file: &Path) -> Result<(Surface, Vec<String>), Error> {
    if !is_gltf(file) {
        return Ok((formats::read_surface(file)?, vec![]));
    }
    let character = formats::read_gltf(file)?;
    let bound = Bound::new(&character);
    let (mut x, mut triangles) = (vec![], vec![]);
    for (part, rest) in character.parts.iter().zip(&bound.rest) {
        let first = x.len() as u32;
        triangles.extend(part.surface.triangles.iter().map(|t| t.map(|v| v + first)));
        x.extend(rest);
    }
    Ok((Surface { x, triangles }, character.notes))
}

fn ending(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn is_gltf(file: &Path) -> bool {
    matches!(ending(file).as_str(), "glb" | "gltf")
}

/// Whether it holds tetrahedra.
pub(crate) fn is_volume(file: &Path) -> bool {
    matches!(ending(file).as_str(), "veg" | "mesh" | "msh" | "node" | "ele")
}

/// A volume and the keys that move its pins.
fn driven(scene: &Scene, file: &Path, notes: &mut Vec<String>) -> Result<Puppet, Error> {
    let keys = &scene.character;
    let unused = [
        (keys.clip.is_some(), "clip"),
        (keys.motion.is_some(), "motion"),
        (keys.speed.is_some(), "speed"),
        (keys.loops.is_some(), "loops"),
        (keys.preroll.is_some(), "preroll"),
        (keys.postroll.is_some(), "postroll"),
        (keys.teleports.is_some(), "teleports"),
        (keys.skeleton.is_some(), "skeleton"),
        (scene.method.core.is_some(), "core"),
    ];
    refuse(&unused, "a volume, which [[pin]] holds and moves")?;
    let name = file.display().to_string();
    let volume = formats::read_volume(file)?;
    notes.extend(volume.notes.iter().cloned());
    let skin = match &keys.skin {
        Some(skin) => formats::read_surface(skin)?,
        None => volume.mesh.skin().0,
    };
    let seconds = match plain(&keys.seconds) {
        Some(seconds) => SECONDS.value(Some(seconds))?,
        None => Driven::last_key(&scene.pin) + 1.0,
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Puppet::volume(Driven::new(stem, volume, skin, &scene.pin, seconds, &name)?))
}

/// An error for the first key that was given and cannot be used.
fn refuse(unused: &[(bool, &str)], with: &str) -> Result<(), Error> {
    match unused.iter().find(|(given, _)| *given) {
        Some((_, key)) => Err(Error::Asked(format!("{key} cannot be used with {with}. Take it out."))),
        None => Ok(()),
    }
}

fn up(key: Option<UpKey>) -> Up {
    match key {
        Some(UpKey::Y) => Up::Y,
        Some(UpKey::Z) | None => Up::Z,
    }
}

fn acted(keys: &CharacterKeys, file: &Path, fps: f64, notes: &mut Vec<String>) -> Result<Puppet, Error> {
    let name = file.display().to_string();
    let character = match &keys.skeleton {
        Some(skeleton) => {
            let targets = keys.targets.iter().map(|t| (t.file.clone(), t.amount)).collect();
            let weights = keys.weights.clone().ok_or_else(|| {
                let what = "A character with a skeleton needs its weights too: weights = \"default_weights.mhw\".";
                Error::Asked(what.into())
            })?;
            let human = MakeHuman { targets, skeleton: skeleton.clone(), weights, weights_skeleton: None };
            formats::read_makehuman(file, &human)?
        }
        None if is_gltf(file) => formats::read_gltf(file)?,
        None => {
            let what = format!(
                "a file that ends in {:?} is not a character.\nGive a .glb or .gltf, or name the cache or the skeleton \
                 that moves it under [character] of a scene, or a volume (.veg, .mesh, .msh, .node).\n({name})",
                ending(file)
            );
            return Err(Error::Asked(what));
        }
    };
    if character.parts.iter().all(|part| part.surface.triangles.is_empty()) {
        return Err(Error::Asked(format!("there is no surface in this file, so there is nothing to fill.\n({name})")));
    }
    notes.extend(character.notes.iter().cloned());
    let (clip, number) = match &keys.motion {
        Some(motion) => (captured(keys, motion, &character, notes)?, None),
        None => clip(keys, &character, &name, notes)?,
    };
    let bound = Bound::new(&character);
    let rest = bound.pose(&character);
    let mut playback = Playback::new(&clip);
    playback.speed = SPEED.value(plain(&keys.speed))?;
    playback.loops = LOOPS.count(plain(&keys.loops))? as u32;
    playback.preroll = PREROLL.value(plain(&keys.preroll))?;
    playback.postroll = POSTROLL.value(plain(&keys.postroll))?;
    playback.teleports = match &keys.teleports {
        Some(times) => times.iter().map(|t| rig::Teleport::at(*t)).collect(),
        None => rig::find_teleports(&character, &clip, fps),
    };
    let jumps = playback.jumps(&character, &clip, fps);
    if !jumps.is_empty() {
        let times: Vec<String> = jumps.iter().take(5).map(|t| format!("{t:.2} s")).collect();
        notes.push(format!("The character jumps at {}; the flesh goes with it.", times.join(", ")));
    }
    let gltf = is_gltf(file).then(|| file.to_path_buf());
    let acted = Acted { character, bound, rest, clip, number, playback, gltf };
    Ok(Puppet::character(acted, keys.real_size, jumps, notes))
}

/// The clip that was asked for, or the first, or one in which nothing moves.
fn clip(
    keys: &CharacterKeys,
    character: &Character,
    file: &str,
    notes: &mut Vec<String>,
) -> Result<(Clip, Option<usize>), Error> {
    let found = match &keys.clip {
        Some(name) => {
            let by_name = character.clips.iter().position(|clip| clip.name == *name);
            // a clip without a name can be asked for by its number
            let number = by_name.or_else(|| name.parse().ok().filter(|&k: &usize| k < character.clips.len()));
            Some(number.ok_or_else(|| {
                let known: Vec<String> = character.clips.iter().map(|clip| clip.name.clone()).collect();
                let nearest = suggest(name, known.iter().map(String::as_str)).map(Into::into);
                Error::NoSuch { what: "clip", name: name.clone(), nearest, known, file: file.into() }
            })?)
        }
        None => (!character.clips.is_empty()).then_some(0),
    };
    match found {
        Some(number) => {
            let clip = character.clips[number].clone();
            if keys.clip.is_none() && character.clips.len() > 1 {
                let others: Vec<String> = character.clips[1..].iter().take(12).map(|c| c.name.clone()).collect();
                notes.push(format!("The clip {:?} is played. There are also: {}.", clip.name, others.join(", ")));
            }
            Ok((clip, Some(number)))
        }
        None => {
            notes.push("The character has no animation, so it stands still.".into());
            Ok((Clip::default(), None))
        }
    }
}

/// Motion capture, carried over to the character.
fn captured(
    keys: &CharacterKeys,
    motion: &Path,
    character: &Character,
    notes: &mut Vec<String>,
) -> Result<Clip, Error> {
    let mocap = formats::read_bvh(motion)?;
    let t_pose = keys.motion_t_pose.unwrap_or_else(|| starts_with_t_pose(&mocap));
    if t_pose && keys.motion_t_pose.is_none() {
        notes.push("The first captured frame is a T-pose that does not belong to the motion; it is left out.".into());
    }
    let options = if t_pose { Retarget::cmu() } else { Retarget::default() };
    let done = rig::retarget(&mocap, character, &options)
        .map_err(|error| Error::Retarget { error, file: motion.display().to_string() })?;
    notes.extend(done.notes);
    Ok(done.clip)
}

/// Whether the first frame is one that was put there for binding: far from the second, which is near the third.
fn starts_with_t_pose(mocap: &Mocap) -> bool {
    if mocap.frames() < 3 {
        return false;
    }
    let frames = [0, 1, 2].map(|k| mocap.locals(k));
    let turn = |a: &Trs, b: &Trs| {
        let [a, b] = [a, b].map(|trs| UnitQuaternion::try_new(trs.rotation, 1e-12).unwrap_or_default());
        a.angle_to(&b)
    };
    let most = |a: &[Trs], b: &[Trs]| a.iter().zip(b).map(|(a, b)| turn(a, b)).fold(0.0, f64::max);
    let (jump, step) = (most(&frames[0], &frames[1]), most(&frames[1], &frames[2]));
    jump > 0.5 && jump > 5.0 * step
}

/// A surface and the cache that moves it.
fn cached(keys: &CharacterKeys, file: &Path, cache: &Path, notes: &mut Vec<String>) -> Result<Puppet, Error> {
    let unused = [
        (keys.clip.is_some(), "clip"),
        (keys.motion.is_some(), "motion"),
        (keys.speed.is_some(), "speed"),
        (keys.loops.is_some(), "loops"),
        (keys.teleports.is_some(), "teleports"),
        (keys.skeleton.is_some(), "skeleton"),
    ];
    refuse(&unused, "a cache, which is played as it is")?;
    let options = CacheOptions { up: up(keys.cache_up.or(keys.up)), fps: FPS.value(plain(&keys.cache_fps))? };
    let mut surface = formats::read_surface(file)?;
    let motion = match ending(cache).as_str() {
        "pc2" => formats::read_pc2(cache, &options)?,
        "mdd" => formats::read_mdd(cache, &options)?,
        "obj" => formats::read_obj_sequence(cache, &options)?,
        other => {
            return Err(Error::Asked(format!(
                "a cache cannot be read from a file that ends in {other:?}.\nUse .pc2, .mdd, or the first of a sequence of \
                 .obj.\n({})",
                cache.display()
            )));
        }
    };
    notes.extend(motion.notes);
    let up = up(keys.up);
    surface.x.iter_mut().for_each(|x| *x = up.z_up(*x));
    if motion.vertices != surface.x.len() {
        return Err(Error::Asked(format!(
            "the cache moves {} vertices, but the surface has {}.\nExport both from the same mesh, without changing \
             its vertices.\n({}, {})",
            motion.vertices,
            surface.x.len(),
            cache.display(),
            file.display()
        )));
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let preroll = PREROLL.value(plain(&keys.preroll))?;
    let postroll = POSTROLL.value(plain(&keys.postroll))?;
    let cached = Cached::new(name, surface, motion.frames, motion.times, [preroll, postroll]);
    Ok(Puppet::cache(cached, keys.real_size, notes))
}

/// Stands for everything that the frames depend on: what is in the files, and what is said, but not where the files are.
fn print(scene: &Scene, file: &Path) -> u64 {
    let mut said = scene.character.clone();
    let mut files = vec![file.to_path_buf()];
    said.file = None;
    for named in [&mut said.motion, &mut said.skeleton, &mut said.weights, &mut said.skin] {
        files.extend(named.take());
    }
    if let Some(cache) = said.cache.take() {
        files.extend(formats::obj_sequence_files(&cache).unwrap_or_default());
        files.push(cache);
    }
    for target in &mut said.targets {
        files.push(std::mem::take(&mut target.file));
    }
    files.extend(formats::gltf_files(file).unwrap_or_default());
    // they were read before; only changes matter
    let bytes: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap_or_default()).collect();
    let Scene { tissue, method, world, dials, pin, .. } = scene;
    let said = format!("{said:?}{tissue:?}{method:?}{world:?}{dials:?}{pin:?}");
    fingerprint(bytes.iter().map(Vec::as_slice).chain([said.as_bytes(), env!("CARGO_PKG_VERSION").as_bytes()]))
}
