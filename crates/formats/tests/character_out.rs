//! Characters written back as `.glb` with motion in them.

mod scratch;

use formats::{FormatError, GlbClip, GlbMotion, GlbSummary, ShapeBudget, read_gltf, write_character};
use math::Vect;
use rig::{Character, Pose};
use scratch::{Scratch, shared_data, skip};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

type Displacements = Vec<Vec<Vec<Vect<3>>>>;
const PRINCIPAL: ShapeBudget = ShapeBudget::Principal { tolerance: 1e-4, most: 50 };

fn characters() -> Option<Vec<PathBuf>> {
    let data = shared_data()?;
    let folders = [data.join("characters"), data.join("characters/skin_corner_cases")];
    let all = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let ours = |file: &PathBuf| file.extension().is_some_and(|e| e == "glb" || e == "gltf");
    let mut files: Vec<PathBuf> = all.filter(ours).collect();
    files.push(data.join("nasty/quaternius_crab_nan_weights.glb"));
    files.sort();
    assert!(files.len() > 20);
    Some(files)
}

fn size(character: &Character) -> f64 {
    let pose = character.rest_pose();
    let all = (0..character.parts.len()).flat_map(|p| character.posed(&pose, p)).collect::<Vec<_>>();
    let least = all.iter().fold(all[0], |a, b| a.inf(b));
    let greatest = all.iter().fold(all[0], |a, b| a.sup(b));
    (greatest - least).norm()
}

/// A wave through the upper half of each part's vertices.
fn wave(character: &Character, frames: usize) -> Displacements {
    let height = 0.05 * size(character);
    let one = |p: usize, v: usize, count: usize, f: usize| {
        let phase = f as f64 * 0.7 + p as f64 + v as f64 * 0.01;
        let on = if 2 * v >= count { 1.0 } else { 0.0 };
        on * height * Vect::<3>::new(phase.sin(), 0.3 * (2.0 * phase).cos(), 0.5 * phase.cos())
    };
    let part = |p: usize, f: usize| {
        let count = character.parts[p].surface.x.len();
        (0..count).map(|v| one(p, v, count, f)).collect()
    };
    (0..frames).map(|f| (0..character.parts.len()).map(|p| part(p, f)).collect()).collect()
}

/// Writes a wave on top of the first clip; without clips, on top of the rest pose.
fn write(file: &Path, out: &Path, budget: ShapeBudget) -> (Character, Vec<Pose>, Displacements, GlbSummary) {
    let character = read_gltf(file).unwrap_or_else(|error| panic!("{error}"));
    let mut d = wave(&character, 12);
    let rest = |_: usize| character.rest_pose();
    let (clip, poses) = match character.clips.first() {
        Some(clip) => {
            let times: Vec<f64> = (0..12).map(|k| clip.start() + 0.1 * k as f64).collect();
            let poses = times.iter().map(|&t| character.pose(clip, t)).collect();
            (GlbClip::Artist { clip: 0, times }, poses)
        }
        None => (GlbClip::Baked { name: "Wave".into(), fps: 10.0, pose: &rest }, vec![character.rest_pose(); 12]),
    };
    let motion = GlbMotion { clip, budget, frames: &mut d };
    let summary = write_character(file, out, &character, motion).unwrap_or_else(|error| panic!("{error}"));
    (character, poses, d, summary)
}

/// How far the written file is from what it should show, at the times of the frames.
fn distance(
    out: &Path,
    clip: usize,
    time: impl Fn(usize) -> f64,
    (character, poses, d): (&Character, &[Pose], &Displacements),
) -> f64 {
    let again = read_gltf(out).unwrap_or_else(|error| panic!("{error}"));
    let mut worst = 0.0f64;
    for (f, pose) in poses.iter().enumerate() {
        let shown = again.pose(&again.clips[clip], time(f));
        for p in 0..character.parts.len() {
            let expected = character.posed(pose, p);
            for ((a, b), d) in again.posed(&shown, p).iter().zip(&expected).zip(&d[f][p]) {
                worst = worst.max((a - b - d).norm());
            }
        }
    }
    worst
}

