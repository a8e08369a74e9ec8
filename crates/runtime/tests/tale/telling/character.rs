//! The character of a session, and how the story is told from now on.

use super::words::value;
use super::{KEYS, Telling};
use crate::oracle::{Document, Says};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::order::{
    CharacterPatch, CharacterStory, NewCharacter, NewSession, SessionPatch, StorySettings,
};

impl Telling {
    fn character(&self) -> Id {
        format!("character-of-{}", self.session).parse().unwrap()
    }

    pub(super) async fn create_character(&mut self, runtime: &Runtime) {
        let template: Document = KEYS.iter().map(|&key| (key, 0)).collect();
        let says = Says { template: Some(template), user_floors: None };
        let new = NewCharacter { id: Some(self.character()), name: "Yuki".into(), enabled: true, story: spoken(&says) };
        runtime.create_character(&self.account, new).await.unwrap();
        self.world.settings.character = says;
        self.world.settings.is_enabled = true;
        let story = StorySettings { character: Some(Some(self.character())), ..StorySettings::default() };
        let new = NewSession { id: Some(self.session.clone()), story, ..NewSession::default() };
        runtime.create_session(&self.account, new).await.unwrap();
    }

    /// What is there was computed with another template.
    pub(super) async fn another_template(&mut self, runtime: &Runtime) {
        let number = i64::try_from(self.dice.below(3)).unwrap();
        let template: Document = KEYS.iter().map(|&key| (key, number)).collect();
        if self.dice.once_in(2) {
            self.world.settings.character.template = Some(template);
            self.change_character(runtime).await;
        } else {
            self.world.settings.session.template = self.dice.once_in(2).then_some(template);
            self.change_session(runtime, false).await;
        }
    }

    /// Commands are read from what users say, or no longer.
    pub(super) async fn another_profile(&mut self, runtime: &Runtime) {
        let wanted = [None, Some(false), Some(true)][self.dice.below(3)];
        if self.dice.once_in(2) {
            self.world.settings.character.user_floors = wanted;
            self.change_character(runtime).await;
        } else {
            self.world.settings.session.user_floors = wanted;
            self.change_session(runtime, true).await;
            // Its own word counts at once.
            self.world.follow();
        }
    }

    /// Nothing is processed while the character is disabled, which is not for long.
    pub(super) async fn enable(&mut self, runtime: &Runtime) {
        let enabled = !self.world.settings.is_enabled || !self.dice.once_in(2);
        self.say(format!("enabled: {enabled}"));
        let patch = CharacterPatch { enabled: Some(enabled), ..CharacterPatch::default() };
        runtime.update_character(&self.account, &self.character(), patch).await.unwrap();
        self.world.settings.is_enabled = enabled;
    }

    async fn change_character(&mut self, runtime: &Runtime) {
        let says = self.world.settings.character.clone();
        self.say(format!("the character says {says:?}"));
        let patch = CharacterPatch { story: spoken(&says), ..CharacterPatch::default() };
        runtime.update_character(&self.account, &self.character(), patch).await.unwrap();
    }

    async fn change_session(&mut self, runtime: &Runtime, profile: bool) {
        let says = self.world.settings.session.clone();
        self.say(format!("the session says {says:?}"));
        let CharacterStory { profile: said, template, .. } = spoken(&says);
        let story = match profile {
            true => StorySettings { profile: said, ..StorySettings::default() },
            false => StorySettings { template, ..StorySettings::default() },
        };
        let patch = SessionPatch { story, ..SessionPatch::default() };
        runtime.update_session(&self.account, &self.session, patch).await.unwrap();
    }
}

fn spoken(says: &Says) -> CharacterStory {
    let profile = says
        .user_floors
        .map(|user_floors| JsonText::parse(format!("{{\"user_floors\": {user_floors}}}").as_bytes()).unwrap());
    CharacterStory {
        profile: Some(profile),
        template: Some(says.template.as_ref().map(|it| value(it).to_text())),
        greetings: None,
    }
}
