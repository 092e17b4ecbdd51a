//! The four dials, frequency, amplitude, sag and damping, as ratios over time, and the factors χ, μ, c, ε that they stand for.

use dynamics::{Damping, Scales};

use crate::nature::Nature;
use crate::poles::{Rayleigh, Seen, tuned};
use crate::unreachable::Unreachable;

/// A number over time: straight between its keys, constant before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyed(Vec<(f64, f64)>);

impl Default for Keyed {
    fn default() -> Self {
        Self::constant(1.0)
    }
}

impl Keyed {
    /// The same number at all times.
    pub fn constant(value: f64) -> Self {
        Self(vec![(0.0, value)])
    }

    /// From (time [s], value) pairs; none where there are none, where times do not rise, or a number is not finite.
    pub fn new(keys: Vec<(f64, f64)>) -> Option<Self> {
        let finite = keys.iter().all(|(t, value)| t.is_finite() && value.is_finite());
        (!keys.is_empty() && finite && keys.windows(2).all(|k| k[0].0 < k[1].0)).then_some(Self(keys))
    }

    /// Its value at a time [s].
    pub fn at(&self, t: f64) -> f64 {
        let next = self.0.partition_point(|key| key.0 <= t);
        match (next.checked_sub(1).map(|k| self.0[k]), self.0.get(next)) {
            (Some((a, x)), Some(&(b, y))) => x + (t - a) / (b - a) * (y - x),
            (Some((_, x)), None) => x,
            (None, Some(&(_, y))) => y,
            (None, None) => 1.0,
        }
    }

    /// This times another, at all keys of both and between them.
    pub fn times(&self, other: &Self) -> Self {
        let mut times: Vec<f64> = self.0.iter().chain(&other.0).map(|key| key.0).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        // a product of two slopes is a parabola: some points of it
        let between = times.windows(2).flat_map(|t| (1..4).map(move |k| t[0] + k as f64 / 4.0 * (t[1] - t[0])));
        let mut all: Vec<f64> = between.collect();
        all.extend(&times);
        all.sort_by(f64::total_cmp);
        let times = if self.is_constant() || other.is_constant() { times } else { all };
        Self(times.into_iter().map(|t| (t, self.at(t) * other.at(t))).collect())
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        self.0.iter().all(|key| key.1 == self.0[0].1)
    }

    /// Its keys.
    pub fn keys(&self) -> &[(f64, f64)] {
        &self.0
    }

    fn is_one(&self) -> bool {
        self.0.iter().all(|key| key.1 == 1.0)
    }
}

/// What the artist asks for, each relative to the body as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dials {
    /// how fast it swings
    pub frequency: Keyed,
    /// how far inertia swings it
    pub amplitude: Keyed,
    /// how far its weight pulls it down
    pub sag: Keyed,
    /// how long it swings: the half-time
    pub damping: Keyed,
}

impl Dials {
    /// All of them.
    pub fn all(&self) -> [&Keyed; 4] {
        [&self.frequency, &self.amplitude, &self.sag, &self.damping]
    }

    /// Whether nothing is asked for.
    pub fn are_one(&self) -> bool {
        self.all().iter().all(|dial| dial.is_one())
    }

    /// Times at which to look so that nothing is missed: the keys, and some between them [s].
    fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.all().iter().flat_map(|dial| dial.keys()).map(|key| key.0).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let between = times.windows(2).flat_map(|t| (1..8).map(move |k| t[0] + k as f64 / 8.0 * (t[1] - t[0])));
        let all: Vec<f64> = between.collect();
        times.extend(all);
        times
    }
}

/// Factors of the equation: δ = 1, γ = χ².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// χ, on all natural frequencies
    pub chi: f64,
    /// μ, on gravity
    pub mu: f64,
    /// c_m, on mass damping
    pub c_m: f64,
    /// c_k, on stiffness damping
    pub c_k: f64,
    /// ε, on inertial forces
    pub epsilon: f64,
}

impl Factor {
    const ONE: Self = Self { chi: 1.0, mu: 1.0, c_m: 1.0, c_k: 1.0, epsilon: 1.0 };

    /// The factors that show what is asked for at a time [s], with `inertia` as what amplitude 1 takes.
    pub fn of(nature: &Nature, dials: &Dials, inertia: f64, t: f64) -> Result<Self, Unreachable> {
        let [frequency, amplitude, sag, damping] = dials.all().map(|dial| dial.at(t));
        let mut factor = Self { epsilon: inertia * amplitude, ..Self::ONE };
        let sagging = nature.sagging(sag);
        if frequency == 1.0 && damping == 1.0 && sag == 1.0 {
            return Ok(factor);
        }
        match nature.seen {
            // METHODS A15, A16: what is seen on screen has the ratios that are asked for
            Some(Seen { frequency: swing, decay }) => {
                let wanted = Seen { frequency: frequency * swing, decay: decay / damping };
                let tuned = tuned(nature.clock, Rayleigh::Mass, wanted)?;
                factor.chi = tuned.omega / sagging.omega;
                let (body, drag) = (nature.damping, factor.chi.powi(2) * sagging.drag);
                match nature.kind {
                    Rayleigh::Mass => factor.c_m = tuned.damping.mass / body.mass,
                    Rayleigh::Stiffness => factor.c_k = tuned.damping.mass / (drag * body.stiffness),
                }
            }
            // it does not swing: the rules for what it would be without damping (A13)
            None => {
                factor.chi = frequency * nature.omega / sagging.omega;
                (factor.c_m, factor.c_k) = (1.0 / damping, 1.0 / (factor.chi.powi(2) * damping));
            }
        }
        factor.mu = sagging.load * factor.chi.powi(2);
        Ok(factor)
    }

