//! Base64 as cards use it: the usual alphabet, with padding.

use std::fmt;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text is not Base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotBase64 {
    /// The first byte that does not belong there.
    pub offset: usize,
}

impl fmt::Display for NotBase64 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not Base64 at byte {}", self.offset)
    }
}

impl std::error::Error for NotBase64 {}

/// Bytes as Base64.
///
/// ```
/// use tavernkeep_engine::sillytavern::{decode_base64, encode_base64};
///
/// assert_eq!(encode_base64("雪!".as_bytes()), "6ZuqIQ==");
/// assert_eq!(decode_base64(b"6Zuq\nIQ=").unwrap(), "雪!".as_bytes());
/// assert_eq!(decode_base64(b"6Z?q").unwrap_err().offset, 2);
/// ```
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = ALPHABET[(group >> (18 - 6 * at) & 63) as usize];
            out.push(if at > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

/// The bytes of Base64. White space, which some programs put in, is passed over, and padding may be missing.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, NotBase64> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut digits, mut ended) = (0_u32, 0, false);
    for (offset, &byte) in text.iter().enumerate() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                ended = true;
                continue;
            }
            _ if byte.is_ascii_whitespace() => continue,
            _ => return Err(NotBase64 { offset }),
        };
        if ended {
            return Err(NotBase64 { offset });
        }
        group = group << 6 | u32::from(digit);
        digits += 1;
        if digits == 4 {
            out.extend_from_slice(&group.to_be_bytes()[1..]);
            (group, digits) = (0, 0);
        }
    }
    match digits {
        0 => {}
        2 => out.push((group >> 4) as u8),
        3 => out.extend_from_slice(&(group >> 2).to_be_bytes()[2..]),
        _ => return Err(NotBase64 { offset: text.len() }),
    }
    Ok(out)
}
