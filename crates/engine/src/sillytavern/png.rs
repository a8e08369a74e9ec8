//! PNG files as containers of cards: chunks are walked and never inflated, so nothing in a picture can grow.
//!
//! ```text
//! file  := signature chunk*                       the first chunk is IHDR, the last one that counts is IEND
//! chunk := length:u32 type:4 bytes:length crc:u32
//! card  := chunk of type tEXt: keyword NUL Base64(JSON), keyword "ccv3" or "chara"
//! ```

use crate::limits::PNG_CHUNKS_MAX;
use std::fmt;

const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// The keyword of a card of version 2, and that of version 3, which wins.
pub const KEYWORDS: [&str; 2] = ["chara", "ccv3"];

/// Why a file is no picture with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PngError {
    /// It does not begin as a PNG does.
    NotPng,
    /// It ends in the middle of a chunk, or before the last one.
    Truncated,
    /// It has more chunks than anybody needs.
    TooManyChunks,
    /// The chunk of the card does not have its checksum.
    Damaged(&'static str),
    /// The card stands in a compressed chunk, which SillyTavern does not read.
    Compressed(&'static str),
    /// There is no card in it.
    NoCard,
}

impl fmt::Display for PngError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PngError::NotPng => formatter.write_str("the file is not a PNG picture"),
            PngError::Truncated => formatter.write_str("the picture is truncated; copy the file again"),
            PngError::TooManyChunks => write!(formatter, "the picture has more than {PNG_CHUNKS_MAX} chunks"),
            PngError::Damaged(keyword) => {
                write!(formatter, "the chunk `{keyword}` of the picture is damaged: its checksum is wrong; copy the file again")
            }
            PngError::Compressed(keyword) => write!(
                formatter,
                "the card is in a compressed chunk `{keyword}`, which is not read; save the card in SillyTavern again"
            ),
            PngError::NoCard => formatter.write_str(
                "the picture has no character card (no tEXt chunk `ccv3` or `chara`); pictures that were edited or sent by a messenger lose it",
            ),
        }
    }
}

impl std::error::Error for PngError {}

/// Whether a file begins as a PNG does.
pub fn is_png(file: &[u8]) -> bool {
    file.starts_with(SIGNATURE)
}

struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
    /// All of it, with length and checksum.
    whole: &'a [u8],
}

impl<'a> Chunk<'a> {
    fn is_intact(&self) -> bool {
        let (body, crc) = self.whole[4..].split_at(4 + self.data.len());
        crc == crc32(body).to_be_bytes()
    }

    /// The keyword of a text, and the text.
    fn text(&self) -> Option<(&'a str, &'a [u8])> {
        let end = memchr::memchr(0, self.data)?;
        Some((std::str::from_utf8(&self.data[..end]).ok()?, &self.data[end + 1..]))
    }

    fn keyword(&self) -> Option<&'static str> {
        let (found, _) = self.text()?;
        KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(found))
    }
}

fn chunks(file: &[u8]) -> Result<Vec<Chunk<'_>>, PngError> {
    let mut rest = file.strip_prefix(SIGNATURE).ok_or(PngError::NotPng)?;
    let mut chunks = Vec::new();
    loop {
        let head = rest.first_chunk::<8>().ok_or(PngError::Truncated)?;
        let [l0, l1, l2, l3, kind @ ..] = *head;
        let length = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
        let whole = length.checked_add(12).and_then(|end| rest.get(..end)).ok_or(PngError::Truncated)?;
        chunks.push(Chunk { kind, data: &whole[8..8 + length], whole });
        if &kind == b"IEND" {
            return Ok(chunks);
        }
        if chunks.len() >= PNG_CHUNKS_MAX {
            return Err(PngError::TooManyChunks);
        }
        rest = &rest[whole.len()..];
    }
}

/// The Base64 text of the card in a picture: that of version 3, or that of version 2.
pub fn card_text(file: &[u8]) -> Result<&[u8], PngError> {
    let (mut found, mut compressed) = (None, None);
    for chunk in chunks(file)? {
        let Some(keyword) = chunk.keyword() else { continue };
        match &chunk.kind {
            b"tEXt" if found.as_ref().is_none_or(|(known, _)| *known != "ccv3") => found = Some((keyword, chunk)),
            b"zTXt" | b"iTXt" => compressed = Some(keyword),
            _ => {}
        }
    }
    let Some((keyword, chunk)) = found else { return Err(compressed.map_or(PngError::NoCard, PngError::Compressed)) };
    if !chunk.is_intact() {
        return Err(PngError::Damaged(keyword));
    }
    chunk.text().map(|(_, text)| text).ok_or(PngError::NoCard)
}

/// The picture without any card.
pub fn without_card(file: &[u8]) -> Result<Vec<u8>, PngError> {
    let chunks = chunks(file)?;
    let is_card = |chunk: &Chunk<'_>| chunk.keyword().is_some() && matches!(&chunk.kind, b"tEXt" | b"zTXt" | b"iTXt");
    let mut out = SIGNATURE.to_vec();
    chunks.iter().filter(|chunk| !is_card(chunk)).for_each(|chunk| out.extend_from_slice(chunk.whole));
    Ok(out)
}

/// The picture with these texts, each under its keyword, in front of its end. What it had under them is gone.
pub fn with_card(file: &[u8], texts: &[(&str, &str)]) -> Result<Vec<u8>, PngError> {
    let mut out = without_card(file)?;
    // The last chunk is IEND, which holds nothing.
    let end = out.split_off(out.len() - 12);
    for (keyword, text) in texts {
        let mut data = keyword.as_bytes().to_vec();
        data.push(0);
        data.extend_from_slice(text.as_bytes());
        write_chunk(&mut out, b"tEXt", &data);
    }
    out.extend_from_slice(&end);
    Ok(out)
}

/// A grey dot, for cards that never had a picture.
pub fn blank() -> Vec<u8> {
    let mut out = SIGNATURE.to_vec();
    // One by one pixel, eight bits of grey.
    write_chunk(&mut out, b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    // A stored block with the filter and the pixel, and its Adler-32.
    write_chunk(&mut out, b"IDAT", &[0x78, 0x01, 0x01, 0x02, 0x00, 0xfd, 0xff, 0x00, 0x80, 0x00, 0x82, 0x00, 0x81]);
    write_chunk(&mut out, b"IEND", &[]);
    out
}

fn write_chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    let start = out.len();
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    let crc = crc32(&out[start..]);
    out.extend_from_slice(&crc.to_be_bytes());
}

const CRC_TABLE: [u32; 256] = {
    let mut table = [0_u32; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| CRC_TABLE[((crc ^ u32::from(byte)) & 0xff) as usize] ^ (crc >> 8))
}
