//! Reading back what we stored ourselves: ids, texts, keys, and enums by their numbers.

use crate::error::{StoreError, StoreResult};
use tavernkeep_engine::id::Id;
use tavernkeep_engine::key::Key;
use tavernkeep_engine::stored_enum::StoredEnum;

pub fn stored_enum<T: StoredEnum>(number: i64) -> StoreResult<T> {
    T::of_number(number).ok_or_else(|| StoreError::Corrupt(format!("there is no {} with number {number}", T::NAME)))
}

pub fn stored_id(text: &str) -> StoreResult<Id> {
    text.parse().map_err(|_| StoreError::Corrupt(format!("{text:?} is stored as an id and is none")))
}

pub fn stored_text(bytes: &[u8]) -> StoreResult<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| StoreError::Corrupt("a text is not UTF-8".into()))
}

pub fn stored_key(bytes: &[u8]) -> StoreResult<Key> {
    let broken = || StoreError::Corrupt("a key is stored that is none".into());
    std::str::from_utf8(bytes).map_err(|_| broken())?.parse().map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use crate::events::turn_event;
    use crate::story::versions::Kind;
    use crate::types::record::{EventKind, HistorySource, JobKind, JobLane, JobState};
    use tavernkeep_engine::floor::{FloorState, PageKind};
    use tavernkeep_engine::problem::Code;
    use tavernkeep_engine::scope::Scope;
    use tavernkeep_engine::staging::{ConflictPolicy, Decision, Intent, SourceKind, StagedOp, StagedStatus};

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
        Intent: 0 PageOnly, 1 PromoteToFloor, 2 PromoteToBranch, 3 PromoteToChat\n\
        ConflictPolicy: 0 Replace, 1 IfAbsent\n\
        SourceKind: 0 Unknown, 1 Macro, 2 Tool, 3 Agent, 4 MemoryRuntime\n\
        StagedStatus: 0 Staged, 1 AcceptedPageOnly, 2 Promoted, 3 Rejected, 4 Discarded\n\
        Decision: 0 Allowed, 1 FloorHasKey, 2 HigherHasKey, 3 PageMissing, 4 PageElsewhere, 5 PageNotOutput, \
        6 PageNotActive, 7 PageNotAccepted\n\
        Kind: 0 Turn, 1 Edit\n\
        JobKind: 0 DeleteSession, 1 DeleteAccount, 2 ProcessSession\n\
        JobState: 0 Waiting, 1 Running, 2 Done, 3 Cancelled, 4 Failed\n\
        JobLane: 0 Deletions, 1 Processing\n\
        EventKind: 0 VariableCreated, 1 VariableUpdated, 2 VariableDeleted, 3 VariablePromoted, 4 SessionCreated, \
        5 SessionUpdated, 6 SessionDeleted, 7 BranchCreated, 8 BranchDeleted, 9 FloorCreated, 10 FloorUpdated, \
        11 FloorGenerating, 12 FloorCommitted, 13 FloorFailed, 14 FloorDeleted, 15 PageCreated, 16 PageUpdated, \
        17 PageActivated, 18 PageDeleted, 19 WriteStaged, 20 JobChanged, 21 StateComputed, 22 StateEdited, \
        23 StateDropped, 24 GlobalSnapshotCreated, 25 GlobalSnapshotUpdated, 26 GlobalSnapshotDeleted, \
        27 CharacterCreated, 28 CharacterUpdated, 29 CharacterDeleted\n\
        Code: 0 MissingPath, 1 NotANumber, 2 NotAnArray, 3 NotAContainer, 4 ReadOnly, 5 TypeChanged, \
        6 OutOfRange, 7 Protected, 8 SchemaViolated, 9 BadArguments, 10 UnknownFunction, 11 Limit, \
        12 ScriptFailed, 13 NotFound, 14 TestFailed, 15 Unreadable, 16 StaleOldValue\n";

    #[test]
    fn stored_numbers_never_change() {
        let numbers: [(&str, Vec<String>); 16] = numbers![
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
        ];
        let lines = numbers.map(|(name, numbers)| format!("{name}: {}\n", numbers.join(", ")));
        assert_eq!(lines.concat(), PINNED);
        assert_eq!(turn_event::NUMBER, 100);
    }
}