    /// The damping that it makes of a body's.
    pub fn damping(&self, body: Damping) -> Damping {
        Damping { mass: self.c_m * body.mass, stiffness: self.c_k * body.stiffness }
    }
}

/// A place on the body with dials of its own.
#[derive(Clone, Debug)]
pub struct Placed {
    /// what is asked for there
    pub dials: Dials,
    /// how much each vertex belongs to it, 0 to 1
    pub vertices: Vec<f64>,
    /// how much each element belongs to it, 0 to 1
    pub elements: Vec<f64>,
}

/// Dials on a body.
#[derive(Clone, Debug)]
pub struct Plan {
    /// the body by itself
    pub nature: Nature,
    /// what is asked for
    pub dials: Dials,
    /// and elsewhere
    pub places: Vec<Placed>,
    /// what ε is at amplitude 1: found by simulating
    pub inertia: f64,
}

impl Plan {
    /// Whether all that is asked for can be shown.
    pub fn check(&self) -> Result<(), Unreachable> {
        for dials in self.all_dials() {
            for t in dials.times() {
                Factor::of(&self.nature, dials, self.inertia, t)?;
            }
        }
        Ok(())
    }

    /// The factors of the body at a time [s].
    pub fn factor(&self, t: f64) -> Factor {
        self.of(&self.dials, t)
    }

    /// Whether nothing is asked for anywhere.
    pub fn is_one(&self) -> bool {
        self.all_dials().all(Dials::are_one)
    }

    /// Whether the factors never change.
    pub fn is_constant(&self) -> bool {
        self.all_dials().flat_map(Dials::all).all(Keyed::is_constant)
    }

    /// The ratio of the amplitude, where it is one number and nothing else is turned.
    pub fn only_amplitude(&self) -> Option<f64> {
        let rest = Dials { amplitude: Keyed::default(), ..self.dials.clone() };
        let alone = self.places.is_empty() && rest.are_one() && self.dials.amplitude.is_constant();
        alone.then(|| self.dials.amplitude.at(0.0))
    }

    /// What the amplitude dial is at a time and vertex.
    pub fn amplitude(&self, t: f64, vertex: usize) -> f64 {
        self.blend(vertex, true, self.dials.amplitude.at(t), |place| self.places[place].dials.amplitude.at(t))
    }

    fn all_dials(&self) -> impl Iterator<Item = &Dials> {
        std::iter::once(&self.dials).chain(self.places.iter().map(|place| &place.dials))
    }

    fn of(&self, dials: &Dials, t: f64) -> Factor {
        // `check` has been passed; what rounding may still refuse stays as it is
        Factor::of(&self.nature, dials, self.inertia, t).unwrap_or(Factor::ONE)
    }

    /// A value of the body at a vertex or element, drawn to those of places as far as it belongs to them.
    fn blend(&self, i: usize, is_vertex: bool, body: f64, of_place: impl Fn(usize) -> f64) -> f64 {
        self.places.iter().enumerate().fold(body, |value, (k, place)| {
            let share = if is_vertex { &place.vertices } else { &place.elements };
            value + share.get(i).copied().unwrap_or(0.0) * (of_place(k) - value)
        })
    }

    /// The factors of all vertices and elements at a time [s].
    pub fn scales(&self, t: f64, vertices: usize, elements: usize, scales: &mut Scales) {
        let body = self.factor(t);
        let there: Vec<Factor> = self.places.iter().map(|place| self.of(&place.dials, t)).collect();
        let fill = |list: &mut Vec<f64>, count: usize, is_vertex: bool, get: fn(&Factor) -> f64| {
            list.clear();
            if self.places.is_empty() && get(&body) == 1.0 {
                return;
            }
            list.extend((0..count).map(|i| self.blend(i, is_vertex, get(&body), |k| get(&there[k]))));
        };
        fill(&mut scales.stiffness, elements, false, |f| f.chi * f.chi);
        fill(&mut scales.gravity, vertices, true, |f| f.mu);
        fill(&mut scales.inertia, vertices, true, |f| f.epsilon);
        fill(&mut scales.mass_damping, vertices, true, |f| f.c_m);
        fill(&mut scales.stiffness_damping, elements, false, |f| f.c_k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_joined_by_straight_lines() {
        let keyed = Keyed::new(vec![(1.0, 2.0), (3.0, 4.0)]).unwrap();
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| keyed.at(t)), [2.0, 2.0, 3.0, 4.0, 4.0]);
        assert_eq!(Keyed::new(vec![]), None);
        assert_eq!(Keyed::new(vec![(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(Keyed::new(vec![(f64::NAN, 1.0)]), None);
        assert!(Keyed::default().is_one() && keyed.at(f64::NAN).is_finite());
        let other = Keyed::new(vec![(0.0, 1.0), (4.0, 3.0)]).unwrap();
        let product = keyed.times(&other);
        for t in [-1.0, 0.0, 1.0, 1.5, 3.0, 5.0] {
            assert!((product.at(t) - keyed.at(t) * other.at(t)).abs() < 1e-12, "{t}");
        }
        assert_eq!(keyed.times(&Keyed::constant(2.0)).at(2.0), 6.0);
    }
}
