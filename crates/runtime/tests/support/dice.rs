//! Dice for random stories.

/// Random numbers that a seed makes again (xorshift). The seed is not zero.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    pub fn once_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len())])
    }
}
