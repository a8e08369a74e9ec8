//! The known name that a mistyped one most likely means.

/// Letters that may differ for one name to be taken for another.
const LETTERS_MAX: usize = 3;

/// Bytes of a name that is looked at; a longer name is not a typing error.
const NAME_BYTES_MAX: usize = 64;

/// The known name that is nearest to `name`, if one is near enough. Of two equally near, the first.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let near = known.into_iter().map(|known| (distance(name, known), known));
    // A short name is a whole other one after three letters.
    let (letters, known) = near.min_by_key(|(letters, _)| *letters)?;
    (letters <= LETTERS_MAX && letters < known.chars().count()).then_some(known)
}

/// How many letters must change to get from one name to the other. Case and `_` do not count: `chatFile` is `chat_file`.
fn distance(left: &str, right: &str) -> usize {
    let left = letters(left);
    let right: Vec<char> = letters(right).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase)
}
