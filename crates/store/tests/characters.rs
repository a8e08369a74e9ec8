//! How many characters an account may have, and what is left when they and their account go.

#![allow(clippy::unwrap_used)]

use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::CHARACTERS_MAX;
use tavernkeep_store::conversation::trash::Bin;
use tavernkeep_store::conversation::{characters, sessions};
use tavernkeep_store::db::tx::Tx;
use tavernkeep_store::tree::quota::Quotas;
use tavernkeep_store::types::order::{CharacterStory, NewCharacter, NewSession, StorySettings};
use tavernkeep_store::types::record::Condition;
use tavernkeep_store::upkeep::accounts;
use tavernkeep_store::{Access, Database, FILE_NAME, Refusal, Store, StoreError, StoreResult};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn make(tx: &mut dyn Tx, account: &Id, name: &str) -> StoreResult<()> {
    let story = CharacterStory { greetings: Some(vec!["Hello.".into()]), ..CharacterStory::default() };
    let new = NewCharacter { id: None, name: name.into(), enabled: true, story };
    characters::create(tx, account, &new, (&id(name), &[]), 1).map(drop)
}

fn rows(folder: &std::path::Path, table: &str) -> i64 {
    let connection = rusqlite::Connection::open(folder.join(FILE_NAME)).unwrap();
    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn an_account_has_so_many_characters_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Database::Sqlite(folder.path().into()), Access::Own, 1).await.unwrap();
    let fill = |tx: &mut dyn Tx| {
        accounts::create(tx, &id("a"), 1)?;
        (0..CHARACTERS_MAX).try_for_each(|number| make(tx, &id("a"), &format!("c{number}")))
    };
    store.write(fill).await.unwrap();
    let refused = store.write(|tx| make(tx, &id("a"), "more")).await;
    assert_eq!(refused, Err(StoreError::Refused(Refusal::TooMany("characters", CHARACTERS_MAX))));
    store.write(|tx| characters::delete(tx, &id("a"), &id("c7"), (Condition::None, &Bin::Purge), 2)).await.unwrap();
    store.write(|tx| make(tx, &id("a"), "more")).await.unwrap();
    // Those in the trash count.
    store
        .write(|tx| characters::delete(tx, &id("a"), &id("c8"), (Condition::None, &Bin::Trash(id("t"))), 2))
        .await
        .unwrap();
    let refused = store.write(|tx| make(tx, &id("a"), "again")).await;
    let refusal = Refusal::TooManyWithTrash { what: "characters", max: CHARACTERS_MAX, trashed: 1 };
    assert_eq!(refused, Err(StoreError::Refused(refusal)));
    store.close().await;
}

#[tokio::test]
async fn a_deleted_character_stays_as_long_as_somebody_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Database::Sqlite(folder.path().into()), Access::Own, 1).await.unwrap();
    let furnish = |tx: &mut dyn Tx| {
        accounts::create(tx, &id("a"), 1)?;
        ["used", "unused", "kept"].iter().try_for_each(|name| make(tx, &id("a"), name))?;
        for session in ["s", "t"] {
            let story = StorySettings { character: Some(Some(id("used"))), ..StorySettings::default() };
            let new = NewSession { story, ..NewSession::default() };
            sessions::create(tx, &id("a"), &new, &id(session), &Quotas::default(), 1)?;
        }
        characters::delete(tx, &id("a"), &id("used"), (Condition::None, &Bin::Purge), 2)?;
        characters::delete(tx, &id("a"), &id("unused"), (Condition::None, &Bin::Purge), 2).map(drop)
    };
    store.write(furnish).await.unwrap();
    assert_eq!((rows(folder.path(), "character"), rows(folder.path(), "character_story")), (2, 2));
    let delete = |session: &'static str| {
        move |tx: &mut dyn Tx| {
            sessions::delete(tx, &id("a"), &[id(session)], (Condition::None, &Bin::Purge, &[id("job")]), 3).map(drop)
        }
    };
    store.write(delete("s")).await.unwrap();
    assert_eq!(rows(folder.path(), "character"), 2);
    store.write(delete("t")).await.unwrap();
    assert_eq!((rows(folder.path(), "character"), rows(folder.path(), "character_story")), (1, 1));
    assert!(store.write(|tx| accounts::delete(tx, &id("a"), 4)).await.unwrap());
    assert_eq!((rows(folder.path(), "character"), rows(folder.path(), "character_story")), (0, 0));
    store.close().await;
}
