//! The five scopes of a variable, and how a branch is written as a `scope_id`.
//!
//! ```text
//! scope_id of a branch = "branch:" encode(session_id) ":" encode(branch_id)
//! encode               = what JavaScript's encodeURIComponent does, UTF-8 in percent escapes
//! ```

/// The `scope_id` of everything global.
pub const GLOBAL_SCOPE_ID: &str = "global";

crate::stored_enum! {
    /// Where a variable lives. Later ones win when a key is resolved.
    #[derive(PartialOrd, Ord)]
    Scope {
        /// The whole account.
        Global = "global",
        /// One session.
        Chat = "chat",
        /// One branch of a session.
        Branch = "branch",
        /// One floor.
        Floor = "floor",
        /// One page.
        Page = "page",
    }
}

/// Writes a branch as a `scope_id`.
pub fn encode_branch(session_id: &str, branch_id: &str) -> String {
    let mut out = String::from("branch:");
    percent_encode(&mut out, session_id);
    out.push(':');
    percent_encode(&mut out, branch_id);
    out
}

/// Reads a branch's `scope_id` back into session and branch.
pub fn decode_branch(scope_id: &str) -> Option<(String, String)> {
    let (session, branch) = scope_id.strip_prefix("branch:")?.split_once(':')?;
    let pair = (percent_decode(session)?, percent_decode(branch)?);
    (!pair.0.is_empty() && !pair.1.is_empty()).then_some(pair)
}

fn percent_encode(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

fn percent_decode(text: &str) -> Option<String> {
    // A bare `:` would let two spellings name one branch.
    if text.contains(':') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
