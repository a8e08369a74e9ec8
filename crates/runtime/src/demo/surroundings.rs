//! What stands around the demo's conversation: variables on several scopes, a staged write that was promoted, an edit by hand, a
//! state to return to, tools with a call that waits for a person, and a session of the memory pack.

use super::{constant, json};
use crate::order::{FloorStep, NewFloor, NewPage, NewSession, NewStagedWrite, NewTurn, StorySettings, Write};
use crate::record::{Condition, Host, Target};
use crate::tools::{CallRequest, ExecutionPolicy, Permission, ResultPolicy};
use crate::{Edits, GlobalSnapshotOrder, NewEdit, Runtime, RuntimeError, RuntimeResult, SnapshotSource};
use serde_json::json as args;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::staging::{ConflictPolicy, Intent, SourceKind, StagedOp};

const MEMORY_SESSION: &str = "demo-memory";

/// The beginning of a story with the pack `memory`: who speaks, and what.
const MEMORY: &[(&str, &str)] = &[
    ("user", "我推开木门，走进黑森林边缘的小镇。"),
    (
        "assistant",
        "雾很重。\nset_status('纪年', '新历12年'); set_status('日期', '12月29日'); set_status('时间', '18:20'); \
         set_status('天气', '雾');\nset_status('user_character.current_location', '雾镇');",
    ),
    (
        "assistant",
        "铁匠铺里有人。\n*.memory('world_set.npc', '老铁匠', '{\"描述\": \"脾气古怪\", \"好感度\": 50}');\n\
         memory('world_set.settings', '宵禁', '入夜后不得出门');",
    ),
    (
        "assistant",
        "老铁匠摇头，低声提到神秘的线人。\nmemory('summary.small', '雾镇 12月29日 18:20', '到达雾镇，遇见老铁匠。');",
    ),
    (
        "assistant",
        "镇长请你找回失踪的孩子。\nmemory('summary.small', '雾镇 12月29日 19:00', '镇长委托找回孩子，限十天。'); \
         set_status('时间', '19:00');",
    ),
];

impl Runtime {
    /// Puts everything around the conversation.
    pub(super) async fn surround_demo(&self, account: &Id, session: &Id) -> RuntimeResult<()> {
        self.put_demo_variables(account, session).await?;
        let last = self.stage_in_demo(account, session).await?;
        let path = "world.weather".parse().map_err(|_| RuntimeError::Bug("the demo's path is none".into()))?;
        let what = Edits::Set(path, Value::from(&json("the weather", "\"storm\"")?));
        let edit = NewEdit { what, reason: Some("the storm begins earlier".into()) };
        self.edit_page(account, &last, edit, Condition::None).await?;
        let order = GlobalSnapshotOrder {
            id: Some(constant("demo-inn")?),
            name: "at the Gilded Flagon".into(),
            description: Some("the first night, as the storm begins".into()),
            tags: vec!["demo".into(), "act 1".into()],
            source: SnapshotSource::Page(last),
        };
        self.create_global_snapshot(account, order).await?;
        self.call_in_demo(account, session).await?;
        self.tell_demo_memory(account).await
    }

    async fn put_demo_variables(&self, account: &Id, session: &Id) -> RuntimeResult<()> {
        let main = || Host::Branch(session.clone(), "main".into());
        let variables = [
            (Host::Global, "theme", "\"night\""),
            (Host::Global, "mood", "\"none\""),
            (Host::Chat(session.clone()), "mood", "\"calm\""),
            (main(), "gold", "500"),
            (main(), "背包", r#"{"药水":2,"items":["rope","lantern"]}"#),
        ];
        let writes = variables.into_iter().map(|(host, name, value)| {
            let target = Target { host, key: key(name)? };
            Ok(Write { target, value: json(name, value)?, condition: Condition::None })
        });
        self.put_variables(account, writes.collect::<RuntimeResult<_>>()?).await?;
        Ok(())
    }

    /// One more floor, whose page proposes two values: one goes on to the branch, the other stays behind what is there.
    async fn stage_in_demo(&self, account: &Id, session: &Id) -> RuntimeResult<Id> {
        let new = NewFloor {
            id: None,
            session: session.clone(),
            branch: None,
            floor_no: None,
            parent: None,
            state: FloorState::Draft,
            lease_ms: None,
            metadata: None,
        };
        let floor = self.create_floor(account, new).await?.id;
        let new = NewPage {
            id: None,
            floor: floor.clone(),
            page_no: 0,
            version: None,
            kind: PageKind::Output,
            is_active: true,
            role: Some("assistant".into()),
            name: Some("Yuki".into()),
            content: Some(
                "Thunder. \"Stay by the fire tonight,\" she says.\n@.ADD(\"yuki.affinity\", 1);//a guest".into(),
            ),
            extra: None,
        };
        let page = self.create_page(account, new).await?.id;
        let staged = |name: &str, value: &str, intent, reason: &str| {
            Ok::<_, RuntimeError>(NewStagedWrite {
                key: key(name)?,
                op: StagedOp::Set,
                value: Some(json(name, value)?),
                intent,
                policy: ConflictPolicy::IfAbsent,
                source_kind: SourceKind::Tool,
                reason: Some(reason.into()),
                source: None,
                evidence: None,
            })
        };
        let writes = [
            staged("shelter", "\"the fireside\"", Intent::PromoteToBranch, "she offered it")?,
            staged("gold", "496", Intent::PromoteToBranch, "the room was paid")?,
        ];
        for write in writes {
            self.stage_write(account, &page, write).await?;
        }
        self.move_floor(account, &floor, FloorStep::Generate { lease_ms: None, renew: false }).await?;
        self.move_floor(account, &floor, FloorStep::Commit { page: None }).await?;
        Ok(page)
    }

    /// A call that ended, and one that waits for a person.
    async fn call_in_demo(&self, account: &Id, session: &Id) -> RuntimeResult<()> {
        self.set_group_enabled(account, session, "basic", true).await?;
        let asks = Permission::of(ExecutionPolicy::AskAlways, ResultPolicy::Never);
        self.set_tool(account, session, "random", None, Some(asks)).await?;
        let call = |tool: &str, args| CallRequest {
            tool: tool.into(),
            args,
            page: None,
            branch: None,
            skip_execution_approval: false,
            skip_result_approval: false,
            allow_disabled: false,
        };
        self.call_tool(account, session, call("calculate", args!({ "expression": "30 - 4" }))).await?;
        self.call_tool(account, session, call("random", args!({ "min": 1, "max": 20, "seed": "the ford" }))).await?;
        Ok(())
    }

    async fn tell_demo_memory(&self, account: &Id) -> RuntimeResult<()> {
        let session = constant(MEMORY_SESSION)?;
        let story =
            StorySettings { profile: Some(Some(json("the profile", "\"memory\"")?)), ..StorySettings::default() };
        let new = NewSession {
            id: Some(session.clone()),
            title: Some("雾镇 · memory".into()),
            story,
            ..NewSession::default()
        };
        self.create_session(account, new).await?;
        for (role, text) in MEMORY {
            self.take_turn(account, NewTurn::of(session.clone(), *role, *text)).await?;
        }
        Ok(())
    }
}

fn key(name: &str) -> RuntimeResult<Key> {
    name.parse().map_err(|_| RuntimeError::Bug(format!("the demo's {name} is no key")))
}
