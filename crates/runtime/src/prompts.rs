//! Prompts: previewed, and rendered for a page.

mod kits;
mod states_shown;

pub use kits::{KitOrder, KitView, PromptKit};

use crate::documents::Documents;
use crate::order::NewStagedWrite;
use crate::record::{Host, StagedWrite};
use crate::story::document_of;
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_ids, now_ms, random_bytes};
use states_shown::{as_shown, each_as_shown, earlier};
use std::collections::HashMap;
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::prompt::{Context, Mode, Prompt, Rendered, Variables, Write};
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::settings;
use tavernkeep_store::story::states::{self, StateAt};
use tavernkeep_store::tree::{MAIN_BRANCH, SessionKey};
use tavernkeep_store::variables::prompt::{self, PromptPlace};
use tavernkeep_store::variables::staging;

pub use tavernkeep_store::variables::prompt::PromptQuery;

/// A prompt to render.
#[derive(Debug, Clone)]
pub struct PromptOrder {
    /// Where it is rendered.
    pub place: PromptQuery,
    /// The texts of its messages.
    pub messages: Vec<String>,
    /// The name of the user.
    pub user: Option<String>,
    /// The name of the character; that of the session's character if absent.
    pub character: Option<String>,
    /// What chance depends on; drawn if absent.
    pub seed: Option<u64>,
    /// The time; now if absent.
    pub now_ms: Option<i64>,
    /// How far the reader's clock is ahead of UTC.
    pub utc_offset_minutes: i32,
}

/// A prompt that was rendered.
#[derive(Debug, Clone)]
pub struct RenderedPrompt {
    /// Where it was rendered.
    pub place: PlaceOfPrompt,
    /// The state that it saw; none where there is none.
    pub state: Option<StateAt>,
    /// The texts, and what the macros did.
    pub rendered: Rendered,
    /// The writes that were staged.
    pub staged: Vec<StagedWrite>,
    /// What chance depended on.
    pub seed: u64,
    /// The time it was rendered for.
    pub now_ms: i64,
}

/// Where a prompt was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOfPrompt {
    /// The session.
    pub session: Id,
    /// The branch.
    pub branch: String,
    /// Whether the branch exists.
    pub branch_exists: bool,
    /// The floor that the branch was or would be forked from.
    pub source_floor: Option<Id>,
    /// The branch of that floor.
    pub source_branch: Option<String>,
    /// The floor of the page.
    pub floor: Option<Id>,
    /// The page.
    pub page: Option<Id>,
}

/// What a prompt is rendered with.
struct Gathered {
    place: PlaceOfPrompt,
    variables: Variables,
    profile: Arc<Profile>,
    /// The state as the rule packs of the profile show it.
    shown: Option<Value>,
    earlier: HashMap<i64, Value>,
    state: Option<StateAt>,
    character: Option<String>,
}

/// Texts up to this length are rendered on the thread of the request: that takes less time than waking another.
const INLINE_BYTES_MAX: usize = 16 * 1024;

impl Runtime {
    /// Renders a prompt and writes nothing.
    pub async fn preview_prompt(&self, account: &Id, order: PromptOrder) -> RuntimeResult<RenderedPrompt> {
        self.rendered_prompt(account, order, Mode::Preview).await
    }

    /// Renders a prompt for a page that is generated, and stages on it what the macros write.
    pub async fn render_prompt(&self, account: &Id, order: PromptOrder) -> RuntimeResult<RenderedPrompt> {
        let mut done = self.rendered_prompt(account, order, Mode::Render).await?;
        let Some(page) = done.place.page.clone() else { return Ok(done) };
        let ids = new_ids(done.rendered.writes.len())?;
        let writes: Vec<_> = done.rendered.writes.iter().map(staged).collect::<RuntimeResult<_>>()?;
        let writes: Vec<_> = ids.into_iter().zip(writes).collect();
        let (owner, now) = (account.clone(), now_ms());
        done.staged = self.write(account, move |tx| staging::stage_macros(tx, &owner, &page, &writes, now)).await?;
        Ok(done)
    }

    async fn rendered_prompt(&self, account: &Id, order: PromptOrder, mode: Mode) -> RuntimeResult<RenderedPrompt> {
        let PromptOrder { place, messages, user, character, seed, now_ms: asked_now, utc_offset_minutes } = order;
        let bytes: usize = messages.iter().map(String::len).sum();
        let prompt = Arc::new(inline_if(bytes <= INLINE_BYTES_MAX, move || Prompt::parse(messages)).await?);
        let gathered = match self.gathered(account, place.clone(), &prompt).await {
            Err(error @ RuntimeError::Refused(_)) => {
                let (Some(branch), Some(_)) = (&place.branch, &place.page) else { return Err(error) };
                // The branch may have got a copy of the page since that was read there.
                let (_, page) = self.copies_on(account, &place.session, branch, (None, place.page.clone())).await?;
                match page == place.page {
                    true => return Err(error),
                    false => self.gathered(account, PromptQuery { page, ..place }, &prompt).await?,
                }
            }
            gathered => gathered?,
        };
        let seed = seed.map_or_else(draw, Ok)?;
        let now_ms = asked_now.unwrap_or_else(now_ms);
        let work = move || {
            let rendered = prompt.render(&Context {
                variables: &gathered.variables,
                profile: &gathered.profile,
                shown: gathered.shown,
                earlier: gathered.earlier,
                user: user.as_deref(),
                character: character.as_deref().or(gathered.character.as_deref()),
                now_ms,
                utc_offset_minutes,
                seed,
                mode,
            });
            (gathered.place, gathered.state, rendered)
        };
        let (place, state, rendered) = inline_if(bytes <= INLINE_BYTES_MAX, work).await?;
        Ok(RenderedPrompt { place, state, rendered, staged: Vec::new(), seed, now_ms })
    }

