//! Prompts: texts with macros, and what they read and write.
//!
//! ```
//! use tavernkeep_engine::prompt::{Context, Variables, render};
//! use tavernkeep_engine::{json::JsonText, profile::Profile, scope::Scope};
//!
//! let gold = JsonText::parse(r#"{"金币": 3}"#.as_bytes()).unwrap();
//! let variables = Variables::new([(Scope::Branch, "资产".parse().unwrap(), gold)]);
//! let profile = Profile::default();
//! let context = Context::new(&variables, &profile);
//! let text = "{{setvar::资产.金币::{{incvar::资产.金币}}}}{{if {{.资产.金币}} >= 4}}rich{{else}}poor{{/if}}";
//! let rendered = render(&[text], &context);
//! assert_eq!(rendered.texts, ["rich"]);
//! assert_eq!(rendered.writes.len(), 2);
//! ```
//!
//! A value is data: its braces are never expanded. Where a macro cannot be evaluated its text stays, a warning says why and
//! where, and nothing of it is written. The table of macros is [`ROWS`].

mod chance;
mod change;
mod condition;
mod evaluate;
mod helper;
pub mod kit;
mod needs;
mod operation;
mod parse;
mod path;
mod scan;
mod size;
mod table;
mod values;
mod variables;
mod warning;

pub use change::{AppliedChange, RelativeChange};
pub use size::Size;
pub use table::{ROWS, Row};
pub use variables::Variables;
pub use warning::{Warning, WarningCode};

use crate::document::Value;
use crate::limits::PROMPT_FLOORS_MAX;
use crate::names::scope::Scope;
use crate::rules::profile::Profile;
use evaluate::Evaluation;
use parse::Parsed;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// What a prompt is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To be looked at: writes are shown and warned about.
    Preview,
    /// To be sent: writes are staged.
    Render,
}

/// What macros can see.
#[derive(Debug)]
pub struct Context<'a> {
    /// The variables and the state.
    pub variables: &'a Variables,
    /// The profile, for its views.
    pub profile: &'a Profile,
    /// The state as views show it, where that is another one: a rule pack hides what is its own business.
    pub shown: Option<Value>,
    /// Earlier states by the number of their floor as the prompt or the view writes it, for views of what changed.
    pub earlier: HashMap<i64, Value>,
    /// The name of the user.
    pub user: Option<&'a str>,
    /// The name of the character.
    pub character: Option<&'a str>,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
    /// How far the reader's clock is ahead of UTC.
    pub utc_offset_minutes: i32,
    /// What chance depends on.
    pub seed: u64,
    /// What the prompt is rendered for.
    pub mode: Mode,
}

impl<'a> Context<'a> {
    /// A preview without names, at the beginning of time.
    pub fn new(variables: &'a Variables, profile: &'a Profile) -> Context<'a> {
        Context {
            variables,
            profile,
            shown: None,
            earlier: HashMap::new(),
            user: None,
            character: None,
            now_ms: 0,
            utc_offset_minutes: 0,
            seed: 0,
            mode: Mode::Preview,
        }
    }
}

/// A prompt that was rendered.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The text of each message.
    pub texts: Vec<String>,
    /// What is worth a look.
    pub warnings: Vec<Warning>,
    /// The macros that were used, each once, as the table spells them.
    pub names: Vec<&'static str>,
    /// Which macro looked at which variable.
    pub uses: Vec<VariableUse>,
    /// The views that were shown.
    pub views: Vec<ViewUse>,
    /// What the macros write, in the order of the text.
    pub writes: Vec<Write>,
    /// Bytes of values that the macros went through without showing them. Bounded, so that no prompt costs more than its length
    /// and the limits allow.
    pub work: usize,
}

/// A macro that looked at a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// Which message, from 0.
    pub message_index: usize,
    /// Where in the message, in bytes.
    pub span: Range<usize>,
    /// The macro as the table spells it; `.` and `$` for the short forms, nothing for a plain name.
    pub macro_name: String,
    /// The scope that the value came from, or would come from.
    pub scope: Option<Scope>,
    /// The path as it was written.
    pub path: String,
    /// Whether there was a value.
    pub found: bool,
}

/// A view that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewUse {
    /// Its name.
    pub name: Arc<str>,
    /// The floor that changes were shown since.
    pub since: Option<i64>,
    /// Its text.
    pub text: Arc<str>,
    /// What did not fit.
    pub dropped: Vec<String>,
}

/// What a macro writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The macro, as [`VariableUse`] has it.
    pub macro_name: String,
    /// Which message, from 0.
    pub message_index: usize,
    /// Where in the message, in bytes.
    pub span: Range<usize>,
    /// `branch` or `global`.
    pub scope: Scope,
    /// The key of the variable: a write to a path is a write of the whole value.
    pub key: Arc<str>,
    /// The new value; none deletes the variable.
    pub value: Option<Value>,
    /// What is done to the value that is there, where the new one depends on it.
    pub relative: Option<RelativeChange>,
}

/// Renders the messages of a prompt in order, each seeing what the ones before it wrote.
pub fn render(messages: &[&str], context: &Context<'_>) -> Rendered {
    Prompt::parse(messages.iter().map(|text| (*text).to_owned()).collect()).render(context)
}

/// The messages of a prompt, read once.
#[derive(Debug)]
pub struct Prompt {
    messages: Vec<(String, Parsed)>,
}

impl Prompt {
    /// Reads the texts of messages. What is wrong with them is said when they are rendered.
    pub fn parse(texts: Vec<String>) -> Prompt {
        let parsed = |text: String| {
            let parsed = parse::parse(&text);
            (text, parsed)
        };
        Prompt { messages: texts.into_iter().map(parsed).collect() }
    }

    /// How long all texts are together.
    pub fn bytes(&self) -> usize {
        self.messages.iter().map(|(text, _)| text.len()).sum()
    }

    /// Evaluates the macros, in order.
    pub fn render(&self, context: &Context<'_>) -> Rendered {
        let mut evaluation = Evaluation::new(context);
        let messages = self.messages.iter().enumerate();
        let texts = messages.map(|(index, (text, parsed))| evaluation.message(index, text, parsed)).collect();
        let Evaluation { overlay, warnings, names, uses, views, worked, .. } = evaluation;
        let writes = overlay.into_writes().collect();
        Rendered { texts, warnings, names, uses, views, writes, work: worked }
    }

    /// What the macros need beside variables and the state. `variables` are those that the prompt will be rendered with: an
    /// argument may come from them.
    pub fn needs(&self, variables: &Variables, profile: &Profile) -> Needs {
        let mut needs = needs::FoundNeeds::default();
        for (text, parsed) in &self.messages {
            needs.look(text, &parsed.nodes, profile);
        }
        let needs::FoundNeeds { mut floors, message, depends } = needs;
        if depends {
            let context = Context::new(variables, profile);
            let mut evaluation = Evaluation::new(&context);
            for (index, (text, parsed)) in self.messages.iter().enumerate() {
                evaluation.message(index, text, parsed);
            }
            floors.extend(evaluation.floors);
        }
        Needs { floors: floors.into_iter().take(PROMPT_FLOORS_MAX).collect(), message }
    }
}

/// What a prompt needs beside variables and the state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// The floors whose states its views compare with, as the profile or the macro writes them.
    pub floors: BTreeSet<i64>,
    /// Whether it asks for the variables of the last message.
    pub message: bool,
}
