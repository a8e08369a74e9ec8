//! What the product calls the floors and pages of an oracle. A copy that a fork was made with has no id of its own before one
//! of the lines changes it; then its id begins with the one of what it is a copy of.

use tavernkeep_engine::id::Id;

/// The name of a floor or page.
#[derive(Debug, Clone)]
pub struct Name {
    pub id: Option<Id>,
    /// Whether it had an id that nobody learned.
    pub had_id: bool,
    /// How its id begins or will begin.
    origin: String,
    /// The id that it had where its line came to it: lines that share it later know it by this one.
    first: String,
}

impl Name {
    pub fn of(id: Id) -> Name {
        let origin = origin(&id).to_owned();
        Name { first: origin.clone(), origin, id: Some(id), had_id: false }
    }

    /// Names for copies of some of those that are there.
    pub fn copies(names: &mut Vec<Name>, copied: &[usize]) {
        let copy = |&at: &usize| Name { id: None, had_id: false, ..names[at].clone() };
        let copies: Vec<Name> = copied.iter().map(copy).collect();
        names.extend(copies);
    }

    /// Whether it has, or had, rows of its own.
    pub fn has_rows(&self) -> bool {
        self.id.is_some() || self.had_id
    }

    pub fn is(&self, id: &Id) -> bool {
        self.id.as_ref() == Some(id)
    }

    /// Whether this is the id of a copy, which has no other one.
    pub fn may_be(&self, id: &Id) -> bool {
        self.id.is_none() && id.as_str().contains(MARK) && self.origin == origin(id)
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// It comes to another line, with the id that it has. A copy that was made for one line keeps the id of that copy, and the other line
    /// has never shown it under the id of what was copied: that one says nothing there.
    pub fn moves(&mut self) {
        if let Some(id) = &self.id {
            self.first = id.to_string();
        }
    }

    /// The first id that its line has shown it under, while it shared it.
    pub fn first(&self) -> Id {
        self.first.parse().unwrap()
    }
}

/// Stands between the id of what was copied and the place of the copy.
const MARK: &str = "~~";

/// The id of what was copied, or the id itself.
pub fn origin(id: &Id) -> &str {
    id.as_str().split(MARK).next().unwrap()
}
