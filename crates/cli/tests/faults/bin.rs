//! What goes to the trash and comes back, or is purged: sessions whole, and the last scene of a tale.

use crate::http::{Request, trash_of};
use crate::operations::Made;
use crate::random::Random;
use crate::story::{Binned, Mind, TRASHED};
use crate::tales::{State, Tale};
use crate::things::Change;
use serde_json::json;

const SESSION: &str = "session";
const FLOORS: &str = "floors";
const BINNED_MAX: usize = 3;

fn trashed(id: &str, kind: &str) -> Change {
    Change::Put(format!("{id}{TRASHED}"), kind.to_owned())
}

fn untrashed(id: &str) -> Change {
    Change::Remove(format!("{id}{TRASHED}"))
}

/// The ids of which something of a kind is in the trash.
fn binned<'a>(mind: &'a Mind, kind: &str) -> Vec<&'a str> {
    mind.ids(TRASHED.trim(), |found| found == kind)
}

/// Any session, also a tale or a desk.
pub fn throw_session(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    if binned(mind, SESSION).len() >= BINNED_MAX {
        return None;
    }
    let mut ids = mind.ids("session", |_| true);
    ids.extend(mind.ids("tale", |_| true));
    ids.extend(mind.ids("desk", |_| true));
    let id = (*random.pick(&ids)?).to_owned();
    let changes = vec![Change::RemoveTree(id.clone()), trashed(&id, SESSION)];
    Some(Made::new(Request::delete(format!("/sessions/{id}")), changes))
}

pub fn restore_session(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = (*random.pick(&binned(mind, SESSION))?).to_owned();
    let mut changes = vec![untrashed(&id)];
    changes.extend(back(mind.bin.get(&format!("{id} {SESSION}"))?));
    let request = Request::post(format!("/trash/{}/restore", trash_of(&id, SESSION)), json!({}));
    Some(Made::new(request, changes))
}

fn back(binned: &Binned) -> Vec<Change> {
    binned.things.iter().map(|(name, value)| Change::Put(name.clone(), value.clone())).collect()
}

pub fn purge_session(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let id = (*random.pick(&binned(mind, SESSION))?).to_owned();
    Some(Made::new(Request::delete(format!("/trash/{}", trash_of(&id, SESSION))), vec![untrashed(&id)]))
}

/// The last floor goes with all its swipes; one at a time.
pub fn throw_scene(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| tale.state.fresh && tale.empty_scene().is_none())?;
    if binned(mind, FLOORS).contains(&tale.id.as_str()) {
        return None;
    }
    let floor = tale.last()?;
    let (scene, (sum, edited)) = (floor.scene.clone()?, floor.active()?.text.base);
    let state = State { sum, fresh: true, edited }.of(&tale.id);
    let changes = vec![Change::RemoveTree(scene.clone()), state, trashed(&tale.id, FLOORS)];
    Some(Made::new(Request::delete(format!("/floors/{scene}")), changes))
}

/// It comes back where it was if nothing has happened to its tale since.
pub fn restore_scene(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    if !binned(mind, FLOORS).contains(&tale.id.as_str()) {
        return None;
    }
    let kept = mind.bin.get(&format!("{} {FLOORS}", tale.id)).filter(|kept| kept.left == mind.tree(&tale.id))?;
    let mut changes = vec![untrashed(&tale.id)];
    changes.extend(back(kept));
    let request = Request::post(format!("/trash/{}/restore", trash_of(&tale.id, FLOORS)), json!({}));
    Some(Made::new(request, changes))
}

pub fn purge_scene(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    if !binned(mind, FLOORS).contains(&tale.id.as_str()) {
        return None;
    }
    let request = Request::delete(format!("/trash/{}", trash_of(&tale.id, FLOORS)));
    Some(Made::new(request, vec![untrashed(&tale.id)]))
}
