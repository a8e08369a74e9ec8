//! Numbers and rows that databases hold: no later version may read them differently.
#![allow(clippy::unwrap_used)] // The helpers of a test fail by panicking, as the tests do.

use tavernkeep_engine::floor::{FloorState, PageKind};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::json::JsonText;
use tavernkeep_engine::problem::Code;
use tavernkeep_engine::scope::Scope;
use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};
use tavernkeep_engine::tools::call::{ApprovalKind, ApprovalOutcome, CallStatus};
use tavernkeep_engine::tools::permission::{ApprovalScope, ExecutionPolicy, ResultPolicy};
use tavernkeep_engine::tools::variable::VarType;
use tavernkeep_store::conversation::trash::TrashKind;
use tavernkeep_store::events::event_list;
use tavernkeep_store::events::turn_event::{self, Detail, expand};
use tavernkeep_store::story::EffectKind;
use tavernkeep_store::story::edits::EditKind;
use tavernkeep_store::story::versions::Kind;
use tavernkeep_store::tools::call_bodies::CallText;
use tavernkeep_store::tools::call_rows::ApprovalStage;
use tavernkeep_store::tools::settings::SettingSubject;
use tavernkeep_store::tree::trash_rows::Table;
use tavernkeep_store::types::record::{Event, EventKind, EventPosition, HistorySource, JobKind, JobLane, JobState};

macro_rules! numbers {
    ($($name:ident),+ $(,)?) => {
        [$((stringify!($name), $name::ALL.iter().map(|one| format!("{} {one:?}", one.number())).collect())),+]
    };
}

/// Databases hold these numbers: a variant keeps its number for ever, and a new one comes at the end.
const PINNED: &str = "\
    Scope: 0 Global, 1 Chat, 2 Branch, 3 Floor, 4 Page\n\
    FloorState: 0 Draft, 1 Generating, 2 Committed, 3 Failed\n\
    PageKind: 0 Input, 1 Output, 2 Mixed\n\
    HistorySource: 0 Put, 1 Increment, 2 Patch, 3 Staged, 4 Promoted, 5 Restored, 6 Inherited, 7 Withdrawn\n\
    StagedOp: 0 Set, 1 Delete\n\
    Intent: 0 PageOnly, 1 PromoteToFloor, 2 PromoteToBranch, 3 PromoteToChat, 4 PromoteToGlobal\n\
    ConflictPolicy: 0 Replace, 1 IfAbsent\n\
    SourceKind: 0 Unknown, 1 Macro, 2 Tool, 3 Agent, 4 MemoryRuntime\n\
    StagedStatus: 0 Staged, 1 AcceptedPageOnly, 2 Promoted, 3 Rejected, 4 Discarded\n\
    Decision: 0 Allowed, 1 FloorHasKey, 2 HigherHasKey, 3 PageMissing, 4 PageElsewhere, 5 PageNotOutput, \
    6 PageNotActive, 7 PageNotAccepted, 8 ChangeNotApplicable, 9 ChangeNotNeeded\n\
    Kind: 0 Turn, 1 Edit\n\
    JobKind: 0 DeleteSession, 1 DeleteAccount, 2 ProcessSession, 3 ImportSession\n\
    JobState: 0 Waiting, 1 Running, 2 Done, 3 Cancelled, 4 Failed\n\
    JobLane: 0 Deletions, 1 Processing\n\
    EventKind: 0 VariableCreated, 1 VariableUpdated, 2 VariableDeleted, 3 VariablePromoted, 4 SessionCreated, \
    5 SessionUpdated, 6 SessionDeleted, 7 BranchCreated, 8 BranchDeleted, 9 FloorCreated, 10 FloorUpdated, \
    11 FloorGenerating, 12 FloorCommitted, 13 FloorFailed, 14 FloorDeleted, 15 PageCreated, 16 PageUpdated, \
    17 PageActivated, 18 PageDeleted, 19 WriteStaged, 20 JobChanged, 21 StateComputed, 22 StateEdited, \
    23 StateDropped, 24 GlobalSnapshotCreated, 25 GlobalSnapshotUpdated, 26 GlobalSnapshotDeleted, \
    27 CharacterCreated, 28 CharacterUpdated, 29 CharacterDeleted, 30 FunctionCreated, 31 FunctionUpdated, \
    32 FunctionDeleted, 33 CallChanged, 34 ApprovalRequested, 35 ApprovalDecided, 36 ScratchpadChanged, 37 ToolsChanged\n\
    Code: 0 MissingPath, 1 NotANumber, 2 NotAnArray, 3 NotAContainer, 4 ReadOnly, 5 TypeChanged, \
    6 OutOfRange, 7 Protected, 8 SchemaViolated, 9 BadArguments, 10 UnknownFunction, 11 Limit, \
    12 ScriptFailed, 13 NotFound, 14 TestFailed, 15 Unreadable, 16 StaleOldValue, \
    17 EditNotApplied, 18 Exists\n\
    TrashKind: 0 Pages, 1 Floors, 2 Branch, 3 Sync, 4 Session, 5 Character, 6 GlobalSnapshot, 7 Snapshots\n\
    Table: 0 Branch, 1 Floor, 2 Page, 3 Body, 4 Variable, 5 History, 6 FloorKey, 7 StagedWrite, 8 Promotion, \
    9 FloorOfPages, 10 PageEdit, 11 GlobalSnapshot, 12 ReplacedText, 13 BranchBase, 14 DroppedAt\n\
    EditKind: 0 Edit, 1 Undo\n\
    VarType: 0 Rule, 1 ToolCallResult, 2 ToolCallArgs, 3 MessageCache, 4 LlmAdd, 5 UserAdd\n\
    CallStatus: 0 AwaitingApproval, 1 AwaitingClient, 2 Running, 3 Success, 4 Error, 5 ExecutionRejected, \
    6 ResultRejected, 7 NotFound, 8 Cancelled, 9 Interrupted\n\
    ApprovalKind: 0 Execution, 1 Result\n\
    ApprovalOutcome: 0 Approved, 1 Rejected, 2 TimedOut, 3 Cancelled\n\
    ApprovalScope: 0 Once, 1 Session, 2 Always\n\
    ExecutionPolicy: 0 Auto, 1 AskOnce, 2 AskAlways\n\
    ResultPolicy: 0 Never, 1 OnError, 2 Always\n\
    CallText: 0 Args, 1 Resolved, 2 Data, 3 Final, 4 Formatted\n\
    ApprovalStage: 0 Execution, 1 ResultOfSuccess, 2 ResultOfFailure\n\
    SettingSubject: 0 Group, 1 Tool\n\
    EffectKind: 0 SetVariable, 1 Archive\n";

