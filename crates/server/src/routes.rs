//! The table of routes: one row each, with the role it needs and the errors that are its own.

mod account;
mod approvals;
mod branches;
mod browsers;
mod calls;
mod characters;
mod edits;
mod events;
mod floors;
mod functions;
mod global_snapshots;
mod health;
mod history;
pub(crate) mod home;
mod imports;
mod jobs;
mod keys;
mod ledger;
mod memory;
mod pages;
mod prelude;
mod prompts;
mod replies;
mod resolve;
mod scratchpad;
mod sessions;
mod snapshots;
mod states;
mod sync;
mod tools;
mod transcript;
mod trash;
mod turns;
mod variables;
mod variables_batch;
mod writes;

use crate::document::registry::{Row, public, row};
use tavernkeep_api::ErrorCode;
use tavernkeep_engine::role::Role::{Admin, Read, Write};
use utoipa_axum::routes;

/// A row for each route: the role it needs, its handler, and the errors that are its own.
macro_rules! rows {
    ($($role:ident $module:ident::$handler:ident [$($error:ident)*];)+) => {
        vec![$(row($role, &[$(ErrorCode::$error),*], routes!($module::$handler))),+]
    };
}

/// All routes.
pub(crate) fn table() -> Vec<Row> {
    let mut table = rows! {
        Write sessions::create [CharacterNotFound IdTaken QuotaExceeded];
        Read sessions::list [];
        Read sessions::get [SessionNotFound];
        Write sessions::update [PreconditionFailed SessionNotFound CharacterNotFound IdTaken];
        Write sessions::delete [SessionNotFound PreconditionFailed];
        Write sessions::delete_many [];
        Write characters::create [IdTaken QuotaExceeded];
        Read characters::list [];
        Read characters::get [CharacterNotFound];
        Write characters::update [PreconditionFailed CharacterNotFound QuotaExceeded];
        Write characters::delete [CharacterNotFound PreconditionFailed];
        Read characters::template [CharacterNotFound];
        Write characters::put_template [CharacterNotFound];
        Read sessions::template [SessionNotFound];
        Write sessions::put_template [SessionNotFound];
        Read branches::list [SessionNotFound];
        Write branches::delete [SessionNotFound BranchNotFound ProtectedBranch];
        Write floors::create [SessionNotFound FloorNotFound IdTaken PositionTaken ForkTooDeep];
        Read floors::list [SessionNotFound BranchNotFound];
        Read floors::get [FloorNotFound];
        Write floors::update [FloorNotFound BranchNotFound FloorPatchRestrictedField PositionTaken];
        Write floors::delete [FloorNotFound BranchNotFound];
        Write floors::delete_many [];
        Write floors::fork [FloorNotFound PageNotFound BranchExists InvalidState ForkTooDeep];
        Write floors::generate [FloorNotFound BranchNotFound InvalidState];
        Write floors::commit [FloorNotFound BranchNotFound PageNotFound InvalidState QuotaExceeded];
        Write floors::fail [FloorNotFound BranchNotFound InvalidState];
        Write pages::create [FloorNotFound BranchNotFound IdTaken PositionTaken];
        Read pages::list [FloorNotFound];
        Read pages::get [PageNotFound];
        Write pages::update [PreconditionFailed PageNotFound BranchNotFound];
        Write pages::delete [PageNotFound BranchNotFound PreconditionFailed];
        Write pages::activate [PageNotFound BranchNotFound];
        Write pages::fork [PageNotFound BranchExists InvalidState ForkTooDeep];
        Write pages::delete_many [];
        Write turns::create [SessionNotFound BranchNotFound FloorNotFound IdTaken InvalidState ParentMoved
            PositionTaken BranchBusy QuotaExceeded];
        Write turns::process [SessionNotFound BranchNotFound ParentMoved BranchBusy QuotaExceeded];
        Write sync::sync [SessionNotFound BranchNotFound ParentMoved PositionTaken SyncConflict SyncTooLarge SyncDeletes ChatMoved];
        Read states::of_page [PageNotFound];
        Read states::of_session [SessionNotFound BranchNotFound FloorNotFound];
        Read prompts::preview [SessionNotFound BranchNotFound PageNotFound SourceFloorNotFound BranchLocalSnapshotMissing
            InvalidVariableContext];
        Write prompts::render [SessionNotFound BranchNotFound PageNotFound SourceFloorNotFound
            BranchLocalSnapshotMissing InvalidVariableContext VariableReserved VariableTargetLocked];
        Read prompts::kit [SessionNotFound BranchNotFound FloorNotFound ViewNotFound];
        Read transcript::of_session [SessionNotFound BranchNotFound];
        Read transcript::floor [SessionNotFound BranchNotFound FloorNotFound];
        Read history::change [FloorNotFound];
        Read history::log [SessionNotFound BranchNotFound FloorNotFound];
        Read history::of_session [SessionNotFound BranchNotFound FloorNotFound];
        Read history::blame [PageNotFound];
        Write history::undo [PageNotFound BranchNotFound InvalidState ParentMoved BranchBusy QuotaExceeded];
        Read history::compare [SessionNotFound BranchNotFound FloorNotFound PageNotFound SnapshotNotFound];
        Read states::get [SnapshotNotFound];
        Write states::put [SnapshotNotFound ParentMoved PreconditionFailed QuotaExceeded];
        Write edits::patch_snapshot [SnapshotNotFound ParentMoved PreconditionFailed PatchFailed QuotaExceeded];
        Write edits::patch_state [PageNotFound BranchNotFound InvalidState ParentMoved BranchBusy PreconditionFailed
            PatchFailed QuotaExceeded];
        Read edits::list [PageNotFound];
        Write edits::take_back [PageNotFound BranchNotFound EditNotFound InvalidState ParentMoved BranchBusy QuotaExceeded];
        Write edits::redo [PageNotFound BranchNotFound InvalidState ParentMoved BranchBusy QuotaExceeded];
        Write snapshots::delete [SnapshotNotFound PageNotFound BranchNotFound PreconditionFailed];
        Read snapshots::list [SessionNotFound BranchNotFound];
        Read snapshots::diff [SnapshotNotFound];
        Write snapshots::delete_by_chat [];
        Write snapshots::clean_up [];
        Read global_snapshots::list [];
        Write global_snapshots::create [IdTaken PageNotFound SnapshotNotFound QuotaExceeded];
        Read global_snapshots::get [GlobalSnapshotNotFound];
        Write global_snapshots::update [GlobalSnapshotNotFound PreconditionFailed];
        Write global_snapshots::delete [GlobalSnapshotNotFound PreconditionFailed];
        Write global_snapshots::apply [GlobalSnapshotNotFound PageNotFound InvalidState ParentMoved BranchBusy
            QuotaExceeded];
        Read functions::list [CharacterNotFound];
        Write functions::create [CharacterNotFound IdTaken QuotaExceeded];
        Read functions::get [FunctionNotFound CharacterNotFound];
        Write functions::update [FunctionNotFound CharacterNotFound FunctionBuiltIn PreconditionFailed QuotaExceeded];
        Write functions::delete [FunctionNotFound FunctionBuiltIn PreconditionFailed];
        Write functions::copy [FunctionNotFound CharacterNotFound QuotaExceeded];
        Write functions::move_to [FunctionNotFound CharacterNotFound FunctionBuiltIn PreconditionFailed QuotaExceeded];
        Write functions::import [CharacterNotFound QuotaExceeded];
        Read functions::export [FunctionNotFound CharacterNotFound];
        Write functions::reorder [CharacterNotFound];
        Read functions::prompt [CharacterNotFound];
        Read functions::test [ScriptsUnavailable];
        Write ledger::stage [NotFound PageNotFound BranchNotFound VariableReserved VariableTargetLocked QuotaExceeded];
        Read ledger::staged [NotFound];
        Read ledger::promotions [NotFound];
        Read ledger::history [VariableNotFound];
        Write variables::put [VariableHostNotFound VariableReserved VariableTargetLocked PreconditionFailed
            QuotaExceeded];
        Read variables::list [InvalidVariableContext];
        Write variables::delete_target [VariableHostNotFound VariableNotFound VariableTargetLocked PreconditionFailed];
        Read variables::get [VariableNotFound];
        Write variables::delete [VariableNotFound VariableTargetLocked PreconditionFailed];
        Write variables::patch [VariableNotFound VariableReserved VariableTargetLocked PreconditionFailed PatchFailed];
        Write variables::increment [VariableHostNotFound VariableReserved VariableTargetLocked VariableNotANumber
            PreconditionFailed QuotaExceeded];
        Write variables_batch::put [DuplicateVariableTarget VariableHostNotFound VariableReserved
            VariableTargetLocked QuotaExceeded];
        Write variables_batch::delete [VariableHostNotFound VariableTargetLocked];
        Read resolve::resolve [InvalidVariableContext VariableHostNotFound];
        Read events::listen [SessionNotFound BranchNotFound EventsPurged QuotaExceeded];
        Read replies::apply [];
        Read replies::profiles [];
        Read memory::view [SessionNotFound BranchNotFound];
        Read memory::archive [SessionNotFound BranchNotFound];
        Read memory::export [SessionNotFound BranchNotFound];
        Write memory::summarize [SessionNotFound BranchNotFound InvalidState ParentMoved ModelUnavailable QuotaExceeded];
        Admin keys::create [InvalidState QuotaExceeded];
        Admin keys::list [];
        Admin keys::revoke [KeyNotFound];
        Read browsers::sign_out [];
        Read browsers::list [];
        Admin browsers::sign_out_other [BrowserNotFound];
        Read account::get [AccountNotFound];
        Admin account::export [AccountNotFound];
        Admin account::delete [AccountNotFound ConfirmationMismatch];
        Read trash::list [SessionNotFound];
        Read trash::get [TrashNotFound];
        Read trash::state [TrashNotFound SnapshotNotFound];
        Write trash::restore [TrashNotFound ForkTooDeep IdTaken InvalidState NothingToRestore];
        Write trash::delete [TrashNotFound];
        Read tools::groups [SessionNotFound];
        Write tools::register [SessionNotFound InvalidState QuotaExceeded];
        Write tools::set_group [SessionNotFound ToolGroupNotFound];
        Write tools::set_tool [SessionNotFound ToolNotFound];
        Read tools::definitions [SessionNotFound];
        Read tools::rules [SessionNotFound];
        Read tools::defaults [];
        Write tools::put_defaults [AccountNotFound];
        Write calls::create [SessionNotFound PageNotFound InvalidState QuotaExceeded];
        Read calls::list [SessionNotFound];
        Read calls::get [CallNotFound];
        Write calls::result [CallNotFound InvalidState];
        Write calls::cancel [CallNotFound InvalidState];
        Read approvals::list [SessionNotFound];
        Read approvals::list_all [];
        Write approvals::decide [ApprovalNotFound ApprovalSettled InvalidState QuotaExceeded];
        Read approvals::grants [SessionNotFound];
        Write approvals::revoke [SessionNotFound GrantNotFound];
        Read scratchpad::list [SessionNotFound];
        Read scratchpad::get [SessionNotFound ScratchpadVariableNotFound];
        Write scratchpad::put [SessionNotFound ScratchpadVariableNotFound RuleProtected InvalidState];
        Write scratchpad::delete [SessionNotFound ScratchpadVariableNotFound RuleProtected];
        Write scratchpad::message [SessionNotFound PageNotFound InvalidState];
        Write imports::import [ImportExists ImportTooLarge ImportUnreadable CharacterNotFound IdTaken SyncConflict SyncDeletes
            ChatMoved SyncTooLarge PositionTaken QuotaExceeded];
        Read imports::export_session [SessionNotFound BranchNotFound];
        Read imports::export_character [CharacterNotFound];
        Read jobs::list [];
        Read jobs::get [JobNotFound];
        Write jobs::cancel [JobNotFound InvalidState];
        Read writes::get [WriteNotFound];
        Admin health::metrics [];
    };
    table.extend([
        public(&[ErrorCode::AuthInvalidCredentials], routes!(browsers::sign_in)),
        public(&[], routes!(health::health)),
        public(&[], routes!(health::openapi)),
        public(&[], routes!(crate::document::page::index)),
        public(&[], routes!(home::home)),
    ]);
    table
}
