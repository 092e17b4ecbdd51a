//! What the flesh is made of, element by element.
//!
//! Where no stiffness is given, it is chosen so that the body is lively but not limp: of its vibration modes on the core the tenth
//! is at [`LIVELY`], and elements in which slower ones store their energy (a fin, an ear without a bone) are made
//! stiffer until none is slower. Bodies smaller than a person are faster by √(1.8 m / size), as small animals are, so
//! that their sag is not a larger share of them.

use dynamics::{Body, lowest_modes};
use elastic::{Flesh, Lame};
use math::{Mat, Small, Vect};
use mesh::{Mass, MassKind, Mesh};

use crate::Error;
use crate::elements::Elements;
use crate::params::{DENSITY, LIVELY, POISSON, STIFFNESS, YOUNG};
use crate::scene::{TissueKeys, plain};

use super::driven::Driven;
use super::hold::Hold;

/// The material of each element.
pub(crate) struct Materials {
    pub flesh: Flesh,
    pub young: Vec<f64>,
    pub poisson: Vec<f64>,
    pub density: Vec<f64>,
    /// no stiffness was given for the body: it is to be chosen
    pub chosen: bool,
}

/// The size that [`LIVELY`] is meant for [m].
const PERSON: f64 = 1.8;
/// How many modes are looked at.
const MODES: usize = 10;

impl Materials {
    /// What the scene says, but for regions with a stiffness in Pa. `places[r]` is how much each element belongs to region r, 0 to 1. A
    /// volume's own file says what the scene does not.
    pub fn new(
        keys: &TissueKeys,
        elements: usize,
        driven: Option<&Driven>,
        places: &[Vec<f64>],
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let flesh = match &keys.material {
            Some(name) => name.parse().map_err(|e: elastic::UnknownMaterial| Error::Asked(e.to_string()))?,
            None => Flesh::StableNeoHookean,
        };
        let asked = [plain(&keys.young), plain(&keys.poisson), plain(&keys.density)];
        let mut all = match driven {
            Some(driven) => {
                let said = Elements::of(&driven.name, &driven.volume, asked, notes)?;
                let chosen = asked[0].is_none() && !said.from_file;
                Self { flesh, young: said.young, poisson: said.poisson, density: said.density, chosen }
            }
            None => Self {
                flesh,
                young: vec![YOUNG.value(asked[0])?; elements],
                poisson: vec![POISSON.value(asked[1])?; elements],
                density: vec![DENSITY.value(asked[2])?; elements],
                chosen: asked[0].is_none(),
            },
        };
        for (region, share) in keys.region.iter().zip(places) {
            let stiffness = STIFFNESS.value(plain(&region.stiffness))?;
            for (e, &s) in share.iter().enumerate() {
                all.young[e] *= stiffness.powf(s); // between regions stiffness goes by factors, not by sums
                let blend = |old: f64, new: Option<f64>| new.map_or(old, |new| old + s * (new - old));
                all.poisson[e] = blend(all.poisson[e], plain(&region.poisson));
                all.density[e] = blend(all.density[e], plain(&region.density));
            }
        }
        Ok(all)
    }

    /// Gives regions the stiffness that the scene says in Pa, whatever the rest of the body has.
    pub fn set_regions(&mut self, keys: &TissueKeys, places: &[Vec<f64>]) {
        for (region, share) in keys.region.iter().zip(places) {
            let Some(young) = plain(&region.young) else { continue };
            for (E, s) in self.young.iter_mut().zip(share) {
                *E = E.powf(1.0 - s) * young.powf(*s);
            }
        }
    }

    /// The body that they make of a mesh.
    pub fn body(&self, mesh: &Mesh<3>, hold: &Hold) -> Result<Body<3>, Error> {
        let lame: Result<Vec<Lame>, _> =
            self.young.iter().zip(&self.poisson).map(|(&E, &nu)| Lame::from_young(E, nu)).collect();
        let lame = lame.map_err(|error| Error::Lame { error, place: "the scene's [tissue]".into() })?;
        let mass = Mass::new(mesh, &self.density, MassKind::Lumped);
        let mut body = Body::new(mesh.rest.clone(), mass, vec![self.flesh.tissue(mesh, &lame)]);
        (body.pins, body.rows) = (hold.pins.clone(), hold.rows.clone());
        Ok(body)
    }

