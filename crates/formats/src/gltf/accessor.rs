//! Numbers out of buffers: every component type, normalised or not, with strides, sparse, bounds-checked.

use super::container::{Document, whole};
use super::{compressed, index};
use crate::FormatError;
use math::Vect;
use serde_json::Value;

/// A document being read, with what there is to tell about it.
pub(super) struct Reader<'a> {
    pub document: &'a Document,
    /// what was mended or ignored
    pub notes: Vec<String>,
    /// how many numbers may still be read; a small file cannot ask for all memory by naming the same data often
    left: u64,
}

/// The numbers of an accessor, element by element.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// elements
    pub count: usize,
    /// numbers per element
    pub width: usize,
    pub values: Vec<f64>,
    /// whether they are stored as whole numbers
    pub integer: bool,
}

/// How one number is stored.
#[derive(Clone, Copy)]
struct Component {
    kind: u64,
    normalized: bool,
}

impl Component {
    fn size(self) -> Option<usize> {
        match self.kind {
            5120 | 5121 => Some(1),
            5122 | 5123 => Some(2),
            5124..=5126 => Some(4),
            _ => None,
        }
    }
    /// The number in `bytes`, which are as many as its size.
    fn value(self, bytes: &[u8]) -> f64 {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            bytes.try_into().unwrap_or([0; N])
        }
        let (value, most) = match self.kind {
            5120 => (f64::from(i8::from_le_bytes(array(bytes))), f64::from(i8::MAX)),
            5121 => (f64::from(u8::from_le_bytes(array(bytes))), f64::from(u8::MAX)),
            5122 => (f64::from(i16::from_le_bytes(array(bytes))), f64::from(i16::MAX)),
            5123 => (f64::from(u16::from_le_bytes(array(bytes))), f64::from(u16::MAX)),
            5124 => (f64::from(i32::from_le_bytes(array(bytes))), f64::from(i32::MAX)),
            5125 => (f64::from(u32::from_le_bytes(array(bytes))), f64::from(u32::MAX)),
            _ => (f64::from(f32::from_le_bytes(array(bytes))), 1.0),
        };
        let whole = self.kind < 5126;
        if self.normalized && whole { (value / most).max(-1.0) } else { value }
    }
}

/// Columns and rows of an element.
fn shape(kind: &Value) -> Option<(usize, usize)> {
    Some(match kind.as_str()? {
        "SCALAR" => (1, 1),
        "VEC2" => (1, 2),
        "VEC3" => (1, 3),
        "VEC4" => (1, 4),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return None,
    })
}

/// Where elements lie in a buffer view.
struct Layout {
    component: Component,
    columns: usize,
    rows: usize,
    /// bytes from column to column
    column: usize,
}

impl Layout {
    fn new(component: Component, (columns, rows): (usize, usize)) -> Option<Self> {
        let size = component.size()?;
        // Columns of matrices start at multiples of four bytes.
        let column = if columns > 1 { (rows * size).next_multiple_of(4) } else { rows * size };
        Some(Layout { component, columns, rows, column })
    }
    fn bytes(&self) -> usize {
        self.columns * self.column
    }
    /// Appends the numbers of one element.
    fn read(&self, element: &[u8], values: &mut Vec<f64>) {
        let size = self.component.size().unwrap_or(1);
        for column in element.chunks_exact(self.column) {
            values.extend(column.chunks_exact(size).take(self.rows).map(|bytes| self.component.value(bytes)));
        }
    }
}

impl<'a> Reader<'a> {
    pub fn new(document: &'a Document) -> Self {
        let bytes: u64 = document.buffers.iter().map(|b| b.len() as u64).sum();
        let left = (1u64 << 22).saturating_add(bytes.saturating_mul(64)).min(1 << 31);
        Reader { document, notes: Vec::new(), left }
    }

