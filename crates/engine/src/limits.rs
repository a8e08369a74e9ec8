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

/// Bytes of the address and the headers of a request: more than any browser sends, cookies included.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Bytes of the body of a request to sign in, which needs no key: a key and a name.
pub const SIGN_IN_BODY_BYTES_MAX: usize = 16 * 1024;
/// Bytes of the body of a request whose route needs none: some clients send `{}` or `null`.
pub const NO_BODY_BYTES_MAX: usize = 4 * 1024;
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

/// Bytes of a chat file that is imported: MVU's chats repeat their state on every message. The file is held in memory.
pub const CHAT_FILE_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Bytes of a card that is imported, picture included.
pub const CARD_FILE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of the JSON of a card: it is stored in one row, beside the picture.
pub const CARD_JSON_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of the picture of a card: it is stored in one row.
pub const CARD_IMAGE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Chunks of a picture: each costs a look. Programs that write pictures in small pieces make some hundreds.
pub const PNG_CHUNKS_MAX: usize = 100_000;
/// Nesting of one line of a chat file, or of a card: a stored message stands inside of two objects of ours.
pub const IMPORTED_DEPTH_MAX: usize = JSON_DEPTH_MAX - 4;
/// Entries of one world book.
pub const BOOK_ENTRIES_MAX: usize = 10_000;
/// World books whose first states are put together for one card.
pub const BOOKS_MAX: usize = 100;
/// Remarks in the report of one import. The rest is counted.
pub const IMPORT_REMARKS_MAX: usize = 50;
/// Differences between the states of a chat and ours that the report of its import lists. All are counted.
pub const IMPORT_DIFFERENCES_MAX: usize = 20;
/// Bytes of the body of `POST /import`: longer chats are imported on the command line.
pub const IMPORT_BODY_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Parts of a form: a file, its world books and a dozen of fields.
pub const FORM_PARTS_MAX: usize = BOOKS_MAX + 28;
/// Files of a folder that is imported.
pub const IMPORT_FILES_MAX: usize = 100_000;

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

/// Bytes of the name in front of a rule pack's call, as in `game.memory(`.
pub const CALL_PREFIX_BYTES_MAX: usize = 32;
/// Bytes of a first argument without quotes, for rule packs. Each place that may be a call looks no further.
pub const CALL_WORD_BYTES_MAX: usize = 256;

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

/// Bytes of all those replies; the oldest that are beyond it are left out. Each function and each filter looks through them.
pub const RECENT_TEXTS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Effects of one turn. Each becomes a row, and is performed in the transaction of a commit.
pub const EFFECTS_MAX: usize = 1_000;

/// Bytes of one formula of a rule pack. It is read again whenever its profile is.
pub const FORMULA_BYTES_MAX: usize = 1024;
/// Nesting of one formula: far deeper than a person writes, shallow enough for recursion.
pub const FORMULA_DEPTH_MAX: usize = 32;
/// Entries of one table in the settings of a rule pack: each is looked at in every turn.
pub const PACK_ENTRIES_MAX: usize = 1_000;
/// Years that the calendar of a story counts: far beyond any story, far below an overflow.
pub const STORY_YEAR_MAX: i64 = 1_000_000;
/// Paths in one message about protected nodes that stayed.
pub const STAYED_SHOWN_MAX: usize = 10;
/// Bytes of a summary that is written by hand or by a model.
pub const SUMMARY_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a prompt to a model. Longer ones fit none.
pub const MODEL_PROMPT_BYTES_MAX: usize = 512 * 1024;
/// Bytes of a model's response that are read. A summary is a page of text; more is a model that does not stop.
pub const MODEL_RESPONSE_BYTES_MAX: usize = 1024 * 1024;
/// Pages whose archive entries are read at once.
pub const ARCHIVE_PAGES_READ: usize = 64;

