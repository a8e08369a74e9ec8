//! Kits: what a model needs to know before it writes.

use super::states_shown::{as_shown, each_as_shown, earlier};
use crate::documents::Documents;
use crate::order::FunctionScope;
use crate::story::document_and_schema_of;
use crate::{Refusal, Runtime, RuntimeResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library;
use tavernkeep_engine::prompt::{Size, kit};
use tavernkeep_engine::turn::note;
use tavernkeep_engine::view::View;
use tavernkeep_store::StoreResult;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::states::{self, LastReply, StateAt};
use tavernkeep_store::story::{functions, origins, settings, versions};
use tavernkeep_store::tree::{MAIN_BRANCH, SessionKey};

/// What a model needs to know before it writes.
#[derive(Debug, Clone)]
pub struct PromptKit {
    /// The branch.
    pub branch: String,
    /// The name of the profile that the session's is based on.
    pub profile: Arc<str>,
    /// The state that is shown.
    pub state: StateAt,
    /// The state as the view shows it.
    pub view: KitView,
    /// How the functions of the library are called; none where there is no library.
    pub functions: Option<String>,
    /// How commands are written.
    pub rules: String,
    /// What became of the last reply's commands; none where the profile does not ask for it.
    pub note: Option<String>,
}

/// The state as a view shows it.
#[derive(Debug, Clone)]
pub struct KitView {
    /// The name of the view; none for a profile without views.
    pub name: Option<Arc<str>>,
    /// The floor that changes are shown since.
    pub since: Option<i64>,
    /// The text.
    pub text: String,
    /// What did not fit.
    pub dropped: Vec<String>,
}

impl PromptKit {
    /// The length of all parts together.
    pub fn size(&self) -> Size {
        let parts = [Some(&self.view.text), self.functions.as_ref(), Some(&self.rules), self.note.as_ref()];
        parts.into_iter().flatten().fold(Size::default(), |sum, part| sum + Size::of(part))
    }
}

/// Which view a kit shows.
#[derive(Debug, Clone, Default)]
pub struct KitOrder {
    /// The branch; `main` if absent.
    pub branch: Option<String>,
    /// The name of the view; the first of the profile if absent.
    pub view: Option<String>,
    /// Only what changed since this floor is shown, instead of what the view says.
    pub since: Option<i64>,
    /// The position of the reply that is written; behind the last floor if absent.
    pub before_floor: Option<i64>,
}

impl Runtime {
    /// What a model needs to know before it writes: the view, the rules of the dialects, the note.
    pub async fn prompt_kit(&self, account: &Id, session: &Id, order: KitOrder) -> RuntimeResult<PromptKit> {
        let (owner, session, documents) = (account.clone(), session.clone(), Arc::clone(&self.documents));
        let read = move |tx: &mut dyn Tx| kit_of(tx, &documents, &owner, &session, &order);
        self.store.read(read).await
    }
}

fn kit_of(
    tx: &mut dyn Tx,
    documents: &Documents,
    account: &Id,
    session: &Id,
    order: &KitOrder,
) -> StoreResult<PromptKit> {
    let branch = order.branch.as_deref().unwrap_or(MAIN_BRANCH);
    if let Some(floor_no) = order.before_floor {
        states::check_position(tx, account, session, branch, floor_no)?;
    }
    let at = states::before(tx, account, session, branch, order.before_floor.unwrap_or(i64::MAX))?;
    let key = SessionKey::new(account, at.session_row);
    let prompt_settings = settings::for_prompt(tx, key)?;
    let profile = documents.rules.profiles.load(tx, account, prompt_settings.profile)?;
    let (state, mvu_schema) = document_and_schema_of(tx, documents, account, &at)?;
    let view = match &order.view {
        Some(name) => match profile.view(name) {
            Some(view) => Some(Arc::clone(view)),
            None => {
                let known = profile.views.iter().map(|view| view.name.to_string()).collect();
                return Err(Refusal::ViewNotFound { name: name.clone(), known }.into());
            }
        },
        None => profile.views.first().cloned(),
    };
    let name = view.as_ref().map(|view| Arc::clone(&view.name));
    let view = view.unwrap_or_else(|| View::plain("state").into());
    let since = order.since.or(view.changed_since);
    let floors: BTreeSet<i64> = since.into_iter().collect();
    let earlier = earlier(tx, documents, account, (session, branch, &at), &floors)?;
    let earlier = each_as_shown(&profile, earlier);
    if let Some(floor_no) = order.since.filter(|floor| !earlier.contains_key(floor)) {
        return Err(Refusal::FloorNumberNotFound { branch: branch.to_owned(), floor_no }.into());
    }
    let (shown, due) = as_shown(&profile, &state);
    let shown = shown.as_ref().unwrap_or(&state);
    let mut rendered = view.render(shown, since.and_then(|floor| earlier.get(&floor)), profile.pairs);
    if let Some(view) = profile.shown_by_packs(&state).filter(|_| name.is_none() && since.is_none()) {
        // Packs describe their values, and a profile without views asks for nothing else.
        rendered.text = view.to_text();
    } else {
        for text in due {
            rendered.text.push('\n');
            rendered.text.push_str(&text);
        }
    }
    let scope = match prompt_settings.character {
        Some((character, _)) => FunctionScope::Character(character),
        None => FunctionScope::Global,
    };
    // What turns run with: the library may have switched built-in functions off.
    let recipe = settings::of_session(tx, account, session)?.recipe;
    let turn_rules = documents.rules.load(tx, account, &recipe)?;
    let functions = functions::in_use(tx, account, &scope)?;
    let functions: Vec<_> = functions.iter().filter(|function| kit::is_read(&turn_rules.profile, function)).collect();
    let functions = (!functions.is_empty()).then(|| library::prompt(functions));
    let note = match profile.note {
        true => {
            let below = order.before_floor.unwrap_or(i64::MAX);
            let reply = states::last_reply_below(tx, account, (session, branch), below)?;
            Some(reply.map(|reply| note_on(tx, account, key, &reply)).transpose()?.unwrap_or_default())
        }
        false => None,
    };
    Ok(PromptKit {
        branch: branch.to_owned(),
        profile: Arc::clone(&profile.name),
        view: KitView { name, since, text: rendered.text, dropped: rendered.dropped },
        functions,
        rules: kit::rules(&turn_rules.profile, &turn_rules.functions, &state, mvu_schema.as_ref()),
        note,
        state: at,
    })
}

/// What became of the commands of a reply, from what is stored of it.
fn note_on(tx: &mut dyn Tx, account: &Id, session: SessionKey<'_>, reply: &LastReply) -> StoreResult<String> {
    let Some(row) = reply.version_row else { return Ok(String::new()) };
    let made_of = versions::made_of(tx, session, row)?;
    let text = origins::text_of(tx, account, &reply.page, made_of.text_hash)?;
    let Some(text) = text else { return Ok(String::new()) };
    let outcome = versions::outcome(tx, session, row, Some(&text))?;
    Ok(outcome.map(|outcome| note(&outcome.results)).unwrap_or_default())
}
