//! Character cards of versions 1 to 3, as JSON or inside of a picture.
//!
//! ```text
//! V1      {"name", "description", "personality", "scenario", "first_mes", "mes_example"}
//! V2, V3  {"spec": "chara_card_v2" | "chara_card_v3", "data": {"name", "first_mes", "alternate_greetings", "extensions",
//!          "character_book", …}}, and mostly V1's fields beside it
//! ```
//!
//! A card is kept whole beside its character. What the character has since become is written over it when the card is exported,
//! and nothing else: a card that nobody changed comes back as it was.

use super::base64;
use super::functions::CardFunction;
use super::png::{self, PngError};
use super::world::Book;
use crate::document::{Object, Value};
use crate::json::{JsonErrorKind, JsonText};
use crate::limits::{
    BOOK_ENTRIES_MAX, CARD_FILE_BYTES_MAX, CARD_IMAGE_BYTES_MAX, CARD_JSON_BYTES_MAX, FUNCTIONS_MAX, GREETINGS_MAX,
    IMPORTED_DEPTH_MAX,
};
use crate::mvu::{gather, greeting_init};
use std::fmt;
use std::sync::Arc;

/// The profile of cards that MVU reads.
pub const MVU_PROFILE: &str = r#"{"base":"mvu","mvu_schema":true}"#;
/// The profile of cards that bring a Zod schema along.
pub const MVU_ZOD_PROFILE: &str = r#""mvu_zod""#;

/// Where the variable system of seed 003 keeps its part of a card.
const VARIABLE_SYSTEM: &str = "st_var_system";
/// Where we keep what no other program has a place for.
const OWN: &str = "tavernkeep";
/// Characters of a name, as many as the extension keeps.
const NAME_CHARS_MAX: usize = 300;

/// Why a file is no card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardError {
    /// The file, its JSON or its picture is too large.
    TooLarge(&'static str, usize),
    /// The picture cannot be read, or has no card.
    Png(PngError),
    /// The text in the picture is not Base64.
    NotBase64,
    /// The card is not JSON.
    NotJson(String),
    /// The JSON is no card.
    NotCard(&'static str),
}

impl fmt::Display for CardError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CardError::TooLarge(what, max) => write!(formatter, "the {what} has more than {max} bytes"),
            CardError::Png(error) => error.fmt(formatter),
            CardError::NotBase64 => formatter.write_str("the card in the picture is damaged: its text is not Base64"),
            CardError::NotJson(why) => write!(formatter, "the card is not JSON ({why})"),
            CardError::NotCard(why) => write!(formatter, "the file is not a character card: {why}"),
        }
    }
}

impl std::error::Error for CardError {}

impl From<PngError> for CardError {
    fn from(error: PngError) -> CardError {
        CardError::Png(error)
    }
}

/// What a character has a field for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CardFields {
    /// The name.
    pub name: String,
    /// Whether its chats are processed.
    pub enabled: bool,
    /// What chats may begin with.
    pub greetings: Vec<String>,
    /// The document that stories start from.
    pub template: Option<Value>,
    /// How commands are read, as JSON.
    pub profile: Option<Value>,
    /// Its own functions.
    pub functions: Vec<CardFunction>,
}

/// A card that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// What a character has a field for.
    pub fields: CardFields,
    /// The card as it was written.
    pub json: JsonText,
    /// The picture without the card, of a card that has one.
    pub image: Option<Vec<u8>>,
    /// The name of the world book that belongs to it.
    pub world: Option<String>,
    /// What could not be taken over, as sentences.
    pub remarks: Vec<String>,
}

/// Reads a card from a file: a picture or JSON. `books` are the world books that count for it instead of the one inside of it.
pub fn read_card_file(file: &[u8], books: Option<&[Book]>) -> Result<Card, CardError> {
    if file.len() > CARD_FILE_BYTES_MAX {
        return Err(CardError::TooLarge("file", CARD_FILE_BYTES_MAX));
    }
    if !png::is_png(file) {
        return read_card(file, books);
    }
    let text = png::card_text(file)?;
    let json = base64::decode(text).map_err(|_| CardError::NotBase64)?;
    let image = png::without_card(file)?;
    if image.len() > CARD_IMAGE_BYTES_MAX {
        return Err(CardError::TooLarge("picture", CARD_IMAGE_BYTES_MAX));
    }
    Ok(Card { image: Some(image), ..read_card(&json, books)? })
}

