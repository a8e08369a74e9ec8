//! Character cards beside their characters: the JSON as it was imported, and the picture.

use crate::conversation::characters;
use crate::tree::prelude::*;
use crate::types::order::{CharacterPatch, NewCharacter};
use crate::types::record::Character;

/// A card, encoded before anybody waits for it.
#[derive(Debug)]
pub struct CardBody {
    card: Vec<u8>,
    image: Option<Vec<u8>>,
}

impl CardBody {
    pub fn new(card: &JsonText, image: Option<&[u8]>) -> CardBody {
        CardBody { card: codec::encode(card.as_str()), image: image.map(codec::encode_bytes) }
    }
}

/// A card that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCard {
    pub json: JsonText,
    pub image: Option<Vec<u8>>,
}

/// Creates a character with its card.
pub fn create(
    tx: &mut dyn Tx,
    account: &Id,
    (new, card): (&NewCharacter, &CardBody),
    (id, fresh): (&Id, &[Id]),
    now: i64,
) -> StoreResult<Character> {
    let character = characters::create(tx, account, new, (id, fresh), now)?;
    put(tx, account, id, card)?;
    Ok(character)
}

/// Makes a character equal to another card.
pub fn update(
    tx: &mut dyn Tx,
    account: &Id,
    (id, fresh): (&Id, &[Id]),
    (patch, card): (&CharacterPatch, &CardBody),
    now: i64,
) -> StoreResult<Character> {
    let character = characters::update(tx, account, (id, fresh), patch, now)?;
    put(tx, account, id, card)?;
    Ok(character)
}

fn put(tx: &mut dyn Tx, account: &Id, id: &Id, card: &CardBody) -> StoreResult<()> {
    let sql = sql!(
        "INSERT INTO character_card (account_id, character_row, card, image)
         SELECT account_id, character_row, ?3, ?4 FROM character WHERE account_id = ?1 AND id = ?2
         ON CONFLICT (account_id, character_row) DO UPDATE SET card = excluded.card, image = excluded.image"
    );
    tx.execute(sql, params![account, id, &card.card, card.image.as_ref()]).map(drop)
}

/// The card of a character; none of one that was not imported.
pub fn get(tx: &mut dyn Tx, account: &Id, id: &Id) -> StoreResult<Option<StoredCard>> {
    let sql = sql!(
        "SELECT k.card, k.image FROM character c
         JOIN character_card k ON k.account_id = c.account_id AND k.character_row = c.character_row
         WHERE c.account_id = ?1 AND c.id = ?2"
    );
    first(tx, sql, params![account, id], |row| {
        let image = row.bytes_or_null(1)?.map(|image| codec::with_bytes(image, <[u8]>::to_vec)).transpose()?;
        Ok(StoredCard { json: codec::decode_json(row.bytes(0)?)?, image })
    })
}

/// Deletes the card of a character that is deleted for good.
pub(crate) fn purge(tx: &mut dyn Tx, account: &Id, character_row: i64) -> StoreResult<()> {
    let sql = sql!("DELETE FROM character_card WHERE account_id = ?1 AND character_row = ?2");
    tx.execute(sql, params![account, character_row]).map(drop)
}
