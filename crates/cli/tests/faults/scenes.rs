//! What else happens to a tale: swipes, choices, edits of texts and states, processing, sync, forks and deletions.
//!
//! Only the last floor is touched, so that what a text builds on stays what the text says.

use crate::edits::{self, Edit};
use crate::http::{Request, snapshot_of};
use crate::observe::BETWEEN;
use crate::operations::Made;
use crate::random::Random;
use crate::story::Mind;
use crate::tales::{Floor, Page, State, Tale, Text, put_page, some_number};
use crate::things::Change;
use serde_json::{Value, json};

const SWIPES_MAX: usize = 3;
const BRANCHES_MAX: usize = 2;

/// A floor whose id the client knows, for swipes.
pub fn open(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| tale.has_room() && tale.empty_scene().is_none())?;
    let id = mind.fresh(&tale.id, 'v');
    let body = json!({"id": id, "session_id": tale.id, "state": "committed"});
    Some(Made::new(Request::post("/floors", body), vec![Change::Put(format!("{id} scene"), "committed".into())]))
}

/// The first turn of an empty scene, or another swipe of the last one.
pub fn swipe(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(Tale::has_room)?;
    let (scene, text, others, stages) = match tale.empty_scene() {
        Some(scene) => (scene.clone(), tale.next_text(random), Vec::new(), tale.mended()),
        None => {
            let floor = tale.last().filter(|floor| is_reported(&tale) && floor.pages.len() < SWIPES_MAX)?;
            let page = floor.active()?;
            let text = Text { by: some_number(random), ..page.text };
            (floor.scene.clone()?, text, vec![put_page(&page.id, page.text, false)], Vec::new())
        }
    };
    let page = mind.fresh(&scene, 'u');
    let body = json!({"role": "assistant", "content": text.content(), "page_id": page, "swipe_of": scene});
    let mut changes = others;
    changes.extend([put_page(&page, text, true), text.resulting_state().of(&tale.id)]);
    Some(Made { stages, ..Made::new(Request::post(format!("/sessions/{}/turns", tale.id), body), changes) })
}

/// Another swipe counts, which has its state already.
pub fn choose(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(is_reported)?;
    let (floor, old) = (tale.last()?, tale.newest()?);
    let others: Vec<&Page> = floor.pages.iter().filter(|page| !page.is_active).collect();
    let new = random.pick(&others)?;
    let changes = vec![
        put_page(&old.id, old.text, false),
        put_page(&new.id, new.text, true),
        new.text.resulting_state().of(&tale.id),
    ];
    Some(Made::new(Request::post(format!("/pages/{}/activate", new.id), json!({})), changes))
}

/// Another text for the last page, whose state is stale then.
pub fn rewrite(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    let (page, text) = rewritten(&tale, random)?;
    let changes = vec![put_page(&page, text, true), State { fresh: false, ..tale.state }.of(&tale.id)];
    Some(Made::new(Request::patch(format!("/pages/{page}"), json!({"content": text.content()})), changes))
}

/// The last page and another text for it.
fn rewritten(tale: &Tale, random: &mut Random) -> Option<(String, Text)> {
    let page = tale.newest()?;
    Some((page.id.clone(), Text { by: page.text.by + some_number(random), ..page.text }))
}

/// What does not fit is processed: stored first, and reported then.
pub fn process(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| !tale.state.fresh)?;
    let changes = vec![tale.processed().of(&tale.id)];
    let request = Request::post(format!("/sessions/{}/process", tale.id), json!({}));
    Some(Made { stages: vec![changes.clone()], ..Made::new(request, changes) })
}

/// The newest state is set by hand.
pub fn edit(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| tale.state.fresh)?;
    let page = tale.newest()?;
    let sum = tale.state.sum + some_number(random);
    let request =
        Request::put(format!("/snapshots/{}", snapshot_of(&page.id)), json!({"state": {"sum": sum, "all": []}}));
    let changes = edits::one_more(mind, &tale, page, Edit { is_undo: false, sum });
    Some(Made::new(request, changes))
}

