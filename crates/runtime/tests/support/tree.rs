//! What every naive oracle knows of a conversation: floors at their positions, pages in their slots. Nothing is ever taken
//! out of a list, so that a place in it is a name.

use std::ops::{Deref, DerefMut};

/// A branch, floor or page: its place in the world's list.
pub type At = usize;

/// Where a floor stands.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    pub branch: At,
    pub floor_no: i64,
    pub is_alive: bool,
}

/// Where a page stands.
#[derive(Debug, Clone, Copy)]
pub struct Swipe {
    pub floor: At,
    pub slot: i64,
    pub version: i64,
    pub is_output: bool,
    pub is_active: bool,
    pub is_alive: bool,
}

impl Swipe {
    /// A page that nobody has chosen yet.
    pub fn new(floor: At, (slot, version): (i64, i64), is_output: bool) -> Swipe {
        Swipe { floor, slot, version, is_output, is_active: false, is_alive: true }
    }
}

/// The pages of a slot.
pub fn versions(pages: &[impl Deref<Target = Swipe>], floor: At, slot: i64) -> Vec<At> {
    let fits = |&at: &At| pages[at].is_alive && pages[at].floor == floor && pages[at].slot == slot;
    (0..pages.len()).filter(fits).collect()
}

/// Chooses a page of a slot.
pub fn activate(pages: &mut [impl DerefMut<Target = Swipe>], page: At) {
    for version in versions(pages, pages[page].floor, pages[page].slot) {
        pages[version].is_active = version == page;
    }
}

/// Takes a page away, and tells which one has to be chosen in its place.
pub fn take_away(pages: &mut [impl DerefMut<Target = Swipe>], page: At) -> Option<At> {
    pages[page].is_alive = false;
    let Swipe { floor, slot, version, is_active, .. } = *pages[page];
    let nearest = |&at: &At| {
        let other = pages[at].version;
        (other > version, (other - version).abs())
    };
    versions(pages, floor, slot).into_iter().min_by_key(nearest).filter(|_| is_active)
}

/// Whatever more an oracle knows of a floor or a page, it stands somewhere.
macro_rules! stands {
    ($name:ident, $field:ident: $place:ty) => {
        impl std::ops::Deref for $name {
            type Target = $place;

            fn deref(&self) -> &$place {
                &self.$field
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut $place {
                &mut self.$field
            }
        }
    };
}

pub(crate) use stands;