/// Edits by hand that one page has at most: each computation of its state applies them.
pub const PAGE_EDITS_MAX: i64 = 1_000;
/// The same where the next one is an undo, so that a page with as many edits as it may have can still be undone.
pub const PAGE_EDITS_MAX_FOR_UNDO: i64 = 2 * PAGE_EDITS_MAX;

/// A value that an edit by hand replaced or removed is kept beside it up to this size, for people to read.
pub const EDIT_OLD_BYTES_MAX: usize = 4 * 1024;

/// Lines that the functions of one turn may log, and bytes of them. They are stored with the turn's version.
pub const LOG_LINES_MAX: usize = 200;
/// Bytes that the functions of one turn may log.
pub const LOG_BYTES_MAX: usize = 16 * 1024;
/// Bytes of one line of a log. The rest of a longer one is left out.
pub const LOG_LINE_BYTES_MAX: usize = 1024;

/// Milliseconds of processor time for one run of a function or one pattern. A function of a story needs a tenth of one.
pub const SCRIPT_FUNCTION_MS: u64 = 100;
/// Milliseconds of processor time for all functions and patterns of a turn. Others wait for the same worker.
pub const SCRIPT_TURN_MS: u64 = 1_000;
/// Bytes of memory of a script. The largest document fits in as the machine holds it.
pub const SCRIPT_MEMORY_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of the stack of a script: some thousand calls inside each other.
pub const SCRIPT_STACK_BYTES: usize = 1024 * 1024;
/// Bytes that the calls of one turn may send to a worker: documents go over once for each run of functions.
pub const SCRIPT_SENT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Functions that authors put into one scope: the account's, or those of one character. Each enabled one costs a part of every turn.
pub const FUNCTIONS_MAX: i64 = 200;

/// Bytes of a function's name.
pub const FUNCTION_NAME_BYTES_MAX: usize = 128;

/// Bytes of a function's pattern. Longer ones are not written by people.
pub const FUNCTION_PATTERN_BYTES_MAX: usize = 4096;

/// Bytes of the code that a model gives to the tool that runs it.
pub const SCRIPT_SOURCE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a function's code.
pub const FUNCTION_EXECUTOR_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a function's signature, and of its example: each is a line of a prompt.
pub const FUNCTION_LINE_BYTES_MAX: usize = 1024;

/// Bytes of all texts of the functions of one scope. They are read and hashed whole when one of them changes, and the turns of
/// a session keep them in memory.
pub const FUNCTIONS_BYTES_MAX: usize = 1024 * 1024;

/// Functions of one trial: two full scopes.
pub const TRIAL_FUNCTIONS_MAX: usize = 400;
/// Bytes of the texts of one prompt that is rendered: more than the context of any model.
pub const PROMPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Messages of one prompt that is rendered.
pub const PROMPT_MESSAGES_MAX: usize = 10_000;

/// Macros inside macros, and blocks inside blocks. Deeper ones stay as they are written.
pub const MACRO_DEPTH_MAX: usize = 16;

/// Macros that are evaluated in one prompt: twenty times the largest prompts that are known.
pub const MACRO_STEPS_MAX: usize = 20_000;

/// Bytes that the macros of one prompt may produce together, in texts, arguments and written values.
pub const MACRO_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of values that the macros of one prompt go through without showing them: reading JSON that is kept as text, comparing
/// and copying lists and objects, writing views.
pub const MACRO_WORK_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Bytes of a value that a macro writes: no more than a request can write.
pub const VARIABLE_BYTES_MAX: usize = VARIABLES_BODY_BYTES_MAX;

/// Floors whose states the views of one prompt compare with. Each is read from the database.
pub const PROMPT_FLOORS_MAX: usize = 64;

/// Writes by the macros of one prompt. Each becomes a row of the page.
pub const MACRO_WRITES_MAX: usize = 128;

/// Warnings that are reported for one prompt, and macros whose use is reported.
pub const MACRO_WARNINGS_MAX: usize = 1_000;
/// Macros of one prompt whose use of variables is reported.
pub const MACRO_USES_MAX: usize = 1_000;

