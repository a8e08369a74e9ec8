//! Every bound of the system, with the reason beside it. Whatever grows has a row here.

/// Nesting of one JSON value. Deep enough for any document a person can read, shallow enough for every recursive reader.
pub const JSON_DEPTH_MAX: usize = 128;

/// How much deeper than its value a request body may be: `{"items":[{"value":…}]}`.
pub const BODY_ENVELOPE_DEPTH: usize = 4;

/// Bytes of a variable's key. It is part of every index, so it stays well under a database page.
pub const KEY_BYTES_MAX: usize = 512;

/// Characters of an `Idempotency-Key`: room for any id with a name in front.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// Characters of an id that a client may bring.
pub const ID_CHARS_MAX: usize = 128;

/// Bytes of a branch's name. It is free text and appears percent-encoded in `scope_id`, three times as long.
pub const BRANCH_BYTES_MAX: usize = 256;

/// Bytes of a title, a name or a role.
pub const LABEL_BYTES_MAX: usize = 1024;

/// Items of one batch. A batch is one transaction, and a transaction keeps others waiting.
pub const BATCH_ITEMS_MAX: usize = 100;

/// Keys in one `keys=` filter.
pub const FILTER_KEYS_MAX: usize = 100;

/// Rows of one page of a list, and how many are returned by default.
pub const LIST_LIMIT_MAX: i64 = 100;
/// Rows of one page of a list when the request does not say.
pub const LIST_LIMIT_DEFAULT: i64 = 50;

/// Bytes of a request body below `/variables`. A variable is a value, not a file.
pub const VARIABLES_BODY_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of any other request body.
pub const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How long a floor may stay `generating` when the client does not say: longer than the slowest model's reply.
pub const LEASE_MS_DEFAULT: i64 = 10 * 60 * 1000;
/// The longest lease a client may ask for.
pub const LEASE_MS_MAX: i64 = 24 * 60 * 60 * 1000;

/// The highest number a floor, a slot or a swipe may have: far above any conversation, safe in every client's integer.
pub const POSITION_MAX: i64 = 1_000_000_000;

/// Keys that may be staged on one page. A commit decides about all of them in one transaction.
pub const STAGED_WRITES_MAX: i64 = 1_000;

/// Events that are read at once, and bytes of their values. A listener holds no more than one such page.
pub const EVENT_PAGE_MAX: usize = 256;
/// Bytes of the values of the events that are read at once; a single event may have more.
pub const EVENT_PAGE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of events kept in memory for the listeners of one account. Who falls further behind reads the database.
pub const EVENTS_KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Answers under an `Idempotency-Key` that an account keeps for a day; those beyond are kept for an hour. Clients try again
/// within minutes, and an answer can be as long as what it describes.
pub const ANSWERS_KEPT_MAX: i64 = 10_000;

/// Listeners of one account on one server, unless the operator says otherwise. Each one is a connection.
pub const LISTENERS_MAX: usize = 1_000;

/// Names of chats in one cleanup: as many as an account may have sessions, unless the operator says otherwise.
pub const CHAT_FILES_MAX: usize = 100_000;

/// Jobs of an account that have not ended, before one more is refused. Deletions are never refused.
pub const JOBS_OPEN_MAX: i64 = 100;

/// Bytes of the description of a global snapshot: a page of text.
pub const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;

/// Tags of one global snapshot. Each is a row of an index.
pub const SNAPSHOT_TAGS_MAX: usize = 32;
/// Bytes of one tag.
pub const SNAPSHOT_TAG_BYTES_MAX: usize = 256;
/// Characters of one account: far more than anybody plays with, few enough to be counted when one is made.
pub const CHARACTERS_MAX: i64 = 10_000;

/// Greetings of a character or a session. Each becomes a page that is processed when a session is made.
pub const GREETINGS_MAX: usize = 100;

/// Branches that are forked from each other, one behind the other. A read looks at each of them.
pub const FORK_DEPTH_MAX: usize = 256;

