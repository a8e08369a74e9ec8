//! The id of an event on the wire: `<position>-<ordinal>`. It is opaque for clients, which store it and send it back.

use std::fmt;
use tavernkeep_runtime::record::EventPosition;

/// Parses an id.
pub fn parse_event_id(text: &str) -> Result<EventPosition, InvalidEventId> {
    let (position, ordinal) = text.split_once('-').ok_or(InvalidEventId)?;
    Ok(EventPosition { position: number(position)?, ordinal: number(ordinal)? })
}

/// Writes the id of a place.
pub fn event_id(place: EventPosition) -> String {
    format!("{}-{}", place.position, place.ordinal)
}

/// Only digits, without a sign or leading zeros.
fn number(text: &str) -> Result<i64, InvalidEventId> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let short = text == "0" || !text.starts_with('0');
    if plain && short { text.parse().map_err(|_| InvalidEventId) } else { Err(InvalidEventId) }
}

/// The text is not the id of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidEventId;

impl fmt::Display for InvalidEventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("must be the id of an event as the stream sent it, such as `1700000000000000-0`")
    }
}

impl std::error::Error for InvalidEventId {}
