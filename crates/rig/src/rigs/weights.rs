//! How much each handle moves each vertex.

use super::RigError;
use crate::Skin;

/// Weights of handles (bones, points) on vertices, sparse by vertex; Σ = 1 for each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    handles: usize,
    starts: Vec<u32>,
    handle: Vec<u32>,
    weight: Vec<f64>,
}

/// Weights below this are left out [1].
const NOTHING: f64 = 1e-12;

impl Weights {
    /// From the (handle, weight) pairs of each vertex. They are scaled to the sum 1; repeated handles are added up.
    pub fn new(handles: usize, rows: impl IntoIterator<Item = Vec<(u32, f64)>>) -> Result<Self, RigError> {
        let mut weights = Self { handles, starts: vec![0], handle: vec![], weight: vec![] };
        for (vertex, mut row) in rows.into_iter().enumerate() {
            row.sort_by_key(|&(b, _)| b);
            if let Some(&(last, _)) = row.last().filter(|(b, _)| *b as usize >= handles) {
                return Err(RigError::OutOfRange { what: "weights", index: last as usize, count: handles });
            }
            let sum: f64 = row.iter().map(|(_, w)| w).sum();
            if !sum.is_finite() {
                return Err(RigError::NotANumber { what: "weights", place: vertex });
            }
            if !(sum > NOTHING) {
                return Err(RigError::Unweighted { vertex });
            }
            for same in row.chunk_by(|a, b| a.0 == b.0) {
                let w = same.iter().map(|(_, w)| w).sum::<f64>() / sum;
                if w.abs() > NOTHING {
                    weights.handle.push(same[0].0);
                    weights.weight.push(w);
                }
            }
            weights.starts.push(weights.handle.len() as u32);
        }
        Ok(weights)
    }

    /// From a table: the column of each handle, a number per vertex.
    pub fn from_columns(columns: &[Vec<f64>]) -> Result<Self, RigError> {
        let vertices = columns.first().map_or(0, |c| c.len());
        if let Some(other) = columns.iter().find(|c| c.len() != vertices) {
            return Err(RigError::Lengths { what: "weights", expected: vertices, found: other.len() });
        }
        Self::new(columns.len(), (0..vertices).map(|v| columns.iter().zip(0..).map(|(c, b)| (b, c[v])).collect()))
    }

    /// Those of a skin that was read from a file; handles are the skin's joints.
    pub fn of_skin(skin: &Skin) -> Result<Self, RigError> {
        let vertices = skin.starts.len().saturating_sub(1);
        Self::new(skin.joints.len(), (0..vertices).map(|v| skin.of(v).map(|(b, w)| (b as u32, w)).collect()))
    }

    /// How many handles there are.
    pub fn handles(&self) -> usize {
        self.handles
    }
    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
    /// The handles and weights of a vertex, handles ascending.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.handle[range.clone()].iter().map(|&b| b as usize).zip(self.weight[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_scaled_to_one_and_repeated_handles_add_up() {
        let weights = Weights::new(3, [vec![(2, 1.0), (0, 0.5), (2, 0.5)], vec![(1, 4.0), (0, 0.0)]]).unwrap();
        assert_eq!(weights.of(0).collect::<Vec<_>>(), [(0, 0.25), (2, 0.75)]);
        assert_eq!(weights.of(1).collect::<Vec<_>>(), [(1, 1.0)]);
    }

    #[test]
    fn broken_weights_are_refused() {
        let bad = |row: Vec<(u32, f64)>| Weights::new(2, [row]).unwrap_err();
        assert_eq!(bad(vec![(0, 0.0)]), RigError::Unweighted { vertex: 0 });
        assert_eq!(bad(vec![(0, f64::NAN)]), RigError::NotANumber { what: "weights", place: 0 });
        assert_eq!(bad(vec![(2, 1.0)]), RigError::OutOfRange { what: "weights", index: 2, count: 2 });
        assert!(Weights::from_columns(&[vec![1.0], vec![]]).is_err());
    }
}
