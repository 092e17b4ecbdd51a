//! `.mhskel`: bones between joints, joints in the middle of vertices.

use crate::json::{Json, load_json};
use crate::order::parents_first;
use crate::{FormatError, Place};
use math::Vect;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The bones, sorted by name.
pub(super) struct Skeleton {
    pub bones: Vec<Bone>,
    /// The first bone without a parent.
    pub root: u32,
    /// Whether the file has weights of its own.
    pub has_weights: bool,
    /// Base vertices of each joint.
    joints: BTreeMap<String, Vec<u64>>,
    file: PathBuf,
}

pub(super) struct Bone {
    pub name: String,
    pub parent: Option<u32>,
    /// Bones of the default skeleton whose weights it takes over.
    pub references: Vec<String>,
    head: String,
}

impl Skeleton {
    pub fn read(file: &Path) -> Result<Self, FormatError> {
        let value = load_json(file)?;
        let json = Json { value: &value, file };
        let entries = json.get("bones")?.entries("bones")?;
        let places: BTreeMap<&str, u32> = entries.iter().enumerate().map(|(k, (name, _))| (*name, k as u32)).collect();
        let mut bones = Vec::new();
        for (name, bone) in entries {
            let parent = bone.find("parent").map(|parent| parent.text("the parent of a bone")).transpose()?;
            let parent = parent.map(|parent| {
                let what = || format!("the bone {name:?} hangs on {parent:?}, which is not there");
                places.get(parent).copied().ok_or_else(|| wrong(what(), file))
            });
            let references = match bone.find("weights_reference").or_else(|| bone.find("reference")) {
                Some(list) => texts(list, "the references of a bone")?,
                None => vec![name.to_string()],
            };
            let head = bone.get("head")?.text("the head of a bone")?.into();
            bones.push(Bone { name: name.into(), parent: parent.transpose()?, references, head });
        }
        let parents: Vec<_> = bones.iter().map(|bone| bone.parent).collect();
        let order = parents_first(&parents).ok_or_else(|| wrong("the bones go round in a circle", file))?;
        let root = *order.first().ok_or_else(|| wrong("the skeleton has no bones", file))? as u32;
        let mut joints = BTreeMap::new();
        for (name, vertices) in json.get("joints")?.entries("joints")? {
            let number =
                |v: Json| v.value.as_u64().ok_or_else(|| wrong(format!("the joint {name:?} is damaged"), file));
            let vertices = vertices.list("the vertices of a joint")?.map(number).collect::<Result<_, _>>()?;
            joints.insert(name.to_string(), vertices);
        }
        let has_weights = json.find("weights_file").is_some();
        Ok(Skeleton { bones, root, has_weights, joints, file: file.into() })
    }

    /// Where each bone begins: the middle of the vertices of its joint.
    pub fn heads(&self, x: &[Vect<3>]) -> Result<Vec<Vect<3>>, FormatError> {
        let middle = |bone: &Bone| {
            let (name, joint) = (&bone.name, &bone.head);
            let vertices = self.joints.get(joint).filter(|vertices| !vertices.is_empty());
            let what = || format!("the bone {name:?} asks for the joint {joint:?}, which is not there");
            let vertices = vertices.ok_or_else(|| wrong(what(), &self.file))?;
            let mut sum = Vect::<3>::zeros();
            for &vertex in vertices {
                let what =
                    || format!("the joint {joint:?} asks for vertex {vertex}, but the mesh has only {}", x.len());
                sum += x.get(vertex as usize).ok_or_else(|| wrong(what(), &self.file))? / vertices.len() as f64;
            }
            Ok(sum)
        };
        self.bones.iter().map(middle).collect()
    }
}

fn texts(json: Json, what: &str) -> Result<Vec<String>, FormatError> {
    json.list(what)?.map(|word| Ok(word.text(what)?.to_string())).collect()
}

fn wrong(what: impl Into<String>, file: &Path) -> FormatError {
    FormatError::malformed(what, Place::Unknown, file)
}
