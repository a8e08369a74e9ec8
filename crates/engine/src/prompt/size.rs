//! How long a text is, for a person and for a model.

/// The length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Unicode characters.
    pub characters: usize,
    /// Tokens, estimated: four ASCII characters are one, and so is every other character. Models differ; for English this is
    /// close, for Chinese a little high.
    pub tokens: usize,
}

impl Size {
    /// The length of a text.
    pub fn of(text: &str) -> Size {
        let characters = text.chars().count();
        let ascii = text.bytes().filter(u8::is_ascii).count();
        Size { characters, tokens: ascii.div_ceil(4) + (characters - ascii) }
    }
}

impl std::ops::Add for Size {
    type Output = Size;

    fn add(self, other: Size) -> Size {
        Size { characters: self.characters + other.characters, tokens: self.tokens + other.tokens }
    }
}
