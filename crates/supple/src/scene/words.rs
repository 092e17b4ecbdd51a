//! Words for what is wrong in a scene.

/// The line of a text that a byte is in, from 1.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|b| *b == b'\n').count() + 1
}

/// Serde's words, made readable: "unknown field `yuong`, expected one of `young`, `poisson`".
pub(super) fn explain(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match &quoted[..] {
        [unknown, known @ ..] if message.starts_with("unknown") && !known.is_empty() => {
            let what = if message.starts_with("unknown field") { "key" } else { "word" };
            let meant =
                suggest(unknown, known.iter().copied()).map_or(String::new(), |k| format!(" Did you mean {k:?}?"));
            format!("there is no {what} {unknown:?} here.{meant} There are: {}", known.join(", "))
        }
        _ => message.trim_end_matches('.').to_string(),
    }
}

/// Letters to change, add, take away or swap with the next to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The name that was probably meant: a third of its letters may be wrong.
pub(crate) fn suggest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.min_by_key(|k| distance(given, k))?;
    (distance(given, near) <= given.chars().count().max(near.chars().count()).div_ceil(3)).then_some(near)
}
