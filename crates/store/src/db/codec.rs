//! How bodies are stored: one format byte, four bytes of checksum, then the bytes, compressed where that pays.
//!
//! The format byte is ours, so no value that a user stores can be taken for a marker. The checksum is the CRC-32 of the format
//! byte and of what follows the checksum: it notices every flipped bit and every burst of up to 32 bits for certain, and other
//! damage but for one case in four billion. Everything that decodes a body compares it first, so damage is an error and never a
//! value. It costs 5 to 10 ns for a small value and 0.4 µs for 20 kB, where reading a small row takes 600 ns.
//!
//! Programs before schema 14 wrote the formats 0 and 1, without a checksum. The migration gives every body one ([`seal`]), and a
//! format byte of theirs is damage after that: a zeroed disk block begins with one.

use crate::db::metering;
use crate::error::{StoreError, StoreResult};
use std::cell::RefCell;
use std::io;
use std::io::Read as _;
use tavernkeep_engine::json::JsonText;
use zstd::bulk::{Compressor, Decompressor};

// No flip of two bits makes one of these of another.
const PLAIN: u8 = 0xb4;
const ZSTD: u8 = 0x4b;
const OLD_PLAIN: u8 = 0;
const OLD_ZSTD: u8 = 1;

/// The format byte and the checksum.
const HEADER_BYTES: usize = 5;

/// Fast: a client waits while most of this is written.
const LEVEL: i32 = 1;

/// Below this size compression saves less than it costs.
const COMPRESS_FROM: usize = 1024;
/// What we ever store is far below this; a larger claim is damage, not data.
const DECODED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The same for repetitive texts that are compressed outside of the writer thread, one for every page.
const COMPRESS_CHANGES_FROM: usize = 256;

pub fn encode(text: &str) -> Vec<u8> {
    encode_from(COMPRESS_FROM, text.as_bytes())
}

pub fn encode_change(bytes: &[u8]) -> Vec<u8> {
    encode_from(COMPRESS_CHANGES_FROM, bytes)
}

/// Bytes that are no text, such as a picture.
pub fn encode_bytes(bytes: &[u8]) -> Vec<u8> {
    encode_from(COMPRESS_FROM, bytes)
}

/// For bytes whose parts are compressed already.
pub fn encode_plain(bytes: &[u8]) -> Vec<u8> {
    framed(PLAIN, bytes)
}

fn encode_from(from: usize, bytes: &[u8]) -> Vec<u8> {
    if bytes.len() >= from
        && let Some(compressed) = compressed(bytes)
        && compressed.len() < bytes.len()
    {
        return framed(ZSTD, &compressed);
    }
    framed(PLAIN, bytes)
}

thread_local! {
    // Making one of them costs more than what is done with it, and a state is read from dozens of small parts.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
}

/// Nothing if there is no memory for it: then it is stored as it is.
fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(bytes).ok())
}

fn decompressed(bytes: &[u8], size: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| match decompressor {
        Some(decompressor) => decompressor.decompress(bytes, size),
        None => Err(io::ErrorKind::OutOfMemory.into()),
    })
}

/// How long a text is, by the first 32 of its stored bytes and how many of them there are. The checksum is not compared.
pub fn length(start: &[u8], stored: usize) -> StoreResult<usize> {
    match parts(start)? {
        (PLAIN, _, _) => Ok(stored.saturating_sub(HEADER_BYTES)),
        (_, _, body) => Ok(frame_length(body)),
    }
}

fn frame_length(body: &[u8]) -> usize {
    let size = zstd::zstd_safe::get_frame_content_size(body).ok().flatten().unwrap_or(0);
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// The format, the checksum and the rest.
fn parts(bytes: &[u8]) -> StoreResult<(u8, u32, &[u8])> {
    let corrupt = |what: String| Err(StoreError::Corrupt(what));
    let Some((&format, rest)) = bytes.split_first() else { return corrupt("a body is empty".into()) };
    match (format, rest.split_first_chunk()) {
        (PLAIN | ZSTD, Some((checksum, body))) => Ok((format, u32::from_le_bytes(*checksum), body)),
        (PLAIN | ZSTD, None) => corrupt("a body has no checksum".into()),
        _ => corrupt(format!("a body has the unknown format {format}")),
    }
}

/// The format and the rest of bytes whose checksum is right.
fn verified(bytes: &[u8]) -> StoreResult<(u8, &[u8])> {
    let (format, stored, body) = parts(bytes)?;
    match checksum(format, body) == stored {
        true => Ok((format, body)),
        false => Err(StoreError::Corrupt("a body is not what was stored: its checksum differs".into())),
    }
}

/// Says whether a body is what was stored.
pub fn verify(bytes: &[u8]) -> StoreResult<()> {
    verified(bytes).map(drop)
}

fn checksum(format: u8, body: &[u8]) -> u32 {
    // The format is where it starts from: that costs nothing, and another format gives another checksum.
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::from(format));
    hasher.update(body);
    hasher.finalize()
}

/// A body of an older program with a checksum; one that has a checksum stays as it is. Anything else cannot be distinguished from damage.
pub fn seal(bytes: &[u8]) -> Vec<u8> {
    match bytes.split_first() {
        Some((&OLD_PLAIN, body)) => framed(PLAIN, body),
        Some((&OLD_ZSTD, body)) => framed(ZSTD, body),
        _ => bytes.to_vec(),
    }
}

pub fn decode(bytes: &[u8]) -> StoreResult<String> {
    with_text(bytes, str::to_owned)
}

