//! The character of a session, and how the story is computed from now on.

use super::words::{value, written};
use super::{KEYS, Tale, WINDOW};
use crate::oracle::{Document, Says, Text};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_runtime::Runtime;
use tavernkeep_runtime::order::{
    CharacterPatch, CharacterStory, FloorQuery, NewCharacter, NewSession, PageQuery, SessionPatch, StorySettings,
};

impl Tale {
    fn character(&self) -> Id {
        format!("character-of-{}", self.session).parse().unwrap()
    }

    pub(super) async fn create_character(&mut self, runtime: &Runtime) {
        let template: Document = KEYS.iter().map(|&key| (key, 0)).collect();
        let says = Says { template: Some(template), user_floors: None };
        let (texts, enabled) = (self.some_texts(), !self.dice.once_in(8));
        let greetings = Some(texts.iter().map(written).collect());
        let is_own = self.dice.once_in(2);
        let story = CharacterStory { greetings: greetings.clone().filter(|_| !is_own), ..spoken(&says) };
        let new = NewCharacter { id: Some(self.character()), name: "Yuki".into(), enabled, story };
        runtime.create_character(&self.account, new).await.unwrap();
        self.world.settings.character = says;
        self.world.settings.is_enabled = enabled;
        let story = StorySettings { character: Some(Some(self.character())), ..StorySettings::default() };
        let greetings = greetings.filter(|_| is_own);
        let new = NewSession { id: Some(self.session.clone()), story, greetings, ..NewSession::default() };
        runtime.create_session(&self.account, new).await.unwrap();
        self.say(format!("enabled: {enabled}, greetings: {texts:?}"));
        self.greeted(runtime, texts).await;
    }

    fn some_texts(&mut self) -> Vec<Text> {
        (0..self.dice.below(4)).map(|_| self.some_text()).collect()
    }

    /// The greetings are the swipes of the first floor, each with a state, and the first one counts.
    async fn greeted(&mut self, runtime: &Runtime, texts: Vec<Text>) {
        let query = FloorQuery { session: self.session.clone(), branch: None, state: None, window: WINDOW };
        let Some(first) = runtime.floors(&self.account, query).await.unwrap().items.pop() else {
            return assert!(texts.is_empty());
        };
        let query =
            PageQuery { floor: first.id.clone(), page_no: None, is_active: None, content: false, window: WINDOW };
        let pages = runtime.pages(&self.account, query).await.unwrap().items;
        assert_eq!((first.floor_no, pages.len()), (0, texts.len()));
        let floor = self.add_floor(first.id, 0, 0, true);
        for (page, text) in pages.into_iter().zip(texts) {
            let at = self.add_page(page.id, floor, (page.page_no, page.version), Some("assistant"), true, text);
            self.world.take(at);
            if page.version == 0 {
                self.world.activate(at);
            }
        }
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
            self.put_profile(runtime).await;
        }
    }

    /// The session gets its profile. What it says itself counts at once, and all its floors are looked at.
    pub(super) async fn put_profile(&mut self, runtime: &Runtime) {
        self.change_session(runtime, true).await;
        self.world.follow();
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
        functions: None,
    }
}
