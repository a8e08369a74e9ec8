//! The checksum at the end of each page of a database file.
//!
//! ```text
//! | content, as SQLite knows it | CRC-32 of the page's number and content | MARKER |
//!   page size - 8 bytes           4 bytes, little-endian                    4 bytes
//! ```
//!
//! SQLite leaves the last bytes of a page alone if the head of the file says so (byte 20), so other programs read such a file as
//! any other. The number is part of the sum: a page in another page's place is noticed. `page_vfs.rs` writes and compares the sums;
//! `docs/design/0013-page-checksums.md` says why they are here.

/// Bytes that a page keeps for its checksum.
pub const RESERVED: usize = 8;
/// The head of a file, which says how large pages are and how many bytes they keep.
pub const HEAD: usize = 100;
/// SQLite locks bytes of the page at this place instead of storing anything in it.
const LOCK_BYTE: u64 = 0x4000_0000;

const MAGIC: &[u8] = b"SQLite format 3\0";
/// No UTF-8, so no text of a schema ends with it: page 1 shows by it that the file has checksums, even if its head is damaged.
const MARKER: [u8; 4] = [0xd7, b'T', 0xc5, 0x0b];

/// What the head of a file says about its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Invariant: a power of two, at least 512.
    pub page_size: usize,
    /// Bytes at the end of each page that are not SQLite's.
    pub reserved: u8,
}

impl Layout {
    /// Reads the head of a file; none if it is the head of nothing that SQLite reads.
    pub fn read(head: &[u8]) -> Option<Layout> {
        if !head.starts_with(MAGIC) {
            return None;
        }
        let (size, reserved) = (u16::from_be_bytes([*head.get(16)?, *head.get(17)?]), *head.get(20)?);
        // The largest size does not fit into two bytes.
        let page_size = if size == 1 { 65_536 } else { usize::from(size) };
        is_page_size(page_size).then_some(Layout { page_size, reserved })
    }

    /// Of a file.
    pub fn of_file(file: &std::fs::File) -> std::io::Result<Option<Layout>> {
        use std::os::unix::fs::FileExt as _;
        let mut head = [0; HEAD];
        match file.read_exact_at(&mut head, 0) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            read => read.map(|()| Layout::read(&head)),
        }
    }

    pub fn has_checksums(self) -> bool {
        usize::from(self.reserved) == RESERVED
    }

    /// The page that is never stored, in files that are so large.
    pub fn lock_page(self) -> u32 {
        number_at(LOCK_BYTE, self.page_size).unwrap_or(0)
    }
}

pub fn is_page_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && (512..=65_536).contains(&bytes)
}

/// The number of the page that begins at this place of the file; none if none does.
pub fn number_at(offset: u64, page_size: usize) -> Option<u32> {
    let size = page_size as u64;
    (offset.is_multiple_of(size)).then_some(())?;
    u32::try_from(offset / size + 1).ok()
}

/// Gives a page its checksum.
pub fn stamp(page: &mut [u8], number: u32) {
    if let Some((content, end)) = page.split_last_chunk_mut::<RESERVED>() {
        *end = trailer(content, number);
    }
}

/// Whether a page is what was stored.
pub fn is_intact(page: &[u8], number: u32) -> bool {
    page.split_last_chunk::<RESERVED>().is_some_and(|(content, end)| *end == trailer(content, number))
}

/// Whether a page ends as those with a checksum do.
pub fn is_marked(page: &[u8]) -> bool {
    page.ends_with(&MARKER)
}

fn trailer(content: &[u8], number: u32) -> [u8; RESERVED] {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&number.to_le_bytes());
    sum.update(content);
    let [a, b, c, d] = sum.finalize().to_le_bytes();
    let [e, f, g, h] = MARKER;
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_page_is_noticed_and_so_is_another_place() {
        let mut page: Vec<u8> = (0..1024_u32).map(|byte| (byte * 7 % 251) as u8).collect();
        stamp(&mut page, 3);
        assert!(is_intact(&page, 3) && is_marked(&page));
        assert!(!is_intact(&page, 4), "the page of another place");
        for bit in 0..page.len() * 8 {
            page[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_intact(&page, 3), "bit {bit}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(!is_intact(&[0; 1024], 3) && !is_intact(&[], 1));
    }

    #[test]
    fn a_head_names_the_layout() {
        let mut head = [0_u8; HEAD];
        assert_eq!(Layout::read(&head), None);
        head[..16].copy_from_slice(MAGIC);
        assert_eq!(Layout::read(&head), None, "no page has no bytes");
        for (bytes, page_size) in [([0x10, 0], 4096), ([0, 1], 65_536), ([2, 0], 512)] {
            head[16..18].copy_from_slice(&bytes);
            head[20] = 8;
            let layout = Layout::read(&head).unwrap();
            assert_eq!(layout, Layout { page_size, reserved: 8 });
            assert!(layout.has_checksums());
        }
        head[16..18].copy_from_slice(&[0x10, 1]);
        assert_eq!(Layout::read(&head), None, "no power of two");
    }

    #[test]
    fn places_of_the_file_have_page_numbers() {
        assert_eq!([0, 4096, 8192, 4000].map(|at| number_at(at, 4096)), [Some(1), Some(2), Some(3), None]);
        assert_eq!(Layout { page_size: 4096, reserved: 8 }.lock_page(), 262_145);
    }
}
