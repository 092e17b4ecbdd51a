//! JSON files, with errors that name what is missing.

use crate::load::load;
use crate::{FormatError, Place};
use serde_json::Value;
use std::path::Path;

/// One value of a JSON file, and how to call it in an error.
#[derive(Clone, Copy)]
pub(crate) struct Json<'a> {
    pub value: &'a Value,
    pub file: &'a Path,
}

/// The whole file.
pub(crate) fn load_json(file: &Path) -> Result<Value, FormatError> {
    let data = load(file)?;
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&data); // the mark some editors put first
    serde_json::from_slice(data).map_err(|error| {
        let said = error.to_string();
        let said = said.split(" at line").next().unwrap_or_default();
        FormatError::malformed(format!("the text is not JSON: {said}"), Place::Line(error.line()), file)
    })
}

impl<'a> Json<'a> {
    fn wrong(self, what: &str, wanted: &str) -> FormatError {
        let found = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a word",
            Value::Array(_) => "a list",
            Value::Object(_) => "a group",
        };
        FormatError::malformed(format!("{what} should be {wanted}, but is {found}"), Place::Unknown, self.file)
    }
    /// What stands under a key; none where it is missing or null.
    pub fn find(self, key: &str) -> Option<Json<'a>> {
        self.value.get(key).filter(|value| !value.is_null()).map(|value| Json { value, ..self })
    }
    /// What stands under a key.
    pub fn get(self, key: &str) -> Result<Json<'a>, FormatError> {
        let missing = || FormatError::malformed(format!("the key {key:?} is missing"), Place::Unknown, self.file);
        self.find(key).ok_or_else(missing)
    }
    /// Keys and values, sorted by key.
    pub fn entries(self, what: &str) -> Result<Vec<(&'a str, Json<'a>)>, FormatError> {
        let map = self.value.as_object().ok_or_else(|| self.wrong(what, "a group in { }"))?;
        let mut all: Vec<_> = map.iter().map(|(key, value)| (key.as_str(), Json { value, ..self })).collect();
        all.sort_by_key(|(key, _)| *key);
        Ok(all)
    }
    /// The values of a list.
    pub fn list(self, what: &str) -> Result<impl ExactSizeIterator<Item = Json<'a>> + use<'a>, FormatError> {
        let list = self.value.as_array().ok_or_else(|| self.wrong(what, "a list in [ ]"))?;
        Ok(list.iter().map(move |value| Json { value, ..self }))
    }
    pub fn number(self, what: &str) -> Result<f64, FormatError> {
        self.value.as_f64().filter(|x| x.is_finite()).ok_or_else(|| self.wrong(what, "a number"))
    }
    pub fn integer(self, what: &str) -> Result<i64, FormatError> {
        self.value.as_i64().ok_or_else(|| self.wrong(what, "a whole number"))
    }
    pub fn text(self, what: &str) -> Result<&'a str, FormatError> {
        self.value.as_str().ok_or_else(|| self.wrong(what, "a word in quotes"))
    }
    /// A list of exactly `N` numbers.
    pub fn numbers<const N: usize>(self, what: &str) -> Result<[f64; N], FormatError> {
        let list = self.list(what)?;
        let found = list.len();
        let mut all = [0.0; N];
        for (slot, value) in all.iter_mut().zip(list) {
            *slot = value.number(what)?;
        }
        if found != N {
            let what = format!("{what} has {found} numbers, but needs {N}");
            return Err(FormatError::malformed(what, Place::Unknown, self.file));
        }
        Ok(all)
    }
}
