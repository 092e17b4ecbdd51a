//! A stopped run goes on to the same bits.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use supple::scene::Scene;
use supple::{Progress, Run, Summary, simulate};

fn scene(folder: &Path, output: &str) -> Scene {
    let mut scene = Scene::default();
    scene.character.file = Some(folder.join("seal.glb"));
    scene.character.fps = Some(8.0.into());
    scene.character.preroll = Some(0.25.into());
    scene.tissue.tets = Some(300.0.into());
    scene.output.file = Some(folder.join(output));
    scene.output.files = vec![folder.join(output).with_extension("pc2")];
    scene
}

fn run(scene: &Scene, resume: bool, stop_after: Option<usize>) -> Summary {
    let stop = AtomicBool::new(false);
    let run = Run { resume, ..Run::default() };
    simulate(scene, &run, &stop, &mut |progress| {
        if let Progress::Frames { done, .. } = progress
            && stop_after.is_some_and(|last| done >= last)
        {
            stop.store(true, Ordering::SeqCst);
        }
    })
    .unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("supple-resume-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    supple::write_seal(&folder.join("seal.glb")).unwrap();
    folder
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bits() {
    let folder = folder("bits");
    let whole = run(&scene(&folder, "whole.glb"), false, None);
    assert_eq!((whole.frames, whole.stopped), (25, false));

    let stopped = scene(&folder, "stopped.glb");
    let first = run(&stopped, false, Some(9));
    assert!(first.stopped && first.frames == 9, "{}", first.frames);
    // what there is can be opened
    let partial = formats::read_gltf(folder.join("stopped.glb")).unwrap();
    assert_eq!(partial.parts.len(), 1);
    let second = run(&stopped, true, None);
    assert_eq!((second.frames, second.stopped), (25, false));
    for ending in ["glb", "pc2"] {
        let [a, b] = ["whole", "stopped"].map(|name| std::fs::read(folder.join(name).with_extension(ending)).unwrap());
        assert!(a.len() > 1000 && a == b, "{ending} differs");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn other_settings_do_not_go_on() {
    let folder = folder("other");
    let mut scene = scene(&folder, "a.glb");
    run(&scene, false, Some(3));
    scene.tissue.young = Some(1e5.into());
    let stop = AtomicBool::new(false);
    let error = simulate(&scene, &Run { resume: true, ..Run::default() }, &stop, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("other settings"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Stopped while the amplitude was being matched, also between two simulations.
#[test]
fn a_stopped_search_goes_on_to_the_same_bits() {
    let folder = folder("search");
    let with_dials = |output: &str| {
        let mut scene = scene(&folder, output);
        scene.dials.amplitude = Some(2.0.into());
        scene.dials.frequency = Some(0.8.into());
        scene
    };
    let whole = run(&with_dials("whole.glb"), false, None);
    assert!(whole.runs >= 2 && !whole.stopped, "{}", whole.runs);
    let stopped = with_dials("stopped.glb");
    let first = run(&stopped, false, Some(9));
    assert!(
        first.stopped && first.runs == 0 && first.notes.iter().any(|n| n.contains("without the dials")),
        "{first:?}"
    );
    let again = run(&stopped, true, Some(7));
    assert!(again.stopped, "{again:?}");
    let last = run(&stopped, true, None);
    assert_eq!((last.frames, last.stopped, last.runs), (25, false, whole.runs));
    assert_eq!(last.amplitude, whole.amplitude);
    for ending in ["glb", "pc2"] {
        let [a, b] = ["whole", "stopped"].map(|name| std::fs::read(folder.join(name).with_extension(ending)).unwrap());
        assert!(a.len() > 1000 && a == b, "{ending} differs");
    }
    assert!(!folder.join("stopped.glb.search").exists() && !folder.join("stopped.glb.frames.memory").exists());
    std::fs::remove_dir_all(folder).unwrap();
}
