//! `supple simulate`: a character in, the character with flesh out.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use supple::params::{self, Param};
use supple::scene::{IntegratorKey, MethodKind, ModelledKey, Number, Scene, ShapesKey};
use supple::{Run, Summary};

use crate::{Failure, progress, say};

/// Give a character soft flesh
///
/// The result moves as the artist made it, and its flesh jiggles on top of that. Frames are on disk as they are done:
/// Ctrl-C stops with what there is, --resume goes on.
///
/// Example: supple simulate fox.glb -o soft-fox.glb --clip Run
#[derive(Args)]
pub struct Simulate {
    /// A character (.glb, .gltf) or a scene (.toml)
    input: PathBuf,
    /// Where the result goes: .glb, .abc, .usda, .pc2, .mdd, .npz, .obj; may be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Which of the character's clips; without it the first
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Motion capture (.bvh) to play instead of a clip
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// How the rig moves the flesh [default: complement; attach where a core is chosen or there is no rig]
    #[arg(long, value_name = "KIND")]
    method: Option<Method>,
    /// What it is made of
    #[arg(long, value_parser = crate::analyze::material_names(), value_name = "NAME")]
    material: Option<String>,
    #[arg(long, allow_negative_numbers = true, help = &*params::YOUNG.help, value_name = params::YOUNG.unit)]
    young: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::POISSON), value_name = "RATIO")]
    poisson: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::DENSITY), value_name = params::DENSITY.unit)]
    density: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::HALF_TIME), value_name = params::HALF_TIME.unit)]
    damping_half_time: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = &*params::LIVELY.help, value_name = params::LIVELY.unit)]
    lively: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::CORE), value_name = "SHARE")]
    core: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::FREQUENCY), value_name = "RATIO")]
    frequency: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::AMPLITUDE), value_name = "RATIO")]
    amplitude: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::SAG), value_name = "RATIO")]
    sag: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::DAMPING), value_name = "RATIO")]
    damping: Option<f64>,
    /// What the modelled shape is [default: weightless]
    #[arg(long, value_name = "KIND")]
    modelled: Option<Modelled>,
    /// Predict what the dials take, do not simulate again to match the amplitude
    #[arg(long)]
    no_match: bool,
    #[arg(long, allow_negative_numbers = true, help = help(&params::TETS), value_name = "N")]
    tets: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::FPS), value_name = params::FPS.unit)]
    fps: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::SUBSTEPS), value_name = "N")]
    substeps: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::SPEED), value_name = "RATIO")]
    speed: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::LOOPS), value_name = "N")]
    loops: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::PREROLL), value_name = params::PREROLL.unit)]
    preroll: Option<f64>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::POSTROLL), value_name = params::POSTROLL.unit)]
    postroll: Option<f64>,
    /// How steps are made [default: trapezoid-bdf2]
    #[arg(long, value_name = "NAME")]
    integrator: Option<Integrator>,
    /// What a .glb holds [default: principal]
    #[arg(long, value_name = "KIND")]
    shapes: Option<Shapes>,
    #[arg(long, allow_negative_numbers = true, help = help(&params::TOLERANCE), value_name = "SHARE")]
    tolerance: Option<f64>,
    /// No simulation: the flesh follows the rig
    #[arg(long)]
    no_physics: bool,
    /// Take the size of the file as it is, however large or small
    #[arg(long)]
    real_size: bool,
    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,
    /// Keep the frames on disk (OUT.frames) when all is done
    #[arg(long)]
    keep_frames: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Method {
    /// Flesh moves in the space that the rig cannot reach
    Complement,
    /// A core near the bones follows the rig, flesh hangs on it
    Attach,
}

#[derive(Clone, Copy, ValueEnum)]
enum Modelled {
    /// Flesh before it has any weight: it sags from there
    Weightless,
    /// Flesh as it hangs at rest: nothing drops, and it sags another way when it is tilted
    Hanging,
}

