//! Real characters through the whole pipeline: read, fill, bind, simulate, write, read back.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use math::Vect;
use rig::Character;
use supple::scene::MethodKind;
use supple::scene::Scene;
use supple::{Error, Run, Summary, simulate};

fn data() -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        eprintln!("skipped: ../shared/data is not here");
        return None;
    }
    Some(data)
}

/// All glTF files in a folder and those below it, by name.
fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut found = vec![];
    for file in files {
        if file.is_dir() {
            found.extend(gltf_files(&file));
        } else if file.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            found.push(file);
        }
    }
    found
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("supple-characters-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn quick(file: &Path, output: PathBuf, physics: bool) -> Scene {
    let mut scene = Scene::default();
    scene.character.file = Some(file.into());
    scene.character.fps = Some(6.0.into());
    scene.character.preroll = Some(0.3.into());
    scene.tissue.tets = Some(250.0.into());
    scene.method.no_physics = !physics;
    scene.output.file = Some(output);
    scene
}

fn run(scene: &Scene) -> Result<Summary, Error> {
    simulate(scene, &Run::default(), &AtomicBool::new(false), &mut |_| {})
}

/// Positions of all vertices at a time of the first clip.
fn posed(character: &Character, t: f64) -> Vec<Vect<3>> {
    let pose = character.clips.first().map_or_else(|| character.rest_pose(), |clip| character.pose(clip, t));
    (0..character.parts.len()).flat_map(|part| character.posed(&pose, part)).collect()
}

fn size(x: &[Vect<3>]) -> f64 {
    let middle = x.iter().sum::<Vect<3>>() / x.len() as f64;
    2.0 * x.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max)
}

