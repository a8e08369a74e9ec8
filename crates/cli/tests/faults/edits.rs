//! Edits by hand of the newest state of a tale: patches, redo, and one that is taken back.
//!
//! What a page is edited to is a thing of its own: `c3.t1.u4 edits` lists the edits that count, each with the sum that it sets.

use crate::http::{Request, last_edit_of, snapshot_of};
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::tales::{Page, State, Tale, some_number};
use crate::things::Change;
use serde_json::{Value, json};

/// One edit that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub is_undo: bool,
    pub sum: i64,
}

/// As they are kept among the things; none if none counts.
fn value(edits: &[Edit]) -> String {
    let word = |edit: &Edit| format!("{}={}", if edit.is_undo { "undo" } else { "edit" }, edit.sum);
    edits.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The edits of a page as they stand in an export: name and value.
pub fn exported(data: &Value) -> Option<(String, String)> {
    let sum = |edit: &Value| {
        let ops = edit["patch"].as_array()?.iter();
        ops.filter(|op| op["path"] == "/sum").find_map(|op| op["value"].as_i64())
    };
    let counting = data["edits"].as_array()?.iter().filter(|edit| edit["taken_back_at"].is_null());
    let edits: Vec<Edit> =
        counting.map(|edit| Edit { is_undo: edit["kind"] == "undo", sum: sum(edit).unwrap_or(i64::MIN) }).collect();
    (!edits.is_empty()).then(|| (name(data["page_id"].as_str().unwrap_or_default()), value(&edits)))
}

fn name(page: &str) -> String {
    format!("{page} edits")
}

/// The edits of a page as a client knows them.
pub fn of(mind: &Mind, page: &str) -> Vec<Edit> {
    let words = mind.things.get(&name(page)).map_or("", String::as_str);
    let edit = |word: &str| {
        let (kind, sum) = word.split_once('=')?;
        Some(Edit { is_undo: kind == "undo", sum: sum.parse().ok()? })
    };
    words.split(' ').filter_map(edit).collect()
}

/// What changes when a page has these edits, and its tale the state that they come to.
fn put(tale: &Tale, page: &Page, edits: &[Edit]) -> Vec<Change> {
    let state =
        edits.last().map_or(page.text.resulting_state(), |edit| State { sum: edit.sum, fresh: true, edited: true });
    let edits = match edits {
        [] => Change::Remove(name(&page.id)),
        edits => Change::Put(name(&page.id), value(edits)),
    };
    vec![edits, state.of(&tale.id)]
}

/// What changes when the newest page of a tale gets one more edit.
pub fn one_more(mind: &Mind, tale: &Tale, page: &Page, edit: Edit) -> Vec<Change> {
    let mut edits = of(mind, &page.id);
    edits.push(edit);
    put(tale, page, &edits)
}

fn newest(mind: &Mind) -> Option<(Tale, Page)> {
    let tale = Tale::of(mind).filter(|tale| tale.state.fresh)?;
    let page = tale.newest()?.clone();
    Some((tale, page))
}

pub fn patch_snapshot(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let (tale, page) = newest(mind)?;
    let sum = tale.state.sum + some_number(random);
    let body = json!({"patch": [{"op": "replace", "path": "/sum", "value": sum}], "reason": "by hand"});
    let changes = one_more(mind, &tale, &page, Edit { is_undo: false, sum });
    Some(Made::new(Request::patch(format!("/snapshots/{}", snapshot_of(&page.id)), body), changes))
}

pub fn patch_state(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let (tale, page) = newest(mind)?;
    let sum = tale.state.sum + some_number(random);
    let changes = one_more(mind, &tale, &page, Edit { is_undo: false, sum });
    Some(Made::new(Request::patch(format!("/pages/{}/state", page.id), json!({"patch": {"sum": sum}})), changes))
}

/// The last undo does not count any more.
pub fn redo(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let (tale, page) = newest(mind)?;
    let mut edits = of(mind, &page.id);
    let undo = edits.iter().rposition(|edit| edit.is_undo)?;
    edits.remove(undo);
    Some(Made::new(Request::post(format!("/pages/{}/redo", page.id), json!({})), put(&tale, &page, &edits)))
}

/// The last edit does not count any more.
pub fn take_back(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let (tale, page) = newest(mind)?;
    let mut edits = of(mind, &page.id);
    edits.pop()?;
    let request = Request::delete(format!("/pages/{}/edits/{}", page.id, last_edit_of(&page.id)));
    Some(Made::new(request, put(&tale, &page, &edits)))
}
