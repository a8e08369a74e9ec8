//! A card becomes a character.

use super::names::{self, FileKind};
use super::{CardCounts, IfExists, ImportOrder, ImportOutcome, ImportReport, exists};
use crate::order::{CharacterPatch, CharacterStory, LocalFunction, NewCharacter};
use crate::record::{Character, Condition};
use crate::{Refusal, Runtime, RuntimeError, RuntimeResult, new_id, new_ids, now_ms};
use std::sync::Arc;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::LABEL_BYTES_MAX;
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::sillytavern::{Book, Card, CardError, CardFields, read_card_file};
use tavernkeep_store::conversation::cards::{self, CardBody, StoredCard};
use tavernkeep_store::db::tx::Tx;

fn refused(error: &CardError) -> RuntimeError {
    match error {
        CardError::TooLarge(..) => RuntimeError::ImportTooLarge(error.to_string()),
        _ => RuntimeError::ImportUnreadable(error.to_string()),
    }
}

impl Runtime {
    pub(super) async fn import_card(&self, account: &Id, order: ImportOrder) -> RuntimeResult<ImportReport> {
        let (content, books) = (Arc::clone(&order.content), order.books.clone());
        let read = move || {
            let books: Option<Vec<Book>> =
                books.map(|books| books.iter().map(|book| Book::read(&book.into())).collect());
            read_card_file(&content, books.as_deref()).map_err(|error| refused(&error))
        };
        let mut card = tokio::task::spawn_blocking(read).await??;
        self.tidy(account, &order, &mut card).await?;
        let stem = order.file_name.as_deref().map(|name| names::parts(name).1).filter(|stem| !stem.is_empty());
        let own = stem.and_then(|stem| names::character_of_folder(&stem));
        let named = order.character.clone().or(own);
        let found = match &named {
            Some(id) => self.character_if_there(account, id).await?,
            None => None,
        };
        let name = card.fields.name.clone();
        if let (Some(found), IfExists::Refuse) = (&found, order.if_exists) {
            return Err(exists("character", &found.summary.name, &found.summary.id));
        }
        let updated = found.filter(|_| order.if_exists == IfExists::Update);
        let outcome = if updated.is_some() { ImportOutcome::Updated } else { ImportOutcome::Created };
        let mut report = ImportReport::new(FileKind::Card, outcome, name, card.remarks.clone());
        report.card = Some(CardCounts {
            greetings: card.fields.greetings.len(),
            functions: card.fields.functions.len(),
            template: card.fields.template.is_some(),
            image: card.image.is_some(),
        });
        match updated {
            Some(character) => self.update_by_card(account, &order, &card, &character, report).await,
            None => {
                // A copy has an id of its own.
                let id = named.filter(|_| order.if_exists != IfExists::Copy).map_or_else(new_id, Ok)?;
                self.create_by_card(account, &order, &card, id, report).await
            }
        }
    }