/// The beginning of stored text, so many bytes or all there are, and whether that is all.
pub fn decode_start(bytes: &[u8], wanted: usize) -> StoreResult<(String, bool)> {
    let (ZSTD, body) = verified(bytes)? else {
        return with_text(bytes, |text| {
            let end = text.floor_char_boundary(wanted);
            (text[..end].to_owned(), end == text.len())
        });
    };
    metering::count(wanted.min(frame_length(body)))?;
    let broken = |error: io::Error| StoreError::Corrupt(format!("a body cannot be decompressed: {error}"));
    let mut start = Vec::new();
    let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
    zstd::stream::read::Decoder::with_buffer(body)
        .map_err(broken)?
        .take(limit)
        .read_to_end(&mut start)
        .map_err(broken)?;
    // What is cut may end within a character.
    let end = match std::str::from_utf8(&start) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return Err(StoreError::Corrupt("a body is not UTF-8".into())),
    };
    let is_all = start.len() < wanted;
    start.truncate(end);
    let text = String::from_utf8(start).map_err(|_| StoreError::Corrupt("a body is not UTF-8".into()))?;
    Ok((text, is_all))
}

/// Stored bytes as the JSON they were made of.
pub fn decode_json(bytes: &[u8]) -> StoreResult<JsonText> {
    with_text(bytes, JsonText::from_stored)
}

/// Hands over stored text.
pub fn with_text<T>(bytes: &[u8], take: impl FnOnce(&str) -> T) -> StoreResult<T> {
    with_bytes(bytes, |bytes| as_text(bytes).map(take))?
}

/// Hands over stored text of which nothing is kept, so that it does not count as something that a read brings into memory.
pub fn with_passing_text<T>(bytes: &[u8], take: impl FnOnce(&str) -> T) -> StoreResult<T> {
    decoded(bytes, |_| Ok(()), |bytes| as_text(bytes).map(take))?
}

fn as_text(bytes: &[u8]) -> StoreResult<&str> {
    std::str::from_utf8(bytes).map_err(|_| StoreError::Corrupt("a body is not UTF-8".into()))
}

/// Hands over stored bytes as they were before they were encoded.
pub fn with_bytes<T>(bytes: &[u8], take: impl FnOnce(&[u8]) -> T) -> StoreResult<T> {
    decoded(bytes, metering::count, take)
}

/// Decodes a body after `count` was asked whether there is room for so many bytes.
fn decoded<T>(
    bytes: &[u8],
    count: impl FnOnce(usize) -> StoreResult<()>,
    take: impl FnOnce(&[u8]) -> T,
) -> StoreResult<T> {
    let whole;
    let decoded = match verified(bytes)? {
        (PLAIN, body) => {
            count(body.len())?;
            body
        }
        (_, body) => {
            let size = frame_length(body);
            if size > DECODED_BYTES_MAX {
                return Err(StoreError::Corrupt("a body claims an impossible size".into()));
            }
            count(size)?;
            whole = decompressed(body, size)
                .map_err(|error| StoreError::Corrupt(format!("a body cannot be decompressed: {error}")))?;
            whole.as_slice()
        }
    };
    Ok(take(decoded))
}

fn framed(format: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len() + HEADER_BYTES);
    bytes.push(format);
    bytes.extend_from_slice(&checksum(format, body).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "\0", "\u{1}", "short", &"long ".repeat(10_000), &"\u{0}\u{1}".repeat(2_000)] {
            assert_eq!(decode(&encode(text)).unwrap(), text);
            assert_eq!(decode(&encode_change(text.as_bytes())).unwrap(), text);
            let stored = encode(text);
            assert_eq!(length(&stored[..stored.len().min(32)], stored.len()).unwrap(), text.len());
        }
        assert!(encode(&"long ".repeat(10_000)).len() < 200);
    }

    #[test]
    fn a_text_is_read_from_its_beginning() {
        for text in ["", "short", "雪", &"雪 ".repeat(10_000), &"a".repeat(5000)] {
            for wanted in [0, 1, 2, 3, 4, 100, 5000, 100_000] {
                let (start, is_all) = decode_start(&encode(text), wanted).unwrap();
                assert_eq!(start, text[..text.floor_char_boundary(wanted)], "{wanted}");
                assert!(!is_all || start == text, "{wanted}");
                assert!(is_all || wanted <= text.len(), "{wanted}");
            }
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_an_error() {
        for text in ["", "1", "short", &"long ".repeat(1_000)] {
            let mut bytes = encode(text);
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(matches!(decode(&bytes), Err(StoreError::Corrupt(_))), "bit {bit} of {}", text.len());
                assert!(matches!(decode_start(&bytes, 100), Err(StoreError::Corrupt(_))), "bit {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            for end in 0..bytes.len() {
                assert!(matches!(decode(&bytes[..end]), Err(StoreError::Corrupt(_))), "{end} bytes");
            }
            assert!(decode(&bytes).is_ok(), "damage must not stay behind");
        }
        for bytes in [&[][..], &[9, 1], &[0; 100], &[1, 0, 0, 0, 0]] {
            assert!(matches!(decode(bytes), Err(StoreError::Corrupt(_))), "{bytes:?}");
        }
    }

    #[test]
    fn bodies_of_older_programs_get_a_checksum() {
        let compressed = [&[OLD_ZSTD][..], &zstd::bulk::compress(&[b'a'; 5000], LEVEL).unwrap()].concat();
        assert_eq!(decode(&seal(&compressed)).unwrap(), "a".repeat(5000));
        assert_eq!(decode(&seal(b"\0short")).unwrap(), "short");
        let sealed = encode("short");
        assert_eq!(seal(&sealed), sealed);
        assert!(decode(b"\0short").is_err(), "nothing is read without a checksum");
    }
}