/// Reads a card from its JSON.
pub fn read_card(json: &[u8], books: Option<&[Book]>) -> Result<Card, CardError> {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    if json.len() > CARD_JSON_BYTES_MAX {
        return Err(CardError::TooLarge("JSON of the card", CARD_JSON_BYTES_MAX));
    }
    if json.starts_with(&[0xff, 0xfe]) || json.starts_with(&[0xfe, 0xff]) {
        return Err(CardError::NotJson("the text is UTF-16; save the file as UTF-8".to_owned()));
    }
    let json = JsonText::parse_with_depth(json, IMPORTED_DEPTH_MAX).map_err(|error| match error.kind {
        JsonErrorKind::NotUtf8 => CardError::NotJson("the text is not UTF-8; save the file as UTF-8".to_owned()),
        _ => CardError::NotJson(error.to_string()),
    })?;
    let card = Value::from(&json);
    let mut remarks = Vec::new();
    let fields = read_fields(&card, books, &mut remarks)?;
    let world = data_of(&card).get("extensions").and_then(|it| it.get("world")).and_then(Value::as_str);
    let world = world.filter(|world| !world.is_empty()).map(str::to_owned);
    Ok(Card { fields, world, json, image: None, remarks })
}

/// The object that holds the fields.
fn data_of(card: &Value) -> &Value {
    card.get("data").filter(|data| data.get("name").is_some() || data.get("first_mes").is_some()).unwrap_or(card)
}

fn read_fields(card: &Value, books: Option<&[Book]>, remarks: &mut Vec<String>) -> Result<CardFields, CardError> {
    if card.as_object().is_none() {
        return Err(CardError::NotCard("it must be a JSON object"));
    }
    let data = data_of(card);
    // A field that V2 lacks may stand beside it, and two old programs had names of their own.
    let text = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| data.get(name).or_else(|| card.get(name))?.as_str());
        found.unwrap_or_default()
    };
    let full = text(["name", "char_name"]);
    let is_card = ["first_mes", "description", "personality", "char_persona", "char_greeting", "spec"];
    if !is_card.iter().any(|key| data.get(key).is_some() || card.get(key).is_some()) {
        return Err(CardError::NotCard("it has none of `spec`, `first_mes`, `description` and `personality`"));
    }
    if full.trim().is_empty() {
        return Err(CardError::NotCard("it has no name"));
    }
    let name: String = full.chars().take(NAME_CHARS_MAX).collect();
    if name.len() < full.len() {
        remarks.push(format!("the name has more than {NAME_CHARS_MAX} characters and is cut off"));
    }
    let others = data.get("alternate_greetings").map(Value::items).unwrap_or_default();
    let is_kind = |value: Option<&Value>, is_right: fn(&Value) -> bool| {
        value.is_none_or(|it| matches!(it, Value::Null) || is_right(it))
    };
    if !is_kind(data.get("first_mes"), |it| it.as_str().is_some()) {
        remarks.push("`first_mes` is left out: it is not a text".to_owned());
    }
    if !is_kind(data.get("alternate_greetings"), |it| {
        it.as_array().is_some_and(|all| all.iter().all(|it| it.as_str().is_some()))
    }) {
        remarks.push("`alternate_greetings` must be a list of texts; what is no text is left out".to_owned());
    }
    let greetings = [text(["first_mes", "char_greeting"])].into_iter().chain(others.iter().filter_map(Value::as_str));
    let mut greetings: Vec<String> = greetings.filter(|greeting| !greeting.is_empty()).map(str::to_owned).collect();
    if greetings.len() > GREETINGS_MAX {
        remarks.push(format!(
            "{} greetings beyond the first {GREETINGS_MAX} are left out",
            greetings.len() - GREETINGS_MAX
        ));
        greetings.truncate(GREETINGS_MAX);
    }
    let extension = |name| data.get("extensions").and_then(|extensions| extensions.get(name));
    let system = extension(VARIABLE_SYSTEM);
    let template = system.and_then(|it| it.get("templateBody"));
    if !is_kind(template, |it| it.as_object().is_some()) {
        remarks.push(format!("the template is left out: `{VARIABLE_SYSTEM}.templateBody` is not an object; without one the story begins with an empty state"));
    }
    let template = template.filter(|it| it.as_object().is_some()).cloned();
    let mut fields = CardFields {
        enabled: system.and_then(|it| it.get("enabled")).and_then(Value::as_bool) != Some(false),
        functions: functions(system, remarks),
        name,
        greetings,
        template,
        profile: extension(OWN).and_then(|own| own.get("profile")).cloned(),
    };
    if fields.template.is_none() {
        first_state(&mut fields, card, books, remarks);
    }
    Ok(fields)
}

