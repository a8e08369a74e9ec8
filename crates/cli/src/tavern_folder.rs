//! What there is to import in a folder: a user folder of SillyTavern, a folder with such folders, or one with files.
//!
//! ```text
//! data/USER/characters/NAME.png      cards
//! data/USER/chats/NAME/CHAT.jsonl    their chats
//! data/USER/group chats/ID.jsonl     chats of groups
//! data/USER/worlds/BOOK.json         world books, which cards refer to
//! data/USER/settings.json            which world books count for all
//! ```

use crate::apply::about;
use crate::output::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::limits::{BODY_BYTES_MAX, BOOKS_MAX, IMPORT_FILES_MAX, IMPORTED_DEPTH_MAX};
use tavernkeep_engine::sillytavern::{read_card_file, selected_books};

/// A file that is to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    pub path: PathBuf,
    /// The name that counts: of a chat with the folder of its character in front.
    pub name: String,
    /// The user folder that it is a card of.
    user_folder: Option<PathBuf>,
}

/// Everything that can be imported from a path, cards before chats, in the order of their names.
pub fn find(path: &Path) -> Result<Vec<FoundFile>, Failure> {
    if !path.is_dir() {
        let name = name_of(path);
        return Ok(vec![FoundFile { path: path.to_owned(), name, user_folder: None }]);
    }
    let mut found = Vec::new();
    if is_user_folder(path) {
        user_folder(path, &mut found)?;
    } else {
        let users: Vec<PathBuf> = entries(path)?.into_iter().filter(|entry| is_user_folder(entry)).collect();
        for user in &users {
            user_folder(user, &mut found)?;
        }
        if users.is_empty() {
            for file in entries(path)?.into_iter().filter(|entry| has_ending(entry, &["png", "json", "jsonl"])) {
                let is_chat = has_ending(&file, &["jsonl"]);
                let name = if is_chat { format!("{}/{}", name_of(path), name_of(&file)) } else { name_of(&file) };
                found.push(FoundFile { path: file, name, user_folder: None });
            }
            found.sort_by_key(|file| has_ending(&file.path, &["jsonl"]));
        }
    }
    match found.len() {
        0 => Err(about(path, "no chats (.jsonl) and no cards (.png, .json) are in this folder")),
        count if count > IMPORT_FILES_MAX => {
            Err(about(path, format_args!("{count} files are more than {IMPORT_FILES_MAX}; import a part of them")))
        }
        _ => Ok(found),
    }
}

fn is_user_folder(path: &Path) -> bool {
    path.join("characters").is_dir() || path.join("chats").is_dir()
}

fn user_folder(path: &Path, found: &mut Vec<FoundFile>) -> Result<(), Failure> {
    let of = |folder: &Path| if folder.is_dir() { entries(folder) } else { Ok(Vec::new()) };
    for card in of(&path.join("characters"))?.into_iter().filter(|entry| has_ending(entry, &["png"])) {
        found.push(FoundFile { name: name_of(&card), path: card, user_folder: Some(path.to_owned()) });
    }
    let mut folders: Vec<PathBuf> = of(&path.join("chats"))?.into_iter().filter(|entry| entry.is_dir()).collect();
    folders.push(path.join("group chats"));
    for folder in folders {
        for chat in of(&folder)?.into_iter().filter(|entry| has_ending(entry, &["jsonl"])) {
            let name = format!("{}/{}", name_of(&folder), name_of(&chat));
            found.push(FoundFile { path: chat, name, user_folder: None });
        }
    }
    Ok(())
}

impl FoundFile {
    /// The world books that count for a card of a user folder: those that are selected for all chats, its own, its further ones. None
    /// where there are none: then the one inside of the card counts. Books that cannot be read are named in `remarks`.
    pub fn books(&self, content: &[u8], remarks: &mut Vec<String>) -> Option<Vec<JsonText>> {
        let folder = self.user_folder.as_ref()?;
        let world = read_card_file(content, None).ok()?.world;
        let settings = read_json(&folder.join("settings.json")).ok().map(|settings| Value::from(&settings));
        let stem = self.name.rsplit_once('.').map_or(self.name.as_str(), |(stem, _)| stem);
        let names = selected_books(settings.as_ref().unwrap_or(&Value::Null), stem, world.as_deref());
        // A name with a slash would lead to another folder.
        let names = names.iter().filter(|name| !name.contains(['/', '\\'])).take(BOOKS_MAX);
        let mut books = Vec::new();
        for name in names {
            match read_json(&folder.join("worlds").join(format!("{name}.json"))) {
                Ok(book) => books.push(book),
                Err(why) => remarks.push(format!("the world book {name:?} is not looked at: {why}")),
            }
        }
        Some(books).filter(|books| !books.is_empty())
    }
}

fn read_json(path: &Path) -> Result<JsonText, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > BODY_BYTES_MAX as u64 {
        return Err(format!("it has more than {BODY_BYTES_MAX} bytes"));
    }
    let text = fs::read(path).map_err(|error| error.to_string())?;
    JsonText::parse_with_depth(&text, IMPORTED_DEPTH_MAX).map_err(|error| format!("it is not JSON ({error})"))
}

fn entries(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = fs::read_dir(path).map_err(|error| about(path, error))?;
    let mut entries: Vec<PathBuf> = read
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(|error| about(path, error))?;
    entries.sort();
    Ok(entries)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str())) && path.is_file()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_folder_may_have_as_many_files_as_the_limit_says() {
        let folder = tempfile::tempdir().unwrap();
        let touch = |name: String| drop(File::create(folder.path().join(name)).unwrap());
        (0..IMPORT_FILES_MAX).for_each(|number| touch(format!("{number}.jsonl")));
        touch("read me.txt".to_owned());
        assert_eq!(find(folder.path()).unwrap().len(), IMPORT_FILES_MAX);
        touch("one more.png".to_owned());
        let refused = find(folder.path()).unwrap_err();
        assert!(refused.message.contains("100001 files are more than 100000"), "{}", refused.message);
    }
}
