//! What each element of a volume's file is made of: what was asked for, else what the file says, else the defaults.

use elastic::Lame;
use formats::{Law, Volume};

use crate::Error;
use crate::params::{DENSITY, POISSON, YOUNG};

/// Young's modulus, Poisson's ratio and density of each element.
pub(crate) struct Elements {
    pub young: Vec<f64>,
    pub poisson: Vec<f64>,
    pub density: Vec<f64>,
    /// the file says how stiff they are
    pub from_file: bool,
    /// where the values of each came from, as a number in `sources`
    source: Vec<usize>,
    sources: Vec<String>,
}

impl Elements {
    /// `asked` are E [Pa], ν and density [kg/m³], where they are given.
    pub fn of<const D: usize>(
        file: &str,
        volume: &Volume<D>,
        asked: [Option<f64>; 3],
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let count = volume.mesh.element_count();
        let params = [&YOUNG, &POISSON, &DENSITY];
        let mut values = [0.0; 3];
        for (k, param) in params.into_iter().enumerate() {
            values[k] = param.value(asked[k])?;
        }
        let mut all = Self {
            young: vec![values[0]; count],
            poisson: vec![values[1]; count],
            density: vec![values[2]; count],
            from_file: false,
            source: vec![0; count],
            sources: vec!["the material values given".into()],
        };
        for region in &volume.regions {
            let Some(material) = &region.material else { continue };
            let both = asked[0].is_some() && asked[1].is_some();
            let [young, poisson] = match material.law {
                _ if both => [values[0], values[1]],
                Law::Young { young, poisson } => [asked[0].unwrap_or(young), asked[1].unwrap_or(poisson)],
                Law::MooneyRivlin { .. } => return Err(unknown_law(file, &region.name, "Mooney–Rivlin constants")),
                Law::Orthotropic { .. } => return Err(unknown_law(file, &region.name, "an orthotropic material")),
            };
            let place = format!("{file}, {}", material.name);
            let density = asked[2].unwrap_or(material.density);
            if !DENSITY.range.contains(&density) {
                return Err(Error::Density { density, place });
            }
            all.sources.push(place);
            for &e in &region.elements {
                let e = e as usize;
                (all.young[e], all.poisson[e], all.density[e]) = (young, poisson, density);
                all.source[e] = all.sources.len() - 1;
            }
            all.from_file |= asked[0].is_none();
            if asked.iter().any(Option::is_none) {
                notes.push(format!("The region {:?} has the material {:?} of the file.", region.name, material.name));
            }
        }
        Ok(all)
    }

    /// The Lamé parameters of each.
    pub fn lame(&self) -> Result<Vec<Lame>, Error> {
        let one = |e: usize| {
            Lame::from_young(self.young[e], self.poisson[e])
                .map_err(|error| Error::Lame { error, place: self.sources[self.source[e]].clone() })
        };
        (0..self.young.len()).map(one).collect()
    }
}

fn unknown_law(file: &str, region: &str, law: &'static str) -> Error {
    Error::Law { region: region.into(), law, file: file.into() }
}