/// Words of a condition, in a macro or a view. Each may be looked up once per prompt.
pub const CONDITION_WORDS_MAX: usize = 256;

/// Views of one profile. Each may be rendered in every prompt.
pub const VIEWS_MAX: usize = 32;
/// Paths, priorities, texts or ranges of one view.
pub const VIEW_ROWS_MAX: usize = 200;
/// Bytes of a text in a view, or of its title.
pub const VIEW_TEXT_BYTES_MAX: usize = 4096;
/// Bytes of the text of one view, and of a rule pack's. Blanks in front of lines make a deep state hundreds of times as long, and no
/// model reads a text of this length.
pub const VIEW_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes that are written again while parts of members are dropped from a view; then whole members are.
pub const VIEW_REWRITTEN_BYTES_MAX: usize = 4 * VIEW_BYTES_MAX;
/// Segments of all paths that are gone in a view of what changed. Each path has a copy of the way to it.
pub const VIEW_GONE_SEGMENTS_MAX: usize = 1_000_000;
/// Functions of one call to a worker. Those behind one that is refused have to run again.
pub const CALL_FUNCTIONS_MAX: usize = 100;

/// Bytes of the name of a scratchpad's variable. It is part of an index, and of prompts.
pub const SCRATCH_NAME_BYTES_MAX: usize = 512;
/// Bytes of the value of a scratchpad's variable: a request body, or the largest result of a tool.
pub const SCRATCH_VALUE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of the description of a scratchpad's variable. Lists show it.
pub const SCRATCH_DESC_BYTES_MAX: usize = 16 * 1024;
/// Tags of a scratchpad's variable.
pub const SCRATCH_TAGS_MAX: usize = 64;
/// Bytes of one of them.
pub const SCRATCH_TAG_BYTES_MAX: usize = 256;

/// Bytes that the references of one call may expand to. A chain of variables that name each other twice doubles with each.
pub const REFERENCE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// References of one call, nested ones counted.
pub const REFERENCES_MAX: usize = 10_000;
/// Names that the references of one call look up: a slice is looked up as a whole name, then without one and without two numbers.
pub const REFERENCE_LOOKUPS_MAX: usize = 3 * REFERENCES_MAX;
/// Places of a tool's JSON Schema that are looked at for one call. What is not looked at any more is allowed.
pub const SCHEMA_STEPS_MAX: usize = 1_000_000;
/// Variables that refer to each other, one behind the other.
pub const REFERENCE_DEPTH_MAX: usize = 64;