/// The whole chat with another text at its end: stored first, processed then, and reported at last.
pub fn sync(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    // A floor that says nothing is no part of a chat, and would go.
    let tale = Tale::of(mind).filter(|tale| tale.floors.iter().all(|floor| !floor.pages.is_empty()))?;
    let (page, text) = rewritten(&tale, random)?;
    let swipe = |it: &Page| json!({"content": if it.id == page { text } else { it.text }.content()});
    let floors: Vec<Value> = tale
        .floors
        .iter()
        .map(|floor| {
            let active = floor.pages.iter().position(|page| page.is_active);
            json!({"role": "assistant", "active": active, "swipes": floor.pages.iter().map(swipe).collect::<Vec<_>>()})
        })
        .collect();
    let said = put_page(&page, text, true);
    let stale = State { fresh: false, ..tale.state };
    let done = if tale.state.edited { State { fresh: true, ..tale.state } } else { text.resulting_state() };
    let changes = vec![said.clone(), done.of(&tale.id)];
    let request = Request::post(format!("/sessions/{}/sync", tale.id), json!({"floors": floors}));
    let stages = vec![vec![said, stale.of(&tale.id)], changes.clone()];
    Some(Made { stages, lags: true, ..Made::new(request, changes) })
}

/// The last floor goes, with all its swipes; the one before it is the newest then.
pub fn delete(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    let floor = tale.last()?;
    let (scene, (sum, edited)) = (floor.scene.clone()?, floor.active()?.text.base);
    let changes = vec![Change::RemoveTree(scene.clone()), State { sum, fresh: true, edited }.of(&tale.id)];
    Some(Made::new(Request::delete(format!("/floors/{scene}?permanent=true")), changes))
}

pub fn fork(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| mind.count("branch", &format!("{}/", tale.id)) < BRANCHES_MAX)?;
    let scenes: Vec<&String> = tale.floors.iter().filter_map(|floor| floor.scene.as_ref()).collect();
    let scene = (*random.pick(&scenes)?).clone();
    let name = mind.fresh("b", 'b');
    let request = Request::post(format!("/floors/{scene}/branch"), json!({"branch_id": name}));
    let at = tale.floors.iter().position(|floor| floor.scene.as_ref() == Some(&scene))?;
    let line = line(&tale.floors[..=at], None);
    Some(Made::new(request, vec![Change::Put(format!("{}/{name} branch", tale.id), line)]))
}

/// A fork with a page that may not be the chosen one of its floor.
pub fn fork_page(mind: &mut Mind, random: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind).filter(|tale| mind.count("branch", &format!("{}/", tale.id)) < BRANCHES_MAX)?;
    let pages: Vec<(usize, &Page)> =
        tale.floors.iter().enumerate().flat_map(|(at, floor)| floor.pages.iter().map(move |page| (at, page))).collect();
    let &(at, page) = random.pick(&pages)?;
    let name = mind.fresh("b", 'b');
    let request = Request::post(format!("/pages/{}/branch", page.id), json!({"branch_id": name}));
    let line = line(&tale.floors[..=at], Some(page));
    Some(Made::new(request, vec![Change::Put(format!("{}/{name} branch", tale.id), line)]))
}

/// The texts of a line, which a fork keeps whatever becomes of its source. The last floor may have another page than the chosen one.
fn line(floors: &[Floor], last: Option<&Page>) -> String {
    let mut texts: Vec<Option<String>> =
        floors.iter().map(|floor| floor.active().map(|page| page.text.content())).collect();
    if let (Some(text), Some(page)) = (texts.last_mut(), last) {
        *text = Some(page.text.content());
    }
    texts.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
}

/// The whole tale is read, which changes nothing.
pub fn read(mind: &mut Mind, _: &mut Random) -> Option<Made> {
    let tale = Tale::of(mind)?;
    Some(Made::new(Request::get(format!("/sessions/{}/transcript?swipes=true", tale.id)), Vec::new()))
}

/// Whether the newest state is what the texts come to. Where somebody has set it by hand, other swipes stay where they are: what
/// they would show is known to nobody.
fn is_reported(tale: &Tale) -> bool {
    tale.state.fresh && !tale.state.edited
}
