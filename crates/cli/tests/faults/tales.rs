//! Sessions that tell a story: a turn is a floor, a page and a state, all of them or none.
//!
//! A tale's title tells it from other sessions, so that nothing else of the load meets it. Its turns count: whatever is lost,
//! doubled or half done shows in the sum of the newest state, in the texts, or in whether the state fits them. A text says
//! what it adds to which sum, so whoever knows the texts knows what must come of them.

use crate::edits::{self, Edit};
use crate::http::Request;
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::things::Change;
use serde_json::{Value, json};

/// The title of every tale.
pub const TITLE: &str = "a tale";
/// How the text of every turn of a tale begins.
pub const OPENING: &str = "Then: ";

const PAGES_MAX: usize = 10;

/// Whether the servers under test run scripts.
const FUNCTIONS_RUN: bool = cfg!(feature = "script");

/// What must be there before the first tale: the function that some turns call.
pub fn prepare() -> Request {
    let code = "snapshot.sum += args[0];\nsnapshot.all.push(args[0]);";
    Request::post("/functions", json!({"id": "tell", "name": "TELL", "type": "active", "executor": code}))
}

/// The newest state of a tale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub sum: i64,
    pub fresh: bool,
    pub edited: bool,
}

impl State {
    /// As it is kept among the things.
    pub fn value(self) -> String {
        let State { sum, fresh, edited } = self;
        format!("{sum} {} {}", if fresh { "fresh" } else { "stale" }, if edited { "edited" } else { "computed" })
    }

    fn read(value: &str) -> State {
        let sum = value.split(' ').next().and_then(|sum| sum.parse().ok()).unwrap_or_default();
        State { sum, fresh: value.contains("fresh"), edited: value.ends_with("edited") }
    }

    /// What changes when a tale has this state.
    pub fn of(self, tale: &str) -> Change {
        Change::Put(format!("{tale} state"), self.value())
    }
}

/// The state as a server tells it.
pub fn value_of_answer(data: &Value) -> String {
    let sum = data["state"]["sum"].as_i64().unwrap_or(i64::MIN);
    State { sum, fresh: data["fresh"] == true, edited: data["edited"] == true }.value()
}

/// A turn as it is kept among the things.
pub fn value_of_turn(content: &str, is_active: bool) -> String {
    format!("{content}{}", if is_active { ACTIVE } else { "" })
}

const ACTIVE: &str = " (chosen)";

/// What a text says: how much it adds, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    pub by: i64,
    /// The sum before it, and whether somebody set that by hand.
    pub base: (i64, bool),
}

impl Text {
    pub fn content(self) -> String {
        let Text { by, base: (sum, edited) } = self;
        let how = if edited { "edited" } else { "computed" };
        // A third of the turns is done by a function, in a worker process.
        let commands = match FUNCTIONS_RUN && by % 3 == 0 {
            true => format!("@.TELL({by});"),
            false => format!("@.ADD(\"sum\", {by}); @.APPEND(\"all\", {by});"),
        };
        format!("{OPENING}{by} more than {sum} {how}. {commands}")
    }

    fn read(content: &str) -> Option<Text> {
        let words: Vec<&str> = content.strip_prefix(OPENING)?.split(' ').collect();
        Some(Text { by: words[0].parse().ok()?, base: (words[3].parse().ok()?, words[4].starts_with("edited")) })
    }

    /// The state that it comes to.
    pub fn resulting_state(self) -> State {
        State { sum: self.base.0 + self.by, fresh: true, edited: false }
    }
}

/// One page of a tale.
#[derive(Debug, Clone)]
pub struct Page {
    pub id: String,
    pub text: Text,
    pub is_active: bool,
}

/// One floor of a tale. A scene is one whose id the client knows.
#[derive(Debug, Clone)]
pub struct Floor {
    pub scene: Option<String>,
    pub pages: Vec<Page>,
}

impl Floor {
    /// The page that counts.
    pub fn active(&self) -> Option<&Page> {
        self.pages.iter().find(|page| page.is_active)
    }
}

/// A client's tale.
pub struct Tale {
    pub id: String,
    pub floors: Vec<Floor>,
    pub state: State,
}

