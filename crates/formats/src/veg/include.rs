//! `*INCLUDE name`: the lines of another file in the same folder.

use crate::load::load_text;
use crate::text::{Line, lines};
use crate::{FormatError, Place};
use std::path::{Component, Path, PathBuf};

/// More files than this are a trap, not a mesh.
const MOST: usize = 100;

/// A file and all that it includes.
pub(super) struct Source {
    /// each file once per inclusion
    files: Vec<(PathBuf, String)>,
    /// for each file its lines up to an inclusion: (file, first line, line behind the last)
    runs: Vec<(usize, usize, usize)>,
}

impl Source {
    pub fn load(file: &Path) -> Result<Self, FormatError> {
        let mut source = Source { files: Vec::new(), runs: Vec::new() };
        source.add(file, &mut Vec::new())?;
        Ok(source)
    }

    /// The lines in order, each with its own file and number.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.runs.iter().flat_map(|&(file, start, end)| {
            let (path, text) = &self.files[file];
            let run = lines(text, path).skip_while(move |line| line.number < start);
            run.take_while(move |line| line.number < end).filter(|line| name(line).is_none())
        })
    }

    fn add(&mut self, path: &Path, open: &mut Vec<PathBuf>) -> Result<(), FormatError> {
        let text = load_text(path)?;
        let includes: Vec<(String, usize)> =
            lines(&text, path).filter_map(|line| Some((name(&line)?.to_string(), line.number))).collect();
        let this = self.files.len();
        self.files.push((path.into(), text));
        open.push(path.into());
        let mut start = 1;
        for (name, number) in includes {
            self.runs.push((this, start, number));
            start = number + 1;
            let refuse = |why: String| FormatError::Include {
                name: name.clone(),
                why,
                place: Place::Line(number),
                file: path.into(),
            };
            let inside = Path::new(&name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            if name.is_empty() || !inside {
                return Err(refuse("only files in the same folder may be included".into()));
            }
            let target = path.with_file_name(&name);
            if open.contains(&target) {
                return Err(refuse("the file includes itself".into()));
            }
            if self.files.len() >= MOST {
                return Err(refuse(format!("more than {MOST} files are included")));
            }
            self.add(&target, open).map_err(|error| match error {
                FormatError::Missing { .. } => refuse("there is no such file beside the mesh".into()),
                error => error,
            })?;
        }
        self.runs.push((this, start, usize::MAX));
        open.pop();
        Ok(())
    }
}

/// What a line includes, if it does.
fn name<'a>(line: &Line<'a>) -> Option<&'a str> {
    let mut words = line.clone();
    words.word().filter(|word| word.eq_ignore_ascii_case("*INCLUDE")).map(|_| words.rest().trim())
}