/// How much larger a node makes what hangs on it.
fn volume(pose: &Pose, node: u32) -> f64 {
    pose.world_from_node[node as usize].R.determinant().abs()
}

fn description(file: &Path) -> Value {
    let bytes = std::fs::read(file).unwrap();
    if !bytes.starts_with(b"glTF") {
        return serde_json::from_slice(&bytes).unwrap();
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn every_character_comes_back_with_its_motion_and_the_validator_finds_no_error() {
    let Some(files) = characters() else { return };
    let scratch = Scratch::new("characters-out");
    let (mut written, mut fewer) = (Vec::new(), 0);
    for file in &files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let tolerance = 2e-3 * size(&read_gltf(file).unwrap());
        let principal = ShapeBudget::Principal { tolerance, most: 50 };
        for (kind, budget, bound) in
            [("frames", ShapeBudget::PerFrame, 1e-4 * tolerance), ("principal", principal, tolerance)]
        {
            let out = scratch.0.join(format!("{name}-{kind}.glb"));
            let (character, poses, d, summary) = write(file, &out, budget);
            let start = character.clips.first().map_or(0.0, |clip| clip.start());
            let size = size(&character);
            let allowed = summary.largest_error + 2e-6 * size;
            let found = distance(&out, 0, |f| start + 0.1 * f as f64, (&character, &poses, &d));
            assert!(found <= allowed, "{name} {kind}: {found:e} > {allowed:e}, size {size}");
            assert!(summary.shapes > 0, "{name} {kind}: vacuous");
            // Where a clip scales a part to nothing, no shape can move it; that is told as an error.
            let flat = poses.iter().any(|pose| character.parts.iter().any(|p| volume(pose, p.node) < 1e-6));
            assert_eq!(flat, name == "InterpolationTest", "{name}");
            assert!(flat || summary.largest_error <= bound, "{name} {kind}: {:e}", summary.largest_error);
            fewer += usize::from(summary.shapes < 12 * character.parts.len());
            if name == "kenney_character" {
                assert!(summary.notes.iter().any(|note| note.contains("colormap.png")), "{:?}", summary.notes);
            }
            eprintln!(
                "{name} {kind}: {} shapes, largest error {:.1e} of the size",
                summary.shapes,
                summary.largest_error / size
            );
            written.push(out);
        }
    }
    assert!(fewer > files.len() / 2, "principal shapes are fewer than frames in only {fewer} files");
    no_errors(&written);
}

fn no_errors(files: &[PathBuf]) {
    let place = std::env::var("SUPPLE_GLTF_VALIDATOR").unwrap_or_default();
    let modules = Path::new(&place).join("node_modules");
    if !modules.join("gltf-validator").is_dir() {
        return skip("the Khronos validator is not here (`cargo xtask test` installs it)");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate.cjs");
    let Ok(run) = Command::new("node").arg(script).args(files).env("NODE_PATH", modules).output() else {
        return skip("node is not here");
    };
    let told = String::from_utf8_lossy(&run.stdout).into_owned();
    let counts: Vec<&str> = told.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(counts.len(), files.len(), "{}", String::from_utf8_lossy(&run.stderr));
    for (file, count) in files.iter().zip(&counts) {
        assert!(count.starts_with("0 "), "{}: {count}\n{}", file.display(), &told[..told.len().min(4000)]);
    }
}

#[test]
fn all_that_the_input_holds_stays() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("kept");
    for name in ["quaternius_cow.glb", "RobotExpressive.glb", "Fox.glb", "quaternius_frog.glb"] {
        let (file, out) = (data.join("characters").join(name), scratch.0.join(name));
        write(&file, &out, PRINCIPAL);
        let (mut before, after) = (description(&file), description(&out));
        // A skeleton that does not hold all joints becomes the nearest node that does; all else about skins is the same.
        if name == "quaternius_cow.glb" {
            assert_eq!(before["skins"][0]["skeleton"], 2);
            let children = before["nodes"][1]["children"].as_array().unwrap();
            assert!(children.len() > 1 && children.contains(&2.into()));
            before["skins"][0]["skeleton"] = 1.into();
        }
        assert_eq!(after["asset"]["generator"], "Supple");
        before["asset"]["generator"] = "Supple".into();
        let keys: Vec<String> = before.as_object().unwrap().keys().cloned().collect();
        for key in keys {
            match key.as_str() {
                "accessors" | "bufferViews" => {
                    let (old, new) = (before[&key].as_array().unwrap(), after[&key].as_array().unwrap());
                    assert!(new.len() > old.len(), "{name} {key}");
                    // The robot's hands have weights that do not sum to one: their lists are replaced.
                    if key == "accessors" && name != "RobotExpressive.glb" {
                        assert_eq!(&new[..old.len()], &old[..], "{name}: accessors keep their numbers");
                    }
                }
                "meshes" | "animations" | "buffers" => {
                    assert_eq!(
                        before[&key].as_array().unwrap().len(),
                        after[&key].as_array().unwrap().len(),
                        "{name} {key}"
                    );
                }
                _ => assert_eq!(before[&key], after[&key], "{name}: {key} changed"),
            }
        }
    }
}

#[test]
fn the_artists_other_clips_play_as_before() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("other-clips");
    let (file, out) = (data.join("characters/RobotExpressive.glb"), scratch.0.join("robot.glb"));
    let (character, ..) = write(&file, &out, PRINCIPAL);
    let head = character.parts.iter().position(|part| part.shapes.len() == 3).expect("the head has three shapes");
    let size = size(&character);
    for clip in [1, 5, 13] {
        let times = [0.0, 0.1, 0.35, 0.7];
        let poses: Vec<Pose> = times.iter().map(|&t| character.pose(&character.clips[clip], t)).collect();
        let still = vec![character.parts.iter().map(|part| vec![Vect::zeros(); part.surface.x.len()]).collect(); 4];
        let found = distance(&out, clip, |f| times[f], (&character, &poses, &still));
        assert!(found < 2e-6 * size, "clip {clip}: {found:e}");
    }
    let again = read_gltf(&out).unwrap();
    assert!(again.parts[head].shapes.len() > 3);
    let artist = |c: &Character| c.parts[head].shapes[..3].iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    assert_eq!(artist(&again), artist(&character));
}