fn largest(a: &[Vect<3>], b: &[Vect<3>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

#[test]
fn every_character_that_follows_its_rig_comes_back_as_it_was() {
    let Some(data) = data() else { return };
    let folder = folder("same");
    let files = gltf_files(&data.join("characters"));
    assert!(files.len() >= 21);
    for file in files {
        let output = folder.join("same.glb");
        let summary = run(&quick(&file, output.clone(), false)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(summary.tets > 0 && summary.coverage >= 0.99, "{}: {summary:?}", file.display());
        let [before, after] = [&file, &output].map(|file| formats::read_gltf(file).unwrap());
        let size = size(&posed(&before, 0.0));
        for k in 0..summary.frames {
            let t = before.clips.first().map_or(0.0, |clip| clip.start()) + k as f64 / 6.0;
            let off = largest(&posed(&before, t), &posed(&after, t)) / size;
            assert!(off < 1e-5, "{} at {t}: {off}", file.display());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn soft_characters_move_and_stay_near_their_rig() {
    let Some(data) = data() else { return };
    let folder = folder("soft");
    for name in ["quaternius_whale", "quaternius_bouncer", "quaternius_blobfish", "kenney_character"] {
        let file = data.join("characters").join(name).with_extension("glb");
        let output = folder.join("soft.glb");
        let summary = run(&quick(&file, output.clone(), true)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let [before, after] = [&file, &output].map(|file| formats::read_gltf(file).unwrap());
        let size = size(&posed(&before, 0.0));
        let moved: Vec<f64> = (0..summary.frames)
            .map(|k| before.clips[0].start() + k as f64 / 6.0)
            .map(|t| largest(&posed(&before, t), &posed(&after, t)) / size)
            .collect();
        let most = moved.iter().copied().fold(0.0, f64::max);
        assert!(most > 1e-3, "{name}: nothing moved: {most}");
        assert!(most < 0.5, "{name}: it flew off: {most}");
        assert!(summary.frequency_hz.unwrap() > 1.0, "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_character_moves_in_the_complement_of_its_rig() {
    let folder = folder("complement");
    let file = folder.join("seal.glb");
    supple::write_seal(&file).unwrap();
    let mut scene = quick(&file, folder.join("out.glb"), true);
    let summary = run(&scene).unwrap();
    assert_eq!(summary.method, Some(MethodKind::Complement), "it is what characters get");
    assert!(summary.rows >= 24 && summary.core == 0, "{} rows, {} in the core", summary.rows, summary.core);
    assert!(summary.solves > 0, "quasi-Newton is meant to do it: {:?}", summary.solver);
    assert!(summary.frequency_hz.unwrap() > 1.0 && summary.amplitude.unwrap() > 1e-4, "{summary:?}");
    scene.method.core = Some(0.3.into());
    let held = run(&scene).unwrap();
    assert!(held.method == Some(MethodKind::Attach) && held.core > 0, "a core asks for attach: {held:?}");
    scene.method.kind = Some(MethodKind::Complement);
    let error = run(&scene).unwrap_err().to_string();
    assert!(error.contains("complement has no core"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn broken_weights_are_mended_and_told() {
    let Some(data) = data() else { return };
    let folder = folder("crab");
    let summary =
        run(&quick(&data.join("nasty/quaternius_crab_nan_weights.glb"), folder.join("crab.glb"), true)).unwrap();
    assert!(summary.notes.iter().any(|note| note.contains("weight")), "{:?}", summary.notes);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_captured_person_walks_with_flesh() {
    let Some(data) = data() else { return };
    let folder = folder("person");
    let mut scene = quick(&data.join("human/base.obj"), folder.join("person.glb"), true);
    scene.character.skeleton = Some(data.join("human/cmu_mb.mhskel"));
    scene.character.weights = Some(data.join("human/default_weights.mhw"));
    scene.character.motion = Some(data.join("mocap/cmu_16_01.bvh"));
    scene.character.fps = Some(2.0.into());
    scene.character.substeps = Some(4.0.into());
    scene.tissue.tets = Some(1500.0.into());
    let summary = run(&scene).unwrap();
    assert!(summary.frames > 3 && summary.shapes.is_some_and(|n| n > 0), "{summary:?}");
    assert!(summary.notes.iter().any(|note| note.contains("T-pose")), "{:?}", summary.notes);
    std::fs::remove_dir_all(folder).unwrap();
}

/// What one run writes as a cache drives the surface in the next.
#[test]
fn a_cache_moves_a_surface_as_it_was_written() {
    let folder = folder("cache");
    supple::write_seal(&folder.join("seal.glb")).unwrap();
    let mut first = quick(&folder.join("seal.glb"), folder.join("seal.pc2"), false);
    first.output.files = vec![folder.join("seal.obj")];
    run(&first).unwrap();
    let surface = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    let mut surfaces: Vec<PathBuf> = surface.filter(|p| p.extension().is_some_and(|e| e == "obj")).collect();
    surfaces.sort();
    let mut second = quick(&surfaces[0], folder.join("again.pc2"), false);
    second.character.cache = Some(folder.join("seal.pc2"));
    second.character.cache_fps = Some(6.0.into());
    second.character.up = Some(supple::scene::UpKey::Z);
    let summary = run(&second).unwrap();
    assert_eq!(summary.frames, 19);
    let options = formats::CacheOptions { fps: 6.0, ..Default::default() };
    let [a, b] = ["seal.pc2", "again.pc2"].map(|name| formats::read_pc2(folder.join(name), &options).unwrap());
    assert_eq!(a.frames.len(), b.frames.len());
    for (a, b) in a.frames.iter().zip(&b.frames) {
        assert!(largest(a, b) < 1e-6);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The seal with another clip.
fn seal_with(folder: &Path, channels: Vec<rig::Channel>) -> PathBuf {
    let file = folder.join("seal.glb");
    supple::write_seal(&file).unwrap();
    let mut seal = formats::read_gltf(&file).unwrap();
    seal.clips = vec![rig::Clip { name: "moved".into(), channels }];
    formats::write_rigged(&file, &seal).unwrap();
    file
}

/// How far the flesh is from the rig at most, over all frames [m].
fn strayed(scene: &mut Scene, fps: f64) -> f64 {
    scene.character.fps = Some(fps.into());
    let cache = scene.output.file.clone().unwrap().with_extension("pc2");
    scene.output.file = Some(cache.clone());
    run(scene).unwrap();
    scene.method.no_physics = true;
    let still = cache.with_file_name("still.pc2");
    scene.output.file = Some(still.clone());
    run(scene).unwrap();
    let options = formats::CacheOptions { fps, ..Default::default() };
    let [soft, still] = [cache, still].map(|file| formats::read_pc2(file, &options).unwrap().frames);
    soft.iter().zip(&still).map(|(a, b)| largest(a, b)).fold(0.0, f64::max)
}

#[test]
fn flesh_goes_along_with_a_teleport_wherever_its_key_falls() {
    let folder = folder("teleport");
    let away = |times: Vec<f64>, interpolation| rig::Channel {
        target: rig::Target::Translation(0),
        curve: rig::Curve {
            values: (0..times.len()).flat_map(|k| [4.0 * k as f64, 0.33, -0.45]).collect(),
            times,
            width: 3,
            interpolation,
        },
    };
    for k in [4, 7, 13] {
        let key = f64::from(k as f32 / 24.0);
        let step = away(vec![0.0, key], rig::Interpolation::Step);
        let hold = rig::Channel {
            target: rig::Target::Scale(0),
            curve: rig::Curve {
                times: vec![0.0, 1.0],
                width: 3,
                values: vec![1.0; 6],
                interpolation: rig::Interpolation::Linear,
            },
        };
        let file = seal_with(&folder, vec![step, hold]);
        let mut scene = quick(&file, folder.join("out.glb"), true);
        let off = strayed(&mut scene, 24.0);
        assert!(off > 1e-4 && off < 0.1, "key {k}: {off} m");
    }
    // a walk of 13 frames, played three times: it jumps back at each seam
    let walk = away(vec![0.0, f64::from(13.0f32 / 24.0)], rig::Interpolation::Linear);
    let file = seal_with(&folder, vec![walk]);
    let mut scene = quick(&file, folder.join("out.glb"), true);
    scene.character.loops = Some(3.0.into());
    let off = strayed(&mut scene, 24.0);
    assert!(off > 1e-4 && off < 0.2, "loops: {off} m");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_stiffness_in_pascal_holds_for_its_region_whatever_is_chosen_for_the_body() {
    let folder = folder("region");
    supple::write_seal(&folder.join("seal.glb")).unwrap();
    let frequency = |young: f64| {
        let mut scene = quick(&folder.join("seal.glb"), folder.join("out.pc2"), true);
        scene.character.fps = Some(1.0.into());
        scene.world.gravity = Some([0.0; 3]); // its weight would change the frequency a little
        let everywhere = [-9.0, -9.0, -9.0, 9.0, 9.0, 9.0];
        scene.tissue.region = vec![supple::scene::RegionKeys {
            corners: Some(everywhere),
            young: Some(young.into()),
            ..Default::default()
        }];
        run(&scene).unwrap().frequency_hz.unwrap()
    };
    let ratio = frequency(1e6) / frequency(2.5e5);
    assert!((ratio - 2.0).abs() < 1e-3, "frequency goes with the root of stiffness: {ratio}");
    std::fs::remove_dir_all(folder).unwrap();
}
