//! A session's own functions, as far as the engine needs them: who they are and when they run. Their bodies are scripts.

/// One function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The name that commands call.
    pub name: String,
    /// When it runs.
    pub kind: FunctionKind,
    /// The lowest runs first.
    pub order: i64,
    /// Whether it runs at all.
    pub enabled: bool,
}

/// When a function runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionKind {
    /// When a command calls it, or its pattern matches the reply.
    Active {
        /// A pattern of the author's own; its groups are the arguments.
        pattern: Option<String>,
    },
    /// By itself, before the commands.
    PassiveBefore,
    /// By itself, after the commands.
    PassiveAfter,
}