#[test]
fn a_loop_at_double_speed_becomes_a_clip_of_its_own() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("baked");
    for name in ["Fox.glb", "MorphStressTest.glb", "kenney_character.glb", "quaternius_bouncer.glb"] {
        let (file, out) = (data.join("characters").join(name), scratch.0.join(name));
        let character = read_gltf(&file).unwrap();
        let clip = &character.clips[0];
        let length = clip.end() - clip.start();
        let pose = |f: usize| character.pose(clip, clip.start() + (2.0 * f as f64 / 24.0) % length);
        let mut d = wave(&character, 30);
        let baked = GlbClip::Baked { name: "Twice".into(), fps: 24.0, pose: &pose };
        let motion = GlbMotion { clip: baked, budget: PRINCIPAL, frames: &mut d };
        let summary = write_character(&file, &out, &character, motion).unwrap();
        let poses: Vec<Pose> = (0..30).map(pose).collect();
        let last = character.clips.len();
        let found = distance(&out, last, |f| f as f64 / 24.0, (&character, &poses, &d));
        let size = size(&character);
        assert!(found <= summary.largest_error + 4e-6 * size, "{name}: {found:e}");
        assert_eq!(read_gltf(&out).unwrap().clips[last].name, "Twice");
        no_errors(&[out]);
    }
}

#[test]
fn two_nodes_with_one_mesh_move_each_in_their_own_way() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("instances");
    let file = data.join("characters/skin_corner_cases/Animation_Skin_11.gltf");
    let out = scratch.0.join("two.glb");
    write(&file, &out, ShapeBudget::PerFrame);
    let (before, after) = (description(&file), description(&out));
    assert_eq!(before["meshes"].as_array().unwrap().len(), 1);
    let meshes = after["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 2);
    let attributes = |k: usize| meshes[k]["primitives"][0]["attributes"].clone();
    assert_eq!(attributes(0), attributes(1), "what does not move is shared");
}

