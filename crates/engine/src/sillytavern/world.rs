//! World books: in a card (`character_book`, a list) or as a file of their own (`worlds/NAME.json`, an object).

use crate::document::Value;
use crate::limits::BOOK_ENTRIES_MAX;
use crate::mvu::LoreEntry;

/// A world book.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Book {
    /// Its entries in order.
    pub entries: Vec<BookEntry>,
    /// How many there were beyond those that are looked at.
    pub left_out: usize,
}

/// An entry of a world book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEntry {
    /// The title, which SillyTavern calls comment.
    pub title: String,
    /// The text.
    pub content: String,
}

impl Book {
    /// Reads a book, whichever way its entries are kept. Entries that are switched off count: MVU reads those, too.
    pub fn read(book: &Value) -> Book {
        let entry = |entry: &Value| {
            let text = |key| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            let title = text("comment").filter(|title| !title.is_empty()).or_else(|| text("name"));
            Some(BookEntry { title: title.unwrap_or_default(), content: text("content")? })
        };
        let count = match book.get("entries") {
            Some(Value::Array(entries)) => entries.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => 0,
        };
        let entries: Vec<BookEntry> = match book.get("entries") {
            Some(Value::Array(entries)) => entries.iter().take(BOOK_ENTRIES_MAX).filter_map(entry).collect(),
            Some(Value::Object(entries)) => {
                // A JavaScript object has keys that are numbers in their order.
                let mut entries: Vec<_> = entries.iter().take(BOOK_ENTRIES_MAX).collect();
                entries.sort_by_key(|(key, _)| key.parse::<u32>().unwrap_or(u32::MAX));
                entries.into_iter().filter_map(|(_, value)| entry(value)).collect()
            }
            _ => Vec::new(),
        };
        Book { entries, left_out: count.saturating_sub(BOOK_ENTRIES_MAX) }
    }

    /// The book as MVU looks at it, with the character's name where its macro stands.
    pub fn with_name(&self, name: &str) -> Book {
        let named = |text: &str| text.replace("{{char}}", name).replace("<char>", name).replace("<CHAR>", name);
        let entry = |entry: &BookEntry| BookEntry { title: entry.title.clone(), content: named(&entry.content) };
        let entries = self.entries.iter().filter(|entry| is_first_state(&entry.title)).map(entry).collect();
        Book { entries, left_out: self.left_out }
    }

    /// Its entries as [`crate::mvu::initialise`] takes them.
    pub fn lore(&self) -> Vec<LoreEntry<'_>> {
        self.entries.iter().map(|entry| LoreEntry { title: &entry.title, content: &entry.content }).collect()
    }

    /// Whether it has an entry with a first state.
    pub fn has_first_state(&self) -> bool {
        self.entries.iter().any(|entry| is_first_state(&entry.title))
    }
}

fn is_first_state(title: &str) -> bool {
    title.to_lowercase().contains("[initvar]")
}

/// The names of the world books that count for a character, in MVU's order: those that are selected for all chats, its own one,
/// its additional ones. `settings` is SillyTavern's `settings.json`, `avatar` the name of the card's file without its ending.
pub fn selected_books(settings: &Value, avatar: &str, own: Option<&str>) -> Vec<String> {
    let world_info = settings.get("world_info_settings").and_then(|it| it.get("world_info"));
    let world_info = world_info.or_else(|| settings.get("world_info"));
    let names = |list: Option<&Value>| -> Vec<String> {
        list.map(Value::items).unwrap_or_default().iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut all = names(world_info.and_then(|it| it.get("globalSelect")));
    all.extend(own.map(str::to_owned));
    let lore = world_info.and_then(|it| it.get("charLore")).map(Value::items).unwrap_or_default();
    let is_ours = |lore: &&Value| lore.get("name").and_then(Value::as_str) == Some(avatar);
    all.extend(lore.iter().filter(is_ours).flat_map(|lore| names(lore.get("extraBooks"))));
    let mut seen = std::collections::HashSet::new();
    all.retain(|name| seen.insert(name.clone()));
    all
}
