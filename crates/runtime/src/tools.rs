//! Tools: groups of them, the executor that runs a call in its order, and what a session says about both.
//!
//! ```
//! use serde_json::json;
//! use tavernkeep_runtime::tools::{Tool, ToolGroup, ToolOutput};
//! use tavernkeep_runtime::{Database, Options, Runtime, order::NewSession};
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let folder = tempfile::tempdir().unwrap();
//! let keep = Runtime::open(Options::new(Database::Sqlite(folder.path().into()))).await.unwrap();
//! let account = Runtime::default_account();
//! let session = keep.create_session(&account, NewSession::default()).await.unwrap();
//!
//! // A tool is an OpenAI function, a permission and something that runs it.
//! let parameters = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
//! let upper = Tool::new("Upper", "Writes a text in capitals.", parameters, |call| async move {
//!     Ok(ToolOutput::of(call.args["text"].as_str().unwrap_or_default().to_uppercase()))
//! });
//! let mut executor = keep.tool_executor(&account, &session.id);
//! executor.register_tool_group(ToolGroup::new("letters", vec![upper])).await.unwrap();
//! executor.toggle_group_enabled("letters", Some(true)).await.unwrap();
//! let names = executor.enabled_tool_definitions().await.unwrap();
//! assert_eq!(names.len(), 3, "the tool, and ReadVar and ListVars");
//!
//! // The whole result of a call stays on the scratchpad, and the next call refers to it.
//! let first = executor.execute("Upper", json!({"text": "hello"})).await.unwrap();
//! assert_eq!(first.formatted_text.as_deref(), Some("HELLO"));
//! let variable = first.cache_var_result.unwrap();
//! let again = executor.execute("Upper", json!({"text": format!("$VAR_REF{{{{{variable}:0:2}}}}!")})).await.unwrap();
//! assert_eq!(again.formatted_text.as_deref(), Some("HE!"));
//! keep.close().await;
//! # });
//! ```

mod config;
mod executor;
pub mod groups;
mod handle;
mod node_ids;
mod options;
mod outcome;
mod prepare;
mod process;
mod registry;
mod requests;
mod running;
mod scratch;
mod settle;
mod tool;

#[cfg(test)]
mod races;

pub use config::{Defaults, GroupState, ToolState};
pub use executor::{CallRequest, ExecuteStatus};
pub use handle::{ApprovalDecision, ApprovalRequest, ToolExecuteResult, ToolExecutor};
pub use options::{ClockMs, NodeIds, ToolOptions};
pub use registry::{Registry, RegistryError};
pub use requests::{ClientResult, VerdictOrder};
pub use scratch::ScratchPatch;
pub use tavernkeep_engine::tools::call::{ApprovalKind, CallStatus};
pub use tavernkeep_engine::tools::definition::{Declaration, GroupDeclaration, SkillRule, Truncation};
pub use tavernkeep_engine::tools::listing::Filter;
pub use tavernkeep_engine::tools::permission::{ApprovalScope, ExecutionPolicy, Permission, ResultPolicy};
pub use tavernkeep_engine::tools::reference::ReferenceOptions;
pub use tavernkeep_engine::tools::variable::{VarType, Variable, VariablePatch};
pub use tavernkeep_store::tools::approvals::Approval;
pub use tavernkeep_store::tools::call_bodies::CallDetails;
pub use tavernkeep_store::tools::call_rows::CallRecord;
pub use tavernkeep_store::tools::grants::Grant;
pub use tavernkeep_store::tools::journal::{CallFilter, JournalLimits};
pub use tavernkeep_store::tools::settings::{Setting, StoredConfig};
pub use tool::{Execute, RulePrompt, Tool, ToolCall, ToolError, ToolFuture, ToolGroup, ToolOutput};

pub(crate) use executor::Tools;
pub(crate) use node_ids::civil;
