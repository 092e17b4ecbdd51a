//! Headers of Alembic's properties and objects.

/// What a property holds: the kind of number, and how many make one value.
#[derive(Clone, Copy)]
pub(super) struct Values {
    pod: u32,
    extent: u32,
    array: bool,
}

/// One truth value.
pub(super) const BOOL: Values = Values { pod: 0, extent: 1, array: false };
/// Many integers.
pub(super) const INTEGERS: Values = Values { pod: 6, extent: 1, array: true };
/// Many points or directions.
pub(super) const POINTS: Values = Values { pod: 10, extent: 3, array: true };
/// Many texture coordinates.
pub(super) const UVS: Values = Values { pod: 10, extent: 2, array: true };
/// One box: lowest and highest corner.
pub(super) const BOX: Values = Values { pod: 11, extent: 6, array: false };

const HAS_SAMPLING: u32 = 1 << 8;
const SAME_LENGTH: u32 = 1 << 10;
const CONSTANT: u32 = 1 << 11;

/// Texts that describe objects and properties. Headers name them by their place here, from 1; 0 is none.
const DESCRIPTIONS: [&str; 7] = [
    "interpretation=box",
    "geoScope=vtx;interpretation=point",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    "schema=AbcGeom_Xform_v3",
    "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    "arrayExtent=1;geoScope=vtx;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t",
];
pub(super) const NONE: u8 = 0;
pub(super) const IS_BOX: u8 = 1;
pub(super) const IS_POINT: u8 = 2;
pub(super) const MESH: u8 = 3;
pub(super) const MESH_OBJECT: u8 = 4;
pub(super) const XFORM: u8 = 5;
pub(super) const XFORM_OBJECT: u8 = 6;
pub(super) const IS_UV: u8 = 7;

/// All descriptions, as the file's last block.
pub(super) fn descriptions() -> Vec<u8> {
    DESCRIPTIONS.iter().flat_map(|text| std::iter::once(text.len() as u8).chain(text.bytes())).collect()
}

/// A property that holds properties.
pub(super) fn compound(name: &str, description: u8) -> Vec<u8> {
    let mut bytes = (u32::from(description) << 20).to_le_bytes().to_vec();
    bytes.push(name.len() as u8); // our names are short
    bytes.extend(name.bytes());
    bytes
}

/// A property that never changes.
pub(super) fn still(name: &str, values: Values, description: u8) -> Vec<u8> {
    header(name, values, description, CONSTANT, 1)
}

/// A property with a value at each frame, in the second of the file's time samplings.
pub(super) fn moving(name: &str, values: Values, description: u8, frames: u32) -> Vec<u8> {
    // A property of one sample must say that it is constant.
    header(name, values, description, if frames == 1 { CONSTANT } else { 0 } | HAS_SAMPLING, frames)
}

fn header(name: &str, values: Values, description: u8, flags: u32, samples: u32) -> Vec<u8> {
    // Counts take one, two or four bytes, whichever the number of samples needs.
    let width = if samples < 1 << 8 { 0 } else { 1 + u32::from(samples >= 1 << 16) };
    let kind = if values.array { 2 } else { 1 };
    let info = kind | width << 2 | values.pod << 4 | flags | SAME_LENGTH | values.extent << 12;
    let mut bytes = (info | u32::from(description) << 20).to_le_bytes().to_vec();
    let mut count = |number: u32| bytes.extend(&number.to_le_bytes()[..1 << width]);
    count(samples);
    if flags & HAS_SAMPLING != 0 {
        count(1);
    }
    count(name.len() as u32);
    bytes.extend(name.bytes());
    bytes
}

/// An object's name and what it is, as its parent lists it.
pub(super) fn child(name: &str, description: u8) -> Vec<u8> {
    let mut bytes = (name.len() as u32).to_le_bytes().to_vec();
    bytes.extend(name.bytes());
    bytes.push(description);
    bytes
}
