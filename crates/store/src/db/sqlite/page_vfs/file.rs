//! What is known about the pages of one open database file, and what that means for its reads and writes.

use super::super::pages::{self, Layout};
use super::shared::SharedFile;
use std::ffi::c_int;
use std::sync::Arc;

/// An open database file.
#[derive(Default)]
pub(super) struct PagedFile {
    pages: Pages,
    /// One page: a part of it is wanted, or it is written with its checksum.
    buffer: Vec<u8>,
    pub shared: Arc<SharedFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Pages {
    /// The head was not seen yet.
    #[default]
    Unknown,
    /// There is no head yet, and pages of this size got checksums. The head has to agree with that when it is written.
    New {
        page_size: usize,
    },
    /// An older file: its pages have no checksums.
    Plain,
    Stamped {
        page_size: usize,
    },
}

impl From<Layout> for Pages {
    fn from(layout: Layout) -> Self {
        if layout.has_checksums() { Pages::Stamped { page_size: layout.page_size } } else { Pages::Plain }
    }
}

/// What a read has to do besides reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nothing is compared, or there is nothing to compare with.
    AsItIs,
    /// A whole page, which is compared.
    Page(u32),
    /// A part of a page: the whole page is read and compared.
    PartOf { number: u32, page_size: usize },
}

impl PagedFile {
    pub fn new(shared: Arc<SharedFile>) -> PagedFile {
        PagedFile { shared, ..PagedFile::default() }
    }

    /// What reading so many bytes there means.
    pub fn reading(&self, offset: u64, len: usize) -> Reading {
        let Pages::Stamped { page_size } = self.pages else { return Reading::AsItIs };
        match pages::number_at(offset, page_size) {
            Some(number) if len == page_size => Reading::Page(number),
            // SQLite reads parts of page 1 before it looks at the log, which may hold another page 1 than the file: after a power cut
            // that of the file may be torn.
            Some(number) if number > 1 && len < page_size => Reading::PartOf { number, page_size },
            _ => Reading::AsItIs,
        }
    }

    /// Room for a page.
    pub fn buffer(&mut self, page_size: usize) -> &mut [u8] {
        self.buffer.resize(page_size, 0);
        &mut self.buffer
    }

    /// Learns from bytes at the beginning of the file that were read. False if they are page 1, and damaged.
    pub fn learn_from_read(&mut self, bytes: &[u8]) -> bool {
        let layout = Layout::read(bytes);
        if layout.is_none_or(|layout| !layout.has_checksums())
            && pages::is_page_size(bytes.len())
            && pages::is_marked(bytes)
        {
            return false;
        }
        if let Some(layout) = layout {
            self.pages = layout.into();
        }
        match self.reading(0, bytes.len()) {
            Reading::Page(number) => pages::is_intact(bytes, number),
            _ => true,
        }
    }

    /// What is to be written instead of these bytes; none if they are written as they are.
    ///
    /// `read_head` gives the first bytes of the file, as far as there are any, or the code of the error that prevented it.
    pub fn writing(
        &mut self,
        offset: u64,
        bytes: &[u8],
        read_head: impl FnOnce() -> Result<[u8; pages::HEAD], c_int>,
    ) -> Result<Option<&[u8]>, Refused> {
        self.prepare(offset, bytes, read_head)?;
        let (Pages::Stamped { page_size } | Pages::New { page_size }) = self.pages else { return Ok(None) };
        let Some(number) = pages::number_at(offset, page_size).filter(|_| bytes.len() == page_size) else {
            return Ok(None);
        };
        self.buffer.clear();
        self.buffer.extend_from_slice(bytes);
        pages::stamp(&mut self.buffer, number);
        Ok(Some(&self.buffer))
    }

