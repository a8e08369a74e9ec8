-- A decision that is sent again is answered with what it did; one that comes too late, with why. So an approval stays as long as its call.
ALTER TABLE tool_approval ADD COLUMN outcome INT;       -- null: pending; 0 approved, 1 rejected, 2 nobody decided in time, 3 cancelled
ALTER TABLE tool_approval ADD COLUMN decided_scope INT; -- how long the decision counts
ALTER TABLE tool_approval ADD COLUMN decided_args BYTES; -- the hash of edited arguments
DROP INDEX tool_approval_by_end;
CREATE INDEX tool_approval_pending ON tool_approval (account_id, session_row, ends_at) WHERE outcome IS NULL;
CREATE INDEX tool_approval_by_call ON tool_approval (account_id, session_row, call_row);
