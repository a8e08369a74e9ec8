-- The macros of a prompt may write a key several times, and to the branch as well as globally: each write is a row of the page's
-- ledger, numbered by slot in the order of the text. What a tool or a client stages has slot 0, one row for each key.
CREATE TABLE slotted_write (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    key         BYTES NOT NULL,
    slot        INT NOT NULL,
    id          ID NOT NULL,
    seq         INT NOT NULL,           -- the clock's tick, in whose order the ledger is shown
    op          INT NOT NULL,           -- 0 set, 1 delete
    value       BYTES,
    intent      INT NOT NULL,           -- 0 page only, 1 to the floor, 2 to the branch, 3 to the chat, 4 to the account
    policy      INT NOT NULL,           -- 0 replace, 1 if absent
    source_kind INT NOT NULL,           -- 0 unknown, 1 macro, 2 tool, 3 agent, 4 memory
    reason      BYTES,
    source      BYTES,
    evidence    BYTES,
    status      INT NOT NULL,           -- 0 staged, 1 accepted on the page only, 2 promoted, 3 rejected, 4 discarded
    decision    INT,                    -- the code and reason of the decision, as a row of the engine's table
    created_at  INT NOT NULL,
    resolved_at INT,
    PRIMARY KEY (account_id, session_row, page_row, key, slot),
    FOREIGN KEY (account_id, session_row, page_row)
        REFERENCES page (account_id, session_row, page_row) ON DELETE CASCADE
) TABLE_KIND;
INSERT INTO slotted_write (account_id, session_row, page_row, key, slot, id, seq, op, value, intent, policy, source_kind, reason,
        source, evidence, status, decision, created_at, resolved_at)
    SELECT account_id, session_row, page_row, key, 0, id, seq, op, value, intent, policy, source_kind, reason, source, evidence,
        status, decision, created_at, resolved_at FROM staged_write;
DROP TABLE staged_write;
ALTER TABLE slotted_write RENAME TO staged_write;
