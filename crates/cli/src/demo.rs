//! `supple demo`: the built-in examples.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use supple::scene::ExampleKey;
use supple::{Bar, BarMotion, Example, Progress, Seal, show, write_glb, write_obj_sequence};

use crate::{Failure, progress, say};

/// Simulate a built-in example; no files needed
///
/// Example: supple demo bar -o out
#[derive(Args)]
pub struct Demo {
    /// Which one; without a name the main one, and the list of the others
    name: Option<Name>,
    /// Folder for what it makes; it is made if it does not exist
    #[arg(short, long, default_value = "supple-demo", value_name = "DIR")]
    output: PathBuf,
    /// What to write: one animated .glb, or an .obj for each frame
    #[arg(long = "as", default_value = "glb", value_name = "FORMAT")]
    format: Format,
    /// How long a time to simulate [s]; only for the bar
    #[arg(long, value_name = "S", value_parser = duration)]
    seconds: Option<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn duration(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=600.0).contains(&seconds) => Ok(seconds),
        _ => Err("it must be a number of seconds from 0 to 600".into()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// A character with a skeleton that hops, and whose fat follows
    Seal,
    /// A clamped bar that is pulled and released
    Bar,
    /// The dials: a flower whose foot is yanked to the side and stopped
    Sunflower,
    /// The dials: a soft body on a core that spins and swims
    Jellyfish,
    /// The dials: a heavy body on a skeleton that stomps
    Sumo,
    /// The dials: an elephant with ears and trunk of their own
    Jellyphant,
    /// Complementary dynamics: cloth that three handles fly
    Carpet,
    /// Complementary dynamics: a bar that bones twist
    Twist,
    /// Complementary dynamics: rigid bodies that fall into a heap, and wobble
    Drop,
    /// Complementary dynamics: a worm that hops
    Worm,
}

#[derive(Clone, Copy, ValueEnum, PartialEq)]
enum Format {
    Glb,
    Obj,
}

impl Demo {
    pub fn run(self) -> Result<(), Failure> {
        let folder = &self.output;
        std::fs::create_dir_all(folder)
            .map_err(|e| format!("the folder {} cannot be made: {e}. Choose another with -o.", folder.display()))?;
        let name = self.name.unwrap_or(Name::Seal);
        if !matches!(name, Name::Bar) && self.seconds.is_some() {
            return Err("--seconds is for `supple demo bar` only.".into());
        }
        match name {
            Name::Seal => self.seal()?,
            Name::Bar => self.bar()?,
            Name::Sunflower => self.dials(Example::Sunflower)?,
            Name::Jellyfish => self.dials(Example::Jellyfish)?,
            Name::Sumo => self.dials(Example::Sumo)?,
            Name::Jellyphant => self.dials(Example::Jellyphant)?,
            Name::Carpet => self.complement(ExampleKey::Carpet)?,
            Name::Twist => self.complement(ExampleKey::Twist)?,
            Name::Drop => self.complement(ExampleKey::Drop)?,
            Name::Worm => self.complement(ExampleKey::Worm)?,
        }
        if self.name.is_none() && !self.json {
            let names: Vec<String> = Name::value_variants()
                .iter()
                .filter_map(|n| Some(n.to_possible_value()?.get_name().to_string()))
                .collect();
            say(format!("\nThe examples: {}. Run one with `supple demo NAME`.", names.join(", ")))?;
        }
        Ok(())
    }

    fn seal(&self) -> Result<(), Failure> {
        let soft = match self.format {
            Format::Glb => "seal-soft.glb",
            Format::Obj => "seal-soft.obj",
        };
        let mut shown = progress::Stages::default();
        let done = Seal::default().simulate(&self.output, soft, &mut |progress| shown.show(progress));
        shown.clear();
        let (summary, picture) = done?;
        let mut summary = summary;
        summary.files.push(write_text(&self.output.join("seal.svg"), &picture)?);
        if self.json {
            return say(serde_json::to_string_pretty(&summary)?);
        }
        say("A seal on a skeleton of five bones, its fat simulated on top of the animation:")?;
        say(crate::simulate::text(&summary))
    }