    /// Something that the artist may want to know.
    pub fn note(&mut self, note: String) {
        if self.notes.len() < 1000 && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Asks for room for some more numbers.
    pub fn spend(&mut self, numbers: u64, who: &str) -> Result<(), FormatError> {
        self.left = self.left.checked_sub(numbers).ok_or_else(|| {
            self.document.malformed(format!("{who} asks for far more numbers than there are data in the file"))
        })?;
        Ok(())
    }

    /// The numbers of an accessor; `who` says whose they are: `POSITION of the mesh "Body"`.
    pub fn numbers(&mut self, accessor: &Value, who: &str) -> Result<Numbers, FormatError> {
        let document = self.document;
        let wrong = |what: &str| document.malformed(format!("{who} {what}"));
        let which = index(accessor, "accessors", document, who)?.ok_or_else(|| wrong("has no numbers"))?;
        let accessor = &document.list("accessors")[which];
        let count = whole(&accessor["count"]).ok_or_else(|| wrong("does not say how many numbers it has"))?;
        let kind = whole(&accessor["componentType"]).unwrap_or(0);
        let component = Component { kind, normalized: accessor["normalized"].as_bool().unwrap_or(false) };
        let layout = shape(&accessor["type"]).and_then(|shape| Layout::new(component, shape));
        let layout = layout.ok_or_else(|| wrong("has numbers of an unknown kind"))?;
        let width = layout.columns * layout.rows;
        let data = self.elements(accessor, count, layout.bytes(), who)?;
        self.spend(count.saturating_mul(width as u64), who)?;
        let count = usize::try_from(count).map_err(|_| wrong("has too many numbers"))?;
        let values = match data {
            Some((bytes, stride)) => {
                let mut values = Vec::with_capacity(count * width);
                for k in 0..count {
                    layout.read(&bytes[k * stride..k * stride + layout.bytes()], &mut values);
                }
                values
            }
            None => vec![0.0; count * width],
        };
        let mut numbers = Numbers { count, width, values, integer: kind < 5126 };
        if !accessor["sparse"].is_null() {
            self.sparse(&accessor["sparse"], &layout, &mut numbers, who)?;
        }
        Ok(numbers)
    }

    /// Puts the values of a sparse accessor over those it starts from.
    fn sparse(&self, sparse: &Value, layout: &Layout, over: &mut Numbers, who: &str) -> Result<(), FormatError> {
        let wrong = |what: &str| self.document.malformed(format!("{who} {what}"));
        let count = whole(&sparse["count"]).ok_or_else(|| wrong("does not say how many numbers it changes"))?;
        let kind = whole(&sparse["indices"]["componentType"]).unwrap_or(0);
        let at = Component { kind, normalized: false };
        let size = at.size().filter(|_| kind < 5126).ok_or_else(|| wrong("has indices of an unknown kind"))?;
        let lost = || wrong("says that it changes some of its numbers, but not where they are");
        let (indices, index_stride) = self.elements(&sparse["indices"], count, size, who)?.ok_or_else(lost)?;
        let (data, stride) = self.elements(&sparse["values"], count, layout.bytes(), who)?.ok_or_else(lost)?;
        let mut element = Vec::with_capacity(over.width);
        for k in 0..count as usize {
            let index = at.value(&indices[k * index_stride..k * index_stride + size]);
            if !(index >= 0.0 && index < over.count as f64) {
                return Err(wrong(&format!("changes its number {index}, but it has only {}", over.count)));
            }
            element.clear();
            layout.read(&data[k * stride..k * stride + layout.bytes()], &mut element);
            let start = index as usize * over.width;
            over.values[start..start + over.width].copy_from_slice(&element);
        }
        Ok(())
    }

    /// The bytes of `count` elements of a size and the stride between them, all known to be there; none without a buffer view.
    fn elements(
        &self,
        from: &Value,
        count: u64,
        size: usize,
        who: &str,
    ) -> Result<Option<(&'a [u8], usize)>, FormatError> {
        let document = self.document;
        let Some(view) = index(&from["bufferView"], "bufferViews", document, who)? else { return Ok(None) };
        let view = &document.list("bufferViews")[view];
        let beyond = || document.malformed(format!("{who} asks for numbers beyond the end of the data"));
        let number = |value: &Value| if value.is_null() { Some(0) } else { whole(value) };
        let buffer = index(&view["buffer"], "buffers", document, who)?.and_then(|k| document.buffers.get(k));
        let buffer = buffer.ok_or_else(beyond)?;
        if buffer.is_empty() && view["extensions"].as_object().is_some_and(|e| e.keys().any(|k| k.contains("meshopt")))
        {
            return Err(compressed(document));
        }
        let range = || {
            let start = number(&view["byteOffset"])?;
            let end = start.checked_add(whole(&view["byteLength"])?)?;
            let bytes = buffer.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
            let bytes = bytes.get(usize::try_from(number(&from["byteOffset"])?).ok()?..)?;
            let stride = Some(number(&view["byteStride"])?).filter(|&s| s > 0).unwrap_or(size as u64);
            let last = count.checked_sub(1).map_or(Some(0), |k| k.checked_mul(stride)?.checked_add(size as u64))?;
            (last <= bytes.len() as u64).then_some((bytes, usize::try_from(stride).ok()?))
        };
        range().map(Some).ok_or_else(beyond)
    }
}

impl Numbers {
    /// As vectors of three; none where they are something else.
    pub fn vectors(&self) -> Option<Vec<Vect<3>>> {
        (self.width == 3).then(|| self.values.chunks_exact(3).map(|x| Vect::<3>::new(x[0], x[1], x[2])).collect())
    }
    /// As whole numbers; none where they are something else.
    pub fn indices(&self) -> Option<Vec<u32>> {
        let whole = |&x: &f64| (x >= 0.0 && x <= f64::from(u32::MAX)).then_some(x as u32);
        if self.integer { self.values.iter().map(whole).collect() } else { None }
    }
}

#[cfg(test)]
#[path = "accessor_tests.rs"]
mod tests;
