-- Staged writes and promotions, the history of variables, events, retries, jobs, and what a branch inherits.

-- The tick of the session's clock at the commit: what a fork of this floor reads the history as of. A page has its own,
-- and its floor shows the one of the page that is active.
ALTER TABLE floor ADD COLUMN committed_seq INT;
ALTER TABLE page ADD COLUMN committed_seq INT;

-- Where the branch's values come from, settled when it was forked: what happens to that floor later does not leak in.
ALTER TABLE branch ADD COLUMN source_branch_row INT;
ALTER TABLE branch ADD COLUMN source_branch_floor_no INT;     -- only its floors up to this one lie before the branch
ALTER TABLE branch ADD COLUMN source_seq INT;
UPDATE branch SET source_branch_floor_no = source_floor_no, source_branch_row = (SELECT f.branch_row FROM floor f
    WHERE f.account_id = branch.account_id AND f.session_row = branch.session_row
        AND f.floor_row = branch.source_floor_row);

-- Set while a long session is being deleted: it is gone for everybody already.
ALTER TABLE session ADD COLUMN deleted_at INT;
CREATE INDEX session_hidden ON session (account_id, deleted_at, session_row) WHERE deleted_at IS NOT NULL;

ALTER TABLE account ADD COLUMN sessions INT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN sessions_max INT;              -- quotas; null is the server's setting
ALTER TABLE account ADD COLUMN variables_max INT;
ALTER TABLE account ADD COLUMN keys_max INT;
ALTER TABLE account ADD COLUMN events_purged INT NOT NULL DEFAULT 0; -- events up to this position are gone
UPDATE account SET sessions = (SELECT COUNT(*) FROM session WHERE session.account_id = account.account_id);

-- Every write of every variable. The newest row that counts is what the variable holds; a row that came from a page
-- counts only while that page is active, and a restored or withdrawn one never does: it repeats another, or records that
-- the variable is gone. What a branch had at a tick is its newest row up to that tick, whether it counts now or not.
CREATE TABLE history (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    scope       INT NOT NULL,
    host_row    INT NOT NULL,
    key         BYTES NOT NULL,
    seq         INT NOT NULL,           -- the clock's tick
    variable_id ID NOT NULL,
    source      INT NOT NULL,           -- 0 put, 1 increment, 2 patch, 3 staged, 4 promoted, 5 restored, 6 inherited, 7 withdrawn
    page_row    INT,                    -- the page that promoted it
    value       BYTES,                  -- null: deleted
    PRIMARY KEY (account_id, session_row, scope, host_row, key, seq)
) TABLE_KIND;
-- The keys that were deleted on a branch: what they hide of the branches before it. It has more columns to look for than the
-- primary key has, or else SQLite prefers that one and reads the whole history of the branch.
CREATE INDEX history_deleted ON history (account_id, session_row, scope, host_row, value, key, seq) WHERE value IS NULL;
INSERT INTO history (account_id, session_row, scope, host_row, key, seq, variable_id, source, page_row, value)
    SELECT account_id, session_row, scope, host_row, key, revision, id, 0, NULL, value FROM variable;

-- Which floors of a branch say something of a key, so that lineage finds the nearest one without reading every floor. A
-- floor that is named here and has no such variable has taken the key away.
CREATE TABLE floor_key (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    branch_row  INT NOT NULL,
    key         BYTES NOT NULL,
    floor_no    INT NOT NULL,
    floor_row   INT NOT NULL,
    PRIMARY KEY (account_id, session_row, branch_row, key, floor_no)
) TABLE_KIND;
CREATE INDEX floor_key_of_floor ON floor_key (account_id, session_row, floor_row);
INSERT INTO floor_key (account_id, session_row, branch_row, key, floor_no, floor_row)
    SELECT v.account_id, v.session_row, f.branch_row, v.key, f.floor_no, f.floor_row FROM variable v
    JOIN floor f ON f.account_id = v.account_id AND f.session_row = v.session_row AND f.floor_row = v.host_row
    WHERE v.scope = 3;

