//! The settings of a session's story: its profile and its template, its own or its character's, and what follows from them.

use crate::db::hash::{Hash, hash, stored_hash};
use crate::story::definitions;
use crate::story::recipes::Recipe;
use crate::tree::characters;
use crate::tree::prelude::*;
use crate::variables::state_key::STATE_KEY;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::profile::Profile;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What a turn would be computed with now.
    pub recipe: Recipe,
    /// Whether the profile reads commands from what people write, too.
    pub reads_users: bool,
    /// Whether texts are processed; the character decides.
    pub enabled: bool,
    /// The lowest kind of page that commands are read from, as the session has it. Its character may say otherwise by
    /// now: [`reindex_flags`] brings it up to date.
    pub kind_min: i64,
    /// From which floor on it is not known yet what that means for each.
    pub flags_from: Option<i64>,
    /// Whether it has a character, which may change by itself.
    pub has_character: bool,
    /// The session's clock when this was read.
    pub seq: i64,
}

impl Settings {
    /// Whether the session reads commands from other pages than its profile says, or has not looked at all floors since it
    /// does not.
    pub fn lags_behind(&self) -> bool {
        self.flags_from.is_some() || self.reads_others()
    }

    /// Whether it reads what its profile says, and has not looked at all floors since.
    pub fn is_looking(&self) -> bool {
        self.flags_from.is_some() && !self.reads_others()
    }

    fn reads_others(&self) -> bool {
        self.kind_min != i64::from(!self.reads_users)
    }
}

/// A profile or a template, by the fingerprint of its text.
pub fn definition_hash(text: &JsonText) -> Hash {
    hash(text.as_str().as_bytes())
}

