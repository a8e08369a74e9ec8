//! The table of routes: one row each, with the role it needs and the errors that are its own.

mod account;
mod branches;
mod characters;
mod events;
mod floors;
pub(crate) mod global_snapshots;
mod health;
mod history;
pub(crate) mod home;
mod jobs;
mod keys;
mod ledger;
mod pages;
mod prelude;
mod replies;
mod resolve;
mod sessions;
mod snapshots;
mod states;
mod sync;
mod turns;
mod variables;
mod variables_batch;

pub(crate) use states::state_body;

use crate::document::registry::{Row, public, row};
use tavernkeep_api::ErrorCode as E;
use tavernkeep_engine::role::Role::{Admin, Read, Write};
use utoipa_axum::routes;

/// All routes.
pub(crate) fn table() -> Vec<Row> {
    vec![
        row(Write, &[E::CharacterNotFound, E::IdTaken, E::QuotaExceeded], routes!(sessions::create)),
        row(Read, &[], routes!(sessions::list)),
        row(Read, &[E::SessionNotFound], routes!(sessions::get)),
        row(Write, &[E::SessionNotFound, E::CharacterNotFound, E::IdTaken], routes!(sessions::update)),
        row(Write, &[E::SessionNotFound], routes!(sessions::delete)),
        row(Write, &[], routes!(sessions::delete_many)),
        row(Write, &[E::IdTaken, E::QuotaExceeded], routes!(characters::create)),
        row(Read, &[], routes!(characters::list)),
        row(Read, &[E::CharacterNotFound], routes!(characters::get)),
        row(Write, &[E::CharacterNotFound], routes!(characters::update)),
        row(Write, &[E::CharacterNotFound], routes!(characters::delete)),
        row(Read, &[E::CharacterNotFound], routes!(characters::template)),
        row(Write, &[E::CharacterNotFound], routes!(characters::put_template)),
        row(Read, &[E::SessionNotFound], routes!(sessions::template)),
        row(Write, &[E::SessionNotFound], routes!(sessions::put_template)),
        row(Read, &[E::SessionNotFound], routes!(branches::list)),
        row(Write, &[E::SessionNotFound, E::BranchNotFound, E::ProtectedBranch], routes!(branches::delete)),
        row(
            Write,
            &[E::SessionNotFound, E::FloorNotFound, E::IdTaken, E::PositionTaken, E::ForkTooDeep],
            routes!(floors::create),
        ),
        row(Read, &[E::SessionNotFound, E::BranchNotFound], routes!(floors::list)),
        row(Read, &[E::FloorNotFound], routes!(floors::get)),
        row(Write, &[E::FloorNotFound, E::FloorPatchRestrictedField, E::PositionTaken], routes!(floors::update)),
        row(Write, &[E::FloorNotFound], routes!(floors::delete)),
        row(Write, &[], routes!(floors::delete_many)),
        row(Write, &[E::FloorNotFound, E::BranchExists, E::InvalidState, E::ForkTooDeep], routes!(floors::fork)),
        row(Write, &[E::FloorNotFound, E::InvalidState], routes!(floors::generate)),
        row(Write, &[E::FloorNotFound, E::PageNotFound, E::InvalidState, E::QuotaExceeded], routes!(floors::commit)),
        row(Write, &[E::FloorNotFound, E::InvalidState], routes!(floors::fail)),
        row(Write, &[E::FloorNotFound, E::IdTaken, E::PositionTaken], routes!(pages::create)),
        row(Read, &[E::FloorNotFound], routes!(pages::list)),
        row(Read, &[E::PageNotFound], routes!(pages::get)),
        row(Write, &[E::PageNotFound], routes!(pages::update)),
        row(Write, &[E::PageNotFound], routes!(pages::delete)),
        row(Write, &[E::PageNotFound], routes!(pages::activate)),
        row(Write, &[], routes!(pages::delete_many)),
        row(
            Write,
            &[
                E::SessionNotFound,
                E::BranchNotFound,
                E::FloorNotFound,
                E::IdTaken,
                E::InvalidState,
                E::ParentMoved,
                E::PositionTaken,
                E::BranchBusy,
                E::QuotaExceeded,
            ],
            routes!(turns::create),
        ),
        row(
            Write,
            &[E::SessionNotFound, E::BranchNotFound, E::ParentMoved, E::BranchBusy, E::QuotaExceeded],
            routes!(turns::process),
        ),
        row(
            Write,
            &[
                E::SessionNotFound,
                E::BranchNotFound,
                E::ParentMoved,
                E::PositionTaken,
                E::SyncConflict,
                E::SyncTooLarge,
                E::ChatMoved,
            ],
            routes!(sync::sync),
        ),
        row(Read, &[E::PageNotFound], routes!(states::of_page)),
        row(Read, &[E::SessionNotFound, E::BranchNotFound], routes!(states::of_session)),
        row(Read, &[E::FloorNotFound], routes!(history::change)),
        row(Read, &[E::SessionNotFound, E::BranchNotFound, E::FloorNotFound], routes!(history::log)),
        row(Read, &[E::SessionNotFound, E::BranchNotFound, E::FloorNotFound], routes!(history::of_session)),
        row(Read, &[E::PageNotFound], routes!(history::blame)),
        row(
            Write,
            &[E::PageNotFound, E::InvalidState, E::ParentMoved, E::BranchBusy, E::QuotaExceeded],
            routes!(history::undo),
        ),
        row(
            Read,
            &[E::SessionNotFound, E::BranchNotFound, E::FloorNotFound, E::PageNotFound, E::SnapshotNotFound],
            routes!(history::compare),
        ),
        row(Read, &[E::SnapshotNotFound], routes!(states::get)),
        row(Write, &[E::SnapshotNotFound, E::ParentMoved, E::PreconditionFailed], routes!(states::put)),
        row(Write, &[E::SnapshotNotFound, E::PreconditionFailed], routes!(snapshots::delete)),
        row(Read, &[E::SessionNotFound, E::BranchNotFound], routes!(snapshots::list)),
        row(Read, &[E::SnapshotNotFound], routes!(snapshots::diff)),
        row(Write, &[], routes!(snapshots::delete_by_chat)),
        row(Write, &[], routes!(snapshots::clean_up)),
        row(Read, &[], routes!(global_snapshots::list)),
        row(
            Write,
            &[E::IdTaken, E::PageNotFound, E::SnapshotNotFound, E::QuotaExceeded],
            routes!(global_snapshots::create),
        ),
        row(Read, &[E::GlobalSnapshotNotFound], routes!(global_snapshots::get)),
        row(Write, &[E::GlobalSnapshotNotFound, E::PreconditionFailed], routes!(global_snapshots::update)),
        row(Write, &[E::GlobalSnapshotNotFound, E::PreconditionFailed], routes!(global_snapshots::delete)),
        row(
            Write,
            &[
                E::GlobalSnapshotNotFound,
                E::PageNotFound,
                E::InvalidState,
                E::ParentMoved,
                E::BranchBusy,
                E::QuotaExceeded,
            ],
            routes!(global_snapshots::apply),
        ),
        row(
            Write,
            &[E::NotFound, E::VariableReserved, E::VariableTargetLocked, E::QuotaExceeded],
            routes!(ledger::stage),
        ),
        row(Read, &[E::NotFound], routes!(ledger::staged)),
        row(Read, &[E::NotFound], routes!(ledger::promotions)),
        row(Read, &[E::VariableNotFound], routes!(ledger::history)),
        row(
            Write,
            &[
                E::VariableHostNotFound,
                E::VariableReserved,
                E::VariableTargetLocked,
                E::PreconditionFailed,
                E::QuotaExceeded,
            ],
            routes!(variables::put),
        ),
        row(Read, &[E::InvalidVariableContext], routes!(variables::list)),
        row(
            Write,
            &[E::VariableHostNotFound, E::VariableNotFound, E::VariableTargetLocked, E::PreconditionFailed],
            routes!(variables::delete_target),
        ),
        row(Read, &[E::VariableNotFound], routes!(variables::get)),
        row(Write, &[E::VariableNotFound, E::VariableTargetLocked, E::PreconditionFailed], routes!(variables::delete)),
        row(
            Write,
            &[E::VariableNotFound, E::VariableReserved, E::VariableTargetLocked, E::PreconditionFailed, E::PatchFailed],
            routes!(variables::patch),
        ),
        row(
            Write,
            &[
                E::VariableHostNotFound,
                E::VariableReserved,
                E::VariableTargetLocked,
                E::VariableNotANumber,
                E::PreconditionFailed,
                E::QuotaExceeded,
            ],
            routes!(variables::increment),
        ),
        row(
            Write,
            &[
                E::DuplicateVariableTarget,
                E::VariableHostNotFound,
                E::VariableReserved,
                E::VariableTargetLocked,
                E::QuotaExceeded,
            ],
            routes!(variables_batch::put),
        ),
        row(Write, &[E::VariableHostNotFound, E::VariableTargetLocked], routes!(variables_batch::delete)),
        row(Read, &[E::InvalidVariableContext, E::VariableHostNotFound], routes!(resolve::resolve)),
        row(Read, &[E::SessionNotFound, E::BranchNotFound, E::EventsPurged, E::QuotaExceeded], routes!(events::listen)),
        row(Read, &[], routes!(replies::apply)),
        row(Admin, &[E::InvalidState, E::QuotaExceeded], routes!(keys::create)),
        row(Admin, &[], routes!(keys::list)),
        row(Admin, &[E::KeyNotFound], routes!(keys::revoke)),
        row(Read, &[E::AccountNotFound], routes!(account::get)),
        row(Admin, &[E::AccountNotFound], routes!(account::export)),
        row(Admin, &[E::AccountNotFound, E::ConfirmationMismatch], routes!(account::delete)),
        row(Read, &[], routes!(jobs::list)),
        row(Read, &[E::JobNotFound], routes!(jobs::get)),
        row(Write, &[E::JobNotFound, E::InvalidState], routes!(jobs::cancel)),
        row(Read, &[], routes!(health::metrics)),
        public(&[], routes!(health::health)),
        public(&[], routes!(health::openapi)),
        public(&[], routes!(crate::document::page::index)),
        public(&[], routes!(home::home)),
    ]
}
