//! What the dials cost: static shapes and frames of a run with a deforming core, relative to its dynamics.

use std::sync::atomic::AtomicBool;

use supple::scene::Scene;
use supple::{Example, Run, Threads, simulate, with_threads, write_example};

use crate::Failure;
use crate::table::{head, heading, percent, row, verdict};

/// The largest shares of the dynamics that static shapes and frames may add.
const BARS: [f64; 2] = [0.10, 0.01];
/// How many tetrahedra, and whether the bars hold there.
const TETS: [(f64, bool); 2] = [(6000.0, false), (20_000.0, true)];

/// Prints the table.
pub fn run() -> Result<bool, Failure> {
    heading(
        "Dials",
        &format!(
            "The built-in sumo (skeleton, gravity, stable neo-Hookean), trapezoid-BDF2, two steps in each of 24 frames a second, as it is and \
             with amplitude 0.5; seconds of one run. Bars: static shapes at most {}, frames at most {} of the dynamics.",
            percent(BARS[0]),
            percent(BARS[1])
        ),
    );
    head(&["tets", "amplitude", "dynamic [s]", "static [s]", "share", "bar", "frames [s]", "share", "bar"]);
    let folder = std::env::temp_dir().join(format!("supple-bench-dials-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = write_example(Example::Sumo, &folder)?;
    let mut all_met = true;
    for (tets, barred) in TETS {
        for amplitude in [1.0, 0.5] {
            let mut scene = Scene::read(&file)?;
            scene.tissue.tets = Some(tets.into());
            scene.dials.amplitude = Some(amplitude.into());
            scene.dials.matched = Some(false);
            // an amplitude that is known saves the run that would measure it
            let run = Run { unwritten: true, known_amplitude: Some(1.0), ..Run::default() };
            // as the program does: the thread that simulates is one of those that work
            let done =
                with_threads(Threads::default(), || simulate(&scene, &run, &AtomicBool::new(false), &mut |_| ()))??;
            let dynamic = done.seconds.dynamic;
            let [still, frames] = [done.seconds.static_shapes / dynamic, done.seconds.frames / dynamic];
            let said = |share: f64, bar: f64| if barred { verdict(share, bar) } else { "no bar" };
            all_met &= !barred || (still <= BARS[0] && frames <= BARS[1]);
            row(&[
                done.tets.to_string(),
                amplitude.to_string(),
                format!("{dynamic:.1}"),
                format!("{:.2}", done.seconds.static_shapes),
                percent(still),
                said(still, BARS[0]).into(),
                format!("{:.2}", done.seconds.frames),
                percent(frames),
                said(frames, BARS[1]).into(),
            ]);
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(all_met)
}