impl Tale {
    /// As a client knows it.
    pub fn of(mind: &Mind) -> Option<Tale> {
        let id = mind.ids("tale", |_| true).first().map(|id| (*id).to_owned())?;
        let below = |kind: &str| -> Vec<String> {
            let ids = mind.ids(kind, |_| true).into_iter();
            ids.filter(|it| it.strip_prefix(&id).is_some_and(|rest| rest.starts_with('.'))).map(str::to_owned).collect()
        };
        let page = |page: String| {
            let value = &mind.things[&format!("{page} turn")];
            Some(Page { text: Text::read(value)?, is_active: value.ends_with(ACTIVE), id: page })
        };
        let mut pages: Vec<Page> = below("turn").into_iter().filter_map(page).collect();
        pages.sort_by_key(|page| number(&page.id));
        let mut floors: Vec<(u64, Floor)> = Vec::new();
        for scene in below("scene") {
            let (own, others) = pages.into_iter().partition(|page: &Page| above(&page.id) == scene);
            pages = others;
            floors.push((number(&scene), Floor { scene: Some(scene), pages: own }));
        }
        floors.extend(pages.into_iter().map(|page| (number(&page.id), Floor { scene: None, pages: vec![page] })));
        floors.sort_by_key(|(number, _)| *number);
        let state = State::read(mind.things.get(&format!("{id} state")).map_or("", String::as_str));
        Some(Tale { id, floors: floors.into_iter().map(|(_, floor)| floor).collect(), state })
    }

    /// The last floor that says something.
    pub fn last(&self) -> Option<&Floor> {
        self.floors.iter().rev().find(|floor| !floor.pages.is_empty())
    }

    /// The page whose state is the newest.
    pub fn newest(&self) -> Option<&Page> {
        self.last()?.active()
    }

    /// A scene behind everything that nobody has spoken in.
    pub fn empty_scene(&self) -> Option<&String> {
        self.floors.last().filter(|floor| floor.pages.is_empty())?.scene.as_ref()
    }

    /// The state when everything that does not fit is processed. What was set by hand stays.
    pub fn processed(&self) -> State {
        match self.newest() {
            Some(page) if !self.state.fresh && !self.state.edited => page.text.resulting_state(),
            _ => State { fresh: true, ..self.state },
        }
    }

    /// A text on what there is.
    pub fn next_text(&self, random: &mut Random) -> Text {
        let State { sum, edited, .. } = self.processed();
        Text { by: some_number(random), base: (sum, edited) }
    }

    pub fn has_room(&self) -> bool {
        self.floors.iter().map(|floor| floor.pages.len().max(1)).sum::<usize>() < PAGES_MAX
    }

    /// What becomes of the state before a turn, where that is stale.
    pub fn mended(&self) -> Vec<Vec<Change>> {
        if self.state.fresh { Vec::new() } else { vec![vec![self.processed().of(&self.id)]] }
    }
}

/// What changes when a page says this.
pub fn put_page(page: &str, text: Text, is_active: bool) -> Change {
    Change::Put(format!("{page} turn"), value_of_turn(&text.content(), is_active))
}

pub fn some_number(random: &mut Random) -> i64 {
    i64::try_from(random.between(1, 1_000)).expect("a small number")
}

fn above(id: &str) -> &str {
    id.rsplit_once('.').map_or("", |(above, _)| above)
}

fn number(id: &str) -> u64 {
    id.rsplit_once('.').and_then(|(_, last)| last[1..].parse().ok()).unwrap_or_default()
}

pub fn begin(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    if Tale::of(mind).is_some() {
        return None;
    }
    let id = mind.fresh(&mind.name.clone(), 't');
    let body = json!({"id": id, "title": TITLE, "template": {"sum": 0, "all": []}});
    let state = State { sum: 0, fresh: true, edited: false };
    let changes = vec![Change::Put(format!("{id} tale"), String::new()), state.of(&id)];
    Some(Made::new(Request::post("/sessions", body), changes))
}

pub fn take_turn(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(Tale::has_room)?;
    let (text, page) = (tale.next_text(random), mind.fresh(&tale.id, 'u'));
    let body = json!({"role": "assistant", "content": text.content(), "page_id": page});
    let changes = vec![put_page(&page, text, true), text.resulting_state().of(&tale.id)];
    Some(Made {
        stages: tale.mended(),
        ..Made::new(Request::post(format!("/sessions/{}/turns", tale.id), body), changes)
    })
}

/// The last turn is taken back; only once, since another time would change nothing.
pub fn take_back(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| tale.state.fresh && !tale.state.edited)?;
    let page = tale.newest()?;
    let changes = edits::one_more(mind, &tale, page, Edit { is_undo: true, sum: page.text.base.0 });
    Some(Made::new(Request::post(format!("/pages/{}/undo", page.id), json!({})), changes))
}

pub fn end(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    Some(Made::new(Request::delete(format!("/sessions/{}?permanent=true", tale.id)), vec![Change::RemoveTree(tale.id)]))
}