fn functions(system: Option<&Value>, remarks: &mut Vec<String>) -> Vec<CardFunction> {
    let entries = system.and_then(|it| it.get("functions")).map(Value::items).unwrap_or_default();
    let functions_max = usize::try_from(FUNCTIONS_MAX).unwrap_or(usize::MAX);
    let mut functions = Vec::new();
    if let Some(others) = entries.len().checked_sub(functions_max).filter(|others| *others > 0) {
        remarks.push(format!("{others} functions beyond the first {functions_max} are left out"));
    }
    for (at, entry) in entries.iter().enumerate().take(functions_max) {
        match CardFunction::read(entry) {
            Ok(function) => functions.push(function),
            Err(why) => remarks.push(format!("function {} is left out: {why}", at + 1)),
        }
    }
    functions
}

/// The first state that MVU puts together from world books, or that a greeting brings along.
fn first_state(fields: &mut CardFields, card: &Value, books: Option<&[Book]>, remarks: &mut Vec<String>) {
    let data = data_of(card);
    let own;
    let books = match books {
        Some(books) => books,
        None => {
            own = [Book::read(data.get("character_book").unwrap_or(&Value::Null))];
            &own
        }
    };
    for others in books.iter().map(|book| book.left_out).filter(|others| *others > 0) {
        remarks.push(format!("{others} entries of a world book beyond the first {BOOK_ENTRIES_MAX} are not looked at"));
    }
    let named: Vec<Book> = books.iter().map(|book| book.with_name(&fields.name)).collect();
    let lore: Vec<_> = named.iter().map(Book::lore).collect();
    let lore: Vec<_> = lore.iter().map(Vec::as_slice).collect();
    let (state, unreadable) = gather(&Value::empty_object(), &lore);
    for title in unreadable {
        remarks
            .push(format!("the world book entry {title:?} is not JSON or YAML with keys and values, and is left out"));
    }
    let blocks: Vec<Option<Value>> = fields.greetings.iter().map(|greeting| greeting_init(greeting)).collect();
    let has_book = books.iter().any(Book::has_first_state);
    if !has_book && blocks.iter().all(Option::is_none) {
        return;
    }
    let first = blocks.first().and_then(Option::as_ref).filter(|block| block.as_object().is_some());
    let is_same = |block: &Option<Value>| block.as_ref() == first;
    if !blocks.iter().all(is_same) {
        remarks.push(
            "greetings bring first states of their own (<initvar>); the template is that of the first greeting"
                .to_owned(),
        );
    }
    let template = first.cloned().unwrap_or(state);
    if template.to_json().contains("{{user}}") {
        remarks.push("the first state has {{user}} in it, which stays as it is".to_owned());
    }
    fields.template = Some(template).filter(|template| template.as_object().is_some_and(|members| !members.is_empty()));
    if fields.profile.is_none() {
        let is_zod = card.to_json().contains("registerMvuSchema");
        fields.profile = Value::parse(if is_zod { MVU_ZOD_PROFILE } else { MVU_PROFILE }).ok();
    }
}

