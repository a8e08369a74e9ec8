//! Sessions that tell a story: a turn is a floor, a page and a state, all of them or none.
//!
//! A tale's title tells it from other sessions, so that nothing else of the load meets it. Its turns count: whatever is lost,
//! doubled or half done shows in the sum of the newest state, in the texts, or in whether the state fits them.

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

const TURNS_MAX: usize = 8;

/// How the newest state of a tale is kept among the things: the sum, and what is known of it.
pub fn value_of_state(sum: i64, fresh: bool, edited: bool) -> String {
    format!("{sum} {} {}", if fresh { "fresh" } else { "stale" }, if edited { "edited" } else { "told" })
}

/// The same, as a server tells it.
pub fn value_of_answer(data: &Value) -> String {
    value_of_state(data["state"]["sum"].as_i64().unwrap_or(i64::MIN), data["fresh"] == true, data["edited"] == true)
}

fn content(by: i64) -> String {
    format!("{OPENING}{by} more. @.ADD(\"sum\", {by}); @.APPEND(\"all\", {by});")
}

/// How much a turn adds, as its text says.
fn by_of(text: &str) -> i64 {
    let number = text.strip_prefix(OPENING).and_then(|text| text.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn tale(mind: &Mind) -> Option<String> {
    mind.ids("tale", |_| true).first().map(|id| (*id).to_owned())
}

fn turns<'a>(mind: &'a Mind, tale: &str) -> Vec<&'a str> {
    mind.ids("turn", |_| true)
        .into_iter()
        .filter(|id| id.rsplit_once('.').is_some_and(|(above, _)| above == tale))
        .collect()
}

/// The sum of a tale's newest state, and whether it was changed by hand.
fn state(mind: &Mind, tale: &str) -> (i64, bool) {
    let value = mind.things.get(&format!("{tale} state")).map_or("", String::as_str);
    let sum = value.split(' ').next().and_then(|sum| sum.parse().ok()).unwrap_or_default();
    (sum, value.ends_with("edited"))
}

fn put_state(tale: &str, sum: i64, edited: bool) -> Change {
    Change::Put(format!("{tale} state"), value_of_state(sum, true, edited))
}

pub fn begin(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    if tale(mind).is_some() {
        return None;
    }
    let id = mind.fresh(&mind.name.clone(), 't');
    let body = json!({"id": id, "title": TITLE, "template": {"sum": 0, "all": []}});
    let changes = vec![Change::Put(format!("{id} tale"), String::new()), put_state(&id, 0, false)];
    Some((Request::post("/sessions", body), changes))
}

pub fn take_turn(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = tale(mind)?;
    if turns(mind, &tale).len() >= TURNS_MAX {
        return None;
    }
    let (sum, _) = state(mind, &tale);
    let by = i64::try_from(random.between(1, 1000)).expect("a small number");
    let page = mind.fresh(&tale, 'u');
    let body = json!({"role": "assistant", "content": content(by), "page_id": page});
    let changes = vec![Change::Put(format!("{page} turn"), content(by)), put_state(&tale, sum + by, false)];
    Some((Request::post(format!("/sessions/{tale}/turns"), body), changes))
}

/// The last turn is taken back; only once, since another time would change nothing.
pub fn take_back(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = tale(mind)?;
    let (sum, edited) = state(mind, &tale);
    let number = |id: &&str| id.rsplit_once(".u").and_then(|(_, number)| number.parse::<u64>().ok());
    let page = turns(mind, &tale).into_iter().max_by_key(number).filter(|_| !edited)?.to_owned();
    let by = by_of(mind.things.get(&format!("{page} turn"))?);
    Some((Request::post(format!("/pages/{page}/undo"), json!({})), vec![put_state(&tale, sum - by, true)]))
}

pub fn end(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = tale(mind)?;
    Some((Request::delete(format!("/sessions/{tale}")), vec![Change::RemoveTree(tale)]))
}
