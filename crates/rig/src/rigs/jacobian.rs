//! How vertices move with parameters, vertex by vertex.

use math::{Row, Vect};

/// Jr = ∂x/∂p, sparse: for each vertex the parameters that move it, and the way it goes when one grows by 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian<const D: usize> {
    /// how many parameters there are
    pub parameters: usize,
    /// entries of vertex v are starts[v]..starts[v + 1]
    pub starts: Vec<usize>,
    /// the parameter of each entry, at most once per vertex
    pub parameter: Vec<u32>,
    /// ∂x_v/∂p [m per unit of the parameter]
    pub value: Vec<Vect<D>>,
}

impl<const D: usize> Jacobian<D> {
    /// From the entries of each vertex.
    pub fn from_rows(parameters: usize, rows: impl IntoIterator<Item = Vec<(u32, Vect<D>)>>) -> Self {
        let mut jacobian = Self { parameters, starts: vec![0], parameter: vec![], value: vec![] };
        for row in rows {
            for (k, value) in row {
                jacobian.parameter.push(k);
                jacobian.value.push(value);
            }
            jacobian.starts.push(jacobian.value.len());
        }
        jacobian
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// What moves a vertex, as (parameter, ∂x/∂p).
    pub fn row(&self, vertex: usize) -> impl Iterator<Item = (usize, &Vect<D>)> {
        let range = self.starts[vertex]..self.starts[vertex + 1];
        self.parameter[range.clone()].iter().map(|&k| k as usize).zip(&self.value[range])
    }

    /// dx ← Jr dp
    pub fn times(&self, dp: &[f64], dx: &mut [Vect<D>]) {
        for (v, dx) in dx.iter_mut().enumerate() {
            *dx = self.row(v).map(|(k, value)| dp[k] * value).sum();
        }
    }

    /// Jrᵀ f: what forces at the vertices do to the parameters.
    pub fn transpose_times(&self, f: &[Vect<D>]) -> Vec<f64> {
        let mut out = vec![0.0; self.parameters];
        for (v, f) in f.iter().enumerate() {
            for (k, value) in self.row(v) {
                out[k] += value.dot(f);
            }
        }
        out
    }

    /// Column by column: for each parameter the vertices it moves, ascending.
    pub fn columns(&self) -> Vec<Row<D>> {
        let mut columns = vec![vec![]; self.parameters];
        for v in 0..self.vertices() {
            for (k, value) in self.row(v) {
                columns[k].push((v as u32, *value));
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_and_its_transpose_are_adjoint_and_columns_agree() {
        let at = |x: f64, y: f64| Vect::from([x, y]);
        let rows = [vec![(0, at(1.0, 2.0)), (2, at(-1.0, 0.5))], vec![], vec![(1, at(3.0, -4.0))]];
        let Jr = Jacobian::from_rows(3, rows);
        let (dp, f) = ([0.3, -0.7, 1.1], [at(0.2, 0.4), at(1.0, 1.0), at(-0.6, 0.9)]);
        let mut dx = [Vect::zeros(); 3];
        Jr.times(&dp, &mut dx);
        assert!((dx[0] - at(0.3 - 1.1, 0.6 + 0.55)).norm() < 1e-15 && dx[1].norm() == 0.0);
        let power: f64 = dx.iter().zip(&f).map(|(x, f)| x.dot(f)).sum();
        let same: f64 = Jr.transpose_times(&f).iter().zip(dp).map(|(a, b)| a * b).sum();
        assert!((power - same).abs() < 1e-15 && power != 0.0);
        assert_eq!(Jr.columns()[1], vec![(2, at(3.0, -4.0))]);
    }
}
