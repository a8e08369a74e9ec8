//! The dialects by name: a profile says which ones are read, `command/dialect` reads them.

use crate::packs::{Pack, TABLE};

/// A way in which commands are written in replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `@.SET("角色.金币", 100);`
    At,
    /// `_.set('角色.金币', 90, 100);//交易`
    Mvu,
    /// `<JSONPatch>[{"op":"replace","path":"/角色/金币","value":100}]</JSONPatch>`
    JsonPatch,
    /// The commands of the rule pack with this name: `set_status('时间', '20:00');`
    Pack(&'static str),
}

impl Dialect {
    /// The dialects that belong to no pack, in the order of their stored numbers. Those of packs follow, in the order of their table.
    pub const OWN: [Dialect; 3] = [Dialect::At, Dialect::Mvu, Dialect::JsonPatch];

    /// The word in profiles and in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Dialect::At => "at",
            Dialect::Mvu => "mvu",
            Dialect::JsonPatch => "json_patch",
            Dialect::Pack(name) => name,
        }
    }

    /// The dialect with this name, where these packs are known.
    pub fn named(name: &str, packs: &[&'static Pack]) -> Option<Dialect> {
        let of_packs = packs.iter().map(|pack| Dialect::Pack(pack.name));
        Dialect::OWN.into_iter().chain(of_packs).find(|dialect| dialect.as_str() == name)
    }

    /// The number in storage. A pack that is in no table has one that is never read back.
    pub(crate) fn number(self) -> usize {
        let all = Dialect::OWN.into_iter().chain(TABLE.iter().map(|pack| Dialect::Pack(pack.name)));
        all.clone().position(|dialect| dialect == self).unwrap_or(all.count())
    }

    /// The dialect with this number in storage.
    pub(crate) fn of_number(number: usize) -> Option<Dialect> {
        let of_pack = || TABLE.get(number.checked_sub(Dialect::OWN.len())?).map(|pack| Dialect::Pack(pack.name));
        Dialect::OWN.get(number).copied().or_else(of_pack)
    }
}

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn numbers_in_storage_never_change() {
        let all = [Dialect::At, Dialect::Mvu, Dialect::JsonPatch, Dialect::Pack("memory")];
        for (number, dialect) in all.into_iter().enumerate() {
            assert_eq!((dialect.number(), Dialect::of_number(number)), (number, Some(dialect)));
        }
        assert_eq!(Dialect::of_number(all.len()), None);
        assert_eq!(Dialect::of_number(Dialect::Pack("nobody").number()), None);
    }
}
