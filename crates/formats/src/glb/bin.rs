//! The numbers of the file.

use gltf_json as json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked::Valid;
use json::validation::USize64;
use json::{Accessor, Index};
use math::Vect;

/// The numbers, all of four bytes, one list behind another.
#[derive(Default)]
pub(super) struct Bin(pub Vec<u8>);

impl Bin {
    /// Describes what was added since `start`.
    fn describe(
        &mut self,
        root: &mut json::Root,
        start: usize,
        count: usize,
        target: Option<json::buffer::Target>,
        (component, shape): (ComponentType, Type),
    ) -> Index<Accessor> {
        let view = root.push(json::buffer::View {
            buffer: Index::new(0),
            byte_length: (self.0.len() - start).into(),
            byte_offset: Some(start.into()),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: Default::default(),
        });
        root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64(0)),
            count: count.into(),
            component_type: Valid(json::accessor::GenericComponentType(component)),
            extensions: None,
            extras: Default::default(),
            type_: Valid(shape),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }
    fn floats(&mut self, numbers: impl Iterator<Item = f32>) {
        self.0.extend(numbers.flat_map(f32::to_le_bytes));
    }
    /// Positions, normals or their differences, with their least and greatest.
    pub fn vectors(&mut self, root: &mut json::Root, vectors: &[Vect<3>]) -> Index<Accessor> {
        let start = self.0.len();
        self.floats(vectors.iter().flat_map(|v| [v.x as f32, v.y as f32, v.z as f32]));
        let target = Some(json::buffer::Target::ArrayBuffer);
        let index = self.describe(root, start, vectors.len(), target, (ComponentType::F32, Type::Vec3));
        let extreme = |pick: fn(f32, f32) -> f32| {
            let along = |i: usize| vectors.iter().map(|v| v[i] as f32).reduce(pick).unwrap_or_default();
            Some(json::Value::from([0, 1, 2].map(|i| f64::from(along(i))).to_vec()))
        };
        let accessor = &mut root.accessors[index.value()];
        (accessor.min, accessor.max) = (extreme(f32::min), extreme(f32::max));
        index
    }
    pub fn indices(&mut self, root: &mut json::Root, triangles: &[[u32; 3]]) -> Index<Accessor> {
        let start = self.0.len();
        self.0.extend(triangles.iter().flatten().flat_map(|v| v.to_le_bytes()));
        let target = Some(json::buffer::Target::ElementArrayBuffer);
        self.describe(root, start, 3 * triangles.len(), target, (ComponentType::U32, Type::Scalar))
    }
    pub fn scalars(&mut self, root: &mut json::Root, numbers: &[f32], bounds: bool) -> Index<Accessor> {
        let start = self.0.len();
        self.floats(numbers.iter().copied());
        let index = self.describe(root, start, numbers.len(), None, (ComponentType::F32, Type::Scalar));
        if let (true, Some(&first), Some(&last)) = (bounds, numbers.first(), numbers.last()) {
            let accessor = &mut root.accessors[index.value()];
            accessor.min = Some(json::Value::from(vec![f64::from(first)]));
            accessor.max = Some(json::Value::from(vec![f64::from(last)]));
        }
        index
    }
}
