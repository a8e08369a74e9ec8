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
                let meanings = [$(concat!("- ", stringify!($status), " `", $code, "`: ", $description),)*];
                let about = format!("For programs; keeps its spelling.\n\n{}", meanings.join("\n"));
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some(about))
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
    MalformedRequest "malformed_request" 400
        "The head of the request is not one of HTTP/1.1: it needs exactly one `Host`.";
    MalformedJson "malformed_json" 400
        "The body cannot be read as JSON: a syntax error, a duplicate key in one object, half a surrogate pair, a number beyond 64 bits, or nesting that is too deep.";
    InvalidVariableContext "invalid_variable_context" 400
        "Session, branch, floor and page do not belong together, or a branch `scope_id` cannot be read.";
    DuplicateVariableTarget "duplicate_variable_target" 400
        "Two items of a batch name the same variable; send each variable once.";
    FloorPatchRestrictedField "floor_patch_restricted_field" 400
        "This field of a floor cannot be patched; change the state with `generate`, `commit` and `fail`.";
    AuthRequired "auth_required" 401
        "The request carries no key; send `Authorization: Bearer <key>` or `x-api-key: <key>`, or sign in.";
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
    SourceFloorNotFound "source_floor_not_found" 404
        "The floor that the branch would be forked from does not exist in the session.";
    ViewNotFound "view_not_found" 404
        "The session's profile has no view with this name; the message lists those it has.";
    PageNotFound "page_not_found" 404
        "The page does not exist, or not where the request says.";
    SnapshotNotFound "snapshot_not_found" 404
        "The snapshot does not exist.";
    EditNotFound "edit_not_found" 404
        "The page has no such edit by hand.";
    GlobalSnapshotNotFound "global_snapshot_not_found" 404
        "The global snapshot does not exist.";
    CharacterNotFound "character_not_found" 404
        "The character does not exist.";
    FunctionNotFound "function_not_found" 404
        "The function does not exist, or not in the scope that the request names.";
    KeyNotFound "key_not_found" 404
        "The key does not exist.";
    BrowserNotFound "browser_not_found" 404
        "No such browser is signed in.";
    AccountNotFound "account_not_found" 404
        "The account does not exist.";
    TrashNotFound "trash_not_found" 404
        "Nothing in the trash has this id; it may have been restored or purged.";
    CallNotFound "call_not_found" 404
        "The call does not exist, or the journal does not keep it any more.";
    ApprovalNotFound "approval_not_found" 404
        "The approval does not exist, or the journal does not keep its call any more.";
    GrantNotFound "grant_not_found" 404
        "No decision with this id is remembered for the session; it was revoked or has given way to newer ones.";
    ScratchpadVariableNotFound "scratchpad_variable_not_found" 404
        "The scratchpad has no variable with this name; a new one needs a value.";
    ToolGroupNotFound "tool_group_not_found" 404
        "The session has no tool group with this name.";
    ToolNotFound "tool_not_found" 404
        "The session has no tool with this name.";
    JobNotFound "job_not_found" 404
        "The job does not exist.";
    WriteNotFound "write_not_found" 404
        "This server knows no such write: it never outlived its request, or it was long ago, or the server was started again.";
    NotFound "not_found" 404
        "The page of the staged writes or promotions does not exist.";
    RouteNotFound "route_not_found" 404
        "No route has this path; `/openapi.json` lists them.";
    MethodNotAllowed "method_not_allowed" 405
        "The route does not support this method; the `Allow` header lists the supported ones.";
    VariableTargetLocked "variable_target_locked" 409
        "The floor is generating or committed, so its variables and those of its pages are read-only. To change them, stage the writes on another swipe and commit the floor with its `page_id`.";
    VariableNotANumber "variable_not_a_number" 409
        "The variable cannot be incremented: its value is not a number, or the sum exceeds 64 bits.";
    VariableReserved "variable_reserved" 409
        "The key is the name of the story state, which cannot be written as a variable; take a turn, or edit its snapshot.";
    ParentMoved "parent_moved" 409
        "The state that the turn or edit builds on has changed; read the state of the branch and retry.";
    ApprovalSettled "approval_settled" 409
        "The approval was decided otherwise before, timed out, or its call was cancelled; the message says which. The same decision sent again is answered with the call.";
    SyncConflict "sync_conflict" 409
        "The branch cannot be made equal to the chat: a floor is generating or has several slots; the message names the floor and the next step.";
    SyncDeletes "sync_deletes" 409
        "The sync would delete floors or swipes, or replace texts, more than it says it may, or more than five and a fifth of the branch without saying so; the message says what to send.";
    NothingToRestore "nothing_to_restore" 409
        "Every page of this item of the trash has another state by now, so nothing would be restored; the item stays in the trash.";
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
    RuleProtected "rule_protected" 409
        "The variable is a skill rule, which can be neither written nor removed; choose another name.";
    InvalidState "invalid_state" 409
        "The state of the floor, the page, the job, the call or the server does not allow this now.";
    FunctionBuiltIn "function_built_in" 409
        "The function comes with the program: it can be switched on and off and copied; change a copy of it.";
    ImportExists "import_exists" 409
        "The chat or the character of the file is there already; send `if_exists`: `update` makes it equal to the file, `copy` imports it beside.";
    IdTaken "id_taken" 409
        "This id or `chat_file` exists already; choose another or leave it out.";
    PositionTaken "position_taken" 409
        "The position on the branch or the version in the slot is taken; leave it out to get the next free one.";
    ConfirmationMismatch "confirmation_mismatch" 409
        "`confirm` is not the id of the account that would be deleted.";
    EventsPurged "events_purged" 410
        "Events after this `Last-Event-ID` have been purged; connect without it and read the state again.";
    PreconditionFailed "precondition_failed" 412
        "What is there does not match `If-Match` or `If-None-Match`; read it again and retry.";
    PayloadTooLarge "payload_too_large" 413
        "The body is larger than the route accepts.";
    SyncTooLarge "sync_too_large" 413
        "The pages that the sync adds or changes would get more than 64 MiB of text, each text counted as often as it is used; sync the first part of the chat, then a longer part, and so on.";
    ImportTooLarge "import_too_large" 413
        "The file, its picture, a message or the number of messages is larger than can be imported; the message says which and how large it may be. Nothing was changed.";
    UnsupportedMediaType "unsupported_media_type" 415
        "The body is not `application/json`.";
    ImportUnreadable "import_unreadable" 422
        "The file is no chat and no card that can be read: the message says why, in which line, and what to do. Nothing was changed.";
    PatchFailed "patch_failed" 422
        "The JSON Patch cannot be applied to the value; `details` names the operation.";
    IdempotencyKeyReused "idempotency_key_reused" 422
        "The `Idempotency-Key` was used for another request; use a fresh one for each request.";
    QuotaExceeded "quota_exceeded" 429
        "The account has reached a quota; delete something, or ask for a higher quota.";
    HeadTooLarge "head_too_large" 431
        "The address and the headers of the request are longer than 64 KiB together; send less.";
    InternalError "internal_error" 500
        "A defect of the server; `details` has the request id to look for in its log.";
    ModelUnavailable "model_unavailable" 502
        "The configured model could not be asked or gave no text; the summary stays due. Retry, or send the text yourself.";
    StoreUnavailable "store_unavailable" 503
        "The database cannot be used right now; the same request may succeed later. The message says so if the write may have happened.";
    ScriptsUnavailable "scripts_unavailable" 503
        "Functions cannot be run right now: too many turns wait for them, or no worker starts. Nothing was stored; try again.";
    RequestTimeout "request_timeout" 503
        "The request took too long and was given up; nothing was changed and nothing will be. Try again.";
    WritePending "write_pending" 503
        "The request took too long, and its write has begun: it may still happen. `details` has an id; ask `GET /writes/{id}` for the outcome before you send it again, or repeat it under its `Idempotency-Key`.";
    Overloaded "overloaded" 503
        "The server holds as many bytes of requests and responses, or as many connections, as it may; nothing was changed. Try again after the time in `Retry-After`.";
    StoreDamaged "store_damaged" 503
        "Stored data is corrupt; `tavernkeep check` reports the corruption, and a backup restores the data.";
    StoreFull "store_full" 507
        "The disk is full; free space and retry.";
}

impl ToSchema for ErrorCode {}
