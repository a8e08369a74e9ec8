-- Copies of untrusted text stay untrusted.
ALTER TABLE scratch ADD COLUMN untrusted INT NOT NULL DEFAULT 0;
ALTER TABLE tool_call ADD COLUMN is_untrusted INT NOT NULL DEFAULT 0; -- its resolved arguments hold untrusted text
-- The journal owns results: the variable of a result names the call whose formatted text is its value; null: it has a value of its own.
ALTER TABLE scratch ADD COLUMN result_of INT;
-- `lease_until` is the end of every state that waits: of approvals and of applications, as of processes.
UPDATE tool_call SET lease_until = (
        SELECT MIN(a.ends_at) FROM tool_approval a
        WHERE a.account_id = tool_call.account_id AND a.session_row = tool_call.session_row AND a.call_row = tool_call.call_row)
    WHERE status = 0;
UPDATE tool_call SET lease_until = COALESCE(started_at, created_at) + 86400000 WHERE status = 1 AND lease_until IS NULL;
-- Decisions that count longer than their call can be seen and revoked. Those made before were for definitions without their effects.
DROP TABLE tool_grant;
DROP TABLE account_grant;
CREATE TABLE tool_grant (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    tool        BYTES NOT NULL,
    definition_hash BYTES NOT NULL,
    args_hash   BYTES NOT NULL,
    id          ID NOT NULL,
    args        BYTES NOT NULL,         -- the resolved arguments, JSON
    approved    INT NOT NULL,
    reason      BYTES,
    created_at  INT NOT NULL,
    expires_at  INT,
    PRIMARY KEY (account_id, session_row, tool, definition_hash, args_hash),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX tool_grant_by_id ON tool_grant (account_id, id);
CREATE TABLE account_grant (
    account_id  ID NOT NULL,
    tool        BYTES NOT NULL,
    definition_hash BYTES NOT NULL,
    args_hash   BYTES NOT NULL,
    id          ID NOT NULL,
    args        BYTES NOT NULL,
    approved    INT NOT NULL,
    reason      BYTES,
    created_at  INT NOT NULL,
    expires_at  INT,
    PRIMARY KEY (account_id, tool, definition_hash, args_hash),
    FOREIGN KEY (account_id) REFERENCES account (account_id)
) TABLE_KIND;
CREATE UNIQUE INDEX account_grant_by_id ON account_grant (account_id, id);
-- How many calls of a session wait for applications.
CREATE INDEX tool_call_by_state ON tool_call (account_id, session_row, status);