/// A card with the fields that a character has now, as version 2 and as version 3.
pub fn write_card(stored: Option<&JsonText>, fields: &CardFields) -> (Value, Value) {
    let stored = stored.map(Value::from).filter(|card| card.as_object().is_some());
    let known = stored.as_ref().and_then(|card| read_fields(card, None, &mut Vec::new()).ok());
    let mut card = stored.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    let mut data = match card.get("data").and_then(Value::as_object) {
        Some(data) => data.clone(),
        // The fields of version 1 are those of version 2.
        None => card
            .iter()
            .filter(|(key, _)| is_first_version(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    };
    put_texts(&mut card, &mut data, known.as_ref(), fields);
    put_extensions(&mut data, known.as_ref(), fields);
    card.set("data".into(), Value::Object(Arc::new(data)));
    let version = |spec: &str, number: &str| {
        let mut card = card.clone();
        card.set("spec".into(), Value::from(spec));
        card.set("spec_version".into(), Value::from(number));
        Value::Object(Arc::new(card))
    };
    (version("chara_card_v2", "2.0"), version("chara_card_v3", "3.0"))
}

/// Fields that both versions have.
const FIRST_VERSION: [&str; 6] = ["name", "description", "personality", "scenario", "first_mes", "mes_example"];
/// Further ones of version 2, with nothing in them.
const SECOND_VERSION: [&str; 5] =
    ["creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version"];

fn is_first_version(key: &str) -> bool {
    FIRST_VERSION.contains(&key)
}

fn put_texts(card: &mut Object, data: &mut Object, known: Option<&CardFields>, fields: &CardFields) {
    if known.is_none_or(|known| known.name != fields.name) {
        set_both(card, data, "name", &fields.name);
    }
    if known.is_none_or(|known| known.greetings != fields.greetings) {
        let (first, others) = fields.greetings.split_first().map_or(("", &[][..]), |(first, others)| (first, others));
        set_both(card, data, "first_mes", first);
        data.set("alternate_greetings".into(), others.iter().map(|other| Value::from(other.as_str())).collect());
    }
    for key in FIRST_VERSION {
        let ours = match key {
            "name" => fields.name.as_str(),
            "first_mes" => fields.greetings.first().map(String::as_str).unwrap_or_default(),
            _ => "",
        };
        let text = data.get(key).or_else(|| card.get(key)).and_then(Value::as_str).unwrap_or(ours).to_owned();
        for object in [&mut *card, &mut *data] {
            if object.get(key).is_none() {
                object.set(key.into(), Value::from(text.as_str()));
            }
        }
    }
    for key in SECOND_VERSION {
        if data.get(key).is_none() {
            data.set(key.into(), Value::from(""));
        }
    }
    for key in ["tags", "alternate_greetings"] {
        if data.get(key).is_none() {
            data.set(key.into(), Value::empty_array());
        }
    }
}

fn set_both(card: &mut Object, data: &mut Object, key: &str, text: &str) {
    card.set(key.into(), Value::from(text));
    data.set(key.into(), Value::from(text));
}

/// Whether functions are the same but for their ids, which are others wherever a function is kept.
fn same_functions(known: &[CardFunction], now: &[CardFunction]) -> bool {
    let same =
        |(one, other): (&CardFunction, &CardFunction)| one.enabled == other.enabled && one.function == other.function;
    known.len() == now.len() && known.iter().zip(now).all(same)
}

fn put_extensions(data: &mut Object, known: Option<&CardFields>, fields: &CardFields) {
    let none = CardFields { enabled: true, ..CardFields::default() };
    let known = known.unwrap_or(&none);
    let mut extensions = data.get("extensions").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut system = extensions.get(VARIABLE_SYSTEM).and_then(Value::as_object).cloned().unwrap_or_default();
    let before = system.len();
    let mut changed = false;
    if known.template != fields.template {
        changed = true;
        match &fields.template {
            Some(template) => drop(system.set("templateBody".into(), template.clone())),
            None => drop(system.remove("templateBody")),
        }
    }
    if !same_functions(&known.functions, &fields.functions) {
        changed = true;
        system.set("functions".into(), fields.functions.iter().map(CardFunction::written).collect());
    }
    if known.enabled != fields.enabled || (changed && before == 0) {
        changed = true;
        system.set("enabled".into(), Value::Bool(fields.enabled));
    }
    if changed {
        extensions.set(VARIABLE_SYSTEM.into(), Value::Object(Arc::new(system)));
    }
    // A template that stands in the card says nothing about how commands are read.
    let is_implied = known.profile == fields.profile && !(changed && fields.profile.is_some());
    if !is_implied {
        let mut own = extensions.get(OWN).and_then(Value::as_object).cloned().unwrap_or_default();
        match &fields.profile {
            Some(profile) => drop(own.set("profile".into(), profile.clone())),
            None => drop(own.remove("profile")),
        }
        extensions.set(OWN.into(), Value::Object(Arc::new(own)));
    }
    data.set("extensions".into(), Value::Object(Arc::new(extensions)));
}
