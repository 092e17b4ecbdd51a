//! Characters through the program: a built-in seal, no files of others.
#![allow(non_snake_case)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder of its own with a seal in it, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("supple-pipeline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        supple::write_seal(&folder.join("seal.glb")).unwrap();
        Self(folder)
    }
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn supple(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).args(arguments).output().unwrap()
}

fn done(arguments: &[&str]) -> Value {
    let out = supple(arguments);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let out = supple(arguments);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// Few tets and few frames: quick, but the whole way.
const QUICK: [&str; 6] = ["--tets", "400", "--fps", "6", "--preroll", "0.2"];

#[test]
fn one_command_writes_a_result_in_every_format() {
    let folder = Folder::new("formats");
    let input = folder.path("seal.glb");
    let outputs: Vec<String> =
        ["soft.glb", "soft.abc", "soft.usda", "soft.pc2", "soft.mdd", "soft.npz"].map(|name| folder.path(name)).into();
    let mut arguments = vec!["simulate", &input, "--json"];
    arguments.extend(QUICK);
    outputs.iter().for_each(|o| arguments.extend(["-o", o]));
    let summary = done(&arguments);
    for output in &outputs {
        assert!(std::fs::metadata(output).unwrap().len() > 1000, "{output}");
    }
    assert_eq!(summary["frames"], 19);
    assert_eq!(summary["clip"], "hop");
    assert!(summary["shapes"].as_u64().unwrap() > 0, "the fat did not move: {summary}");
    assert!(summary["seconds"]["total"].as_f64().unwrap() > 0.0);
    let report: Value = serde_json::from_slice(&std::fs::read(folder.path("soft.glb.report.json")).unwrap()).unwrap();
    assert_eq!(report["tets"], summary["tets"]);
    assert!(!Path::new(&folder.path("soft.glb.frames")).exists(), "the frames are removed when all is done");
}

#[test]
fn without_physics_the_result_is_the_artists_motion() {
    let folder = Folder::new("no-physics");
    let (input, output) = (folder.path("seal.glb"), folder.path("same.glb"));
    let mut arguments = vec!["simulate", &input, "--no-physics", "--json", "-o", &output];
    arguments.extend(QUICK);
    done(&arguments);
    let [before, after] = [&input, &output].map(|file| formats::read_gltf(file).unwrap());
    for k in 0..12 {
        let t = k as f64 / 4.0;
        let [a, b] = [&before, &after].map(|c| c.posed(&c.pose(&c.clips[0], t), 0));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).norm() < 1e-6), "{t}");
    }
}

