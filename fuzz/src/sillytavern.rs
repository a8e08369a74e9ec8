//! Files of SillyTavern: whatever can be read comes back as it was.

use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{GREETINGS_MAX, SYNC_SWIPES_MAX};
use tavernkeep_engine::sillytavern::png::{self, is_png};
use tavernkeep_engine::sillytavern::{
    ChatMessage, ChatReader, ChatSwipe, Line, WrittenMessage, WrittenPage, encode_base64, header, message,
    read_card_file, session_metadata, write_card,
};

/// A chat file: what was read of a line and stored is written as the line was.
pub fn chat_file(bytes: &[u8]) {
    let Ok(mut reader) = ChatReader::new(bytes) else { return };
    let mut number = 0;
    let text = std::str::from_utf8(bytes).expect("a chat that can be read is UTF-8");
    let mut lines = text.trim_start_matches('\u{feff}').split('\n').map(str::trim).filter(|line| !line.is_empty());
    while let Ok(Some(line)) = reader.next_line() {
        let written = match &line {
            Line::Header(found) => {
                assert_eq!(number, 0, "a header is the first line");
                let metadata = session_metadata(None, Some(found));
                header(metadata.get("sillytavern"))
            }
            Line::Message(found) => stored_and_written(found),
        };
        number += 1;
        let original = lines.next().expect("what was read is a line");
        // What JSON of ours cannot hold is put right, and comes back as that.
        let original = match (Value::parse(original), &line) {
            (Ok(original), _) => original,
            (Err(_), Line::Header(found)) => found.clone(),
            (Err(_), Line::Message(_)) => continue,
        };
        // Members whose keys are numbers come first, as JavaScript writes them.
        assert_eq!(original, written, "{}\n{}", original.to_json(), written.to_json());
    }
}

/// A message as it is stored and written again.
fn stored_and_written(read: &ChatMessage) -> Value {
    assert!((1..=SYNC_SWIPES_MAX).contains(&read.swipes.len()) && read.active < read.swipes.len());
    let page = |(at, swipe): (usize, &ChatSwipe)| WrittenPage {
        text: swipe.text.clone(),
        role: Some(read.role.to_owned()),
        name: read.name.clone(),
        is_active: at == read.active,
        extra: Some(Value::from(&swipe.rest)),
        created_at: 0,
        variables: None,
    };
    let pages: Vec<WrittenPage> = read.swipes.iter().enumerate().map(page).collect();
    let metadata = Value::from(&read.rest);
    message(&WrittenMessage { metadata: Some(&metadata), pages: &pages, default_name: "nobody" })
}

/// A card, as JSON or as a picture: it is the same inside of a picture, and what is written of it is read the same.
pub fn card_file(bytes: &[u8]) {
    if let Ok(without) = png::without_card(bytes) {
        let with = png::with_card(&without, &[("ccv3", "eA=="), ("chara", "eQ==")]).expect("a picture stays one");
        assert_eq!(png::card_text(&with), Ok(&b"eA=="[..]));
        assert_eq!(png::without_card(&with), Ok(without));
    }
    let card = read_card_file(bytes, None);
    if !is_png(bytes) {
        let picture = png::with_card(&png::blank(), &[("chara", &encode_base64(bytes))]).expect("a dot has room");
        let inside = read_card_file(&picture, None);
        assert_eq!(inside.map(|card| (card.fields, card.json)), card.clone().map(|card| (card.fields, card.json)));
    }
    let Ok(card) = card else { return };
    assert!(!card.fields.name.trim().is_empty() && card.fields.greetings.len() <= GREETINGS_MAX);
    let (second, third) = write_card(Some(&card.json), &card.fields);
    for written in [&second, &third] {
        let again = read_card_file(written.to_json().as_bytes(), None).expect("a written card can be read");
        assert_eq!(again.fields, card.fields, "{}", written.to_json());
    }
    assert_eq!(write_card(Some(&second.to_text()), &card.fields).0, second, "written twice");
}
