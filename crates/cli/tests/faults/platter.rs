//! What is left on a disk after a power cut: everything that was synced, and of the rest whatever the disk had got to.

use crate::disk::Event;
use crate::random::Random;
use std::collections::BTreeMap;

/// The size in which disks write; a cut can leave some sectors of a write and not the others.
const SECTOR: usize = 512;

/// Files by name, as they are after a cut.
pub type Image = BTreeMap<String, Vec<u8>>;

/// Which of the writes that nobody synced survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    None,
    All,
    /// Any of them, in any order, some only in part.
    Any,
    /// The first ones, the last of them torn.
    First,
}

impl Survivors {
    pub const ALL: [Survivors; 4] = [Survivors::None, Survivors::All, Survivors::Any, Survivors::First];
}

/// The files of a disk.
#[derive(Default)]
pub struct Platter {
    files: BTreeMap<String, File>,
}

#[derive(Default)]
struct File {
    /// The content that a cut cannot take away; nothing before the first sync and behind a deletion.
    durable: Option<Vec<u8>>,
    /// Whether the folder is sure to have the name.
    listed: bool,
    unsynced: Vec<Unsynced>,
}

#[derive(Clone)]
enum Unsynced {
    Write(usize, Vec<u8>),
    Truncate(usize),
    Delete,
}

impl Platter {
    /// Does what the event says.
    pub fn feed(&mut self, event: &Event) {
        match event {
            Event::Write { file, offset, bytes } => {
                self.file(file).unsynced.push(Unsynced::Write(index(*offset), bytes.clone()));
            }
            Event::Truncate { file, len } => self.file(file).unsynced.push(Unsynced::Truncate(index(*len))),
            Event::Delete { file, folder } => {
                self.file(file).unsynced.push(Unsynced::Delete);
                self.sync_folder(*folder);
            }
            // Linux marks the pages clean that it could not write: a later sync succeeds without them.
            Event::FailedSync { file } => {
                let is_name = |change: &Unsynced| matches!(change, Unsynced::Delete);
                self.file(file).unsynced.retain(is_name);
            }
            Event::Sync { file, folder } => {
                self.file(file).sync();
                self.sync_folder(*folder);
            }
        }
    }

    fn sync_folder(&mut self, synced: bool) {
        if synced {
            self.files.values_mut().for_each(File::sync_name);
        }
    }

    fn file(&mut self, name: &str) -> &mut File {
        self.files.entry(name.to_owned()).or_default()
    }

    /// The files after a cut now.
    pub fn cut(&self, survivors: Survivors, random: &mut Random) -> Image {
        let mut left = |file: &File| {
            let mut content = file.durable.clone().filter(|_| file.listed || survivors != Survivors::None);
            choose(&file.unsynced, survivors, random).iter().for_each(|change| change.apply(&mut content));
            content
        };
        self.files.iter().filter_map(|(name, file)| Some((name.clone(), left(file)?))).collect()
    }
}

impl File {
    fn sync(&mut self) {
        let unsynced = std::mem::take(&mut self.unsynced);
        unsynced.iter().for_each(|change| change.apply(&mut self.durable));
    }

    /// What the folder says now, it says for good.
    fn sync_name(&mut self) {
        let deleted = self.unsynced.iter().rposition(|change| matches!(change, Unsynced::Delete));
        if let Some(deleted) = deleted {
            self.unsynced.drain(..=deleted);
            self.durable = None;
        }
        self.listed = self.durable.is_some() || !self.unsynced.is_empty();
    }
}

impl Unsynced {
    fn apply(&self, content: &mut Option<Vec<u8>>) {
        match self {
            Unsynced::Write(offset, bytes) => {
                let content = content.get_or_insert_default();
                content.resize(content.len().max(offset + bytes.len()), 0);
                content[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
            Unsynced::Truncate(len) => content.get_or_insert_default().resize(*len, 0),
            Unsynced::Delete => *content = None,
        }
    }

    /// The sectors of a write that `keep` keeps; anything else happens whole.
    fn part(&self, mut keep: impl FnMut() -> bool) -> Vec<Unsynced> {
        let Unsynced::Write(offset, bytes) = self else { return vec![self.clone()] };
        let sectors = bytes.chunks(SECTOR).enumerate();
        let kept = sectors.filter(|_| keep());
        kept.map(|(number, sector)| Unsynced::Write(offset + number * SECTOR, sector.to_vec())).collect()
    }
}

fn choose(unsynced: &[Unsynced], survivors: Survivors, random: &mut Random) -> Vec<Unsynced> {
    match survivors {
        Survivors::None => Vec::new(),
        Survivors::All => unsynced.to_vec(),
        Survivors::Any => {
            let kept = |change: &Unsynced| match random.below(4) {
                0 => change.part(|| random.once_in(2)),
                1 => Vec::new(),
                _ => vec![change.clone()],
            };
            unsynced.iter().flat_map(kept).collect()
        }
        Survivors::First => {
            let Some(last) = (!unsynced.is_empty()).then(|| random.index(unsynced.len())) else { return Vec::new() };
            let mut kept = unsynced[..last].to_vec();
            match &unsynced[last] {
                Unsynced::Write(offset, bytes) => {
                    kept.push(Unsynced::Write(*offset, bytes[..random.index(bytes.len() + 1)].to_vec()));
                }
                other => kept.push(other.clone()),
            }
            kept
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("files fit into memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(offset: u64, text: &str) -> Event {
        Event::Write { file: "f".into(), offset, bytes: text.into() }
    }

    #[test]
    fn a_cut_leaves_what_was_synced() {
        let mut platter = Platter::default();
        platter.feed(&write(0, "kept"));
        platter.feed(&Event::Sync { file: "f".into(), folder: true });
        platter.feed(&write(2, "new!"));
        let cut = |survivors| platter.cut(survivors, &mut Random::new(1))["f"].clone();
        assert_eq!(cut(Survivors::None), b"kept");
        assert_eq!(cut(Survivors::All), b"kenew!");
        assert!(b"kenew!".starts_with(&cut(Survivors::First)[..2]));
    }

    #[test]
    fn a_deletion_may_be_forgotten_until_the_folder_is_synced() {
        let mut platter = Platter::default();
        platter.feed(&write(0, "old"));
        platter.feed(&Event::Sync { file: "f".into(), folder: true });
        platter.feed(&Event::Delete { file: "f".into(), folder: false });
        assert_eq!(platter.cut(Survivors::None, &mut Random::new(1))["f"], b"old");
        platter.feed(&Event::Sync { file: "g".into(), folder: true });
        assert!(!platter.cut(Survivors::None, &mut Random::new(1)).contains_key("f"));
    }

    #[test]
    fn a_file_that_was_never_synced_may_not_be_there() {
        let mut platter = Platter::default();
        platter.feed(&write(0, "gone"));
        assert_eq!(platter.cut(Survivors::None, &mut Random::new(1)), Image::new());
    }
}