/// Bytes of the name of a tool or a group.
pub const TOOL_NAME_BYTES_MAX: usize = 128;
/// Bytes of one tool's definition. All enabled ones go into every prompt.
pub const TOOL_DEFINITION_BYTES_MAX: usize = 64 * 1024;
/// Tools of one group.
pub const TOOL_GROUP_TOOLS_MAX: usize = 256;
/// Rules of one group. Each is a variable of the session, and a line of every prompt.
pub const TOOL_GROUP_RULES_MAX: usize = 256;
/// Bytes of one rule of a group, and of what its model has to know to use its tools: a prompt has room for some of them.
pub const TOOL_RULE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of all rules of a group: they are written in one transaction.
pub const TOOL_GROUP_RULES_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Groups that applications may register in one session.
pub const TOOL_GROUPS_MAX: i64 = 100;
/// Rules of one permission that refuse calls. Each is compared with the arguments of every call.
pub const TOOL_DENY_RULES_MAX: usize = 100;
/// Bytes of arguments that are compared with all rules of a permission, counted once for each rule that looks through a list or
/// an object inside of another. Arguments that need more are refused: no rule may be passed by.
pub const TOOL_DENY_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Bytes of what a person or a tool says about a call: a reason, an error.
pub const TOOL_MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// Bytes of the texts of calls and decisions in one answer that lists them; a single one may have more.
pub const TOOL_LIST_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Approvals of one session that wait for a decision, before a further call is refused.
pub const APPROVALS_PENDING_MAX: i64 = 1_000;
/// Decisions that a session or an account remembers; the oldest give way.
pub const APPROVAL_RECORDS_MAX: i64 = 10_000;
/// How long a person has to decide, unless the operator says otherwise; no answer is a rejection.
pub const APPROVAL_MS_DEFAULT: i64 = 24 * 60 * 60 * 1000;
/// How long a decision may count when its permission says how long: a hundred years. Beyond it a time could not be computed.
pub const APPROVAL_EXPIRY_MS_MAX: i64 = 100 * 366 * 24 * 60 * 60 * 1000;
/// How long an application has to return the result of its tool; then nobody knows what became of the call.
pub const CLIENT_CALL_MS_MAX: i64 = 24 * 60 * 60 * 1000;
/// Calls of one session that wait for the results of applications, before a further call is refused.
pub const CLIENT_CALLS_MAX: i64 = 1_000;
/// How many new calls the journal waits for before it drops those beyond its limit.
pub const CALLS_DROPPED_AT_ONCE: i64 = 64;
/// Calls that one pass over an account ends at most.
pub const CALLS_ENDED_AT_ONCE: i64 = 1_000;
/// Bytes of memory for the parsed tools of sessions.
pub const SESSION_TOOLS_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a call may be silent beyond its time limit before its process counts as dead.
pub const CALL_LEASE_MARGIN_MS: i64 = 60_000;

/// Bytes of a page of the web that becomes Markdown.
pub const WEB_PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Redirects that one fetch of a page follows.
pub const WEB_REDIRECTS_MAX: usize = 5;
/// Bytes of the answer of an HTTP API that a group is described over.
pub const HTTP_TOOL_ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of a file that a tool reads or writes.
pub const TOOL_FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Entries of a folder's list, and matches of a search in files.
pub const TOOL_FILE_ENTRIES_MAX: usize = 500;
/// Files and folders that one search passes, whether or not their names fit.
pub const TOOL_SEARCH_ENTRIES_MAX: usize = 20_000;
/// Files that one search opens.
pub const TOOL_SEARCH_FILES_MAX: usize = 5_000;
/// Bytes that one search reads.
pub const TOOL_SEARCH_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How deep lists of folders and searches go.
pub const TOOL_FOLDER_DEPTH_MAX: usize = 10;
/// How long a custom script may take: longer ones would outlive every client that waits for them.
pub const TOOL_SCRIPT_TIMEOUT_MS_MAX: u64 = 3_600_000;
/// Bytes of memory of one process of a custom script.
pub const TOOL_SCRIPT_MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// Processes of one run of a custom script.
pub const TOOL_SCRIPT_PROCESSES_MAX: u64 = 64;
/// Bytes that a custom script writes to each of its outputs.
pub const TOOL_SCRIPT_OUTPUT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a file that a custom script writes.
pub const TOOL_SCRIPT_FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Files that a process of a custom script has open.
pub const TOOL_SCRIPT_OPEN_FILES_MAX: u64 = 256;

/// Calls that the journal of a session keeps. Those that have not ended are never purged.
pub const CALLS_KEPT_MAX: i64 = 10_000;
/// Bytes of the texts of calls, as they are stored, that the journal of a session keeps: arguments and results.
pub const CALLS_KEPT_BYTES_MAX: i64 = 256 * 1024 * 1024;
/// Calls that one transaction drops at most. More than come between two droppings, so that the journal gets back below its limits.
pub const CALLS_DROPPED_MAX: i64 = 2 * CALLS_DROPPED_AT_ONCE;

/// Browsers that are signed in with one key at the same time; one more signs the oldest of that key out, never those of others.
pub const BROWSERS_MAX: i64 = 100;

/// Days that a browser may stay signed in.
pub const SIGN_IN_DAYS_MAX: i64 = 365;
