//! How the story is computed: by what the session says, else by what its character says.

use super::{Document, World};

/// What a session or a character says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Says {
    pub template: Option<Document>,
    /// Whether commands are read from what users say, too.
    pub user_floors: Option<bool>,
}

/// What a state is computed with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recipe {
    pub template: Document,
    pub user_floors: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub session: Says,
    pub character: Says,
    pub is_enabled: bool,
    /// Whether what users say is part of the story by now: the session follows its character when the story goes on.
    pub reads_users: bool,
}

impl Settings {
    pub fn recipe(&self) -> Recipe {
        let Settings { session, character, .. } = self;
        Recipe {
            template: session.template.clone().or_else(|| character.template.clone()).unwrap_or_default(),
            user_floors: session.user_floors.or(character.user_floors).unwrap_or(false),
        }
    }

    /// Whether the session still reads other pages than its profile says.
    pub fn lags_behind(&self) -> bool {
        self.reads_users != self.recipe().user_floors
    }
}

impl World {
    /// The session reads from where its profile says.
    pub fn follow(&mut self) {
        self.settings.reads_users = self.settings.recipe().user_floors;
    }
}
