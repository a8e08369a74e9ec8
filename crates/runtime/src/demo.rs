//! A small conversation to look at on the first start: greetings, swipes, a fork, a command that is refused, functions; around
//! it what else the console shows ([`surroundings`]).

mod surroundings;

use crate::order::{
    CharacterStory, LocalFunction, NewCharacter, NewSession, NewTurn, SessionQuery, SessionSort, StorySettings,
};
use crate::record::Window;
use crate::{ForkPoint, Runtime, RuntimeError, RuntimeResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::library::{FunctionType, LibraryFunction, Timing};

const SESSION: &str = "demo";
const CHARACTER: &str = "yuki";
const BRANCH: &str = "the road at night";

const TEMPLATE: &str = r#"{"world": {"time": "evening", "place": "the road north", "weather": "rain"},
    "yuki": {"affinity": 40, "mood": "tired"}, "you": {"health": 100, "silver": 30}, "背包": ["rope", "lantern"]}"#;

/// The first one begins the conversation, the others are its swipes.
const GREETINGS: &[&str] = &[
    "Rain drums on the roof of the Gilded Flagon. \"A room, or a story?\"\n\
     @.SET(\"world.place\", \"the Gilded Flagon\");//they came in",
    "The door is locked, but a light burns upstairs. \"You again? At this hour?\"\n\
     @.SET(\"world.time\", \"midnight\"); @.SUB(\"yuki.affinity\", 5);//woken up",
];

/// What is said on the floors of `main` behind the greeting. A second text is another swipe, which is then the active one.
const FLOORS: &[(&str, &str, &[&str])] = &[
    ("user", "You", &["A room. And news of the road north."]),
    (
        "assistant",
        "Yuki",
        &[
            "\"Bandits at the ford. Ten silver buys you the safe path.\"\n@.SUB(\"you.silver\", 10);//the map\n\
             @.APPEND(\"背包\", \"a map of the ford\");",
            "She slides a key across. \"Ask me at dawn.\"\n@.PAY(4);//the room\n\
             @.ADD(\"yuki.affinity\", 2);//polite\n@.ADD(\"yuki.mood\", 1);",
        ],
    ),
    ("user", "You", &["I thank her and go upstairs."]),
    (
        "assistant",
        "Yuki",
        &["The stairs creak. Somebody has been in the room before you.\n@.SET(\"world.time\", \"night\");\n\
           @.ADD(\"yuki.affinity\", 3);//you did not complain\n@.SUB(\"you.health\", 2);//a cold draught"],
    ),
];

/// What is said on the other branch, which begins with the first swipe of the third floor.
const OTHER: (&str, &str, &str) = (
    "assistant",
    "Yuki",
    "You take the map and leave at once.\n@.SET(\"world.place\", \"the ford\");\n@.SUB(\"you.health\", 15);//bandits\n\
     @.SUB(\"yuki.affinity\", 5);//no goodbye",
);

impl Runtime {
    /// Fills an empty default account with a small conversation. False if there was something already.
    pub async fn seed_demo(&self) -> RuntimeResult<bool> {
        let account = Runtime::default_account();
        let window = Window { limit: 1, offset: 0, ascending: true, total: false };
        let query = SessionQuery { chat_file: None, sort: SessionSort::CreatedAt, window };
        if !self.sessions(&account, query).await?.items.is_empty() {
            return Ok(false);
        }
        self.tell_demo(&account).await?;
        self.surround_demo(&account, &constant(SESSION)?).await?;
        Ok(true)
    }

    /// The conversation itself.
    async fn tell_demo(&self, account: &Id) -> RuntimeResult<()> {
        let session = constant(SESSION)?;
        self.create_character(account, character()?).await?;
        let story = StorySettings { character: Some(Some(constant(CHARACTER)?)), ..StorySettings::default() };
        let title = Some("The Gilded Flagon".into());
        let new = NewSession { id: Some(session.clone()), title, story, ..NewSession::default() };
        self.create_session(account, new).await?;
        let mut forked = None;
        for (role, name, texts) in FLOORS {
            let mut floor = None;
            for text in *texts {
                let turn = NewTurn {
                    swipe_of: floor.clone(),
                    name: Some((*name).into()),
                    ..NewTurn::of(session.clone(), *role, *text)
                };
                let taken = self.take_turn(account, turn).await?;
                // The fork begins with a swipe that is not the active one.
                if texts.len() > 1 && floor.is_none() {
                    forked = Some(taken.page.clone());
                }
                floor = Some(taken.floor);
            }
        }
        let forked = forked.ok_or_else(|| RuntimeError::Bug("the demo has no swipes".into()))?;
        self.fork_from(account, ForkPoint::Page(forked), Some(BRANCH.into())).await?;
        let (role, name, text) = OTHER;
        let turn = NewTurn {
            branch: Some(BRANCH.into()),
            name: Some(name.into()),
            ..NewTurn::of(session.clone(), role, text)
        };
        self.take_turn(account, turn).await?;
        Ok(())
    }
}

fn character() -> RuntimeResult<NewCharacter> {
    let pay = LibraryFunction {
        pattern: None,
        signature: Some("@.PAY(amount);".into()),
        example: Some("@.PAY(4);".into()),
        ..function(
            "PAY",
            "Takes silver from the purse, never more than there is.",
            "snapshot.you.silver = Math.max(0, snapshot.you.silver - args[0]);",
        )
    };
    let range = LibraryFunction {
        kind: FunctionType::Passive,
        timing: Some(Timing::AfterActive),
        order: 10,
        ..function(
            "affinity in range",
            "Keeps what Yuki feels between 0 and 100.",
            "snapshot.yuki.affinity = _.clamp(snapshot.yuki.affinity, 0, 100);",
        )
    };
    let functions = [pay, range].map(|function| LocalFunction { id: None, enabled: true, function });
    let story = CharacterStory {
        template: Some(Some(json("the template", TEMPLATE)?)),
        greetings: Some(GREETINGS.iter().map(|greeting| (*greeting).to_owned()).collect()),
        functions: Some(functions.into()),
        ..CharacterStory::default()
    };
    Ok(NewCharacter { id: Some(constant(CHARACTER)?), name: "Yuki".into(), enabled: true, story })
}

fn function(name: &str, description: &str, executor: &str) -> LibraryFunction {
    LibraryFunction {
        name: name.into(),
        kind: FunctionType::Active,
        order: 0,
        pattern: None,
        timing: None,
        description: description.into(),
        signature: None,
        example: None,
        executor: executor.into(),
    }
}

fn constant(id: &str) -> RuntimeResult<Id> {
    id.parse().map_err(|_| RuntimeError::Bug(format!("{id} is no id")))
}

fn json(what: &str, text: &str) -> RuntimeResult<JsonText> {
    JsonText::parse(text.as_bytes()).map_err(|_| RuntimeError::Bug(format!("{what} of the demo is broken")))
}
