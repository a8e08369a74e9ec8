//! The profiles that have a name.

use super::{CreateMissing, Merge, MvuSchemaSource, Profile, Reading, TypeChange};
use crate::document::Value;
use crate::packs::{self, PackUse};
use crate::rules::dialect::Dialect;

impl Profile {
    /// The names of all profiles.
    pub const NAMES: [&'static str; 5] = ["default", "strict", "mvu", "mvu_zod", "memory"];

    /// What a named profile is for.
    pub fn description(name: &str) -> Option<&'static str> {
        Some(match name {
            "default" => "Everything that can be understood is applied; a value that changes its kind is reported.",
            "strict" => "Only what exists is written, and nothing changes its kind.",
            "mvu" => "As MVU's classic mode, for chats and cards that rely on it.",
            "mvu_zod" => "As MVU with a zod schema.",
            "memory" => {
                "The rule pack `memory`: a character, the present moment and the world's assets, with rules at the end of every turn."
            }
            _ => return None,
        })
    }

    /// The profile with this name.
    pub fn named(name: &str) -> Option<Profile> {
        Some(match name {
            "default" => Profile::default_profile(),
            "strict" => Profile {
                name: "strict".into(),
                create_missing: CreateMissing::No,
                type_change: TypeChange::Refused,
                ..Profile::default_profile()
            },
            "mvu" => Profile {
                name: "mvu".into(),
                dialects: vec![Dialect::Mvu, Dialect::JsonPatch],
                reading: Reading::Mvu,
                pairs: true,
                create_missing: CreateMissing::AsMvu,
                type_change: TypeChange::AsMvu,
                merge: Merge::DeepByIndex,
                skip_thinking: false,
                user_floors: true,
                underscore_read_only: false,
                time_path: Vec::new(),
                ..Profile::default_profile()
            },
            "mvu_zod" => Profile {
                name: "mvu_zod".into(),
                dialects: vec![Dialect::Mvu, Dialect::JsonPatch],
                reading: Reading::MvuZod,
                type_change: TypeChange::BySchema,
                merge: Merge::Shallow,
                skip_thinking: false,
                user_floors: true,
                time_path: Vec::new(),
                ..Profile::default_profile()
            },
            "memory" => Profile {
                name: "memory".into(),
                dialects: vec![Dialect::Pack(packs::memory::PACK.name), Dialect::At, Dialect::JsonPatch],
                pairs: true,
                create_missing: CreateMissing::No,
                type_change: TypeChange::Refused,
                user_floors: true,
                time_path: vec!["stat_data.时间".into()],
                // The pack's own settings can be read: a test says so.
                packs: PackUse::new(&packs::memory::PACK, Value::Null).into_iter().collect(),
                ..Profile::default_profile()
            },
            _ => return None,
        })
    }

    pub(super) fn default_profile() -> Profile {
        Profile {
            name: "default".into(),
            dialects: vec![Dialect::At, Dialect::Mvu, Dialect::JsonPatch],
            reading: Reading::Tolerant,
            pairs: false,
            create_missing: CreateMissing::Yes,
            type_change: TypeChange::Reported,
            merge: Merge::Deep,
            skip_thinking: true,
            only_in_tags: Vec::new(),
            user_floors: false,
            underscore_read_only: true,
            forced_set: false,
            time_path: vec!["世界.时间".into(), "time".into()],
            schema: None,
            mvu_schema: MvuSchemaSource::Marks,
            disabled: Vec::new(),
            recent_texts: 0,
            views: Vec::new(),
            note: false,
            packs: Vec::new(),
        }
    }
}