CREATE TABLE staged_write (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    key         BYTES NOT NULL,
    id          ID NOT NULL,
    seq         INT NOT NULL,           -- the clock's tick, in whose order the ledger is shown
    op          INT NOT NULL,           -- 0 set, 1 delete
    value       BYTES,
    intent      INT NOT NULL,           -- 0 page only, 1 to the floor, 2 to the branch, 3 to the chat
    policy      INT NOT NULL,           -- 0 replace, 1 if absent
    source_kind INT NOT NULL,           -- 0 unknown, 1 macro, 2 tool, 3 agent, 4 memory
    reason      BYTES,
    source      BYTES,
    evidence    BYTES,
    status      INT NOT NULL,           -- 0 staged, 1 accepted on the page only, 2 promoted, 3 rejected, 4 discarded
    decision    INT,                    -- the code and reason of the decision, as a row of the engine's table
    created_at  INT NOT NULL,
    resolved_at INT,
    PRIMARY KEY (account_id, session_row, page_row, key),
    FOREIGN KEY (account_id, session_row, page_row)
        REFERENCES page (account_id, session_row, page_row) ON DELETE CASCADE
) TABLE_KIND;

-- What a page promoted, hop by hop.
CREATE TABLE promotion (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    seq         INT NOT NULL,
    id          ID NOT NULL,
    staged_id   ID,
    key         BYTES NOT NULL,
    from_scope  INT NOT NULL,
    from_row    INT NOT NULL,
    to_scope    INT NOT NULL,
    to_row      INT NOT NULL,
    policy      INT NOT NULL,
    source_variable_id ID,
    target_variable_id ID,
    value       BYTES,                  -- null: the promotion of a deletion
    PRIMARY KEY (account_id, session_row, page_row, seq, id),
    FOREIGN KEY (account_id, session_row, page_row)
        REFERENCES page (account_id, session_row, page_row) ON DELETE CASCADE
) TABLE_KIND;

-- What happened, in the order in which it became visible. A variable's value is not repeated here: it is in its history.
CREATE TABLE event (
    account_id  ID NOT NULL,
    position    INT NOT NULL,           -- a counter on SQLite, the transaction's number on PostgreSQL
    ordinal     INT NOT NULL,           -- within the write
    session_row INT NOT NULL,           -- 0: of the account alone
    branch_row  INT,
    seq         INT NOT NULL,           -- the clock's tick
    kind        INT NOT NULL,
    session_id  ID,                     -- of a session that is gone; one that is there knows its id
    branch_id   BYTES,
    subject_id  ID NOT NULL,            -- what it happened to
    scope       INT,                    -- where a variable's history is, and the names of its host
    host_row    INT,
    host_id     ID,
    key         BYTES,
    detail      BYTES,                  -- whatever else is told
    PRIMARY KEY (account_id, position, ordinal)
) TABLE_KIND;
CREATE INDEX event_of_session ON event (account_id, session_row, position, ordinal);

-- Answers that were given under an Idempotency-Key.
CREATE TABLE kept_answer (
    account_id  ID NOT NULL,
    key         BYTES NOT NULL,
    fingerprint BYTES NOT NULL,
    answer      BYTES NOT NULL,
    created_at  INT NOT NULL,
    PRIMARY KEY (account_id, key)
) TABLE_KIND;
CREATE INDEX kept_answer_by_time ON kept_answer (account_id, created_at);

-- Work that is too long for one transaction.
CREATE TABLE job (
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    kind        INT NOT NULL,           -- 0 the deletion of a session, 1 of an account
    state       INT NOT NULL,           -- 0 waiting, 1 running, 2 done, 3 cancelled, 4 failed
    session_row INT NOT NULL,
    subject_id  ID NOT NULL,            -- what it works on, by the name it had
    done        INT NOT NULL,
    total       INT NOT NULL,
    problem     BYTES,
    created_at  INT NOT NULL,
    updated_at  INT NOT NULL,
    lease_until INT,                    -- until when the node that runs it may be believed alive
    PRIMARY KEY (account_id, id)
) TABLE_KIND;
CREATE INDEX job_by_time ON job (account_id, created_at, id);
CREATE INDEX job_open ON job (account_id, lease_until) WHERE state < 2;
