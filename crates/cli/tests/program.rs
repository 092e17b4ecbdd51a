//! The program as a user meets it.

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
    assert!(code == 1 && said.contains("below 0.5"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--young", "-3"]);
    assert!(code == 1 && said.contains("Young's modulus is -3"), "{said}");
    let (code, said) = failure(&["analyze", bar, "--density", "0"]);
    assert!(code == 1 && said.contains("density is 0"), "{said}");
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
