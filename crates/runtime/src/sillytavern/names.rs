//! What a file is, and by which names it is known here: the same that the SillyTavern extension uses.

use super::ImportOrder;
use crate::text_hash;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use tavernkeep_engine::id::Id;
use tavernkeep_engine::limits::LABEL_BYTES_MAX;
use tavernkeep_engine::sillytavern::png;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A chat, a line of JSON for each message.
    Chat,
    /// A character card, a picture or JSON.
    Card,
}

impl FileKind {
    /// What a file is: what the order says, what a picture must be, what the ending of its name says, what it looks like.
    pub(super) fn of(order: &ImportOrder) -> FileKind {
        if let Some(kind) = order.kind {
            return kind;
        }
        if png::is_png(&order.content) {
            return FileKind::Card;
        }
        let ending = order.file_name.as_deref().and_then(|name| Some(name.rsplit_once('.')?.1.to_ascii_lowercase()));
        match ending.as_deref() {
            Some("jsonl") => FileKind::Chat,
            Some("json" | "png") => FileKind::Card,
            _ if looks_like_chat(&order.content) => FileKind::Chat,
            _ => FileKind::Card,
        }
    }
}

/// Whether the first line is the header of a chat or a message.
fn looks_like_chat(content: &[u8]) -> bool {
    let line = content.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    text.ends_with('}') && ["\"chat_metadata\"", "\"user_name\"", "\"mes\""].iter().any(|key| text.contains(key))
}

/// The folder and the name of a file, without its ending. Whatever else stands in a path is nobody's business.
pub(super) fn parts(file_name: &str) -> (Option<String>, String) {
    let mut parts = file_name.rsplit(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let name = parts.next().unwrap_or_default();
    let stem = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
    let cut = |text: &str| text[..text.floor_char_boundary(LABEL_BYTES_MAX / 2 - 8)].to_owned();
    (parts.next().map(cut), cut(stem))
}

/// The id of the character of a card, by the name of the picture that SillyTavern knows it by, such as `Hana.png`.
pub fn character_id(avatar: &str) -> Option<Id> {
    let hash = text_hash(Some(avatar));
    let digits = hash[..12].iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    format!("st.{digits}").parse().ok()
}

/// The id of the character whose chats stand in a folder.
pub(super) fn character_of_folder(folder: &str) -> Option<Id> {
    character_id(&format!("{folder}.png"))
}

/// The name of a copy.
pub(super) fn numbered(name: &str, number: usize) -> String {
    format!("{name} ({number})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_part_of_a_name_and_paths_are_not() {
        let named = |name: &str| {
            let (folder, stem) = parts(name);
            (folder.unwrap_or_default(), stem)
        };
        let both = |folder: &str, stem: &str| (folder.to_owned(), stem.to_owned());
        assert_eq!(named("Hana - 1.jsonl"), both("", "Hana - 1"));
        assert_eq!(named("data/default-user/chats/Hana/Hana - 1.jsonl"), both("Hana", "Hana - 1"));
        assert_eq!(named("C:\\chats\\Hana\\a.b.jsonl"), both("Hana", "a.b"));
        assert_eq!(named("../../../etc/passwd"), both("etc", "passwd"));
        assert_eq!(named("../.jsonl"), both("", ".jsonl"));
        assert_eq!(named(""), both("", ""));
        let long = "雪".repeat(2_000);
        assert!(parts(&format!("{long}/{long}.jsonl")).1.len() < LABEL_BYTES_MAX / 2);
    }

    #[test]
    fn a_character_has_the_id_that_the_extension_gives_it() {
        // The beginning of the SHA-256 of the name.
        assert_eq!(character_id("Hana.png").unwrap().as_str(), "st.7aab502e8a04cf9088a5147d");
        assert_eq!(character_of_folder("Hana"), character_id("Hana.png"));
    }
}