    fn prepare(
        &mut self,
        offset: u64,
        bytes: &[u8],
        read_head: impl FnOnce() -> Result<[u8; pages::HEAD], c_int>,
    ) -> Result<(), Refused> {
        if offset == 0 && bytes.len() >= pages::HEAD {
            let written = Layout::read(bytes).map_or(Pages::Plain, Pages::from);
            if let Pages::New { page_size } = self.pages
                && written != (Pages::Stamped { page_size })
            {
                return Err(Refused::HeadDiffers);
            }
            self.pages = written;
        } else if matches!(self.pages, Pages::Unknown | Pages::Plain) {
            // Another connection may have written the head, or given the file its checksums.
            self.pages = match Layout::read(&read_head().map_err(Refused::Unreadable)?) {
                Some(layout) => layout.into(),
                // Its pages keep no bytes, whatever its head is now: a checksum would overwrite what is stored.
                None if self.pages == Pages::Plain => Pages::Plain,
                // Whatever this program creates has checksums; a large file gets its head last.
                None if pages::is_page_size(bytes.len()) => Pages::New { page_size: bytes.len() },
                None => Pages::Unknown,
            };
        }
        Ok(())
    }
}

/// Why a page is not written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The head keeps no bytes for the checksums that the file's pages got. That is a defect of this program.
    HeadDiffers,
    /// The head of the file cannot be read, with the code that says why: it is not known whether pages have checksums.
    Unreadable(c_int),
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 512;

    fn page_one(reserved: u8) -> Vec<u8> {
        let mut page = vec![0; SIZE];
        page[..16].copy_from_slice(b"SQLite format 3\0");
        page[16..18].copy_from_slice(&[2, 0]);
        page[20] = reserved;
        page
    }

    fn head_of(page: &[u8]) -> [u8; pages::HEAD] {
        page[..pages::HEAD].try_into().unwrap()
    }

    #[test]
    fn pages_of_a_new_file_get_checksums_before_its_head_is_there() {
        let mut file = PagedFile::default();
        let written = file.writing(SIZE as u64 * 4, &[7; SIZE], || Ok([0; pages::HEAD])).unwrap().unwrap().to_vec();
        assert!(pages::is_intact(&written, 5));
        let head = file.writing(0, &page_one(8), || unreachable!("this is the head")).unwrap().unwrap().to_vec();
        assert!(file.learn_from_read(&head));
        assert_eq!(file.reading(SIZE as u64, SIZE), Reading::Page(2));
        assert_eq!(file.reading(SIZE as u64, 20), Reading::PartOf { number: 2, page_size: SIZE });
        assert_eq!(file.reading(24, 16), Reading::AsItIs);
    }

    #[test]
    fn a_head_that_keeps_no_bytes_is_refused_behind_pages_that_lost_theirs() {
        let mut file = PagedFile::default();
        file.writing(SIZE as u64, &[7; SIZE], || Ok([0; pages::HEAD])).unwrap();
        assert_eq!(file.writing(0, &page_one(0), || unreachable!("this is the head")), Err(Refused::HeadDiffers));
    }

    #[test]
    fn an_older_file_stays_as_it_is_until_it_keeps_bytes() {
        let mut file = PagedFile::default();
        assert!(file.learn_from_read(&page_one(0)));
        assert_eq!(file.reading(SIZE as u64, SIZE), Reading::AsItIs);
        assert_eq!(file.writing(SIZE as u64, &[7; SIZE], || Ok(head_of(&page_one(0)))), Ok(None));
        // Nothing that stands at the head instead makes it a new file.
        assert_eq!(file.writing(SIZE as u64, &[7; SIZE], || Ok([0; pages::HEAD])), Ok(None));
        assert_eq!(file.writing(SIZE as u64, &[7; SIZE], || Err(10)), Err(Refused::Unreadable(10)));
        // Another connection gave it checksums.
        assert!(file.writing(SIZE as u64, &[7; SIZE], || Ok(head_of(&page_one(8)))).unwrap().is_some());
    }

    #[test]
    fn a_damaged_head_is_noticed_by_the_end_of_its_page() {
        let mut page = page_one(8);
        pages::stamp(&mut page, 1);
        for damage in [0_usize, 20, 21, 300] {
            let mut damaged = page.clone();
            damaged[damage] ^= 8;
            assert!(!PagedFile::default().learn_from_read(&damaged), "byte {damage}");
        }
        assert!(PagedFile::default().learn_from_read(&page));
    }
}
