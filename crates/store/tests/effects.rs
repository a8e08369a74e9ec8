//! What a turn wants to happen outside of its document happens once, when its page is first committed with a state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code, missing_docs)]

#[path = "../../cli/tests/support/log.rs"]
mod log;
#[path = "../../cli/tests/support/postgres.rs"]
mod postgres;
#[path = "../../cli/tests/support/undertaker.rs"]
mod undertaker;

use tavernkeep_engine::effect::Effect;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::story::Base;
use tavernkeep_engine::turn::{Outcome, Turn, apply_reply};
use tavernkeep_store::conversation::turns::{self, PreparedTurn, StoredTurn, TurnIds, TurnStart};
use tavernkeep_store::conversation::{floors, pages, sessions};
use tavernkeep_store::db::hash::text_hash;
use tavernkeep_store::db::tx::{Tx, first};
use tavernkeep_store::story::edits::AppliedEdits;
use tavernkeep_store::story::goal::Goal;
use tavernkeep_store::story::plan::{self, StartAt};
use tavernkeep_store::story::results::{self, BuildsOn, Made};
use tavernkeep_store::story::versions::{Before, MadeWith, NewVersion};
use tavernkeep_store::tree::SessionKey;
use tavernkeep_store::tree::bodies::Body;
use tavernkeep_store::tree::quota::Quotas;
use tavernkeep_store::types::order::{NewFloor, NewPage, NewSession, NewTurn};
use tavernkeep_store::variables::staging;
use tavernkeep_store::{Access, DEFAULT_ACCOUNT, Database, Store, StoreResult, params, sql};

const NOW: i64 = 1_700_000_000_000;

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn account() -> Id {
    id(DEFAULT_ACCOUNT)
}

/// Ids that begin with a name.
fn ids(name: &str) -> impl Iterator<Item = Id> {
    (0..).map(move |number| id(&format!("{name}-{number}")))
}

/// Runs a story on a fresh database of each kind, as one write.
fn on_both(story: impl Fn(&mut dyn Tx) -> StoreResult<()> + Copy + Send + Sync + 'static) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let remote = postgres::Database::fresh();
    for database in [Database::Sqlite(folder.path().into()), Database::Postgres(remote.url.clone())] {
        runtime.block_on(async {
            let store = Store::open(&database, Access::Own, 2).await.unwrap();
            store.write(story).await.unwrap();
            store.close().await;
        });
    }
}

fn version(made_with: MadeWith, reply: &str, outcome: &Outcome) -> NewVersion {
    let unedited = (&AppliedEdits::default(), &outcome.document);
    NewVersion::of_turn(made_with, &Before::default(), reply, outcome, unedited)
}

/// An outcome with an effect on each scope, all of them with this value.
fn outcome(reply: &str, value: &str) -> Outcome {
    let mut outcome = apply_reply(Turn { reply: reply.to_owned(), ..Turn::default() });
    outcome.effects = [Scope::Page, Scope::Floor, Scope::Branch, Scope::Chat]
        .into_iter()
        .map(|scope| Effect::SetVariable {
            scope,
            key: format!("of-{}", scope.as_str()).parse().unwrap(),
            value: JsonText::parse(value.as_bytes()).unwrap(),
        })
        .collect();
    outcome
}

fn session(tx: &mut dyn Tx) -> StoreResult<()> {
    let new = NewSession { id: Some(id("s")), ..NewSession::default() };
    sessions::create(tx, &account(), &new, &id("s"), &Quotas::default(), NOW).map(drop)
}

fn turn(tx: &mut dyn Tx, reply: &str, value: &str, swipe_of: Option<&Id>) -> StoreResult<StoredTurn> {
    let new = NewTurn { swipe_of: swipe_of.cloned(), ..NewTurn::of(id("s"), "assistant", reply) };
    let TurnStart::New(open) = turns::prepare(tx, &account(), &new)? else { panic!("it is new") };
    let recipe = open.settings.recipe;
    let made_with = MadeWith { text_hash: text_hash(Some(reply)), recipe, clock_ms: NOW, round: 1 };
    let version = version(made_with, reply, &outcome(reply, value));
    let turn =
        TurnIds { floor: id(&format!("f{value}")), page: id(&format!("p{value}")), snapshot: id(&format!("s{value}")) };
    let ready = PreparedTurn {
        open,
        version: Some(version),
        body: Body::new(Some(reply), None),
        text_hash: text_hash(Some(reply)),
        ids: turn,
    };
    turns::append(tx, &account(), &new, &ready, &mut ids(&format!("turn{value}")), NOW)
}

