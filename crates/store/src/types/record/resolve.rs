//! What counts at a place.

use super::{KeyFilter, Variable};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::resolve::{Origin, Scoped, winners};
use tavernkeep_engine::scope::Scope;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveQuery {
    pub session: Id,
    /// A branch; must agree with floor and page.
    pub branch: Option<String>,
    /// A floor; must agree with page.
    pub floor: Option<Id>,
    pub page: Option<Id>,
    pub keys: KeyFilter,
    /// Whether a floor sees what the floors before it say.
    pub lineage: bool,
}

/// The place that a [`ResolveQuery`] turned out to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    pub session: Id,
    /// The branch, given or derived.
    pub branch: Option<String>,
    /// The floor, given or derived.
    pub floor: Option<Id>,
    pub page: Option<Id>,
}

/// Everything that can be seen from one place: the raw rows of each known layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    pub context: Context,
    /// All rows of the known layers, each layer's sorted by key, the weakest layer first.
    pub rows: Vec<Variable>,
    /// What is seen of the branches and floors before, where the layers' own rows do not say otherwise.
    pub before: Vec<Before>,
    /// The story's state at the place, under its name among variables; it hides whatever else has that name.
    pub computed: Option<Computed>,
}

/// The variable that counts for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Winner {
    /// Of the place itself.
    Own(Variable),
    /// From further back.
    Before(Before),
    /// The story's state.
    Computed(Computed),
}

impl Winner {
    pub fn variable(&self) -> &Variable {
        match self {
            Winner::Own(variable) => variable,
            Winner::Before(before) => &before.variable,
            Winner::Computed(computed) => &computed.variable,
        }
    }
}

impl Scoped for Winner {
    fn key(&self) -> &str {
        self.variable().key.as_str()
    }

    fn scope(&self) -> Scope {
        self.variable().host.scope()
    }

    fn origin(&self) -> Origin {
        match self {
            Winner::Own(_) => Origin::Own,
            Winner::Before(_) => Origin::Before,
            Winner::Computed(_) => Origin::Computed,
        }
    }
}

impl Resolved {
    /// The winner of each key, sorted by key.
    pub fn into_winners(self) -> Vec<Winner> {
        let own = self.rows.into_iter().map(Winner::Own);
        let before = self.before.into_iter().map(Winner::Before);
        winners(own.chain(before).chain(self.computed.map(Winner::Computed)).collect())
    }
}

/// A value that is seen from further on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// The value. What a branch inherits carries that branch as its host; what a floor sees carries the floor that has it.
    pub variable: Variable,
    /// The floor at whose commit a branch inherited it, while that exists.
    pub floor: Option<Id>,
}

/// Two clocks that together change whenever anything visible from a session changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionStamp {
    /// The session's row: a session that was deleted and made again has another.
    pub session_row: i64,
    /// The session's clock.
    pub session_seq: i64,
    /// The account's clock.
    pub account_seq: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Computed {
    pub variable: Variable,
    /// Whether it is what the texts come to as they are now.
    pub fresh: bool,
}
