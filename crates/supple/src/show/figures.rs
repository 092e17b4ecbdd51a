//! The paper's figures 8 to 11, drawn from our own motions: what was prescribed against what was measured.

use super::{Bench, Measured, Take, measure_scene};
use crate::page::Plot;
use crate::simulate::Watch;
use crate::{Error, Progress, Series, Style};

const COLOURS: [&str; 5] = ["#777777", "#c0483c", "#3c6fc0", "#4a9b4a", "#9a5fb0"];

fn ring(watch: &Watch) -> &[(f64, f64)] {
    if watch.ring.is_empty() { &watch.ring_before } else { &watch.ring }
}

fn line(name: String, k: usize, points: Vec<(f64, f64)>) -> Series {
    Series { name, colour: COLOURS[k % COLOURS.len()].into(), points, style: Style::Line }
}

/// How the lowest mode swings in all takes.
pub(super) fn ringing(takes: &[Take]) -> Plot {
    let series = takes.iter().enumerate().map(|(k, take)| line(take.name.clone(), k, ring(&take.watch).to_vec()));
    Plot {
        title: "How it swings".into(),
        caption: "Share of the lowest vibration mode in the motion of the flesh relative to its static shape.".into(),
        x_label: "time [s]".into(),
        y_label: "lowest mode [m √kg]".into(),
        series: series.collect(),
    }
}

/// Curves of several motions in one plot.
fn compare(
    bench: &mut Bench,
    [title, caption]: [&str; 2],
    motions: &[(&str, [f64; 4])],
    progress: &mut dyn FnMut(&str, Progress),
) -> Result<Option<Plot>, Error> {
    let mut series = vec![];
    for (k, (name, dials)) in motions.iter().enumerate() {
        let Some((_, watch)) = bench.measure(*dials, &mut |now| progress(title, now))? else { return Ok(None) };
        series.push(line(name.to_string(), k, ring(watch).to_vec()));
    }
    Ok(Some(Plot {
        title: title.into(),
        caption: caption.into(),
        x_label: "time [s]".into(),
        y_label: "lowest mode [m √kg]".into(),
        series,
    }))
}

/// Figure 8: one of frequency, damping and amplitude changes, the other two do not.
pub(super) fn one_dial_each(bench: &mut Bench, progress: &mut dyn FnMut(&str, Progress)) -> Result<Vec<Plot>, Error> {
    let one = [1.0; 4];
    let with = |dial: usize, ratio: f64| {
        let mut dials = one;
        dials[dial] = ratio;
        dials
    };
    let mut plots = vec![];
    for (dial, title) in [
        (0, "Figure 8a: frequency ½, 1, 2; damping and amplitude fixed"),
        (3, "Figure 8b: damping ½, 1, 2; frequency and amplitude fixed"),
        (1, "Figure 8c: amplitude ½, 1, 2; frequency and damping fixed"),
    ] {
        let motions = [("as it is", one), ("½", with(dial, 0.5)), ("2", with(dial, 2.0))];
        let caption = "The yank at 0 s and the stop at 6.25 s.";
        plots.extend(compare(bench, [title, caption], &motions, progress)?);
    }
    Ok(plots)
}

/// Figure 9: an animator changes amplitude; then frequency, whereby amplitude would change; then both.
pub(super) fn user_story(bench: &mut Bench, progress: &mut dyn FnMut(&str, Progress)) -> Result<Vec<Plot>, Error> {
    let one = ("as it is", [1.0; 4]);
    let mut plots = vec![];
    let a = [one, ("amplitude ½", [1.0, 0.5, 1.0, 1.0]), ("amplitude 2", [1.0, 2.0, 1.0, 1.0])];
    plots.extend(compare(bench, ["Figure 9a: only amplitude", "The frequency stays."], &a, progress)?);
    // softer flesh, inertia as it is: what could be done before
    let mut softer = bench.setup.scene.clone();
    softer.dials.frequency = Some(0.5.into());
    softer.dials.plain_inertia = true;
    let (_, coupled) = measure_scene(softer, None, bench.stop, &mut |now| progress("Figure 9b", now))?;
    let mut curve = |dials| -> Result<Option<Vec<(f64, f64)>>, Error> {
        Ok(bench.measure(dials, &mut |now| progress("Figure 9c", now))?.map(|(_, watch)| ring(watch).to_vec()))
    };
    let (Some(base), Some(both)) = (curve(one.1)?, curve([0.5, 1.0, 1.0, 1.0])?) else { return Ok(plots) };
    let plot = |title: &str, caption: &str, name: &str, points: &[(f64, f64)]| Plot {
        title: title.into(),
        caption: caption.into(),
        x_label: "time [s]".into(),
        y_label: "lowest mode [m √kg]".into(),
        series: vec![line("as it is".into(), 0, base.clone()), line(name.into(), 1, points.to_vec())],
    };
    plots.push(plot(
        "Figure 9b: half the frequency, inertia as it is",
        "By changing the material alone, the amplitude grows.",
        "frequency ½, ε = 1",
        ring(&coupled),
    ));
    plots.push(plot(
        "Figure 9c: half the frequency, the same amplitude",
        "With scaled inertia the amplitude is back to what it was.",
        "frequency ½",
        &both,
    ));
    Ok(plots)
}

/// Figures 10 and 11: sag and amplitude for all frequencies, as prescribed and as measured.
pub(super) fn interplay(
    bench: &mut Bench,
    progress: &mut dyn FnMut(&str, Progress),
) -> Result<(Option<Plot>, Option<Plot>), Error> {
    const FREQUENCIES: [f64; 3] = [0.5, 1.0, 2.0];
    const RATIOS: [f64; 3] = [0.5, 1.0, 2.0];
    let rest = bench.setup.rest;
    let mut measure = |dials| -> Result<Option<Measured>, Error> {
        let done = bench.measure(dials, &mut |now| progress("Figures 10 and 11", now))?;
        Ok(done.map(|(summary, watch)| Measured::of(summary, watch, rest)))
    };
    let Some(base) = measure([1.0; 4])? else { return Ok((None, None)) };
    let mut plots = [
        ("Figure 10: sag against frequency", "sag, relative to what it is"),
        ("Figure 11: amplitude against frequency", "amplitude, relative to what it is"),
    ]
    .map(|(title, y_label)| Plot {
        title: title.into(),
        caption: "Dashed: prescribed. Dots: measured from the motion.".into(),
        x_label: "frequency, relative to what it is".into(),
        y_label: y_label.into(),
        series: vec![],
    });
    for (k, ratio) in RATIOS.into_iter().enumerate() {
        let mut found = [vec![], vec![]];
        for frequency in FREQUENCIES {
            // both at once: the other stays what it is prescribed to be
            let Some(found_there) = measure([frequency, ratio, ratio, 1.0])? else { return Ok((None, None)) };
            let [measured, amplitude, sag, _] = found_there.ratios(&base);
            let x = measured.unwrap_or(frequency);
            found[0].push((x, sag.unwrap_or(f64::NAN)));
            found[1].push((x, amplitude.unwrap_or(f64::NAN)));
        }
        for (plot, points) in plots.iter_mut().zip(found) {
            let asked = vec![(FREQUENCIES[0], ratio), (FREQUENCIES[2], ratio)];
            plot.series.push(Series { style: Style::Dashed, ..line(format!("{ratio} prescribed"), k, asked) });
            plot.series.push(Series { style: Style::Points, ..line(format!("{ratio} measured"), k, points) });
        }
    }
    let [sag, amplitude] = plots;
    Ok((Some(sag), Some(amplitude)))
}
