//! Writing `.msh`.

use crate::FormatError;
use crate::save::{check_finite, save};
use mesh::Mesh;
use std::io::{self, Write};
use std::path::Path;

/// The four dialects of `.msh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MshFlavour {
    /// Version 2.2, text: what older programs read.
    Text22,
    /// Version 2.2, binary.
    Binary22,
    /// Version 4.1, text.
    #[default]
    Text41,
    /// Version 4.1, binary.
    Binary41,
}

/// Writes triangles (with z = 0) or tetrahedra as Gmsh `.msh`, numbered from 1, positions bit for bit.
pub fn write_msh<const D: usize>(file: &Path, mesh: &Mesh<D>, flavour: MshFlavour) -> Result<(), FormatError> {
    let binary = matches!(flavour, MshFlavour::Binary22 | MshFlavour::Binary41);
    check_finite(&mesh.rest, file)?;
    save(file, |out| {
        let mut out = Out { out, binary };
        match flavour {
            MshFlavour::Text22 | MshFlavour::Binary22 => version_2(&mut out, mesh),
            MshFlavour::Text41 | MshFlavour::Binary41 => version_4(&mut out, mesh),
        }
    })
}

struct Out<'a> {
    out: &'a mut dyn Write,
    binary: bool,
}

impl Out<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }
    /// 4 bytes each
    fn ints(&mut self, numbers: &[i32]) -> io::Result<()> {
        for n in numbers {
            if self.binary { self.out.write_all(&n.to_le_bytes())? } else { write!(self.out, "{n} ")? }
        }
        Ok(())
    }
    /// 8 bytes each
    fn counts(&mut self, numbers: &[u64]) -> io::Result<()> {
        for n in numbers {
            if self.binary { self.out.write_all(&n.to_le_bytes())? } else { write!(self.out, "{n} ")? }
        }
        Ok(())
    }
    fn floats(&mut self, numbers: &[f64]) -> io::Result<()> {
        for x in numbers {
            if self.binary { self.out.write_all(&x.to_le_bytes())? } else { write!(self.out, "{x:.16e} ")? }
        }
        Ok(())
    }
    /// The end of a record; binary records have none.
    fn end(&mut self) -> io::Result<()> {
        if self.binary { Ok(()) } else { writeln!(self.out) }
    }
    fn format(&mut self, version: &str) -> io::Result<()> {
        let binary = i32::from(self.binary);
        write!(self.out, "$MeshFormat\n{version} {binary} 8\n")?;
        if self.binary {
            self.out.write_all(&1i32.to_le_bytes())?;
            writeln!(self.out)?;
        }
        self.line("$EndMeshFormat")
    }
    /// The end of a section; behind binary numbers it needs a line of its own.
    fn close(&mut self, section: &str) -> io::Result<()> {
        let gap = if self.binary { "\n" } else { "" };
        writeln!(self.out, "{gap}$End{section}")
    }
}

fn in_space<const D: usize>(x: &math::Vect<D>) -> [f64; 3] {
    [0, 1, 2].map(|i| if i < D { x[i] } else { 0.0 })
}

fn kind<const D: usize>() -> i32 {
    if D == 2 { 2 } else { 4 }
}

fn version_2<const D: usize>(out: &mut Out, mesh: &Mesh<D>) -> io::Result<()> {
    let (vertices, elements) = (mesh.rest.len(), mesh.element_count());
    out.format("2.2")?;
    out.line(&format!("$Nodes\n{vertices}"))?;
    for (k, x) in mesh.rest.iter().enumerate() {
        out.ints(&[k as i32 + 1])?;
        out.floats(&in_space(x))?;
        out.end()?;
    }
    out.close("Nodes")?;
    out.line(&format!("$Elements\n{elements}"))?;
    if out.binary && elements > 0 {
        out.ints(&[kind::<D>(), elements as i32, 2])?;
    }
    for (k, element) in mesh.elements().enumerate() {
        out.ints(&[k as i32 + 1])?;
        if !out.binary {
            out.ints(&[kind::<D>(), 2])?;
        }
        out.ints(&[0, 1])?; // no physical group; entity 1
        element.iter().try_for_each(|&v| out.ints(&[v as i32 + 1]))?;
        out.end()?;
    }
    out.close("Elements")
}

fn version_4<const D: usize>(out: &mut Out, mesh: &Mesh<D>) -> io::Result<()> {
    let (vertices, elements) = (mesh.rest.len() as u64, mesh.element_count() as u64);
    out.format("4.1")?;
    out.line("$Entities")?;
    out.counts(if D == 2 { &[0, 0, 1, 0] } else { &[0, 0, 0, 1] })?;
    out.end()?;
    let (low, high) = mesh.bounds();
    out.ints(&[1])?;
    out.floats(&in_space(&low))?;
    out.floats(&in_space(&high))?;
    out.counts(&[0, 0])?; // in no physical group, no boundary
    out.end()?;
    out.close("Entities")?;
    out.line("$Nodes")?;
    out.counts(&[1, vertices, 1, vertices])?;
    out.end()?;
    out.ints(&[D as i32, 1, 0])?;
    out.counts(&[vertices])?;
    out.end()?;
    for number in 1..=vertices {
        out.counts(&[number])?;
        out.end()?;
    }
    for x in &mesh.rest {
        out.floats(&in_space(x))?;
        out.end()?;
    }
    out.close("Nodes")?;
    out.line("$Elements")?;
    out.counts(&[1, elements, 1, elements])?;
    out.end()?;
    out.ints(&[D as i32, 1, kind::<D>()])?;
    out.counts(&[elements])?;
    out.end()?;
    for (k, element) in mesh.elements().enumerate() {
        out.counts(&[k as u64 + 1])?;
        element.iter().try_for_each(|&v| out.counts(&[u64::from(v) + 1]))?;
        out.end()?;
    }
    out.close("Elements")
}
