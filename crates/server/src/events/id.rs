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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        for (position, ordinal) in [(0, 0), (1, 0), (1_700_000_000_000_000, 41), (7, i64::MAX), (i64::MAX, i64::MAX)] {
            let place = EventPosition { position, ordinal };
            assert_eq!(parse_event_id(&event_id(place)), Ok(place));
        }
    }

    #[test]
    fn anything_else_is_refused_and_nothing_panics() {
        let bad = [
            "",
            "-",
            "1",
            "1-",
            "-1",
            "1--1",
            "-1-1",
            "1-1-1",
            "+1-1",
            "1-+1",
            " 1-1",
            "1-1 ",
            "01-1",
            "1-00",
            "1_0-1",
            "1e3-1",
            "0x1-1",
            "9223372036854775808-0",
            "0-9223372036854775808",
            "99999999999999999999-1",
            "１-１",
            "٣-٣",
            "1\u{0}-1",
            "null",
            "1-1\r\n",
        ];
        for text in bad {
            assert_eq!(parse_event_id(text), Err(InvalidEventId), "{text:?}");
        }
        // Every short text over the letters that matter: what is taken is exactly what would be written.
        let letters = ['0', '1', '9', '-', '+', ' ', 'a', 'é'];
        for number in 0..letters.len().pow(5) {
            let text: String = (0..5).map(|at| letters[number / letters.len().pow(at) % letters.len()]).collect();
            for text in [text.as_str(), text.trim_end_matches('a')] {
                if let Ok(place) = parse_event_id(text) {
                    assert_eq!(event_id(place), text);
                }
            }
        }
    }
}
