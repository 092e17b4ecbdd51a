//! An act beside its rig alone, as a film and as a sheet of stills.

use std::path::{Path, PathBuf};

use math::Vect;

use super::act::Act;
use super::film::{write_gif, write_png};
use super::raster::{Pixels, Rgb, View};
use crate::Error;

/// The rig alone, and with its complement.
const COLOURS: [Rgb; 2] = [[176, 178, 190], [236, 128, 92]];
/// Of both together [pixels].
const WIDTH: usize = 472;
const TALLEST: usize = 300;
/// What is flatter than this is shown one below the other [height over width].
const FLAT: f64 = 0.75;
/// Whoever fills less than this of the view where it stands still is followed [1].
const FOLLOWED: f64 = 0.4;
/// Pictures of a film at most, and of a sheet.
const PICTURES: usize = 100;
const STILLS: usize = 6;
/// From picture to picture [1/100 s].
const DELAY: u16 = 4;

/// Draws how an act moved beside where the rig alone has the body.
pub(crate) fn draw<const D: usize>(
    act: &Act<D>,
    frames: &[Vec<Vect<D>>],
    folder: &Path,
    name: &str,
) -> Result<Vec<PathBuf>, Error> {
    let placed = |k: usize| [act.skin.place(&act.rigged(k as f64 * act.track.dt)), act.skin.place(&frames[k])];
    let motion =
        Motion { flat: D == 2, triangles: &act.skin.triangles, dt: act.track.dt, count: frames.len(), placed: &placed };
    motion.draw(folder, name)
}

/// Two bodies of the same triangles that move.
pub(crate) struct Motion<'a> {
    /// seen from the front, as a drawing
    pub flat: bool,
    pub triangles: &'a [[u32; 3]],
    /// from frame to frame [s]
    pub dt: f64,
    /// how many frames there are
    pub count: usize,
    /// where both have their vertices in a frame
    pub placed: &'a dyn Fn(usize) -> [Vec<Vect<3>>; 2],
}

impl Motion<'_> {
    /// Writes NAME.gif and NAME.png: the first body left (or above), the second right (or below).
    pub fn draw(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>, Error> {
        let Self { flat, triangles, dt, count, placed } = *self;
        // in real time where that is enough pictures, slower where it would be over at once
        let each = (f64::from(DELAY) / 100.0 / dt).max(1.0);
        let each = (each * (count as f64 / each / 45.0).min(1.0)).max(count as f64 / PICTURES as f64).max(1.0);
        let chosen: Vec<usize> = (0..).map(|k| (k as f64 * each) as usize).take_while(|k| *k < count).collect();
        let mut seen: Vec<[Vec<Vect<3>>; 2]> = chosen.iter().map(|&k| placed(k)).collect();
        let view = View::around(flat, seen.iter().flatten().flatten());
        // who goes far is followed
        let mut followed = seen.clone();
        for x in &mut followed {
            let middle = x[0].iter().sum::<Vect<3>>() / x[0].len().max(1) as f64;
            x.iter_mut().flatten().for_each(|x| *x -= middle);
        }
        let near = View::around(flat, followed.iter().flatten().flatten());
        let view = if near.area() < FOLLOWED * view.area() {
            seen = followed;
            near
        } else {
            view
        };
        let below = view.aspect() < FLAT;
        let width = if below { WIDTH } else { WIDTH / 2 };
        let height = ((width as f64 * view.aspect()).round() as usize).clamp(60, TALLEST);
        let size = if below { [width, 2 * height] } else { [2 * width, height] };
        let pair = |x: &[Vec<Vect<3>>; 2]| {
            let mut both = Pixels::new(size[0], size[1]);
            for (k, (x, colour)) in x.iter().zip(COLOURS).enumerate() {
                let [left, top] = if below { [0, k * height] } else { [k * width, 0] };
                both.paste(&Pixels::of(width, height, &view, x, triangles, colour), left, top);
            }
            both
        };
        let pictures: Vec<Pixels> = seen.iter().map(pair).collect();
        let film = folder.join(format!("{name}.gif"));
        write_gif(&film, &pictures, DELAY)?;
        let mut sheet = Pixels::new(2 * size[0], STILLS.div_ceil(2) * size[1]);
        for k in 0..STILLS {
            let of = (k + 1) * (pictures.len() - 1) / STILLS;
            sheet.paste(&pictures[of], k % 2 * size[0], k / 2 * size[1]);
        }
        let still = folder.join(format!("{name}.png"));
        write_png(&still, &sheet)?;
        Ok(vec![film, still])
    }
}
