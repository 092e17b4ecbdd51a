//! The line below `*MATERIAL`.

use crate::text::Line;
use crate::{FormatError, Law, Material};

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

pub(super) fn read(name: String, line: &mut Line) -> Result<Material, FormatError> {
    let kind = line.word().unwrap_or_default().to_ascii_uppercase();
    let density = line.number("the density of the material")?;
    let what = "a number of the material";
    let law = match kind.as_str() {
        "ENU" => Law::Young { young: line.number(what)?, poisson: line.number(what)? },
        "MOONEYRIVLIN" => {
            Law::MooneyRivlin { mu01: line.number(what)?, mu10: line.number(what)?, v1: line.number(what)? }
        }
        _ => match kind.strip_prefix("ORTHOTROPIC") {
            Some("") => orthotropic("N3G3R9", line)?,
            Some(suffix) if suffix.starts_with('_') => orthotropic(&suffix[1..], line)?,
            _ => return Err(unknown(&kind, line)),
        },
    };
    Ok(Material { name, density, law })
}

/// The suffix spells what follows the three stiffnesses: N (1 or 3) Poisson ratios, G (1 or 3) shear stiffnesses, and
/// R9, the axes. One ratio ν stands for ν₁₂ = ν √(E₁/E₂), one G for G₁₂ = G √(E₁E₂) / (2 (1 + ν)), and so around.
fn orthotropic(suffix: &str, line: &mut Line) -> Result<Law, FormatError> {
    let (suffix_without_axes, turned) = match suffix.strip_suffix("R9") {
        Some(rest) => (rest, true),
        None => (suffix, false),
    };
    let what = "a number of the material";
    let young: [f64; 3] = line.numbers(what)?;
    let pairs = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (young[i], young[j]));
    let (poisson, shear) = match suffix_without_axes {
        "N3G3" => (line.numbers(what)?, line.numbers(what)?),
        "N1G3" => {
            let nu: f64 = line.number(what)?;
            (pairs.map(|(a, b)| nu * (a / b).sqrt()), line.numbers(what)?)
        }
        "N1" | "N1G1" => {
            let nu: f64 = line.number(what)?;
            let g: f64 = if suffix_without_axes == "N1" { 1.0 } else { line.number(what)? };
            (pairs.map(|(a, b)| nu * (a / b).sqrt()), pairs.map(|(a, b)| g * (a * b).sqrt() / (2.0 * (1.0 + nu))))
        }
        _ => return Err(unknown(&format!("ORTHOTROPIC_{suffix}"), line)),
    };
    let axes = if turned { line.numbers(what)? } else { IDENTITY };
    Ok(Law::Orthotropic { young, poisson, shear, axes })
}

fn unknown(kind: &str, line: &Line) -> FormatError {
    FormatError::Unsupported {
        what: format!("a material of the kind {kind:?}"),
        remedy: "Write it as ENU, MOONEYRIVLIN or ORTHOTROPIC.".into(),
        place: line.place(),
        file: line.file.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn one_ratio_and_one_shear_stand_for_three() {
        let law = |text: &str| {
            let mut line = Line::new(text, 1, Path::new("a.veg")).unwrap();
            read("m".into(), &mut line).unwrap().law
        };
        let expected = Law::Orthotropic {
            young: [4.0, 1.0, 1.0],
            poisson: [0.5, 0.25, 0.125],
            shear: [0.8, 0.4, 0.8],
            axes: IDENTITY,
        };
        assert_eq!(law("ORTHOTROPIC_N1, 1000, 4, 1, 1, 0.25"), expected);
        assert_eq!(law("ORTHOTROPIC_N1G1R9 1000 4 1 1 0.25 1 1 0 0 0 1 0 0 0 1"), expected);
        assert_eq!(law("ORTHOTROPIC 1000 4 1 1 0.5 0.25 0.125 0.8 0.4 0.8 1 0 0 0 1 0 0 0 1"), expected);
    }
}
