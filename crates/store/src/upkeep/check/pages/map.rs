//! What a page of a SQLite file belongs to, by the map of pages that a file has whose free pages can be given back. The page
//! itself is not read: it is damaged.
//!
//! Page 2 begins the map: five bytes for each of the pages behind it, a kind and the page that leads there. Behind the pages that it
//! speaks of comes the next part of the map.

use crate::db::sqlite::pages::{self, Layout};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

const ENTRY: u32 = 5;
const ROOT: u8 = 1;
const FREE: u8 = 2;
/// Where page 1 names the first page of the list of free pages, and the largest page that begins a table: zero in a file without a map.
const FIRST_FREE: usize = 32;
const LARGEST_ROOT: usize = 52;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Schema,
    Map,
    /// Nothing is stored in it.
    Free,
    /// It names free pages.
    FreeList,
    /// It belongs to the table or index that begins at this page.
    Tree(u32),
    Unknown,
}

pub(super) struct PageMap<'a> {
    file: &'a File,
    layout: Layout,
    /// Whether the file has a map, and the pages that list free ones, up to the first damaged one.
    free_list: Option<BTreeSet<u32>>,
    /// The part of the map that was read last, and its number.
    part: (u32, Option<Vec<u8>>),
}

impl<'a> PageMap<'a> {
    pub fn new(file: &'a File, layout: Layout) -> Self {
        let mut map = PageMap { file, layout, free_list: None, part: (0, None) };
        map.free_list = map.read_free_list();
        map
    }

    pub fn owner(&mut self, number: u32) -> Owner {
        if number == 1 {
            return Owner::Schema;
        }
        let Some(free_list) = &self.free_list else { return Owner::Unknown };
        if free_list.contains(&number) {
            return Owner::FreeList;
        }
        if self.part_of(number) == number {
            return Owner::Map;
        }
        let mut at = number;
        let mut visited = BTreeSet::new();
        while visited.insert(at) {
            match self.entry(at) {
                Some((ROOT, _)) => return Owner::Tree(at),
                Some((FREE, _)) if at == number => return Owner::Free,
                Some((3..=5, leader)) if leader > 1 => at = leader,
                Some((3..=5, 1)) => return Owner::Schema,
                _ => return Owner::Unknown,
            }
        }
        Owner::Unknown
    }

    fn usable(&self) -> u32 {
        u32::try_from(self.layout.page_size).unwrap_or(0).saturating_sub(u32::from(self.layout.reserved))
    }

    /// The page with the part of the map that speaks of a page.
    fn part_of(&self, number: u32) -> u32 {
        let pages = self.usable() / ENTRY + 1;
        let part = number.saturating_sub(2) / pages * pages + 2;
        if part == self.layout.lock_page() { part + 1 } else { part }
    }

    /// The kind of a page and the page that leads to it.
    fn entry(&mut self, number: u32) -> Option<(u8, u32)> {
        let part = self.part_of(number);
        if self.part.0 != part {
            self.part = (part, self.intact_page(part));
        }
        let at = usize::try_from(number.checked_sub(part + 1)?.checked_mul(ENTRY)?).ok()?;
        let bytes = self.part.1.as_ref()?.get(at..at + ENTRY as usize)?;
        Some((bytes[0], four_bytes(bytes, 1)?))
    }

    /// A file whose list cannot be read to its end has another damaged page, which is named.
    fn read_free_list(&self) -> Option<BTreeSet<u32>> {
        let head = self.intact_page(1)?;
        if four_bytes(&head, LARGEST_ROOT)? == 0 {
            return None;
        }
        let mut list = BTreeSet::new();
        let mut next = four_bytes(&head, FIRST_FREE)?;
        while next != 0 && list.insert(next) {
            next = self.intact_page(next).and_then(|page| four_bytes(&page, 0)).unwrap_or(0);
        }
        Some(list)
    }

    fn intact_page(&self, number: u32) -> Option<Vec<u8>> {
        let mut page = vec![0; self.layout.page_size];
        let offset = u64::from(number.checked_sub(1)?) * self.layout.page_size as u64;
        self.file.read_exact_at(&mut page, offset).ok()?;
        pages::is_intact(&page, number).then_some(page)
    }
}

fn four_bytes(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
