//! A volume whose pins are moved by keys: every experiment without a character.

use formats::Volume;
use math::Vect;
use mesh::Surface;
use nalgebra::Rotation3;

use crate::Error;
use crate::scene::{InterpolationKey, PinKeys, PoseKeys};

use super::place::Place;

/// A volume and what moves it.
pub(crate) struct Driven {
    pub name: String,
    pub volume: Volume<3>,
    /// what is shown
    pub skin: Surface,
    /// how long [s]
    pub seconds: f64,
    /// the vertices that are held, ascending
    pub pins: Vec<u32>,
    /// which path each of them takes
    path_of: Vec<u32>,
    paths: Vec<Path>,
}

/// A rigid motion over time.
struct Path {
    about: Vect<3>,
    cubic: bool,
    keys: Vec<PoseKeys>,
}

impl Driven {
    /// Finds the pins. Where a vertex is in several, the last one moves it.
    pub fn new(
        name: String,
        volume: Volume<3>,
        skin: Surface,
        pins: &[PinKeys],
        seconds: f64,
        file: &str,
    ) -> Result<Self, Error> {
        let mut path_of_vertex = vec![None; volume.mesh.rest.len()];
        for (k, pin) in pins.iter().enumerate() {
            let place = Place::of_pin(pin);
            for v in place.vertices_of(&volume, file)? {
                path_of_vertex[v as usize] = Some(k as u32);
            }
        }
        let held = || path_of_vertex.iter().enumerate().filter_map(|(v, path)| Some((v as u32, (*path)?)));
        let (vertices, path_of) = (held().map(|h| h.0).collect(), held().map(|h| h.1).collect());
        let paths = pins.iter().enumerate().map(|(k, pin)| Path::new(pin, k)).collect::<Result<_, _>>()?;
        Ok(Self { name, volume, skin, seconds, pins: vertices, path_of, paths })
    }

    /// Where the pins are at a time [s], and all other vertices at rest.
    pub fn rig(&self, t: f64) -> Vec<Vect<3>> {
        let mut x = self.volume.mesh.rest.clone();
        let maps: Vec<_> = self.paths.iter().map(|path| path.at(t)).collect();
        for (&v, &path) in self.pins.iter().zip(&self.path_of) {
            let (R, about, moved) = &maps[path as usize];
            let x = &mut x[v as usize];
            *x = R * (*x - about) + about + moved;
        }
        x
    }

    /// When the last key is [s].
    pub fn last_key(pins: &[PinKeys]) -> f64 {
        pins.iter().flat_map(|pin| &pin.keys).map(|key| key.time).fold(0.0, f64::max)
    }
}

impl Path {
    fn new(pin: &PinKeys, number: usize) -> Result<Self, Error> {
        let finite = |key: &PoseKeys| {
            [key.time].iter().chain(&key.translate).chain(&key.rotate).all(|x| x.is_finite() && x.abs() < 1e9)
        };
        if !pin.keys.iter().all(finite) || !pin.about.iter().all(|x| x.is_finite()) {
            let what = format!("[[pin]] number {} has a key that is not a number, or is far too large.", number + 1);
            return Err(Error::Asked(what));
        }
        if let Some(k) = pin.keys.windows(2).position(|k| k[0].time >= k[1].time) {
            return Err(Error::Asked(format!(
                "[[pin]] number {}: the times of its keys must rise, but {} s comes after {} s.",
                number + 1,
                pin.keys[k + 1].time,
                pin.keys[k].time
            )));
        }
        let cubic = pin.interpolation == Some(InterpolationKey::Cubic);
        Ok(Self { about: Vect::from(pin.about), cubic, keys: pin.keys.clone() })
    }

    /// R, the point it turns about, and the translation at a time.
    fn at(&self, t: f64) -> (Rotation3<f64>, Vect<3>, Vect<3>) {
        let moved = self.value(t, |key| Vect::from(key.translate));
        let turned = self.value(t, |key| Vect::from(key.rotate.map(f64::to_radians)));
        (Rotation3::new(turned), self.about, moved)
    }

    /// A vector of the keys at a time: straight between them, or the cubic whose slopes are those of the parabolas through three keys
    /// (and 0 at the ends).
    fn value(&self, t: f64, of: impl Fn(&PoseKeys) -> Vect<3>) -> Vect<3> {
        let keys = &self.keys;
        let next = keys.partition_point(|key| key.time <= t);
        let (Some(a), Some(b)) = (next.checked_sub(1), keys.get(next)) else {
            let end = if next == 0 { keys.first() } else { keys.last() };
            return end.map_or(Vect::zeros(), of);
        };
        let (from, to) = (of(&keys[a]), of(b));
        let h = b.time - keys[a].time;
        let s = (t - keys[a].time) / h;
        if !self.cubic {
            return from + s * (to - from);
        }
        let slope = |k: usize| {
            let (Some(before), Some(after)) = (k.checked_sub(1), keys.get(k + 1)) else { return Vect::zeros() };
            let (before, here) = (&keys[before], &keys[k]);
            let (h0, h1) = (here.time - before.time, after.time - here.time);
            let (s0, s1) = ((of(here) - of(before)) / h0, (of(after) - of(here)) / h1);
            (h1 * s0 + h0 * s1) / (h0 + h1)
        };
        let r = 1.0 - s;
        from * (r * r * (1.0 + 2.0 * s))
            + to * (s * s * (3.0 - 2.0 * s))
            + (slope(a) * (h * s * r * r) - slope(a + 1) * (h * s * s * r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(cubic: bool) -> Path {
        let key = |time: f64, x: f64, z: f64| PoseKeys { time, translate: [x, 0.0, 0.0], rotate: [0.0, 0.0, z] };
        let keys = vec![key(1.0, 0.0, 0.0), key(2.0, 3.0, 90.0), key(4.0, 3.0, 450.0)];
        Path { about: Vect::from([1.0, 0.0, 0.0]), cubic, keys }
    }

    #[test]
    fn keys_are_met_and_ends_are_held() {
        for cubic in [false, true] {
            let path = path(cubic);
            for (t, x, z) in [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 3.0, 90.0), (4.0, 3.0, 450.0), (9.0, 3.0, 450.0)]
            {
                let (R, _, moved) = path.at(t);
                assert!((moved[0] - x).abs() < 1e-12, "{t}: {moved}");
                let turned = R * Vect::from([1.0, 0.0, 0.0]);
                let (sin, cos) = f64::to_radians(z).sin_cos();
                assert!((turned - Vect::from([cos, sin, 0.0])).norm() < 1e-12, "{t}: {turned}");
            }
        }
        assert!((path(false).at(1.5).2[0] - 1.5).abs() < 1e-12);
    }

    #[test]
    fn cubic_motion_has_no_sudden_change_of_speed() {
        let path = path(true);
        for t in [1.0, 2.0, 4.0] {
            let speed = |t: f64| (path.at(t + 1e-6).2[0] - path.at(t - 1e-6).2[0]) / 2e-6;
            assert!((speed(t - 1e-5) - speed(t + 1e-5)).abs() < 1e-3, "{t}");
        }
    }
}
