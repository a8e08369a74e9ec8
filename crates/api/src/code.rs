//! The one table of error codes. Codes are for programs and keep their spelling; messages are for people and may improve.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! error_codes {
    ($($name:ident $code:literal $status:literal $description:literal;)*) => {
        /// What an error answer says to a program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $description] $name,)*
        }

        impl PartialSchema for ErrorCode {
            fn schema() -> RefOr<Schema> {
                let codes = [$($code,)*];
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some("For programs; keeps its spelling."))
                    .enum_values(Some(codes))
                    .into()
            }
        }

        impl ErrorCode {
            /// All codes, in the order of their status.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The spelling on the wire.
            pub const fn code(self) -> &'static str {
                match self { $(ErrorCode::$name => $code,)* }
            }

            /// The HTTP status it is answered with.
            pub const fn status(self) -> u16 {
                match self { $(ErrorCode::$name => $status,)* }
            }

            /// What it means and what to do.
            pub const fn description(self) -> &'static str {
                match self { $(ErrorCode::$name => $description,)* }
            }
        }
    };
}

error_codes! {
    ValidationError "validation_error" 400
        "The request does not have the documented shape; `details` lists each wrong field and what it must be.";
    MalformedJson "malformed_json" 400
        "The body cannot be read as JSON: a syntax error, a duplicate key in one object, half a surrogate pair, a number beyond 64 bits, or nesting that is too deep.";
    InvalidVariableContext "invalid_variable_context" 400
        "Session, branch, floor and page do not belong together, or a branch `scope_id` cannot be read.";
    DuplicateVariableTarget "duplicate_variable_target" 400
        "Two items of a batch name the same variable; send each variable once.";
    FloorPatchRestrictedField "floor_patch_restricted_field" 400
        "This field of a floor cannot be patched; change the state with `generate`, `commit` and `fail`.";
    AuthRequired "auth_required" 401
        "The request carries no key; send `Authorization: Bearer <key>` or `x-api-key: <key>`.";
    AuthInvalidCredentials "auth_invalid_credentials" 403
        "The key is unknown, revoked or expired.";
    AuthAccountDisabled "auth_account_disabled" 403
        "The key's account is disabled.";
    AuthRoleInsufficient "auth_role_insufficient" 403
        "The key's role does not allow this; use a key with the role that the route names.";
    HostNotAllowed "host_not_allowed" 403
        "The `Host` header names a host that this server does not answer for; add it to `allowed_hosts`.";
    OriginNotAllowed "origin_not_allowed" 403
        "A web page of another origin sent the request; add the origin to `allowed_origins`.";
    VariableHostNotFound "variable_host_not_found" 404
        "The session, branch, floor or page of the variable does not exist.";
    VariableNotFound "variable_not_found" 404
        "The variable does not exist.";
    SessionNotFound "session_not_found" 404
        "The session does not exist.";
    BranchNotFound "branch_not_found" 404
        "The branch does not exist in the session.";
    FloorNotFound "floor_not_found" 404
        "The floor does not exist, or not where the request says.";
    PageNotFound "page_not_found" 404
        "The page does not exist, or not where the request says.";
    SnapshotNotFound "snapshot_not_found" 404
        "The snapshot does not exist.";
    GlobalSnapshotNotFound "global_snapshot_not_found" 404
        "The global snapshot does not exist.";
    CharacterNotFound "character_not_found" 404
        "The character does not exist.";
    KeyNotFound "key_not_found" 404
        "The key does not exist.";
    AccountNotFound "account_not_found" 404
        "The account does not exist.";
    TrashNotFound "trash_not_found" 404
        "Nothing in the trash has this id; it may have been restored or purged.";
    JobNotFound "job_not_found" 404
        "The job does not exist.";
    NotFound "not_found" 404
        "The page of the staged writes or promotions does not exist.";
    RouteNotFound "route_not_found" 404
        "No route has this path; `/openapi.json` lists them.";
    MethodNotAllowed "method_not_allowed" 405
        "The route does not support this method; the `Allow` header lists the supported ones.";
    VariableTargetLocked "variable_target_locked" 409
        "The floor is generating or committed, so its variables and those of its pages are read-only.";
    VariableNotANumber "variable_not_a_number" 409
        "The variable cannot be incremented: its value is not a number, or the sum exceeds 64 bits.";
    VariableReserved "variable_reserved" 409
        "The key is the name of the story state, which cannot be written as a variable; take a turn, or edit its snapshot.";
    ParentMoved "parent_moved" 409
        "The state that the turn or edit builds on has changed; read the state of the branch and retry.";
    SyncConflict "sync_conflict" 409
        "The branch cannot be made equal to the chat: a floor is generating or has several slots; the message names the floor and the next step.";
    SyncDeletes "sync_deletes" 409
        "The sync would delete more floors than it says it may, or more than five and a fifth of the branch without saying so; the message says what to send.";
    ChatMoved "chat_moved" 409
        "The branch differs from `expected_version` or `expected_last`: another client added or changed something. Read those changes, for example with `dry_run` and without expectations, then sync again.";
    BranchBusy "branch_busy" 409
        "A job is processing the branch, or must process it first because that takes longer than a request; the message names the job. Retry when it has ended.";
    ForkTooDeep "fork_too_deep" 409
        "The chain of forks is 256 branches long already; fork a floor of an earlier branch.";
    BranchExists "branch_exists" 409
        "The session already has a branch with this id.";
    ProtectedBranch "protected_branch" 409
        "The branch `main` cannot be deleted; delete the session instead.";
    BranchLocalSnapshotMissing "branch_local_snapshot_missing" 409
        "The floor that the branch was forked from was never committed, so there are no branch values to inherit.";
    InvalidState "invalid_state" 409
        "The state of the floor, the page, the job or the server does not allow this now.";
    IdTaken "id_taken" 409
        "This id or `chat_file` exists already; choose another or leave it out.";
    PositionTaken "position_taken" 409
        "The position on the branch or the version in the slot is taken; leave it out to get the next free one.";
    ConfirmationMismatch "confirmation_mismatch" 409
        "`confirm` is not the id of the account that would be deleted.";
    EventsPurged "events_purged" 410
        "Events after this `Last-Event-ID` have been purged; connect without it and read the state again.";
    PreconditionFailed "precondition_failed" 412
        "The variable or snapshot does not match `If-Match` or `If-None-Match`; read it again and retry.";
    PayloadTooLarge "payload_too_large" 413
        "The body is larger than the route accepts.";
    SyncTooLarge "sync_too_large" 413
        "The pages that the sync adds or changes would get more than 64 MiB of text, each text counted as often as it is used; sync the first part of the chat, then a longer part, and so on.";
    UnsupportedMediaType "unsupported_media_type" 415
        "The body is not `application/json`.";
    PatchFailed "patch_failed" 422
        "The JSON Patch cannot be applied to the value; `details` names the operation.";
    IdempotencyKeyReused "idempotency_key_reused" 422
        "The `Idempotency-Key` was used for another request; use a fresh one for each request.";
    QuotaExceeded "quota_exceeded" 429
        "The account has reached a quota; delete something, or ask for a higher quota.";
    InternalError "internal_error" 500
        "A defect of the server; `details` has the request id to look for in its log.";
    StoreUnavailable "store_unavailable" 503
        "The database cannot be used right now; the same request may succeed later.";
    RequestTimeout "request_timeout" 503
        "The request took too long and was aborted; a write may still have happened.";
    StoreDamaged "store_damaged" 503
        "Stored data is corrupt; `tavernkeep check` reports the corruption, and a backup restores the data.";
    StoreFull "store_full" 507
        "The disk is full; free space and retry.";
}

impl ToSchema for ErrorCode {}
