//! SillyTavern's files: every chat and card below `cases/sillytavern` is read as its `.txt` says, and comes back as it was.
//!
//! `UPDATE_CASES=1` rewrites what is expected; the difference is read like code.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tavernkeep_engine::document::Value;
use tavernkeep_engine::limits::{CHAT_FILE_BYTES_MAX, PNG_CHUNKS_MAX, SYNC_FLOORS_MAX, SYNC_SWIPES_MAX};
use tavernkeep_engine::sillytavern::png::{self, PngError};
use tavernkeep_engine::sillytavern::{
    Card, CardError, ChatErrorKind, ChatMessage, ChatReader, Line, StoredVariables, WrittenMessage, WrittenPage,
    encode_base64, header, message, read_card, read_card_file, write_card,
};
use tavernkeep_engine::time::format_iso;

fn files(kind: &str, ending: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/sillytavern").join(kind);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

/// Compares with the file beside, or writes it.
fn expect(path: &Path, found: &str) -> Option<String> {
    let beside = path.with_extension("txt");
    if std::env::var_os("UPDATE_CASES").is_some_and(|wanted| wanted == "1") {
        std::fs::write(beside, found).unwrap();
        return None;
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_default();
    (expected != found).then(|| format!("{}\nexpected:\n{expected}\nfound:\n{found}", path.display()))
}

struct Read {
    header: Option<Value>,
    messages: Vec<ChatMessage>,
    remarks: Vec<String>,
}

fn read_chat(file: &[u8]) -> Result<Read, String> {
    let mut reader = ChatReader::new(file).map_err(|error| error.to_string())?;
    let (mut header, mut messages) = (None, Vec::new());
    while let Some(line) = reader.next_line().map_err(|error| error.to_string())? {
        match line {
            Line::Header(found) => header = Some(found),
            Line::Message(found) => messages.push(*found),
        }
    }
    Ok(Read { header, messages, remarks: reader.remarks() })
}

fn shown(read: &Result<Read, String>) -> String {
    let read = match read {
        Ok(read) => read,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut out = String::new();
    if let Some(header) = &read.header {
        let keys: Vec<&str> = header.as_object().unwrap().iter().map(|(key, _)| key.as_ref()).collect();
        writeln!(out, "header: {}", keys.join(", ")).unwrap();
    }
    for message in &read.messages {
        let hidden = if message.hidden { ", hidden" } else { "" };
        let name = message.name.as_deref().map_or_else(|| "nobody".to_owned(), |name| format!("{name:?}"));
        writeln!(out, "{} {name}{hidden}", message.role).unwrap();
        for (at, swipe) in message.swipes.iter().enumerate() {
            let mark = if at == message.active { '*' } else { ' ' };
            let sent = swipe.sent_at.map(format_iso).unwrap_or_default();
            let extra = Value::from(&swipe.rest);
            let state = StoredVariables::of_extra(&extra).map_or_else(String::new, |stored| {
                let zod = if stored.is_zod() { " (zod)" } else { "" };
                format!(" state {}{zod}", stored.stat_data.to_json())
            });
            assert_eq!(swipe.has_state, !state.is_empty());
            writeln!(out, " {mark} {sent} {:?}{state}", swipe.text).unwrap();
        }
    }
    read.remarks.iter().for_each(|remark| writeln!(out, "remark: {remark}").unwrap());
    out
}

/// A message as it is stored and written again.
fn stored_and_written(read: &ChatMessage) -> Value {
    let page = |(at, swipe): (usize, &tavernkeep_engine::sillytavern::ChatSwipe)| WrittenPage {
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

#[test]
fn every_chat_is_read_as_it_says_and_comes_back() {
    let files = files("chats", "jsonl");
    assert!(files.len() >= 40, "{}", files.len());
    let mut failures = Vec::new();
    for path in files {
        let file = std::fs::read(&path).unwrap();
        let read = read_chat(&file);
        failures.extend(expect(&path, &shown(&read)));
        let Ok(read) = read else { continue };
        let text = String::from_utf8(file).unwrap();
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
        let first = read.header.iter().map(|found| header(Some(found)));
        let written: Vec<Value> = first.chain(read.messages.iter().map(stored_and_written)).collect();
        for (at, (line, written)) in lines.zip(&written).enumerate() {
            // What JSON of ours cannot hold was put right, and a remark says so.
            let Ok(line) = Value::parse(line) else { continue };
            if !line.same_in_order(written) {
                failures.push(format!(
                    "{} line {}:\n{}\n{}",
                    path.display(),
                    at + 1,
                    line.to_json(),
                    written.to_json()
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn card_shown(card: &Result<Card, CardError>) -> String {
    let Card { fields, world, remarks, .. } = match card {
        Ok(card) => card,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut out = format!("name: {:?}\nenabled: {}\n", fields.name, fields.enabled);
    fields.greetings.iter().for_each(|greeting| writeln!(out, "greeting: {greeting:?}").unwrap());
    for (what, value) in [("template", &fields.template), ("profile", &fields.profile)] {
        value.iter().for_each(|value| writeln!(out, "{what}: {}", value.to_json()).unwrap());
    }
    for function in &fields.functions {
        writeln!(out, "function: {}", function.written().to_json()).unwrap();
    }
    world.iter().for_each(|world| writeln!(out, "world: {world}").unwrap());
    remarks.iter().for_each(|remark| writeln!(out, "remark: {remark}").unwrap());
    out
}

#[test]
fn every_card_is_read_as_it_says_and_comes_back() {
    let mut failures = Vec::new();
    for path in files("cards", "json") {
        let file = std::fs::read(&path).unwrap();
        let card = read_card_file(&file, None);
        failures.extend(expect(&path, &card_shown(&card)));
        // The same inside of a picture.
        let text = encode_base64(&file);
        let picture = png::with_card(&png::blank(), &[("chara", &text)]).unwrap();
        let inside = read_card_file(&picture, None);
        assert_eq!(card_shown(&inside), card_shown(&card), "{}", path.display());
        let Ok(card) = card else { continue };
        let (second, third) = write_card(Some(&card.json), &card.fields);
        for written in [&second, &third] {
            let again = read_card(written.to_json().as_bytes(), None).unwrap();
            assert_eq!(again.fields, card.fields, "{}", path.display());
            lost(&Value::from(&card.json), written, &path.display().to_string(), &mut failures);
        }
        let written = write_card(Some(&second.to_text()), &card.fields);
        assert_eq!(written.0, second, "{}: written twice", path.display());
        assert_eq!(
            (second.get("spec_version").unwrap(), third.get("spec_version").unwrap()),
            (&"2.0".into(), &"3.0".into())
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Reports what a card had and has not any more.
fn lost(before: &Value, after: &Value, place: &str, failures: &mut Vec<String>) {
    match (before.as_object(), after.as_object()) {
        (Some(before), Some(after)) => {
            for (key, value) in before.iter().filter(|(key, _)| !key.starts_with("spec")) {
                match after.get(key) {
                    Some(after) => lost(value, after, &format!("{place}/{key}"), failures),
                    None => failures.push(format!("{place}/{key} is gone")),
                }
            }
        }
        _ if before != after => failures.push(format!("{place} was {} and is {}", before.to_json(), after.to_json())),
        _ => {}
    }
}

#[test]
fn a_card_follows_its_character() {
    let file =
        std::fs::read(files("cards", "json").into_iter().find(|path| path.ends_with("initvar-json.json")).unwrap());
    let card = read_card(&file.unwrap(), None).unwrap();
    let mut fields = card.fields.clone();
    fields.name = "Ren".to_owned();
    fields.greetings = vec!["New.".to_owned(), "Other.".to_owned()];
    fields.template = Some(Value::parse(r#"{"hp":11}"#).unwrap());
    fields.enabled = false;
    let (second, _) = write_card(Some(&card.json), &fields);
    let again = read_card(second.to_json().as_bytes(), None).unwrap();
    assert_eq!(again.fields, fields, "the profile too, which the world book no longer says");
    assert_eq!(second.get("name"), Some(&Value::from("Ren")), "version 1 says the same");
    let none = write_card(None, &fields).0;
    assert_eq!(read_card(none.to_json().as_bytes(), None).unwrap().fields, fields);
}

#[test]
fn a_message_follows_its_pages() {
    let line = r#"{"name":"Yuki","is_user":false,"send_date":"2025-01-01T00:00:00.000Z","mes":"A","extra":{"x":1},"swipe_id":0,"swipes":["A {{user}}","B"],"swipe_info":[{"send_date":"2025-01-01T00:00:00.000Z","extra":{"x":1}},{"send_date":"2025-01-02T00:00:00.000Z","extra":{"x":2}}],"variables":[{"stat_data":{"hp":1},"schema":{}}]}"#;
    let read = ChatMessage::read(&Value::parse(line).unwrap()).unwrap();
    let page = |at: usize, text: &str, is_active: bool| WrittenPage {
        text: text.to_owned(),
        role: Some("assistant".to_owned()),
        name: Some("Yuki".to_owned()),
        is_active,
        extra: read.swipes.get(at).map(|swipe| Value::from(&swipe.rest)),
        ..WrittenPage::default()
    };
    let metadata = Value::from(&read.rest);
    let written =
        |pages: &[WrittenPage]| message(&WrittenMessage { metadata: Some(&metadata), pages, default_name: "x" });
    // The other swipe is chosen: the message repeats what is known of that one.
    let chosen = written(&[page(0, "A", false), page(1, "B", true)]);
    assert_eq!(chosen.get("mes"), Some(&"B".into()));
    assert_eq!(chosen.get("extra").unwrap().to_json(), r#"{"x":2}"#);
    assert_eq!(chosen.get("send_date"), Some(&"2025-01-02T00:00:00.000Z".into()));
    assert_eq!(chosen.get("swipes").unwrap().to_json(), r#"["A {{user}}","B"]"#);
    // A text that was edited is no longer what the macros led to.
    let edited = written(&[page(0, "A!", true), page(1, "B", false)]);
    assert_eq!(edited.get("swipes").unwrap().to_json(), r#"["A!","B"]"#);
    // A new swipe, and a state of ours.
    let mut new = page(2, "C", true);
    new.variables = Some(Value::parse(r#"{"stat_data":{"hp":3}}"#).unwrap());
    let grown = written(&[page(0, "A", false), page(1, "B", false), new]);
    assert_eq!(grown.get("swipe_id"), Some(&Value::from(2)));
    assert_eq!(
        grown.get("variables").unwrap().to_json(),
        r#"[{"stat_data":{"hp":1},"schema":{}},{},{"stat_data":{"hp":3}}]"#
    );
    assert_eq!(grown.get("swipe_info").unwrap().items().len(), 2, "SillyTavern adds what is missing");
    // One that SillyTavern never saw.
    for (role, back) in [("user", "user"), ("assistant", "assistant"), ("system", "system"), ("tool", "tool")] {
        let page = WrittenPage { text: "t".into(), role: Some(role.into()), is_active: true, ..WrittenPage::default() };
        let new = message(&WrittenMessage { metadata: None, pages: &[page], default_name: "Somebody" });
        let read = ChatMessage::read(&new).unwrap();
        assert_eq!((read.role, read.name.as_deref(), read.swipes.len()), (back, Some("Somebody"), 1));
    }
}

#[test]
fn a_message_with_more_swipes_than_a_floor_keeps_the_others() {
    let texts: Vec<String> = (0..SYNC_SWIPES_MAX + 40).map(|number| format!("\"{number}\"")).collect();
    for (id, first) in [(0, 0), (20, 20), (139, 40)] {
        let line =
            format!(r#"{{"name":"Y","is_user":false,"mes":"{id}","swipe_id":{id},"swipes":[{}]}}"#, texts.join(","));
        let value = Value::parse(&line).unwrap();
        let read = ChatMessage::read(&value).unwrap();
        assert_eq!((read.swipes.len(), read.active), (SYNC_SWIPES_MAX, id - first));
        assert_eq!(stored_and_written(&read), value);
    }
}

#[test]
fn long_chats_are_read_and_longer_ones_refused() {
    let line = |number: usize| format!("{{\"name\":\"A\",\"is_user\":true,\"mes\":\"{number}\"}}\n");
    let long: String = (0..10_000).map(line).collect();
    assert_eq!(read_chat(long.as_bytes()).unwrap().messages.len(), 10_000);
    let longer: String = (0..=SYNC_FLOORS_MAX).map(line).collect();
    assert!(read_chat(longer.as_bytes()).err().unwrap().contains("more than 20000 messages"));
    let huge = vec![b' '; CHAT_FILE_BYTES_MAX + 1];
    assert_eq!(ChatReader::new(&huge).unwrap_err().kind, ChatErrorKind::TooLarge);
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    // The checksum of chunks that hold no card is not looked at.
    [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], kind, data, &[0; 4]].concat()
}

fn picture(chunks: &[Vec<u8>]) -> Vec<u8> {
    let blank = png::blank();
    let (start, end) = blank.split_at(blank.len() - 12);
    [start, &chunks.concat(), end].concat()
}

#[test]
fn hostile_pictures_are_refused() {
    let text = encode_base64(br#"{"name":"A","first_mes":"hi"}"#);
    let good = png::with_card(&png::blank(), &[("chara", &text)]).unwrap();
    assert_eq!(read_card_file(&good, None).unwrap().image, Some(png::blank()));
    // Every place where a copy may have stopped, and every byte of the card's chunk that may be wrong.
    for end in 8..good.len() {
        assert!(matches!(read_card_file(&good[..end], None), Err(CardError::Png(PngError::Truncated))), "{end}");
    }
    let start = png::blank().len() - 12;
    for at in start + 8..good.len() - 12 {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        assert!(read_card_file(&bad, None).is_err(), "{at}");
    }
    let png = |file: &[u8]| match read_card_file(file, None) {
        Err(CardError::Png(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(png(&png::blank()), PngError::NoCard);
    // A compressed text is not inflated, whatever it would become.
    let bomb = [b"chara\0\0".to_vec(), vec![0x78, 0xda, 0xec, 0xc1], vec![0; 10_000]].concat();
    assert_eq!(png(&picture(&[chunk(b"zTXt", &bomb)])), PngError::Compressed("chara"));
    assert_eq!(png(&picture(&[chunk(b"iTXt", &bomb)])), PngError::Compressed("chara"));
    // A length that goes beyond the file, and one that overflows.
    for length in [1_000_000_u32, u32::MAX] {
        let bad = [&png::blank()[..start], &length.to_be_bytes(), b"tEXt"].concat();
        assert_eq!(png(&bad), PngError::Truncated);
    }
    let many = vec![chunk(b"tEXt", b"a\0"); PNG_CHUNKS_MAX];
    assert_eq!(png(&picture(&many)), PngError::TooManyChunks);
    // Version 3 wins wherever it stands, and writing leaves one of each.
    let (second, third) =
        (encode_base64(br#"{"name":"two","spec":"x"}"#), encode_base64(br#"{"name":"three","spec":"x"}"#));
    for order in [["chara", "ccv3"], ["ccv3", "chara"]] {
        let texts = order.map(|keyword| (keyword, if keyword == "ccv3" { third.as_str() } else { &second }));
        let both = png::with_card(&good, &texts).unwrap();
        assert_eq!(read_card_file(&both, None).unwrap().fields.name, "three");
        assert_eq!(png::without_card(&both).unwrap(), png::blank());
    }
    let broken = png::with_card(&png::blank(), &[("chara", "?")]).unwrap();
    assert_eq!(read_card_file(&broken, None).unwrap_err(), CardError::NotBase64);
}