#[test]
fn stored_numbers_never_change() {
    let numbers: [(&str, Vec<String>); 30] = numbers![
        Scope,
        FloorState,
        PageKind,
        HistorySource,
        StagedOp,
        Intent,
        ConflictPolicy,
        SourceKind,
        StagedStatus,
        Decision,
        Kind,
        JobKind,
        JobState,
        JobLane,
        EventKind,
        Code,
        TrashKind,
        Table,
        EditKind,
        VarType,
        CallStatus,
        ApprovalKind,
        ApprovalOutcome,
        ApprovalScope,
        ExecutionPolicy,
        ResultPolicy,
        CallText,
        ApprovalStage,
        SettingSubject,
        EffectKind,
    ];
    let lines = numbers.map(|(name, numbers)| format!("{name}: {}\n", numbers.join(", ")));
    assert_eq!(lines.concat(), PINNED);
    assert_eq!((turn_event::NUMBER, event_list::NUMBER), (100, 101));
}

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn row(detail: &str) -> Event {
    Event {
        place: EventPosition { position: 7, ordinal: 13 },
        at: 1,
        kind: EventKind::FloorCommitted,
        session: Some(id("s")),
        branch: Some("main".into()),
        session_row: 1,
        branch_row: Some(2),
        subject: id("f"),
        host: None,
        key: None,
        value: None,
        detail: Some(JsonText::from_stored(detail)),
    }
}

fn emitted(detail: &str) -> Vec<(i64, &'static str, String)> {
    let mut emitted = Vec::new();
    let mut each = |event: Event| emitted.push((event.place.ordinal, event.kind.as_str(), event.subject.to_string()));
    expand(&row(detail), &mut each).unwrap();
    emitted
}

#[test]
fn the_last_event_stands_where_the_row_does() {
    let whole = emitted(r#"[true,3,["p",0,0,true],"n"]"#);
    let one = |ordinal, kind, subject: &str| (ordinal, kind, subject.to_owned());
    let (page, floor) = (one(11, "page.created", "p"), one(12, "floor.committed", "f"));
    assert_eq!(whole, [one(10, "floor.created", "f"), page, floor, one(13, "state.computed", "n")]);
    let swipe = emitted(r#"[false,3,["p",0,1,true],null]"#);
    assert_eq!(swipe, [one(12, "page.created", "p"), one(13, "floor.committed", "f")]);
}

#[test]
fn what_is_kept_comes_back() {
    let detail = Detail(true, 3, (id("p"), 0, 1, false), Some(id("n")));
    let kept = serde_json::to_string(&detail).unwrap();
    assert_eq!(serde_json::from_str::<Detail>(&kept).unwrap(), detail);
    for damaged in ["", "[]", "{}", r#"[true,3,["p",0,0,true]]"#] {
        assert!(expand(&row(damaged), &mut |_| {}).is_err(), "{damaged}");
    }
}

#[test]
fn a_list_of_events_stands_where_its_last_one_does() {
    let mut events = Vec::new();
    let list = row(r#"[[5,"f",{"floor_no":1}],[9,"p",null]]"#);
    event_list::expand(&list, &mut |event| {
        events.push((event.place.ordinal, event.kind.number(), event.subject.to_string(), event.detail));
    })
    .unwrap();
    let detail = Some(JsonText::from_stored(r#"{"floor_no":1}"#));
    assert_eq!(events, [(12, 5, "f".to_owned(), detail), (13, 9, "p".to_owned(), None)]);
    for damaged in ["", "[]", "{}", r#"[[5,"f"]]"#, r#"[[999,"f",null]]"#] {
        assert!(event_list::expand(&row(damaged), &mut |_| {}).is_err(), "{damaged}");
    }
}
