-- Accounts, keys, the conversation tree and variables.
--
-- Written once for both databases. BYTES, INT and ID are replaced by each driver's types, and TABLE_KIND by what makes a
-- SQLite table strict and clustered by its key. account_id leads every key; rows inside an account are found by integers,
-- and public ids are looked up in one index each. Numbers called *_row are ours; *_no and version are the user's.

CREATE TABLE account (
    account_id   ID NOT NULL,
    created_at   INT NOT NULL,
    disabled_at  INT,
    seq          INT NOT NULL,          -- the account's clock: one tick for each write of global data
    last_session INT NOT NULL,          -- the highest session_row that was ever used
    variables    INT NOT NULL,          -- how many global variables there are
    keys_made    INT NOT NULL,          -- on the default account: whether any key was ever made, for whomever
    PRIMARY KEY (account_id)
) TABLE_KIND;

-- The only table that is found without an account: a request arrives with a secret and nothing else.
CREATE TABLE api_key (
    key_hash    BYTES NOT NULL,
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    name        BYTES NOT NULL,
    role        ID NOT NULL,
    created_at  INT NOT NULL,
    expires_at  INT,
    revoked_at  INT,
    PRIMARY KEY (key_hash)
) TABLE_KIND;
CREATE UNIQUE INDEX api_key_by_id ON api_key (account_id, id);

CREATE TABLE session (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    id          ID NOT NULL,
    title       BYTES,
    created_at  INT NOT NULL,
    updated_at  INT NOT NULL,
    seq         INT NOT NULL,           -- the session's clock: one tick for each write
    last_row    INT NOT NULL,           -- the highest branch_row, floor_row or page_row that was ever used
    variables   INT NOT NULL,
    PRIMARY KEY (account_id, session_row),
    FOREIGN KEY (account_id) REFERENCES account (account_id)
) TABLE_KIND;
CREATE UNIQUE INDEX session_by_id ON session (account_id, id);
CREATE INDEX session_by_change ON session (account_id, updated_at, session_row);

CREATE TABLE branch (
    account_id      ID NOT NULL,
    session_row     INT NOT NULL,
    branch_row      INT NOT NULL,
    id              BYTES NOT NULL,     -- free text
    source_floor_row INT,
    source_floor_no INT,
    created_at      INT NOT NULL,
    variables       INT NOT NULL,
    PRIMARY KEY (account_id, session_row, branch_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX branch_by_id ON branch (account_id, session_row, id);

CREATE TABLE floor (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    floor_row   INT NOT NULL,
    id          ID NOT NULL,
    branch_row  INT NOT NULL,
    floor_no    INT NOT NULL,
    state       INT NOT NULL,           -- 0 draft, 1 generating, 2 committed, 3 failed
    lease_until INT,
    created_at  INT NOT NULL,
    updated_at  INT NOT NULL,
    variables   INT NOT NULL,
    PRIMARY KEY (account_id, session_row, floor_row),
    FOREIGN KEY (account_id, session_row, branch_row)
        REFERENCES branch (account_id, session_row, branch_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX floor_by_id ON floor (account_id, id);
CREATE UNIQUE INDEX floor_by_position ON floor (account_id, session_row, branch_row, floor_no);
CREATE INDEX floor_by_lease ON floor (account_id, lease_until) WHERE state = 1;

CREATE TABLE page (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    id          ID NOT NULL,
    floor_row   INT NOT NULL,
    page_no     INT NOT NULL,
    version     INT NOT NULL,
    kind        INT NOT NULL,           -- 0 input, 1 output, 2 mixed
    is_active   INT NOT NULL,
    role        BYTES,
    name        BYTES,
    created_at  INT NOT NULL,
    updated_at  INT NOT NULL,
    variables   INT NOT NULL,
    PRIMARY KEY (account_id, session_row, page_row),
    FOREIGN KEY (account_id, session_row, floor_row)
        REFERENCES floor (account_id, session_row, floor_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX page_by_id ON page (account_id, id);
CREATE UNIQUE INDEX page_by_position ON page (account_id, session_row, floor_row, page_no, version);
CREATE UNIQUE INDEX page_active ON page (account_id, session_row, floor_row, page_no) WHERE is_active = 1;

-- Texts and whatever else may be large stand apart, so that lists stay small and a tick of the clock rewrites few bytes.
-- scope and host_row say whose body it is, as they do for variables.
CREATE TABLE body (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    scope       INT NOT NULL,
    host_row    INT NOT NULL,
    content     BYTES,                  -- a page's text
    extra       BYTES,                  -- a page's extra, a floor's or session's metadata
    PRIMARY KEY (account_id, session_row, scope, host_row)
) TABLE_KIND;

-- scope: 0 global, 1 chat, 2 branch, 3 floor, 4 page. host_row is the host's row; global and chat have 0.
CREATE TABLE variable (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    scope       INT NOT NULL,
    host_row    INT NOT NULL,
    key         BYTES NOT NULL,
    id          ID NOT NULL,
    updated_at  INT NOT NULL,
    revision    INT NOT NULL,           -- the clock's tick at the last write
    value       BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, scope, host_row, key)
) TABLE_KIND;
CREATE UNIQUE INDEX variable_by_id ON variable (account_id, id);
CREATE INDEX variable_by_key ON variable (account_id, scope, key, session_row, host_row);
CREATE INDEX variable_by_change ON variable (account_id, scope, updated_at, session_row, host_row, key);
CREATE INDEX variable_of_host_by_change ON variable (account_id, session_row, scope, host_row, updated_at, key);

-- How many variables an account has on each scope, spread over shards so that sessions do not wait for each other.
CREATE TABLE variable_total (
    account_id  ID NOT NULL,
    scope       INT NOT NULL,
    shard       INT NOT NULL,
    total       INT NOT NULL,
    PRIMARY KEY (account_id, scope, shard)
) TABLE_KIND;
