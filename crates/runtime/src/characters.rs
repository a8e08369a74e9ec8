//! Characters, and sessions that begin with their greetings.

use crate::ids::IdSeed;
use crate::order::{CharacterPatch, CharacterQuery, CharacterStory, LocalFunction, NewCharacter, NewSession};
use crate::record::{Character, CharacterSummary, Listed, Session};
use crate::turn::{SessionTurn, TurnBase};
use crate::{MAIN_BRANCH, Runtime, RuntimeResult, new_id, new_ids, new_snapshot_id, now_ms};
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::library::LibraryFunction;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::turn::TurnPosition;
use tavernkeep_store::conversation::greetings::{self, Greeting};
use tavernkeep_store::conversation::{characters, sessions};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::story::functions;
use tavernkeep_store::story::recipes::Recipe;
use tavernkeep_store::story::settings::{definition_hash, rules};
use tavernkeep_store::tree::bodies::Body;

impl Runtime {
    /// Creates a character.
    pub async fn create_character(&self, account: &Id, new: NewCharacter) -> RuntimeResult<Character> {
        let (owner, now) = (account.clone(), now_ms());
        let id = new.id.clone().map_or_else(new_id, Ok)?;
        self.check_functions(account, &new.story).await?;
        let fresh = function_ids(&new.story)?;
        self.write(account, move |tx| characters::create(tx, &owner, &new, (&id, &fresh), now)).await
    }

    pub(crate) async fn check_functions(&self, account: &Id, story: &CharacterStory) -> RuntimeResult<()> {
        let local: Vec<&LocalFunction> = story.functions.iter().flatten().collect();
        let functions: Vec<LibraryFunction> = local.iter().map(|local| local.function.clone()).collect();
        self.check_patterns(account, &functions).await?;
        // A card may bring code along that is off; it is looked at when it is switched on.
        let code = |local: &&LocalFunction| LibraryFunction {
            executor: if local.enabled { local.function.executor.clone() } else { String::new() },
            ..local.function.clone()
        };
        self.check_code(account, &local.iter().map(code).collect::<Vec<_>>()).await
    }

    /// Reads one character whole.
    pub async fn character(&self, account: &Id, id: &Id) -> RuntimeResult<Character> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| characters::get(tx, &account, &id)).await
    }

    /// Lists characters.
    pub async fn characters(&self, account: &Id, query: CharacterQuery) -> RuntimeResult<Listed<CharacterSummary>> {
        let account = account.clone();
        self.store.read(move |tx| characters::list(tx, &account, &query)).await
    }

    /// Changes a character.
    pub async fn update_character(&self, account: &Id, id: &Id, patch: CharacterPatch) -> RuntimeResult<Character> {
        let (owner, id, now) = (account.clone(), id.clone(), now_ms());
        self.check_functions(account, &patch.story).await?;
        let fresh = function_ids(&patch.story)?;
        self.write(account, move |tx| characters::update(tx, &owner, (&id, &fresh), &patch, now)).await
    }

    /// Creates a session and its branch `main`. Greetings, its own or its character's, become floor 0, all of them
    /// processed.
    pub async fn create_session(&self, account: &Id, new: NewSession) -> RuntimeResult<Session> {
        // The character that a repeated request names may be gone.
        if let Some(session) = self.stored_response(account).await? {
            return Ok(session);
        }
        let id = new.id.clone().map_or_else(new_id, Ok)?;
        let (greetings, floor) = (self.greetings(account, &id, &new).await?, new_id()?);
        let (owner, now, quotas, fresh) = (account.clone(), now_ms(), self.quotas, IdSeed::new()?);
        let write = move |tx: &mut dyn Tx| {
            let session = sessions::create(tx, &owner, &new, &id, &quotas, now)?;
            greetings::add(tx, &owner, &session.id, &greetings, &floor, &mut fresh.ids(), now)?;
            Ok(session)
        };
        self.write(account, write).await
    }

    /// What a session begins with, computed from its template.
    ///
    /// Should the character change before the session is stored, the greetings' states record what they were
    /// made with and are outdated from the beginning.
    async fn greetings(&self, account: &Id, session: &Id, new: &NewSession) -> RuntimeResult<Vec<Greeting>> {
        let character = match &new.story.character {
            Some(Some(id)) => Some(self.character(account, id).await?),
            _ => None,
        };
        let (own, story) = (new.greetings.as_ref(), &new.story);
        let Some(texts) = own.or(character.as_ref().map(|character| &character.greetings)) else {
            return Ok(Vec::new());
        };
        let theirs = character.as_ref();
        let profile = story.profile.clone().flatten().or_else(|| theirs.and_then(|it| it.profile.clone()));
        let template = story.template.clone().flatten().or_else(|| theirs.and_then(|it| it.template.clone()));
        let enabled = theirs.is_none_or(|it| it.summary.enabled);
        let profile = profile.and_then(|profile| Profile::read(&Value::from(&profile)).ok());
        let profile: Arc<Profile> = Arc::new(profile.unwrap_or_default());
        let rules = rules(&profile).as_ref().map(definition_hash);
        let functions = {
            let (owner, character) = (account.clone(), theirs.map(|it| it.summary.id.clone()));
            self.store.read_point(move |tx| functions::hashes(tx, &owner, character.as_ref())).await?
        };
        let recipe = Recipe::of(rules, template.as_ref().map(definition_hash), functions);
        let rules = self.rules_with(account, &recipe, &profile).await?;
        let template = template.as_ref().map(Value::from).or_else(|| profile.first_document());
        let template = template.unwrap_or_else(Value::empty_object);
        let base = TurnBase::first(profile.first_state(template));
        let (now_ms, pages) = (now_ms(), new_ids(texts.len())?);
        let mut ready = Vec::with_capacity(texts.len());
        for (text, page) in texts.iter().zip(pages) {
            let version = match enabled {
                false => None,
                true => {
                    let (base, rules) = (base.clone(), rules.clone());
                    let (reply, page, recent_texts) = (Arc::from(text.as_str()), page.clone(), Vec::new());
                    let position = TurnPosition {
                        session: Some(session.to_string()),
                        branch: Some(MAIN_BRANCH.to_owned()),
                        floor_no: Some(0),
                        page: Some(page.to_string()),
                        role: Some(greetings::ROLE.to_owned()),
                    };
                    let turn = SessionTurn {
                        account: account.clone(),
                        base,
                        reply,
                        page,
                        recipe,
                        rules,
                        recent_texts,
                        position,
                        from_user: false,
                        edits: Vec::new(),
                        now_ms,
                    };
                    Some(self.compute(turn).await?.version)
                }
            };
            ready.push(Greeting {
                body: Body::new(Some(text), None),
                text: text.clone(),
                name: theirs.map(|it| it.summary.name.clone()),
                page,
                snapshot: new_snapshot_id()?,
                version,
            });
        }
        Ok(ready)
    }
}

/// An id for each function of a character, should it be new.
fn function_ids(story: &CharacterStory) -> RuntimeResult<Vec<Id>> {
    new_ids(story.functions.as_ref().map_or(0, Vec::len))
}