/// Floors of one chat that is synced: twice the longest chats that are known.
pub const SYNC_FLOORS_MAX: usize = 20_000;

/// Swipes of one floor of a chat that is synced.
pub const SYNC_SWIPES_MAX: usize = 100;
/// Swipes of all floors of a chat that is synced: each may become a page in one transaction.
pub const SYNC_SWIPES_TOTAL_MAX: usize = 50_000;

/// Bytes of the texts that one sync may bring: they are stored in one transaction. A longer chat is sent in growing parts.
pub const SYNC_TEXT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes of the texts that the pages of one sync may get, each counted as often as it is used. A text that is there already can
/// be named thousands of times in a small request, and every page has a copy of its own.
pub const SYNC_WRITTEN_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of one reply. Longer than any model writes; the text is scanned in one pass.
pub const REPLY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Commands taken from one reply. A model that writes more repeats itself; the rest is one problem.
pub const COMMANDS_MAX: usize = 10_000;

/// Places of one reply that may be the start of a command or the end of a tag, such as `@.`. Each costs a look.
pub const SIGNS_MAX: usize = 100_000;

/// Bytes of a command's reason. It is a remark for a person; some models put the rest of the reply behind it.
pub const REASON_BYTES_MAX: usize = 4096;

/// Bytes of a value in a message. The state is shown elsewhere; a message only has to identify the value.
pub const BRIEF_BYTES_MAX: usize = 200;

/// Problems reported for one reply. Each costs a row on the user's screen.
pub const PROBLEMS_MAX: usize = 1_000;

/// Ops of one turn: what the commands, functions and rules of one reply may do together.
pub const OPS_MAX: usize = 100_000;

/// Bytes of values that one turn may write, copies included. Keeps a patch of copies from doubling forever.
pub const TURN_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Items and members that one turn may move or compare: every command may look through a list, but ten thousand commands
/// may not each look through a million items. Takes about a second.
pub const TURN_WORK_MAX: usize = 20_000_000;

/// Bytes of a document as JSON. Larger states belong into several sessions.
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Segments of a path. A path is never deeper than the document it leads through.
pub const PATH_SEGMENTS_MAX: usize = JSON_DEPTH_MAX;

/// Bytes of a written path.
pub const PATH_BYTES_MAX: usize = 4096;

/// Bytes of an arithmetic expression. Longer text is text.
pub const EXPRESSION_BYTES_MAX: usize = 256;

/// Bytes of one call in a reply, arguments included. An unclosed call is given up there.
pub const CALL_BYTES_MAX: usize = 128 * 1024;

/// Bytes of one block of JSON Patch. As many operations as a reply may have fit in.
pub const PATCH_BYTES_MAX: usize = 1024 * 1024;

/// Operations of one JSON Patch on a variable. It is one transaction, and a transaction keeps others waiting.
pub const PATCH_OPERATIONS_MAX: usize = 1_000;

/// Tags of one kind that are looked at in a reply. A model that writes more repeats itself.
pub const TAGS_MAX: usize = 4_000;

/// Floors that one look at the history of a value passes. Each costs reading its change; who wants more asks on.
pub const HISTORY_FLOORS_MAX: usize = 2_000;

/// Points of a history in one answer: more than a chart has pixels for.
pub const HISTORY_POINTS_MAX: i64 = 1_000;

/// Bytes of values of a history or a log in one answer; a single value or floor may have more.
pub const HISTORY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Versions that the search for the origin of a value goes back. Each costs reading its change.
pub const BLAME_VERSIONS_MAX: usize = 10_000;

/// Replies before the current one that a turn may bring along. Each is read from the database for every turn.
pub const RECENT_TEXTS_MAX: usize = 20;

/// Effects of one turn. Each becomes a row, and is performed in the transaction of a commit.
pub const EFFECTS_MAX: usize = 1_000;

/// Edits by hand that one page has at most: each computation of its state applies them.
pub const PAGE_EDITS_MAX: i64 = 1_000;
