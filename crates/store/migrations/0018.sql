-- The journal of a session's calls has limits in bytes and by age.
ALTER TABLE tool_session ADD COLUMN journal_bytes INT NOT NULL DEFAULT 0; -- bytes of the stored texts of its calls
ALTER TABLE tool_session ADD COLUMN journal_from INT;                     -- when the oldest of its calls was made; null: there is none
UPDATE tool_session SET
    journal_bytes = COALESCE((
        SELECT SUM(LENGTH(b.body)) FROM tool_call_body b
        WHERE b.account_id = tool_session.account_id AND b.session_row = tool_session.session_row), 0),
    journal_from = (
        SELECT MIN(c.created_at) FROM tool_call c
        WHERE c.account_id = tool_session.account_id AND c.session_row = tool_session.session_row);
CREATE INDEX tool_session_by_journal ON tool_session (account_id, journal_from, session_row);

-- Only calls that have not ended are looked for by their status: 0 awaiting_approval, 1 awaiting_client, 2 running.
DROP INDEX tool_call_by_status;
DROP INDEX tool_call_by_state;
CREATE INDEX tool_call_open ON tool_call (account_id, status, lease_until) WHERE status <= 2;
CREATE INDEX tool_call_of_client ON tool_call (account_id, session_row) WHERE status = 1;

-- Short texts stand in the rows that they belong to; longer ones where they were.
ALTER TABLE tool_call ADD COLUMN args BYTES;    -- the arguments as asked; null: they are part 0 of the call's texts
ALTER TABLE scratch ADD COLUMN value BYTES;     -- null: the value is a row of scratch_value, or the result of the call