    /// The motion as it is and with its dials turned, and a page that shows them side by side.
    fn dials(&self, example: Example) -> Result<(), Failure> {
        if self.format == Format::Obj {
            return Err("This example is written as .glb and as a page; --as obj is for the seal and the bar.".into());
        }
        let stop = crate::simulate::stop_on_ctrl_c();
        let mut shown = progress::Stages::default();
        let done = show(example, &self.output, &stop, &mut |what, progress| match progress {
            Progress::Doing(doing) => shown.show(Progress::Doing(&format!("{what}: {doing}"))),
            frames => shown.show(frames),
        });
        shown.clear();
        let done = done?;
        if self.json {
            let runs: serde_json::Map<String, serde_json::Value> = done
                .summaries
                .iter()
                .map(|(name, summary)| Ok((name.clone(), serde_json::to_value(summary)?)))
                .collect::<Result<_, serde_json::Error>>()?;
            return say(serde_json::to_string_pretty(&serde_json::json!({ "runs": runs, "files": done.files }))?);
        }
        for (name, summary) in &done.summaries {
            say(format!("{}, {name}:", example.name()))?;
            say(crate::simulate::numbers(summary))?;
        }
        if done.stopped {
            say("Stopped before the end.")?;
        }
        for file in &done.files {
            say(format!("Wrote {}", file.display()))?;
        }
        Ok(())
    }

    /// A rig in motion, alone and with what it leaves to physics.
    fn complement(&self, example: ExampleKey) -> Result<(), Failure> {
        let ending = if self.format == Format::Obj { "obj" } else { "glb" };
        let stop = crate::simulate::stop_on_ctrl_c();
        let mut shown = progress::Stages::default();
        let done = supple::demonstrate(example, &self.output, ending, &stop, &mut |progress| shown.show(progress));
        shown.clear();
        let summary = done?;
        if self.json { say(serde_json::to_string_pretty(&summary)?) } else { say(crate::simulate::text(&summary)) }
    }

    fn bar(&self) -> Result<(), Failure> {
        let mut bar = Bar::default();
        bar.seconds = self.seconds.unwrap_or(bar.seconds);
        let progress = progress::bar(bar.frames(), "frames");
        let motion = bar.simulate(&mut |done| progress.set_position(done as u64))?;
        progress.finish_and_clear();
        let files = self.write(&motion)?;
        if self.json { say(json(&motion, &files)) } else { say(text(&motion, &files)) }
    }

    /// Writes the animation and the picture; returns what was written.
    fn write(&self, motion: &BarMotion) -> Result<Vec<PathBuf>, Failure> {
        let mut files = match self.format {
            Format::Glb => {
                let file = self.output.join("bar.glb");
                write_glb(&file, &motion.animation)?;
                vec![file]
            }
            Format::Obj => write_obj_sequence(self.output.join("bar"), &motion.animation)?,
        };
        files.push(write_text(&self.output.join("bar.svg"), &motion.picture())?);
        Ok(files)
    }
}

fn write_text(file: &Path, text: &str) -> Result<PathBuf, Failure> {
    std::fs::write(file, text).map_err(|e| format!("{} cannot be written: {e}.", file.display()))?;
    Ok(file.to_path_buf())
}

fn text(motion: &BarMotion, files: &[PathBuf]) -> String {
    let measured = motion.measured_hz.map_or("too short to tell".into(), |f| format!("{f:.4} Hz"));
    let off = |hz: f64| {
        let off = motion.measured_hz.map(|measured| 100.0 * (measured / hz - 1.0));
        off.map(|off| format!("  (measured is {off:+.1}%)")).unwrap_or_default()
    };
    let seconds = motion.report.seconds.total.as_secs_f64();
    let written = match files {
        [first, .., last] if files.len() > 3 => {
            format!("{} … {} ({} files)", first.display(), last.display(), files.len())
        }
        _ => files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "),
    };
    format!(
        "A clamped bar of {} tets and {} vertices, pulled and released:\n  \
         frequency measured from the motion  {measured}\n  \
         lowest computed vibration mode      {:.4} Hz{}\n  \
         Timoshenko's beam theory            {:.4} Hz{}, and closer on a finer mesh (docs/engine.md)\n\
         {} frames in {seconds:.1} s, {} Newton iterations.\n\
         Wrote {written}",
        motion.tets,
        motion.vertices,
        motion.mode_hz,
        off(motion.mode_hz),
        motion.theory_hz,
        off(motion.theory_hz),
        motion.animation.frames.len(),
        motion.report.iterations,
    )
}

fn json(motion: &BarMotion, files: &[PathBuf]) -> String {
    serde_json::json!({
        "measured_hz": motion.measured_hz,
        "mode_hz": motion.mode_hz,
        "theory_hz": motion.theory_hz,
        "vertices": motion.vertices,
        "elements": motion.tets,
        "frames": motion.animation.frames.len(),
        "iterations": motion.report.iterations,
        "seconds": motion.report.seconds.total.as_secs_f64(),
        "files": files,
    })
    .to_string()
}
