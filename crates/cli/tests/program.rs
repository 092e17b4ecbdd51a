//! The program as a user meets it.
#![allow(non_snake_case)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use math::Vect;
use serde_json::Value;

/// A folder of its own for a test, gone when it ends.
struct Folder(PathBuf);
impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("supple-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
    /// A bar of 0.4 × 0.1 × 0.1 m.
    fn bar(&self, name: &str) -> PathBuf {
        let file = self.0.join(name);
        formats::write_volume(&file, &mesh::block([8, 2, 2], Vect::from([0.4, 0.1, 0.1]))).unwrap();
        file
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

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn analyze(file: &Path, more: &[&str]) -> Value {
    let out = supple(&[&["analyze", text(file), "--json"], more].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Exit code and what was said.
fn failure(arguments: &[&str]) -> (i32, String) {
    let out = supple(arguments);
    assert!(out.stdout.is_empty(), "an error belongs on standard error");
    (out.status.code().unwrap(), String::from_utf8_lossy(&out.stderr).into_owned())
}

const CLAMP: &str = "-0.01,-1,-1,0.01,1,1";

#[test]
fn analyze_measures_a_bar() {
    let folder = Folder::new("bar");
    let file = folder.bar("bar.msh");
    let a = analyze(&file, &["--pin-box", CLAMP, "--young", "1e5", "--poisson", "0.3", "--modes", "3"]);
    let frequencies: Vec<f64> = a["frequencies_hz"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
    assert_eq!(frequencies.len(), 3);
    assert!(frequencies.windows(2).all(|w| w[0] <= w[1]) && frequencies[0] > 0.5, "{frequencies:?}");
    assert_eq!((a["vertices"].as_u64(), a["elements"].as_u64(), a["pinned"].as_u64()), (Some(81), Some(192), Some(9)));
    assert!((a["volume"].as_f64().unwrap() - 0.004).abs() < 1e-12 && (a["mass"].as_f64().unwrap() - 4.0).abs() < 1e-9);
    assert!(a["sag"]["norm"].as_f64().unwrap() > a["sag"]["max"].as_f64().unwrap());
    assert!((a["quality"]["smallest_angle"].as_f64().unwrap() - 45.0).abs() < 1e-6);
    // four times as stiff: twice the frequency
    let b = analyze(&file, &["--pin-box", CLAMP, "--young", "4e5", "--poisson", "0.3", "--modes", "1"]);
    let ratio = b["frequencies_hz"][0].as_f64().unwrap() / frequencies[0];
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
    // consistent mass makes it faster, two boxes hold it more
    let c = analyze(&file, &["--pin-box", CLAMP, "--young", "1e5", "--poisson", "0.3", "--mass", "consistent"]);
    assert!(c["frequencies_hz"][0].as_f64().unwrap() > frequencies[0]);
    let d =
        analyze(&file, &["--pin-box", CLAMP, "--pin-box", "0.39,-1,-1,1,1,1", "--young", "1e5", "--poisson", "0.3"]);
    assert!(d["frequencies_hz"][0].as_f64().unwrap() > 3.0 * frequencies[0] && d["pinned"] == 18);
}

#[test]
fn a_free_body_has_six_frequencies_of_zero_and_no_sag() {
    let folder = Folder::new("free");
    let a = analyze(&folder.bar("bar.mesh"), &["--modes", "8"]);
    let f: Vec<f64> = a["frequencies_hz"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
    assert!(f[5] < 1e-2 * f[6] && f[6] > 0.1, "{f:?}");
    assert!(a["sag"].is_null() && a["notes"][0].as_str().unwrap().contains("--pin-box"));
}

#[test]
fn the_materials_of_a_file_are_used_unless_others_are_given() {
    let folder = Folder::new("veg");
    let mesh = mesh::block([4, 1, 1], Vect::from([0.4, 0.1, 0.1]));
    let half = |name: &str, range: std::ops::Range<u32>, young: f64| formats::Region {
        name: name.into(),
        elements: range.collect(),
        material: Some(formats::Material {
            name: format!("{name} flesh"),
            density: 500.0,
            law: formats::Law::Young { young, poisson: 0.4 },
        }),
    };
    let file = folder.0.join("two.veg");
    formats::write_veg(&file, &mesh, &[half("hard", 0..12, 1e6), half("soft", 12..24, 1e4)]).unwrap();
    let a = analyze(&file, &["--pin-box", CLAMP]);
    assert!((a["mass"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert!(a["notes"][1].as_str().unwrap().contains("\"soft\""), "{}", a["notes"]);
    let b = analyze(&file, &["--pin-box", CLAMP, "--young", "1e6", "--poisson", "0.4", "--density", "500"]);
    assert!(b["frequencies_hz"][0].as_f64().unwrap() > a["frequencies_hz"][0].as_f64().unwrap());
}

#[test]
fn a_flat_mesh_is_analyzed_in_the_plane() {
    let folder = Folder::new("flat");
    let file = folder.0.join("disc.obj");
    formats::write_volume(&file, &mesh::disc(5, 0.2)).unwrap();
    let a = analyze(&file, &["--pin-box", "-1,-1,1,-0.1", "--gravity", "0,-9.81"]);
    assert_eq!(a["dimension"], 2);
    assert!(a["sag"]["max"].as_f64().unwrap() > 1e-3);
}

#[test]
fn a_demo_of_no_length_still_draws() {
    let folder = Folder::new("short");
    assert!(supple(&["demo", "bar", "-o", text(&folder.0), "--seconds", "0"]).status.success());
    assert!(!std::fs::read_to_string(folder.0.join("bar.svg")).unwrap().contains("NaN"));
}

/// Two blocks that share an edge, one of them pinned: the other turns freely about it.
#[test]
fn a_hinge_has_a_frequency_of_zero_and_all_its_modes() {
    let folder = Folder::new("hinge");
    let one = mesh::block([2, 2, 2], Vect::from([0.2, 0.2, 0.2]));
    let n = one.rest.len() as u32;
    let mut two = one.clone();
    let shared = |X: &Vect<3>| X[0] == 0.2 && X[2] == 0.2;
    // the second block is the first, moved by (0.2, 0, 0.2); where they meet, vertices are the same
    let moved: Vec<Vect<3>> = one.rest.iter().map(|X| X + Vect::from([0.2, 0.0, 0.2])).collect();
    let mut number = vec![];
    for X in &moved {
        let meets = one.rest.iter().position(|Y| shared(Y) && (X - Y).norm() < 1e-9);
        number.push(meets.map_or(two.rest.len() as u32, |v| v as u32));
        if meets.is_none() {
            two.rest.push(*X);
        }
    }
    assert_eq!(two.rest.len() as u32, 2 * n - 3);
    two.corners.extend(one.corners.iter().map(|&c| number[c as usize]));
    let file = folder.0.join("hinge.mesh");
    formats::write_volume(&file, &two).unwrap();
    let a = analyze(&file, &["--pin-box", CLAMP, "--modes", "12"]);
    let f: Vec<f64> = a["frequencies_hz"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
    assert_eq!(f.len(), 12);
    assert!(f[0] < 1e-3 * f[1] && f[1] > 0.1, "{f:?}");
}

#[test]
fn mistakes_are_named_with_a_remedy_and_an_exit_code() {
    let folder = Folder::new("mistakes");
    let file = folder.bar("bar.veg");
    let bar = text(&file);
    let (code, said) = failure(&["analyze", "nowhere.veg"]);
    assert!(code == 1 && said.contains("nowhere.veg"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--pin-box", "5,5,5,6,6,6"]);
    assert!(code == 1 && said.contains("holds no vertex") && said.contains("0.4,0.1,0.1"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--pin-box", "1,2,3"]);
    assert!(code == 1 && said.contains("--pin-box needs 6"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--pin-box", "-9,-9,-9,9,9,9"]);
    assert!(code == 1 && said.contains("every vertex is pinned"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--poisson", "0.5"]);
    assert!(code == 1 && said.contains("poisson is 0.5") && said.contains("0.499"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--young", "-3"]);
    assert!(code == 1 && said.contains("young is -3 Pa"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--density", "1e308"]);
    assert!(code == 1 && said.contains("density is"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--density", "0"]);
    assert!(code == 1 && said.contains("density is 0 kg/m³"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--material", "rubber"]);
    assert!(code == 2 && said.contains("stable-neo-hookean"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--gravity", "down"]);
    assert!(code == 2 && said.contains("\"down\" is not a number"), "{said}");
    let (code, said) = failure(&["demo", "-o", &format!("{bar}/inside")]);
    assert!(code == 1 && said.contains("cannot be made"), "{said}");
}

#[test]
fn the_demo_writes_its_files_and_its_numbers() {
    let folder = Folder::new("demo");
    let out = supple(&["demo", "bar", "-o", text(&folder.0), "--seconds", "0.2", "--json"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let demo: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!((demo["mode_hz"].as_f64().unwrap() / demo["theory_hz"].as_f64().unwrap() - 1.0).abs() < 0.05, "{demo}");
    assert!(demo["measured_hz"].is_null(), "0.2 s are too short to tell a frequency: {demo}");
    for file in demo["files"].as_array().unwrap() {
        assert!(std::fs::metadata(file.as_str().unwrap()).unwrap().len() > 1000);
    }
    let out = supple(&["demo", "bar", "-o", text(&folder.0), "--seconds", "0.1", "--as", "obj"]);
    assert!(out.status.success() && folder.0.join("bar/bar_0002.obj").is_file());
}

#[test]
#[ignore = "slow: three seconds of motion"]
fn slow_the_measured_frequency_is_that_of_the_computed_mode() {
    let folder = Folder::new("frequency");
    let out = supple(&["demo", "bar", "-o", text(&folder.0), "--json"]);
    let demo: Value = serde_json::from_slice(&out.stdout).unwrap();
    let (measured, mode) = (demo["measured_hz"].as_f64().unwrap(), demo["mode_hz"].as_f64().unwrap());
    assert!((measured / mode - 1.0).abs() < 0.005, "{measured} {mode}");
}
