//! Each dial alone: what is measured from the motion is what was asked for, and the other three stay.

use std::path::PathBuf;

use math::Vect;

use super::*;

/// A folder with a small bar in it, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("supple-dials-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let bar = mesh::block([10, 2, 2], Vect::from([0.5, 0.1, 0.1]));
        formats::write_veg(&folder.join("bar.veg"), &bar, &[]).unwrap();
        Self(folder)
    }

    fn scene(&self, text: &str) -> Scene {
        let file = self.0.join("bar.toml");
        let head = "[character]\nfile = \"bar.veg\"\nfps = 24\n";
        formats::write_text(&file, &format!("{head}{text}")).unwrap();
        Scene::read(&file).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A foot that is yanked and stopped after a second.
const YANK: &str =
    "[[pin]]\nbox = [-1, -1, -1, 0.001, 1, 1]\nkeys = [{ time = 0 }, { time = 1, translate = [0, 0.4, 0] }]\n";
/// A foot that swings about an axis across the bar, and stops.
const SWING: &str = "[[pin]]\nbox = [-1, -1, -1, 0.001, 1, 1]\ninterpolation = \"cubic\"\n\
     keys = [{ time = 0 }, { time = 0.4, rotate = [0, 40, 0] }, { time = 0.8, rotate = [0, -30, 20] }, { time = 1.2 }]\n";

/// The largest error of the four ratios over all turned dials, how many rang long enough to tell, and the most simulations one took.
fn worst(scene: &Scene, rest: f64, ratios: &[f64]) -> ([f64; 4], usize, usize) {
    let stop = AtomicBool::new(false);
    let (summary, watch) = measure_scene(scene.clone(), None, &stop, &mut |_| ()).unwrap();
    let base = Measured::of(&summary, &watch, rest);
    assert!(base.ring.is_some() && base.amplitude > 1e-3, "vacuous: {base:?}");
    let (mut worst, mut rung, mut runs) = ([0.0_f64; 4], 0, 0);
    for dial in 0..4 {
        for &ratio in ratios {
            let mut dials = [1.0; 4];
            dials[dial] = ratio;
            let (summary, watch) = match measure_scene(turned(scene, dials), None, &stop, &mut |_| ()) {
                Ok(done) => done,
                Err(Error::Dial { .. }) => continue,
                Err(error) => panic!("{error}"),
            };
            runs = runs.max(summary.runs);
            let found = Measured::of(&summary, &watch, rest).ratios(&base);
            // what falls to half within half a swing has no spectrum to speak of
            let swings = summary.damped_frequency_hz.unwrap_or(0.0) * summary.half_time_s.unwrap_or(0.0);
            for k in (0..4).filter(|k| swings > 0.25 || matches!(k, 1 | 2)) {
                rung += usize::from(k == 0);
                let off = (found[k].unwrap_or(f64::NAN) / dials[k] - 1.0).abs();
                assert!(off < 0.2, "dial {dial} at {ratio}: {found:?}"); // also where it cannot be told
                worst[k] = worst[k].max(off);
            }
        }
    }
    (worst, rung, runs)
}

#[test]
fn each_dial_of_linear_flesh_moves_one_quantity_and_no_other() {
    let folder = Folder::new("linear");
    for (integrator, half_time, expected) in [("trapezoid-bdf2", 1.0, 14), ("backward-euler", 0.8, 8)] {
        let scene = folder.scene(&format!(
            "seconds = 12\nsubsteps = 1\n[tissue]\nmaterial = \"linear\"\nyoung = 3.5e5\npoisson = 0.3\n\
             damping_half_time = {half_time}\n[method]\nintegrator = \"{integrator}\"\n{YANK}"
        ));
        let (worst, rung, runs) = worst(&scene, 1.0, &[0.25, 0.5, 2.0, 4.0]);
        assert!(worst.iter().all(|off| *off < 0.01), "{integrator}: {worst:?}");
        assert!(rung >= expected && runs <= 3, "{integrator}: {rung} rang, {runs} runs");
    }
}

#[test]
fn each_dial_of_nonlinear_flesh_moves_one_quantity_and_no_other() {
    let folder = Folder::new("nonlinear");
    for material in ["stvk", "stable-neo-hookean"] {
        let scene = folder.scene(&format!(
            "seconds = 5\nsubsteps = 2\n[tissue]\nmaterial = \"{material}\"\nyoung = 1.5e6\npoisson = 0.4\n\
             damping_half_time = 0.4\n{SWING}"
        ));
        let (worst, rung, runs) = worst(&scene, 1.2, &[0.5, 2.0]);
        assert!(worst.iter().all(|off| *off < 0.05), "{material}: {worst:?}");
        assert!(worst[1] < 0.01 && runs <= 5, "{material}: amplitude {} after {runs} runs", worst[1]);
        assert_eq!(rung, 8);
    }
}

#[test]
fn amplitude_0_is_the_static_shape_of_a_scene_and_sag_0_the_shape_that_was_modelled() {
    let folder = Folder::new("zero");
    let scene = folder.scene(&format!("seconds = 1\n[tissue]\nyoung = 1e5\n{SWING}"));
    let stop = AtomicBool::new(false);
    let (summary, watch) = measure_scene(turned(&scene, [1.0, 0.0, 1.0, 1.0]), None, &stop, &mut |_| ()).unwrap();
    assert!(summary.amplitude.unwrap() < 1e-8 && watch.sag > 1e-3, "{:?} {}", summary.amplitude, watch.sag);
    let (summary, watch) = measure_scene(turned(&scene, [1.0, 1.0, 0.0, 1.0]), None, &stop, &mut |_| ()).unwrap();
    assert!(watch.sag < 1e-9 && summary.mu == 0.0, "{}", watch.sag);
    // nothing drops in the second frame: the foot has hardly moved
    let bar = &watch.frames;
    let far = bar[0].iter().zip(&bar[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(far < 0.02, "{far}");
}

/// A foot that is turned slowly onto its side, and stays there.
const TILT: &str =
    "[[pin]]\nbox = [-1, -1, -1, 0.001, 1, 1]\nkeys = [{ time = 0 }, { time = 2, rotate = [90, 0, 0] }]\n";

#[test]
fn a_shape_that_was_modelled_hanging_stays_and_sags_when_it_is_tilted() {
    let folder = Folder::new("hanging");
    let stop = AtomicBool::new(false);
    let rest = mesh::block([10, 2, 2], Vect::from([0.5, 0.1, 0.1])).rest;
    let far = |a: &[Vect<3>], b: &[Vect<3>]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let off = |x: &Vect<3>| rest.iter().map(|X| (x - X).norm()).fold(f64::INFINITY, f64::min);
    for material in ["linear", "stvk", "stable-neo-hookean"] {
        let scene = |modelled: &str| {
            folder.scene(&format!(
                "seconds = 4\n[tissue]\nmaterial = \"{material}\"\nyoung = 1e6\nmodelled = \"{modelled}\"\n[dials]\namplitude = 0\nmatch = false\n{TILT}"
            ))
        };
        let shown = |modelled: &str| measure_scene(scene(modelled), None, &stop, &mut |_| ()).unwrap();
        let ((plain, _), (hung, watch)) = (shown("weightless"), shown("hanging"));
        assert!(plain.sag.unwrap() > 0.1, "vacuous: {:?}", plain.sag);
        let (first, last) = (&watch.frames[0], &watch.frames[watch.frames.len() - 1]);
        let moved = first.iter().map(off).fold(0.0, f64::max);
        assert!(moved < 1e-6, "{material}: {moved}");
        // its weight is still there: it sags about as far as flesh of that shape (not exactly, since it hangs from another)
        let ratio = hung.sag.unwrap() / plain.sag.unwrap();
        assert!((ratio - 1.0).abs() < if material == "linear" { 0.05 } else { 0.2 }, "{material}: {ratio}");
        if material != "linear" {
            // on its side it bends sideways, by what it was held up by, and down
            let on_its_side: Vec<Vect<3>> = first.iter().map(|X| Vect::from([X[0], -X[2], X[1]])).collect();
            let tilted = far(last, &on_its_side);
            assert!(tilted > 0.02, "{material}: {tilted}");
        }
    }
}

#[test]
fn flesh_too_soft_to_hang_as_it_was_modelled_is_told() {
    let folder = Folder::new("soft");
    let text = format!("seconds = 1\n[tissue]\nyoung = 2e2\nmodelled = \"hanging\"\n{TILT}");
    let said = measure_scene(folder.scene(&text), None, &AtomicBool::new(false), &mut |_| ()).unwrap_err().to_string();
    assert!(said.contains("too soft to hang") && said.contains("young") && said.contains("bar.veg"), "{said}");
    let text = text.replace(TILT, "");
    let said = measure_scene(folder.scene(&text), None, &AtomicBool::new(false), &mut |_| ()).unwrap_err().to_string();
    assert!(said.contains("cannot hang") && said.contains("[[pin]]"), "{said}");
}

#[test]
fn what_does_not_move_is_not_simulated_again_to_match_it() {
    let folder = Folder::new("still");
    let still = "[[pin]]\nbox = [-1, -1, -1, 0.001, 1, 1]\n";
    let text =
        format!("seconds = 1\n[tissue]\nmaterial = \"stvk\"\nyoung = 1e6\n[dials]\namplitude = 2\nsag = 2\n{still}");
    let (summary, _) = measure_scene(folder.scene(&text), None, &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert_eq!((summary.runs, summary.amplitude_asked), (2, None), "{:?}", summary.tried);
    assert!(summary.notes.iter().all(|note| !note.contains("asked for")), "{:?}", summary.notes);
}

#[test]
fn dials_can_be_keyed_and_differ_over_the_body() {
    let folder = Folder::new("keyed");
    let text = |dials: &str| {
        format!("seconds = 2\n[tissue]\nmaterial = \"linear\"\nyoung = 3e4\ndamping_half_time = 0.4\n{dials}{YANK}")
    };
    let stop = AtomicBool::new(false);
    let run = |dials: &str| measure_scene(folder.scene(&text(dials)), None, &stop, &mut |_| ()).unwrap();
    let (_, base) = run("");
    // as it is until the stop, nothing after it
    let (_, keyed) = run("[dials]\nmatch = false\namplitude = [[0, 1], [0.9, 1], [0.95, 0]]\n");
    let most = |ring: &[(f64, f64)], from: f64, to: f64| {
        ring.iter().filter(|(t, _)| (from..to).contains(t)).map(|s| s.1.abs()).fold(0.0, f64::max)
    };
    assert!((most(&keyed.ring, 0.0, 0.8) / most(&base.ring_before, 0.0, 0.8) - 1.0).abs() < 1e-6);
    assert!(most(&keyed.ring, 1.3, 2.0) < 0.7 * most(&base.ring_before, 1.3, 2.0));
    // a quiet half: less than the whole, more than nothing
    let region = "[[tissue.region]]\nbox = [0.25, -1, -1, 1, 1, 1]\namplitude = 0\n[dials]\nmatch = false\n";
    let (_, quiet) = run(region);
    let share = most(&quiet.ring, 0.0, 2.0) / most(&base.ring_before, 0.0, 2.0);
    assert!((0.02..0.8).contains(&share), "{share}");
}

#[test]
fn what_cannot_be_shown_is_told_with_what_can() {
    let folder = Folder::new("told");
    let stop = AtomicBool::new(false);
    let said = |text: &str, dials: [f64; 4]| {
        measure_scene(turned(&folder.scene(text), dials), None, &stop, &mut |_| ()).unwrap_err().to_string()
    };
    let euler = format!(
        "seconds = 1\nsubsteps = 1\n[tissue]\nmaterial = \"linear\"\nyoung = 8e4\ndamping_half_time = 0.4\n[method]\n\
         integrator = \"backward-euler\"\n{YANK}"
    );
    let text = said(&euler, [1.0, 1.0, 1.0, 8.0]);
    assert!(text.contains("backward Euler at 24 steps per second") && text.contains("half-time of at most"), "{text}");
    assert!(text.contains("--substeps"), "{text}");
    let free = "seconds = 1\n[tissue]\nyoung = 1e4\n";
    let text = said(free, [2.0, 1.0, 1.0, 1.0]);
    assert!(text.contains("no natural frequency") && text.contains("[[pin]]"), "{text}");
    let all = "seconds = 1\n[[pin]]\nbox = [-9, -9, -9, 9, 9, 9]\n";
    assert!(said(all, [2.0, 1.0, 1.0, 1.0]).contains("core is the whole body"));
    let text = said(&euler, [-1.0, 1.0, 1.0, 1.0]);
    assert!(text.contains("frequency is -1") && text.contains("from 0.01 to 100"), "{text}");
    assert!(said(&euler, [1.0, f64::NAN, 1.0, 1.0]).contains("amplitude is NaN"));
}

#[test]
fn a_spin_that_is_felt_too_strongly_for_the_steps_is_told_with_the_steps_it_takes() {
    let folder = Folder::new("spin");
    let text = |substeps: usize| {
        format!(
            "substeps = {substeps}\nseconds = 0.5\n[tissue]\nyoung = 1e7\n[world]\ngravity = [0, 0, 0]\n[dials]\namplitude = 4\nmatch = false\n\
             [[pin]]\nbox = [-1, -1, -1, 0.001, 1, 1]\nkeys = [{{ time = 0 }}, {{ time = 1, rotate = [0, 0, 600] }}]\n"
        )
    };
    let told = |substeps: usize| {
        let stop = AtomicBool::new(false);
        measure_scene(folder.scene(&text(substeps)), None, &stop, &mut |_| ()).unwrap().0.notes.join("\n")
    };
    let said = told(1);
    assert!(said.contains("turns by up to 25° and feels 4.0 times") && said.contains("--substeps 3"), "{said}");
    assert!(!told(3).contains("--substeps"));
}