    async fn gathered(&self, account: &Id, place: PromptQuery, prompt: &Arc<Prompt>) -> RuntimeResult<Gathered> {
        let (owner, documents, prompt) = (account.clone(), Arc::clone(&self.documents), Arc::clone(prompt));
        let read = move |tx: &mut dyn Tx| gather(tx, &documents, &owner, &place, &prompt);
        self.store.read(read).await.map_err(page_instead_of_host)
    }
}

/// Does work on the thread of the request, or on one for work that takes longer.
async fn inline_if<T: Send + 'static>(inline: bool, work: impl FnOnce() -> T + Send + 'static) -> RuntimeResult<T> {
    match inline {
        true => Ok(work()),
        false => tokio::task::spawn_blocking(work).await.map_err(|error| RuntimeError::Bug(error.to_string())),
    }
}

fn gather(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    query: &PromptQuery,
    parsed: &Prompt,
) -> StoreResult<Gathered> {
    let mut place = prompt::read(tx, account, query)?;
    let rows = std::mem::take(&mut place.rows);
    let key = SessionKey::new(account, place.session_row);
    let prompt_settings = settings::for_prompt(tx, key)?;
    let profile = documents.rules.profiles.load(tx, account, prompt_settings.profile)?;
    let PromptPlace { branch, branch_exists, source_floor, source_branch, floor, page, .. } = place.clone();
    let at = match (&page, branch_exists, &source_floor) {
        // The page is generated, perhaps once more: the prompt shows what it builds on.
        (Some(page), ..) => states::below_page(tx, account, page)?,
        (None, false, Some(floor)) => states::of_floor(tx, account, floor)?,
        _ => states::newest(tx, account, &query.session, &branch)?,
    };
    let document = document_of(tx, documents, account, &at)?;
    // A session without a template and without turns has no story.
    let state = Some(at).filter(|at| at.version_row.is_some() || document != Value::empty_object());
    let shown = state.as_ref().and_then(|_| as_shown(&profile, &document).0);
    let document = state.is_some().then_some(document);
    let mut variables = Variables::new(rows).with_state(&prompt_settings.state_key, document);
    let needs = parsed.needs(&variables, &profile);
    if needs.message && !variables.has_message() {
        variables = variables.with_last_message(prompt::last_message(tx, account, &place)?);
    }
    let line = if branch_exists { branch.as_str() } else { source_branch.as_deref().unwrap_or(MAIN_BRANCH) };
    let earlier = match &state {
        Some(at) => {
            each_as_shown(&profile, earlier(tx, documents, account, (&query.session, line, at), &needs.floors)?)
        }
        None => HashMap::new(),
    };
    let place = PlaceOfPrompt {
        session: query.session.clone(),
        branch,
        branch_exists,
        source_floor,
        source_branch,
        floor,
        page,
    };
    let character = prompt_settings.character.map(|(_, name)| name);
    Ok(Gathered { place, variables, profile, shown, earlier, state, character })
}

/// A page that is not there is named as such; the macros' variables are not what was asked for.
fn page_instead_of_host(error: RuntimeError) -> RuntimeError {
    match error {
        RuntimeError::Refused(Refusal::HostNotFound(Host::Page(page))) => Refusal::PageNotFound(page).into(),
        error => error,
    }
}

fn draw() -> RuntimeResult<u64> {
    // As many bits as every client's numbers keep.
    let mut bytes = [0; 8];
    random_bytes(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}

/// The row of a page's ledger for what a macro writes.
fn staged(write: &Write) -> RuntimeResult<NewStagedWrite> {
    let invalid = || RuntimeError::Bug(format!("a macro wrote the key {:?}", write.key));
    let mut source = serde_json::json!({
        "macro": write.macro_name,
        "message_index": write.message_index,
        "start": write.span.start,
        "end": write.span.end,
    });
    // The value is what the prompt shows; the commit changes what is there by then.
    if let Some(change) = &write.relative {
        source["change"] = change.to_value().to_serde();
    }
    Ok(NewStagedWrite {
        key: write.key.parse().map_err(|_| invalid())?,
        op: if write.value.is_some() { StagedOp::Set } else { StagedOp::Delete },
        value: write.value.as_ref().map(Value::to_text),
        intent: if write.scope == Scope::Global { Intent::PromoteToGlobal } else { Intent::PromoteToBranch },
        policy: ConflictPolicy::Replace,
        source_kind: SourceKind::Macro,
        reason: None,
        source: Some(JsonText::from_stored(&source.to_string())),
        evidence: None,
    })
}
