//! Writing `.veg`.

use crate::save::{check_finite, save};
use crate::{FormatError, Law, Region};
use mesh::Mesh;
use std::io::{self, Write};
use std::path::Path;

/// Writes tetrahedra with their regions and materials as `.veg`, numbered from 1, positions bit for bit.
pub fn write_veg(file: &Path, mesh: &Mesh<3>, regions: &[Region]) -> Result<(), FormatError> {
    check_finite(&mesh.rest, file)?;
    save(file, |out| {
        writeln!(out, "*VERTICES\n{} 3 0 0", mesh.rest.len())?;
        for (k, x) in mesh.rest.iter().enumerate() {
            writeln!(out, "{} {:.16e} {:.16e} {:.16e}", k + 1, x.x, x.y, x.z)?;
        }
        writeln!(out, "\n*ELEMENTS\nTET\n{} 4 0", mesh.element_count())?;
        for (k, element) in mesh.elements().enumerate() {
            write!(out, "{}", k + 1)?;
            element.iter().try_for_each(|&v| write!(out, " {}", u64::from(v) + 1))?;
            writeln!(out)?;
        }
        regions.iter().try_for_each(|region| write_region(out, region))
    })
}

fn write_region(out: &mut dyn Write, region: &Region) -> io::Result<()> {
    if region.name != "allElements" {
        writeln!(out, "\n*SET {}", region.name)?;
        for row in region.elements.chunks(10) {
            row.iter().try_for_each(|&e| write!(out, "{},", u64::from(e) + 1))?;
            writeln!(out)?;
        }
    }
    let Some(material) = &region.material else { return Ok(()) };
    writeln!(out, "\n*MATERIAL {}", material.name)?;
    let (kind, numbers) = match &material.law {
        Law::Young { young, poisson } => ("ENU", vec![*young, *poisson]),
        Law::MooneyRivlin { mu01, mu10, v1 } => ("MOONEYRIVLIN", vec![*mu01, *mu10, *v1]),
        Law::Orthotropic { young, poisson, shear, axes } => {
            ("ORTHOTROPIC_N3G3R9", [&young[..], &poisson[..], &shear[..], &axes[..]].concat())
        }
    };
    write!(out, "{kind}, {:?}", material.density)?;
    numbers.iter().try_for_each(|n| write!(out, ", {n:?}"))?;
    writeln!(out, "\n\n*REGION\n{}, {}", region.name, material.name)
}