    /// Chooses the stiffness where none was given; says what it chose.
    pub fn choose(
        &mut self,
        keys: &TissueKeys,
        mesh: &Mesh<3>,
        hold: &Hold,
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        if !self.chosen {
            return Ok(());
        }
        let lively = match plain(&keys.lively) {
            Some(hz) => LIVELY.value(Some(hz))?,
            None => LIVELY.default * (PERSON / mesh.size()).sqrt().max(1.0),
        };
        if hold.is_empty() {
            return Ok(());
        }
        let highest = lowest_modes(&self.body(mesh, hold)?, &mesh.rest, MODES)?.frequencies().last().copied();
        let factor = highest.filter(|hz| *hz > 0.0).map_or(1.0, |hz| (lively / hz).powi(2));
        self.young.iter_mut().for_each(|E| *E *= factor);
        self.firm(mesh, hold, lively)?;
        let mut sorted = self.young.clone();
        sorted.sort_by(f64::total_cmp);
        let [soft, stiff] = [1, 9].map(|tenths| Rounded(sorted[(sorted.len() - 1) * tenths / 10]));
        notes.push(format!(
            "No stiffness was given: {soft} to {stiff} Pa makes all flesh swing at {lively:.1} Hz or faster."
        ));
        Ok(())
    }

    /// Makes elements stiffer in which modes slower than `slowest` [Hz] store their energy.
    fn firm(&mut self, mesh: &Mesh<3>, hold: &Hold, slowest: f64) -> Result<(), Error> {
        const ROUNDS: usize = 12;
        for _ in 0..ROUNDS {
            let body = self.body(mesh, hold)?;
            let modes = lowest_modes(&body, &mesh.rest, MODES)?;
            let slow: Vec<usize> =
                (0..modes.frequencies().len()).filter(|&k| modes.frequencies()[k] < slowest).collect();
            if slow.is_empty() {
                break;
            }
            let mut factor = vec![1.0_f64; self.young.len()];
            for k in slow {
                let energy = strain_energy(mesh, &modes.shapes[k], &self.young);
                let total: f64 = energy.iter().sum();
                // the fewest elements that hold nine tenths of the energy
                let mut order: Vec<usize> = (0..energy.len()).collect();
                order.sort_by(|&a, &b| energy[b].total_cmp(&energy[a]).then(a.cmp(&b)));
                let raise = (1.1 * slowest / modes.frequencies()[k].max(0.02 * slowest)).powi(2);
                let mut sum = 0.0;
                for e in order {
                    if sum > 0.9 * total {
                        break;
                    }
                    sum += energy[e];
                    factor[e] = factor[e].max(raise);
                }
            }
            self.young.iter_mut().zip(&factor).for_each(|(E, f)| *E = (*E * f).min(*YOUNG.range.end()));
        }
        Ok(())
    }
}

/// A number with two digits.
struct Rounded(f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = 10f64.powf(self.0.abs().max(f64::MIN_POSITIVE).log10().floor() - 1.0);
        write!(f, "{}", (self.0 / digits).round() * digits)
    }
}

/// The energy that a small displacement stores in each element, as far as shear goes: E ‖sym ∇u‖² V.
fn strain_energy(mesh: &Mesh<3>, u: &[Vect<3>], young: &[f64]) -> Vec<f64> {
    let edges = |e: &[u32], x: &[Vect<3>]| Mat::<3>::from_fn(|i, j| x[e[j + 1] as usize][i] - x[e[0] as usize][i]);
    let one = |(e, E): (&[u32], &f64)| {
        let rest = edges(e, &mesh.rest);
        let volume = rest.det() / 6.0;
        let gradient = edges(e, u) * rest.cofactor().transpose() / rest.det();
        let strain = 0.5 * (gradient + gradient.transpose());
        E * strain.norm_squared() * volume
    };
    mesh.elements().zip(young).map(one).collect()
}
