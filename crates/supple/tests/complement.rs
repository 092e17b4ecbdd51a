//! Complementary dynamics from scenes, and scenes that make no sense.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use supple::scene::Scene;
use supple::{Error, Run, Summary, simulate};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("supple-complement-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A square on two bones, one of which turns; `change` may break it.
fn square(folder: &Path, change: impl Fn(&str, String) -> String) {
    let n = 7;
    let at = |k: usize| [(k / n) as f64 / 6.0, (k % n) as f64 / 6.0];
    let mut obj: String = (0..n * n).map(|k| format!("v {} {} 0\n", at(k)[0], at(k)[1])).collect();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let v = |i: usize, j: usize| i * n + j + 1;
            obj += &format!("f {} {} {}\n", v(i, j), v(i + 1, j), v(i + 1, j + 1));
            obj += &format!("f {} {} {}\n", v(i, j), v(i + 1, j + 1), v(i, j + 1));
        }
    }
    let weights: Vec<String> = (0..2)
        .flat_map(|b| (0..n * n).map(move |k| if b == 1 { at(k)[0] } else { 1.0 - at(k)[0] }))
        .map(|w| w.to_string())
        .collect();
    let frames: String = (0..20).map(|k| format!("0 0.5 0 1 0.5 {}\n", 3 * k)).collect();
    for (file, text) in [
        (
            "square.json",
            r#"{"mesh_file": "square.obj", "handle_file": "square.tgf", "weight_file": "square.dmat",
          "anim_file": "square_anim.txt", "dt": 0.02, "YM": 300, "pr": 0.4}"#
                .to_string(),
        ),
        ("square.obj", obj),
        ("square.tgf", "1 0 0.5 0\n2 1 0.5 0\n3 0.3 0.9 0\n4 0.7 0.9 0\n#\n1 3 1 0 0\n2 4 1 0 0\n#\n".into()),
        ("square.dmat", format!("2 {}\n{}\n", n * n, weights.join("\n"))),
        ("square_anim.txt", format!("19 2\n{frames}")),
    ] {
        std::fs::write(folder.join(file), change(file, text)).unwrap();
    }
}

fn run(folder: &Path, toml: &str) -> Result<Summary, Error> {
    let file = folder.join("scene.toml");
    std::fs::write(&file, toml).unwrap();
    let mut scene = Scene::read(&file)?;
    scene.output.file.get_or_insert(folder.join("out.glb"));
    simulate(&scene, &Run::default(), &AtomicBool::new(false), &mut |_| ())
}

const SQUARE: &str = "[character]\nfile = \"square.json\"\n";

#[test]
fn a_flat_character_becomes_files_and_a_report() {
    let folder = folder("flat");
    square(&folder, |_, text| text);
    let toml = format!("{SQUARE}[output]\nfiles = [\"a.glb\", \"b.npz\", \"c.obj\"]\n");
    let summary = run(&folder, &toml).unwrap();
    let performed = summary.performed.unwrap();
    assert_eq!((summary.frames, performed.dimension, performed.parameters), (19, 2, 12));
    assert!(performed.largest_secondary > 1e-4, "{}", performed.largest_secondary);
    for file in ["out.glb", "a.glb", "b.npz", "c_0000.obj", "c_0018.obj"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let report = std::fs::read_to_string(folder.join("out.glb.report.json")).unwrap();
    assert!(report.contains("\"ms_per_frame\""));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_makes_no_sense_is_told_in_plain_words() {
    let folder = folder("broken");
    let refused = |toml: &str| run(&folder, toml).unwrap_err().to_string();
    assert!(refused(SQUARE).contains("square.json"));
    square(&folder, |_, text| text);
    std::fs::write(folder.join("mask.dmat"), "1 3\n0\n1\n1\n").unwrap();
    let text = refused(&format!("{SQUARE}[method]\nmask = \"mask.dmat\"\n"));
    assert!(text.contains("3 values") && text.contains("49 vertices"), "{text}");
    assert!(refused(&format!("{SQUARE}[method]\nmask = \"none.dmat\"\n")).contains("none.dmat"));
    assert!(refused(&format!("{SQUARE}[[force]]\nbox = [5, 5, 5, 6, 6, 6]\npush = [1, 0, 0]\n")).contains("no vertex"));
    assert!(refused(&format!("{SQUARE}[[force]]\nstart = 1\n")).contains("push"));
    assert!(refused(&format!("{SQUARE}[[pin]]\nvertices = [1]\n")).contains("[[pin]]"));
    assert!(refused("[character]\nexample = \"wurm\"\n").contains("worm"));
    square(&folder, |file, text| if file.ends_with("anim.txt") { text.replace(" 30\n", " nan\n") } else { text });
    let text = refused(SQUARE);
    assert!(text.contains("square_anim.txt"), "{text}");
    square(&folder, |file, text| if file.ends_with(".tgf") { "".into() } else { text });
    assert!(refused(SQUARE).contains("square.tgf"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_character_that_is_somewhere_else_at_once_is_carried_there() {
    let folder = folder("teleport");
    let far = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [_, y, a, _, v, b] if b.parse::<f64>().unwrap() > 29.0 => format!("50 {y} {a} 51 {v} {b}"),
        _ => line.to_string(),
    };
    let moved = |file: &str, text: String| match file.ends_with("anim.txt") {
        true => text.lines().map(|line| far(line) + "\n").collect(),
        false => text,
    };
    square(&folder, |_, text| text);
    let still = run(&folder, SQUARE).unwrap().performed.unwrap().largest_secondary;
    square(&folder, moved);
    let summary = run(&folder, SQUARE).unwrap();
    assert_eq!(summary.teleports.len(), 1, "{:?}", summary.notes);
    let jumped = summary.performed.unwrap().largest_secondary;
    assert!(jumped < 2.0 * still, "{jumped} instead of {still}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bodies_that_fall_are_read_from_a_scene() {
    let folder = folder("fall");
    let toml = "[[rigid]]\nshape = \"box\"\nsize = [0.5, 0.5, 0.5]\nposition = [0, 0, 0.5]\n[rigid_world]\nseconds = 0.5\n[tissue]\nyoung = 2e4\n";
    let summary = run(&folder, toml).unwrap();
    let performed = summary.performed.unwrap();
    assert_eq!((summary.frames, performed.parameters), (31, 12));
    assert!(performed.largest_secondary > 1e-3, "it does not wobble");
    let text = run(&folder, &toml.replace("seconds = 0.5", "angular_damping = -1")).unwrap_err().to_string();
    assert!(text.contains("angular_damping") && text.contains("scene.toml"), "{text}");
    assert!(run(&folder, "[[rigid]]\nshape = \"sphere\"\nsize = [1, 2]\n").unwrap_err().to_string().contains("radius"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn going_on_with_frames_that_are_not_kept_is_refused() {
    let mut scene = Scene::default();
    scene.character.example = Some(supple::scene::ExampleKey::Worm);
    let run = Run { resume: true, ..Run::default() };
    let text = simulate(&scene, &run, &AtomicBool::new(false), &mut |_| ()).unwrap_err().to_string();
    assert!(text.contains("--resume") && text.contains("Run it again"), "{text}");
}
