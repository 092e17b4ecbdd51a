//! Pictures into files: a .gif that moves, and a .png.

use std::path::Path;

use super::raster::Pixels;
use crate::Error;

fn failed(what: impl std::fmt::Display, file: &Path) -> Error {
    Error::Asked(format!("the picture cannot be written: {what}.\n({})", file.display()))
}

/// Writes a picture.
pub(crate) fn write_png(file: &Path, picture: &Pixels) -> Result<(), Error> {
    let out = std::fs::File::create(file).map_err(|e| failed(e, file))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(out), picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().map_err(|e| failed(e, file))?;
    writer.write_image_data(picture.rgb.as_flattened()).map_err(|e| failed(e, file))
}

/// Writes pictures of one size that follow each other after `delay` hundredths of a second, again and again. Where a pixel stays,
/// nothing is written.
pub(crate) fn write_gif(file: &Path, pictures: &[Pixels], delay: u16) -> Result<(), Error> {
    const COLOURS: usize = 96; // and one that stays
    let Some(first) = pictures.first() else { return Ok(()) };
    let some = pictures.iter().step_by(pictures.len().div_ceil(8)).flat_map(|p| &p.rgb);
    let sample: Vec<u8> = some.flat_map(|c| [c[0], c[1], c[2], 255]).collect();
    let palette = color_quant::NeuQuant::new(10, COLOURS, &sample);
    let mut colours = palette.color_map_rgb();
    let stays = (colours.len() / 3) as u8;
    colours.extend([0; 3]);
    let out = std::fs::File::create(file).map_err(|e| failed(e, file))?;
    let (width, height) = (first.width as u16, first.height as u16);
    let mut encoder =
        gif::Encoder::new(std::io::BufWriter::new(out), width, height, &colours).map_err(|e| failed(e, file))?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| failed(e, file))?;
    let mut before: Vec<u8> = vec![];
    let mut known = std::collections::HashMap::new();
    for picture in pictures {
        let mut number =
            |c: &[u8; 3]| *known.entry(*c).or_insert_with(|| palette.index_of(&[c[0], c[1], c[2], 255]) as u8);
        let now: Vec<u8> = picture.rgb.iter().map(&mut number).collect();
        let changed = now.iter().enumerate().map(|(k, c)| if before.get(k) == Some(c) { stays } else { *c });
        let frame = gif::Frame {
            width,
            height,
            delay,
            transparent: Some(stays),
            dispose: gif::DisposalMethod::Keep,
            buffer: changed.collect::<Vec<u8>>().into(),
            ..gif::Frame::default()
        };
        encoder.write_frame(&frame).map_err(|e| failed(e, file))?;
        before = now;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_is_written_whole() {
        let file = std::env::temp_dir().join(format!("supple-film-{}.gif", std::process::id()));
        let mut pictures = vec![Pixels::new(20, 10); 3];
        pictures[1].rgb[5] = [200, 10, 10];
        write_gif(&file, &pictures, 4).unwrap();
        let bytes = std::fs::read(&file).unwrap();
        assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"));
        let png = file.with_extension("png");
        write_png(&png, &pictures[1]).unwrap();
        assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
        std::fs::remove_file(file).unwrap();
        std::fs::remove_file(png).unwrap();
    }
}