#[test]
fn parts_that_stay_get_no_shapes() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("still");
    let (file, out) = (data.join("characters/RobotExpressive.glb"), scratch.0.join("robot.glb"));
    let character = read_gltf(&file).unwrap();
    let mut d = wave(&character, 3);
    for frame in &mut d {
        for (p, part) in frame.iter_mut().enumerate() {
            match p {
                0 => {}
                1 => part.clear(),
                _ => part.iter_mut().for_each(|d| *d *= 1e-6),
            }
        }
    }
    let clip = GlbClip::Artist { clip: 0, times: vec![0.0, 0.1, 0.2] };
    let motion = GlbMotion { clip, budget: ShapeBudget::PerFrame, frames: &mut d };
    let summary = write_character(&file, &out, &character, motion).unwrap();
    assert_eq!(summary.shapes, 3);
    assert!(summary.largest_error < 1e-6 * size(&character));
}

#[test]
fn motion_that_cannot_be_written_is_refused() {
    let Some(data) = shared_data() else { return };
    let scratch = Scratch::new("refused");
    let file = data.join("characters/SimpleSkin.gltf");
    let character = read_gltf(&file).unwrap();
    let good = wave(&character, 2);
    let told = |out: &Path, mut d: Displacements, times: &[f64]| -> FormatError {
        let clip = GlbClip::Artist { clip: 0, times: times.to_vec() };
        let motion = GlbMotion { clip, budget: PRINCIPAL, frames: &mut d };
        write_character(&file, out, &character, motion).unwrap_err()
    };
    let out = scratch.0.join("a.glb");
    assert!(matches!(told(&out, vec![], &[]), FormatError::Nothing { .. }));
    assert!(matches!(told(&out, vec![vec![vec![Vect::zeros(); 3]]; 2], &[0.0, 1.0]), FormatError::WrongFrame { .. }));
    assert!(matches!(told(&out, vec![vec![]; 2], &[0.0, 1.0]), FormatError::Malformed { .. }));
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let mut d = good.clone();
        d[1][0][7].y = bad;
        let error = told(&out, d, &[0.0, 1.0]).to_string();
        assert!(error.starts_with("vertex 7 of \"") && error.contains("in frame 1 has flown off"), "{error}");
    }
    assert!(matches!(told(&out, good.clone(), &[1.0, 1.0]), FormatError::BadRate { .. }));
    assert!(matches!(told(&out, good.clone(), &[f64::NAN, 1.0]), FormatError::BadRate { .. }));
    assert!(matches!(told(&out, good.clone(), &[0.0]), FormatError::Malformed { .. }));
    assert!(matches!(told(&scratch.0.join("a.gltf"), good.clone(), &[0.0, 1.0]), FormatError::UnknownEnding { .. }));
    assert!(matches!(told(&scratch.0.join("no/a.glb"), good, &[0.0, 1.0]), FormatError::NoFolder { .. }));
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn surfaces_from_anywhere_are_written_with_few_shapes() {
    use formats::{Take, TakePart, write_take_glb};
    let scratch = Scratch::new("take");
    let out = scratch.0.join("take.glb");
    let part = |name: &str| TakePart {
        name: name.into(),
        sizes: vec![4],
        corners: vec![0, 1, 2, 3],
        vertices: 4,
        uv: vec![[0.0, 1.0]; 4],
        color: [0.5; 3],
    };
    let take = Take { name: "take".into(), fps: 24.0, parts: vec![part("a"), part("b")] };
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vect::<3>::from).to_vec();
    let up = |f: usize| square.iter().map(|x| x + Vect::<3>::z() * (f as f64 * 0.1 * x.x)).collect::<Vec<_>>();
    let mut frames: Displacements = (0..20).map(|f| vec![up(f), square.clone()]).collect();
    let summary = write_take_glb(&take, &mut frames, &out, PRINCIPAL).unwrap();
    assert_eq!(summary.shapes, 2, "one movement and its base");
    assert!(summary.largest_error < 1e-6);
    let again = read_gltf(&out).unwrap();
    for f in 0..20 {
        let pose = again.pose(&again.clips[0], f as f64 / 24.0);
        for p in 0..2 {
            for (a, b) in again.posed(&pose, p).iter().zip(&frames[f][p]) {
                assert!((a - b).norm() < 1e-6, "frame {f} of part {p}");
            }
        }
    }
    no_errors(&[out]);
}
