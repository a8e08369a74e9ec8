-- Tools of a session: scratchpad, settings, calls and approvals. They have a clock of their own, so that a call changes nothing
-- that the session's variables, states and cached responses depend on.
CREATE TABLE tool_session (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    seq         INT NOT NULL,           -- the clock of the session's tools
    variables   INT NOT NULL,           -- how many variables the scratchpad has
    calls       INT NOT NULL,           -- the number of the last call
    config      INT NOT NULL,           -- one more with each change of groups and settings
    rules_hash  BYTES NOT NULL,         -- the rules of the program that were registered last
    defaults    BYTES,                  -- the account's defaults when the session first used its tools
    PRIMARY KEY (account_id, session_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

CREATE TABLE tool_setting (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    kind        INT NOT NULL,           -- 0 group, 1 tool
    name        BYTES NOT NULL,
    enabled     INT,                    -- null: the default counts
    permission  BYTES,                  -- JSON; null: the tool's own counts
    PRIMARY KEY (account_id, session_row, kind, name),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

-- Groups that applications registered.
CREATE TABLE tool_group (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    name        BYTES NOT NULL,
    position    INT NOT NULL,           -- the order of registration
    declaration BYTES NOT NULL,         -- JSON
    PRIMARY KEY (account_id, session_row, name),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

-- What new sessions of an account begin with.
CREATE TABLE tool_default (
    account_id  ID NOT NULL,
    defaults    BYTES NOT NULL,         -- JSON
    updated_at  INT NOT NULL,
    PRIMARY KEY (account_id),
    FOREIGN KEY (account_id) REFERENCES account (account_id)
) TABLE_KIND;

CREATE TABLE scratch (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    name        BYTES NOT NULL,
    kind        INT NOT NULL,
    kept        INT NOT NULL,
    length      INT NOT NULL,           -- characters of the value
    description BYTES,
    tags        BYTES,                  -- a JSON list
    created     INT NOT NULL,           -- ticks of the clock
    updated     INT NOT NULL,
    visited     INT NOT NULL,
    references_made INT NOT NULL,
    PRIMARY KEY (account_id, session_row, name),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
-- The order of eviction.
CREATE INDEX scratch_by_visit ON scratch (account_id, session_row, kept, visited, updated, created, name DESC);

CREATE TABLE scratch_value (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    name        BYTES NOT NULL,
    value       BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, name),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

CREATE TABLE tool_call (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    call_row    INT NOT NULL,
    id          ID NOT NULL,
    tool        BYTES NOT NULL,
    tool_group  BYTES,                  -- null: there is no such tool
    status      INT NOT NULL,
    stage       INT,                    -- of awaiting_approval: 0 execution, 1 result of a success, 2 result of a failure
    result_policy INT NOT NULL,
    created_at  INT NOT NULL,
    started_at  INT,
    ended_at    INT,
    definition_hash BYTES NOT NULL,
    args_hash   BYTES NOT NULL,
    node        BYTES NOT NULL,         -- the part of its variables' names that is its own
    page_id     ID,
    branch_id   BYTES,
    run         BYTES,                  -- who runs it: the process and the try
    lease_until INT,                    -- when the process that runs it counts as dead
    is_truncated INT NOT NULL,
    is_cached   INT NOT NULL,           -- whether its variables were put on the scratchpad
    data_is_text INT NOT NULL,          -- the data is the formatted text
    error       BYTES,
    reason      BYTES,                  -- why it was rejected
    decided_by  BYTES,
    PRIMARY KEY (account_id, session_row, call_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX tool_call_by_id ON tool_call (account_id, id);
CREATE INDEX tool_call_by_status ON tool_call (account_id, status, lease_until);

CREATE TABLE tool_call_body (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    call_row    INT NOT NULL,
    part        INT NOT NULL,           -- 0 arguments as asked, 1 resolved, 2 data, 3 final text, 4 formatted text
    body        BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, call_row, part),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

CREATE TABLE tool_approval (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    id          ID NOT NULL,
    call_row    INT NOT NULL,
    kind        INT NOT NULL,           -- 0 execution, 1 result
    policy      INT NOT NULL,           -- the execution policy, for the default scope
    expires_ms  INT,                    -- how long a decision counts
    created_at  INT NOT NULL,
    ends_at     INT NOT NULL,           -- no answer until then is a rejection
    PRIMARY KEY (account_id, session_row, id),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX tool_approval_by_id ON tool_approval (account_id, id);
CREATE INDEX tool_approval_by_end ON tool_approval (account_id, ends_at);

-- Decisions that count longer than their call: of a session, and of an account.
CREATE TABLE tool_grant (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    tool        BYTES NOT NULL,
    definition_hash BYTES NOT NULL,
    args_hash   BYTES NOT NULL,
    approved    INT NOT NULL,
    reason      BYTES,
    created_at  INT NOT NULL,
    expires_at  INT,
    PRIMARY KEY (account_id, session_row, tool, definition_hash, args_hash),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE TABLE account_grant (
    account_id  ID NOT NULL,
    tool        BYTES NOT NULL,
    definition_hash BYTES NOT NULL,
    args_hash   BYTES NOT NULL,
    approved    INT NOT NULL,
    reason      BYTES,
    created_at  INT NOT NULL,
    expires_at  INT,
    PRIMARY KEY (account_id, tool, definition_hash, args_hash),
    FOREIGN KEY (account_id) REFERENCES account (account_id)
) TABLE_KIND;