#[test]
fn a_scene_file_says_what_flags_say() {
    let folder = Folder::new("scene");
    let scene = folder.path("scene.toml");
    let text = "[character]\nfile = \"seal.glb\"\nclip = \"hop\"\nfps = 6\npreroll = 0.2\n\
                [tissue]\ntets = 400\n[[tissue.region]]\nbones = [\"head\"]\nstiffness = 4\n\
                [method]\nkind = \"attach\"\ncore_bones = [\"hips\", \"belly\", \"chest\", \"neck\"]\n\
                [world]\ngravity = [0, 0, -9.81]\n[output]\nfile = \"soft.glb\"\n";
    std::fs::write(&scene, text).unwrap();
    let summary = done(&["simulate", &scene, "--json"]);
    assert_eq!(summary["frames"], 19);
    assert!(Path::new(&folder.path("soft.glb")).exists());
    std::fs::write(&scene, text.replace("\"head\"", "\"haed\"")).unwrap();
    let said = refused(&["simulate", &scene]);
    assert!(said.contains("no bone \"haed\"") && said.contains("Did you mean \"head\"?"), "{said}");
    std::fs::write(&scene, text.replace("fps", "fsp")).unwrap();
    let said = refused(&["simulate", &scene]);
    assert!(said.contains("line 4") && said.contains("\"fps\""), "{said}");
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_simulated() {
    let folder = Folder::new("errors");
    let input = folder.path("seal.glb");
    let output = folder.path("out.glb");
    for (arguments, words) in [
        (vec!["simulate", &input], &["-o"][..]),
        (vec!["simulate", &input, "-o", &output, "--clip", "hpo"], &["\"hpo\"", "Did you mean \"hop\"?"]),
        (vec!["simulate", &input, "-o", &folder.path("no/such/out.glb")], &["folder", "does not exist"]),
        (vec!["simulate", &input, "-o", &folder.path("out.fbx")], &[".fbx", ".glb"]),
        (vec!["simulate", &input, "-o", &input], &["overwrite"]),
        (vec!["simulate", &input, "-o", &output, "--poisson", "0.6"], &["poisson", "0.499"]),
        (vec!["simulate", &input, "-o", &output, "--resume"], &["no frames"]),
        (vec!["simulate", &folder.path("none.glb"), "-o", &output], &["no file"]),
        (vec!["simulate", &folder.path("scene.toml"), "-o", &output], &["no file"]),
    ] {
        let said = refused(&arguments);
        assert!(words.iter().all(|word| said.contains(word)), "{arguments:?}: {said}");
        assert!(!Path::new(&output).exists(), "{arguments:?}");
    }
    for (name, bytes) in [("one.glb", &b"g"[..]), ("empty.glb", b""), ("text.glb", b"hello, this is no character")] {
        std::fs::write(folder.0.join(name), bytes).unwrap();
        let said = refused(&["simulate", &folder.path(name), "-o", &output]);
        assert!(said.contains(name), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_last_good_frame() {
    let folder = Folder::new("full");
    let (input, output) = (folder.path("seal.glb"), folder.path("soft.glb"));
    // in kB; the signal ignored, so that writing fails as it does on a full disk
    let script = format!(
        "trap '' XFSZ; ulimit -f 100; exec '{}' simulate '{input}' -o '{output}' {}",
        env!("CARGO_BIN_EXE_supple"),
        QUICK.join(" ")
    );
    let out = Command::new("bash").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot be written") && said.contains("frame"), "{said}");
    let mut arguments = vec!["simulate", &input, "-o", &output, "--resume", "--json"];
    arguments.extend(QUICK);
    let summary = done(&arguments);
    assert_eq!(summary["frames"], 19);
}

#[test]
fn a_surface_becomes_a_volume() {
    let folder = Folder::new("mesh");
    let (input, output) = (folder.path("seal.glb"), folder.path("seal.msh"));
    let report = done(&["mesh", &input, "-o", &output, "--tets", "1500", "--json"]);
    let tets = report["tets"].as_u64().unwrap();
    assert!((1200..1900).contains(&tets), "{tets}");
    assert!(report["coverage"].as_f64().unwrap() >= 0.99);
    assert_eq!(formats::read_volume(&output).unwrap().mesh.element_count() as u64, tets);
    let said = refused(&["mesh", &input, "-o", &folder.path("seal.stl")]);
    assert!(said.contains(".stl"), "{said}");
    let said = refused(&["mesh", &input, "-o", &output, "--tets", "-3"]);
    assert!(said.contains("tets"), "{said}");
}

#[test]
fn dials_are_ratios_and_the_report_says_what_they_took() {
    let folder = Folder::new("dials");
    let (input, out) = (folder.path("seal.glb"), folder.path("soft.glb"));
    let run = |flags: &[&str]| {
        let mut arguments = vec!["simulate", &input, "-o", &out, "--json"];
        arguments.extend(QUICK);
        arguments.extend(flags);
        done(&arguments)
    };
    let base = run(&[]);
    let number = |summary: &Value, key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key}: {summary}"));
    for key in ["frequency_hz", "damped_frequency_hz", "half_time_s", "sag", "amplitude"] {
        assert!(number(&base, key) > 0.0, "{key}");
    }
    assert_eq!(["chi", "mu", "c_k", "epsilon", "runs"].map(|key| number(&base, key)), [1.0; 5]);
    for part in ["static", "dynamic", "frames", "files"] {
        assert!(base["seconds"][part].as_f64().is_some(), "{part}");
    }
    let twice = run(&["--amplitude", "2", "--frequency", "0.7"]);
    assert!((number(&twice, "amplitude") / number(&base, "amplitude") / 2.0 - 1.0).abs() < 0.01, "{twice}");
    let ratio = number(&twice, "damped_frequency_hz") / number(&base, "damped_frequency_hz");
    assert!((ratio / 0.7 - 1.0).abs() < 1e-6, "{ratio}");
    assert!(number(&twice, "runs") >= 2.0 && number(&twice, "epsilon") > 0.5);
    let still = run(&["--amplitude", "0"]);
    assert_eq!(number(&still, "epsilon"), 0.0);
    assert!(number(&still, "amplitude") < 1e-3 * number(&base, "amplitude"), "{still}");
    assert!(folder.0.join("soft.glb.report.json").exists());

    for (flag, bad) in [("--frequency", "-2"), ("--amplitude", "-1"), ("--sag", "1e9"), ("--damping", "0")] {
        let said = refused(&["simulate", &input, "-o", &out, flag, bad]);
        assert!(said.contains(&flag[2..]) && said.contains("It must be from"), "{said}");
    }
    let mut arguments = vec!["simulate", &input, "-o", &out, "--integrator", "backward-euler", "--damping", "50"];
    arguments.extend(QUICK);
    let said = refused(&arguments);
    assert!(said.contains("half-time of at most") && said.contains("steps per second"), "{said}");
}

#[test]
fn a_tet_mesh_is_moved_by_the_keys_of_its_pins() {
    let folder = Folder::new("volume");
    let mut veg = String::from("*VERTICES\n16 3 0 0\n");
    for k in 0..16 {
        let (i, j, l) = (k / 4, k / 2 % 2, k % 2);
        veg += &format!("{} {} {} {}\n", k + 1, 0.1 * i as f64, 0.1 * j as f64, 0.1 * l as f64);
    }
    // six tetrahedra in each of three cells
    veg += "*ELEMENTS\nTET\n18 4 0\n";
    let mut number = 0;
    for cell in 0..3 {
        let corner = |i: usize, j: usize, l: usize| 4 * (cell + i) + 2 * j + l + 1;
        for [a, b] in [
            [[1, 0, 0], [1, 1, 0]],
            [[1, 1, 0], [0, 1, 0]],
            [[0, 1, 0], [0, 1, 1]],
            [[0, 1, 1], [0, 0, 1]],
            [[0, 0, 1], [1, 0, 1]],
            [[1, 0, 1], [1, 0, 0]],
        ] {
            number += 1;
            let [p, q] = [a, b].map(|c: [usize; 3]| corner(c[0], c[1], c[2]));
            veg += &format!("{number} {} {p} {q} {}\n", corner(0, 0, 0), corner(1, 1, 1));
        }
    }
    std::fs::write(folder.0.join("bar.veg"), veg).unwrap();
    let scene = "[character]\nfile = \"bar.veg\"\nseconds = 0.5\n[tissue]\nyoung = 1e5\n[[pin]]\nbox = [-1, -1, -1, 0.01, 1, 1]\n\
                 keys = [{ time = 0 }, { time = 0.25, translate = [0, 0.1, 0], rotate = [30, 0, 0] }]\n[output]\nfile = \"out.glb\"\n";
    let file = folder.path("bar.toml");
    std::fs::write(&file, scene).unwrap();
    let summary = done(&["simulate", &file, "--json"]);
    assert_eq!((summary["core"].as_u64(), summary["frames"].as_u64()), (Some(4), Some(13)), "{summary}");
    assert!(summary["amplitude"].as_f64().unwrap() > 1e-4);
    // what is written has the pins where their keys are
    let written = formats::read_gltf(folder.path("out.glb")).unwrap();
    let clip = &written.clips[0];
    let (first, last) = [clip.start(), clip.end()].map(|t| written.posed(&written.pose(clip, t), 0)).into();
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let mut pins = 0;
    for (X, x) in first.iter().zip(&last).filter(|(X, _)| X[0] < 0.01) {
        let keyed = [X[0], cos * X[1] - sin * X[2] + 0.1, sin * X[1] + cos * X[2]];
        assert!((0..3).all(|k| (x[k] - keyed[k]).abs() < 1e-4), "{X:?} is at {x:?}, not at {keyed:?}");
        pins += 1;
    }
    assert!(pins >= 4);
    // nothing drops where it was modelled hanging
    let drop = |modelled: &str| {
        let out = folder.path("hanging.glb");
        done(&["simulate", &file, "-o", &out, "--modelled", modelled, "--young", "1e6", "--json"]);
        let written = formats::read_gltf(&out).unwrap();
        let first = written.posed(&written.pose(&written.clips[0], written.clips[0].start()), 0);
        // all was modelled at multiples of 0.1
        first.iter().flat_map(|x| [x[0], x[1], x[2]]).map(|x| (x - 0.1 * (10.0 * x).round()).abs()).fold(0.0, f64::max)
    };
    let [hanging, weightless] = ["hanging", "weightless"].map(drop);
    assert!(hanging < 1e-4 && weightless > 1e-3, "{hanging} {weightless}");
    let measured = done(&["analyze", &file, "--json"]);
    assert_eq!(measured["amplitude"], summary["amplitude"]);
    std::fs::write(&file, scene.replace("[-1, -1, -1, 0.01, 1, 1]", "[5, 5, 5, 6, 6, 6]")).unwrap();
    assert!(refused(&["simulate", &file]).contains("holds no part of the body"));
    std::fs::write(&file, scene.replace("time = 0.25", "time = 0")).unwrap();
    assert!(refused(&["simulate", &file]).contains("must rise"));
}