/// The variable that the effect of a scope sets, on the page with this value.
fn found(tx: &mut dyn Tx, scope: Scope, value: &str) -> StoreResult<Option<String>> {
    // A scope's number, and the row of its host: in these stories branch, floor and pages come in this order.
    let (number, row) = match scope {
        Scope::Page => (4_i64, if value == "2" { 4_i64 } else { 3 }),
        Scope::Floor => (3, 2),
        Scope::Branch => (2, 1),
        Scope::Chat | Scope::Global => (1, 0),
    };
    let sql = sql!(
        "SELECT value FROM variable WHERE account_id = ?1 AND session_row = 1 AND scope = ?2 AND host_row = ?3 AND key = ?4"
    );
    let (account, key) = (account(), format!("of-{}", scope.as_str()));
    let stored = first(tx, sql, params![&account, number, row, key.as_bytes()], |row| Ok(row.bytes(0)?.to_vec()))?;
    // Small values are stored as they are, behind a byte that says so and a checksum of four bytes.
    Ok(stored.map(|stored| String::from_utf8(stored[5..].to_vec()).unwrap()))
}

#[test]
fn effects_of_a_turn_are_performed_with_it_and_follow_the_swipe() {
    on_both(|tx| {
        session(tx)?;
        let first = turn(tx, "one", "1", None)?;
        for scope in [Scope::Page, Scope::Floor, Scope::Branch, Scope::Chat] {
            assert_eq!(found(tx, scope, "1")?.as_deref(), Some("1"), "{scope:?}");
        }
        turn(tx, "two", "2", Some(&first.floor))?;
        assert_eq!(found(tx, Scope::Chat, "2")?.as_deref(), Some("2"));
        pages::activate(tx, &account(), &first.page, NOW)?;
        assert_eq!(
            found(tx, Scope::Chat, "1")?.as_deref(),
            Some("1"),
            "swiping back brings the first page's effects back"
        );
        let ledger = staging::of_page(tx, &account(), &first.page)?;
        assert_eq!(ledger.items.len(), 4);
        Ok(())
    });
}

#[test]
fn a_page_that_is_processed_after_its_commit_has_its_effects_once() {
    on_both(|tx| {
        session(tx)?;
        let floor = NewFloor { state: tavernkeep_engine::floor::FloorState::Committed, ..NewFloor::of(id("s")) };
        floors::create(tx, &account(), &floor, &id("f1"), NOW)?;
        let page = NewPage {
            kind: tavernkeep_engine::floor::PageKind::Output,
            content: Some("one".into()),
            ..NewPage::of(id("f1"))
        };
        pages::create(tx, &account(), &page, &Body::new(Some("one"), None), &id("p1"), NOW)?;
        for (value, expected) in [("1", "1"), ("2", "1")] {
            let goal = Goal::Branch(id("s"), "main".into());
            let from = if value == "1" { StartAt::Stale } else { StartAt::Floor(0) };
            let plan = plan::plan(tx, &account(), &goal, from)?;
            let step = &plan.steps[0];
            let recipe = plan.settings.recipe;
            let made_with = MadeWith { text_hash: step.fingerprint()?, recipe, clock_ms: NOW, round: 1 };
            let made = Made {
                rows: (step.floor_row, step.page_row),
                expected: step.made_of.as_ref().map(|made_of| made_of.version_row),
                snapshot: id("snap"),
                renew: false,
                edits: Vec::new(),
                base: BuildsOn::Base(Base::Template),
                version: version(made_with, "one", &outcome("one", value)),
            };
            let stored = results::store(
                tx,
                SessionKey::new(&account(), plan.session_row),
                &[made],
                &mut ids(&format!("x{value}")),
                NOW,
            )?;
            assert_eq!(stored.len(), 1);
            assert_eq!(found(tx, Scope::Chat, "1")?.as_deref(), Some(expected), "recomputing performs nothing");
        }
        Ok(())
    });
}