#[derive(Clone, Copy, ValueEnum)]
enum Integrator {
    /// Keeps energy
    TrapezoidBdf2,
    /// Loses some
    BackwardEuler,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shapes {
    /// As few shapes as the tolerance allows
    Principal,
    /// One shape for each frame
    PerFrame,
}

/// Becomes true with the first Ctrl-C. The second ends the program at once; the frames on disk stay good.
pub(crate) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let pressed = stop.clone();
    let _ = ctrlc::set_handler(move || {
        if pressed.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    stop
}

fn help(param: &Param) -> String {
    format!("{} [default: {}]", param.help, param.default)
}

impl Simulate {
    pub fn run(self) -> Result<(), Failure> {
        let scene = self.scene()?;
        let stop = stop_on_ctrl_c();
        let run = Run { resume: self.resume, keep_frames: self.keep_frames, ..Run::default() };
        let mut shown = progress::Stages::default();
        let summary = supple::simulate(&scene, &run, &stop, &mut |progress| shown.show(progress));
        shown.clear();
        let summary = summary?;
        if self.json { say(serde_json::to_string_pretty(&summary)?) } else { say(text(&summary)) }
    }

    /// The scene of the file, or of the character; what flags say goes before what the file says.
    fn scene(&self) -> Result<Scene, Failure> {
        let is_scene = self.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        let mut scene = if is_scene { Scene::read(&self.input)? } else { Scene::default() };
        if !is_scene {
            scene.character.file = Some(self.input.clone());
        }
        if !self.output.is_empty() {
            scene.output.file = None;
            scene.output.files = self.output.clone();
        }
        let set = |key: &mut Number, flag: Option<f64>| {
            if let Some(value) = flag {
                *key = Some(value.into());
            }
        };
        let (c, t, m) = (&mut scene.character, &mut scene.tissue, &mut scene.method);
        for (key, flag) in [
            (&mut c.fps, self.fps),
            (&mut c.substeps, self.substeps),
            (&mut c.speed, self.speed),
            (&mut c.loops, self.loops),
            (&mut c.preroll, self.preroll),
            (&mut c.postroll, self.postroll),
            (&mut t.young, self.young),
            (&mut t.poisson, self.poisson),
            (&mut t.density, self.density),
            (&mut t.damping_half_time, self.damping_half_time),
            (&mut t.lively, self.lively),
            (&mut t.tets, self.tets),
            (&mut m.core, self.core),
            (&mut scene.output.tolerance, self.tolerance),
        ] {
            set(key, flag);
        }
        let d = &mut scene.dials;
        for (key, flag) in [
            (&mut d.frequency, self.frequency),
            (&mut d.amplitude, self.amplitude),
            (&mut d.sag, self.sag),
            (&mut d.damping, self.damping),
        ] {
            if let Some(ratio) = flag {
                *key = Some(ratio.into());
            }
        }
        if self.no_match {
            d.matched = Some(false);
        }
        if self.clip.is_some() {
            (c.clip, c.motion) = (self.clip.clone(), None);
        }
        if self.motion.is_some() {
            (c.motion, c.clip) = (self.motion.clone(), None);
        }
        c.real_size |= self.real_size;
        m.no_physics |= self.no_physics;
        if self.material.is_some() {
            t.material = self.material.clone();
        }
        t.modelled = match self.modelled {
            None => t.modelled,
            Some(Modelled::Weightless) => Some(ModelledKey::Weightless),
            Some(Modelled::Hanging) => Some(ModelledKey::Hanging),
        };
        m.kind = match self.method {
            None => m.kind,
            Some(Method::Attach) => Some(MethodKind::Attach),
            Some(Method::Complement) => Some(MethodKind::Complement),
        };
        m.integrator = match self.integrator {
            None => m.integrator,
            Some(Integrator::TrapezoidBdf2) => Some(IntegratorKey::TrapezoidBdf2),
            Some(Integrator::BackwardEuler) => Some(IntegratorKey::BackwardEuler),
        };
        scene.output.shapes = match self.shapes {
            None => scene.output.shapes,
            Some(Shapes::Principal) => Some(ShapesKey::Principal),
            Some(Shapes::PerFrame) => Some(ShapesKey::PerFrame),
        };
        Ok(scene)
    }
}

/// What holds the flesh, in words.
fn held(s: &Summary) -> String {
    match s.method {
        Some(MethodKind::Complement) => format!("{} directions left to the rig", s.rows),
        _ => format!("{} of them in the core", s.core),
    }
}

pub(crate) fn text(s: &Summary) -> String {
    let mut out = String::new();
    for note in &s.notes {
        let _ = writeln!(out, "Note: {note}");
    }
    let done = format!("{} of {} frames in {:.1} s", s.frames, s.frames_asked, s.seconds.total);
    let _ = match &s.performed {
        Some(p) => writeln!(
            out,
            "{} elements, {} vertices, {} rig parameters; {done}, {:.1} ms each; secondary motion up to {:.3} m",
            p.elements, s.vertices, p.parameters, p.ms_per_frame, p.largest_secondary
        ),
        None => writeln!(out, "{} tets, {} vertices, {}; {done}", s.tets, s.vertices, held(s)),
    };
    let numbers = numbers(s);
    if !numbers.is_empty() {
        let _ = writeln!(out, "{numbers}");
    }
    if s.stopped {
        let _ = writeln!(
            out,
            "Stopped before the end. {}",
            if s.performed.is_some() { "" } else { "Go on with --resume." }
        );
    }
    for file in &s.files {
        let _ = writeln!(out, "Wrote {}", file.display());
    }
    out.trim_end().to_string()
}

/// What the flesh is, and what the dials took.
pub(crate) fn numbers(s: &Summary) -> String {
    let mut out = String::new();
    if let (Some(hz), Some(amplitude)) = (s.frequency_hz, s.amplitude) {
        let seen = s.damped_frequency_hz.map_or("does not swing".into(), |hz| format!("{hz:.2} Hz"));
        let half = s.half_time_s.map_or(String::new(), |t| format!(", half-time {t:.3} s"));
        let _ = writeln!(
            out,
            "natural frequency {hz:.2} Hz (seen: {seen}){half}, sag {:.4} m, inertial amplitude {amplitude:.4} m√s",
            s.sag.unwrap_or(0.0)
        );
    }
    if let Some(asked) = s.amplitude_asked {
        let _ = writeln!(
            out,
            "dials: χ {:.4}, μ {:.4}, c_k {:.4}, c_m {:.4}, ε {:.4}; amplitude asked for {asked:.4} m√s; {} simulations",
            s.chi, s.mu, s.c_k, s.c_m, s.epsilon, s.runs
        );
    }
    out.trim_end().to_string()
}