    async fn character_if_there(&self, account: &Id, id: &Id) -> RuntimeResult<Option<Character>> {
        match self.character(account, id).await {
            Ok(character) => Ok(Some(character)),
            Err(RuntimeError::Refused(Refusal::CharacterNotFound(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Leaves out what no character can have, and says so.
    async fn tidy(&self, account: &Id, order: &ImportOrder, card: &mut Card) -> RuntimeResult<()> {
        let Card { fields, remarks, .. } = card;
        fields.name.truncate(fields.name.floor_char_boundary(LABEL_BYTES_MAX));
        if let Some(profile) = &order.profile {
            fields.profile = Some(Value::from(profile));
        }
        if let Some(Err(error)) = fields.profile.as_ref().map(Profile::read) {
            remarks.push(format!("the profile of the card is left out: {error}"));
            fields.profile = None;
        }
        // Each function that is wrong is refused by its place; the others stay.
        loop {
            let story = CharacterStory { functions: Some(functions(fields)), ..CharacterStory::default() };
            match self.check_functions(account, &story).await {
                Err(RuntimeError::Refused(Refusal::FunctionInvalid(Some(place), error))) => {
                    let Some(function) = fields.functions.get_mut(place) else { return Ok(()) };
                    let (name, field, message) = (&function.function.name, error.field, &error.message);
                    if error.field == "executor" && function.enabled {
                        remarks.push(format!("the function {name:?} is switched off: `{field}` {message}"));
                        function.enabled = false;
                    } else {
                        remarks.push(format!("the function {name:?} is left out: `{field}` {message}"));
                        fields.functions.remove(place);
                    }
                }
                checked => return checked,
            }
        }
    }

    async fn create_by_card(
        &self,
        account: &Id,
        order: &ImportOrder,
        card: &Card,
        id: Id,
        mut report: ImportReport,
    ) -> RuntimeResult<ImportReport> {
        if order.dry_run {
            return Ok(report);
        }
        let CardFields { name, enabled, .. } = &card.fields;
        let new =
            NewCharacter { id: Some(id.clone()), name: name.clone(), enabled: *enabled, story: story(&card.fields) };
        report.character = Some(id.clone());
        let (body, fresh) = (CardBody::new(&card.json, card.image.as_deref()), new_ids(card.fields.functions.len())?);
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            cards::create(tx, &owner, (&new, &body), (&id, &fresh), now)?;
            Ok(report.clone())
        };
        self.write(account, write).await
    }

    /// Makes a character equal to a card. What the card has nothing to say about stays: a template or functions that were written here.
    async fn update_by_card(
        &self,
        account: &Id,
        order: &ImportOrder,
        card: &Card,
        character: &Character,
        mut report: ImportReport,
    ) -> RuntimeResult<ImportReport> {
        let id = character.summary.id.clone();
        report.character = Some(id.clone());
        let wanted = StoredCard { json: card.json.clone(), image: card.image.clone() };
        let is_same = self.stored_card(account, &id).await? == Some(wanted) && order.profile.is_none();
        if is_same {
            report.outcome = ImportOutcome::Unchanged;
        }
        if order.dry_run || is_same {
            return Ok(report);
        }
        let CardFields { name, enabled, functions, .. } = &card.fields;
        let mut story = story(&card.fields);
        story.template = story.template.filter(Option::is_some);
        story.profile = story.profile.filter(Option::is_some);
        story.functions = story.functions.filter(|functions| !functions.is_empty());
        let patch =
            CharacterPatch { name: Some(name.clone()), enabled: Some(*enabled), story, condition: Condition::None };
        let (body, fresh) = (CardBody::new(&card.json, card.image.as_deref()), new_ids(functions.len())?);
        let (owner, now) = (account.clone(), now_ms());
        let write = move |tx: &mut dyn Tx| {
            cards::update(tx, &owner, (&id, &fresh), (&patch, &body), now)?;
            Ok(report.clone())
        };
        self.write(account, write).await
    }

    /// The card of a character as it was imported.
    pub(super) async fn stored_card(&self, account: &Id, id: &Id) -> RuntimeResult<Option<StoredCard>> {
        let (account, id) = (account.clone(), id.clone());
        self.store.read(move |tx| cards::get(tx, &account, &id)).await
    }
}

fn functions(fields: &CardFields) -> Vec<LocalFunction> {
    let local = |one: &tavernkeep_engine::sillytavern::CardFunction| LocalFunction {
        id: None,
        enabled: one.enabled,
        function: one.function.clone(),
    };
    fields.functions.iter().map(local).collect()
}

fn story(fields: &CardFields) -> CharacterStory {
    let text = |value: &Option<Value>| -> Option<Option<JsonText>> { Some(value.as_ref().map(Value::to_text)) };
    CharacterStory {
        profile: text(&fields.profile),
        template: text(&fields.template),
        greetings: Some(fields.greetings.clone()),
        functions: Some(functions(fields)),
    }
}