pub fn read(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Settings> {
    let sql = sql!(
        "SELECT CASE WHEN t.profile_hash IS NULL THEN k.rules_hash ELSE t.rules_hash END,
            COALESCE(t.template_hash, k.template_hash),
            CASE WHEN t.profile_hash IS NULL THEN COALESCE(k.reads_users, 0) ELSE t.reads_users END,
            COALESCE(c.enabled, 1), s.story_kind, s.flags_from,
            CASE WHEN s.character_row IS NULL THEN 0 ELSE 1 END, s.seq, a.functions_hash, k.functions_hash
         FROM session s
         JOIN account a ON a.account_id = s.account_id
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character c ON c.account_id = s.account_id AND c.character_row = s.character_row
         LEFT JOIN character_story k ON k.account_id = s.account_id AND k.character_row = s.character_row
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    let found = first(tx, sql, in_session![session], |row| {
        let hash = |at: usize| row.bytes_or_null(at)?.map(stored_hash).transpose();
        Ok(Settings {
            recipe: Recipe::of(hash(0)?, hash(1)?, (hash(8)?, hash(9)?)),
            reads_users: row.int(2)? == 1,
            enabled: row.int(3)? == 1,
            kind_min: row.int(4)?,
            flags_from: row.int_or_null(5)?,
            has_character: row.int(6)? == 1,
            seq: row.int(7)?,
        })
    })?;
    // A session that was purged since its row was looked up.
    found.ok_or_else(|| Refusal::ParentMoved.into())
}

/// A session that [`reindex_flags`] has something to do for: its row, and its settings.
pub fn lagging(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<Option<(i64, Settings)>> {
    let session = lookup::session(tx, account, session)?;
    let settings = read(tx, session)?;
    Ok(settings.lags_behind().then_some((session.row, settings)))
}

/// The settings of a session by its id.
pub fn of_session(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<Settings> {
    let session = lookup::session(tx, account, session)?;
    read(tx, session)
}

/// The template that counts for a session, if there is one, and whether it is the session's own.
pub fn own_template(tx: &mut dyn Tx, account: &Id, session: &Id) -> StoreResult<(Option<JsonText>, bool)> {
    let session = lookup::session(tx, account, session)?;
    let sql = sql!(
        "SELECT t.template, k.template FROM session s
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character_story k ON k.account_id = s.account_id AND k.character_row = s.character_row
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    one(tx, sql, params![account, session.row], |row| {
        let own = row.bytes_or_null(0)?;
        let template = own.map_or_else(|| row.bytes_or_null(1), |own| Ok(Some(own)))?;
        Ok((template.map(codec::decode_json).transpose()?, own.is_some()))
    })
}

/// The template that counts for a session; none where nobody gave one.
pub fn template(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<Option<Value>> {
    let sql = sql!(
        "SELECT COALESCE(t.template, k.template) FROM session s
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character_story k ON k.account_id = s.account_id AND k.character_row = s.character_row
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    let found = first(tx, sql, in_session![session], |row| row.bytes_or_null(0)?.map(codec::decode_json).transpose())?;
    Ok(found.flatten().map(|template| Value::from(&template)))
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProfileHashes {
    /// The text that was written.
    pub(crate) profile: Option<Hash>,
    /// The text that spells out what it means.
    pub(crate) rules: Option<Hash>,
    /// Whether it reads what people write.
    pub(crate) reads_users: bool,
}

pub(crate) fn put_profile(
    tx: &mut dyn Tx,
    account: &Id,
    profile: Option<&JsonText>,
    now: i64,
) -> StoreResult<ProfileHashes> {
    let Some(text) = profile else { return Ok(ProfileHashes::default()) };
    // What is stored was read before; a profile that this program does not know any more is the default one.
    let profile = Profile::read(&Value::from(text)).unwrap_or_default();
    let rules = rules(&profile).map(|rules| definitions::put(tx, account, &rules, now)).transpose()?;
    let reads_users = profile.user_floors;
    Ok(ProfileHashes { profile: Some(definitions::put(tx, account, text, now)?), rules, reads_users })
}

/// What a profile means for turns, spelled out; nothing for the default one. How states are shown changes none of them.
pub fn rules(profile: &Profile) -> Option<JsonText> {
    let profile = Profile { views: Vec::new(), note: false, ..profile.clone() };
    (profile != Profile::default()).then(|| profile.to_value().to_text())
}

/// What a prompt needs to know of a session beside its variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSettings {
    /// The profile as it was written.
    pub profile: Option<Hash>,
    /// The name of the state among variables.
    pub state_key: String,
    /// The character and its name.
    pub character: Option<(Id, String)>,
}

pub fn for_prompt(tx: &mut dyn Tx, session: SessionKey<'_>) -> StoreResult<PromptSettings> {
    let sql = sql!(
        "SELECT COALESCE(t.profile_hash, k.profile_hash), s.state_key, c.id, c.name FROM session s
         LEFT JOIN session_story t ON t.account_id = s.account_id AND t.session_row = s.session_row
         LEFT JOIN character c ON c.account_id = s.account_id AND c.character_row = s.character_row
         LEFT JOIN character_story k ON k.account_id = s.account_id AND k.character_row = s.character_row
         WHERE s.account_id = ?1 AND s.session_row = ?2"
    );
    one(tx, sql, in_session![session], |row| {
        let text = |at: usize| row.bytes_or_null(at)?.map(stored_text).transpose();
        Ok(PromptSettings {
            profile: row.bytes_or_null(0)?.map(stored_hash).transpose()?,
            state_key: text(1)?.unwrap_or_else(|| STATE_KEY.to_owned()),
            character: match row.text_or_null(2)? {
                Some(id) => Some((stored_id(id)?, text(3)?.unwrap_or_default())),
                None => None,
            },
        })
    })
}

/// Stores what is given; the outer `None` leaves it as it is.
pub(crate) fn put(
    tx: &mut dyn Tx,
    clock: &SessionClock,
    profile: Option<Option<&JsonText>>,
    template: Option<Option<&JsonText>>,
) -> StoreResult<()> {
    if profile.flatten().is_some() || template.flatten().is_some() {
        let sql = sql!(
            "INSERT INTO session_story (account_id, session_row) VALUES (?1, ?2)
             ON CONFLICT (account_id, session_row) DO NOTHING"
        );
        tx.execute(sql, in_session![clock])?;
    }
    if let Some(profile) = profile {
        let sql = sql!(
            "UPDATE session_story SET profile_hash = ?3, rules_hash = ?4, reads_users = ?5
             WHERE account_id = ?1 AND session_row = ?2"
        );
        let ProfileHashes { profile, rules, reads_users } = put_profile(tx, clock.account(), profile, clock.now())?;
        let [profile, rules] = [&profile, &rules].map(|hash| hash.as_ref().map(Hash::as_slice));
        tx.execute(sql, in_session![clock, profile, rules, reads_users])?;
        reindex_flags(tx, clock)?;
    }
    if let Some(template) = template {
        let sql = sql!(
            "UPDATE session_story SET template = ?3, template_hash = ?4 WHERE account_id = ?1 AND session_row = ?2"
        );
        let bytes = template.map(|template| codec::encode(template.as_str()));
        let hash = template.map(definition_hash);
        let hash = hash.as_ref().map(Hash::as_slice);
        tx.execute(sql, in_session![clock, bytes.as_ref(), hash])?;
    }
    Ok(())
}

/// Sets the character of a session. The account's clock keeps the character from being deleted meanwhile.
pub(crate) fn put_character(
    tx: &mut dyn Tx,
    _: &AccountClock,
    clock: &SessionClock,
    character: Option<&Id>,
) -> StoreResult<()> {
    let missing = |id: &Id| StoreError::from(Refusal::CharacterNotFound(id.clone()));
    let find = |id: &Id| characters::find(tx, clock.account(), id)?.ok_or_else(|| missing(id));
    let row = character.map(find).transpose()?;
    let sql = sql!("UPDATE session SET character_row = ?3 WHERE account_id = ?1 AND session_row = ?2");
    tx.execute(sql, in_session![clock, row])?;
    characters::sweep(tx, clock.account())?;
    reindex_flags(tx, clock)
}

/// Lets a session read commands from the pages that its profile says, and looks at some of its floors; there may be more to
/// look at then. A character's profile can change for any number of sessions at once; each follows when its story goes on,
/// with its clock held.
pub fn reindex_flags(tx: &mut dyn Tx, clock: &SessionClock) -> StoreResult<()> {
    let settings = read(tx, clock.key())?;
    let mut from = settings.flags_from;
    if settings.reads_others() {
        let sql = sql!("UPDATE session SET story_kind = 1 - story_kind WHERE account_id = ?1 AND session_row = ?2");
        tx.execute(sql, in_session![clock])?;
        super::invalidate_flags(tx, clock)?;
        from = Some(0);
    }
    from.map_or(Ok(()), |from| super::reindex_next(tx, clock, from))
}
