//! Sessions and characters as files that SillyTavern reads.

use super::names;
use crate::record::Character;
use crate::{MAIN_BRANCH, Runtime, RuntimeResult};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::sillytavern::{
    CardFields, CardFunction, KEY, StoredVariables, WrittenMessage, WrittenPage, encode_base64, header, message, png,
    write_card,
};
use tavernkeep_store::conversation::chat_files::{self, FileMessage, FilePage};
use tavernkeep_store::conversation::sessions;
use tavernkeep_store::db::metering;
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tree::SessionKey;

/// How a card is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardFormat {
    /// A picture with the card inside.
    Png,
    /// JSON.
    Json,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// What it may be called, without a folder.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// What a speaker is called who has no name.
const UNNAMED: &str = "Assistant";
const UNNAMED_USER: &str = "User";

impl Runtime {
    /// A branch of a session as a chat file. It is as it was at one moment.
    pub async fn export_chat(&self, account: &Id, session: &Id, branch: Option<&str>) -> RuntimeResult<ExportedFile> {
        let branch = branch.unwrap_or(MAIN_BRANCH).to_owned();
        let character = match self.session(account, session).await?.character {
            Some(id) => Some(self.character(account, &id).await?),
            None => None,
        };
        let theirs = character.as_ref().and_then(|character| character.profile.clone());
        let (owner, id, documents) = (account.clone(), session.clone(), self.documents());
        let read = move |tx: &mut dyn Tx| {
            let session = sessions::get(tx, &owner, &id)?;
            let (session_row, messages) = chat_files::read(tx, &owner, &id, &branch)?;
            let key = SessionKey::new(&owner, session_row);
            let is_mvu = session.profile.as_ref().or(theirs.as_ref()).is_some_and(is_mvu);
            let mut states = Vec::with_capacity(messages.len());
            for page in messages.iter().flat_map(|message| &message.pages) {
                let version = page.version_row.filter(|_| is_mvu);
                let state = version.map(|row| documents.load(tx, key, row)).transpose()?.map(|loaded| loaded.document);
                // States share what they have in common, but the file has all of each.
                state.as_ref().map_or(Ok(()), |state| metering::count(state.weight()))?;
                states.push(state);
            }
            Ok((session, messages, states))
        };
        let (session, messages, states) = self.store.read(read).await?;
        let character = character.map(|character| character.summary.name);
        let metadata = session.metadata.as_ref().map(Value::from);
        let first = header(metadata.as_ref().and_then(|metadata| metadata.get(KEY)));
        let name = names::parts(&format!("{}.jsonl", session.chat_file)).1;
        let written = move || {
            // SillyTavern writes no newline at the end.
            let mut content = first.to_json();
            let mut states = states.into_iter();
            for FileMessage { metadata, pages } in messages {
                let pages: Vec<WrittenPage> =
                    pages.into_iter().map(|page| written_page(page, states.next().flatten())).collect();
                let is_user = pages.first().and_then(|page| page.role.as_deref()).is_some_and(|role| role == "user");
                let default_name = if is_user { UNNAMED_USER } else { character.as_deref().unwrap_or(UNNAMED) };
                let metadata = metadata.as_ref().map(Value::from);
                let written = message(&WrittenMessage { metadata: metadata.as_ref(), pages: &pages, default_name });
                content.push('\n');
                content.push_str(&written.to_json());
            }
            content.into_bytes()
        };
        let content = tokio::task::spawn_blocking(written).await?;
        Ok(ExportedFile { name: format!("{name}.jsonl"), content })
    }

    /// A character as a card.
    pub async fn export_card(&self, account: &Id, id: &Id, format: CardFormat) -> RuntimeResult<ExportedFile> {
        let character = self.character(account, id).await?;
        let stored = self.stored_card(account, id).await?;
        let fields = fields(&character);
        let written = move || {
            let (second, third) = write_card(stored.as_ref().map(|card| &card.json), &fields);
            let is_third = stored.as_ref().is_some_and(|card| {
                Value::from(&card.json).get("spec").and_then(Value::as_str) == Some("chara_card_v3")
            });
            let image = stored.and_then(|card| card.image);
            let name = names::parts(&fields.name.replace(['/', '\\'], "_")).1;
            let name = if name.is_empty() { "character".to_owned() } else { name };
            match format {
                CardFormat::Json => {
                    let card = if is_third { third } else { second };
                    Ok(ExportedFile { name: format!("{name}.json"), content: card.to_json().into_bytes() })
                }
                CardFormat::Png => {
                    let [second, third] = [second, third].map(|card| encode_base64(card.to_json().as_bytes()));
                    let image = image.unwrap_or_else(png::blank);
                    let content = png::with_card(&image, &[("chara", &second), ("ccv3", &third)]);
                    let content = content.map_err(|error| crate::RuntimeError::Damaged(error.to_string()))?;
                    Ok(ExportedFile { name: format!("{name}.png"), content })
                }
            }
        };
        tokio::task::spawn_blocking(written).await?
    }
}

/// Whether MVU could go on with the states of a profile.
fn is_mvu(profile: &JsonText) -> bool {
    let profile = Value::from(profile);
    let base = profile.as_str().or_else(|| profile.get("base")?.as_str());
    base.is_some_and(|base| base.starts_with("mvu"))
}

/// A page as a swipe. What MVU stored with it stays as it was while our state is the same.
fn written_page(page: FilePage, state: Option<Value>) -> WrittenPage {
    let extra = page.extra.as_ref().map(Value::from);
    let variables = state.and_then(|state| StoredVariables::written(extra.as_ref(), &state));
    WrittenPage {
        text: page.text,
        role: page.role,
        name: page.name,
        is_active: page.is_active,
        extra,
        created_at: page.created_at,
        variables,
    }
}

/// What a card has a place for.
fn fields(character: &Character) -> CardFields {
    let Character { summary, profile, template, greetings, functions } = character;
    CardFields {
        name: summary.name.clone(),
        enabled: summary.enabled,
        greetings: greetings.clone(),
        template: template.as_ref().map(Value::from),
        profile: profile.as_ref().map(Value::from),
        functions: functions
            .iter()
            .map(|one| CardFunction {
                id: Some(one.id.to_string()),
                enabled: one.enabled,
                function: one.function.clone(),
            })
            .collect(),
    }
}
