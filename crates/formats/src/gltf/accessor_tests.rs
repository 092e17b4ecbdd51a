//! Every way to store numbers.

use super::*;
use serde_json::json;

fn read(bytes: &[u8], accessor: Value, stride: Option<u64>) -> Result<Numbers, FormatError> {
    let mut view = json!({"buffer": 0, "byteLength": bytes.len()});
    if let Some(stride) = stride {
        view["byteStride"] = json!(stride);
    }
    let whole = json!({"buffer": 0, "byteLength": bytes.len()});
    let json = json!({"accessors": [accessor], "bufferViews": [view, whole], "buffers": [{}]});
    let document = Document { file: "a.glb".into(), json, buffers: vec![bytes.to_vec()] };
    Reader::new(&document).numbers(&json!(0), "it")
}

fn one(kind: u32, normalized: bool, bytes: &[u8], count: usize) -> Vec<f64> {
    let accessor =
        json!({"bufferView": 0, "componentType": kind, "normalized": normalized, "count": count, "type": "SCALAR"});
    read(bytes, accessor, None).unwrap().values
}

#[test]
fn every_component_type_is_read_normalised_or_not() {
    assert_eq!(one(5120, false, &[127, 128, 0], 3), [127.0, -128.0, 0.0]);
    assert_eq!(one(5120, true, &[127, 128, 0], 3), [1.0, -1.0, 0.0]);
    assert_eq!(one(5121, false, &[255, 51], 2), [255.0, 51.0]);
    assert_eq!(one(5121, true, &[255, 51], 2), [1.0, 0.2]);
    assert_eq!(one(5122, false, &[0, 128, 255, 127], 2), [-32768.0, 32767.0]);
    assert_eq!(one(5122, true, &[0, 128, 255, 127], 2), [-1.0, 1.0]);
    assert_eq!(one(5123, false, &[1, 2], 1), [513.0]);
    assert_eq!(one(5123, true, &[255, 255], 1), [1.0]);
    assert_eq!(one(5125, false, &[255; 4], 1), [4294967295.0]);
    assert_eq!(one(5126, false, &(-1.5f32).to_le_bytes(), 1), [-1.5]);
    assert_eq!(one(5126, true, &3.5f32.to_le_bytes(), 1), [3.5], "floats are as they are");
}

#[test]
fn strides_and_offsets_skip_what_is_between() {
    let bytes: Vec<u8> = (0..20).collect();
    let accessor = json!({"bufferView": 0, "byteOffset": 1, "componentType": 5121, "count": 3, "type": "VEC2"});
    assert_eq!(read(&bytes, accessor, Some(8)).unwrap().values, [1.0, 2.0, 9.0, 10.0, 17.0, 18.0]);
}

#[test]
fn columns_of_matrices_start_at_multiples_of_four_bytes() {
    let bytes: Vec<u8> = (0..24).collect();
    let two = json!({"bufferView": 0, "componentType": 5121, "count": 1, "type": "MAT2"});
    assert_eq!(read(&bytes, two, None).unwrap().values, [0.0, 1.0, 4.0, 5.0]);
    let three = json!({"bufferView": 0, "componentType": 5121, "count": 2, "type": "MAT3"});
    let expected = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22].map(f64::from);
    assert_eq!(read(&bytes, three, None).unwrap().values, expected);
}

#[test]
fn sparse_values_stand_over_the_others_or_over_zeros() {
    let bytes = [10, 20, 30, 40, 3, 1, 99, 98];
    let sparse = json!({"count": 2, "indices": {"bufferView": 1, "byteOffset": 4, "componentType": 5121},
        "values": {"bufferView": 1, "byteOffset": 6}});
    let mut accessor = json!({"bufferView": 0, "componentType": 5121, "count": 4, "type": "SCALAR", "sparse": sparse});
    assert_eq!(read(&bytes, accessor.clone(), None).unwrap().values, [10.0, 98.0, 30.0, 99.0]);
    accessor["bufferView"] = Value::Null;
    assert_eq!(read(&bytes, accessor.clone(), None).unwrap().values, [0.0, 98.0, 0.0, 99.0]);
    accessor["count"] = json!(3);
    let error = read(&bytes, accessor, None).unwrap_err().to_string();
    assert!(error.starts_with("it changes its number 3, but it has only 3"), "{error}");
    let zeros = json!({"componentType": 5126, "count": 2, "type": "VEC2"});
    assert_eq!(read(&bytes, zeros, None).unwrap().values, [0.0; 4]);
}
